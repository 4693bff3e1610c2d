/* SPDX-License-Identifier: MIT */
/*
 * test_lines.c: no false sharing. What a thread writes when it measures shares no cache line with
 * what another thread writes, nor with the program's data; nor the line beside it, since processors
 * fetch them in pairs. Looked at are the addresses of all of it at run time.
 */
#include "base/chunk.h"
#include "base/lock.h"
#include "base/start.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/light.h"
#include "libmetrics/thread/opened.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"
#include "stdmetrics/listing.h"
#include "tests/unit/assertion_parts.h"
#include "tests/unit/ppcheck.h"

#include <pthread.h>
#include <stdlib.h>

/* no module registers here */
void ppi_runtime_start (void)
{
}

enum { LINES = 128, THREADS = 8, ROUNDS = 60, NESTED = 90, MOST = 40000 };

static struct range {
	uintptr_t at;
	size_t bytes;
	const char *what;
	int whose; /* thread; -1: nobody's, or all threads' */
} ranges[MOST];
static size_t n_ranges; /* with the lock */

static void add (const volatile void *at, size_t bytes, const char *what, int whose)
{
	ppi_lock ();
	if (n_ranges < MOST)
		ranges[n_ranges++] = (struct range){(uintptr_t) at, bytes, what, whose};
	ppi_unlock ();
}

static int by_address (const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static const char *const declarations[] = {
	"point count(value)",
	"point scalar(value)",
	"point sumcount(value)",
	"point stats(value)",
	"point bounded_series(value, size=3)",
	"point unbounded_series(value)",
	"point histogram(value)",
};
#define METRICS (sizeof declarations / sizeof declarations[0])

static pp_metric *metrics[METRICS], *took;
static pthread_barrier_t together;
/* what a program has beside it */
static __thread char first_of_mine, next_of_mine[3];
static char shared_by_all[5];

/* Calls at the same stack pointer would be one execution. */
__attribute__ ((noipa)) static void nest (int depth)
{
	pp_begin ("nested");
	if (depth)
		nest (depth - 1);
	pp_end ("nested");
	__asm__ volatile("" ::: "memory"); /* nor may it be a jump, at the caller's */
}

/* One after the other in each round, so that what they take lies side by side. */
static void *measure (void *arg)
{
	int self = (int) (intptr_t) arg;
	char *own = NULL;

	for (int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait (&together);
		for (size_t i = 0; i < METRICS; i++)
			pp_sample (metrics[i], (double) (1u << (round % 30)) + self);
		if (round == ROUNDS / 2)
			nest (NESTED);
		own = malloc (1 + (size_t) (self * round) % 100);
		if (own)
			add (own, 1 + (size_t) (self * round) % 100, "the program's memory", self);
	}
	add (&ppi_scratch, sizeof ppi_scratch, "ppi_scratch", self);
	add (&ppi_lights_lines, sizeof ppi_lights_lines, "ppi_lights", self);
	add (&first_of_mine, sizeof first_of_mine, "the program's TLS", self);
	add (next_of_mine, sizeof next_of_mine, "the program's TLS", self);
	/* while they are looked at */
	pthread_barrier_wait (&together);
	pthread_barrier_wait (&together);
	return NULL;
}

static void look_at_threads (void)
{
	const struct ppi_region_header *r = ppi_region_header ();
	int n = 0, pages = 0;

	for (const struct ppi_thread *t = ppi_threads; t; t = t->next, n++) {
		add (t->hot, sizeof *t->hot, "a thread's line", n);
		add (t, PPI_FRAME_PAGE, "a thread's state", n);
		for (const struct ppi_frame_page *page = t->opened ? &t->opened->page : NULL; page;
		     page = page->following, pages++)
			add (page, PPI_FRAME_PAGE, "a thread's frames", n);
		for (uint64_t i = 0; i < t->hot->slots; i++) {
			uintptr_t at = (uintptr_t) t->hot->table[i];

			/* of which all is looked at below */
			ck_assert (!at || (at > (uintptr_t) r && at < (uintptr_t) r + r->used));
		}
	}
	ck_assert_int_ge (n, THREADS);
	ck_assert_int_ge (pages, THREADS);
}

/* Chunks are written by one thread each: shards, counters, samples. */
static void look_at_region (void)
{
	const struct ppi_region_header *r = ppi_region_header ();
	size_t shards = 0, others = 0;

	ck_assert_uint_eq ((uintptr_t) r % 4096, 0);
	for (uint64_t at = r->header_bytes; at < r->used;) {
		const struct ppi_chunk *chunk = (const void *) ((const char *) r + at);

		if (chunk->type != PPI_CHUNK_FREE)
			add (chunk, chunk->bytes, "a chunk of the live region", -1);
		shards += chunk->type == PPI_CHUNK_SHARD;
		others += chunk->type != PPI_CHUNK_SHARD;
		ck_assert_uint_gt (chunk->bytes, 0);
		at += chunk->bytes;
	}
	ck_assert_uint_ge (shards, THREADS * METRICS);
	ck_assert_uint_gt (others, 0);
}

START_TEST (what_a_thread_writes_shares_no_pair_of_cache_lines_with_anybody_elses)
{
	pthread_t threads[THREADS];
	struct ppi_window *w;
	char why[256] = "";

	for (size_t i = 0; i < METRICS; i++) {
		char name[8] = {'m', (char) ('a' + i)};

		ck_assert_int_eq (pp_metric_new (&metrics[i], name, declarations[i]), PP_OK);
	}
	ck_assert_int_eq (pp_metric_new (&took, "took", "interval stats(elapsed)"), PP_OK);
	pp_begin ("nested");
	pp_end ("nested");
	ck_assert_int_eq (pp_bind (took, "nested", 0), 1);
	ppi_lock ();
	ck_assert_int_eq (
		ppi_window_acquire (metrics[3], UINT64_C (1000000000), &w, why, sizeof why), PP_OK);
	ppi_unlock ();
	pthread_barrier_init (&together, NULL, THREADS + 1);
	for (intptr_t i = 0; i < THREADS; i++)
		ck_assert_int_eq (pthread_create (&threads[i], NULL, measure, (void *) i), 0);
	for (int round = 0; round < ROUNDS; round++)
		pthread_barrier_wait (&together);
	pthread_barrier_wait (&together);
	look_at_threads ();
	look_at_region ();
	add (&ppi_newest_line, sizeof ppi_newest_line, "ppi_newest", -1);
	add (shared_by_all, sizeof shared_by_all, "the program's data", -1);
	pthread_barrier_wait (&together);
	for (int i = 0; i < THREADS; i++)
		pthread_join (threads[i], NULL);
	ck_assert_uint_lt (n_ranges, MOST);
	ck_assert_double_eq (pp_count (took), THREADS * (NESTED + 1));
	qsort (ranges, n_ranges, sizeof ranges[0], by_address);
	for (size_t i = 1; i < n_ranges; i++) {
		const struct range *a = &ranges[i - 1], *b = &ranges[i];
		bool programs = strncmp (a->what, "the program", 11) == 0 &&
				strncmp (b->what, "the program", 11) == 0;

		if (!programs)
			ck_assert_msg ((a->at + a->bytes - 1) / LINES < b->at / LINES,
				       "%s of %d, %zu bytes at %#zx, and %s of %d, at %#zx",
				       a->what, a->whose, a->bytes, (size_t) a->at, b->what,
				       b->whose, (size_t) b->at);
	}
}
END_TEST

/* The linker puts other variables behind those that end amid a line. */
START_TEST (what_has_a_line_has_all_of_it)
{
	ck_assert_uint_eq (sizeof (struct ppi_hot) % 64, 0);
	ck_assert_uint_eq (sizeof (struct ppi_scratch) % LINES, 0);
	ck_assert_uint_eq (sizeof (struct ppi_lights_lines) % LINES, 0);
	ck_assert_uint_eq (sizeof (struct ppi_newest_line) % LINES, 0);
	ck_assert_uint_eq ((uintptr_t) &ppi_scratch % LINES, 0);
	ck_assert_uint_eq ((uintptr_t) &ppi_lights_lines % LINES, 0);
	ck_assert_uint_eq ((uintptr_t) &ppi_newest % LINES, 0);
}
END_TEST

/* Up to 128 threads share no pair; no two share a line. */
START_TEST (lines_of_threads_lie_apart)
{
	static bool taken[4096];

	for (uint32_t i = 0; i < 4096; i++) {
		uint32_t place = ppi_hot_place (i);

		ck_assert_uint_lt (place, 4096);
		ck_assert (!taken[place]);
		taken[place] = true;
		if (i < 128)
			ck_assert (!taken[place ^ 1]);
	}
}
END_TEST

static void start_all (void)
{
	setenv ("PP_THREADS", "0", 1);
	ppi_stdmetrics_init ();
	start_assertions ();
}

static Suite *lines (void)
{
	Suite *suite = suite_create ("lines");
	TCase *tests = tcase_create ("lines");

	tcase_add_checked_fixture (tests, start_all, NULL);
	tcase_add_test (tests,
			what_a_thread_writes_shares_no_pair_of_cache_lines_with_anybody_elses);
	tcase_add_test (tests, what_has_a_line_has_all_of_it);
	tcase_add_test (tests, lines_of_threads_lie_apart);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {lines};

	return ppcheck_main (suites, 1);
}
