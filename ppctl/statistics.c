/* SPDX-License-Identifier: MIT */
/*
 * statistics.c: ppctl statistics: which statistic each accumulator has, what each means, costs and how exact it is: the library's own list (libmetrics/types.h) as the
 * tables of docs/statistics.md, which are this output.
 */
#include "ppctl/ppctl.h"

#include "libmetrics/report.h"
#include "libmetrics/types.h"

#include <getopt.h>

static void help (FILE *out)
{
	fprintf (out, "usage: ppctl statistics\n\n"
		      "Prints which statistic each accumulator has, what it costs and means, and how\n"
		      "exact it is.\n");
}

static const char *cell (enum ppi_accumulator accumulator, enum pp_statistic statistic)
{
	if (!ppi_statistic_exists (accumulator, statistic))
		return "-";
	return ppi_statistic_is_cheap (accumulator, statistic) ? "yes" : "scan";
}

/* Has any accumulator it over a window of time? */
static bool has_window (enum pp_statistic statistic)
{
	for (int a = 0; a < PPI_ACCUMULATOR_COUNT; a++)
		if (ppi_statistic_has_window ((enum ppi_accumulator) a, statistic))
			return true;
	return false;
}

static void put_kept (void)
{
	fputs ("| statistic |", stdout);
	for (int a = 0; a < PPI_ACCUMULATOR_COUNT; a++)
		printf (" %s |", ppi_accumulator_name ((enum ppi_accumulator) a));
	fputs (" over [time] |\n| --- |", stdout);
	for (int a = 0; a <= PPI_ACCUMULATOR_COUNT; a++)
		fputs (" --- |", stdout);
	putchar ('\n');
	for (int s = 0; s < PP_STATISTICS; s++) {
		printf ("| %s |", ppi_statistic_name ((enum pp_statistic) s));
		for (int a = 0; a < PPI_ACCUMULATOR_COUNT; a++)
			printf (" %s |", cell ((enum ppi_accumulator) a, (enum pp_statistic) s));
		printf (" %s |\n", has_window ((enum pp_statistic) s) ? "yes" : "-");
	}
}

static void put_meanings (void)
{
	static const char *const units[] = {"plain", "the metric's", "its square"};

	puts ("| statistic | unit | meaning | error |\n| --- | --- | --- | --- |");
	for (int i = 0; i < PP_STATISTICS; i++) {
		enum pp_statistic s = (enum pp_statistic) i;
		int power = ppi_statistic_power (s);

		printf ("| `%s` | %s | %s | %s |\n", ppi_statistic_name (s), power < 0 ? "per second" : units[power],
			ppi_statistic_meaning (s), ppi_statistic_error (s));
	}
}

static size_t rounded (size_t bytes)
{
	return (bytes + PPI_CHUNK_ALIGN - 1) / PPI_CHUNK_ALIGN * PPI_CHUNK_ALIGN;
}

/* What a thread's part takes at each site, of the live region. */
static void put_memory (void)
{
	puts ("| accumulator | bytes for each thread and site |\n| --- | --- |");
	for (int i = 0; i < PPI_ACCUMULATOR_COUNT; i++) {
		enum ppi_accumulator a = (enum ppi_accumulator) i;

		printf ("| `%s` | ", ppi_accumulator_name (a));
		if (a == PPI_BOUNDED_SERIES)
			printf ("%zu and 8 for each of `size`", sizeof (struct ppi_series_shard));
		else if (a == PPI_HISTOGRAM)
			printf ("%zu and %zu for each power of two that occurs",
				rounded (sizeof (struct ppi_histogram_shard)),
				rounded (sizeof (struct ppi_buckets_chunk)));
		else if (a == PPI_UNBOUNDED_SERIES)
			printf ("%zu, and 8 to 16 for each sample", rounded (sizeof (struct ppi_unbounded_shard)));
		else
			printf ("%zu", rounded (sizeof (struct ppi_shard)));
		puts (" |");
	}
}

int ppctl_statistics (int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	int option;

	while ((option = getopt_long (argc, argv, "", options, NULL)) != -1) {
		if (option != 'h')
			return ppctl_see_help ("statistics");
		help (stdout);
		return PPCTL_OK;
	}
	if (optind < argc)
		return ppctl_wrong ("statistics", "it takes no arguments");
	put_kept ();
	putchar ('\n');
	put_meanings ();
	putchar ('\n');
	put_memory ();
	return ppctl_flush (PPCTL_OK, "statistics");
}
