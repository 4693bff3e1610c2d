/* SPDX-License-Identifier: MIT */
/*
 * buckets.h: the merged buckets of any number of histogram shards, for readers: quantiles and the
 * variance. Takes memory of its own, 528 bytes for each power of two that has samples. Nothing here
 * knows the runtime.
 */
#ifndef PPI_KEEP_BUCKETS_H
#define PPI_KEEP_BUCKETS_H

#include "libmetrics/keep/shard.h"

/*
 * 64 counters of the buckets that follow each other in magnitude; KEY orders groups as their
 * samples are ordered.
 */
struct ppi_bucket_group {
	int32_t key; /* number of the group; of negative samples its complement */
	uint64_t n[PPI_GROUP_WORDS];
};

struct ppi_buckets {
	struct ppi_bucket_group *group; /* by key */
	size_t n_groups, room;
	uint64_t n;    /* samples in them */
	uint64_t lost; /* samples for whose groups there was no memory here */
};

/*
 * Where offsets of shards may lead: in [LO, HI). Both 0: they are those of the process that made
 * them, which reads their twins (twin.h).
 */
struct ppi_bounds {
	uintptr_t lo, hi;
};

/*
 * Adds what is in SHARD's buckets of EPOCH. While its owner goes on, every sample that is counted
 * was there, but of those of this very moment some may be missing. IS_DOUBLE: of what type its
 * samples are.
 */
void ppi_buckets_add_shard (struct ppi_buckets *into, const struct ppi_histogram_shard *shard,
			    uint32_t epoch, bool is_double, struct ppi_bounds bounds)
	__attribute__ ((visibility ("hidden")));
void ppi_buckets_add (struct ppi_buckets *into, const struct ppi_buckets *from)
	__attribute__ ((visibility ("hidden")));
/* One sample more, of doubles. */
void ppi_buckets_add_double (struct ppi_buckets *into, double sample)
	__attribute__ ((visibility ("hidden")));
/* Empty again; memory stays. / Frees it. */
void ppi_buckets_empty (struct ppi_buckets *buckets) __attribute__ ((visibility ("hidden")));
void ppi_buckets_clear (struct ppi_buckets *buckets) __attribute__ ((visibility ("hidden")));
/*
 * What stands for the bucket of the RANK-th smallest sample, 1 … n (nearest rank), raw: the
 * relative error is that of histogram.h. NaN: there is none.
 */
double ppi_buckets_ranked (const struct ppi_buckets *buckets, uint64_t rank, bool is_double)
	__attribute__ ((visibility ("hidden")));
/* Σ (c - MEAN)² over what stands for the samples' buckets, raw. */
double ppi_buckets_squares_about (const struct ppi_buckets *buckets, double mean, bool is_double)
	__attribute__ ((visibility ("hidden")));

#endif
