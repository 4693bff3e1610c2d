/* SPDX-License-Identifier: MIT */
/*
 * ages.c: who asks how old open executions are while threads begin and end some sees none that
 * never was: a frame whose time was not written yet, or in whose place another one's values were.
 * And all that are watched have an age since their begin, whatever is bound there; those of a
 * thread that has ended are over.
 */
#include "check.h"

#include <pthread.h>
#include <time.h>

struct wide {
	int64_t x[8];
};
struct wide wide_begin (void);
int64_t wide_end (const struct wide *begin);

/* clang-format off */
#pragma pp metric m_wide interval sumcount(wide_begin, wide_end)
#pragma pp metric m_count interval count(elapsed)
#pragma pp metric m_counts interval count(count)
#pragma pp metric m_seldom interval stats(elapsed, every=3)
/* clang-format on */

static __thread volatile long sink;
static int stop;
static pp_metric *m_corrected;

/* Taken for times these are from before the machine was started. */
NOIPA struct wide wide_begin (void)
{
	return (struct wide){{42, 42, 42, 42, 42, 42, 42, 42}};
}

NOIPA int64_t wide_end (const struct wide *begin)
{
	return begin->x[0];
}

NOIPA static void aged (void)
{
#pragma pp interval aged
	sink++;
}

NOIPA static void by_call (const char *name)
{
	pp_begin (name);
	sink++;
	pp_end (name);
}

NOIPA static void other (void)
{
#pragma pp interval other(m_wide)
	sink++;
}

/* Of in_flight and then open_age, as the first look may give an execution its time. */
NOIPA static double age (void)
{
	struct pp_assertion_info info;

	pp_expect ("some", "held/held.in_flight == 0");
	if (pp_expect ("young", "held/held.open_age <= 10ms") == 2 ||
	    pp_assertion_state ("young", &info))
		return -1;
	return info.left;
}

NOIPA static double held (int leave)
{
#pragma pp interval held
	nanosleep (&(struct timespec){.tv_nsec = 10000000}, NULL);
	if (leave)
		pthread_exit (NULL);
	return age ();
}

static void *left (void *arg)
{
	held (1);
	return arg;
}

/* Ages of watched executions with A and B bound, in their first execution and later ones. */
static int old_enough (pp_metric *a, pp_metric *b)
{
	int n = 0;

	pp_bind (a, "held/held", 0);
	if (b)
		pp_bind (b, "held/held", 0);
	for (int i = 0; i < 4; i++)
		n += held (0) >= 0.01;
	pp_unbind (a, "held/held");
	if (b)
		pp_unbind (b, "held/held");
	return n;
}

static void open_ones (void)
{
	pthread_t thread;

	age ();
	same (old_enough (m_wide, NULL), 4,
	      "executions of a site with a function are as old as they are");
	same (old_enough (m_count, NULL), 4, "... of one that is only counted");
	same (old_enough (m_count, m_counts), 4, "... counted twice");
	same (old_enough (m_seldom, NULL), 4, "... sampled now and then");
	pp_bind (m_count, "held/held", 0);
	pthread_create (&thread, NULL, left, NULL);
	pthread_join (thread, NULL);
	/* it may be there for a moment after it was joined */
	for (int i = 0; i < 12000 && pp_expect ("none", "held/held.in_flight == 0") != 1; i++)
		usleep (5000);
	ok (pp_expect ("none", "held/held.in_flight == 0") == 1 && age () <= 0 && age () >= 0,
	    "what a thread left open when it ended isn't open, and nothing open is of no age");
	pp_unbind (m_count, "held/held");
	ok (age () < 0, "where nothing is bound the age is unknown");
}

static void *work (void *arg)
{
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		other ();
		aged ();
		by_call (arg);
	}
	return NULL;
}

int main (void)
{
	static char name[] = "called";
	pthread_t threads[2];
	int looks = UNDER_TSAN || UNDER_ASAN ? 2000 : 20000, old[2] = {0, 0};

	open_ones ();
	/* which has no generated code */
	pp_metric_new (&m_corrected, "m_corrected", "interval stats(elapsed, corrected)");
	pp_bind (m_corrected, "aged", 0);
	by_call (name);
	pp_bind (m_corrected, "called", 0);
	for (int i = 0; i < 2; i++)
		if (pthread_create (&threads[i], NULL, work, name))
			return 1;
	for (int i = 0;
	     i < looks || !(pp_count (m_wide) > (UNDER_TSAN || UNDER_ASAN ? 100000 : 2000000));
	     i++) {
		old[0] += pp_expect ("aged", "aged/aged.open_age <= 30s") == 0;
		old[1] += pp_expect ("called", "called.open_age <= 30s") == 0;
	}
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join (threads[i], NULL);
	same (old[0], 0, "no execution is older than it can be");
	same (old[1], 0, "none that is calls is");
	ok (pp_count (m_corrected) > 0 && pp_count (m_wide) > 0, "they were measured all the time");
	return checked ();
}
