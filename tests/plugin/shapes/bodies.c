/* SPDX-License-Identifier: MIT */
/* The macros of pp.h as whole bodies: the messages point into pp.h, so only their number is what this file expects. */
#include <pp.h>

#define OWN(x) PP_POINT (x)

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
