/* SPDX-License-Identifier: MIT */
/*
 * test_region.c: what threads take from the live region lies apart, in cache lines of its own, and
 * is not wasted.
 */
#include "base/chunk.h"
#include "base/lock.h"
#include "base/start.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/region/history.h"
#include "libmetrics/region/region.h"
#include "recording/layout.h"
#include "tests/unit/ppcheck.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Modules register before main: nothing of theirs is looked at here. */
void ppi_runtime_start (void)
{
}

enum { THREADS = 4, TAKES = 2000, LINE = 128 };

static struct taken {
	unsigned char *at;
	size_t bytes;
} taken[THREADS * TAKES];

/*
 * Small chunks of many sizes, and pages as threads' states are; each is filled, and must have been
 * zero but for its head.
 */
static void *take_all (void *arg)
{
	size_t self = (size_t) (uintptr_t) arg;
	unsigned seed = (unsigned) self + 1;

	for (size_t i = self * TAKES; i < (self + 1) * TAKES; i++) {
		bool page = rand_r (&seed) % 8 == 0;
		size_t bytes = page ? PPI_FRAME_PAGE
				    : sizeof (struct ppi_chunk) + (size_t) rand_r (&seed) % 1000;
		unsigned char *at = page ? ppi_own_page_fast () : ppi_region_alloc_fast (bytes);

		if (!at)
			return (void *) (uintptr_t) "there is no memory";
		for (size_t k = sizeof (struct ppi_chunk); k < bytes; k++)
			if (at[k])
				return (void *) (uintptr_t) "a chunk is not zero";
		memset (at + sizeof (struct ppi_chunk), 1 + (int) self,
			bytes - sizeof (struct ppi_chunk));
		taken[i] = (struct taken){at, bytes};
		ppi_region_publish ((struct ppi_chunk *) (void *) at,
				    page ? PPI_CHUNK_FREE : PPI_CHUNK_SHARD, (uint32_t) self + 1);
	}
	return NULL;
}

static int by_address (const void *a, const void *b)
{
	const struct taken *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void take_by_threads (void)
{
	pthread_t threads[THREADS];
	void *why;

	ppi_lock ();
	ck_assert_int_eq (ppi_region_init (), 0);
	ppi_unlock ();
	for (size_t i = 0; i < THREADS; i++)
		ck_assert_int_eq (
			pthread_create (&threads[i], NULL, take_all, (void *) (uintptr_t) i), 0);
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join (threads[i], &why);
		ck_assert_msg (!why, "%s", (const char *) why);
	}
	qsort (taken, THREADS * TAKES, sizeof (*taken), by_address);
}

START_TEST (chunks_of_different_threads_share_no_cache_line)
{
	take_by_threads ();
	for (size_t i = 0; i < THREADS * TAKES; i++) {
		ck_assert_uint_eq ((uintptr_t) taken[i].at % LINE, 0);
		if (i)
			ck_assert (((uintptr_t) (taken[i - 1].at + taken[i - 1].bytes - 1) |
				    (LINE - 1)) < (uintptr_t) taken[i].at);
	}
}
END_TEST

START_TEST (nothing_writes_into_what_somebody_has_taken)
{
	take_by_threads ();
	for (size_t i = 0; i < THREADS * TAKES; i++) {
		const struct ppi_chunk *chunk = (const void *) taken[i].at;

		size_t k = sizeof (struct ppi_chunk);

		/* an assertion for each byte would be a message to check for each */
		while (k < taken[i].bytes && taken[i].at[k] == chunk->id)
			k++;
		ck_assert_uint_eq (k, taken[i].bytes);
	}
}
END_TEST

START_TEST (reader_meets_every_chunk_and_nothing_of_the_process_s_own)
{
	const struct ppi_region_header *r;
	size_t met = 0, pages = 0;

	take_by_threads ();
	r = ppi_region_header ();
	for (uint64_t at = r->header_bytes; at < r->used;) {
		const struct ppi_chunk *chunk = (const void *) ((const char *) r + at);

		ck_assert_uint_gt (chunk->bytes, 0);
		ck_assert_uint_eq (chunk->bytes % PPI_CHUNK_ALIGN, 0);
		ck_assert_uint_eq (chunk->type, PPI_CHUNK_SHARD);
		met++;
		at += chunk->bytes;
	}
	for (size_t i = 0; i < THREADS * TAKES; i++)
		pages += ppi_own_has (taken[i].at, taken[i].bytes);
	ck_assert_uint_eq (met + pages, THREADS * TAKES);
	ck_assert_uint_gt (pages, 0);
}
END_TEST

START_TEST (a_thread_with_its_first_shard_takes_half_a_page)
{
	enum { N = 300 };
	uint64_t before;

	ppi_lock ();
	ck_assert_int_eq (ppi_region_init (), 0);
	ppi_unlock ();
	before = ppi_region_used () + ppi_own_used ();
	for (int i = 0; i < N; i++) {
		ck_assert_ptr_nonnull (ppi_own_page_fast ());
		ck_assert_ptr_nonnull (ppi_region_alloc_fast (sizeof (struct ppi_shard)));
	}
	ck_assert_uint_le (ppi_region_used () + ppi_own_used () - before,
			   N * (PPI_FRAME_PAGE + sizeof (struct ppi_shard)) + PPI_FRAME_PAGE);
}
END_TEST

static const struct {
	const char *text;
	uint64_t bytes; /* 0: refused */
} sizes[] = {
	{"1M", UINT64_C (1) << 20},
	{"1048576", UINT64_C (1) << 20},
	{"1048575", 0},
	{"1024K", UINT64_C (1) << 20},
	{"256M", UINT64_C (256) << 20},
	{"1024G", UINT64_C (1) << 40},
	{"1025G", 0},
	{"1099511627776", UINT64_C (1) << 40},
	{"1099511627777", 0},
	{"17179869185G", 0}, /* 2^64 + 1 GiB */
	{"17592186044416M", 0},
	{"18014398509481985K", 0},
	{"18446744073709551617", 0},
	{"99999999999999G", 0},
	{"99999999999999999999999999", 0},
	{"-1", 0},
	{"-18446744073709551615G", 0},
	{"+256M", 0},
	{" 256M", 0},
	{"256M ", 0},
	{"256 M", 0},
	{"0x10000000", 0},
	{"256MB", 0},
	{"256m", 0},
	{"M", 0},
	{"", 0},
	{"1048577", UINT64_C (1) << 20},
};

/*
 * The log of what happened keeps its newest entries in a bounded number of chunks, also where each
 * is longer than the last.
 */
START_TEST (entries_that_grow_longer_take_bounded_memory)
{
	enum { POLICIES = 512, LEAST = 400, MOST = 3600, STEP = 200 };
	char name[MOST + 1];
	uint64_t used;

	ppi_lock ();
	ck_assert_int_eq (ppi_region_init (), PP_OK);
	ppi_unlock ();
	used = ppi_region_used ();
	for (size_t length = LEAST; length <= MOST; length += STEP) {
		memset (name, 'n', length);
		name[length] = '\0';
		for (int i = 0; i < POLICIES; i++)
			ppi_history (PPI_HISTORY_POLICY, name, "loaded", NULL, 0);
	}
	/* the sum of all lengths would be 17 MB */
	ck_assert_uint_lt (ppi_region_used () - used, UINT64_C (3) * POLICIES * MOST);
}
END_TEST

/* Memory stands ready for threads at their markers, but not as much again as there is. */
START_TEST (what_stands_ready_is_bounded)
{
	enum { CHUNKS = 96, ENOUGH = 8 << 20, STEP = 16 << 20 };
	const struct ppi_region_header *r;

	ppi_lock ();
	ck_assert_int_eq (ppi_region_init (), PP_OK);
	ppi_unlock ();
	for (int i = 0; i < CHUNKS; i++)
		ck_assert_ptr_nonnull (ppi_region_alloc (1 << 20));
	r = ppi_region_header ();
	ck_assert_uint_ge (r->limit - r->used, ENOUGH);
	ck_assert_uint_le (r->limit - r->used, ENOUGH + STEP);
}
END_TEST

START_TEST (sizes_are_read_without_overflow)
{
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		ck_assert_msg (ppi_region_parse_max (sizes[i].text) == sizes[i].bytes,
			       "\"%s\" is %llu", sizes[i].text,
			       (unsigned long long) ppi_region_parse_max (sizes[i].text));
}
END_TEST

static Suite *region (void)
{
	Suite *suite = suite_create ("region");
	TCase *tests = tcase_create ("region");

	tcase_add_test (tests, chunks_of_different_threads_share_no_cache_line);
	tcase_add_test (tests, nothing_writes_into_what_somebody_has_taken);
	tcase_add_test (tests, reader_meets_every_chunk_and_nothing_of_the_process_s_own);
	tcase_add_test (tests, a_thread_with_its_first_shard_takes_half_a_page);
	tcase_add_test (tests, entries_that_grow_longer_take_bounded_memory);
	tcase_add_test (tests, what_stands_ready_is_bounded);
	tcase_add_test (tests, sizes_are_read_without_overflow);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {region};

	return ppcheck_main (suites, 1);
}
