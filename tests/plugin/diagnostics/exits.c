/* SPDX-License-Identifier: MIT */
/* Ways out of an interval on which nothing can be run. */
#include <pp.h>

int g;

void leaves (void)
{
	{
#pragma pp interval outer
		{
#pragma pp interval inner
			asm goto ("" : : : : in_outer, out);
			g++;
		}
in_outer:
		g--;
	}
	return;
out:
	g = 0;
}

void stays (void)
{
#pragma pp interval whole
	asm goto ("" : : : : out);
	g++;
out:
	g--;
}
/*
expect: 13:25: error: 'asm goto' leaves interval 'inner' without its end: nothing can be run on that way
expect: 16:1: note: to here
*/
