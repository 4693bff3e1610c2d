/* SPDX-License-Identifier: MIT */
/*
 * quiet.c: what a marker does not do, of every kind of plan: once its thread has been there, it
 * makes no system call, allocates nothing and takes no lock. Every system call of the threads that
 * measure is trapped and counted, every call of malloc and pthread_mutex_lock too.
 */
#include "check.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

double begin_x (void);
double end_x (const double *begin);

/* clang-format off */
#pragma pp metric t_stats   interval stats(elapsed)
#pragma pp metric t_sum     interval sumcount(elapsed)
#pragma pp metric t_series  interval bounded_series(elapsed, size=64)
#pragma pp metric t_last    interval scalar(elapsed)
#pragma pp metric t_some    interval stats(elapsed, every=7)
#pragma pp metric t_mine    interval stats(begin_x, end_x)
#pragma pp metric v_stats   point    stats(value)
#pragma pp metric v_series  point    bounded_series(value, size=64)
#pragma pp metric v_double  point    stats(value)
#pragma pp metric v_count   point    count(count)
#pragma pp metric t_hist    interval histogram(elapsed)
#pragma pp metric t_count   interval count(count)
#pragma pp metric v_last    point    scalar(value)
#pragma pp metric v_sum     point    sumcount(value)
#pragma pp metric v_hist    point    histogram(value)
#pragma pp metric v_some    point    stats(value, every=16)
/* clang-format on */

enum { THREADS = 3, TIMES = 100000 };

static struct shared {
	volatile long calls, allocations, locks, last_call;
	volatile double samples;
	volatile int works, done;
} * shared;

static __thread volatile long sink;
static volatile int counting;

double begin_x (void)
{
	return (double) sink;
}

double end_x (const double *begin)
{
	return (double) sink - *begin;
}

static __thread volatile int measuring;

#if !UNDER_ASAN && !UNDER_TSAN
/* The library's locks are this one; its own thread takes them as it likes. */
int pthread_mutex_lock (pthread_mutex_t *mutex)
{
	static int (*real) (pthread_mutex_t *);

	if (!real)
		real = (int (*) (pthread_mutex_t *)) (uintptr_t) dlsym (RTLD_NEXT,
									"pthread_mutex_lock");
	if (measuring)
		__atomic_fetch_add (&shared->locks, 1, __ATOMIC_RELAXED);
	return real (mutex);
}

void *__libc_malloc (size_t bytes);
void *__libc_calloc (size_t n, size_t bytes);
void *__libc_realloc (void *p, size_t bytes);

static void count_allocation (void)
{
	if (counting)
		__atomic_fetch_add (&shared->allocations, 1, __ATOMIC_RELAXED);
}

void *malloc (size_t bytes)
{
	count_allocation ();
	return __libc_malloc (bytes);
}

void *calloc (size_t n, size_t bytes)
{
	count_allocation ();
	return __libc_calloc (n, bytes);
}

void *realloc (void *p, size_t bytes)
{
	count_allocation ();
	return __libc_realloc (p, bytes);
}
#endif

NOIPA static void recurse (int n)
{
#pragma pp interval recurse(t_stats)
	if (n)
		recurse (n - 1);
	sink++;
}

NOIPA static void work (int i)
{
	{
#pragma pp interval one(t_stats)
		sink++;
	}
	{
#pragma pp interval several(t_sum, t_series, t_last, t_some, t_hist)
		sink++;
	}
	{
#pragma pp interval summed(t_sum)
		sink++;
	}
	{
#pragma pp interval last(t_last)
		sink++;
	}
	{
#pragma pp interval series(t_series)
		sink++;
	}
	{
#pragma pp interval spread(t_hist)
		sink++;
	}
	{
#pragma pp interval counted(t_count)
		sink++;
	}
	{
#pragma pp interval seldom(t_some)
		sink++;
	}
	{
#pragma pp interval mine(t_mine)
		sink++;
	}
	double half = (double) i / 2;
#pragma pp point ints(v_stats, v_series, v_count) value(i)
#pragma pp point doubles(v_double) value(half)
#pragma pp point counts(v_count)
#pragma pp point value_last(v_last) value(i)
#pragma pp point value_sum(v_sum) value(i)
#pragma pp point value_stats(v_stats) value(i)
#pragma pp point value_series(v_series) value(i)
#pragma pp point value_hist(v_hist) value(i)
#pragma pp point value_some(v_some) value(i)
	if (i % 100 == 0)
		recurse (200);
}

/* ---- trapping -------------------------------------------------------------------------------- */

static void trapped (int signal, siginfo_t *info, void *context)
{
	(void) signal;
	(void) context;
	__atomic_fetch_add (&shared->calls, 1, __ATOMIC_RELAXED);
	shared->last_call = info->si_syscall;
}

/*
 * From here on every system call of this thread is trapped, but for those with which a handler
 * returns and a thread ends.
 */
static int trap_calls (void)
{
	struct sock_filter filter[] = {
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 3, 0),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 1, 0),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof (filter) / sizeof (filter[0]), filter};

	return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static pthread_barrier_t warm, finished;

/*
 * Goes everywhere once, so that its state, its shards and its pages are there, and then where no
 * call gets through.
 */
static void *measure (void *arg)
{
	for (int i = 0; i <= 100; i++)
		work (i);
	*(int *) arg = trap_calls ();
	pthread_barrier_wait (&warm);
	measuring = 1;
	for (int i = 1; i <= TIMES; i++)
		work (i);
	measuring = 0;
	pthread_barrier_wait (&finished);
	for (;;)
		;
	return NULL;
}

static void child (void)
{
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
	pthread_t threads[THREADS];
	int works[THREADS], all = 1;

	sigaction (SIGSYS, &action, NULL);
	pthread_barrier_init (&warm, NULL, THREADS + 1);
	pthread_barrier_init (&finished, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create (&threads[i], NULL, measure, &works[i]);
	pthread_barrier_wait (&warm);
	counting = 1;
	pthread_barrier_wait (&finished);
	counting = 0;
	for (int i = 0; i < THREADS; i++)
		all &= works[i];
	shared->works = all;
	shared->samples = pp_count (v_sum);
	shared->done = 1;
	_exit (0);
}

/* The traps would see a call: otherwise this test could not fail. */
static void control (void)
{
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};

	measuring = 1;
	pp_dropped (PP_DROP_POOL);
	measuring = 0;
	sigaction (SIGSYS, &action, NULL);
	if (trap_calls ()) {
		syscall (SYS_getppid);
		syscall (SYS_gettid);
	}
	shared->done = 1;
	_exit (0);
}

static int run (void (*what) (void))
{
	int status = -1;
	pid_t pid;

	memset ((void *) shared, 0, sizeof (*shared));
	fflush (stdout);
	pid = fork ();
	if (pid == 0)
		what ();
	waitpid (pid, &status, 0);
	return shared->done && status == 0;
}

int main (void)
{
	if (UNDER_ASAN || UNDER_TSAN) {
		skipped ("markers make no system call", "the sanitizer makes some");
		return checked ();
	}
	shared = mmap (NULL, sizeof (*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	ok (run (control), "a process whose system calls are trapped runs to its end");
	if (!shared->calls) {
		skipped ("markers make no system call", "there is no seccomp here");
		return checked ();
	}
	same ((double) shared->calls, 2, "and each of its calls is seen");
	same ((double) shared->locks, 1, "and the library's lock");
	ok (run (child) && shared->works,
	    "three threads measure where every system call is trapped");
	if (!same ((double) shared->calls, 0,
		   "100,000 rounds of bound intervals and points make no system call"))
		note ("the last was number %ld", shared->last_call);
	same ((double) shared->allocations, 0, "and allocate nothing");
	same ((double) shared->locks, 0, "and take no lock");
	same (shared->samples, THREADS * (TIMES + 101), "while every one of them is measured");
	return checked ();
}
