/* SPDX-License-Identifier: MIT */
/*
 * test_stream.c: streams of entries in the live region: order, what is dropped, and what a killed
 * process leaves.
 */
#include "base/chunk.h"
#include "base/lock.h"
#include "base/start.h"
#include "base/wake.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/stream.h"
#include "recording/layout.h"
#include "recording/read.h"
#include "tests/unit/ppcheck.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Modules register before main: nothing of theirs is looked at here. */
void ppi_runtime_start (void)
{
}

enum { WRITERS = 4, ENTRIES = 200000, WORDS = 2, PER_CHUNK = PPI_STREAM_ROOM / (WORDS * 8) };

static void prepare (unsigned chunks)
{
	ppi_lock ();
	ck_assert_int_eq (ppi_region_init (), PP_OK);
	ppi_unlock ();
	ck_assert_int_eq (ppi_streams_prepare (chunks), PP_OK);
}

/* An entry of two words: who wrote it, and its number from 1, which is its time too. */
static bool put (struct ppi_stream *stream, uint64_t n)
{
	uint64_t *entry = ppi_stream_begin (stream, WORDS * 8);

	if (!entry)
		return false;
	entry[0] = stream->thread;
	entry[1] = n;
	ppi_stream_end (stream, WORDS * 8, n);
	return true;
}

static uint64_t dropped (void)
{
	return __atomic_load_n (&ppi_drops_nowhere[PP_DROP_STREAM], __ATOMIC_RELAXED);
}

/* What was taken: how many entries of each writer, and the newest. */
struct seen {
	uint64_t n[WRITERS + 1], newest[WRITERS + 1];
	unsigned parts, refuse;
	bool in_order, in_time;
};

static bool see (const struct ppi_stream_part *part, void *arg)
{
	const uint64_t *at = part->data;
	struct seen *seen = arg;

	if (seen->refuse)
		return false;
	seen->parts++;
	for (uint32_t i = 0; i < part->bytes / 8; i += WORDS) {
		uint64_t who = at[i], n = at[i + 1];

		seen->in_order &= who == part->thread && who <= WRITERS &&
				  n > seen->newest[who % (WRITERS + 1)];
		seen->in_time &= part->first_ticks <= n && n <= part->last_ticks;
		seen->newest[who % (WRITERS + 1)] = n;
		seen->n[who % (WRITERS + 1)]++;
	}
	return true;
}

static bool has_no_mail (void)
{
	return false;
}

#define NOTHING_SEEN                                                                               \
	{                                                                                          \
		.in_order = true, .in_time = true                                                  \
	}

START_TEST (entries_come_out_once_and_in_their_order)
{
	struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE, .thread = 1};
	struct seen seen = NOTHING_SEEN;

	prepare (4);
	for (uint64_t n = 1; n <= 3 * PER_CHUNK + 5; n++)
		ck_assert (put (&stream, n));
	ck_assert_uint_eq (ppi_streams_full (), 3);
	ck_assert_uint_eq (ppi_streams_take (false, see, &seen), 3 * PER_CHUNK * WORDS * 8);
	ck_assert_uint_eq (seen.n[1], 3 * PER_CHUNK);
	ck_assert_uint_eq (ppi_streams_full (), 0);
	ck_assert_uint_eq (ppi_streams_take (true, see, &seen), 5 * WORDS * 8);
	ck_assert_uint_eq (ppi_streams_take (true, see, &seen), 0);
	ck_assert (put (&stream, 3 * PER_CHUNK + 6));
	ppi_stream_finish (&stream);
	ck_assert_uint_eq (ppi_streams_take (false, see, &seen), WORDS * 8);
	ck_assert_uint_eq (seen.n[1], 3 * PER_CHUNK + 6);
	ck_assert (seen.in_order);
	ck_assert (seen.in_time);
}
END_TEST

START_TEST (the_first_full_chunk_wakes_the_librarys_thread)
{
	struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE, .thread = 1};
	struct seen seen = NOTHING_SEEN;

	prepare (3);
	ppi_asleep_set (true);
	for (uint64_t n = 1; n <= PER_CHUNK; n++)
		ck_assert (put (&stream, n));
	ck_assert (ppi_is_asleep ());
	ck_assert (put (&stream, PER_CHUNK + 1));
	ck_assert (!ppi_is_asleep ());
	ck_assert (ppi_wake_wait (0, has_no_mail));
	ppi_stream_finish (&stream);
	ppi_streams_take (true, see, &seen);
}
END_TEST

START_TEST (full_pool_drops_and_counts_and_goes_on_when_there_is_room)
{
	struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE, .thread = 1};
	struct seen seen = NOTHING_SEEN;

	prepare (2);
	for (uint64_t n = 1; n <= 2 * PER_CHUNK; n++)
		ck_assert (put (&stream, n));
	ck_assert (!put (&stream, 2 * PER_CHUNK + 1));
	ck_assert (!put (&stream, 2 * PER_CHUNK + 2));
	ck_assert_uint_eq (dropped (), 2);
	ppi_streams_take (true, see, &seen);
	ck_assert (put (&stream, 2 * PER_CHUNK + 3));
	ppi_streams_take (true, see, &seen);
	ck_assert_uint_eq (seen.n[1], 2 * PER_CHUNK + 1);
	ck_assert (seen.in_order);
}
END_TEST

START_TEST (who_writes_hurries_from_half_of_the_pool_to_a_quarter)
{
	struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE, .thread = 1};
	struct seen seen = NOTHING_SEEN;

	prepare (8);
	for (uint64_t n = 1; n <= 3 * PER_CHUNK + 1; n++)
		ck_assert (put (&stream, n));
	ck_assert (!ppi_streams_hurry (false));
	ck_assert (ppi_streams_hurry (true));
	for (uint64_t n = 3 * PER_CHUNK + 2; n <= 4 * PER_CHUNK + 1; n++)
		ck_assert (put (&stream, n));
	ck_assert_uint_eq (ppi_streams_full (), 4);
	ck_assert (ppi_streams_hurry (false));
	ppi_streams_take (false, see, &seen);
	ck_assert (!ppi_streams_hurry (true));
}
END_TEST

START_TEST (entry_without_a_pool_or_larger_than_a_chunk_is_dropped)
{
	struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE, .thread = 1};

	ck_assert (!put (&stream, 1));
	prepare (1);
	ck_assert (!ppi_stream_begin (&stream, PPI_STREAM_ROOM + 1));
	ck_assert_uint_eq (dropped (), 2);
	ck_assert (ppi_stream_begin (&stream, PPI_STREAM_ROOM) != NULL);
}
END_TEST

START_TEST (handler_amid_an_entry_is_dropped_and_spoils_nothing)
{
	struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE, .thread = 1};
	struct seen seen = NOTHING_SEEN;
	uint64_t *entry;

	prepare (1);
	entry = ppi_stream_begin (&stream, 1000);
	ck_assert_ptr_nonnull (entry);
	ck_assert (!put (&stream, 5));
	ppi_stream_finish (&stream);
	entry[0] = 1;
	entry[1] = 7;
	ck_assert_uint_eq (ppi_streams_take (true, see, &seen), 0);
	/* less than there was room for */
	ppi_stream_end (&stream, WORDS * 8, 7);
	ck_assert (put (&stream, 8));
	ck_assert_uint_eq (ppi_streams_take (true, see, &seen), 2 * WORDS * 8);
	ck_assert_uint_eq (seen.newest[1], 8);
	ck_assert_uint_eq (dropped (), 1);
}
END_TEST

START_TEST (what_nobody_wanted_to_take_comes_again)
{
	struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE, .thread = 1};
	struct seen seen = NOTHING_SEEN;

	prepare (2);
	for (uint64_t n = 1; n <= PER_CHUNK + 1; n++)
		put (&stream, n);
	seen.refuse = 1;
	ck_assert_uint_eq (ppi_streams_take (true, see, &seen), 0);
	seen.refuse = 0;
	ppi_streams_take (true, see, &seen);
	ck_assert_uint_eq (seen.n[1], PER_CHUNK + 1);
}
END_TEST

static uint64_t refused[WRITERS + 1];
static uint32_t ended;

static void *write_all (void *arg)
{
	struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE,
				    .thread = (uint32_t) (uintptr_t) arg};

	for (uint64_t n = 1; n <= ENTRIES; n++)
		refused[stream.thread] += !put (&stream, n);
	ppi_stream_finish (&stream);
	__atomic_fetch_add (&ended, 1, __ATOMIC_RELEASE);
	return NULL;
}

START_TEST (threads_lose_nothing_but_what_is_counted)
{
	pthread_t threads[WRITERS];
	struct seen seen = NOTHING_SEEN;
	uint64_t all = 0;

	prepare (2 * WRITERS);
	for (uintptr_t i = 0; i < WRITERS; i++)
		ck_assert_int_eq (pthread_create (&threads[i], NULL, write_all, (void *) (i + 1)),
				  0);
	while (__atomic_load_n (&ended, __ATOMIC_ACQUIRE) < WRITERS)
		ppi_streams_take (true, see, &seen);
	ppi_streams_take (true, see, &seen);
	for (int i = 0; i < WRITERS; i++)
		pthread_join (threads[i], NULL);
	for (int i = 1; i <= WRITERS; i++) {
		ck_assert_uint_eq (seen.n[i] + refused[i], ENTRIES);
		all += refused[i];
	}
	ck_assert_uint_eq (dropped (), all);
	ck_assert (seen.in_order);
}
END_TEST

/* The entries that a reader of the region at BASE finds, which nobody took. */
static uint64_t entries_left (const void *base, size_t bytes)
{
	struct ppi_recording *recording;
	const struct ppi_stream_chunk *chunk = NULL;
	char why[256] = "";
	uint64_t n = 0, newest = 0;

	ck_assert_msg (ppi_recording_attach (base, bytes, "region", &recording, why, sizeof why) ==
			       0,
		       "%s", why);
	while ((chunk = ppi_recording_next (recording, PPI_CHUNK_STREAM, chunk)))
		for (uint32_t i = chunk->taken / 8; i < chunk->used / 8; i += WORDS) {
			ck_assert_uint_eq (chunk->data[i], chunk->thread);
			ck_assert_uint_gt (chunk->data[i + 1], newest);
			newest = chunk->data[i + 1];
			n++;
		}
	ppi_recording_close (recording);
	return n;
}

/* For map_of: which descriptor the region has. */
static void say_region (int said)
{
	int fd = ppi_region_fd ();

	if (write (said, &fd, sizeof fd) != (ssize_t) sizeof fd)
		_exit (1);
}

/* Maps the region of CHILD, whose descriptor SAID tells. */
static const void *map_of (pid_t child, int said, size_t *bytes)
{
	char path[64];
	void *base;
	int fd = -1;

	ck_assert_int_eq (read (said, &fd, sizeof fd), sizeof fd);
	if (fd < 0)
		ppcheck_skip ("no file behind the region");
	snprintf (path, sizeof path, "/proc/%d/fd/%d", (int) child, fd);
	fd = open (path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge (fd, 0);
	*bytes = (size_t) lseek (fd, 0, SEEK_END);
	base = mmap (NULL, *bytes, PROT_READ, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne (base, MAP_FAILED);
	close (fd);
	return base;
}

START_TEST (killed_process_leaves_what_it_had_written)
{
	const void *base;
	size_t bytes;
	pid_t child;
	int said[2];

	ck_assert_int_eq (pipe (said), 0);
	child = fork ();
	if (child == 0) {
		struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE, .thread = 1};
		struct seen seen = NOTHING_SEEN;

		prepare (3);
		for (uint64_t n = 1; n <= 2 * PER_CHUNK + 9; n++) {
			put (&stream, n);
			if (n == 100)
				ppi_streams_take (true, see, &seen);
		}
		ppi_stream_begin (&stream, 64); /* amid this one */
		say_region (said[1]);
		pause ();
		_exit (1);
	}
	base = map_of (child, said[0], &bytes);
	kill (child, SIGKILL);
	waitpid (child, NULL, 0);
	ck_assert_uint_eq (entries_left (base, bytes), 2 * PER_CHUNK + 9 - 100);
}
END_TEST

/* A region with a chunk that is not whole would be refused, with all that is in it. */
START_TEST (killed_at_any_instruction_it_leaves_what_can_be_read)
{
	uint64_t before = 0, n;
	unsigned steps = 0;
	const void *base;
	size_t bytes;
	pid_t child;
	int said[2], status;

	ck_assert_int_eq (pipe (said), 0);
	child = fork ();
	if (child == 0) {
		struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE, .thread = 1};

		prepare (3);
		say_region (said[1]);
		if (ptrace (PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit (77);
		raise (SIGSTOP);
		put (&stream, 1);
		put (&stream, 2);
		raise (SIGSTOP);
		_exit (0);
	}
	base = map_of (child, said[0], &bytes);
	waitpid (child, &status, 0);
	if (WIFEXITED (status) && WEXITSTATUS (status) == 77)
		ppcheck_skip ("no process may be traced here");
	ck_assert (WIFSTOPPED (status) && WSTOPSIG (status) == SIGSTOP);
	while (ptrace (PTRACE_SINGLESTEP, child, NULL, NULL) == 0 &&
	       waitpid (child, &status, 0) == child && WIFSTOPPED (status) &&
	       WSTOPSIG (status) == SIGTRAP) {
		n = entries_left (base, bytes);
		ck_assert (n == before || n == before + 1);
		before = n;
		steps++;
	}
	kill (child, SIGKILL);
	waitpid (child, NULL, 0);
	ck_assert_uint_eq (before, 2);
	ck_assert_uint_gt (steps, 20);
}
END_TEST

START_TEST (child_of_fork_writes_to_a_pool_of_its_own)
{
	struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE, .thread = 1};
	struct seen seen = NOTHING_SEEN;
	int status = 0;

	prepare (2);
	put (&stream, 1);
	if (fork () == 0) {
		ppi_region_after_fork ();
		/* it has none yet */
		status = put (&stream, 2) ? 1 : 0;
		prepare (1);
		status |= put (&stream, 3) ? 0 : 2;
		_exit (status |
		       (ppi_streams_take (true, see, &seen) == WORDS * 8 && seen.newest[1] == 3
				? 0
				: 4));
	}
	wait (&status);
	ck_assert_int_eq (status, 0);
	ppi_streams_take (true, see, &seen);
	ck_assert_uint_eq (seen.newest[1], 1);
	ck_assert_uint_eq (seen.n[1], 1);
}
END_TEST

static Suite *stream (void)
{
	Suite *suite = suite_create ("stream");
	TCase *tests = tcase_create ("stream");

	tcase_add_test (tests, entries_come_out_once_and_in_their_order);
	tcase_add_test (tests, the_first_full_chunk_wakes_the_librarys_thread);
	tcase_add_test (tests, full_pool_drops_and_counts_and_goes_on_when_there_is_room);
	tcase_add_test (tests, who_writes_hurries_from_half_of_the_pool_to_a_quarter);
	tcase_add_test (tests, entry_without_a_pool_or_larger_than_a_chunk_is_dropped);
	tcase_add_test (tests, handler_amid_an_entry_is_dropped_and_spoils_nothing);
	tcase_add_test (tests, what_nobody_wanted_to_take_comes_again);
	tcase_add_test (tests, threads_lose_nothing_but_what_is_counted);
	tcase_add_test (tests, killed_process_leaves_what_it_had_written);
	tcase_add_test (tests, killed_at_any_instruction_it_leaves_what_can_be_read);
	tcase_add_test (tests, child_of_fork_writes_to_a_pool_of_its_own);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {stream};

	return ppcheck_main (suites, 1);
}
