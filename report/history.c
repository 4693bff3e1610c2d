/* SPDX-License-Identifier: MIT */
/* history.c: what happened, in its order. */
#include "recording/names.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

#include <pp.h>
#include <string.h>

#define HISTORY_SHOWN 60
#define INDENT 22 /* behind time and kind */

static bool (*better) (const struct ppi_history_chunk *entry, char *out, size_t room);

void ppi_report_sentences_set (bool (*fn) (const struct ppi_history_chunk *entry, char *out,
					   size_t room))
{
	better = fn;
}

/* The whole sentence of ENTRY, until the report is freed. */
static const char *whole_sentence (struct ppi_report *report, const struct ppi_history_chunk *entry)
{
	const char *told = NULL;
	char text[2048];

	if (better && better (entry, text, sizeof text))
		told = ppi_report_copy (report, "%s", text);
	return told ? told : entry->text + strlen (entry->text) + 1;
}

/*
 * The SENTENCE of an entry, behind its name: "assertion NAME fired" is said by the words before it.
 */
static const char *sentence_of (const struct ppi_history_chunk *entry, const char *sentence)
{
	const char *p = sentence;
	size_t name = strlen (entry->text);

	if ((entry->kind != PPI_HISTORY_FIRE && entry->kind != PPI_HISTORY_CLEAR) ||
	    strncmp (p, "assertion ", 10) != 0 || strncmp (p + 10, entry->text, name) != 0)
		return sentence;
	p += 10 + name;
	p += strncmp (p, " fired", 6) == 0 ? 6 : strncmp (p, " cleared", 8) == 0 ? 8 : 0;
	return p + strspn (p, ": ");
}

/* Has NEWEST, a fire or clear, said already what E, a line in the log, says? */
static bool is_said (const struct ppi_history_chunk *e, const struct ppi_history_chunk *newest)
{
	return e->kind == PPI_HISTORY_LOG && newest && strcmp (newest->text, e->text) == 0 &&
	       strcmp (newest->text + strlen (newest->text) + 1, e->text + strlen (e->text) + 1) ==
		       0;
}

/* The next entry behind E; NEWEST is the newest fire or clear up to there. */
static const struct ppi_history_chunk *next_entry (const struct ppi_recording *recording,
						   const struct ppi_history_chunk *e,
						   const struct ppi_history_chunk **newest)
{
	if (e && (e->kind == PPI_HISTORY_FIRE || e->kind == PPI_HISTORY_CLEAR))
		*newest = e;
	return ppi_recording_next (recording, PPI_CHUNK_HISTORY, e);
}

static void say_entry (struct ppi_row *row, const struct ppi_history_chunk *e, const char *whole)
{
	const char *sentence = sentence_of (e, whole);

	ppi_show (row, "text", "%s", sentence);
	ppi_say (row, "  {at_s:11}  {kind:-6}  {name}%s", *sentence ? "  {text}" : "");
	/* a knob's sentence says both, as words where it has some */
	if (e->kind == PPI_HISTORY_KNOB && !*sentence)
		ppi_say (row, "  {from} → {to}");
	ppi_say (row, "\n");
}

void ppi_section_history (struct ppi_report *report, const struct ppi_recording *recording)
{
	uint64_t gone = ppi_recording_drops (recording, PP_DROP_HISTORY);
	const struct ppi_history_chunk *e = NULL, *newest = NULL;
	struct ppi_table *table = ppi_table (report, "history", "history");
	size_t n = 0, i = 0;

	if (table)
		table->indent = INDENT;
	while ((e = next_entry (recording, e, &newest)))
		n += !is_said (e, newest);
	if (n && gone)
		ppi_say (ppi_row (table), "  %llu that came before are gone: the newest are kept\n",
			 (unsigned long long) gone);
	newest = NULL;
	while ((e = next_entry (recording, e, &newest))) {
		bool is_shown = !is_said (e, newest) &&
				(report->extent == PPI_EXTENT_LONG ||
				 ppi_report_is_shown (table, "  ", i++, n, HISTORY_SHOWN));
		struct ppi_row *row = ppi_row (table);
		const char *sentence = whole_sentence (report, e);

		ppi_put_double (row, "at_s", PPI_CELL_INSTANT,
				ppi_report_seconds (recording, e->ns));
		ppi_put_text (row, "kind", ppi_history_name (e->kind));
		ppi_put_text (row, "name", e->text);
		ppi_put_text (row, "text", sentence);
		ppi_put_count (row, "thread", e->thread);
		if (e->kind == PPI_HISTORY_KNOB) {
			ppi_put_double (row, "from", PPI_CELL_NUMBER, e->value[0]);
			ppi_put_double (row, "to", PPI_CELL_NUMBER, e->value[1]);
		}
		if (is_shown)
			say_entry (row, e, sentence);
	}
}
