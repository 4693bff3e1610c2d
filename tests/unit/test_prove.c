/* SPDX-License-Identifier: MIT */
/*
 * test_prove.c: the terms that markers compare are those of the condition, also in a program's
 * first moments, when the length of a tick is still being measured.
 */
#include "assertions/engine/prove.h"
#include "base/lock.h"
#include "base/start.h"
#include "base/types.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"
#include "stdmetrics/listing.h"
#include "tests/unit/assertion_parts.h"
#include "tests/unit/ppcheck.h"

#include <stdlib.h>
#include <string.h>

/* no module registers here */
void ppi_runtime_start (void)
{
}

static pp_metric *t;

/* t.LEFT <= FACTOR * t.RIGHT, as compiled */
static struct ppi_quick proof_of (enum pp_statistic left, double factor, enum pp_statistic right)
{
	struct ppi_ref references[2] = {
		{.kind = PPI_REF_METRIC, .property = (int16_t) left, .target = t},
		{.kind = PPI_REF_METRIC, .property = (int16_t) right, .target = t}};
	struct ppi_code code[] = {{.op = PPI_NODE_REFERENCE, .index = 0},
				  {.op = PPI_NODE_NUMBER, .constant = factor},
				  {.op = PPI_NODE_REFERENCE, .index = 1},
				  {.op = PPI_NODE_MUL},
				  {.op = PPI_NODE_LE}};
	struct ppi_program program = {.code = code,
				      .n_code = sizeof code / sizeof code[0],
				      .references = references,
				      .n_references = 2};
	struct ppi_binding binding = {.metric = t};
	struct ppi_op op = {.accumulator = PPI_STATS,
			    .class = PPI_SOURCE_TICKS,
			    .sample_type = PP_ABI_SAMPLE_INT,
			    .binding = &binding,
			    .instance = &t->instance};
	struct ppi_quick quick;

	memset (&quick, 0, sizeof quick);
	ppi_lock ();
	ck_assert (ppi_program_prove (&program, &op, 1, &quick));
	ppi_unlock ();
	ck_assert_uint_eq (quick.n_terms, 1);
	return quick;
}

START_TEST (where_both_sides_are_times_the_length_of_a_tick_cancels_out)
{
	double ratio = 1.25 * (1 - 0x1p-40);

	for (int i = 0; i < 50; i++) {
		struct ppi_quick quick = proof_of (PP_STAT_LAST, 1.25, PP_STAT_AVG);

		ck_assert_uint_eq (quick.term[0].whole, 1);
		ck_assert_uint_eq (quick.term[0].part, (uint64_t) ((ratio - 1) * 0x1p64));
	}
}
END_TEST

static void start (void)
{
	setenv ("PP_THREADS", "0", 1);
	ppi_stdmetrics_init ();
	start_assertions ();
	ck_assert_int_eq (pp_metric_new (&t, "t", "interval stats(elapsed)"), PP_OK);
}

static Suite *prove (void)
{
	Suite *s = suite_create ("prove");
	TCase *c = tcase_create ("prove");

	tcase_add_checked_fixture (c, start, NULL);
	tcase_add_test (c, where_both_sides_are_times_the_length_of_a_tick_cancels_out);
	suite_add_tcase (s, c);
	return s;
}

int main (void)
{
	Suite *(*const suites[]) (void) = {prove};

	return ppcheck_main (suites, 1);
}
