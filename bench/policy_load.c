/* SPDX-License-Identifier: MIT */
/*
 * policy_load.c: a program with the 100,000 sites of sites.S that loads a policy of 1,000 metrics,
 * 1,000 bindings, each a glob for ten of the sites, and 1,000 assertions, and prints how many ms of
 * CPU time that took, the library's thread included.
 */
#include <pp.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

PP_REGISTER_ (policy_load)

enum { EACH = 1000 };

static double cpu_ms (void)
{
	struct timespec t;

	clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static void write_policy (FILE *out)
{
	fputs ("version: 1\nmetrics:\n", out);
	for (int i = 0; i < EACH; i++)
		fprintf (out, "  m%d: {interval: elapsed, keep: stats}\n", i);
	fputs ("bind:\n", out);
	for (int i = 0; i < EACH; i++)
		fprintf (out, "  - {metric: m%d, sites: [\"f%04d*/i\"]}\n", i, 7 * i);
	fputs ("assertions:\n", out);
	for (int i = 0; i < EACH; i++)
		fprintf (out, "  a%d: {at: f%04d3/i, expect: m%d.last <= 1.25 * m%d.avg}\n", i,
			 7 * i, i, i);
}

int main (void)
{
	char path[] = "/tmp/ppgcc-bench-XXXXXX";
	int file = mkstemp (path), error;
	FILE *out = file >= 0 ? fdopen (file, "w") : NULL;
	pp_metric *last;
	double begin_ms;

	if (out == NULL)
		return 1;
	write_policy (out);
	if (fclose (out) != 0)
		return 1;
	begin_ms = cpu_ms ();
	error = pp_policy_load (path);
	begin_ms = cpu_ms () - begin_ms;
	unlink (path);
	last = pp_metric_find ("m999");
	/* bound already: nothing changes, and that many sites match */
	if (error < 0 || last == NULL || pp_bind (last, "f6993*/i", 0) != 10) {
		fprintf (stderr, "policy_load: the policy is not loaded: %s\n",
			 error < 0 ? pp_strerror (error) : "no bindings");
		return 1;
	}
	printf ("%.3f\n", begin_ms);
	return 0;
}
