/* SPDX-License-Identifier: MIT */
/* Intervals whose guards have more to do, or stand beside others: see kernels.c. */
#include <pp.h>

extern double kept;

/* The begin hands over what it computes. expect: dims 0 warns */
int dims (int a, int b, int c)
{
	int r;
	{
#pragma pp interval dims dim(k = a * b, l = b - 7)
		r = a % b;
	}
	return c ? r : 0;
}

/* ... and stays where it is with a fence. expect: dims_fenced 100 quiet */
int dims_fenced (int a, int b, int c)
{
	int r;
	{
#pragma pp interval dims_fenced fence dim(k = a * b)
		r = a % b;
	}
	return c ? r : 0;
}

/* A label right behind the begin, to which control comes back inside. expect: again 100 quiet */
int again (int a, int b, int n)
{
	int r = 0;
	{
#pragma pp interval again dim(k = n + 1)
	back:
		r += a / (b + n);
		if (n-- > 0)
			goto back;
	}
	return r;
}

/* What other sites inside do is not the interval's own: half of 22 goes, and 29 stay. expect: outer 72 warns */
double outer (double *p, int a, int b, int c)
{
	int r;
	{
#pragma pp interval outer
		r = a / b;
		{
/* expect: inner 100 quiet */
#pragma pp interval inner dim(k = a)
			p[0] = 3.0 / p[1];
		}
#pragma pp point tested value(p[2] * 2.0)
#pragma pp point plain
	}
	return c ? r : 0;
}
