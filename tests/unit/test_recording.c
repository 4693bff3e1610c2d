/* SPDX-License-Identifier: MIT */
/* test_recording.c: what is in a recording is what its reader finds; what is broken is one error. */
#include "libmetrics/accumulate_int.h"
#include "libmetrics/recording_read.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/sample_region.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Alignas(64) char region[SAMPLE_REGION_BYTES];
static char directory[64], path[128], live_path[128];
static size_t used;

static struct ppi_region_header *region_header (void)
{
	return (void *) region;
}

static void make_files (void)
{
	strcpy (directory, "/tmp/pp-test-XXXXXX");
	ck_assert_ptr_nonnull (mkdtemp (directory));
	snprintf (path, sizeof path, "%s/render.pprec", directory);
	snprintf (live_path, sizeof live_path, "%s/live", directory);
	memset (region, 0, sizeof region);
	used = sample_region_make (region);
}

static void remove_files (void)
{
	unlink (path);
	unlink (live_path);
	rmdir (directory);
}

static struct ppi_recording *write_and_open (void)
{
	struct ppi_recording *recording;
	char why[400] = "";

	ck_assert_int_eq (sample_region_write (region, used, path), 0);
	int error = ppi_recording_open (path, &recording, why, sizeof why);

	ck_assert_msg (error == 0, "%s", why);
	return recording;
}

static double get (const struct ppi_recording *recording, uint32_t metric_id, uint32_t site,
		   enum pp_statistic statistic)
{
	const struct ppi_metric_chunk *metric = ppi_recording_find (recording, PPI_CHUNK_METRIC, metric_id);
	struct ppi_summary summary;

	ck_assert_ptr_nonnull (metric);
	ppi_recording_summary (recording, metric, site, &summary);
	return ppi_summary_get (&summary, statistic, ppi_recording_scale (recording, metric));
}

START_TEST (a_recording_gives_back_what_was_put_in)
{
	struct ppi_recording *recording = write_and_open ();
	const struct ppi_site_chunk *site = ppi_recording_find (recording, PPI_CHUNK_SITE, SAMPLE_SITE_FRAME);
	const struct ppi_metric_chunk *l1 = ppi_recording_find (recording, PPI_CHUNK_METRIC, SAMPLE_METRIC_L1);
	int events = 0;

	ck_assert_str_eq (site->name, "render!frame.c:render_frame/frame");
	ck_assert_str_eq (ppi_chunk_text (l1, l1->source), "papi:PAPI_L1_DCM");
	ck_assert_str_eq (ppi_chunk_text (l1, l1->unavailable), "this machine has no hardware counters");
	ck_assert_ptr_null (ppi_recording_find (recording, PPI_CHUNK_SITE, 99));
	for (const void *e = NULL; (e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e));)
		events++;
	ck_assert_int_eq (events, 3);
	ppi_recording_close (recording);
}
END_TEST

START_TEST (summaries_merge_threads_per_site_and_over_all_sites)
{
	struct ppi_recording *recording = write_and_open ();

	ck_assert_double_eq (get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_N), 7);
	ck_assert_double_eq (get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_COUNT), 5);
	/* the window of one thread holds 3 … 6 ms, the other's 10 ms */
	ck_assert_double_eq_tol (get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_AVG), 0.0056, 1e-12);
	ck_assert_double_eq_tol (get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_MIN), 0.003, 1e-12);
	ck_assert_double_eq_tol (get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_MAX), 0.010, 1e-12);
	ck_assert_double_eq_tol (get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_LAST), 0.006, 1e-12);
	ck_assert_double_eq (get (recording, SAMPLE_METRIC_TIME, PPI_ALL_SITES, PP_STAT_N), 8);
	ck_assert_double_eq_tol (get (recording, SAMPLE_METRIC_TIME, PPI_ALL_SITES, PP_STAT_TOTAL), 2.531, 1e-9);
	ck_assert_double_eq (get (recording, SAMPLE_METRIC_RAYS, PPI_ALL_SITES, PP_STAT_SUM), 300);
	ck_assert_double_eq (get (recording, SAMPLE_METRIC_FAULTS, PPI_ALL_SITES, PP_STAT_ESTIMATED_COUNT), 32);
	ck_assert (isnan (get (recording, SAMPLE_METRIC_L1, PPI_ALL_SITES, PP_STAT_AVG)));
	ppi_recording_close (recording);
}
END_TEST

START_TEST (chunks_that_are_not_finished_or_not_known_are_stepped_over)
{
	struct ppi_region_header *header = region_header ();
	struct ppi_chunk *unknown, *unfinished, *knob = NULL;

	/* reserved by a writer that died before it wrote anything; begun; of a later version; and then one more knob */
	header->used += 128;
	unfinished = (void *) (region + header->used);
	unfinished->bytes = 64;
	header->used += 64;
	unknown = (void *) (region + header->used);
	unknown->bytes = 128;
	unknown->type = 999;
	header->used += 128;
	for (char *at = region + header->header_bytes; at < region + used;
	     at += ((struct ppi_chunk *) (void *) at)->bytes)
		if (((struct ppi_chunk *) (void *) at)->type == PPI_CHUNK_KNOB)
			knob = (void *) at;
	ck_assert_ptr_nonnull (knob);
	memcpy (region + header->used, knob, knob->bytes);
	header->used += knob->bytes;
	used = header->used;
	struct ppi_recording *recording = write_and_open ();
	int knobs = 0;

	for (const void *k = NULL; (k = ppi_recording_next (recording, PPI_CHUNK_KNOB, k));)
		knobs++;
	ck_assert_int_eq (knobs, 3);
	ppi_recording_close (recording);
}
END_TEST

/* The open fails with ERROR and says TEXT and the file's name. */
static void expect_error (int error, const char *text)
{
	struct ppi_recording *recording = NULL;
	char why[400] = "";

	ck_assert_int_eq (ppi_recording_open (path, &recording, why, sizeof why), error);
	ck_assert_msg (strstr (why, text) && strstr (why, path), "%s", why);
	ck_assert_ptr_null (recording);
}

START_TEST (what_is_no_recording_is_told)
{
	static const char text[] = "This is not a recording, but it is long enough to be one. ";
	char long_text[4000];

	expect_error (PP_EIO, "can't be opened");
	ck_assert_int_eq (sample_region_write ("", 0, path), 0);
	expect_error (PP_EINVAL, "is not a recording");
	for (size_t i = 0; i < sizeof long_text; i++)
		long_text[i] = text[i % (sizeof text - 1)];
	ck_assert_int_eq (sample_region_write (long_text, sizeof long_text, path), 0);
	expect_error (PP_EINVAL, "is not a recording");
	ck_assert_int_eq (sample_region_write (region, 40, path), 0);
	expect_error (PP_EINVAL, "is cut off: its header is missing");
}
END_TEST

START_TEST (another_version_is_told)
{
	region_header ()->version = PPI_RECORDING_VERSION + 1;
	ck_assert_int_eq (sample_region_write (region, used, path), 0);
	expect_error (PP_EINVAL, "version 4");
}
END_TEST

START_TEST (every_truncation_is_an_error)
{
	for (size_t bytes = 0; bytes < used; bytes += 8) {
		struct ppi_recording *recording = NULL;
		char why[400] = "";

		ck_assert_int_eq (sample_region_write (region, bytes, path), 0);
		ck_assert_int_eq (ppi_recording_open (path, &recording, why, sizeof why), PP_EINVAL);
		ck_assert_str_ne (why, "");
	}
}
END_TEST

static uint64_t random_state = 12345;

static uint64_t next_random (void)
{
	random_state = random_state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
	return random_state >> 33;
}

/* Uses everything that a report uses. */
static void read_everything (const struct ppi_recording *recording)
{
	volatile double total = 0;

	for (const struct ppi_metric_chunk *m = NULL; (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m));)
		for (int s = 0; s < PP_STATISTICS; s++) {
			struct ppi_summary summary;

			ppi_recording_summary (recording, m, PPI_ALL_SITES, &summary);
			total = total + ppi_summary_get (&summary, (enum pp_statistic) s, 1) +
				(double) strlen (ppi_chunk_text (m, m->source));
		}
	for (const struct ppi_assertion_chunk *a = NULL;
	     (a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a));) {
		const struct ppi_capture_entry *capture = (const void *) ((const char *) a + a->capture);

		total = total + (double) strlen (ppi_chunk_text (a, a->expression));
		for (uint32_t i = 0; i < a->captures; i++)
			total = total + capture[i].sum;
	}
	for (const struct ppi_event_chunk *e = NULL; (e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e));)
		total = total + (double) strlen (e->text + strlen (e->text) + 1);
}

START_TEST (no_mutation_crashes_the_reader)
{
	_Alignas(64) static char mutant[SAMPLE_REGION_BYTES];
	int opened = 0, refused = 0;

	for (int round = 0; round < 20000; round++) {
		struct ppi_recording *recording;
		char why[400];

		memcpy (mutant, region, used);
		for (uint64_t n = 1 + next_random () % 3; n > 0; n--) {
			size_t at = next_random () % used;

			/* a bit, a byte, or a word of extreme values */
			switch (next_random () % 3) {
			case 0:
				mutant[at] = (char) (mutant[at] ^ (1 << next_random () % 8));
				break;
			case 1:
				mutant[at] = (char) next_random ();
				break;
			default:
				memset (mutant + (at & ~(size_t) 7), next_random () % 2 ? 0xff : 0, 8);
				break;
			}
		}
		/* exactly as large as what is read, so that ASan sees what goes beyond it */
		char *exact = aligned_alloc (64, used);

		ck_assert_ptr_nonnull (exact);
		memcpy (exact, mutant, used);
		if (ppi_recording_attach (exact, used, "mutant", &recording, why, sizeof why) == 0) {
			read_everything (recording);
			ppi_recording_close (recording);
			opened++;
		} else {
			refused++;
		}
		free (exact);
	}
	ck_assert_int_gt (opened, 0);
	ck_assert_int_gt (refused, 0);
}
END_TEST

/* ---- processes that died --------------------------------------------------------------------------------------------------- */

/* A child that is alive until told, so that there is a process id that is certainly of this test. */
static pid_t start_child (void)
{
	pid_t child = fork ();

	if (child == 0) {
		pause ();
		_exit (0);
	}
	ck_assert_int_gt (child, 0);
	return child;
}

static void kill_child (pid_t child)
{
	kill (child, SIGKILL);
	ck_assert_int_eq (waitpid (child, NULL, 0), child);
}

/* The recording as of its last copy, the live region with what came after. */
static void write_live_pair (pid_t pid)
{
	struct ppi_region_header *header = region_header ();
	struct timespec now;

	clock_gettime (CLOCK_REALTIME, &now);
	header->state = PPI_RECORDING_LIVE;
	header->pid = (uint32_t) pid;
	header->start_realtime_ns = (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
	strcpy (header->live_path, live_path);
	ck_assert_int_eq (sample_region_write (region, used, path), 0);
	header->drops[PP_DROP_POOL] = 99;
	ck_assert_int_eq (sample_region_write (region, SAMPLE_REGION_BYTES, live_path), 0);
}

static uint64_t recorded_drops (uint32_t *state)
{
	struct ppi_recording *recording;
	char why[400];

	ck_assert_int_eq (ppi_recording_open (path, &recording, why, sizeof why), 0);
	uint64_t drops = ppi_recording_header (recording)->drops[PP_DROP_POOL];

	*state = ppi_recording_header (recording)->state;
	ppi_recording_close (recording);
	return drops;
}

START_TEST (the_recording_of_a_killed_process_is_finished_from_what_it_left)
{
	pid_t child = start_child ();
	char why[400] = "";
	uint32_t state;

	write_live_pair (child);
	kill_child (child);
	ck_assert_int_eq (ppi_recording_finish (path, why, sizeof why), 1);
	ck_assert_uint_eq (recorded_drops (&state), 99);
	ck_assert_uint_eq (state, PPI_RECORDING_LEFT);
	ck_assert_int_ne (access (live_path, F_OK), 0);
	ck_assert_int_eq (ppi_recording_finish (path, why, sizeof why), 0);
}
END_TEST

START_TEST (the_recording_of_a_running_process_is_left_alone)
{
	pid_t child = start_child ();
	char why[400] = "";
	uint32_t state;

	write_live_pair (child);
	int result = ppi_recording_finish (path, why, sizeof why);

	kill_child (child);
	ck_assert_int_eq (result, 0);
	ck_assert_uint_eq (recorded_drops (&state), 0);
	ck_assert_uint_eq (state, PPI_RECORDING_LIVE);
	ck_assert_int_eq (access (live_path, F_OK), 0);
}
END_TEST

START_TEST (another_process_with_the_same_number_is_not_taken_for_the_writer)
{
	char why[400] = "";
	uint32_t state;

	/* this process runs, but began long after the region was made */
	write_live_pair (getpid ());
	region_header ()->start_realtime_ns -= UINT64_C (3600000000000);
	region_header ()->drops[PP_DROP_POOL] = 0;
	ck_assert_int_eq (sample_region_write (region, used, path), 0);
	region_header ()->drops[PP_DROP_POOL] = 5;
	ck_assert_int_eq (sample_region_write (region, used, live_path), 0);
	ck_assert_int_eq (ppi_recording_finish (path, why, sizeof why), 1);
	ck_assert_uint_eq (recorded_drops (&state), 5);
}
END_TEST

START_TEST (what_another_process_left_under_the_name_is_not_used)
{
	pid_t child = start_child ();
	char why[400] = "";
	uint32_t state;

	write_live_pair (child);
	kill_child (child);
	region_header ()->start_ticks++;
	ck_assert_int_eq (sample_region_write (region, used, live_path), 0);
	ck_assert_int_eq (ppi_recording_finish (path, why, sizeof why), PP_ENOENT);
	ck_assert_ptr_nonnull (strstr (why, path));
	ck_assert_uint_eq (recorded_drops (&state), 0);
	ck_assert_int_eq (access (live_path, F_OK), 0);
}
END_TEST

START_TEST (a_recording_whose_live_region_is_gone_stays_readable)
{
	pid_t child = start_child ();
	char why[400] = "";
	uint32_t state;

	write_live_pair (child);
	kill_child (child);
	unlink (live_path);
	ck_assert_int_eq (ppi_recording_finish (path, why, sizeof why), PP_ENOENT);
	ck_assert_ptr_nonnull (strstr (why, "last copy"));
	ck_assert_uint_eq (recorded_drops (&state), 0);
}
END_TEST

/* The chunk of TYPE with ID in the region at BASE, or with ID 0 the first. */
static void *chunk_of (char *base, enum ppi_chunk_type type, uint32_t id)
{
	for (size_t at = region_header ()->header_bytes; at < used;
	     at += ((struct ppi_chunk *) (void *) (base + at))->bytes) {
		struct ppi_chunk *chunk = (void *) (base + at);

		if (chunk->type == type && (!id || chunk->id == id))
			return chunk;
	}
	ck_abort_msg ("no chunk of type %d with id %u", type, id);
	return NULL;
}

START_TEST (a_live_region_is_read_while_it_changes)
{
	struct ppi_recording *recording;
	char why[400] = "";

	/* the file of the region itself, and its process is this one */
	write_live_pair (getpid ());
	ck_assert_int_eq (ppi_recording_open (live_path, &recording, why, sizeof why), 0);
	double before = get (recording, SAMPLE_METRIC_RAYS, PPI_ALL_SITES, PP_STAT_N);
	FILE *file = fopen (live_path, "r+");
	char *map = mmap (NULL, SAMPLE_REGION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fileno (file), 0);

	ck_assert (map != MAP_FAILED);
	fclose (file);
	ppi_accumulate_int (chunk_of (map, PPI_CHUNK_SHARD, 3), PPI_SUMCOUNT, 1, 99);
	ck_assert_double_eq (get (recording, SAMPLE_METRIC_RAYS, PPI_ALL_SITES, PP_STAT_N), before + 1);
	munmap (map, SAMPLE_REGION_BYTES);
	ppi_recording_close (recording);
}
END_TEST

/* ... so that what was found whole stays whole, and figures of one assertion fit together. */
START_TEST (but_its_assertions_and_knobs_are_those_of_one_moment)
{
	struct ppi_assertion_chunk *written = chunk_of (region, PPI_CHUNK_ASSERTION, 0);
	struct ppi_knob_chunk *knob = chunk_of (region, PPI_CHUNK_KNOB, 0);
	const struct ppi_assertion_chunk *read;
	struct ppi_recording *recording;
	uint64_t violations = written->violations;
	uint32_t expression = written->expression;
	char why[400] = "";

	ck_assert_int_eq (ppi_recording_attach (region, used, "region", &recording, why, sizeof why), 0);
	read = ppi_recording_find (recording, PPI_CHUNK_ASSERTION, written->chunk.id);
	ck_assert_ptr_nonnull (read);
	written->violations++;
	written->expression = UINT32_MAX;
	knob->value++;
	region_header ()->drops[PP_DROP_POOL]++;
	ck_assert_uint_eq (read->violations, violations);
	ck_assert_uint_eq (read->expression, expression);
	ck_assert_double_eq (
		((const struct ppi_knob_chunk *) ppi_recording_next (recording, PPI_CHUNK_KNOB, NULL))->value,
		knob->value - 1);
	ck_assert_uint_eq (ppi_recording_drops (recording, PP_DROP_POOL) + 1, region_header ()->drops[PP_DROP_POOL]);
	ppi_recording_close (recording);
}
END_TEST

static Suite *recordings (void)
{
	Suite *suite = suite_create ("recording");
	TCase *tests = tcase_create ("recording");

	tcase_add_checked_fixture (tests, make_files, remove_files);
	tcase_add_test (tests, a_recording_gives_back_what_was_put_in);
	tcase_add_test (tests, summaries_merge_threads_per_site_and_over_all_sites);
	tcase_add_test (tests, chunks_that_are_not_finished_or_not_known_are_stepped_over);
	tcase_add_test (tests, what_is_no_recording_is_told);
	tcase_add_test (tests, another_version_is_told);
	tcase_add_test (tests, every_truncation_is_an_error);
	tcase_add_test (tests, no_mutation_crashes_the_reader);
	tcase_add_test (tests, the_recording_of_a_killed_process_is_finished_from_what_it_left);
	tcase_add_test (tests, the_recording_of_a_running_process_is_left_alone);
	tcase_add_test (tests, another_process_with_the_same_number_is_not_taken_for_the_writer);
	tcase_add_test (tests, what_another_process_left_under_the_name_is_not_used);
	tcase_add_test (tests, a_recording_whose_live_region_is_gone_stays_readable);
	tcase_add_test (tests, a_live_region_is_read_while_it_changes);
	tcase_add_test (tests, but_its_assertions_and_knobs_are_those_of_one_moment);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {recordings};

	return ppcheck_main (suites, 1);
}
