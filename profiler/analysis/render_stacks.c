/* SPDX-License-Identifier: MIT */
/* render_stacks.c: what shows whole stacks: collapsed, speedscope. */
#include "profiler/analysis/render.h"

#include "base/utf8.h"
#include "profiler/analysis/put.h"

#include <math.h>
#include <stdlib.h>

/* ---- texts in JSON --------------------------------------------------------------------------- */

void ppi_put_json_text (const char *text, FILE *out)
{
	fputc ('"', out);
	while (*text) {
		uint32_t code;
		size_t n = ppi_utf8 (text, &code);

		if (!n) {
			fputs ("\\ufffd", out);
			n = 1;
		} else if (!ppi_utf8_shown (text) || *text == '"' || *text == '\\')
			fprintf (out, "\\u%04x", (unsigned) code);
		else
			fwrite (text, 1, n, out);
		text += n;
	}
	fputc ('"', out);
}

/* ---- collapsed ------------------------------------------------------------------------------- */

static void put_plain (const char *text, FILE *out)
{
	if (!*text)
		text = "???";
	for (; *text; text++)
		fputc (*text == ';' || (unsigned char) *text < 32 ? '_' : *text, out);
}

static void put_stack (const struct ppi_samples *s, const struct ppi_stack *stack,
		       const bool *shared, FILE *out)
{
	for (size_t i = 0; i < stack->n; i++) {
		uint32_t number = s->frame[stack->first + i];
		const struct ppi_function *function = &s->function[number];

		if (i)
			fputc (';', out);
		put_plain (function->name, out);
		if (s->is_by_line || shared[number])
			ppi_put_place (function->file, function->line, out);
	}
}

bool ppi_render_collapsed (const struct ppi_samples *s, FILE *out)
{
	double *cost = calloc (s->stacks + 1, sizeof *cost);
	bool *shared = ppi_names_shared (s->function, sizeof *s->function, s->functions);
	bool ok = cost && shared;

	for (size_t t = 0; ok && t < s->threads; t++)
		for (size_t i = 0; i < s->thread[t].n; i++)
			cost[s->thread[t].sample[i].stack] += ppi_sample_cost (s, &s->thread[t], i);
	for (size_t k = 0; ok && k < s->stacks; k++) {
		const struct ppi_stack *stack = &s->stack[k];

		if (!stack->n || cost[k] < 0.5e-6)
			continue;
		put_stack (s, stack, shared, out);
		fprintf (out, " %.0f\n", 1e6 * cost[k]);
	}
	free (cost);
	free (shared);
	return ok;
}

/* ---- speedscope ------------------------------------------------------------------------------ */

static void put_frames (const struct ppi_samples *s, FILE *out)
{
	fputs ("\"shared\": {\"frames\": [", out);
	for (size_t i = 0; i < s->functions; i++) {
		fputs (i ? ",\n{\"name\": " : "\n{\"name\": ", out);
		ppi_put_json_text (*s->function[i].name ? s->function[i].name : "???", out);
		if (*s->function[i].file) {
			fputs (", \"file\": ", out);
			ppi_put_json_text (s->function[i].file, out);
		}
		if (s->function[i].line)
			fprintf (out, ", \"line\": %u", s->function[i].line);
		fputc ('}', out);
	}
	fputs ("]},\n", out);
}

static void put_thread (const struct ppi_samples *s, const struct ppi_sampled_thread *thread,
			FILE *out)
{
	double end = 0;

	fputs ("{\"type\": \"sampled\", \"name\": ", out);
	ppi_put_json_text (thread->name, out);
	fputs (", \"unit\": \"seconds\", \"samples\": [", out);
	for (size_t i = 0; i < thread->n; i++) {
		const struct ppi_stack *stack = &s->stack[thread->sample[i].stack];

		fputs (i ? ",\n[" : "\n[", out);
		for (size_t k = 0; k < stack->n; k++)
			fprintf (out, k ? ",%u" : "%u", s->frame[stack->first + k]);
		fputc (']', out);
	}
	fputs ("], \"weights\": [", out);
	for (size_t i = 0; i < thread->n; i++) {
		double cost = ppi_sample_cost (s, thread, i);

		fprintf (out, i ? ",%.9f" : "%.9f", cost);
		end += round (cost * 1e9) / 1e9;
	}
	fprintf (out, "], \"startValue\": 0, \"endValue\": %.9f}", end);
}

bool ppi_render_speedscope (const struct ppi_samples *s, FILE *out)
{
	fputs ("{\"$schema\": "
	       "\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\": \"ppctl\", "
	       "\"activeProfileIndex\": 0, \"name\": ",
	       out);
	ppi_put_json_text (s->program ? s->program : "", out);
	fputs (",\n", out);
	put_frames (s, out);
	fputs ("\"profiles\": [", out);
	for (size_t i = 0; i < s->threads; i++) {
		fputs (i ? ",\n" : "\n", out);
		put_thread (s, &s->thread[i], out);
	}
	fputs ("]}\n", out);
	return true;
}
