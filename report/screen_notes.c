/* SPDX-License-Identifier: MIT */
/*
 * screen_notes.c: lines of the first screen behind its tables: what was not measured, what is
 * missing here, what measuring cost, what was computed; and the texts of parts that such lines are
 * made of.
 */
#include "base/quantity.h"
#include "base/types.h"
#include "report/read.h"
#include "report/screen.h"

#include <math.h>
#include <stdio.h>

void ppi_screen_list_add (struct ppi_screen_list *list, const char *gap, const char *part)
{
	int n = snprintf (list->text + list->used, sizeof list->text - list->used, "%s%s",
			  list->used ? gap : "", part);

	if (n > 0)
		list->used += (size_t) n < sizeof list->text - list->used
				      ? (size_t) n
				      : sizeof list->text - list->used - 1;
}

const struct ppi_table *ppi_screen_table_in (const struct ppi_row *row, const char *key)
{
	const struct ppi_cell *cell = ppi_find_cell (row, key);

	return cell && cell->kind == PPI_CELL_TABLE ? cell->table : NULL;
}

static void note (struct ppi_table *table, const char *text, enum ppi_tone tone)
{
	struct ppi_row *row = ppi_row (table);

	ppi_put_text (row, "text", text);
	ppi_tone (row, "text", tone);
	ppi_say (row, "{text:~}\n");
}

/* "not measured: 7 (longjmp 7)" */
static void note_drops (struct ppi_report *out, const struct ppi_report *all,
			struct ppi_table *table)
{
	const struct ppi_row *drops = ppi_first_row (all, "drops");
	struct ppi_screen_list list = {.used = 0};
	double n = 0;

	for (int i = 0; i < PP_DROPS; i++) {
		const char *name = ppi_drop_name ((enum pp_drop) i);
		double some = ppi_number_of (drops, name);
		char one[80];

		if (!(some > 0) || ppi_report_is_inexact ((enum pp_drop) i))
			continue;
		snprintf (one, sizeof one, "%s %.0f", name, some);
		ppi_screen_list_add (&list, ", ", one);
		n += some;
	}
	if (list.used)
		note (table, ppi_report_copy (out, "not measured: %.0f (%s)", n, list.text),
		      PPI_TONE_DOUBTFUL);
}

/* What was measured, but is no longer there, or not exact */
static void note_doubts (struct ppi_report *out, const struct ppi_report *all,
			 struct ppi_table *table)
{
	const struct ppi_cell *given_up =
		ppi_find_cell (ppi_first_row (all, "program"), "given_up");
	double n = ppi_number_of (ppi_first_row (all, "drops"), ppi_drop_name (PP_DROP_STRINGS));

	if (given_up && given_up->flag)
		note (table, "given up: the oldest records and samples, to keep to max_size",
		      PPI_TONE_DOUBTFUL);
	if (n > 0)
		note (table,
		      ppi_report_copy (out,
				       "not exact: texts found no room %.0f times (strings): they "
				       "are \"other\", or in (rest)",
				       n),
		      PPI_TONE_DOUBTFUL);
}

static void note_overhead (struct ppi_report *out, const struct ppi_report *all,
			   struct ppi_table *table)
{
	const struct ppi_row *row = ppi_first_row (all, "overhead");
	char share[PPI_QUANTITY_BYTES], budget[PPI_QUANTITY_BYTES];

	if (!row || isnan (ppi_number_of (row, "share")) || isnan (ppi_number_of (row, "budget")))
		return;
	note (table,
	      ppi_report_copy (
		      out, "overhead: the markers took %s of a thread's time, the budget is %s",
		      ppi_share_format (ppi_number_of (row, "share"), share, sizeof share),
		      ppi_share_format (ppi_number_of (row, "budget"), budget, sizeof budget)),
	      ppi_number_of (row, "share") > ppi_number_of (row, "budget") ? PPI_TONE_DOUBTFUL
									   : PPI_TONE_NONE);
}

/* Metrics that this machine lacks, and names that a policy still waits for */
static void note_missing (struct ppi_report *out, const struct ppi_report *all,
			  struct ppi_table *table)
{
	const struct ppi_table *pending = ppi_find_table (all, "pending");
	struct ppi_screen_list list = {.used = 0};
	size_t waits = pending ? pending->n_rows : 0;

	for (const struct ppi_row *m = ppi_first_row (all, "metrics"); m; m = m->next)
		if (*ppi_text_of (m, "unavailable"))
			ppi_screen_list_add (&list, ", ", ppi_text_of (m, "name"));
	if (list.used)
		note (table, ppi_report_copy (out, "not available here: %s", list.text),
		      PPI_TONE_NONE);
	if (waits)
		note (table,
		      ppi_report_copy (out, "pending: %zu name%s of the policy %s never found",
				       waits, ppi_report_plural (waits),
				       waits == 1 ? "was" : "were"),
		      PPI_TONE_DOUBTFUL);
}

/* "rays_per_s 1.4 /s, miss_rate 0.12" */
static void note_figures (struct ppi_report *out, const struct ppi_report *all,
			  struct ppi_table *table)
{
	struct ppi_screen_list list = {.used = 0};

	for (const struct ppi_row *f = ppi_first_row (all, "figures"); f; f = f->next) {
		const struct ppi_cell *value = ppi_find_cell (f, "value");
		const char *statistic = ppi_text_of (f, "statistic");
		char one[160], number[PPI_QUANTITY_BYTES];

		if (!value || value->state != PPI_CELL_KNOWN ||
		    !isnan (ppi_number_of (f, "window_s")))
			continue;
		ppi_quantity_format (value->number,
				     (struct ppi_dimension){value->seconds, value->bytes}, number,
				     sizeof number);
		snprintf (one, sizeof one, "%s%s%s %s", ppi_text_of (f, "metric"),
			  *statistic ? "." : "", statistic, number);
		ppi_screen_list_add (&list, ", ", one);
	}
	if (list.used)
		note (table, ppi_report_copy (out, "computed: %s", list.text), PPI_TONE_NONE);
}

/* "in groups by command: 200 of group:serve; ..." */
static void note_groups (struct ppi_report *out, const struct ppi_report *all,
			 struct ppi_table *table)
{
	for (const struct ppi_row *a = ppi_first_row (all, "aggregates"); a; a = a->next) {
		const struct ppi_table *groups = ppi_screen_table_in (a, "groups");
		const struct ppi_cell *by = ppi_find_cell (a, "by");
		size_t n = 0;

		for (const struct ppi_row *g = groups ? groups->rows : NULL; g; g = g->next)
			n += ppi_find_cell (g, "n") != NULL;
		note (table,
		      ppi_report_copy (out, "in groups by %s: %zu of %s; --all, or ppctl query",
				       by && by->text ? by->text : "?", n,
				       ppi_text_of (a, "sites")),
		      PPI_TONE_NONE);
	}
}

struct ppi_table *ppi_screen_notes (struct ppi_report *out, const struct ppi_report *all)
{
	struct ppi_table *notes = ppi_table (out, NULL, "");

	note_drops (out, all, notes);
	note_doubts (out, all, notes);
	note_missing (out, all, notes);
	note_overhead (out, all, notes);
	note_figures (out, all, notes);
	note_groups (out, all, notes);
	return notes;
}
