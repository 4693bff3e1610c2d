/* SPDX-License-Identifier: MIT */
/*
 * test_flight.c: rings of the flight recorder: what is read of them, whole, torn, while they are
 * written, and whatever somebody wrote there; executions out of their entries; dumps.
 */
#include "base/lock.h"
#include "base/start.h"
#include "libmetrics/life/flight.h"
#include "libmetrics/region/region.h"
#include "libmetrics/thread/flight.h"
#include "profiler/analysis/flight.h"
#include "recording/flight.h"
#include "recording/read.h"
#include "tests/unit/ppcheck.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Modules register before main: nothing of theirs is looked at here. */
void ppi_runtime_start (void)
{
}

enum { ENTRIES = 16, STEP = sizeof (struct ppi_flight_entry) };

static union {
	struct ppi_flight_chunk chunk;
	char bytes[sizeof (struct ppi_flight_chunk) + ENTRIES * STEP];
} ring;

static struct ppi_thread thread;

/* An empty ring, and a thread that writes to it. */
static void begin (void)
{
	memset (&ring, 0, sizeof ring);
	memset (&thread, 0, sizeof thread);
	ring.chunk.entries = ENTRIES;
	thread.flight = ring.chunk.entry;
	thread.flight_mask = (ENTRIES - 1) * STEP;
}

static void put (enum ppi_flight_kind kind, uint32_t number, uint64_t word)
{
	ppi_flight_put (&thread, PPI_FLIGHT_WHAT (kind, 0, number), word);
}

static void late (uint32_t key, uint64_t word)
{
	ppi_flight_put (&thread, PPI_FLIGHT_WHAT (PPI_FLIGHT_LATE, PP_ABI_VALUE_INT, key), word);
}

static void put_points (unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put (PPI_FLIGHT_POINT, 1, i);
}

/* The words from FIRST to LAST, in their order, and so many are torn. */
static void is_read (uint64_t first, uint64_t last, unsigned torn)
{
	struct ppi_flight *entry;
	unsigned missing;
	long n = ppi_flight_read (&ring.chunk, &entry, &missing);

	ck_assert_int_eq (n, (long) (last - first + 1));
	ck_assert_uint_eq (missing, torn);
	for (long i = 0; i < n; i++)
		ck_assert_uint_eq (entry[i].word, first + (uint64_t) i);
	free (entry);
}

/* ---- reading --------------------------------------------------------------------------------- */

START_TEST (an_empty_ring_has_nothing)
{
	struct ppi_flight *entry;
	unsigned torn;

	begin ();
	ck_assert_int_eq (ppi_flight_read (&ring.chunk, &entry, &torn), 0);
	ck_assert_ptr_null (entry);
	ck_assert_uint_eq (torn, 0);
}
END_TEST

START_TEST (the_last_entries_are_read_the_oldest_first)
{
	for (unsigned n = 1; n < 5 * ENTRIES; n++) {
		begin ();
		put_points (n);
		is_read (n > ENTRIES ? n - ENTRIES : 0, n - 1, 0);
	}
}
END_TEST

START_TEST (an_entry_that_is_being_written_is_torn_and_counted)
{
	begin ();
	put_points (3 * ENTRIES);
	/* as its writer leaves it before the word, and behind it */
	ring.chunk.entry[0].what = 0;
	is_read (2 * ENTRIES + 1, 3 * ENTRIES - 1, 1);
	ring.chunk.entry[0].word = 77;
	is_read (2 * ENTRIES + 1, 3 * ENTRIES - 1, 1);
}
END_TEST

START_TEST (what_another_thread_left_is_none_of_its_own)
{
	begin ();
	put_points (ENTRIES / 2);
	ring.chunk.first = (uint32_t) (thread.flight_next >> 32);
	put (PPI_FLIGHT_POINT, 1, ENTRIES / 2);
	is_read (ENTRIES / 2, ENTRIES / 2, 0);
}
END_TEST

START_TEST (numbers_come_round)
{
	begin ();
	thread.flight_next = (uint64_t) (0u - 4 * STEP) << 32;
	ring.chunk.first = 0u - 4 * STEP;
	put_points (10);
	is_read (0, 9, 0);
	put_points (2 * ENTRIES);
	ring.chunk.first = (uint32_t) (thread.flight_next >> 32) - ENTRIES * STEP;
	is_read (ENTRIES, 2 * ENTRIES - 1, 0);
}
END_TEST

START_TEST (what_does_not_fit_into_a_chunk_is_not_whole)
{
	uint32_t bytes = sizeof ring;

	begin ();
	ck_assert (ppi_flight_is_whole (&ring.chunk, bytes));
	ck_assert (!ppi_flight_is_whole (&ring.chunk, bytes - 1));
	for (uint32_t n = 0; n < 300; n++) {
		ring.chunk.entries = n ? n * 0x01010101u : 0;
		ck_assert (!ppi_flight_is_whole (&ring.chunk, bytes));
	}
	ring.chunk.entries = 12;
	ck_assert (!ppi_flight_is_whole (&ring.chunk, bytes));
	ring.chunk.entries = ENTRIES;
	memset (ring.chunk.why, 'x', sizeof ring.chunk.why);
	ck_assert (!ppi_flight_is_whole (&ring.chunk, bytes));
}
END_TEST

/* Under sanitizers: nothing is read or written beside it, and all ends. */
START_TEST (whatever_is_in_a_ring_it_is_read)
{
	struct ppi_flown_list list;
	unsigned seed = 1;

	for (int round = 0; round < 20000; round++) {
		begin ();
		for (unsigned i = 0; i < ENTRIES; i++) {
			uint32_t number =
				(uint32_t) rand_r (&seed) % (round % 2 ? 3 * ENTRIES : ~0u);

			if (round % 3 == 0)
				number = i + ENTRIES * ((uint32_t) rand_r (&seed) % 2);
			ring.chunk.entry[i].what =
				(uint64_t) number * STEP << 32 | (uint64_t) rand_r (&seed) << 1;
			ring.chunk.entry[i].word = (uint64_t) rand_r (&seed) << 33;
		}
		ring.chunk.first = (uint32_t) rand_r (&seed);
		ring.chunk.flags = (uint32_t) rand_r (&seed);
		ck_assert (ppi_flown_read (&ring.chunk, &list));
		ck_assert_uint_le (list.n + list.torn, ENTRIES);
		for (uint32_t i = 0; i < list.n; i++) {
			ck_assert (list.item[i].parent == PPI_FLOWN_NONE ||
				   list.item[i].parent < i);
			ck_assert (list.item[i].value == PPI_FLOWN_NONE ||
				   list.item[i].value < list.n_values);
		}
		ppi_flown_free (&list);
	}
}
END_TEST

/* ---- while it is written --------------------------------------------------------------------- */

static bool stop; /* atomic */

/* Each word is what its number says. */
static void *write_on (void *arg)
{
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED))
		put (PPI_FLIGHT_POINT, 1,
		     (thread.flight_next >> 32) * UINT64_C (0x9e3779b97f4a7c15));
	return arg;
}

START_TEST (no_entry_of_a_copy_is_half_of_another)
{
	static char room[sizeof ring] __attribute__ ((aligned (64)));
	struct ppi_flight_chunk *copy = (void *) room;
	unsigned long seen = 0;
	pthread_t writer;

	begin ();
	__atomic_store_n (&stop, false, __ATOMIC_RELAXED);
	ck_assert_int_eq (pthread_create (&writer, NULL, write_on, NULL), 0);
	for (int round = 0; round < 20000 || seen < 1000; round++) {
		ppi_flight_copy (copy, &ring.chunk, sizeof ring);
		for (unsigned i = 0; i < ENTRIES; i++) {
			uint64_t number = copy->entry[i].what >> 32;

			if (!copy->entry[i].what)
				continue;
			ck_assert_uint_eq (copy->entry[i].word,
					   number * UINT64_C (0x9e3779b97f4a7c15));
			seen++;
		}
	}
	__atomic_store_n (&stop, true, __ATOMIC_RELAXED);
	pthread_join (writer, NULL);
}
END_TEST

/* ---- executions ------------------------------------------------------------------------------ */

enum { A = 1, B, C };

static struct ppi_flown_list list;

static void read_list (void)
{
	ppi_flown_free (&list);
	ck_assert (ppi_flown_read (&ring.chunk, &list));
}

static void is_item (uint32_t i, enum ppi_flown_kind kind, uint32_t site, uint32_t depth,
		     uint64_t ticks)
{
	ck_assert_uint_lt (i, list.n);
	ck_assert_int_eq (list.item[i].kind, kind);
	ck_assert_uint_eq (list.item[i].site, site);
	ck_assert_uint_eq (list.item[i].depth, depth);
	ck_assert_uint_eq (list.item[i].ticks, ticks);
}

START_TEST (begins_and_ends_are_executions_in_each_other)
{
	begin ();
	put (PPI_FLIGHT_END, C, 5);
	put (PPI_FLIGHT_BEGIN, A, 10);
	put (PPI_FLIGHT_BEGIN, B, 20);
	put (PPI_FLIGHT_POINT, C, 25);
	put (PPI_FLIGHT_END, B, 30);
	put (PPI_FLIGHT_BEGIN, B, 40);
	read_list ();
	ck_assert_uint_eq (list.n, 5);
	is_item (0, PPI_FLOWN_END, C, 0, 0);
	is_item (1, PPI_FLOWN_OPEN, A, 0, 0);
	is_item (2, PPI_FLOWN_DONE, B, 1, 10);
	is_item (3, PPI_FLOWN_POINT, C, 2, 0);
	is_item (4, PPI_FLOWN_OPEN, B, 1, 0);
	ck_assert_uint_eq (list.newest, 40);
}
END_TEST

START_TEST (what_was_left_has_no_time)
{
	begin ();
	put (PPI_FLIGHT_BEGIN, A, 10);
	put (PPI_FLIGHT_BEGIN, B, 20);
	put (PPI_FLIGHT_BEGIN, C, 25);
	put (PPI_FLIGHT_END, A, 30);
	read_list ();
	is_item (0, PPI_FLOWN_DONE, A, 0, 20);
	is_item (1, PPI_FLOWN_LEFT, B, 1, 0);
	is_item (2, PPI_FLOWN_LEFT, C, 2, 0);
}
END_TEST

START_TEST (what_is_known_to_be_left_is_around_nothing_that_follows)
{
	begin ();
	put (PPI_FLIGHT_BEGIN, A, 10);
	put (PPI_FLIGHT_BEGIN, B, 20);
	ppi_flight_put (&thread, PPI_FLIGHT_WHAT (PPI_FLIGHT_END, 1, B), 25);
	put (PPI_FLIGHT_BEGIN, B, 30);
	put (PPI_FLIGHT_END, B, 35);
	ppi_flight_put (&thread, PPI_FLIGHT_WHAT (PPI_FLIGHT_END, 1, C), 40);
	read_list ();
	ck_assert_uint_eq (list.n, 3);
	is_item (0, PPI_FLOWN_OPEN, A, 0, 0);
	is_item (1, PPI_FLOWN_LEFT, B, 1, 0);
	is_item (2, PPI_FLOWN_DONE, B, 1, 5);
}
END_TEST

START_TEST (on_several_stacks_nobody_is_told_anothers_time)
{
	begin ();
	ring.chunk.flags = PPI_FLIGHT_STACKS;
	put (PPI_FLIGHT_BEGIN, A, 10);
	put (PPI_FLIGHT_BEGIN, B, 15);
	put (PPI_FLIGHT_BEGIN, A, 20);
	put (PPI_FLIGHT_END, A, 30);
	put (PPI_FLIGHT_END, B, 35);
	put (PPI_FLIGHT_END, A, 40);
	read_list ();
	ck_assert_int_eq (list.item[0].kind, PPI_FLOWN_VAGUE);
	is_item (1, PPI_FLOWN_DONE, B, 1, 20);
	ck_assert_int_eq (list.item[2].kind, PPI_FLOWN_VAGUE);
}
END_TEST

static void is_values (uint32_t item, unsigned n, uint64_t first)
{
	uint32_t v = list.item[item].value;

	for (; n; n--, first++, v = list.value[v].next) {
		ck_assert_uint_lt (v, list.n_values);
		ck_assert_uint_eq (list.value[v].word, first);
	}
	ck_assert_uint_eq (v, PPI_FLOWN_NONE);
}

START_TEST (values_are_of_the_entry_before_them_and_late_ones_of_what_is_open)
{
	begin ();
	put (PPI_FLIGHT_VALUE, 1, 99);
	put (PPI_FLIGHT_BEGIN, A, 10);
	put (PPI_FLIGHT_VALUE, 1, 1);
	put (PPI_FLIGHT_POINT, B, 20);
	put (PPI_FLIGHT_VALUE, 1, 5);
	put (PPI_FLIGHT_VALUE, 2, 6);
	late (3, 2);
	put (PPI_FLIGHT_END, A, 30);
	put (PPI_FLIGHT_VALUE, 4, 3);
	late (5, 7);
	put (PPI_FLIGHT_SPAN, C, 12);
	put (PPI_FLIGHT_SPAN_END, C, 18);
	read_list ();
	ck_assert_uint_eq (list.n, 5);
	ck_assert_int_eq (list.item[0].kind, PPI_FLOWN_DIM);
	is_values (0, 1, 99);
	is_item (1, PPI_FLOWN_DONE, A, 0, 20);
	is_values (1, 3, 1);
	is_item (2, PPI_FLOWN_POINT, B, 1, 0);
	is_values (2, 2, 5);
	ck_assert_int_eq (list.item[3].kind, PPI_FLOWN_DIM);
	is_values (3, 1, 7);
	is_item (4, PPI_FLOWN_SPAN, C, 0, 6);
	ppi_flown_free (&list);
}
END_TEST

START_TEST (a_later_value_replaces_an_earlier_one_of_the_same_key)
{
	begin ();
	put (PPI_FLIGHT_BEGIN, A, 10);
	late (1, 5);
	late (2, 6);
	late (1, 7);
	put (PPI_FLIGHT_END, A, 30);
	ppi_flight_put (&thread, PPI_FLIGHT_WHAT (PPI_FLIGHT_VALUE, PP_ABI_VALUE_UNSIGNED, 2), 8);
	read_list ();
	ck_assert_uint_eq (list.n, 1);
	is_values (0, 2, 7);
	ck_assert_uint_eq (list.value[list.item[0].values].word, 8);
	ck_assert_uint_eq (list.value[list.item[0].values].type, PP_ABI_VALUE_UNSIGNED);
	ppi_flown_free (&list);
}
END_TEST

START_TEST (a_late_value_that_names_a_site_is_of_the_newest_of_it_that_is_open)
{
	begin ();
	put (PPI_FLIGHT_BEGIN, A, 10);
	put (PPI_FLIGHT_BEGIN, A, 11);
	put (PPI_FLIGHT_BEGIN, B, 20);
	put (PPI_FLIGHT_LATE, A, 0);
	late (1, 5);
	/* of the innermost again */
	late (1, 6);
	put (PPI_FLIGHT_END, B, 30);
	put (PPI_FLIGHT_END, A, 31);
	put (PPI_FLIGHT_LATE, A, 0);
	late (1, 7);
	/* its begin is gone */
	put (PPI_FLIGHT_LATE, C, 0);
	late (1, 8);
	read_list ();
	ck_assert_uint_eq (list.n, 4);
	is_values (0, 1, 7);
	is_values (1, 1, 5);
	is_values (2, 1, 6);
	ck_assert_int_eq (list.item[3].kind, PPI_FLOWN_DIM);
	is_values (3, 1, 8);
	ppi_flown_free (&list);
}
END_TEST

/* ---- dumps ----------------------------------------------------------------------------------- */

START_TEST (the_newest_dumps_stay)
{
	struct ppi_recording *recording;
	const struct ppi_flight_chunk *c = NULL;
	uint32_t least = UINT32_MAX, dumps = 0;
	char why[200];

	ppi_lock ();
	ck_assert_int_eq (ppi_region_init (), PP_OK);
	ck_assert_int_eq (ppi_flight_dump ("nobody"), PP_ENOENT);
	memset (&thread, 0, sizeof thread);
	thread.state = PPI_THREAD_USED;
	thread.id = 7;
	ppi_threads = &thread;
	put (PPI_FLIGHT_BEGIN, A, 1);
	for (unsigned i = 1; i <= PPI_FLIGHT_DUMPS + 2; i++) {
		ck_assert_int_eq (ppi_flight_dump ("somebody"), 1);
		put (PPI_FLIGHT_POINT, B, i);
	}
	ck_assert_int_eq (ppi_recording_attach (ppi_region_header (), ppi_region_used (), "region",
						&recording, why, sizeof why),
			  0);
	while ((c = ppi_recording_next (recording, PPI_CHUNK_FLIGHT, c))) {
		ck_assert_uint_eq (c->chunk.id, 7);
		if (!c->dump)
			continue;
		ck_assert_str_eq (c->why, "somebody");
		ck_assert (ppi_flown_read (c, &list));
		/* what came later is not in it */
		ck_assert_uint_eq (list.n, c->dump);
		ppi_flown_free (&list);
		least = c->dump < least ? c->dump : least;
		dumps++;
	}
	ck_assert_uint_eq (dumps, PPI_FLIGHT_DUMPS);
	ck_assert_uint_eq (least, 3);
	ppi_recording_close (recording);
	ppi_threads = NULL;
	ppi_unlock ();
}
END_TEST

static Suite *flight (void)
{
	Suite *s = suite_create ("flight");
	TCase *reading = tcase_create ("reading"), *executions = tcase_create ("executions");

	tcase_add_test (reading, an_empty_ring_has_nothing);
	tcase_add_test (reading, the_last_entries_are_read_the_oldest_first);
	tcase_add_test (reading, an_entry_that_is_being_written_is_torn_and_counted);
	tcase_add_test (reading, what_another_thread_left_is_none_of_its_own);
	tcase_add_test (reading, numbers_come_round);
	tcase_add_test (reading, what_does_not_fit_into_a_chunk_is_not_whole);
	tcase_add_test (reading, whatever_is_in_a_ring_it_is_read);
	tcase_add_test (reading, no_entry_of_a_copy_is_half_of_another);
	tcase_add_test (reading, the_newest_dumps_stay);
	suite_add_tcase (s, reading);
	tcase_add_test (executions, begins_and_ends_are_executions_in_each_other);
	tcase_add_test (executions, what_was_left_has_no_time);
	tcase_add_test (executions, what_is_known_to_be_left_is_around_nothing_that_follows);
	tcase_add_test (executions, on_several_stacks_nobody_is_told_anothers_time);
	tcase_add_test (executions, a_later_value_replaces_an_earlier_one_of_the_same_key);
	tcase_add_test (executions,
			values_are_of_the_entry_before_them_and_late_ones_of_what_is_open);
	tcase_add_test (executions,
			a_late_value_that_names_a_site_is_of_the_newest_of_it_that_is_open);
	suite_add_tcase (s, executions);
	return s;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {flight};

	return ppcheck_main (suites, 1);
}
