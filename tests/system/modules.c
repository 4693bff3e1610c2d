/* SPDX-License-Identifier: MIT */
/*
 * modules.c: instrumented objects that are loaded and unloaded while the program runs: their sites
 * come, what was waiting for them is bound, they go without a trace, and come again with the data
 * they had.
 */
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>

/* clang-format off */
#pragma pp metric own   interval sumcount(elapsed)
#pragma pp metric late  interval stats(elapsed)
#pragma pp metric dots  point    sumcount(value)
/* clang-format on */

static char path[2][4096];

struct loaded {
	void *handle;
	void (*run) (int times);
};

static struct loaded load (int which)
{
	struct loaded l = {dlopen (path[which], RTLD_NOW | RTLD_LOCAL), NULL};

	if (!l.handle) {
		note ("%s", dlerror ());
		return l;
	}
	l.run = (void (*) (int)) dlsym (l.handle, "plugged_run");
	return l;
}

static double or_0 (double x)
{
	return isnan (x) ? 0 : x;
}

static int count_one (pp_site *site, void *arg)
{
	(void) site;
	++*(int *) arg;
	return 0;
}

static int sites (void)
{
	int n = 0;

	pp_site_each ("plugged_run/*", count_one, &n);
	return n;
}

static void test_load (void)
{
	struct loaded l;
	pp_metric *fixed;
	pp_site *site;

	same (sites (), 0, "before a module is loaded it has no sites");
	ok (pp_bind (late, "plugged_run/inner", 0) == PP_ENOENT,
	    "and nothing can be bound to them by a call");
	l = load (0);
	if (!ok (l.handle && l.run, "the module is loaded"))
		return;
	same (sites (), 4, "then it has");
	fixed = pp_metric_find ("plugged_static");
	ok (fixed != NULL, "its metrics are declared");
	l.run (100);
	same (pp_count (fixed), 100, "and what its source binds is measured");
	same (pp_bind (late, "plugged_run/inner", 0), 1, "its sites can be bound");
	l.run (50);
	same (pp_count (late), 50, "and are measured");
	ok (pp_site_find ("plugged_run/inner", &site) == PP_OK &&
		    strstr (pp_site_name (site), "plugged0.so!"),
	    "they are named after their module");
	dlclose (l.handle);
	same (sites (), 0, "after it is unloaded its sites are gone");
	ok (pp_site_find ("plugged_run/inner", NULL) == PP_ENOENT, "and are not found by name");
	same (pp_count (late), 50, "what they measured stays");
	same (pp_count (fixed), 150, "also of the metrics it declared");
	l = load (0);
	l.run (10);
	same (pp_count (fixed), 160, "loaded again, its own bindings go on with the data they had");
	same (pp_count (late), 60, "and those that were made before it was unloaded");
	same (pp_unbind (late, "plugged_run/inner"), 1, "until they are undone");
	l.run (10);
	same (pp_count (late), 60, "then no more");
	dlclose (l.handle);
}

static void test_policy (void)
{
	struct loaded l;
	pp_metric *m;

	same (load_policy ("version: 1\n"
			   "metrics:\n  pending: {interval: elapsed, keep: stats}\n  values: "
			   "{point: value, keep: "
			   "sumcount}\n"
			   "bind:\n  - {metric: pending, sites: [\"plugged_run/inner\"]}\n  - "
			   "{metric: values, sites: [\"plugged0.so!**\"]}\n"),
	      PP_OK, "a policy may name sites of a module that is not loaded yet");
	l = load (0);
	l.run (20);
	m = pp_metric_find ("pending");
	same (pp_count (m), 20, "they are bound when it is loaded");
	same (pp_sum (pp_metric_find ("values")), 190, "by pattern too");
	dlclose (l.handle);
	l = load (0);
	l.run (5);
	same (pp_count (m), 25, "and each time it is loaded again");
	dlclose (l.handle);
}

static void test_two (void)
{
	struct loaded a = load (0), b = load (1);
	pp_metric *m = pp_metric_find ("pending");
	double before = pp_count (m);

	ok (pp_site_find ("plugged_run/inner", NULL) == PP_EAMBIGUOUS,
	    "a plain name that two modules have is ambiguous");
	ok (pp_site_find ("plugged1.so!**plugged_run/inner", NULL) != PP_EAMBIGUOUS,
	    "with the module it is not");
	same (pp_bind (dots, "plugged1.so!**/dot", 0), 1, "a module's point is bound");
	a.run (10);
	b.run (7);
	same (pp_count (dots), 7, "and measured in that module only");
	dlclose (b.handle);
	a.run (3);
	ok (pp_count (m) >= before + 13, "unloading one module leaves the other's bindings alone");
	dlclose (a.handle);
	pp_unbind (dots, "plugged1.so!**/dot");
}

static void test_functions (void)
{
	struct loaded a = load (0), b = load (1);
	pp_metric *queue = pp_metric_find ("plugged_queue");
	double before = or_0 (pp_sum (queue));

	a.run (2);
	b.run (2);
	same (pp_sum (queue), before + 12,
	      "a metric of a module's function is measured in both modules that declare it");
	dlclose (a.handle);
	b.run (5);
	same (pp_sum (queue), before + 27, "also when the one that declared it first is gone");
	dlclose (b.handle);
}

/* A metric of a policy with a source that the module has. */
static void test_source (void)
{
	struct loaded l = load (0);
	pp_metric *m;

	same (load_policy ("version: 1\nmetrics:\n  weight: {point: plugged_weighs, keep: stats}\n"
			   "bind: [{metric: weight, sites: \"plugged_run/dot\"}]\n"),
	      PP_OK, "a policy may name a module's source");
	m = pp_metric_find ("weight");
	l.run (4);
	same (pp_sum (m), 28, "it is measured");
	dlclose (l.handle);
	same (pp_available ("plugged_weighs", NULL, 0), PP_ENOENT,
	      "the source goes with its module");
	l = load (0);
	same (pp_available ("plugged_weighs", NULL, 0), 1, "and comes with it");
	l.run (3);
	same (pp_sum (m), 49, "and the metric goes on");
	dlclose (l.handle);
}

static double knob (void)
{
	double level = NAN;

	return pp_knob_get ("plugged_level", &level) == PP_OK ? level : NAN;
}

/* Has the module's function been called? Waits for the library's thread, up to ten seconds. */
static int is_called (struct loaded l)
{
	const int *called = dlsym (l.handle, "plugged_called");

	for (int i = 0; i < 10000 && called && !__atomic_load_n (called, __ATOMIC_RELAXED); i++)
		usleep (1000);
	return called && __atomic_load_n (called, __ATOMIC_RELAXED);
}

/* A policy before anything is there that it names. */
static void test_names (void)
{
	struct loaded l;
	pp_metric *made;

	same (load_policy (
		      "version: 1\nmetrics: {version: {point: plugged_versions, keep: scalar}}\n"
		      "bind:\n  - {metric: version, sites: \"plugged_run/dot\"}\n"
		      "  - {metric: made, sites: \"plugged_run/inner\"}\n"
		      "assertions:\n  turned: {every: 1ms, expect: knob (plugged_level) < 4, "
		      "on_fire: [{call: "
		      "plugged_call}]}\n"),
	      PP_OK, "a policy may name what there will be only later");
	ok (!pp_metric_find ("version"), "that waits");
	same (pp_metric_new (&made, "made", "interval stats(elapsed)"), PP_OK,
	      "the program declares a metric");
	l = load (0);
	l.run (5);
	same (pp_count (made), 5, "then it is bound");
	same (pp_last (pp_metric_find ("version")), 1,
	      "a module's source is measured when it is loaded");
	same (pp_knob_set ("plugged_level", 5), 1, "its knob");
	ok (is_called (l), "is expected of, and its function called");
	dlclose (l.handle);
	pp_reset (NULL);
}

/* A module is loaded again in a new version before the old one is closed. */
static void test_versions (void)
{
	struct loaded old = load (0), fresh = load (1);
	pp_metric *m;

	same (knob (), 1, "of two modules with a knob of one name the first has it");
	same (load_policy (
		      "version: 1\nmetrics: {versions: {point: plugged_versions, keep: stats}}\n"
		      "bind: [{metric: versions, sites: \"plugged1.so!**/dot\"}]\n"
		      "assertions: {high: {every: 1ms, expect: knob (plugged_level) < 4, on_fire: "
		      "[{call: "
		      "plugged_call}]}}\n"),
	      PP_OK, "a policy uses it");
	m = pp_metric_find ("versions");
	fresh.run (1);
	same (pp_last (m), 1, "and a source of that name");
	same (pp_stat_named (m, NULL, "plugged_count"), 1, "and a statistic");
	dlclose (old.handle);
	same (knob (), 2, "when the first is closed the other's knob has the name");
	fresh.run (1);
	same (pp_last (m), 2, "and its source");
	same (pp_stat_named (m, NULL, "plugged_count"), 2, "and its statistic");
	same (pp_knob_set ("plugged_level", 9), 1, "the knob can be turned");
	ok (is_called (fresh), "and its function is called");
	dlclose (fresh.handle);
	ok (isnan (knob ()), "until it is closed, too");
	old = load (0);
	same (knob (), 1, "one that is loaded then has it again");
	dlclose (old.handle);
}

/* ---- many cycles while other threads measure ------------------------------------------------- */

static int stop;
static __thread volatile long sink;

NOIPA static void own_work (void)
{
#pragma pp interval own_work(own)
	sink++;
}

static void *worker (void *arg)
{
	double *n = arg;

	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		for (int i = 0; i < 100; i++)
			own_work ();
		*n += 100;
	}
	return NULL;
}

/* The process's private memory in KiB. */
static long memory (void)
{
	long total = 0, kib;
	char line[256];
	FILE *f = fopen ("/proc/self/smaps_rollup", "r");

	while (f && fgets (line, sizeof (line), f))
		if (sscanf (line, "Private_Dirty: %ld", &kib) == 1)
			total += kib;
	if (f)
		fclose (f);
	return total;
}

static void test_cycles (void)
{
	enum { N = 3, CYCLES = UNDER_TSAN ? 50 : 600 };
	pthread_t threads[N];
	double n[N] = {0}, sum = 0, before = or_0 (pp_count (pp_metric_find ("plugged_static"))),
	       cycles = 0;
	long early = 0, late_kib;

	for (int i = 0; i < N; i++)
		pthread_create (&threads[i], NULL, worker, &n[i]);
	for (int i = 0; i < CYCLES; i++) {
		struct loaded l = load (i % 2);

		if (!l.run)
			break;
		l.run (3);
		dlclose (l.handle);
		cycles++;
		if (i == CYCLES / 3)
			early = memory ();
	}
	late_kib = memory ();
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < N; i++) {
		pthread_join (threads[i], NULL);
		sum += n[i];
	}
	same (cycles, CYCLES, "modules are loaded and unloaded many times while threads measure");
	same (pp_count (pp_metric_find ("plugged_static")), before + 3 * cycles,
	      "each time they are measured");
	same (pp_count (own), sum, "and the threads lose nothing");
	if (UNDER_ASAN || UNDER_TSAN)
		skipped ("memory does not grow with the cycles",
			 "the sanitizer keeps freed memory");
	else if (!ok (late_kib - early < 512, "memory does not grow with the cycles"))
		note ("%ld KiB after a third of them, %ld KiB after all", early, late_kib);
}

int main (void)
{
	for (int i = 0; i < 2; i++)
		snprintf (path[i], sizeof (path[i]), "%s/plugged%d.so", PLUGGED_DIR, i);
	forget_drops ();
	test_names ();
	test_load ();
	test_policy ();
	test_two ();
	test_functions ();
	test_source ();
	test_versions ();
	test_cycles ();
	same (newly_dropped_in_all (), 0, "nothing is dropped");
	note_drops ();
	return checked ();
}
