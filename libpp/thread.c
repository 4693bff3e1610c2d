/* SPDX-License-Identifier: MIT */
/*
 * thread.c: the library's thread: ticks the parts and does their housekeeping. All signals are
 * blocked in it; it is called pp-library.
 */
#include "libpp/thread.h"

#include "assertions/engine/assertions.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/own_thread.h"
#include "base/part.h"
#include "base/rank.h"
#include "base/wake.h"
#include "libmetrics/region/mailbox.h"
#include "libmetrics/thread/activity.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HOUSEKEEPING_NS UINT64_C (100000000)
/*
 * A second without samples, and it sleeps; how exactly that is known; how long it sleeps at most.
 */
#define CALM_NS UINT64_C (1000000000)
#define SAMPLES_NS UINT64_C (250000000)
#define SLEEP_NS UINT64_C (1000000000)
#define STOP_SECONDS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static bool running, stopping;
static uint32_t process; /* whose thread it is: ppi_process */

static bool is_needed (void)
{
	bool need;

	ppi_lock ();
	need = ppi_parts_need_thread ();
	ppi_unlock ();
	return need;
}

/* How long it sleeps at most: to whoever only waits for mail nothing is due. */
static uint64_t patience_ns (void)
{
	bool is_hurried;

	ppi_lock ();
	is_hurried = ppi_parts_need_time ();
	ppi_unlock ();
	if (!is_hurried)
		return UINT64_MAX;
	return ppi_is_asleep () ? SLEEP_NS : HOUSEKEEPING_NS;
}

/* When samples came last, as far as the thread knows, and when it looked for some; its own. */
static struct {
	uint64_t came_ns, looked_ns;
} samples;

static void note_samples (uint64_t now_ns)
{
	samples.came_ns = samples.looked_ns = now_ns;
}

/*
 * Has it been calm for a second? Samples that bring no news wake nobody: they are seen when it
 * looks, which it does once a second in its sleep.
 */
static bool is_calm (uint64_t now_ns)
{
	/* the clock goes back in tests only */
	bool looks = now_ns - samples.looked_ns >= SAMPLES_NS;

	if (looks && ppi_samples_came ())
		note_samples (now_ns);
	else if (looks)
		samples.looked_ns = now_ns;
	return now_ns - samples.came_ns >= CALM_NS;
}

static void *run (void *arg)
{
	uint64_t now, next, most;
	bool woken = false;

	(void) arg;
	ppi_own_thread_began ();
	ppi_wake_sleeper_set (true);
	note_samples (ppi_now_ns ());
	while (!__atomic_load_n (&stopping, __ATOMIC_ACQUIRE)) {
		now = ppi_now_ns ();
		/* before it looks for news: what comes behind that wakes it */
		ppi_asleep_set (is_calm (now));
		next = ppi_assertions_tick (now);
		ppi_parts_housekeeping ();
		most = patience_ns ();
		now = ppi_now_ns ();
		most = most < UINT64_MAX - now ? now + most : UINT64_MAX;
		if (!__atomic_load_n (&stopping, __ATOMIC_ACQUIRE))
			woken = ppi_wake_wait (next < most ? next : most, ppi_mailbox_has_mail);
		/* who has news may have more */
		if (woken)
			note_samples (ppi_now_ns ());
	}
	ppi_asleep_set (false);
	ppi_wake_sleeper_set (false);
	return NULL;
}

/*
 * With the lock of this file. 0, or an errno: messages may call whatever wakes the thread, so they
 * come later.
 */
static int launch (void)
{
	int e = ppi_own_thread_start (&thread, "pp-library", run);

	running = e == 0;
	process = ppi_process ();
	return e;
}

static int forbidden = -1; /* -1: nobody has asked; atomic */

/*
 * The library's thread must not look: the program may change its environment meanwhile. Whoever
 * makes it has looked.
 */
bool ppi_thread_is_forbidden (void)
{
	int known = __atomic_load_n (&forbidden, __ATOMIC_RELAXED);
	const char *text;

	if (known < 0) {
		text = ppi_environment (PPI_ENVIRONMENT_THREADS);
		known = text && strcmp (text, "0") == 0;
		__atomic_store_n (&forbidden, known, __ATOMIC_RELAXED);
	}
	return known;
}

static void tell_what_is_disabled (void)
{
	static bool told;

	if (!told)
		ppi_message ("PP_THREADS=0: timed assertions, actions and callbacks run only in "
			     "pp_poll; the recording is written at exit");
	told = true;
}

/*
 * In a child of _Fork or clone, which no handler has told: the thread is the parent's, and so is
 * who holds the lock.
 */
static void forget_parents (void)
{
	if (process && process != ppi_process ())
		ppi_thread_forget ();
}

void ppi_thread_wake (void)
{
	static bool told; /* until there was one again: a busy program wakes it often */
	int e = 0;
	bool tell;

	if (!is_needed ())
		return;
	if (ppi_thread_is_forbidden ()) {
		if (patience_ns () != UINT64_MAX)
			tell_what_is_disabled ();
		ppi_assertions_polled_set (true);
		return;
	}
	forget_parents ();
	ppi_rank_take (PPI_RANK_THREAD);
	pthread_mutex_lock (&lock);
	/* that of a vfork's child would end with it, while its parent relies on it */
	if (!running && !stopping && !ppi_is_vfork_child ())
		e = launch ();
	tell = e && !told;
	told = e || (told && !running);
	pthread_mutex_unlock (&lock);
	ppi_rank_give (PPI_RANK_THREAD);
	ppi_wake_thread ();
	if (tell)
		ppi_message ("no thread for the library (%s): timed assertions and actions wait "
			     "for pp_poll",
			     strerror (e));
}

void ppi_thread_stop (void)
{
	struct timespec until;
	bool was;

	forget_parents ();
	ppi_rank_take (PPI_RANK_THREAD);
	pthread_mutex_lock (&lock);
	was = running;
	__atomic_store_n (&stopping, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock (&lock);
	ppi_rank_give (PPI_RANK_THREAD);
	if (was)
		ppi_wake_thread ();
	/* a program may end by exit () in a callback, on this very thread */
	if (!was || pthread_equal (thread, pthread_self ()))
		return;
		/*
		 * nor does it wait for a callback that waits for what this thread holds;
		 * ThreadSanitizer of GCC 12 knows one
		 */
#if __GLIBC_PREREQ(2, 31) && !defined __SANITIZE_THREAD__
	clock_gettime (CLOCK_MONOTONIC, &until);
	until.tv_sec += STOP_SECONDS;
	pthread_clockjoin_np (thread, NULL, CLOCK_MONOTONIC, &until);
#else
	clock_gettime (CLOCK_REALTIME, &until);
	until.tv_sec += STOP_SECONDS;
	pthread_timedjoin_np (thread, NULL, &until);
#endif
}

void ppi_thread_forget (void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	lock = fresh;
	ppi_rank_give (PPI_RANK_THREAD);
	__atomic_store_n (&forbidden, -1, __ATOMIC_RELAXED);
	process = 0;
	running = false;
	ppi_own_threads_forget ();
	ppi_asleep_set (false);
	ppi_wake_sleeper_set (false);
}
