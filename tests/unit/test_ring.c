/* SPDX-License-Identifier: MIT */
/*
 * test_ring.c: samples as the handler puts them into a thread's ring, and as they are read; without
 * a signal.
 */
#include "profiler/sampler/raw.h"
#include "tests/unit/ppcheck.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { SLOT = 3, MOST = PPI_RING_BYTES / (sizeof (struct ppi_raw) + PPI_RAW_STACK_BYTES) };

static struct ppi_raw_ring *ring;

static void begin (void)
{
	ring = mmap (NULL, sizeof *ring, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	ck_assert_ptr_ne (ring, MAP_FAILED);
	ring->tid = (uint64_t) gettid ();
	ppi_rings[SLOT] = ring;
}

static void end (void)
{
	ppi_rings[SLOT] = NULL;
	munmap (ring, sizeof *ring);
}

static void interrupt (void)
{
	siginfo_t info = {.si_code = SI_TIMER};
	ucontext_t context;

	info.si_value.sival_int = SLOT;
	getcontext (&context);
	ppi_sample_handler (SIGPROF, &info, &context);
}

/* How far from the ring's beginning the oldest sample ends, which is taken out; 0: there is none. */
static size_t take (void)
{
	const struct ppi_raw *raw = ppi_ring_first (ring);
	size_t behind = raw ? (size_t) ((const uint8_t *) raw - ring->data) + raw->bytes : 0;

	if (raw) {
		ck_assert_uint_le (behind, PPI_RING_BYTES);
		ck_assert_uint_ne (raw->ns, 0);
		ppi_ring_pop (ring, raw);
	}
	return behind;
}

START_TEST (where_samples_are_read_at_once_few_pages_of_the_ring_are_used)
{
	size_t most = 0;

	for (int i = 0; i < 1000; i++) {
		size_t behind;

		interrupt ();
		behind = take ();
		ck_assert_uint_ne (behind, 0);
		most = behind > most ? behind : most;
		ck_assert_uint_eq (take (), 0);
	}
	ck_assert_uint_eq (ring->full, 0);
	ck_assert_uint_le (most, 2 * (sizeof (struct ppi_raw) + PPI_RAW_STACK_BYTES));
}
END_TEST

/* Whatever is unread when the next one comes: none is lost but where the ring is full. */
START_TEST (each_sample_is_read_once_in_its_order)
{
	uint64_t before = 0, taken = 0, read = 0;

	for (unsigned i = 0; i < 20000; i++) {
		const struct ppi_raw *raw;

		if (i * 2654435761u >> 16 & 1 && i % 97 < 90) {
			interrupt ();
			taken++;
			continue;
		}
		for (unsigned n = i % 5; n && (raw = ppi_ring_first (ring)); n--, read++) {
			ck_assert_uint_ge (raw->ns, before);
			before = raw->ns;
			ppi_ring_pop (ring, raw);
		}
	}
	while (take ())
		read++;
	ck_assert_uint_eq (read + ring->full, taken);
	ck_assert_uint_gt (read, taken / 2);
}
END_TEST

START_TEST (a_full_ring_counts_what_it_has_no_room_for)
{
	unsigned n = 0;

	while (!ring->full)
		interrupt ();
	while (take ())
		n++;
	ck_assert_uint_ge (n, MOST - 1);
	interrupt ();
	ck_assert_uint_ne (take (), 0);
	ck_assert_uint_eq (ring->full, 1);
}
END_TEST

static unsigned until_full (void)
{
	uint64_t before = ring->full;
	unsigned n = 0;

	for (; ring->full == before; n++)
		interrupt ();
	while (take ())
		;
	return n;
}

START_TEST (an_empty_ring_has_room_for_as_many_wherever_it_was_left)
{
	unsigned most = until_full ();

	for (unsigned n = 1; n < most; n++) {
		for (unsigned i = 0; i < n; i++)
			interrupt ();
		while (take ())
			;
		ck_assert_uint_ge (until_full () + 1, most);
	}
}
END_TEST

static int is_over; /* atomic */

/* Takes what there is, now and then late. Returns how many there were. */
static void *read_on (void *arg)
{
	uint64_t *read = arg, before = 0;
	const struct ppi_raw *raw;

	for (;;) {
		int was_over = __atomic_load_n (&is_over, __ATOMIC_ACQUIRE);

		while ((raw = ppi_ring_first (ring))) {
			ck_assert_uint_ge (raw->ns, before);
			ck_assert_uint_ge (raw->bytes, sizeof *raw + raw->stack_bytes);
			before = raw->ns;
			ppi_ring_pop (ring, raw);
			++*read;
		}
		if (was_over)
			return NULL;
		if (*read % 64 == 0)
			usleep (100);
	}
}

START_TEST (a_reader_beside_the_handler_reads_each_sample_once)
{
	enum { SAMPLES = 50000 };
	uint64_t read = 0;
	pthread_t reader;

	is_over = 0;
	ck_assert_int_eq (pthread_create (&reader, NULL, read_on, &read), 0);
	for (int i = 0; i < SAMPLES; i++) {
		interrupt ();
		if (i % 5000 == 0)
			usleep (1000);
	}
	__atomic_store_n (&is_over, 1, __ATOMIC_RELEASE);
	ck_assert_int_eq (pthread_join (reader, NULL), 0);
	ck_assert_uint_eq (read + ring->full, SAMPLES);
	ck_assert_uint_gt (read, 0);
}
END_TEST

/* The stack of the sample that interrupt takes next: where it begins, and how much is copied. */
static uint32_t copied (uint64_t *sp)
{
	const struct ppi_raw *raw;
	uint32_t bytes;

	interrupt ();
	raw = ppi_ring_first (ring);
	ck_assert_ptr_ne (raw, NULL);
	*sp = raw->registers.value[PPI_REG_SP];
	bytes = raw->stack_bytes;
	ppi_ring_pop (ring, raw);
	return bytes;
}

/* As if it had been unwound to END. */
static void note_end (uint64_t end)
{
	const struct ppi_raw *raw;

	interrupt ();
	raw = ppi_ring_first (ring);
	ppi_ring_note_end (ring, raw, end);
	ppi_ring_pop (ring, raw);
}

START_TEST (of_a_stack_nothing_is_copied_that_is_behind_its_end)
{
	volatile char behind[PPI_RAW_STACK_BYTES];
	uint64_t sp;
	uint32_t all;

	behind[0] = behind[sizeof behind - 1] = 0;
	all = copied (&sp);
	ck_assert_uint_gt (all, 4096);
	note_end (sp + 512);
	ck_assert_uint_eq (copied (&sp), 512);
	/* a stack that ends elsewhere: below, as a fibre's in the same thread, or far away */
	note_end (sp - 65536);
	ck_assert_uint_eq (copied (&sp), 512);
	note_end (sp + (1u << 20));
	ck_assert_uint_eq (copied (&sp), all);
}
END_TEST

START_TEST (what_was_needed_behind_an_end_is_copied_again)
{
	uint64_t sp;
	uint32_t all = copied (&sp);

	note_end (sp + 64);
	ck_assert_uint_eq (copied (&sp), 64);
	note_end (0);
	ck_assert_uint_eq (copied (&sp), all);
	note_end (sp + 64);
	ck_assert_uint_eq (copied (&sp), all);
}
END_TEST

static Suite *rings (void)
{
	Suite *suite = suite_create ("ring");
	TCase *tcase = tcase_create ("samples");

	tcase_add_checked_fixture (tcase, begin, end);
	tcase_add_test (tcase, where_samples_are_read_at_once_few_pages_of_the_ring_are_used);
	tcase_add_test (tcase, each_sample_is_read_once_in_its_order);
	tcase_add_test (tcase, a_full_ring_counts_what_it_has_no_room_for);
	tcase_add_test (tcase, an_empty_ring_has_room_for_as_many_wherever_it_was_left);
	tcase_add_test (tcase, of_a_stack_nothing_is_copied_that_is_behind_its_end);
	tcase_add_test (tcase, what_was_needed_behind_an_end_is_copied_again);
	tcase_add_test (tcase, a_reader_beside_the_handler_reads_each_sample_once);
	suite_add_tcase (suite, tcase);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {rings};

	return ppcheck_main (suites, 1);
}
