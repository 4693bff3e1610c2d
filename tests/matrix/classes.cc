/* SPDX-License-Identifier: MIT */
/* The constructs of C++ with classes and exceptions; see matrix.h. */
#include "matrix.h"

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <typeinfo>
#include <vector>

__attribute__ ((noipa, unused)) static int may_throw (int x)
{
	if (x >= 1000)
		throw x;
	return x * 3 + 1;
}

/* in both units: comdat groups that the linker makes one of */
template <class T> static inline T twice (T x)
{
	I (twice)
	return static_cast<T> (opaque (static_cast<int> (x)) * 2);
}

inline int comdat (int x)
{
	I (comdat)
	P (comdat_point)
	return may_throw (x);
}

template <class T> struct in_both {
	T x;
	explicit in_both (T y) : x (y)
	{
		I (in_both_made)
		x += static_cast<T> (opaque (1));
	}
	virtual ~in_both ()
	{
		I (in_both_gone)
	}
	virtual T get () const
	{
		I (in_both_get)
		return x;
	}
};

struct counted {
	int x;
	explicit counted (int y) : x (y)
	{
		I (constructor)
		x = may_throw (x);
	}
	counted (const counted &other) : x (other.x)
	{
		I (copy)
	}
	~counted ()
	{
		I (destructor)
		x = 0;
	}
	counted operator+ (const counted &other) const
	{
		I (plus)
		return counted (x + other.x);
	}
};

/* construct: constructors_and_destructors */
CONSTRUCT (constructors_and_destructors)
{
	counted a (opaque (1));
	I (between_objects)
	counted b (2), c = a + b;
	{
		I (inner_objects)
		counted d = c;
		return d.x;
	}
}

/* construct: virtual_functions */
struct shape {
	virtual ~shape ()
	{
		P (shape_gone)
	}
	virtual int area (int a) const
	{
		I (shape_area)
		return a;
	}
};
struct square : shape {
	~square () override
	{
		I (square_gone)
	}
	int area (int a) const override
	{
		I (square_area)
		return a * shape::area (a);
	}
};
struct other_base {
	virtual ~other_base ()
	{
	}
	virtual int second (int a)
	{
		I (second)
		return a;
	}
};
struct both_bases : square, other_base {
	int second (int a) override
	{
		I (thunked)
		return area (a) + other_base::second (a);
	}
};

CONSTRUCT (virtual_functions)
{
	std::unique_ptr<shape> s (new square);
	std::unique_ptr<other_base> o (new both_bases);
	I (virtual_calls)
	return s->area (opaque (3)) + o->second (opaque (2));
}

/* construct: virtual_base */
struct virtual_root {
	int r = 1;
	virtual_root ()
	{
		I (root)
	}
	virtual ~virtual_root ()
	{
		I (root_gone)
	}
};
struct left_side : virtual virtual_root {
	left_side ()
	{
		I (left)
		r += opaque (1);
	}
};
struct right_side : virtual virtual_root {
	right_side ()
	{
		I (right)
		r *= 3;
	}
};
struct diamond : left_side, right_side {
	diamond ()
	{
		I (diamond)
		r++;
	}
	~diamond ()
	{
		I (diamond_gone)
	}
};

CONSTRUCT (virtual_base)
{
	diamond d;
	P (diamond_made)
	return d.r;
}

/* construct: covariant_and_pointers_to_members */
struct pointed_to {
	int x = 4;
	int method (int y)
	{
		I (pointed_method)
		return x + y;
	}
	virtual pointed_to *self ()
	{
		I (self)
		return this;
	}
	virtual ~pointed_to ()
	{
	}
};
struct pointed_derived : pointed_to {
	pointed_derived *self () override
	{
		I (derived_self)
		return this;
	}
};

CONSTRUCT (covariant_and_pointers_to_members)
{
	pointed_derived d;
	int (pointed_to::*volatile method) (int) = &pointed_to::method;
	pointed_to *p = &d;
	return (p->self ()->*method) (opaque (3));
}

/* construct: operators */
struct operated {
	int x;
	operator int () const
	{
		I (conversion)
		return x;
	}
	operated &operator++ ()
	{
		I (increment)
		x++;
		return *this;
	}
	int operator() (int y) const
	{
		I (call_operator)
		return x * y;
	}
	int &operator[] (int)
	{
		I (subscript)
		return x;
	}
	static void *operator new (std::size_t n)
	{
		I (operator_new)
		return std::malloc (n);
	}
	static void operator delete (void *p)
	{
		I (operator_delete)
		std::free (p);
	}
};

CONSTRUCT (operators)
{
	operated a = {opaque (3)};
	++a;
	a[0] += 2;
	operated *p = new operated (a);
	int r = a (2) + *p;
	delete p;
	return r;
}

/* construct: temporaries */
struct temporary {
	int x;
	explicit temporary (int y) : x (y)
	{
		P (temporary_made)
	}
	~temporary ()
	{
		P (temporary_gone)
	}
};
static int use (const temporary &a, const temporary &b)
{
	I (use)
	return a.x + b.x;
}

CONSTRUCT (temporaries)
{
	I (around_temporaries)
	int r = use (temporary (opaque (1)), temporary (2));
	const temporary &bound = temporary (3);
	P (bound)
	return r + bound.x;
}

/* construct: comdat_functions */
CONSTRUCT (comdat_functions)
{
	in_both<int> a (opaque (1));
	in_both<long> b (2);
	const in_both<int> *p = &a;
	return comdat (opaque (2)) + twice (3) + twice (4L) + p->get () + b.get ();
}

/* construct: local_class */
CONSTRUCT (local_class)
{
	struct local {
		int x;
		int get () const
		{
			I (local_get)
			return x;
		}
		static int count ()
		{
			I (local_count)
			return opaque (3);
		}
	};
	local l = {opaque (2)};
	return l.get () + local::count ();
}

/* construct: static_initialisation */
struct initialised {
	int x;
	initialised () : x (opaque (4))
	{
	}
	int get () const
	{
		I (initialised_get)
		return x;
	}
};
static initialised global_object;
static int once ()
{
	static const int value = [] {
		I (initialised_once)
		return opaque (6);
	}();
	I (once)
	return value;
}

CONSTRUCT (static_initialisation)
{
	return global_object.get () + once () + once ();
}

/* construct: range_for */
CONSTRUCT (range_for)
{
	int s = 0;
	for (const std::string &text : std::vector<std::string>{"a", "bb", "ccc", "dddd"}) {
		I (element)
		if (text.size () == 2)
			continue;
		if (text.size () == 4)
			break;
		s += static_cast<int> (text.size ());
	}
	return s;
}

/* construct: goto_past_objects */
CONSTRUCT (goto_past_objects)
{
	int n = opaque (0);
again : {
	I (objects_again)
	counted c (n);
	n++;
	if (n < 3)
		goto again;
	if (n == 3)
		goto out;
}
	P (unreached)
out:
	return n;
}

/* construct: own_members_as_values */
struct measured {
	int a = 3, list[3] = {7, 8, 9};
	double d = 1.5;
	int &ref;
	enum { least = 3 };
	static constexpr int most = 12;
	explicit measured (int &r) : ref (r)
	{
	}
	void show (int i) const
	{
		V (own_member, a)
		V (this_member, this->list[i])
		V (reference_member, ref)
		R (real_member, d / 2)
		V (constant_member, most)
		V (enumerator_member, least + 1)
	}
};

CONSTRUCT (own_members_as_values)
{
	int x = opaque (5);
	measured (x).show (opaque (1));
	return x;
}

/* construct: rtti_and_casts */
CONSTRUCT (rtti_and_casts)
{
	struct a {
		virtual ~a ()
		{
		}
	};
	struct b : a {
	};
	b object;
	a *p = &object;
	I (casts)
	try {
		struct c : a {
		};
		(void) dynamic_cast<c &> (*p);
	} catch (const std::bad_cast &) {
		P (bad_cast)
	}
	return dynamic_cast<b *> (p) != nullptr && typeid (*p) == typeid (b);
}
