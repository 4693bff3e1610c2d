/* SPDX-License-Identifier: MIT */
/*
 * story.c: the program reads its own measurements.
 *
 * The program names no metric in its source: the policy does. So it asks for them by name and says
 * nothing of those that aren't there.
 */
#include "story.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <pp.h>

static atomic_int quiet;

void story_set_quiet (int on)
{
	atomic_store (&quiet, on);
}

double story_seconds_now (void)
{
	struct timespec now;

	clock_gettime (CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

long story_slow_pixels (void)
{
	struct pp_assertion_info info;

	return pp_assertion_state ("slow_pixel", &info) == PP_OK ? (long) info.violations : -1;
}

/*
 * The policy calls this when an assertion fires or clears: on the library's thread, beside the ones
 * that draw, so it only prints. One call of fprintf holds the stream's lock, so the line is never
 * torn.
 */
static void report_render_state (const struct pp_violation *v, void *arg)
{
	(void) arg;
	if (!atomic_load (&quiet))
		fprintf (stderr, "%7.3f s  %s; violation %llu of %llu checks\n", v->seconds,
			 v->text, (unsigned long long) v->violations,
			 (unsigned long long) v->checks);
}

PP_CALLABLE (report_render_state)

/* A figure in COLUMN characters, "-" where there is none. */
static void print_figure (double figure)
{
	if (isnan (figure))
		printf (" %13s", "-");
	else
		printf (" %13.6g", figure);
}

static void print_metric (const char *name, const char *unit)
{
	const pp_metric *metric = pp_metric_find (name);
	const char *why = metric ? pp_unavailable (metric) : NULL;

	if (!metric)
		return;
	printf ("metric %-14s", name);
	if (why) {
		printf (" unavailable: %s\n", why);
		return;
	}
	print_figure (pp_stat (metric, NULL, PP_STAT_N));
	print_figure (pp_stat (metric, NULL, PP_STAT_AVG));
	print_figure (pp_stat (metric, NULL, PP_STAT_MAX));
	print_figure (pp_stat (metric, NULL, PP_STAT_TOTAL));
	printf (" %s\n", unit);
}

static void print_metrics (void)
{
	static const char *const metrics[][2] = {
		{"pixel_time", "s"}, {"shadow_rays", ""}, {"intersections", ""},
		{"allocations", ""}, {"frame_time", "s"},
	};
	size_t count = sizeof metrics / sizeof metrics[0], found = 0;

	for (size_t i = 0; i < count; i++)
		found += pp_metric_find (metrics[i][0]) != NULL;
	if (!found) {
		printf ("no metrics: nothing is measured without a policy (set "
			"PP_POLICY=.../policy.yaml)\n");
		return;
	}
	printf ("%-21s %13s %13s %13s %13s unit\n", "", "samples", "average", "maximum", "total");
	for (size_t i = 0; i < count; i++)
		print_metric (metrics[i][0], metrics[i][1]);
}

static void print_assertions (void)
{
	static const char *const names[] = {"slow_pixel", "frame_slow", "frame_roomy"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct pp_assertion_info info;

		if (pp_assertion_state (names[i], &info) != PP_OK)
			continue;
		printf ("assertion %s checks %llu violations %llu fired %llu cleared %llu\n",
			names[i], (unsigned long long) info.checks,
			(unsigned long long) info.violations, (unsigned long long) info.fired,
			(unsigned long long) info.cleared);
	}
}

void story_print (const struct frame_record *frames, int count)
{
	for (int i = 0; i < count; i++) {
		printf ("frame %d seconds %.3f antialias %d", i, frames[i].seconds,
			frames[i].antialias);
		if (frames[i].slow_pixels >= 0)
			printf (" slow_pixels %ld", frames[i].slow_pixels);
		printf ("\n");
	}
	print_metrics ();
	print_assertions ();
}
