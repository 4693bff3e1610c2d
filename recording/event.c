/* SPDX-License-Identifier: MIT */
/* event.c: reads entries of streams of events; see event.h. Nothing that they say is believed. */
#include "recording/event.h"

#include "base/dims.h"

#include <stdlib.h>
#include <string.h>

/* Of two bytes or more. */
static bool take_long (const uint8_t **at, const uint8_t *end, uint64_t *out)
{
	uint64_t value = 0;

	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;

		if (shift == 63 && byte > 1)
			return false;
		value |= (uint64_t) (byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*out = value;
			return true;
		}
	}
	return false;
}

/* False where it does not end, or is more than 64 bits. Most are a byte. */
static inline bool take (const uint8_t **at, const uint8_t *end, uint64_t *out)
{
	if (__builtin_expect (*at == end || **at > 0x7f, 0))
		return take_long (at, end, out);
	*out = *(*at)++;
	return true;
}

static bool take_double (const uint8_t **at, const uint8_t *end, uint64_t *out)
{
	unsigned n, below;

	if (*at == end)
		return false;
	n = **at & 15;
	below = *(*at)++ >> 4;
	if (n + below > 8 || (size_t) (end - *at) < n)
		return false;
	*out = 0;
	for (unsigned i = 0; i < n; i++)
		*out |= (uint64_t) * (*at)++ << 8 * (below + i);
	return true;
}

static inline bool take_values (struct ppi_event_reader *reader, const uint8_t **at,
				const uint8_t *end, struct ppi_event *out)
{
	const struct ppi_event_shape *shape = out->shape;
	uint64_t *last = reader->last[shape->number % PPI_EVENT_TABLE].value, value;

	if (reader->last[shape->number % PPI_EVENT_TABLE].shape != shape->number) {
		memset (last, 0, sizeof reader->last[0].value);
		reader->last[shape->number % PPI_EVENT_TABLE].shape = shape->number;
	}
	for (unsigned i = 0; i < shape->n; i++) {
		if (shape->type[i] == PP_ABI_VALUE_DOUBLE ? !take_double (at, end, &value)
							  : !take (at, end, &value))
			return false;
		if (shape->type[i] == PP_ABI_VALUE_DOUBLE)
			value ^= last[i];
		else if (shape->type[i] != PP_ABI_VALUE_STRING)
			value = last[i] + (value >> 1 ^ -(value & 1));
		out->value[i] = last[i] = value;
	}
	return true;
}

static inline bool take_nesting (struct ppi_event_reader *reader, const uint8_t **at,
				 const uint8_t *end, struct ppi_event *out)
{
	uint64_t nesting, more = 0;

	if (!take (at, end, &nesting) || ((nesting & 3) == 3 && !take (at, end, &more)))
		return false;
	more += nesting & 3;
	nesting >>= 2;
	if (more > UINT32_MAX || nesting > UINT32_MAX)
		return false;
	/* modulo 2^32, as they were counted */
	reader->begins += (uint32_t) more;
	out->begin = reader->begins - (uint32_t) nesting;
	return true;
}

bool ppi_event_read (struct ppi_event_reader *reader, const uint8_t **at, const uint8_t *end,
		     ppi_event_shape_fn shape_of, void *arg, struct ppi_event *out)
{
	uint64_t what, strand = 0, since, took = 0;

	if (!take (at, end, &what) || what >> 2 > UINT32_MAX)
		return false;
	out->shape = shape_of ((uint32_t) (what >> 2), arg);
	out->form = (enum ppi_event_form) (what & 3);
	if (!out->shape)
		return false;
	if (out->form == PPI_EVENT_STRAND) {
		if (!take (at, end, &strand) || strand >> 1 > UINT32_MAX)
			return false;
		out->form = strand & PPI_EVENT_STRAND_POINT ? PPI_EVENT_POINT : PPI_EVENT_INTERVAL;
	}
	out->strand = (uint32_t) (strand >> 1);
	if (!take (at, end, &since) || since > UINT64_MAX - reader->end_ticks)
		return false;
	if (out->form != PPI_EVENT_POINT && !take (at, end, &took))
		return false;
	out->end_ticks = reader->end_ticks += since;
	if (took > out->end_ticks)
		return false;
	out->begin_ticks = out->end_ticks - took;
	out->begin = 0;
	if (out->form != PPI_EVENT_SPAN && !take_nesting (reader, at, end, out))
		return false;
	return take_values (reader, at, end, out);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* From TEXT up to the next separator, where *NEXT is; NULL: there is none. */
static struct ppi_event_text field (const char *text, const char **next)
{
	const char *end = strchr (text, PPI_EVENT_SEPARATOR);

	*next = end ? end + 1 : NULL;
	return (struct ppi_event_text){text, end ? (size_t) (end - text) : strlen (text)};
}

bool ppi_event_shape_parse (const char *text, struct ppi_event_shape *out,
			    struct ppi_event_text *event, struct ppi_event_text key[PPI_EVENT_DIMS])
{
	enum pp_abi_value type;
	unsigned long site;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	site = strtoul (text, &end, 10);
	if (*end != PPI_EVENT_SEPARATOR || site > UINT32_MAX)
		return false;
	out->site = (uint32_t) site;
	out->n = 0;
	*event = field (end + 1, &text);
	while (text) {
		struct ppi_event_text one = field (text, &text);

		type = one.n ? ppi_value_of_letter (*one.at) : PP_ABI_VALUE_NONE;
		if (!type || out->n == PPI_EVENT_DIMS)
			return false;
		out->type[out->n] = (uint8_t) type;
		key[out->n++] = (struct ppi_event_text){one.at + 1, one.n - 1};
	}
	return true;
}
