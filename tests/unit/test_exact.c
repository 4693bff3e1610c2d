/* SPDX-License-Identifier: MIT */
/*
 * test_exact.c: features that are measured: what is each mark's own, whatever is in it. The test
 * reads the clock around and inside of marks, so bounds of what they measure are known, however
 * long it all takes.
 */
#include "base/lock.h"
#include "base/ticks.h"
#include "libmetrics/cost/self.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/feature.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/tap.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "recording/layout_profile.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/started.h"

#include <pp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/* ---- the program ----------------------------------------------------------------------------- */

static __thread volatile long sink;

static void work (void)
{
	for (int i = 0; i < 2000; i++)
		sink += i;
}

/* Ticks between the two readings furthest apart, and those nearest. */
struct bounds {
	uint64_t least, most;
};

static __thread struct bounds in_a, in_anti, in_inner, in_b;

static uint64_t took (uint64_t from)
{
	return ppi_ticks () - from;
}

/* work in a mark: 2 times; in an antimark inside of it: once, and in a mark inside of that: once */
NOIPA void inner (void);
NOIPA void inner (void)
{
	uint64_t from = ppi_ticks ();
	{
		PP_FEATURE (lib.a)
		uint64_t inside = ppi_ticks ();

		work ();
		in_inner.least += took (inside);
	}
	in_inner.most += took (from);
}

NOIPA void anti (void);
NOIPA void anti (void)
{
	uint64_t from = ppi_ticks (), before = in_inner.least, middle;
	{
		PP_ANTIMARK (lib.a)
		uint64_t inside = ppi_ticks ();

		work ();
		in_anti.least += took (inside);
		inner ();
	}
	middle = in_inner.least - before;
	in_anti.most += took (from) - middle;
}

NOIPA void outer (void);
NOIPA void outer (void)
{
	uint64_t from = ppi_ticks (), anti_before = in_anti.least, inner_before = in_inner.least;
	{
		PP_FEATURE (lib.a)
		uint64_t inside = ppi_ticks ();

		work ();
		in_a.least += took (inside);
		anti ();
		inside = ppi_ticks ();
		work ();
		in_a.least += took (inside);
	}
	in_a.most += took (from) - (in_anti.least - anti_before) - (in_inner.least - inner_before);
}

NOIPA void other (void);
NOIPA void other (void)
{
	uint64_t from = ppi_ticks ();
	{
		PP_FEATURE (lib.b)
		uint64_t inside = ppi_ticks ();

		outer ();
		in_b.least += took (inside);
	}
	in_b.most += took (from);
}

NOIPA void recursive (int n);
NOIPA void recursive (int n)
{
	PP_FEATURE (lib.deep)
	work ();
	if (n > 1)
		recursive (n - 1);
}

NOIPA void number (long which);
NOIPA void number (long which)
{
	PP_FEATURE_PAYLOAD (lib.number, which)
	sink++;
}

NOIPA void text (const char *which);
NOIPA void text (const char *which)
{
	PP_FEATURE_PAYLOAD (lib.text, which)
	sink++;
}

NOIPA void leaps (jmp_buf to);
NOIPA void leaps (jmp_buf to)
{
	PP_FEATURE (lib.left)
	work ();
	longjmp (to, 1);
}

NOIPA void around (void);
NOIPA void around (void)
{
	PP_FEATURE (lib.left)
	jmp_buf here;

	if (!setjmp (here))
		leaps (here);
}

/* ---- what was measured ----------------------------------------------------------------------- */

static void start (void)
{
	char why[200];

	ppi_runtime_start ();
	ppi_lock ();
	ppi_batch_begin ();
	for (pp_site *s = ppi_site_first (); s; s = s->next)
		if (s->kind == PP_ABI_SITE_FEATURE || s->kind == PP_ABI_SITE_ANTIMARK) {
			ck_assert (ppi_feature_number (s));
			ck_assert_int_eq (ppi_tap_acquire (s, PPI_SINK_FEATURE, why, sizeof why),
					  PP_OK);
		}
	ck_assert_int_eq (ppi_batch_end (), PP_OK);
	ck_assert_int_eq (ppi_texts_prepare (0), PP_OK);
	ppi_unlock ();
}

static void end_all (void)
{
	ppi_lock ();
	ppi_batch_begin ();
	for (pp_site *s = ppi_site_first (); s; s = s->next)
		ppi_tap_release (s, PPI_SINK_FEATURE);
	ppi_batch_end ();
	ppi_unlock ();
}

static const char *site_of (uint64_t what)
{
	for (pp_site *s = ppi_site_first (); s; s = s->next)
		if (s->id == PPI_MARK_SITE (what))
			return s->base;
	return "";
}

static bool is_named (uint64_t what, const char *name)
{
	const char *full = site_of (what), *at = strstr (full, name);

	return at && at > full && (at[-1] == ':' || at[-1] == '!' || at[-1] == '/') &&
	       (at[strlen (name)] == '\0' || at[strlen (name)] == '@');
}

/* All entries of NAME, "function/site", of KIND and, if TYPE is not NONE, PAYLOAD; of all threads. */
static struct ppi_feature_entry sum_of (const char *name, unsigned kind, unsigned type,
					uint64_t payload)
{
	const char *region = (const char *) ppi_region_header ();
	struct ppi_feature_entry sum = {0};

	for (uint64_t at = PPI_HEADER_BYTES; at < ppi_region_used ();
	     at += ((const struct ppi_chunk *) (region + at))->bytes) {
		const struct ppi_features_chunk *c = (const void *) (region + at);

		for (uint32_t i = 0; c->chunk.type == PPI_CHUNK_FEATURES && i < c->room; i++) {
			const struct ppi_feature_entry *e = &c->entry[i];

			if (!e->what || PPI_MARK_KIND (e->what) != kind ||
			    !is_named (e->what, name) ||
			    (type && (PPI_MARK_PAYLOAD (e->what) != type || e->payload != payload)))
				continue;
			sum.n += e->n;
			sum.ticks += e->ticks;
			sum.pairs += e->pairs;
			sum.children += e->children;
			sum.lost += e->lost;
			sum.lost_ticks += e->lost_ticks;
			sum.tails += e->tails;
			sum.tail_ticks += e->tail_ticks;
		}
	}
	return sum;
}

static struct ppi_feature_entry mark (const char *name)
{
	return sum_of (name, PP_ABI_SITE_FEATURE, PP_ABI_VALUE_NONE, 0);
}

static void lies_in (struct ppi_feature_entry e, struct bounds b)
{
	ck_assert_msg (e.ticks >= b.least && e.ticks <= b.most, "%llu is not in %llu ... %llu",
		       (unsigned long long) e.ticks, (unsigned long long) b.least,
		       (unsigned long long) b.most);
}

/* ---- what is whose --------------------------------------------------------------------------- */

START_TEST (what_a_mark_took_is_its_own_without_entries_of_its_feature_in_it)
{
	start ();
	for (int i = 0; i < 100; i++)
		other ();
	ck_assert_uint_eq (mark ("outer/lib.a").n, 100);
	ck_assert_uint_eq (mark ("inner/lib.a").n, 100);
	lies_in (mark ("outer/lib.a"), in_a);
	lies_in (mark ("inner/lib.a"), in_inner);
	lies_in (sum_of ("anti/lib.a", PP_ABI_SITE_ANTIMARK, PP_ABI_VALUE_NONE, 0), in_anti);
	/* another feature changes nothing */
	lies_in (mark ("other/lib.b"), in_b);
}
END_TEST

START_TEST (marks_whose_cost_is_in_a_time_are_counted_with_it)
{
	struct ppi_feature_entry a, b;

	start ();
	other ();
	a = mark ("outer/lib.a");
	b = mark ("other/lib.b");
	/* the antimark, whose time is not in it, but what is outside of its clock; nor what it has */
	ck_assert_uint_eq (a.children, 1);
	ck_assert_uint_eq (a.pairs, 0);
	/* of another feature all three are in it */
	ck_assert_uint_eq (b.children, 0);
	ck_assert_uint_eq (b.pairs, 3);
}
END_TEST

START_TEST (under_recursion_nothing_counts_twice)
{
	struct ppi_feature_entry deep;
	uint64_t from, all;

	start ();
	from = ppi_ticks ();
	recursive (50);
	all = took (from);
	deep = mark ("recursive/lib.deep");
	ck_assert_uint_eq (deep.n, 50);
	ck_assert_uint_le (deep.ticks, all);
	ck_assert_uint_eq (deep.children, 49);
	ck_assert_uint_eq (deep.pairs, 0);
}
END_TEST

static const char *volatile a = "lib.a", *volatile called = "lib.called";

START_TEST (calls_and_markers_are_in_each_other)
{
	struct ppi_feature_entry by_call, by_mark;
	uint64_t from, inside, least, most;

	pp_feature_begin (called, NULL);
	pp_feature_end (called);
	pp_antimark_begin (a);
	pp_antimark_end (a);
	start ();
	from = ppi_ticks ();
	pp_antimark_begin (a);
	inside = ppi_ticks ();
	inner ();
	work ();
	least = took (inside) - in_inner.most;
	pp_antimark_end (a);
	most = took (from) - in_inner.least;
	by_call = sum_of ("lib.a", PP_ABI_SITE_ANTIMARK, PP_ABI_VALUE_NONE, 0);
	by_mark = mark ("inner/lib.a");
	ck_assert_uint_eq (by_call.n, 1);
	ck_assert_uint_eq (by_call.children, 1);
	lies_in (by_call, (struct bounds){least, most});
	lies_in (by_mark, in_inner);
	/* they need not end in their order */
	pp_feature_begin (called, NULL);
	pp_antimark_begin (a);
	pp_feature_end (called);
	pp_antimark_end (a);
	ck_assert_uint_eq (mark ("lib.called").n, 1);
}
END_TEST

/* ---- how long marks go on ------------------------------------------------------------------- */

/* Those that are not looked at came between others, for longer than a mark may. */
static void some_were_looked_at (uint64_t looked_at, uint64_t ticks, uint64_t of)
{
	ck_assert_uint_le (looked_at, of / PPI_FEATURE_LOOK_EVERY + 1);
	ck_assert_uint_ge (looked_at, of / PPI_FEATURE_LOOK_EVERY / 2);
	ck_assert_uint_ge (ticks, looked_at);
	ck_assert_uint_le (ticks, looked_at * PPI_FEATURE_LOOK_MOST);
}

START_TEST (one_end_in_sixty_one_notes_how_long_it_went_on)
{
	struct ppi_feature_entry e;

	start ();
	for (int i = 0; i < 6100; i++)
		recursive (1);
	e = mark ("recursive/lib.deep");
	ck_assert_uint_eq (e.n, 6100);
	some_were_looked_at (e.tails, e.tail_ticks, e.n);
}
END_TEST

START_TEST (of_marks_with_payloads_begins_and_ends_do)
{
	uint64_t heads = 0, ticks = 0;
	const char *region;
	struct ppi_feature_entry e;

	start ();
	for (int i = 0; i < 6100; i++)
		text (i % 3 ? "three" : "one");
	e = mark ("text/lib.text");
	ck_assert_uint_eq (e.n, 6100);
	some_were_looked_at (e.tails, e.tail_ticks, e.n);
	region = (const char *) ppi_region_header ();
	for (uint64_t at = PPI_HEADER_BYTES; at < ppi_region_used ();
	     at += ((const struct ppi_chunk *) (region + at))->bytes) {
		const struct ppi_features_chunk *c = (const void *) (region + at);

		heads += c->chunk.type == PPI_CHUNK_FEATURES ? c->heads : 0;
		ticks += c->chunk.type == PPI_CHUNK_FEATURES ? c->head_ticks : 0;
	}
	some_were_looked_at (heads, ticks, e.n);
}
END_TEST

/* ---- payloads -------------------------------------------------------------------------------- */

START_TEST (payloads_are_told_apart)
{
	char copy[8];

	start ();
	for (long i = 0; i < 300; i++)
		number (i % 3);
	for (long i = 0; i < 3; i++)
		ck_assert_uint_eq (sum_of ("number/lib.number", PP_ABI_SITE_FEATURE,
					   PP_ABI_VALUE_INT, (uint64_t) i)
					   .n,
				   100);
	for (int i = 0; i < 20; i++) {
		strcpy (copy, i % 2 ? "odd" : "even");
		text (copy);
	}
	text (NULL);
	for (uint64_t i = 1; i <= 2; i++)
		ck_assert_uint_eq (sum_of ("text/lib.text", PP_ABI_SITE_FEATURE,
					   PP_ABI_VALUE_STRING, PPI_TEXT_OTHER + i)
					   .n,
				   10);
	ck_assert_uint_eq (mark ("text/lib.text").n, 21);
}
END_TEST

START_TEST (what_is_beyond_the_most_payloads_is_one)
{
	uint64_t others;

	start ();
	for (long i = 0; i < 5000; i++)
		number (i);
	ck_assert_uint_eq (mark ("number/lib.number").n, 5000);
	others = sum_of ("number/lib.number", PP_ABI_SITE_FEATURE, PPI_FEATURE_OTHERS, 0).n;
	ck_assert_uint_ge (others, 5000 - 4096);
	ck_assert_uint_lt (others, 1000);
	/* those that are known still are */
	number (7);
	ck_assert_uint_eq (sum_of ("number/lib.number", PP_ABI_SITE_FEATURE, PP_ABI_VALUE_INT, 7).n,
			   2);
}
END_TEST

/* ---- what does not end ----------------------------------------------------------------------- */

START_TEST (what_is_jumped_over_is_nobodys_and_counted)
{
	struct ppi_feature_entry left, outside;
	uint64_t from, all;

	start ();
	from = ppi_ticks ();
	around ();
	all = took (from);
	left = mark ("leaps/lib.left");
	outside = mark ("around/lib.left");
	ck_assert_uint_eq (left.n, 0);
	ck_assert_uint_eq (left.lost, 1);
	ck_assert_uint_eq (outside.n, 1);
	/* the one that was left is a child, and no pair of another feature */
	ck_assert_uint_eq (outside.children, 1);
	ck_assert_uint_eq (outside.pairs, 0);
	ck_assert_uint_gt (left.lost_ticks, 0);
	ck_assert_uint_le (left.lost_ticks + outside.ticks, all);
}
END_TEST

static void *runs (void *arg)
{
	for (int i = 0; i < 100; i++)
		other ();
	return arg;
}

START_TEST (each_thread_measures_and_the_next_one_goes_on_with_its_table)
{
	pthread_t thread;
	uint64_t used;

	start ();
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq (pthread_create (&thread, NULL, runs, NULL), 0);
		ck_assert_int_eq (pthread_join (thread, NULL), 0);
	}
	ck_assert_uint_eq (mark ("other/lib.b").n, 500);
	used = ppi_region_used ();
	for (int i = 0; i < 200; i++) {
		ck_assert_int_eq (pthread_create (&thread, NULL, runs, NULL), 0);
		ck_assert_int_eq (pthread_join (thread, NULL), 0);
	}
	ck_assert_uint_eq (mark ("other/lib.b").n, 20500);
	/* some hundred kilobytes are pages of states that were not free in time */
	ck_assert_uint_lt (ppi_region_used () - used, UINT64_C (4) << 20);
}
END_TEST

START_TEST (switched_off_while_it_is_open_it_is_lost_not_charged)
{
	pp_feature_begin (called, NULL);
	pp_feature_end (called);
	start ();
	pp_feature_begin (called, NULL);
	end_all ();
	work ();
	pp_feature_end (called);
	start ();
	outer ();
	ck_assert_uint_eq (mark ("lib.called").n, 0);
	ck_assert_uint_eq (mark ("outer/lib.a").n, 1);
}
END_TEST

/* ---- switched while threads run -------------------------------------------------------------- */

#define SWITCHERS 4

static uint32_t ended; /* atomic */

static void *runs_until (void *arg)
{
	while (!__atomic_load_n (&ended, __ATOMIC_ACQUIRE))
		other ();
	return arg;
}

static uint64_t begun (void)
{
	const char *region = (const char *) ppi_region_header ();
	uint64_t sum = 0;

	for (uint64_t at = PPI_HEADER_BYTES; at < ppi_region_used ();
	     at += ((const struct ppi_chunk *) (region + at))->bytes) {
		const struct ppi_features_chunk *c = (const void *) (region + at);

		sum += c->chunk.type == PPI_CHUNK_FEATURES ? c->begun : 0;
	}
	return sum;
}

START_TEST (marks_that_are_switched_while_threads_run_end_are_lost_or_are_open)
{
	static const char *const names[] = {"other/lib.b", "outer/lib.a", "inner/lib.a"};
	pthread_t thread[SWITCHERS];
	uint64_t from, all, own = 0, n = 0;
	struct ppi_feature_entry sum;

	start ();
	from = ppi_ticks ();
	for (int i = 0; i < SWITCHERS; i++)
		ck_assert_int_eq (pthread_create (&thread[i], NULL, runs_until, NULL), 0);
	for (int i = 0; i < 200; i++) {
		end_all ();
		start ();
	}
	__atomic_store_n (&ended, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < SWITCHERS; i++)
		pthread_join (thread[i], NULL);
	all = SWITCHERS * took (from);
	for (int i = 0; i < 3; i++) {
		sum = mark (names[i]);
		ck_assert_uint_le (sum.ticks, all);
		own += i ? sum.ticks : 0;
		n += sum.n + sum.lost;
	}
	sum = sum_of ("anti/lib.a", PP_ABI_SITE_ANTIMARK, PP_ABI_VALUE_NONE, 0);
	n += sum.n + sum.lost;
	/* nothing of one feature counts twice */
	ck_assert_uint_le (own + sum.ticks, all);
	ck_assert_uint_gt (n, 0);
	ck_assert_uint_le (n, begun ());
}
END_TEST

START_TEST (an_empty_mark_takes_some_nanoseconds)
{
	struct ppi_mark_cost cost = {.pair_s = -1, .by_c_s = -1};
	pp_site *site = NULL;

	start ();
	for (pp_site *s = ppi_site_first (); s && !site; s = s->next)
		if (s->kind == PP_ABI_SITE_FEATURE)
			site = s;
	ppi_lock ();
	ck_assert (site && site->plan->exact);
	ck_assert (ppi_self_measure_feature (site->plan, &cost));
	ppi_unlock ();
	ck_assert (cost.pair_s >= 0 && cost.by_c_s >= 0);
	ck_assert (cost.by_c_inside_s >= 0 && cost.by_c_inside_s <= cost.by_c_s);
	ck_assert (cost.by_c_tail_s > 0 && cost.by_c_head_s > 0);
	ck_assert (cost.held_s[0] == 0 && cost.measured_s[0] > 0);
	for (int i = 1; i < PPI_MARKS_HELD; i++)
		ck_assert (cost.held_s[i] > 0 && cost.measured_s[i] > 0);
	/* the library's own are of no site that a reader knows */
	ck_assert_uint_eq (mark ("outer/lib.a").n, 0);
}
END_TEST

static Suite *exact (void)
{
	Suite *suite = suite_create ("exact");
	TCase *tests = tcase_create ("exact");

	tcase_add_test (tests, what_a_mark_took_is_its_own_without_entries_of_its_feature_in_it);
	tcase_add_test (tests, marks_whose_cost_is_in_a_time_are_counted_with_it);
	tcase_add_test (tests, under_recursion_nothing_counts_twice);
	tcase_add_test (tests, calls_and_markers_are_in_each_other);
	tcase_add_test (tests, one_end_in_sixty_one_notes_how_long_it_went_on);
	tcase_add_test (tests, of_marks_with_payloads_begins_and_ends_do);
	tcase_add_test (tests, payloads_are_told_apart);
	tcase_add_test (tests, what_is_beyond_the_most_payloads_is_one);
	tcase_add_test (tests, what_is_jumped_over_is_nobodys_and_counted);
	tcase_add_test (tests, each_thread_measures_and_the_next_one_goes_on_with_its_table);
	tcase_add_test (tests, switched_off_while_it_is_open_it_is_lost_not_charged);
	tcase_add_test (tests, marks_that_are_switched_while_threads_run_end_are_lost_or_are_open);
	tcase_add_test (tests, an_empty_mark_takes_some_nanoseconds);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {exact};

	return ppcheck_main (suites, 1);
}
