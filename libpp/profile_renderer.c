/* SPDX-License-Identifier: MIT */
/*
 * profile_renderer.c: the thread that shows the program's own profile while it is taken,
 * pp-profile: it calls a renderer of the program's, time and again. It is not the library's thread,
 * for samples are fetched by that one meanwhile.
 */
#include "libpp/profile.h"

#include "base/clock.h"
#include "base/own_thread.h"
#include "profiler/sampler/tracked.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STOP_SECONDS = 2 };

static struct renderer {
	pthread_t thread;
	bool is_there; /* of who starts and stops the profile */
	uint32_t tid;  /* atomic */
	uint32_t stop; /* atomic; the thread sleeps on it */
	uint64_t every_ns;
	enum pp_profile_order order;
	pp_profile_renderer render;
	void *arg;
} renderer;

/* Until NS, or until it shall stop; true: it shall. */
static bool sleep_until (uint64_t ns)
{
	const struct timespec until = {(time_t) (ns / 1000000000u), (long) (ns % 1000000000u)};

	while (!__atomic_load_n (&renderer.stop, __ATOMIC_ACQUIRE)) {
		if (ppi_real_now_ns () >= ns)
			return false;
		syscall (SYS_futex, &renderer.stop, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0,
			 &until, NULL, FUTEX_BITSET_MATCH_ANY);
	}
	return true;
}

static void show (void)
{
	struct pp_profile_result *result = NULL;

	/* nothing has begun, or it can't be shown, which is said */
	if (pp_profile_snapshot (&result) == PP_OK)
		renderer.render (result, renderer.order, renderer.arg);
	pp_profile_free (result);
}

static void *run (void *arg)
{
	uint64_t next = ppi_real_now_ns () + renderer.every_ns, now;
	uint32_t tid = (uint32_t) gettid ();

	(void) arg;
	ppi_own_thread_began ();
	ppi_renderer_tid_set (tid);
	__atomic_store_n (&renderer.tid, tid, __ATOMIC_RELEASE);
	syscall (SYS_futex, &renderer.tid, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX);
	while (!sleep_until (next)) {
		show ();
		/* one that takes longer than that is called less often */
		now = ppi_real_now_ns ();
		next += renderer.every_ns;
		next = next > now ? next : now + renderer.every_ns;
	}
	return NULL;
}

int ppi_renderer_start (const struct pp_profile_options *options)
{
	int error;

	if (options->periodic <= 0)
		return 0;
	renderer = (struct renderer){.every_ns = (uint64_t) (1e9 * options->periodic),
				     .order = options->order,
				     .render = options->periodic_render,
				     .arg = options->periodic_arg};
	error = ppi_own_thread_start (&renderer.thread, "pp-profile", run);
	if (error)
		return error;
	renderer.is_there = true;
	/* until it is known who it is, so that it is not sampled */
	while (!__atomic_load_n (&renderer.tid, __ATOMIC_ACQUIRE))
		syscall (SYS_futex, &renderer.tid, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, NULL, NULL,
			 0);
	return 0;
}

/* ThreadSanitizer of GCC 12 knows one of the two. */
static void join_for_a_while (void)
{
	struct timespec until;

#if __GLIBC_PREREQ(2, 31) && !defined __SANITIZE_THREAD__
	clock_gettime (CLOCK_MONOTONIC, &until);
	until.tv_sec += STOP_SECONDS;
	pthread_clockjoin_np (renderer.thread, NULL, CLOCK_MONOTONIC, &until);
#else
	clock_gettime (CLOCK_REALTIME, &until);
	until.tv_sec += STOP_SECONDS;
	pthread_timedjoin_np (renderer.thread, NULL, &until);
#endif
}

void ppi_renderer_stop (bool is_patient)
{
	if (!renderer.is_there)
		return;
	renderer.is_there = false;
	__atomic_store_n (&renderer.stop, 1, __ATOMIC_RELEASE);
	syscall (SYS_futex, &renderer.stop, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
	/* a renderer of the program's may end it */
	if (ppi_is_renderer ())
		return;
	if (is_patient)
		pthread_join (renderer.thread, NULL);
	else
		join_for_a_while ();
	ppi_renderer_tid_set (0);
	__atomic_store_n (&renderer.tid, 0, __ATOMIC_RELEASE);
}

bool ppi_is_renderer (void)
{
	uint32_t tid = __atomic_load_n (&renderer.tid, __ATOMIC_ACQUIRE);

	return tid && tid == (uint32_t) gettid ();
}

void ppi_renderer_forget (void)
{
	memset (&renderer, 0, sizeof renderer);
}
