// SPDX-License-Identifier: MIT
// nested.cc: what of an interval is its own: scope self and outermost, nested and recursive, left
// by exceptions and longjmp, switched on and off inside, sampled one in N, on fibres, in handlers,
// begun by calls, as spans. A clock that the program moves makes every figure exact.
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

static thread_local int64_t now;

extern "C" {
int64_t begin_units (void);
int64_t end_units (const int64_t *begin);
double begin_real (void);
double end_real (const double *begin);
}

int64_t begin_units (void)
{
	return now;
}

int64_t end_units (const int64_t *begin)
{
	return now - *begin;
}

double begin_real (void)
{
	return (double) now / 4;
}

double end_real (const double *begin)
{
	return (double) now / 4 - *begin;
}

// clang-format off
#pragma pp metric whole     interval stats(begin_units, end_units)
#pragma pp metric own       interval stats(begin_units, end_units, scope=self)
#pragma pp metric own_real  interval stats(begin_real, end_real, scope=self)
#pragma pp metric own_ticks interval sumcount(elapsed, scope=self)
#pragma pp metric outer     interval stats(begin_units, end_units, scope=outermost)
#pragma pp metric outer_ticks interval sumcount(elapsed, scope=outermost)
#pragma pp metric calls     interval count(count, scope=outermost)
#pragma pp metric third     interval stats(begin_units, end_units, scope=self, every=3)
#pragma pp metric series    interval bounded_series(elapsed, scope=self, size=10)
#pragma pp metric dynamic   interval stats(begin_units, end_units, scope=self)
#pragma pp metric around    interval sumcount(elapsed)
#pragma pp metric scoped    interval sumcount(elapsed, scope=self)
// clang-format on

static volatile long sink;

NOIPA static void pass (int64_t units)
{
	now += units;
}

static double at (const pp_metric *metric, const char *site, enum pp_statistic statistic)
{
	pp_site *found = NULL;

	return pp_site_find (site, &found) == PP_OK ? pp_stat (metric, found, statistic) : NAN;
}

static double sum_at (const pp_metric *metric, const char *site)
{
	return at (metric, site, PP_STAT_SUM);
}

static void start (void)
{
	pp_reset (NULL);
	forget_drops ();
}

// ---- nested

NOIPA static void leaf (void)
{
#pragma pp interval leaf(own, whole, own_real, own_ticks, outer_ticks)
	pass (5);
}

NOIPA static void branch (void)
{
#pragma pp interval branch(own, whole, own_real, own_ticks, outer_ticks)
	pass (4);
	leaf ();
	{
		// has it not: what is in it is nested in what is around it
#pragma pp interval plain(whole)
		pass (100);
		leaf ();
	}
}

NOIPA static void root (void)
{
#pragma pp interval root(own, whole, own_real, own_ticks, outer_ticks)
	pass (1);
	leaf ();
	pass (2);
	branch ();
	pass (3);
	for (int i = 0; i < 3; i++)
		leaf ();
}

static void nested (void)
{
	start ();
	root ();
	same (sum_at (whole, "root/root"), 1 + 5 + 2 + 114 + 3 + 15,
	      "a whole is what passes from begin to end");
	same (sum_at (own, "root/root"), 6,
	      "an interval's own part is what is left without what is nested in it");
	same (sum_at (own, "branch/branch"), 104,
	      "an interval that the metric is not bound to takes nothing from who is around it");
	same (sum_at (own, "leaf/leaf"), 6 * 5, "who has nothing inside is all his own");
	same (pp_sum (own), sum_at (whole, "root/root"), "own parts add up to the outermost whole");
	same (pp_sum (own_real) * 4, pp_sum (own), "... as doubles too");
	same (sum_at (own_real, "root/root") * 4, 6, "... at each site");
	same (pp_count (own), 8, "every execution has a sample");
	// the scale may be known better between the two looks
	near (pp_sum (own_ticks), sum_at (outer_ticks, "root/root"), 1e-4, "... and so does time");
	same (newly_dropped_in_all (), 0, "nothing is dropped");
}

// ---- recursive

NOIPA static long fib (int n)
{
#pragma pp interval fib(own, whole, outer, calls)
	pass (1);
	return n < 2 ? n : fib (n - 1) + fib (n - 2);
}

NOIPA static long even (int n);

NOIPA static long odd (int n)
{
#pragma pp interval odd(own, outer, whole)
	pass (2);
	return n == 0 ? 0 : even (n - 1);
}

NOIPA static long even (int n)
{
#pragma pp interval even(own, outer, whole)
	pass (3);
	return n == 0 ? 1 : odd (n - 1);
}

static void recursive (void)
{
	start ();
	fib (10);
	same (pp_sum (own), 177,
	      "of a recursive function each execution has its own part, and all of them make the "
	      "whole");
	same (pp_sum (outer), 177, "only the outermost execution counts as a whole");
	same (pp_count (outer), 1, "... so there is one");
	same (pp_count (own), 177, "... and as many own parts as calls");
	ok (pp_sum (whole) > 10 * 177 / 2,
	    "wholes of a recursive function count what is inside again and again");
	same (pp_count (calls), 1, "counts are of outermost executions too");
	start ();
	odd (9);
	same (sum_at (own, "odd/odd"), 10,
	      "functions that call each other share the time: one ...");
	same (sum_at (own, "even/even"), 15, "... and the other");
	same (sum_at (outer, "odd/odd"), 25,
	      "the outermost execution of a site may be in another site's: one ...");
	same (sum_at (outer, "even/even"), 23, "... and the other");
	same (at (outer, "even/even", PP_STAT_COUNT), 1, "... once each");
}

// deeper than is kept: what is not measured is its caller's own
NOIPA static void deep (int n)
{
#pragma pp interval deep(own, outer)
	pass (1);
	if (n > 1)
		deep (n - 1);
	sink++;
}

static void too_deep (void)
{
	start ();
	deep (1500);
	same (pp_count (own) + newly_dropped (PP_DROP_DEPTH), 1500,
	      "what is nested too deeply is counted");
	same (pp_sum (own), 1500, "... and its time is nobody's but that of who is around it");
	same (pp_sum (outer), 1500, "... which is all of it");
}

// ---- left

static jmp_buf back;

NOIPA static void jumper (int n)
{
#pragma pp interval jumper(own, own_real, whole)
	pass (10);
	leaf ();
	if (n == 0)
		longjmp (back, 1);
	jumper (n - 1);
	sink++;
}

NOIPA static void deeper_leaf (int bytes)
{
	char *lean = (char *) __builtin_alloca ((size_t) bytes);

	memset (lean, 1, (size_t) bytes);
	leaf ();
	__asm__ volatile("" : : "r"(lean) : "memory");
}

NOIPA static void jumps (int n, int bytes)
{
#pragma pp interval jumps(own, own_real, whole)
	pass (1);
	if (setjmp (back) == 0)
		jumper (n);
	// frames that were left behind may still lie there: these are deeper
	deeper_leaf (bytes);
	leaf ();
	pass (2);
}

static void left_by_longjmp (void)
{
	for (int n = 0; n < 4; n++)
		for (int bytes = 64; bytes < 8192; bytes *= 4) {
			double inside = (n + 1) * 15 + 10;
			bool right;

			start ();
			jumps (n, bytes);
			right = sum_at (own, "jumps/jumps") == 3 + (n + 1) * 10 &&
				sum_at (whole, "jumps/jumps") == 3 + inside &&
				sum_at (own, "leaf/leaf") == (n + 3) * 5 &&
				sum_at (own_real, "jumps/jumps") * 4 == 3 + (n + 1) * 10 &&
				newly_dropped (PP_DROP_LONGJMP) == n + 1;
			if (!right)
				note ("own %g, whole %g, leaf %g, real %g",
				      sum_at (own, "jumps/jumps"), sum_at (whole, "jumps/jumps"),
				      sum_at (own, "leaf/leaf"), sum_at (own_real, "jumps/jumps"));
			ok (right,
			    "what a longjmp left unfinished is its caller's own, what had ended in "
			    "it is not: %d levels, %d bytes",
			    n + 1, bytes);
		}
}

NOIPA static void thrower (int n)
{
#pragma pp interval thrower(own, own_real)
	pass (10);
	if (n == 0)
		throw 42;
	thrower (n - 1);
	sink++;
}

NOIPA static void catcher (void)
{
#pragma pp interval catcher(own, own_real)
	pass (1);
	try {
		thrower (4);
	} catch (int) {
		pass (2);
		leaf ();
	}
}

static void left_by_exceptions (void)
{
	start ();
	catcher ();
	same (sum_at (own, "catcher/catcher"), 3, "an exception ends what it leaves");
	same (sum_at (own, "thrower/thrower"), 50, "... and each level has its own part");
	same (sum_at (own_real, "catcher/catcher") * 4, 3, "... as a double too");
	same (newly_dropped_in_all (), 0, "... and nothing is dropped");
}

// ---- switched on and off inside

NOIPA static void inner_switched (void)
{
#pragma pp interval inner_switched
	pass (5);
}

NOIPA static void middle_switched (int round)
{
#pragma pp interval middle_switched
	pass (10);
	if (round == 1)
		pp_bind (dynamic, "outer_switched/outer_switched", 1);
	if (round == 2)
		pp_unbind (dynamic, "middle_switched/middle_switched");
	inner_switched ();
	if (round == 3)
		pp_unbind (dynamic, "inner_switched/inner_switched");
	if (round == 4) {
		pp_unbind (dynamic, "middle_switched/middle_switched");
		pp_bind (dynamic, "middle_switched/middle_switched", 1);
	}
	inner_switched ();
}

NOIPA static void outer_switched (int round)
{
#pragma pp interval outer_switched
	pass (1);
	middle_switched (round);
	pass (2);
	inner_switched ();
}

static void switched (void)
{
	static const struct {
		bool outer, middle, inner;
		double own_outer, own_middle, own_inner;
		const char *name;
	} rounds[] = {
		{true, true, true, 3, 10, 15, "everything is bound"},
		{false, true, true, 0, 10, 15,
		 "the outer one is bound inside: it has no sample then"},
		{true, true, true, 13, 0, 15,
		 "the middle one is unbound inside: its time is the outer one's own, what it has "
		 "inside is not"},
		{true, true, true, 8, 15, 5,
		 "the inner one is unbound between two executions: the second is its caller's own"},
		{true, true, true, 13, 0, 15,
		 "the middle one is bound anew inside: what began before has no sample"},
		{true, false, true, 13, 0, 15, "the middle one is not bound"},
	};

	for (int i = 0; i < 6; i++) {
		bool right;

		start ();
		if (rounds[i].outer)
			pp_bind (dynamic, "outer_switched/outer_switched", 1);
		if (rounds[i].middle)
			pp_bind (dynamic, "middle_switched/middle_switched", 1);
		pp_bind (dynamic, "inner_switched/inner_switched", 1);
		outer_switched (i);
		right = sum_at (dynamic, "outer_switched/outer_switched") == rounds[i].own_outer &&
			sum_at (dynamic, "middle_switched/middle_switched") ==
				rounds[i].own_middle &&
			sum_at (dynamic, "inner_switched/inner_switched") == rounds[i].own_inner;
		if (!right)
			note ("outer %g, middle %g, inner %g",
			      sum_at (dynamic, "outer_switched/outer_switched"),
			      sum_at (dynamic, "middle_switched/middle_switched"),
			      sum_at (dynamic, "inner_switched/inner_switched"));
		ok (right, "%s", rounds[i].name);
		pp_unbind (dynamic, "outer_switched/outer_switched");
		pp_unbind (dynamic, "middle_switched/middle_switched");
		pp_unbind (dynamic, "inner_switched/inner_switched");
		// an end of what was unbound inside comes while nothing is bound
		leaf ();
	}
}

// ---- one in N

NOIPA static void third_inner (void)
{
#pragma pp interval third_inner(third)
	pass (7);
}

NOIPA static void third_outer (void)
{
#pragma pp interval third_outer(third)
	pass (2);
	third_inner ();
	third_inner ();
}

static void one_in_n (void)
{
	start ();
	for (int i = 0; i < 30; i++)
		third_outer ();
	same (at (third, "third_outer/third_outer", PP_STAT_COUNT), 10,
	      "every=3 keeps one sample in three");
	same (at (third, "third_outer/third_outer", PP_STAT_MIN), 2,
	      "... and what is nested is taken away, kept or not: the least ...");
	same (at (third, "third_outer/third_outer", PP_STAT_MAX), 2, "... is the most");
	same (at (third, "third_inner/third_inner", PP_STAT_COUNT), 20,
	      "... at each site by itself");
	same (at (third, "third_inner/third_inner", PP_STAT_ESTIMATED_COUNT), 60,
	      "... and executions are estimated");
}

// ---- other stacks

static ucontext_t fibre, host;
static char *fibre_stack;

static void on_fibre (void)
{
	for (;;) {
		{
#pragma pp interval on_fibre(own, whole)
			pass (20);
			leaf ();
		}
		swapcontext (&fibre, &host);
	}
}

NOIPA static void runs_fibre (void)
{
#pragma pp interval runs_fibre(own, whole)
	pass (3);
	swapcontext (&host, &fibre);
	leaf ();
}

static void other_stacks (void)
{
	fibre_stack = (char *) malloc (256 << 10);
	getcontext (&fibre);
	fibre.uc_stack.ss_sp = fibre_stack;
	fibre.uc_stack.ss_size = 256 << 10;
	makecontext (&fibre, on_fibre, 0);
	start ();
	runs_fibre ();
	runs_fibre ();
	same (sum_at (own, "on_fibre/on_fibre"), 40,
	      "on a fibre's stack nested is what is nested there");
	same (sum_at (own, "runs_fibre/runs_fibre"), 2 * 28,
	      "... which is no part of what is open on another stack");
	free (fibre_stack);
}

static void handler (int number)
{
#pragma pp interval handler(own)
	pass (number == SIGUSR1 ? 100 : 1000);
}

NOIPA static void interrupted (int number)
{
#pragma pp interval interrupted(own)
	pass (1);
	raise (number);
	pass (1);
}

static void handlers (void)
{
	struct sigaction action = {};
	stack_t stack = {}, former;

	stack.ss_size = 128 << 10;
	stack.ss_sp = malloc (stack.ss_size);
	sigaltstack (&stack, &former);
	action.sa_handler = handler;
	sigaction (SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction (SIGUSR2, &action, NULL);
	start ();
	interrupted (SIGUSR1);
	same (sum_at (own, "interrupted/interrupted"), 2,
	      "what a handler measures on the same stack is nested");
	start ();
	interrupted (SIGUSR2);
	same (sum_at (own, "interrupted/interrupted"), 1002, "... on a stack of its own it is not");
	same (sum_at (own, "handler/handler"), 1000, "... and has all of its time");
	sigaltstack (&former, NULL);
	free (stack.ss_sp);
}

// ---- calls and spans

static const char *volatile called = "called", *volatile called_too = "called_too";

NOIPA static void by_calls (void)
{
	pp_begin (called);
	pass (1);
	leaf ();
	{
#pragma pp interval by_calls(own)
		pass (2);
		pp_begin (called_too);
		pass (4);
		leaf ();
		pp_end (called_too);
	}
	pass (8);
	pp_end (called);
}

NOIPA static void crossing (void)
{
	pp_begin (called);
	pass (1);
	pp_begin (called_too);
	pass (2);
	pp_end (called);
	pass (4);
	pp_end (called_too);
}

static void calls_and_spans (void)
{
	pp_site *request = pp_span_site ("request");
	pp_span span, other;

	pp_begin (called);
	pp_end (called);
	pp_begin (called_too);
	pp_end (called_too);
	pp_bind (own, "called", 1);
	pp_bind (own, "called_too", 1);
	pp_bind (own, "request", 1);
	start ();
	by_calls ();
	same (sum_at (own, "called"), 9,
	      "intervals of calls have what is nested in them: markers ...");
	same (sum_at (own, "by_calls/by_calls"), 2, "... have calls inside ...");
	same (sum_at (own, "called_too"), 4, "... and these have markers");
	start ();
	crossing ();
	same (sum_at (own, "called"), 3, "intervals that cross are not nested: the first ...");
	same (sum_at (own, "called_too"), 6, "... and the second have all of their time");
	start ();
	span = pp_span_begin (request);
	pass (1);
	other = pp_span_begin (request);
	leaf ();
	pp_span_end (other);
	pp_span_end (span);
	same (pp_sum (own), 6 + 5 + 5, "a span is in nothing, and nothing in it");
	pp_unbind (own, "called");
	pp_unbind (own, "called_too");
	pp_unbind (own, "request");
}

// ---- threads

static void *thread_main (void *)
{
	for (int i = 0; i < 200; i++)
		root ();
	return NULL;
}

static void threads (void)
{
	pthread_t thread[4];

	start ();
	for (pthread_t &one : thread)
		pthread_create (&one, NULL, thread_main, NULL);
	for (pthread_t one : thread)
		pthread_join (one, NULL);
	same (sum_at (own, "root/root"), 800 * 6, "threads nest each by itself");
	same (pp_sum (own), sum_at (whole, "root/root"), "... and all together");
}

// ---- declared

static void declared (void)
{
	pp_metric *m = NULL;

	same (pp_metric_new (&m, "by_text", "interval histogram(elapsed, scope=self)"), PP_OK,
	      "a scope is an option of the declaration");
	same (pp_metric_new (NULL, "by_text", "interval histogram(elapsed)"), PP_EEXIST,
	      "... and part of it");
	same (pp_metric_new (NULL, "wrong", "interval stats(elapsed, scope=mine)"), PP_EINVAL,
	      "there are scopes that there are");
	same (pp_metric_new (NULL, "wrong", "point stats(value, scope=self)"), PP_EINVAL,
	      "points have none");
	same (pp_metric_new (NULL, "wrong", "interval count(elapsed, scope=self)"), PP_EINVAL,
	      "a count has no part of its own");
	same (pp_metric_new (NULL, "wrong", "interval stats(value, scope=self)"), PP_EINVAL,
	      "nor has what was captured");
	start ();
	pp_bind (series, "leaf/leaf", 1);
	pp_bind (series, "root/root", 1);
	root ();
	same (pp_stat (series, NULL, PP_STAT_N), 7, "every accumulator can keep own parts");
	pp_unbind (series, "leaf/leaf");
	pp_unbind (series, "root/root");
}

// ---- what ends look at

#if defined(__x86_64__) && !defined(GUARDS) && !UNDER_TSAN && !UNDER_ASAN
static volatile sig_atomic_t steps;

static void on_trap (int, siginfo_t *, void *context)
{
	uintptr_t ip = static_cast<ucontext_t *> (context)->uc_mcontext.gregs[REG_RIP];

	steps = steps + !is_in_vdso (ip);
}

// Instructions of one execution of an interval with a scope.
NOIPA static int one_more (void)
{
	steps = 0;
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea "
			 "128(%%rsp), %%rsp" ::
				 : "memory", "cc");
	{
#pragma pp interval within(own_ticks)
		sink = sink + 1;
	}
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; lea "
			 "128(%%rsp), %%rsp" ::
				 : "memory", "cc");
	return steps;
}

NOIPA static int below (int depth, bool has_scope)
{
	int n;

	if (!depth)
		return one_more ();
	if (has_scope) {
#pragma pp interval with_scope(scoped)
		n = below (depth - 1, has_scope);
	} else {
#pragma pp interval without(around)
		n = below (depth - 1, has_scope);
	}
	sink = sink + 1;
	return n;
}

// The fewest where so many are open: a frame that begins a page takes more.
static int fewest (int depth, bool has_scope)
{
	int least = below (depth, has_scope);

	for (int i = 1; i < 3; i++) {
		int n = below (depth + 3 * i, has_scope);

		least = n < least ? n : least;
	}
	return least;
}

static void many_around (void)
{
	struct sigaction action = {};

	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO;
	sigaction (SIGTRAP, &action, nullptr);
	below (60, false);
	below (60, true);
	int few = fewest (1, false), many = fewest (50, false), few_scoped = fewest (1, true),
	    many_scoped = fewest (50, true);

	signal (SIGTRAP, SIG_DFL);
	note ("an execution in 1 of another metric's takes %d instructions, in 50 %d; where that "
	      "has a scope %d and %d",
	      few, many, few_scoped, many_scoped);
	ok (few > 50 && many <= few + 8,
	    "an end does not look at what is open around it of metrics without a scope");
	ok (few_scoped > 50 && many_scoped <= few_scoped + 8,
	    "nor at what is open of another metric with one");
}
#else
static void many_around (void)
{
}
#endif

int main (void)
{
	nested ();
	recursive ();
	too_deep ();
	left_by_longjmp ();
	left_by_exceptions ();
	switched ();
	one_in_n ();
	other_stacks ();
	handlers ();
	calls_and_spans ();
	threads ();
	declared ();
	many_around ();
	note_drops ();
	return checked ();
}
