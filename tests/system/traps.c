/* SPDX-License-Identifier: MIT */
/*
 * traps.c: a program whose floating-point exceptions trap (feenableexcept, gfortran's -ffpe-trap),
 * and that rounds upwards. What the library computes, at markers, in its thread and where it is
 * asked, must neither kill it nor depend on that, and leaves the program's environment as it was.
 */
#include "check.h"

#include <fenv.h>
#include <math.h>

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))

/* clang-format off */
#pragma pp metric over point stats(value)
#pragma pp metric under point stats(value)
#pragma pp metric huge point sumcount(value)
/* clang-format on */

enum { EXCEPTIONS = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW };

NOIPA static void numbers (long a){
#pragma pp point numbers(over) value(a)
}

NOIPA static void zeros (long b){
#pragma pp point numbers_too(under) value(b)
}

NOIPA static void doubles (double d)
{
#pragma pp point doubles(huge) value(d)
}

static volatile double one = 1, three = 3;

int main (void)
{
	struct pp_assertion_info info;
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory;

	feenableexcept (EXCEPTIONS);
	fesetround (FE_UPWARD);
	same (load_policy ("version: 1\n"
			   "metrics:\n"
			   "  x: {point: value, keep: stats}\n"
			   "  y: {point: value, keep: stats}\n"
			   "  ratio: {expr: x.last / y.last}\n"
			   "bind:\n"
			   "  - {metric: x, sites: [\"numbers/numbers\"]}\n"
			   "  - {metric: y, sites: [\"numbers/numbers\"]}\n"
			   "assertions:\n"
			   "  here: {at: numbers/numbers, expect: x.last / y.last <= 2}\n"
			   "  there: {every: 5ms, expect: x.sum / y.sum + ratio <= 2}\n"),
	      PP_OK, "a policy is loaded that divides by what is 0");
	for (int i = 0; i < 100; i++) {
		numbers (0);
		zeros (0);
	}
	pp_assertion_state ("here", &info);
	ok (info.unknowns >= 100 && info.checks == 0, "0/0 at a site is unknown");
	for (int i = 0; i < 12000 && (pp_assertion_state ("there", &info), !info.unknowns); i++) {
		pp_poll ();
		usleep (5000);
	}
	ok (info.unknowns > 0 && info.checks == 0, "and so it is in the library's thread");
	ok (isnan (pp_get (pp_metric_find ("ratio"))), "and where the program asks");
	for (int i = 0; i < 4; i++)
		doubles (1e308);
	ok (isinf (pp_sum (huge)), "what overflows is infinite");
	memory = open_memstream (&text, &bytes);
	same (pp_report (memory), PP_OK, "a report can be written");
	fclose (memory);
	free (text);
	same (fegetexcept () & EXCEPTIONS, EXCEPTIONS, "the program's exceptions trap as before");
	same (fetestexcept (FE_ALL_EXCEPT & ~FE_INEXACT), 0, "none was raised");
	same (fegetround (), FE_UPWARD, "it rounds as before");
	ok (one / three * three > 1, "and means it");
	return checked ();
}

#else

int main (void)
{
	skipped ("floating-point exceptions that trap", "not with this C library or CPU");
	return checked ();
}

#endif
