/* SPDX-License-Identifier: MIT */
/*
 * render_pprof.c: the protocol buffer that `go tool pprof` and others read
 * (github.com/google/pprof, proto/profile.proto).
 */
#include "profiler/analysis/proto.h"
#include "profiler/analysis/render.h"

#include <stdlib.h>

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6
};
enum { PROFILE_DURATION = 10, PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12 };
/* texts that stand before those of functions: number 0 is "" */
enum { TEXT_SAMPLES = 1, TEXT_COUNT, TEXT_TIME, TEXT_NANOSECONDS, TEXT_FUNCTIONS };

static void put_type (struct ppi_proto *m, unsigned field, struct ppi_proto *inner, uint64_t type,
		      uint64_t unit)
{
	ppi_proto_number (inner, 1, type);
	ppi_proto_number (inner, 2, unit);
	ppi_proto_message (m, field, inner);
}

/* A sample for each stack: how often, and how long. */
static void put_stack (struct ppi_proto *m, const struct ppi_samples *s,
		       const struct ppi_stack *stack, uint64_t count, double seconds,
		       struct ppi_proto *inner, struct ppi_proto *list)
{
	for (size_t i = stack->n; i-- > 0;)
		ppi_proto_integer (list, s->frame[stack->first + i] + UINT64_C (1));
	ppi_proto_message (inner, 1, list);
	ppi_proto_integer (list, count);
	ppi_proto_integer (list, (uint64_t) (1e9 * seconds + 0.5));
	ppi_proto_message (inner, 2, list);
	ppi_proto_message (m, PROFILE_SAMPLE, inner);
}

static bool put_stacks (struct ppi_proto *m, const struct ppi_samples *s, struct ppi_proto *inner,
			struct ppi_proto *list)
{
	double *seconds = calloc (s->stacks + 1, sizeof *seconds);
	uint64_t *count = calloc (s->stacks + 1, sizeof *count);

	for (size_t t = 0; seconds && count && t < s->threads; t++)
		for (size_t i = 0; i < s->thread[t].n; i++) {
			seconds[s->thread[t].sample[i].stack] +=
				ppi_sample_cost (s, &s->thread[t], i);
			count[s->thread[t].sample[i].stack] +=
				ppi_sample_times (s, &s->thread[t].sample[i]);
		}
	for (size_t k = 0; seconds && count && k < s->stacks; k++)
		if (s->stack[k].n)
			put_stack (m, s, &s->stack[k], count[k], seconds[k], inner, list);
	m->failed |= !seconds || !count;
	free (seconds);
	free (count);
	return !m->failed;
}

/* Each function is a place of its own: there are no addresses any more. */
static void put_function (struct ppi_proto *m, const struct ppi_function *f, uint64_t i,
			  struct ppi_proto *inner, struct ppi_proto *list)
{
	ppi_proto_number (list, 1, i + 1);
	ppi_proto_number (list, 2, f->line);
	ppi_proto_number (inner, 1, i + 1);
	ppi_proto_message (inner, 4, list);
	ppi_proto_message (m, PROFILE_LOCATION, inner);
	ppi_proto_number (inner, 1, i + 1);
	ppi_proto_number (inner, 2, TEXT_FUNCTIONS + 2 * i);
	ppi_proto_number (inner, 3, TEXT_FUNCTIONS + 2 * i);
	ppi_proto_number (inner, 4, TEXT_FUNCTIONS + 2 * i + 1);
	ppi_proto_number (inner, 5, f->line);
	ppi_proto_message (m, PROFILE_FUNCTION, inner);
}

static void put_texts (struct ppi_proto *m, const struct ppi_samples *s)
{
	const char *const first[] = {"", "samples", "count", s->is_cpu ? "cpu" : "wall",
				     "nanoseconds"};

	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		ppi_proto_text (m, PROFILE_STRING, first[i]);
	for (size_t i = 0; i < s->functions; i++) {
		const char *name = *s->function[i].name ? s->function[i].name : "???";

		ppi_proto_text (m, PROFILE_STRING, name);
		ppi_proto_text (m, PROFILE_STRING, s->function[i].file);
	}
}

bool ppi_render_pprof (const struct ppi_samples *s, FILE *out)
{
	struct ppi_proto m = {.data = NULL}, inner = {.data = NULL}, list = {.data = NULL};
	bool ok;

	put_type (&m, PROFILE_SAMPLE_TYPE, &inner, TEXT_SAMPLES, TEXT_COUNT);
	put_type (&m, PROFILE_SAMPLE_TYPE, &inner, TEXT_TIME, TEXT_NANOSECONDS);
	ok = put_stacks (&m, s, &inner, &list);
	for (size_t i = 0; ok && i < s->functions; i++)
		put_function (&m, &s->function[i], i, &inner, &list);
	put_texts (&m, s);
	ppi_proto_number (&m, PROFILE_DURATION, (uint64_t) (1e9 * s->wall_s));
	put_type (&m, PROFILE_PERIOD_TYPE, &inner, TEXT_TIME, TEXT_NANOSECONDS);
	ppi_proto_number (&m, PROFILE_PERIOD, (uint64_t) (1e9 * s->period_s));
	ok = ok && !m.failed;
	if (ok)
		fwrite (m.data, 1, m.n, out);
	free (m.data);
	free (inner.data);
	free (list.data);
	return ok;
}
