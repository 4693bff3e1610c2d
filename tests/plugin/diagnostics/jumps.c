/* SPDX-License-Identifier: MIT */
/* Jumps into an interval, which only the compiled function shows. */
#include <pp.h>

int jumped (int x)
{
	if (x == 7)
		goto inside;
	{
#pragma pp interval entered
		x++;
inside:
		x += 2;
	}
	return x;
}

int cases (int x)
{
	switch (x) {
	case 1:;
#pragma pp interval first
		x = 4;
		break;
	case 2:
		x = 5;
	}
	return x;
}

int fine (int x)
{
	switch (x) {
	case 1: {
#pragma pp interval braced
		x = 4;
		break;
	}
	case 2:
		x = 5;
	}
	return x;
}
/*
expect: 10:12: error: interval 'entered' is jumped into: its end can be reached without its begin
expect: 10:12: note: put braces around the interval, so that the label or 'case' is outside
expect: 22:12: error: interval 'first' is jumped into: its end can be reached without its begin
expect: 22:12: note: put braces around the interval, so that the label or 'case' is outside
*/
