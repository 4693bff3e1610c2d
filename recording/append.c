/* SPDX-License-Identifier: MIT */
/* append.c: see append.h. Nothing that the region or the file says is believed. */
#include "recording/append.h"

#include "base/memory.h"
#include "recording/layout.h"
#include "recording/scan.h"
#include "recording/write.h"
#include "recording/write_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The places of what the file has: where its last whole block ends, and what of the streams LEFT in
 * memory is there already.
 */
struct have {
	struct ppi_index_entry *index;
	uint32_t n;
	size_t room;
	uint64_t end;
};

static bool have_block (struct have *have, const struct ppi_scan *scan)
{
	const struct ppi_block *head = &scan->head;
	struct ppi_index_entry *more =
		ppi_list_reach (have->index, have->n, &have->room, sizeof *more);

	if (!more)
		return false;
	have->index = more;
	have->index[have->n++] = (struct ppi_index_entry){
		scan->offset, head->bytes, head->type, head->thread, head->first_ns, head->last_ns};
	return true;
}

static struct ppi_stream_chunk *stream_of (const struct ppi_recording *left, uint32_t id)
{
	return (struct ppi_stream_chunk *) (uintptr_t) ppi_recording_find (left, PPI_CHUNK_STREAM,
									   id);
}

/* A process may die between the block of a stream and the note that it is written. */
static void have_stream (struct ppi_scan *scan, const struct ppi_recording *left)
{
	const char *why, *content = ppi_scan_content (scan, &why);
	struct ppi_stream_chunk *chunk;
	struct ppi_stream_head head;
	uint64_t end;

	if (!content || scan->head.unpacked < sizeof head)
		return;
	memcpy (&head, content, sizeof head);
	chunk = stream_of (left, head.chunk);
	end = (uint64_t) head.offset + scan->head.unpacked - sizeof head;
	if (chunk && end <= chunk->used && end > chunk->taken)
		chunk->taken = (uint32_t) end;
}

/*
 * Of the bytes from FROM to TO, which are no blocks, none may become one: a head that claims more
 * than the file has would be whole as soon as the file is longer, and hide the blocks in between.
 */
static bool void_heads (int fd, uint64_t from, uint64_t to)
{
	static const char nothing[8];
	struct ppi_block window[64];
	uint64_t at = from;

	while (at < to) {
		off_t data = lseek (fd, (off_t) at, SEEK_DATA);
		ssize_t n;

		/* holes may be huge */
		if (data > (off_t) at)
			at = (uint64_t) data / PPI_BLOCK_ALIGN * PPI_BLOCK_ALIGN;
		n = ppi_read_at (fd, window, sizeof window, at);
		if (n < (ssize_t) sizeof *window)
			return n >= 0;
		for (size_t i = 0; i < (size_t) n / sizeof *window; i++, at += sizeof *window)
			if (at < to && ppi_block_is_whole (&window[i], UINT64_MAX) &&
			    ppi_write_at (fd, nothing, sizeof nothing, at) != 0)
				return false;
	}
	return true;
}

static bool look_at_file (int fd, uint64_t size, const struct ppi_recording *left,
			  struct have *have)
{
	struct ppi_scan scan;
	uint64_t end = 0;
	bool good = true;

	ppi_scan_begin (&scan, fd, size);
	while (good && ppi_scan_next (&scan)) {
		good = void_heads (fd, end, scan.offset) && have_block (have, &scan);
		end = scan.end;
		if (scan.head.type == PPI_BLOCK_STREAM)
			have_stream (&scan, left);
	}
	have->end = scan.end;
	good &= !scan.failed;
	ppi_scan_end (&scan);
	return good;
}

static uint64_t ns_of (const struct ppi_region_header *header, uint64_t ticks)
{
	double ns =
		((double) ticks - (double) header->start_ticks) * header->seconds_per_tick * 1e9;

	return ns > 0 ? header->start_ns + (uint64_t) ns : header->start_ns;
}

/* The distances from any number order all of them, for there are less chunks than numbers. */
static int by_number (const void *a, const void *b, void *arg)
{
	const struct ppi_stream_chunk *x = *(const struct ppi_stream_chunk *const *) a;
	const struct ppi_stream_chunk *y = *(const struct ppi_stream_chunk *const *) b;
	uint32_t first = *(const uint32_t *) arg, to_x = x->chunk.id - first,
		 to_y = y->chunk.id - first;

	return (to_x > to_y) - (to_x < to_y);
}

/* The streams' chunks in LEFT in the order in which they were begun; with free (). */
static int list_streams (const struct ppi_recording *left, const struct ppi_stream_chunk ***list,
			 size_t *n)
{
	const struct ppi_stream_chunk *c = NULL, **more;
	size_t room = 0;
	uint32_t first = 0;

	*list = NULL;
	*n = 0;
	while ((c = ppi_recording_next (left, PPI_CHUNK_STREAM, c))) {
		if (c->used <= c->taken)
			continue;
		more = ppi_list_reach (*list, *n, &room, sizeof (const struct ppi_stream_chunk *));
		if (!more) {
			free (*list);
			return -ENOMEM;
		}
		*list = more;
		(*list)[(*n)++] = c;
		/* numbers come round: those that are in use together are near each other */
		if (*n == 1)
			first = c->chunk.id - UINT32_MAX / 2;
	}
	if (*n)
		qsort_r (*list, *n, sizeof (const struct ppi_stream_chunk *), by_number, &first);
	return 0;
}

/*
 * A thread's chunks in their order, for its entries follow each other; a slot that was written and
 * used again may lie before an older one.
 */
static int write_streams (struct ppi_writer *writer, const struct ppi_recording *left)
{
	const struct ppi_region_header *header = ppi_recording_header (left);
	const struct ppi_stream_chunk **list;
	size_t n;
	int e = list_streams (left, &list, &n);

	if (e < 0)
		return e;
	for (size_t i = 0; e == 0 && i < n; i++) {
		const struct ppi_stream_chunk *c = list[i];
		const struct ppi_stream_head head = {c->kind, c->chunk.id,    c->taken,
						     1,       c->first_ticks, c->last_ticks};

		e = ppi_writer_put (writer, PPI_BLOCK_STREAM, c->thread,
				    ns_of (header, c->first_ticks), ns_of (header, c->last_ticks),
				    &head, sizeof head, (const char *) c->data + c->taken,
				    c->used - c->taken);
	}
	free (list);
	return e;
}

int ppi_region_append (int fd, uint64_t size, const char *data, const struct ppi_recording *left)
{
	const struct ppi_region_header *header = ppi_recording_header (left);
	struct have have = {.index = NULL};
	struct ppi_writer writer;
	int e = -ENOMEM;

	if (look_at_file (fd, size, left, &have))
		e = ppi_writer_resume (&writer, fd, have.end, have.index, have.n);
	free (have.index);
	if (e < 0)
		return e;
	if (ftruncate (fd, (off_t) writer.end) != 0)
		e = -errno;
	/* with the texts that entries name, before them */
	if (e == 0)
		e = ppi_writer_update (&writer, data, header->used, header, true);
	if (e == 0)
		e = write_streams (&writer, left);
	if (e == 0)
		e = ppi_writer_finish (&writer, PPI_RECORDING_LEFT, header->now_ns);
	ppi_writer_close (&writer);
	return e;
}
