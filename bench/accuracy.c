/* SPDX-License-Identifier: MIT */
/*
 * accuracy.c: how right profiles by sampling are, and what a sample takes: "accuracy" prints a line
 * "ROW VALUE" for each row.
 *
 * Shares: of each hundred pieces of work each function does so many, shuffled anew each time, on
 * two threads; a row is by how many points the worst function's share of the time is off.
 */
#include "turns.h"

#include <pp.h>

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#define NOIPA __attribute__ ((noipa))

/* CPU time of each thread */
#define SHARES_S 10.0
#define ALIASING_S 10.0
#define DEEP_S 2.0
#define PERIOD_S 0.001

enum { PIECES = 100, PIECE = 1500, DEPTH = 30, SLEEPS = 25000 };

static __thread volatile unsigned long sink;

static void spin (int n)
{
	unsigned long x = sink | 1;

	for (int i = 0; i < n; i++)
		x = x * 3 * (x | 5) * (x | 9) * (x | 17);
	sink = x;
}

/* ---- shares ---------------------------------------------------------------------------------- */

#define SHARES(X)                                                                                  \
	X (share_a, 50)                                                                            \
	X (share_b, 20)                                                                            \
	X (share_c, 10)                                                                            \
	X (share_d, 6)                                                                             \
	X (share_e, 5)                                                                             \
	X (share_f, 4)                                                                             \
	X (share_g, 2)                                                                             \
	X (share_h, 1)                                                                             \
	X (share_i, 1)                                                                             \
	X (share_j, 1)

#define X(name, share)                                                                             \
	NOIPA static void name (void)                                                              \
	{                                                                                          \
		PP_INTERVAL (name)                                                                 \
		spin (PIECE);                                                                      \
	}
SHARES (X)
#undef X

static const struct share {
	const char *name;
	void (*work) (void);
	int share;
} shares[] = {
#define X(name, share) {#name, name, share},
	SHARES (X)
#undef X
};
enum { N_SHARES = sizeof shares / sizeof *shares };

static void shuffle (const struct share **deck, unsigned long *state)
{
	for (int i = PIECES - 1; i > 0; i--) {
		const struct share *one = deck[i];
		int other;

		*state = *state * 6364136223846793005UL + 1442695040888963407UL;
		other = (int) ((*state >> 33) % (unsigned long) (i + 1));
		deck[i] = deck[other];
		deck[other] = one;
	}
}

static void *do_shares (void *arg)
{
	const struct share *deck[PIECES];
	unsigned long state = arg ? 1 : 2;
	double until = cpu_s () + SHARES_S;
	int n = 0;

	for (int i = 0; i < N_SHARES; i++)
		for (int k = 0; k < shares[i].share; k++)
			deck[n++] = &shares[i];
	while (cpu_s () < until) {
		shuffle (deck, &state);
		for (int i = 0; i < PIECES; i++)
			deck[i]->work ();
	}
	return NULL;
}

/* What is on top of samples there, however it got there: s. */
static double time_in (const struct pp_profile_result *result, const char *name)
{
	size_t n = strlen (name);

	for (size_t i = 0; i < result->nodes; i++)
		if (strncmp (result->node[i].name, name, n) == 0 &&
		    (!result->node[i].name[n] || result->node[i].name[n] == '/'))
			return result->node[i].total;
	return 0;
}

static double worst_share (const struct pp_profile_result *result)
{
	double all = 0, worst = 0;

	for (int i = 0; i < N_SHARES; i++)
		all += time_in (result, shares[i].name);
	for (int i = 0; i < N_SHARES; i++)
		worst = fmax (worst, fabs (100 * time_in (result, shares[i].name) / all -
					   shares[i].share));
	return worst;
}

static struct pp_profile_options usual (enum pp_profile_by by, double delay)
{
	struct pp_profile_options options = PP_PROFILE_OPTIONS;

	options.by = by;
	options.is_cpu = 1;
	options.delay = delay;
	options.track = PP_TRACK_ALL;
	return options;
}

/* By how much shares are off; NaN: there is no profile. */
static double error_of_shares (enum pp_profile_by by, double delay)
{
	struct pp_profile_options options = usual (by, delay);
	struct pp_profile_result *result;
	pthread_t other;
	double error = (double) NAN;

	if (pp_profile_start (&options) != PP_OK)
		return error;
	pthread_create (&other, NULL, do_shares, &options);
	do_shares (NULL);
	pthread_join (other, NULL);
	pp_profile_stop ();
	if (pp_profile_snapshot (&result) == PP_OK)
		error = worst_share (result);
	pp_profile_free (result);
	return error;
}

/* ---- what keeps step with the sampler -------------------------------------------------------- */

NOIPA static void first_half (double until)
{
	PP_INTERVAL (first_half)
	while (cpu_s () < until)
		spin (300);
}

NOIPA static void second_half (double until)
{
	PP_INTERVAL (second_half)
	while (cpu_s () < until)
		spin (300);
}

static double error_of_halves (enum pp_profile_by by)
{
	struct pp_profile_options options = usual (by, PERIOD_S);
	struct pp_profile_result *result;
	double error = (double) NAN, begin, first, second;

	if (pp_profile_start (&options) != PP_OK)
		return error;
	begin = cpu_s ();
	for (int i = 0; i * PERIOD_S < ALIASING_S; i++) {
		first_half (begin + (i + 0.5) * PERIOD_S);
		second_half (begin + (i + 1) * PERIOD_S);
	}
	pp_profile_stop ();
	if (pp_profile_snapshot (&result) == PP_OK) {
		first = time_in (result, "first_half");
		second = time_in (result, "second_half");
		error = fabs (100 * first / (first + second) - 50);
	}
	pp_profile_free (result);
	return error;
}

/* ---- what a sample takes --------------------------------------------------------------------- */

NOIPA static void deep (int depth)
{
	if (depth > 1)
		deep (depth - 1);
	else
		spin (10000);
	sink++;
}

/* CPU time of the library's thread for each sample, its looks for threads included; µs. */
static double cost_of_unwinding (void)
{
	struct pp_profile_options options = usual (PP_BY_FUNCTION, PERIOD_S);
	struct pp_profile_result *result;
	double us = (double) NAN, until;

	if (pp_profile_start (&options) != PP_OK)
		return us;
	for (until = cpu_s () + DEEP_S; cpu_s () < until;)
		deep (DEPTH);
	pp_profile_stop ();
	if (pp_profile_snapshot (&result) == PP_OK && result->samples)
		us = 1e6 * result->own_time / (double) result->samples;
	pp_profile_free (result);
	return us;
}

/* ---- sleeps that end early ------------------------------------------------------------------- */

static int sleep_nanosleep (void)
{
	const struct timespec moment = {0, 1000};

	return nanosleep (&moment, NULL);
}

static int sleep_poll (void)
{
	return poll (NULL, 0, 1);
}

static int sleep_select (void)
{
	struct timeval moment = {0, 1};

	return select (0, NULL, NULL, NULL, &moment);
}

static int sleep_sem (void)
{
	static sem_t never;
	struct timespec until;

	clock_gettime (CLOCK_REALTIME, &until);
	until.tv_nsec += 1000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	return sem_timedwait (&never, &until);
}

/* Of a million sleeps while functions are sampled at 1 kHz. */
static double early_sleeps (void)
{
	static int (*const sleeps[]) (void) = {sleep_nanosleep, sleep_select, sleep_sem,
					       sleep_poll};
	struct pp_profile_options options = usual (PP_BY_FUNCTION, PERIOD_S);
	double early = 0, n = 0;

	if (pp_profile_start (&options) != PP_OK)
		return (double) NAN;
	for (size_t k = 0; k < sizeof sleeps / sizeof *sleeps; k++)
		for (int i = 0; i < (sleeps[k] == sleep_poll ? SLEEPS / 25 : SLEEPS); i++) {
			/* so that signals come */
			spin (1000);
			early += sleeps[k]() < 0 && errno == EINTR;
			n++;
		}
	pp_profile_stop ();
	return 1e6 * early / n;
}

int main (void)
{
	const struct {
		const char *row;
		double value;
	} rows[] = {
		{"sampling.worst_share_error", fmax (error_of_shares (PP_BY_FUNCTION, PERIOD_S),
						     error_of_shares (PP_BY_INTERVAL, PERIOD_S))},
		{"sampling.worst_share_error.10khz", error_of_shares (PP_BY_INTERVAL, 0.0001)},
		{"sampling.aliasing",
		 fmax (error_of_halves (PP_BY_FUNCTION), error_of_halves (PP_BY_INTERVAL))},
		{"unwind.us", cost_of_unwinding ()},
		{"eintr.per_million", early_sleeps ()},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		printf ("%s %.3f\n", rows[i].row, rows[i].value);
	return 0;
}
