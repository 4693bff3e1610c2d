/* SPDX-License-Identifier: MIT */
/*
 * statistics.c: ppctl statistics: which statistic each accumulator has, what each means, costs and
 * how exact it is: the library's own list (base/types.h) as the tables of docs/statistics.md, which
 * are its output with --markdown.
 */
#include "base/chunk.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "ppctl/ppctl.h"

#include <getopt.h>
#include <string.h>

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl statistics [--markdown]\n\n"
		 "Prints which statistic each accumulator has, what it costs and means, and how\n"
		 "exact it is.\n\n"
		 "  --markdown   as tables of Markdown\n");
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

static const char *unit_of (enum pp_statistic statistic)
{
	static const char *const units[] = {"plain", "the metric's", "its square"};
	int power = ppi_statistic_power (statistic);

	return power < 0 ? "per second" : units[power];
}

static size_t rounded (size_t bytes)
{
	return (bytes + PPI_APART - 1) / PPI_APART * PPI_APART;
}

/* What a thread's part takes at each site, of the live region. */
static const char *memory_of (enum ppi_accumulator a, const char *quote, char *out, size_t room)
{
	const struct ppi_keep *keep = ppi_keep_of (a);

	if (keep->size.sample_bytes)
		snprintf (out, room, "%u and %u for each of %s%s%s", keep->bytes,
			  keep->size.sample_bytes, quote, keep->size.option, quote);
	else
		snprintf (out, room, "%zu%s", rounded (keep->bytes),
			  keep->grows ? keep->grows : "");
	return out;
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static void put_kept_table (void)
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

static void put_meanings_table (void)
{
	puts ("| statistic | unit | meaning | error |\n| --- | --- | --- | --- |");
	for (int i = 0; i < PP_STATISTICS; i++) {
		enum pp_statistic s = (enum pp_statistic) i;

		printf ("| `%s` | %s | %s | %s |\n", ppi_statistic_name (s), unit_of (s),
			ppi_statistic_meaning (s), ppi_statistic_error (s));
	}
}

static void put_memory_table (void)
{
	char text[128];

	puts ("| accumulator | bytes for each thread and site |\n| --- | --- |");
	for (int i = 0; i < PPI_ACCUMULATOR_COUNT; i++)
		printf ("| `%s` | %s |\n", ppi_accumulator_name ((enum ppi_accumulator) i),
			memory_of ((enum ppi_accumulator) i, "`", text, sizeof text));
}

/* ---- for people ------------------------------------------------------------------------------ */

#define COLUMNS 80
#define INDENT 4

/* In 80 columns: long names are cut off. */
static void put_kept (void)
{
	printf ("%-16s", "");
	for (int a = 0; a < PPI_ACCUMULATOR_COUNT; a++)
		printf ("%-8.7s", ppi_accumulator_name ((enum ppi_accumulator) a));
	puts ("[time]");
	for (int s = 0; s < PP_STATISTICS; s++) {
		printf ("%-16s", ppi_statistic_name ((enum pp_statistic) s));
		for (int a = 0; a < PPI_ACCUMULATOR_COUNT; a++)
			printf ("%-8s", cell ((enum ppi_accumulator) a, (enum pp_statistic) s));
		puts (has_window ((enum pp_statistic) s) ? "yes" : "-");
	}
	puts ("\nyes: at once, also at sites; scan: reads all that is kept; [time]: recent time");
}

/* TEXT, wrapped at blanks; a backslash before a bar is Markdown's. */
static void put_text (const char *text)
{
	int used = INDENT;

	printf ("%*s", INDENT - 1, "");
	while (*text) {
		size_t n = strcspn (text, " ");
		int columns = 0;

		for (size_t i = 0; i < n; i++)
			columns += ((unsigned char) text[i] & 0xc0) != 0x80;
		if (used + 1 + columns > COLUMNS && used > INDENT) {
			printf ("\n%*s", INDENT - 1, "");
			used = INDENT;
		}
		putchar (' ');
		for (size_t i = 0; i < n; i++)
			if (text[i] != '`' && (text[i] != '\\' || text[i + 1] != '|'))
				putchar (text[i]);
		used += 1 + columns;
		text += n + strspn (text + n, " ");
	}
	putchar ('\n');
}

static void put_meanings (void)
{
	for (int i = 0; i < PP_STATISTICS; i++) {
		enum pp_statistic s = (enum pp_statistic) i;
		char error[512];

		printf ("%s (%s)\n", ppi_statistic_name (s), unit_of (s));
		put_text (ppi_statistic_meaning (s));
		snprintf (error, sizeof error, "error: %s", ppi_statistic_error (s));
		put_text (error);
	}
}

static void put_memory (void)
{
	char text[128];

	puts ("bytes for each thread and site");
	for (int i = 0; i < PPI_ACCUMULATOR_COUNT; i++)
		printf ("  %-18s%s\n", ppi_accumulator_name ((enum ppi_accumulator) i),
			memory_of ((enum ppi_accumulator) i, "", text, sizeof text));
}

int ppctl_statistics (int argc, char **argv)
{
	bool markdown = false;
	const struct ppctl_option options[] = {{"markdown", PPCTL_FLAG, &markdown, 0}, {0}};
	int status = ppctl_options (argc, argv, "statistics", options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (optind < argc)
		return ppctl_wrong ("statistics", "it takes no arguments");
	(markdown ? put_kept_table : put_kept) ();
	putchar ('\n');
	(markdown ? put_meanings_table : put_meanings) ();
	putchar ('\n');
	(markdown ? put_memory_table : put_memory) ();
	return ppctl_flush (PPCTL_OK, "statistics");
}
