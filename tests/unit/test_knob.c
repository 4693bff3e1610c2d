/* SPDX-License-Identifier: MIT */
/* test_knob.c: knobs are turned within their range, by one policy, and given back as they were. */
#include "assertions/engine/assertion.h"
#include "assertions/engine/knob.h"
#include "recording/layout.h"
#include "tests/unit/fake_runtime.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static struct pp_abi_knob level, gain, filter;
static pp_site *work;
static pp_metric *rays;

static struct pp_abi_knob int_knob (const char *name, int64_t value, int64_t min, int64_t max,
				    int64_t step)
{
	struct pp_abi_knob knob = {
		.head = {.size = sizeof knob, .abi = PP_ABI_VERSION, .type = PP_ABI_RECORD_KNOB},
		.where = "k.c:1",
		.type = PP_ABI_KNOB_INT,
		.value = {value},
		.initial = {value},
		.min = {min},
		.max = {max},
		.step = {step}};

	strcpy (knob.name, name);
	return knob;
}

/* What the setters were told, in their order */
static double told[64];
static int n_told;

static void tell_level (const union pp_abi_number *value)
{
	ck_assert_int_eq (fake.lock_depth, 0);
	ck_assert_int_lt (n_told, 64);
	told[n_told++] = (double) value->i;
}

static void setup (void)
{
	fake_start ();
	level = int_knob ("level", 4, 1, 8, 1);
	gain = int_knob ("gain", 0, 0, 0, 0);
	gain.type = PP_ABI_KNOB_DOUBLE;
	gain.value.d = gain.initial.d = 0.5;
	gain.min.d = 0.1;
	gain.max.d = 0.9;
	gain.step.d = 0.25;
	work = fake_site ("app!a.c:f/work", PP_ABI_SITE_INTERVAL);
	rays = fake_metric ("rays", PP_ABI_SITE_POINT, PPI_SUMCOUNT, "value");
	fake_add_record (&level.head);
	filter = int_knob ("filter", 1, 0, 2, 1);
	filter.type = PP_ABI_KNOB_ENUM;
	filter.words = "box, linear, cubic";
	n_told = 0;
	fake_add_record (&gain.head);
	fake_add_record (&filter.head);
	fake_module_added ();
}

/* An assertion that violates when rays.last >= 50, with ACTION on fire */
static void load (const char *action, const char *more)
{
	char text[1024];
	const char *path;
	int error;

	snprintf (text, sizeof text,
		  "version: 1\nassertions:\n  a: {at: f/work, expect: rays.last < 50, repeat: "
		  "true, on_fire: [{knob: "
		  "%s}]%s}\n",
		  action, more);
	path = fake_policy ("knob.yaml", text);
	error = pp_policy_load (path);
	unlink (path);
	ck_assert_msg (error == PP_OK, "%s", fake.n_messages ? fake.messages[0] : "?");
}

static void fire (unsigned times)
{
	for (; times; times--) {
		fake_sample (rays, 60, 10);
		fake_execute (work);
		fake_tick (10);
	}
}

static void calm (void)
{
	fake_sample (rays, 10, 10);
	fake_execute (work);
	fake_tick (10);
}

START_TEST (a_step_is_the_knobs_own)
{
	level.step.i = 2;
	load ("{name: level, step: -1}", "");
	fire (1);
	ck_assert_int_eq (level.value.i, 2);
	ck_assert_double_eq (ppi_knob_value (ppi_knob_find ("level")), 2);
}
END_TEST

START_TEST (several_steps_at_once)
{
	load ("{name: level, step: 3}", "");
	fire (1);
	ck_assert_int_eq (level.value.i, 7);
}
END_TEST

START_TEST (steps_end_at_the_range)
{
	load ("{name: level, step: -1}", "");
	fire (10);
	ck_assert_int_eq (level.value.i, 1);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_KNOB, "level"), 3);
	ck_assert_uint_eq (ppi_knob_find ("level")->chunk->turned, 3);
}
END_TEST

START_TEST (set_is_clamped_too)
{
	load ("{name: level, set: 100}", "");
	fire (1);
	ck_assert_int_eq (level.value.i, 8);
	load ("{name: level, set: -100}", "");
	fire (1);
	ck_assert_int_eq (level.value.i, 1);
}
END_TEST

START_TEST (no_arithmetic_overflows)
{
	level.max.i = INT64_MAX;
	level.min.i = INT64_MIN;
	level.value.i = INT64_MAX - 1;
	level.step.i = INT64_MAX / 2;
	load ("{name: level, step: 3}", "");
	fire (1);
	ck_assert_int_eq (level.value.i, INT64_MAX);
	load ("{name: level, step: -1e300}", "");
	fire (1);
	ck_assert_int_eq (level.value.i, INT64_MIN);
}
END_TEST

START_TEST (doubles_step_and_clamp)
{
	load ("{name: gain, step: 1}", "");
	fire (1);
	ck_assert_double_eq (gain.value.d, 0.75);
	fire (1);
	ck_assert_double_eq (gain.value.d, 0.9);
	load ("{name: gain, set: 0.3}", "");
	fire (1);
	ck_assert_double_eq (gain.value.d, 0.3);
}
END_TEST

START_TEST (a_turn_is_an_entry_from_old_to_new)
{
	const struct fake_entry *entry;

	load ("{name: level, step: -1}", "");
	fire (1);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_KNOB, "level"), 1);
	entry = &fake.history[fake.n_history - 1];
	ck_assert_int_eq (entry->kind, PPI_HISTORY_KNOB);
	ck_assert_double_eq (entry->value[0], 4);
	ck_assert_double_eq (entry->value[1], 3);
	ck_assert_str_eq (entry->text, "4 → 3, by assertion a");
}
END_TEST

START_TEST (the_recording_follows_the_knob)
{
	struct ppi_knob_chunk *chunk = ppi_knob_find ("level")->chunk;

	ck_assert_str_eq (chunk->name, "level");
	ck_assert_double_eq (chunk->initial, 4);
	ck_assert_double_eq (chunk->min, 1);
	ck_assert_double_eq (chunk->max, 8);
	load ("{name: level, step: -1}", "");
	fire (1);
	ck_assert_double_eq (chunk->value, 3);
	ck_assert_int_eq (chunk->chunk.type, PPI_CHUNK_KNOB);
}
END_TEST

START_TEST (minimum_dwell_keeps_a_turn_away)
{
	load ("{name: level, step: -1, min_dwell: 100ms}", "");
	fire (1);
	ck_assert_int_eq (level.value.i, 3);
	fire (9);
	ck_assert_int_eq (level.value.i, 3);
	fire (1);
	ck_assert_int_eq (level.value.i, 2);
}
END_TEST

START_TEST (clearing_turns_it_up_again)
{
	load ("{name: level, step: -1}", ", on_clear: [{knob: {name: level, step: 1}}]");
	fire (2);
	ck_assert_int_eq (level.value.i, 2);
	calm ();
	ck_assert_int_eq (level.value.i, 3);
	calm ();
	ck_assert_int_eq (level.value.i, 3);
}
END_TEST

START_TEST (unloading_restores_what_the_policy_found)
{
	level.value.i = 6; /* the program's own doing */
	load ("{name: level, step: -1}", "");
	fire (3);
	ck_assert_int_eq (level.value.i, 3);
	fake_fini ();
	ck_assert_int_eq (level.value.i, 6);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_KNOB, "level"), 4);
}
END_TEST

START_TEST (reloading_keeps_it_and_still_knows_what_was_before)
{
	load ("{name: level, step: -1}", "");
	fire (2);
	load ("{name: level, step: -2}", "");
	ck_assert_int_eq (level.value.i, 2);
	load ("{name: gain, step: 1}", "");
	ck_assert_int_eq (level.value.i, 4);
}
END_TEST

START_TEST (values_beyond_the_doubles_are_restored_exactly)
{
	level.max.i = INT64_MAX;
	level.value.i = (INT64_C (1) << 60) + 1;
	load ("{name: level, set: 5}", "");
	fire (1);
	ck_assert_int_eq (level.value.i, 5);
	fake_fini ();
	ck_assert_int_eq (level.value.i, (INT64_C (1) << 60) + 1);
}
END_TEST

START_TEST (a_knob_whose_module_was_closed_is_not_touched)
{
	load ("{name: level, step: -1}", "");
	fake_remove_record (&level.head);
	fire (2);
	ck_assert_int_eq (level.value.i, 4);
	ck_assert_uint_eq (
		fake_said (
			"an action of assertion 'a' failed: level: the knob's module was closed"),
		1);
	fake_fini ();
	ck_assert_int_eq (level.value.i, 4);
}
END_TEST

START_TEST (expressions_read_knobs)
{
	load ("{name: gain, step: 1}", "");
	ck_assert_int_eq (pp_expect ("high", "knob(level) == 4"), 1);
	level.value.i = 3; /* by the program: seen with the next tick */
	fake_tick (10);
	ck_assert_int_eq (pp_expect ("high", "knob(level) == 4"), 0);
	fake_remove_record (&level.head);
	ck_assert_int_eq (pp_expect ("high", "knob(level) == 4"), 2);
}
END_TEST

START_TEST (the_first_of_two_knobs_of_a_name_is_turned)
{
	static struct pp_abi_knob second;

	second = int_knob ("level", 7, 1, 8, 1);
	second.where = "other.c:9";
	fake_add_record (&second.head);
	ck_assert_uint_eq (fake_said ("knob 'level' of other.c:9 exists already, in k.c:1; "
				      "policies turn the first until it is closed"),
			   1);
	load ("{name: level, step: -1}", "");
	fire (1);
	ck_assert_int_eq (level.value.i, 3);
	ck_assert_int_eq (second.value.i, 7);
}
END_TEST

START_TEST (the_program_reads_and_turns_knobs_itself)
{
	double value = 0;

	ck_assert_int_eq (pp_knob_get ("level", &value), PP_OK);
	ck_assert_double_eq (value, 4);
	ck_assert_int_eq (pp_knob_set ("level", 6), 1);
	ck_assert_int_eq (pp_knob_set ("level", 6), 0);
	ck_assert_int_eq (pp_knob_step ("level", -2), 1);
	ck_assert_int_eq ((int) level.value.i, 4);
	ck_assert_int_eq (pp_knob_set ("level", 1e300), 1);
	ck_assert_int_eq ((int) level.value.i, 8);
	ck_assert_int_eq (pp_knob_step ("level", 1), 0); /* at its limit */
	ck_assert_int_eq (pp_knob_set ("gain", 0.7), 1);
	ck_assert_int_eq (pp_knob_get ("gain", &value), PP_OK);
	ck_assert_double_eq (value, 0.7);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_KNOB, "gain"), 1);
	ck_assert_ptr_nonnull (strstr (fake.history[fake.n_history - 1].text, "by the program"));
	ck_assert_int_eq (pp_knob_get ("none", &value), PP_ENOENT);
	ck_assert_int_eq (pp_knob_set ("none", 1), PP_ENOENT);
	ck_assert_int_eq (pp_knob_set ("level", NAN), PP_EINVAL);
	ck_assert_int_eq (pp_knob_get (NULL, &value), PP_EINVAL);
	fake_remove_record (&gain.head);
	ck_assert_int_eq (pp_knob_get ("gain", &value), PP_ENOENT);
	ck_assert_int_eq (pp_knob_step ("gain", 1), PP_ENOENT);
}
END_TEST

/* On the library's thread: turns the knob and takes its own policy away */
static void turn_and_unload (const struct pp_violation *violation, void *arg)
{
	ck_assert_int_eq (fake.lock_depth, 0);
	ck_assert_str_eq (violation->assertion, "a");
	ck_assert_int_eq (pp_knob_step ("level", 1), 1);
	ck_assert_int_eq (pp_policy_unload (ppi_policies->policy->path), PP_OK);
	ck_assert_str_eq (violation->expression, "rays.last < 50"); /* valid until it returns */
	++*(int *) arg;
}

START_TEST (a_callback_may_turn_knobs_and_unload_its_own_policy)
{
	int calls = 0;

	load ("{name: gain, set: 0.9}", "");
	ck_assert_int_eq (pp_on_assertion ("a", turn_and_unload, &calls), PP_OK);
	fake_sample (rays, 60, 10);
	fake_execute (work);
	fake_tick (10);
	ck_assert_int_eq (calls, 1);
	ck_assert_int_eq ((int) level.value.i, 5);
	ck_assert_double_eq (gain.value.d, 0.5); /* given back with the policy */
	ck_assert_ptr_null (ppi_assertions);
	fake_execute (work);
	fake_tick (10);
	ck_assert_int_eq (calls, 1);
}
END_TEST

static void load_swinging (void)
{
	load ("{name: level, step: -1, min_dwell: 100ms}",
	      ", on_clear: [{knob: {name: level, step: 1, min_dwell: 100ms}}]");
}

START_TEST (a_turn_that_dwells_is_done_when_its_time_has_come)
{
	load_swinging ();
	fire (1);
	calm (); /* 10 ms after: it waits */
	ck_assert_int_eq (level.value.i, 3);
	fake_tick (80);
	ck_assert_int_eq (level.value.i, 3);
	fake_tick (20);
	ck_assert_int_eq (level.value.i, 4);
	fake_tick (1000);
	ck_assert_int_eq (level.value.i, 4);
}
END_TEST

START_TEST (a_clear_and_a_fire_that_wait_cancel_each_other_out)
{
	load_swinging ();
	fire (1);
	for (int i = 0; i < 4; i++) { /* within the dwell of the first */
		calm ();
		fire (1);
	}
	ck_assert_int_eq (level.value.i, 3);
	fake_tick (1000); /* it fires still: nothing waits */
	ck_assert_int_eq (level.value.i, 3);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_KNOB, "level"), 1);
	calm ();
	ck_assert_int_eq (level.value.i, 4);
}
END_TEST

/* Quality is too dear at 4 and cheap at 3: it fires at 4 and clears at 3, for ever. */
static void swing (int times)
{
	for (int i = 0; i < times; i++) {
		if (level.value.i >= 4)
			fire (1);
		else
			calm ();
	}
}

/* How often is it turned? */
START_TEST (what_came_back_too_early_comes_back_later_each_time)
{
	unsigned turns[2];

	load_swinging ();
	for (int half = 0; half < 2; half++) {
		unsigned before = (unsigned) fake_history (PPI_HISTORY_KNOB, "level");

		swing (1000); /* 10 s, a hundred dwells */
		turns[half] = (unsigned) fake_history (PPI_HISTORY_KNOB, "level") - before;
	}
	/* without learning it would be turned every 100 ms: 100 times in each half */
	ck_assert_uint_gt (turns[0], 4);
	ck_assert_uint_lt (turns[0], 16);
	ck_assert_uint_le (turns[1], 6);
	ck_assert_uint_ge (turns[1], 2);
}
END_TEST

START_TEST (a_fire_never_waits_longer_than_its_dwell)
{
	load_swinging ();
	swing (1000);
	while (level.value.i < 4)
		calm ();
	for (int i = 0; i < 10; i++)
		fire (1);
	ck_assert_int_eq (level.value.i, 3);
}
END_TEST

START_TEST (a_swing_that_is_long_ago_is_forgiven)
{
	load_swinging ();
	swing (200);
	ck_assert_uint_gt (ppi_knob_find ("level")->swings, 2);
	for (int i = 0; i < 10; i++) { /* now the trouble is rare */
		calm ();
		fake_tick (60000);
		fire (1);
		fake_tick (60000);
	}
	ck_assert_uint_eq (ppi_knob_find ("level")->swings, 0);
}
END_TEST

START_TEST (what_waits_goes_with_its_policy)
{
	load ("{name: level, step: -1, min_dwell: 100ms}",
	      ", on_clear: [{knob: {name: level, step: 2, min_dwell: 100ms}}]");
	fire (1);
	calm ();
	ck_assert_int_eq (pp_policy_unload (ppi_policies->policy->path), PP_OK);
	ck_assert_int_eq (level.value.i, 4); /* as it was */
	fake_tick (1000);
	ck_assert_int_eq (level.value.i, 4);
}
END_TEST

START_TEST (words_are_set_and_stepped_along)
{
	load ("{name: filter, set: cubic}", ", on_clear: [{knob: {name: filter, step: -5}}]");
	fire (1);
	ck_assert_int_eq (filter.value.i, 2);
	ck_assert_str_eq (fake.history[fake.n_history - 1].text, "linear → cubic, by assertion a");
	calm ();
	ck_assert_int_eq (filter.value.i, 0);
	ck_assert_str_eq (pp_knob_word ("filter"), "box");
	ck_assert_int_eq (pp_expect ("boxed", "knob(filter) == 0"), 1);
}
END_TEST

START_TEST (a_word_that_the_knob_lacks_is_an_error)
{
	static const char text[] =
		"version: 1\nassertions:\n  a: {at: f/work, expect: rays.last < 50, on_fire: "
		"[{knob: {name: %s, set: %s}}]}\n";
	static const struct {
		const char *knob, *word, *error;
	} wrong[] = {
		{"filter", "cubik",
		 "knob 'filter' has no word 'cubik'; did you mean 'cubic'?; it has box, linear, "
		 "cubic"},
		{"filter", "7", "knob 'filter' has no word '7'; it has box, linear, cubic"},
		{"level", "low",
		 "'set' must be a plain number, not 'low': knob 'level' has no words"},
	};
	char policy[512];

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		snprintf (policy, sizeof policy, text, wrong[i].knob, wrong[i].word);
		ck_assert_int_eq (pp_policy_load (fake_policy ("word.yaml", policy)), PP_EPOLICY);
		ck_assert_msg (fake_said (wrong[i].error) == 1, "%s",
			       fake.messages[fake.n_messages - 3]);
	}
}
END_TEST

START_TEST (words_that_are_numbers_are_words)
{
	filter.words = "1, 2, 4";
	fake_remove_record (&filter.head);
	fake_add_record (&filter.head);
	load ("{name: filter, set: 4}", "");
	fire (1);
	ck_assert_int_eq (filter.value.i, 2);
	ck_assert_str_eq (pp_knob_word ("filter"), "4");
}
END_TEST

START_TEST (the_program_uses_words_itself)
{
	ck_assert_int_eq (pp_knob_set_word ("filter", "box"), 1);
	ck_assert_int_eq (pp_knob_set_word ("filter", "box"), 0);
	ck_assert_int_eq (pp_knob_set_word ("filter", "bo"), PP_EINVAL);
	ck_assert_int_eq (pp_knob_set_word ("filter", ""), PP_EINVAL);
	ck_assert_int_eq (pp_knob_set_word ("level", "box"), PP_EINVAL);
	ck_assert_int_eq (pp_knob_set_word ("none", "box"), PP_ENOENT);
	ck_assert_ptr_null (pp_knob_word ("level"));
	ck_assert_ptr_null (pp_knob_word ("none"));
	ck_assert_ptr_null (pp_knob_word (NULL));
	ck_assert_int_eq (pp_knob_set ("filter", 9), 1); /* its last word */
	ck_assert_str_eq (pp_knob_word ("filter"), "cubic");
	filter.value.i = 77; /* by the program, past its own range */
	ck_assert_ptr_null (pp_knob_word ("filter"));
	fake_remove_record (&filter.head);
	ck_assert_ptr_null (pp_knob_word ("filter"));
	ck_assert_int_eq (pp_knob_set_word ("filter", "box"), PP_ENOENT);
}
END_TEST

START_TEST (the_recording_has_the_words)
{
	const struct ppi_knob_chunk *chunk = ppi_knob_find ("filter")->chunk;

	ck_assert_str_eq (chunk->name, "filter");
	ck_assert_str_eq ((const char *) chunk + chunk->words, "box, linear, cubic");
	ck_assert_uint_eq (ppi_knob_find ("level")->chunk->words, 0);
}
END_TEST

START_TEST (a_knob_without_words_for_its_type_is_none)
{
	static struct pp_abi_knob odd;
	double value;

	odd = int_knob ("odd", 0, 0, 2, 1);
	odd.type = PP_ABI_KNOB_ENUM;
	fake_add_record (&odd.head);
	ck_assert_int_eq (pp_knob_get ("odd", &value), PP_ENOENT);
	odd.type = 9;
	fake_add_record (&odd.head);
	ck_assert_int_eq (pp_knob_get ("odd", &value), PP_ENOENT);
}
END_TEST

START_TEST (a_setter_is_told_each_new_value_without_the_lock)
{
	level.setter = tell_level;
	load ("{name: level, step: -1}", ", on_clear: [{knob: {name: level, set: 8}}]");
	ck_assert_int_eq (n_told, 0);
	fire (1);
	ck_assert_int_eq (n_told, 1);
	ck_assert_double_eq (told[0], 3);
	calm ();
	ck_assert_int_eq (n_told, 2);
	ck_assert_double_eq (told[1], 8);
	ck_assert_int_eq (pp_knob_set ("level", 8), 0); /* nothing new */
	ck_assert_int_eq (n_told, 2);
	ck_assert_int_eq (pp_knob_set ("level", 5), 1);
	ck_assert_double_eq (told[2], 5);
	ck_assert_int_eq (pp_policy_unload (ppi_policies->policy->path), PP_OK);
	ck_assert_int_eq (n_told, 4);
	ck_assert_double_eq (told[3], 4); /* as before the policy */
}
END_TEST

static void set_to_one (const union pp_abi_number *value)
{
	tell_level (value);
	if (value->i > 1)
		pp_knob_set ("level", 1);
}

static void for_ever (const union pp_abi_number *value)
{
	tell_level (value);
	pp_knob_set ("level", value->i == 1 ? 2 : 1);
}

START_TEST (a_setter_may_turn_its_own_knob)
{
	level.setter = set_to_one;
	ck_assert_int_eq (pp_knob_set ("level", 6), 1);
	ck_assert_int_eq (n_told, 2); /* one after the other, not one in the other */
	ck_assert_double_eq (told[0], 6);
	ck_assert_double_eq (told[1], 1);
	n_told = 0;
	level.setter = for_ever;
	ck_assert_int_eq (pp_knob_set ("level", 7), 1);
	ck_assert_int_eq (n_told, 64); /* it comes back to the program */
}
END_TEST

START_TEST (a_setter_whose_module_was_closed_is_not_called)
{
	level.setter = tell_level;
	load ("{name: level, step: -1}", "");
	fake_remove_record (&level.head);
	fire (2);
	ck_assert_int_eq (pp_policy_unload (ppi_policies->policy->path), PP_OK);
	ck_assert_int_eq (n_told, 0);
}
END_TEST

static Suite *knobs (void)
{
	Suite *suite = suite_create ("knobs");
	TCase *tests = tcase_create ("knobs");

	tcase_add_checked_fixture (tests, setup, NULL);
	tcase_add_test (tests, a_step_is_the_knobs_own);
	tcase_add_test (tests, several_steps_at_once);
	tcase_add_test (tests, steps_end_at_the_range);
	tcase_add_test (tests, set_is_clamped_too);
	tcase_add_test (tests, no_arithmetic_overflows);
	tcase_add_test (tests, doubles_step_and_clamp);
	tcase_add_test (tests, a_turn_is_an_entry_from_old_to_new);
	tcase_add_test (tests, the_recording_follows_the_knob);
	tcase_add_test (tests, minimum_dwell_keeps_a_turn_away);
	tcase_add_test (tests, clearing_turns_it_up_again);
	tcase_add_test (tests, unloading_restores_what_the_policy_found);
	tcase_add_test (tests, reloading_keeps_it_and_still_knows_what_was_before);
	tcase_add_test (tests, values_beyond_the_doubles_are_restored_exactly);
	tcase_add_test (tests, a_knob_whose_module_was_closed_is_not_touched);
	tcase_add_test (tests, expressions_read_knobs);
	tcase_add_test (tests, the_first_of_two_knobs_of_a_name_is_turned);
	tcase_add_test (tests, the_program_reads_and_turns_knobs_itself);
	tcase_add_test (tests, a_callback_may_turn_knobs_and_unload_its_own_policy);
	tcase_add_test (tests, a_turn_that_dwells_is_done_when_its_time_has_come);
	tcase_add_test (tests, a_clear_and_a_fire_that_wait_cancel_each_other_out);
	tcase_add_test (tests, what_came_back_too_early_comes_back_later_each_time);
	tcase_add_test (tests, a_fire_never_waits_longer_than_its_dwell);
	tcase_add_test (tests, a_swing_that_is_long_ago_is_forgiven);
	tcase_add_test (tests, what_waits_goes_with_its_policy);
	tcase_add_test (tests, words_are_set_and_stepped_along);
	tcase_add_test (tests, a_word_that_the_knob_lacks_is_an_error);
	tcase_add_test (tests, words_that_are_numbers_are_words);
	tcase_add_test (tests, the_program_uses_words_itself);
	tcase_add_test (tests, the_recording_has_the_words);
	tcase_add_test (tests, a_knob_without_words_for_its_type_is_none);
	tcase_add_test (tests, a_setter_is_told_each_new_value_without_the_lock);
	tcase_add_test (tests, a_setter_may_turn_its_own_knob);
	tcase_add_test (tests, a_setter_whose_module_was_closed_is_not_called);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {knobs};

	return ppcheck_main (suites, 1);
}
