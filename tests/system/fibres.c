/* SPDX-License-Identifier: MIT */
/*
 * fibres.c: programs that run on many stacks of one thread. Stack pointers of different stacks say
 * nothing about each other, so intervals that are open on one while others run must be left alone,
 * wherever the stacks lie.
 */
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

int64_t begin_level (void);
int64_t end_level (const int64_t *begin);

/* clang-format off */
#pragma pp metric turns  interval stats(elapsed)
#pragma pp metric levels interval stats(begin_level, end_level)
#pragma pp metric whole  interval stats(elapsed)
#pragma pp metric points point    stats(value)
/* clang-format on */

enum { MANY = 64, ROUNDS = 40 };

struct fibre {
	ucontext_t context;
	int number, levels, done;
	long turns;
	int64_t token;
};

static __thread struct fibre *running;
static __thread ucontext_t scheduler;

/*
 * each fibre's tokens count up: an end that gets another fibre's begin gives another sample than 1
 */
int64_t begin_level (void)
{
	return running->number * 1000000 + ++running->token;
}

int64_t end_level (const int64_t *begin)
{
	return *begin / 1000000 == running->number ? 1 : 1000;
}

NOIPA static void yield (void)
{
	swapcontext (&running->context, &scheduler);
}

/*
 * Open on several levels across switches; LEAN pads the frames so that much of the stack is used.
 */
NOIPA static void level (int n, int bytes)
{
	char lean[bytes];
#pragma pp interval level(levels)

	memset (lean, n, (size_t) bytes);
	if (n > 1)
		level (n - 1, bytes);
	yield ();
	{
#pragma pp interval turn(turns)
		running->turns++;
#pragma pp point here(points) value(running->number)
		yield ();
	}
	__asm__ volatile("" : : "r"(lean) : "memory");
}

static int frame_bytes;

NOIPA static void body (void)
{
#pragma pp interval body(whole)
	for (int i = 0; i < ROUNDS; i++)
		level (running->levels, frame_bytes);
}

static void start (void)
{
	body ();
	running->done = 1;
	yield ();
}

struct expected {
	double turns, levels, points;
};

/* Runs N fibres round robin to their ends. */
static struct expected run (struct fibre *fibres, int n, char *(*stack_of) (int), size_t bytes)
{
	struct expected e = {0, 0, 0};
	int left = n;

	for (int i = 0; i < n; i++) {
		struct fibre *f = &fibres[i];

		memset (f, 0, sizeof (*f));
		f->number = i;
		f->levels = 1 + i % 5;
		getcontext (&f->context);
		f->context.uc_stack.ss_sp = stack_of (i);
		f->context.uc_stack.ss_size = bytes;
		makecontext (&f->context, start, 0);
	}
	while (left)
		for (int i = 0; i < n; i++) {
			if (fibres[i].done)
				continue;
			running = &fibres[i];
			swapcontext (&scheduler, &fibres[i].context);
			left -= fibres[i].done;
		}
	for (int i = 0; i < n; i++) {
		e.turns += (double) fibres[i].turns;
		e.levels += (double) fibres[i].levels * ROUNDS;
		e.points += (double) fibres[i].turns * i;
	}
	return e;
}

static void compare (struct expected e, int n, const char *where)
{
	ok (pp_count (whole) == n, "each fibre's own interval is measured, %s", where);
	ok (pp_count (turns) == e.turns, "intervals open across switches are measured, %s", where);
	ok (pp_count (levels) == e.levels && pp_sum (levels) == e.levels,
	    "nested ones end with the begins of their own fibre, %s", where);
	ok (pp_sum (points) == e.points, "points on fibres are sampled, %s", where);
	if (!ok (newly_dropped_in_all () == 0, "nothing is dropped, %s", where)) {
		note ("whole %g of %d, turns %g of %g, levels %g (sum %g) of %g", pp_count (whole),
		      n, pp_count (turns), e.turns, pp_count (levels), pp_sum (levels), e.levels);
		note_drops ();
	}
}

static struct fibre fibres[MANY];
static char statics[MANY][65536] __attribute__ ((aligned (4096)));
static size_t stack_bytes;
static char *mallocs[MANY];

static char *static_stack (int i)
{
	return (char *) statics + (size_t) i * stack_bytes;
}

static char *backward_stack (int i)
{
	return (char *) statics + (size_t) (MANY - 1 - i) * stack_bytes;
}

static char *malloc_stack (int i)
{
	return mallocs[i];
}

static void test_static (size_t bytes, char *(*stack_of) (int), int frame, const char *where)
{
	pp_reset (NULL);
	forget_drops ();
	stack_bytes = bytes;
	frame_bytes = frame;
	compare (run (fibres, MANY, stack_of, bytes), MANY, where);
}

static void test_malloc (void)
{
	pp_reset (NULL);
	forget_drops ();
	frame_bytes = 512;
	for (int i = 0; i < MANY; i++)
		mallocs[i] = malloc (16384);
	compare (run (fibres, MANY, malloc_stack, 16384), MANY, "on stacks of 16 KiB from malloc");
	for (int i = 0; i < MANY; i++)
		free (mallocs[i]);
}

/*
 * Stacks are used again by fibres that come later, some after a fibre that never came to its end.
 */
static void test_reuse (void)
{
	double expected = 0;

	pp_reset (NULL);
	forget_drops ();
	frame_bytes = 256;
	stack_bytes = 65536;
	for (int i = 0; i < 50; i++)
		expected += run (fibres, 8, static_stack, stack_bytes).levels;
	same (pp_count (levels), expected,
	      "stacks used by one fibre after the other lose no sample");
	same (newly_dropped_in_all (), 0, "and nothing is dropped there");
}

/* A longjmp within one fibre while others have intervals open. */
static jmp_buf back;

NOIPA static void jump_from (int n)
{
#pragma pp interval jump_from(turns)
	if (!n)
		longjmp (back, 1);
	jump_from (n - 1);
	running->turns++;
}

NOIPA static void jumper (void)
{
#pragma pp interval jumper(whole)
	for (int i = 0; i < 100; i++) {
		if (setjmp (back) == 0)
			jump_from (3);
		yield ();
	}
}

static void start_jumper (void)
{
	jumper ();
	running->done = 1;
	yield ();
}

static void test_jumps (void)
{
	struct fibre pair[2];

	pp_reset (NULL);
	forget_drops ();
	frame_bytes = 64;
	for (int i = 0; i < 2; i++) {
		memset (&pair[i], 0, sizeof (pair[i]));
		pair[i].number = i;
		pair[i].levels = 3;
		getcontext (&pair[i].context);
		pair[i].context.uc_stack.ss_sp = statics[i * 4];
		pair[i].context.uc_stack.ss_size = 65536;
		makecontext (&pair[i].context, i ? start_jumper : start, 0);
	}
	while (!pair[0].done || !pair[1].done)
		for (int i = 0; i < 2; i++)
			if (!pair[i].done) {
				running = &pair[i];
				swapcontext (&scheduler, &pair[i].context);
			}
	same (pp_count (levels), 3 * ROUNDS,
	      "longjmps on one fibre leave the intervals of another alone");
	same (pp_count (whole), 2, "and the interval around them");
	same (newly_dropped (PP_DROP_LONGJMP), 400, "what they jumped over is counted as longjmp");
}

/* More intervals open on each fibre than a page of frames holds, all fibres' pages side by side. */
NOIPA static void deeper (int n)
{
#pragma pp interval deeper(turns)
	if (n > 1)
		deeper (n - 1);
	else
		yield ();
	running->turns++;
}

NOIPA static void start_deep (void)
{
	for (int i = 0; i < ROUNDS; i++) {
		deeper (10 * (1 + running->number));
		yield ();
	}
	running->done = 1;
	yield ();
}

static void test_deep (void)
{
	enum { FIBRES = 16 };
	double turns_run = 0;
	int left = FIBRES;

	pp_reset (NULL);
	forget_drops ();
	for (int i = 0; i < FIBRES; i++) {
		memset (&fibres[i], 0, sizeof (fibres[i]));
		fibres[i].number = i;
		getcontext (&fibres[i].context);
		fibres[i].context.uc_stack.ss_sp = statics[i];
		fibres[i].context.uc_stack.ss_size = 65536;
		makecontext (&fibres[i].context, start_deep, 0);
	}
	while (left)
		for (int i = 0; i < FIBRES; i++)
			if (!fibres[i].done) {
				running = &fibres[i];
				swapcontext (&scheduler, &fibres[i].context);
				left -= fibres[i].done;
			}
	for (int i = 0; i < FIBRES; i++)
		turns_run += (double) fibres[i].turns;
	same (pp_count (turns), turns_run,
	      "up to 160 nested intervals on each of 16 fibres are measured");
	if (!same (newly_dropped_in_all (), 0, "and none is dropped there"))
		note_drops ();
}

/* Fibres of several threads at once. */
static void *thread (void *arg)
{
	struct fibre own[8];
	static char stacks[4][8][32768];
	double *levels_run = arg;
	char (*mine)[32768] = stacks[(size_t) *levels_run];

	*levels_run = 0;
	for (int round = 0; round < 20; round++) {
		int left = 8;

		for (int i = 0; i < 8; i++) {
			memset (&own[i], 0, sizeof (own[i]));
			own[i].number = i;
			own[i].levels = 1 + i % 4;
			getcontext (&own[i].context);
			own[i].context.uc_stack.ss_sp = mine[i];
			own[i].context.uc_stack.ss_size = sizeof (mine[i]);
			makecontext (&own[i].context, start, 0);
			*levels_run += own[i].levels * ROUNDS;
		}
		while (left)
			for (int i = 0; i < 8; i++)
				if (!own[i].done) {
					running = &own[i];
					swapcontext (&scheduler, &own[i].context);
					left -= own[i].done;
				}
	}
	return NULL;
}

static void test_threads (void)
{
	pthread_t threads[4];
	double levels_run[4], sum = 0;

	pp_reset (NULL);
	forget_drops ();
	frame_bytes = 128;
	for (int i = 0; i < 4; i++) {
		levels_run[i] = i;
		pthread_create (&threads[i], NULL, thread, &levels_run[i]);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join (threads[i], NULL);
		sum += levels_run[i];
	}
	ok (pp_count (levels) == sum && pp_sum (levels) == sum,
	    "fibres of four threads at once are measured");
	if (!same (newly_dropped_in_all (), 0, "and none is dropped"))
		note_drops ();
}

int main (void)
{
	if (UNDER_TSAN || UNDER_ASAN) {
		skipped ("fibres", "the sanitizer does not know swapcontext's stacks");
		return checked ();
	}
	test_static (65536, static_stack, 256, "on adjacent stacks of 64 KiB");
	test_static (65536, static_stack, 8192,
		     "on adjacent stacks of 64 KiB that are nearly full");
	test_static (16384, static_stack, 128, "on adjacent stacks of 16 KiB");
	test_static (16384, static_stack, 1536,
		     "on adjacent stacks of 16 KiB that are nearly full");
	test_static (16384, backward_stack, 1536, "on such stacks from the top down");
	test_malloc ();
	test_reuse ();
	test_jumps ();
	test_deep ();
	test_threads ();
	return checked ();
}
