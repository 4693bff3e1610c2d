/* SPDX-License-Identifier: MIT */
/*
 * host.c WHAT: a program that does with signals what it likes while it is sampled. Ends with 0
 * where nothing of that was disturbed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static volatile sig_atomic_t caught;
static jmp_buf back;

static void work_ms (long ms)
{
	struct timespec t;
	long end;

	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	end = t.tv_sec * 1000 + t.tv_nsec / 1000000 + ms;
	do {
		for (int i = 0; i < 20000; i++)
			sink += (unsigned long) i;
		clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < end);
}

static void note (int number)
{
	(void) number;
	caught++;
}

static void jump (int number)
{
	(void) number;
	longjmp (back, 1);
}

/*
 * A handler that the program installs stays, and soon is called for the program's own signals only.
 */
static int handler (void)
{
	struct sigaction now;

	work_ms (200);
	signal (SIGURG, note);
	work_ms (200);
	caught = 0;
	work_ms (200);
	raise (SIGURG);
	sigaction (SIGURG, NULL, &now);
	return now.sa_handler == note && caught == 1 ? 0 : 1;
}

/* What the program was started with ignored is ignored. */
static int ignored (void)
{
	struct sigaction now;

	work_ms (200);
	sigaction (SIGURG, NULL, &now);
	return now.sa_handler == SIG_IGN ? 0 : 1;
}

static int blocked (void)
{
	sigset_t all;

	sigfillset (&all);
	pthread_sigmask (SIG_BLOCK, &all, NULL);
	work_ms (700);
	return 0;
}

/* Sleeps are as long as they were asked for: a thread that sleeps uses no CPU time. */
static int sleeps (void)
{
	struct timespec t = {0, 5000000}, rest;
	int short_ones = 0;

	for (int i = 0; i < 100; i++) {
		short_ones += nanosleep (&t, &rest) < 0 && errno == EINTR;
		work_ms (3);
	}
	printf ("%d\n", short_ones);
	return 0;
}

/* Sleeps for some nine tenths of the time: 0, where none is cut short. */
static int naps (void)
{
	struct timespec t = {0, 18000000};
	int short_ones = 0;

	for (int i = 0; i < 60; i++) {
		short_ones += nanosleep (&t, NULL) < 0 && errno == EINTR;
		work_ms (2);
	}
	return short_ones != 0;
}

static void *nap (void *arg)
{
	usleep (600000);
	return arg;
}

static double seconds_of (clockid_t clock)
{
	struct timespec t;

	clock_gettime (clock, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/*
 * So many threads that a look at all of them takes longer than a tenth of a millisecond. They
 * sleep, so what the process used of the processor is what looks took: prints which share of the
 * time that was, for beside other load it may be little.
 */
static int crowd (void)
{
	static pthread_t thread[400];
	double start, cpu;

	for (int i = 0; i < 400; i++)
		if (pthread_create (&thread[i], NULL, nap, NULL) != 0)
			return 99;
	start = seconds_of (CLOCK_MONOTONIC);
	cpu = seconds_of (CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < 400; i++)
		pthread_join (thread[i], NULL);
	printf ("%.2f\n", (seconds_of (CLOCK_PROCESS_CPUTIME_ID) - cpu) /
				  (seconds_of (CLOCK_MONOTONIC) - start));
	return 0;
}

/* A child, its child and theirs: what each finds is what its parent's sampler left. */
static int forks (void)
{
	enum { GENERATIONS = 4 };
	int status = 0;

	for (int i = 1; i < GENERATIONS; i++) {
		pid_t child;

		work_ms (300);
		printf ("%d\n", (int) getpid ());
		fflush (stdout);
		child = fork ();
		if (child) {
			waitpid (child, &status, 0);
			return status;
		}
	}
	work_ms (500);
	printf ("%d\n", (int) getpid ());
	return 0;
}

/* Does the kernel permit what threads are sampled by? 0: it does. */
static int clock_of_tasks (void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof attr,
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .sample_period = 1000000,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};

	return syscall (SYS_perf_event_open, &attr, 0, -1, -1, 0UL) < 0;
}

/* All that it does not know is closed, and the numbers are files of its own, which stay as they are. */
static int closes (void)
{
	enum { FROM = 500, TO = 600 };
	int null, changed = 0;

	work_ms (300);
	syscall (SYS_close_range, 3u, ~0u, 0u);
	null = open ("/dev/null", O_RDWR);
	for (int fd = FROM; fd < TO; fd++)
		dup2 (null, fd);
	work_ms (600);
	for (int fd = FROM; fd < TO; fd++)
		changed += fcntl (fd, F_GETFL) != fcntl (null, F_GETFL) || fcntl (fd, F_GETFD) != 0;
	return changed;
}

/* Handlers that interrupt at any time and jump, and threads that come and go. */
static void *come_and_go (void *arg)
{
	work_ms (15);
	return arg;
}

static int turmoil (void)
{
	struct itimerval every = {{0, 7000}, {0, 7000}};
	struct sigaction action = {.sa_handler = jump, .sa_flags = SA_NODEFER};
	pthread_t thread;
	volatile int jumps = 0;

	sigaction (SIGALRM, &action, NULL);
	for (int i = 0; i < 30; i++) {
		pthread_create (&thread, NULL, come_and_go, NULL);
		pthread_join (thread, NULL);
	}
	setitimer (ITIMER_REAL, &every, NULL);
	if (setjmp (back))
		jumps++;
	while (jumps < 60)
		work_ms (1000);
	/* nobody is there to jump back to at the end */
	setitimer (ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
	return 0;
}

int main (int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run) (void);
	} all[] = {{"handler", handler}, {"ignored", ignored},      {"blocked", blocked},
		   {"closes", closes},   {"clock", clock_of_tasks}, {"sleeps", sleeps},
		   {"naps", naps},       {"crowd", crowd},          {"forks", forks},
		   {"turmoil", turmoil}};

	for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
		if (strcmp (argv[1], all[i].name) == 0)
			return all[i].run ();
	return 99;
}
