/* SPDX-License-Identifier: MIT */
/*
 * test_groups.c: which groups there are (libmetrics/region/groups.h), and what readers make of the
 * entries of a recording that nobody would write (recording/groups.h).
 */
#include "base/lock.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/region/region.h"
#include "recording/check.h"
#include "recording/groups.h"
#include "recording/layout.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/started.h"

#include <pthread.h>
#include <string.h>

static struct ppi_aggregate *acquire (const char *sites, unsigned dims, uint32_t max_groups)
{
	static const char *const by[] = {"a", "b", "c", "d"};
	struct ppi_aggregate *a;

	ppi_lock ();
	ck_assert_int_eq (ppi_region_init (), PP_OK);
	a = ppi_aggregate_acquire (by, dims, sites, PPI_STATS, max_groups);
	ppi_unlock ();
	ck_assert_ptr_nonnull (a);
	return a;
}

static uint32_t group (const struct ppi_aggregate *a, unsigned type, uint64_t x, uint64_t y)
{
	struct ppi_group_key key = {.value = {x, a->dims > 1 ? y : 0},
				    .type = {(uint8_t) type, a->dims > 1 ? PP_ABI_VALUE_INT : 0}};

	return ppi_group_of (a, a->groups, &key);
}

START_TEST (equal_values_are_one_group_and_types_tell_apart)
{
	struct ppi_aggregate *a = acquire ("types", 1, 10);
	uint32_t i = group (a, PP_ABI_VALUE_INT, 0, 0), p = group (a, PP_ABI_VALUE_POINTER, 0, 0),
		 d = group (a, PP_ABI_VALUE_DOUBLE, 0, 0),
		 none = group (a, PP_ABI_VALUE_NONE, 0, 0);

	ck_assert (i && p && d && none);
	ck_assert (i != p && i != d && i != none && p != d && p != none && d != none);
	ck_assert_uint_eq (group (a, PP_ABI_VALUE_INT, 0, 0), i);
	ck_assert_uint_eq (group (a, PP_ABI_VALUE_NONE, 0, 0), none);
}
END_TEST

START_TEST (beyond_max_groups_there_is_the_rest_and_known_groups_stay_known)
{
	struct ppi_aggregate *a = acquire ("bounds", 1, 3);
	uint32_t first = group (a, PP_ABI_VALUE_INT, 1, 0);

	ck_assert (first && group (a, PP_ABI_VALUE_INT, 2, 0));
	ck_assert_uint_eq (ppi_load (&a->groups->groups), 2);
	ck_assert (group (a, PP_ABI_VALUE_INT, 3, 0));
	ck_assert_uint_eq (ppi_load (&a->groups->groups), 3);
	for (uint64_t x = 4; x < 1000; x++)
		ck_assert_uint_eq (group (a, PP_ABI_VALUE_INT, x, 0), 0);
	ck_assert_uint_eq (group (a, PP_ABI_VALUE_INT, 1, 0), first);
}
END_TEST

START_TEST (groups_of_two_dimensions_share_the_nodes_of_equal_values)
{
	struct ppi_aggregate *a = acquire ("nodes", 2, 100);
	uint32_t one = group (a, PP_ABI_VALUE_INT, 1, 7), two = group (a, PP_ABI_VALUE_INT, 1, 8),
		 three = group (a, PP_ABI_VALUE_INT, 2, 7);
	const struct ppi_group_node *x = ppi_group_node (a->groups, one),
				    *y = ppi_group_node (a->groups, two),
				    *z = ppi_group_node (a->groups, three);

	ck_assert (one && two && three && one != two && one != three && two != three);
	ck_assert_uint_eq (x->prefix[0], y->prefix[0]);
	ck_assert_uint_ne (x->prefix[0], z->prefix[0]);
	ck_assert_uint_eq (x->alone[1], z->alone[1]);
	ck_assert_uint_ne (x->alone[1], y->alone[1]);
	ck_assert_uint_eq (x->prefix[1], one);
	ck_assert_uint_eq (x->alone[0], x->prefix[0]);
}
END_TEST

enum { THREADS = 8, VALUES = 2000 };

static struct ppi_aggregate *shared;
static uint32_t seen[THREADS][VALUES];

static void *insert (void *arg)
{
	size_t thread = (size_t) (uintptr_t) arg;

	for (uint64_t i = 0; i < VALUES; i++) {
		uint64_t x = thread % 2 ? VALUES - 1 - i : i;

		seen[thread][x] = group (shared, PP_ABI_VALUE_INT, x / 40, x % 40);
	}
	return NULL;
}

START_TEST (threads_that_meet_a_value_at_once_get_one_group)
{
	pthread_t thread[THREADS];

	/* each thread may hold one that another makes at the same time, and give it back */
	shared = acquire ("threads", 2, VALUES + THREADS);
	for (size_t i = 0; i < THREADS; i++)
		ck_assert_int_eq (pthread_create (&thread[i], NULL, insert, (void *) i), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join (thread[i], NULL);
	for (size_t i = 1; i < THREADS; i++)
		for (size_t x = 0; x < VALUES; x++) {
			ck_assert_uint_eq (seen[i][x], seen[0][x]);
			ck_assert_uint_ne (seen[i][x], 0);
		}
	for (size_t x = 1; x < VALUES; x++)
		ck_assert_uint_ne (seen[0][x], seen[0][x - 1]);
	/* what was given back counts no more */
	ck_assert_uint_eq (ppi_load (&shared->groups->groups), VALUES);
}
END_TEST

START_TEST (an_aggregate_that_is_asked_for_again_is_the_same)
{
	struct ppi_aggregate *a = acquire ("again", 2, 100);
	uint32_t number = group (a, PP_ABI_VALUE_INT, 1, 2);

	ppi_lock ();
	ppi_aggregate_release (a);
	ppi_unlock ();
	ck_assert_ptr_eq (acquire ("again", 2, 100), a);
	ck_assert_uint_eq (group (a, PP_ABI_VALUE_INT, 1, 2), number);
	ck_assert_ptr_ne (acquire ("again", 2, 101), a);
	ck_assert_ptr_ne (acquire ("again", 1, 100), a);
	ck_assert_ptr_eq (ppi_aggregate_at (a->number), a);
	ck_assert_ptr_null (ppi_aggregate_at (0));
	ck_assert_ptr_null (ppi_aggregate_at (PPI_AGGREGATES + 1));
}
END_TEST

/* ---- chunks that anybody may have written ---------------------------------------------------- */

static union {
	struct ppi_aggregate_chunk aggregate;
	struct ppi_group_chunk group;
	char bytes[4096];
} chunk;

static bool aggregate_is (uint32_t dims, unsigned accumulator, const char *text, size_t n)
{
	memset (&chunk, 0, sizeof chunk);
	chunk.aggregate.chunk.id = 1;
	chunk.aggregate.dims = dims;
	chunk.aggregate.accumulator = accumulator;
	memcpy (chunk.aggregate.text, text, n);
	return ppi_chunk_is_whole (&chunk.aggregate.chunk, PPI_CHUNK_AGGREGATE,
				   (uint32_t) (sizeof chunk.aggregate + n));
}

START_TEST (an_aggregate_has_its_texts_or_is_none)
{
	ck_assert (aggregate_is (1, PPI_STATS, "a\0s", 4));
	ck_assert (aggregate_is (1, PPI_HISTOGRAM, "a\0s", 4));
	ck_assert (!aggregate_is (1, PPI_SCALAR, "a\0s", 4));
	ck_assert (!aggregate_is (1, 200, "a\0s", 4));
	ck_assert (!aggregate_is (0, PPI_STATS, "a\0s", 4));
	ck_assert (!aggregate_is (PPI_GROUP_DIMS + 1, PPI_STATS, "a\0b\0c\0d\0e\0s", 12));
	/* no patterns; no end */
	ck_assert (!aggregate_is (1, PPI_STATS, "a", 2));
	ck_assert (!aggregate_is (2, PPI_STATS, "a\0s", 4));
	ck_assert (!aggregate_is (1, PPI_STATS, "a\0s", 3));
}
END_TEST

static bool group_is (uint32_t id, uint32_t site, uint32_t dims, uint8_t type, size_t more)
{
	memset (&chunk, 0, sizeof chunk);
	chunk.group.chunk.id = id;
	chunk.group.site = site;
	chunk.group.dims = dims;
	chunk.group.type[0] = type;
	return ppi_chunk_is_whole (&chunk.group.chunk, PPI_CHUNK_GROUP,
				   (uint32_t) (sizeof chunk.group + more));
}

START_TEST (a_group_has_room_for_what_it_says_or_is_none)
{
	const uint32_t id = PPI_GROUP_ID | 1;
	const size_t shard = sizeof (struct ppi_shard);

	ck_assert (group_is (id, 1, 1, PP_ABI_VALUE_INT, shard));
	ck_assert (group_is (id, 1, 4, PPI_GROUP_REST, shard));
	ck_assert (group_is (id, 0, 1, PP_ABI_VALUE_INT, 0));
	ck_assert (!group_is (id, 1, 1, PP_ABI_VALUE_INT, shard - 8));
	ck_assert (!group_is (id, 1, 0, PP_ABI_VALUE_INT, shard));
	ck_assert (!group_is (id, 1, PPI_GROUP_DIMS + 1, PP_ABI_VALUE_INT, shard));
	ck_assert (group_is (id, 1, 1, PP_ABI_VALUE_BOOL, shard));
	ck_assert (!group_is (id, 1, 1, PP_ABI_VALUE_UNSIGNED + 1, shard));
	ck_assert (!group_is (1, 1, 1, PP_ABI_VALUE_INT, shard));
}
END_TEST

static Suite *groups (void)
{
	Suite *suite = suite_create ("groups");
	TCase *tcase = tcase_create ("groups");

	tcase_add_test (tcase, equal_values_are_one_group_and_types_tell_apart);
	tcase_add_test (tcase, beyond_max_groups_there_is_the_rest_and_known_groups_stay_known);
	tcase_add_test (tcase, groups_of_two_dimensions_share_the_nodes_of_equal_values);
	tcase_add_test (tcase, threads_that_meet_a_value_at_once_get_one_group);
	tcase_add_test (tcase, an_aggregate_that_is_asked_for_again_is_the_same);
	tcase_add_test (tcase, an_aggregate_has_its_texts_or_is_none);
	tcase_add_test (tcase, a_group_has_room_for_what_it_says_or_is_none);
	suite_add_tcase (suite, tcase);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {groups};

	return ppcheck_main (suites, 1);
}
