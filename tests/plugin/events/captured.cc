/* SPDX-License-Identifier: MIT */
/* What sites of C++ capture: member functions, operators, references, and types that only an instantiation knows. */
#include "events.h"

#include <cstdio>
#include <string>
#include <utility>

// How often an object was copied, moved or destroyed: never for its text.
static int touched;
struct named {
	const char *name;
	explicit named (const char *x) : name (x)
	{
	}
	named (const named &other) : name (other.name)
	{
		touched++;
	}
	const char *c_str () const
	{
		return name;
	}
};

// The same of those that GCC would copy bit by bit, or by a template, and of those that it can't copy.
struct passing {
	const char *name;
	~passing ()
	{
		touched++;
	}
	const char *c_str () const
	{
		return name;
	}
};
struct greedy : named {
	using named::named;
	template <class T> explicit greedy (T &x) : named (x)
	{
		touched++;
	}
};
struct single : named {
	using named::named;
	single (const single &) = delete;
	const char *c_str ()
	{
		return name;
	}
};
struct abstract {
	virtual const char *c_str () const = 0;
	virtual ~abstract () = default;
};
struct concrete : abstract {
	const char *c_str () const override
	{
		return "concrete";
	}
};
struct array {
	char name[8];
	const char (&c_str () const)[8]
	{
		return name;
	}
};

#ifndef __PPGCC__
template <class T> static const char *text_or_null (T &&has_text)
{
	return has_text.c_str ();
}
#endif

namespace space
{
struct thing {
	int n;
	explicit thing (int x) : n (x)
	{
	}
	int size () const
	{
		return n * 2;
	}
	int plus (int x, int y = 1) const
	{
		return n + x + y;
	}
	virtual int over () const
	{
		return 1;
	}
	static int count ()
	{
		return 4;
	}
	thing operator+ (int x) const
	{
		return thing (n + x);
	}
	int operator[] (int i) const
	{
		return n * i;
	}
	int operator() (int x) const
	{
		return n - x;
	}
	virtual ~thing () = default;
	void inside (int i) const
	{
		V (own_call, plus (i))
		V (own_this, this->size () + size ())
		V (own_static, count ())
	}
};
struct derived : thing {
	using thing::thing;
	int over () const override
	{
		return 2;
	}
};
static int found_by_argument (const thing &t)
{
	return t.n + 100;
}
static int global = 6;
} // namespace space

template <class T> static T twice (T x)
{
	return x + x;
}

static int chosen (int x)
{
	return x;
}
static double chosen (double x)
{
	return x / 4;
}

static void plain (space::thing &t, const space::thing *p, const std::string &text, int i)
{
	const named own ("name");
	V (method, t.size ())
	V (arrow_method, p->plus (i))
	V (default_argument, p->plus (i, 5))
	V (virtual_method, p->over ())
	V (static_method, space::thing::count ())
	V (qualified_call, space::found_by_argument (t))
	V (argument_dependent, found_by_argument (t))
	V (operator_call, (t + 2).n)
	V (subscript_operator, t[3])
	V (call_operator, t (1))
	V (qualified_variable, space::global * 2)
	V (template_call, twice (i))
	R (overloaded, chosen (2.0))
	V (overloaded_integer, chosen (2))
	T (c_str, text.c_str ())
	T (string, text)
	T (made, text + "abc")
	T (chosen_text, i ? text : text + "no")
	T (own_class, own)
	V (string_size, text.size ())
	V (first, text[0])
	R (functional_cast, double (i) / 2)
	V (temporary, (text + "abc").size ())
	A (nothing, nullptr)
	A (address, &t)
	V (size_of, sizeof (space::thing) + sizeof t)
	V (reference, t.n)
}

// A type that is known when the template is instantiated.
template <class T> static void unknown (T x)
{
#ifdef __PPGCC__
	PP_POINT_VALUE (unknown, x)
	PP_POINT_DIM (unknown_dim, x = x)
#pragma pp point unknown_cast value((T) x) dim(size = sizeof(T))
	PP_FEATURE_PAYLOAD (unknown_payload, x)
#endif
}

// Booleans of which no argument of the template is part.
template <class N> static void booleans (N x, int i, const std::string &text)
{
	bool is = i > 1;
	auto lambda = [&] (auto y) {
		I (in_lambda_too)
		B (in_lambda_too, is, y > 0 && is)
		B (in_lambda_too, size, text.size () > 3)
		return y;
	};
	I (booleans)
	B (booleans, is, is)
	B (booleans, size, text.size () > 3)
	B (booleans, empty, text.empty ())
	B (booleans, less, !is)
	B (booleans, of_type, x > N (1))
	D (booleans, number, i)
	lambda (x);
#ifdef __PPGCC__
#pragma pp point flags dim(is = is, size = text.size() > 3, none = text.empty(), more = x > N(1))
#else
	printf ("P flags is=%s size=true none=false more=true\n", is ? "true" : "false");
#endif
}

// An object stays what it is, and where it is.
template <class T> static void object (T &&x)
{
	T (object, x)
	T (moved, std::move (x))
}

#ifndef __PPGCC__
template <class T> static unsigned size_of (T)
{
	return sizeof (T);
}
static void expected (const char *text, unsigned size, const char *as_dim)
{
	printf ("P unknown %s\nP unknown_dim x=%s\nP unknown_cast %s size=%u\n", text, as_dim, text,
		size);
	printf ("B unknown_payload %s\nE unknown_payload\n", text);
}
#define unknown_bool(x, text, as_dim) expected (text, size_of (x), as_dim)
#else
#define unknown_bool(x, text, as_dim) (unknown) (x)
#endif
#define unknown(x, text) unknown_bool (x, text, text)

template <class T> struct holder {
	T v;
	int calls (int n) const
	{
		V (dependent_member, v.size ())
		V (dependent_argument, v.plus (n))
		V (dependent_lookup, found_by_argument (v))
		V (dependent_condition, n > 0 && v.size () ? v.n : -1)
		V (dependent_cast, static_cast<long> (v.n))
		auto lambda = [&] (auto y) {
			V (in_lambda, v.plus (y) + n)
			R (in_generic_lambda, y / 2.0)
			return y;
		};
		return lambda (n);
	}
};

static int captured_by_lambda (int n, const space::thing &t)
{
	auto by_copy = [n] {
		V (by_copy, n + 1)
		return n;
	};
	auto by_reference = [&] {
		V (by_reference, t.plus (n))
		FV (payload, t.size ())
		return n;
	};
	return by_copy () + by_reference ();
}

int main ()
{
	space::thing t (3);
	space::derived d (5);
	std::string text = "text";
	plain (t, &d, text, opaque (7));
	d.inside (2);
	unknown (7, "7");
	unknown ('a', "97");
	unknown (2.5, "2.5");
	unknown (1.5f, "1.5");
	unknown ("text", "text");
	unknown (&t, "pointer");
	unknown ((void *) "text", "pointer");
	unknown ((const char *) 0, "(null)");
	unknown (text, "text");
	unknown (text + "abc", "textabc");
	unknown_bool (true, "1", "true");
	static passing gone{"gone"};
	single alone ("alone");
	concrete real;
	booleans (2, opaque (1), text);
	booleans (2.5, opaque (2), text);
	object (text);
	object (std::string ("temporary"));
	object (gone);
	object (named ("named"));
	object (greedy ("greedy"));
	object (alone);
	object<abstract &> (real);
	object (array{"array"});
	T (still_there, text)
	V (touched, touched)
	holder<space::thing> h{t};
	return h.calls (opaque (2)) + captured_by_lambda (3, d) == 123456;
}
