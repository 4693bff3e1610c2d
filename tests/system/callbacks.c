/* SPDX-License-Identifier: MIT */
/*
 * callbacks.c: what a function that an assertion calls may do: bind, unbind, load and unload
 * policies, turn knobs and run through the very code that violates; it is never called again inside
 * itself. On the library's thread, and inline on the thread that saw it.
 */
#include "check.h"

#include <pthread.h>
#include <time.h>

PP_KNOB_INT (effort, 5, 1, 9, 1)

NOIPA static void work (long value)
{
#pragma pp interval work
	{
#pragma pp point seen value(value)
		__asm__ volatile("" ::"r"(value));
	}
}

NOIPA static void other (void)
{
#pragma pp interval other
	__asm__ volatile("");
}

static const char extra[] = "version: 1\n"
			    "metrics:\n"
			    "  rarely: {interval: elapsed, keep: count}\n"
			    "bind:\n"
			    "  - {metric: rarely, sites: other/other}\n";

static char extra_path[128];
static pthread_t main_thread;
static int inside, nested, calls, problems, done, own_thread;
static int inline_inside, inline_nested, inline_calls, inline_refused;

static void problem (int bad, const char *what)
{
	if (!bad)
		return;
	problems++;
	note ("in the function: %s", what);
}

static void react (const struct pp_violation *v, void *arg)
{
	(void) v;
	pp_metric *more = pp_metric_find ("more");
	struct pp_assertion_info info;
	double before, effort;

	(void) arg;
	__atomic_fetch_add (&nested, inside++, __ATOMIC_RELAXED);
	calls++;
	__atomic_fetch_add (&own_thread, pthread_equal (pthread_self (), main_thread) != 0,
			    __ATOMIC_RELAXED);
	if (calls == 1) {
		/* the code that violates, many times, and other sites */
		for (int i = 0; i < 100; i++)
			work (i % 2 ? 100 : 1);
		problem (pp_bind (more, "other/other", 1) != 1, "a metric is bound");
		before = pp_count (more);
		other ();
		problem (pp_count (more) != (isnan (before) ? 0 : before) + 1,
			 "and measures there");
		problem (pp_unbind (more, "other/other") != 1, "it is unbound");
		problem (pp_policy_load (extra_path) != PP_OK, "a policy is loaded");
		other ();
		problem (pp_count (pp_metric_find ("rarely")) != 1, "which measures");
		problem (pp_policy_unload (extra_path) != PP_OK, "and unloaded");
		problem (pp_knob_step ("effort", -2) != 1 ||
				 pp_knob_get ("effort", &effort) != PP_OK || effort != 3,
			 "a knob is turned");
		problem (pp_assertion_state ("busy", &info) != PP_OK || info.fired < 2,
			 "its own assertion goes on meanwhile");
		problem (pp_poll () != 0, "pp_poll calls nothing inside of a function");
		__atomic_store_n (&done, 1, __ATOMIC_RELEASE);
	}
	inside--;
}
PP_CALLABLE (react)

static void at_once (const struct pp_violation *v, void *arg)
{
	(void) arg;
	if (!pthread_equal (pthread_self (), main_thread))
		return; /* what react runs through */
	inline_nested += inline_inside++;
	inline_calls++;
	inline_refused += v->text == NULL && strstr (v->site, "work/seen") != NULL;
	/* violates again, on the same thread */
	work (1);
	work (100);
	inline_refused +=
		pp_policy_load (extra_path) == PP_ESTATE && pp_expect ("inner", "1 < 2") < 0;
	inline_inside--;
}
PP_CALLABLE_INLINE (at_once)

static const char policy[] = "version: 1\n"
			     "metrics:\n"
			     "  v: {point: value, keep: stats}\n"
			     "  more: {interval: elapsed, keep: count}\n"
			     "  took: {interval: elapsed, keep: stats}\n"
			     "bind:\n"
			     "  - {metric: v, sites: work/seen}\n"
			     "  - {metric: took, sites: work/work}\n"
			     "assertions:\n"
			     "  busy:\n"
			     "    at: work/seen\n"
			     "    expect: v.last < 50\n"
			     "    after: 4\n"
			     "    capture: [v, took]\n"
			     "    severity: error\n"
			     "    on_fire: [{call: react}, {call: at_once}]\n";

int main (void)
{
	main_thread = pthread_self ();
	if (!ok (write_file (extra_path, "-extra.yaml", extra) == 0 &&
			 load_policy (policy) == PP_OK,
		 "a policy calls functions of the program"))
		return checked ();
	for (int i = 0; i < 4; i++)
		work (10);
	work (100);
	ok (inline_calls == 1, "an inline function is called at once, by the thread that saw it");
	same (inline_nested, 0, "and not again inside of itself");
	same (inline_refused, 2,
	      "it knows where, has no sentence made for it, and is refused to load policies");
	for (int i = 0; i < 60000 && !__atomic_load_n (&done, __ATOMIC_ACQUIRE); i++)
		nanosleep (&(struct timespec){0, 1000000}, NULL);
	ok (__atomic_load_n (&done, __ATOMIC_ACQUIRE), "the other one is called");
	pp_policy_unload (extra_path);
	same (__atomic_load_n (&own_thread, __ATOMIC_RELAXED), 0, "by the library's thread");
	same (__atomic_load_n (&nested, __ATOMIC_RELAXED), 0,
	      "never inside of itself, though it violates the assertion itself");
	same (problems, 0,
	      "it may bind, unbind, load and unload, turn knobs, and run measured code");
	unlink (extra_path);
	return checked ();
}
