/* SPDX-License-Identifier: MIT */
/*
 * toggle.c: is linked with a program and binds and unbinds random metrics at random sites while it
 * runs: some before main, the rest in a thread. A timer stops the program now and then wherever it
 * is, so that its code changes under it. At exit it says in the file TOGGLE_SAYS how often it bound
 * and how many samples there are.
 */
#include <pp.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static const struct {
	const char *name, *declaration;
} declarations[] = {
	{"toggle_time", "interval sumcount(elapsed)"},
	{"toggle_stats", "interval stats(elapsed)"},
	{"toggle_runs", "interval count(count)"},
	{"toggle_last", "interval bounded_series(elapsed, size=8)"},
	{"toggle_hits", "point count(count)"},
	{"toggle_values", "point stats(value)"},
	{"toggle_sum", "point sumcount(value)"},
};
enum { METRICS = sizeof declarations / sizeof declarations[0], INTERVALS = 4, SITES = 20000 };

static pp_metric *metrics[METRICS];
static char *sites[SITES];
static int site_count;
static long bound, unbound;
static int stop, toggled_some;
static pthread_t thread;
static unsigned seed = 1;

static int note_site (pp_site *site, void *arg)
{
	(void) arg;
	if (site_count < SITES)
		sites[site_count++] = strdup (pp_site_name (site));
	return site_count == SITES;
}

/*
 * A metric that fits SITE: names of intervals begin with i, of points with p, and with v where they
 * have a value.
 */
static pp_metric *choose (const char *site)
{
	unsigned r = (unsigned) rand_r (&seed);
	switch (strrchr (site, '/')[1]) {
	case 'i':
		return metrics[r % INTERVALS];
	case 'v':
		return metrics[INTERVALS + r % (METRICS - INTERVALS)];
	default:
		return metrics[INTERVALS];
	}
}

static void toggle (void)
{
	const char *site = sites[(unsigned) rand_r (&seed) % (unsigned) site_count];
	pp_metric *metric = choose (site);

	if ((unsigned) rand_r (&seed) % 2) {
		if (pp_bind (metric, site, (unsigned) rand_r (&seed) % 3) > 0)
			bound++;
	} else if (pp_unbind (metric, site) > 0)
		unbound++;
}

static void *work (void *arg)
{
	(void) arg;
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		toggle ();
		__atomic_store_n (&toggled_some, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void pause_a_little (int number)
{
	struct timespec time = {0, 150000};

	(void) number;
	nanosleep (&time, NULL);
}

static void start (void)
{
	struct itimerval timer = {{0, 400}, {0, 400}};
	struct sigaction action = {.sa_handler = pause_a_little, .sa_flags = SA_RESTART};
	sigset_t alarm;

	if (getenv ("TOGGLE_SEED"))
		seed = (unsigned) atoi (getenv ("TOGGLE_SEED"));
	for (int i = 0; i < METRICS; i++)
		if (pp_metric_new (&metrics[i], declarations[i].name,
				   declarations[i].declaration) != 0)
			abort ();
	pp_site_each (NULL, note_site, NULL);
	if (site_count == 0)
		return;
	for (int i = 0; i < site_count; i++)
		toggle ();
	sigemptyset (&alarm);
	sigaddset (&alarm, SIGALRM);
	pthread_sigmask (SIG_BLOCK, &alarm, NULL);
	if (pthread_create (&thread, NULL, work, NULL) != 0)
		abort ();
	pthread_sigmask (SIG_UNBLOCK, &alarm, NULL);
	while (!__atomic_load_n (&toggled_some, __ATOMIC_ACQUIRE))
		;
	sigaction (SIGALRM, &action, NULL);
	setitimer (ITIMER_REAL, &timer, NULL);
}

static void finish (void)
{
	static const struct itimerval never;
	const char *name = getenv ("TOGGLE_SAYS");
	double samples = 0;
	FILE *file;

	setitimer (ITIMER_REAL, &never, NULL);
	if (site_count) {
		__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
		pthread_join (thread, NULL);
	}
	for (int i = 0; i < METRICS; i++)
		if (pp_stat (metrics[i], NULL, PP_STAT_N) > 0)
			samples += pp_stat (metrics[i], NULL, PP_STAT_N);
	file = name ? fopen (name, "w") : NULL;
	if (file) {
		fprintf (file, "%d %ld %ld %.0f\n", site_count, bound, unbound, samples);
		fclose (file);
	}
}

int __real_main (int argc, char **argv);
int __wrap_main (int argc, char **argv);

/* -Wl,--wrap=main: behind the constructors of libpp and of the program's tables */
int __wrap_main (int argc, char **argv)
{
	int result;

	start ();
	result = __real_main (argc, argv);
	fflush (stdout);
	finish ();
	return result;
}
