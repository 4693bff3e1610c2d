/* SPDX-License-Identifier: MIT */
/* looks.c: see looks.h. */
#include "profiler/sampler/looks.h"

#include "base/clock.h"
#include "base/own_thread.h"
#include "libmetrics/cost/overhead.h"
#include "profiler/sampler/sampler.h"
#include "profiler/sampler/threads.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STOP_SECONDS 2
#define SLICE_NS UINT64_C (100000) /* the shortest that there is */

/* ---- the thread ------------------------------------------------------------------------------ */

/*
 * Until NS, or until the PLAN is another, or until it shall stop; true: it shall. What changes the
 * plan wakes it, so it may look once more than it would.
 */
static bool sleep_until (struct ppi_looks *looks, uint64_t ns, uint32_t plan)
{
	const struct timespec until = {(time_t) (ns / 1000000000u), (long) (ns % 1000000000u)};

	while (!__atomic_load_n (&looks->stop, __ATOMIC_ACQUIRE)) {
		if (__atomic_load_n (&looks->plan, __ATOMIC_ACQUIRE) != plan)
			return false;
		if (syscall (SYS_futex, &looks->plan, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, plan,
			     &until, NULL, FUTEX_BITSET_MATCH_ANY) == 0 ||
		    errno == EINTR || errno == EAGAIN)
			continue;
		/* where it may not sleep it must not look without a pause */
		return errno != ETIMEDOUT;
	}
	return true;
}

/*
 * A look, or the last one, and when the next is due, by which PLAN: at some time in a period that
 * is not over.
 */
static uint64_t look_and_plan (struct ppi_looks *looks, uint32_t *plan, bool is_last)
{
	uint64_t period, next;

	ppi_sampler_lock ();
	looks->look (is_last);
	*plan = __atomic_load_n (&looks->plan, __ATOMIC_ACQUIRE);
	period = (ppi_real_now_ns () - looks->begin_ns) / looks->period_ns + 1;
	next = looks->begin_ns + period * looks->period_ns + ppi_random_up_to (looks->period_ns);
	ppi_sampler_unlock ();
	return next;
}

/* The kernel's, of its first version: headers of some systems have it, by one name or another. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/*
 * Where the program has the only processor a thread that wakes up waits until what runs has used up
 * its slice, unless its own is shorter: it would look when the program has gone to sleep, and see
 * little of what runs. Linux takes a wish from 6.12 on; before, and where it may not be asked for,
 * the slice stays as it is.
 */
static void ask_for_short_slice (void)
{
	struct attributes a = {.size = sizeof a};

	if (syscall (SYS_sched_getattr, 0L, &a, (long) sizeof a, 0L) != 0 ||
	    a.policy != SCHED_OTHER)
		return;
	a.size = sizeof a;
	a.runtime = SLICE_NS;
	syscall (SYS_sched_setattr, 0L, &a, 0L);
}

void ppi_looks_run (struct ppi_looks *looks)
{
	uint32_t plan = __atomic_load_n (&looks->plan, __ATOMIC_RELAXED);
	uint64_t next = ppi_real_now_ns ();

	ppi_own_thread_began ();
	__atomic_store_n (&looks->tid, (uint32_t) gettid (), __ATOMIC_RELAXED);
	/* the kernel lets 50 µs pass otherwise */
	prctl (PR_SET_TIMERSLACK, 1L, 0L, 0L, 0L);
	ask_for_short_slice ();
	while (!sleep_until (looks, next, plan))
		next = look_and_plan (looks, &plan, false);
	look_and_plan (looks, &plan, true);
}

/* ---- its beginning and end ------------------------------------------------------------------- */

/* The thread sees that before it sleeps, or is woken. */
static void change_plan (struct ppi_looks *looks)
{
	__atomic_add_fetch (&looks->plan, 1, __ATOMIC_SEQ_CST);
	syscall (SYS_futex, &looks->plan, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

bool ppi_looks_begin (struct ppi_looks *looks, const char *name, void *(*run) (void *) )
{
	looks->own_before_ns += looks->own_ns;
	looks->own_ns = 0;
	looks->stop = 0;
	looks->runs = ppi_own_thread_start (&looks->thread, name, run) == 0;
	return looks->runs;
}

void ppi_looks_period (struct ppi_looks *looks, uint64_t period_ns)
{
	looks->period_ns = period_ns;
	looks->begin_ns = ppi_real_now_ns ();
	change_plan (looks);
}

void ppi_looks_end (struct ppi_looks *looks)
{
	struct timespec until;

	if (!looks->runs)
		return;
	__atomic_store_n (&looks->stop, 1, __ATOMIC_RELEASE);
	change_plan (looks);
	looks->runs = false;
	/* ThreadSanitizer of GCC 12 knows one of the two */
#if __GLIBC_PREREQ(2, 31) && !defined __SANITIZE_THREAD__
	clock_gettime (CLOCK_MONOTONIC, &until);
	until.tv_sec += STOP_SECONDS;
	pthread_clockjoin_np (looks->thread, NULL, CLOCK_MONOTONIC, &until);
#else
	clock_gettime (CLOCK_REALTIME, &until);
	until.tv_sec += STOP_SECONDS;
	pthread_timedjoin_np (looks->thread, NULL, &until);
#endif
	__atomic_store_n (&looks->tid, 0, __ATOMIC_RELAXED);
}

uint64_t ppi_looks_cpu_ns (struct ppi_looks *looks)
{
	uint32_t tid = __atomic_load_n (&looks->tid, __ATOMIC_RELAXED);
	uint64_t own = tid ? ppi_thread_cpu_ns (tid) : 0;

	if (own > looks->own_ns)
		looks->own_ns = own;
	return looks->own_before_ns + looks->own_ns;
}
