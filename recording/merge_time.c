/* SPDX-License-Identifier: MIT */
/* merge_time.c: blocks of time of several recordings: the history, and values; see merge.h. */
#include "recording/merge_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- blocks of time -------------------------------------------------------------------------- */

struct event {
	const struct ppi_history_chunk *entry;
	uint64_t ns;
	size_t order;
};

static int by_time (const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* All of them; malloced. NULL: no memory. */
static struct event *find_history (const struct merging *m, size_t *n)
{
	struct event *list;
	size_t most = 1;

	*n = 0;
	for (size_t i = 0; i < m->n; i++)
		most += ppi_recording_count (m->input[i].recording, PPI_CHUNK_HISTORY);
	list = malloc (most * sizeof *list);
	for (size_t i = 0; list && i < m->n; i++)
		for (const struct ppi_history_chunk *h = NULL;
		     (h = ppi_merge_next (&m->input[i], PPI_CHUNK_HISTORY, h)); ++*n)
			list[*n] = (struct event){h, ppi_merge_moved (&m->input[i], h->ns), *n};
	if (list)
		qsort (list, *n, sizeof *list, by_time);
	return list;
}

bool ppi_merge_history (struct merging *m)
{
	size_t n;
	struct event *list = find_history (m, &n);
	bool good = list || ppi_merge_no_memory (m);

	for (size_t i = 0; good && list && i < n; i++) {
		/* its place is nobody's in the file */
		struct ppi_history_chunk *copy =
			ppi_merge_put (m, PPI_BLOCK_HISTORY, PPI_CHUNK_ALIGN, list[i].entry,
				       list[i].entry->chunk.bytes);

		good = copy != NULL;
		if (!good)
			break;
		/* behind those that are gone: their numbers tell how many they are */
		copy->chunk.id = (uint32_t) (m->header.drops[PP_DROP_HISTORY] + i + 1);
		copy->ns = list[i].ns;
	}
	free (list);
	return good && ppi_merge_flush (m, PPI_BLOCK_HISTORY);
}

/* The next block of values of IN, if there is one. */
static bool find_values (struct input *in)
{
	const char *why;

	in->has_values = false;
	while (ppi_scan_next (&in->scan)) {
		in->has_streams |= in->scan.head.type == PPI_BLOCK_STREAM;
		if (in->scan.head.type == PPI_BLOCK_VALUES &&
		    (in->values = ppi_scan_content (&in->scan, &why))) {
			in->has_values = true;
			return true;
		}
	}
	return false;
}

static bool copy_values (struct merging *m, struct input *in)
{
	const struct ppi_item *item = NULL;
	struct ppi_chunk *copy;

	m->ns = ppi_merge_moved (in, in->scan.head.last_ns);
	while ((item = ppi_item_next (in->values, in->scan.head.unpacked, item))) {
		const struct ppi_chunk *chunk = (const void *) (item + 1);

		if (item->bytes < sizeof *chunk || !ppi_merge_number_of (&in->bindings, chunk->id))
			continue;
		copy = ppi_merge_put (m, PPI_BLOCK_VALUES, item->place + in->offset, chunk,
				      item->bytes);
		if (!copy)
			return false;
		ppi_merge_renumber (in, copy, item->bytes);
	}
	return ppi_merge_flush (m, PPI_BLOCK_VALUES);
}

bool ppi_merge_values (struct merging *m)
{
	for (size_t i = 0; i < m->n; i++)
		find_values (&m->input[i]);
	for (;;) {
		struct input *first = NULL;

		for (size_t i = 0; i < m->n; i++) {
			struct input *in = &m->input[i];

			if (in->has_values &&
			    (!first || ppi_merge_moved (in, in->scan.head.last_ns) <
					       ppi_merge_moved (first, first->scan.head.last_ns)))
				first = in;
		}
		if (!first)
			return true;
		if (!copy_values (m, first))
			return false;
		find_values (first);
	}
}
