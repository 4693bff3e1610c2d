/* SPDX-License-Identifier: MIT */
/*
 * write.h: writes a region, as it changes, to the blocks of a file (blocks.h). Needs nothing of the
 * runtime, and none of its locks: it reads the region as any other reader does. One thread at a
 * time.
 *
 * Its memory is mapped, not allocated: a process forks while its library writes, and not every
 * allocator is prepared for that.
 */
#ifndef PPI_RECORDING_WRITE_H
#define PPI_RECORDING_WRITE_H

#include "base/memory.h"
#include "recording/blocks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_changed {
	uint64_t place, stamp;
	uint32_t bytes, id;
	uint16_t type; /* PPI_CHUNK_FREE: it is gone */
	bool is_new;   /* it has changed: it is not only written for everything is */
};

struct ppi_writer {
	int fd;
	uint64_t end; /* where the next block goes */
	/* bytes of the largest region whose changes it follows; 0: it writes all */
	uint64_t region;
	uint64_t from_ns; /* of the newest update: the next block's time begins there */
	/* what is in the file is not all that was seen: the next update writes all */
	bool whole_next;
	/* values were dropped: the next block of them has all shards, so that each has a past */
	bool values_whole;
	/* the flight recorder's rings are written as they are now; else only that they are there */
	bool rings;
	uint64_t most;  /* ppi_writer_bound's; 0: any */
	bool can_punch; /* as far as is known */
	bool hurries;   /* blocks are written as they are: packing takes longer than writing */
	uint64_t drops[PPI_DROPS]; /* as the file has them */
	uint64_t key_bytes;        /* of the newest update that wrote all, and of those since */
	uint64_t since_bytes;
	uint32_t n_index, n_changed;
	struct ppi_pages raw, packed, stamps, changed, index;
	size_t raw_used;
	struct ppi_packer *packer;
	/* what was written, for those who measure it */
	uint64_t content_bytes, blocks;
};

/*
 * A file of its own at FD, which stays the caller's; with REGION the most bytes that its region may
 * have, and its changes are followed; 0: each update writes all. 0, or a negative errno. What it
 * has is given back by ppi_writer_close.
 */
int ppi_writer_open (struct ppi_writer *writer, int fd, uint64_t region);
/*
 * The packer takes its memory now, and none later: for a writer in the host, whose caller says when
 * memory may be taken. It costs as much as packing a full block.
 */
void ppi_writer_warm (struct ppi_writer *writer);
/* Goes on behind the blocks of a file that ended anywhere: END is where the last whole one ends. */
int ppi_writer_resume (struct ppi_writer *writer, int fd, uint64_t end,
		       const struct ppi_index_entry *index, uint32_t n_index);
void ppi_writer_close (struct ppi_writer *writer);

/* The first block. */
int ppi_writer_run (struct ppi_writer *writer, const struct ppi_run *run);
/* A block of TYPE with this content. */
int ppi_writer_put (struct ppi_writer *writer, unsigned type, uint32_t thread, uint64_t first_ns,
		    uint64_t last_ns, const void *head, size_t head_bytes, const void *data,
		    size_t bytes);
/*
 * What has changed in the REGION, of which USED bytes are given out, at NOW_NS: sites, state,
 * history, values. Nothing where nothing has. HEADER: the region's, as readers are to see it. 0 or
 * a negative errno, after which the file ends as before.
 */
int ppi_writer_update (struct ppi_writer *writer, const void *region, uint64_t used,
		       const struct ppi_region_header *header, bool values);
/*
 * Of what has changed there only what entries of streams need to be read: texts and sites. Call it
 * before their blocks, so that a file that is cut behind one has what it says. 0 or a negative
 * errno.
 */
int ppi_writer_describe (struct ppi_writer *writer, const void *region, uint64_t used,
			 const struct ppi_region_header *header);
/* The file ends well: STATE as in the header, and the index. */
int ppi_writer_finish (struct ppi_writer *writer, uint32_t state, uint64_t now_ns);

enum ppi_bound {
	PPI_BOUND_FITS,
	PPI_BOUND_STATE,    /* the newest state alone is larger; all of time is gone */
	PPI_BOUND_NO_HOLES, /* the file system can't take bytes back */
};

/*
 * Makes blocks of time gaps, the oldest first, until no more than MOST bytes of the file system are
 * taken; 0: where only what is replaced goes. Where that is state that was replaced, the next
 * update writes all, and gives it back.
 */
enum ppi_bound ppi_writer_bound (struct ppi_writer *writer, uint64_t most);

#endif
