/* SPDX-License-Identifier: MIT */
/*
 * test_overhead.c: what the markers of real sites cost threads, and throttling them: costs and CPU
 * times are the test's, samples the program's own.
 */
#include "base/clock.h"
#include "base/lock.h"
#include "base/start.h"
#include "base/ticks.h"
#include "libmetrics/code/block.h"
#include "libmetrics/cost/cost.h"
#include "libmetrics/cost/overhead.h"
#include "libmetrics/cost/self.h"
#include "libmetrics/life/lifecycle.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/stats/stat.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/check.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/tables/slots.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/light.h"
#include "libmetrics/thread/thread.h"
#include "stdmetrics/listing.h"
#include "stdmetrics/stdmetrics.h"
#include "tests/unit/ppcheck.h"

#include <pp.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void ppi_runtime_start (void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once (&once, ppi_lifecycle_start);
	ppi_stdmetrics_init ();
}

#define NOIPA __attribute__ ((noipa))
#define NS 1e-9
#define MS UINT64_C (1000000)

static volatile long sink;

/* clang-format off */
#define SITE(name) NOIPA static void name (void) { PP_INTERVAL (name) sink++; }
SITE (dear) SITE (cheap) SITE (other)
#define IN(name) { PP_INTERVAL (name) sink++; }
#define TEN(p) IN (p##0) IN (p##1) IN (p##2) IN (p##3) IN (p##4) IN (p##5) IN (p##6) IN (p##7) IN (p##8) IN (p##9)
NOIPA void forty (void);
NOIPA void forty (void) { TEN (a) TEN (b) TEN (c) TEN (d) }
/* clang-format on */

static void repeat (void (*function) (void), int times)
{
	for (int i = 0; i < times; i++)
		function ();
}

static pp_metric *bind_to (const char *name, const char *site, unsigned every)
{
	pp_metric *m = NULL;

	ck_assert_int_eq (pp_metric_new (&m, name, "interval sumcount(elapsed)"), PP_OK);
	ck_assert_int_eq (pp_bind (m, site, every), 1);
	return m;
}

/* ---- costs and CPU times of the test's ------------------------------------------------------- */

static uint64_t cpu_ns[4]; /* of the main thread, and of others, as they come */
static uint32_t tids[4];

static uint64_t cpu_of (uint32_t tid)
{
	for (int i = 0; i < 4; i++) {
		if (!tids[i])
			tids[i] = tid;
		if (tids[i] == tid)
			return cpu_ns[i];
	}
	return 0;
}

static bool cost_of (const pp_site *site, struct ppi_cost *out)
{
	if (strstr (pp_site_name (site), "other"))
		return false;
	if (strstr (pp_site_name (site), "dear"))
		*out = (struct ppi_cost){50 * NS, 100 * NS, 10 * NS};
	else
		*out = (struct ppi_cost){5 * NS, 10 * NS, 1 * NS};
	return true;
}

static void start (void)
{
	ppi_runtime_start ();
	ppi_cost_inject (cost_of);
	ppi_thread_cpu_set (cpu_of);
	cpu_ns[0] = 100 * MS;
}

static double look (void)
{
	double share;

	ppi_lock ();
	share = ppi_overhead_look ();
	ppi_unlock ();
	return share;
}

static struct ppi_charge charge_of (const char *metric)
{
	struct ppi_charge found = {0}, *all;
	size_t n;

	ppi_lock ();
	all = ppi_overhead_charges (&n);
	ppi_unlock ();
	for (size_t i = 0; i < n; i++)
		if (strcmp (all[i].metric, metric) == 0)
			found = all[i];
	free (all);
	return found;
}

static void throttle (const char *metric, struct ppi_throttle to)
{
	struct ppi_charge c = charge_of (metric);

	ck_assert_ptr_nonnull (c.binding);
	ppi_lock ();
	ppi_batch_begin ();
	ppi_overhead_throttle (c.binding, &to);
	ppi_batch_end ();
	ppi_unlock ();
}

/* ---- looks ----------------------------------------------------------------------------------- */

START_TEST (a_share_is_what_a_threads_samples_cost_of_its_time)
{
	bind_to ("m", "dear", 0);
	repeat (dear, 500);
	ck_assert (isnan (look ())); /* since when? */
	repeat (dear, 1000);
	cpu_ns[0] += 10 * MS;
	ck_assert_double_eq_tol (look (), 0.01, 1e-12);
	cpu_ns[0] += 10 * MS;
	ck_assert_double_eq_tol (look (), 0, 1e-12);
}
END_TEST

START_TEST (what_every_leaves_out_costs_something_too)
{
	bind_to ("m", "dear", 10);
	repeat (dear, 10);
	look ();
	repeat (dear, 1000);
	cpu_ns[0] += 10 * MS;
	ck_assert_double_eq_tol (look (), (100 * 100 + 900 * 10) * NS / 10e-3, 1e-12);
}
END_TEST

static pthread_barrier_t step;

static void *busy (void *unused)
{
	(void) unused;
	repeat (dear, 1);
	for (int i = 0; i < 2; i++) {
		pthread_barrier_wait (&step);
		repeat (dear, 5000);
		pthread_barrier_wait (&step);
	}
	return NULL;
}

START_TEST (of_several_threads_the_one_that_pays_most_counts_until_it_ends)
{
	pthread_t thread;

	bind_to ("m", "dear", 0);
	repeat (dear, 1);
	look (); /* the main thread's is the first */
	pthread_barrier_init (&step, NULL, 2);
	pthread_create (&thread, NULL, busy, NULL);
	pthread_barrier_wait (&step);
	pthread_barrier_wait (&step);
	cpu_ns[1] = 50 * MS;
	look ();
	repeat (dear, 1000);
	pthread_barrier_wait (&step);
	pthread_barrier_wait (&step);
	cpu_ns[0] += 10 * MS;
	cpu_ns[1] += 10 * MS;
	ck_assert_double_eq_tol (look (), 0.05, 1e-12);
	pthread_join (thread, NULL);
	repeat (dear, 1000);
	cpu_ns[0] += 10 * MS;
	cpu_ns[1] = 0;
	ck_assert_double_eq_tol (look (), 0.01, 1e-12);
}
END_TEST

static double paid_by (uint32_t tid, const char *metric)
{
	const struct ppi_payment *all;
	double share = 0;
	size_t n;

	ppi_lock ();
	all = ppi_overhead_payments (&n);
	for (size_t i = 0; i < n; i++)
		share += all[i].thread == tid &&
					 strcmp (all[i].binding->metric->spec.name, metric) == 0
				 ? all[i].share
				 : 0;
	ppi_unlock ();
	return share;
}

START_TEST (each_thread_pays_for_what_it_executes)
{
	pthread_t thread;

	bind_to ("m", "dear", 0);
	bind_to ("n", "cheap", 0);
	repeat (dear, 1);
	repeat (cheap, 1);
	look ();
	pthread_barrier_init (&step, NULL, 2);
	pthread_create (&thread, NULL, busy, NULL);
	pthread_barrier_wait (&step);
	pthread_barrier_wait (&step);
	repeat (cheap, 10000);
	repeat (dear, 100);
	cpu_ns[0] += 100 * MS;
	cpu_ns[1] = 10 * MS;
	ck_assert_double_eq_tol (look (), 0.05001, 1e-12);
	ck_assert_double_eq_tol (paid_by (tids[0], "m"), 0.0001, 1e-12);
	ck_assert_double_eq_tol (paid_by (tids[0], "n"), 0.001, 1e-12);
	ck_assert_double_eq_tol (paid_by (tids[1], "m"), 0.05001, 1e-12);
	ck_assert_double_eq (paid_by (tids[1], "n"), 0);
	ck_assert_double_eq_tol (charge_of ("m").share, 0.05001, 1e-12);
	/* not a part of what the other one pays */
	ck_assert_double_eq_tol (charge_of ("n").share, 0.001, 1e-12);
	pthread_barrier_wait (&step);
	pthread_barrier_wait (&step);
	pthread_join (thread, NULL);
}
END_TEST

START_TEST (threads_that_come_and_go_between_looks_are_charged_while_they_are_there)
{
	pthread_t thread;

	bind_to ("m", "dear", 0);
	repeat (dear, 1);
	look ();
	pthread_barrier_init (&step, NULL, 2);
	for (int i = 0; i < 2; i++) {
		pthread_create (&thread, NULL, busy, NULL);
		pthread_barrier_wait (&step);
		pthread_barrier_wait (&step);
		cpu_ns[i] = i ? 0 : cpu_ns[i]; /* the former one's */
		cpu_ns[i + 1] = 10 * MS;       /* 5001 samples in all its life */
		ck_assert_double_eq_tol (look (), 0.05001, 1e-12);
		pthread_barrier_wait (&step);
		pthread_barrier_wait (&step);
		pthread_join (thread, NULL);
	}
}
END_TEST

START_TEST (who_hardly_ran_tells_nothing)
{
	bind_to ("m", "dear", 0);
	repeat (dear, 1);
	look ();
	repeat (dear, 1000);
	cpu_ns[0] += MS / 2;
	ck_assert (isnan (look ()));
}
END_TEST

START_TEST (a_reset_is_no_negative_cost)
{
	pp_metric *m = bind_to ("m", "dear", 0);

	repeat (dear, 1000);
	look ();
	pp_reset (m);
	repeat (dear, 10);
	cpu_ns[0] += 10 * MS;
	ck_assert_double_ge (look (), 0);
	repeat (dear, 1000);
	cpu_ns[0] += 10 * MS;
	ck_assert_double_eq_tol (look (), 0.01, 1e-12);
}
END_TEST

START_TEST (bindings_share_what_they_cost)
{
	struct ppi_charge m, n, o;

	bind_to ("m", "dear", 0);
	bind_to ("n", "dear", 0);
	bind_to ("o", "cheap", 0);
	repeat (dear, 1);
	repeat (cheap, 1);
	look ();
	repeat (dear, 900);
	repeat (cheap, 1000);
	cpu_ns[0] += 10 * MS;
	ck_assert_double_eq_tol (look (), 0.01, 1e-12); /* 90 µs and 10 */
	m = charge_of ("m");
	n = charge_of ("n");
	o = charge_of ("o");
	ck_assert_double_eq_tol (m.share, 0.0045, 1e-12);
	ck_assert_double_eq_tol (n.share, 0.0045, 1e-12);
	ck_assert_double_eq_tol (o.share, 0.001, 1e-12);
	ck_assert_double_eq_tol (m.sampled_s, 50 * NS, 1e-15);
	ck_assert_double_eq_tol (o.skipped_s, 1 * NS, 1e-15);
}
END_TEST

/*
 * As an assertion's counts are, which markers write (assertions at sites): a policy with such a one
 * and a budget ended the program.
 */
START_TEST (what_has_a_slot_and_no_metric_is_passed_over)
{
	bind_to ("m", "dear", 0);
	ppi_lock ();
	ck_assert_ptr_nonnull (ppi_binding_hidden (NULL));
	ppi_unlock ();
	repeat (dear, 1);
	look ();
	repeat (dear, 1000);
	cpu_ns[0] += 10 * MS;
	ck_assert_double_eq_tol (look (), 0.01, 1e-12);
}
END_TEST

START_TEST (a_site_whose_cost_nobody_knows_is_free)
{
	bind_to ("m", "other", 0);
	repeat (other, 1);
	look ();
	repeat (other, 1000);
	cpu_ns[0] += 10 * MS;
	ck_assert_double_eq_tol (look (), 0, 1e-12);
	ck_assert_ptr_nonnull (charge_of ("m").binding);
}
END_TEST

/* ---- throttling ------------------------------------------------------------------------------ */

START_TEST (a_factor_makes_samples_more_seldom_and_counts_executions_on)
{
	pp_metric *m = bind_to ("m", "dear", 2);
	double n;

	repeat (dear, 100);
	ck_assert_double_eq (pp_count (m), 50);
	throttle ("m", (struct ppi_throttle){.factor = 4});
	repeat (dear, 8); /* as many as may be left from before */
	n = pp_count (m);
	repeat (dear, 800);
	ck_assert_double_eq (pp_count (m) - n, 100);
	ck_assert_double_eq_tol (pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT), 908, 8);
	throttle ("m", (struct ppi_throttle){0});
	repeat (dear, 8);
	n = pp_count (m);
	repeat (dear, 100);
	ck_assert_double_eq (pp_count (m) - n, 50);
}
END_TEST

START_TEST (what_is_throttled_costs_less_at_the_next_look)
{
	bind_to ("m", "dear", 0);
	repeat (dear, 1);
	look ();
	throttle ("m", (struct ppi_throttle){.factor = 10});
	look ();
	repeat (dear, 1000);
	cpu_ns[0] += 10 * MS;
	ck_assert_double_eq_tol (look (), (100 * 100 + 900 * 10) * NS / 10e-3, 2e-5);
	ck_assert_uint_eq (charge_of ("m").now.factor, 10);
	ck_assert_uint_eq (charge_of ("m").every, 1);
}
END_TEST

START_TEST (what_is_eased_is_not_charged_by_the_former_factor)
{
	bind_to ("m", "dear", 0);
	repeat (dear, 1);
	throttle ("m", (struct ppi_throttle){.factor = 10});
	look ();
	throttle ("m", (struct ppi_throttle){.factor = 5});
	ppi_lock ();
	ppi_overhead_throttled ();
	ppi_unlock ();
	repeat (dear, 1000);
	cpu_ns[0] += 10 * MS;
	ck_assert_double_eq_tol (look (), (200 * 100 + 800 * 10) * NS / 10e-3, 2e-5);
}
END_TEST

START_TEST (unbound_it_has_no_samples_until_it_is_given_back)
{
	pp_metric *m = bind_to ("m", "dear", 0), *n = bind_to ("n", "dear", 0);

	repeat (dear, 10);
	throttle ("m", (struct ppi_throttle){.unbound = true, .share = 0.5});
	repeat (dear, 10);
	ck_assert_double_eq (pp_count (m), 10);
	ck_assert_double_eq (pp_count (n), 20);
	look ();
	repeat (dear, 1000);
	cpu_ns[0] += 10 * MS;
	look ();
	ck_assert_double_eq_tol (charge_of ("m").share, 0, 1e-12);
	ck_assert (charge_of ("m").now.unbound);
	ck_assert_double_eq (charge_of ("m").now.share, 0.5);
	throttle ("m", (struct ppi_throttle){0});
	repeat (dear, 10);
	ck_assert_double_eq (pp_count (m), 20);
	ck_assert_double_eq (pp_count (n), 1030);
}
END_TEST

START_TEST (what_was_throttled_when_nobody_asked_for_it_is_free_of_it_later)
{
	pp_metric *m = bind_to ("m", "dear", 0);
	unsigned eased, restored;

	bind_to ("n", "cheap", 0);
	repeat (dear, 1);
	repeat (cheap, 1);
	throttle ("m", (struct ppi_throttle){.factor = 32});
	throttle ("n", (struct ppi_throttle){.factor = 2});
	ck_assert_int_eq (pp_unbind (m, "dear"), 1);
	ppi_lock ();
	ppi_overhead_release (&eased, &restored);
	ppi_unlock ();
	ck_assert_uint_eq (eased, 1);
	ck_assert_uint_eq (restored, 0);
	ck_assert_int_eq (pp_bind (m, "dear", 0), 1);
	repeat (dear, 32); /* what was to be left out still is */
	pp_reset (m);
	repeat (dear, 100);
	ck_assert_double_eq (pp_count (m), 100);
}
END_TEST

static uint64_t clock_ns = UINT64_C (1000000000000);

static uint64_t clock_by_hand (void)
{
	return clock_ns;
}

START_TEST (what_was_not_seen_is_unknown)
{
	struct ppi_window *window = NULL;
	const pp_site *site;
	char why[256];
	pp_metric *m;

	ppi_clock_set (clock_by_hand);
	m = bind_to ("m", "dear", 0);
	site = ppi_binding_first ()->site;
	ppi_lock ();
	ck_assert_int_eq (ppi_window_acquire (m, 10000 * MS, &window, why, sizeof why), PP_OK);
	ppi_unlock ();
	repeat (dear, 10);
	ck_assert_double_eq (pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT), 10);
	/* off for a moment, by the way */
	throttle ("m", (struct ppi_throttle){.unbound = true, .briefly = true});
	throttle ("m", (struct ppi_throttle){.factor = 2});
	ck_assert_double_eq (pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT), 10);
	throttle ("m", (struct ppi_throttle){.unbound = true});
	repeat (dear, 10);
	ck_assert (isnan (pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT)));
	ck_assert (isnan (pp_rate (m)));
	ck_assert_double_eq (pp_stat (m, NULL, PP_STAT_N), 10);
	ck_assert_double_gt (pp_avg (m), 0);
	ck_assert (isnan (ppi_window_stat (window, NULL, PP_STAT_RATE)));
	ck_assert (isnan (ppi_window_stat (window, site, PP_STAT_COUNT)));
	clock_ns += 1000 * MS;
	throttle ("m", (struct ppi_throttle){0});
	repeat (dear, 10);
	ck_assert (isnan (pp_stat (m, site, PP_STAT_ESTIMATED_COUNT)));
	clock_ns += 9000 * MS;
	ck_assert (isnan (ppi_window_stat (window, NULL, PP_STAT_SUM)));
	clock_ns += 1000 * MS;
	ck_assert (!isnan (ppi_window_stat (window, NULL, PP_STAT_SUM)));
	pp_reset (m);
	repeat (dear, 10);
	ck_assert_double_eq (pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT), 10);
}
END_TEST

START_TEST (what_nobody_asks_for_any_more_is_no_charge)
{
	pp_metric *m = bind_to ("m", "dear", 0);

	repeat (dear, 1);
	ck_assert_ptr_nonnull (charge_of ("m").binding);
	ck_assert_int_eq (pp_unbind (m, "dear"), 1);
	ck_assert_ptr_null (charge_of ("m").binding);
}
END_TEST

/* ---- checks ---------------------------------------------------------------------------------- */

static pp_metric *every_time, *now_and_then, *counted;
static unsigned runs, of_every_time, of_now_and_then, of_counted;

static void look_at (struct ppi_check *check, struct ppi_thread *thread, pp_site *site)
{
	(void) check;
	runs++;
	of_every_time += ppi_thread_sampled (thread, every_time, site) > 0;
	of_now_and_then += ppi_thread_sampled (thread, now_and_then, site) > 0;
	of_counted += ppi_thread_sampled (thread, counted, site) > 0;
}

START_TEST (a_check_is_told_what_was_sampled_in_its_execution)
{
	static struct ppi_check check = {.run = look_at};

	every_time = bind_to ("m", "dear", 0);
	now_and_then = bind_to ("n", "dear", 16);
	ck_assert_int_eq (pp_metric_new (&counted, "c", "interval count(count)"), PP_OK);
	ck_assert_int_eq (pp_bind (counted, "dear", 0), 1);
	ppi_lock ();
	ck_assert_int_ge (ppi_check_attach (ppi_binding_first ()->site, &check), 0);
	ppi_unlock ();
	repeat (dear, 160);
	ck_assert_uint_eq (runs, 160);
	ck_assert_uint_eq (of_every_time, 160);
	ck_assert_uint_eq (of_now_and_then, 10);
	/* counts have no time, but each execution is one more */
	ck_assert_uint_eq (of_counted, 160);
	ck_assert_int_eq (pp_unbind (every_time, "dear"), 1);
	ck_assert_int_eq (pp_unbind (counted, "dear"), 1);
	repeat (dear, 160);
	ck_assert_uint_eq (runs, 170);
	ck_assert_uint_eq (of_every_time, 160);
	ck_assert_uint_eq (of_now_and_then, 20);
}
END_TEST

#define LONG_TICKS UINT64_C (200000)

static void take_long (struct ppi_check *check, struct ppi_thread *thread, pp_site *site)
{
	uint64_t end = ppi_ticks () + LONG_TICKS;

	(void) check;
	(void) thread;
	(void) site;
	while (ppi_ticks () < end)
		;
}

START_TEST (what_checks_take_is_part_of_what_a_sample_costs)
{
	static struct ppi_check check = {.run = take_long};
	struct pp_self_cost cost;
	double long_s = (double) LONG_TICKS * ppi_seconds_per_tick () * 0.999;

	bind_to ("m", "dear", 0);
	ppi_lock ();
	ck_assert_int_ge (ppi_check_attach (ppi_binding_first ()->site, &check), 0);
	ppi_unlock ();
	repeat (dear, 64);
	ck_assert_double_ge (charge_of ("m").sampled_s, 100 * NS + long_s);
	ck_assert_double_eq_tol (charge_of ("m").skipped_s, 10 * NS, 1e-15);
	ck_assert_int_eq (pp_self_cost ("dear", &cost), PP_OK);
	ck_assert_double_ge (cost.sampled, 100 * NS + long_s);
	look ();
	repeat (dear, 10);
	cpu_ns[0] += 1000 * MS;
	ck_assert_double_ge (look (), 10 * long_s);
	ppi_lock ();
	ppi_check_detach (ppi_binding_first ()->site, &check);
	ppi_unlock ();
	ck_assert_double_eq_tol (charge_of ("m").sampled_s, 100 * NS, 1e-15);
}
END_TEST

/* ---- calibration ----------------------------------------------------------------------------- */

#define SHAPES 40

/* Forty shapes: series of so many sizes. */
START_TEST (calibrating_leaves_sites_their_light_slots)
{
	char name[16], text[64], site[8];
	unsigned is_light = 0;
	pp_metric *m = NULL;

	ppi_cost_inject (NULL);
#ifdef __SANITIZE_THREAD__
	ppcheck_skip ("ThreadSanitizer knows guards only, which have no blocks");
#endif
	if (!ppi_blocks_may_be ())
		ppcheck_skip ("there are no blocks here");
	for (int i = 0; i < SHAPES; i++) {
		struct pp_self_cost cost;

		snprintf (name, sizeof name, "s%d", i);
		snprintf (text, sizeof text, "interval unbounded_series(elapsed, maxSize=%d)",
			  100 + i);
		ck_assert_int_eq (pp_metric_new (&m, name, text), PP_OK);
		ck_assert_int_eq (pp_bind (m, "dear", 0), 1);
		ck_assert_int_eq (pp_self_cost ("dear", &cost), PP_OK);
		ck_assert_int_eq (pp_unbind (m, "dear"), 1);
	}
	ck_assert_int_eq (pp_metric_new (&m, "counted", "interval count(count)"), PP_OK);
	for (int i = 0; i < SHAPES; i++) {
		unsigned op;

		snprintf (site, sizeof site, "%c%d", 'a' + i / 10, i % 10);
		ck_assert_int_eq (pp_bind (m, site, 0), 1);
		for (const struct ppi_binding *b = ppi_binding_first (); b; b = b->next)
			if (b->metric == m && b->site && strcmp (b->site->name, site) == 0)
				is_light += ppi_plan_with (b, &op)->light != PPI_LIGHT_NONE;
	}
	ck_assert_uint_eq (is_light, PPI_LIGHTS);
}
END_TEST

/* The region's bytes that are in use. */
static uint64_t region_used (void)
{
	return __atomic_load_n (&ppi_region_header ()->used, __ATOMIC_RELAXED);
}

START_TEST (calibrating_a_long_series_takes_no_long_one)
{
	struct pp_self_cost cost;
	uint64_t before;
	pp_metric *m = NULL;

	ppi_cost_inject (NULL);
	ck_assert_int_eq (
		pp_metric_new (&m, "long", "interval bounded_series(elapsed, size=1000000)"),
		PP_OK);
	ck_assert_int_eq (pp_bind (m, "dear", 0), 1);
	repeat (dear, 10);
	before = region_used ();
	ck_assert_int_eq (pp_self_cost ("dear", &cost), PP_OK);
	ck_assert (cost.sampled > 0);
	ck_assert_uint_lt (region_used () - before, 1 << 20);
}
END_TEST

/* Measures for the first time what is bound to SITE; how many measurements that took. */
static unsigned measurements_of (const char *site)
{
	unsigned before = ppi_self_measurements;
	struct pp_self_cost cost;

	ck_assert_int_eq (pp_self_cost (site, &cost), PP_OK);
	return ppi_self_measurements - before;
}

static void bind_both (const char *name, const char *text, const char *site)
{
	pp_metric *m = NULL;

	ck_assert_int_eq (pp_metric_new (&m, name, text), PP_OK);
	ck_assert_int_eq (pp_bind (m, site, 0), 1);
}

START_TEST (what_a_metric_costs_alone_is_measured_once_for_all_plans)
{
	struct ppi_charge a;

	ppi_cost_inject (NULL);
	bind_both ("a", "interval sumcount(elapsed)", "dear");
	bind_both ("b", "interval stats(elapsed)", "dear");
	ck_assert_uint_eq (measurements_of ("dear"), 3); /* both, and each */
	bind_both ("c", "interval sumcount(elapsed)", "cheap");
	bind_both ("d", "interval scalar(elapsed)", "cheap");
	ck_assert_uint_eq (measurements_of ("cheap"), 2); /* both, and the new one */
	bind_both ("e", "interval scalar(elapsed)", "other");
	ck_assert_uint_eq (measurements_of ("other"), 0);
	/* and the parts are of one whole */
	a = charge_of ("a");
	ck_assert_ptr_nonnull (a.binding);
	ck_assert_double_eq_tol (ppi_cost_part (a.binding->site->plan, 0) +
					 ppi_cost_part (a.binding->site->plan, 1),
				 1, 1e-12);
}
END_TEST

START_TEST (a_shape_is_measured_once)
{
	struct pp_self_cost before, after;

	ppi_cost_inject (NULL);
	bind_to ("m", "dear", 0);
	ck_assert_uint_eq (measurements_of ("dear"), 1);
	ck_assert_int_eq (pp_self_cost ("dear", &before), PP_OK);
	for (int i = 0; i < 40; i++)
		ppi_overhead_look ();
	ck_assert_uint_eq (measurements_of ("dear"), 0);
	ck_assert_int_eq (pp_self_cost ("dear", &after), PP_OK);
	/* samples are corrected by it */
	ck_assert_double_eq_tol (before.inside, after.inside, 1e-12);
	ck_assert (after.sampled > 0 && after.skipped <= after.sampled);
}
END_TEST

static Suite *overhead (void)
{
	Suite *suite = suite_create ("overhead");
	TCase *tests = tcase_create ("overhead");

	tcase_add_checked_fixture (tests, start, NULL);
	tcase_add_test (tests, a_share_is_what_a_threads_samples_cost_of_its_time);
	tcase_add_test (tests, what_every_leaves_out_costs_something_too);
	tcase_add_test (tests, of_several_threads_the_one_that_pays_most_counts_until_it_ends);
	tcase_add_test (tests, each_thread_pays_for_what_it_executes);
	tcase_add_test (tests,
			threads_that_come_and_go_between_looks_are_charged_while_they_are_there);
	tcase_add_test (tests, who_hardly_ran_tells_nothing);
	tcase_add_test (tests, a_reset_is_no_negative_cost);
	tcase_add_test (tests, bindings_share_what_they_cost);
	tcase_add_test (tests, what_has_a_slot_and_no_metric_is_passed_over);
	tcase_add_test (tests, a_site_whose_cost_nobody_knows_is_free);
	tcase_add_test (tests, a_factor_makes_samples_more_seldom_and_counts_executions_on);
	tcase_add_test (tests, what_is_throttled_costs_less_at_the_next_look);
	tcase_add_test (tests, what_is_eased_is_not_charged_by_the_former_factor);
	tcase_add_test (tests, unbound_it_has_no_samples_until_it_is_given_back);
	tcase_add_test (tests, what_was_throttled_when_nobody_asked_for_it_is_free_of_it_later);
	tcase_add_test (tests, what_was_not_seen_is_unknown);
	tcase_add_test (tests, what_nobody_asks_for_any_more_is_no_charge);
	tcase_add_test (tests, a_check_is_told_what_was_sampled_in_its_execution);
	tcase_add_test (tests, what_checks_take_is_part_of_what_a_sample_costs);
	tcase_add_test (tests, calibrating_leaves_sites_their_light_slots);
	tcase_add_test (tests, calibrating_a_long_series_takes_no_long_one);
	tcase_add_test (tests, what_a_metric_costs_alone_is_measured_once_for_all_plans);
	tcase_add_test (tests, a_shape_is_measured_once);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {overhead};

	return ppcheck_main (suites, 1);
}
