/* SPDX-License-Identifier: MIT */
/* report_events.c: what happened, in the report for people: knobs and their turns, adaptations, events in their order. */
#include "report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_SHOWN 60
#define TURNS_SHOWN 20 /* of each knob */
#define INDENT 22      /* behind time and kind of an event */

static void put_knob_value (FILE *out, const struct ppi_knob_chunk *knob, double value)
{
	char text[64];

	ppi_report_put_clean (out, ppi_report_knob_value (knob, value, text, sizeof text));
}

/* The first and the last of N lines, this is number I: how it began and how it ended. After the first ones it is said how many are left out. */
static bool is_shown (FILE *out, size_t i, size_t n, size_t shown, const char *indent)
{
	if (n <= shown || i < shown / 2 || i >= n - shown / 2)
		return true;
	if (i == shown / 2)
		fprintf (out, "%s... %zu more; --json has them all\n", indent, n - shown / 2 * 2);
	return false;
}

static void put_turns (FILE *out, const struct ppi_recording *recording, const struct ppi_knob_chunk *k)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	const struct ppi_event_chunk *e = NULL;
	size_t n = 0, i = 0;

	while ((e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e)))
		n += e->kind == PPI_EVENT_KNOB && strcmp (e->text, k->name) == 0;
	while ((e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e))) {
		if (e->kind != PPI_EVENT_KNOB || strcmp (e->text, k->name) != 0 ||
		    !is_shown (out, i++, n, TURNS_SHOWN, "    "))
			continue;
		fprintf (out, "    %9.3f s  ", ppi_report_seconds (header, e->ns));
		put_knob_value (out, k, e->value[0]);
		fputs (" → ", out);
		put_knob_value (out, k, e->value[1]);
		fputc ('\n', out);
	}
}

void ppi_report_put_knobs (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_knob_chunk *k = ppi_recording_next (recording, PPI_CHUNK_KNOB, NULL);

	if (k)
		fputs ("\nknobs\n", out);
	for (; k; k = ppi_recording_next (recording, PPI_CHUNK_KNOB, k)) {
		fputs ("  ", out);
		ppi_report_put_clean (out, k->name);
		fputs (": ", out);
		put_knob_value (out, k, k->initial);
		fputs (" at first, ", out);
		put_knob_value (out, k, k->value);
		fputs (k->words ? " now; one of " : " now; range ", out);
		if (k->words)
			ppi_report_put_clean (out, ppi_chunk_text (k, k->words));
		else
			fprintf (out, "%.6g to %.6g", k->min, k->max);
		fprintf (out, "; turned %u time%s\n", k->turned, k->turned == 1 ? "" : "s");
		put_turns (out, recording, k);
	}
}

/* VALUE of the objective: a time, bytes or a number */
static void put_objective (FILE *out, const struct ppi_adapt_chunk *adapt, double value)
{
	enum ppi_unit unit = adapt->seconds == 1 && !adapt->bytes   ? PPI_UNIT_SECONDS
			     : adapt->bytes == 1 && !adapt->seconds ? PPI_UNIT_BYTES
								    : PPI_UNIT_PLAIN;
	char text[40];

	ppi_report_put_right (out, ppi_report_quantity (value, unit, 1, text, sizeof text), 12);
}

/* What never happened is not said. */
static void put_times (FILE *out, const char *what, uint64_t n)
{
	if (n == 1)
		fprintf (out, "%s once", what);
	else if (n)
		fprintf (out, "%s %llu times", what, (unsigned long long) n);
}

static void put_adapt (FILE *out, const struct ppi_recording *recording, const struct ppi_adapt_chunk *adapt)
{
	char value[64];

	fputs ("  ", out);
	ppi_report_put_clean (out, ppi_chunk_text (adapt, adapt->knob));
	fprintf (out, ": %s ", adapt->maximise ? "maximise" : "minimise");
	ppi_report_put_clean (out, ppi_chunk_text (adapt, adapt->objective));
	fprintf (out, "; %s", ppi_adapt_state_name (adapt->state));
	if (adapt->state == PP_ADAPT_SETTLED)
		fprintf (out, " on %s", ppi_adapt_value (recording, adapt, adapt->best, value, sizeof value));
	if (adapt->since_ns)
		fprintf (out, " since %.3f s", ppi_report_seconds (ppi_recording_header (recording), adapt->since_ns));
	fprintf (out, "\n    %llu window%s", (unsigned long long) adapt->windows, adapt->windows == 1 ? "" : "s");
	put_times (out, "; settled", adapt->settled);
	put_times (out, "; degraded", adapt->degraded);
	put_times (out, "; another was better", adapt->better);
	put_times (out, "; too few samples", adapt->empty);
	put_times (out, "; somebody else turned the knob", adapt->disturbed);
	fputc ('\n', out);
	for (uint32_t i = 0; i < adapt->variants; i++) {
		fprintf (out, "    %c %-16s", i == adapt->best && adapt->state == PP_ADAPT_SETTLED ? '>' : ' ',
			 ppi_adapt_value (recording, adapt, i, value, sizeof value));
		put_objective (out, adapt, adapt->variant[i].mean);
		fputs (" ±", out);
		put_objective (out, adapt, adapt->variant[i].margin);
		fprintf (out, "  %llu windows%s\n", (unsigned long long) adapt->variant[i].windows,
			 adapt->variant[i].out ? ", left out" : "");
	}
}

void ppi_report_put_adapts (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_adapt_chunk *a = ppi_recording_next (recording, PPI_CHUNK_ADAPT, NULL);

	if (a)
		fputs ("\nadaptations\n", out);
	for (; a; a = ppi_recording_next (recording, PPI_CHUNK_ADAPT, a))
		put_adapt (out, recording, a);
}

/*
 * The sentence of an event, behind its name: "assertion NAME fired" is said by the words before it.
 */
static const char *sentence_of (const struct ppi_event_chunk *event)
{
	const char *sentence = event->text + strlen (event->text) + 1, *p = sentence;
	size_t name = strlen (event->text);

	if ((event->kind != PPI_EVENT_FIRE && event->kind != PPI_EVENT_CLEAR) || strncmp (p, "assertion ", 10) != 0 ||
	    strncmp (p + 10, event->text, name) != 0)
		return sentence;
	p += 10 + name;
	p += strncmp (p, " fired", 6) == 0 ? 6 : strncmp (p, " cleared", 8) == 0 ? 8 : 0;
	return p + strspn (p, ": ");
}

static void put_event_whole (FILE *out, const struct ppi_region_header *header, const struct ppi_event_chunk *event)
{
	const char *sentence = sentence_of (event);

	fprintf (out, "  %9.3f s  %-6s  ", ppi_report_seconds (header, event->ns), ppi_event_name (event->kind));
	ppi_report_put_clean (out, event->text);
	/* a knob's sentence says both, as words where it has some */
	if (event->kind == PPI_EVENT_KNOB && !*sentence)
		fprintf (out, "  %.6g → %.6g", event->value[0], event->value[1]);
	if (*sentence) {
		fputs ("  ", out);
		ppi_report_put_clean (out, sentence);
	}
}

/* The end of the longest part of LINE that takes at most ROOM columns, at a blank where there is one. */
static const char *end_of_line (const char *line, int room)
{
	const char *p = line, *blank = NULL;

	for (int used = 0; *p && used <= room; p++) {
		if (*p == ' ' && p > line && p[-1] != ' ')
			blank = p;
		used += (p[1] & 0xc0) != 0x80;
		if (used > room)
			break;
	}
	return !*p ? p : blank ? blank : p;
}

/* LINE, and where it is wider than ROOM the rest of it in further ones, which begin with INDENT blanks. */
static void put_wrapped (FILE *out, const char *line, int room, int indent)
{
	const char *end = end_of_line (line, room);

	fprintf (out, "%.*s\n", (int) (end - line), line);
	while (*(line = end + strspn (end, " "))) {
		end = end_of_line (line, room - indent);
		fprintf (out, "%*s%.*s\n", indent, "", (int) (end - line), line);
	}
}

/* On a terminal long ones are wrapped; in files and pipes an event is a line. */
static void put_event (FILE *out, const struct ppi_region_header *header, const struct ppi_event_chunk *event)
{
	int room = ppi_report_room (out);
	char *line = NULL;
	size_t bytes = 0;
	FILE *memory = room < INT_MAX && room > 2 * INDENT ? open_memstream (&line, &bytes) : NULL;

	put_event_whole (memory ? memory : out, header, event);
	if (!memory)
		fputc ('\n', out);
	else if (fclose (memory) == 0)
		put_wrapped (out, line, room, INDENT);
	free (line);
}

/* The next event that says something, behind E: a line in the log may say what the fire or clear before it, NEWEST, has said. */
static const struct ppi_event_chunk *next_event (const struct ppi_recording *recording, const struct ppi_event_chunk *e,
						 const struct ppi_event_chunk **newest)
{
	while ((e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e))) {
		const struct ppi_event_chunk *n = *newest;

		if (e->kind == PPI_EVENT_FIRE || e->kind == PPI_EVENT_CLEAR)
			*newest = e;
		if (e->kind != PPI_EVENT_LOG || !n || strcmp (n->text, e->text) != 0 ||
		    strcmp (n->text + strlen (n->text) + 1, e->text + strlen (e->text) + 1) != 0)
			return e;
	}
	return NULL;
}

/* ---- what policies wait for -------------------------------------------------------------------------------------- */

#define PENDING "pending: no "
#define FOUND "found: "

/* Of an event of a policy, what is behind its name if that begins with WORD; else NULL */
static const char *behind (const struct ppi_event_chunk *e, const char *word)
{
	const char *sentence = e->text + strlen (e->text) + 1;
	size_t n = strlen (word);

	return e->kind == PPI_EVENT_POLICY && strncmp (sentence, word, n) == 0 ? sentence + n : NULL;
}

/* "metric 'x'" and "metric 'x' yet": of one kind, and one name? */
static bool is_same_name (const char *a, const char *b)
{
	const char *from = strchr (a, '\''), *to = strrchr (a, '\''), *other = strchr (b, '\'');
	size_t word = strcspn (a, " ");

	return from && other && strncmp (a, b, word + 1) == 0 && strncmp (from, other, (size_t) (to - from) + 1) == 0;
}

/* Has it been found later, or the policy gone or changed? What a version of it waits for is noted before it is said to be loaded. */
static bool is_over (const struct ppi_recording *recording, const struct ppi_event_chunk *e, const char *what)
{
	const char *policy = e->text, *found;
	bool is_loaded = false;

	while ((e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e))) {
		if (e->kind != PPI_EVENT_POLICY || strcmp (e->text, policy) != 0)
			continue;
		found = behind (e, FOUND);
		if ((found && is_same_name (what, found)) || behind (e, "unloaded") ||
		    (is_loaded && behind (e, "reloaded")))
			return true;
		is_loaded |= behind (e, "loaded") || behind (e, "reloaded");
	}
	return false;
}

void ppi_report_put_pending (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_event_chunk *e = NULL;
	bool any = false;

	while ((e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e))) {
		const char *what = behind (e, PENDING);

		if (!what || is_over (recording, e, what))
			continue;
		if (!any)
			fputs ("\npending\n", out);
		any = true;
		fputs ("  ", out);
		ppi_report_put_clean (out, e->text);
		fputs (": no ", out);
		ppi_report_put_clean (out, what);
		fputc ('\n', out);
	}
}

void ppi_report_put_events (FILE *out, const struct ppi_recording *recording)
{
	uint64_t gone = ppi_recording_drops (recording, PP_DROP_HISTORY);
	const struct ppi_event_chunk *e = NULL, *newest = NULL;
	size_t n = 0, i = 0;

	while ((e = next_event (recording, e, &newest)))
		n++;
	if (n)
		fputs ("\nevents\n", out);
	if (n && gone)
		fprintf (out, "  %llu that came before are gone: the newest are kept\n", (unsigned long long) gone);
	newest = NULL;
	while ((e = next_event (recording, e, &newest)))
		if (is_shown (out, i++, n, EVENTS_SHOWN, "  "))
			put_event (out, ppi_recording_header (recording), e);
}
