/* SPDX-License-Identifier: MIT */
/*
 * ended.c: windows of threads that have ended become one, which has the newest samples, whichever
 * of the threads was noticed to have ended first.
 */
#include "check.h"

#include <pthread.h>

/* clang-format off */
#pragma pp metric ints    point bounded_series(value, size=16)
#pragma pp metric doubles point bounded_series(value, size=16)
/* clang-format on */

static pthread_barrier_t turn;

NOIPA static void sampled (int x)
{
#pragma pp point whole(ints) value(x)
#pragma pp point real(doubles) value((double) x)
	__asm__ volatile("");
}

/*
 * The first one's samples are 0 to 9, then the second one's 100 to 109; both live until both are
 * done.
 */
static void *in_turn (void *arg)
{
	const int *mine = arg;

	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 10 && i == *mine; k++)
			sampled (100 * i + k);
		pthread_barrier_wait (&turn);
	}
	return NULL;
}

static void *nothing (void *arg)
{
	sampled (*(int *) arg);
	return NULL;
}

static void end_in_turn (int first, int second)
{
	int which[2] = {first, second};
	pthread_t threads[2];

	pp_reset (NULL);
	for (int i = 0; i < 2; i++)
		pthread_create (&threads[i], NULL, in_turn, &which[i]);
	for (int i = 0; i < 2; i++)
		pthread_join (threads[i], NULL);
	/* the library's thread looks now and then for threads that have ended */
	for (int i = 0; i < 10000 && pp_count (ints) > 16; i++)
		usleep (1000);
}

int main (void)
{
	pthread_t thread;
	int x = 7;

	/* starts the library's thread */
	pp_policy_load_text ("tick",
			     "version: 1\nassertions: {tick: {every: 10ms, expect: 1 < 2}}\n");
	pthread_barrier_init (&turn, NULL, 2);
	for (int i = 0; i < 2; i++) {
		end_in_turn (i, !i);
		same (pp_count (ints), 16, "windows of threads that have ended become one");
		same (pp_sum (ints), 1045 + 39, "of the newest samples");
		same (pp_count (doubles), 16, "also of doubles");
		near (pp_sum (doubles), 1045 + 39, 1e-12, "of the newest");
		same (pp_min (ints), 4, "from the oldest that there was room for");
		same (pp_last (ints), 109, "to the newest of all");
		same (pp_total (ints), 45 + 1045, "the total is of all");
	}
	pthread_create (&thread, NULL, nothing, &x);
	pthread_join (thread, NULL);
	for (int i = 0; i < 10000 && pp_count (ints) > 16; i++)
		usleep (1000);
	same (pp_sum (ints), 1045 + 39 - 4 + 7, "a newer one takes the place of the oldest");
	near (pp_sum (doubles), 1045 + 39 - 4 + 7, 1e-12, "also of doubles");
	return checked ();
}
