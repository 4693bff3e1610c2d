/* SPDX-License-Identifier: MIT */
/* own_thread.c: see own_thread.h. */
#include "base/own_thread.h"

#include "pp_arch.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/*
 * A host may have made all its stacks small (ulimit -s, pthread_setattr_default_np); callbacks of
 * the program's run on this one.
 */
#define LEAST_STACK_BYTES (UINT64_C (1) << 20)
/* How long its maker, or a fork, waits for a thread that begins, and how often it looks. */
#define BEGIN_NS 50000000L
#define BEGIN_LOOK_NS 50000L

static unsigned beginning; /* threads that are made and have not begun; atomic */

static void choose_stack (pthread_attr_t *attr)
{
	size_t bytes = 0;

	if (pthread_attr_getstacksize (attr, &bytes) == 0 && bytes < LEAST_STACK_BYTES)
		pthread_attr_setstacksize (attr, LEAST_STACK_BYTES);
}

/*
 * The thread that happens to need this one first may be a real-time one. Its class is not this
 * thread's, which would then run before threads of the program that have deadlines, for work that
 * has none. So it is an ordinary thread there; else as its maker is: one that is less than ordinary
 * (SCHED_IDLE, nice) stays so.
 */
static bool is_real_time (void)
{
	int policy = sched_getscheduler (0);

	if (policy >= 0)
		policy &= ~SCHED_RESET_ON_FORK;
	return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

static void choose_class (pthread_attr_t *attr)
{
	const struct sched_param none = {0};

	pthread_attr_setinheritsched (attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy (attr, SCHED_OTHER);
	pthread_attr_setschedparam (attr, &none);
}

static int create (pthread_t *thread, void *(*run) (void *) )
{
	pthread_attr_t attr;
	int e = EPERM;

	if (pthread_attr_init (&attr) != 0)
		return ENOMEM;
	choose_stack (&attr);
	if (is_real_time ()) {
		choose_class (&attr);
		e = pthread_create (thread, &attr, run, NULL);
		pthread_attr_setinheritsched (&attr, PTHREAD_INHERIT_SCHED);
	}
	/* a sandbox may forbid to ask for a class */
	if (e == EPERM)
		e = pthread_create (thread, &attr, run, NULL);
	pthread_attr_destroy (&attr);
	return e;
}

int ppi_own_thread_start (pthread_t *thread, const char *name, void *(*run) (void *) )
{
	sigset_t all, before;
	int e;

	__atomic_fetch_add (&beginning, 1, __ATOMIC_RELAXED);
	sigfillset (&all);
	pthread_sigmask (SIG_BLOCK, &all, &before);
	e = create (thread, run);
	pthread_sigmask (SIG_SETMASK, &before, NULL);
	if (e) {
		__atomic_fetch_sub (&beginning, 1, __ATOMIC_RELAXED);
		return e;
	}
	pthread_setname_np (*thread, name);
	/* no handler of _Fork or clone could wait for it */
	ppi_own_threads_settle ();
	return 0;
}

void ppi_own_thread_began (void)
{
	__atomic_fetch_sub (&beginning, 1, __ATOMIC_RELEASE);
	/* not that of the thread which happened to need this one first */
	pp_arch_fp_default ();
}

void ppi_own_threads_settle (void)
{
	const struct timespec look = {0, BEGIN_LOOK_NS};

	for (long waited = 0; waited < BEGIN_NS && __atomic_load_n (&beginning, __ATOMIC_ACQUIRE);
	     waited += BEGIN_LOOK_NS)
		nanosleep (&look, NULL);
}

void ppi_own_threads_forget (void)
{
	__atomic_store_n (&beginning, 0, __ATOMIC_RELAXED);
}
