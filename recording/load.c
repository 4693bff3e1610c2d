/* SPDX-License-Identifier: MIT */
/* load.c: the newest state in a file of blocks; see load.h. */
#include "recording/load.h"

#include "base/error.h"
#include "recording/check.h"
#include "recording/scan.h"

#include <pp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_USUAL 65536u /* items that are kept before any is left out */

bool ppi_is_of_blocks (const void *head, size_t bytes)
{
	struct ppi_block block;

	if (bytes < sizeof block)
		return false;
	memcpy (&block, head, sizeof block);
	return ppi_block_version (head, bytes) == PPI_RECORDING_VERSION &&
	       block.type == PPI_BLOCK_RUN;
}

static bool take_run (struct ppi_scan *scan, struct ppi_run *out)
{
	const char *why, *content;

	if (!ppi_scan_next (scan) || scan->offset || scan->head.type != PPI_BLOCK_RUN ||
	    scan->head.unpacked != sizeof *out)
		return false;
	content = ppi_scan_content (scan, &why);
	if (!content)
		return false;
	memcpy (out, content, sizeof *out);
	return ppi_header_is_whole (&out->header) && memchr (out->host, '\0', sizeof out->host);
}

bool ppi_run_read (int fd, uint64_t size, struct ppi_run *out, uint32_t *state)
{
	struct ppi_index_tail tail;
	struct ppi_scan scan;
	bool good;

	ppi_scan_begin (&scan, fd, size);
	good = take_run (&scan, out);
	ppi_scan_end (&scan);
	*state = ppi_index_is_there (fd, size, &tail) ? tail.state : PPI_RECORDING_LIVE;
	return good;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static bool add (struct ppi_newest_chunk **list, size_t *n, size_t *room,
		 const struct ppi_newest_chunk *chunk)
{
	struct ppi_newest_chunk *more = ppi_list_reach (*list, *n, room, sizeof *more);

	if (!more)
		return false;
	*list = more;
	(*list)[(*n)++] = *chunk;
	return true;
}

static const char *add_history (struct ppi_newest *newest, const void *chunk, uint32_t bytes)
{
	static const char no_memory[] = "there is no memory for it";
	struct ppi_newest_chunk entry = {newest->history_bytes, newest->n_entries, bytes};

	if (newest->history_bytes + bytes > PPI_HISTORY_MOST)
		return "with it the history is more than 256 MiB";
	if (newest->history_room - newest->history_bytes < bytes) {
		size_t room = 2 * newest->history_room + bytes + 65536;
		char *larger = realloc (newest->history, room);

		if (!larger)
			return no_memory;
		newest->history = larger;
		newest->history_room = room;
	}
	memcpy (newest->history + newest->history_bytes, chunk, bytes);
	newest->history_bytes += bytes;
	return add (&newest->entry, &newest->n_entries, &newest->entry_room, &entry) ? NULL
										     : no_memory;
}

/*
 * The region's header comes with each block of state; the first says how large the region may be.
 */
static const char *take_header (struct ppi_newest *newest, const struct ppi_item *item)
{
	struct ppi_region_header header;

	if (item->bytes != sizeof header)
		return "the region's header in it has another size";
	memcpy (&header, item + 1, sizeof header);
	if (!ppi_header_is_whole (&header))
		return "the region's header in it is not whole";
	if (!ppi_pages_reach (&newest->region, header.used))
		return "there is no memory for it";
	newest->header = header;
	return NULL;
}

static int by_place (const void *a, const void *b)
{
	const struct ppi_newest_chunk *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Of each place what came last; what is gone is left out. By place then. */
static void keep_last (struct ppi_newest *newest)
{
	struct ppi_newest_chunk *chunk = newest->chunk;
	size_t kept = 0;

	if (newest->n_chunks)
		qsort (chunk, newest->n_chunks, sizeof *chunk, by_place);
	for (size_t i = 0; i < newest->n_chunks; i++)
		if (chunk[i].bytes &&
		    (i + 1 == newest->n_chunks || chunk[i + 1].place != chunk[i].place))
			chunk[kept++] = chunk[i];
	newest->n_chunks = kept;
}

/*
 * The memory that it takes is as much as there are chunks at a time, not as much as the file says
 * of them.
 */
static bool add_chunk (struct ppi_newest *newest, const struct ppi_item *item)
{
	const struct ppi_newest_chunk chunk = {item->place, newest->items++, item->bytes};

	if (newest->n_chunks >= newest->keep_at) {
		keep_last (newest);
		newest->keep_at = 2 * newest->n_chunks + LIST_USUAL;
	}
	return add (&newest->chunk, &newest->n_chunks, &newest->chunk_room, &chunk);
}

static const char *take_item (struct ppi_newest *newest, const struct ppi_item *item, unsigned type)
{
	const struct ppi_chunk *chunk = (const void *) (item + 1);

	if (!item->place)
		return type == PPI_BLOCK_STATE ? take_header (newest, item)
					       : "it has an item without a place";
	if (item->bytes && (item->bytes < PPI_CHUNK_ALIGN || item->bytes % PPI_CHUNK_ALIGN ||
			    chunk->bytes != item->bytes || chunk->type >= PPI_CHUNK_TYPES))
		return "a chunk in it is not whole";
	if (type == PPI_BLOCK_HISTORY)
		return item->bytes && chunk->type == PPI_CHUNK_HISTORY
			       ? add_history (newest, chunk, item->bytes)
			       : "an entry of the history in it is not whole";
	/* what is not a multiple would not be found where it is looked for */
	if (item->place % PPI_CHUNK_ALIGN || item->place < sizeof (struct ppi_region_header) ||
	    item->place >= UINT64_C (1) << 40)
		return "a chunk in it has an impossible place";
	/* sites come before the header that says how large the region is */
	if (!add_chunk (newest, item) ||
	    !ppi_pages_reach (&newest->region, item->place + item->bytes))
		return "there is no memory for it";
	memcpy (newest->region.at + item->place, chunk, item->bytes);
	return NULL;
}

static const char *take_processes (struct ppi_newest *newest, const char *content, size_t bytes)
{
	size_t n = bytes / sizeof *newest->process;

	if (!n || bytes % sizeof *newest->process || newest->process)
		return "its list of processes is not whole";
	newest->process = malloc (bytes);
	if (!newest->process)
		return "there is no memory for it";
	memcpy (newest->process, content, bytes);
	newest->n_processes = n;
	return NULL;
}

static const char *take_block (struct ppi_newest *newest, struct ppi_scan *scan)
{
	const struct ppi_item *item = NULL;
	const char *why, *content = ppi_scan_content (scan, &why);

	if (content && scan->head.type == PPI_BLOCK_PROCESSES)
		return take_processes (newest, content, scan->head.unpacked);

	while (content && (item = ppi_item_next (content, scan->head.unpacked, item)))
		if ((why = take_item (newest, item, scan->head.type)))
			return why;
	return content ? NULL : why;
}

/*
 * Is the content of C still what its item had? Another, that was replaced or is gone since, may
 * have lain across it.
 */
static bool is_as_it_came (const struct ppi_newest *newest, const struct ppi_newest_chunk *c)
{
	const struct ppi_chunk *chunk = (const void *) (newest->region.at + c->place);

	return chunk->bytes == c->bytes && chunk->type < PPI_CHUNK_TYPES;
}

/*
 * Of each place what came last; where blocks are missing without what lies beyond the region as the
 * last whole header has it. False: chunks lie across each other.
 */
static bool keep_newest (struct ppi_newest *newest)
{
	struct ppi_newest_chunk *chunk = newest->chunk;
	size_t kept = 0;
	uint64_t end = 0;

	keep_last (newest);
	for (size_t i = 0; i < newest->n_chunks; i++) {
		if (newest->is_damaged && chunk[i].place + chunk[i].bytes > newest->header.used)
			continue;
		if (chunk[i].place < end || chunk[i].place + chunk[i].bytes > newest->header.used ||
		    !is_as_it_came (newest, &chunk[i]))
			return false;
		end = chunk[i].place + chunk[i].bytes;
		chunk[kept++] = chunk[i];
	}
	newest->n_chunks = kept;
	return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool is_needed (unsigned type)
{
	return type == PPI_BLOCK_PROCESSES || type == PPI_BLOCK_SITES || type == PPI_BLOCK_STATE ||
	       type == PPI_BLOCK_HISTORY;
}

/* State is written where it has changed: how long the process went on others say, too. */
static void note_time (struct ppi_newest *newest, const struct ppi_block *head)
{
	bool says_it = head->type == PPI_BLOCK_VALUES || head->type == PPI_BLOCK_STREAM ||
		       head->type == PPI_BLOCK_HISTORY;

	if (says_it && head->last_ns > newest->last_ns)
		newest->last_ns = head->last_ns;
}

static int take_all (struct ppi_scan *scan, const char *path, struct ppi_newest *out, bool *has_end,
		     char *why, size_t room)
{
	const char *problem;
	uint64_t lost;

	while (ppi_scan_next (scan)) {
		note_time (out, &scan->head);
		lost = scan->lost;
		problem = is_needed (scan->head.type) ? take_block (out, scan) : NULL;
		/* of what is damaged the rest is read; what was written so is wrong in itself */
		if (problem && scan->lost == lost && scan->head.type != PPI_BLOCK_HISTORY)
			return ppi_fail (PP_EINVAL, why, room,
					 "%s is damaged at byte %llu: a block of type %s: %s", path,
					 (unsigned long long) scan->offset,
					 ppi_block_type_name (scan->head.type), problem);
		if (problem && scan->head.type == PPI_BLOCK_HISTORY) {
			out->is_damaged = true;
			snprintf (out->damage, sizeof out->damage,
				  "entries of the history are missing: the block at byte %llu is "
				  "damaged: %s",
				  (unsigned long long) scan->offset, problem);
		}
		*has_end = scan->head.type == PPI_BLOCK_INDEX;
	}
	out->is_damaged |= scan->lost != 0;
	return scan->failed ? ppi_fail (PP_EIO, why, room, "%s can't be read", path) : 0;
}

/* What of the file was not read, in words. */
static void tell_damage (const struct ppi_scan *scan, struct ppi_newest *out)
{
	if (scan->lost && !*out->damage) {
		snprintf (out->damage, sizeof out->damage,
			  "%llu bytes from byte %llu on are damaged, and what they said is missing",
			  (unsigned long long) scan->lost, (unsigned long long) scan->lost_at);
	} else if (scan->rest && !*out->damage) {
		snprintf (out->damage, sizeof out->damage,
			  "its last %llu bytes are no whole block: it ends %.1f s after the start",
			  (unsigned long long) scan->rest,
			  ((double) out->header.now_ns - (double) out->header.start_ns) * 1e-9);
	}
}

int ppi_blocks_load (int fd, uint64_t size, const char *path, struct ppi_newest *out, char *why,
		     size_t room)
{
	struct ppi_index_tail tail;
	struct ppi_scan scan;
	bool has_end = false;
	int error;

	*out = (struct ppi_newest){.header = {.used = 0}};
	ppi_scan_begin (&scan, fd, size);
	if (!take_run (&scan, &out->run))
		error = ppi_fail (PP_EINVAL, why, room, "%s is damaged in its header", path);
	else
		error = take_all (&scan, path, out, &has_end, why, room);
	ppi_scan_end (&scan);
	if (error)
		return error;
	if (has_end && scan.rest)
		return ppi_fail (
			PP_EINVAL, why, room,
			"%s is damaged: its size is not what its end says, %llu bytes follow it",
			path, (unsigned long long) scan.rest);
	if (!out->header.used)
		return ppi_fail (PP_EINVAL, why, room,
				 "%s is cut off: %llu bytes are there, and no state in them", path,
				 (unsigned long long) size);
	if (!keep_newest (out))
		return ppi_fail (PP_EINVAL, why, room,
				 "%s is damaged: chunks in it lie across each other", path);
	has_end = has_end && ppi_index_is_there (fd, size, &tail);
	out->header.state = has_end ? tail.state : PPI_RECORDING_LIVE;
	if (has_end && tail.end_ns > out->last_ns)
		out->last_ns = tail.end_ns;
	if (out->last_ns > out->header.now_ns)
		out->header.now_ns = out->last_ns;
	out->end = scan.end;
	tell_damage (&scan, out);
	return 0;
}

void ppi_newest_free (struct ppi_newest *newest)
{
	ppi_pages_free (&newest->region);
	free (newest->history);
	free (newest->chunk);
	free (newest->entry);
	free (newest->process);
	newest->process = NULL;
	newest->history = NULL;
	newest->chunk = newest->entry = NULL;
}
