/* SPDX-License-Identifier: MIT */
/* blocks.c: heads of blocks, their checksums, and what packs their contents; see blocks.h. */
#include "recording/blocks.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

_Static_assert(sizeof (struct ppi_block) == PPI_BLOCK_ALIGN,
	       "the head of a block is what blocks are aligned to");
_Static_assert(sizeof (struct ppi_index_tail) == PPI_BLOCK_ALIGN, "an index ends as a block does");

/* ---- the checksum: CRC-32C (Castagnoli), eight bytes a step ---------------------------------- */

#define POLYNOMIAL 0x82f63b78u

static uint32_t table[8][256];
static bool table_is_made; /* atomic */

/* Who comes second at the same time writes the same. */
static void make_table (void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t sum = i;

		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? POLYNOMIAL : 0);
		__atomic_store_n (&table[0][i], sum, __ATOMIC_RELAXED);
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int k = 1; k < 8; k++)
			__atomic_store_n (&table[k][i],
					  table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xff],
					  __ATOMIC_RELAXED);
	__atomic_store_n (&table_is_made, true, __ATOMIC_RELEASE);
}

#ifdef __x86_64__
/* By the processor's instruction for it. */
__attribute__ ((target ("sse4.2"))) static uint32_t sum_by_instruction (uint32_t before,
									const unsigned char *at,
									size_t bytes)
{
	uint64_t sum = ~before, word;

	for (; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
		memcpy (&word, at, sizeof word);
		sum = __builtin_ia32_crc32di (sum, word);
	}
	for (; bytes; bytes--, at++)
		sum = __builtin_ia32_crc32qi ((uint32_t) sum, *at);
	return ~(uint32_t) sum;
}
#endif

uint32_t ppi_crc32c_by_tables (uint32_t sum, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	if (!__atomic_load_n (&table_is_made, __ATOMIC_ACQUIRE))
		make_table ();
	sum = ~sum;
	for (; bytes >= 8; bytes -= 8, at += 8) {
		uint64_t word;

		memcpy (&word, at, sizeof word);
		word ^= sum;
		sum = table[7][word & 0xff] ^ table[6][word >> 8 & 0xff] ^
		      table[5][word >> 16 & 0xff] ^ table[4][word >> 24 & 0xff] ^
		      table[3][word >> 32 & 0xff] ^ table[2][word >> 40 & 0xff] ^
		      table[1][word >> 48 & 0xff] ^ table[0][word >> 56];
	}
	for (; bytes; bytes--, at++)
		sum = sum >> 8 ^ table[0][(sum ^ *at) & 0xff];
	return ~sum;
}

uint32_t ppi_crc32c (uint32_t sum, const void *data, size_t bytes)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports ("sse4.2"))
		return sum_by_instruction (sum, data, bytes);
#endif
	return ppi_crc32c_by_tables (sum, data, bytes);
}

/* ---- heads ----------------------------------------------------------------------------------- */

const char *ppi_block_type_name (unsigned type)
{
	static const char *const names[PPI_BLOCK_TYPES] = {
#define X(id, number, name) [number] = name,
		PPI_BLOCKS (X)
#undef X
	};

	return type < PPI_BLOCK_TYPES && names[type] ? names[type] : "unknown";
}

void ppi_block_seal (struct ppi_block *head, const void *content)
{
	memcpy (head->magic, PPI_RECORDING_MAGIC, sizeof head->magic);
	head->version = PPI_RECORDING_VERSION;
	head->content_sum = ppi_crc32c (0, content, head->stored);
	head->head_sum = ppi_crc32c (0, head, offsetof (struct ppi_block, head_sum));
}

bool ppi_block_is_whole (const struct ppi_block *head, uint64_t left)
{
	return left >= sizeof *head &&
	       memcmp (head->magic, PPI_RECORDING_MAGIC, sizeof head->magic) == 0 &&
	       head->version == PPI_RECORDING_VERSION &&
	       head->head_sum == ppi_crc32c (0, head, offsetof (struct ppi_block, head_sum)) &&
	       head->bytes <= left && head->bytes >= sizeof *head &&
	       head->bytes % PPI_BLOCK_ALIGN == 0 &&
	       (head->type == PPI_BLOCK_GAP || head->bytes == ppi_block_bytes (head->stored)) &&
	       head->unpacked <= PPI_BLOCK_MOST && head->first_ns <= head->last_ns &&
	       (head->coding == PPI_BLOCK_PLAIN ? head->unpacked == head->stored
						: head->stored <= head->unpacked);
}

uint32_t ppi_block_version (const void *head, size_t bytes)
{
	struct ppi_block block;

	if (bytes < offsetof (struct ppi_block, bytes))
		return 0;
	memcpy (&block, head, offsetof (struct ppi_block, bytes));
	return memcmp (block.magic, PPI_RECORDING_MAGIC, sizeof block.magic) == 0 ? block.version
										  : 0;
}

/* ---- packing --------------------------------------------------------------------------------- */

/* less than this is not worth the processor's time */
#define WORTH_PACKING 256u
/* of what packing has to spare at least: one in eight */
#define SPARED 8u
/* Fast: the library's thread takes it from the program's processors. */
#define LEVEL (-2)

#ifdef HAVE_ZSTD

/*
 * Memory of its context is taken once, for the largest block that is usual: nothing is allocated
 * later.
 */
struct ppi_packer *ppi_packer_new (void)
{
	return (struct ppi_packer *) ZSTD_createCCtx ();
}

void ppi_packer_free (struct ppi_packer *packer)
{
	ZSTD_freeCCtx ((ZSTD_CCtx *) packer);
}

size_t ppi_packed_most (size_t bytes)
{
	return ZSTD_compressBound (bytes);
}

size_t ppi_pack (struct ppi_packer *packer, void *out, size_t room, const void *data, size_t bytes)
{
	size_t n;

	if (!packer || bytes < WORTH_PACKING)
		return 0;
	n = ZSTD_compressCCtx ((ZSTD_CCtx *) packer, out, room, data, bytes, LEVEL);
	return ZSTD_isError (n) || n > bytes - bytes / SPARED ? 0 : n;
}

static const char *unpack_zstd (void *out, size_t bytes, const void *packed, size_t stored)
{
	size_t n = ZSTD_decompress (out, bytes, packed, stored);

	return ZSTD_isError (n) || n != bytes ? "its content can't be unpacked" : NULL;
}

#else

struct ppi_packer *ppi_packer_new (void)
{
	return NULL;
}

void ppi_packer_free (struct ppi_packer *packer)
{
	(void) packer;
}

size_t ppi_packed_most (size_t bytes)
{
	return bytes;
}

size_t ppi_pack (struct ppi_packer *packer, void *out, size_t room, const void *data, size_t bytes)
{
	(void) packer;
	(void) out;
	(void) room;
	(void) data;
	(void) bytes;
	return 0;
}

static const char *unpack_zstd (void *out, size_t bytes, const void *packed, size_t stored)
{
	(void) out;
	(void) bytes;
	(void) packed;
	(void) stored;
	return "it is packed with zstd, which this program was built without";
}

#endif

const char *ppi_unpack (unsigned coding, void *out, size_t bytes, const void *packed, size_t stored)
{
	switch (coding) {
	case PPI_BLOCK_PLAIN:
		if (bytes != stored)
			return "its content is shorter than it says";
		memcpy (out, packed, bytes);
		return NULL;
	case PPI_BLOCK_ZSTD:
		return unpack_zstd (out, bytes, packed, stored);
	default:
		return "it is packed in a way that is not known";
	}
}
