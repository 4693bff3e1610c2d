/* SPDX-License-Identifier: MIT */
/*
 * elsewhere.c: what a thousand assertions at other sites change at one site. The other sites are
 * here, and nothing runs through them; each has a metric bound and an assertion of its own while
 * the policy is loaded.
 */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pp.h>

enum { EXECUTIONS = 16000, ASSERTIONS = 1000 };

static const struct row elsewhere_row = {"assertion.elsewhere", "ns",
					 "interval.elapsed.sumcount.throughput", 1.02};

/* They must be there, and nobody calls them. */
static volatile int sink;

/* clang-format off */
#define SITE(n) void elsewhere_##n (void); void elsewhere_##n (void) { PP_INTERVAL (site) sink++; }
#define TEN(n) SITE (n##0) SITE (n##1) SITE (n##2) SITE (n##3) SITE (n##4) \
	SITE (n##5) SITE (n##6) SITE (n##7) SITE (n##8) SITE (n##9)
#define HUNDRED(n) TEN (n##0) TEN (n##1) TEN (n##2) TEN (n##3) TEN (n##4) \
	TEN (n##5) TEN (n##6) TEN (n##7) TEN (n##8) TEN (n##9)
HUNDRED (0) HUNDRED (1) HUNDRED (2) HUNDRED (3) HUNDRED (4) HUNDRED (5) HUNDRED (6) HUNDRED (7) HUNDRED (8) HUNDRED (9)
	/* clang-format on */

	/* ---- policies out of this program ---------------------------------------------------- */

	static char policy_path[] = "/tmp/ppgcc-bench-XXXXXX";
static int policy_loaded;

int policy_load_text (const char *text)
{
	int file, error;
	size_t length = strlen (text);

	strcpy (policy_path + strlen (policy_path) - 6, "XXXXXX");
	file = mkstemp (policy_path);
	if (file < 0 || write (file, text, length) != (ssize_t) length) {
		fprintf (stderr, "bench: cannot write %s: %s\n", policy_path, strerror (errno));
		if (file >= 0)
			close (file);
		return -1;
	}
	close (file);
	error = pp_policy_load (policy_path);
	if (error < 0)
		fprintf (stderr, "bench: cannot load a policy: %s\n", pp_strerror (error));
	policy_loaded = error >= 0;
	unlink (policy_path);
	return error < 0 ? -1 : 0;
}

int policy_unload_text (void)
{
	int error = policy_loaded ? pp_policy_unload (policy_path) : 0;

	policy_loaded = 0;
	if (error >= 0)
		return 0;
	fprintf (stderr, "bench: cannot unload a policy: %s\n", pp_strerror (error));
	return -1;
}

/* ---- assertion.elsewhere --------------------------------------------------------------------- */

/* The interval's cost, the median over the layouts. */
static double interval_ns (void)
{
	static const enum loop_id ids[2] = {LOOP_plain, LOOP_sumcount};
	double ns[2][LAYOUTS];

	for (size_t layout = 0; layout < LAYOUTS; layout++)
		for (size_t i = 0; i < 2; i++)
			ns[i][layout] =
				loop_rested_ns (&loops[ids[i]], THROUGHPUT, layout, EXECUTIONS);
	return quantile (ns[1], LAYOUTS, 0.5) - quantile (ns[0], LAYOUTS, 0.5);
}

static char *make_policy (void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream (&text, &size);

	if (out == NULL)
		return NULL;
	fputs ("version: 1\nmetrics:\n  m_elsewhere: {interval: elapsed, keep: stats}\n"
	       "bind: [{metric: m_elsewhere, sites: [\"elsewhere_*/site\"]}]\nassertions:\n",
	       out);
	for (int i = 0; i < ASSERTIONS; i++)
		fprintf (out,
			 "  a%d: {at: elsewhere_%03d/site, expect: m_elsewhere.last <= 1.25 * "
			 "m_elsewhere.avg}\n",
			 i, i);
	fclose (out);
	return text;
}

static int measure (size_t rounds, const char *policy, double *with, double *without)
{
	for (size_t i = 0; i < rounds; i++) {
		without[i] = interval_ns ();
		if (policy_load_text (policy) != 0)
			return -1;
		with[i] = interval_ns ();
		if (policy_unload_text () != 0)
			return -1;
	}
	return loop_counted (&loops[LOOP_sumcount]);
}

int bench_elsewhere (size_t rounds)
{
	double *room = calloc (2 * rounds, sizeof *room);
	char *policy = make_policy ();
	int error = -1;

	if (room != NULL && policy != NULL)
		error = measure (rounds, policy, room, room + rounds);
	if (error == 0)
		result_add (&elsewhere_row, room, room + rounds, rounds);
	free (policy);
	free (room);
	return error;
}
