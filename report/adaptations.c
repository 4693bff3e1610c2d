/* SPDX-License-Identifier: MIT */
/* adaptations.c: knobs whose values are tried, and what came of each value. */
#include "recording/names.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

#include <math.h>
#include <pp.h>
#include <string.h>

static const struct ppi_knob_chunk *knob_of (const struct ppi_recording *recording,
					     const struct ppi_adapt_chunk *a)
{
	const struct ppi_knob_chunk *k = NULL;

	while ((k = ppi_recording_next (recording, PPI_CHUNK_KNOB, k)))
		if (strcmp (k->name, ppi_chunk_text (a, a->knob)) == 0)
			return k;
	return NULL;
}

/* A value of the objective: a time, bytes or a number */
static void put_objective (struct ppi_row *row, const char *key, const struct ppi_adapt_chunk *a,
			   double value)
{
	ppi_put_quantity (row, key, value, a->seconds == 1 && !a->bytes,
			  a->bytes == 1 && !a->seconds, 0);
}

static void put_variants (struct ppi_report *report, struct ppi_row *row,
			  const struct ppi_adapt_chunk *a, const struct ppi_knob_chunk *knob)
{
	struct ppi_table *table = ppi_put_table (row, "variants", NULL);
	char value[64];

	for (uint32_t i = 0; i < a->variants; i++) {
		const struct ppi_adapt_entry *v = &a->variant[i];
		struct ppi_row *one = ppi_row (table);

		ppi_put_double (one, "value", PPI_CELL_NUMBER, v->value);
		ppi_put_text (
			one, "shown",
			ppi_report_copy (report, "%s",
					 ppi_report_knob (knob, v->value, value, sizeof value)));
		put_objective (one, "mean", a, v->mean);
		put_objective (one, "margin", a, v->margin);
		ppi_put_count (one, "windows", v->windows);
		ppi_put_flag (one, "out", v->out);
		ppi_say (one, "    %c {shown:-16}{mean:12} ±{margin:12}  {windows} windows%s\n",
			 i == a->best && a->state == PP_ADAPT_SETTLED ? '>' : ' ',
			 v->out ? ", left out" : "");
	}
}

/* What never happened is not said. */
static void say_times (struct ppi_row *row, const char *what, uint64_t n)
{
	if (n == 1)
		ppi_say (row, "; %s once", what);
	else if (n)
		ppi_say (row, "; %s %llu times", what, (unsigned long long) n);
}

static void put_adaptation (struct ppi_row *row, const struct ppi_recording *recording,
			    const struct ppi_adapt_chunk *a, const struct ppi_knob_chunk *knob)
{
	const char *aim = a->maximise ? "maximise" : "minimise";
	char best[64];
	bool is_settled = a->state == PP_ADAPT_SETTLED;

	ppi_put_text (row, "knob", ppi_chunk_text (a, a->knob));
	ppi_put_text (row, aim, ppi_chunk_text (a, a->objective));
	ppi_put_text (row, "state", ppi_adapt_state_name (a->state));
	ppi_put_double (row, "best", PPI_CELL_NUMBER,
			is_settled ? a->variant[a->best].value : (double) NAN);
	put_objective (row, "newest", a, a->newest);
	ppi_put_count (row, "windows", a->windows);
	ppi_put_count (row, "settled", a->settled);
	ppi_put_count (row, "degraded", a->degraded);
	ppi_put_count (row, "better", a->better);
	ppi_put_count (row, "empty", a->empty);
	ppi_put_count (row, "disturbed", a->disturbed);
	ppi_say (row, "  {knob}: %s {%s}; {state}", aim, aim);
	if (is_settled) {
		ppi_show (row, "best", "%s",
			  ppi_report_knob (knob, a->variant[a->best].value, best, sizeof best));
		ppi_say (row, " on {best}");
	}
	if (a->since_ns) {
		ppi_put_double (row, "since", PPI_CELL_INSTANT,
				ppi_report_seconds (recording, a->since_ns));
		ppi_hide (row, "since");
		ppi_say (row, " since {since}");
	}
	ppi_say (row, "\n    {windows} window%s", ppi_report_plural (a->windows));
	say_times (row, "settled", a->settled);
	say_times (row, "degraded", a->degraded);
	say_times (row, "another was better", a->better);
	say_times (row, "too few samples", a->empty);
	say_times (row, "somebody else turned the knob", a->disturbed);
	ppi_say (row, "\n{variants}");
}

void ppi_section_adaptations (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_table (report, "adaptations", "adaptations");

	for (const struct ppi_adapt_chunk *a = NULL;
	     (a = ppi_recording_next (recording, PPI_CHUNK_ADAPT, a));) {
		const struct ppi_knob_chunk *knob = knob_of (recording, a);
		struct ppi_row *row = ppi_row (table);

		put_adaptation (row, recording, a, knob);
		put_variants (report, row, a, knob);
	}
}
