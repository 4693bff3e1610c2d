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
int from_behind (int x)
{
	{
#pragma pp interval ended_before
again:
		x++;
	}
	if (x < 5)
		goto again;
	return x;
}

int case_of_a_later_round (int x)
{
	for (;;) {
		switch (x) {
		case 0: {
#pragma pp interval crossed
			x = 1;
			break;
		case 1:
			x = 2;
			break;
		}
		default:
			return x;
		}
	}
}

static int now (void) { return 1; }
static int since (const int *then) { return *then; }
#pragma pp metric one interval stats(now, since)
#pragma pp metric two interval stats(now, since)

int repeated (int x)
{
again:
	{
#pragma pp interval left_and_entered(one, two) inline
#pragma pp interval patched(one, two)
		if (x++ < 3)
			goto again;
		for (int i = 0; i < 3; i++) {
#pragma pp interval in_loop
			if (i == x)
				continue;
			if (i > x)
				return 1;
		}
	}
	if (x < 9)
		goto again;
	return x;
}
/*
expect: 10:12: error: interval 'entered' is jumped into: its end can be reached without its begin
expect: 10:12: note: put braces around the interval, so that the label or 'case' is outside
expect: 22:12: error: interval 'first' is jumped into: its end can be reached without its begin
expect: 22:12: note: put braces around the interval, so that the label or 'case' is outside
expect: 47:12: error: interval 'ended_before' is jumped into: its end can be reached without its begin
expect: 47:12: note: put braces around the interval, so that the label or 'case' is outside
expect: 61:12: error: interval 'crossed' is jumped into: its end can be reached without its begin
expect: 61:12: note: put braces around the interval, so that the label or 'case' is outside
*/
