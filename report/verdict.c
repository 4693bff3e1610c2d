/* SPDX-License-Identifier: MIT */
/* verdict.c: how it went, in a sentence. */
#include "recording/names.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

struct tally {
	/* info: that fired; unchecked: never with a known result */
	unsigned all, fired, firing, info, unchecked;
	enum pp_severity worst; /* that fired */
};

static void count (struct tally *t, const struct ppi_recording *recording,
		   const struct ppi_assertion_chunk *a)
{
	t->all++;
	t->firing += a->state == PP_STATE_FIRING;
	t->unchecked += !a->violations && !a->passes && !ppi_recording_quick_passes (recording, a);
	if (!a->fired)
		return;
	t->fired++;
	t->info += a->severity == PP_SEVERITY_INFO;
	if (t->fired == 1 || a->severity > t->worst)
		t->worst = (enum pp_severity) a->severity;
}

static const char *are (unsigned n)
{
	return n == 1 ? "is" : "are";
}

/* "3 of 3 assertions fired (1 of them info), none is firing now" */
static const char *sentence (struct ppi_report *report, const struct tally *t)
{
	const char *info = "", *now = "none is firing now", *unchecked = "";

	if (!t->all)
		return "nothing was expected: there were no assertions";
	if (t->info)
		info = ppi_report_copy (report, " (%u of them info)", t->info);
	if (t->firing)
		now = ppi_report_copy (report, "%u %s firing now", t->firing, are (t->firing));
	if (t->unchecked)
		unchecked = ppi_report_copy (report, "; %u could not be checked", t->unchecked);
	if (!t->fired && t->all == 1)
		return t->unchecked ? "the only assertion could not be checked"
				    : "the only assertion held";
	if (!t->fired)
		return ppi_report_copy (report, "none of %u assertions fired%s", t->all, unchecked);
	return ppi_report_copy (report, "%u of %u assertion%s fired%s, %s%s", t->fired, t->all,
				ppi_report_plural (t->all), info, now, unchecked);
}

void ppi_section_verdict (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_table (report, "verdict", NULL);
	struct ppi_row *row = ppi_row (table);
	struct tally t = {0};

	if (!table)
		return;
	table->is_single = true;
	for (const struct ppi_assertion_chunk *a = NULL;
	     (a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a));)
		count (&t, recording, a);
	ppi_put_text (row, "sentence", sentence (report, &t));
	ppi_put_count (row, "assertions", t.all);
	ppi_put_count (row, "fired", t.fired);
	ppi_put_count (row, "firing", t.firing);
	ppi_put_count (row, "not_checked", t.unchecked);
	ppi_put_text (row, "worst", t.fired ? ppi_severity_name (t.worst) : NULL);
	ppi_tone (row, "sentence",
		  t.firing                ? PPI_TONE_BAD
		  : t.fired > t.info      ? PPI_TONE_DOUBTFUL
		  : t.all && !t.unchecked ? PPI_TONE_GOOD
					  : PPI_TONE_STRONG);
	if (t.all)
		ppi_say (row, "verdict    {sentence}\n");
}
