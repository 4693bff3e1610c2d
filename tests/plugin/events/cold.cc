/* SPDX-License-Identifier: MIT */
/* Exceptions out of what a cold block computes, temporaries in it, and instances of one template that capture other types. */
#include "events.h"

#include <string>

struct counted {
	int n;
	explicit counted (int x) : n (x)
	{
	}
	~counted ()
	{
		n = -1;
	}
	int value () const
	{
		return n;
	}
};

__attribute__ ((noipa)) static int checked (int x)
{
	if (x > 2)
		throw x;
	return x * 10;
}

__attribute__ ((noipa)) static int through (int x)
{
	counted local (x);
	I (around)
	V (may_throw, checked (x))
	P (behind)
	return local.n;
}

template <class T> __attribute__ ((noipa)) static T twice (T x)
{
	I (in_template)
#ifdef __PPGCC__
	PP_POINT_VALUE (of_type, x + x)
#else
	if ((T) 0.5 == 0)
		printf ("P of_type %lld\n", (long long) (x + x));
	else
		printf ("P of_type %g\n", (double) (x + x));
#endif
	return x + x;
}

int main ()
{
	for (int i = 1; i < 5; i++) {
		try {
			through (opaque (i));
		} catch (int x) {
			I (handler)
			V (caught, x + 1)
		}
	}
	twice (opaque (3));
	twice (1.25 * opaque (1));
	twice ((short) opaque (-4));
	auto lambda = [] (auto x) {
		I (in_lambda)
		V (captured, x * 2 + 1)
		return x;
	};
	lambda (opaque (5));
	lambda ((char) opaque (6));
	return 0;
}
