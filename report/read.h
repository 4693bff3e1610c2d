/* SPDX-License-Identifier: MIT */
/* read.h: what sections read of a recording alike. */
#ifndef PPI_REPORT_READ_H
#define PPI_REPORT_READ_H

#include "recording/layout.h"
#include "report/model.h"

#include <pp_site.h>
#include <stddef.h>

/* NS, CLOCK_MONOTONIC, as seconds since the start. */
double ppi_report_seconds (const struct ppi_recording *recording, uint64_t ns);
/*
 * The least time that METRIC can tell from none, in seconds; 0: it is no time, or that is not
 * known.
 */
double ppi_report_resolution (const struct ppi_recording *recording,
			      const struct ppi_metric_chunk *metric);
/* A value of the metric ID, in its unit. */
void ppi_report_put_value (struct ppi_row *row, const char *key, uint32_t id, double value);

/*
 * People read the end of SITE's name for KEY, without module and folders, as much of it as it takes
 * to be no other site's; without its file, too, unless WITH_FILE. Looks at all sites of the
 * recording.
 */
void ppi_report_show_site (struct ppi_row *row, const char *key, const char *site, bool with_file);
/*
 * The shortest end of SITE's name that begins behind a '!', ':' or '/', has so many parts at LEAST
 * (1: the site; 2: its function, too; 3: the file), and is no other site's end: as such it may
 * stand in a policy. Looks at all sites of the recording, once.
 */
const char *ppi_report_short_name (struct ppi_report *report, const char *site, unsigned least);

/* VALUE of KNOB for people: its word, or the number; KNOB NULL: the number. Returns OUT. */
const char *ppi_report_knob (const struct ppi_knob_chunk *knob, double value, char *out,
			     size_t room);

/* Nothing is missing for such a cause, but what was read, or written, is not exact. */
static inline bool ppi_report_is_inexact (enum pp_drop cause)
{
	return cause == PP_DROP_TORN || cause == PP_DROP_STRINGS;
}

/* "s" but for one */
static inline const char *ppi_report_plural (uint64_t n)
{
	return n == 1 ? "" : "s";
}

/*
 * Of N lines the first and the last are shown, MOST in all: is number I? Behind the first ones a
 * note in TABLE says how many are not.
 */
bool ppi_report_is_shown (struct ppi_table *table, const char *indent, size_t i, size_t n,
			  size_t most);
/* The note, behind INDENT. */
void ppi_report_say_more (struct ppi_table *table, const char *indent, size_t n);

/* Violations among the checks with a known result, 0 … 1; NaN without any. */
double ppi_violation_share (const struct ppi_recording *recording,
			    const struct ppi_assertion_chunk *assertion);
/* What was captured with an assertion, and its sweep (captures.c). */
void ppi_report_put_captures (struct ppi_row *row, const struct ppi_recording *recording,
			      const struct ppi_assertion_chunk *assertion);
void ppi_report_put_sweep (struct ppi_row *row, const struct ppi_recording *recording,
			   const struct ppi_assertion_chunk *assertion);

#endif
