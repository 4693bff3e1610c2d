/* SPDX-License-Identifier: MIT */
/*
 * toggle_100k.c: the 100,000 intervals of sites.S, all of which are bound and unbound at once,
 * ROUNDS times, while another thread runs through every one of them, on another processor. Prints
 * what the first bind took, in ms, and then of each round the bind and the unbind. With "memory" it
 * prints what markers and threads take, in bytes.
 */
#include <pp.h>

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

PP_REGISTER_ (toggle)

/* sites.S */
extern const char bench_functions[];
enum { FUNCTION_BYTES = 19, SITES = 100000 };

static int stop;
static unsigned long rounds_through;

static void on_processor (int which)
{
	cpu_set_t all, one;
	int found = 0;

	if (sched_getaffinity (0, sizeof all, &all) != 0)
		return;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET (cpu, &all) && found++ == which) {
			CPU_ZERO (&one);
			CPU_SET (cpu, &one);
			sched_setaffinity (0, sizeof one, &one);
		}
}

/* Whole programs are not executed at once: a hundred sites at a time, many times, then the next. */
static void *run_through (void *arg)
{
	(void) arg;
	on_processor (1);
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED))
		for (size_t from = 0; from < SITES && !__atomic_load_n (&stop, __ATOMIC_RELAXED);
		     from += 100)
			for (int times = 0; times < 100; times++) {
				for (size_t i = from; i < from + 100; i++)
					((void (*) (void)) (uintptr_t) (bench_functions +
									i * FUNCTION_BYTES)) ();
				__atomic_store_n (&rounds_through, rounds_through + 1,
						  __ATOMIC_RELAXED);
			}
	return NULL;
}

static double wall_ms (void)
{
	struct timespec now;

	clock_gettime (CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

/* ms of FN, or the end of the program: a batch that did not do all is no figure. */
static double timed_ms (pp_metric *m, int bind)
{
	unsigned long before = __atomic_load_n (&rounds_through, __ATOMIC_RELAXED);
	double begin_ms = wall_ms ();
	int n = bind ? pp_bind (m, "**", 0) : pp_unbind (m, "**");
	double ms = wall_ms () - begin_ms;

	if (n != SITES) {
		fprintf (stderr, "toggle_100k: %s says %d\n", bind ? "bind" : "unbind", n);
		exit (1);
	}
	/* nobody ran through them meanwhile: no figure */
	return __atomic_load_n (&rounds_through, __ATOMIC_RELAXED) != before ? ms : -1;
}

static int toggle (int rounds)
{
	pthread_t helper;
	pp_metric *m = NULL;
	double first_ms;

	if (pp_metric_new (&m, "m", "interval stats(elapsed)") != PP_OK ||
	    pthread_create (&helper, NULL, run_through, NULL) != 0)
		return 1;
	on_processor (0);
	while (!__atomic_load_n (&rounds_through, __ATOMIC_RELAXED))
		sched_yield ();
	first_ms = timed_ms (m, 1);
	timed_ms (m, 0);
	printf ("%f\n", first_ms);
	for (int i = 0; i < rounds; i++) {
		double bind_ms = timed_ms (m, 1), unbind_ms = timed_ms (m, 0);

		if (bind_ms >= 0 && unbind_ms >= 0)
			printf ("%f %f\n", bind_ms, unbind_ms);
	}
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (helper, NULL);
	return 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

enum { MARKERS = 2 * SITES, THREADS = 200, SHARD_BYTES = 128 };

/* Resident bytes, of the files whose path contains FILE, or with NULL of everything. */
static double resident_bytes (const char *file)
{
	FILE *maps = fopen ("/proc/self/smaps", "r");
	double kib, sum = 0;
	char line[512];
	int counts = 0;

	while (maps != NULL && fgets (line, sizeof line, maps) != NULL)
		if (sscanf (line, "Rss: %lf kB", &kib) == 1)
			sum += counts ? kib * 1024 : 0;
		else if (strchr (line, '-') != NULL && strchr (line, ':') > strchr (line, ' '))
			/* the first line of a mapping */
			counts = file == NULL || strstr (line, file) != NULL;
	if (maps != NULL)
		fclose (maps);
	return sum;
}

static pthread_barrier_t here, there;

__attribute__ ((noinline)) static void touch_stack (void)
{
	volatile char deep[65536];

	for (size_t i = 0; i < sizeof deep; i += 1024)
		deep[i] = 0;
}

/*
 * Its stack is resident before, as deep as a thread's first marker goes: that is used again by
 * whatever comes next.
 */
static void *be_measured (void *arg)
{
	void (*function) (void) = (void (*) (void)) (uintptr_t) bench_functions;

	(void) arg;
	touch_stack ();
	function ();
	pthread_barrier_wait (&here);
	pthread_barrier_wait (&there);
	function ();
	pthread_barrier_wait (&here);
	pthread_barrier_wait (&there);
	return NULL;
}

/* What a thread that has run through one bound interval takes, without its shard. */
static double thread_bytes (pp_metric *m)
{
	pthread_t threads[THREADS];
	double before, after;

	pthread_barrier_init (&here, NULL, THREADS + 1);
	pthread_barrier_init (&there, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create (&threads[i], NULL, be_measured, NULL) != 0)
			exit (1);
	pthread_barrier_wait (&here);
	/*
	 * what the library makes once, for whoever looks for sites more often than seldom, is no
	 * thread's
	 */
	for (int i = 0; i < 16; i++)
		if (pp_bind (m, "f00000/i", 0) != 1 || pp_unbind (m, "f00000/i") != 1)
			exit (1);
	before = resident_bytes (NULL);
	if (pp_bind (m, "f00000/i", 0) != 1)
		exit (1);
	pthread_barrier_wait (&there);
	pthread_barrier_wait (&here);
	after = resident_bytes (NULL);
	if (pp_count (m) != THREADS)
		exit (1);
	pthread_barrier_wait (&there);
	for (int i = 0; i < THREADS; i++)
		pthread_join (threads[i], NULL);
	return (after - before) / THREADS - SHARD_BYTES;
}

/*
 * Of a marker: while nothing is bound anywhere; once one site is, and the library knows them all;
 * all bound. Of a thread, its shard apart.
 */
static int memory (void)
{
	double file, before, known, bound, thread;
	pp_metric *m = NULL, *other = NULL;

	if (pp_metric_new (&m, "m", "interval stats(elapsed)") != PP_OK ||
	    pp_metric_new (&other, "other", "interval stats(elapsed)") != PP_OK)
		return 1;
	file = resident_bytes ("toggle_100k");
	before = resident_bytes (NULL);
	if (pp_bind (m, "f12345/i", 0) != 1)
		return 1;
	known = resident_bytes (NULL) - before;
	pp_unbind (m, "f12345/i");
	thread = thread_bytes (other);
	before = resident_bytes (NULL);
	if (pp_bind (m, "**", 0) != SITES)
		return 1;
	bound = resident_bytes (NULL) - before;
	printf ("%f %f %f %f\n", file / MARKERS, (file + known) / MARKERS,
		(file + known + bound) / MARKERS, thread);
	return 0;
}

int main (int argc, char **argv)
{
	if (argc > 1 && strcmp (argv[1], "memory") == 0)
		return memory ();
	return toggle (argc > 1 ? atoi (argv[1]) : 5);
}
