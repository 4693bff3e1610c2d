/* SPDX-License-Identifier: MIT */
/*
 * deadlock.c: two threads that wait for each other inside an interval: no marker runs any more, and
 * yet the timed assertion over what is open fires. It clears when they are let go.
 */
#include "check.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static sem_t fired, cleared;
static double age, limit, in_flight;
static int give_up; /* atomic */
static char which[64];

/*
 * Takes one mutex and then the other, each thread in its own order. The second until the program is
 * to end.
 */
NOIPA static void request (pthread_mutex_t *mine, pthread_mutex_t *other, int meet)
{
#pragma pp interval request
	struct timespec until;
	int locked;

	pthread_mutex_lock (mine);
	if (meet)
		pthread_barrier_wait (&both);
	do {
		clock_gettime (CLOCK_REALTIME, &until);
		until.tv_sec++;
		locked = pthread_mutex_timedlock (other, &until) == 0;
	} while (!locked && !__atomic_load_n (&give_up, __ATOMIC_ACQUIRE));
	if (locked)
		pthread_mutex_unlock (other);
	pthread_mutex_unlock (mine);
}

static void *first (void *arg)
{
	(void) arg;
	request (&left, &right, 1);
	return NULL;
}

static void *second (void *arg)
{
	(void) arg;
	request (&right, &left, 1);
	return NULL;
}

/* Keeps the others waiting for less than the limit, but for several checks. */
static void *holder (void *arg)
{
	struct timespec pause = {0, 300000000};

	(void) arg;
	pthread_mutex_lock (&right);
	pthread_barrier_wait (&both);
	nanosleep (&pause, NULL);
	pthread_mutex_unlock (&right);
	return NULL;
}

static void notice (const struct pp_violation *v, void *arg)
{
	(void) arg;
	if (v->clears) {
		sem_post (&cleared);
		return;
	}
	age = v->left;
	limit = v->right;
	snprintf (which, sizeof (which), "%s", v->assertion);
	sem_post (&fired);
}

static void notice_many (const struct pp_violation *v, void *arg)
{
	(void) arg;
	if (!v->clears)
		in_flight = v->left;
}

static int wait_for (sem_t *semaphore, int seconds)
{
	struct timespec until;

	clock_gettime (CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	while (sem_timedwait (semaphore, &until) < 0)
		if (errno != EINTR)
			return 0;
	return 1;
}

int main (void)
{
	pthread_t threads[2];
	struct pp_assertion_info info;
	int r;

	sem_init (&fired, 0, 0);
	sem_init (&cleared, 0, 0);
	pthread_barrier_init (&both, NULL, 2);
	pp_on_assertion ("stuck", notice, NULL);
	pp_on_assertion ("crowd", notice_many, NULL);
	/* an interval is open only where something is bound: the policy's metric is */
	r = load_policy ("version: 1\n"
			 "metrics:\n"
			 "  request_time: {interval: elapsed, keep: stats}\n"
			 "bind:\n"
			 "  - {metric: request_time, sites: [\"request/request\"]}\n"
			 "assertions:\n"
			 "  stuck:\n"
			 "    every: 100ms\n"
			 "    expect: request/request.open_age <= 2s\n"
			 "  crowd:\n"
			 "    every: 100ms\n"
			 "    expect: request/request.in_flight < 2\n");
	same (r, PP_OK, "a policy over what is open is loaded");
	request (&left, &right, 0);
	ok (pp_assertion_state ("stuck", &info) == PP_OK && info.fired == 0,
	    "what ends in time fires nothing");
	pthread_create (&threads[0], NULL, first, NULL);
	pthread_create (&threads[1], NULL, second, NULL);
	ok (wait_for (&fired, 60), "threads that wait for each other make it fire");
	ok (strcmp (which, "stuck") == 0 && age > 2 && limit == 2,
	    "the callback hears how long the oldest is open, and the limit");
	same (in_flight, 2, "and how many are open");
	ok (pp_assertion_state ("stuck", &info) == PP_OK && info.state == PP_STATE_FIRING,
	    "its state is firing");
	__atomic_store_n (&give_up, 1, __ATOMIC_RELEASE);
	pthread_join (threads[0], NULL);
	pthread_join (threads[1], NULL);
	__atomic_store_n (&give_up, 0, __ATOMIC_RELEASE);
	ok (wait_for (&cleared, 60),
	    "when what was stuck has ended it clears, though nothing is open");
	pthread_create (&threads[0], NULL, holder, NULL);
	pthread_barrier_wait (&both);
	request (&left, &right, 0);
	pthread_join (threads[0], NULL);
	ok (pp_assertion_state ("stuck", &info) == PP_OK && info.fired == 1, "it fired once");
	return checked ();
}
