/* SPDX-License-Identifier: MIT */
/* The macros of pp.h as whole bodies: the messages point into pp.h, so only their number is what this file expects. */
#include <pp.h>

#define OWN(x) PP_POINT (x)
#define TIMED(x) do { PP_INTERVAL (timed) x; } while (0)
#define BRACED(x) { PP_POINT_VALUE (braced, x) }
#define THROUGH(x) BRACED (x)
#define INSIDE(x) ({ PP_POINT (inside) x; })

int statements (int x)
{
	if (x) PP_POINT (p)
		x++;
	if (x)
		PP_INTERVAL (i)
		x++;
	else OWN (q)
		x--;
	for (int i = 0; i < 3; i++) OWN (q) x++;
	PP_POINT (fine) PP_POINT (fine2)
	OWN (fine3)
	if (x) { PP_POINT (fine4) }
	while (x-- > 3) { OWN (a) OWN (b) }
	return x;
}

/* Macros that bring their braces, and what only looks like a body. */
int braces (int x)
{
	if (x) TIMED (x++); else THROUGH (x)
	for (int i = 0; i < x; i++) BRACED (i)
	while (x-- > 3) TIMED (x--);
	do BRACED (x) while (0);
	if (x) INSIDE (x++);
	switch (x) { case 1: BRACED (x) break; default: TIMED (x++); }
#if 0
	if (x)
#endif
#pragma pp point behind_what_is_skipped
	x++;
	if (x > '\'')
		x--;
#pragma pp point behind_a_quote
	return x;
}
