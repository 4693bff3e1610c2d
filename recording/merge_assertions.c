/* SPDX-License-Identifier: MIT */
/* merge_assertions.c: assertions of several recordings; see merge.h. */
#include "base/contrast.h"
#include "recording/merge_int.h"
#include "recording/names.h"

#include <pp.h>
#include <stdlib.h>
#include <string.h>

static struct ppi_capture_entry *captures_of (struct ppi_assertion_chunk *a)
{
	return (struct ppi_capture_entry *) (uintptr_t) ppi_captures_of (a);
}

/* Does A, of IN, capture as number I what TO does as number K? */
static bool is_same_capture (const struct input *in, const struct ppi_assertion_chunk *a,
			     uint32_t i, const struct ppi_assertion_chunk *to, uint32_t k)
{
	const char *from = ppi_captured_text (a, i), *into = ppi_captured_text (to, k);
	const struct ppi_capture_entry *x = ppi_captures_of (a), *y = ppi_captures_of (to);

	if (from || into)
		return from && into && strcmp (from, into) == 0 && x[i].seconds == y[k].seconds &&
		       x[i].bytes == y[k].bytes;
	return y[k].metric == ppi_merge_number_of (&in->metrics, x[i].metric);
}

static uint64_t later (uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What another process saw of the assertion TO. */
static void add_assertion (const struct input *in, struct ppi_assertion_chunk *to,
			   struct ppi_assertion_chunk *a)
{
	const struct ppi_capture_entry *from = captures_of (a);
	struct ppi_capture_entry *into = captures_of (to);
	uint64_t passes = ppi_recording_quick_passes (in->recording, a);

	to->checks += a->checks + passes;
	to->passes += a->passes + passes;
	to->violations += a->violations;
	to->unknowns += a->unknowns;
	to->crowded |= a->crowded;
	to->fired += a->fired;
	to->cleared += a->cleared;
	to->suppressed += a->suppressed;
	to->firing += a->firing;
	if (a->state == PP_STATE_FIRING && to->state != PP_STATE_FIRING) {
		to->state = PP_STATE_FIRING;
		to->since_ns = ppi_merge_moved (in, a->since_ns);
	}
	to->fired_ns = later (to->fired_ns, ppi_merge_moved (in, a->fired_ns));
	to->cleared_ns = later (to->cleared_ns, ppi_merge_moved (in, a->cleared_ns));
	if (a->first_ns && (!to->first_ns || ppi_merge_moved (in, a->first_ns) < to->first_ns))
		to->first_ns = ppi_merge_moved (in, a->first_ns);
	if (ppi_merge_moved (in, a->last_ns) > to->last_ns) {
		to->last_ns = ppi_merge_moved (in, a->last_ns);
		to->left = a->left;
		to->right = a->right;
	}
	/* in another order, perhaps, or others */
	for (uint32_t i = 0; i < a->captures; i++)
		for (uint32_t k = 0; k < to->captures; k++)
			if (is_same_capture (in, a, i, to, k))
				ppi_contrast_merge (&into[k].contrast, &from[i].contrast);
}

/* The first of a name: its numbers become those of here. */
static struct ppi_assertion_chunk *first_assertion (const struct input *in,
						    const struct ppi_assertion_chunk *a,
						    uint32_t number)
{
	struct ppi_assertion_chunk *copy = malloc (a->chunk.bytes);
	uint64_t passes = ppi_recording_quick_passes (in->recording, a);

	if (!copy)
		return NULL;
	memcpy (copy, a, a->chunk.bytes);
	copy->chunk.id = number;
	copy->chunk.reserved = 0;
	copy->checks += passes;
	copy->passes += passes;
	copy->site = ppi_merge_number_of (&in->sites, a->site);
	copy->first_ns = ppi_merge_moved (in, a->first_ns);
	copy->last_ns = ppi_merge_moved (in, a->last_ns);
	copy->since_ns = ppi_merge_moved (in, a->since_ns);
	copy->fired_ns = ppi_merge_moved (in, a->fired_ns);
	copy->cleared_ns = ppi_merge_moved (in, a->cleared_ns);
	for (uint32_t i = 0; i < copy->captures; i++)
		captures_of (copy)[i].metric =
			ppi_merge_number_of (&in->metrics, captures_of (copy)[i].metric);
	return copy;
}

/*
 * Two are one where they say the same of the same site: a policy may have changed between two
 * processes.
 */
static struct ppi_intern_entry *intern (struct merging *m, const struct input *in,
					const struct ppi_assertion_chunk *a, bool *is_new)
{
	const char *expression = ppi_chunk_text (a, a->expression);
	uint32_t what[] = {ppi_merge_number_of (&in->sites, a->site), a->severity, a->per_thread};
	size_t name_bytes = strlen (a->name) + 1, bytes = strlen (expression) + 1;
	char *key = malloc (sizeof what + name_bytes + bytes);
	struct ppi_intern_entry *entry;

	if (!key)
		return NULL;
	memcpy (key, what, sizeof what);
	memcpy (key + sizeof what, a->name, name_bytes);
	memcpy (key + sizeof what + name_bytes, expression, bytes);
	entry = ppi_intern (&m->assertions, key, sizeof what + name_bytes + bytes, is_new);
	free (key);
	return entry;
}

static bool put_sweeps (struct merging *m, const struct input *in, uint32_t from, uint32_t to)
{
	const struct ppi_sweep_chunk *s = NULL;
	struct ppi_chunk *copy;

	while ((s = ppi_merge_next (in, PPI_CHUNK_SWEEP, s))) {
		if (s->chunk.id != from)
			continue;
		copy = ppi_merge_put_chunk (m, PPI_BLOCK_STATE, in, &s->chunk);
		if (!copy)
			return false;
		copy->id = to;
	}
	return true;
}

bool ppi_merge_take_assertions (struct merging *m, struct input *in)
{
	const struct ppi_assertion_chunk *a = NULL;
	struct ppi_intern_entry *name;
	bool is_new;

	while ((a = ppi_merge_next (in, PPI_CHUNK_ASSERTION, a))) {
		name = intern (m, in, a, &is_new);
		if (!name)
			return ppi_merge_no_memory (m);
		if (is_new && !(name->what = first_assertion (in, a, name->number)))
			return ppi_merge_no_memory (m);
		if (!is_new)
			add_assertion (in, name->what,
				       (struct ppi_assertion_chunk *) (uintptr_t) a);
		if (!put_sweeps (m, in, a->chunk.id, name->number))
			return false;
	}
	return true;
}

bool ppi_merge_put_assertions (struct merging *m)
{
	for (size_t i = 0; i < m->assertions.room; i++) {
		struct ppi_assertion_chunk *a = m->assertions.slot[i].what;

		if (!a)
			continue;
		if (!ppi_merge_put (m, PPI_BLOCK_STATE, m->used, a, a->chunk.bytes))
			return false;
		m->used += (a->chunk.bytes + 127u) & ~127u;
	}
	return true;
}
