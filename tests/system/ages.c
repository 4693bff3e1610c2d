/* SPDX-License-Identifier: MIT */
/*
 * ages.c: who asks how old open executions are while threads begin and end some sees none that never was: a frame whose time was not written yet, or
 * in whose place another one's values were.
 */
#include "check.h"

#include <pthread.h>

struct wide {
	int64_t x[8];
};
struct wide wide_begin (void);
int64_t wide_end (const struct wide *begin);

/* clang-format off */
#pragma pp metric m_wide interval sumcount(wide_begin, wide_end)
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

	/* which has no generated code */
	pp_metric_new (&m_corrected, "m_corrected", "interval stats(elapsed, corrected)");
	pp_bind (m_corrected, "aged", 0);
	by_call (name);
	pp_bind (m_corrected, "called", 0);
	for (int i = 0; i < 2; i++)
		if (pthread_create (&threads[i], NULL, work, name))
			return 1;
	for (int i = 0; i < looks || !(pp_count (m_wide) > (UNDER_TSAN || UNDER_ASAN ? 100000 : 2000000)); i++) {
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
