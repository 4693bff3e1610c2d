/* SPDX-License-Identifier: MIT */
/* The first of two units, C and C++, that share pch.h. */
#include "pch.h"

#include <setjmp.h>
#include <stdio.h>

/* A point that there is for the mark in the header. */
static int returns (void)
{
	static jmp_buf back;

	return setjmp (back);
}

int main (void)
{
	if (returns ())
		return 1;
#pragma pp point in_main(shared_metric)
	int r = from_header (1) + other ();
#ifdef __cplusplus
	r += in_both (1) + in_both (2L) + comdat (3);
#endif
	puts (metric_address () == &shared_metric ? "one metric" : "BAD two metrics");
	return r == 123;
}
