/* SPDX-License-Identifier: MIT */
/*
 * budget.c: a program whose markers cost more than a fifth of its time gets a policy with a budget
 * of 1 %, five times. Prints for each time what they cost before, in percent of what the program
 * takes without them; what they cost from two seconds after the policy was loaded on; and after how
 * many seconds the library took anything away for the last time. How much is what the program
 * itself measures, by how fast it goes beside the same program without markers; the library's own
 * figures are not asked.
 */
#include <pp.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLICES = 1000, SOME = 60, RUNS = 5 };

#define MARKED_S 0.010 /* of CPU time */
#define PLAIN_S 0.001
#define AFTER_S 2.0
#define RUN_S 4.0
#define AIM 24 /* percent: 20 at least, with the noise of a shared machine */

static long work = 100;

/* clang-format off */
/* independent chains: the processor is busy, and markers take what they take from it */
#define FUNCTION(name, MARK) \
	__attribute__ ((noinline)) static void name (void) \
	{ \
		long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6; \
		MARK \
		for (long i = 0; i < work; i++) { \
			a += i; b ^= i; c += i; d ^= i; e += i; f ^= i; \
			__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f)); \
		} \
	}
#define MARKED(name) FUNCTION (name, PP_INTERVAL (call))
#define PLAIN(name) FUNCTION (name,)
MARKED (marked_0) MARKED (marked_1) MARKED (marked_2) MARKED (marked_3) MARKED (marked_4)
PLAIN (plain_0) PLAIN (plain_1) PLAIN (plain_2) PLAIN (plain_3) PLAIN (plain_4)
	/* clang-format on */

	typedef void function (void);
static function *const marked[] = {marked_0, marked_1, marked_2, marked_3, marked_4};
static function *const plain[] = {plain_0, plain_1, plain_2, plain_3, plain_4};

/* Some functions are called more often than others. */
static void execute (function *const *functions)
{
	for (int i = 0; i < 5; i++)
		for (int times = 1 << i; times > 0; times--)
			functions[i]();
}

static double seconds (clockid_t clock)
{
	struct timespec t;

	clock_gettime (clock, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* CPU time for one execution, over a slice of it. */
static double slice (function *const *functions, double length)
{
	double begin = seconds (CLOCK_THREAD_CPUTIME_ID), end;
	unsigned n = 0;

	do {
		for (int i = 0; i < 10; i++)
			execute (functions);
		n += 10;
		end = seconds (CLOCK_THREAD_CPUTIME_ID);
	} while (end - begin < length);
	return (end - begin) / n;
}

/*
 * Of the marked functions' to the others', right behind each other: what else the machine does
 * slows both down.
 */
static double ratio (void)
{
	double with = slice (marked, MARKED_S);

	return with / slice (plain, PLAIN_S);
}

static int by_size (const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return x < y ? -1 : x > y;
}

static double median (double *values, size_t n)
{
	qsort (values, n, sizeof *values, by_size);
	return n > 0 ? values[n / 2] : 0;
}

static double several (void)
{
	double values[SOME];

	for (size_t i = 0; i < SOME; i++)
		values[i] = ratio ();
	return median (values, SOME);
}

static int with_policy (int load)
{
	static char path[] = "/tmp/ppgcc-bench-XXXXXX";
	int file;
	FILE *out;

	if (!load) {
		unlink (path);
		return pp_policy_unload (path);
	}
	strcpy (path, "/tmp/ppgcc-bench-XXXXXX");
	file = mkstemp (path);
	out = file >= 0 ? fdopen (file, "w") : NULL;
	if (out == NULL)
		return -1;
	fputs ("version: 1\noverhead: {budget: 1%}\n", out);
	fclose (out);
	return pp_policy_load (path);
}

static double percent_more (double with, double without)
{
	return (with / without - 1) * 100;
}

/* Work between the markers for them to cost a fifth at least. */
static void find_work (pp_metric *m)
{
	for (int i = 0; i < 6; i++) {
		double without = several (), more;

		pp_bind (m, "*/call", 0);
		more = percent_more (several (), without);
		pp_unbind (m, "*/call");
		if (more > AIM - 2 && more < AIM + 2)
			return;
		if (more > 2 && more < 200)
			work = (long) ((double) work * more / AIM) + 1;
	}
}

struct run {
	double before, settled, last_change; /* percent, percent, seconds */
};

/* False: something failed. */
static int run (pp_metric *m, struct run *out)
{
	double without = several (), with, begin, now, settled[SLICES];
	struct pp_overhead o;
	uint64_t changes, was;
	size_t n = 0;

	pp_overhead (&o);
	changes = o.raised + o.taken;
	*out = (struct run){0};
	if (pp_bind (m, "*/call", 0) != 5)
		return 0;
	with = several ();
	if (with_policy (1) != PP_OK)
		return 0;
	begin = seconds (CLOCK_MONOTONIC);
	while ((now = seconds (CLOCK_MONOTONIC) - begin) < RUN_S && n < SLICES) {
		double one = ratio ();

		if (now > AFTER_S)
			settled[n++] = one;
		pp_overhead (&o);
		was = changes;
		changes = o.raised + o.taken;
		if (changes != was)
			out->last_change = seconds (CLOCK_MONOTONIC) - begin;
	}
	if (!n || with_policy (0) != PP_OK || pp_unbind (m, "*/call") != 5)
		return 0;
	without = (without + several ()) / 2;
	fprintf (stderr,
		 "budget: %u bindings sampled more seldom, %u unbound; %g %% by the library\n",
		 o.seldom, o.unbound, o.share * 100);
	out->before = percent_more (with, without);
	out->settled = percent_more (median (settled, n), without);
	return 1;
}

int main (void)
{
	pp_metric *m = NULL;

	if (pp_metric_new (&m, "m", "interval stats(elapsed)") != PP_OK)
		return 1;
	find_work (m);
	for (int i = 0; i < RUNS; i++) {
		struct run one;

		if (!run (m, &one))
			return 1;
		printf ("%f %f %f\n", one.before, one.settled, one.last_change);
	}
	return 0;
}
