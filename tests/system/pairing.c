/* SPDX-License-Identifier: MIT */
/*
 * pairing.c: ends find their begins whatever way the program takes: longjmp, recursion, exit from
 * the middle, depth without end. What is measured and what is dropped add up to what was executed.
 */
#include "check.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>

int64_t begin_one (void);
int64_t end_one (const int64_t *begin);

/* clang-format off */
#pragma pp metric jumped   interval stats(elapsed)
#pragma pp metric around   interval sumcount(elapsed)
#pragma pp metric recursed interval stats(elapsed)
#pragma pp metric two      interval bounded_series(elapsed, size=16)
#pragma pp metric user     interval stats(begin_one, end_one)
/* clang-format on */

static int64_t user_begins, user_ends;

int64_t begin_one (void)
{
	return ++user_begins;
}

/*
 * how many of this thread's intervals began since, itself included: says that begins and ends
 * belong together
 */
int64_t end_one (const int64_t *begin)
{
	user_ends++;
	return user_begins - *begin + 1;
}

static jmp_buf back;
static __thread volatile long sink;

/* ---- longjmp --------------------------------------------------------------------------------- */

NOIPA static void dive (int depth)
{
#pragma pp interval dive(jumped)
	if (depth == 0)
		longjmp (back, 1);
	dive (depth - 1);
	sink++;
}

NOIPA static void dive_once (int depth)
{
	if (setjmp (back) == 0)
		dive (depth);
}

NOIPA static void dive_inside (int depth)
{
#pragma pp interval dive_inside(around)
	dive_once (depth);
}

static void test_longjmp (void)
{
	double begun = 0;

	for (int depth = 0; depth < 40; depth++) {
		dive_inside (depth);
		begun += depth + 1;
	}
	same (pp_count (around), 40,
	      "an interval around longjmps from every depth is measured each time");
	ok (!(pp_count (jumped) > 0), "an interval whose end was jumped over is no sample");
	same (newly_dropped (PP_DROP_LONGJMP), begun,
	      "each interval whose end was jumped over is counted as longjmp");

	pp_reset (around);
	begun = 0;
	for (int i = 0; i < 100000; i++) {
		dive_inside (i % 7);
		begun += i % 7 + 1;
	}
	same (pp_count (around), 100000, "100,000 longjmps lose no sample of the interval around");
	same (newly_dropped (PP_DROP_LONGJMP), begun,
	      "the drops of 100,000 longjmps are counted to the unit");

	begun = 0;
	for (int i = 0; i < 100000; i++) {
		dive_once (i % 7);
		begun += i % 7 + 1;
	}
	pp_reset (around);
	dive_inside (0);
	same (pp_count (around), 1,
	      "after 100,000 longjmps with nothing around an interval is measured");
	same (newly_dropped (PP_DROP_LONGJMP), begun + 1,
	      "longjmps with nothing around are counted to the unit");
	same (newly_dropped (PP_DROP_DEPTH), 0, "what longjmps leave behind does not pile up");
}

/* ---- longjmp within one function ------------------------------------------------------------- */

/*
 * The jump goes out of a block of the function that setjmp was called in: same stack pointer. So it
 * cannot be told from an interval that is open still, until the site begins anew there.
 */
NOIPA static void jump_out_of_block (volatile int *rounds)
{
	setjmp (back);
	while (*rounds > 0) {
#pragma pp interval block(jumped)
		--*rounds;
		if (*rounds % 2)
			longjmp (back, 1);
		sink++;
	}
}

static void test_longjmp_in_one_frame (void)
{
	volatile int rounds = 1000;

	pp_reset (jumped);
	jump_out_of_block (&rounds);
	same (pp_count (jumped), 500,
	      "intervals of a block that longjmps leave at the same stack pointer are measured "
	      "when they end");
	same (newly_dropped (PP_DROP_LONGJMP), 500, "and the others are counted as longjmp");
}

/* ---- recursion ------------------------------------------------------------------------------- */

NOIPA static int recurse (int n)
{
#pragma pp interval recurse(recursed, user)
	int r = n ? recurse (n - 1) + 1 : 0;

	sink++;
	return r;
}

NOIPA static void recurse_inside (int n)
{
#pragma pp interval recurse_inside(around)
	recurse (n);
}

static void test_recursion (void)
{
	pp_reset (NULL);
	recurse (99);
	same (pp_count (recursed), 100, "100 activations are 100 samples");
	same (pp_sum (user), 100 * 101 / 2, "each end of a recursion gets its own begin");
	same (pp_max (user), 100, "the outermost activation sees all others begin");
	same (pp_min (user), 1, "the innermost sees only itself");
	same (newly_dropped_in_all (), 0, "recursion drops nothing");
}

static void test_depth (void)
{
	pp_reset (NULL);
	recurse (4999);
	same (pp_count (recursed), 1024,
	      "of 5,000 nested activations the outer 1,024 are measured");
	same (newly_dropped (PP_DROP_DEPTH), 5000 - 1024, "the deeper ones are counted as depth");
	same (newly_dropped_in_all (), 0, "and as nothing else");
	pp_reset (NULL);
	recurse_inside (4999);
	same (pp_count (around), 1, "an interval around too deep a recursion is measured");
	same (pp_count (recursed), 1023, "and uses one of the 1,024");
	same (newly_dropped (PP_DROP_DEPTH), 5000 - 1023, "the rest is counted as depth again");
	pp_reset (NULL);
	recurse (1023);
	same (pp_count (recursed), 1024, "after it, 1,024 deep is measured again");
	for (int i = 0; i < 100; i++)
		recurse (2000);
	same (pp_count (recursed), 101 * 1024,
	      "a hundred times too deep measures a hundred times 1,024");
	same (newly_dropped (PP_DROP_DEPTH), 100 * (2001 - 1024),
	      "and drops the rest a hundred times");
	same (newly_dropped_in_all (), 0, "and nothing else");
}

/* ---- longjmp out of the depth ---------------------------------------------------------------- */

static int returns_to;

NOIPA static int dive_from (int n, int until)
{
#pragma pp interval dive_from(recursed)
	if (n == returns_to) {
		if (setjmp (back))
			return 0;
	}
	if (n == until)
		longjmp (back, 1);
	dive_from (n + 1, until);
	sink++;
	return 0;
}

static void test_longjmp_out_of_depth (void)
{
	pp_reset (NULL);
	forget_drops ();
	returns_to = 500;
	dive_from (1, 3000);
	same (pp_count (recursed), 500,
	      "a longjmp out of too deep a recursion leaves the activations that it returns to");
	same (newly_dropped (PP_DROP_LONGJMP), 1024 - 500, "those between are counted as longjmp");
	same (newly_dropped (PP_DROP_DEPTH), 3000 - 1024, "those too deep as depth");
	returns_to = 1500;
	dive_from (1, 3000);
	same (pp_count (recursed), 500 + 1024,
	      "a longjmp within what is too deep loses no outer one");
	same (newly_dropped (PP_DROP_DEPTH), 3000 - 1024, "and its activations are depth");
	recurse (1023);
	same (pp_count (recursed), 500 + 1024 + 1024, "what comes then is measured");
	same (newly_dropped_in_all (), 0, "without another drop");
}

/* ---- one function, several intervals; memory on the stack; every way out --------------------- */

NOIPA static int nested (int n)
{
#pragma pp interval outer(recursed)
	for (int i = 0; i < n; i++) {
#pragma pp interval middle(jumped)
		{
#pragma pp interval inner(two)
			if (i % 3 == 0)
				continue;
			sink++;
		}
		if (i == n - 1)
			return i;
		sink++;
	}
	return -1;
}

NOIPA static void with_memory (int n)
{
	for (int i = 0; i < n; i++) {
#pragma pp interval vla(recursed)
		char bytes[i + 1];
		char *more;

		memset (bytes, 1, (size_t) i + 1);
		{
#pragma pp interval alloca(jumped)
			more = alloca ((size_t) i * 3 + 8);
			memset (more, 2, (size_t) i * 3 + 8);
			sink += more[i];
		}
		sink += bytes[i];
	}
}

static void test_nested (void)
{
	pp_reset (NULL);
	forget_drops ();
	for (int i = 0; i < 1000; i++)
		nested (11);
	same (pp_count (recursed), 1000, "the outer of nested intervals is measured");
	same (pp_count (jumped), 11000, "the middle one on every way out");
	same (pp_stat (two, NULL, PP_STAT_N), 11000, "the inner one too");
	pp_reset (NULL);
	with_memory (1000);
	same (pp_count (recursed), 1000, "intervals around arrays of variable length are measured");
	same (pp_count (jumped), 1000, "intervals in which alloca moves the stack are measured");
	same (newly_dropped_in_all (), 0, "nested intervals and stack memory drop nothing");
}

/* ---- threads that end inside ----------------------------------------------------------------- */

static pthread_barrier_t inside;

NOIPA static void cancel_me (int n)
{
#pragma pp interval cancel_me(recursed)
	if (n) {
		cancel_me (n - 1);
	} else {
		pthread_barrier_wait (&inside);
		for (;;)
			pause ();
	}
	sink++;
}

static void *cancelled_thread (void *arg)
{
	(void) arg;
	cancel_me (9);
	return NULL;
}

static void *exiting_thread (void *arg)
{
#pragma pp interval exiting(recursed)
	(void) arg;
	pthread_exit (NULL);
}

static void test_threads (void)
{
	pthread_t thread;

	pp_reset (NULL);
	forget_drops ();
	pthread_barrier_init (&inside, NULL, 2);
	for (int i = 0; i < 20; i++) {
		pthread_create (&thread, NULL, cancelled_thread, NULL);
		pthread_barrier_wait (&inside);
		pthread_cancel (thread);
		pthread_join (thread, NULL);
	}
	/* C code without -fexceptions is not unwound by cancellation: its ends do not run */
#ifdef __EXCEPTIONS
	same (pp_count (recursed), 200,
	      "a cancelled thread's open intervals end while it is unwound");
#else
	ok (!(pp_count (recursed) > 0),
	    "without -fexceptions a cancelled thread's open intervals are no samples");
	same (soon_dropped (PP_DROP_LONGJMP, 200), 200, "... and are counted as dropped");
#endif
	for (int i = 0; i < 20; i++) {
		pthread_create (&thread, NULL, exiting_thread, NULL);
		pthread_join (thread, NULL);
	}
#ifdef __EXCEPTIONS
	same (pp_count (recursed), 220, "pthread_exit ends the intervals that are open");
	same (newly_dropped_in_all (), 0, "nothing of these threads is dropped");
#else
	same (soon_dropped (PP_DROP_LONGJMP, 20), 20,
	      "what pthread_exit leaves open is counted as dropped");
#endif
	pp_reset (NULL);
	recurse (9);
	same (pp_count (recursed), 10, "other threads measure on");
	pthread_barrier_destroy (&inside);
}

/* ---- exit inside ----------------------------------------------------------------------------- */

NOIPA static void exit_inside (int n)
{
#pragma pp interval exit_inside(recursed)
	if (n)
		exit_inside (n - 1);
	else
		exit (42);
	sink++;
}

static void after_exit (void)
{
	pp_reset (NULL);
	recurse (4);
	_exit (pp_count (recursed) == 5 ? 43 : 44);
}

static int status_of (void (*child) (void))
{
	int status = -1;
	pid_t pid;

	fflush (stdout);
	pid = fork ();
	if (pid == 0) {
		child ();
		_exit (1);
	}
	waitpid (pid, &status, 0);
	return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

static void exits (void)
{
	exit_inside (5);
}

static void exits_and_measures (void)
{
	atexit (after_exit);
	exit_inside (5);
}

static void test_exit (void)
{
	same (status_of (exits), 42,
	      "exit inside open intervals ends the program as it would without them");
	same (status_of (exits_and_measures), 43, "what exit runs is measured");
}

int main (void)
{
	forget_drops ();
	test_longjmp ();
	test_longjmp_in_one_frame ();
	test_recursion ();
	test_depth ();
	test_longjmp_out_of_depth ();
	test_nested ();
	test_threads ();
	if (!UNDER_TSAN)
		test_exit ();
	note_drops ();
	return checked ();
}
