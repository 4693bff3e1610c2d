/* SPDX-License-Identifier: MIT */
/*
 * where.c: where the time of executions went that violated an assertion, in its row of a report:
 * what the profile's samples in them saw (profiler/analysis/where.h). Names of functions need the
 * files that were sampled, so a report that a program writes itself does not have it.
 */
#include "ppctl/report.h"

#include "profiler/analysis/where.h"
#include "recording/read.h"
#include "report/model.h"

#include <math.h>

enum { ROWS = 5 };       /* of an assertion, by each kind, at most */
#define LEAST_SHARE 0.03 /* less is not worth a line */

static const struct kind {
	enum ppi_by by;
	const char *name;
} kinds[] = {{PPI_BY_INTERVAL, "interval"}, {PPI_BY_FUNCTION, "function"}};

/* Whose names can't be had is told by `ppctl profile`. */
static void ignore (const char *path, const char *why, void *arg)
{
	(void) path;
	(void) why;
	(void) arg;
}

static void put_row (struct ppi_table *table, const struct kind *kind,
		     const struct ppi_where *where, const struct ppi_where_row *from)
{
	struct ppi_row *row = ppi_row (table);

	ppi_put_text (row, "by", kind->name);
	ppi_put_text (row, "name",
		      ppi_report_copy (table->report, "%s", *from->name ? from->name : "???"));
	ppi_put_double (row, "share", PPI_CELL_SHARE, from->share);
	ppi_put_double (row, "share_low", PPI_CELL_SHARE, from->low);
	ppi_put_double (row, "share_high", PPI_CELL_SHARE, from->high);
	ppi_put_double (row, "share_elsewhere", PPI_CELL_SHARE, from->elsewhere);
	ppi_put_double (row, "samples", PPI_CELL_WHOLE, floor (where->samples + 0.5));
	ppi_put_count (row, "executions", where->executions);
	ppi_put_double (row, "samples_elsewhere", PPI_CELL_WHOLE, floor (where->others + 0.5));
	ppi_show (row, "share", "%.0f %%", 100 * from->share);
	ppi_show (row, "share_low", "%.0f", 100 * from->low);
	ppi_show (row, "share_high", "%.0f", 100 * from->high);
	if (isnan (from->elsewhere))
		ppi_show (row, "share_elsewhere", "-");
	else
		ppi_show (row, "share_elsewhere", "%.0f %%", 100 * from->elsewhere);
	ppi_say (row,
		 "      {share:5} ({share_low} to {share_high})  {share_elsewhere:9}  {name}\n");
}

/* The rows of one kind get a head of their own. */
static void put_kind (struct ppi_table *table, const struct kind *kind,
		      const struct ppi_where *where)
{
	struct ppi_row *head = where->rows ? ppi_row (table) : NULL;

	ppi_say (head,
		 "    where it was then, by %s: %.0f samples in %zu executions that violated it\n"
		 "      share (95 %%)   elsewhere  %s\n",
		 kind->name, floor (where->samples + 0.5), where->executions, kind->name);
	for (size_t i = 0; i < where->rows && i < ROWS && where->row[i].share >= LEAST_SHARE; i++)
		put_row (table, kind, where, &where->row[i]);
}

static bool put_assertion (struct ppi_row *row, const struct ppi_recording *recording,
			   const struct ppi_assertion_chunk *a, const struct kind *kind,
			   struct ppi_samples *samples)
{
	const struct ppi_cell *cell = ppi_find_cell (row, "where");
	struct ppi_table *table = cell ? cell->table : ppi_put_table (row, "where", NULL);
	struct ppi_where where;
	bool ok = ppi_where_find (recording, samples, a->chunk.id, &where);

	if (ok)
		put_kind (table, kind, &where);
	if (!cell)
		ppi_say (row, "{where}");
	ppi_where_clear (&where);
	return ok;
}

static bool put_all (struct ppi_report *report, const struct ppi_recording *recording,
		     const struct kind *kind)
{
	const struct ppi_samples_span span = PPI_SAMPLES_ALL;
	const struct ppi_assertion_chunk *a = NULL;
	struct ppi_samples samples;
	bool ok = ppi_samples_read (recording, kind->by, &span, &samples, ignore, NULL);

	/* the section's rows are in the order of the recording's assertions */
	for (struct ppi_row *row =
		     (struct ppi_row *) (uintptr_t) ppi_first_row (report, "assertions");
	     ok && row && (a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a));
	     row = row->next)
		ok = put_assertion (row, recording, a, kind, &samples);
	ppi_samples_clear (&samples);
	return ok;
}

bool ppctl_put_where (struct ppi_report *report, const struct ppi_recording *recording)
{
	bool ok = true;

	if (!report || !ppi_recording_next (recording, PPI_CHUNK_VIOLATING, NULL))
		return report != NULL;
	for (size_t i = 0; ok && i < sizeof kinds / sizeof *kinds; i++)
		if (ppi_recording_has_profile (recording, kinds[i].by))
			ok = put_all (report, recording, &kinds[i]);
	return ok;
}
