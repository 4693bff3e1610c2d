/* SPDX-License-Identifier: MIT */
/*
 * block_calls.c: functions of the program's own that are called by the code made for a marker.
 *
 * As in blocks.c every instruction is stopped at: of the block, of what calls the function, and of
 * the function itself. Everywhere unwinding must reach main, markers in handlers must be measured,
 * and a handler may leave for good. And the functions do what functions may do: clobber all
 * registers, run through markers, bind and unbind, leave by longjmp, end their thread, fork, be on
 * a fibre's stack.
 */
#include "stepping.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>

int64_t slow_begin (void);
int64_t slow_end (const int64_t *begin);
int64_t slow_value (void);
PP_FAST int64_t fast_begin (void);
PP_FAST int64_t fast_end (const int64_t *begin);
PP_FAST int64_t fast_value (void);
int64_t busy_begin (void);
int64_t busy_end (const int64_t *begin);

/* clang-format off */
#pragma pp metric m_fast       interval sumcount(fast_begin, fast_end)
#pragma pp metric m_slow       interval sumcount(slow_begin, slow_end)
#pragma pp metric m_busy       interval stats(busy_begin, busy_end)
#pragma pp metric m_fast_value point    stats(fast_value)
#pragma pp metric m_slow_value point    stats(slow_value)
#pragma pp metric m_elapsed    interval sumcount(elapsed)
#pragma pp metric m_handler    interval stats(elapsed)
#pragma pp metric m_inner      interval sumcount(elapsed)
#pragma pp metric m_late       interval sumcount(elapsed)
#pragma pp metric m_newest     interval stats(fast_begin, fast_end)
/* clang-format on */

static __thread volatile long sink;
static int64_t next_value = 1;

#if defined(__x86_64__)
/* No register that a function may clobber is what it was. */
#define CLOBBER()                                                                                  \
	__asm__ volatile(                                                                          \
		"mov $-1, %%rcx\n mov %%rcx, %%rdx\n mov %%rcx, %%rsi\n mov %%rcx, %%rdi\n"        \
		"mov %%rcx, %%r8\n mov %%rcx, %%r9\n mov %%rcx, %%r10\n mov %%rcx, %%r11\n"        \
		"mov %%rcx, -8(%%rsp)\n mov %%rcx, -128(%%rsp)"                                    \
		:                                                                                  \
		:                                                                                  \
		: "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory")
#else
#define CLOBBER() (void) 0
#endif

PP_FAST NOIPA int64_t fast_begin (void)
{
	CLOBBER ();
	return 5;
}

PP_FAST NOIPA int64_t fast_end (const int64_t *begin)
{
	int64_t x = *begin == 5 ? next_value : -1000000;

	CLOBBER ();
	return x;
}

PP_FAST NOIPA int64_t fast_value (void)
{
	CLOBBER ();
	return next_value;
}

NOIPA int64_t slow_begin (void)
{
	CLOBBER ();
	return 5;
}

NOIPA int64_t slow_end (const int64_t *begin)
{
	int64_t x = *begin == 5 ? next_value : -1000000;

	CLOBBER ();
	return x;
}

NOIPA int64_t slow_value (void)
{
	CLOBBER ();
	return next_value;
}

NOIPA static void pair (void)
{
#pragma pp interval pair
	sink++;
}

NOIPA static void other (void)
{
#pragma pp interval other
	sink++;
}

NOIPA static void spot (void)
{
#pragma pp point spot
	sink++;
}

NOIPA static void in_handler (void)
{
#pragma pp interval in_handler(m_handler)
	sink++;
}

NOIPA static void inner (void)
{
#pragma pp interval inner(m_inner)
	sink++;
}

/* ---- what functions do ----------------------------------------------------------------------- */

static int64_t nothing (void)
{
	return 0;
}

static int64_t four (void)
{
	return 4;
}

static int64_t (*at_begin) (void) = nothing, (*at_end) (void) = nothing;
static jmp_buf out_of_function;
static pid_t child;
static int on_stack_of_fibre;

NOIPA int64_t busy_begin (void)
{
	return at_begin ();
}

static int64_t begin_seen; /* by the last function at an end */

NOIPA int64_t busy_end (const int64_t *begin)
{
	int64_t end = at_end ();

	begin_seen = *begin;
	return end + begin_seen;
}

NOIPA static void busy_pair (void)
{
#pragma pp interval busy_pair
	sink++;
}

static int64_t run_markers (void)
{
	inner ();
	pair ();
	busy_pair ();
	return 7;
}

static int64_t bind_and_unbind (void)
{
	pp_bind (m_late, "other", 0);
	other ();
	pp_unbind (m_late, "other");
	/* the very site that calls */
	pp_bind (m_late, "busy_pair", 0);
	pp_unbind (m_late, "busy_pair");
	return 3;
}

static int64_t unbind_myself (void)
{
	pp_unbind (m_busy, "busy_pair");
	return 4;
}

static int64_t leave (void)
{
	longjmp (out_of_function, 1);
}

static int64_t end_thread (void)
{
	pthread_exit ((void *) 1);
}

static int64_t do_fork (void)
{
	child = fork ();
	return child ? 11 : 1000000;
}

static int64_t throw_up (void)
{
	void *frames[64];

	return backtrace (frames, 64) > 3;
}

/* After whatever a function did everything is measured as before. */
static int works (pp_metric *busy)
{
	double n[4] = {pp_count (m_fast), pp_count (m_slow), pp_count (m_inner),
		       pp_stat (busy, NULL, PP_STAT_N)};

	at_begin = at_end = nothing;
	for (int i = 0; i < 10; i++) {
		pair ();
		other ();
		inner ();
		busy_pair ();
	}
	return pp_count (m_fast) == n[0] + 10 && pp_count (m_slow) == n[1] + 10 &&
	       pp_count (m_inner) == n[2] + 10 && pp_stat (busy, NULL, PP_STAT_N) == n[3] + 10;
}

static void test_nesting (void)
{
	double inners = pp_count (m_inner), pairs = pp_count (m_fast), n = pp_count (m_busy),
	       sum = pp_sum (m_busy);

	forget_drops ();
	at_begin = at_end = run_markers;
	busy_pair ();
	at_begin = at_end = nothing;
	same (pp_count (m_inner) - inners, 2, "intervals in measuring functions are measured");
	same (pp_count (m_fast) - pairs, 2, "others that call functions are");
	ok (pp_count (m_busy) - n == 3 && pp_sum (m_busy) - sum == 3 * 14,
	    "so is the interval whose functions they are");
	same (newly_dropped (PP_DROP_SIGNAL), 4 * 6,
	      "markers in functions of markers in functions are not, and counted");
	ok (works (m_busy), "then everything goes on");
}

static void test_binding (void)
{
	double n = pp_count (m_busy), sum = pp_sum (m_busy);

	forget_drops ();
	at_begin = at_end = bind_and_unbind;
	busy_pair ();
	ok (pp_count (m_busy) == n + 1 && pp_sum (m_busy) == sum + 6,
	    "a function may bind and unbind, also at the site that calls it");
	same (pp_count (m_late), 2, "what it bound is measured in it");
	ok (works (m_busy), "then everything goes on");
	n = pp_count (m_busy);
	at_begin = unbind_myself;
	at_end = nothing;
	busy_pair ();
	at_begin = nothing;
	busy_pair ();
	ok (pp_count (m_busy) <= n + 1, "it may unbind its own metric");
	pp_bind (m_busy, "busy_pair", 0);
	ok (works (m_busy), "then, bound again, everything goes on");
}

static void test_longjmp (void)
{
	double n = pp_count (m_busy);
	int good = 1;

	for (int i = 0; i < 20; i++) {
		at_begin = i % 2 ? leave : nothing;
		at_end = i % 2 ? nothing : leave;
		if (setjmp (out_of_function) == 0)
			busy_pair ();
		good &= works (m_busy);
	}
	ok (good, "a function may leave by longjmp, at the begin and at the end");
	same (pp_count (m_busy) - n, 200, "and such executions have no sample");
}

static void *thread_main (void *arg)
{
	at_end = arg ? end_thread : nothing;
	at_begin = arg ? nothing : end_thread;
	busy_pair ();
	return NULL;
}

static void test_threads (void)
{
	int ended = 1;

	for (int i = 0; i < 10; i++) {
		pthread_t thread;
		void *result = NULL;

		pthread_create (&thread, NULL, thread_main, i % 2 ? &ended : NULL);
		pthread_join (thread, &result);
		ended &= result == (void *) 1;
	}
	ok (ended, "a function may end its thread: the stack is unwound through the marker");
	ok (works (m_busy), "then everything goes on");
}

/* What of PP_BLOCKS=0 does so too. */
static void test_fork (void)
{
	int status = 0, good = 1;

	for (int i = 0; i < 2; i++) {
		double sum = pp_sum (m_busy), n = pp_count (m_busy);

		child = -1;
		at_begin = i ? four : do_fork;
		at_end = i ? do_fork : nothing;
		busy_pair ();
		if (child == 0) {
			alarm (20);
			/*
			 * what the begin returned is its parent's, and the child's end has it still
			 */
			if (i && begin_seen != 4)
				_exit (4);
			at_begin = at_end = nothing;
			for (int k = 0; k < 5; k++) {
				busy_pair ();
				inner ();
			}
			_exit (0);
		}
		waitpid (child, &status, 0);
		good &= WIFEXITED (status) && WEXITSTATUS (status) == 0;
		good &= pp_sum (m_busy) == sum + (i ? 15 : 11) && pp_count (m_busy) == n + 1;
		if (!good)
			note ("status %x, sum %g, count %g", (unsigned) status,
			      pp_sum (m_busy) - sum, pp_count (m_busy) - n);
	}
	ok (good,
	    "a function may fork: the child writes nothing into its parent's data, and goes on");
	ok (works (m_busy), "so does the parent");
}

static ucontext_t back_to_main, fibre;
static char fibre_stack[64 << 10];

static int64_t where (void)
{
	char here;

	on_stack_of_fibre += &here >= fibre_stack && &here < fibre_stack + sizeof fibre_stack;
	return 1;
}

static void on_fibre (void)
{
	for (int i = 0; i < 10; i++) {
		busy_pair ();
		pair ();
	}
}

static void test_fibre (void)
{
	double n = pp_count (m_busy), pairs = pp_count (m_fast), sum = pp_sum (m_busy);

	at_begin = at_end = where;
	getcontext (&fibre);
	fibre.uc_stack.ss_sp = fibre_stack;
	fibre.uc_stack.ss_size = sizeof fibre_stack;
	fibre.uc_link = &back_to_main;
	makecontext (&fibre, on_fibre, 0);
	swapcontext (&back_to_main, &fibre);
	ok (pp_count (m_busy) == n + 10 && pp_sum (m_busy) == sum + 20 &&
		    pp_count (m_fast) == pairs + 10,
	    "on a fibre's stack functions are called, too");
#if defined(__x86_64__) && !defined(GUARDS)
	same (on_stack_of_fibre, 0, "not on that stack");
#endif
	ok (works (m_busy), "then everything goes on");
}

static void test_backtrace (void)
{
	double sum = pp_sum (m_busy);

	at_begin = at_end = throw_up;
	busy_pair ();
	same (pp_sum (m_busy) - sum, 2,
	      "a backtrace in a function sees who runs through the marker");
	ok (works (m_busy), "then everything goes on");
}

/* Whose age is asked for: from then on begins read the clock for it. */
static int is_aged;

static void ask_inside (void)
{
	is_aged = pp_expect ("aged", "asked.open_age >= 0s");
}

NOIPA static void asked (void)
{
#pragma pp interval asked
	ask_inside ();
}

static void test_age (void)
{
	pp_bind (m_busy, "asked", 0);
	asked ();
	asked ();
	asked ();
	same (is_aged, 1,
	      "how long an execution is open is known at the first look, where somebody looks");
	same (pp_count (m_busy), 3, "and it is measured");
	pp_unbind (m_busy, "asked");
}

/* The last sample is the one with the newest end, of several sites and by calls. */
static void test_newest (void)
{
	int wrong = 0;

	pp_bind (m_newest, "pair", 0);
	pp_bind (m_newest, "other", 0);
	for (int i = 1; i < 3000; i++) {
		next_value = i;
		if (i % 3 == 0)
			pair ();
		else if (i % 3 == 1)
			other ();
		else
			pp_sample (m_newest, i);
		wrong += pp_last (m_newest) != (double) i;
	}
	same (wrong, 0, "the last sample is the newest one, of two sites and of calls");
	pp_bind (m_fast_value, "spot", 0);
	for (int i = 1; i < 3000; i++) {
		next_value = i;
		if (i % 2)
			spot ();
		else
			pp_sample (m_fast_value, i);
		wrong += pp_last (m_fast_value) != (double) i;
	}
	same (wrong, 0, "of points, too");
	pp_unbind (m_fast_value, "spot");
	pp_unbind (m_newest, "pair");
	pp_unbind (m_newest, "other");
	next_value = 1;
}

/* ---- every accumulator, with and without blocks ---------------------------------------------- */

static const char *const keeps[] = {"scalar",
				    "count",
				    "sumcount",
				    "stats",
				    "bounded_series, size=7",
				    "bounded_series, size=1",
				    "histogram"};
enum { N_KEEPS = sizeof keeps / sizeof keeps[0] };

static void print_statistics (const pp_metric *m)
{
	double copy[16];
	long n = pp_series_copy (m, copy, 16);

	for (int s = 0; s < PP_STATISTICS; s++) {
		double x = pp_stat (m, NULL, (enum pp_statistic) s);

		if (s != PP_STAT_RATE)
			printf (" %.17g", isnan (x) ? -1e300 : x + 0.0);
	}
	for (long i = 0; i < n; i++)
		printf (" [%.17g]", copy[i]);
	printf (" n=%ld\n", n);
}

/* Sources that can be named. */
PP_SOURCE_INTERVAL_INT (slow_pair, slow_begin, slow_end, "")
PP_FAST_SOURCE_INTERVAL (fast_pair, fast_begin, fast_end, "")
PP_SOURCE_POINT_INT (slow_point, slow_value, "")
PP_FAST_SOURCE (fast_point, fast_value, "")

static int print_all (void)
{
	static const char *const sources[][3] = {{"pair", "interval", "slow_pair"},
						 {"pair", "interval", "fast_pair"},
						 {"spot", "point", "slow_point"},
						 {"spot", "point", "fast_point"}};
	uint64_t x = 88172645463325252u;

	for (int s = 0; s < 4; s++)
		for (int k = 0; k < N_KEEPS; k++)
			for (unsigned every = 1; every < 4; every += 2) {
				char name[64], text[128];
				const char *comma = strchr (keeps[k], ',');
				pp_metric *m;

				snprintf (name, sizeof name, "m_%d_%d_%u", s, k, every);
				snprintf (text, sizeof text, "%s %.*s(%s%s)", sources[s][1],
					  comma ? (int) (comma - keeps[k]) : 20, keeps[k],
					  k == 1 ? "count" : sources[s][2], comma ? comma : "");
				if (pp_metric_new (&m, name, text) != PP_OK)
					printf ("BAD %s\n", text);
				pp_bind (m, sources[s][0], every);
				for (int i = 0; i < 200; i++) {
					x ^= x << 13;
					x ^= x >> 7;
					x ^= x << 17;
					next_value =
						(int64_t) x >> (i < 150 ? 20 + x % 44 : x % 64);
					(s < 2 ? pair : spot) ();
				}
				pp_unbind (m, sources[s][0]);
				printf ("%s every %u:", text, every);
				print_statistics (m);
			}
	return 0;
}

static void test_same (void)
{
	static char with[1 << 17], without[1 << 17];

	run_self ("PP_BLOCKS=1", "all", with, sizeof with);
	run_self ("PP_BLOCKS=0", "all", without, sizeof without);
	ok (*with && strcmp (with, without) == 0 && !strstr (with, "BAD"),
	    "every accumulator gets the same samples with blocks and without");
}

/* ---- registers and single steps -------------------------------------------------------------- */

#if defined(__x86_64__) && !defined(GUARDS) && !UNDER_TSAN

NOIPA static void bare_interval (void){
#pragma pp interval bare
}

NOIPA static void bare_point (void)
{
#pragma pp point bare_point
}

static void test_registers (void)
{
	int good = 1;

	pp_bind (m_fast, "bare", 0);
	pp_bind (m_fast_value, "bare_point", 0);
	for (int i = 0; i < 40; i++) {
		good &= registers_survive (bare_interval) && registers_survive (bare_point);
		if (i != 20)
			continue;
		pp_unbind (m_fast, "bare");
		pp_unbind (m_fast_value, "bare_point");
		pp_bind (m_slow, "bare", 0);
		pp_bind (m_slow_value, "bare_point", 0);
	}
	ok (good, "registers and the red zone survive functions that clobber all they may");
	pp_unbind (m_slow, "bare");
	pp_unbind (m_slow_value, "bare_point");
}

enum { LEAVE_NEVER = -1 };

static volatile sig_atomic_t steps, steps_in_block, unwound, leave_at = LEAVE_NEVER, runs_markers;
static uintptr_t first,
	/* of what is stepped through: where it begins, and its stack pointer there; 0: not yet */
	first_sp;
static sigjmp_buf way_out;

static void trapped (int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	uintptr_t ip = (uintptr_t) u->uc_mcontext.gregs[REG_RIP],
		  sp = (uintptr_t) u->uc_mcontext.gregs[REG_RSP];

	(void) sig;
	(void) info;
	if (ip == first && !first_sp)
		first_sp = sp;
	if (first_sp && sp > first_sp)
		first_sp = 1; /* it has returned */
	if (!first_sp || sp > first_sp)
		return;
	steps_in_block += is_in_block (ip);
	if (leave_at == LEAVE_NEVER && !runs_markers)
		unwound += reaches_main ();
	if (runs_markers) {
		in_handler ();
		pair ();
	}
	if (leave_at == steps++)
		siglongjmp (way_out, 1);
}

NOIPA static void step_through (void (*fn) (void))
{
	steps = steps_in_block = unwound = 0;
	first = (uintptr_t) fn;
	first_sp = 0;
	set_trap_flag (1);
	fn ();
	set_trap_flag (0);
}

static void test_steps (const char *what, void (*fn) (void), pp_metric *metric)
{
	double handled, n = 0;
	int every, good = 1;

	fn ();
	fn ();
	find_ranges ();
	step_through (fn);
	ok (steps_in_block > 60 && steps > steps_in_block + 20,
	    "%s is called by blocks (%d steps, %d of all)", what, (int) steps_in_block,
	    (int) steps);
	same (unwound, steps, "unwinding reaches main from each instruction, of the function too");
	every = steps;

	forget_drops ();
	handled = pp_count (m_handler);
	n = pp_stat (metric, NULL, PP_STAT_N);
	runs_markers = 1;
	step_through (fn);
	runs_markers = 0;
	same (pp_count (m_handler) - handled, steps,
	      "markers in handlers at each of them are measured");
	ok (pp_stat (metric, NULL, PP_STAT_N) - n == (fn == pair ? steps : 0) + 1, "and so is it");
	same (newly_dropped_in_all (), 0, "nothing is dropped");

	for (int i = 0; i < every; i++) {
		leave_at = i;
		if (sigsetjmp (way_out, 1) == 0)
			step_through (fn);
		leave_at = LEAVE_NEVER;
		set_trap_flag (0);
		n = pp_stat (metric, NULL, PP_STAT_N);
		handled = pp_count (m_handler);
		for (int k = 0; k < 3; k++) {
			fn ();
			in_handler ();
		}
		good &= pp_stat (metric, NULL, PP_STAT_N) == n + 3 &&
			pp_count (m_handler) == handled + 3;
		step_through (fn);
		/* by blocks again, not by stubs for ever after */
		good &= steps_in_block > 60 && steps == every;
	}
	ok (good, "a handler may leave any of them by siglongjmp: what follows is measured, by "
		  "blocks again");
}

static void test_all_steps (void)
{
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER};
	void *frames[4];

	backtrace (frames, 4); /* loads what it needs */
	in_handler ();
	sigaction (SIGTRAP, &action, NULL);
	test_steps ("a function that is PP_FAST", pair, m_fast);
	test_steps ("any function", other, m_slow);
	pp_bind (m_fast_value, "spot", 0);
	test_steps ("one at a point", spot, m_fast_value);
}
#endif

int main (int argc, char **argv)
{
	(void) argv;
	if (argc > 1)
		return print_all ();
	test_newest ();
	test_age ();
	pp_bind (m_fast, "pair", 0);
	pp_bind (m_slow, "other", 0);
	pp_bind (m_busy, "busy_pair", 0);
	test_nesting ();
	test_binding ();
	test_longjmp ();
	test_threads ();
	test_fork ();
	test_fibre ();
	test_backtrace ();
	test_same ();
#if defined(__x86_64__) && !defined(GUARDS) && !UNDER_TSAN
	main_is_at ((uintptr_t) main);
	if (IS_BARE)
		test_registers ();
	if (UNDER_ASAN || (getenv ("PP_BLOCKS") && strcmp (getenv ("PP_BLOCKS"), "0") == 0))
		skipped ("every instruction is stopped at",
			 "PP_BLOCKS=0, or the address sanitizer");
	else
		test_all_steps ();
#endif
	return checked ();
}
