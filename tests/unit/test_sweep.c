/* SPDX-License-Identifier: MIT */
/* test_sweep.c: captures at several thresholds in one run, from the check to the report. */
#include "assertions/engine/assertion.h"
#include "assertions/engine/sweep.h"
#include "assertions/engine/threads.h"
#include "base/chunk.h"
#include "recording/layout.h"
#include "tests/unit/engine_program.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define SWEPT                                                                                      \
	"assertions:\n  slow: {at: f/work, expect: rays.last <= 1.25 * rays.avg, capture: "        \
	"[frame_time], sweep: "                                                                    \
	"[1.25, 2, 4]"

/* By THREAD: LAST rays, ten on average; FRAMES of frame_time, two on average */
static void check_of (int thread, double last, double frames)
{
	fake.thread = thread;
	fake_sample (frame_time, frames, 2);
	execute (last);
}

static struct ppi_sweep_chunk *chunk_of (int thread)
{
	struct ppi_sweeping *s = ppi_assertion_find ("slow")->sweep;

	for (size_t i = 0; i < PPI_THREADS; i++)
		if (s->tid[i] == (uint32_t) thread)
			return s->chunk[i];
	ck_abort_msg ("thread %d has none", thread);
	return NULL;
}

START_TEST (each_threshold_has_its_own_violations)
{
	const struct ppi_sweep_chunk *c;

	load (SWEPT "}\n");
	check_of (1, 10, 1); /* violates none */
	check_of (1, 15, 2); /* 1.25 */
	check_of (1, 30, 4); /* 1.25 and 2 */
	check_of (1, 50, 8); /* all */
	c = chunk_of (1);
	ck_assert_uint_eq (c->chunk.type, PPI_CHUNK_SWEEP);
	ck_assert_uint_eq (c->chunk.id, ppi_assertion_find ("slow")->chunk->chunk.id);
	ck_assert_uint_eq (c->checks, 4);
	ck_assert_uint_eq (c->violations[0], 3);
	ck_assert_uint_eq (c->violations[1], 2);
	ck_assert_uint_eq (c->violations[2], 1);
	/* frames at the violations of each, and at the others */
	ck_assert_double_eq_tol (c->contrast[0].violating.mean, 14 / 3.0, 1e-12);
	ck_assert_double_eq (c->contrast[0].other.mean, 1);
	ck_assert_double_eq (c->contrast[1].violating.mean, 6);
	ck_assert_double_eq (c->contrast[1].other.mean, 1.5);
	ck_assert_double_eq (c->contrast[2].violating.mean, 8);
	ck_assert_double_eq_tol (c->contrast[2].other.mean, 7 / 3.0, 1e-12);
	ck_assert_uint_eq (state ("slow").violations, 3); /* as without the sweep */
}
END_TEST

START_TEST (threads_have_sums_of_their_own)
{
	load (SWEPT "}\n");
	check_of (1, 50, 8);
	check_of (2, 50, 6);
	check_of (2, 10, 6);
	ck_assert_ptr_ne (chunk_of (1), chunk_of (2));
	ck_assert_uint_eq (chunk_of (1)->checks, 1);
	ck_assert_uint_eq (chunk_of (2)->checks, 2);
	ck_assert_uint_eq (chunk_of (2)->violations[2], 1);
}
END_TEST

START_TEST (what_is_unknown_is_left_out)
{
	load (SWEPT "}\n");
	fake.thread = 1;
	fake_execute (work); /* no sample: no check */
	execute (50);        /* nothing captured */
	check_of (1, 50, 8);
	ck_assert_uint_eq (chunk_of (1)->checks, 2);
	ck_assert_uint_eq (chunk_of (1)->violations[2], 2);
	ck_assert_uint_eq (chunk_of (1)->contrast[2].violating.n, 1);
	ck_assert_double_eq (chunk_of (1)->contrast[2].unknown_violating, 1);
	rays->own[PP_STAT_AVG] = 0; /* nothing to compare with */
	fake_execute (work);
	ck_assert_uint_eq (chunk_of (1)->checks, 2);
}
END_TEST

START_TEST (the_number_of_either_side_and_direction_is_swept)
{
	load ("assertions:\n  slow: {at: f/work, expect: \"rays.last >= rays.avg * 0.5\", sweep: "
	      "[0.1, 0.5, 0.9]}\n");
	check_of (1, 7, 1);
	ck_assert_uint_eq (chunk_of (1)->violations[0], 0);
	ck_assert_uint_eq (chunk_of (1)->violations[1], 0);
	ck_assert_uint_eq (chunk_of (1)->violations[2], 1);
	/* of 20 */
	load ("assertions:\n  slow: {at: f/work, expect: rays.last < 20, sweep: [0.5, 1, 2]}\n");
	check_of (1, 30, 1);
	ck_assert_uint_eq (chunk_of (1)->violations[0], 1);
	ck_assert_uint_eq (chunk_of (1)->violations[1], 1);
	ck_assert_uint_eq (chunk_of (1)->violations[2], 0);
}
END_TEST

START_TEST (sums_go_on_over_a_reload_and_begin_anew_when_changed)
{
	load (SWEPT "}\n");
	check_of (1, 50, 8);
	load (SWEPT "}\n  more: {every: 1s, expect: 1 < 2}\n");
	check_of (1, 50, 8);
	ck_assert_uint_eq (chunk_of (1)->checks, 2);
	load (SWEPT ", after: 0}\n");
	check_of (1, 50, 8);
	ck_assert_uint_eq (chunk_of (1)->checks, 1);
}
END_TEST

START_TEST (without_room_in_the_region_nothing_is_swept)
{
	fake.no_region = true;
	load (SWEPT "}\n");
	check_of (1, 50, 8);
	ck_assert_ptr_null (chunk_of (1));
	ck_assert_uint_eq (state ("slow").violations, 1);
}
END_TEST

static void refuses (const char *body, const char *why)
{
	char text[600];
	const char *path;

	snprintf (text, sizeof text, "version: 1\nassertions: {a: {%s}}\n", body);
	path = fake_policy ("bad.yaml", text);
	ck_assert_int_eq (pp_policy_load (path), PP_EPOLICY);
	unlink (path);
	ck_assert_msg (fake_said (why) == 1, "%s: %s", body, fake.messages[0]);
	fake.n_messages = 0;
}

START_TEST (what_can_not_be_swept_is_an_error)
{
	refuses ("at: f/work, expect: rays.last < 5 and rays.sum < 9, sweep: [1]",
		 "only one comparison by");
	refuses ("at: f/work, expect: rays.last == 5, sweep: [1]", "only one comparison by");
	refuses ("every: 1s, expect: rays.sum < 5, sweep: [1]",
		 "only what is expected 'at' a site can be swept");
	refuses ("at: f/work, expect: rays.last < 5, sweep: [0]", "a threshold is above 0");
	refuses ("at: f/work, expect: rays.last < 5, sweep: []",
		 "'sweep' has from 1 to 8 thresholds");
	refuses ("at: f/work, expect: rays.last < 5, sweep: [5ms]",
		 "a threshold must be a plain number");
}
END_TEST

static Suite *sweeps (void)
{
	Suite *suite = suite_create ("sweep");
	TCase *tests = tcase_create ("sweep");

	tcase_add_checked_fixture (tests, setup, NULL);
	tcase_add_test (tests, each_threshold_has_its_own_violations);
	tcase_add_test (tests, threads_have_sums_of_their_own);
	tcase_add_test (tests, what_is_unknown_is_left_out);
	tcase_add_test (tests, the_number_of_either_side_and_direction_is_swept);
	tcase_add_test (tests, sums_go_on_over_a_reload_and_begin_anew_when_changed);
	tcase_add_test (tests, without_room_in_the_region_nothing_is_swept);
	tcase_add_test (tests, what_can_not_be_swept_is_an_error);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {sweeps};

	return ppcheck_main (suites, 1);
}
