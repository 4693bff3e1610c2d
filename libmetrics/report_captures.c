/* SPDX-License-Identifier: MIT */
/* report_captures.c: what else was high at violations, in the report for people: captures and sweeps. See contrast.h. */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELL 80
#define COLUMN 28 /* of a metric in a sweep */

/* Digits behind the point of a ratio and its interval: so many that what is not 1 does not look like it */
static int digits_of (const struct ppi_contrast_result *r)
{
	double least = isnan (r->low) ? fabs (r->ratio) : fmin (fabs (r->ratio), fabs (r->low));
	bool is_claimed = r->verdict == PPI_CONTRAST_HIGHER || r->verdict == PPI_CONTRAST_LOWER;

	if (is_claimed && fmin (fabs (r->low - 1), fabs (r->high - 1)) < 0.005)
		return 4;
	return least < 2 ? 2 : least < 10 ? 1 : 0;
}

/* "1.32", "2.2", "131" */
static const char *times_text (const struct ppi_contrast_result *r, double value, char *out, size_t room)
{
	if (fabs (value) < 1e6)
		snprintf (out, room, "%.*f", digits_of (r), value);
	else
		snprintf (out, room, "%.3g", value);
	return out;
}

static void put_interval (FILE *out, const struct ppi_contrast_result *r)
{
	char low[CELL], high[CELL];

	fprintf (out, "95 %% %s to %s", times_text (r, r->low, low, sizeof low),
		 times_text (r, r->high, high, sizeof high));
}

static void put_verdict (FILE *out, const struct ppi_contrast_result *r)
{
	char ratio[CELL];

	times_text (r, r->ratio, ratio, sizeof ratio);
	switch (r->verdict) {
	case PPI_CONTRAST_TOO_FEW:
		fputs (r->violations < PPI_CONTRAST_LEAST ? "too few violations to compare"
							  : "too few checks that held to compare with",
		       out);
		break;
	case PPI_CONTRAST_NEGATIVE:
		fputs ("an average below 0 has no ratio", out);
		break;
	case PPI_CONTRAST_NONE:
		fputs ("no difference seen", out);
		if (!isnan (r->low)) {
			fputs (" (", out);
			put_interval (out, r);
			fputs (" times)", out);
		}
		break;
	case PPI_CONTRAST_BY_TIME:
		fprintf (out, "no difference from the checks just before (%s times all checks: it changed over time)",
			 ratio);
		break;
	default:
		fprintf (out, "%s times (", ratio);
		put_interval (out, r);
		fputc (')', out);
		if (r->runs < PPI_CONTRAST_RUNS)
			fprintf (out, ", seen in %llu stretch%s of time only", (unsigned long long) r->runs,
				 r->runs == 1 ? "" : "es");
	}
}

static void put_unknown (FILE *out, const struct ppi_contrast *c)
{
	if (c->unknown_violating > 0)
		fprintf (out, "; unknown at %.0f violation%s", c->unknown_violating,
			 c->unknown_violating > 1 ? "s" : "");
	if (c->unknown_other > 0)
		fprintf (out, "; unknown at %s%.0f check%s that held",
			 c->other.weight > (double) c->other.n ? "about " : "", c->unknown_other,
			 c->unknown_other > 1 ? "s" : "");
}

/* "51.6 at 168163 violations, 23.1 at 1535900 checks (91234 looked at): 2.2 times (95 % 2.1 to 2.3)" */
static void put_capture (FILE *out, const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion,
			 const struct ppi_capture_entry *entry)
{
	struct ppi_contrast_result r;
	char then[CELL], usual[CELL];

	ppi_capture_tell (recording, assertion, entry, &r);
	if (!r.violations) {
		fputs ("  unknown at every violation\n", out);
		return;
	}
	ppi_report_of_metric (recording, entry->metric, r.at_violations, then, sizeof then);
	ppi_report_of_metric (recording, entry->metric, r.at_checks, usual, sizeof usual);
	fprintf (out, "  %s at %llu violation%s, %s at %.0f checks", then, (unsigned long long) r.violations,
		 r.violations == 1 ? "" : "s", usual, r.checks);
	if ((double) r.looked_at < r.checks)
		fprintf (out, " (%llu looked at)", (unsigned long long) r.looked_at);
	fputs (": ", out);
	put_verdict (out, &r);
	put_unknown (out, &entry->contrast);
	fputc ('\n', out);
}

void ppi_report_put_captures (FILE *out, const struct ppi_recording *recording,
			      const struct ppi_assertion_chunk *assertion)
{
	const struct ppi_capture_entry *entry = ppi_capture_entries (assertion);
	int width = 0;

	if (assertion->captures == 0 || assertion->violations == 0)
		return;
	fputs ("    what else was high then\n", out);
	for (uint32_t i = 0; i < assertion->captures; i++) {
		int one = ppi_report_width (ppi_report_metric_name (recording, entry[i].metric));

		width = one > width ? one : width;
	}
	for (uint32_t i = 0; i < assertion->captures; i++) {
		fputs ("      ", out);
		ppi_report_put_left (out, ppi_report_metric_name (recording, entry[i].metric), width);
		put_capture (out, recording, assertion, &entry[i]);
	}
}

/* ---- sweeps ------------------------------------------------------------------------------------------------------ */

/* A factor as what it adds: "+37.0", "-5.1" */
static const char *excess_text (double factor, char *out, size_t room)
{
	double percent = 100 * (factor - 1);

	snprintf (out, room, fabs (percent) < 1e5 ? "%+.1f" : "%+.2g", percent);
	return out;
}

/* "+37.0 % (+31.2 to +43.1)"; what is no difference is said, what can't be told is "-" */
static void put_excess (FILE *out, const struct ppi_contrast_result *r)
{
	char text[COLUMN * 4], ratio[24], low[24], high[24];

	if (r->verdict == PPI_CONTRAST_HIGHER || r->verdict == PPI_CONTRAST_LOWER)
		snprintf (text, sizeof text, "%s %% (%s to %s)", excess_text (r->ratio, ratio, sizeof ratio),
			  excess_text (r->low, low, sizeof low), excess_text (r->high, high, sizeof high));
	else if (r->verdict == PPI_CONTRAST_NONE)
		snprintf (text, sizeof text, "none");
	else
		snprintf (text, sizeof text, r->verdict == PPI_CONTRAST_BY_TIME ? "time" : "-");
	fputs ("  ", out);
	ppi_report_put_right (out, text, COLUMN);
}

static void put_threshold (FILE *out, const struct ppi_sweep *sweep, uint32_t threshold)
{
	uint64_t violations = sweep->violations[threshold];

	fprintf (out, "      %9.4g  %10llu", sweep->threshold[threshold], (unsigned long long) violations);
	if (sweep->checks)
		fprintf (out, "  %5.1f %%", 100 * (double) violations / (double) sweep->checks);
	else
		fprintf (out, "  %7s", "-");
	for (uint32_t c = 0; c < sweep->captures; c++) {
		struct ppi_contrast_result r;

		ppi_sweep_tell (sweep, threshold, c, &r);
		put_excess (out, &r);
	}
	fputc ('\n', out);
}

/* What the words mean that are said where nothing is claimed */
static void put_words (FILE *out, const struct ppi_sweep *sweep)
{
	bool said[PPI_CONTRAST_LOWER + 1] = {false};

	for (uint32_t t = 0; t < sweep->thresholds; t++)
		for (uint32_t c = 0; c < sweep->captures; c++) {
			struct ppi_contrast_result r;

			ppi_sweep_tell (sweep, t, c, &r);
			said[r.verdict] = true;
		}
	if (said[PPI_CONTRAST_NONE])
		fputs ("      none: no difference seen, the interval holds 0\n", out);
	if (said[PPI_CONTRAST_BY_TIME])
		fputs ("      time: it differs from all checks, but not from those just before\n", out);
	if (said[PPI_CONTRAST_TOO_FEW])
		fprintf (out, "      -: fewer than %u checks that violate, or that don't\n", PPI_CONTRAST_LEAST);
}

void ppi_report_put_sweep (FILE *out, const struct ppi_recording *recording,
			   const struct ppi_assertion_chunk *assertion)
{
	const struct ppi_capture_entry *entry = ppi_capture_entries (assertion);
	struct ppi_sweep sweep;

	if (!ppi_report_sweep (recording, assertion, &sweep))
		return;
	fprintf (out,
		 "    sweep of %llu checks: at those over each threshold, how much above its average at all checks "
		 "each\n"
		 "    metric was on average, with the 95 %% interval\n      threshold  violations    share",
		 (unsigned long long) sweep.checks);
	for (uint32_t c = 0; c < sweep.captures; c++) {
		fputs ("  ", out);
		ppi_report_put_right (out, ppi_report_metric_name (recording, entry[c].metric), COLUMN);
	}
	fputc ('\n', out);
	for (uint32_t t = 0; t < sweep.thresholds; t++)
		put_threshold (out, &sweep, t);
	put_words (out, &sweep);
	free (sweep.contrast);
}
