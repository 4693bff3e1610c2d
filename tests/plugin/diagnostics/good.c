/* SPDX-License-Identifier: MIT */
/* What looks like a mistake and is none: nothing may be said about this file. */
#include <pp.h>

#define LIMIT 5
#define point 1
#define loop 2
#define DONE(x) (void) (x)
static long active (void) { return 1; }
static long begun (void) { return 2; }
static double ended (const long *x) { return (double) *x; }

#pragma pp metric events interval count(elapsed)
#pragma pp metric events interval count(elapsed)
#pragma pp metric events interval count( elapsed )
#pragma pp metric mine point sumcount(active, every = 4)
#pragma pp metric pair interval bounded_series(begun, ended, every=2, size=7)
#pragma pp metric counter interval sumcount(papi:PAPI_L1_DCM)
#pragma pp metric defined interval sumcount(papi:sde:::LIB::EVENT)
#pragma pp metric unix point scalar(value)

int statements (int x)
{
	if (x) {
#pragma pp interval loop(events) group(g, h) fence
		x++;
	}
	DONE (x);
#pragma pp point linux(mine) value(LIMIT + x) group(g) fence
	DONE (x) /* no semicolon: a macro that ends a statement */;
#pragma pp point
#pragma pp interval
#pragma pp point (mine)
#pragma pp point group(g)
#pragma pp point value value(x)
#pragma pp interval other(defined, counter, elsewhere)
#pragma pp bind events to good.c:statements/loop
#pragma pp bind events to "a quoted name"
#pragma pp unbind events from loop
#pragma pp expect fast: events@loop.p99[10s] <= 1.25 * 5ms and not max(x, 3) < 2 or y < 5%
	for (int i = 0; i < 3; i++)
	{
#pragma pp point inside
		x += i;
	}
	switch (x) {
	case 1:
#pragma pp point after_label
		x++;
		break;
	default:
		break;
	}
	do {
#pragma pp point in_do
		x++;
	} while (x < LIMIT);
	if (x) { x--; } else { x++; }
#pragma pp point after_else
	return x;
}
