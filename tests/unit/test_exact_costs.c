/* SPDX-License-Identifier: MIT */
/*
 * test_exact_costs.c: what marks took themselves is taken off what they measured by what was found
 * out of it, and by what some of them noted where they stand. Recordings are made by hand; a tick
 * is a nanosecond.
 */
#include "profiler/analysis/features.h"
#include "recording/layout.h"
#include "recording/layout_profile.h"
#include "recording/read.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/sample_region.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREAD = 4711, SITE = 1, OTHER_SITE = 2, MARKS = 1000000 };

#define NS 1e-9

static _Alignas(64) char region[SAMPLE_REGION_BYTES];
static struct ppi_features features;
static struct ppi_exact_chunk *exact;
static struct ppi_features_chunk *marks;

static void *take (size_t bytes, enum ppi_chunk_type type, uint32_t id)
{
	struct ppi_region_header *header = (void *) region;
	struct ppi_chunk *chunk = (void *) (region + header->used);

	chunk->bytes = (uint32_t) ((bytes + PPI_CHUNK_ALIGN - 1) & ~(size_t) (PPI_CHUNK_ALIGN - 1));
	chunk->type = (uint16_t) type;
	chunk->version = PPI_RECORDING_VERSION;
	chunk->id = id;
	header->used += chunk->bytes;
	ck_assert_uint_le (header->used, sizeof region);
	return chunk;
}

static void add_site (uint32_t id, const char *name)
{
	struct ppi_site_chunk *site = take (sizeof *site + strlen (name) + 1, PPI_CHUNK_SITE, id);

	site->kind = PP_ABI_SITE_FEATURE;
	site->line = 1;
	strcpy (site->name, name);
}

/* A second of one thread; a mark takes 30 ns, of which 10 are inside, and 60 and 20 by C. */
static void begin (void)
{
	struct ppi_region_header *header = (void *) region;

	memset (region, 0, sizeof region);
	(void) sample_region_make (region);
	/* its header is all that is wanted */
	memset (region + header->header_bytes, 0, sizeof region - header->header_bytes);
	header->used = header->header_bytes;
	header->seconds_per_tick = NS;
	add_site (SITE, "a!b.c:f/lib.a");
	add_site (OTHER_SITE, "a!b.c:g/lib.b");
	exact = take (sizeof *exact, PPI_CHUNK_EXACT, 1);
	exact->stop_ticks = 1000000000;
	exact->pair_s = exact->empty_s = 30 * NS;
	exact->by_c_s = 60 * NS;
	exact->by_c_inside_s = 20 * NS;
	exact->tail_s = 15 * NS;
	exact->by_c_tail_s = 25 * NS;
	exact->by_c_head_s = 12 * NS;
	for (int i = 0; i < PPI_EXACT_KNOWN; i++) {
		exact->known[i].held_s = 20 * i * NS;
		exact->known[i].measured_s = exact->known[i].held_s + 10 * NS;
	}
	marks = take (sizeof *marks + 2 * sizeof marks->entry[0], PPI_CHUNK_FEATURES, THREAD);
	marks->room = 2;
	marks->threads = 1;
	marks->last_ticks = 1000000000;
}

/* Marks that measured 200 ns each; the clock of some was read again TAIL ns after their end's. */
static struct ppi_feature_entry *add (uint32_t site, unsigned payload, uint64_t tails,
				      uint64_t tail)
{
	struct ppi_feature_entry *e = &marks->entry[site - SITE];

	*e = (struct ppi_feature_entry){.what = PPI_MARK_WHAT (site, PP_ABI_SITE_FEATURE, payload),
					.n = MARKS,
					.ticks = UINT64_C (200) * MARKS,
					.tails = tails,
					.tail_ticks = tails * tail};
	marks->begun += MARKS;
	marks->by_c += payload ? MARKS : 0;
	return e;
}

static void read_it (void)
{
	struct ppi_recording *recording;
	char path[] = "/tmp/pp-test-XXXXXX", why[256];
	int fd = mkstemp (path);

	ck_assert_int_ge (fd, 0);
	close (fd);
	ck_assert_int_eq (sample_region_record (region, path), 0);
	ck_assert_msg (ppi_recording_open (path, &recording, why, sizeof why) == 0, "%s", why);
	ck_assert (ppi_features_measured (recording, PPI_FEATURES_BY_PLACE, NULL, &features));
	ppi_recording_close (recording);
	unlink (path);
}

static const struct ppi_feature *feature (const char *name)
{
	for (size_t i = 0; i < features.features; i++)
		if (strcmp (features.feature[i].name, name) == 0)
			return &features.feature[i];
	ck_abort_msg ("no feature %s", name);
	return NULL;
}

static void is (double value, double expected)
{
	ck_assert_double_eq_tol (value, expected, 1e-6 * expected);
}

/* A million marks with such tails take so much each, and none of it more inside. */
static void marks_with_tails_take (uint64_t tail, double mark_s)
{
	begin ();
	add (SITE, PP_ABI_VALUE_NONE, MARKS / PPI_FEATURE_LOOK_EVERY, tail);
	read_it ();
	is (features.mark_s, mark_s);
	is (features.total, 1 - MARKS * mark_s);
	is (feature ("lib.a")->time, 0.19);
	ppi_features_clear (&features);
}

START_TEST (marks_take_what_was_found_out_where_they_go_on_as_long_as_there)
{
	marks_with_tails_take (15, 30 * NS);
}
END_TEST

START_TEST (marks_that_go_on_longer_where_they_stand_take_as_much_more_outside)
{
	marks_with_tails_take (95, 110 * NS);
}
END_TEST

START_TEST (each_site_has_its_own_and_the_mean_is_of_all)
{
	begin ();
	add (SITE, PP_ABI_VALUE_NONE, MARKS / PPI_FEATURE_LOOK_EVERY, 95);
	add (OTHER_SITE, PP_ABI_VALUE_NONE, MARKS / PPI_FEATURE_LOOK_EVERY, 15);
	read_it ();
	is (features.mark_s, 70 * NS);
	is (features.total, 0.86);
	ppi_features_clear (&features);
}
END_TEST

START_TEST (marks_that_hold_others_lose_what_those_take_where_they_stand)
{
	begin ();
	add (SITE, PP_ABI_VALUE_NONE, MARKS / PPI_FEATURE_LOOK_EVERY, 15)->pairs = MARKS;
	add (OTHER_SITE, PP_ABI_VALUE_NONE, MARKS / PPI_FEATURE_LOOK_EVERY, 95);
	read_it ();
	/* 200 less 10 of its own and 70 of the other, as marks take in the mean */
	is (feature ("lib.a")->time, 0.12);
	ppi_features_clear (&features);
}
END_TEST

START_TEST (a_few_that_were_looked_at_tell_nothing)
{
	begin ();
	add (SITE, PP_ABI_VALUE_NONE, 3, 2000);
	read_it ();
	is (features.mark_s, 30 * NS);
	ppi_features_clear (&features);
}
END_TEST

START_TEST (marks_with_a_payload_take_what_c_takes_and_their_payload)
{
	begin ();
	add (SITE, PP_ABI_VALUE_INT, MARKS / PPI_FEATURE_LOOK_EVERY, 35);
	marks->heads = MARKS / PPI_FEATURE_LOOK_EVERY;
	marks->head_ticks = 52 * marks->heads;
	read_it ();
	is (features.mark_s, (60 + 10 + 40) * NS);
	is (features.total, 0.89);
	is (feature ("lib.a")->time, 0.18);
	ppi_features_clear (&features);
}
END_TEST

START_TEST (what_is_not_known_is_not_taken_off)
{
	begin ();
	add (SITE, PP_ABI_VALUE_INT, MARKS / PPI_FEATURE_LOOK_EVERY, 35);
	marks->heads = marks->head_ticks = 1000;
	exact->by_c_inside_s = exact->tail_s = exact->by_c_tail_s = exact->by_c_head_s = NAN;
	read_it ();
	is (features.mark_s, 60 * NS);
	is (feature ("lib.a")->time, 0.19);
	ppi_features_clear (&features);
	exact->pair_s = NAN;
	read_it ();
	ck_assert (isnan (features.mark_s));
	is (features.total, 1);
	is (feature ("lib.a")->time, 0.2);
	ppi_features_clear (&features);
}
END_TEST

START_TEST (a_program_that_was_killed_ran_until_its_last_mark)
{
	begin ();
	add (SITE, PP_ABI_VALUE_NONE, 0, 0);
	exact->stop_ticks = 100000000;
	read_it ();
	is (features.raw, 1);
	ppi_features_clear (&features);
}
END_TEST

static Suite *exact_costs (void)
{
	Suite *suite = suite_create ("exact costs");
	TCase *tests = tcase_create ("exact costs");

	tcase_add_test (tests, marks_take_what_was_found_out_where_they_go_on_as_long_as_there);
	tcase_add_test (tests, marks_that_go_on_longer_where_they_stand_take_as_much_more_outside);
	tcase_add_test (tests, each_site_has_its_own_and_the_mean_is_of_all);
	tcase_add_test (tests, marks_that_hold_others_lose_what_those_take_where_they_stand);
	tcase_add_test (tests, a_few_that_were_looked_at_tell_nothing);
	tcase_add_test (tests, marks_with_a_payload_take_what_c_takes_and_their_payload);
	tcase_add_test (tests, what_is_not_known_is_not_taken_off);
	tcase_add_test (tests, a_program_that_was_killed_ran_until_its_last_mark);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {exact_costs};

	return ppcheck_main (suites, 1);
}
