/* SPDX-License-Identifier: MIT */
/* The map "features": functions, antimarks of two features, where, and calls of no name. */
/* flags: -Wall -Wextra */
/* plugin: calls */
#include <pp.h>

/* expect: P main/calls P uses/calls */
__attribute__ ((noipa)) static int compare_ints (int a, int b)
{
	return a - b;
}

PP_IGNORE __attribute__ ((noipa)) static int lib_sort (int (*compare) (int, int), int x)
{
	return compare (x, 2);
}

PP_IGNORE __attribute__ ((noipa)) static int lib_put (int x)
{
	return x;
}

__attribute__ ((noipa)) static int uses (int x)
{
	/* expect: B uses/t.sort P compare_ints/calls B compare_ints/t.sort B compare_ints/t.other */
	/* expect: E compare_ints/t.other E compare_ints/t.sort E uses/t.sort */
	x = lib_sort (compare_ints, x);
	/* expect: B uses/t.put E uses/t.put */
	lib_put (x);
	{
		/* expect: B uses/t.own B uses/t.put E uses/t.put E uses/t.own */
		PP_FEATURE (t.own)
		lib_put (x);
	}
	return x;
}

int main (void)
{
	return uses (2);
}
