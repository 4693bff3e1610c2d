/* SPDX-License-Identifier: MIT */
/* scan.c: the blocks of a file, one after the other; see scan.h. */
#include "recording/scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t ppi_read_at (int fd, void *out, size_t bytes, uint64_t at)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = pread (fd, (char *) out + done, bytes - done, (off_t) (at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t) n;
	}
	return (ssize_t) done;
}

void ppi_scan_begin (struct ppi_scan *scan, int fd, uint64_t size)
{
	*scan = (struct ppi_scan){.fd = fd, .size = size};
}

void ppi_scan_end (struct ppi_scan *scan)
{
	free (scan->packed);
	free (scan->content);
	scan->packed = scan->content = NULL;
	scan->packed_room = scan->content_room = 0;
}

/* The first whole head from AT on, where one may be; false: there is none. */
static bool find (struct ppi_scan *scan, uint64_t at)
{
	static const size_t step = PPI_BLOCK_ALIGN;
	char window[4096];
	off_t data;
	ssize_t n;

	at = (at + step - 1) / step * step;
	while (at < scan->size) {
		/* holes may be huge */
		data = lseek (scan->fd, (off_t) at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			return false;
		if (data > (off_t) at)
			at = (uint64_t) data / step * step;
		n = ppi_read_at (scan->fd, window, sizeof window, at);
		if (n < (ssize_t) step) {
			scan->failed |= n < 0;
			return false;
		}
		for (size_t i = 0; i + step <= (size_t) n; i += step, at += step) {
			memcpy (&scan->head, window + i, sizeof scan->head);
			if (ppi_block_is_whole (&scan->head, scan->size - at)) {
				scan->offset = at;
				return true;
			}
		}
	}
	return false;
}

static void lose (struct ppi_scan *scan, uint64_t at, uint64_t bytes)
{
	if (!scan->lost)
		scan->lost_at = at;
	scan->lost += bytes;
}

bool ppi_scan_next (struct ppi_scan *scan)
{
	uint64_t from = scan->at;
	ssize_t n = scan->failed || from >= scan->size
			    ? 0
			    : ppi_read_at (scan->fd, &scan->head, sizeof scan->head, from);
	bool good = n == (ssize_t) sizeof scan->head &&
		    ppi_block_is_whole (&scan->head, scan->size - from);

	scan->failed |= n < 0;
	scan->offset = from;
	if (!good && !scan->failed && from < scan->size && find (scan, from + 1)) {
		lose (scan, from, scan->offset - from);
		good = true;
	}
	if (!good) {
		scan->rest = scan->size - scan->end;
		return false;
	}
	scan->at = scan->end = scan->offset + scan->head.bytes;
	return true;
}

static char *room_for (char **memory, size_t *room, size_t bytes)
{
	if (bytes > *room || !*memory) {
		free (*memory);
		*room = bytes;
		*memory = malloc (bytes + 8);
	}
	if (!*memory)
		*room = 0;
	return *memory;
}

const char *ppi_scan_content (struct ppi_scan *scan, const char **why)
{
	size_t stored = scan->head.stored, bytes = scan->head.unpacked;
	char *packed, *content;

	*why = "no memory to read it";
	if (scan->head.coding != PPI_BLOCK_PLAIN && bytes > PPI_BLOCK_PACKED_MOST) {
		*why = "it would unpack to more than 64 MiB";
		return NULL;
	}
	packed = room_for (&scan->packed, &scan->packed_room, stored);
	if (!packed)
		return NULL;
	if (ppi_read_at (scan->fd, packed, stored, scan->offset + sizeof scan->head) !=
	    (ssize_t) stored) {
		*why = "its content can't be read";
		return NULL;
	}
	if (ppi_crc32c (0, packed, stored) != scan->head.content_sum) {
		*why = "its content is not that of its checksum";
		lose (scan, scan->offset, scan->head.bytes);
		return NULL;
	}
	content = room_for (&scan->content, &scan->content_room, bytes);
	if (!content)
		return NULL;
	*why = ppi_unpack (scan->head.coding, content, bytes, packed, stored);
	memset (content + bytes, 0, 8);
	return *why ? NULL : content;
}

const struct ppi_item *ppi_item_next (const char *content, size_t bytes,
				      const struct ppi_item *previous)
{
	size_t at = 0;
	const struct ppi_item *item;

	if (previous)
		at = (size_t) ((const char *) previous - content) + sizeof *item +
		     (((size_t) previous->bytes + 7) & ~(size_t) 7);
	if (at > bytes || bytes - at < sizeof *item)
		return NULL;
	item = (const void *) (content + at);
	return item->bytes <= bytes - at - sizeof *item ? item : NULL;
}

bool ppi_index_is_there (int fd, uint64_t size, struct ppi_index_tail *tail)
{
	return size >= 2 * sizeof *tail && size % PPI_BLOCK_ALIGN == 0 &&
	       ppi_read_at (fd, tail, sizeof *tail, size - sizeof *tail) ==
		       (ssize_t) sizeof *tail &&
	       memcmp (tail->magic, PPI_INDEX_MAGIC, sizeof tail->magic) == 0 &&
	       tail->offset < size && tail->state > PPI_RECORDING_LIVE &&
	       tail->state <= PPI_RECORDING_LEFT;
}
