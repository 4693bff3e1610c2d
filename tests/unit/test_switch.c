/* SPDX-License-Identifier: MIT */
/*
 * test_switch.c: features are switched on and off while threads run through their marks. Whatever
 * a feature is charged with is no more than the threads saw themselves, and never the user's code.
 */
#include "base/lock.h"
#include "base/ticks.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/feature.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/switch.h"
#include "libmetrics/registry/tapped.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/mark.h"
#include "recording/layout_profile.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/started.h"

#include <pp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, MARKS_OF_A = 2, MARKS = 4 };

/* How often in make check; PP_TEST_SWITCHES says another number. */
#define SWITCHES 2000

/* ---- the program ----------------------------------------------------------------------------- */

static __thread volatile long sink;
static bool stop;

/* Where a thread is, for who looks at its marks: odd in the user's code, another number each time. */
static uint64_t place[THREADS];
static __thread uint64_t *my_place;

static void step (void)
{
	__atomic_store_n (my_place, *my_place + 1, __ATOMIC_SEQ_CST);
}

static void work (int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}

struct seen {
	uint64_t a_most, b, c; /* ticks of a at most; how often the others */
};

static uint64_t took (uint64_t from)
{
	return ppi_ticks () - from;
}

static __thread void (*meanwhile) (void); /* NULL: nothing else happens inside the mark */

/* A mark that the user's code begins inside of an antimark: the feature's again. */
NOIPA uint64_t nested (void);
NOIPA uint64_t nested (void)
{
	uint64_t from = ppi_ticks ();
	{
		PP_FEATURE (sw.a)
		work (10);
	}
	return took (from);
}

/* An antimark, whose code takes much longer than the mark around it, and the one inside of it. */
NOIPA void switched (struct seen *seen);
NOIPA void switched (struct seen *seen)
{
	uint64_t from = ppi_ticks (), user = 0, inner;
	{
		PP_FEATURE (sw.a)
		work (10);
		if (meanwhile)
			meanwhile ();
		{
			PP_ANTIMARK (sw.a)
			uint64_t inside = ppi_ticks ();

			step ();
			work (2000);
			step ();
			inner = nested ();
			user = took (inside) - inner;
		}
		work (10);
	}
	seen->a_most += took (from) - user;
}

NOIPA void steady (struct seen *seen);
NOIPA void steady (struct seen *seen)
{
	PP_FEATURE (sw.b)
	work (10);
	seen->b++;
}

NOIPA void never (struct seen *seen);
NOIPA void never (struct seen *seen)
{
	PP_FEATURE (sw.c)
	work (10);
	seen->c++;
}

static void *run (void *arg)
{
	struct seen *seen = calloc (1, sizeof *seen);

	my_place = arg;
	while (seen && !__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		switched (seen);
		steady (seen);
		never (seen);
	}
	return seen;
}

/* ---- what was measured ----------------------------------------------------------------------- */

static struct ppi_tapped tapped;

static bool has_number (pp_site *site)
{
	return ppi_feature_number (site) != 0;
}

static void start (enum ppi_sink_id sink_id)
{
	ppi_runtime_start ();
	ppi_lock ();
	tapped.prepare = has_number;
	ppi_tapped_set (&tapped, sink_id, "test", PPI_TAPPED_FEATURES | PPI_TAPPED_ANTIMARKS, NULL,
			0);
	ppi_unlock ();
}

static pp_site *site_called (uint32_t id)
{
	pp_site *s = ppi_site_first ();

	while (s && s->id != id)
		s = s->next;
	return s;
}

struct sum {
	uint64_t n, ticks, lost;
};

/* All entries of the marks called NAME. */
static struct sum sum_of (const char *name)
{
	const char *region = (const char *) ppi_region_header ();
	struct sum sum = {0};

	for (uint64_t at = PPI_HEADER_BYTES; at < ppi_region_used ();
	     at += ((const struct ppi_chunk *) (region + at))->bytes) {
		const struct ppi_features_chunk *c = (const void *) (region + at);

		for (uint32_t i = 0; c->chunk.type == PPI_CHUNK_FEATURES && i < c->room; i++) {
			const struct ppi_feature_entry *e = &c->entry[i];
			const pp_site *site =
				e->what ? site_called (PPI_MARK_SITE (e->what)) : NULL;

			if (!site || site->kind != PP_ABI_SITE_FEATURE ||
			    strcmp (site->name, name) != 0)
				continue;
			sum.n += e->n;
			sum.ticks += e->ticks;
			sum.lost += e->lost;
		}
	}
	return sum;
}

static uint64_t begun (void)
{
	const char *region = (const char *) ppi_region_header ();
	uint64_t n = 0;

	for (uint64_t at = PPI_HEADER_BYTES; at < ppi_region_used ();
	     at += ((const struct ppi_chunk *) (region + at))->bytes) {
		const struct ppi_features_chunk *c = (const void *) (region + at);

		n += c->chunk.type == PPI_CHUNK_FEATURES ? c->begun : 0;
	}
	return n;
}

static unsigned switches (void)
{
	const char *text = getenv ("PP_TEST_SWITCHES");

	return text ? (unsigned) strtoul (text, NULL, 10) : SWITCHES;
}

static void end_threads (pthread_t *id, struct seen *all)
{
	__atomic_store_n (&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++) {
		void *one;

		pthread_join (id[i], &one);
		ck_assert_ptr_nonnull (one);
		all->a_most += ((struct seen *) one)->a_most;
		all->b += ((struct seen *) one)->b;
		all->c += ((struct seen *) one)->c;
		free (one);
	}
}

static void start_threads (pthread_t *id)
{
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq (pthread_create (&id[i], NULL, run, &place[i]), 0);
}

static void switch_it (void)
{
	ck_assert_int_eq (pp_feature_enable ("sw.a", 0), MARKS_OF_A);
	ck_assert_int_eq (pp_feature_enable ("sw.a", 1), MARKS_OF_A);
}

/* A mark that is switched off while it is open; the next one finds what was lost. */
static void lose_one (struct seen *seen)
{
	my_place = &place[0];
	meanwhile = switch_it;
	switched (seen);
	meanwhile = NULL;
	switched (seen);
}

START_TEST (what_is_measured_of_a_feature_that_is_switched_is_its_own)
{
	struct seen seen = {0};
	struct sum a, b;
	pthread_t id[THREADS];

	start (PPI_SINK_FEATURE);
	ck_assert_int_eq (pp_feature_enable ("sw.c", 0), 1);
	start_threads (id);
	for (unsigned i = 0; i < switches (); i++)
		ck_assert_int_eq (pp_feature_enable ("sw.a", (int) (i % 2)), MARKS_OF_A);
	ck_assert_int_eq (pp_feature_enable ("sw.a", 1), MARKS_OF_A);
	/* each thread goes on once more, and finds what was lost */
	for (int i = 0; i < THREADS; i++) {
		uint64_t now = __atomic_load_n (&place[i], __ATOMIC_SEQ_CST);

		while (__atomic_load_n (&place[i], __ATOMIC_SEQ_CST) < now + 4)
			sched_yield ();
	}
	end_threads (id, &seen);
	lose_one (&seen);
	a = sum_of ("sw.a");
	b = sum_of ("sw.b");
	ck_assert_uint_gt (a.n, 0);
	ck_assert_msg (a.ticks <= seen.a_most, "%llu of %llu ticks", (unsigned long long) a.ticks,
		       (unsigned long long) seen.a_most);
	/* what was open as it was switched off is counted */
	ck_assert_uint_gt (a.lost, 0);
	/* one that is not switched is measured each time all the while */
	ck_assert_uint_eq (b.n, seen.b);
	ck_assert_uint_eq (b.lost, 0);
	ck_assert_uint_gt (seen.c, 0);
	ck_assert_uint_eq (sum_of ("sw.c").n, 0);
	ck_assert_uint_le (a.n + a.lost + b.n, begun ());
}
END_TEST

/* Is the newest entry of sw.a a mark? */
static bool is_charged (const struct ppi_open *open, int n)
{
	for (int i = 0; i < n; i++) {
		const pp_site *site = site_called (PPI_MARK_SITE (open[i].what));

		if (site && strcmp (site->name, "sw.a") == 0)
			return site->kind == PP_ABI_SITE_FEATURE;
	}
	return false;
}

/* Of the thread at MY_PLACE: 1: it was charged in the user's code; -1: nobody knows. */
static int look (const struct ppi_thread *t, const uint64_t *at)
{
	struct ppi_open open[16];
	uint64_t before = __atomic_load_n (at, __ATOMIC_SEQ_CST);
	int n = ppi_marks_read (t, open, 16, NULL);

	if (n < 0 || before % 2 == 0 || __atomic_load_n (at, __ATOMIC_SEQ_CST) != before)
		return -1;
	return is_charged (open, n);
}

static const struct ppi_thread *state;

static void *run_alone (void *arg)
{
	struct seen seen = {0};

	my_place = arg;
	switched (&seen);
	__atomic_store_n (&state, ppi_thread_self (), __ATOMIC_RELEASE);
	return run (arg);
}

START_TEST (who_looks_never_sees_a_mark_of_a_feature_that_is_switched_where_user_code_runs)
{
	unsigned looks = 0;
	pthread_t id;
	void *seen;

	start (PPI_SINK_MARK);
	ck_assert_int_eq (pthread_create (&id, NULL, run_alone, &place[0]), 0);
	while (!__atomic_load_n (&state, __ATOMIC_ACQUIRE))
		sched_yield ();
	for (unsigned i = 0; i < switches (); i++) {
		ck_assert_int_eq (pp_feature_enable ("sw.a", (int) (i % 2)), MARKS_OF_A);
		for (int k = 0; k < 20; k++) {
			int charged = look (state, &place[0]);

			ck_assert_int_ne (charged, 1);
			looks += charged == 0;
		}
	}
	__atomic_store_n (&stop, true, __ATOMIC_RELAXED);
	pthread_join (id, &seen);
	free (seen);
	ck_assert_uint_gt (looks, 0);
}
END_TEST

static pp_site *feature (const char *name, unsigned kind)
{
	pp_site *s = ppi_site_first ();

	while (s && (s->kind != kind || strcmp (s->name, name) != 0))
		s = s->next;
	return s;
}

static bool is_on (const char *name)
{
	bool on;

	ppi_lock ();
	on = ppi_switch_is_on (feature (name, PP_ABI_SITE_FEATURE));
	ppi_unlock ();
	return on;
}

START_TEST (what_was_said_last_counts)
{
	static const char policy, other;

	ppi_runtime_start ();
	ck_assert (is_on ("sw.a"));
	ck_assert_int_eq (ppi_switch_set ("sw.*", false, &policy), 1);
	ck_assert (!is_on ("sw.a") && !is_on ("sw.b"));
	ck_assert (!ppi_switch_is_on (feature ("sw.a", PP_ABI_SITE_ANTIMARK)));
	ck_assert_int_eq (pp_feature_enable ("sw.a", 1), MARKS_OF_A);
	ck_assert (is_on ("sw.a") && !is_on ("sw.b"));
	ck_assert_int_eq (ppi_switch_set ("*", false, &other), 1);
	ck_assert (!is_on ("sw.a"));
	/* the same again is the newest then */
	ck_assert_int_eq (pp_feature_enable ("sw.a", 1), MARKS_OF_A);
	ck_assert (is_on ("sw.a"));
	ck_assert (ppi_switch_take_back (&other));
	ck_assert (!ppi_switch_take_back (&other));
	ck_assert (is_on ("sw.a") && !is_on ("sw.b"));
	ck_assert (ppi_switch_take_back (&policy));
	ck_assert (is_on ("sw.b"));
}
END_TEST

START_TEST (what_is_so_already_changes_nothing)
{
	static const char policy;

	ppi_runtime_start ();
	ck_assert_int_eq (ppi_switch_set ("sw.a", false, NULL), 1);
	ck_assert_int_eq (ppi_switch_set ("sw.a", false, NULL), 0);
	/* what is newer says the same */
	ck_assert_int_eq (ppi_switch_set ("sw.b", false, &policy), 1);
	ck_assert_int_eq (ppi_switch_set ("sw.a", false, NULL), 0);
	/* ... and now something else */
	ck_assert_int_eq (ppi_switch_set ("sw.*", true, &policy), 1);
	ck_assert (is_on ("sw.a"));
	ck_assert_int_eq (ppi_switch_set ("sw.a", false, NULL), 1);
	ck_assert (!is_on ("sw.a"));
	/* the policy's first word is no longer needed, and does not come back */
	ck_assert (is_on ("sw.b"));
	ck_assert (ppi_switch_take_back (&policy));
	ck_assert (is_on ("sw.b") && !is_on ("sw.a"));
}
END_TEST

START_TEST (words_that_no_longer_count_are_forgotten)
{
	char name[32];

	ppi_runtime_start ();
	for (int i = 0; i < 10000; i++) {
		snprintf (name, sizeof name, "sw.%c%d", i % 2 ? 'x' : 'y', i % 3000);
		ck_assert_int_eq (pp_feature_enable (name, 0), 0);
		if (i % 2000 == 1999)
			ck_assert_int_eq (pp_feature_enable ("sw.*", 1), MARKS);
	}
	ck_assert_int_eq (pp_feature_enable ("sw.?", 0), MARKS);
	ck_assert_int_eq (pp_feature_enable ("sw.?", 0), MARKS);
	ck_assert (!is_on ("sw.a") && !is_on ("sw.b"));
	/* what one glob does not cover of another stays */
	ck_assert_int_eq (pp_feature_enable ("*.b", 1), 1);
	ck_assert (!is_on ("sw.a") && is_on ("sw.b"));
	ck_assert_int_eq (pp_feature_enable ("*", 1), MARKS);
	ck_assert (is_on ("sw.a") && is_on ("sw.b"));
}
END_TEST

START_TEST (bad_names_are_refused_and_unknown_ones_wait)
{
	char name[600];

	ppi_runtime_start ();
	memset (name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	ck_assert_int_eq (pp_feature_enable (NULL, 1), PP_EINVAL);
	ck_assert_int_eq (pp_feature_enable ("", 1), PP_EINVAL);
	ck_assert_int_eq (pp_feature_enable (name, 1), PP_EINVAL);
	ck_assert_int_eq (pp_feature_enable ("sw.not_yet", 0), 0);
}
END_TEST

static Suite *switching (void)
{
	Suite *suite = suite_create ("switch");
	TCase *tests = tcase_create ("switch");

	tcase_add_test (tests, what_was_said_last_counts);
	tcase_add_test (tests, what_is_so_already_changes_nothing);
	tcase_add_test (tests, words_that_no_longer_count_are_forgotten);
	tcase_add_test (tests, bad_names_are_refused_and_unknown_ones_wait);
	tcase_add_test (tests, what_is_measured_of_a_feature_that_is_switched_is_its_own);
	tcase_add_test (
		tests,
		who_looks_never_sees_a_mark_of_a_feature_that_is_switched_where_user_code_runs);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {switching};

	return ppcheck_main (suites, 1);
}
