/* SPDX-License-Identifier: MIT */
/*
 * report.h: a recording as text for people; ppctl report and pp_report are this. Needs nothing of the runtime.
 */
#ifndef PPI_REPORT_H
#define PPI_REPORT_H

#include "recording_read.h"

#include <stdio.h>

/* Writes the report. WRITES errors are OUT's (ferror). */
void ppi_report_text (FILE *out, const struct ppi_recording *recording);

/* Parts of it: the table of metrics (report_metrics.c), figures (report_figures.c). */
void ppi_report_put_metrics (FILE *out, const struct ppi_recording *recording);
void ppi_report_put_figures (FILE *out, const struct ppi_recording *recording);
void ppi_report_put_overhead (FILE *out, const struct ppi_recording *recording);
void ppi_report_put_sites (FILE *out, const struct ppi_recording *recording);
void ppi_report_put_knobs (FILE *out, const struct ppi_recording *recording);
void ppi_report_put_adapts (FILE *out, const struct ppi_recording *recording);
void ppi_report_put_events (FILE *out, const struct ppi_recording *recording);
/* What policies say of names and sites that there were not until the end. */
void ppi_report_put_pending (FILE *out, const struct ppi_recording *recording);
/* CLOCK_MONOTONIC ns as seconds since the start. */
double ppi_report_seconds (const struct ppi_region_header *header, uint64_t ns);
/* TEXT without control characters; names, filled up with blanks behind them or before them to WIDTH columns. */
void ppi_report_put_clean (FILE *out, const char *text);
void ppi_report_put_left (FILE *out, const char *text, int width);
void ppi_report_put_right (FILE *out, const char *text, int width);
/* Columns that TEXT takes on a screen: its UTF-8 characters. */
int ppi_report_width (const char *text);

/*
 * VALUE in UNIT to the POWER (1 or 2; 0: a plain number) with three digits and a prefix: "5.60 ms", "1.50 MiB",
 * "3.02 µs", "12"; "-" for NaN. Returns OUT.
 */
const char *ppi_report_quantity (double value, enum ppi_unit unit, int power, char *out, size_t room);

/* The least time that METRIC can tell from none, in seconds; 0: it is no time, or that is not known. */
double ppi_report_resolution (const struct ppi_recording *recording, const struct ppi_metric_chunk *metric);
/* VALUE of a statistic of METRIC, in its unit to the POWER, likewise; what is below RESOLUTION is "< 10 ns". */
const char *ppi_report_measured (double value, const struct ppi_metric_chunk *metric, int power, double resolution,
				 char *out, size_t room);
/* VALUE in a unit of seconds^SECONDS × bytes^BYTES, likewise; those that have no name are written out: "12 /s", "3e-07 s^2". Returns OUT. */
const char *ppi_report_dimensioned (double value, int seconds, int bytes, char *out, size_t room);
/* The value of METRIC, by its id, likewise. */
const char *ppi_report_of_metric (const struct ppi_recording *recording, uint32_t metric, double value, char *out,
				  size_t room);

/* What the state of the recording means: "complete", "being written: its process runs" ... */
const char *ppi_report_state (const struct ppi_region_header *header);

/* VALUE of KNOB: its word, or the number. Returns OUT. */
const char *ppi_report_knob_value (const struct ppi_knob_chunk *knob, double value, char *out, size_t room);
const char *ppi_event_name (enum ppi_event_kind kind);
const char *ppi_adapt_state_name (unsigned state);
/* What the knob is set to by a variant: a word or a number. Returns OUT. */
const char *ppi_adapt_value (const struct ppi_recording *recording, const struct ppi_adapt_chunk *adapt,
			     uint32_t variant, char *out, size_t room);
/* "code for just this", "general routine" ... */
const char *ppi_way_name (uint32_t way);
const char *ppi_state_name (enum pp_state state);
const char *ppi_severity_name (enum pp_severity severity);
/* As pp_drop_name, which is in libpp. */
const char *ppi_report_drop_name (enum pp_drop cause);

const struct ppi_capture_entry *ppi_capture_entries (const struct ppi_assertion_chunk *assertion);
/* What a captured metric was at violations and at all checks, in its unit. */
void ppi_capture_tell (const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion,
		       const struct ppi_capture_entry *entry, struct ppi_contrast_result *out);

/* A sweep with all threads added up. */
struct ppi_sweep {
	uint32_t thresholds, captures;
	uint64_t checks;
	double threshold[PPI_SWEEP_MAX];
	uint64_t violations[PPI_SWEEP_MAX];
	struct ppi_contrast *contrast; /* as in the chunk; malloced */
};
/* False: the assertion has none, or no memory. Then *OUT is empty. The caller frees OUT->contrast. */
bool ppi_report_sweep (const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion,
		       struct ppi_sweep *out);
/* Of metric CAPTURE at violations of THRESHOLD. */
void ppi_sweep_tell (const struct ppi_sweep *sweep, uint32_t threshold, uint32_t capture,
		     struct ppi_contrast_result *out);
/* What was captured with an assertion, and its sweep (report_captures.c). */
void ppi_report_put_captures (FILE *out, const struct ppi_recording *recording,
			      const struct ppi_assertion_chunk *assertion);
void ppi_report_put_sweep (FILE *out, const struct ppi_recording *recording,
			   const struct ppi_assertion_chunk *assertion);

/* Violations among the checks with a known result, 0 … 1; NaN without any. */
double ppi_violation_share (const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion);

/* Columns of OUT's terminal; INT_MAX where it is none: files and pipes get names in full. */
int ppi_report_room (FILE *out);
/* The end of a site's name without its module and folders; without its file, too, unless WITH_FILE. */
const char *ppi_report_short_name (const char *site, bool with_file);
/* The same, as much longer as it takes to be no other site's of RECORDING. */
const char *ppi_report_short_site (const struct ppi_recording *recording, const char *site, bool with_file);

/* The name of a metric or site, "?" where the recording does not have it. */
const char *ppi_report_metric_name (const struct ppi_recording *recording, uint32_t id);
const char *ppi_report_site_name (const struct ppi_recording *recording, uint32_t id);

/*
 * One executions in how many is sampled at SITE, the largest of METRIC's bindings there; 1: all. 0: METRIC is not
 * bound to SITE.
 */
uint32_t ppi_report_every (const struct ppi_recording *recording, uint32_t metric, uint32_t site);

#endif
