/* SPDX-License-Identifier: MIT */
/*
 * load_week.c: a week, by a clock that is advanced by hand: a sample every ten seconds (SOAK=1:
 * every second) and the library's thread's work after each. Counts and sums are exact, timed
 * assertions are checked as often as the clock says, windows are of the last minutes, and memory is
 * what it was after a day.
 */
#include "../system/check.h"
#include "base/clock.h"
#include "base/start.h"
#include "libmetrics/tables/window.h"
#include "stdmetrics/listing.h"
#include "stdmetrics/stdmetrics.h"
#include "tests/unit/assertion_parts.h"

/* libpp's */
void ppi_runtime_start (void)
{
}

static uint64_t clock_ns = UINT64_C (1000000000000);

static uint64_t clock_by_hand (void)
{
	return clock_ns;
}

/* Windows go by ticks, everything else by the clock. */
static void be_at (uint64_t ns)
{
	clock_ns = ns;
	__atomic_store_n (&ppi_window_ticks,
			  (uint64_t) ((double) ns * 1e-9 / ppi_seconds_per_tick ()),
			  __ATOMIC_RELAXED);
}

enum { SECOND = 1000000000, DAY = 86400, WEEK = 7 * DAY, BIG = 1000000000 };

static const char policy[] =
	"version: 1\n"
	"metrics:\n"
	"  big: {point: value, keep: histogram, window: 10min}\n"
	"  all: {point: value, keep: stats}\n"
	"  last: {point: value, keep: bounded_series, size: 1000}\n"
	"assertions:\n"
	"  minutely: {every: 60s, expect: all.count >= 0, on_fire: []}\n"
	"  hourly: {every: 1h, expect: big.avg < 0, for: 1, on_fire: [], cooldown: 1s}\n";

static double checks_of (const char *name)
{
	struct pp_assertion_info info;

	return pp_assertion_state (name, &info) == PP_OK ? (double) info.checks : NAN;
}

/* Values go up and down by a day, so that what is recent differs from what was. */
static double value_at (long second)
{
	return BIG + (double) (second % DAY);
}

int main (void)
{
	const char *soak = getenv ("SOAK");
	long step = soak && strcmp (soak, "1") == 0 ? 1 : 10;
	double n = 0, sum = 0, after_a_day = 0, recent = 0;
	uint64_t begin;
	pp_metric *big, *all, *last;

	setenv ("PP_THREADS", "0", 1);
	ppi_stdmetrics_init ();
	start_assertions ();
	ppi_clock_set (clock_by_hand);
	/* until the length of a tick is known for good */
	usleep (110000);
	begin = clock_ns;
	be_at (begin);
	if (!ok (pp_policy_load_text ("week", policy) == PP_OK, "a policy is loaded"))
		return checked ();
	big = pp_metric_find ("big");
	all = pp_metric_find ("all");
	last = pp_metric_find ("last");
	for (long second = 0; second < WEEK; second += step) {
		double x = value_at (second);

		be_at (begin + (uint64_t) second * SECOND);
		pp_sample (big, x);
		pp_sample (all, x);
		pp_sample (last, x);
		pp_poll ();
		n++;
		sum += x;
		recent = x;
		if (second == DAY)
			after_a_day = resident ();
	}
	same (pp_count (all), n, "after a week every sample is there");
	same (pp_sum (all), sum, "and their sum is exact, to the unit");
	same (pp_max (all), BIG + DAY - (double) step, "the largest is the largest");
	same (pp_last (last), recent, "the last is the last");
	same (pp_stat (big, NULL, PP_STAT_N), n, "a metric over ten minutes has seen all, too");
	ok (pp_count (big) * (double) step <= 600 + (double) step &&
		    pp_count (big) * (double) step >= 540,
	    "but is of nine to ten minutes");
	ok (pp_min (big) >= recent - 600, "the last ones");
	ok (fabs (checks_of ("minutely") - WEEK / 60.0) <= 1,
	    "what is checked by the minute was checked 10,080 times");
	ok (fabs (checks_of ("hourly") - WEEK / 3600.0) <= 1,
	    "and by the hour 168 times: the period does not drift");
	note ("over ten minutes: %.0f, from %.0f; the last is %.0f", pp_count (big),
	      pp_min (big) - BIG, recent - BIG);
	note ("%.0f samples of each of three metrics, %.0f checks", n, checks_of ("minutely"));
	note ("%.0f KiB after a day, %.0f KiB more after a week", after_a_day / 1024,
	      (resident () - after_a_day) / 1024);
	if (UNDER_ASAN || UNDER_TSAN)
		skipped ("memory after a week is that after a day",
			 "a sanitizer keeps what was freed");
	else
		ok (resident () - after_a_day <= 256 << 10,
		    "memory after a week is that after a day");
	return checked ();
}
