/* SPDX-License-Identifier: MIT */
/*
 * switching.c: sites that are bound, unbound and bound again while intervals are open, by the
 * thread itself: what cannot be measured is dropped for the right cause, and nothing else changes.
 */
#include "check.h"

#include <pthread.h>

/* clang-format off */
#pragma pp metric first  interval stats(elapsed)
#pragma pp metric second interval stats(elapsed)
#pragma pp metric steady interval stats(elapsed)
#pragma pp metric counted point   count(count)
/* clang-format on */

static __thread volatile long sink;

NOIPA static void site (void (*inside) (void))
{
#pragma pp interval site
	if (inside)
		inside ();
	sink++;
}

NOIPA static void around (void (*inside) (void))
{
#pragma pp interval around(steady)
	site (inside);
}

NOIPA static void point_site (void)
{
#pragma pp point dot
	sink++;
}

static void enable (void)
{
	if (pp_bind (first, "site/site", 0) != 1)
		abort ();
}

static void disable (void)
{
	if (pp_unbind (first, "site/site") != 1)
		abort ();
}

static void enable_second (void)
{
	if (pp_bind (second, "site/site", 0) != 1)
		abort ();
}

static void disable_second (void)
{
	if (pp_unbind (second, "site/site") != 1)
		abort ();
}

static void again (void)
{
	disable ();
	enable ();
}

static void recursive_disable (void)
{
	static int depth;

	if (++depth < 5)
		site (recursive_disable);
	else
		disable ();
	depth--;
}

static double count_of (const pp_metric *m)
{
	double n = pp_count (m);

	return isnan (n) ? 0 : n;
}

static void test_disable_inside (void)
{
	enable ();
	around (disable);
	same (count_of (first), 0, "an interval whose site is disabled inside is no sample");
	same (count_of (steady), 1, "the interval around is");
	same (newly_dropped (PP_DROP_DISABLED), 1,
	      "it is counted as disabled, once another marker has run");
	same (newly_dropped_in_all (), 0, "and as nothing else");
}

static void test_enable_inside (void)
{
	around (enable);
	same (count_of (first), 0, "an interval whose site is enabled inside is no sample");
	same (newly_dropped (PP_DROP_UNMATCHED), 1, "its end is counted as unmatched");
	around (NULL);
	same (count_of (first), 1, "the next one is measured");
	same (newly_dropped_in_all (), 0, "without a drop");
	disable ();
}

static void test_again_inside (void)
{
	pp_reset (NULL);
	enable ();
	around (again);
	same (count_of (first), 0,
	      "an interval whose site is disabled and enabled inside is no sample");
	same (newly_dropped (PP_DROP_DISABLED), 1, "it is counted as disabled");
	same (newly_dropped_in_all (), 0, "and not as unmatched too");
	for (int i = 0; i < 100; i++)
		around (NULL);
	same (count_of (first), 100, "later ones are measured");
	disable ();
}

static void test_recursion (void)
{
	pp_reset (NULL);
	enable ();
	around (recursive_disable);
	same (newly_dropped (PP_DROP_DISABLED), 5,
	      "disabling inside a recursion drops every activation that is open");
	enable ();
	site (NULL);
	same (count_of (first), 1, "after it the site is measured as before");
	disable ();
	same (newly_dropped_in_all (), 0, "without a drop");
}

/* The metric that stays loses nothing, whatever happens to another one at the same site. */
static void test_other_metric (void)
{
	void (*const steps[]) (void) = {enable_second, NULL, disable_second, NULL};

	pp_reset (NULL);
	forget_drops ();
	enable ();
	for (int i = 0; i < 4000; i++)
		site (steps[i % 4]);
	same (count_of (first), 4000,
	      "binding and unbinding a second metric inside costs the first no sample");
	/*
	 * begun with it and ended with it: 1 of 4 ... the execution in which it is unbound began
	 * with it, and ends as it began
	 */
	ok (count_of (second) >= 1000 && count_of (second) <= 2000,
	    "the second is sampled where it was bound at the begin");
	same (newly_dropped_in_all (), 0, "and nothing is dropped");
	disable ();
}

static void test_twice (void)
{
	pp_reset (NULL);
	forget_drops ();
	enable ();
	enable ();
	site (NULL);
	same (count_of (first), 1, "binding twice is one binding");
	disable ();
	site (NULL);
	same (count_of (first), 1, "which one unbind ends");
	ok (pp_unbind (first, "site/site") == PP_ENOENT, "there is nothing left to unbind then");
	enable ();
	site (NULL);
	same (count_of (first), 2, "unbinding keeps the samples, rebinding goes on");
	disable ();
	same (pp_bind (counted, "point_site/dot", 0), 1, "a point is bound");
	for (int i = 0; i < 10; i++)
		point_site ();
	same (count_of (counted), 10, "its executions are counted");
	pp_unbind (counted, "point_site/dot");
	point_site ();
	same (count_of (counted), 10, "and no more once it is unbound");
}

static void test_errors (void)
{
	ok (pp_bind (first, "no/such", 0) == PP_ENOENT,
	    "a site that does not exist cannot be bound");
	ok (pp_bind (first, "point_site/dot", 0) == PP_EKIND,
	    "an interval metric does not go to a point");
	ok (pp_bind (counted, "site/site", 0) == PP_EKIND,
	    "a point metric does not go to an interval");
	ok (pp_bind (NULL, "site/site", 0) == PP_EINVAL, "no metric is an error");
	ok (pp_bind (first, NULL, 0) == PP_EINVAL, "no site is an error");
}

/* Other threads are inside when it happens. */
static pthread_barrier_t in, out;

static void wait_inside (void)
{
	pthread_barrier_wait (&in);
	pthread_barrier_wait (&out);
}

static void *thread (void *arg)
{
	(void) arg;
	around (wait_inside);
	site (NULL);
	return NULL;
}

static void run_threads (void (*change) (void))
{
	enum { N = 4 };
	pthread_t threads[N];

	pthread_barrier_init (&in, NULL, N + 1);
	pthread_barrier_init (&out, NULL, N + 1);
	for (int i = 0; i < N; i++)
		pthread_create (&threads[i], NULL, thread, NULL);
	pthread_barrier_wait (&in);
	change ();
	pthread_barrier_wait (&out);
	for (int i = 0; i < N; i++)
		pthread_join (threads[i], NULL);
	pthread_barrier_destroy (&in);
	pthread_barrier_destroy (&out);
}

static void test_threads (void)
{
	pp_reset (NULL);
	forget_drops ();
	enable ();
	run_threads (again);
	same (count_of (first), 4,
	      "threads that were inside while their site was switched measure their next "
	      "execution");
	same (newly_dropped (PP_DROP_DISABLED), 4, "the open ones are counted as disabled");
	same (count_of (steady), 4, "their other intervals are measured");
	same (newly_dropped_in_all (), 0, "and nothing else is dropped");
	run_threads (disable);
	same (count_of (first), 4, "threads inside a site that is disabled measure it no more");
	same (count_of (steady), 8, "but what is around it");
	same (newly_dropped (PP_DROP_DISABLED), 4,
	      "the open ones are counted as disabled there too");
}

/* ---- malloc ---------------------------------------------------------------------------------- */

#if defined(__x86_64__)
/* What a call of malloc from here leads to, by the table that it goes through. */
static void *callee (void)
{
	void *fn;

	__asm__ volatile("movq malloc@GOTPCREL(%%rip), %0" : "=r"(fn));
	return fn;
}

static void test_malloc (void)
{
	void *plain = callee ();
	pp_metric *allocated = NULL, *by_code = NULL;
	void *volatile memory;

	same (pp_metric_new (&allocated, "allocated", "interval stats(heap_allocs)"), PP_OK,
	      "a heap metric is declared");
	if (pp_unavailable (allocated)) {
		skipped ("malloc is wrapped only while it is bound", pp_unavailable (allocated));
		return;
	}
	pp_metric_new (&by_code, "by_code", "interval stats(heap_bytes)");
	ok (pp_available ("heap_bytes", NULL, 0) == 1 && callee () == plain,
	    "which leaves malloc alone");
	pp_bind (allocated, "held", 1);
	ok (callee () != plain, "while it is bound calls of malloc are seen");
	{
#pragma pp interval held
		memory = malloc (10);
	}
	free (memory);
	same (pp_sum (allocated), 1, "and counted");
	pp_bind (by_code, "held", 1);
	pp_unbind (allocated, "held");
	ok (callee () != plain, "with two such metrics also when one of them is unbound");
	pp_unbind (by_code, "held");
	ok (callee () == plain, "and not when nothing is bound any more");
	same (pp_policy_load_text ("heap", "version: 1\nmetrics: {in_policy: {interval: "
					   "heap_bytes, keep: stats}}\nbind: "
					   "[{metric: in_policy, sites: held}]\n"),
	      PP_OK, "a policy binds one");
	ok (callee () != plain, "as a policy does");
	pp_policy_unload ("heap");
	ok (callee () == plain, "until it is unloaded");
}
#else
static void test_malloc (void)
{
	skipped ("malloc is wrapped only while it is bound",
		 "this CPU's way to the table is not known here");
}
#endif

int main (void)
{
	forget_drops ();
	test_malloc ();
	forget_drops ();
	test_disable_inside ();
	test_enable_inside ();
	test_again_inside ();
	test_recursion ();
	test_other_metric ();
	test_twice ();
	test_errors ();
	test_threads ();
	note_drops ();
	return checked ();
}
