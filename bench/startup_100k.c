/* SPDX-License-Identifier: MIT */
/*
 * startup_100k.c: a program with the 100,000 markers of sites.S that does nothing, or binds an
 * elapsed metric to one interval ("one") or to all of them ("all") and ends.
 */
#include <pp.h>

#include <string.h>

PP_REGISTER_ (startup)

int main (int argc, char **argv)
{
	pp_metric *m = NULL;
	int n = argc > 1 && strcmp (argv[1], "all") == 0 ? 50000 : argc > 1;

	if (n == 0)
		return 0;
	pp_metric_new (&m, "m", "interval stats(elapsed)");
	return pp_bind (m, n == 1 ? "f12345/i" : "**", 0) != n;
}
