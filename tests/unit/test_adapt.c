/* SPDX-License-Identifier: MIT */
/*
 * test_adapt.c: `adapt:` turns a knob, reads what that came to, and decides; the time is the
 * test's.
 */
#include "assertions/engine/policies.h"
#include "assertions/react/adapt.h"
#include "base/part.h"
#include "tests/unit/fake_runtime.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_MS 100

static struct pp_abi_knob level, gain, filter;
static pp_metric *cost;
static double by_filter[3];   /* what a window costs with each word */
static double noise, samples; /* relative; in a window */
static uint64_t seed;
static const char *path;

static struct pp_abi_knob knob_of (enum pp_abi_knob_type type, const char *name, const char *words)
{
	struct pp_abi_knob knob = {
		.head = {.size = sizeof knob, .abi = PP_ABI_VERSION, .type = PP_ABI_RECORD_KNOB},
		.where = "k.c:1",
		.type = (uint8_t) type,
		.words = words};

	strcpy (knob.name, name);
	return knob;
}

static void setup (void)
{
	fake_start ();
	filter = knob_of (PP_ABI_KNOB_ENUM, "filter", "box, linear, cubic");
	filter.max.i = 2;
	filter.step.i = 1;
	level = knob_of (PP_ABI_KNOB_INT, "level", NULL);
	level.value.i = level.initial.i = 3;
	level.min.i = 1;
	level.max.i = 1000;
	level.step.i = 1;
	gain = knob_of (PP_ABI_KNOB_DOUBLE, "gain", NULL);
	gain.max.d = 1;
	gain.step.d = 0.25;
	fake_add_record (&filter.head);
	fake_add_record (&level.head);
	fake_add_record (&gain.head);
	fake_module_added ();
	cost = fake_metric ("cost", PP_ABI_SITE_INTERVAL, PPI_STATS, "elapsed");
	fake_site ("app!a.c:f/work", PP_ABI_SITE_INTERVAL);
	by_filter[0] = 3;
	by_filter[1] = 1;
	by_filter[2] = 2;
	noise = 0;
	samples = 100;
	seed = 1;
}

static int load_text (const char *text)
{
	int error;

	path = fake_policy ("adapt.yaml", text);
	error = pp_policy_load (path);
	unlink (path);
	return error;
}

static void load (const char *adapt)
{
	char text[1024];

	snprintf (text, sizeof text, "version: 1\nadapt: %s\n", adapt);
	ck_assert_msg (load_text (text) == PP_OK, "%s", fake.n_messages ? fake.messages[0] : "?");
}

#define FILTER "{choose: filter, minimise: cost.avg, every: 100ms, explore: 0}"

static double uniform (void)
{
	seed = seed * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
	return (double) (seed >> 11) * 0x1p-53;
}

/* So many windows of the program */
static void run (unsigned windows)
{
	for (unsigned i = 0; i < windows * 5; i++) {
		double value =
			by_filter[filter.value.i] * (1 + noise * (uniform () + uniform () - 1));

		cost->merged[PP_STAT_AVG] = value;
		cost->merged[PP_STAT_COUNT] = samples;
		fake_tick (WINDOW_MS / 4);
	}
}

static struct pp_adapt_info state_of (const char *knob)
{
	struct pp_adapt_info info;

	ck_assert_int_eq (pp_adapt_state (knob, &info), PP_OK);
	return info;
}

START_TEST (it_settles_on_the_word_with_the_least)
{
	struct pp_adapt_info info;

	load (FILTER);
	run (30);
	info = state_of ("filter");
	ck_assert_int_eq (info.state, PP_ADAPT_SETTLED);
	ck_assert_double_eq (info.best, 1);
	ck_assert_double_eq (info.current, 1);
	ck_assert_int_eq (filter.value.i, 1);
	ck_assert_uint_eq (info.settled, 1);
	ck_assert_uint_eq (info.variants, 3);
	ck_assert_ptr_nonnull (
		strstr (fake_newest (PPI_HISTORY_ADAPT), "settled on linear: 1.10 s"));
	ck_assert_ptr_nonnull (strstr (fake_newest (PPI_HISTORY_ADAPT), "box 3.10 s"));
}
END_TEST

START_TEST (or_with_the_most)
{
	load ("{choose: filter, maximise: cost.avg, every: 100ms}");
	run (30);
	ck_assert_double_eq (state_of ("filter").best, 0);
	ck_assert_int_eq (state_of ("filter").maximise, 1);
}
END_TEST

START_TEST (noise_is_seen_through)
{
	unsigned right = 0;

	for (unsigned trial = 0; trial < 50; trial++) {
		seed = trial * 101 + 3;
		noise = 0.5; /* ± 50 %, a standard deviation of 20 % */
		load (FILTER);
		run (100);
		/* also where it tries anew just now */
		right += ppi_policies->adapts[0]->chooser.best == 1;
		ck_assert_int_eq (pp_policy_unload (path), PP_OK);
	}
	ck_assert_uint_ge (right, 49);
}
END_TEST

START_TEST (a_degrade_in_the_middle_is_answered)
{
	load (FILTER);
	noise = 0.1;
	run (60);
	ck_assert_double_eq (state_of ("filter").best, 1);
	by_filter[1] = 5;
	run (60);
	ck_assert_int_eq (state_of ("filter").state, PP_ADAPT_SETTLED);
	ck_assert_double_eq (state_of ("filter").best, 2);
	ck_assert_uint_eq (state_of ("filter").degraded, 1);
	ck_assert_uint_eq (state_of ("filter").settled, 2);
	ck_assert_uint_ge (fake_history (PPI_HISTORY_ADAPT, "filter"), 3);
}
END_TEST

START_TEST (what_became_better_is_found_by_the_share_that_explores)
{
	load ("{choose: filter, minimise: cost.avg, every: 100ms, explore: 20%}");
	run (60);
	ck_assert_double_eq (state_of ("filter").best, 1);
	by_filter[0] = 0.1;
	run (60);
	ck_assert_double_eq (state_of ("filter").best, 0);
	ck_assert_uint_eq (state_of ("filter").better, 1);
}
END_TEST

START_TEST (a_variant_that_never_has_samples_is_not_chosen)
{
	struct pp_adapt_variant variant[3];

	load (FILTER);
	for (int i = 0; i < 200; i++) {
		samples = filter.value.i == 1 ? 3 : 100; /* ten are wanted */
		cost->merged[PP_STAT_AVG] = by_filter[filter.value.i];
		cost->merged[PP_STAT_COUNT] = samples;
		fake_tick (WINDOW_MS / 4);
	}
	ck_assert_double_eq (state_of ("filter").best, 2);
	ck_assert_uint_ge (state_of ("filter").empty, 3);
	ck_assert_int_eq (pp_adapt_variants ("filter", variant, 3), 3);
	ck_assert (isnan (variant[1].mean) && variant[1].is_out && variant[1].windows == 3);
	ck_assert_double_eq_tol (variant[2].mean, 2.1, 1e-9);
	ck_assert_ptr_nonnull (strstr (fake_newest (PPI_HISTORY_ADAPT), "linear no samples"));
}
END_TEST

START_TEST (without_any_samples_it_waits)
{
	load (FILTER);
	samples = 0;
	run (20);
	ck_assert_int_eq (state_of ("filter").state, PP_ADAPT_WAITING);
	ck_assert (isnan (state_of ("filter").best));
	samples = 50;
	run (30);
	ck_assert_double_eq (state_of ("filter").best, 1);
}
END_TEST

START_TEST (a_window_in_which_somebody_else_turned_the_knob_does_not_count)
{
	uint64_t windows;

	load (FILTER);
	run (30);
	windows = state_of ("filter").windows;
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq (pp_knob_set ("filter", 0), 1); /* dear: it would look degraded */
		run (1);
	}
	ck_assert_uint_ge (state_of ("filter").disturbed, 5);
	ck_assert_uint_le (state_of ("filter").windows - windows, 5);
	ck_assert_uint_eq (state_of ("filter").degraded, 0);
	run (3);
	ck_assert_int_eq (filter.value.i, 1); /* its policy's */
	ck_assert_uint_ge (fake_history (PPI_HISTORY_ADAPT, "filter"), 2);
}
END_TEST

START_TEST (what_began_before_the_turn_is_not_in_the_window)
{
	/* from the turn to the end a window and a quarter */
	load (FILTER);
	fake_tick (1);
	ck_assert_uint_eq (state_of ("filter").windows, 0);
	cost->merged[PP_STAT_AVG] = 1;
	cost->merged[PP_STAT_COUNT] = 100;
	fake_tick (124);
	ck_assert_uint_eq (state_of ("filter").windows, 0);
	fake_tick (1);
	ck_assert_uint_eq (state_of ("filter").windows, 1);
	/* the fake adds the window's seconds */
	ck_assert_double_eq_tol (state_of ("filter").newest, 1.1, 1e-9);
	ck_assert_int_eq (filter.value.i, 1);
	fake_tick (124);
	ck_assert_uint_eq (state_of ("filter").windows, 1);
	fake_tick (1);
	ck_assert_uint_eq (state_of ("filter").windows, 2);
}
END_TEST

static int64_t effective;

static void slow_setter (const union pp_abi_number *value)
{
	fake.now_ns += 150 * UINT64_C (1000000);
	effective = value->i;
}

/* What a setter makes effective is what the window has to see, however long that takes */
START_TEST (a_window_begins_when_the_setter_has_returned)
{
	struct pp_adapt_variant v[3];

	effective = 0;
	filter.setter = slow_setter;
	load (FILTER);
	for (int i = 0; i < 400; i++) {
		/* a ring: of the last 100 ms, in which it was in part what it was before */
		static double before;
		double value = by_filter[effective];

		cost->merged[PP_STAT_AVG] = before == value ? value : (before + value) / 2;
		cost->merged[PP_STAT_COUNT] = samples;
		before = value;
		fake_tick (WINDOW_MS / 4);
	}
	ck_assert_int_eq (state_of ("filter").state, PP_ADAPT_SETTLED);
	ck_assert_double_eq (state_of ("filter").best, 1);
	ck_assert_int_eq (pp_adapt_variants ("filter", v, 3), 3);
	for (int i = 0; i < 3; i++)
		ck_assert_double_eq_tol (v[i].mean, by_filter[i] + 0.1, 1e-9);
}
END_TEST

START_TEST (numbers_are_chosen_from_a_range_or_a_list)
{
	struct pp_adapt_variant variant[8];

	load ("[{choose: gain, minimise: cost.avg}, {choose: level, maximise: cost.max, values: "
	      "[1, 10, 100]}]");
	ck_assert_int_eq (pp_adapt_variants ("gain", variant, 8), 5);
	ck_assert_double_eq (variant[0].value, 0);
	ck_assert_double_eq (variant[1].value, 0.25);
	ck_assert_double_eq (variant[4].value, 1);
	ck_assert_int_eq (pp_adapt_variants ("level", variant, 2), 3);
	ck_assert_double_eq (variant[1].value, 10);
	ck_assert_int_eq (pp_adapt_variants ("level", NULL, 0), 3);
	ck_assert_int_eq (pp_adapt_variants ("filter", variant, 8), PP_ENOENT);
	ck_assert_double_eq (state_of ("level").current, 1); /* the nearest to 3 */
}
END_TEST

START_TEST (its_metrics_are_kept_for_as_long_as_a_window)
{
	load (FILTER);
	ck_assert_uint_eq (fake_window_users (), 1);
	ck_assert_int_eq (pp_policy_unload (path), PP_OK);
	ck_assert_uint_eq (fake_window_users (), 0);
	ck_assert_int_eq (filter.value.i, 0); /* as it was */
}
END_TEST

START_TEST (an_unchanged_adaptation_survives_a_reload)
{
	load (FILTER);
	run (30);
	load_text ("version: 1\nadapt:\n  " FILTER
		   "\nassertions: {a: {every: 1s, expect: 1 < 2}}\n");
	ck_assert_int_eq (state_of ("filter").state, PP_ADAPT_SETTLED);
	ck_assert_uint_ge (state_of ("filter").windows, 9);
	ck_assert_int_eq (filter.value.i, 1);
	load ("{choose: filter, minimise: cost.avg, every: 200ms, explore: 0}");
	ck_assert_int_eq (state_of ("filter").state, PP_ADAPT_EXPLORING);
	ck_assert_uint_eq (state_of ("filter").windows, 0);
	ck_assert_uint_eq (fake_window_users (), 1);
	load ("{choose: level, values: [1, 2], minimise: cost.avg}");
	ck_assert_int_eq (pp_adapt_state ("filter", &(struct pp_adapt_info){.state = 0}),
			  PP_ENOENT);
	ck_assert_int_eq (filter.value.i, 0);
}
END_TEST

/* A composite's name stands for its expression, also for what was said before the reload */
START_TEST (a_reload_with_another_composite_begins_anew)
{
	static const char text[] =
		"version: 1\nmetrics: {c: {expr: \"%scost.avg\"}}\n"
		"adapt: {choose: filter, minimise: c, every: 100ms, explore: 0}\n";
	char now[256];

	snprintf (now, sizeof now, text, "");
	ck_assert_int_eq (load_text (now), PP_OK);
	run (30);
	ck_assert_int_eq (state_of ("filter").state, PP_ADAPT_SETTLED);
	ck_assert_double_eq (state_of ("filter").best, 1);
	ck_assert_int_eq (load_text (now), PP_OK);
	ck_assert_int_eq (state_of ("filter").state, PP_ADAPT_SETTLED);
	snprintf (now, sizeof now, text, "0 - ");
	ck_assert_msg (load_text (now) == PP_OK, "%s", fake.n_messages ? fake.messages[0] : "?");
	ck_assert_int_eq (state_of ("filter").state, PP_ADAPT_EXPLORING);
	run (30);
	ck_assert_double_eq (state_of ("filter").best, 0);
}
END_TEST

START_TEST (a_child_begins_anew)
{
	load (FILTER);
	run (30);
	ppi_parts_fork_child ();
	ck_assert_int_eq (state_of ("filter").state, PP_ADAPT_EXPLORING);
	ck_assert_uint_eq (state_of ("filter").windows, 0);
	run (30);
	ck_assert_double_eq (state_of ("filter").best, 1);
}
END_TEST

START_TEST (a_knob_that_is_away_is_waited_for)
{
	load (FILTER);
	run (4);
	fake_remove_record (&filter.head);
	run (20);
	ck_assert_uint_le (state_of ("filter").windows, 4);
	fake_add_record (&filter.head);
	run (30);
	ck_assert_double_eq (state_of ("filter").best, 1);
}
END_TEST

START_TEST (the_recording_has_what_it_knows)
{
	const struct ppi_adapt_chunk *chunk;

	load (FILTER);
	run (30);
	chunk = ppi_policies->adapts[0]->chunk;
	ck_assert_int_eq (chunk->chunk.type, PPI_CHUNK_ADAPT);
	ck_assert_str_eq ((const char *) chunk + chunk->knob, "filter");
	ck_assert_str_eq ((const char *) chunk + chunk->objective, "cost.avg");
	ck_assert_uint_eq (chunk->state, PP_ADAPT_SETTLED);
	ck_assert_uint_eq (chunk->best, 1);
	ck_assert_int_eq (chunk->seconds, 1);
	ck_assert_double_eq_tol (chunk->variant[0].mean, 3.1, 1e-9);
	ck_assert_int_eq (pp_policy_unload (path), PP_OK);
	ck_assert_uint_eq (chunk->state, PPI_ADAPT_ENDED);
}
END_TEST

START_TEST (wrong_ones_are_told)
{
	static const struct {
		const char *adapt, *error;
	} wrong[] = {
		{"{choose: filtr, minimise: cost.avg}",
		 "there is no knob 'filtr'; did you mean 'filter'?"},
		{"{choose: filter, minimise: cots.avg}",
		 "there is no metric 'cots'; did you mean 'cost'?"},
		{"{choose: filter}",
		 "'adapt' needs either 'minimise' or 'maximise', an expression"},
		{"{choose: filter, minimise: cost.avg, maximise: cost.avg}",
		 "needs either 'minimise' or 'maximise'"},
		{"{minimise: cost.avg}", "'adapt' needs 'choose', a knob"},
		{"{choose: filter, minimise: cost.total}",
		 "'total' of 'cost' is not kept over a window of time"},
		{"{choose: filter, minimise: \"cost.avg[2s]\"}",
		 "is taken over windows of 'every' already"},
		{"{choose: filter, minimise: knob(level) + 1}", "is made of metrics only"},
		{"{choose: filter, minimise: 5}", "needs a metric, like time.avg"},
		{"{choose: filter, minimise: cost.avg < 5s}", "a number is needed here"},
		{"{choose: level, minimise: cost.avg}",
		 "knob 'level' has 1000 values in its range"},
		{"{choose: level, minimise: cost.avg, values: [1, 2000]}",
		 "2000 is no value of knob 'level'"},
		{"{choose: level, minimise: cost.avg, values: [1, 1.5]}",
		 "1.5 is no value of knob 'level'"},
		{"{choose: level, minimise: cost.avg, values: [1, 1]}", "1 is there twice"},
		{"{choose: level, minimise: cost.avg, values: [1]}",
		 "'values' has from 2 to 32 values"},
		{"{choose: level, minimise: cost.avg, values: [1, low]}",
		 "'low' is no number, and knob 'level' has no words"},
		{"{choose: filter, minimise: cost.avg, values: [box, cubik]}",
		 "knob 'filter' has no word 'cubik'"},
		{"{choose: filter, minimise: cost.avg, explore: 60%}",
		 "'explore' is from 0 to 50%, not 60%"},
		{"{choose: filter, minimise: cost.avg, every: 1ms}",
		 "the shortest window is 10 ms"},
		{"[{choose: filter, minimise: cost.avg}, {choose: filter, minimise: cost.max}]",
		 "knob 'filter' is chosen above already"},
	};
	char text[512];

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		fake.n_messages = 0;
		snprintf (text, sizeof text, "version: 1\nadapt: %s\n", wrong[i].adapt);
		ck_assert_int_eq (load_text (text), PP_EPOLICY);
		ck_assert_msg (fake_said (wrong[i].error) == 1, "%s: %s", wrong[i].error,
			       fake.messages[0]);
	}
	ck_assert_uint_eq (fake_window_users (), 0);
}
END_TEST

START_TEST (nobody_else_may_turn_what_is_chosen)
{
	ck_assert_int_eq (load_text ("version: 1\nadapt: " FILTER "\nassertions:\n"
				     "  a: {every: 1s, expect: 1 < 2, on_fire: [{knob: {name: "
				     "filter, step: 1}}]}\n"),
			  PP_EPOLICY);
	ck_assert_uint_eq (
		fake_said ("knob 'filter' is chosen by 'adapt': no action may turn it too"), 1);
	load (FILTER);
	fake.n_messages = 0;
	ck_assert_int_eq (pp_policy_load (fake_policy ("other.yaml",
						       "version: 1\nassertions:\n"
						       "  b: {every: 1s, expect: 1 < 2, on_fire: "
						       "[{knob: {name: filter, set: box}}]}\n")),
			  PP_EPOLICY);
	ck_assert_uint_eq (fake_said ("knob 'filter' is turned by the policy"), 1);
}
END_TEST

static Suite *adapting (void)
{
	Suite *suite = suite_create ("adapting");
	TCase *tests = tcase_create ("adapting");

	tcase_add_checked_fixture (tests, setup, NULL);
	tcase_add_test (tests, it_settles_on_the_word_with_the_least);
	tcase_add_test (tests, or_with_the_most);
	tcase_add_test (tests, noise_is_seen_through);
	tcase_add_test (tests, a_degrade_in_the_middle_is_answered);
	tcase_add_test (tests, what_became_better_is_found_by_the_share_that_explores);
	tcase_add_test (tests, a_variant_that_never_has_samples_is_not_chosen);
	tcase_add_test (tests, without_any_samples_it_waits);
	tcase_add_test (tests, a_window_in_which_somebody_else_turned_the_knob_does_not_count);
	tcase_add_test (tests, what_began_before_the_turn_is_not_in_the_window);
	tcase_add_test (tests, a_window_begins_when_the_setter_has_returned);
	tcase_add_test (tests, numbers_are_chosen_from_a_range_or_a_list);
	tcase_add_test (tests, its_metrics_are_kept_for_as_long_as_a_window);
	tcase_add_test (tests, an_unchanged_adaptation_survives_a_reload);
	tcase_add_test (tests, a_reload_with_another_composite_begins_anew);
	tcase_add_test (tests, a_child_begins_anew);
	tcase_add_test (tests, a_knob_that_is_away_is_waited_for);
	tcase_add_test (tests, the_recording_has_what_it_knows);
	tcase_add_test (tests, wrong_ones_are_told);
	tcase_add_test (tests, nobody_else_may_turn_what_is_chosen);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {adapting};

	return ppcheck_main (suites, 1);
}
