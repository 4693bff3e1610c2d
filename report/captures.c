/* SPDX-License-Identifier: MIT */
/*
 * captures.c: what else was high at violations: captures and sweeps of an assertion. See
 * contrast.h.
 */
#include "recording/names.h"
#include "recording/read.h"
#include "report/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL 80

/* A count that a damaged recording may have anything for */
static double whole (double value)
{
	return value >= 0 && value < 0x1p62 ? floor (value + 0.5) : (double) NAN;
}

/*
 * What a metric was at violations and at all checks; the verdict says whether that is a difference.
 * RATIO is the key of that of both.
 */
static struct ppi_row *put_contrast (struct ppi_table *table, const char *metric, const char *ratio,
				     const struct ppi_contrast_result *r)
{
	struct ppi_row *row = ppi_row (table);

	ppi_put_text (row, "metric", metric);
	ppi_put_double (row, ratio, PPI_CELL_NUMBER, r->ratio);
	ppi_put_count (row, "violations", r->violations);
	ppi_put_double (row, "avg_at_violations", PPI_CELL_NUMBER, r->at_violations);
	ppi_put_double (row, "checks", PPI_CELL_WHOLE, whole (r->checks));
	ppi_put_count (row, "checks_looked_at", r->looked_at);
	ppi_put_double (row, "avg_at_checks", PPI_CELL_NUMBER, r->at_checks);
	ppi_put_double (row, "ratio_low", PPI_CELL_NUMBER, r->low);
	ppi_put_double (row, "ratio_high", PPI_CELL_NUMBER, r->high);
	ppi_put_double (row, "confidence", PPI_CELL_NUMBER, 0.95);
	ppi_put_count (row, "stretches", r->runs);
	ppi_put_text (row, "verdict", ppi_contrast_name (r->verdict));
	return row;
}

/* ---- captures -------------------------------------------------------------------------------- */

/*
 * Digits behind the point of a ratio and its interval: so many that what is not 1 does not look
 * like it
 */
static int digits_of (const struct ppi_contrast_result *r)
{
	double least = isnan (r->low) ? fabs (r->ratio) : fmin (fabs (r->ratio), fabs (r->low));
	bool is_claimed = r->verdict == PPI_CONTRAST_HIGHER || r->verdict == PPI_CONTRAST_LOWER;

	if (is_claimed && fmin (fabs (r->low - 1), fabs (r->high - 1)) < 0.005)
		return 4;
	return least < 2 ? 2 : least < 10 ? 1 : 0;
}

/* "1.32", "2.2", "131" */
static void show_times (struct ppi_row *row, const char *key, const struct ppi_contrast_result *r,
			double value)
{
	if (fabs (value) < 1e6)
		ppi_show (row, key, "%.*f", digits_of (r), value);
	else
		ppi_show (row, key, "%.3g", value);
}

static void say_verdict (struct ppi_row *row, const struct ppi_contrast_result *r)
{
	switch (r->verdict) {
	case PPI_CONTRAST_TOO_FEW:
		ppi_say (row, r->violations < PPI_CONTRAST_LEAST
				      ? "too few violations to compare"
				      : "too few checks that held to compare with");
		break;
	case PPI_CONTRAST_NEGATIVE:
		ppi_say (row, "an average below 0 has no ratio");
		break;
	case PPI_CONTRAST_NONE:
		ppi_say (row, "no difference seen");
		if (!isnan (r->low))
			ppi_say (row, " (95 %% {ratio_low} to {ratio_high} times)");
		break;
	case PPI_CONTRAST_BY_TIME:
		ppi_say (row, "no difference from the checks just before ({ratio_to_avg} times all "
			      "checks: it changed over time)");
		break;
	default:
		ppi_say (row, "{ratio_to_avg} times (95 %% {ratio_low} to {ratio_high})");
		if (r->runs < PPI_CONTRAST_RUNS)
			ppi_say (row, ", seen in {stretches} stretch%s of time only",
				 r->runs == 1 ? "" : "es");
	}
}

/*
 * "51.6 at 168163 violations, 23.1 at 1535900 checks (91234 looked at): 2.2 times (95 % 2.1 to
 * 2.3)"
 */
static void say_capture (struct ppi_row *row, const struct ppi_contrast *c,
			 const struct ppi_contrast_result *r)
{
	if (!r->violations) {
		ppi_say (row, "unknown at every violation\n");
		return;
	}
	ppi_say (row,
		 "{avg_at_violations} at {violations} violation%s, {avg_at_checks} at {checks} "
		 "checks",
		 ppi_report_plural (r->violations));
	if ((double) r->looked_at < r->checks)
		ppi_say (row, " ({checks_looked_at} looked at)");
	ppi_say (row, ": ");
	say_verdict (row, r);
	if (c->unknown_violating > 0)
		ppi_say (row, "; unknown at {unknown_at_violations} violation%s",
			 c->unknown_violating > 1 ? "s" : "");
	if (c->unknown_other > 0)
		ppi_say (row, "; unknown at %s{unknown_at_others} check%s that held",
			 c->other.weight > (double) c->other.n ? "about " : "",
			 c->unknown_other > 1 ? "s" : "");
	ppi_say (row, "\n");
}

/* In the metric's unit, or that of the figure. */
static void put_value (struct ppi_row *row, const char *key, const struct ppi_capture_entry *entry,
		       double value)
{
	if (entry->text)
		ppi_put_quantity (row, key, value, entry->seconds, entry->bytes, 0);
	else
		ppi_report_put_value (row, key, entry->metric, value);
}

static void put_capture (struct ppi_table *table, const struct ppi_recording *recording,
			 const struct ppi_assertion_chunk *assertion, uint32_t i)
{
	const struct ppi_capture_entry *entry = &ppi_captures_of (assertion)[i];
	const struct ppi_contrast *c = &entry->contrast;
	bool is_known = c->unknown_violating + c->unknown_other <= 0;
	uint64_t held = assertion->passes + ppi_recording_quick_passes (recording, assertion);
	struct ppi_contrast_result r;
	struct ppi_row *row;

	ppi_contrast_tell (c, is_known ? (double) held : (double) NAN, &r);
	row = put_contrast (table, ppi_captured_name (recording, assertion, i), "ratio_to_avg", &r);
	put_value (row, "avg_at_violations", entry, r.at_violations);
	put_value (row, "avg_at_checks", entry, r.at_checks);
	ppi_put_double (row, "unknown_at_violations", PPI_CELL_WHOLE, whole (c->unknown_violating));
	ppi_put_double (row, "unknown_at_others", PPI_CELL_WHOLE, whole (c->unknown_other));
	show_times (row, "ratio_to_avg", &r, r.ratio);
	show_times (row, "ratio_low", &r, r.low);
	show_times (row, "ratio_high", &r, r.high);
	say_capture (row, c, &r);
}

void ppi_report_put_captures (struct ppi_row *row, const struct ppi_recording *recording,
			      const struct ppi_assertion_chunk *assertion)
{
	struct ppi_table *table = ppi_put_table (row, "captures", NULL);

	ppi_form (table, "      {metric:-*}  ");
	for (uint32_t i = 0; i < assertion->captures; i++)
		put_capture (table, recording, assertion, i);
	if (assertion->captures && assertion->violations)
		ppi_say (row, "    what else was high then\n{captures}");
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* With all threads added up. */
struct sweep {
	uint32_t thresholds, captures;
	uint64_t checks;
	double threshold[PPI_SWEEP_MAX];
	uint64_t violations[PPI_SWEEP_MAX];
	struct ppi_contrast *contrast; /* as in the chunk; the report's */
};

static void add_thread (struct ppi_report *report, struct sweep *out,
			const struct ppi_sweep_chunk *s)
{
	uint32_t contrasts = s->thresholds * s->captures;

	if (!out->contrast) {
		out->contrast = ppi_report_take (report, (contrasts + 1) * sizeof *out->contrast);
		if (!out->contrast)
			return;
		out->thresholds = s->thresholds;
		out->captures = s->captures;
		memcpy (out->threshold, s->threshold, sizeof out->threshold);
	}
	if (s->thresholds != out->thresholds || s->captures != out->captures)
		return;
	out->checks += s->checks;
	for (uint32_t i = 0; i < s->thresholds; i++)
		out->violations[i] += s->violations[i];
	for (uint32_t i = 0; i < contrasts; i++)
		ppi_contrast_merge (&out->contrast[i], &s->contrast[i]);
}

/* A factor as what it adds: "+37.0", "-5.1" */
static const char *excess_text (double factor, char *out, size_t room)
{
	double percent = 100 * (factor - 1);

	snprintf (out, room, fabs (percent) < 1e5 ? "%+.1f" : "%+.2g", percent);
	return out;
}

/* "+37.0 % (+31.2 to +43.1)"; what is no difference is said, what can't be told is "-" */
static void show_excess (struct ppi_row *row, const struct ppi_contrast_result *r)
{
	char ratio[24], low[24], high[24];

	if (r->verdict == PPI_CONTRAST_HIGHER || r->verdict == PPI_CONTRAST_LOWER)
		ppi_show (row, "difference", "%s %% (%s to %s)",
			  excess_text (r->ratio, ratio, sizeof ratio),
			  excess_text (r->low, low, sizeof low),
			  excess_text (r->high, high, sizeof high));
	else
		ppi_show (row, "difference", "%s",
			  r->verdict == PPI_CONTRAST_NONE      ? "none"
			  : r->verdict == PPI_CONTRAST_BY_TIME ? "time"
							       : "-");
}

static void put_threshold (struct ppi_table *table, const struct ppi_recording *recording,
			   const struct ppi_assertion_chunk *assertion, const struct sweep *sweep,
			   uint32_t threshold, bool said[PPI_CONTRAST_LOWER + 1])
{
	struct ppi_row *row = ppi_row (table);
	struct ppi_table *captures = ppi_put_table (row, "captures", NULL);

	ppi_form (captures, "  {difference:28}");
	ppi_put_double (row, "threshold", PPI_CELL_NUMBER, sweep->threshold[threshold]);
	ppi_show (row, "threshold", "%.4g", sweep->threshold[threshold]);
	ppi_put_count (row, "checks", sweep->checks);
	ppi_put_count (row, "violations", sweep->violations[threshold]);
	ppi_show (row, "share", "-");
	if (sweep->checks)
		ppi_show (row, "share", "%.1f %%",
			  100 * (double) sweep->violations[threshold] / (double) sweep->checks);
	ppi_say (row, "\n");
	for (uint32_t c = 0; c < sweep->captures; c++) {
		const char *metric = ppi_captured_name (recording, assertion, c);
		struct ppi_contrast_result r;

		ppi_contrast_tell (&sweep->contrast[threshold * sweep->captures + c], NAN, &r);
		said[r.verdict] = true;
		show_excess (put_contrast (captures, metric, "ratio_to_all", &r), &r);
	}
}

void ppi_report_put_sweep (struct ppi_row *row, const struct ppi_recording *recording,
			   const struct ppi_assertion_chunk *assertion)
{
	struct ppi_table *table = ppi_put_table (row, "sweep", NULL),
			 *metrics = ppi_put_table (row, "swept", NULL);
	bool said[PPI_CONTRAST_LOWER + 1] = {false};
	struct sweep sweep = {.contrast = NULL};

	for (const struct ppi_sweep_chunk *s = NULL;
	     row && (s = ppi_recording_next (recording, PPI_CHUNK_SWEEP, s));)
		if (s->chunk.id == assertion->chunk.id && s->captures <= assertion->captures)
			add_thread (row->table->report, &sweep, s);
	ppi_hide (row, "swept");
	if (!sweep.contrast)
		return;
	ppi_form (table, "      {threshold:9}  {violations:10}  {share:7}{captures}");
	ppi_form (metrics, "  {metric:28}");
	for (uint32_t c = 0; c < sweep.captures; c++)
		ppi_show (ppi_row (metrics), "metric", "%s",
			  ppi_captured_name (recording, assertion, c));
	for (uint32_t t = 0; t < sweep.thresholds; t++)
		put_threshold (table, recording, assertion, &sweep, t, said);
	ppi_say (row,
		 "    sweep of %llu checks: at those over each threshold, how much above its "
		 "average at all checks "
		 "each\n    metric was on average, with the 95 %% interval\n      threshold  "
		 "violations    "
		 "share{swept}\n{sweep}",
		 (unsigned long long) sweep.checks);
	/* what the words mean that are said where nothing is claimed */
	if (said[PPI_CONTRAST_NONE])
		ppi_say (row, "      none: no difference seen, the interval holds 0\n");
	if (said[PPI_CONTRAST_BY_TIME])
		ppi_say (
			row,
			"      time: it differs from all checks, but not from those just before\n");
	if (said[PPI_CONTRAST_TOO_FEW])
		ppi_say (row, "      -: fewer than %u checks that violate, or that don't\n",
			 PPI_CONTRAST_LEAST);
}
