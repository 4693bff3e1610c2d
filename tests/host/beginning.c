/* SPDX-License-Identifier: MIT */
/*
 * beginning.c: a fork while a thread of the library's begins. What each new thread does first may
 * hold a lock, as AddressSanitizer's allocator does; nobody frees it in the child of a fork.
 */
#include "tests/system/check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>

/* clang-format off */
#pragma pp metric counted interval count(elapsed)
/* clang-format on */

static volatile long sink;

NOIPA static void work (void)
{
#pragma pp interval work
	sink++;
}

/* ---- threads that hold ALLOCATOR for 10 ms before they begin --------------------------------- */

static pthread_mutex_t allocator = PTHREAD_MUTEX_INITIALIZER;
static struct begin {
	void *(*run) (void *);
	void *arg;
} begins[8];
static int n_begins, threads;
static bool fails;

static void *begin (void *arg)
{
	const struct begin *begin = arg;

	pthread_mutex_lock (&allocator);
	__atomic_fetch_add (&threads, 1, __ATOMIC_RELEASE);
	usleep (10000);
	pthread_mutex_unlock (&allocator);
	return begin->run (begin->arg);
}

int pthread_create (pthread_t *thread, const pthread_attr_t *attr, void *(*run) (void *), void *arg)
{
	static int (*create) (pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);
	int i = __atomic_fetch_add (&n_begins, 1, __ATOMIC_RELAXED) % 8;

	if (!create)
		*(void **) &create = dlsym (RTLD_NEXT, "pthread_create");
	if (fails)
		return EAGAIN;
	begins[i] = (struct begin){run, arg};
	return create (thread, attr, begin, &begins[i]);
}

/* Forks; whether the child gets what threads hold: one of its own may, for a moment. */
static bool child_is_free (void)
{
	struct timespec until;
	int status = -1;
	pid_t pid;

	clock_gettime (CLOCK_REALTIME, &until);
	until.tv_sec += 5;
	pid = fork ();
	if (pid == 0)
		_exit (pthread_mutex_timedlock (&allocator, &until) != 0);
	return pid > 0 && waitpid (pid, &status, 0) == pid && status == 0;
}

static void test_begins (void)
{
	if (!ok (pp_bind (counted, "work/work", 0) > 0,
		 "what is bound makes the library need its thread"))
		return;
	work ();
	for (int i = 0; i < 100000 && !__atomic_load_n (&threads, __ATOMIC_ACQUIRE); i++)
		usleep (100);
	ok (child_is_free (), "a fork waits until it has begun");
	ok (child_is_free (), "and for nothing then");
}

/* A thread that could not be made never begins. */
static void test_none (void)
{
	int status = -1;
	pid_t pid;

	fails = true;
	pid = fork ();
	if (pid == 0)
		_exit (!child_is_free ());
	ok (pid > 0 && waitpid (pid, &status, 0) == pid && status == 0,
	    "where none can be made a fork goes on");
}

int main (void)
{
	if (UNDER_TSAN) {
		skipped ("a fork waits until the library's thread has begun",
			 "ThreadSanitizer ends a child that starts a thread");
		return checked ();
	}
	test_begins ();
	test_none ();
	return checked ();
}
