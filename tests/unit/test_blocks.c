/* SPDX-License-Identifier: MIT */
/*
 * test_blocks.c: a region that goes into a file of blocks is what its reader finds, whatever
 * happens to the file.
 */
#include "base/chunk.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/summary.h"
#include "recording/append.h"
#include "recording/blocks.h"
#include "recording/file.h"
#include "recording/layout.h"
#include "recording/load.h"
#include "recording/read.h"
#include "recording/scan.h"
#include "recording/streams.h"
#include "recording/write.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/sample_region.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * sample_region puts chunks where a region does not: at multiples of 64. Here each update finds
 * them by PPI_APART.
 */
static _Alignas(128) char sample[SAMPLE_REGION_BYTES], region[4 * SAMPLE_REGION_BYTES];
static uint64_t used;
static char path[64];
static struct ppi_writer writer;

static struct ppi_region_header *header (void)
{
	return (void *) region;
}

/* The chunks of the sample, each at a multiple of 128. */
static void spread (void)
{
	const struct ppi_region_header *from = (void *) sample;

	memset (region, 0, sizeof region);
	memcpy (region, sample, from->header_bytes);
	used = header ()->header_bytes = (from->header_bytes + 127) & ~127u;
	for (uint64_t at = from->header_bytes; at < from->used;) {
		const struct ppi_chunk *chunk = (void *) (sample + at);
		struct ppi_chunk *copy = (void *) (region + used);

		memcpy (copy, chunk, chunk->bytes);
		copy->bytes = (chunk->bytes + 127) & ~127u;
		used += copy->bytes;
		at += chunk->bytes;
		if (copy->type == PPI_CHUNK_HISTORY)
			copy->id = (uint32_t) at;
	}
	header ()->used = used;
	header ()->state = PPI_RECORDING_LIVE;
}

static int open_file (void)
{
	int fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge (fd, 0);
	return fd;
}

static void begin (void)
{
	struct ppi_run run = {.id = {1, 2, 3}, .host = "host"};

	memset (sample, 0, sizeof sample);
	sample_region_make (sample);
	spread ();
	strcpy (path, "/tmp/pp-test-XXXXXX");
	close (mkstemp (path));
	run.header = *header ();
	ck_assert_int_eq (ppi_writer_open (&writer, open_file (), sizeof region), 0);
	ck_assert_int_eq (ppi_writer_run (&writer, &run), 0);
}

static void end (void)
{
	close (writer.fd);
	ppi_writer_close (&writer);
	unlink (path);
}

static void update (void)
{
	header ()->now_ns += 1000000000;
	ck_assert_int_eq (ppi_writer_update (&writer, region, used, header (), true), 0);
}

static struct ppi_chunk *chunk_of (enum ppi_chunk_type type, uint32_t id)
{
	for (uint64_t at = header ()->header_bytes; at < used;) {
		struct ppi_chunk *chunk = (void *) (region + at);

		if (chunk->type == type && chunk->id == id)
			return chunk;
		at += chunk->bytes;
	}
	return NULL;
}

static struct ppi_recording *open_it (void)
{
	struct ppi_recording *recording = NULL;
	char why[400] = "";
	int e = ppi_recording_open (path, &recording, why, sizeof why);

	ck_assert_msg (e == 0, "%s", why);
	return recording;
}

/*
 * Every chunk of the region is in the recording, byte by byte, and no other; entries of the history
 * only where HISTORY.
 */
static void expect_all_but (const struct ppi_recording *recording, bool history)
{
	unsigned in_region = 0, in_file = 0;

	for (uint64_t at = header ()->header_bytes; at < used;) {
		const struct ppi_chunk *chunk = (void *) (region + at);
		const struct ppi_chunk *found = NULL;

		at += chunk->bytes;
		if (chunk->type == PPI_CHUNK_FREE || (chunk->type == PPI_CHUNK_HISTORY && !history))
			continue;
		in_region++;
		while ((found = ppi_recording_next (recording, chunk->type, found)) &&
		       (found->bytes != chunk->bytes || memcmp (found, chunk, chunk->bytes) != 0))
			;
		ck_assert_msg (found, "a %s is missing", "chunk");
	}
	for (unsigned type = 2; type < PPI_CHUNK_TYPES; type++)
		for (const void *c = NULL; (type != PPI_CHUNK_HISTORY || history) &&
					   (c = ppi_recording_next (recording, type, c));)
			in_file++;
	ck_assert_uint_eq (in_file, in_region);
}

static void expect_all (const struct ppi_recording *recording)
{
	expect_all_but (recording, true);
}

START_TEST (what_the_reader_finds_is_what_is_in_the_region)
{
	struct ppi_recording *recording;

	begin ();
	update ();
	ck_assert_int_eq (ppi_writer_finish (&writer, PPI_RECORDING_FINISHED, header ()->now_ns),
			  0);
	recording = open_it ();
	expect_all (recording);
	ck_assert_uint_eq (ppi_recording_header (recording)->state, PPI_RECORDING_FINISHED);
	ck_assert_uint_eq (ppi_recording_header (recording)->now_ns, header ()->now_ns);
	ck_assert_uint_eq (ppi_recording_run (recording)->id[2], 3);
	ck_assert_ptr_null (ppi_recording_damage (recording));
	ppi_recording_close (recording);
	end ();
}
END_TEST

START_TEST (no_change_writes_no_block)
{
	uint64_t size;

	begin ();
	update ();
	size = writer.end;
	update ();
	update ();
	ck_assert_uint_eq (writer.end, size);
	end ();
}
END_TEST

START_TEST (losses_are_written_where_nothing_else_is_new)
{
	struct ppi_recording *recording;
	uint64_t size;

	begin ();
	update ();
	header ()->drops[PP_DROP_STREAM] = 4711;
	update ();
	size = writer.end;
	update ();
	ck_assert_uint_eq (writer.end, size);
	recording = open_it ();
	ck_assert_uint_eq (ppi_recording_drops (recording, PP_DROP_STREAM), 4711);
	ppi_recording_close (recording);
	end ();
}
END_TEST

static void sample_once (int64_t x)
{
	ppi_accumulate_int ((struct ppi_shard *) (void *) chunk_of (PPI_CHUNK_SHARD, 3),
			    PPI_SUMCOUNT, x, 1);
}

START_TEST (update_writes_what_has_changed_and_the_newest_counts)
{
	struct ppi_recording *recording;
	struct ppi_chunk *gone;
	uint64_t size;

	begin ();
	update ();
	size = writer.end;
	for (int i = 0; i < 50; i++) {
		sample_once (i);
		update ();
	}
	/* a block of state and one of values each */
	ck_assert_uint_le (writer.end - size, 50 * 2 * 1500);
	gone = chunk_of (PPI_CHUNK_KNOB, 1);
	gone->type = PPI_CHUNK_FREE;
	update ();
	recording = open_it ();
	expect_all (recording);
	ck_assert_uint_eq (ppi_recording_header (recording)->state, PPI_RECORDING_LIVE);
	ppi_recording_close (recording);
	end ();
}
END_TEST

START_TEST (history_stays_when_its_place_is_another_entrys)
{
	struct ppi_recording *recording;
	struct ppi_history_chunk *entry;
	unsigned n = 0;

	begin ();
	entry = NULL;
	for (uint64_t at = header ()->header_bytes; at < used && !entry;
	     at += ((struct ppi_chunk *) (region + at))->bytes)
		if (((struct ppi_chunk *) (region + at))->type == PPI_CHUNK_HISTORY)
			entry = (void *) (region + at);
	ck_assert (entry != NULL);
	for (int i = 0; i < 10; i++) {
		update ();
		entry->chunk.id = 100000 + (uint32_t) i;
	}
	update ();
	recording = open_it ();
	for (const void *c = NULL; (c = ppi_recording_next (recording, PPI_CHUNK_HISTORY, c));)
		n++;
	ck_assert_uint_eq (n, 3 + 10);
	ppi_recording_close (recording);
	end ();
}
END_TEST

START_TEST (file_that_ends_anywhere_has_every_block_that_is_whole)
{
	struct ppi_recording *recording;
	uint64_t size, last = 0;
	unsigned opened = 0;
	char why[400];

	begin ();
	update ();
	for (int i = 0; i < 5; i++) {
		sample_once (i);
		update ();
	}
	size = writer.end;
	for (uint64_t cut = size; cut > 0; cut -= cut > 37 ? 37 : cut) {
		int e;

		ck_assert_int_eq (ftruncate (writer.fd, (off_t) cut), 0);
		e = ppi_recording_open (path, &recording, why, sizeof why);
		if (e == 0) {
			uint64_t now = ppi_recording_header (recording)->now_ns;
			bool is_whole = false;

			for (uint32_t i = 0; i < writer.n_index; i++)
				is_whole |= ((struct ppi_index_entry *) (void *) writer.index.at)[i]
							    .offset +
						    ((struct ppi_index_entry *) (void *)
							     writer.index.at)[i]
							    .bytes ==
					    cut;
			/* what is missing is said, and there is never more than before */
			ck_assert_msg (is_whole || ppi_recording_damage (recording), "cut at %llu",
				       (unsigned long long) cut);
			ck_assert (!last || now <= last);
			last = now;
			opened++;
			ppi_recording_close (recording);
		} else {
			ck_assert_int_eq (e, PP_EINVAL);
			ck_assert_str_ne (why, "");
		}
	}
	ck_assert_uint_gt (opened, 50);
	end ();
}
END_TEST

START_TEST (changed_byte_is_refused_or_told)
{
	struct ppi_recording *recording;
	unsigned refused = 0, told = 0;
	char why[400];

	begin ();
	update ();
	sample_once (7);
	update ();
	ck_assert_int_eq (ppi_writer_finish (&writer, PPI_RECORDING_FINISHED, header ()->now_ns),
			  0);
	for (uint64_t at = 0; at < writer.end; at += 13) {
		char byte, other;

		ck_assert_int_eq (pread (writer.fd, &byte, 1, (off_t) at), 1);
		other = (char) (byte ^ 1 << at % 8);
		ck_assert_int_eq (pwrite (writer.fd, &other, 1, (off_t) at), 1);
		if (ppi_recording_open (path, &recording, why, sizeof why) == 0) {
			told += ppi_recording_damage (recording) != NULL;
			ppi_recording_close (recording);
		} else {
			refused++;
		}
		ck_assert_int_eq (pwrite (writer.fd, &byte, 1, (off_t) at), 1);
	}
	/* what is said nowhere: values, which a report does not read, and zeros behind contents */
	ck_assert_uint_gt (refused, 50);
	ck_assert_uint_gt (told, 5);
	ck_assert_uint_gt (refused + told, 100);
	end ();
}
END_TEST

START_TEST (other_version_is_refused_with_a_sentence)
{
	struct ppi_recording *recording;
	char why[400] = "", expected[40];

	begin ();
	update ();
	for (uint32_t version = PPI_RECORDING_VERSION - 1; version <= PPI_RECORDING_VERSION + 1;
	     version += 2) {
		ck_assert_int_eq (pwrite (writer.fd, &version, sizeof version, 8), sizeof version);
		ck_assert_int_eq (ppi_recording_open (path, &recording, why, sizeof why),
				  PP_EINVAL);
		snprintf (expected, sizeof expected, "has version %u of the format",
			  (unsigned) version);
		ck_assert_ptr_nonnull (strstr (why, expected));
	}
	end ();
}
END_TEST

static uint64_t taken (void)
{
	struct stat st;

	ck_assert_int_eq (fstat (writer.fd, &st), 0);
	return (uint64_t) st.st_blocks * 512;
}

static bool says_given_up (void)
{
	struct ppi_recording *recording = open_it ();
	struct ppi_pieces *pieces;
	char why[256];
	bool is;

	ck_assert_int_eq (ppi_pieces_open (recording, &pieces, why, sizeof why), 0);
	is = ppi_pieces_were_given_up (pieces);
	ppi_pieces_close (pieces);
	ppi_recording_close (recording);
	return is;
}

START_TEST (file_stays_within_its_size_and_keeps_the_newest)
{
	enum { MOST = 1 << 20, NOISE = 6000 };
	struct ppi_recording *recording;
	static char noise[NOISE];
	unsigned random = 1;
	struct ppi_scan scan;
	uint64_t oldest = UINT64_MAX;

	begin ();
	update ();
	for (int i = 0; i < 1000; i++) {
		struct ppi_stream_head head = {.kind = PPI_STREAM_PROFILE,
					       .chunk = (uint32_t) i + 1};

		for (size_t k = 0; k < sizeof noise; k++)
			noise[k] = (char) rand_r (&random);
		sample_once (i);
		update ();
		ck_assert_int_eq (ppi_writer_put (&writer, PPI_BLOCK_STREAM, 7, header ()->now_ns,
						  header ()->now_ns, &head, sizeof head, noise,
						  sizeof noise),
				  0);
		if (ppi_writer_bound (&writer, MOST) == PPI_BOUND_NO_HOLES)
			ppcheck_skip ("this file system can't take bytes back");
		ck_assert_uint_le (taken (), MOST + 65536);
	}
	/* in the middle of the range of what could be: the index does not grow with what is gone */
	ck_assert_uint_lt (writer.n_index, 1500);
	recording = open_it ();
	expect_all_but (recording, false);
	ck_assert_ptr_null (ppi_recording_damage (recording));
	ppi_recording_close (recording);
	ppi_scan_begin (&scan, writer.fd, writer.end);
	while (ppi_scan_next (&scan))
		if (scan.head.type == PPI_BLOCK_STREAM && scan.head.first_ns < oldest)
			oldest = scan.head.first_ns;
	ck_assert_uint_eq (scan.lost, 0);
	ppi_scan_end (&scan);
	ck_assert (says_given_up ());
	/* the newest are there, the oldest are not */
	ck_assert_uint_gt (oldest, header ()->now_ns - UINT64_C (250000000000));
	ck_assert_uint_lt (oldest, header ()->now_ns - UINT64_C (40000000000));
	end ();
}
END_TEST

START_TEST (newest_state_stays_where_it_alone_is_too_large)
{
	struct ppi_recording *recording;
	enum ppi_bound bound = PPI_BOUND_FITS;

	begin ();
	update ();
	for (int i = 0; i < 20; i++) {
		bound = ppi_writer_bound (&writer, 1);
		if (bound == PPI_BOUND_NO_HOLES)
			ppcheck_skip ("this file system can't take bytes back");
		sample_once (i);
		update ();
	}
	writer.since_bytes = 0;
	ck_assert_int_eq (ppi_writer_bound (&writer, 1), PPI_BOUND_STATE);
	recording = open_it ();
	expect_all_but (recording, false);
	ppi_recording_close (recording);
	end ();
}
END_TEST

/* How many shards the newest block of values has. */
static unsigned shards_in_newest (void)
{
	unsigned n = 0;
	struct ppi_scan scan;

	ppi_scan_begin (&scan, writer.fd, writer.end);
	while (ppi_scan_next (&scan))
		if (scan.head.type == PPI_BLOCK_VALUES)
			n = scan.head.unpacked / 256;
	ppi_scan_end (&scan);
	return n;
}

START_TEST (values_begin_with_all_shards_where_older_ones_were_dropped)
{
	unsigned first;

	begin ();
	update ();
	first = shards_in_newest ();
	sample_once (1);
	update ();
	ck_assert_uint_lt (shards_in_newest (), first);
	if (ppi_writer_bound (&writer, 1) == PPI_BOUND_NO_HOLES)
		ppcheck_skip ("this file system can't take bytes back");
	writer.whole_next = false;
	ck_assert (writer.values_whole);
	sample_once (2);
	update ();
	ck_assert_uint_eq (shards_in_newest (), first);
	sample_once (3);
	update ();
	ck_assert_uint_lt (shards_in_newest (), first);
	end ();
}
END_TEST

START_TEST (state_that_is_replaced_is_given_back)
{
	const struct ppi_stream_head later = {.kind = PPI_STREAM_PROFILE, .chunk = 9};
	struct ppi_shard *shard;

	begin ();
	/* a large chunk that changes each time */
	used = sizeof region;
	shard = (void *) chunk_of (PPI_CHUNK_SHARD, 1);
	update ();
	for (int i = 0; i < 3000; i++) {
		ppi_accumulate_int (shard, PPI_BOUNDED_SERIES, rand (), (uint64_t) i);
		sample_once (i);
		update ();
	}
	writer.whole_next = true;
	update ();
	for (uint32_t i = 0, states = 0; i < writer.n_index; i++) {
		states += ((struct ppi_index_entry *) (void *) writer.index.at)[i].type ==
			  PPI_BLOCK_STATE;
		ck_assert_uint_le (states, 1);
	}
	/* a file that was begun later has no first chunk either */
	ck_assert_int_eq (ppi_writer_put (&writer, PPI_BLOCK_STREAM, 7, header ()->now_ns,
					  header ()->now_ns, &later, sizeof later, "", 0),
			  0);
	ck_assert (!says_given_up ());
	end ();
}
END_TEST

START_TEST (mutants_that_are_sealed_again_crash_nobody)
{
	unsigned random = 7, opened = 0;
	uint64_t size;
	char *file;

	begin ();
	update ();
	sample_once (1);
	update ();
	ck_assert_int_eq (ppi_writer_finish (&writer, PPI_RECORDING_FINISHED, header ()->now_ns),
			  0);
	size = writer.end;
	file = malloc (size);
	ck_assert_int_eq (pread (writer.fd, file, size, 0), (ssize_t) size);
	for (int round = 0; round < 3000; round++) {
		const struct ppi_index_entry *index = (void *) writer.index.at;
		uint32_t block = (unsigned) rand_r (&random) % writer.n_index;
		char *mutant = malloc (index[block].bytes), *content;
		struct ppi_block *head = (void *) mutant;
		struct ppi_recording *recording;
		size_t at;
		char why[400];

		memcpy (mutant, file + index[block].offset, index[block].bytes);
		content = mutant + sizeof *head;
		at = (unsigned) rand_r (&random) % (index[block].bytes / 4) * 4;
		if (round % 3)
			mutant[at] = (char) rand_r (&random);
		else
			memset (mutant + at, round % 2 ? 0xff : 0, 4);
		if (head->stored <= index[block].bytes - sizeof *head)
			ppi_block_seal (head, content);
		ck_assert_int_eq (
			pwrite (writer.fd, mutant, index[block].bytes, (off_t) index[block].offset),
			(ssize_t) index[block].bytes);
		if (ppi_recording_open (path, &recording, why, sizeof why) == 0) {
			struct ppi_summary summary;

			for (const struct ppi_metric_chunk *m = NULL;
			     (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m));)
				ppi_recording_summary (recording, m, PPI_ALL_SITES, &summary);
			ppi_recording_close (recording);
			opened++;
		}
		ck_assert_int_eq (pwrite (writer.fd, file + index[block].offset, index[block].bytes,
					  (off_t) index[block].offset),
				  (ssize_t) index[block].bytes);
		free (mutant);
	}
	ck_assert_uint_gt (opened, 300);
	free (file);
	end ();
}
END_TEST

START_TEST (file_that_is_not_reopened_says_why)
{
	struct rlimit before, few;
	struct stat own;
	char why[400] = "";
	int fd, next;

	begin ();
	ck_assert_int_eq (fstat (writer.fd, &own), 0);
	fd = ppi_file_reopen (path, NULL, &own, why, sizeof why);
	ck_assert_int_ge (fd, 0);
	close (fd);
	/* the directory still gets a descriptor, the file none */
	next = dup (0);
	close (next);
	ck_assert_int_eq (getrlimit (RLIMIT_NOFILE, &before), 0);
	few = (struct rlimit){(rlim_t) next + 1, before.rlim_max};
	ck_assert_int_eq (setrlimit (RLIMIT_NOFILE, &few), 0);
	ck_assert_int_eq (ppi_file_reopen (path, NULL, &own, why, sizeof why), -EMFILE);
	ck_assert_int_eq (setrlimit (RLIMIT_NOFILE, &before), 0);
	ck_assert_str_eq (why, strerror (EMFILE));
	unlink (path);
	ck_assert_int_eq (ppi_file_reopen (path, NULL, &own, why, sizeof why), -ENOENT);
	ck_assert_int_eq (symlink ("/dev/null", path), 0);
	ck_assert_int_eq (ppi_file_reopen (path, NULL, &own, why, sizeof why), -ESTALE);
	unlink (path);
	close (open_file ());
	ck_assert_int_eq (ppi_file_reopen (path, NULL, &own, why, sizeof why), -ESTALE);
	ck_assert_int_eq (ppi_file_reopen ("/none/x", NULL, &own, why, sizeof why), -EIO);
	end ();
}
END_TEST

/* Appends a block of state with item PLACE, BYTES of 0xff behind a chunk's head of 64 bytes. */
static void append_item (uint64_t place, uint32_t bytes)
{
	_Alignas(64) char block[512];
	struct ppi_block *head = (void *) block;
	struct ppi_item *item = (void *) (head + 1);
	struct ppi_chunk *chunk = (void *) (item + 1);

	memset (block, 0xff, sizeof block);
	memset (head, 0, sizeof *head);
	*item = (struct ppi_item){.place = place, .bytes = bytes};
	if (bytes) {
		memset (chunk, 0, 64);
		chunk->type = PPI_CHUNK_KNOB;
		chunk->bytes = bytes;
	}
	head->type = PPI_BLOCK_STATE;
	head->stored = head->unpacked = (uint32_t) sizeof *item + bytes;
	head->bytes = ppi_block_bytes (head->unpacked);
	ppi_block_seal (head, (char *) item);
	ck_assert_int_eq (pwrite (writer.fd, block, head->bytes, (off_t) writer.end),
			  (ssize_t) head->bytes);
	writer.end += head->bytes;
}

/* A block of state with N items of the place of the chunk at C. */
static void append_again (const struct ppi_chunk *c, unsigned n)
{
	uint32_t step = (uint32_t) sizeof (struct ppi_item) + c->bytes;
	char *block = calloc (1, ppi_block_bytes (n * step));
	struct ppi_block *head = (void *) block;

	for (unsigned i = 0; i < n; i++) {
		struct ppi_item *item = (void *) (block + sizeof *head + i * step);

		*item = (struct ppi_item){.place = (uint64_t) ((const char *) c - region),
					  .bytes = c->bytes};
		memcpy (item + 1, c, c->bytes);
	}
	head->type = PPI_BLOCK_STATE;
	head->stored = head->unpacked = n * step;
	head->bytes = ppi_block_bytes (head->unpacked);
	ppi_block_seal (head, block + sizeof *head);
	ck_assert_int_eq (pwrite (writer.fd, block, head->bytes, (off_t) writer.end),
			  (ssize_t) head->bytes);
	writer.end += head->bytes;
	free (block);
}

START_TEST (what_is_said_often_takes_no_memory)
{
	struct ppi_recording *recording;
	struct ppi_newest newest;
	char why[400] = "";

	begin ();
	update ();
	for (int i = 0; i < 100; i++)
		append_again (chunk_of (PPI_CHUNK_KNOB, 1), 2000);
	ck_assert_msg (ppi_blocks_load (writer.fd, writer.end, path, &newest, why, sizeof why) == 0,
		       "%s", why);
	ck_assert_uint_eq (newest.items > 200000, true);
	ck_assert_uint_le (newest.chunk_room, 1 << 17);
	ppi_newest_free (&newest);
	recording = open_it ();
	expect_all (recording);
	ppi_recording_close (recording);
	end ();
}
END_TEST

START_TEST (chunk_that_another_lay_across_is_refused)
{
	struct ppi_recording *recording;
	uint64_t across;
	char why[400];

	begin ();
	update ();
	/* over the head of a chunk, and gone again */
	across = (uint64_t) ((char *) chunk_of (PPI_CHUNK_SHARD, 3) - region) - 64;
	append_item (across, 128);
	append_item (across, 0);
	ck_assert_int_eq (ppi_recording_open (path, &recording, why, sizeof why), PP_EINVAL);
	ck_assert_ptr_nonnull (strstr (why, "lie across each other"));
	end ();
}
END_TEST

/* What changes one bit of the content of block I of the index does to opening it. */
static int open_with_bit (uint32_t i, struct ppi_recording **recording, char *why, size_t room)
{
	const struct ppi_index_entry *index = (void *) writer.index.at;
	off_t at = (off_t) (index[i].offset + sizeof (struct ppi_block) + 6);
	char byte, other;
	int e;

	ck_assert_int_eq (pread (writer.fd, &byte, 1, at), 1);
	other = (char) (byte ^ 1);
	ck_assert_int_eq (pwrite (writer.fd, &other, 1, at), 1);
	e = ppi_recording_open (path, recording, why, room);
	ck_assert_int_eq (pwrite (writer.fd, &byte, 1, at), 1);
	return e;
}

START_TEST (damaged_state_costs_what_it_said_and_not_the_file)
{
	struct ppi_recording *recording;
	unsigned states = 0;
	char why[400] = "";

	begin ();
	for (int i = 0; i < 3; i++) {
		sample_once (i);
		update ();
	}
	for (uint32_t i = 0; i < writer.n_index; i++) {
		if (((struct ppi_index_entry *) (void *) writer.index.at)[i].type !=
		    PPI_BLOCK_STATE)
			continue;
		states++;
		ck_assert_msg (open_with_bit (i, &recording, why, sizeof why) == 0, "%s", why);
		ck_assert_ptr_nonnull (ppi_recording_damage (recording));
		ck_assert_ptr_nonnull (
			strstr (ppi_recording_damage (recording), "what they said is missing"));
		ppi_recording_close (recording);
	}
	ck_assert_uint_eq (states, 3);
	end ();
}
END_TEST

/*
 * A damaged file may have a head that claims more than the file has. What is appended does not make
 * a block of it, which would hide the state behind it.
 */
START_TEST (head_that_claims_what_is_appended_hides_nothing)
{
	static _Alignas(128) char left_region[sizeof region];
	struct ppi_recording *left, *recording;
	struct ppi_block claims = {.type = 4096};
	uint64_t at;
	char why[400] = "";
	int fd;

	begin ();
	at = writer.end;
	writer.end += sizeof claims;
	update ();
	/* 64 bytes more than there are: the head of what comes next */
	claims.unpacked = claims.stored = (uint32_t) (writer.end - at - sizeof claims + 64);
	claims.bytes = ppi_block_bytes (claims.stored);
	ck_assert_uint_le (claims.stored, sizeof left_region);
	ppi_block_seal (&claims, left_region);
	ck_assert_int_eq (pwrite (writer.fd, &claims, sizeof claims, (off_t) at), sizeof claims);
	ppi_recording_close (open_it ());

	memcpy (left_region, region, sizeof left_region);
	ck_assert_int_eq (ppi_recording_attach (left_region, used, "", &left, why, sizeof why), 0);
	fd = open (path, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq (ppi_region_append (fd, writer.end, left_region, left), 0);
	ppi_recording_close (left);
	close (fd);
	recording = open_it ();
	expect_all_but (recording, false);
	ppi_recording_close (recording);
	end ();
}
END_TEST

START_TEST (what_is_packed_is_not_larger_than_what_it_unpacks_to)
{
	static const char content[128];
	struct ppi_block head = {.type = PPI_BLOCK_SITES,
				 .coding = PPI_BLOCK_ZSTD,
				 .bytes = ppi_block_bytes (sizeof content),
				 .stored = sizeof content,
				 .unpacked = sizeof content};

	ppi_block_seal (&head, content);
	ck_assert (ppi_block_is_whole (&head, 4096));
	head.unpacked--;
	ppi_block_seal (&head, content);
	ck_assert (!ppi_block_is_whole (&head, 4096));
}
END_TEST

/* How much the file grows by a block of SAME that is put. */
static uint64_t grown_by (const void *same, size_t bytes)
{
	const struct ppi_stream_head head = {.kind = PPI_STREAM_PROFILE, .chunk = 1};
	uint64_t end = writer.end;

	ck_assert_int_eq (ppi_writer_put (&writer, PPI_BLOCK_STREAM, 7, 0, 0, &head, sizeof head,
					  same, bytes),
			  0);
	return writer.end - end;
}

START_TEST (what_is_hurried_is_written_as_it_is)
{
	static const char same[65536];
	struct ppi_recording *recording;
	uint64_t packed;

	begin ();
	update ();
	packed = grown_by (same, sizeof same);
	writer.hurries = true;
	ck_assert_uint_ge (grown_by (same, sizeof same), sizeof same);
	writer.hurries = false;
	ck_assert_uint_eq (grown_by (same, sizeof same), packed);
	recording = open_it ();
	ck_assert_ptr_null (ppi_recording_damage (recording));
	ppi_recording_close (recording);
}
END_TEST

START_TEST (a_small_file_does_not_ask_for_much_history)
{
	enum { ENTRY = 60 << 20 };
	struct ppi_item item = {.place = PPI_CHUNK_ALIGN, .bytes = ENTRY};
	struct ppi_history_chunk *entry = calloc (1, ENTRY);
	struct ppi_recording *recording;

	begin ();
	update ();
	ck_assert_ptr_nonnull (entry);
	entry->chunk.bytes = ENTRY;
	entry->chunk.type = PPI_CHUNK_HISTORY;
	entry->kind = 2;
	for (uint32_t i = 0; i < 5; i++) {
		entry->chunk.id = 1000000 + i;
		ck_assert_int_eq (ppi_writer_put (&writer, PPI_BLOCK_HISTORY, 0, 0, 0, &item,
						  sizeof item, entry, ENTRY),
				  0);
	}
	if (writer.end > ENTRY)
		ppcheck_skip ("nothing is packed without zstd");
	recording = open_it ();
	ck_assert_ptr_nonnull (ppi_recording_damage (recording));
	ck_assert_ptr_nonnull (strstr (ppi_recording_damage (recording), "more than 256 MiB"));
	ppi_recording_close (recording);
	free (entry);
	end ();
}
END_TEST

START_TEST (checksum_is_crc32c)
{
	ck_assert_uint_eq (ppi_crc32c (0, "123456789", 9), 0xe3069283);
	ck_assert_uint_eq (ppi_crc32c (ppi_crc32c (0, "12345", 5), "6789", 4), 0xe3069283);
	/* bit by bit, of any number of bytes at any place */
	for (size_t i = 0; i < sizeof sample; i++)
		sample[i] = (char) (i * 2654435761u >> 13);
	for (size_t from = 0; from < 9; from++)
		for (size_t bytes = 0; bytes < 40; bytes++) {
			uint32_t sum = ~0u;

			for (size_t i = from; i < from + bytes; i++) {
				sum ^= (unsigned char) sample[i];
				for (int bit = 0; bit < 8; bit++)
					sum = sum >> 1 ^ (sum & 1 ? 0x82f63b78u : 0);
			}
			ck_assert_uint_eq (ppi_crc32c (0, sample + from, bytes), ~sum);
			ck_assert_uint_eq (ppi_crc32c_by_tables (0, sample + from, bytes), ~sum);
		}
}
END_TEST

static Suite *blocks (void)
{
	Suite *suite = suite_create ("blocks");
	TCase *tests = tcase_create ("blocks");

	tcase_add_test (tests, what_the_reader_finds_is_what_is_in_the_region);
	tcase_add_test (tests, no_change_writes_no_block);
	tcase_add_test (tests, losses_are_written_where_nothing_else_is_new);
	tcase_add_test (tests, update_writes_what_has_changed_and_the_newest_counts);
	tcase_add_test (tests, history_stays_when_its_place_is_another_entrys);
	tcase_add_test (tests, file_that_ends_anywhere_has_every_block_that_is_whole);
	tcase_add_test (tests, changed_byte_is_refused_or_told);
	tcase_add_test (tests, other_version_is_refused_with_a_sentence);
	tcase_add_test (tests, file_stays_within_its_size_and_keeps_the_newest);
	tcase_add_test (tests, newest_state_stays_where_it_alone_is_too_large);
	tcase_add_test (tests, values_begin_with_all_shards_where_older_ones_were_dropped);
	tcase_add_test (tests, state_that_is_replaced_is_given_back);
	tcase_add_test (tests, mutants_that_are_sealed_again_crash_nobody);
	tcase_add_test (tests, file_that_is_not_reopened_says_why);
	tcase_add_test (tests, what_is_said_often_takes_no_memory);
	tcase_add_test (tests, chunk_that_another_lay_across_is_refused);
	tcase_add_test (tests, damaged_state_costs_what_it_said_and_not_the_file);
	tcase_add_test (tests, head_that_claims_what_is_appended_hides_nothing);
	tcase_add_test (tests, what_is_packed_is_not_larger_than_what_it_unpacks_to);
	tcase_add_test (tests, what_is_hurried_is_written_as_it_is);
	tcase_add_test (tests, a_small_file_does_not_ask_for_much_history);
	tcase_add_test (tests, checksum_is_crc32c);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {blocks};

	return ppcheck_main (suites, 1);
}
