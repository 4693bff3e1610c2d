/* SPDX-License-Identifier: MIT */
/* Calls with arguments on the stack around markers: the stack pointer must not rise between a begin and its end. */
#include "events.h"

#include <alloca.h>
#include <string.h>

struct large {
	long x[9];
};

__attribute__ ((noipa)) static int many (int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
	return a + b + c + d + e + f + g + h + i + j;
}

__attribute__ ((noipa)) static long by_value (struct large l, int a)
{
	return l.x[8] + a;
}

static long calls (int n, struct large l)
{
	long s = many (n, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	I (before)
	s += many (n, 2, 3, 4, 5, 6, 7, 8, 9, 11);
	s += by_value (l, 3);
	{
		I (between)
		s += many (n, 2, 3, 4, 5, 6, 7, 8, 9, 12);
		s += many ((int) s, 2, 3, 4, 5, 6, 7, 8, 9, 12);
	}
	s += many (n, 2, 3, 4, 5, 6, 7, 8, n, 13);
	I (after)
	s += many (many (n, 1, 1, 1, 1, 1, 1, 1, 1, 1), 2, 3, 4, 5, 6, 7, 8, 9, 14);
	P (middle)
	return s + many (n, 2, 3, 4, 5, 6, 7, 8, 9, 15);
}

static long in_arguments (int n)
{
	return many (n, 1, 1, 1, 1, 1, 1, 1, 1, ({
			     I (in_argument)
			     opaque (n);
		     }));
}

static long allocated (int n)
{
	I (allocated)
	char *p = alloca (n);
	memset (p, 1, n);
	{
		I (more)
		char *q = alloca (n * 2);
		memset (q, 2, n * 2);
		p[0] += q[n];
	}
	return p[0] + many (n, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

int main (void)
{
	struct large l = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
	long r = calls (opaque (1), l) + in_arguments (opaque (2)) + allocated (opaque (100));
	return r == 123456;
}
