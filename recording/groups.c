/* SPDX-License-Identifier: MIT */
/* groups.c: see groups.h. */
#include "recording/groups.h"

#include "base/atomic.h"
#include "base/dims.h"
#include "base/types.h"
#include "recording/intern.h"
#include "recording/names.h"
#include "recording/read.h"
#include "recording/read_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- aggregates ------------------------------------------------------------------------------ */

const char *ppi_aggregate_key (const struct ppi_aggregate_chunk *aggregate, unsigned i)
{
	const char *at = aggregate->text;

	for (; i; i--)
		at += strlen (at) + 1;
	return at;
}

const char *ppi_aggregate_sites (const struct ppi_aggregate_chunk *aggregate)
{
	return ppi_aggregate_key (aggregate, aggregate->dims);
}

int ppi_aggregate_find (const struct ppi_aggregate_chunk *aggregate, const char *key)
{
	for (unsigned i = 0; i < aggregate->dims; i++)
		if (strcmp (ppi_aggregate_key (aggregate, i), key) == 0)
			return (int) i;
	return -1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct reading {
	const struct ppi_recording *recording;
	const struct ppi_aggregate_chunk *aggregate;
	const unsigned *dim;
	unsigned n;
	bool is_prefix; /* DIM are the first ones */
	struct ppi_group_rows *out;
	struct ppi_intern names; /* rows by their values: number - 1 */
};

/* What tells a row from others: texts by their characters, one may have several numbers. */
struct name {
	char at[PPI_GROUP_DIMS * (PPI_TEXT_MOST + 1 + 1 + sizeof (uint64_t))];
	size_t n;
};

static void put (struct name *name, const void *bytes, size_t n)
{
	memcpy (name->at + name->n, bytes, n);
	name->n += n;
}

static void put_value (struct name *name, const struct ppi_group_value *value)
{
	const uint8_t type = (uint8_t) value->type;
	size_t n = value->text ? strnlen (value->text, PPI_TEXT_MOST) : 0;

	put (name, &type, 1);
	if (!value->text) {
		put (name, &value->bits, sizeof value->bits);
		return;
	}
	put (name, value->text, n);
	put (name, "", 1);
}

/* Equal numbers are one row: -0 is 0. What is no number is one row, too. */
static uint64_t same_double (uint64_t bits)
{
	double real;

	memcpy (&real, &bits, sizeof real);
	real = isnan (real) ? (double) NAN : real + 0.0;
	memcpy (&bits, &real, sizeof bits);
	return bits;
}

static struct ppi_group_value value_of (const struct reading *r,
					const struct ppi_group_chunk *chunk, unsigned i)
{
	struct ppi_group_value value = {.type = ppi_load (&chunk->type[i]),
					.bits = ppi_load (&chunk->value[i])};

	if (!ppi_is_value (value.type))
		value.type = PP_ABI_VALUE_NONE;
	if (value.type == PP_ABI_VALUE_NONE)
		value.bits = 0;
	if (value.type == PP_ABI_VALUE_STRING)
		value.text = ppi_recorded_text (r->recording, value.bits);
	if (value.type == PP_ABI_VALUE_DOUBLE)
		value.bits = same_double (value.bits);
	return value;
}

static struct ppi_group_row *row_new (struct reading *r, const struct ppi_group_row *like)
{
	struct ppi_group_rows *rows = r->out;
	struct ppi_group_row *row;

	if (rows->n == rows->room) {
		size_t more = rows->room ? 2 * rows->room : 64;
		struct ppi_group_row *wide = reallocarray (rows->row, more, sizeof *wide);

		if (!wide)
			return NULL;
		rows->row = wide;
		rows->room = more;
	}
	row = &rows->row[rows->n++];
	*row = *like;
	ppi_summary_init (&row->times, PP_ABI_SAMPLE_INT, r->aggregate->accumulator);
	row->times.bounds.lo = (uintptr_t) r->recording->base;
	row->times.bounds.hi = (uintptr_t) r->recording->base + r->recording->size;
	return row;
}

/* The row that CHUNK is a part of; NULL: no memory. */
static struct ppi_group_row *row_of (struct reading *r, const struct ppi_group_chunk *chunk)
{
	struct ppi_group_row like = {.is_rest = ppi_load (&chunk->type[0]) == PPI_GROUP_REST,
				     .is_clear = r->is_prefix};
	struct name name = {.n = 0};
	const struct ppi_intern_entry *entry;
	bool is_new;

	put (&name, &like.is_rest, 1);
	for (unsigned i = 0; i < r->n && !like.is_rest; i++) {
		like.value[i] = value_of (r, chunk, r->dim[i]);
		put_value (&name, &like.value[i]);
	}
	like.is_clear &= !like.is_rest;
	entry = ppi_intern (&r->names, name.at, name.n, &is_new);
	if (!entry)
		return NULL;
	return is_new ? row_new (r, &like) : &r->out->row[entry->number - 1];
}

/* Does what is behind the head have room for what the accumulator keeps? */
static bool has_room (const struct reading *r, const struct ppi_group_chunk *chunk)
{
	size_t needs = sizeof *chunk + ppi_keep_of (r->aggregate->accumulator)->bytes;
	uintptr_t end = (uintptr_t) r->recording->base + r->recording->size;

	return ppi_load (&chunk->chunk.bytes) >= needs && end - (uintptr_t) chunk >= needs;
}

static bool add_chunk (struct reading *r, const struct ppi_group_chunk *chunk)
{
	bool is_total = !ppi_load (&chunk->site);
	uint32_t dims = ppi_load (&chunk->dims);
	struct ppi_group_row *row;

	if (chunk->chunk.id != (r->aggregate->chunk.id | PPI_GROUP_ID))
		return true;
	if (is_total ? !r->is_prefix || dims != r->n
		     : dims != r->aggregate->dims || !has_room (r, chunk))
		return true;
	row = row_of (r, chunk);
	if (!row)
		return false;
	if (is_total) {
		row->is_clear &= !ppi_load (&chunk->unclear);
		row->desc_ticks += ppi_load (&chunk->desc_ticks);
		return true;
	}
	row->self_ticks += ppi_load (&chunk->self_ticks);
	(void) ppi_summary_add_shard (&row->times, (const struct ppi_shard *) (chunk + 1), 0, 1);
	r->out->has_rest |= row->is_rest;
	return true;
}

bool ppi_group_rows_read (const struct ppi_recording *recording,
			  const struct ppi_aggregate_chunk *aggregate, const unsigned *dim,
			  unsigned n, struct ppi_group_rows *out)
{
	struct reading r = {.recording = recording,
			    .aggregate = aggregate,
			    .dim = dim,
			    .n = n,
			    .is_prefix = true,
			    .out = out};
	const struct ppi_group_chunk *chunk = NULL;
	bool ok = true;

	*out = (struct ppi_group_rows){.n = 0};
	for (unsigned i = 0; i < n; i++)
		r.is_prefix &= dim[i] == i;
	while (ok && (chunk = ppi_recording_next (recording, PPI_CHUNK_GROUP, chunk)))
		ok = add_chunk (&r, chunk);
	/* a value of the second dimension, or a later one, may be in the rest, too */
	for (size_t i = 0; out->has_rest && n > 1 && i < out->n; i++)
		out->row[i].is_clear = false;
	ppi_intern_free (&r.names);
	return ok;
}

void ppi_group_rows_clear (struct ppi_group_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		ppi_summary_clear (&rows->row[i].times);
	free (rows->row);
	*rows = (struct ppi_group_rows){.n = 0};
}

const char *ppi_group_value_text (const struct ppi_group_value *value, char *out, size_t room)
{
	double real;

	switch (value->type) {
	case PP_ABI_VALUE_INT:
		snprintf (out, room, "%" PRId64, (int64_t) value->bits);
		return out;
	case PP_ABI_VALUE_DOUBLE:
		memcpy (&real, &value->bits, sizeof real);
		for (int digits = 6; digits <= 17; digits++) {
			snprintf (out, room, "%.*g", digits, real);
			if (strtod (out, NULL) == real)
				break;
		}
		return out;
	case PP_ABI_VALUE_BOOL:
		return value->bits ? "true" : "false";
	case PP_ABI_VALUE_UNSIGNED:
		snprintf (out, room, "%" PRIu64, value->bits);
		return out;
	case PP_ABI_VALUE_POINTER:
		snprintf (out, room, "0x%" PRIx64, value->bits);
		return out;
	case PP_ABI_VALUE_STRING:
		return value->text;
	default:
		return "(none)";
	}
}
