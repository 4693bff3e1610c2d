/* SPDX-License-Identifier: MIT */
/*
 * hash.h: a hash of bytes.
 */
#ifndef PPI_BASE_HASH_H
#define PPI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Of N bytes; SEED tells apart what else differs. */
uint64_t ppi_hash (const char *bytes, size_t n, uint64_t seed)
	__attribute__ ((visibility ("hidden")));

#endif
