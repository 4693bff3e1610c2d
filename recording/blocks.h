/* SPDX-License-Identifier: MIT */
/*
 * blocks.h: the recording's file, version 5: blocks, one behind the other. docs/recording.md is its
 * specification.
 *
 *   run │ modules │ sites │ state │ history │ values │ ... │ state │ values │ ... │ index
 *
 * Each block has a head of 64 bytes with a checksum of itself and one of what follows. So a file
 * that ends anywhere, or is damaged somewhere, has all blocks that are whole. What a later block
 * says of a place replaces what an earlier one said; blocks that are replaced as a whole become a
 * gap, whose bytes the file system takes back.
 */
#ifndef PPI_RECORDING_BLOCKS_H
#define PPI_RECORDING_BLOCKS_H

#include "recording/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_BLOCK_ALIGN 64u
/* A block is closed when it has so much; one chunk may be larger. */
#define PPI_BLOCK_FULL (1u << 20)
/* More than that is not packed: a few bytes may not ask for much memory. */
#define PPI_BLOCK_PACKED_MOST (UINT32_C (64) << 20)
/* What it says it has unpacked is never believed beyond this. */
#define PPI_BLOCK_MOST (UINT32_C (1) << 30)
/* So much history of a file is read, in all its blocks together. */
#define PPI_HISTORY_MOST (UINT64_C (256) << 20)

/* Types of blocks: number, name. Readers step over numbers they don't know. */
#define PPI_BLOCKS(X)                                                                              \
	X (RUN, 1, "run")         /* struct ppi_run: the first */                                  \
	X (MODULES, 2, "modules") /* struct ppi_module_entry ... */                                \
	X (SITES, 3, "sites")     /* items: chunks of sites, metrics, bindings */                  \
	X (STATE, 4, "state") /* items: all other chunks, and the region's header at place 0 */    \
	X (HISTORY, 5, "history") /* items: entries of the history */                              \
	X (VALUES, 6,                                                                              \
	   "values") /* items: the heads of shards, and counters, that have new samples */         \
	X (STREAM, 7, "stream")        /* struct ppi_stream_head, entries */                       \
	X (GAP, 8, "gap")              /* nothing any more */                                      \
	X (PROCESSES, 10, "processes") /* struct ppi_process_entry ...: of a merged recording */   \
	X (INDEX, 9, "index") /* struct ppi_index_entry ..., struct ppi_index_tail: the last */

enum ppi_block_type {
#define X(id, number, name) PPI_BLOCK_##id = number,
	PPI_BLOCKS (X)
#undef X
		PPI_BLOCK_TYPES = 11 /* beyond all of them */
};

enum ppi_block_coding { PPI_BLOCK_PLAIN, PPI_BLOCK_ZSTD };

struct ppi_block {
	char magic[8];
	uint32_t version;
	uint32_t type;     /* enum ppi_block_type */
	uint64_t bytes;    /* of the block, with this head: a multiple of PPI_BLOCK_ALIGN */
	uint32_t stored;   /* bytes of content in the file, behind the head; then zeros */
	uint32_t unpacked; /* bytes of content */
	uint32_t coding;   /* enum ppi_block_coding */
	uint32_t thread;   /* kernel id, of a stream; else 0 */
	uint64_t first_ns; /* the time that it is about, CLOCK_MONOTONIC */
	uint64_t last_ns;
	uint32_t content_sum; /* CRC-32C of the STORED bytes */
	uint32_t head_sum;    /* CRC-32C of the 60 bytes before */
};

/* The content of the first block. */
struct ppi_run {
	uint8_t id[16]; /* the run's: all zeros where there is none */
	char host[64];  /* its name */
	/* as of the start of the file: whose it is, and the clocks */
	struct ppi_region_header header;
};

struct ppi_module_entry {
	uint32_t bytes; /* of this entry, a multiple of 8 */
	uint32_t build_id_bytes;
	uint64_t base; /* what its addresses are moved by */
	uint8_t build_id[32];
	char path[]; /* ends with a 0 */
};

struct ppi_process_entry {
	uint8_t run[16];
	uint32_t pid;
	uint32_t reserved;
	uint64_t start_ticks;
	uint64_t start_realtime_ns;
};

/*
 * A chunk, or its head, as it lay in the region at PLACE; BYTES 0: it is gone. The next item
 * follows at a multiple of 8.
 */
struct ppi_item {
	uint64_t place;
	uint32_t bytes;
	uint32_t reserved;
};

/* Of a shard a values block has so much, its moments and extremes; buckets are whole. */
#define PPI_VALUES_BYTES 256u

struct ppi_stream_head {
	uint32_t kind;   /* enum ppi_stream_kind */
	uint32_t chunk;  /* of the process's chunks, from 1 */
	uint32_t offset; /* of the first of these entries in it */
	uint32_t is_last;
	uint64_t first_ticks; /* of the chunk's entries */
	uint64_t last_ticks;
};

struct ppi_index_entry {
	uint64_t offset, bytes;
	uint32_t type, thread;
	uint64_t first_ns, last_ns;
};

/* The last 64 bytes of a file that ended well. */
struct ppi_index_tail {
	uint64_t offset; /* of the index */
	uint32_t state;  /* enum ppi_recording_state */
	uint32_t reserved;
	uint64_t end_ns; /* CLOCK_MONOTONIC */
	char zeros[32];
	char magic[8]; /* "ppgccend" */
};

#define PPI_INDEX_MAGIC "ppgccend"

uint32_t ppi_crc32c (uint32_t sum, const void *data, size_t bytes);
/* The same, where the processor has no instruction for it. */
uint32_t ppi_crc32c_by_tables (uint32_t sum, const void *data, size_t bytes);
const char *ppi_block_type_name (unsigned type);

/*
 * Completes HEAD, which has all but its magic, version and checksums, for the STORED bytes at
 * CONTENT.
 */
void ppi_block_seal (struct ppi_block *head, const void *content);
/*
 * Is this a head as it was sealed, of this version? Its size fits into the LEFT bytes, its content
 * into its size; what is packed is not larger than what it unpacks to.
 */
bool ppi_block_is_whole (const struct ppi_block *head, uint64_t left);
/* Has a head this version's number, or another's? 0: it is none. */
uint32_t ppi_block_version (const void *head, size_t bytes);
/* Where the content ends in the file, without its zeros. */
static inline uint64_t ppi_block_bytes (uint32_t stored)
{
	return (sizeof (struct ppi_block) + (uint64_t) stored + PPI_BLOCK_ALIGN - 1) &
	       ~(uint64_t) (PPI_BLOCK_ALIGN - 1);
}

/* ---- packing: zstd, where this library was built with it ------------------------------------- */

struct ppi_packer;
/* NULL: there is no zstd, or no memory; then contents are plain. */
struct ppi_packer *ppi_packer_new (void);
void ppi_packer_free (struct ppi_packer *packer);
/* The most that packing BYTES takes. */
size_t ppi_packed_most (size_t bytes);
/* BYTES at DATA packed into OUT, of ROOM; 0: that does not pay. */
size_t ppi_pack (struct ppi_packer *packer, void *out, size_t room, const void *data, size_t bytes);
/* NULL, or what is wrong. */
const char *ppi_unpack (unsigned coding, void *out, size_t bytes, const void *packed,
			size_t stored);

#endif
