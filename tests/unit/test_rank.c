/* SPDX-License-Identifier: MIT */
/* test_rank.c: the order of locks is checked where a build says so. */
#define PPI_CHECK_RANKS
#include "base/rank.h"

#include "tests/unit/ppcheck.h"

#include <signal.h>

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ && defined __OPTIMIZE__
__thread unsigned ppi_ranks_held;
#endif

START_TEST (an_order_that_is_kept_goes_through)
{
	ppi_rank_take (PPI_RANK_RUNTIME);
	ppi_rank_take (PPI_RANK_THREAD);
	ppi_rank_take (PPI_RANK_FILE);
	ppi_rank_give (PPI_RANK_FILE);
	ppi_rank_give (PPI_RANK_THREAD);
	ppi_rank_take (PPI_RANK_THREAD);
	ck_assert_uint_eq (ppi_ranks_held, 1u << PPI_RANK_THREAD | 1u << PPI_RANK_RUNTIME);
}
END_TEST

START_TEST (who_waits_for_a_lock_further_out_is_stopped)
{
	ppi_rank_take (PPI_RANK_FILE);
	ppi_rank_take (PPI_RANK_RUNTIME);
}
END_TEST

START_TEST (who_waits_for_the_lock_that_it_has_is_stopped)
{
	ppi_rank_take (PPI_RANK_FILE);
	ppi_rank_take (PPI_RANK_FILE);
}
END_TEST

START_TEST (what_was_had_without_waiting_may_be_had_in_any_order)
{
	ppi_rank_take (PPI_RANK_RUNTIME);
	ppi_rank_got (PPI_RANK_WRITING);
	ppi_rank_give (PPI_RANK_WRITING);
	ppi_rank_take (PPI_RANK_FILE);
}
END_TEST

static Suite *ranks (void)
{
	Suite *suite = suite_create ("rank");
	TCase *tests = tcase_create ("rank");

	tcase_add_test (tests, an_order_that_is_kept_goes_through);
	tcase_add_test_raise_signal (tests, who_waits_for_a_lock_further_out_is_stopped, SIGILL);
	tcase_add_test_raise_signal (tests, who_waits_for_the_lock_that_it_has_is_stopped, SIGILL);
	tcase_add_test (tests, what_was_had_without_waiting_may_be_had_in_any_order);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {ranks};

	return ppcheck_main (suites, 1);
}
