/* SPDX-License-Identifier: MIT */
/*
 * trace_chrome.c: records as JSON in the Trace Event Format, which chrome://tracing, Perfetto and
 * Speedscope read: an interval is a complete event ("X"), a point an instant ("i"), a span a pair
 * of asynchronous ones ("b", "e"). Times are microseconds. Viewers sort, so records are written as
 * they come, and nothing is kept.
 */
#include "profiler/analysis/render.h"
#include "profiler/analysis/trace.h"

#include <inttypes.h>
#include <math.h>

struct writing {
	struct ppi_trace *trace;
	FILE *out;
	const uint32_t *key;
	uint32_t n_keys;
	bool has_one;
};

static void put_value (const struct writing *w, struct ppi_value value)
{
	char text[64];
	const char *is = ppi_value_text (w->trace->terms, value, text, sizeof text);
	bool is_bare = value.type == PP_ABI_VALUE_INT || value.type == PPI_VALUE_TRUTH ||
		       value.type == PPI_VALUE_LARGE ||
		       (value.type == PP_ABI_VALUE_DOUBLE && isfinite (ppi_value_number (value)));

	if (is_bare)
		fputs (is, w->out);
	else
		ppi_put_json_text (is, w->out);
}

static void put_args (const struct writing *w, const struct ppi_nest *nest, uint32_t place)
{
	const struct ppi_trace *trace = w->trace;
	uint32_t n = trace->list.n ? trace->list.n : w->n_keys;
	bool has_one = false;

	fputs (",\"args\":{", w->out);
	for (uint32_t i = 0; i < n; i++) {
		struct ppi_value value =
			trace->list.n ? ppi_terms_value (trace->terms, trace->list.dim[i].term,
							 nest, place)
				      : nest->slot[(size_t) place * nest->n_slots + i];

		if (value.type == PP_ABI_VALUE_NONE)
			continue;
		if (has_one)
			fputc (',', w->out);
		has_one = true;
		ppi_put_json_text (trace->list.n ? trace->list.dim[i].label
						 : ppi_terms_text (trace->terms, w->key[i]),
				   w->out);
		fputc (':', w->out);
		put_value (w, value);
	}
	fputs ("}}", w->out);
}

static void put_head (struct writing *w, const struct ppi_record_frame *frame, const char *phase,
		      double ns)
{
	fputs (w->has_one ? ",\n{\"name\":" : "\n{\"name\":", w->out);
	w->has_one = true;
	ppi_put_json_text (ppi_terms_text (w->trace->terms, frame->event), w->out);
	fprintf (w->out,
		 ",\"cat\":\"event\",\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		 ",\"ts\":%.3f",
		 phase, w->trace->pid, frame->thread, isfinite (ns) ? ns * 1e-3 : 0);
}

static bool begins (const struct ppi_nest *nest, uint32_t place, void *arg)
{
	struct writing *w = arg;
	const struct ppi_record_frame *frame = &nest->frame[place];

	if (w->trace->list.has_where &&
	    !ppi_value_is_true (
		    ppi_terms_value (w->trace->terms, w->trace->list.where, nest, place)))
		return true;
	w->trace->chosen++;
	if (frame->is_span) {
		put_head (w, frame, "b", frame->begin_ns);
		fprintf (w->out, ",\"id\":%" PRIu64, frame->sequence);
		put_args (w, nest, place);
		put_head (w, frame, "e", frame->begin_ns + frame->time_ns);
		fprintf (w->out, ",\"id\":%" PRIu64 "}", frame->sequence);
		return true;
	}
	put_head (w, frame, frame->is_point ? "i" : "X", frame->begin_ns);
	if (frame->is_point)
		fputs (",\"s\":\"t\"", w->out);
	else
		fprintf (w->out, ",\"dur\":%.3f", frame->time_ns * 1e-3);
	put_args (w, nest, place);
	return true;
}

static bool ends (const struct ppi_nest *nest, uint32_t place, double own_ns, void *arg)
{
	(void) nest, (void) place, (void) own_ns, (void) arg;
	return true;
}

bool ppi_trace_chrome (struct ppi_trace *trace, const struct ppi_query_source *source, FILE *out,
		       char *why, size_t room)
{
	struct writing w = {.trace = trace, .out = out};
	struct ppi_walker walker = {begins, ends, &w};
	bool ok;

	if (!trace->list.n && !ppi_terms_want_all (trace->terms, why, room))
		return false;
	w.key = ppi_terms_slots (trace->terms, &w.n_keys);
	if (!ppi_walk_late (source, trace->terms, why, room))
		return false;
	fputs ("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	ok = ppi_walk (source, trace->terms, &walker, &trace->sums, why, room) &&
	     (!trace->sums.records || ppi_terms_all_seen (trace->terms, why, room));
	ppi_records_info (source->records, &trace->info);
	if (trace->program) {
		fprintf (out,
			 "%s\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%" PRIu32
			 ",\"args\":{\"name\":",
			 w.has_one ? "," : "", trace->pid);
		ppi_put_json_text (trace->program, out);
		fputs ("}}", out);
	}
	fputs ("\n]}\n", out);
	return ok;
}
