/* SPDX-License-Identifier: MIT */
/*
 * test_engine_machine.c: the state machine as tables; the way of outcomes through rings and
 * threads.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/machine.h"
#include "assertions/engine/post.h"
#include "assertions/engine/seen.h"
#include "assertions/engine/threads.h"
#include "tests/unit/fake_runtime.h"
#include "tests/unit/ppcheck.h"

#include <pthread.h>
#include <string.h>

/* ---- the state machine ----------------------------------------------------------------------- */

/*
 * Outcomes, 10 ms apart: f fail, p pass, u unknown. Then the edge that each gives: F fires, C
 * clears, R repeats, . nothing; and the state after it: o ok, p pending, f firing, u unknown.
 */
static const struct {
	struct ppi_machine_spec spec;
	const char *outcomes, *edges, *states;
} machines[] = {
	/* for 1, clear 1 */
	{{1, 1, 0, false}, "pfpfp", ".FCFC", "ofofo"},
	{{1, 1, 0, false}, "ffffp", "F...C", "ffffo"},
	/* for 3 fires at the third consecutive failure */
	{{3, 1, 0, false}, "fff", "..F", "ppf"},
	{{3, 1, 0, false}, "ffpffpfff", "........F", "ppoppoppf"},
	/* clear 3 at the third consecutive pass */
	{{1, 3, 0, false}, "fppp", "F..C", "fffo"},
	{{1, 3, 0, false}, "fppfpppf", "F.....CF", "ffffffof"},
	{{2, 2, 0, false}, "fpffpfpp", "...F...C", "popffffo"},
	/* unknown neither fires nor clears, and interrupts no run */
	{{1, 1, 0, false}, "uuu", "...", "uuu"},
	{{3, 1, 0, false}, "fufuf", "....F", "pupuf"},
	{{1, 3, 0, false}, "fpuppf", "F...CF", "ffffof"},
	{{1, 1, 0, false}, "fuup", "F..C", "fffo"},
	{{1, 1, 0, false}, "pup", "...", "ouo"},
	{{2, 1, 0, false}, "fup", "...", "puo"},
	/* cooldown delays the next fire, not the state: 30 ms */
	{{1, 1, 30000000, false}, "fpfffp", "FC.F.C", "fopffo"},
	{{1, 1, 30000000, false}, "fpfpff", "FC..F.", "fopoff"},
	{{2, 1, 30000000, false}, "ffpffff", ".FC.F..", "pfopfff"},
	{{1, 1, 30000000, false}, "fppppf", "FC...F", "foooof"},
	{{1, 1, 30000000, false}, "fpfuf", "FC..F", "fopuf"},
	/* repeat: the actions again while it fires, at most once per cooldown */
	{{1, 1, 0, true}, "fffpf", "FRRCF", "fffof"},
	{{1, 1, 30000000, true}, "ffffff", "F..R..", "ffffff"},
	{{1, 2, 0, true}, "fpfpp", "F.R.C", "ffffo"},
};

START_TEST (state_machine_follows_its_table)
{
	static const char edges[] = ".FCR", states[] = "opfu";
	struct ppi_machine machine = {0};
	size_t n = strlen (machines[_i].outcomes);

	ck_assert_uint_eq (strlen (machines[_i].edges), n);
	ck_assert_uint_eq (strlen (machines[_i].states), n);
	for (size_t i = 0; i < n; i++) {
		char c = machines[_i].outcomes[i];
		enum ppi_outcome outcome = c == 'f' ? PPI_FAIL : c == 'p' ? PPI_PASS : PPI_UNKNOWN;
		struct ppi_machine before = machine;
		bool idle = ppi_machine_idle (&machine, outcome);
		enum ppi_edge edge = ppi_machine_step (&machine, &machines[_i].spec, outcome,
						       1000000000 + i * 10000000);

		ck_assert_msg (edges[edge] == machines[_i].edges[i], "%s: step %zu gives %c",
			       machines[_i].outcomes, i, edges[edge]);
		ck_assert_msg (states[ppi_machine_state (&machine)] == machines[_i].states[i],
			       "%s: step %zu leaves %c", machines[_i].outcomes, i,
			       states[ppi_machine_state (&machine)]);
		if (idle)
			ck_assert_mem_eq (&before, &machine, sizeof machine);
	}
}
END_TEST

/* ---- rings ----------------------------------------------------------------------------------- */

START_TEST (posts_come_out_in_their_order_and_full_says_so)
{
	static struct ppi_seen slots[PPI_POSTS];
	static struct ppi_posts posts = {.slot = slots};
	struct ppi_seen seen = {.outcome = PPI_FAIL};

	ppi_posts_init (&posts);
	for (int round = 0; round < 3; round++) {
		ck_assert (!ppi_posts_take (&posts, &seen));
		for (unsigned i = 0; i < PPI_POSTS; i++) {
			seen.left = i;
			ck_assert (ppi_posts_put (&posts, &seen));
		}
		ck_assert (!ppi_posts_put (&posts, &seen));
		for (unsigned i = 0; i < PPI_POSTS; i++) {
			ck_assert (ppi_posts_take (&posts, &seen));
			ck_assert_double_eq (seen.left, i);
		}
	}
}
END_TEST

static struct ppi_assertion *shared;

static void *see_failures (void *arg)
{
	struct ppi_seen seen = {.outcome = PPI_FAIL, .thread = 1};

	(void) arg;
	for (int i = 0; i < 20000; i++) {
		seen.outcome = (uint8_t) (i % 2 ? PPI_PASS : PPI_FAIL);
		ppi_assertion_saw (shared, &seen, false);
	}
	return NULL;
}

static const struct ppi_names no_names;

static void make_shared (void)
{
	struct ppi_expr_errors errors = {NULL, NULL, NULL};
	struct ppi_program *program;

	fake_start ();
	ck_assert_int_eq (
		ppi_program_create ("1 < 2", PPI_EXPR_MERGED, &no_names, &errors, &program), 0);
	shared = ppi_assertion_create ("a", NULL, program);
}

START_TEST (counts_are_exact_with_four_threads)
{
	pthread_t threads[4];

	make_shared ();
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq (pthread_create (&threads[i], NULL, see_failures, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join (threads[i], NULL);
	ppi_assertion_saw (shared, NULL, false);
	ck_assert_uint_eq (shared->chunk->violations, 40000);
	ck_assert_uint_eq (shared->chunk->passes, 40000);
	ck_assert_uint_eq (shared->chunk->checks, 80000);
	/* each fire is followed by a clear or still on */
	ck_assert_uint_le (shared->chunk->cleared, shared->chunk->fired);
	ck_assert_uint_le (shared->chunk->fired - shared->chunk->cleared, 1);
	ck_assert_uint_eq (shared->chunk->state == PP_STATE_FIRING,
			   shared->chunk->fired - shared->chunk->cleared);
	ppi_assertion_destroy (shared);
}
END_TEST

/* Thread TID sees OUTCOME while somebody steps the machine, or while nobody does. */
static void see (enum ppi_outcome outcome, uint32_t tid, bool while_busy)
{
	struct ppi_seen seen = {.outcome = (uint8_t) outcome, .thread = (int) tid};

	shared->busy = while_busy;
	ppi_assertion_saw (shared, &seen, false);
	shared->busy = 0;
}

START_TEST (outcomes_behind_one_that_is_being_written_keep_their_order)
{
	uint32_t at;

	make_shared ();
	ck_assert (ppi_ring_claim (&shared->posts.ring, shared->posts.turn, PPI_POSTS, &at));
	see (PPI_FAIL, 1, true);
	see (PPI_PASS, 1, false);
	shared->posts.slot[at] = (struct ppi_seen){.outcome = PPI_PASS, .thread = 2};
	ppi_ring_written (shared->posts.turn, PPI_POSTS, at);
	ppi_assertion_saw (shared, NULL, false);
	ck_assert_uint_eq (shared->chunk->fired, 1);
	ck_assert_uint_eq (shared->chunk->cleared, 1);
	ck_assert_uint_eq (shared->chunk->state, PP_STATE_OK);
	ppi_assertion_destroy (shared);
}
END_TEST

START_TEST (one_that_is_being_written_holds_nobody_else_back)
{
	uint32_t at;

	make_shared ();
	ck_assert (ppi_ring_claim (&shared->posts.ring, shared->posts.turn, PPI_POSTS, &at));
	see (PPI_FAIL, 1, true);
	see (PPI_FAIL, 2, false);
	ck_assert_uint_eq (shared->chunk->fired, 1);
	for (unsigned i = 0; i < 2 * PPI_POSTS; i++)
		see (i % 2 ? PPI_FAIL : PPI_PASS, 2, false);
	ck_assert_uint_eq (shared->lost, 0);
	ck_assert_uint_eq (shared->chunk->fired, 1 + PPI_POSTS);
	ppi_assertion_destroy (shared);
}
END_TEST

START_TEST (what_a_thread_left_behind_is_stepped_before_its_state_ends)
{
	make_shared ();
	shared->threads = ppi_threads_create ();
	shared->spec.fire_after = 3;
	see (PPI_FAIL, 7, false);
	see (PPI_FAIL, 7, false);
	see (PPI_FAIL, 7, true);
	fake.gone = 7;
	ppi_assertion_reap (shared, UINT64_C (10000000000));
	ppi_assertion_saw (shared, NULL, false);
	ck_assert_uint_eq (shared->chunk->fired, 1);
	see (PPI_FAIL, 8, true); /* what others have posted is no reason to wait */
	ppi_assertion_reap (shared, UINT64_C (20000000000));
	ck_assert_uint_eq (shared->chunk->cleared, 1);
	ck_assert_uint_eq (shared->threads->used, 0);
	ppi_assertion_destroy (shared);
}
END_TEST

static Suite *machine (void)
{
	Suite *suite = suite_create ("state machine");
	TCase *tests = tcase_create ("state machine");

	tcase_add_loop_test (tests, state_machine_follows_its_table, 0,
			     (int) (sizeof machines / sizeof *machines));
	tcase_add_test (tests, posts_come_out_in_their_order_and_full_says_so);
	tcase_add_test (tests, counts_are_exact_with_four_threads);
	tcase_add_test (tests, outcomes_behind_one_that_is_being_written_keep_their_order);
	tcase_add_test (tests, one_that_is_being_written_holds_nobody_else_back);
	tcase_add_test (tests, what_a_thread_left_behind_is_stepped_before_its_state_ends);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {machine};

	return ppcheck_main (suites, 1);
}
