/* SPDX-License-Identifier: MIT */
/*
 * test_recording.c: what is in a recording is what its reader finds; what is broken is one error.
 */
#include "base/chunk.h"
#include "base/process.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/summary.h"
#include "recording/check.h"
#include "recording/file.h"
#include "recording/finish.h"
#include "recording/layout.h"
#include "recording/read.h"
#include "recording/write.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/sample_region.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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
	ppi_regions_directory = directory;
	memset (region, 0, sizeof region);
	used = sample_region_make (region);
}

static void remove_files (void)
{
	char command[128];

	snprintf (command, sizeof command, "rm -rf %s", directory);
	ck_assert_int_eq (system (command), 0);
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
	const struct ppi_metric_chunk *metric =
		ppi_recording_find (recording, PPI_CHUNK_METRIC, metric_id);
	struct ppi_summary summary;

	ck_assert_ptr_nonnull (metric);
	ppi_recording_summary (recording, metric, site, &summary);
	return ppi_summary_get (&summary, statistic, ppi_recording_scale (recording, metric));
}

START_TEST (a_recording_gives_back_what_was_put_in)
{
	struct ppi_recording *recording = write_and_open ();
	const struct ppi_site_chunk *site =
		ppi_recording_find (recording, PPI_CHUNK_SITE, SAMPLE_SITE_FRAME);
	const struct ppi_metric_chunk *l1 =
		ppi_recording_find (recording, PPI_CHUNK_METRIC, SAMPLE_METRIC_L1);
	int entries = 0;

	ck_assert_str_eq (site->name, "render!frame.c:render_frame/frame");
	ck_assert_str_eq (ppi_chunk_text (l1, l1->source), "papi:PAPI_L1_DCM");
	ck_assert_str_eq (ppi_chunk_text (l1, l1->unavailable),
			  "this machine has no hardware counters");
	ck_assert_ptr_null (ppi_recording_find (recording, PPI_CHUNK_SITE, 99));
	for (const void *e = NULL; (e = ppi_recording_next (recording, PPI_CHUNK_HISTORY, e));)
		entries++;
	ck_assert_int_eq (entries, 3);
	ppi_recording_close (recording);
}
END_TEST

START_TEST (summaries_merge_threads_per_site_and_over_all_sites)
{
	struct ppi_recording *recording = write_and_open ();

	ck_assert_double_eq (get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_N), 7);
	ck_assert_double_eq (get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_COUNT),
			     5);
	/* the window of one thread holds 3 … 6 ms, the other's 10 ms */
	ck_assert_double_eq_tol (
		get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_AVG), 0.0056, 1e-12);
	ck_assert_double_eq_tol (
		get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_MIN), 0.003, 1e-12);
	ck_assert_double_eq_tol (
		get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_MAX), 0.010, 1e-12);
	ck_assert_double_eq_tol (
		get (recording, SAMPLE_METRIC_TIME, SAMPLE_SITE_PIXEL, PP_STAT_LAST), 0.006, 1e-12);
	ck_assert_double_eq (get (recording, SAMPLE_METRIC_TIME, PPI_ALL_SITES, PP_STAT_N), 8);
	ck_assert_double_eq_tol (get (recording, SAMPLE_METRIC_TIME, PPI_ALL_SITES, PP_STAT_TOTAL),
				 2.531, 1e-9);
	ck_assert_double_eq (get (recording, SAMPLE_METRIC_RAYS, PPI_ALL_SITES, PP_STAT_SUM), 300);
	ck_assert_double_eq (
		get (recording, SAMPLE_METRIC_FAULTS, PPI_ALL_SITES, PP_STAT_ESTIMATED_COUNT), 32);
	ck_assert (isnan (get (recording, SAMPLE_METRIC_L1, PPI_ALL_SITES, PP_STAT_AVG)));
	ppi_recording_close (recording);
}
END_TEST

START_TEST (chunks_that_are_not_finished_or_not_known_are_stepped_over)
{
	struct ppi_region_header *header = region_header ();
	struct ppi_chunk *unknown, *unfinished, *knob = NULL;

	/*
	 * reserved by a writer that died before it wrote anything; begun; of a later version; and
	 * then one more knob
	 */
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
	char text[40];

	region_header ()->version = PPI_RECORDING_VERSION + 1;
	ck_assert_int_eq (sample_region_write (region, used, path), 0);
	snprintf (text, sizeof text, "reads version %d", PPI_RECORDING_VERSION);
	expect_error (PP_EINVAL, text);
}
END_TEST

START_TEST (every_truncation_is_an_error)
{
	for (size_t bytes = 0; bytes < used; bytes += 8) {
		struct ppi_recording *recording = NULL;
		char why[400] = "";

		ck_assert_int_eq (sample_region_write (region, bytes, path), 0);
		ck_assert_int_eq (ppi_recording_open (path, &recording, why, sizeof why),
				  PP_EINVAL);
		ck_assert_str_ne (why, "");
	}
}
END_TEST

static uint64_t random_state = 12345;

static uint64_t next_random (void)
{
	random_state =
		random_state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
	return random_state >> 33;
}

/* Uses everything that a report uses. */
static void read_everything (const struct ppi_recording *recording)
{
	volatile double total = 0;

	for (const struct ppi_metric_chunk *m = NULL;
	     (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m));)
		for (int s = 0; s < PP_STATISTICS; s++) {
			struct ppi_summary summary;

			ppi_recording_summary (recording, m, PPI_ALL_SITES, &summary);
			total = total + ppi_summary_get (&summary, (enum pp_statistic) s, 1) +
				(double) strlen (ppi_chunk_text (m, m->source));
		}
	for (const struct ppi_assertion_chunk *a = NULL;
	     (a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a));) {
		const struct ppi_capture_entry *capture =
			(const void *) ((const char *) a + a->capture);

		total = total + (double) strlen (ppi_chunk_text (a, a->expression));
		for (uint32_t i = 0; i < a->captures; i++)
			total = total + capture[i].contrast.violating.mean;
	}
	for (const struct ppi_history_chunk *e = NULL;
	     (e = ppi_recording_next (recording, PPI_CHUNK_HISTORY, e));)
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
				memset (mutant + (at & ~(size_t) 7), next_random () % 2 ? 0xff : 0,
					8);
				break;
			}
		}
		/* exactly as large as what is read, so that ASan sees what goes beyond it */
		char *exact = aligned_alloc (64, used);

		ck_assert_ptr_nonnull (exact);
		memcpy (exact, mutant, used);
		if (ppi_recording_attach (exact, used, "mutant", &recording, why, sizeof why) ==
		    0) {
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

/* ---- files that are not what their header says ----------------------------------------------- */

/* Bits in turn; under a sanitizer, and where there are many, fewer of them. */
#define BIT_STEP 3

START_TEST (no_bit_of_a_recording_changes_unseen)
{
	_Alignas(64) static char file[SAMPLE_REGION_BYTES];
	struct ppi_region_header *header = (void *) file;
	size_t unseen = 0;

	memcpy (file, region, used);
	for (unsigned state = PPI_RECORDING_LIVE; state <= PPI_RECORDING_LEFT; state++) {
		header->state = state;
		header->sum = 0;
		ppi_recording_seal (header, used);
		ck_assert (ppi_recording_is_sealed (file, used));
		for (size_t bit = state; bit < used * 8; bit += BIT_STEP) {
			file[bit / 8] = (char) (file[bit / 8] ^ 1 << bit % 8);
			unseen += ppi_recording_is_sealed (file, used);
			file[bit / 8] = (char) (file[bit / 8] ^ 1 << bit % 8);
		}
	}
	ck_assert_uint_eq (unseen, 0);
}
END_TEST

START_TEST (a_file_with_a_flipped_bit_is_refused)
{
	FILE *file;

	for (size_t at = 0; at < used; at += 251) {
		struct ppi_recording *recording = NULL;
		char why[400] = "";
		int c;

		ck_assert_int_eq (sample_region_write (region, used, path), 0);
		file = fopen (path, "r+");
		ck_assert_ptr_nonnull (file);
		fseek (file, (long) at, SEEK_SET);
		c = fgetc (file);
		fseek (file, (long) at, SEEK_SET);
		fputc (c ^ 1 << at % 8, file);
		fclose (file);
		ck_assert_msg (ppi_recording_open (path, &recording, why, sizeof why) == PP_EINVAL,
			       "byte %zu", at);
		ck_assert_str_ne (why, "");
	}
}
END_TEST

START_TEST (a_file_that_is_larger_than_its_header_says_is_refused)
{
	ck_assert_int_eq (sample_region_write (region, used, path), 0);
	ck_assert_int_eq (truncate (path, (off_t) used + 64), 0);
	expect_error (PP_EINVAL, "its size is not what its header says");
	/* sparse: nobody tries to read it */
	if (truncate (path, (off_t) 1 << 40) == 0)
		expect_error (PP_EINVAL, "its size is not what its header says");
}
END_TEST

START_TEST (holes_that_the_header_does_not_tell_of_are_refused_unread)
{
	struct ppi_region_header *header = region_header ();
	char *copy = aligned_alloc (64, used);
	FILE *file;

	/*
	 * the header says that all of a terabyte is used, and that is what the file has: as a hole
	 */
	ck_assert_ptr_nonnull (copy);
	memcpy (copy, region, used);
	ppi_recording_seal ((struct ppi_region_header *) (void *) copy, used);
	((struct ppi_region_header *) (void *) copy)->used = UINT64_C (1) << 40;
	file = fopen (path, "w");
	ck_assert_ptr_nonnull (file);
	ck_assert_uint_eq (fwrite (copy, 1, used, file), used);
	fclose (file);
	if (truncate (path, (off_t) 1 << 40) == 0)
		expect_error (PP_EINVAL, "it has holes that its header does not tell of");
	/* and where it tells of them */
	((struct ppi_region_header *) (void *) copy)->zeros = UINT64_C (1) << 40;
	file = fopen (path, "r+");
	ck_assert_uint_eq (fwrite (copy, 1, used, file), used);
	fclose (file);
	expect_error (PP_EINVAL, header->used ? "it has holes" : "");
	free (copy);
}
END_TEST

static void *chunk_of (char *base, enum ppi_chunk_type type, uint32_t id);

/* Who can write a file can make its checksum: what is out of range is seen all the same. */
static void expect_damage (void *field, const void *value, size_t bytes)
{
	char before[16];

	memcpy (before, field, bytes);
	memcpy (field, value, bytes);
	ck_assert_int_eq (sample_region_write (region, used, path), 0);
	expect_error (PP_EINVAL, "is damaged");
	memcpy (field, before, bytes);
}

START_TEST (every_kind_of_entry_of_the_history_is_whole)
{
	struct ppi_history_chunk *entry = chunk_of (region, PPI_CHUNK_HISTORY, 0);

	for (uint32_t kind = PPI_HISTORY_FIRE; kind < PPI_HISTORY_KINDS; kind++) {
		entry->kind = kind;
		ppi_recording_close (write_and_open ());
	}
}
END_TEST

START_TEST (what_is_out_of_its_range_is_refused)
{
	struct ppi_metric_chunk *metric = chunk_of (region, PPI_CHUNK_METRIC, 0);
	struct ppi_binding_chunk *binding = chunk_of (region, PPI_CHUNK_BINDING, 0);
	struct ppi_assertion_chunk *assertion = chunk_of (region, PPI_CHUNK_ASSERTION, 0);
	struct ppi_site_chunk *site = chunk_of (region, PPI_CHUNK_SITE, 0);
	struct ppi_history_chunk *entry = chunk_of (region, PPI_CHUNK_HISTORY, 0);
	struct ppi_knob_chunk *knob = chunk_of (region, PPI_CHUNK_KNOB, 0);
	struct ppi_adapt_chunk *adapt = chunk_of (region, PPI_CHUNK_ADAPT, 0);
	static const double no_end = INFINITY, unknown = NAN;
	static const uint32_t many = 0x40000000, none = 0;
	static const uint16_t beyond = 512;
	static const uint8_t kind = 200;

	expect_damage (&region_header ()->state, &many, 4);
	expect_damage (&region_header ()->seconds_per_tick, &unknown, 8);
	expect_damage (&metric->scale, &no_end, 8);
	expect_damage (&metric->kind, &kind, 1);
	expect_damage (&metric->scope, &kind, 1);
	expect_damage (&metric->unit, &kind, 1);
	expect_damage (&metric->source, &many, 4);
	expect_damage (&metric->share_permille, &many, 4);
	expect_damage (&binding->metric, &many, 4);
	expect_damage (&binding->site, &many, 4);
	expect_damage (&binding->every, &none, 4);
	expect_damage (&assertion->state, &many, 4);
	expect_damage (&assertion->severity, &many, 4);
	expect_damage (&assertion->site, &many, 4);
	expect_damage (&assertion->captures, &many, 4);
	/* of a figure the text ends within the assertion */
	expect_damage (
		&((struct ppi_capture_entry *) ((char *) assertion + assertion->capture))->text,
		&beyond, 2);
	expect_damage (&site->kind, &many, 4);
	expect_damage (&site->way, &many, 4);
	expect_damage (&entry->kind, &many, 4);
	expect_damage (&knob->value, &no_end, 8);
	expect_damage (&knob->words, &many, 4);
	expect_damage (&adapt->state, &many, 4);
	expect_damage (&adapt->best, &many, 4);
}
END_TEST

/* ---- processes that died --------------------------------------------------------------------- */

/*
 * A child that is alive until told, so that there is a process id that is certainly of this test.
 */
static pid_t start_child (void)
{
	int ready[2];
	pid_t child;

	ck_assert_int_eq (pipe (ready), 0);
	child = fork ();

	if (child == 0) {
		struct ppi_identity who;

		ppi_identity_of_self (&who);
		if (write (ready[1], &who, sizeof who) == (ssize_t) sizeof who)
			pause ();
		_exit (0);
	}
	ck_assert_int_gt (child, 0);
	ck_assert_int_eq (read (ready[0], &region_header ()->who, sizeof region_header ()->who),
			  sizeof region_header ()->who);
	close (ready[0]);
	close (ready[1]);
	return child;
}

static void kill_child (pid_t child)
{
	kill (child, SIGKILL);
	ck_assert_int_eq (waitpid (child, NULL, 0), child);
}

/*
 * The recording as of its last copy, the live region with what came after, of the process PID as
 * this one is seen.
 */
static void write_live_pair (pid_t pid)
{
	struct ppi_region_header *header = region_header ();
	struct timespec now;

	clock_gettime (CLOCK_REALTIME, &now);
	header->state = PPI_RECORDING_LIVE;
	header->pid = (uint32_t) pid;
	header->start_realtime_ns = (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
	strcpy (header->record_path, path);
	ppi_region_path (header, live_path, sizeof live_path);
	ck_assert_int_eq (sample_region_record (region, path), 0);
	header->drops[PP_DROP_POOL] = 99;
	ck_assert_int_eq (sample_region_write (region, SAMPLE_REGION_BYTES, live_path), 0);
}

static uint64_t recorded_drops (uint32_t *state)
{
	struct ppi_recording *recording;
	char why[400];

	ck_assert_msg (ppi_recording_open (path, &recording, why, sizeof why) == 0, "%s", why);
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

static unsigned n_shards (void)
{
	struct ppi_recording *recording;
	unsigned n = 0;
	char why[400];

	ck_assert_int_eq (ppi_recording_open (path, &recording, why, sizeof why), 0);
	for (const void *s = NULL; (s = ppi_recording_next (recording, PPI_CHUNK_SHARD, s));)
		n++;
	ppi_recording_close (recording);
	return n;
}

static bool no_punching;

/* libc's, on a file system that takes nothing back. */
int fallocate (int fd, int mode, off_t offset, off_t bytes)
{
	if (no_punching) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return (int) syscall (SYS_fallocate, fd, mode, offset, bytes);
}

/* The first chunk of that type in REGION. */
static struct ppi_chunk *first_chunk (unsigned type)
{
	struct ppi_region_header *header = region_header ();
	struct ppi_chunk *c = (void *) (region + header->header_bytes);

	while (c->type != type)
		c = (void *) ((char *) c + c->bytes);
	return c;
}

/* The file at PATH has the state three times, with blocks of something else between if APART. */
static void write_state_again (bool apart)
{
	struct ppi_shard *shard = (void *) first_chunk (PPI_CHUNK_SHARD);
	int fd = open (path, O_RDWR | O_TRUNC | O_CLOEXEC);
	struct ppi_region_header *header = region_header ();
	struct ppi_run run = {.host = "host", .header = *header};
	struct ppi_writer writer;

	ck_assert_int_eq (ppi_writer_open (&writer, fd, SAMPLE_REGION_BYTES), 0);
	ck_assert_int_eq (ppi_writer_run (&writer, &run), 0);
	for (int i = 0; i < 3; i++) {
		shard->more += 1;
		ck_assert_int_eq (ppi_writer_update (&writer, region, header->used, header, apart),
				  0);
	}
	ppi_writer_close (&writer);
	ck_assert_int_eq (close (fd), 0);
}

/* Damages the head of the block of state before the last. */
static void damage_second_state (void)
{
	struct ppi_block head;
	off_t at[8];
	int fd = open (path, O_RDWR | O_CLOEXEC), n = 0;

	for (off_t place = 0; pread (fd, &head, sizeof head, place) == (ssize_t) sizeof head;
	     place += (off_t) head.bytes)
		if (head.type == PPI_BLOCK_STATE && n < 8)
			at[n++] = place;
	ck_assert_int_eq (n, 3);
	ck_assert_int_eq (pwrite (fd, "?", 1, at[1]), 1);
	close (fd);
}

/*
 * A thread's samples may have gone to another shard since the last copy, and its own be free: what
 * earlier blocks say of that counts no more.
 */
static void finish_without_a_shard (bool apart)
{
	pid_t child = start_child ();
	char why[400] = "";
	unsigned before;

	write_live_pair (child);
	write_state_again (apart);
	before = n_shards ();
	if (!apart)
		damage_second_state ();
	first_chunk (PPI_CHUNK_SHARD)->type = PPI_CHUNK_FREE;
	ck_assert_int_eq (sample_region_write (region, SAMPLE_REGION_BYTES, live_path), 0);
	kill_child (child);
	ck_assert_int_eq (ppi_recording_finish (path, why, sizeof why), 1);
	ck_assert_uint_eq (n_shards (), before - 1);
}

START_TEST (what_was_given_back_before_a_kill_is_not_in_the_recording)
{
	finish_without_a_shard (true);
	no_punching = true;
	finish_without_a_shard (true);
}
END_TEST

START_TEST (nor_where_a_block_between_is_damaged)
{
	finish_without_a_shard (false);
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

	/* this process runs, but began later than the one that had its number */
	ppi_identity_of_self (&region_header ()->who);
	region_header ()->who.start--;
	write_live_pair (getpid ());
	region_header ()->drops[PP_DROP_POOL] = 0;
	ck_assert_int_eq (sample_region_record (region, path), 0);
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
	ppi_identity_of_self (&region_header ()->who);
	write_live_pair (getpid ());
	ck_assert_int_eq (ppi_recording_open (live_path, &recording, why, sizeof why), 0);
	double before = get (recording, SAMPLE_METRIC_RAYS, PPI_ALL_SITES, PP_STAT_N);
	FILE *file = fopen (live_path, "r+");
	char *map = mmap (NULL, SAMPLE_REGION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			  fileno (file), 0);

	ck_assert (map != MAP_FAILED);
	fclose (file);
	ppi_accumulate_int (chunk_of (map, PPI_CHUNK_SHARD, 3), PPI_SUMCOUNT, 1, 99);
	ck_assert_double_eq (get (recording, SAMPLE_METRIC_RAYS, PPI_ALL_SITES, PP_STAT_N),
			     before + 1);
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

	ck_assert_int_eq (
		ppi_recording_attach (region, used, "region", &recording, why, sizeof why), 0);
	read = ppi_recording_find (recording, PPI_CHUNK_ASSERTION, written->chunk.id);
	ck_assert_ptr_nonnull (read);
	written->violations++;
	written->expression = UINT32_MAX;
	knob->value++;
	region_header ()->drops[PP_DROP_POOL]++;
	ck_assert_uint_eq (read->violations, violations);
	ck_assert_uint_eq (read->expression, expression);
	ck_assert_double_eq (((const struct ppi_knob_chunk *) ppi_recording_next (
				      recording, PPI_CHUNK_KNOB, NULL))
				     ->value,
			     knob->value - 1);
	ck_assert_uint_eq (ppi_recording_drops (recording, PP_DROP_POOL) + 1,
			   region_header ()->drops[PP_DROP_POOL]);
	ppi_recording_close (recording);
}
END_TEST

/* ---- all that is left ------------------------------------------------------------------------ */

static const struct ppi_finish_limits no_limits;

START_TEST (what_dead_processes_left_is_completed_and_removed)
{
	pid_t child = start_child ();
	uint32_t state;

	write_live_pair (child);
	ck_assert_uint_eq (ppi_regions_finish (&no_limits), 0);
	kill_child (child);
	ck_assert_uint_eq (ppi_regions_finish (&no_limits), 1);
	ck_assert_uint_eq (recorded_drops (&state), 99);
	ck_assert_uint_eq (state, PPI_RECORDING_LEFT);
	ck_assert_int_ne (access (live_path, F_OK), 0);
}
END_TEST

/* A child that has the lock of what was left, and gives it back when WORK is done. */
static pid_t start_holder (void (*work) (void))
{
	int ready[2];
	pid_t holder;
	char c;

	ck_assert_int_eq (pipe (ready), 0);
	holder = fork ();
	if (holder == 0) {
		int fd = open (live_path, O_RDONLY | O_CLOEXEC);

		if (fd >= 0 && flock (fd, LOCK_EX) == 0 && write (ready[1], "", 1) == 1) {
			usleep (100000);
			work ();
		}
		_exit (0);
	}
	ck_assert_int_gt (holder, 0);
	ck_assert_int_eq (read (ready[0], &c, 1), 1);
	close (ready[0]);
	close (ready[1]);
	return holder;
}

static void do_nothing (void)
{
}

static char *completed;
static size_t completed_bytes;

static void complete_it (void)
{
	FILE *file = fopen (path, "r+");

	if (file && fwrite (completed, 1, completed_bytes, file) == completed_bytes &&
	    fclose (file) == 0)
		unlink (live_path);
}

START_TEST (who_completes_it_just_now_is_waited_for_where_a_recording_was_asked_for)
{
	pid_t child = start_child (), holder;
	char why[400] = "";
	uint32_t state;
	FILE *file;

	write_live_pair (child);
	kill_child (child);
	/* the holder may die of it: then it is to be done */
	holder = start_holder (do_nothing);
	ck_assert_uint_eq (ppi_regions_finish (&no_limits), 0);
	ck_assert_int_eq (ppi_recording_finish (path, why, sizeof why), 1);
	ck_assert_int_eq (waitpid (holder, NULL, 0), holder);
	ck_assert_uint_eq (recorded_drops (&state), 99);

	/* or it is done by then: the same once more, and what came of it from another hand */
	completed = malloc (SAMPLE_REGION_BYTES);
	file = fopen (path, "r");
	ck_assert_ptr_nonnull (file);
	completed_bytes = fread (completed, 1, SAMPLE_REGION_BYTES, file);
	fclose (file);
	region_header ()->drops[PP_DROP_POOL] = 0;
	ck_assert_int_eq (sample_region_record (region, path), 0);
	ck_assert_int_eq (sample_region_write (region, SAMPLE_REGION_BYTES, live_path), 0);
	ck_assert_uint_eq (recorded_drops (&state), 0);
	holder = start_holder (complete_it);
	ck_assert_msg (ppi_recording_finish (path, why, sizeof why) == 0, "%s", why);
	ck_assert_int_eq (waitpid (holder, NULL, 0), holder);
	ck_assert_uint_eq (recorded_drops (&state), 99);
	ck_assert_uint_eq (state, PPI_RECORDING_LEFT);
	free (completed);
}
END_TEST

/* The recording's path is what anybody wrote there who could write to the dead process's region. */
START_TEST (what_is_left_goes_nowhere_but_over_a_recording_of_that_run)
{
	pid_t child = start_child ();
	char other[160], link[160];
	struct stat before, after;
	FILE *file;

	snprintf (other, sizeof other, "%s/other", directory);
	snprintf (link, sizeof link, "%s/link", directory);
	file = fopen (other, "w");
	ck_assert_ptr_nonnull (file);
	fputs ("mine", file);
	fclose (file);
	ck_assert_int_eq (symlink (path, link), 0);
	kill_child (child);
	for (int round = 0; round < 4; round++) {
		write_live_pair (child);
		if (round == 0) /* a file that is no recording */
			strcpy (region_header ()->record_path, other);
		else if (round == 1) /* a link to the right one */
			strcpy (region_header ()->record_path, link);
		else if (round == 2) /* the recording of another run */
			region_header ()->start_ticks++;
		else
			memset (region_header ()->record_path, 'x',
				sizeof region_header ()->record_path);
		ck_assert_int_eq (sample_region_write (region, SAMPLE_REGION_BYTES, live_path), 0);
		ck_assert_int_eq (stat (round ? path : other, &before), 0);
		ck_assert_uint_eq (ppi_regions_finish (&no_limits), 1);
		ck_assert_int_eq (stat (round ? path : other, &after), 0);
		ck_assert_uint_eq (before.st_ino, after.st_ino);
		ck_assert_int_eq (before.st_size, after.st_size);
		memset (region_header ()->record_path, 0, sizeof region_header ()->record_path);
	}
	unlink (other);
	unlink (link);
}
END_TEST

static uint32_t recorded_damage (void)
{
	struct ppi_recording *recording;
	char why[400];
	uint32_t damaged;

	ck_assert_msg (ppi_recording_open (path, &recording, why, sizeof why) == 0, "%s", why);
	damaged = ppi_recording_header (recording)->damaged;
	ck_assert_int_eq (ppi_recording_damage (recording) != NULL, damaged != 0);
	/* nothing that is there leads to what isn't */
	for (unsigned type = 0; type < PPI_CHUNK_TYPES; type++)
		for (const void *c = NULL; (c = ppi_recording_next (recording, type, c));)
			ck_assert (ppi_chunk_is_whole (c, type,
						       ((const struct ppi_chunk *) c)->bytes));
	ppi_recording_close (recording);
	return damaged;
}

static double recorded_n (uint32_t metric)
{
	struct ppi_recording *recording;
	char why[400];
	double n;

	ck_assert_int_eq (ppi_recording_open (path, &recording, why, sizeof why), 0);
	n = get (recording, metric, PPI_ALL_SITES, PP_STAT_N);
	ppi_recording_close (recording);
	return n;
}

/* How a chunk is damaged: DAMAGE does it; the others, and what is newer in them, are there. */
static void expect_salvage (void (*damage) (struct ppi_chunk *chunk), enum ppi_chunk_type type)
{
	pid_t child = start_child ();
	char *saved = malloc (SAMPLE_REGION_BYTES);
	double before;
	uint32_t state;

	memcpy (saved, region, SAMPLE_REGION_BYTES);
	write_live_pair (child);
	kill_child (child);
	before = recorded_n (SAMPLE_METRIC_RAYS);
	/* newer than the copy */
	ppi_accumulate_int (chunk_of (region, PPI_CHUNK_SHARD, 3), PPI_SUMCOUNT, 1, 99);
	damage (chunk_of (region, type, 0));
	ck_assert_int_eq (sample_region_write (region, SAMPLE_REGION_BYTES, live_path), 0);
	ck_assert_uint_eq (ppi_regions_finish (&no_limits), 1);
	ck_assert_int_ne (access (live_path, F_OK), 0);
	ck_assert_uint_eq (recorded_drops (&state), 99);
	ck_assert_uint_eq (state, PPI_RECORDING_LEFT);
	ck_assert_uint_eq (recorded_damage (), 1);
	ck_assert_double_eq (recorded_n (SAMPLE_METRIC_RAYS), before + 1);
	memcpy (region, saved, SAMPLE_REGION_BYTES);
	free (saved);
}

static void no_size (struct ppi_chunk *chunk)
{
	chunk->bytes = 3;
}

static void too_large (struct ppi_chunk *chunk)
{
	chunk->bytes += PPI_CHUNK_ALIGN;
}

static void no_end_of_text (struct ppi_chunk *chunk)
{
	memset (chunk + 1, 0xff, chunk->bytes - sizeof *chunk);
}

static void all_of_it (struct ppi_chunk *chunk)
{
	memset (chunk, 0xff, chunk->bytes);
}

START_TEST (of_what_was_left_damaged_the_rest_is_there_and_it_is_as_of_the_last_copy)
{
	expect_salvage (no_size, PPI_CHUNK_METRIC);
	expect_salvage (too_large, PPI_CHUNK_METRIC);
	expect_salvage (no_end_of_text, PPI_CHUNK_METRIC);
	expect_salvage (all_of_it, PPI_CHUNK_METRIC);
	expect_salvage (all_of_it, PPI_CHUNK_SITE);
}
END_TEST

START_TEST (a_damaged_header_is_as_of_the_last_copy)
{
	pid_t child = start_child ();
	uint32_t state;

	write_live_pair (child);
	kill_child (child);
	region_header ()->used = 64;
	memset (region_header ()->program, 'x', sizeof region_header ()->program);
	ck_assert_int_eq (sample_region_write (region, SAMPLE_REGION_BYTES, live_path), 0);
	ck_assert_uint_eq (ppi_regions_finish (&no_limits), 1);
	ck_assert_uint_eq (recorded_drops (&state), 0);
	ck_assert_uint_eq (state, PPI_RECORDING_LEFT);
	ck_assert_uint_eq (recorded_damage (), 1);
}
END_TEST

/* Wherever a stray pointer wrote, what comes of it can be read. */
START_TEST (noise_in_what_was_left_makes_no_recording_unreadable)
{
	pid_t child = start_child ();
	char *saved = malloc (SAMPLE_REGION_BYTES);
	uint64_t random = 88172645463325252u, damaged = 0; /* parts */
	uint32_t state;

	kill_child (child);
	memcpy (saved, region, SAMPLE_REGION_BYTES);
	for (int round = 0; round < 500; round++) {
		write_live_pair (child);
		for (int i = 0; i < 1 + round % 5; i++) {
			size_t from, bytes;

			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			from = region_header ()->header_bytes +
			       random % (used - region_header ()->header_bytes);
			bytes = 1 + (random >> 32) % (used - from) / (1 + (random >> 50) % 1000);
			memset (region + from, (int) (random >> 40), bytes);
		}
		ck_assert_int_eq (sample_region_write (region, SAMPLE_REGION_BYTES, live_path), 0);
		ck_assert_uint_eq (ppi_regions_finish (&no_limits), 1);
		ck_assert_uint_eq (recorded_drops (&state), 99);
		ck_assert_uint_eq (state, PPI_RECORDING_LEFT);
		damaged += recorded_damage ();
		memcpy (region, saved, SAMPLE_REGION_BYTES);
	}
	ck_assert_uint_gt (damaged, 100);
	free (saved);
}
END_TEST

START_TEST (what_nobody_knows_of_stays)
{
	pid_t child = start_child ();
	struct ppi_identity who = region_header ()->who;

	kill_child (child);
	/* no /proc where it was made; another PID namespace */
	for (int round = 0; round < 2; round++) {
		region_header ()->who = who;
		region_header ()->who.pid_namespace = round ? who.pid_namespace + 1 : 0;
		write_live_pair (child);
		ck_assert_int_eq (ppi_process_presence ((uint32_t) child, &region_header ()->who),
				  PPI_PROCESS_UNKNOWN);
		ck_assert_uint_eq (ppi_regions_finish (&no_limits), 0);
		ck_assert_int_eq (access (live_path, F_OK), 0);
		unlink (live_path);
	}
	/* of an earlier boot: gone, but nobody's to remove */
	region_header ()->who = who;
	region_header ()->who.boot[0] ^= 1;
	write_live_pair (child);
	ck_assert_int_eq (ppi_process_presence ((uint32_t) child, &region_header ()->who),
			  PPI_PROCESS_GONE);
	ck_assert_uint_eq (ppi_regions_finish (&no_limits), 0);
}
END_TEST

START_TEST (a_start_completes_at_most_as_many_as_it_may)
{
	enum { LEFT = 12 };
	pid_t child = start_child ();
	const struct ppi_finish_limits eight = {8, UINT64_C (1) << 20, 0}, small = {8, 64, 0};

	kill_child (child);
	for (int i = 0; i < LEFT; i++)
		write_live_pair (child);
	ck_assert_uint_eq (ppi_regions_finish (&small), 0);
	ck_assert_uint_eq (ppi_regions_finish (&eight), 8);
	ck_assert_uint_eq (ppi_regions_finish (&no_limits), LEFT - 8);
}
END_TEST

static void *run_on (void *arg)
{
	pause ();
	return arg;
}

/* /proc says Z of such a process, as of a dead one. */
START_TEST (a_process_whose_first_thread_has_ended_runs_still)
{
	struct ppi_identity who;
	int ready[2];
	pid_t child;

	ck_assert_int_eq (pipe (ready), 0);
	child = fork ();
	if (child == 0) {
		pthread_t thread;

		ppi_identity_of_self (&who);
		pthread_create (&thread, NULL, run_on, NULL);
		if (write (ready[1], &who, sizeof who) < 0)
			_exit (1);
		close (ready[1]);
		pthread_exit (NULL);
	}
	close (ready[1]);
	ck_assert_int_eq (read (ready[0], &who, sizeof who), sizeof who);
	/* until it has ended, 5 s at most */
	for (int i = 0; i < 500; i++) {
		char text[256] = "", stat_path[64];
		FILE *file;

		snprintf (stat_path, sizeof stat_path, "/proc/%d/stat", (int) child);
		file = fopen (stat_path, "r");
		ck_assert_ptr_nonnull (file);
		ck_assert_ptr_nonnull (fgets (text, sizeof text, file));
		fclose (file);
		if (strstr (text, ") Z "))
			break;
		usleep (10000);
	}
	ck_assert_int_eq (ppi_process_presence ((uint32_t) child, &who), PPI_PROCESS_RUNS);
	kill_child (child);
	ck_assert_int_eq (ppi_process_presence ((uint32_t) child, &who), PPI_PROCESS_GONE);
	close (ready[0]);
}
END_TEST

/* ---- putting files in place ------------------------------------------------------------------ */

static char other_path[160];
static int stop; /* atomic */

/*
 * Somebody else in the directory: he takes the recording away and puts his own file there, and
 * back.
 */
static void *exchange (void *arg)
{
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED))
		if (renameat2 (AT_FDCWD, other_path, AT_FDCWD, path, RENAME_EXCHANGE) != 0)
			return arg;
	return NULL;
}

static bool is_in_directory (ino_t inode)
{
	DIR *dir = opendir (directory);
	struct dirent *entry;
	bool is = false;

	ck_assert_ptr_nonnull (dir);
	while ((entry = readdir (dir)))
		is |= entry->d_ino == inode;
	closedir (dir);
	return is;
}

START_TEST (a_file_that_comes_between_look_and_replacement_is_not_lost)
{
	char why[200];
	struct stat st;
	pthread_t thread;
	void *without;
	FILE *file;

	snprintf (other_path, sizeof other_path, "%s/other", directory);
	file = fopen (other_path, "w");
	ck_assert_ptr_nonnull (file);
	fputs ("another's", file);
	fclose (file);
	ck_assert_int_eq (stat (other_path, &st), 0);
	ck_assert_int_eq (sample_region_write (region, used, path), 0);
	ck_assert_int_eq (pthread_create (&thread, NULL, exchange, &stop), 0);
	for (int i = 0; i < 2000; i++)
		(void) ppi_file_put (path, PPI_REPLACE_RECORDING, NULL, region, 4096, why,
				     sizeof why);
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (thread, &without);
	/* a file system that can't exchange names is no place for this test */
	ck_assert (without || is_in_directory (st.st_ino));
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
	tcase_add_test (tests, what_was_given_back_before_a_kill_is_not_in_the_recording);
	tcase_add_test (tests, nor_where_a_block_between_is_damaged);
	tcase_add_test (tests, the_recording_of_a_running_process_is_left_alone);
	tcase_add_test (tests, another_process_with_the_same_number_is_not_taken_for_the_writer);
	tcase_add_test (tests, what_another_process_left_under_the_name_is_not_used);
	tcase_add_test (tests, a_recording_whose_live_region_is_gone_stays_readable);
	tcase_add_test (tests, a_live_region_is_read_while_it_changes);
	tcase_add_test (tests, but_its_assertions_and_knobs_are_those_of_one_moment);
	tcase_add_test (tests, no_bit_of_a_recording_changes_unseen);
	tcase_add_test (tests, a_file_with_a_flipped_bit_is_refused);
	tcase_add_test (tests, a_file_that_is_larger_than_its_header_says_is_refused);
	tcase_add_test (tests, holes_that_the_header_does_not_tell_of_are_refused_unread);
	tcase_add_test (tests, every_kind_of_entry_of_the_history_is_whole);
	tcase_add_test (tests, what_is_out_of_its_range_is_refused);
	tcase_add_test (tests, what_dead_processes_left_is_completed_and_removed);
	tcase_add_test (tests,
			who_completes_it_just_now_is_waited_for_where_a_recording_was_asked_for);
	tcase_add_test (tests, what_is_left_goes_nowhere_but_over_a_recording_of_that_run);
	tcase_add_test (tests,
			of_what_was_left_damaged_the_rest_is_there_and_it_is_as_of_the_last_copy);
	tcase_add_test (tests, a_damaged_header_is_as_of_the_last_copy);
	tcase_add_test (tests, noise_in_what_was_left_makes_no_recording_unreadable);
	tcase_add_test (tests, what_nobody_knows_of_stays);
	tcase_add_test (tests, a_start_completes_at_most_as_many_as_it_may);
	tcase_add_test (tests, a_process_whose_first_thread_has_ended_runs_still);
	tcase_add_test (tests, a_file_that_comes_between_look_and_replacement_is_not_lost);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {recordings};

	return ppcheck_main (suites, 1);
}
