/* SPDX-License-Identifier: MIT */
/* With -ftrapv a sum is a call of libgcc; all of it goes behind the end, and is as cheap as a sum. */
#include <pp.h>

int around (int a, int b, int c)
{
	int r;
	{
#pragma pp interval around
		r = a + b;
	}
	return c ? r : 0;
}
