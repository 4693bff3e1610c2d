/* SPDX-License-Identifier: MIT */
/*
 * trace.c: records as lines, in the order of their begins; see trace.h. They come the other way
 * round, so that the first ones are known at the end only: as many lines as are asked for are kept,
 * in a heap whose top is the latest.
 */
#include "profiler/analysis/trace.h"

#include "base/quantity.h"
#include "profiler/analysis/put.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	double begin_ns;
	uint64_t sequence; /* what begins at the same time: the outer one first, as it comes */
	char *text;
};

struct printing {
	struct ppi_trace *trace;
	struct line *line;
	size_t n, room;
	const uint32_t *key;
	uint32_t n_keys;
};

void ppi_trace_clear (struct ppi_trace *trace)
{
	ppi_query_list_clear (&trace->list);
	ppi_terms_destroy (trace->terms);
	*trace = (struct ppi_trace){.limit = 0};
}

/* ---- the heap -------------------------------------------------------------------------------- */

static int order (const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->begin_ns < y->begin_ns || x->begin_ns > y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static void swap (struct line *a, struct line *b)
{
	struct line was = *a;

	*a = *b;
	*b = was;
}

static void sift_up (struct line *line, size_t at)
{
	for (; at && order (&line[at], &line[(at - 1) / 2]) > 0; at = (at - 1) / 2)
		swap (&line[at], &line[(at - 1) / 2]);
}

static void sift_down (struct line *line, size_t n)
{
	for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && order (&line[child + 1], &line[child]) > 0)
			child++;
		if (order (&line[child], &line[at]) <= 0)
			break;
		swap (&line[at], &line[child]);
	}
}

/* Is there a line less for it, or room for one more? */
static bool is_wanted (const struct printing *p, const struct line *line)
{
	return !p->trace->limit || p->n < p->trace->limit || order (line, &p->line[0]) < 0;
}

static bool keep (struct printing *p, struct line line)
{
	struct line *wide;

	if (p->trace->limit && p->n == p->trace->limit) {
		free (p->line[0].text);
		p->line[0] = line;
		sift_down (p->line, p->n);
		return true;
	}
	if (p->n == p->room) {
		size_t more = p->room ? 2 * p->room : 256;

		wide = reallocarray (p->line, more, sizeof *wide);
		if (!wide)
			return false;
		p->line = wide;
		p->room = more;
	}
	p->line[p->n] = line;
	sift_up (p->line, p->n++);
	return true;
}

/* ---- a line ---------------------------------------------------------------------------------- */

/* A text may have blanks and = in it: where it ends shows. */
static void put_quoted (FILE *out, const char *text)
{
	char part[64];

	fputc ('"', out);
	while (*text) {
		size_t n = strcspn (text, "\"\\");

		if (!n) {
			fprintf (out, "\\%c", *text++);
			continue;
		}
		n = n < sizeof part ? n : sizeof part - 1;
		snprintf (part, sizeof part, "%.*s", (int) n, text);
		ppi_put_clean (out, part);
		text += n;
	}
	fputc ('"', out);
}

static void put_value (const struct printing *p, const char *label, struct ppi_value value,
		       FILE *out)
{
	char text[PPI_FORMAT_ROOM];
	const char *is;

	if (value.type == PP_ABI_VALUE_NONE)
		return;
	fputc (' ', out);
	ppi_put_clean (out, label);
	fputc ('=', out);
	is = ppi_terms_format (p->trace->terms, label, value, text, sizeof text);
	if (value.type == PP_ABI_VALUE_STRING)
		put_quoted (out, is);
	else
		ppi_put_clean (out, is);
}

static void put_dims (const struct printing *p, const struct ppi_nest *nest, uint32_t place,
		      FILE *out)
{
	struct ppi_trace *trace = p->trace;

	if (trace->list.n)
		for (unsigned i = 0; i < trace->list.n; i++)
			put_value (p, trace->list.dim[i].label,
				   ppi_terms_value (trace->terms, trace->list.dim[i].term, nest,
						    place),
				   out);
	else
		for (uint32_t i = 0; i < p->n_keys; i++)
			put_value (p, ppi_terms_text (trace->terms, p->key[i]),
				   nest->slot[(size_t) place * nest->n_slots + i], out);
}

static char *text_of (const struct printing *p, const struct ppi_nest *nest, uint32_t place)
{
	const struct ppi_record_frame *frame = &nest->frame[place];
	char time[PPI_QUANTITY_BYTES] = "point", *text = NULL;
	size_t n;
	FILE *out = open_memstream (&text, &n);

	if (!out)
		return NULL;
	if (!frame->is_point) {
		ppi_quantity_format (frame->time_ns * 1e-9, (struct ppi_dimension){.seconds = 1},
				     time, sizeof time);
		ppi_text_for_locale (time);
	}
	/* "µ" is two bytes */
	fprintf (out, "%14.9f  %*s  %7" PRIu32 "  %*s", frame->begin_ns * 1e-9,
		 strstr (time, "µ") ? 11 : 10, time, frame->thread,
		 (int) (2 * (frame->depth < 40 ? frame->depth : 40)), "");
	ppi_put_clean (out, ppi_terms_text (p->trace->terms, frame->event));
	if (frame->is_span)
		fputs (" (span)", out);
	put_dims (p, nest, place, out);
	if (fclose (out) == 0)
		return text;
	free (text);
	return NULL;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static bool begins (const struct ppi_nest *nest, uint32_t place, void *arg)
{
	struct printing *p = arg;
	const struct ppi_record_frame *frame = &nest->frame[place];
	struct line line = {.begin_ns = frame->begin_ns, .sequence = frame->sequence};

	if (p->trace->list.has_where &&
	    !ppi_value_is_true (
		    ppi_terms_value (p->trace->terms, p->trace->list.where, nest, place)))
		return true;
	p->trace->chosen++;
	if (!is_wanted (p, &line))
		return true;
	line.text = text_of (p, nest, place);
	return line.text && keep (p, line);
}

static bool ends (const struct ppi_nest *nest, uint32_t place, double own_ns, void *arg)
{
	(void) nest, (void) place, (void) own_ns, (void) arg;
	return true;
}

static void put_lines (struct printing *p, FILE *out)
{
	const struct ppi_trace *trace = p->trace;

	qsort (p->line, p->n, sizeof *p->line, order);
	fprintf (out, "%14s  %10s  %7s  %s\n", "begin s", "time", "thread", "event");
	for (size_t i = 0; i < p->n; i++)
		fprintf (out, "%s\n", p->line[i].text);
	if (trace->chosen > p->n)
		fprintf (out, "... and %" PRIu64 " more; --limit N shows more, --limit 0 all\n",
			 trace->chosen - p->n);
	ppi_records_put_losses (&trace->info, out);
}

bool ppi_trace_print (struct ppi_trace *trace, const struct ppi_query_source *source, FILE *out,
		      char *why, size_t room)
{
	struct printing p = {.trace = trace};
	struct ppi_walker walker = {begins, ends, &p};
	bool ok;

	if (!trace->list.n && !ppi_terms_want_all (trace->terms, why, room))
		return false;
	p.key = ppi_terms_slots (trace->terms, &p.n_keys);
	ok = ppi_walk_late (source, trace->terms, why, room) &&
	     ppi_walk (source, trace->terms, &walker, &trace->sums, why, room) &&
	     (!trace->sums.records || ppi_terms_all_seen (trace->terms, why, room));
	ppi_records_info (source->records, &trace->info);
	if (ok)
		put_lines (&p, out);
	for (size_t i = 0; i < p.n; i++)
		free (p.line[i].text);
	free (p.line);
	return ok;
}
