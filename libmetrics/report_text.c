/* SPDX-License-Identifier: MIT */
/* report_text.c: the report for people; see report.h. What has nothing to say is left out. */
#include "report.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S 1e9
#define CELL 80

int ppi_report_width (const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char) *text & 0xc0) != 0x80;
	return n;
}

/* Names come from files: nothing in them may talk to a terminal. */
void ppi_report_put_clean (FILE *out, const char *text)
{
	for (; *text; text++)
		fputc ((unsigned char) *text < 0x20 || *text == 0x7f ? '?' : *text, out);
}

void ppi_report_put_left (FILE *out, const char *text, int width)
{
	ppi_report_put_clean (out, text);
	fprintf (out, "%*s", width > ppi_report_width (text) ? width - ppi_report_width (text) : 0, "");
}

void ppi_report_put_right (FILE *out, const char *text, int width)
{
	fprintf (out, "%*s%s", width > ppi_report_width (text) ? width - ppi_report_width (text) : 0, "", text);
}

/* ---- who, when, how long ----------------------------------------------------------------------------------------- */

static void put_head (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	time_t seconds = (time_t) (header->start_realtime_ns / 1000000000u);
	char when[64] = "?";
	struct tm tm;

	if (localtime_r (&seconds, &tm))
		strftime (when, sizeof when, "%Y-%m-%d %H:%M:%S %z", &tm);
	fputs ("program    ", out);
	ppi_report_put_clean (out, header->program[0] ? header->program : "?");
	fprintf (out, "\nprocess    %u\nstarted    %s\nmeasured   %.3f s\nrecording  %s\n", header->pid, when,
		 ppi_report_seconds (header, header->now_ns), ppi_report_state (header));
}

/* ---- assertions -------------------------------------------------------------------------------------------------- */

/* The newest investigation's result */
static void put_found (FILE *out, const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion)
{
	const struct ppi_event_chunk *newest = NULL;

	for (const struct ppi_event_chunk *e = NULL; (e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e));)
		if (e->kind == PPI_EVENT_INVESTIGATE && strcmp (e->text, assertion->name) == 0)
			newest = e;
	if (!newest)
		return;
	fprintf (out,
		 "    investigated at %.3f s: ", ppi_report_seconds (ppi_recording_header (recording), newest->ns));
	ppi_report_put_clean (out, newest->text + strlen (newest->text) + 1);
	fputc ('\n', out);
}

static void put_sides (FILE *out, const struct ppi_assertion_chunk *assertion)
{
	char left[CELL], right[CELL];

	if (!isnan (assertion->left) && !isnan (assertion->right))
		fprintf (out, "; the sides of the newest check are %s and %s",
			 ppi_report_dimensioned (assertion->left, assertion->seconds, assertion->bytes, left,
						 sizeof left),
			 ppi_report_dimensioned (assertion->right, assertion->seconds, assertion->bytes, right,
						 sizeof right));
}

static void put_assertion (FILE *out, const struct ppi_recording *recording,
			   const struct ppi_assertion_chunk *assertion)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	uint64_t quick = ppi_recording_quick_passes (recording, assertion);
	double share = ppi_violation_share (recording, assertion);

	fputs ("  ", out);
	ppi_report_put_clean (out, assertion->name);
	fputs (": ", out);
	ppi_report_put_clean (out, ppi_chunk_text (assertion, assertion->expression));
	fprintf (out, "\n    %s", assertion->site ? "at " : "by time or in the code");
	if (assertion->site)
		ppi_report_put_clean (out, ppi_report_site_name (recording, assertion->site));
	fprintf (out, "; %s; %s", ppi_severity_name (assertion->severity), ppi_state_name (assertion->state));
	if (assertion->since_ns)
		fprintf (out, " since %.3f s", ppi_report_seconds (header, assertion->since_ns));
	if (assertion->per_thread)
		fprintf (out, ", each thread for itself: %u fire", assertion->firing);
	fprintf (out, "; fired %llu, cleared %llu\n", (unsigned long long) assertion->fired,
		 (unsigned long long) assertion->cleared);
	fprintf (out, "    %llu checks: %llu held, %llu violated", (unsigned long long) assertion->checks + quick,
		 (unsigned long long) assertion->passes + quick, (unsigned long long) assertion->violations);
	if (!isnan (share))
		fprintf (out, " (%.3g %%)", 100 * share);
	fprintf (out, ", %llu unknown\n", (unsigned long long) assertion->unknowns);
	if (assertion->violations) {
		fprintf (out, "    violated first at %.3f s, last at %.3f s",
			 ppi_report_seconds (header, assertion->first_ns),
			 ppi_report_seconds (header, assertion->last_ns));
		put_sides (out, assertion);
		fputc ('\n', out);
	}
	if (assertion->suppressed)
		fprintf (out, "    %llu more lines were not logged\n", (unsigned long long) assertion->suppressed);
	put_found (out, recording, assertion);
	ppi_report_put_captures (out, recording, assertion);
	ppi_report_put_sweep (out, recording, assertion);
}

static void put_assertions (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_assertion_chunk *a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, NULL);

	if (a)
		fputs ("\nassertions\n", out);
	for (; a; a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a))
		put_assertion (out, recording, a);
}

/* ---- drops, and all of it ---------------------------------------------------------------------------------------- */

static void put_drops (FILE *out, const struct ppi_recording *recording)
{
	static const char *const causes[PP_DROPS] = {
		[PP_DROP_LONGJMP] = "intervals whose end was jumped over (longjmp)",
		[PP_DROP_DISABLED] = "intervals that were unbound, or bound anew, while open",
		[PP_DROP_UNMATCHED] = "ends without a begin: bound while open",
		[PP_DROP_DEPTH] = "intervals nested deeper than 1,024",
		[PP_DROP_POOL] = "for want of room in the live region",
		[PP_DROP_FORK] = "in children that had no region yet",
		[PP_DROP_SIGNAL] = "in signal handlers inside signal handlers",
		[PP_DROP_UNKNOWN] = "samples whose source had no value",
		[PP_DROP_UNAVAILABLE] = "samples whose source could not be opened in their thread",
		[PP_DROP_SPAN] = "ends of spans that had ended, or never begun",
		[PP_DROP_HISTORY] = "of the oldest events, whose place newer ones took",
	};
	uint64_t torn = ppi_recording_drops (recording, PP_DROP_TORN);
	bool any = false;

	for (int i = 0; i < PP_DROPS; i++) {
		uint64_t n = ppi_recording_drops (recording, (enum pp_drop) i);

		if (n == 0 || !causes[i])
			continue;
		fprintf (out, "%s  %llu %s\n", any ? "" : "\nnot measured\n", (unsigned long long) n, causes[i]);
		any = true;
	}
	if (torn)
		fprintf (out,
			 "\nnot exact\n  %llu figures that were read while a thread stood still in the middle of a "
			 "sample\n",
			 (unsigned long long) torn);
}

void ppi_report_text (FILE *out, const struct ppi_recording *recording)
{
	put_head (out, recording);
	ppi_report_put_metrics (out, recording);
	ppi_report_put_figures (out, recording);
	put_assertions (out, recording);
	ppi_report_put_knobs (out, recording);
	ppi_report_put_adapts (out, recording);
	ppi_report_put_pending (out, recording);
	ppi_report_put_events (out, recording);
	ppi_report_put_overhead (out, recording);
	ppi_report_put_sites (out, recording);
	put_drops (out, recording);
}
