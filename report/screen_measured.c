/* SPDX-License-Identifier: MIT */
/*
 * screen_measured.c: what was measured, at a glance: a row for each metric, or for each metric at
 * each site.
 */
#include "recording/read.h"
#include "report/read.h"
#include "report/screen.h"

#include "base/glob.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Narrow terminals lack what stands in the group of the largest number first. */
#define FIGURES "  {n:*}<4  {avg:*}><3  {p50:*}><2  {p99:*}><1  {max:*}><6  {total:*}>"
#define MORE_FIGURES "<7  {last:*}><8  {min:*}><9  {stddev:*}>"
#define WIDE 110 /* columns from which on there is room for the function's name */

const char *const ppi_screen_orders[] = {"name", "n",     "avg",  "p50", "p99",
					 "max",  "total", "last", NULL};

static const char *const figures[] = {"n",     "avg",  "p50", "p99",    "max",
				      "total", "last", "min", "stddev", NULL};

struct entry {
	const struct ppi_row *metric, *figures; /* rows of the whole report */
	const char *site;                       /* as people read it */
	int weight;                             /* of metrics that matter */
	int unit;                               /* times first, plain numbers last */
	double value;                           /* that is sorted by */
	size_t place;
};

/* ---- the order ------------------------------------------------------------------------------- */

static int compare (const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->weight != y->weight)
		return y->weight - x->weight;
	if (x->unit != y->unit)
		return x->unit - y->unit;
	if (!(isnan (x->value) && isnan (y->value)) && x->value != y->value)
		return isnan (x->value) || x->value < y->value ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

static int compare_names (const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int metric = strcmp (ppi_text_of (x->metric, "name"), ppi_text_of (y->metric, "name"));
	int site = strcmp (x->site, y->site);

	return metric ? metric : site ? site : (x->place > y->place) - (x->place < y->place);
}

static int compare_sites (const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int site = strcmp (x->site, y->site);

	return site ? site : (x->place > y->place) - (x->place < y->place);
}

static void sort (struct entry *entry, size_t n, const char *key,
		  int (*unasked) (const void *a, const void *b))
{
	static const char *const units[] = {"s", "B"};
	bool by_name = key && strcmp (key, "name") == 0;

	for (size_t i = 0; key && !by_name && i < n; i++) {
		const char *unit = ppi_text_of (entry[i].metric, "unit");

		entry[i].weight = 0;
		entry[i].value = ppi_number_of (entry[i].figures, key);
		entry[i].unit = strcmp (key, "n") == 0         ? 0
				: strcmp (unit, units[0]) == 0 ? 0
				: strcmp (unit, units[1]) == 0 ? 1
							       : 2;
	}
	qsort (entry, n, sizeof *entry, by_name ? compare_names : key ? compare : unasked);
}

/* ---- what matters ---------------------------------------------------------------------------- */

static bool is_part (char c)
{
	return isalnum ((unsigned char) c) || c == '_';
}

/* Does EXPRESSION have NAME as a word? */
static bool has_word (const char *expression, const char *name)
{
	size_t n = strlen (name);

	for (const char *at = expression; n && (at = strstr (at, name)); at++)
		if ((at == expression || !is_part (at[-1])) && !is_part (at[n]))
			return true;
	return false;
}

static bool is_captured (const struct ppi_row *assertion, const char *name)
{
	const struct ppi_cell *captures = ppi_find_cell (assertion, "captures");
	const struct ppi_row *row = captures && captures->table ? captures->table->rows : NULL;

	while (row && strcmp (ppi_text_of (row, "metric"), name) != 0)
		row = row->next;
	return row != NULL;
}

/* 4: something is expected of it, and that fired; 1: it was captured; 0: nobody asks for it */
static int weight_of (const struct ppi_report *all, const char *name)
{
	int weight = 0;

	for (const struct ppi_row *a = ppi_first_row (all, "assertions"); a; a = a->next) {
		int one = has_word (ppi_text_of (a, "expression"), name)
				  ? ppi_number_of (a, "fired") > 0 ? 4 : 3
			  : is_captured (a, name) ? 2
						  : 0;

		weight = one > weight ? one : weight;
	}
	return weight;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool is_measured (const struct ppi_row *metric)
{
	const struct ppi_cell *unavailable = ppi_find_cell (metric, "unavailable");

	/* the row of headings has no name */
	return ppi_find_cell (metric, "name") &&
	       !(unavailable && unavailable->state == PPI_CELL_KNOWN);
}

static const struct ppi_row *first_of (const struct ppi_row *metric, const char *key)
{
	const struct ppi_cell *cell = ppi_find_cell (metric, key);

	return cell && cell->table ? cell->table->rows : NULL;
}

static size_t rows_of (const struct ppi_row *metric)
{
	const struct ppi_cell *cell = ppi_find_cell (metric, "sites");

	return cell && cell->table ? cell->table->n_rows : 0;
}

static const char *site_text (struct ppi_report *out, const struct ppi_row *site, unsigned least)
{
	const struct ppi_cell *cell = ppi_find_cell (site, "site");

	if (!cell || cell->state != PPI_CELL_KNOWN)
		return "(pp_sample)";
	return ppi_report_short_name (out, cell->text, least);
}

const char *ppi_screen_heading (struct ppi_report *out, const char *word, size_t shown, size_t n)
{
	return shown < n ? ppi_report_copy (out, "%s, %zu of %zu", word, shown, n) : word;
}

static struct ppi_table *begin_table (struct ppi_report *out, const char *first,
				      const char *heading, const char *form)
{
	struct ppi_table *table = ppi_table (out, NULL, "");
	struct ppi_row *headings = ppi_row (table);
	struct ppi_table *rows = ppi_put_table (headings, "rows", NULL);

	ppi_form (rows, form);
	ppi_head (rows, first, heading);
	for (const char *const *key = figures; *key; key++)
		ppi_head (rows, *key, *key);
	ppi_say (headings, "{#rows}\n{rows}");
	return rows;
}

size_t ppi_screen_count_metrics (const struct ppi_report *all)
{
	size_t n = 0;

	for (const struct ppi_row *m = ppi_first_row (all, "metrics"); m; m = m->next)
		n += is_measured (m);
	return n;
}

/* Where a metric was measured: the site, or how many */
static const char *place_text (struct ppi_report *out, const struct ppi_row *metric, unsigned least)
{
	size_t n = rows_of (metric);

	return n == 1 ? site_text (out, first_of (metric, "sites"), least)
		      : ppi_report_copy (out, "%zu sites", n);
}

void ppi_screen_put_metrics (struct ppi_report *out, const struct ppi_report *all,
			     const struct ppi_screen *screen, size_t most)
{
	size_t n = ppi_screen_count_metrics (all), used = 0;
	struct entry *entry = ppi_report_take (out, (n + 1) * sizeof *entry);
	struct ppi_table *rows;

	if (!n || !most || !entry)
		return;
	most = most < n ? most : n;
	for (const struct ppi_row *m = ppi_first_row (all, "metrics"); m; m = m->next)
		if (is_measured (m)) {
			entry[used] = (struct entry){m, first_of (m, "all"), "", 0, 0, 0, used};
			entry[used].weight = weight_of (all, ppi_text_of (m, "name")) +
					     (ppi_number_of (entry[used].figures, "n") > 0 ? 8 : 0);
			used++;
		}
	sort (entry, n, screen->sort, compare);
	rows = begin_table (out, "metric", ppi_screen_heading (out, "metric", most, n),
			    "{metric:-*}" FIGURES MORE_FIGURES "<5  {site:~}>");
	ppi_head (rows, "site", "site");
	for (size_t i = 0; i < most; i++) {
		struct ppi_row *row = ppi_row (rows);

		ppi_put_cell (row, "metric", ppi_find_cell (entry[i].metric, "name"));
		ppi_put_cells (row, entry[i].figures, figures);
		ppi_put_text (row, "site",
			      place_text (out, entry[i].metric, screen->columns < WIDE ? 1 : 2));
		ppi_say (row, "\n");
	}
}

/* ---- metrics at sites ------------------------------------------------------------------------ */

static bool is_wanted (const struct ppi_screen *screen, const char *metric,
		       const struct ppi_row *site)
{
	const char *name = ppi_text_of (site, "site");

	return (!screen->metric || ppi_glob_whole (screen->metric, metric)) &&
	       (!screen->site || (*name && ppi_glob_suffix (screen->site, name)));
}

/*
 * Each metric at each of its sites that SCREEN wants, into ENTRY where there is one. Returns how
 * many.
 */
static size_t gather (struct ppi_report *out, const struct ppi_report *all,
		      const struct ppi_screen *screen, struct entry *entry)
{
	size_t n = 0;

	for (const struct ppi_row *m = ppi_first_row (all, "metrics"); m; m = m->next)
		for (const struct ppi_row *s = is_measured (m) ? first_of (m, "sites") : NULL; s;
		     s = s->next) {
			if (!is_wanted (screen, ppi_text_of (m, "name"), s))
				continue;
			if (entry)
				entry[n] = (struct entry){m, s, site_text (out, s, 2), 0, 0, 0, n};
			n++;
		}
	return n;
}

/* What each metric in the table is */
static void put_kinds (struct ppi_report *out, const struct ppi_report *all,
		       const struct ppi_screen *screen)
{
	static const char *const keys[] = {"name", "accumulator", "source", "unavailable", NULL};
	struct ppi_table *table = ppi_table (out, NULL, NULL);

	for (const struct ppi_row *m = ppi_first_row (all, "metrics"); m; m = m->next) {
		struct ppi_row *row;

		if (!ppi_find_cell (m, "name") ||
		    !ppi_glob_whole (screen->metric, ppi_text_of (m, "name")))
			continue;
		row = ppi_row (table);
		ppi_put_cells (row, m, keys);
		ppi_say (row, is_measured (m) ? "{name}: {accumulator} of {source}\n"
					      : "{name}: not available here: {unavailable}\n");
	}
}

static void put_markers (struct ppi_report *out, const struct ppi_report *all,
			 const struct ppi_screen *screen)
{
	static const char *const keys[] = {"kind",          "markers",        "way", "cost_s",
					   "cost_inside_s", "cost_skipped_s", NULL};
	struct ppi_table *rows = begin_table (
		out, "site", "markers of",
		"{site:-*}  {kind:-*}  {markers:*}  {way:-*}<1  {cost_s:*}><1  {cost_inside_s:*}>"
		"<2  {cost_skipped_s:*}>");
	size_t n = 0;

	ppi_head (rows, "kind", "kind");
	ppi_head (rows, "markers", "copies");
	ppi_head (rows, "way", "way");
	ppi_head (rows, "cost_s", "cost");
	ppi_head (rows, "cost_inside_s", "inside");
	ppi_head (rows, "cost_skipped_s", "skipped");
	for (const struct ppi_row *s = ppi_first_row (all, "sites"); s; s = s->next) {
		const char *name = ppi_text_of (s, "name");
		struct ppi_row *row;

		if (!*name || (screen->site && !ppi_glob_suffix (screen->site, name)) ||
		    (screen->top && n >= screen->top))
			continue;
		n++;
		row = ppi_row (rows);
		ppi_put_text (row, "site", ppi_report_short_name (out, name, 2));
		ppi_put_cells (row, s, keys);
		ppi_say (row, "\n");
	}
}

struct ppi_report *ppi_screen_sites (const struct ppi_report *all, const struct ppi_screen *screen)
{
	struct ppi_report *out = ppi_report_begin (all->recording);
	size_t n = out ? gather (out, all, screen, NULL) : 0,
	       most = screen->top && screen->top < n ? screen->top : n;
	struct entry *entry = out ? ppi_report_take (out, (n + 1) * sizeof *entry) : NULL;
	struct ppi_table *rows;

	if (entry) {
		gather (out, all, screen, entry);
		sort (entry, n, screen->sort, compare_sites);
		if (screen->metric)
			put_kinds (out, all, screen);
		rows = begin_table (out, "site", ppi_screen_heading (out, "site", most, n),
				    "{site:-*}  {metric:-*}" FIGURES MORE_FIGURES);
		ppi_head (rows, "metric", "metric");
		for (size_t i = 0; i < most; i++) {
			struct ppi_row *row = ppi_row (rows);

			ppi_put_text (row, "site", entry[i].site);
			ppi_put_cell (row, "metric", ppi_find_cell (entry[i].metric, "name"));
			ppi_put_cells (row, entry[i].figures, figures);
			ppi_say (row, "\n");
		}
		if (!screen->metric)
			put_markers (out, all, screen);
	}
	if (out && out->has_failed) {
		ppi_report_free (out);
		out = NULL;
	}
	return out;
}
