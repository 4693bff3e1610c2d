/* SPDX-License-Identifier: MIT */
/*
 * metrics.c: every metric, at each of its sites and at all of them; those that can't be measured
 * here.
 */
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/summary.h"
#include "recording/names.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

#include <math.h>
#include <pp.h>
#include <pp_abi.h>
#include <stdlib.h>

/* What people read of each site; programs get every statistic that the accumulator has. */
#define FORM "  {site:-*}  {n:*}  {avg:*}  {min:*}  {max:*}  {stddev:*}  {total:*}  {last:*}"

/* A site of a metric, with what its bindings there have in common */
struct place {
	uint32_t site, every;
	bool is_bound;
};

static int compare_places (const void *a, const void *b)
{
	uint32_t x = ((const struct place *) a)->site, y = ((const struct place *) b)->site;

	return x < y ? -1 : x > y;
}

/* Where METRIC is or was bound, each site once; *N of them. */
static struct place *places_of (struct ppi_report *report, const struct ppi_recording *recording,
				uint32_t metric, size_t *n)
{
	size_t room = 0, kept = 0;
	struct place *place;

	*n = 0;
	for (const struct ppi_binding_chunk *b = NULL;
	     (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));)
		room += b->metric == metric;
	place = ppi_report_take (report, (room + 1) * sizeof *place);
	if (!place)
		return NULL;
	for (const struct ppi_binding_chunk *b = NULL;
	     (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));)
		if (b->metric == metric && *n < room)
			place[(*n)++] =
				(struct place){b->site, b->every ? b->every : 1, b->bound != 0};
	qsort (place, *n, sizeof *place, compare_places);
	for (size_t i = 0; i < *n; i++) {
		struct place *last = kept ? &place[kept - 1] : NULL;

		if (!last || last->site != place[i].site) {
			place[kept++] = place[i];
			continue;
		}
		last->every = place[i].every > last->every ? place[i].every : last->every;
		last->is_bound |= place[i].is_bound;
	}
	*n = kept;
	return place;
}

/* "  (1 in 16 sampled; ...", closed by who called */
static void begin_note (struct ppi_row *row)
{
	ppi_say (row, row && row->sentence ? "; " : "  (");
}

static void put_statistics (struct ppi_row *row, const struct ppi_recording *recording,
			    const struct ppi_metric_chunk *metric, uint32_t site, uint32_t every)
{
	double scale = ppi_recording_scale (recording, metric), resolution;
	struct ppi_summary summary;

	ppi_recording_summary (recording, metric, site, &summary);
	/* no sample took no time: that is exactly 0 */
	resolution = summary.all.n ? ppi_report_resolution (recording, metric) : 0;
	for (int s = 0; s < PP_STATISTICS; s++) {
		const char *key = ppi_statistic_name ((enum pp_statistic) s);
		double value = ppi_summary_get (&summary, (enum pp_statistic) s, scale);
		int power = ppi_statistic_power ((enum pp_statistic) s);

		if (!ppi_statistic_exists (metric->accumulator, (enum pp_statistic) s))
			continue;
		if (power == 0)
			ppi_put_double (row, key, PPI_CELL_WHOLE, value);
		else if (power < 0)
			ppi_put_quantity (row, key, value, power, 0, 0);
		else /* all alike is no deviation at all */
			ppi_put_quantity (
				row, key, value, metric->unit == PPI_UNIT_SECONDS ? power : 0,
				metric->unit == PPI_UNIT_BYTES ? power : 0,
				power == 1 && !(s == PP_STAT_STDDEV && value == 0) ? resolution
										   : 0);
	}
	if (ppi_keeps (metric->accumulator, PPI_KEEPS_BUCKETS) && summary.all.n) {
		begin_note (row);
		ppi_say (row, "p50 {p50}, p90 {p90}, p99 {p99}, p999 {p999}");
	}
	if (every > 1) {
		begin_note (row);
		ppi_say (row, "1 in %u sampled, about %.0f executions", every, summary.executions);
	}
	if (summary.lost) {
		begin_note (row);
		ppi_say (row, "%llu samples had no room", (unsigned long long) summary.lost);
	}
	if (summary.torn) {
		ppi_put_count (row, "interrupted_shards", summary.torn);
		begin_note (row);
		ppi_say (row, "{interrupted_shards} interrupted while written: not in the count, "
			      "perhaps in the rest");
	}
	ppi_summary_clear (&summary);
}

static void end_notes (struct ppi_row *row)
{
	ppi_say (row, row && row->sentence ? ")\n" : "\n");
}

static void put_place (struct ppi_table *table, const struct ppi_recording *recording,
		       const struct ppi_metric_chunk *metric, const struct place *place)
{
	const struct ppi_site_chunk *site =
		place->site ? ppi_recording_find (recording, PPI_CHUNK_SITE, place->site) : NULL;
	struct ppi_row *row = ppi_row (table);

	ppi_put_site (row, "site",
		      place->site ? ppi_report_site_name (recording, place->site) : NULL);
	if (!place->site)
		ppi_show (row, "site", "(pp_sample)");
	else if (table)
		ppi_put_text (row, "short",
			      ppi_report_short_name (table->report,
						     ppi_report_site_name (recording, place->site),
						     2));
	ppi_put_count (row, "every", place->every);
	ppi_put_flag (row, "bound", place->is_bound);
	put_statistics (row, recording, metric, place->site, place->every);
	/* what is neither a point nor an interval */
	if (site && (site->kind == PP_ABI_SITE_FEATURE || site->kind == PP_ABI_SITE_ANTIMARK)) {
		begin_note (row);
		ppi_say (row, "%s", ppi_kind_name (site->kind));
	}
	end_notes (row);
}

/*
 * Returns at how many sites METRIC is. Those shown have the columns of LIKE, with all others that
 * are.
 */
static size_t put_places (struct ppi_report *report, struct ppi_row *row,
			  const struct ppi_recording *recording,
			  const struct ppi_metric_chunk *metric, const struct ppi_table *like)
{
	size_t n;
	struct place *place = places_of (report, recording, metric->chunk.id, &n);
	struct ppi_table *sites = ppi_put_table (row, "sites", like);
	struct ppi_table *all = ppi_put_table (row, "all", n > 1 ? like : NULL);
	struct ppi_row *merged = ppi_row (all);

	for (size_t i = 0; i < n; i++)
		put_place (sites, recording, metric, &place[i]);
	if (all)
		all->is_single = true;
	put_statistics (merged, recording, metric, PPI_ALL_SITES, 0);
	ppi_show (merged, "site", "all sites");
	end_notes (merged);
	return n;
}

static void put_metric (struct ppi_report *report, struct ppi_table *table,
			const struct ppi_recording *recording,
			const struct ppi_metric_chunk *metric, const struct ppi_table *like)
{
	double resolution = ppi_report_resolution (recording, metric);
	const struct ppi_keep_size *size = &ppi_keep_of (metric->accumulator)->size;
	uint32_t share = metric->share_permille;
	struct ppi_row *row = ppi_row (table);
	size_t n;

	ppi_put_text (row, "name", metric->name);
	ppi_put_text (row, "kind", ppi_kind_name (metric->kind));
	ppi_put_text (row, "accumulator", ppi_accumulator_name (metric->accumulator));
	ppi_put_text (row, "source", ppi_chunk_text (metric, metric->source));
	ppi_put_text (row, "instead_of",
		      metric->instead ? ppi_chunk_text (metric, metric->instead) : NULL);
	ppi_put_double (row, "counted_share", PPI_CELL_SHARE, share ? share / 1000.0 : 1);
	ppi_put_text (row, "unit", ppi_unit_symbol (metric->unit));
	ppi_put_quantity (row, "resolution_s", resolution > 0 ? resolution : (double) NAN, 1, 0, 0);
	ppi_put_text (row, "unavailable",
		      metric->unavailable ? ppi_chunk_text (metric, metric->unavailable) : NULL);
	if (size->option)
		ppi_put_count (row, size->key, metric->size);
	n = put_places (report, row, recording, metric, metric->unavailable ? NULL : like);
	if (metric->unavailable)
		return;
	ppi_say (row, "{name}: {accumulator} of {source}");
	if (size->option)
		ppi_say (row, "%s", size->sentence);
	if (metric->instead)
		ppi_say (row, ", instead of {instead_of}");
	if (share && share < 1000)
		ppi_say (row, ", counted {counted_share} of the time and scaled");
	ppi_say (row, n > 1 ? "\n{sites}{all}" : "\n{sites}");
}

void ppi_section_metrics (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_table (report, "metrics", "metrics"), *missing,
			 *columns = NULL;

	for (const struct ppi_metric_chunk *m = NULL;
	     (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m));) {
		if (!m->kind)
			continue; /* computed: a figure */
		if (!m->unavailable && !columns) {
			struct ppi_row *headings = ppi_row (table);

			columns = ppi_put_table (headings, "sites", NULL);
			ppi_hide (headings, "sites");
			ppi_form (columns, FORM);
			ppi_head (columns, "site", "");
			for (int i = 0; i < PP_STATISTICS; i++)
				ppi_head (columns, ppi_statistic_name ((enum pp_statistic) i),
					  ppi_statistic_name ((enum pp_statistic) i));
			ppi_say (headings, "{#sites}\n");
		}
		put_metric (report, table, recording, m, columns);
	}
	missing = ppi_table (report, NULL, "not available here");
	for (const struct ppi_metric_chunk *m = NULL;
	     (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m));)
		if (m->unavailable) {
			struct ppi_row *row = ppi_row (missing);

			ppi_put_text (row, "name", m->name);
			ppi_put_text (row, "unavailable", ppi_chunk_text (m, m->unavailable));
			ppi_say (row, "  {name}: {unavailable}\n");
		}
}
