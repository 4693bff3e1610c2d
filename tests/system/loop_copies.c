/* SPDX-License-Identifier: MIT */
/*
 * loop_copies.c: loops that have a copy without markers. Whatever is bound and whenever that
 * changes, they compute what they compute without markers; what is bound counts every iteration;
 * and a loop that is under way notices.
 */
#include "check.h"

#include <pthread.h>
#include <stdint.h>

/* clang-format off */
#pragma pp metric times   interval count(count)
#pragma pp metric values  point    stats(value)
#pragma pp metric counted point    stats(value)
#pragma pp metric searched point   stats(value)
/* clang-format on */

enum { SIZE = 131072, MASK = SIZE - 1 };

struct link {
	const struct link *next;
	uint64_t value;
};

static unsigned ints[SIZE + 1];
static float floats[SIZE + 1];
static long order[SIZE];
static struct link links[SIZE];
static __thread uint64_t iterations;

static uint64_t bits_of (float x)
{
	uint32_t bits;

	memcpy (&bits, &x, sizeof bits);
	return bits;
}

static uint64_t sum_of (const float *x, long n)
{
	uint64_t s = 0;

	for (long i = 0; i < n; i++)
		s = s * 31 + bits_of (x[i]);
	return s;
}
#define sum_of_out(n) sum_of (out, n)

static const struct link *first_link (long n)
{
	return n ? &links[SIZE - n] : NULL;
}

#define KERNEL(NAME)                                                                               \
	static NOIPA uint64_t counting_##NAME (long n __attribute__ ((unused)),                    \
					       float *out __attribute__ ((unused)))
#define BODY(NAME) iterations++;
#define VALUE(NAME, EXPR) iterations++;
#include "loop_kernels.h"
#undef KERNEL
#undef BODY
#undef VALUE

#define KERNEL(NAME)                                                                               \
	static NOIPA uint64_t marked_##NAME (long n __attribute__ ((unused)),                      \
					     float *out __attribute__ ((unused)))
#define BODY(NAME) PP_INTERVAL (NAME)
#define VALUE(NAME, EXPR) PP_POINT_VALUE (NAME, EXPR)
#include "loop_kernels.h"

typedef uint64_t kernel (long n, float *out);
#define K(NAME)                                                                                    \
	{                                                                                          \
#NAME, counting_##NAME, marked_##NAME                                              \
	}

static const struct {
	const char *name;
	kernel *counting, *marked;
} kernels[] = {
	K (signed_up),
	K (unsigned_up),
	K (unsigned_down),
	K (unsigned_from),
	K (by_three),
	K (by_seven_down),
	K (wrapping),
	K (until_wrap),
	K (sixteen_bits),
	K (pointers),
	K (two_variables),
	K (dot),
	K (saxpy),
	K (stencil),
	K (carried),
	K (conditional),
	K (continued),
	K (search),
	K (several_ways_out),
	K (list),
	K (at_least_once),
	K (nested),
	K (chosen),
	K (constant_few),
	K (constant_one_strip),
	K (constant_even),
	K (constant_odd),
	K (constant_prime),
	K (measured_value),
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static const long sizes[] = {0,    1,    2,     3,     63,    8190,  8191,  8192,
			     8193, 8194, 16383, 16384, 16385, 65535, 65536, 100003};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* What a kernel computes and how many iterations it takes. */
struct outcome {
	uint64_t result, iterations;
};
static struct outcome expected[KERNELS][SIZES];

static float *prepare (float *out)
{
	for (long i = 0; i < SIZE; i++)
		out[i] = (float) i * 0.125f;
	return out;
}

static void prepare_all (float *out)
{
	for (long i = 0; i < SIZE; i++) {
		ints[i] = (unsigned) i * 2654435761u;
		floats[i] = (float) (i % 97) - 40.5f;
		order[i] = i;
		links[i].next = i + 1 < SIZE ? &links[i + 1] : NULL;
		links[i].value = (uint64_t) i * 7;
	}
	for (int k = 0; k < KERNELS; k++)
		for (int s = 0; s < SIZES; s++) {
			iterations = 0;
			expected[k][s].result = kernels[k].counting (sizes[s], prepare (out));
			expected[k][s].iterations = iterations;
		}
}

static int computes (int k, int s, float *out)
{
	uint64_t result = kernels[k].marked (sizes[s], prepare (out));

	if (result != expected[k][s].result)
		note ("%s of %ld: %llx, without markers %llx", kernels[k].name, sizes[s],
		      (unsigned long long) result, (unsigned long long) expected[k][s].result);
	return result == expected[k][s].result;
}

static int all_compute (float *out)
{
	int good = 1;

	for (int k = 0; k < KERNELS; k++)
		for (int s = 0; s < SIZES; s++)
			good &= computes (k, s, out);
	return good;
}

static double samples (void)
{
	double a = pp_count (times), b = pp_count (values);

	return (isnan (a) ? 0 : a) + (isnan (b) ? 0 : b);
}

static int all_count (float *out)
{
	int good = 1;

	for (int k = 0; k < KERNELS; k++)
		for (int s = 0; s < SIZES; s++) {
			double before = samples ();

			good &= computes (k, s, out);
			if (samples () - before == (double) expected[k][s].iterations)
				continue;
			note ("%s of %ld: %.0f samples, %.0f iterations", kernels[k].name, sizes[s],
			      samples () - before, (double) expected[k][s].iterations);
			good = 0;
		}
	return good;
}

/* ---- while it changes */

static int stop;

static void *switch_on_and_off (void *arg)
{
	(void) arg;
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		pp_bind (times, "**", 1);
		pp_bind (values, "measured_value", 1);
		sched_yield ();
		pp_unbind (times, "**");
		pp_unbind (values, "measured_value");
		sched_yield ();
	}
	return NULL;
}

static void *compute_twice (void *arg)
{
	float *out = malloc (SIZE * sizeof *out);

	*(int *) arg = out && all_compute (out) && all_compute (out);
	free (out);
	return NULL;
}

static void changing (void)
{
	pthread_t switching, computing[2];
	int good[2] = {0, 0};

	pthread_create (&switching, NULL, switch_on_and_off, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create (&computing[i], NULL, compute_twice, &good[i]);
	for (int i = 0; i < 2; i++)
		pthread_join (computing[i], NULL);
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (switching, NULL);
	ok (good[0] && good[1], "two threads compute the same while a third binds and unbinds");
}

/* ---- loops without end */

static NOIPA void *counted_loop (void *arg)
{
	unsigned long s = 0;

	for (long i = 0; i < INT64_MAX / 2; i++) {
		PP_POINT_VALUE (counted_loop, i)
		s = s * 3 + (unsigned long) i;
	}
	*(unsigned long *) arg = s;
	return NULL;
}

/* it is not known when this one ends */
static NOIPA void *searching_loop (void *arg)
{
	unsigned long s = 1, i = 0;

	while (s) {
		PP_POINT_VALUE (searching_loop, i)
		s = s * 3 + (i & 2);
		i++;
		s |= 1;
	}
	*(unsigned long *) arg = s;
	return NULL;
}

/* Waits for up to a minute. */
static int until_more_than (pp_metric *metric, double samples)
{
	for (int i = 0; i < 6000 && !(pp_count (metric) > samples); i++)
		usleep (10000);
	return pp_count (metric) > samples;
}

/*
 * Whether all iterations from the first counted to the last were; one may be about to be written
 * down.
 */
static int is_without_gap (pp_metric *metric)
{
	for (int i = 0; i < 6000; i++) {
		if (pp_count (metric) == pp_max (metric) - pp_min (metric) + 1)
			return 1;
		usleep (10000);
	}
	return 0;
}

/* A metric for each: the loop before runs on, and may be about to write one sample more. */
static void endless (void *(*loop) (void *), const char *site, pp_metric *metric)
{
	static unsigned long never;
	pthread_t thread;
	double n;

	pthread_create (&thread, NULL, loop, &never);
	pthread_detach (thread);
	usleep (100000);
	ok (isnan (pp_count (metric)) || pp_count (metric) == 0,
	    "%s: nothing is counted while nothing is bound", site);
	pp_bind (metric, site, 1);
	ok (until_more_than (metric, 20000),
	    "%s: a loop that is under way notices that something is bound", site);
	pp_unbind (metric, site);
	ok (is_without_gap (metric), "%s: from then on every iteration is counted, up to the last",
	    site);
	n = pp_count (metric);
	usleep (50000);
	ok (pp_count (metric) <= n + 1,
	    "%s: and none when it is unbound, but for one that had begun", site);
	pp_bind (metric, site, 1);
	ok (until_more_than (metric, n), "%s: it notices a second time", site);
	pp_unbind (metric, site);
}

int main (void)
{
	float *out = malloc (SIZE * sizeof *out);

	if (!out)
		return 99;
	prepare_all (out);
	ok (all_compute (out),
	    "what loops compute with nothing bound is what they compute without markers");
	same (samples (), 0, "nothing is counted then");
	pp_bind (times, "**", 1);
	pp_bind (values, "measured_value", 1);
	ok (all_count (out),
	    "they compute the same with something bound, and every iteration is counted");
	pp_unbind (times, "**");
	pp_unbind (values, "measured_value");
	ok (all_compute (out), "they compute the same when it is unbound again");
	changing ();
	endless (counted_loop, "counted_loop", counted);
	endless (searching_loop, "searching_loop", searched);
	free (out);
	return checked ();
}
