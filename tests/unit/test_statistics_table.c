/* SPDX-License-Identifier: MIT */
/* test_statistics_table.c: the table in docs/statistics.md is the library's. */
#include "libmetrics/types.h"
#include "tests/unit/ppcheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns' accumulators, in the order of the page. */
static const enum ppi_accumulator columns[] = {PPI_SCALAR, PPI_COUNT, PPI_SUMCOUNT, PPI_BOUNDED_SERIES, PPI_STATS};

enum { N_COLUMNS = sizeof (columns) / sizeof (columns[0]) };

static const char *expected_cell (enum ppi_accumulator accumulator, enum pp_statistic statistic)
{
	if (!ppi_statistic_exists (accumulator, statistic))
		return "-";
	return ppi_statistic_is_cheap (accumulator, statistic) ? "yes" : "scan";
}

/* Compares one row; returns its statistic, or -1 for a line that is no row. */
static int compare_row (char *line)
{
	char *rest = line, *cell = strtok_r (rest, "| \n", &rest);
	int statistic = line[0] == '|' && cell ? ppi_statistic_parse (cell) : -1;

	for (unsigned i = 0; statistic >= 0 && i < N_COLUMNS; i++) {
		cell = strtok_r (rest, "| \n", &rest);
		ck_assert_msg (cell && strcmp (cell, expected_cell (columns[i], (enum pp_statistic) statistic)) == 0,
			       "%s of %s: the page says %s, the library %s",
			       ppi_statistic_name ((enum pp_statistic) statistic), ppi_accumulator_name (columns[i]),
			       cell ? cell : "nothing", expected_cell (columns[i], (enum pp_statistic) statistic));
	}
	return statistic;
}

START_TEST (the_page_has_every_statistic_as_the_library_has_it)
{
	const char *top = getenv ("srcdir");
	char path[4096], line[512];
	unsigned seen = 0;
	FILE *page;
	int statistic;

	snprintf (path, sizeof (path), "%s/docs/statistics.md", top ? top : ".");
	page = fopen (path, "r");
	ck_assert_msg (page != NULL, "%s", path);
	while (fgets (line, sizeof (line), page))
		if ((statistic = compare_row (line)) >= 0)
			seen |= 1u << statistic;
	fclose (page);
	ck_assert_uint_eq (seen, (1u << PP_STATISTICS) - 1);
}
END_TEST

static Suite *table (void)
{
	Suite *s = suite_create ("statistics");
	TCase *c = tcase_create ("table");

	tcase_add_test (c, the_page_has_every_statistic_as_the_library_has_it);
	suite_add_tcase (s, c);
	return s;
}

int main (void)
{
	Suite *(*const suites[]) (void) = {table};

	return ppcheck_main (suites, 1);
}
