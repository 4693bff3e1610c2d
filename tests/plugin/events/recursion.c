/* SPDX-License-Identifier: MIT */
/* Recursion that -O3 inlines into itself: copies of one site in one frame are told apart. */
#include "events.h"

static inline int fibonacci (int n)
{
	I (fibonacci)
	if (n < 2) {
		P (leaf)
		return n;
	}
	return fibonacci (n - 1) + fibonacci (n - 2);
}

static int odd (int n);

static int even (int n)
{
	I (even)
	return n == 0 ? 1 : odd (n - 1);
}

static int odd (int n)
{
	I (odd)
	if (n == 0)
		return 0;
	{
		I (odd_inner)
		return even (n - 1);
	}
}

static int in_block (int n, int *p)
{
	*p += n;
	if (n > 0) {
		int local = opaque (n);
		I (in_block)
		*p += local;
		return in_block (n - 1, p) + local;
	}
	return *p;
}

static inline __attribute__ ((always_inline)) int twice (int n)
{
	I (twice)
	return opaque (n);
}

static int uses (int n)
{
	I (uses)
	return twice (n) + twice (n + 1) + twice (twice (n));
}

int main (void)
{
	int p = 0;
	int r = fibonacci (opaque (7)) + even (opaque (9)) + in_block (opaque (6), &p) + uses (opaque (3));
	return r == 123456;
}
