/* SPDX-License-Identifier: MIT */
/*
 * thread.c: the library's thread: ticks the parts and does their housekeeping. All signals are blocked in it; it is called pp-library.
 */
#include "libpp/thread.h"

#include "assertions/engine/assertions.h"
#include "libmetrics/environment.h"
#include "libmetrics/fp.h"
#include "libmetrics/lifecycle.h"
#include "libmetrics/part.h"
#include "libmetrics/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HOUSEKEEPING_NS UINT64_C (100000000)
#define STOP_SECONDS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static pthread_t thread;
static bool running, stopping, woken;
static uint32_t process; /* whose thread it is: ppi_process */

static bool is_needed (void)
{
	bool need;

	ppi_lock ();
	need = ppi_parts_need_thread ();
	ppi_unlock ();
	return need;
}

static void wait_until (uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t) (ns / 1000000000u), .tv_nsec = (long) (ns % 1000000000u)};

	pthread_mutex_lock (&lock);
	while (!woken && !stopping && pthread_cond_timedwait (&wake, &lock, &t) != ETIMEDOUT)
		;
	woken = false;
	pthread_mutex_unlock (&lock);
}

static void *run (void *arg)
{
	uint64_t now, next;

	(void) arg;
	/* not that of the thread which happened to need this one first */
	pp_arch_fp_default ();
	while (!__atomic_load_n (&stopping, __ATOMIC_ACQUIRE)) {
		next = ppi_assertions_tick (ppi_now_ns ());
		ppi_parts_housekeeping ();
		now = ppi_now_ns ();
		wait_until (next < now + HOUSEKEEPING_NS ? next : now + HOUSEKEEPING_NS);
	}
	return NULL;
}

/*
 * The thread that happens to need this one first may be a real-time one. Its class is not this thread's, which would then run before threads of the program that
 * have deadlines, for work that has none. So it is an ordinary thread there; else as its maker is: one that is less than ordinary (SCHED_IDLE, nice) stays so.
 */
static bool is_real_time (void)
{
	int policy = sched_getscheduler (0);

	if (policy >= 0)
		policy &= ~SCHED_RESET_ON_FORK;
	return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

/*
 * A host may have made all its stacks small (ulimit -s, pthread_setattr_default_np); callbacks of the program's run on
 * this one.
 */
#define LEAST_STACK_BYTES (UINT64_C (1) << 20)

static void choose_stack (pthread_attr_t *attr)
{
	size_t bytes = 0;

	if (pthread_attr_getstacksize (attr, &bytes) == 0 && bytes < LEAST_STACK_BYTES)
		pthread_attr_setstacksize (attr, LEAST_STACK_BYTES);
}

static void choose_class (pthread_attr_t *attr)
{
	const struct sched_param none = {0};

	pthread_attr_setinheritsched (attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy (attr, SCHED_OTHER);
	pthread_attr_setschedparam (attr, &none);
}

static int create (void)
{
	pthread_attr_t attr;
	int e = EPERM;

	if (pthread_attr_init (&attr) != 0)
		return ENOMEM;
	choose_stack (&attr);
	if (is_real_time ()) {
		choose_class (&attr);
		e = pthread_create (&thread, &attr, run, NULL);
		pthread_attr_setinheritsched (&attr, PTHREAD_INHERIT_SCHED);
	}
	/* a sandbox may forbid to ask for a class */
	if (e == EPERM)
		e = pthread_create (&thread, &attr, run, NULL);
	pthread_attr_destroy (&attr);
	return e;
}

/* With the lock of this file. 0, or an errno: messages may call whatever wakes the thread, so they come later. */
static int launch (void)
{
	sigset_t all, before;
	pthread_condattr_t attr;
	int e;

	pthread_condattr_init (&attr);
	pthread_condattr_setclock (&attr, CLOCK_MONOTONIC);
	pthread_cond_init (&wake, &attr);
	pthread_condattr_destroy (&attr);
	sigfillset (&all);
	pthread_sigmask (SIG_BLOCK, &all, &before);
	e = create ();
	pthread_sigmask (SIG_SETMASK, &before, NULL);
	running = e == 0;
	process = ppi_process ();
	if (running)
		pthread_setname_np (thread, "pp-library");
	return e;
}

static bool is_forbidden (void)
{
	const char *text = ppi_environment (PPI_ENVIRONMENT_THREADS);

	return text && strcmp (text, "0") == 0;
}

static void tell_what_is_disabled (void)
{
	static bool told;

	if (!told)
		ppi_message ("PP_THREADS=0: timed assertions, actions and callbacks run only in pp_poll; the recording "
			     "is written at exit");
	told = true;
}

/* In a child of _Fork or clone, which no handler has told: the thread is the parent's, and so is who holds the lock. */
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
	if (is_forbidden ()) {
		tell_what_is_disabled ();
		ppi_assertions_polled_set (true);
		return;
	}
	forget_parents ();
	pthread_mutex_lock (&lock);
	/* that of a vfork's child would end with it, while its parent relies on it */
	if (!running && !stopping && !ppi_is_vfork_child ())
		e = launch ();
	woken = true;
	if (running)
		pthread_cond_signal (&wake);
	tell = e && !told;
	told = e || (told && !running);
	pthread_mutex_unlock (&lock);
	if (tell)
		ppi_message ("no thread for the library (%s): timed assertions and actions wait for pp_poll",
			     strerror (e));
}

void ppi_thread_stop (void)
{
	struct timespec until;
	bool was;

	forget_parents ();
	pthread_mutex_lock (&lock);
	was = running;
	__atomic_store_n (&stopping, true, __ATOMIC_RELEASE);
	if (was)
		pthread_cond_signal (&wake);
	pthread_mutex_unlock (&lock);
	/* a program may end by exit () in a callback, on this very thread */
	if (!was || pthread_equal (thread, pthread_self ()))
		return;
		/* nor does it wait for a callback that waits for what this thread holds; ThreadSanitizer of GCC 12 knows one */
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
	process = 0;
	running = false;
	woken = false;
}
