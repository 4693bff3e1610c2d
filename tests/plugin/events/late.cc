/* SPDX-License-Identifier: MIT */
/* Dimensions that come later in C++: templates, lambdas, exceptions, members, destructors. */
#include "events.h"

#include <string>

// Types that only an instantiation knows.
#ifdef __PPGCC__
#define UNKNOWN(text) PP_DIM_HERE (x = x, size = sizeof (T))
#else
#define UNKNOWN(text) printf ("D unknown x=%s size=%zu\n", text, sizeof (T));
#endif

template <class T> static void unknown (T x, const char *text)
{
	(void) text;
	I (unknown)
	UNKNOWN (text)
}

#ifndef __PPGCC__
static const char *text_or_null (const std::string &text)
{
	return text.c_str ();
}
#endif

template <class T> struct holder {
	T v;
	int sum (int n, const std::string &text)
	{
		I (dependent)
		D (dependent, size, v.size ())
		DT (dependent, text, text)
		DT (dependent, both, text + text)
		DT (dependent, own, v)
		DT (dependent, own_twice, v + v)
		auto lambda = [&] (auto y) {
			I (lambda)
			D (lambda, y, y + n)
			return y;
		};
		int result = lambda (n);
		D (dependent, result, result)
		return result;
	}
};

struct guard {
	int n;
	~guard ()
	{
		I (destroyed)
		D (destroyed, n, n)
	}
};

static int thrower (int x)
{
	I (thrower)
	D (thrower, x, x)
	if (x > 1)
		throw x;
	B (thrower, kept, true)
	return x;
}

static void catches (int x)
{
	I (catches)
	guard g{x};
	try {
		I (tried)
		D (tried, x, x)
		thrower (x);
		DT (tried, no, "exception")
	} catch (int y) {
		D (catches, caught, y)
	}
	D (catches, end, x)
}

struct base {
	int n = 4;
	virtual int value () const
	{
		return n;
	}
	void inside ()
	{
		I (inside)
		D (inside, own, n)
		D (inside, called, value ())
		D (inside, self, this->n + value ())
	}
	virtual ~base () = default;
};

int main ()
{
	unknown (7, "7");
	unknown (2.5, "2.5");
	unknown (1.5f, "1.5");
	unknown (true, "true");
	unknown ('a', "97");
	unknown ("text", "text");
	unknown ((void *) "text", "pointer");
	unknown ((const char *) 0, "(null)");
	holder<std::string> h{"four"};
	h.sum (3, "three");
	catches (1);
	catches (2);
	base b;
	b.inside ();
}
