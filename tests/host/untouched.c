/* SPDX-License-Identifier: MIT */
/*
 * untouched.c: a program that nobody measures pays for no site: the library touches none of their
 * descriptors, in which it notes what it knows, until somebody asks for sites.
 */
#include "tests/system/check.h"

#include <pp_abi.h>

/* clang-format off */
#pragma pp metric counted interval count(elapsed)
/* clang-format on */

extern const struct pp_abi_marker __start___pp_sites[] __attribute__ ((weak));
extern const struct pp_abi_marker __stop___pp_sites[] __attribute__ ((weak));

static volatile long sink;

NOIPA static void work (void)
{
#pragma pp interval work
	sink++;
#pragma pp point here
}

static int known (void)
{
	int n = 0;

	for (const struct pp_abi_marker *m = __start___pp_sites; m < __stop___pp_sites; m++) {
		const void *site = (const char *) &m->site + m->site;

		n += ((const struct pp_abi_site *) site)->runtime != NULL;
	}
	return n;
}

int main (void)
{
	pp_metric *more;
	int all = (int) (__stop___pp_sites - __start___pp_sites);

	if (!all) {
		skipped ("sites of a program that nobody measures", "markers are guards here");
		return checked ();
	}
	work ();
	same (known (), 0, "no site is looked at before main");
	same (pp_metric_new (&more, "more", "interval stats(elapsed)"), PP_OK, "a metric is made");
	same (known (), 0, "... nor for a metric");
	same (pp_bind (counted, "work/work", 1), 1, "an interval is bound");
	same (known (), all, "all are known once one is asked for");
	return checked ();
}
