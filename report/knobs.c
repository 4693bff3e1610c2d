/* SPDX-License-Identifier: MIT */
/* knobs.c: knobs and their turns. */
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

#include <string.h>

#define TURNS_SHOWN 20 /* of each knob */

static void put_knob_value (struct ppi_row *row, const char *key, const struct ppi_knob_chunk *k,
			    double value)
{
	char text[64];

	ppi_put_double (row, key, PPI_CELL_NUMBER, value);
	ppi_show (row, key, "%s", ppi_report_knob (k, value, text, sizeof text));
}

static void show_turns (struct ppi_row *row, const struct ppi_recording *recording,
			const struct ppi_knob_chunk *k)
{
	struct ppi_table *turns = ppi_put_table (row, "turns", NULL);
	const struct ppi_history_chunk *e = NULL;
	size_t n = 0, i = 0;

	while ((e = ppi_recording_next (recording, PPI_CHUNK_HISTORY, e)))
		n += e->kind == PPI_HISTORY_KNOB && strcmp (e->text, k->name) == 0;
	while ((e = ppi_recording_next (recording, PPI_CHUNK_HISTORY, e))) {
		struct ppi_row *turn;

		if (e->kind != PPI_HISTORY_KNOB || strcmp (e->text, k->name) != 0 ||
		    !ppi_report_is_shown (turns, "    ", i++, n, TURNS_SHOWN))
			continue;
		turn = ppi_row (turns);
		ppi_put_double (turn, "at_s", PPI_CELL_INSTANT,
				ppi_report_seconds (recording, e->ns));
		put_knob_value (turn, "from", k, e->value[0]);
		put_knob_value (turn, "to", k, e->value[1]);
		ppi_say (turn, "    {at_s:11}  {from} → {to}\n");
	}
	ppi_hide (row, "turns");
	ppi_say (row, "{turns}");
}

void ppi_section_knobs (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_table (report, "knobs", "knobs");

	for (const struct ppi_knob_chunk *k = NULL;
	     (k = ppi_recording_next (recording, PPI_CHUNK_KNOB, k));) {
		struct ppi_row *row = ppi_row (table);
		char word[64];

		ppi_put_text (row, "name", k->name);
		put_knob_value (row, "initial", k, k->initial);
		put_knob_value (row, "value", k, k->value);
		ppi_put_double (row, "min", PPI_CELL_NUMBER, k->min);
		ppi_put_double (row, "max", PPI_CELL_NUMBER, k->max);
		ppi_put_text (row, "word",
			      k->words ? ppi_report_copy (
						 report, "%s",
						 ppi_report_knob (k, k->value, word, sizeof word))
				       : NULL);
		ppi_put_text (row, "words", k->words ? ppi_chunk_text (k, k->words) : NULL);
		ppi_put_count (row, "turned", k->turned);
		ppi_say (row,
			 "  {name}: {initial} at first, {value} now; %s; turned {turned} time%s\n",
			 k->words ? "one of {words}" : "range {min} to {max}",
			 ppi_report_plural (k->turned));
		show_turns (row, recording, k);
	}
}
