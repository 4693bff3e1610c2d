/* SPDX-License-Identifier: MIT */
/*
 * threads.c: what a second thread changes. Two threads that run through the same interval should
 * cost each what one costs alone, for they share nothing; and binding and unbinding must not take
 * long while somebody runs through the site.
 */
#include "bench.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pp.h>

/*
 * Fewer executions than elsewhere, and many tries: on a busy machine two threads have only short
 * times in common.
 */
enum { EXECUTIONS = 30000, TOGGLES = 50, TRIES = 40, ROUNDS_LEAST = 15 };

/* The loops that both threads run, and where their costs are kept. */
enum { PLAIN, TWO, INTERVAL, SHARED };
static const enum loop_id shared[SHARED] = {LOOP_plain, LOOP_two_rdtsc, LOOP_sumcount};

static const struct row one_row = {"threads.one", "ns", NULL, 0};
static const struct row two_row = {"threads.two", "ns", "threads.one", 0};
static const struct row one_bare_row = {"threads.one.two_rdtsc", "ns", NULL, 0};
static const struct row two_bare_row = {"threads.two.two_rdtsc", "ns", "threads.one.two_rdtsc", 0};
static const struct row calls_row = {"toggle.calls", "us", NULL, 0};
static const struct row toggle_row = {"toggle.one", "us", "toggle.calls", 6};

/*
 * Two threads are said to have run beside each other when so much of the time was common, and was
 * theirs.
 */
#define TOGETHER 0.85
/* On a core that they share two threads' bare reads of the clock cost twice as much. */
#define APART 1.2

/* ---- two processors -------------------------------------------------------------------------- */

static cpu_set_t all_cpus;
static cpu_set_t cpu_of[2]; /* main's, and the helper's */

/*
 * Sees to it that main and helper run beside each other: on one processor they would only take
 * turns, two threads would look as good as one, and a site would be switched while nobody is near.
 * -1: there is one processor for us.
 */
static int claim_cpus (void)
{
	int found = 0;

	if (sched_getaffinity (0, sizeof all_cpus, &all_cpus) != 0)
		return -1;
	for (size_t cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET (cpu, &all_cpus)) {
			CPU_ZERO (&cpu_of[found]);
			CPU_SET (cpu, &cpu_of[found]);
			found++;
		}
	return found == 2 ? sched_setaffinity (0, sizeof cpu_of[0], &cpu_of[0]) : -1;
}

/*
 * A thread on the other processor, from its first instruction on: on main's it might never get
 * there.
 */
static int start_helper (pthread_t *helper, void *(*fn) (void *), void *arg)
{
	pthread_attr_t attributes;
	int error = pthread_attr_init (&attributes);

	if (error != 0)
		return error;
	error = pthread_attr_setaffinity_np (&attributes, sizeof cpu_of[1], &cpu_of[1]);
	if (error == 0)
		error = pthread_create (helper, &attributes, fn, arg);
	pthread_attr_destroy (&attributes);
	return error;
}

static void release_cpus (void)
{
	sched_setaffinity (0, sizeof all_cpus, &all_cpus);
}

/* ---- threads.two ----------------------------------------------------------------------------- */

/* One run of a loop. */
struct span {
	double begin_ns, end_ns, cost_ns;
};

struct pair {
	pthread_barrier_t barrier;
	int done;                 /* main writes it before a barrier */
	struct span mine[SHARED]; /* main's, of this round */
	struct span span[SHARED]; /* the helper's; main reads it behind the last barrier */
};

static struct span run_span (enum loop_id loop)
{
	struct span span;

	span.begin_ns = wall_ns ();
	span.cost_ns = loop_cost_ns (&loops[loop], THROUGHPUT, 0, EXECUTIONS);
	span.end_ns = wall_ns ();
	return span;
}

static int undisturbed (const struct span *s)
{
	return s->cost_ns * EXECUTIONS >= TOGETHER * (s->end_ns - s->begin_ns);
}

static int together (const struct span *a, const struct span *b)
{
	double both_ns = fmin (a->end_ns, b->end_ns) - fmax (a->begin_ns, b->begin_ns);
	double all_ns = fmax (a->end_ns, b->end_ns) - fmin (a->begin_ns, b->begin_ns);

	return undisturbed (a) && undisturbed (b) && both_ns >= TOGETHER * all_ns;
}

/* The helper of the pair: sleeps at the barrier while main runs alone. */
static void *run_beside (void *arg)
{
	struct pair *pair = arg;

	for (;;) {
		for (int k = 0; k < SHARED; k++) {
			pthread_barrier_wait (&pair->barrier);
			if (pair->done)
				return NULL;
			pair->span[k] = run_span (shared[k]);
		}
		pthread_barrier_wait (&pair->barrier);
	}
}

struct pair_costs {
	double *one, *two, *one_bare, *two_bare;
};

/*
 * 1 when the round counts: nothing came between, both threads ran at the same time, and, where that
 * is asked, on cores of their own: bare reads of the clock cost two threads what they cost one. The
 * two processors of a virtual machine may share a core for minutes.
 */
static int pair_round (struct pair *pair, struct pair_costs *costs, size_t round, int apart)
{
	double one[SHARED], two[SHARED];
	int counts = 1;

	for (int k = 0; k < SHARED; k++) {
		struct span alone = run_span (shared[k]);

		one[k] = alone.cost_ns;
		if (!undisturbed (&alone))
			counts = 0;
		/* alone, and both together below */
		loops[shared[k]].executions += 3.0 * EXECUTIONS;
	}
	for (int k = 0; k < SHARED; k++) {
		pthread_barrier_wait (&pair->barrier);
		pair->mine[k] = run_span (shared[k]);
	}
	pthread_barrier_wait (&pair->barrier);
	for (int k = 0; k < SHARED; k++) {
		two[k] = (pair->mine[k].cost_ns + pair->span[k].cost_ns) / 2;
		if (!together (&pair->mine[k], &pair->span[k]))
			counts = 0;
	}
	costs->one[round] = one[INTERVAL] - one[PLAIN];
	costs->two[round] = two[INTERVAL] - two[PLAIN];
	costs->one_bare[round] = one[TWO] - one[PLAIN];
	costs->two_bare[round] = two[TWO] - two[PLAIN];
	return counts && (!apart || costs->two_bare[round] <= APART * costs->one_bare[round]);
}

/* How many rounds counted, at most ROUNDS, or -1. */
static long run_pair (struct pair *pair, struct pair_costs *costs, size_t rounds)
{
	pthread_t helper;
	size_t counted = 0;
	int error;

	error = pthread_barrier_init (&pair->barrier, NULL, 2);
	if (error == 0)
		error = start_helper (&helper, run_beside, pair);
	if (error != 0) {
		fprintf (stderr, "bench: no second thread: %s\n", strerror (error));
		return -1;
	}
	for (size_t i = 0; i < TRIES * rounds && counted < rounds; i++)
		counted += (size_t) pair_round (pair, costs, counted, 1);
	if (counted < ROUNDS_LEAST) {
		fprintf (stderr,
			 "bench: the two processors share a core: rows threads are of that\n");
		counted = 0;
		for (size_t i = 0; i < TRIES * rounds && counted < rounds; i++)
			counted += (size_t) pair_round (pair, costs, counted, 0);
	}
	pair->done = 1;
	pthread_barrier_wait (&pair->barrier);
	pthread_join (helper, NULL);
	pthread_barrier_destroy (&pair->barrier);
	return loop_counted (&loops[LOOP_sumcount]) == 0 ? (long) counted : -1;
}

/* Another process had the processor: no error, but no row either. */
static int too_few (size_t rounds, const char *rows)
{
	if (rounds >= ROUNDS_LEAST)
		return 0;
	fprintf (stderr,
		 "bench: two threads ran beside each other in %zu rounds only, the machine is "
		 "busy: no rows %s\n",
		 rounds, rows);
	return 1;
}

static int bench_pair (size_t rounds)
{
	struct pair pair = {.done = 0};
	double *costs_ns = calloc (rounds * 4, sizeof *costs_ns);
	struct pair_costs costs;
	long counted;

	if (costs_ns == NULL) {
		fprintf (stderr, "bench: no memory for %zu rounds\n", rounds);
		return -1;
	}
	costs = (struct pair_costs){costs_ns, costs_ns + rounds, costs_ns + 2 * rounds,
				    costs_ns + 3 * rounds};
	counted = run_pair (&pair, &costs, rounds);
	if (counted >= 0 && !too_few ((size_t) counted, "threads")) {
		result_add (&one_row, costs.one, NULL, (size_t) counted);
		result_add (&two_row, costs.two, costs.one, (size_t) counted);
		result_add (&one_bare_row, costs.one_bare, NULL, (size_t) counted);
		result_add (&two_bare_row, costs.two_bare, costs.one_bare, (size_t) counted);
	}
	free (costs_ns);
	return counted < 0 ? -1 : 0;
}

/* ---- toggle.one ------------------------------------------------------------------------------ */

static int stop;
static unsigned long progress; /* the helper's */

static void *run_through (void *arg)
{
	(void) arg;
	/* relaxed: nothing but the flag and the number is handed over */
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		loop_run (&loops[LOOP_toggled], THROUGHPUT, 0, 20);
		__atomic_store_n (&progress, progress + 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/*
 * One bind or unbind, the mean of both, in µs; 0 where the helper did not run meanwhile, negative
 * where it failed.
 */
static double toggle_pair_us (pp_metric *metric)
{
	unsigned long before = __atomic_load_n (&progress, __ATOMIC_RELAXED);
	double begin_ns = wall_ns ();
	int bound = pp_bind (metric, "busy_toggled_0/toggled", 0);
	int unbound = pp_unbind (metric, "busy_toggled_0/toggled");
	double us = (wall_ns () - begin_ns) / 2000;

	if (bound != 1 || unbound != 1) {
		fprintf (stderr, "bench: bind says %d (%s), unbind %d (%s): no row toggle.one\n",
			 bound, bound < 0 ? pp_strerror (bound) : "sites", unbound,
			 unbound < 0 ? pp_strerror (unbound) : "sites");
		return -1;
	}
	return __atomic_load_n (&progress, __ATOMIC_RELAXED) != before ? us : 0;
}

/*
 * The median of TOGGLES pairs, in µs; 0 where the helper was seldom there, negative where one
 * failed.
 */
static double toggle_us (pp_metric *metric)
{
	double us[TOGGLES];
	size_t count = 0;

	for (int i = 0; i < TRIES * TOGGLES && count < TOGGLES; i++) {
		us[count] = toggle_pair_us (metric);
		if (us[count] < 0)
			return -1;
		if (us[count] > 0)
			count++;
	}
	return count == TOGGLES ? quantile (us, count, 0.5) : 0;
}

/*
 * What a switch asks of the kernel, alone: /proc/self/mem is opened, looked at and closed, and a
 * byte of CODE is written twice. In µs; negative where that is not possible.
 */
static double calls_once_us (const volatile char *code)
{
	double begin_ns = wall_ns ();
	int fd = open ("/proc/self/mem", O_RDWR | O_CLOEXEC);
	struct stat st;
	bool ok = fd >= 0;

	for (int i = 0; i < 2; i++)
		ok = ok && pwrite (fd, "", 1, (off_t) (uintptr_t) code) == 1 &&
		     fstat (fd, &st) == 0;
	if (fd >= 0)
		close (fd);
	return ok ? (wall_ns () - begin_ns) / 1000 : -1;
}

/* The median of TOGGLES; negative where it is not possible. */
static double calls_us (void)
{
	long page = sysconf (_SC_PAGESIZE);
	char *code = mmap (NULL, (size_t) page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	double us[TOGGLES];
	bool ok;

	if (code == MAP_FAILED)
		return -1;
	*code = 1;
	ok = mprotect (code, (size_t) page, PROT_READ | PROT_EXEC) == 0;
	for (int i = 0; i < TOGGLES; i++)
		us[i] = ok ? calls_once_us (code) : -1;
	munmap (code, (size_t) page);
	return quantile (us, TOGGLES, 0.5);
}

/* How many rounds counted, at most ROUNDS, or -1. */
static long toggle_rounds (double *us, double *calls, size_t rounds)
{
	pp_metric *metric = pp_metric_find ("m_toggled");
	size_t counted = 0;

	if (metric == NULL) {
		fprintf (stderr, "bench: there is no metric m_toggled: were the loops compiled "
				 "with the plugin?\n");
		return -1;
	}
	for (size_t i = 0; i < 8 * rounds && counted < rounds; i++) {
		int rested = rest_wait ();

		us[counted] = toggle_us (metric);
		calls[counted] = calls_us ();
		if (us[counted] < 0 || calls[counted] < 0)
			return -1;
		/* where patience has come to its end all count */
		if (us[counted] > 0 && (!rested || rest_wait ()))
			counted++;
	}
	return (long) counted;
}

static int bench_toggle (size_t rounds)
{
	double *us = calloc (rounds, sizeof *us), *calls = calloc (rounds, sizeof *calls);
	pthread_t helper;
	long counted;
	int error;

	error = us == NULL || calls == NULL ? -1 : start_helper (&helper, run_through, NULL);
	if (error != 0) {
		fprintf (stderr, "bench: no second thread, no row toggle.one\n");
		free (us);
		free (calls);
		return -1;
	}
	counted = toggle_rounds (us, calls, rounds);
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (helper, NULL);
	if (counted >= 0 && !too_few ((size_t) counted, "toggle")) {
		result_add (&calls_row, calls, NULL, (size_t) counted);
		result_add (&toggle_row, us, calls, (size_t) counted);
	}
	free (us);
	free (calls);
	return counted < 0 ? -1 : 0;
}

int bench_threads (size_t rounds)
{
	int pair, toggle;

	if (claim_cpus () != 0) {
		fprintf (stderr, "bench: there are no two processors for this process: no rows "
				 "threads and toggle\n");
		return 0;
	}
	pair = bench_pair (rounds);
	toggle = bench_toggle (rounds);
	release_cpus ();
	return pair != 0 || toggle != 0 ? -1 : 0;
}
