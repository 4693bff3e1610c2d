/* SPDX-License-Identifier: MIT */
/*
 * kept.c: errno, how arithmetic rounds, its flags and control words are the host's own behind every
 * marker, whatever functions of the program's that ran there have done to them.
 */
#include "../system/check.h"

#include <fenv.h>
#include <pthread.h>

static int spoiled;

static void spoil (void)
{
	spoiled++;
	errno = 77;
	fesetround (FE_UPWARD);
	feraiseexcept (FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID | FE_INEXACT);
}

static int64_t spoil_int (void)
{
	spoil ();
	return 1;
}

static int64_t spoil_begin (void)
{
	spoil ();
	return 2;
}

static int64_t spoil_end (const int64_t *was)
{
	spoil ();
	return *was;
}

static double spoil_double (void)
{
	spoil ();
	return 0.5;
}

static double spoil_operator (double begin, double end)
{
	spoil ();
	return end - begin;
}

static void spoil_callback (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
	spoil ();
}

PP_OPERATOR (spoil_operator)
PP_CALLABLE_INLINE (spoil_callback)
PP_SOURCE_POINT_INT (spoiling, spoil_int, "")

/* clang-format off */
#pragma pp metric alone     interval stats(spoil_begin, spoil_end)
#pragma pp metric another   interval stats(spoil_begin, spoil_end)
#pragma pp metric combined  interval stats(spoil_int, operator=spoil_operator)
#pragma pp metric at_point  point stats(spoil_int)
#pragma pp metric at_point2 point stats(spoiling)
#pragma pp metric real      point stats(spoil_double)
#pragma pp metric sampled   interval stats(spoil_int, operator=max)
#pragma pp metric checked_t interval stats(elapsed)
#pragma pp metric system_t  interval stats(page_faults)
/* clang-format on */

/* ---- the host's ------------------------------------------------------------------------------ */

struct state {
	int error, round, flags;
	unsigned mxcsr;
	unsigned short control, status;
};

static struct state state_now (void)
{
	struct state s = {errno, fegetround (), fetestexcept (FE_ALL_EXCEPT), 0, 0, 0};

#ifdef __x86_64__
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
			 : "=m"(s.mxcsr), "=m"(s.control), "=m"(s.status));
	s.status &= 0xff;
#endif
	return s;
}

static struct state host_state (void)
{
	feclearexcept (FE_ALL_EXCEPT);
	feraiseexcept (FE_UNDERFLOW);
	fesetround (FE_DOWNWARD);
	errno = 5;
	return state_now ();
}

static void host_default (void)
{
	fesetenv (FE_DFL_ENV);
}

static int kept (void (*run) (void))
{
	struct state was = host_state (), is;

	for (int i = 0; i < 3; i++)
		run ();
	is = state_now ();
	host_default ();
	if (is.error == was.error && is.round == was.round && is.flags == was.flags &&
	    is.mxcsr == was.mxcsr && is.control == was.control && is.status == was.status)
		return 1;
	printf ("# errno %d, rounding %x, flags %x, mxcsr %x, x87 %x %x; before %d, %x, %x, %x, %x "
		"%x\n",
		is.error, (unsigned) is.round, (unsigned) is.flags, is.mxcsr, is.control, is.status,
		was.error, (unsigned) was.round, (unsigned) was.flags, was.mxcsr, was.control,
		was.status);
	return 0;
}

/* ---- the ways to them ------------------------------------------------------------------------ */

NOIPA static void interval (void)
{
#pragma pp interval interval
	__asm__ volatile("" : : : "memory");
}

NOIPA static void point (void){
#pragma pp point point
}

NOIPA static void inline_interval (void)
{
#pragma pp interval inside(checked_t)
	__asm__ volatile("" : : : "memory");
}

/* not lowered: calls */
static void (*volatile begin_call) (const char *) = pp_begin;
static void (*volatile end_call) (const char *) = pp_end;
static void (*volatile point_call) (const char *) = pp_point;

NOIPA static void calls (void)
{
	begin_call ("called");
	end_call ("called");
	point_call ("called_point");
}

static pp_site *span_site;

NOIPA static void span (void)
{
	pp_span s = pp_span_begin (span_site);

	pp_span_end (s);
}

NOIPA static void by_hand (void)
{
#pragma pp sample_begin sampled
#pragma pp sample_end sampled
}

static void case_of (const char *pattern, pp_metric *first, pp_metric *second, void (*run) (void),
		     const char *what)
{
	int before = spoiled;

	pp_bind (first, pattern, 1);
	if (second)
		pp_bind (second, pattern, 1);
	ok (kept (run), "%s: errno, rounding and flags are the host's", what);
	ok (spoiled > before, "%s: the functions were called", what);
	pp_unbind (first, pattern);
	if (second)
		pp_unbind (second, pattern);
}

static void *first_of_thread (void *unused)
{
	(void) unused;
	return (void *) (uintptr_t) kept (interval);
}

static void in_a_new_thread (void)
{
	pthread_t thread;
	void *result = NULL;

	pp_bind (system_t, "interval", 1);
	pthread_create (&thread, NULL, first_of_thread, NULL);
	pthread_join (thread, &result);
	ok (result != NULL, "the first marker of a thread, with a source that is a system call: "
			    "they are the host's");
	pp_unbind (system_t, "interval");
}

static void in_a_callback (void)
{
	static const char text[] = "version: 1\n"
				   "assertions:\n"
				   "  never_holds:\n"
				   "    at: inline_interval/inside\n"
				   "    expect: checked_t.last < 0s\n"
				   "    on_fire: [{call: spoil_callback}]\n";
	char path[] = "/tmp/pp-kept-XXXXXX";
	int fd = mkstemp (path), before = spoiled;

	if (fd < 0 || write (fd, text, sizeof (text) - 1) != (ssize_t) sizeof (text) - 1 ||
	    pp_policy_load (path) < 0) {
		ok (0, "the policy can be loaded");
		return;
	}
	ok (kept (inline_interval), "a callback inline: errno, rounding and flags are the host's");
	ok (spoiled > before, "a callback inline: it was called");
	pp_policy_unload (path);
	close (fd);
	unlink (path);
}

int main (void)
{
	in_a_new_thread ();
	case_of ("interval", alone, NULL, interval, "one function of an interval");
	case_of ("interval", alone, another, interval, "two metrics of functions");
	case_of ("interval", combined, NULL, interval, "an operator of the program's");
	case_of ("point", at_point, NULL, point, "a function at a point");
	case_of ("point", at_point, at_point2, point, "a function and a source of the program's");
	case_of ("point", real, NULL, point, "a function that returns a double");
	calls ();
	case_of ("called", alone, NULL, calls, "a begin and an end that are calls");
	case_of ("called_point", at_point, NULL, calls, "a point that is a call");
	span_site = pp_span_site ("a span");
	case_of ("a span", alone, NULL, span, "a span");
	ok (kept (by_hand),
	    "a sample that the code takes itself: errno, rounding and flags are the host's");
	in_a_callback ();
	return checked ();
}
