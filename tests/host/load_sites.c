/* SPDX-License-Identifier: MIT */
/*
 * load_sites.c: 100,000 intervals (SOAK=1: a million), in objects of 50,000 that are loaded one
 * after the other, and then a thousand metrics. All are bound at once, run through, unbound; each
 * count is exact, and what a site takes stays within what docs/host.md says. The objects are copies
 * of one (bench/sites.S).
 */
#include "../system/check.h"

#include <dlfcn.h>
#include <stdint.h>

enum { OBJECT_SITES = 50000, FUNCTION_BYTES = 19, MOST_OBJECTS = 20, METRICS = 1000 };

/* Bounds of docs/host.md, in bytes. A sanitizer's allocator takes more. */
enum { KNOWN_MOST = 640, BOUND_MOST = 1664, RUN_MOST = 320, METRIC_MOST = 8192, AGAIN_MOST = 1024 };

static char directory[200];
static unsigned objects = 2;
static const char *functions[MOST_OBJECTS];

static int copy_file (const char *from, const char *to)
{
	char command[1000];

	snprintf (command, sizeof command, "cp '%s' '%s'", from, to);
	return system (command);
}

/* Loads the object NUMBER, a copy with a name of its own. Its file isn't needed any more then. */
static int load_object (unsigned number)
{
	char path[300];
	void *handle;

	snprintf (path, sizeof path, "%s/load%u.so", directory, number);
	if (copy_file (LOAD_OBJECT, path) != 0)
		return 0;
	handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
	unlink (path);
	functions[number] = handle ? dlsym (handle, "bench_functions") : NULL;
	if (!handle)
		note ("%s", dlerror ());
	return functions[number] != NULL;
}

static void run_through (void)
{
	for (unsigned o = 0; o < objects; o++)
		for (size_t i = 0; i < OBJECT_SITES; i++)
			((void (*) (void)) (uintptr_t) (functions[o] + i * FUNCTION_BYTES)) ();
}

/* What MORE bytes are of each of N is no more than MOST. */
static void bounded (double more, double n, int most, const char *what)
{
	if (UNDER_ASAN || UNDER_TSAN)
		skipped (what, "a sanitizer's allocator takes more");
	else
		ok (more / n <= most, "%s: at most %d bytes", what, most);
	note ("%s: %.0f bytes", what, more / n);
}

/* Lists of all sites are made for each batch: what malloc keeps of them it uses again. */
static void test_again (pp_metric *m)
{
	double first = 0;

	for (int i = 0; i < 6; i++) {
		if (i == 1)
			first = resident ();
		pp_bind (m, "**", 0);
		pp_unbind (m, "**");
	}
	note ("binding all five times more: %.0f KiB", (resident () - first) / 1024);
	ok (UNDER_ASAN || UNDER_TSAN || resident () - first <= 4 << 20,
	    "binding all of them again takes nothing more");
}

static void test_sites (void)
{
	double sites = (double) objects * OBJECT_SITES, before = resident (), known, bound, run;
	pp_metric *m = NULL, *other = NULL;

	pp_metric_new (&m, "m", "interval stats(elapsed)");
	pp_metric_new (&other, "other", "interval stats(elapsed)");
	same (pp_bind (other, "load0.so!sites.S:f12345/i", 0), 1,
	      "one site of all is found by its name");
	known = resident ();
	same (pp_unbind (other, "load0.so!sites.S:f12345/i"), 1, "and unbound");
	same (pp_bind (m, "**", 0), sites, "all are bound at once");
	bound = resident ();
	run_through ();
	run = resident ();
	same (pp_count (m) + (double) pp_dropped (PP_DROP_POOL), sites,
	      "each execution is a sample, or counted as dropped");
	same ((double) pp_dropped (PP_DROP_POOL), 0, "as long as there is room none is dropped");
	run_through ();
	same (pp_count (m), 2 * sites, "a second time, too");
	same (pp_unbind (m, "**"), sites, "all are unbound at once");
	run_through ();
	same (pp_count (m), 2 * sites, "and measure nothing more");
	note ("%.0f sites", sites);
	bounded (known - before, sites, KNOWN_MOST, "what a site that the library knows takes");
	bounded (bound - known, sites, BOUND_MOST, "what a site takes that is bound");
	bounded (run - bound, sites, RUN_MOST,
		 "what a thread takes for each site that it ran through");
	test_again (m);
}

/* The Kth metric is at the Kth site. */
static char *metrics_policy (void)
{
	char *policy = malloc (METRICS * 200), *end = policy;

	if (!policy)
		exit (99);
	end += sprintf (end, "version: 1\nmetrics:\n");
	for (int i = 0; i < METRICS; i++)
		end += sprintf (end, "  k%d: {interval: elapsed, keep: stats}\n", i);
	end += sprintf (end, "bind:\n");
	for (int i = 0; i < METRICS; i++)
		end += sprintf (end, "  - {metric: k%d, sites: ['load0.so!sites.S:f%05d/i']}\n", i,
				i);
	return policy;
}

/* The Kth assertion is about the Kth metric. */
static char *assertions_policy (void)
{
	char *policy = malloc (METRICS * 100), *end = policy;

	if (!policy)
		exit (99);
	end += sprintf (end, "version: 1\nassertions:\n");
	for (int i = 0; i < METRICS; i++)
		end += sprintf (end, "  a%d: {every: 1h, expect: k%d.avg < 1h, on_fire: []}\n", i,
				i);
	return policy;
}

static int with_one_sample (void)
{
	char name[16];
	int right = 0;

	for (int i = 0; i < METRICS; i++) {
		pp_metric *k;

		snprintf (name, sizeof name, "k%d", i);
		k = pp_metric_find (name);
		right += k && pp_count (k) == 1;
	}
	return right;
}

static void test_metrics (void)
{
	char *metrics = metrics_policy (), *assertions = assertions_policy ();
	double before = resident (), after;
	int failed = 0;

	same (pp_policy_load_text ("metrics", metrics), 0,
	      "a policy has a thousand metrics, each at a site");
	same (pp_policy_load_text ("assertions", assertions), 0, "another one as many assertions");
	run_through ();
	after = resident ();
	same (with_one_sample (), METRICS, "each metric has the samples of its site");
	bounded (after - before, METRICS, METRIC_MOST, "what a metric and its assertion take");
	before = resident ();
	for (int i = 0; i < 5; i++) {
		failed |= pp_policy_unload ("assertions") | pp_policy_unload ("metrics");
		failed |= pp_policy_load_text ("metrics", metrics) |
			  pp_policy_load_text ("assertions", assertions);
	}
	failed |= pp_policy_unload ("assertions") | pp_policy_unload ("metrics");
	after = resident ();
	same (failed, 0, "both are unloaded and loaded again and again");
	note ("five times: %.0f bytes of a metric and its assertion each time",
	      (after - before) / METRICS / 5);
	ok (UNDER_ASAN || UNDER_TSAN || after - before <= METRICS * 5.0 * AGAIN_MOST,
	    "which takes at most %d bytes for a metric each time", AGAIN_MOST);
	free (metrics);
	free (assertions);
}

int main (void)
{
	const char *soak = getenv ("SOAK");
	int loaded = 1;

	if (UNDER_TSAN) {
		skipped ("very many sites", "ThreadSanitizer can't have that many objects");
		return checked ();
	}

	if (soak && strcmp (soak, "1") == 0)
		objects = MOST_OBJECTS;
	/*
	 * in the environment before the library looks for it: the region is made by the first that
	 * is bound
	 */
	setenv ("PP_REGION_MAX", "2G", 1);
	snprintf (directory, sizeof directory, "%s/pp-load-XXXXXX",
		  getenv ("TMPDIR") ? getenv ("TMPDIR") : "/tmp");
	if (!mkdtemp (directory))
		return 99;
	for (unsigned o = 0; o < objects; o++)
		loaded &= load_object (o);
	rmdir (directory);
	if (!ok (loaded, "objects with many sites are loaded"))
		return checked ();
	test_sites ();
	test_metrics ();
	return checked ();
}
