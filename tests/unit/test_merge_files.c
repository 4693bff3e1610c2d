/* SPDX-License-Identifier: MIT */
/*
 * test_merge_files.c: recordings of several processes become one, with every accumulator, also one
 * that a program registered.
 */
#include "base/chunk.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/summary.h"
#include "recording/layout.h"
#include "recording/merge.h"
#include "recording/read.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/sample_region.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct ppi_keep geometric;

static _Alignas(64) char region[SAMPLE_REGION_BYTES];
static char path[3][64];

static void make_names (void)
{
	for (int i = 0; i < 3; i++) {
		snprintf (path[i], sizeof path[i], "/tmp/pp-test-XXXXXX");
		close (mkstemp (path[i]));
	}
}

static void remove_files (void)
{
	for (int i = 0; i < 3; i++)
		unlink (path[i]);
}

static void *chunk_of (enum ppi_chunk_type type, uint32_t id)
{
	const struct ppi_region_header *header = (void *) region;

	for (uint64_t at = header->header_bytes; at < header->used;) {
		struct ppi_chunk *chunk = (void *) (region + at);

		if (chunk->type == type && chunk->id == id)
			return chunk;
		at += chunk->bytes;
	}
	return NULL;
}

/* Process PID of the sample, to file I. */
static void begin (uint32_t pid)
{
	memset (region, 0, sizeof region);
	sample_region_make (region);
	((struct ppi_region_header *) (void *) region)->pid = pid;
}

static int merge (const char *const *paths, size_t n, struct ppi_merge_result *result, char *why,
		  size_t room)
{
	int fd = open (path[2], O_RDWR | O_TRUNC | O_CLOEXEC), e;

	ck_assert_int_ge (fd, 0);
	e = ppi_recordings_merge (fd, paths, n, result, why, room);
	close (fd);
	return e;
}

static struct ppi_recording *open_merged (void)
{
	struct ppi_recording *recording = NULL;
	char why[400] = "";
	int e = ppi_recording_open (path[2], &recording, why, sizeof why);

	ck_assert_msg (e == 0, "%s", why);
	return recording;
}

static double get (const struct ppi_recording *recording, const char *name,
		   enum pp_statistic statistic)
{
	const struct ppi_metric_chunk *m = NULL;
	struct ppi_summary summary;
	double value;

	while ((m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m)) &&
	       strcmp (m->name, name) != 0)
		;
	ck_assert_ptr_nonnull (m);
	ppi_recording_summary (recording, m, PPI_ALL_SITES, &summary);
	value = ppi_summary_get (&summary, statistic, ppi_recording_scale (recording, m));
	ppi_summary_clear (&summary);
	return value;
}

START_TEST (two_processes_are_one_recording)
{
	struct ppi_merge_result result;
	struct ppi_recording *recording;
	const struct ppi_assertion_chunk *a;
	char why[400] = "";
	unsigned sites = 0, history = 0;

	begin (1);
	ck_assert_int_eq (sample_region_record (region, path[0]), 0);
	begin (2);
	/*
	 * of the second the metrics have other numbers, as where they were declared in another
	 * order
	 */
	for (int i = 0; i < 50; i++)
		ppi_accumulate_int (chunk_of (PPI_CHUNK_SHARD, 3), PPI_SUMCOUNT, 1000, 1);
	ck_assert_int_eq (sample_region_record (region, path[1]), 0);
	ck_assert_msg (merge ((const char *[]){path[0], path[1], path[0]}, 3, &result, why,
			      sizeof why) == 0,
		       "%s", why);
	ck_assert_uint_eq (result.processes, 2);
	ck_assert_uint_eq (result.runs, 1);
	ck_assert_uint_eq (result.again, 1);
	recording = open_merged ();
	/* 20 40 60 80 100 twice, and fifty thousands */
	ck_assert_double_eq (get (recording, "shadow_rays", PP_STAT_N), 60);
	ck_assert_double_eq (get (recording, "shadow_rays", PP_STAT_SUM), 600 + 50000);
	ck_assert_double_eq_tol (get (recording, "pixel_time", PP_STAT_TOTAL),
				 2 * (0.021 + 0.010 + 2.5), 1e-12);
	for (const void *s = NULL; (s = ppi_recording_next (recording, PPI_CHUNK_SITE, s));)
		sites++;
	ck_assert_uint_eq (sites, 2);
	for (const void *h = NULL; (h = ppi_recording_next (recording, PPI_CHUNK_HISTORY, h));)
		history++;
	ck_assert_uint_eq (history, 6);
	a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, NULL);
	ck_assert_ptr_nonnull (a);
	ck_assert_uint_eq (a->violations, 2 * 48);
	ck_assert_uint_eq (a->fired, 6);
	ck_assert_ptr_null (ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a));
	ck_assert_uint_eq (ppi_recording_drops (recording, PP_DROP_LONGJMP), 14);
	ppi_recording_close (recording);
}
END_TEST

START_TEST (merged_recording_is_merged_again_and_counts_once)
{
	struct ppi_merge_result result;
	char why[400] = "";
	char former[64];

	begin (1);
	ck_assert_int_eq (sample_region_record (region, path[0]), 0);
	begin (2);
	ck_assert_int_eq (sample_region_record (region, path[1]), 0);
	ck_assert_int_eq (merge ((const char *[]){path[0], path[1]}, 2, &result, why, sizeof why),
			  0);
	memcpy (former, path[2], sizeof former);
	snprintf (path[2], sizeof path[2], "/tmp/pp-test-XXXXXX");
	close (mkstemp (path[2]));
	ck_assert_msg (merge ((const char *[]){former, path[1]}, 2, &result, why, sizeof why) == 0,
		       "%s", why);
	ck_assert_uint_eq (result.processes, 2);
	ck_assert_uint_eq (result.again, 1);
	begin (3);
	ck_assert_int_eq (sample_region_record (region, path[1]), 0);
	ck_assert_int_eq (merge ((const char *[]){former, path[1]}, 2, &result, why, sizeof why),
			  0);
	ck_assert_uint_eq (result.processes, 3);
	/* one of whose processes some are there already, and some are not */
	ck_assert_int_eq (merge ((const char *[]){path[0], former}, 2, &result, why, sizeof why),
			  PP_EINVAL);
	ck_assert_ptr_nonnull (strstr (why, "some of its processes"));
	unlink (former);
}
END_TEST

START_TEST (accumulator_of_the_programs_own_is_merged_by_its_descriptor)
{
	int number = ppi_accumulator_register (&geometric);
	struct ppi_merge_result result;
	struct ppi_recording *recording;
	char why[400] = "";

	ck_assert_int_ge (number, 7);
	for (int i = 0; i < 2; i++) {
		struct ppi_metric_chunk *metric;

		begin ((uint32_t) i + 1);
		metric = chunk_of (PPI_CHUNK_METRIC, SAMPLE_METRIC_FAULTS);
		metric->accumulator = (uint8_t) number;
		{
			struct ppi_region_header *header = (void *) region;
			struct ppi_shard *old = chunk_of (PPI_CHUNK_SHARD, 4),
					 *shard = (void *) (region + header->used);

			old->chunk.type = PPI_CHUNK_FREE;
			shard->chunk.bytes = 192;
			shard->chunk.type = PPI_CHUNK_SHARD;
			shard->chunk.id = 4;
			shard->thread = 77;
			header->used += shard->chunk.bytes;
			for (int k = 0; k < 3; k++) {
				geometric.add_int (shard, i ? 8 : 2, NULL);
				shard->all.n++;
			}
		}
		ck_assert_int_eq (sample_region_record (region, path[i]), 0);
	}
	ck_assert_msg (merge ((const char *[]){path[0], path[1]}, 2, &result, why, sizeof why) == 0,
		       "%s", why);
	recording = open_merged ();
	ck_assert_double_eq (get (recording, "faults", PP_STAT_N), 6);
	/* 2 and 8 */
	ck_assert_double_eq_tol (get (recording, "faults", PP_STAT_AVG), 4, 1e-12);
	ppi_recording_close (recording);
}
END_TEST

/* Both processes of the sample, but CHANGE has had the second. */
static struct ppi_recording *merge_with (void (*change) (void), struct ppi_merge_result *result)
{
	char why[400] = "";

	begin (1);
	ck_assert_int_eq (sample_region_record (region, path[0]), 0);
	begin (2);
	change ();
	ck_assert_int_eq (sample_region_record (region, path[1]), 0);
	ck_assert_msg (merge ((const char *[]){path[0], path[1]}, 2, result, why, sizeof why) == 0,
		       "%s", why);
	return open_merged ();
}

static void say_another_limit (void)
{
	struct ppi_assertion_chunk *a = chunk_of (PPI_CHUNK_ASSERTION, 1);
	char *expression = (char *) a + a->expression;

	expression[strlen (expression) - 1]++;
}

START_TEST (assertions_of_one_name_that_say_something_else_are_two)
{
	struct ppi_merge_result result;
	struct ppi_recording *recording = merge_with (say_another_limit, &result);
	const struct ppi_assertion_chunk *a =
		ppi_recording_next (recording, PPI_CHUNK_ASSERTION, NULL);

	ck_assert_ptr_nonnull (a);
	ck_assert_uint_eq (a->violations, 48);
	a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a);
	ck_assert_ptr_nonnull (a);
	ck_assert_uint_eq (a->violations, 48);
	ck_assert_ptr_null (ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a));
	ppi_recording_close (recording);
}
END_TEST

static void fire_later (void)
{
	struct ppi_assertion_chunk *a = chunk_of (PPI_CHUNK_ASSERTION, 1);

	a->fired_ns += 500;
	a->cleared_ns = a->fired_ns + 1;
}

static struct ppi_capture_entry *capture_of (struct ppi_assertion_chunk *a)
{
	return (void *) ((char *) a + a->capture);
}

static void capture_a_figure (void)
{
	struct ppi_capture_entry *entry = capture_of (chunk_of (PPI_CHUNK_ASSERTION, 1));

	entry->metric = 0;
	entry->text = sizeof *entry;
	entry->seconds = 1;
	strcpy ((char *) (entry + 1), "m{k=1}.p99");
}

static uint64_t violations_seen (const struct ppi_recording *recording)
{
	struct ppi_assertion_chunk *a =
		(struct ppi_assertion_chunk *) (uintptr_t) ppi_recording_next (
			recording, PPI_CHUNK_ASSERTION, NULL);

	return capture_of (a)->contrast.violating.n;
}

START_TEST (captured_figures_are_one_where_they_were_written_alike)
{
	struct ppi_merge_result result;
	struct ppi_recording *recording = merge_with (capture_a_figure, &result);
	char why[400] = "";

	/* in one process a metric, in the other a figure */
	ck_assert_uint_eq (violations_seen (recording), 48);
	ppi_recording_close (recording);
	begin (1);
	capture_a_figure ();
	ck_assert_int_eq (sample_region_record (region, path[0]), 0);
	ck_assert_msg (merge ((const char *[]){path[0], path[1]}, 2, &result, why, sizeof why) == 0,
		       "%s", why);
	recording = open_merged ();
	ck_assert_uint_eq (violations_seen (recording), 96);
	ppi_recording_close (recording);
}
END_TEST

START_TEST (merged_assertion_fired_when_the_last_process_did)
{
	struct ppi_merge_result result;
	struct ppi_recording *recording = merge_with (fire_later, &result);
	const struct ppi_assertion_chunk *a =
		ppi_recording_next (recording, PPI_CHUNK_ASSERTION, NULL);

	ck_assert_uint_eq (
		a->fired_ns,
		((struct ppi_assertion_chunk *) chunk_of (PPI_CHUNK_ASSERTION, 1))->fired_ns);
	ck_assert_uint_eq (a->cleared_ns, a->fired_ns + 1);
	ppi_recording_close (recording);
}
END_TEST

static void reset (void)
{
	struct ppi_metric_chunk *m = chunk_of (PPI_CHUNK_METRIC, SAMPLE_METRIC_RAYS);
	struct ppi_shard *shard = chunk_of (PPI_CHUNK_SHARD, 3);

	m->epoch = shard->epoch = 7;
}

START_TEST (no_rate_where_a_process_was_reset)
{
	struct ppi_merge_result result;
	struct ppi_recording *recording = merge_with (fire_later, &result);

	ck_assert (!isnan (get (recording, "shadow_rays", PP_STAT_RATE)));
	ppi_recording_close (recording);
	recording = merge_with (reset, &result);
	ck_assert (isnan (get (recording, "shadow_rays", PP_STAT_RATE)));
	ck_assert_double_eq (get (recording, "shadow_rays", PP_STAT_N), 10);
	ppi_recording_close (recording);
}
END_TEST

/* Of the second the first entry is gone. */
static void lose_an_entry (void)
{
	struct ppi_region_header *header = (void *) region;

	for (uint64_t at = header->header_bytes; at < header->used;) {
		struct ppi_chunk *chunk = (void *) (region + at);

		if (chunk->type == PPI_CHUNK_HISTORY)
			chunk->id += 5;
		at += chunk->bytes;
	}
}

START_TEST (entries_of_the_history_that_were_gone_stay_counted)
{
	struct ppi_merge_result result;
	struct ppi_recording *recording = merge_with (lose_an_entry, &result);

	ck_assert_uint_eq (ppi_recording_drops (recording, PP_DROP_HISTORY), 5);
	ppi_recording_close (recording);
}
END_TEST

START_TEST (bytes_that_were_lost_are_said)
{
	struct ppi_merge_result result;
	char why[400] = "", byte;
	off_t end;
	int fd;

	ppi_recording_close (merge_with (fire_later, &result));
	ck_assert_uint_eq (result.lost, 0);
	fd = open (path[1], O_RDWR | O_CLOEXEC);
	end = lseek (fd, 0, SEEK_END);
	/* in the last block before the index there are values, which nobody reads but for this */
	for (off_t at = end / 2; at < end - 512 && !result.lost; at += 64) {
		ck_assert_int_eq (pread (fd, &byte, 1, at), 1);
		byte ^= 1;
		ck_assert_int_eq (pwrite (fd, &byte, 1, at), 1);
		if (merge ((const char *[]){path[0], path[1]}, 2, &result, why, sizeof why) != 0)
			result.lost = 0;
		byte ^= 1;
		ck_assert_int_eq (pwrite (fd, &byte, 1, at), 1);
	}
	close (fd);
	ck_assert_uint_gt (result.lost, 0);
}
END_TEST

START_TEST (what_is_no_recording_is_refused_by_its_name)
{
	struct ppi_merge_result result;
	char why[400] = "";

	begin (1);
	ck_assert_int_eq (sample_region_record (region, path[0]), 0);
	ck_assert_int_lt (
		merge ((const char *[]){path[0], "/dev/null"}, 2, &result, why, sizeof why), 0);
	ck_assert_ptr_nonnull (strstr (why, "/dev/null is not a recording"));
}
END_TEST

static Suite *merging (void)
{
	Suite *suite = suite_create ("merge");
	TCase *tests = tcase_create ("merge");

	tcase_add_checked_fixture (tests, make_names, remove_files);
	tcase_add_test (tests, two_processes_are_one_recording);
	tcase_add_test (tests, merged_recording_is_merged_again_and_counts_once);
	tcase_add_test (tests, accumulator_of_the_programs_own_is_merged_by_its_descriptor);
	tcase_add_test (tests, assertions_of_one_name_that_say_something_else_are_two);
	tcase_add_test (tests, captured_figures_are_one_where_they_were_written_alike);
	tcase_add_test (tests, merged_assertion_fired_when_the_last_process_did);
	tcase_add_test (tests, no_rate_where_a_process_was_reset);
	tcase_add_test (tests, entries_of_the_history_that_were_gone_stay_counted);
	tcase_add_test (tests, bytes_that_were_lost_are_said);
	tcase_add_test (tests, what_is_no_recording_is_refused_by_its_name);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {merging};

	return ppcheck_main (suites, 1);
}
