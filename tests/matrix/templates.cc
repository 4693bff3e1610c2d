/* SPDX-License-Identifier: MIT */
/* The constructs of C++ with templates, lambdas and constants; see matrix.h. */
#include "matrix.h"

#include <array>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

/* construct: template_function */
template <class T> static T sums (T x)
{
	T s = 0;
	for (int i = 0; i < 3; i++) {
		I (template_loop)
		P (template_point)
		if (i == 1)
			continue;
		s += static_cast<T> (opaque (static_cast<int> (x)));
		if (s > 1000)
			return s;
	}
	return s;
}

CONSTRUCT (template_function)
{
	return sums (3) + sums (4L) + static_cast<long> (sums (2.0)) + sums<short> (999);
}

/* construct: template_switch */
template <class T> static int template_switch (T x)
{
	switch (x) {
	case 1: {
		I (template_one)
		return opaque (1);
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

CONSTRUCT (template_switch)
{
	return template_switch (opaque (1)) + template_switch (2L) + template_switch ('c');
}

/* construct: template_class */
template <class T> struct holder {
	T v;
	T get () const
	{
		I (get)
		return v;
	}
	template <class U> U as (U u)
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

CONSTRUCT (template_class)
{
	holder<int> a = {opaque (1)};
	holder<double> b = {2.5};
	return a.get () + static_cast<long> (b.get () + a.as (1.5)) + b.as (3);
}

/* construct: template_specialised */
template <class T, int N> struct special {
	static int value ()
	{
		I (general)
		return N;
	}
};
template <int N> struct special<char, N> {
	static int value ()
	{
		I (partial)
		return N * 2;
	}
};
template <> struct special<char, 3> {
	static int value ()
	{
		I (full)
		return opaque (9);
	}
};

CONSTRUCT (template_specialised)
{
	return special<int, 1>::value () + special<char, 2>::value () + special<char, 3>::value ();
}

/* construct: template_recursion */
template <int N> static int unrolled_template ()
{
	I (unrolled_template)
	if constexpr (N > 0) {
		P (step)
		return unrolled_template<N - 1> () + 1;
	} else
		return opaque (0);
}

CONSTRUCT (template_recursion)
{
	return unrolled_template<4> ();
}

/* construct: variadic_template */
template <class... T> static long total (T... values)
{
	long s = 0;
	I (total)
	auto add = [&] (auto v) {
		I (add_one)
		s += static_cast<long> (v);
	};
	(add (values), ...);
	return s;
}

CONSTRUCT (variadic_template)
{
	return total () + total (1) + total (opaque (2), 3L, 4.5);
}

/* construct: if_constexpr */
template <class T> static int by_type (T x)
{
	if constexpr (sizeof (T) == 1) {
		I (one_byte)
		return x;
	} else if constexpr (sizeof (T) == 4) {
		I (four_bytes)
		return static_cast<int> (x) + 1;
	} else {
		P (more_bytes)
		return opaque (2);
	}
}

CONSTRUCT (if_constexpr)
{
	return by_type ('a') + by_type (3) + by_type (3.0);
}

/* construct: template_exceptions */
template <class T> static int template_throws (T x)
{
	try {
		I (template_try)
		if (opaque (static_cast<int> (x)) > 5)
			throw x;
		return 1;
	} catch (T e) {
		I (template_catch)
		return static_cast<int> (e);
	}
}

CONSTRUCT (template_exceptions)
{
	return template_throws (3) + template_throws (9) + template_throws (12.0);
}

/* construct: template_values */
template <class T>
static void template_values (T x, const T &ref){
	R (template_value, x * 2) R (template_reference, ref) R (template_sum, ref + x - 1)}

CONSTRUCT (template_values)
{
	template_values (opaque (3), 4);
	template_values (1.5, 2.5);
	return 0;
}

/* construct: template_of_static_member */
template <class T> struct with_static {
	static T next ()
	{
		static T n = static_cast<T> (opaque (1));
		I (next)
		return n++;
	}
};

CONSTRUCT (template_of_static_member)
{
	return with_static<int>::next () + with_static<int>::next () + with_static<long>::next ();
}

/* construct: explicit_instantiation */
template <class T> T instantiated (T x)
{
	I (instantiated)
	return x + static_cast<T> (opaque (1));
}
template int instantiated<int> (int);
extern template long instantiated<long> (long);
template long instantiated<long> (long);

CONSTRUCT (explicit_instantiation)
{
	return instantiated (3) + instantiated (4L);
}

/* construct: lambdas */
CONSTRUCT (lambdas)
{
	int x = opaque (3);
	auto plain = [&] (int y) {
		I (lambda)
		return y + x;
	};
	auto copied = [x] {
		I (copied)
		return x;
	};
	auto mutating = [n = x] () mutable {
		I (mutating)
		return n++;
	};
	return plain (2) + copied () + mutating () + mutating ();
}

/* construct: generic_lambdas */
CONSTRUCT (generic_lambdas)
{
	int x = opaque (3);
	auto generic = [&] (auto y) {
		I (generic_lambda)
		P (generic_point)
		return y + x;
	};
	auto both = [] (auto a, auto... rest) {
		I (generic_pack)
		return static_cast<long> (a) + static_cast<long> (sizeof...(rest));
	};
	return generic (2) + static_cast<long> (generic (2.5)) + both (1, 2, 3) + both (opaque (4));
}

/* construct: lambda_in_lambda */
CONSTRUCT (lambda_in_lambda)
{
	auto outer = [] (int a) {
		I (outer_lambda)
		return [a] (int b) {
			I (returned_lambda)
			auto inner = [&] () -> int {
				I (innermost_lambda)
				if (opaque (a) == 1)
					return b;
				return a;
			};
			return inner () + 1;
		};
	};
	return outer (1) (2) + outer (3) (4);
}

/* construct: recursive_lambda */
CONSTRUCT (recursive_lambda)
{
	auto count = [] (auto &self, int n) -> int {
		I (recursive_lambda)
		return n == 0 ? 0 : 1 + self (self, n - 1);
	};
	return count (count, opaque (4));
}

/* construct: std_function */
CONSTRUCT (std_function)
{
	int n = opaque (2);
	std::function<int (int)> f = [&] (int x) {
		I (erased)
		if (x > 5)
			throw x;
		return x * n;
	};
	try {
		I (calling_erased)
		return f (3) + f (9);
	} catch (int e) {
		P (erased_threw)
		return e;
	}
}

/* construct: lambda_captures_this */
struct captures {
	int x;
	int run ()
	{
		I (captures_run)
		auto by_pointer = [this] {
			I (by_this)
			V (captured_member, x)
			return x;
		};
		auto by_value = [*this] {
			I (by_copy)
			return x + 1;
		};
		x++;
		return by_pointer () * 10 + by_value ();
	}
};

CONSTRUCT (lambda_captures_this)
{
	return captures{opaque (3)}.run ();
}

/* construct: constexpr_function */
/*
 * may be evaluated by the compiler: the plugin notes that it does nothing there, and without it
 * there is nothing either
 */
constexpr int evaluated (int x)
{
	CONSTANT (evaluated)
	return x * x;
}
static_assert (evaluated (3) == 9, "");

CONSTRUCT (constexpr_function)
{
	constexpr int n = evaluated (4);
	I (uses_constant)
	return n + evaluated (opaque (2));
}

/* construct: constexpr_lambda */
CONSTRUCT (constexpr_lambda)
{
	constexpr auto square = [](int x) constexpr
	{
		CONSTANT (square)
		return x * x;
	};
	static_assert (square (3) == 9, "");
	return square (opaque (5));
}

/* construct: constexpr_constructor */
struct literal {
	int x;
	constexpr explicit literal (int y) : x (y)
	{
		CONSTANT (literal)
		x += 1;
	}
	int plain () const
	{
		I (plain_member)
		return x;
	}
};

CONSTRUCT (constexpr_constructor)
{
	static constexpr literal constant (3);
	literal variable (opaque (4));
	return constant.plain () + variable.plain ();
}

/* construct: structured_bindings */
CONSTRUCT (structured_bindings)
{
	auto [a, b, c] = std::make_tuple (opaque (1), 2L, 2.5);
	I (bindings)
	for (auto [key, value] : std::vector<std::pair<int, int>>{{1, 2}, {3, 4}}) {
		I (pair)
		a += key * value;
	}
	return a + b + static_cast<long> (c);
}

/* construct: if_with_initialiser */
CONSTRUCT (if_with_initialiser)
{
	int s = 0;
	for (int i = 0; i < 3; i++) {
		if (int q = opaque (i); q > 1) {
			I (initialised_if)
			s += q;
		} else if (q == 1) {
			I (initialised_else)
			s -= q;
		}
		switch (int r = opaque (i); r) {
		case 1: {
			I (initialised_switch)
			s += r;
		}
		}
	}
	return s;
}

/* construct: visitor */
CONSTRUCT (visitor)
{
	std::variant<int, double, std::string> values[] = {opaque (1), 2.5, std::string ("abc")};
	long s = 0;
	for (const auto &value : values)
		std::visit (
			[&] (const auto &v) {
				I (visited)
				if constexpr (std::is_arithmetic_v<std::decay_t<decltype (v)>>)
					s += static_cast<long> (v);
				else
					s += static_cast<long> (v.size ());
			},
			value);
	return s;
}

/* construct: default_arguments */
static int counted_default ()
{
	I (counted_default)
	return opaque (4);
}
static int with_default (int x, int y = counted_default ())
{
	I (with_default)
	return x + y;
}

CONSTRUCT (default_arguments)
{
	return with_default (1) + with_default (1, 2);
}

/* construct: friend_and_namespace */
namespace outer_space
{
inline namespace inner_space
{
struct friendly {
	int x;
	friend int befriended (const friendly &f)
	{
		I (befriended)
		return f.x;
	}
};
} // namespace inner_space
namespace
{
int hidden (int x)
{
	I (hidden)
	return x + 1;
}
} // namespace
} // namespace outer_space

CONSTRUCT (friend_and_namespace)
{
	return befriended (outer_space::friendly{opaque (3)}) + outer_space::hidden (opaque (4));
}

/* construct: move_and_forward */
struct moved {
	std::vector<int> v;
	moved () : v{1, 2, 3}
	{
	}
	moved (moved &&other) noexcept : v (std::move (other.v))
	{
		I (moving)
	}
	~moved ()
	{
		P (moved_gone)
	}
};
template <class T> static long forwarded (T &&x)
{
	I (forwarded)
	moved own (std::forward<T> (x));
	return static_cast<long> (own.v.size ());
}

CONSTRUCT (move_and_forward)
{
	return forwarded (moved ());
}

/* construct: optional_and_arrays */
static std::optional<int> maybe (int x)
{
	I (maybe)
	if (x == 0)
		return std::nullopt;
	return x;
}

CONSTRUCT (optional_and_arrays)
{
	std::array<int, 3> a = {0, opaque (1), 2};
	long s = 0;
	for (int x : a) {
		I (each)
		if (auto v = maybe (x))
			s += *v;
	}
	return s;
}

/* construct: initializer_list */
static long list_sum (std::initializer_list<int> list)
{
	long s = 0;
	I (list_sum)
	for (int x : list) {
		V (list_item, x)
		s += x;
	}
	return s;
}

CONSTRUCT (initializer_list)
{
	return list_sum ({1, opaque (2), 3});
}
