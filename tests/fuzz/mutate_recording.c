/* SPDX-License-Identifier: MIT */
/*
 * mutate_recording.c: the mutator of targets that read recordings and regions. It knows blocks, and
 * chunks: most changes are to fields of one, and blocks are sealed again, so that a reader gets
 * further than the first check.
 */
#include "base/chunk.h"
#include "recording/blocks.h"
#include "recording/layout.h"
#include "recording/load.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 4096 };

static const uint64_t numbers[] = {0,
				   1,
				   2,
				   7,
				   63,
				   64,
				   127,
				   128,
				   4095,
				   4096,
				   INT32_MAX,
				   UINT64_C (1) << 31,
				   UINT32_MAX,
				   UINT64_C (1) << 32,
				   INT64_MAX,
				   UINT64_C (1) << 63,
				   UINT64_MAX,
				   UINT64_C (0x7ff0000000000000),  /* infinity */
				   UINT64_C (0xfff0000000000000),  /* -infinity */
				   UINT64_C (0x7ff8000000000000),  /* NaN */
				   UINT64_C (0x7fefffffffffffff),  /* the largest */
				   UINT64_C (0x43e0000000000000)}; /* 2^63 */

static size_t below (size_t n)
{
	return n ? (size_t) random () % n : 0;
}

/* Where the chunks begin that a reader would walk over. */
static size_t find_chunks (const uint8_t *data, size_t bytes, size_t *at)
{
	const struct ppi_region_header *h = (const void *) data;
	size_t from = bytes >= sizeof *h ? h->header_bytes : bytes, n = 0;
	struct ppi_chunk c;

	/* what the mutator has changed before */
	if (((uintptr_t) data + from) % _Alignof(struct ppi_chunk) != 0)
		return 0;
	while (from < bytes && bytes - from >= sizeof c && n < CHUNKS) {
		memcpy (&c, data + from, sizeof c);
		if (!c.bytes) {
			from += PPI_CHUNK_ALIGN;
			continue;
		}
		if (c.bytes < PPI_CHUNK_ALIGN || c.bytes % PPI_CHUNK_ALIGN ||
		    c.bytes > bytes - from)
			break;
		at[n++] = from;
		from += c.bytes;
	}
	return n;
}

/* Changes one field of the chunk of BYTES at C. Most fields are near its beginning. */
static void change_chunk (uint8_t *c, size_t bytes)
{
	struct ppi_chunk *chunk = (void *) c;
	size_t from = sizeof *chunk, room = bytes - from, near = room < 240 ? room : 240, at;
	uint32_t offset;

	switch (below (8)) {
	case 0:
		chunk->type = (__typeof__ (chunk->type)) below (PPI_CHUNK_TYPES);
		break;
	case 1:
		chunk->id = (__typeof__ (chunk->id)) below (16);
		break;
	case 2:
		c[from + below (room)] = (uint8_t) random ();
		break;
	case 3:
		at = (from + below (room)) & ~(size_t) 7;
		memcpy (c + at, &numbers[below (sizeof numbers / sizeof *numbers)], 8);
		break;
	case 4:
		at = (from + below (near)) & ~(size_t) 3;
		memcpy (c + at, &numbers[below (sizeof numbers / sizeof *numbers)], 4);
		break;
	case 5: /* perhaps the offset of a text */
		at = (from + below (near)) & ~(size_t) 3;
		offset = (uint32_t) below (bytes + 64);
		memcpy (c + at, &offset, 4);
		break;
	case 6: /* a text without an end */
		at = from + below (room);
		memset (c + at, random () % 2 ? 'A' : 0xff,
			below (bytes - at < 40 ? bytes - at : 40));
		break;
	default:
		c[from + below (near)] ^= (uint8_t) (1u << below (8));
	}
}

/* Where the blocks begin that a reader would find. */
static size_t find_blocks (const uint8_t *data, size_t bytes, size_t *at)
{
	struct ppi_block head;
	size_t n = 0;

	for (size_t from = 0; from + sizeof head <= bytes && n < CHUNKS; from += head.bytes) {
		memcpy (&head, data + from, sizeof head);
		if (!ppi_block_is_whole (&head, bytes - from))
			break;
		at[n++] = from;
	}
	return n;
}

/* Changes the CONTENT of a block: an item's head, a chunk in it, or any word. */
static void change_content (uint8_t *content, size_t bytes)
{
	size_t items[256], n = 0;
	struct ppi_item item;

	for (size_t at = 0; at + sizeof item <= bytes && n < 256;
	     at += sizeof item + ((item.bytes + 7u) & ~7u)) {
		memcpy (&item, content + at, sizeof item);
		if (item.bytes > bytes - at - sizeof item)
			break;
		items[n++] = at;
	}
	if (n && random () % 4) {
		uint8_t *at = content + items[below (n)];

		memcpy (&item, at, sizeof item);
		if (item.bytes >= PPI_CHUNK_ALIGN && random () % 4)
			change_chunk (at + sizeof item, item.bytes);
		else
			memcpy (at + below (2) * 8,
				&numbers[below (sizeof numbers / sizeof *numbers)], 8);
	} else if (bytes && random () % 2) { /* of a stream each byte counts */
		content[below (bytes)] ^= (uint8_t) (1u << below (8));
	} else if (bytes >= 8) {
		memcpy (content + below (bytes / 8) * 8,
			&numbers[below (sizeof numbers / sizeof *numbers)], 8);
	}
}

/*
 * One block is unpacked, changed, and sealed again, or its head is; or blocks are left out, or come
 * twice.
 */
static size_t change_blocks (uint8_t *data, size_t bytes, size_t most, size_t *at, size_t n)
{
	size_t which = below (n), from = at[which], rest, now;
	struct ppi_block head;
	uint8_t *block;
	uint64_t left;

	memcpy (&head, data + from, sizeof head);
	rest = bytes - from - head.bytes;
	if (n > 1 && random () % 16 == 0) {
		memmove (data + from, data + from + head.bytes, rest);
		return bytes - head.bytes;
	}
	if (bytes + head.bytes <= most && random () % 16 == 0) {
		memmove (data + from + head.bytes, data + from, rest + head.bytes);
		return bytes + head.bytes;
	}
	left = ppi_block_bytes (head.unpacked);
	if (bytes - head.bytes + left > most || head.unpacked > most)
		return bytes;
	block = calloc (1, left + 64);
	if (!block)
		abort ();
	if (!ppi_unpack (head.coding, block + sizeof head, head.unpacked, data + from + sizeof head,
			 head.stored)) {
		now = head.bytes;
		head.stored = head.unpacked;
		head.coding = PPI_BLOCK_PLAIN;
		head.bytes = left;
		change_content (block + sizeof head, head.unpacked);
		if (random () % 16 == 0) {
			uint32_t *const field[] = {&head.type, &head.unpacked, &head.coding,
						   &head.thread};

			*field[below (4)] =
				(uint32_t) numbers[below (sizeof numbers / sizeof *numbers)];
		}
		ppi_block_seal (&head, block + sizeof head);
		memcpy (block, &head, sizeof head);
		memmove (data + from + left, data + from + now, rest);
		memcpy (data + from, block, left);
		bytes = bytes - now + left;
	}
	free (block);
	return bytes;
}

size_t LLVMFuzzerCustomMutator (uint8_t *data, size_t bytes, size_t most, unsigned seed)
{
	static size_t at[CHUNKS];
	size_t n = find_chunks (data, bytes, at), field;

	srandom (seed);
	if (ppi_is_of_blocks (data, bytes) && random () % 16) {
		for (unsigned times = 1 + (unsigned) below (4); times; times--) {
			n = find_blocks (data, bytes, at);
			if (!n)
				break;
			bytes = change_blocks (data, bytes, most, at, n);
		}
		return bytes;
	}
	if (!n || random () % 16 == 0)
		return LLVMFuzzerMutate (data, bytes, most);
	for (unsigned times = 1 + (unsigned) below (6); times; times--) {
		struct ppi_chunk *c = (void *) (data + at[below (n)]);

		if (random () % 24 == 0) { /* a field of the header, behind magic and version */
			field = 16 + (below (sizeof (struct ppi_region_header) - 24) & ~(size_t) 7);
			memcpy (data + field, &numbers[below (sizeof numbers / sizeof *numbers)],
				8);
		} else if (c->bytes >= PPI_CHUNK_ALIGN) {
			change_chunk ((uint8_t *) c, c->bytes);
		}
	}
	/* by which way it is read */
	if (random () % 4 == 0)
		data[bytes - 1] = (uint8_t) random ();
	return bytes;
}
