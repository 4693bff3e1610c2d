/* SPDX-License-Identifier: MIT */
/*
 * report_text.c: an edge as a sentence, as a pp_violation, and the assertion's place in the
 * recording.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/growth_check.h"
#include "assertions/engine/link.h"
#include "assertions/engine/machine.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/report_text.h"
#include "assertions/engine/seen.h"
#include "assertions/engine/state.h"
#include "assertions/engine/sweep.h"
#include "assertions/engine/violating.h"
#include "base/c_locale.h"
#include "base/chunk.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/site.h"
#include "recording/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t n_described;

_Static_assert(PPI_CAPTURES *(sizeof (struct ppi_capture_entry) + PPI_EXPR_BYTES + 1) <= UINT16_MAX,
	       "the text of a captured figure has an offset of 16 bits");

/*
 * In bytes from the start of the chunk: name, expression, then the table of captures, aligned, and
 * the texts of figures.
 */
static size_t chunk_bytes (const struct ppi_assertion *a, size_t *expression, size_t *capture)
{
	size_t bytes;

	*expression = sizeof (struct ppi_assertion_chunk) + strlen (a->name) + 1;
	*capture = (*expression + strlen (a->program->text) + 1 + 7) & ~(size_t) 7;
	bytes = *capture + a->n_captures * sizeof (struct ppi_capture_entry);
	for (uint32_t i = 0; i < a->n_captures; i++)
		if (a->capture[i].figure)
			bytes += strlen (a->capture[i].figure->text) + 1;
	return bytes;
}

void ppi_assertion_end (struct ppi_assertion *a)
{
	size_t expression, capture;

	if (a->sweep)
		ppi_sweep_end (a);
	ppi_violating_end (a);
	if (a->chunk == &a->spare.chunk)
		return;
	ppi_region_retire (a->chunk, chunk_bytes (a, &expression, &capture));
	a->chunk = &a->spare.chunk;
}

/* The texts stand behind the table, where there is room for them: IN_REGION. */
static void describe_captures (struct ppi_assertion *a, bool in_region)
{
	size_t text = a->n_captures * sizeof *a->entries;

	for (uint32_t i = 0; i < a->n_captures; i++) {
		const struct ppi_capture *c = &a->capture[i];
		struct ppi_capture_entry *entry = &a->entries[i];

		if (!c->figure) {
			entry->metric = ppi_metric_id (c->metric);
			/* readers want its name, also where it never has a value */
			(void) ppi_metric_describe (c->metric);
			continue;
		}
		entry->seconds = (int8_t) c->dimension.seconds;
		entry->bytes = (int8_t) c->dimension.bytes;
		if (!in_region || text > UINT16_MAX)
			continue;
		entry->text = (uint16_t) text;
		text = (size_t) (stpcpy ((char *) a->entries + text, c->figure->text) + 1 -
				 (char *) a->entries);
	}
}

void ppi_assertion_describe (struct ppi_assertion *a)
{
	size_t expression, capture, bytes = chunk_bytes (a, &expression, &capture);
	struct ppi_assertion_chunk *chunk = ppi_region_alloc (bytes);

	memset (&a->spare, 0, sizeof a->spare);
	a->chunk = chunk ? chunk : &a->spare.chunk;
	a->entries =
		chunk ? (struct ppi_capture_entry *) ((char *) chunk + capture) : a->spare.entries;
	a->chunk->left = a->chunk->right = NAN;
	a->chunk->captures = a->n_captures;
	a->chunk->severity = a->severity;
	a->chunk->per_thread = a->threads != NULL;
	describe_captures (a, chunk != NULL);
	if (a->checks)
		a->chunk->site = ppi_site_id (a->checks->site);
	ppi_tally_describe (a);
	if (!chunk)
		return;
	chunk->expression = (uint32_t) expression;
	chunk->capture = (uint32_t) capture;
	strcpy (chunk->name, a->name);
	strcpy ((char *) chunk + expression, a->program->text);
	ppi_region_publish (&chunk->chunk, PPI_CHUNK_ASSERTION, ++n_described);
}

struct sentence {
	char *out;
	size_t room, used;
};

static void say (struct sentence *s, const char *format, ...)
	__attribute__ ((format (printf, 2, 3)));

static void say (struct sentence *s, const char *format, ...)
{
	PPI_C_LOCALE;
	va_list ap;
	int n;

	va_start (ap, format);
	n = vsnprintf (s->out + s->used, s->room - s->used, format, ap);
	va_end (ap);
	if (n > 0)
		s->used += (size_t) n < s->room - s->used ? (size_t) n : s->room - s->used - 1;
}

static void say_captures (struct sentence *s, const struct ppi_assertion *a,
			  const struct ppi_notice *notice)
{
	const char *gap = "; captured";

	for (uint32_t i = 0; i < a->n_captures; i++) {
		const struct ppi_captured *c = &notice->seen.captured[i];
		struct ppi_dimension dimension = ppi_capture_dimension (&a->capture[i]);
		char value[PPI_QUANTITY_BYTES], avg[PPI_QUANTITY_BYTES];

		ppi_quantity_pair (c->value, c->avg, dimension, value, avg, sizeof value);
		say (s, "%s %s %s", gap, ppi_capture_name (&a->capture[i]), value);
		/*
		 * no ratio: an average of few samples, or one near zero, would make anything of it
		 */
		if (isfinite (c->avg))
			say (s, " (%s on average so far)", avg);
		gap = ",";
	}
}

static const char *sentence_with (const struct ppi_assertion *a, const struct ppi_notice *notice,
				  const char *detail, char *out, size_t room)
{
	static const char *const verbs[] = {"", "fired", "cleared", "goes on"};
	struct sentence s = {out, room, 0};
	const struct ppi_seen *seen = &notice->seen;
	char left[PPI_QUANTITY_BYTES], right[PPI_QUANTITY_BYTES];

	out[0] = '\0';
	if (notice->investigated) {
		say (&s, "assertion %s: %s", a->name, detail ? detail : "investigated");
		return out;
	}
	say (&s, "assertion %s %s", a->name, verbs[notice->edge]);
	if (*notice->group)
		say (&s, " for %s", notice->group);
	if (seen->site)
		say (&s, " at %s (thread %d)", pp_site_name (seen->site), seen->thread);
	say (&s, ": %s", a->program->text);
	if (a->growth)
		say (&s, ": %s", a->growth->detail);
	else if (a->program->n_comparisons) {
		ppi_quantity_pair (seen->left, seen->right, seen->dimension, left, right,
				   sizeof left);
		say (&s, ": left %s, right %s", left, right);
	}
	if (notice->edge != PPI_EDGE_CLEAR)
		say_captures (&s, a, notice);
	return out;
}

const char *ppi_sentence (const struct ppi_assertion *a, const struct ppi_notice *notice, char *out,
			  size_t room)
{
	return sentence_with (a, notice, NULL, out, room);
}

void ppi_violation_fill (const struct ppi_assertion *a, const struct ppi_notice *notice,
			 const char *detail, struct pp_capture *capture, char *text,
			 struct pp_violation *out)
{
	const struct ppi_seen *seen = &notice->seen;

	if (text) {
		(void) sentence_with (a, notice, detail, text, PPI_SENTENCE_BYTES);
		ppi_text_for_locale (text);
	}
	for (uint32_t i = 0; i < a->n_captures; i++) {
		const struct ppi_captured *c = &seen->captured[i];

		capture[i] = (struct pp_capture){ppi_capture_name (&a->capture[i]), c->value,
						 c->avg, c->value / c->avg, c->samples};
	}
	*out = (struct pp_violation){
		.size = sizeof *out,
		.clears = notice->edge == PPI_EDGE_CLEAR,
		.assertion = a->name,
		.expression = a->program->text,
		.site = seen->site ? pp_site_name (seen->site) : NULL,
		.thread = seen->thread,
		.left = seen->left,
		.right = seen->right,
		.violations = notice->violations,
		.checks = notice->checks,
		.seconds = ppi_since_start (seen->ns),
		.captures = a->n_captures,
		.capture = capture,
		.detail = detail,
		.severity = (enum pp_severity) a->severity,
		.repeats = notice->edge == PPI_EDGE_REPEAT || notice->investigated,
		.since = ppi_since_start (notice->since_ns),
		.fired = notice->fired,
		.text = text,
		.investigated = notice->investigated,
		.culprit_share = NAN,
		.group = *notice->group ? notice->group : NULL,
	};
}
