/* SPDX-License-Identifier: MIT */
/* assertions.c: each assertion, its state and counts, and what was found out at violations. */
#include "recording/names.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

#include <math.h>
#include <string.h>

double ppi_violation_share (const struct ppi_recording *recording,
			    const struct ppi_assertion_chunk *assertion)
{
	uint64_t passes = assertion->passes + ppi_recording_quick_passes (recording, assertion);
	double known = (double) passes + (double) assertion->violations;

	return known > 0 ? (double) assertion->violations / known : (double) NAN;
}

/* A moment, where there was one */
static void put_moment (struct ppi_row *row, const struct ppi_recording *recording, const char *key,
			bool was, uint64_t ns)
{
	ppi_put_double (row, key, PPI_CELL_INSTANT,
			was ? ppi_report_seconds (recording, ns) : (double) NAN);
}

static void put_assertion (struct ppi_row *row, const struct ppi_recording *recording,
			   const struct ppi_assertion_chunk *a, double share)
{
	uint64_t quick = ppi_recording_quick_passes (recording, a);

	ppi_put_text (row, "name", a->name);
	ppi_put_text (row, "expression", ppi_chunk_text (a, a->expression));
	ppi_put_text (row, "site", a->site ? ppi_report_site_name (recording, a->site) : NULL);
	ppi_put_text (row, "severity", ppi_severity_name (a->severity));
	ppi_put_text (row, "state", ppi_state_name (a->state));
	/* it begins as ok, which reads as if it had been looked at */
	if (a->state == PP_STATE_OK && !a->checks && !quick && !a->unknowns)
		ppi_show (row, "state", "unchecked");
	put_moment (row, recording, "since_s", a->since_ns != 0, a->since_ns);
	put_moment (row, recording, "last_cleared_s", a->cleared_ns != 0, a->cleared_ns);
	put_moment (row, recording, "last_fired_s", a->fired_ns != 0, a->fired_ns);
	ppi_put_count (row, "lines_not_logged", a->suppressed);
	ppi_put_text (row, "scope", a->per_thread ? "thread" : "process");
	ppi_put_count (row, "threads_firing", a->firing);
	ppi_put_count (row, "checks", a->checks + quick);
	ppi_put_count (row, "passes", a->passes + quick);
	ppi_put_count (row, "violations", a->violations);
	ppi_put_count (row, "unknowns", a->unknowns);
	ppi_put_double (row, "share", PPI_CELL_SHARE, share);
	ppi_put_count (row, "fired", a->fired);
	ppi_put_count (row, "cleared", a->cleared);
	ppi_put_quantity (row, "left", a->left, a->seconds, a->bytes, 0);
	ppi_put_quantity (row, "right", a->right, a->seconds, a->bytes, 0);
	ppi_put_double (row, "seconds", PPI_CELL_WHOLE, a->seconds); /* dimension of both sides */
	ppi_put_double (row, "bytes", PPI_CELL_WHOLE, a->bytes);
	put_moment (row, recording, "first_s", a->violations > 0, a->first_ns);
	put_moment (row, recording, "last_s", a->violations > 0, a->last_ns);
}

static void say_assertion (struct ppi_row *row, const struct ppi_assertion_chunk *a, double share)
{
	ppi_say (row, "  {name}: {expression}\n    %s; {severity}; {state}",
		 a->site ? "at {site}" : "by time or in the code");
	if (a->since_ns)
		ppi_say (row, " since {since_s}");
	if (a->per_thread)
		ppi_say (row, ", each thread for itself: {threads_firing} fire");
	ppi_say (row, "; fired {fired}, cleared {cleared}\n    {checks} checks: {passes} held, "
		      "{violations} violated");
	if (!isnan (share))
		ppi_say (row, " ({share})");
	ppi_say (row, ", {unknowns} unknown\n");
	if (a->unknowns && a->crowded)
		ppi_say (row,
			 "    unknown as a group was not told apart for want of room (max_groups, "
			 "strings), or never came\n");
	if (a->violations) {
		ppi_say (row, "    violated first at {first_s}, last at {last_s}");
		if (!isnan (a->left) && !isnan (a->right))
			ppi_say (row, "; the sides of the newest check are {left} and {right}");
		ppi_say (row, "\n");
	}
	if (a->suppressed)
		ppi_say (row, "    {lines_not_logged} more lines were not logged\n");
}

/* The newest investigation's result */
static void say_found (struct ppi_row *row, const struct ppi_recording *recording,
		       const struct ppi_assertion_chunk *a)
{
	const struct ppi_history_chunk *newest = NULL;
	struct ppi_table *table;
	struct ppi_row *found;

	for (const struct ppi_history_chunk *e = NULL;
	     (e = ppi_recording_next (recording, PPI_CHUNK_HISTORY, e));)
		if (e->kind == PPI_HISTORY_INVESTIGATE && strcmp (e->text, a->name) == 0)
			newest = e;
	if (!newest)
		return;
	table = ppi_put_table (row, "investigated", NULL);
	ppi_hide (row, "investigated");
	found = ppi_row (table);
	ppi_put_double (found, "at_s", PPI_CELL_INSTANT,
			ppi_report_seconds (recording, newest->ns));
	ppi_put_text (found, "text", newest->text + strlen (newest->text) + 1);
	ppi_say (found, "    investigated at {at_s}: {text}\n");
	ppi_say (row, "{investigated}");
}

void ppi_section_assertions (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_table (report, "assertions", "assertions");

	for (const struct ppi_assertion_chunk *a = NULL;
	     (a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a));) {
		double share = ppi_violation_share (recording, a);
		struct ppi_row *row = ppi_row (table);

		put_assertion (row, recording, a, share);
		say_assertion (row, a, share);
		say_found (row, recording, a);
		ppi_report_put_captures (row, recording, a);
		ppi_report_put_sweep (row, recording, a);
	}
}
