/* SPDX-License-Identifier: MIT */
/*
 * test_investigate.c: which nested interval a slowdown comes from: bound level by level, told, and
 * unbound; the program is the test's.
 */
#include "assertions/react/investigate.h"
#include "base/part.h"
#include "tests/unit/fake_runtime.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pp_site *serve, *parse, *render, *shade, *texture, *elsewhere;
static pp_metric *latency;
static const char *path;

static void setup (void)
{
	fake_start ();
	serve = fake_site ("app!a.c:f/serve", PP_ABI_SITE_INTERVAL);
	parse = fake_site ("app!a.c:f/parse", PP_ABI_SITE_INTERVAL);
	render = fake_site ("app!b.c:g/render", PP_ABI_SITE_INTERVAL);
	shade = fake_site ("app!b.c:h/shade", PP_ABI_SITE_INTERVAL);
	texture = fake_site ("lib.so!t.c:load/texture", PP_ABI_SITE_INTERVAL);
	elsewhere = fake_site ("app!z.c:other/loop", PP_ABI_SITE_INTERVAL);
	fake_site ("app!a.c:f/here", PP_ABI_SITE_POINT);
	latency = fake_metric ("latency", PP_ABI_SITE_INTERVAL, PPI_STATS, "elapsed");
}

static void load (const char *investigate, const char *more)
{
	char text[1024];
	int error;

	snprintf (text, sizeof text,
		  "version: 1\nassertions:\n  slow: {at: f/serve, expect: latency.last < 50s, "
		  "on_fire: [{investigate: "
		  "%s}%s]}\n",
		  investigate, more);
	path = fake_policy ("investigate.yaml", text);
	error = pp_policy_load (path);
	unlink (path);
	ck_assert_msg (error == PP_OK, "%s", fake.n_messages ? fake.messages[0] : "?");
}

/* The end of SITE inside of those in INSIDE */
static void end_of (pp_site *site, double value, const pp_site *a, const pp_site *b,
		    const pp_site *c)
{
	pp_metric *probe = pp_metric_find ("investigate_slow");

	fake.inside[0] = a;
	fake.inside[1] = a ? b : NULL;
	fake.inside[2] = b ? c : NULL;
	fake.inside[3] = NULL;
	latency->own[PP_STAT_LAST] = value;
	if (probe)
		probe->own[PP_STAT_LAST] = value;
	fake_execute (site);
}

/* Is an interval bound? Frames are there only then. */
static bool bound (const pp_site *site)
{
	return site == serve || fake_rules ("investigate_slow", site->name);
}

/* What encloses it, of what is bound */
static void nested (pp_site *site, double value, const pp_site *a, const pp_site *b)
{
	const pp_site *all[3] = {a, b, serve}, *open[3] = {NULL, NULL, NULL};
	int n = 0;

	for (int i = 0; i < 3; i++)
		if (all[i] && bound (all[i]))
			open[n++] = all[i];
	if (bound (site))
		end_of (site, value, open[0], open[1], open[2]);
}

/* One request: PARSE, then RENDER, in which SHADE runs twice, in which TEXTURE runs */
static void request (double in_parse, double in_render, double in_shade, double in_texture)
{
	nested (parse, in_parse, NULL, NULL);
	for (int i = 0; i < 2; i++) {
		nested (texture, in_texture, shade, render);
		nested (shade, in_shade + in_texture, render, NULL);
	}
	nested (render, in_render + 2 * (in_shade + in_texture), NULL, NULL);
	end_of (serve, in_parse + in_render + 2 * (in_shade + in_texture) + 3, NULL, NULL, NULL);
	if (bound (elsewhere))
		end_of (elsewhere, 1000, NULL, NULL, NULL);
}

static void fast (void)
{
	request (10, 5, 2, 1);
}

/* It is the texture */
static void slow (void)
{
	request (10, 5, 2, 30);
}

static void run (unsigned rounds, void (*one) (void), void (*other) (void))
{
	for (; rounds; rounds--) {
		one ();
		other ();
		fake_tick (10);
	}
}

static const char *result (void)
{
	return fake_newest (PPI_HISTORY_INVESTIGATE);
}

/* The newest result, but for how many executions it was seen at */
static void says (const char *expected)
{
	const char *seen = strstr (result (), "; seen at ");

	ck_assert_msg (seen && (size_t) (seen - result ()) == strlen (expected) &&
			       strncmp (result (), expected, strlen (expected)) == 0,
		       "%s", result ());
}

START_TEST (it_is_followed_down_to_where_it_comes_from)
{
	char culprit[128];
	double share = 0;

	load ("true", "");
	run (60, slow, fast);
	says ("100 % of what is too slow is in lib.so!t.c:load/texture, 100 % by itself; inside "
	      "app!b.c:h/shade (100 %), inside app!b.c:g/render (100 %)");
	ck_assert_int_eq (pp_assertion_culprit ("slow", culprit, sizeof culprit, &share), PP_OK);
	ck_assert_str_eq (culprit, "lib.so!t.c:load/texture");
	ck_assert_double_eq_tol (share, 1, 1e-9);
}
END_TEST

START_TEST (what_it_bound_is_unbound)
{
	load ("true", "");
	slow ();
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 6); /* all intervals */
	run (60, slow, fast);
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
	for (size_t i = 0; i < fake.n_sites; i++)
		ck_assert_ptr_null (&fake.sites[i] == serve ? serve->checks->next
							    : fake.sites[i].checks);
	ck_assert_int_eq (pp_metric_find ("investigate_slow")->references, 0);
}
END_TEST

static void slow_in_parse (void)
{
	request (100, 5, 2, 1);
}

static void slow_in_itself (void)
{
	request (10, 80, 2, 1);
}

START_TEST (what_takes_long_always_is_not_what_is_slow_now)
{
	/*
	 * parsing is most of the time in a slow request and a tenth in a fast one; shading always
	 * takes 40
	 */
	load ("true", "");
	for (int i = 0; i < 60; i++) {
		request (30, 0, 20, 0);
		request (0.5, 0, 20, 0);
		fake_tick (10);
	}
	ck_assert_ptr_nonnull (
		strstr (result (), "100 % of what is too slow is in app!a.c:f/parse"));
}
END_TEST

static void slow_in_parse_mostly (void)
{
	request (60, 5, 2, 6);
}

static void slow_in_texture_mostly (void)
{
	request (20, 5, 2, 26);
}

/* parse comes before texture in the source, and so where candidates are compared */
START_TEST (the_one_that_deviates_most_is_followed_whatever_their_order)
{
	load ("true", "");
	run (60, slow_in_parse_mostly, fast);
	says ("83 % of what is too slow is in app!a.c:f/parse, 83 % by itself");
	fake.now_ns += UINT64_C (3600000000000);
	run (60, slow_in_texture_mostly, fast);
	ck_assert_ptr_nonnull (
		strstr (result (), "83 % of what is too slow is in lib.so!t.c:load/texture"));
}
END_TEST

START_TEST (it_stops_where_nothing_nested_is_most_of_it)
{
	char culprit[128];
	double share;

	load ("true", "");
	run (60, slow_in_itself, fast);
	says ("100 % of what is too slow is in app!b.c:g/render, 100 % by itself");
	ck_assert_int_eq (pp_assertion_culprit ("slow", culprit, sizeof culprit, &share), PP_OK);
	ck_assert_str_eq (culprit, "app!b.c:g/render");
}
END_TEST

static void slow_outside (void)
{
	nested (parse, 10, NULL, NULL);
	end_of (serve, 200, NULL, NULL, NULL);
}

START_TEST (nothing_nested_may_be_the_cause)
{
	load ("true", "");
	run (100, slow_outside, fast);
	says ("no interval inside app!a.c:f/serve is most of what is too slow");
	ck_assert_int_eq (pp_assertion_culprit ("slow", NULL, 0, NULL), PP_ENOENT);
}
END_TEST

START_TEST (without_anything_that_holds_the_share_of_all_counts)
{
	load ("true", "");
	run (200, slow, slow);
	ck_assert_ptr_nonnull (strstr (result (), "of all its time is in lib.so!t.c:load/texture"));
	ck_assert_ptr_nonnull (strstr (result (), "no execution held meanwhile"));
}
END_TEST

/* Requests while what was just bound is not on yet: nothing is seen inside of them. */
static void unseen (void)
{
	if (!pp_metric_find ("investigate_slow"))
		return;
	fake.before_switching = NULL;
	for (int i = 0; i < 20; i++) {
		end_of (serve, 80, NULL, NULL, NULL);
		end_of (serve, 22, NULL, NULL, NULL);
	}
}

START_TEST (nothing_counts_before_markers_are_on)
{
	load ("true", "");
	fake.before_switching = unseen;
	slow ();
	fake_tick (10);
	ck_assert (!fake.before_switching);
	run (60, slow, fast);
	says ("100 % of what is too slow is in lib.so!t.c:load/texture, 100 % by itself; inside "
	      "app!b.c:h/shade (100 %), inside app!b.c:g/render (100 %)");
}
END_TEST

START_TEST (depth_is_bounded)
{
	load ("{depth: 1}", "");
	run (60, slow, fast);
	says ("100 % of what is too slow is in app!b.c:g/render");
}
END_TEST

START_TEST (only_named_sites_are_looked_at)
{
	load ("{sites: [\"f/*\", \"app!b.c:g/*\"]}", "");
	slow ();
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("investigate_slow", "app!b.c:h/shade"), 0);
	ck_assert_uint_eq (fake_rules ("investigate_slow", "app!a.c:f/parse"), 1);
	run (60, slow, fast);
	ck_assert_ptr_nonnull (strstr (result (), "is in app!b.c:g/render"));
}
END_TEST

/*
 * Requests, N in each tick of 10 ms, of which every thousandth is slow; until there is a result, at
 * most TICKS. How many were slow.
 */
static unsigned run_tail (unsigned n, unsigned ticks)
{
	static unsigned requests;
	const char *before = strdup (result ());
	unsigned slow_ones = 0;

	for (; ticks && strcmp (result (), before) == 0; ticks--) {
		for (unsigned i = 0; i < n; i++)
			if (++requests % 1000 == 0) {
				slow ();
				slow_ones++;
			} else {
				fast ();
			}
		fake_tick (10);
	}
	free ((void *) (uintptr_t) before);
	return slow_ones;
}

START_TEST (one_in_a_thousand_is_followed_to_its_end)
{
	unsigned slow_ones;

	load ("true", "");
	slow_ones = run_tail (50, 6000);
	says ("100 % of what is too slow is in lib.so!t.c:load/texture, 100 % by itself; inside "
	      "app!b.c:h/shade (100 %), inside app!b.c:g/render (100 %)");
	ck_assert_uint_ge (slow_ones, 3 * PPI_CULPRIT_ENOUGH); /* for each level */
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
}
END_TEST

START_TEST (too_few_violations_are_told_and_it_goes_on_with_them)
{
	char before[512];

	/* a hundred requests a second, and ten seconds for a level: one of them is slow */
	load ("{depth: 1}", "");
	slow ();
	fake_tick (10);
	run_tail (1, 3000);
	ck_assert_msg (strncmp (result (),
				"too few executions of app!a.c:f/serve violated it meanwhile to "
				"tell what is too slow; seen at 1 violation and 99",
				110) == 0,
		       "%s", result ());
	ck_assert_ptr_nonnull (strstr (
		result (),
		" other executions; it goes on there when the assertion fires in 60.0 s or later"));
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
	/* a minute later, with what it had seen then */
	snprintf (before, sizeof before, "%s", result ());
	run_tail (1, 30000);
	ck_assert_str_ne (result (), before);
	says ("100 % of what is too slow is in app!b.c:g/render");
	ck_assert_ptr_nonnull (strstr (result (), "; seen at 2 violations and "));
}
END_TEST

START_TEST (what_runs_very_often_is_measured_in_bursts)
{
	uint64_t measured = 0;
	unsigned bound_ticks = 0;

	/* 100,000 in each tick of 10 ms, not even inside: 6 ms of cost each */
	load ("true", "");
	slow ();
	fake_tick (10);
	for (unsigned tick = 0; tick < 500; tick++) {
		bool is_bound = fake_rules ("investigate_slow", elsewhere->name);

		for (int i = 0; is_bound && i < 100000; i++)
			end_of (elsewhere, 1, NULL, NULL, NULL);
		measured += is_bound ? 100000 : 0;
		bound_ticks += is_bound;
		fake_tick (10);
	}
	ck_assert_uint_ge (bound_ticks, 5); /* not at once: half a million */
	ck_assert_uint_le (measured, PPI_CULPRIT_PARTS + 5000000);
	/* and what is slow is found all the same */
	for (unsigned tick = 0; tick < 6000 && !*result (); tick++) {
		if (bound (elsewhere))
			for (int i = 0; i < 1000; i++)
				end_of (elsewhere, 1, NULL, NULL, NULL);
		slow ();
		fast ();
		fake_tick (10);
	}
	ck_assert_msg (strstr (result (), "is in lib.so!t.c:load/texture") != NULL, "%s",
		       result ());
	ck_assert_ptr_nonnull (strstr (
		result (), "; measured with pauses, as what may run in it runs very often"));
}
END_TEST

START_TEST (a_program_that_stops_is_not_waited_for_long)
{
	load ("{for: 2s}", "");
	slow ();
	fake_tick (10);
	ck_assert_uint_gt (fake_rules ("investigate_slow", NULL), 0);
	for (int i = 0; i < 30; i++)
		fake_tick (100);
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
	ck_assert_ptr_nonnull (
		strstr (result (), "too few executions of app!a.c:f/serve violated it"));
}
END_TEST

START_TEST (many_intervals_are_looked_at_some_at_a_time)
{
	char name[64];
	unsigned most = 0;

	/* beyond those of the same file, which come first: the batch is full */
	for (int i = 0; i < 50; i++) {
		snprintf (name, sizeof name, "app!a.c:x%d/i", i);
		fake_site (name, PP_ABI_SITE_INTERVAL);
	}
	load ("true", "");
	for (int i = 0; i < 200; i++) {
		unsigned now = (unsigned) fake_rules ("investigate_slow", NULL);

		most = now > most ? now : most;
		run (1, slow, fast);
	}
	ck_assert_uint_le (most, PPI_CULPRIT_BATCH + 1 + 3);
	ck_assert_ptr_nonnull (strstr (result (), "is in lib.so!t.c:load/texture"));
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
}
END_TEST

/* The outer one counts; inner ones are parts of it like any others */
static void recursive (void)
{
	nested (parse, 45, NULL, NULL);
	end_of (serve, 60, serve, NULL, NULL); /* inside another one of itself */
	nested (parse, 45, NULL, NULL);
	end_of (serve, 120, NULL, NULL, NULL);
}

START_TEST (recursion_counts_the_outermost)
{
	load ("true", "");
	run (60, recursive, fast);
	ck_assert_ptr_nonnull (strstr (result (), "is in app!a.c:f/parse"));
	ck_assert_ptr_nonnull (strstr (result (), "83 % of"));
}
END_TEST

/* Sampled one in two: the others say nothing of whether they hold */
START_TEST (executions_that_were_not_sampled_do_not_count)
{
	load ("true", "");
	for (int i = 0; i < 120; i++) {
		latency->is_stale = false;
		(i % 2 ? slow : fast) ();
		/* not sampled: the newest sample is that of the one before */
		nested (parse, 1e6, NULL, NULL);
		fake.inside[0] = NULL;
		latency->own[PP_STAT_LAST] = i % 2 ? 1000 : 1;
		latency->is_stale = true;
		if (pp_metric_find ("investigate_slow"))
			pp_metric_find ("investigate_slow")->own[PP_STAT_LAST] = 1e6;
		fake_execute (serve);
		fake_tick (10);
	}
	ck_assert_ptr_nonnull (
		strstr (result (), "100 % of what is too slow is in lib.so!t.c:load/texture"));
}
END_TEST

/* Where its frame is older than the binding, say */
START_TEST (a_part_without_a_sample_of_its_own_is_none)
{
	load ("true", "");
	slow ();
	fake_tick (10);
	for (int i = 0; i < 120; i++) {
		pp_metric *probe = pp_metric_find ("investigate_slow");

		(i % 2 ? slow : fast) ();
		probe->is_stale = true;
		nested (parse, i % 2 ? 1e6 : 1, NULL, NULL);
		probe->is_stale = false;
		fake_tick (10);
	}
	ck_assert_ptr_nonnull (strstr (fake_newest (PPI_HISTORY_INVESTIGATE),
				       "100 % of what is too slow is in lib.so!t.c:load/texture"));
}
END_TEST

START_TEST (old_samples_are_not_checked_again)
{
	struct pp_assertion_info before, after;

	load ("true", "");
	run (10, slow, fast);
	ck_assert_int_eq (pp_assertion_state ("slow", &before), PP_OK);
	latency->is_stale = true;
	run (10, slow, fast);
	ck_assert_int_eq (pp_assertion_state ("slow", &after), PP_OK);
	ck_assert_uint_gt (before.checks, 0);
	ck_assert_uint_eq (after.checks, before.checks);
	ck_assert_uint_eq (after.violations, before.violations);
}
END_TEST

/* ---- within a budget ------------------------------------------------------------------------- */

/* What the thread paid: in all, since the last tick, and of that the 100 ms */
static struct {
	double all_s, tick_s, recent_s[10], worst_s;
	unsigned ticks, often; /* ...; how often each SHADE runs */
	size_t most;
} paid;

static void start_under_budget (const char *budget, double cost_s)
{
	char text[512];

	memset (&paid, 0, sizeof paid);
	paid.often = 1;
	fake.cost = (struct ppi_cost){.sampled_s = cost_s, .skipped_s = cost_s / 50};
	snprintf (text, sizeof text,
		  "version: 1\noverhead: {budget: %s}\nassertions:\n"
		  "  slow: {at: f/serve, expect: latency.last < 50s, on_fire: [{investigate: "
		  "true}]}\n",
		  budget);
	path = fake_policy ("budget.yaml", text);
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	unlink (path);
	fake_tick (1000);
	slow ();
	fake_tick (10);
	ck_assert_uint_gt (fake_rules ("investigate_slow", NULL), 0);
}

static uint32_t every_at (const pp_site *site)
{
	for (size_t i = 0; i < FAKE_MAX; i++)
		if (fake.rules[i].used &&
		    strcmp (fake.rules[i].metric->name, "investigate_slow") == 0 &&
		    strcmp (fake.rules[i].pattern, site->name) == 0)
			return fake.rules[i].every;
	return 0;
}

static void pay (pp_site *site, double value, const pp_site *a, const pp_site *b)
{
	static unsigned skipped;
	uint32_t every = every_at (site);

	if (every)
		paid.tick_s += ++skipped % every ? fake.cost.skipped_s : fake.cost.sampled_s;
	if (every && skipped % every == 0)
		nested (site, value, a, b);
}

static void dear_request (double in_texture)
{
	pay (parse, 10, NULL, NULL);
	for (unsigned i = 0; i < paid.often; i++) {
		pay (texture, in_texture / paid.often, shade, render);
		pay (shade, (2 + in_texture) / paid.often, render, NULL);
	}
	pay (render, 7 + in_texture, NULL, NULL);
	paid.tick_s += every_at (serve) ? fake.cost.sampled_s : 0;
	end_of (serve, 20 + in_texture, NULL, NULL, NULL);
}

static void pay_for_tick (void)
{
	double sum = 0;

	paid.recent_s[paid.ticks++ % 10] = paid.tick_s;
	for (int i = 0; i < 10; i++)
		sum += paid.recent_s[i];
	paid.worst_s = sum > paid.worst_s ? sum : paid.worst_s;
	paid.all_s += paid.tick_s;
	paid.tick_s = 0;
	if (fake_rules ("investigate_slow", NULL) > paid.most)
		paid.most = fake_rules ("investigate_slow", NULL);
}

/* Until there is a result; what was paid since the begin, as a share of the time */
static double run_dear (unsigned requests)
{
	for (unsigned i = 0; i < 6000 && !*result (); i++) {
		for (unsigned k = 0; k < requests; k++) {
			bool slow_first = (i * 2654435761u) >> 31;

			dear_request (slow_first ? 60 : 0);
			dear_request (slow_first ? 0 : 60);
		}
		pay_for_tick ();
		fake_tick (10);
	}
	return paid.all_s / (paid.ticks * 0.01);
}

START_TEST (it_measures_in_bursts_where_that_is_what_the_budget_allows)
{
	/* all of it would be 3 % */
	start_under_budget ("1%", 25e-6);
	ck_assert_double_le (run_dear (1), 0.01);
	ck_assert_double_le (paid.worst_s, 0.0012);
	ck_assert_ptr_nonnull (
		strstr (result (), "100 % of what is too slow is in lib.so!t.c:load/texture"));
	ck_assert_ptr_nonnull (
		strstr (result (), "; measured with pauses, to stay within the budget of 1 %"));
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
	ck_assert_int_eq (fake.throttled, 0); /* neither it nor who can't help it */
}
END_TEST

START_TEST (it_binds_fewer_where_one_execution_is_too_dear_with_all)
{
	/* five times what there is at once, in each execution */
	start_under_budget ("1%", 150e-6);
	ck_assert_double_le (run_dear (1), 0.01);
	ck_assert_double_le (paid.worst_s, 0.0045); /* once: nobody could know */
	ck_assert_ptr_nonnull (
		strstr (result (), "100 % of what is too slow is in lib.so!t.c:load/texture"));
	ck_assert_ptr_nonnull (strstr (result (), "; measured with pauses"));
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
}
END_TEST

START_TEST (what_runs_often_is_sampled)
{
	/* shade and texture are 20 % of the time each, but for the budget */
	start_under_budget ("1%", 1e-6);
	paid.often = 1000;
	run_dear (1);
	ck_assert_ptr_nonnull (
		strstr (result (), "100 % of what is too slow is in lib.so!t.c:load/texture"));
	ck_assert_ptr_null (strstr (result (), "left out"));
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
	ck_assert_double_le (paid.all_s / (paid.ticks * 0.01), 0.012);
}
END_TEST

START_TEST (what_is_too_dear_even_so_is_left_out_and_told)
{
	start_under_budget ("0.1%", 1e-6);
	fake.cost.skipped_s = 0.5e-6;
	paid.often = 600;
	run_dear (1);
	ck_assert_msg (strstr (result (), "2 intervals run too often for it and are left out") !=
			       NULL,
		       "%s", result ());
	ck_assert_ptr_nonnull (strstr (result (), "of what is too slow is in app!b.c:g/render"));
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
}
END_TEST

START_TEST (within_the_budget_it_is_as_without_one)
{
	start_under_budget ("6%", 25e-6);
	run_dear (1);
	says ("100 % of what is too slow is in lib.so!t.c:load/texture, 100 % by itself; inside "
	      "app!b.c:h/shade (100 %), inside app!b.c:g/render (100 %)");
}
END_TEST

START_TEST (what_else_is_measured_leaves_less)
{
	fake_load (1e5, 150e-9, 1e-9); /* 1.5 % */
	start_under_budget ("2%", 25e-6);
	ck_assert_double_le (run_dear (1), 0.005);
	ck_assert_ptr_nonnull (
		strstr (result (), "100 % of what is too slow is in lib.so!t.c:load/texture"));
	ck_assert_int_eq (fake.throttled, 0);
}
END_TEST

START_TEST (one_runs_at_a_time)
{
	char text[] = "version: 1\nassertions:\n"
		      "  slow: {at: f/serve, expect: latency.last < 50s, on_fire: [{investigate: "
		      "true}]}\n"
		      "  too: {at: f/serve, expect: latency.last < 51s, on_fire: [{investigate: "
		      "true}]}\n";

	path = fake_policy ("two.yaml", text);
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	unlink (path);
	slow ();
	fake_tick (10);
	ck_assert_uint_gt (fake_rules ("investigate_slow", NULL), 0);
	ck_assert_uint_eq (fake_rules ("investigate_too", NULL), 0);
	run (60, slow, fast);
	ck_assert_uint_ge (fake_history (PPI_HISTORY_INVESTIGATE, "slow"), 1);
}
END_TEST

START_TEST (unloading_ends_it)
{
	load ("true", "");
	slow ();
	fake_tick (10);
	ck_assert_int_eq (pp_policy_unload (path), PP_OK);
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
	fake_tick (1000);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_INVESTIGATE, "slow"), 0);
}
END_TEST

START_TEST (a_reload_keeps_what_was_found)
{
	char culprit[128];

	load ("true", "");
	run (60, slow, fast);
	ck_assert_int_eq (
		pp_policy_load (fake_policy (
			"investigate.yaml",
			"version: 1\nassertions:\n  slow: {at: f/serve, expect: latency.last < "
			"50s, on_fire: [{investigate: true}]}\n  more: {every: 1s, expect: 1 < "
			"2}\n")),
		PP_OK);
	ck_assert_int_eq (pp_assertion_culprit ("slow", culprit, sizeof culprit, NULL), PP_OK);
	ck_assert_str_eq (culprit, "lib.so!t.c:load/texture");
}
END_TEST

/* The same assertion, with LIMIT, in another version of the policy */
static void load_again (const char *limit)
{
	char text[512];

	snprintf (
		text, sizeof text,
		"version: 1\nassertions:\n"
		"  slow: {at: f/serve, expect: latency.last < %s, on_fire: [{investigate: true}]}\n"
		"  more: {every: 1s, expect: 1 < 2}\n",
		limit);
	ck_assert_int_eq (pp_policy_load (fake_policy ("investigate.yaml", text)), PP_OK);
}

START_TEST (a_reload_in_the_middle_of_one_begins_it_anew)
{
	load ("true", "");
	slow ();
	fake_tick (10);
	load_again ("50s");
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 6);
	run (60, slow, fast);
	ck_assert_ptr_nonnull (strstr (result (), "is in lib.so!t.c:load/texture"));
	ck_assert_uint_eq (fake_history (PPI_HISTORY_INVESTIGATE, "slow"), 1);
	/* and the pause after it is kept over the next one */
	load_again ("50s");
	run (10, fast, slow);
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
}
END_TEST

START_TEST (a_fire_that_is_performed_amid_a_reload_is_investigated_by_the_next_version)
{
	load ("true", "");
	slow ();
	load_again ("50s");
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 6);
	run (60, slow, fast);
	ck_assert_ptr_nonnull (strstr (result (), "is in lib.so!t.c:load/texture"));
}
END_TEST

START_TEST (a_fire_of_a_version_that_goes_investigates_nothing)
{
	load ("true", "");
	slow ();
	load_again ("500s");
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
	fake_tick (1000);
	run (10, fast, fast);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_INVESTIGATE, "slow"), 0);
}
END_TEST

START_TEST (a_child_has_none)
{
	load ("true", "");
	slow ();
	fake_tick (10);
	ppi_parts_fork_child ();
	ck_assert_uint_eq (fake_rules ("investigate_slow", NULL), 0);
	run (60, slow, fast);
	ck_assert_ptr_nonnull (strstr (result (), "is in lib.so!t.c:load/texture"));
}
END_TEST

static struct {
	int results, fires;
	char culprit[128], text[256], detail[256];
	double share;
} heard;

static void listen (const struct pp_violation *v, void *arg)
{
	(void) arg;
	if (!v->investigated) {
		heard.fires += !v->clears && !v->repeats;
		return;
	}
	heard.results++;
	ck_assert_int_eq (v->repeats, 1);
	heard.share = v->culprit_share;
	snprintf (heard.culprit, sizeof heard.culprit, "%s", v->culprit ? v->culprit : "");
	snprintf (heard.text, sizeof heard.text, "%s", v->text);
	snprintf (heard.detail, sizeof heard.detail, "%s", v->detail);
	ck_assert_str_eq (v->site, "app!a.c:f/serve");
}

START_TEST (the_result_is_delivered_logged_and_part_of_later_violations)
{
	memset (&heard, 0, sizeof heard);
	load ("true", ", {log: error}");
	ck_assert_int_eq (pp_on_assertion ("slow", listen, NULL), PP_OK);
	run (40, slow_in_parse, fast);
	ck_assert_int_eq (heard.results, 1);
	ck_assert_str_eq (heard.culprit, "app!a.c:f/parse");
	ck_assert_double_eq_tol (heard.share, 1, 1e-9);
	ck_assert_ptr_nonnull (
		strstr (heard.detail, "100 % of what is too slow is in app!a.c:f/parse"));
	ck_assert_ptr_nonnull (strstr (
		heard.text, "assertion slow: 100 % of what is too slow is in app!a.c:f/parse"));
	ck_assert_int_ge (heard.fires, 2);
}
END_TEST

START_TEST (after_one_there_is_a_pause)
{
	memset (&heard, 0, sizeof heard);
	load ("{for: 2s}", "");
	ck_assert_int_eq (pp_on_assertion ("slow", listen, NULL), PP_OK);
	run (60, slow, fast);
	ck_assert_uint_eq ((unsigned) heard.results, 1);
	run (900, slow, fast); /* nine seconds, and it fires in each round */
	ck_assert_uint_eq ((unsigned) heard.results, 1);
	run (400, slow, fast); /* six times what it may take at most: twelve seconds */
	ck_assert_uint_eq ((unsigned) heard.results, 2);
}
END_TEST

START_TEST (it_is_logged_where_the_assertion_logs)
{
	load ("true", ", {log: error}");
	slow_in_parse (); /* fires once and stays so: lines enough are left */
	fake_tick (10);
	for (int i = 0; i < 160; i++) {
		slow_in_parse ();
		fake_tick (100);
	}
	ck_assert_uint_eq (fake_said ("error: assertion slow: "), 1);
}
END_TEST

START_TEST (wrong_ones_are_told)
{
	static const struct {
		const char *assertion, *error;
	} wrong[] = {
		{"{every: 1s, expect: latency.avg < 50s, on_fire: [{investigate: true}]}",
		 "only what is expected 'at' an interval can be investigated"},
		{"{at: f/here, expect: latency.last < 50s, on_fire: [{investigate: true}]}",
		 "'f/here' means no interval: nothing runs inside of it"},
		{"{at: f/serve, expect: latency.last < 50s, on_clear: [{investigate: true}]}",
		 "an action has no key 'investigate'"},
		{"{at: f/serve, expect: latency.last < 50s, on_fire: [{investigate: maybe}]}",
		 "investigate is true, or"},
		{"{at: f/serve, expect: latency.last < 50s, on_fire: [{investigate: {depth: 9}}]}",
		 "from 1 to 8"},
		{"{at: f/serve, expect: latency.last < 50s, on_fire: [{investigate: {dept: 9}}]}",
		 "investigate has no key 'dept'; did you mean 'depth'?"},
		{"{at: f/serve, expect: latency.last < 50s, on_fire: [{investigate: {for: 5}}]}",
		 "'for' must be a time"},
		{"{at: f/serve, expect: latency.last < 50s, on_fire: [{investigate: {sites: []}}]}",
		 "'sites' is empty"},
	};
	char text[512];

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		fake.n_messages = 0;
		snprintf (text, sizeof text, "version: 1\nassertions:\n  slow: %s\n",
			  wrong[i].assertion);
		ck_assert_int_eq (pp_policy_load (fake_policy ("wrong.yaml", text)), PP_EPOLICY);
		ck_assert_msg (fake_said (wrong[i].error) == 1, "%s: %s", wrong[i].error,
			       fake.messages[0]);
	}
}
END_TEST

static Suite *investigating (void)
{
	Suite *suite = suite_create ("investigating");
	TCase *tests = tcase_create ("investigating");

	tcase_add_checked_fixture (tests, setup, NULL);
	tcase_add_test (tests, it_is_followed_down_to_where_it_comes_from);
	tcase_add_test (tests, what_it_bound_is_unbound);
	tcase_add_test (tests, what_takes_long_always_is_not_what_is_slow_now);
	tcase_add_test (tests, the_one_that_deviates_most_is_followed_whatever_their_order);
	tcase_add_test (tests, it_stops_where_nothing_nested_is_most_of_it);
	tcase_add_test (tests, nothing_nested_may_be_the_cause);
	tcase_add_test (tests, without_anything_that_holds_the_share_of_all_counts);
	tcase_add_test (tests, nothing_counts_before_markers_are_on);
	tcase_add_test (tests, depth_is_bounded);
	tcase_add_test (tests, only_named_sites_are_looked_at);
	tcase_add_test (tests, one_in_a_thousand_is_followed_to_its_end);
	tcase_add_test (tests, too_few_violations_are_told_and_it_goes_on_with_them);
	tcase_add_test (tests, what_runs_very_often_is_measured_in_bursts);
	tcase_add_test (tests, a_program_that_stops_is_not_waited_for_long);
	tcase_add_test (tests, many_intervals_are_looked_at_some_at_a_time);
	tcase_add_test (tests, recursion_counts_the_outermost);
	tcase_add_test (tests, executions_that_were_not_sampled_do_not_count);
	tcase_add_test (tests, a_part_without_a_sample_of_its_own_is_none);
	tcase_add_test (tests, old_samples_are_not_checked_again);
	tcase_add_test (tests, it_measures_in_bursts_where_that_is_what_the_budget_allows);
	tcase_add_test (tests, it_binds_fewer_where_one_execution_is_too_dear_with_all);
	tcase_add_test (tests, what_runs_often_is_sampled);
	tcase_add_test (tests, what_is_too_dear_even_so_is_left_out_and_told);
	tcase_add_test (tests, within_the_budget_it_is_as_without_one);
	tcase_add_test (tests, what_else_is_measured_leaves_less);
	tcase_add_test (tests, one_runs_at_a_time);
	tcase_add_test (tests, after_one_there_is_a_pause);
	tcase_add_test (tests, unloading_ends_it);
	tcase_add_test (tests, a_reload_keeps_what_was_found);
	tcase_add_test (tests, a_reload_in_the_middle_of_one_begins_it_anew);
	tcase_add_test (tests,
			a_fire_that_is_performed_amid_a_reload_is_investigated_by_the_next_version);
	tcase_add_test (tests, a_fire_of_a_version_that_goes_investigates_nothing);
	tcase_add_test (tests, a_child_has_none);
	tcase_add_test (tests, the_result_is_delivered_logged_and_part_of_later_violations);
	tcase_add_test (tests, it_is_logged_where_the_assertion_logs);
	tcase_add_test (tests, wrong_ones_are_told);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {investigating};

	return ppcheck_main (suites, 1);
}
