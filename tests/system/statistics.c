/* SPDX-License-Identifier: MIT */
/*
 * statistics.c: every accumulator against the program's own computation: integers and doubles,
 * negative ones too, functions with results of any size, windows, sampling one in N, several sites
 * and threads merged, resets while threads run.
 */
#include "check.h"

#include <pthread.h>

struct large {
	int64_t words[8]; /* 64 bytes, the most there is room for */
};

struct pair {
	double x;
	int n;
};

int64_t begin_int (void);
int64_t end_int (const int64_t *begin);
double begin_double (void);
double end_double (const double *begin);
struct large begin_large (void);
int64_t end_large (const struct large *begin);
struct pair begin_pair (void);
double end_pair (const struct pair *begin);
int get_int (void);
double get_double (void);

/* clang-format off */
#pragma pp metric int_stats     point    stats(value)
#pragma pp metric int_sum       point    sumcount(value)
#pragma pp metric int_last      point    scalar(value)
#pragma pp metric int_series    point    bounded_series(value, size=37)
#pragma pp metric int_count     point    count(value)
#pragma pp metric double_stats  point    stats(value)
#pragma pp metric double_sum    point    sumcount(value)
#pragma pp metric double_last   point    scalar(value)
#pragma pp metric double_series point    bounded_series(value, size=37)
#pragma pp metric function_int    point  stats(get_int)
#pragma pp metric function_double point  stats(get_double)
#pragma pp metric pair_int      interval stats(begin_int, end_int)
#pragma pp metric pair_double   interval stats(begin_double, end_double)
#pragma pp metric pair_large    interval stats(begin_large, end_large)
#pragma pp metric pair_struct   interval stats(begin_pair, end_pair)
#pragma pp metric one_in_4      point    sumcount(value, every=4)
#pragma pp metric one_in_3      interval stats(elapsed, every=3)
#pragma pp metric sites         interval stats(begin_int, end_int)
#pragma pp metric by_hand       point    stats(value)
#pragma pp metric reset_me      point    sumcount(value)
#pragma pp metric reset_pairs   interval sumcount(elapsed)
/* clang-format on */

static __thread volatile long sink;
/* intervals with a fence would do without volatile, points have none */
static volatile int64_t now_int;
static volatile double now_double;

int64_t begin_int (void)
{
	return now_int;
}

int64_t end_int (const int64_t *begin)
{
	return now_int - *begin;
}

double begin_double (void)
{
	return now_double;
}

double end_double (const double *begin)
{
	return now_double - *begin;
}

struct large begin_large (void)
{
	struct large l;

	for (int i = 0; i < 8; i++)
		l.words[i] = now_int + i;
	return l;
}

int64_t end_large (const struct large *begin)
{
	int64_t sum = 0;

	for (int i = 0; i < 8; i++)
		sum += begin->words[i] - i;
	return sum == begin->words[0] * 8 ? begin->words[0] : -1000000;
}

struct pair begin_pair (void)
{
	return (struct pair){now_double, (int) now_int};
}

double end_pair (const struct pair *begin)
{
	return begin->x * begin->n;
}

int get_int (void)
{
	return (int) now_int;
}

double get_double (void)
{
	return now_double;
}

/* ---- what is expected ------------------------------------------------------------------------ */

struct own {
	long n;
	double sample[4096];
};

static void keep (struct own *o, double x)
{
	o->sample[o->n++] = x;
}

static double own_sum (const struct own *o, long from)
{
	long double s = 0;

	for (long i = from; i < o->n; i++)
		s += (long double) o->sample[i];
	return (double) s;
}

static double own_variance (const struct own *o, long from)
{
	long double mean = 0, s = 0;
	long n = o->n - from;

	for (long i = from; i < o->n; i++)
		mean += (long double) o->sample[i] / (long double) n;
	for (long i = from; i < o->n; i++)
		s += ((long double) o->sample[i] - mean) * ((long double) o->sample[i] - mean);
	return (double) (s / (long double) n);
}

static double own_extreme (const struct own *o, long from, int sign)
{
	double best = o->sample[from];

	for (long i = from; i < o->n; i++)
		if (sign * o->sample[i] > sign * best)
			best = o->sample[i];
	return best;
}

static int is_near (double a, double b, double scale)
{
	return fabs (a - b) <= 1e-12 * scale;
}

/* All statistics of samples FROM on. */
static void compare (const pp_metric *m, const struct own *o, long from, const char *what)
{
	double n = (double) (o->n - from), sum = own_sum (o, from), scale = 0,
	       variance = own_variance (o, from);

	for (long i = from; i < o->n; i++)
		scale += fabs (o->sample[i]);
	ok (pp_count (m) == n, "%s: count", what);
	ok (is_near (pp_sum (m), sum, scale), "%s: sum", what);
	ok (is_near (pp_avg (m), sum / n, scale / n), "%s: average", what);
	ok (pp_min (m) == own_extreme (o, from, -1), "%s: minimum", what);
	ok (pp_max (m) == own_extreme (o, from, 1), "%s: maximum", what);
	ok (is_near (pp_variance (m), variance, (scale / n) * (scale / n) * 10), "%s: variance",
	    what);
	ok (is_near (pp_stddev (m), sqrt (variance), scale / n * 10), "%s: standard deviation",
	    what);
	ok (pp_last (m) == o->sample[o->n - 1], "%s: newest sample", what);
	ok (pp_stat (m, NULL, PP_STAT_N) == (double) o->n &&
		    is_near (pp_total (m), own_sum (o, 0), scale * 100),
	    "%s: n and total since the start", what);
}

/* xorshift: the same figures on every machine */
static uint64_t state = 88172645463325252u;

static int64_t draw (int64_t from, int64_t to)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return from + (int64_t) (state % (uint64_t) (to - from + 1));
}

/* ---- values ---------------------------------------------------------------------------------- */

NOIPA static void int_point (int value)
{
#pragma pp point ints(int_stats, int_sum, int_last, int_series, int_count) value(value)
	sink++;
}

NOIPA static void double_point (double value)
{
#pragma pp point doubles(double_stats, double_sum, double_last, double_series) value(value)
	sink++;
}

static void test_values (void)
{
	static struct own ints, doubles;
	double copy[100];

	ok (isnan (pp_avg (int_stats)) && isnan (pp_min (int_stats)) && isnan (pp_last (int_last)),
	    "before the first sample a statistic is no number");
	for (int i = 0; i < 3000; i++) {
		int64_t x = draw (-1000000, 900000);
		double y = (double) draw (-1000000, 1000000) / 777.0 + 1e6;

		int_point ((int) x);
		keep (&ints, (double) x);
		double_point (y);
		keep (&doubles, y);
	}
	compare (int_stats, &ints, 0, "integers, negative ones too");
	compare (double_stats, &doubles, 0, "doubles");
	compare (int_series, &ints, ints.n - 37, "a window of integers");
	compare (double_series, &doubles, doubles.n - 37, "a window of doubles");
	ok (pp_count (int_sum) == 3000 && pp_sum (int_sum) == own_sum (&ints, 0) &&
		    isnan (pp_min (int_sum)),
	    "sumcount keeps count and sum, and no minimum");
	ok (pp_last (int_last) == ints.sample[2999] &&
		    pp_last (double_last) == doubles.sample[2999],
	    "scalar keeps the newest");
	same (pp_count (int_count), 3000, "count counts");
	ok (is_near (pp_sum (double_sum), own_sum (&doubles, 0), own_sum (&doubles, 0)),
	    "sums of doubles add up");
	same ((double) pp_series_copy (int_series, copy, 100), 37,
	      "a series says how many samples its window has");
	ok (memcmp (copy, ints.sample + ints.n - 37, 37 * sizeof (double)) == 0,
	    "and gives them, the oldest first");
	same ((double) pp_series_copy (double_series, copy, 5), 37,
	      "where there is less room it says so");
	ok (memcmp (copy, doubles.sample + doubles.n - 37, 5 * sizeof (double)) == 0,
	    "and gives the oldest");
	same ((double) pp_series_copy (int_stats, copy, 5), PP_EKIND,
	      "what keeps no series gives none");
	same (pp_series_last (int_series), ints.sample[2999],
	      "the newest of a series is the last sample");
}

#pragma pp metric int_histogram point histogram(value)
#pragma pp metric double_histogram point histogram(value)
#pragma pp metric time_histogram interval histogram(elapsed)

NOIPA static void histogram_point (int value, double real)
{
#pragma pp point hint(int_histogram) value(value)
	sink++;
#pragma pp point hdouble(double_histogram) value(real)
	sink++;
}

NOIPA static void histogram_interval (void)
{
#pragma pp interval htime(time_histogram)
	sink++;
}

/* The nearest rank among 0 … 9999 and their like, within the 1 % that is promised. */
static int is_quantile (double got, double exact)
{
	return fabs (got - exact) <= fabs (exact) / 100;
}

static void test_histograms (void)
{
	int good = 1;

	ok (isnan (pp_quantile (int_histogram, 0.5)) && isnan (pp_quantile (int_stats, 0.5)) &&
		    isnan (pp_quantile (NULL, 0.5)),
	    "without samples, buckets or a metric there is no quantile");
	for (int i = 0; i < 10000; i++)
		histogram_point (i * 7 % 10000 - 2000, (i * 7 % 10000 - 2000) * 1e-20);
	for (int i = 1; i < 100; i++)
		good = good &&
		       is_quantile (pp_quantile (int_histogram, i / 100.0), 100 * i - 2001) &&
		       is_quantile (pp_quantile (double_histogram, i / 100.0),
				    (100 * i - 2001) * 1e-20);
	ok (good, "quantiles of integers and of doubles are within one percent");
	ok (is_quantile (pp_stat (int_histogram, NULL, PP_STAT_P999), 7989) &&
		    isnan (pp_quantile (int_histogram, 1.1)) &&
		    isnan (pp_quantile (int_histogram, -0.1)),
	    "p999 is what it says, and beyond 0 to 1 there is none");
	ok (pp_min (int_histogram) == -2000 && pp_max (int_histogram) == 7999 &&
		    pp_sum (int_histogram) == 29995000 && pp_count (int_histogram) == 10000 &&
		    pp_quantile (int_histogram, 1) == 7999,
	    "a histogram's count, sum and extremes are exact");
	for (int i = 0; i < 1000; i++)
		histogram_interval ();
	/* the length of a tick is measured ever better, so each of them has another one */
	ok (pp_count (time_histogram) == 1000 &&
		    1.01 * pp_quantile (time_histogram, 0.5) >= pp_min (time_histogram) &&
		    pp_quantile (time_histogram, 0.5) <=
			    1.01 * pp_quantile (time_histogram, 0.99) &&
		    pp_quantile (time_histogram, 0.99) <= 1.01 * pp_max (time_histogram),
	    "quantiles of times lie between the extremes in their order");
	ok (pp_sample (time_histogram, 3600) == PP_OK && pp_sample (time_histogram, -5) == PP_OK &&
		    is_quantile (pp_quantile (time_histogram, 0), pp_min (time_histogram)) &&
		    is_quantile (pp_min (time_histogram), -5) &&
		    is_quantile (pp_max (time_histogram), 3600),
	    "samples of an hour and of less than nothing have their buckets too");
	pp_reset (int_histogram);
	histogram_point (42, 0);
	ok (pp_quantile (int_histogram, 0.5) == 42 && pp_count (int_histogram) == 1,
	    "a reset empties the buckets");
}

#pragma pp metric outliers point bounded_series(value, size = 5)
#pragma pp metric grown point unbounded_series(value, maxSize = 1000)
#pragma pp metric grown_doubles point unbounded_series(value)

NOIPA static void growing (int value, double real)
{
#pragma pp point gint(grown) value(value)
	sink++;
#pragma pp point gdouble(grown_doubles) value(real)
	sink++;
}

struct seen {
	long n, pieces;
	int good;
};

static int look_at (const struct pp_series_piece *piece, void *arg)
{
	struct seen *seen = arg;

	seen->pieces++;
	for (size_t i = 0; i < piece->n; i++, seen->n++)
		if (piece->is_double ? ((const double *) piece->samples)[i] != (double) seen->n / 3
				     : ((const long *) piece->samples)[i] != seen->n - 5)
			seen->good = 0;
	return 0;
}

static void test_unbounded (void)
{
	struct seen ints = {0, 0, 1}, doubles = {0, 0, 1};
	static double copy[2000];
	double ewma = -5;

	same ((double) pp_series_copy (grown, copy, 2000), 0, "a series without samples is empty");
	for (int i = 0; i < 1500; i++)
		growing (i - 5, i / 3.0);
	same ((double) pp_series_view (grown, look_at, &ints), 1000,
	      "an unbounded series has its first maxSize samples");
	ok (ints.n == 1000 && ints.good && ints.pieces > 1,
	    "and shows them as longs where they lie, in their order");
	same ((double) pp_series_view (grown_doubles, look_at, &doubles), 1500,
	      "without maxSize it has all of them");
	ok (doubles.n == 1500 && doubles.good, "and shows doubles as doubles");
	same ((double) pp_series_copy (grown, copy, 2000), 1000, "a copy has as many");
	ok (copy[0] == -5 && copy[999] == 994, "from the first to the last");
	ok (pp_count (grown) == 1500 && pp_max (grown) == 1494 &&
		    pp_stat (grown, NULL, PP_STAT_LOST) == 500,
	    "what it has no room for is counted as lost, and is in its other statistics");
	same (pp_stat (grown_doubles, NULL, PP_STAT_LOST), 0,
	      "nothing is lost where there is room");
	ok (pp_expect ("complete", "grown_doubles.lost == 0") == 1 &&
		    pp_expect ("cut", "grown.lost == 0") == 0,
	    "an expectation sees what was lost");
	for (int i = 1; i < 1000; i++)
		ewma += 0.25 * ((i - 5) - ewma);
	ok (is_near (pp_moving_avg (grown, 10), 989.5, 1000) &&
		    is_near (pp_moving_avg (grown, 5000), 494.5, 1000) &&
		    is_near (pp_ewma (grown, 0.25), ewma, 1000),
	    "moving averages are of the newest samples that it keeps");
	ok (isnan (pp_moving_avg (int_stats, 10)) && isnan (pp_ewma (grown, 0)) &&
		    isnan (pp_ewma (NULL, 1)) && isnan (pp_moving_avg (grown, 0)),
	    "without a series, or with a weight that makes no sense, there are none");
	same ((double) pp_series_view (int_stats, look_at, &ints), PP_EKIND,
	      "what keeps no series shows none");
}

static void test_extremes (void)
{
	pp_reset (NULL);
	for (int i = 0; i < 1000; i++) {
		int_point (2147483647);
		int_point (-2147483647 - 1);
	}
	same (pp_sum (int_stats), -1000, "sums of the largest and smallest integers are exact");
	ok (pp_max (int_stats) == 2147483647.0 && pp_min (int_stats) == -2147483648.0,
	    "and so are their extremes");
	near (pp_variance (int_stats), 2147483647.5 * 2147483647.5, 1e-15, "and their variance");
	double_point (1e300);
	double_point (-1e300);
	double_point (1);
	same (pp_max (double_stats), 1e300, "large doubles are kept");
}

/* ---- functions ------------------------------------------------------------------------------- */

NOIPA static void measure_functions (int64_t from, int64_t to, double x, double y)
{
	now_int = from;
	now_double = x;
	{
#pragma pp interval functions(pair_int, pair_double, pair_large, pair_struct) fence
		now_int = to;
		now_double = y;
	}
#pragma pp point called(function_int, function_double)
	sink++;
}

static void test_functions (void)
{
	static struct own ints, doubles, large, pairs, points_int, points_double;

	for (int i = 0; i < 1000; i++) {
		int64_t from = draw (-5000, 5000), to = draw (-5000, 5000);
		double x = (double) draw (-5000, 5000) / 16, y = (double) draw (-5000, 5000) / 16;

		measure_functions (from, to, x, y);
		keep (&ints, (double) (to - from));
		keep (&doubles, y - x);
		keep (&large, (double) from);
		keep (&pairs, x * (double) from);
		keep (&points_int, (double) to);
		keep (&points_double, y);
	}
	compare (pair_int, &ints, 0, "functions of integers");
	compare (pair_double, &doubles, 0, "functions of doubles");
	compare (pair_large, &large, 0, "functions with a result of 64 bytes");
	compare (pair_struct, &pairs, 0, "functions with a structure");
	compare (function_int, &points_int, 0, "a point's function with an int");
	compare (function_double, &points_double, 0, "a point's function with a double");
}

/* ---- one in N -------------------------------------------------------------------------------- */

NOIPA static void every_point (long value)
{
#pragma pp point every(one_in_4) value(value)
	sink++;
}

NOIPA static void every_interval (void)
{
#pragma pp interval every(one_in_3)
	sink++;
}

NOIPA static void every_by_call (void)
{
#pragma pp interval by_call
	sink++;
}

static void test_every (void)
{
	pp_metric *m = NULL;

	for (int i = 0; i < 4000; i++) {
		every_point (3);
		every_interval ();
	}
	same (pp_count (one_in_4), 1000, "every=4 samples one in four");
	same (pp_sum (one_in_4), 3000, "with its values");
	same (pp_stat (one_in_4, NULL, PP_STAT_ESTIMATED_COUNT), 4000,
	      "and estimates all executions");
	same (pp_count (one_in_3), 1334, "every=3 samples the first and then one in three");
	same (pp_stat (one_in_3, NULL, PP_STAT_ESTIMATED_COUNT), 4002,
	      "and estimates all executions to within three");
	ok (pp_metric_new (&m, "by_call_time", "interval stats(elapsed)") == PP_OK &&
		    pp_bind (m, "by_call", 10) == 1,
	    "a binding may say every itself");
	for (int i = 0; i < 1000; i++)
		every_by_call ();
	same (pp_count (m), 100, "and is sampled so");
	same (pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT), 1000, "and estimated so");
	pp_bind (m, "by_call", 1);
	for (int i = 0; i < 20; i++)
		every_by_call ();
	ok (pp_count (m) >= 111 && pp_count (m) <= 120,
	    "bound anew with another every it is sampled so");
}

/* ---- several sites --------------------------------------------------------------------------- */

NOIPA static void first_site (int64_t x)
{
	now_int = 0;
#pragma pp interval one(sites) fence
	now_int = x;
}

NOIPA static void second_site (int64_t x)
{
	now_int = 0;
#pragma pp interval two(sites) fence
	now_int = x;
}

static void *at_both_sites (void *arg)
{
	for (int i = 1; i <= 100; i++) {
		first_site (i);
		second_site (-2 * i);
	}
	return arg;
}

static void test_sites (void)
{
	pp_site *one = NULL, *two = NULL;
	pthread_t thread;

	at_both_sites (NULL);
	/* one after the other: now_int is no thread's own */
	for (int i = 0; i < 3; i++) {
		pthread_create (&thread, NULL, at_both_sites, NULL);
		pthread_join (thread, NULL);
	}
	ok (pp_site_find ("one", &one) == PP_OK && pp_site_find ("second_site/two", &two) == PP_OK,
	    "both sites are found");
	same (pp_count (sites), 800, "a metric at two sites merges both, of all threads");
	same (pp_sum (sites), -4 * 5050, "their sums");
	ok (pp_min (sites) == -200 && pp_max (sites) == 100, "their extremes");
	ok (pp_stat (sites, one, PP_STAT_COUNT) == 400 &&
		    pp_stat (sites, two, PP_STAT_COUNT) == 400,
	    "each site has its own count");
	ok (pp_stat (sites, one, PP_STAT_SUM) == 4 * 5050 &&
		    pp_stat (sites, two, PP_STAT_SUM) == -8 * 5050,
	    "and sum");
	ok (pp_stat (sites, one, PP_STAT_MIN) == 1 && pp_stat (sites, two, PP_STAT_MAX) == -2,
	    "and extremes");
	near (pp_stat (sites, one, PP_STAT_VARIANCE), (100.0 * 100.0 - 1) / 12, 1e-12,
	      "and variance");
	same (pp_last (sites), -200, "the newest sample is that of the site that ended last");
	same (pp_stat (sites, one, PP_STAT_LAST), 100, "each site has its own");
}

static void test_by_hand (void)
{
	for (int i = -50; i <= 50; i++)
		pp_sample (by_hand, i);
	ok (pp_count (by_hand) == 101 && pp_sum (by_hand) == 0 && pp_min (by_hand) == -50 &&
		    pp_max (by_hand) == 50,
	    "pp_sample adds samples from anywhere");
	same (pp_sample (by_hand, NAN), PP_EINVAL, "no number is no sample");
	same (pp_sample (NULL, 1), PP_EINVAL, "and no metric takes none");
	same (pp_sample (pair_double, 0.5), PP_OK, "a metric of doubles takes them too");
	same (pp_last (pair_double), 0.5, "with what is behind the point");
}

/* ---- resets while threads run ---------------------------------------------------------------- */

static int stop;
static double total_run;

NOIPA static void resettable (long value)
{
#pragma pp interval pairs(reset_pairs)
#pragma pp point values(reset_me) value(value)
	sink++;
}

static void *run (void *arg)
{
	double *n = arg;

	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		for (int i = 0; i < 100; i++)
			resettable (1);
		*n += 100;
	}
	return NULL;
}

static void test_reset (void)
{
	enum { N = 4 };
	pthread_t threads[N];
	double n[N] = {0}, after = 0;
	int torn = 0;

	for (int i = 0; i < N; i++)
		pthread_create (&threads[i], NULL, run, &n[i]);
	for (int i = 0; i < 20000; i++) {
		double count, sum;

		pp_reset (reset_me);
		pp_reset (reset_pairs);
		count = pp_count (reset_me);
		sum = pp_sum (reset_me);
		/* read one after the other, so the sum may have grown */
		torn += sum < count;
	}
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < N; i++) {
		pthread_join (threads[i], NULL);
		total_run += n[i];
	}
	ok (torn <= newly_dropped (PP_DROP_TORN), "while threads run and metrics are reset no read "
						  "sees half a sample, unless it is counted");
	ok (pp_sum (reset_me) <= total_run, "what is left after resets is no more than what ran");
	pp_reset (reset_me);
	ok (isnan (pp_avg (reset_me)) || pp_count (reset_me) == 0,
	    "a reset forgets the samples of all threads, ended ones too");
	after = isnan (pp_count (reset_me)) ? 0 : pp_count (reset_me);
	for (int i = 0; i < 10; i++)
		resettable (1);
	same (pp_count (reset_me) - after, 10, "and measuring goes on");
	ok (pp_count (reset_pairs) > 0, "a reset of one metric leaves another alone");
}

NOIPA static void outlier (double x)
{
#pragma pp point outlier(outliers) value(x)
	sink++;
}

/* What has left a window leaves nothing behind, not even by rounding. */
static void test_outliers (void)
{
	static const double large[] = {1e17, -1e17, 1e200, INFINITY, -INFINITY};
	int good = 0, places = 0;

	for (size_t i = 0; i < sizeof large / sizeof *large; i++)
		for (int before = 0; before < 10; before++) {
			pp_reset (outliers);
			for (int k = 0; k < before; k++)
				outlier (k);
			outlier (large[i]);
			for (int k = 1; k <= 5; k++)
				outlier (k);
			good += fabs (pp_avg (outliers) - 3) < 1e-12 && pp_sum (outliers) == 15 &&
				fabs (pp_variance (outliers) - 2) < 1e-12;
			places++;
		}
	same (good, places,
	      "large samples and infinities leave nothing behind in a window that they have left");
}

int main (void)
{
	forget_drops ();
	test_outliers ();
	test_values ();
	test_histograms ();
	test_unbounded ();
	test_extremes ();
	test_functions ();
	test_every ();
	test_sites ();
	test_by_hand ();
	test_reset ();
	same (newly_dropped_in_all (), 0, "and nothing was dropped");
	return checked ();
}
