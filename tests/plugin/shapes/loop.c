/* SPDX-License-Identifier: MIT */
/* A million iterations, for counting instructions. */
#include "../events/events.h"
#ifndef __PPGCC__
#undef I
#undef P
#define I(NAME)
#define P(NAME)
#endif

int main (void)
{
	unsigned x = (unsigned) opaque (1);
	for (int i = 0; i < 1000000; i++) {
#ifdef WITH_INTERVAL
		I (counted)
#endif
#ifdef WITH_POINT
		P (counted_point)
#endif
#ifdef WITH_VALUE
		V (counted_value, opaque (i) * i + x)
#endif
		x = x * 1664525 + 1013904223;
		x ^= x >> 7;
	}
	return x == 7;
}
