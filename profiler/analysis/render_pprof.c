/* SPDX-License-Identifier: MIT */
/*
 * render_pprof.c: the protocol buffer that `go tool pprof` and others read
 * (github.com/google/pprof, proto/profile.proto). A message is fields one after the other, each a
 * number with its type and then a variable-length integer, or bytes with their length; so this is
 * all of an encoder that it takes.
 */
#include "profiler/analysis/render.h"

#include <stdlib.h>
#include <string.h>

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

struct message {
	uint8_t *data;
	size_t n, room;
	bool failed;
};

static void put (struct message *m, const void *data, size_t bytes)
{
	if (m->failed || m->room - m->n < bytes) {
		size_t more = 2 * m->room + bytes + 64;
		uint8_t *grown = m->failed ? NULL : realloc (m->data, more);

		if (!grown) {
			m->failed = true;
			return;
		}
		m->data = grown;
		m->room = more;
	}
	if (bytes)
		memcpy (m->data + m->n, data, bytes);
	m->n += bytes;
}

static void put_integer (struct message *m, uint64_t value)
{
	uint8_t bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (uint8_t) ((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
	put (m, bytes, n);
}

static void put_number (struct message *m, unsigned field, uint64_t value)
{
	put_integer (m, field << 3);
	put_integer (m, value);
}

static void put_bytes (struct message *m, unsigned field, const void *data, size_t bytes)
{
	put_integer (m, field << 3 | 2);
	put_integer (m, bytes);
	put (m, data, bytes);
}

/* INNER becomes a field of M, and is empty then. */
static void put_message (struct message *m, unsigned field, struct message *inner)
{
	m->failed |= inner->failed;
	put_bytes (m, field, inner->data, inner->n);
	inner->n = 0;
}

static void put_type (struct message *m, unsigned field, struct message *inner, uint64_t type,
		      uint64_t unit)
{
	put_number (inner, 1, type);
	put_number (inner, 2, unit);
	put_message (m, field, inner);
}

/* A sample for each stack: how often, and how long. */
static void put_stack (struct message *m, const struct ppi_samples *s,
		       const struct ppi_stack *stack, uint64_t count, double seconds,
		       struct message *inner, struct message *list)
{
	for (size_t i = stack->n; i-- > 0;)
		put_integer (list, s->frame[stack->first + i] + UINT64_C (1));
	put_message (inner, 1, list);
	put_integer (list, count);
	put_integer (list, (uint64_t) (1e9 * seconds + 0.5));
	put_message (inner, 2, list);
	put_message (m, PROFILE_SAMPLE, inner);
}

static bool put_stacks (struct message *m, const struct ppi_samples *s, struct message *inner,
			struct message *list)
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
static void put_function (struct message *m, const struct ppi_function *f, uint64_t i,
			  struct message *inner, struct message *list)
{
	put_number (list, 1, i + 1);
	put_number (list, 2, f->line);
	put_number (inner, 1, i + 1);
	put_message (inner, 4, list);
	put_message (m, PROFILE_LOCATION, inner);
	put_number (inner, 1, i + 1);
	put_number (inner, 2, TEXT_FUNCTIONS + 2 * i);
	put_number (inner, 3, TEXT_FUNCTIONS + 2 * i);
	put_number (inner, 4, TEXT_FUNCTIONS + 2 * i + 1);
	put_number (inner, 5, f->line);
	put_message (m, PROFILE_FUNCTION, inner);
}

static void put_texts (struct message *m, const struct ppi_samples *s)
{
	const char *const first[] = {"", "samples", "count", s->is_cpu ? "cpu" : "wall",
				     "nanoseconds"};

	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		put_bytes (m, PROFILE_STRING, first[i], strlen (first[i]));
	for (size_t i = 0; i < s->functions; i++) {
		const char *name = *s->function[i].name ? s->function[i].name : "???";

		put_bytes (m, PROFILE_STRING, name, strlen (name));
		put_bytes (m, PROFILE_STRING, s->function[i].file, strlen (s->function[i].file));
	}
}

bool ppi_render_pprof (const struct ppi_samples *s, FILE *out)
{
	struct message m = {.data = NULL}, inner = {.data = NULL}, list = {.data = NULL};
	bool ok;

	put_type (&m, PROFILE_SAMPLE_TYPE, &inner, TEXT_SAMPLES, TEXT_COUNT);
	put_type (&m, PROFILE_SAMPLE_TYPE, &inner, TEXT_TIME, TEXT_NANOSECONDS);
	ok = put_stacks (&m, s, &inner, &list);
	for (size_t i = 0; ok && i < s->functions; i++)
		put_function (&m, &s->function[i], i, &inner, &list);
	put_texts (&m, s);
	put_number (&m, PROFILE_DURATION, (uint64_t) (1e9 * s->wall_s));
	put_type (&m, PROFILE_PERIOD_TYPE, &inner, TEXT_TIME, TEXT_NANOSECONDS);
	put_number (&m, PROFILE_PERIOD, (uint64_t) (1e9 * s->period_s));
	ok = ok && !m.failed;
	if (ok)
		fwrite (m.data, 1, m.n, out);
	free (m.data);
	free (inner.data);
	free (list.data);
	return ok;
}
