/* SPDX-License-Identifier: MIT */
/* streams.c: see streams.h. */
#include "recording/streams.h"

#include "base/error.h"
#include "base/memory.h"
#include "recording/read.h"
#include "recording/read_int.h"
#include "recording/scan.h"

#include <fcntl.h>
#include <pp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ppi_pieces {
	struct ppi_scan scan; /* of a file: FD, and memory for contents */
	bool of_file, damaged, given_up;
	struct ppi_piece *piece;
	size_t n, room;
};

static bool add (struct ppi_pieces *s, const struct ppi_piece *piece)
{
	struct ppi_piece *more = ppi_list_reach (s->piece, s->n, &s->room, sizeof *more);

	if (!more)
		return false;
	s->piece = more;
	s->piece[s->n++] = *piece;
	return true;
}

/* A thread's behind each other; of a file by place, of a region by the chunks' numbers. */
static int by_thread (const void *a, const void *b)
{
	const struct ppi_piece *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->chunk && y->chunk) {
		int32_t later = (int32_t) (x->chunk->chunk.id - y->chunk->chunk.id);

		return later < 0 ? -1 : later > 0;
	}
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int find_chunks (const struct ppi_recording *recording, struct ppi_pieces *s)
{
	const struct ppi_stream_chunk *c = NULL;

	while ((c = ppi_recording_next (recording, PPI_CHUNK_STREAM, c)))
		if (c->used && !add (s, &(struct ppi_piece){.thread = c->thread, .chunk = c}))
			return PP_ENOMEM;
	return 0;
}

static int find_blocks (const struct ppi_recording *recording, struct ppi_pieces *s, char *why,
			size_t room)
{
	struct stat st;
	int fd = open (recording->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	s->of_file = true;
	ppi_scan_begin (&s->scan, fd, 0);
	if (fd < 0 || fstat (fd, &st) != 0)
		return ppi_fail (PP_EIO, why, room, "%s can't be opened again", recording->path);
	if (st.st_dev != recording->device || st.st_ino != recording->inode)
		return ppi_fail (PP_EIO, why, room, "%s is another file by now", recording->path);
	ppi_scan_begin (&s->scan, fd, (uint64_t) st.st_size);
	while (ppi_scan_next (&s->scan)) {
		const struct ppi_piece piece = {.thread = s->scan.head.thread,
						.offset = s->scan.offset};

		s->given_up |= s->scan.head.type == PPI_BLOCK_GAP && s->scan.head.last_ns;
		if (s->scan.head.type == PPI_BLOCK_STREAM && !add (s, &piece))
			return PP_ENOMEM;
	}
	s->damaged = s->scan.lost != 0;
	return s->scan.failed ? ppi_fail (PP_EIO, why, room, "%s can't be read", recording->path)
			      : 0;
}

int ppi_pieces_open (const struct ppi_recording *recording, struct ppi_pieces **out, char *why,
		     size_t room)
{
	struct ppi_pieces *s = calloc (1, sizeof *s);
	int error = PP_ENOMEM;

	if (s) {
		s->scan.fd = -1;
		*why = '\0';
		error = recording->of_blocks ? find_blocks (recording, s, why, room)
					     : find_chunks (recording, s);
	}
	if (error) {
		ppi_pieces_close (s);
		return error == PP_ENOMEM ? ppi_fail (error, why, room, "no memory for its streams")
					  : error;
	}
	if (s->n)
		qsort (s->piece, s->n, sizeof *s->piece, by_thread);
	*out = s;
	return 0;
}

void ppi_pieces_close (struct ppi_pieces *s)
{
	if (!s)
		return;
	if (s->scan.fd >= 0)
		close (s->scan.fd);
	ppi_scan_end (&s->scan);
	free (s->piece);
	free (s);
}

size_t ppi_pieces_list (const struct ppi_pieces *s, const struct ppi_piece **list)
{
	*list = s->piece;
	return s->n;
}

const uint8_t *ppi_pieces_get (struct ppi_pieces *s, const struct ppi_piece *piece,
			       struct ppi_stream_head *head, size_t *bytes)
{
	const struct ppi_stream_chunk *c = piece->chunk;
	const char *why, *content;

	if (c) {
		*head = (struct ppi_stream_head){.kind = c->kind,
						 .chunk = c->chunk.id,
						 .first_ticks = c->first_ticks,
						 .last_ticks = c->last_ticks};
		*bytes = c->used;
		return (const uint8_t *) c->data;
	}
	/* its process may have given it back meanwhile */
	if (ppi_read_at (s->scan.fd, &s->scan.head, sizeof s->scan.head, piece->offset) !=
		    (ssize_t) sizeof s->scan.head ||
	    piece->offset >= s->scan.size ||
	    !ppi_block_is_whole (&s->scan.head, s->scan.size - piece->offset) ||
	    s->scan.head.type != PPI_BLOCK_STREAM)
		return NULL;
	s->scan.offset = piece->offset;
	content = ppi_scan_content (&s->scan, &why);
	if (!content || s->scan.head.unpacked < sizeof *head)
		return NULL;
	memcpy (head, content, sizeof *head);
	*bytes = s->scan.head.unpacked - sizeof *head;
	return (const uint8_t *) content + sizeof *head;
}

bool ppi_pieces_damaged (const struct ppi_pieces *s)
{
	return s->damaged;
}

bool ppi_pieces_were_given_up (const struct ppi_pieces *s)
{
	return s->given_up && !s->damaged;
}

bool ppi_pieces_of_file (const struct ppi_pieces *s)
{
	return s->of_file;
}
