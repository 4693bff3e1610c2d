/* SPDX-License-Identifier: MIT */
/*
 * bound.c: what a recording's file gives back, so that it takes no more than it may: state that was
 * replaced, then the oldest time; see write.h.
 */
#include "recording/write.h"
#include "recording/write_int.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static bool is_dead (const struct ppi_index_entry *entry)
{
	return entry->type == PPI_BLOCK_GAP || !entry->type;
}

/*
 * Blocks that follow each other become one gap: its head is written, for what they say is read no
 * more, and the file system takes its bytes back if it can.
 */
static bool punch (struct ppi_writer *writer, const struct ppi_index_entry *gap)
{
	struct ppi_block head = {.type = PPI_BLOCK_GAP,
				 .bytes = gap->bytes,
				 .first_ns = gap->first_ns,
				 .last_ns = gap->last_ns};

	ppi_block_seal (&head, NULL);
	if (ppi_write_at (writer->fd, &head, sizeof head, gap->offset) < 0)
		return false;
	if (writer->can_punch && gap->bytes > sizeof head &&
	    fallocate (writer->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		       (off_t) (gap->offset + sizeof head),
		       (off_t) (gap->bytes - sizeof head)) != 0 &&
	    errno != EINTR)
		writer->can_punch = false;
	return writer->can_punch;
}

/* The time of streams that GAP was is told, and no other: they can't be had again. */
static void add_time (struct ppi_index_entry *gap, const struct ppi_index_entry *more)
{
	if (!more->last_ns)
		return;
	if (!gap->last_ns || more->first_ns < gap->first_ns)
		gap->first_ns = more->first_ns;
	if (more->last_ns > gap->last_ns)
		gap->last_ns = more->last_ns;
}

/* The block of ENTRY is to become a gap. */
static void give_up (struct ppi_index_entry *entry)
{
	if (entry->type != PPI_BLOCK_STREAM)
		entry->first_ns = entry->last_ns = 0;
	entry->type = 0;
}

/* Entries of the index without a type become gaps. */
static bool make_gaps (struct ppi_writer *writer)
{
	struct ppi_index_entry *index = ppi_writer_index (writer);
	uint32_t kept = 0;
	bool good = true;

	for (uint32_t i = 0; i < writer->n_index;) {
		struct ppi_index_entry entry = index[i++];
		bool is_new = !entry.type;

		if (is_dead (&entry)) {
			uint32_t first = i - 1;

			entry.type = PPI_BLOCK_GAP;
			entry.thread = 0;
			/* where a damaged block lies between, no gap may reach over it */
			for (; i < writer->n_index && is_dead (&index[i]) &&
			       index[i].offset == entry.offset + entry.bytes;
			     i++) {
				entry.bytes += index[i].bytes;
				add_time (&entry, &index[i]);
				is_new = true;
			}
			if (is_new || i - first > 1)
				good &= punch (writer, &entry);
		}
		index[kept++] = entry;
	}
	writer->n_index = kept;
	return good;
}

void ppi_writer_drop_replaced (struct ppi_writer *writer, uint32_t n)
{
	struct ppi_index_entry *index = ppi_writer_index (writer);
	bool any = false;

	for (uint32_t i = 0; i < n; i++)
		if (index[i].type == PPI_BLOCK_SITES || index[i].type == PPI_BLOCK_STATE) {
			give_up (&index[i]);
			any = true;
		}
	if (any)
		(void) make_gaps (writer);
}

static uint64_t taken_bytes (int fd)
{
	struct stat st;

	return fstat (fd, &st) == 0 ? (uint64_t) st.st_blocks * 512 : 0;
}

/* Blocks of time go, the oldest first, until OVER bytes have. */
static void drop_time (struct ppi_writer *writer, uint64_t over)
{
	struct ppi_index_entry *index = ppi_writer_index (writer);

	for (uint32_t i = 0; i < writer->n_index && over; i++)
		if (index[i].type == PPI_BLOCK_VALUES || index[i].type == PPI_BLOCK_STREAM ||
		    index[i].type == PPI_BLOCK_HISTORY) {
			writer->values_whole |= index[i].type == PPI_BLOCK_VALUES;
			over -= index[i].bytes < over ? index[i].bytes : over;
			give_up (&index[i]);
		}
	(void) make_gaps (writer);
}

enum ppi_bound ppi_writer_bound (struct ppi_writer *writer, uint64_t most)
{
	uint64_t taken = taken_bytes (writer->fd);

	writer->most = most;
	if (!most || taken <= most)
		return PPI_BOUND_FITS;
	if (!writer->can_punch)
		return PPI_BOUND_NO_HOLES;
	/* state that was replaced goes before time does: the next update writes all */
	if (!writer->whole_next && writer->since_bytes > 2 * writer->key_bytes) {
		writer->whole_next = true;
		return PPI_BOUND_FITS;
	}
	drop_time (writer, taken - most + most / PPI_ROOM_SHARE);
	if (!writer->can_punch)
		return PPI_BOUND_NO_HOLES;
	if (taken_bytes (writer->fd) <= most)
		return PPI_BOUND_FITS;
	/* what is left is state: the newest is enough */
	if (writer->since_bytes > writer->key_bytes)
		writer->whole_next = true;
	return writer->whole_next ? PPI_BOUND_FITS : PPI_BOUND_STATE;
}
