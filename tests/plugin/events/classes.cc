/* SPDX-License-Identifier: MIT */
/* C++: exceptions, constructors and destructors, lambdas, templates, generic lambdas. */
#include "events.h"

#include <utility>

__attribute__ ((noipa)) static int may_throw (int x)
{
	if (x >= 1000)
		throw x;
	return x * 3 + 1;
}

static int loop (int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		I (loop)
		if (i == 1)
			continue;
		s += may_throw (i);
		if (s == 8)
			goto out;
		if (i == 3)
			return 9;
		if (i == 4)
			break;
		P (in_loop)
	}
	return s;
out:
	return -s;
}

static int caught (int x)
{
	try {
		I (tried)
		int r = may_throw (x);
		P (reached)
		return r;
	} catch (int e) {
		I (handler)
		return e;
	}
}

static int rethrown (int x)
{
	try {
		I (outer_try)
		try {
			I (inner_try)
			may_throw (x);
		} catch (...) {
			I (inner_handler)
			throw;
		}
	} catch (int) {
		P (rethrown)
		return 1;
	}
	return 0;
}

struct counted {
	int x;
	explicit counted (int y) : x (y)
	{
		I (constructor)
		x = may_throw (x);
	}
	~counted ()
	{
		I (destructor)
		x = 0;
	}
	int method (int) const
	{
		I (method)
		return x;
	}
	operator int () const
	{
		I (conversion)
		return x;
	}
	static int number ()
	{
		I (static_method)
		return 4;
	}
	counted operator+ (const counted &other) const
	{
		I (plus)
		return counted (x + other.x);
	}
};

struct derived : counted {
	explicit derived (int y) : counted (y)
	{
		I (derived_constructor)
		if (y == 5)
			throw 5;
	}
	~derived ()
	{
		P (derived_destructor)
	}
	virtual int over (int a)
	{
		I (over)
		return a + x;
	}
};

static int order (int x)
{
	counted a (1);
	I (order)
	counted b (2);
	return may_throw (x);
}

static int failed_construction (int y)
{
	try {
		I (around_construction)
		derived d (y);
		return d.over (1);
	} catch (int) {
		P (construction_failed)
	}
	return 0;
}

static int lambdas (int x)
{
	auto plain = [&] (int y) {
		I (lambda)
		return y + x;
	};
	auto generic = [&] (auto y) {
		I (generic_lambda)
		P (generic_point)
		return y + x;
	};
	auto mutating = [n = x] () mutable {
		I (mutating_lambda)
		return n++;
	};
	return plain (2) + static_cast<int> (generic (2) + generic (2.0)) + mutating () + mutating ();
}

template <class T>
static T sums (T x)
{
	T s = 0;
	for (int i = 0; i < 3; i++) {
		I (template_loop)
		P (template_point)
		if (i == 1)
			continue;
		s += static_cast<T> (may_throw (static_cast<int> (x)));
		if (s > 1000)
			return s;
	}
	return s;
}

template <class T>
static int template_switch (T x)
{
	switch (x) {
	case 1: {
		I (template_one)
		return may_throw (1);
	}
	default:
		P (template_other)
		break;
	case 2:
		I (template_two)
		x = 4;
		break;
	}
	return static_cast<int> (x);
}

template <class T>
struct holder {
	T v;
	T get () const
	{
		I (get)
		return v;
	}
	template <class U>
	U as (U u)
	{
		I (as)
		auto inner = [&] (auto z) {
			I (lambda_in_template)
			return z + u;
		};
		return inner (static_cast<U> (v));
	}
	~holder ()
	{
		P (holder_gone)
	}
};

template <class T>
static int template_throws (T x)
{
	try {
		I (template_try)
		return may_throw (static_cast<int> (x));
	} catch (int) {
		I (template_catch)
		return 1;
	}
}

template <int N>
static int unrolled_template ()
{
	I (unrolled_template)
	if constexpr (N > 0) {
		P (step)
		return unrolled_template<N - 1> () + 1;
	} else
		return 0;
}

inline int inlined (int x)
{
	I (inlined)
	return may_throw (x);
}

template <class T>
static void template_values (T x, const T &ref)
{
	R (template_value, x * 2)
	R (template_reference, ref)
	R (template_sum, ref + x - 1)
}

struct fields {
	int a = 3;
	int list[3] = {7, 8, 9};
	double d = 1.5;
	int &ref;
	explicit fields (int &r) : ref (r) {}
	void show (int i) const
	{
		V (own_member, a)
		V (this_member, this->list[i])
		V (reference_member, ref)
		R (real_member, d / 2)
	}
};

namespace space
{
static int shared = 5;
struct limits {
	static constexpr int most = 12;
	enum { least = 3 };
};
static void values (int &r, bool b, long *p)
{
	V (namespace_variable, shared)
	V (qualified_variable, space::shared + 1)
	V (constant_member, limits::most)
	V (enumerator_member, limits::least)
	V (true_value, true)
	V (reference, r)
	V (boolean, b)
	V (pointed, *p)
	V (pointed_element, p[1] + p[0])
}
} // namespace space

static int range (int n)
{
	int list[] = {n, n + 1, n + 2}, s = 0;
	for (int v : list) {
		I (range)
		if (v == 2)
			continue;
		s += v;
	}
	if (int q = opaque (s); q > 0) {
		I (if_with_initialiser)
		s += q;
	}
	return s;
}

static int noexcept_function (int n) noexcept
{
	I (noexcept_function)
	return n;
}

static int through (int n)
{
	I (through)
	counted c (n);
	I (through_inner)
	return may_throw (n * 500);
}

static int function_try (int n)
try {
	I (function_try)
	return may_throw (n);
} catch (int) {
	P (function_caught)
	return 2;
}

int main ()
{
	int r = loop (3) + loop (9) + caught (2) + caught (1000) + rethrown (1) + rethrown (1000);
	{
		counted s (1), t = s + counted (2);
		r += s.method (0) + t + counted::number ();
	}
	r += order (1) + failed_construction (4) + failed_construction (5) + lambdas (3);
	r += sums (1) + static_cast<int> (sums (2.0)) + static_cast<int> (sums (999L));
	r += template_switch (1) + template_switch (2L) + template_switch (static_cast<short> (3));
	holder<int> h{3};
	holder<double> g{2};
	r += h.get () + static_cast<int> (g.get ()) + h.as (2L) + static_cast<int> (g.as (1.5f));
	r += template_throws (1) + template_throws (1000L) + unrolled_template<3> () + inlined (2);
	template_values (opaque (3), 4);
	template_values (1.5, 2.5);
	int five = opaque (5);
	long pair[] = {4, 6};
	fields (five).show (1);
	space::values (five, true, pair);
	r += range (1) + noexcept_function (1) + function_try (1) + function_try (1000);
	try {
		through (2);
	} catch (int) {
		P (outside)
	}
	return r == 123456;
}
