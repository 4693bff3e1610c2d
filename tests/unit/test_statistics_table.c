/* SPDX-License-Identifier: MIT */
/*
 * test_statistics_table.c: the tables in docs/statistics.md are those that the library's list
 * makes. Where they differ, the line that the page should have is in the message.
 */
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "tests/unit/ppcheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 65536

static char page[PAGE];

static void read_page (void)
{
	const char *top = getenv ("srcdir");
	char path[4096];
	FILE *file;
	size_t n;

	snprintf (path, sizeof path, "%s/docs/statistics.md", top ? top : ".");
	file = fopen (path, "r");
	ck_assert_msg (file != NULL, "%s", path);
	n = fread (page, 1, sizeof page - 1, file);
	page[n] = '\0';
	fclose (file);
	ck_assert_uint_lt (n, sizeof page - 1);
}

static void must_have (const char *line)
{
	ck_assert_msg (strstr (page, line), "docs/statistics.md lacks the line: %s", line);
}

static const char *cell (enum ppi_accumulator accumulator, enum pp_statistic statistic)
{
	if (!ppi_statistic_exists (accumulator, statistic))
		return "-";
	return ppi_statistic_is_cheap (accumulator, statistic) ? "yes" : "scan";
}

static bool has_window (enum pp_statistic statistic)
{
	bool any = false;

	for (int a = 0; a < PPI_ACCUMULATOR_COUNT; a++)
		any = any || ppi_statistic_has_window ((enum ppi_accumulator) a, statistic);
	return any;
}

START_TEST (the_page_has_every_statistic_of_every_accumulator)
{
	char line[1024] = "\n| statistic |", rule[256] = "| --- |";

	for (int a = 0; a < PPI_ACCUMULATOR_COUNT; a++) {
		strcat (strcat (strcat (line, " "),
				ppi_accumulator_name ((enum ppi_accumulator) a)),
			" |");
		strcat (rule, " --- |");
	}
	strcat (strcat (strcat (line, " over [time] |\n"), rule), " --- |\n");
	must_have (line);
	for (int s = 0; s < PP_STATISTICS; s++) {
		snprintf (line, sizeof line, "\n| %s |",
			  ppi_statistic_name ((enum pp_statistic) s));
		for (int a = 0; a < PPI_ACCUMULATOR_COUNT; a++)
			strcat (strcat (strcat (line, " "),
					cell ((enum ppi_accumulator) a, (enum pp_statistic) s)),
				" |");
		must_have (strcat (
			strcat (line, has_window ((enum pp_statistic) s) ? " yes |" : " - |"),
			"\n"));
	}
}
END_TEST

static const char *unit (enum pp_statistic statistic)
{
	static const char *const units[] = {"plain", "the metric's", "its square"};

	return ppi_statistic_power (statistic) < 0 ? "per second"
						   : units[ppi_statistic_power (statistic)];
}

START_TEST (the_page_says_what_every_statistic_means_and_how_exact_it_is)
{
	char line[1024];

	for (int s = 0; s < PP_STATISTICS; s++) {
		enum pp_statistic one = (enum pp_statistic) s;

		snprintf (line, sizeof line, "\n| `%s` | %s | %s | %s |\n",
			  ppi_statistic_name (one), unit (one), ppi_statistic_meaning (one),
			  ppi_statistic_error (one));
		must_have (line);
	}
}
END_TEST

static Suite *table (void)
{
	Suite *s = suite_create ("statistics");
	TCase *c = tcase_create ("table");

	tcase_add_checked_fixture (c, read_page, NULL);
	tcase_add_test (c, the_page_has_every_statistic_of_every_accumulator);
	tcase_add_test (c, the_page_says_what_every_statistic_means_and_how_exact_it_is);
	suite_add_tcase (s, c);
	return s;
}

int main (void)
{
	Suite *(*const suites[]) (void) = {table};

	return ppcheck_main (suites, 1);
}
