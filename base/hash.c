/* SPDX-License-Identifier: MIT */
/* hash.c: of texts, by multiplications; for tables in memory, no keys of anything that is kept. */
#include "base/hash.h"

#include <stdint.h>
#include <string.h>

uint64_t ppi_hash (const char *bytes, size_t n, uint64_t seed)
{
	const uint64_t factor = UINT64_C (0x9e3779b97f4a7c15);
	uint64_t h = (n ^ seed) * factor, word;

	for (; n >= sizeof (word); n -= sizeof (word), bytes += sizeof (word)) {
		memcpy (&word, bytes, sizeof (word));
		h = (h ^ word) * factor;
		h ^= h >> 32;
	}
	word = 0;
	memcpy (&word, bytes, n);
	h = (h ^ word) * factor;
	return h ^ h >> 32;
}
