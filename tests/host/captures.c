/* SPDX-License-Identifier: MIT */
/*
 * captures.c: what a site captures is computed only for who reads it, also while readers come and
 * go. Every expression counts its evaluations, or would crash.
 */
#include "../system/check.h"

#include <pthread.h>

struct request {
	int n;
	const char *name;
};

static int evaluated[4];

static int ask (int which, int result)
{
	__atomic_fetch_add (&evaluated[which], 1, __ATOMIC_RELAXED);
	return result;
}

static double ask_real (int which, double result)
{
	return ask (which, 1) * result;
}

/* clang-format off */
#pragma pp metric t        interval stats(elapsed)
#pragma pp metric of_n     interval stats(dim:n)
#pragma pp metric of_ratio interval stats(dim:ratio)
#pragma pp metric names    interval count(dim:name)
#pragma pp metric how_many point count(count)
#pragma pp metric values   point stats(value)
#pragma pp metric reals    point stats(value)
#pragma pp metric extra    point stats(dim:extra)
/* clang-format on */

NOIPA static void one (struct request *r)
{
#pragma pp interval one dim(n = r->n, name = r->name)
	__asm__ volatile("" : : "r"(r) : "memory");
}

NOIPA static void several (struct request *r, int n)
{
#pragma pp interval several dim(n = ask(0, n), ratio = ask_real(1, n / 2.0), name = r->name)
	__asm__ volatile("" : : "r"(r) : "memory");
}

NOIPA static void point (int n){
#pragma pp point point value(ask(2, n))
}

NOIPA static void real_point (double x){
#pragma pp point real_point value(ask_real(2, x))
}

NOIPA static void both (const struct request *r)
{
#pragma pp point both value(r->n) dim(extra = ask(3, 9))
}

static void forget (void)
{
	memset (evaluated, 0, sizeof (evaluated));
}

static void nobody_reads (void)
{
	struct request r = {3, "three"};

	pp_bind (t, "one", 1);
	one (NULL);
	one (NULL);
	same (pp_count (t), 2,
	      "a dimension that nobody reads is not computed: NULL is not followed");
	pp_bind (names, "one", 1);
	one (&r);
	same (pp_count (names), 1, "a text is computed for who counts it");
	pp_unbind (names, "one");
	one (NULL);
	same (pp_count (t), 4, "and not when nobody counts it any more");
	pp_unbind (t, "one");
}

static void one_of_several (void)
{
	pp_bind (t, "several", 1);
	pp_bind (of_ratio, "several", 1);
	several (NULL, 5);
	several (NULL, 7);
	same (pp_avg (of_ratio), 3, "one dimension of several is read");
	ok (evaluated[0] == 0 && evaluated[1] == 2, "and computed alone");
	pp_bind (of_n, "several", 1);
	several (NULL, 8);
	same (pp_last (of_n), 8, "a second reader gets its own");
	ok (evaluated[0] == 1 && evaluated[1] == 3, "from the next execution on");
	same (pp_last (of_ratio), 4, "and the first reader keeps what it reads");
	pp_unbind (of_ratio, "several");
	several (NULL, 10);
	ok (evaluated[0] == 2 && evaluated[1] == 3,
	    "what nobody reads any more is not computed any more");
	pp_unbind (of_n, "several");
	pp_unbind (t, "several");
}

static void values_of_points (void)
{
	forget ();
	pp_bind (how_many, "point", 1);
	point (1);
	point (2);
	same (pp_count (how_many), 2, "executions are counted");
	same (evaluated[2], 0, "without the value that nobody reads");
	pp_bind (values, "point", 1);
	point (4);
	same (pp_last (values), 4, "the value is there for who reads it");
	pp_bind (reals, "real_point", 1);
	real_point (0.25);
	same (pp_last (reals), 0.25, "a double too");
	pp_unbind (how_many, "point");
	point (-6);
	same (pp_min (values), -6, "with other metrics of the site gone");
	pp_unbind (values, "point");
	forget ();
	pp_bind (extra, "both", 1);
	both (NULL);
	same (pp_last (extra), 9, "a dimension of a point is read without its value");
	pp_unbind (extra, "both");
}

/* ---- readers that come and go ---------------------------------------------------------------- */

static int stop;

static void *executes (void *unused)
{
	(void) unused;
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		point (5);
		several (NULL, 6);
	}
	return NULL;
}

static void beside_changes (void)
{
	enum { TIMES = 400 };
	pthread_t thread;

	pp_reset (values);
	pp_reset (of_n);
	pp_reset (of_ratio);
	pp_bind (how_many, "point", 1);
	pp_bind (t, "several", 1);
	pthread_create (&thread, NULL, executes, NULL);
	for (int i = 0; i < TIMES; i++) {
		pp_bind (values, "point", 1);
		pp_bind (i % 2 ? of_n : of_ratio, "several", 1);
		sched_yield ();
		pp_unbind (values, "point");
		pp_unbind (i % 2 ? of_n : of_ratio, "several");
	}
	pp_bind (values, "point", 1);
	pp_bind (of_n, "several", 1);
	pp_bind (of_ratio, "several", 1);
	while (pp_count (values) < 1 || pp_count (of_n) < 1 || pp_count (of_ratio) < 1)
		sched_yield ();
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (thread, NULL);
	ok (pp_min (values) == 5 && pp_max (values) == 5,
	    "no sample is taken of a value that was not computed when its reader was bound");
	ok (pp_min (of_n) == 6 && pp_max (of_n) == 6 && pp_min (of_ratio) == 3 &&
		    pp_max (of_ratio) == 3,
	    "nor of a dimension");
}

int main (void)
{
	nobody_reads ();
	one_of_several ();
	values_of_points ();
	beside_changes ();
	return checked ();
}
