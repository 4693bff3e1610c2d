/* SPDX-License-Identifier: MIT */
/*
 * rebind.c: sixteen threads run through sites at which another one binds and unbinds a metric
 * 100,000 times. The metrics that stay lose nothing; of the one that comes and goes every execution
 * is a sample, or was begun while it was not bound, or is counted as dropped.
 */
#include "check.h"

#include <pthread.h>
#include <time.h>

int64_t begin_unit (void);
int64_t end_unit (const int64_t *begin);
int64_t begin_phase (void);
int64_t end_phase (const int64_t *begin);

/* clang-format off */
#pragma pp metric steady   interval sumcount(begin_unit, end_unit)
#pragma pp metric toggled  interval sumcount(elapsed)
#pragma pp metric alone    interval stats(elapsed)
#pragma pp metric values   point    sumcount(value)
#pragma pp metric hits     point    count(count)
#pragma pp metric phases   interval stats(begin_phase, end_phase)
/* clang-format on */

enum { THREADS = 16, REBINDS = 100000 };

static int stop;
static __thread volatile long sink;

int64_t begin_unit (void)
{
	return 5;
}

int64_t end_unit (const int64_t *begin)
{
	return *begin;
}

/*
 * shared has a metric that stays; single has none but the toggled one, so its markers go on and off
 */
NOIPA static void shared (void)
{
#pragma pp interval shared(steady)
	sink++;
}

NOIPA static void single (void)
{
#pragma pp interval single
	sink++;
}

NOIPA static void dot (long value)
{
#pragma pp point dot(values) value(value)
	sink++;
}

struct worker {
	pthread_t thread;
	double executions, sum;
};

static void *work (void *arg)
{
	struct worker *w = arg;
	double n = 0, sum = 0;

	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		for (int i = 0; i < 64; i++) {
			shared ();
			single ();
			dot (i);
			n++;
			sum += i;
		}
		sched_yield ();
	}
	w->executions = n;
	w->sum = sum;
	return NULL;
}

static double seconds (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static double or_0 (double x)
{
	return isnan (x) ? 0 : x;
}

/*
 * 100,000 binds and unbinds of one site after the other; returns how many there were. Fewer where
 * the machine is slow.
 */
static long rebind (double until)
{
	long n = 0;

	while (n < REBINDS && seconds () < until) {
		if (pp_bind (toggled, "shared/shared", 0) != 1 ||
		    pp_bind (alone, "single/single", 0) != 1 || pp_bind (hits, "dot/dot", 0) != 1)
			return -1;
		n += 3;
		if (n % 16 < 3)
			sched_yield ();
		if (pp_unbind (toggled, "shared/shared") != 1 ||
		    pp_unbind (alone, "single/single") != 1 || pp_unbind (hits, "dot/dot") != 1)
			return -1;
		n += 3;
	}
	return n;
}

static void *run_single (void *arg)
{
	(void) arg;
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED))
		single ();
	return NULL;
}

/*
 * A site is switched on ends first, and a busy thread runs through many of them until the begins
 * are on. Those are nobody's loss. Each bind has one end of an execution that was open when the
 * begins came, and maybe one more that was under way.
 */
static void test_ends_first (void)
{
	enum { BINDS = 300 };
	double before = (double) pp_dropped (PP_DROP_UNMATCHED), dropped;
	pthread_t thread;

	__atomic_store_n (&stop, 0, __ATOMIC_RELAXED);
	pthread_create (&thread, NULL, run_single, NULL);
	for (int i = 0; i < BINDS; i++) {
		pp_bind (alone, "single/single", 0);
		sched_yield ();
		pp_unbind (alone, "single/single");
	}
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (thread, NULL);
	dropped = (double) pp_dropped (PP_DROP_UNMATCHED) - before;
	if (!ok (dropped <= 2 * BINDS, "ends that run before the begins are on are no drops"))
		note ("%.0f in %d binds", dropped, BINDS);
}

/* ---- while it was off ------------------------------------------------------------------------ */

enum { PHASES = 4000, BUSY = 4000 };

static int64_t phase;

int64_t begin_phase (void)
{
	return __atomic_load_n (&phase, __ATOMIC_RELAXED);
}

/* 0, unless the site was off in between */
int64_t end_phase (const int64_t *begin)
{
	return __atomic_load_n (&phase, __ATOMIC_RELAXED) - *begin;
}

/* Sites that are switched with the one that matters: it takes a while until all of them are. */
#define IDLE(n)                                                                                    \
	NOIPA __attribute__ ((used)) static void idle_##n (void)                                   \
	{                                                                                          \
		_Pragma ("pp interval idle") sink++;                                               \
	}
#define IDLE_8(n)                                                                                  \
	IDLE (n##0)                                                                                \
	IDLE (n##1) IDLE (n##2) IDLE (n##3) IDLE (n##4) IDLE (n##5) IDLE (n##6) IDLE (n##7)
#define IDLE_64(n)                                                                                 \
	IDLE_8 (n##0)                                                                              \
	IDLE_8 (n##1)                                                                              \
	IDLE_8 (n##2) IDLE_8 (n##3) IDLE_8 (n##4) IDLE_8 (n##5) IDLE_8 (n##6) IDLE_8 (n##7)
IDLE_64 (0)
IDLE_64 (1)
IDLE_64 (2)
IDLE_64 (3)
IDLE_64 (4)
IDLE_64 (5)
IDLE_64 (6)
IDLE_64 (7)

/*
 * Some µs long, at the same stack pointer each time: what an execution left open looks like the
 * next one's.
 */
NOIPA static void long_one (void)
{
#pragma pp interval long_one
	for (int i = 0; i < BUSY; i++)
		sink++;
}

static int64_t long_ones;

static void *run_long_ones (void *arg)
{
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		long_one ();
		__atomic_fetch_add (&long_ones, 1, __ATOMIC_RELAXED);
	}
	return arg;
}

/* What was under way is over: the next but one has begun. */
static void wait_for_another (void)
{
	int64_t now = __atomic_load_n (&long_ones, __ATOMIC_RELAXED);

	while (__atomic_load_n (&long_ones, __ATOMIC_RELAXED) < now + 2)
		usleep (50);
}

static void test_while_off (void)
{
	double until = seconds () + 4;
	pthread_t thread;

	__atomic_store_n (&stop, 0, __ATOMIC_RELAXED);
	if (pthread_create (&thread, NULL, run_long_ones, NULL))
		exit (1);
	/* longer where the other thread has had no processor while the site was on */
	for (int i = 0; (i < PHASES && seconds () < until) ||
			(!(pp_count (phases) > 0) && seconds () < until + 100);
	     i++) {
		pp_bind (phases, "**", 0);
		usleep (200);
		pp_unbind (phases, "**");
		/* an end that found its frame may only then ask for the phase */
		wait_for_another ();
		__atomic_fetch_add (&phase, 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (thread, NULL);
	ok (pp_count (phases) > 0,
	    "an interval at a site that is switched with 500 others is sampled");
	same (pp_max (phases), 0, "and no sample spans a time in which its site was off");
}

/* ---- after threads that have ended ----------------------------------------------------------- */

static void *run_some (void *arg)
{
	for (int i = 0; i < 10; i++)
		single ();
	return arg;
}

static void run_threads (void)
{
	pthread_t threads[8];

	for (int i = 0; i < 8; i++)
		if (pthread_create (&threads[i], NULL, run_some, NULL))
			exit (1);
	for (int i = 0; i < 8; i++)
		pthread_join (threads[i], NULL);
}

/* What a thread leaves is taken over by another one. */
static void test_taken_over (void)
{
	pp_bind (alone, "single/single", 0);
	pp_reset (alone);
	run_threads ();
	same (pp_count (alone), 80, "what threads measured that have ended is counted");
	pp_dropped (PP_DROP_LONGJMP); /* looks for those */
	pp_reset (alone);
	run_threads ();
	same (pp_count (alone), 80, "and so is what others measure after a reset");
	pp_unbind (alone, "single/single");
}

int main (void)
{
	static struct worker workers[THREADS];
	double executions = 0, sum = 0, begin = seconds (), before;
	long rebinds;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create (&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	rebinds = rebind (begin + 17);
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++) {
		pthread_join (workers[i].thread, NULL);
		executions += workers[i].executions;
		sum += workers[i].sum;
	}
	note ("%ld binds and unbinds in %.1f s, %.0f executions, %.0f and %.0f of them sampled by "
	      "the metrics that come and go",
	      rebinds, seconds () - begin, executions, or_0 (pp_count (toggled)),
	      or_0 (pp_count (alone)));
	note_drops ();
	if (UNDER_TSAN || UNDER_ASAN)
		ok (rebinds > 100, "metrics are bound and unbound while sixteen threads run");
	else
		ok (rebinds >= REBINDS,
		    "metrics are bound and unbound 100,000 times while sixteen threads run");
	ok (pp_count (steady) == executions && pp_sum (steady) == executions * 5,
	    "the metric that stays at an interval loses nothing");
	ok (pp_count (values) == executions && pp_sum (values) == sum,
	    "the metric that stays at a point loses nothing");
	ok (or_0 (pp_count (toggled)) <= executions,
	    "a metric that comes and goes has no more samples than there were executions");
	ok (or_0 (pp_count (hits)) <= executions, "one at a point neither");
	ok (or_0 (pp_count (alone)) + (double) pp_dropped (PP_DROP_DISABLED) +
			    (double) pp_dropped (PP_DROP_UNMATCHED) <=
		    executions,
	    "at a site of its own, samples and what was dropped are no more than the executions");
	ok (pp_dropped (PP_DROP_LONGJMP) == 0 && pp_dropped (PP_DROP_DEPTH) == 0 &&
		    pp_dropped (PP_DROP_SIGNAL) == 0,
	    "what is dropped is counted for the right causes");
	same ((double) pp_dropped (PP_DROP_POOL), 0,
	      "rebinding uses up no memory of the live region");

	/* afterwards everything is as if it had never happened */
	pp_reset (NULL);
	if (pp_bind (toggled, "shared/shared", 0) != 1 || pp_bind (alone, "single/single", 0) != 1)
		return 1;
	before = (double) (pp_dropped (PP_DROP_DISABLED) + pp_dropped (PP_DROP_UNMATCHED));
	for (int i = 0; i < 1000; i++) {
		shared ();
		single ();
	}
	ok (pp_count (toggled) == 1000 && pp_count (alone) == 1000 && pp_count (steady) == 1000,
	    "after it all metrics are measured");
	same ((double) (pp_dropped (PP_DROP_DISABLED) + pp_dropped (PP_DROP_UNMATCHED)), before,
	      "and nothing is dropped any more");
	pp_unbind (toggled, "shared/shared");
	pp_unbind (alone, "single/single");
	test_ends_first ();
	test_while_off ();
	test_taken_over ();
	return checked ();
}
