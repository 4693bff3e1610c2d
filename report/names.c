/* SPDX-License-Identifier: MIT */
/*
 * names.c: short names of sites. All names are sorted by their ends: of the names that end like
 * one, those that do so longest stand beside it then.
 */
#include "recording/read.h"
#include "report/read.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct ppi_known_names {
	size_t n;
	const char *name[];
};

/* As strcmp, from the end */
static int compare_ends (const void *a, const void *b)
{
	const char *x = *(const char *const *) a, *y = *(const char *const *) b;
	size_t i = strlen (x), j = strlen (y);

	while (i && j && x[i - 1] == y[j - 1])
		i--, j--;
	return !i || !j ? (i > j) - (i < j) : (unsigned char) x[i - 1] - (unsigned char) y[j - 1];
}

static size_t common_end (const char *a, const char *b)
{
	size_t i = strlen (a), j = strlen (b), n = 0;

	while (n < i && n < j && a[i - 1 - n] == b[j - 1 - n])
		n++;
	return n;
}

static struct ppi_known_names *names_of (struct ppi_report *report)
{
	size_t n = 0;

	if (report->names)
		return report->names;
	for (const struct ppi_site_chunk *s = NULL;
	     (s = ppi_recording_next (report->recording, PPI_CHUNK_SITE, s));)
		n++;
	report->names = ppi_report_take (report, sizeof *report->names + (n + 1) * sizeof (char *));
	if (!report->names)
		return NULL;
	for (const struct ppi_site_chunk *s = NULL;
	     (s = ppi_recording_next (report->recording, PPI_CHUNK_SITE, s)) &&
	     report->names->n < n;)
		report->names->name[report->names->n++] = s->name;
	qsort (report->names->name, report->names->n, sizeof (char *), compare_ends);
	return report->names;
}

/* May a name begin at NAME[AT]? Not inside "::". */
static bool is_border (const char *name, size_t at)
{
	if (!at || name[at - 1] == '!' || name[at - 1] == '/')
		return true;
	return name[at - 1] == ':' && name[at] != ':' && (at < 2 || name[at - 2] != ':');
}

/*
 * How much of its end SITE shares with the nearest other name in the direction STEP of FOUND, which
 * is SITE's place
 */
static size_t shared_with (const struct ppi_known_names *names, const char *const *found,
			   const char *site, ptrdiff_t step)
{
	const char *const *other = found + step;

	while (other >= names->name && other < names->name + names->n && strcmp (site, *other) == 0)
		other += step;
	return other >= names->name && other < names->name + names->n ? common_end (site, *other)
								      : 0;
}

const char *ppi_report_short_name (struct ppi_report *report, const char *site, unsigned least)
{
	const struct ppi_known_names *names = names_of (report);
	const char *const *found =
		names ? bsearch (&site, names->name, names->n, sizeof (char *), compare_ends)
		      : NULL;
	size_t length = strlen (site), at = length, before, after;

	if (!found)
		return site;
	before = shared_with (names, found, site, -1);
	after = shared_with (names, found, site, 1);
	for (unsigned parts = 0;
	     at && (parts < least || length - at <= (before > after ? before : after)); parts++)
		do
			at--;
		while (!is_border (site, at));
	return site + at;
}
