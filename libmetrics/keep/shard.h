/* SPDX-License-Identifier: MIT */
/*
 * shard.h: what a thread keeps of a metric at a site, as it lies in the live region: a head, and
 * what its accumulator needs behind it.
 */
#ifndef PPI_KEEP_SHARD_H
#define PPI_KEEP_SHARD_H

#include "base/chunk.h"
#include "base/types.h"

/*
 * One thread's part of one binding. Everything from SEQ on is written by its owner only: seq odd,
 * the fields, seq even. Integer samples: sum and squares are 128-bit two's complement, exact.
 * Double samples: sum[0] the bits of the running mean, sum[1] of the sum, squares[0] of Welford's
 * M2. A killed writer leaves seq odd: then n tells the finished samples.
 */
struct ppi_moments {
	uint64_t n;
	uint64_t sum[2];
	uint64_t squares[2];
};

struct ppi_shard {
	struct ppi_chunk chunk; /* id: the binding's */
	uint32_t thread;        /* kernel id; 0: threads that have ended */
	uint32_t epoch;         /* the metric's, when these samples began */
	uint32_t seq;
	uint32_t skip;       /* executions until the next sample (every: N) */
	uint64_t last;       /* newest sample, integer or bits of a double */
	uint64_t last_ticks; /* when it ended */
	struct ppi_moments all;
	uint64_t min, max; /* integer or bits of a double; not of sumcount, bounded_series */
	/*
	 * Executions beyond n × every, of samples that were taken while that was another; the
	 * lock's holder writes it.
	 */
	double more;
	uint32_t more_epoch; /* that MORE is of; of another one it is 0 */
	uint32_t
		/*
		 * samples that overhead.c has seen, modulo 2^32; the lock's holder writes it.
		 * Nothing for readers
		 */
		charged;
	uint32_t waiting; /* of a histogram of integers: LAST is in no counter yet (histogram.h) */
	uint32_t reserved;
};

/*
 * A bounded_series: the window's own moments, and those of the samples since the ring's last wrap,
 * which replace them there, so that the error of subtracting double samples can't grow.
 */
struct ppi_series_shard {
	struct ppi_shard shard;
	uint64_t size;
	uint64_t next; /* ring index of the next sample; SIZE is 0 */
	struct ppi_moments window;
	struct ppi_moments fresh;
	uint64_t ring[];
};

/*
 * A histogram; histogram.h says which samples are in which bucket. Its counters lie in chunks of
 * their own, made when the first sample falls into them: GROUP has their places, in bytes from the
 * start of the shard, 0 where there is none. Of integers a group is 64 counters; of doubles it is
 * 64 places of such groups. Squares of `all` are not kept.
 */
#define PPI_GROUPS 127 /* integers have 0 to 58 and 64 to 122, doubles 0 to 63 */

#define PPI_GROUP_WORDS 64

struct ppi_histogram_shard {
	struct ppi_shard shard;
	uint64_t lost; /* samples for whose bucket there was no room; they are in `all` */
	int64_t group[PPI_GROUPS];
};

struct ppi_buckets_chunk {
	struct ppi_chunk chunk; /* id: the binding's */
	uint32_t epoch;         /* of the counts; PPI_EPOCH_NONE while they are set to zero */
	uint32_t is_directory;  /* words are places of other groups, not counters */
	uint64_t reserved[5];
	uint64_t word[PPI_GROUP_WORDS];
};

#define PPI_EPOCH_NONE UINT32_MAX

/*
 * An unbounded series: its samples lie in chunks that follow each other (unbounded.h). Places as in
 * a histogram.
 */
struct ppi_unbounded_shard {
	struct ppi_shard shard;
	uint64_t lost;     /* samples that the series has no room for; they are in `all` */
	uint64_t max_size; /* samples that it keeps */
	uint64_t kept;
	int64_t first; /* place of the samples of the first chunk */
	/* so many samples came before those: they left for the recording */
	uint64_t gone;
	/* of the chunk that is filled now; only in the twin (twin.h) */
	int64_t current;
	uint64_t fill, room;
};

struct ppi_samples_chunk {
	struct ppi_chunk chunk; /* id: the binding's */
	int64_t next;           /* place of the next one's samples, or 0 */
	uint64_t room;
	uint64_t reserved[4];
	uint64_t sample[];
};

/* What a shard takes. */
uint32_t ppi_shard_bytes (unsigned accumulator, uint64_t size)
	__attribute__ ((visibility ("hidden")));

#endif
