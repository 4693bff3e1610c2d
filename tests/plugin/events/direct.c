/* SPDX-License-Identifier: MIT */
/* What the code measures by itself: functions with arguments, inline sites. */
#include "events.h"

#include <stdio.h>

struct begun {
	int at;
	float weight;
	char tag[16];
};
enum level { LOW = 3, HIGH = 9 };

static int clock_now; /* advances with every reading */

static int now (void)
{
	return ++clock_now;
}
static int since (const int *then)
{
	return ++clock_now * 100 - *then;
}
static struct begun start (int at, float weight)
{
	struct begun b = {at, weight, "tagged"};
	return b;
}
static double stop (const struct begun *b, int scale)
{
	return (b->at + b->weight + b->tag[0]) * scale;
}
static float plain_start (void)
{
	return 1.25f;
}
static float weighted (const float *begun, double by)
{
	return *begun * (float) by;
}
static long depth (int a, const char *text)
{
	return a + text[0];
}
static enum level level (void)
{
	return HIGH;
}

#ifdef __PPGCC__
PP_METRIC (timing, interval, stats (now, since))
PP_METRIC (timing_again, interval, sumcount (now, since))
PP_METRIC (given, interval, stats (start, stop))
PP_METRIC (scaled, interval, stats (plain_start, weighted))
PP_METRIC (deep, point, stats (depth))
PP_METRIC (levels, point, stats (level))
PP_METRIC (kept, point, stats (value))
PP_METRIC (counted, point, count (count))
PP_METRIC (elapsed_time, interval, stats (elapsed))
#else
/* what the pragmas mean */
static void inline_end (const int *then)
{
	printf ("S timing %d at %s\n", since (then), "interval");
}
#endif

static int samples (int n)
{
#ifdef __PPGCC__
	PP_SAMPLE_BEGIN (timing)
	PP_SAMPLE_BEGIN (given, n, n / 2.0)
#pragma pp sample_begin scaled()
	n = opaque (n + 1);
	PP_SAMPLE_END (scaled, n)
	PP_SAMPLE_END (given, n > 3 ? 2 : 1)
#pragma pp sample_end timing
#pragma pp sample_end timing
	PP_SAMPLE_BEGIN (deep, n, "ABC")
#pragma pp sample_begin deep(opaque(n), "a")
	PP_SAMPLE_BEGIN (levels)
	PP_SAMPLE_BEGIN (kept, n * 2)
	PP_SAMPLE_BEGIN (kept, n / 2.0)
	PP_SAMPLE_BEGIN (counted)
	PP_SAMPLE_BEGIN (elapsed_time)
	PP_SAMPLE_END (elapsed_time)
#else
	int then = now ();
	struct begun b = start (n, (float) (n / 2.0));
	float w = plain_start ();
	printf ("S timing begins\nS given begins\nS scaled begins\n");
	n++;
	printf ("S scaled ends\nS scaled %g\n", weighted (&w, n));
	printf ("S given ends\nS given %g\n", stop (&b, n > 3 ? 2 : 1));
	printf ("S timing ends\nS timing %d\nS timing is not open\n", since (&then));
	printf ("S deep %ld\nS deep %ld\nS levels %d\n", depth (n, "ABC"), depth (n, "a"), level ());
	printf ("S kept %d\nS kept %g\nS counted 1\nS elapsed_time begins\nS elapsed_time ends\n", n * 2, n / 2.0);
#endif
	return n;
}

static int in_line (int n)
{
#ifdef __PPGCC__
#pragma pp interval interval(timing) inline
#else
	__attribute__ ((cleanup (inline_end))) int scope;
	scope = now ();
#endif
	n = opaque (n);
	if (n == 3)
		return n;
#ifdef __PPGCC__
#pragma pp point here(levels) inline group(g)
	{
		PP_INTERVAL_INLINE (both, timing, timing_again)
		n++;
	}
#else
	printf ("S levels %d at here\n", level ());
	{
		int first = now (), second = now ();
		n++;
		printf ("S timing_again %d at both\n", since (&second));
		printf ("S timing %d at both\n", since (&first));
	}
#endif
	for (int i = 0; i < n; i++) {
		P (loop)
		if (i == 2)
			break;
	}
	return n;
}

/* Ways out that "cleanup" does not know: they leave the outer interval, or only the inner, or none. */
#ifdef __PPGCC__
#define INLINE(NAME) PP_INTERVAL_INLINE (NAME, timing)
#define ENDS(NAME)
#else
#define INLINE(NAME) int NAME##_begun = now ();
#define ENDS(NAME) printf ("S timing %d at %s\n", since (&NAME##_begun), #NAME);
#endif

static int computed (int x)
{
	void *const to[] = {&&out, &&between, &&within};
	int rounds = 0;
	{
		INLINE (outer)
		P (in_outer)
		{
			INLINE (inner)
			P (in_inner)
		within:
			rounds++;
#ifndef __PPGCC__
			if (x < 2)
				ENDS (inner)
			if (x < 1)
				ENDS (outer)
#endif
			goto *to[x--];
		}
	between:
		P (between)
		ENDS (outer)
		return rounds;
	}
out:
	P (out)
	return -rounds;
}

static int always_leaves (int x)
{
	void *const to[] = {&&a, &&b};
	{
		INLINE (left)
		P (in_left)
		ENDS (left)
		goto *to[x & 1];
	}
a:
	P (at_a)
	return 1;
b:
	P (at_b)
	return 2;
}

int main (void)
{
	int sum = 0;
	for (int i = 0; i < 4; i++)
		sum += computed (opaque (i % 3)) + always_leaves (opaque (i));
	V (sum, sum)
	samples (opaque (2));
	samples (opaque (5));
	return in_line (opaque (3)) + in_line (opaque (1)) == 123456;
}
