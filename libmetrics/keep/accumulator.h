/* SPDX-License-Identifier: MIT */
/*
 * accumulator.h: what an accumulator is: one constant that says all that is asked of it. Nobody but
 * its own file names an accumulator to know one of its properties.
 *
 *     PP_ABI_ACCUMULATORS (pp_abi.h)      names and numbers
 *     NAME.h, a file for each             its descriptor, and what it does to a shard that the
 *                                         others don't
 *     table.h                             the descriptors, for routines that are compiled for one
 *                                         accumulator each: with a constant number nothing is left
 *                                         of the descriptor but the stores that it asks for
 *     ppi_keep_of (NUMBER)                the same for everybody else, and those that a program
 *                                         registers
 *
 * A shard's head (shard.h) has fields that accumulators share. A descriptor says which of them a
 * sample changes; they are changed, cleared, folded and read in one place each. The functions are
 * for what else it keeps.
 */
#ifndef PPI_KEEP_ACCUMULATOR_H
#define PPI_KEEP_ACCUMULATOR_H

#include "base/atomic.h"
#include "base/types.h"
#include "libmetrics/keep/shard.h"

#include <stdbool.h>

struct ppi_summary;

/*
 * What is kept of samples besides how many there were. Blocks (libmetrics/code) can be made for all
 * but CHUNKS and OWN.
 */
enum ppi_kept {
	PPI_KEEPS_LAST = 1, /* the newest sample, and when it ended */
	PPI_KEEPS_SUM = 2,  /* of doubles that is all of the moments */
	PPI_KEEPS_SQUARES = 4,
	PPI_KEEPS_RANGE = 8,
	/* the newest, whose moments are what statistics are of: a struct ppi_series_shard */
	PPI_KEEPS_RING = 16,
	PPI_KEEPS_BUCKETS = 32, /* a struct ppi_histogram_shard */
	PPI_KEEPS_CHUNKS = 64,  /* all samples: a struct ppi_unbounded_shard */
	PPI_KEEPS_OWN = 128,    /* words that only its own functions know */
	PPI_KEEPS_SAMPLES = PPI_KEEPS_RING | PPI_KEEPS_CHUNKS,
	PPI_KEEPS_ANY = 255, /* without any it only counts, and no sample needs to be read */
};

#define PPI_OWN_WORDS 4

/* Sets of statistics */
#define PPI_STAT(id) (1u << PP_STAT_##id)
#define PPI_UP_TO(id, of, set) | (PPI_OF_##of <= PPI_OF_##set ? PPI_STAT (id) : 0u)
#define PPI_UP_TO_N(id, of, ...) PPI_UP_TO (id, of, N)
#define PPI_UP_TO_COUNT(id, of, ...) PPI_UP_TO (id, of, COUNT)
#define PPI_UP_TO_SUM(id, of, ...) PPI_UP_TO (id, of, SUM)
#define PPI_UP_TO_SPREAD(id, of, ...) PPI_UP_TO (id, of, SPREAD)
#define PPI_QUANTILE(id, of, ...) | (PPI_OF_##of == PPI_OF_QUANTILES ? PPI_STAT (id) : 0u)
enum ppi_statistics_had {
	PPI_HAS_N = 0u PPI_STATISTICS (PPI_UP_TO_N),
	PPI_HAS_COUNT = 0u PPI_STATISTICS (PPI_UP_TO_COUNT),
	PPI_HAS_SUM = 0u PPI_STATISTICS (PPI_UP_TO_SUM),
	PPI_HAS_SPREAD = 0u PPI_STATISTICS (PPI_UP_TO_SPREAD),
	PPI_HAS_QUANTILES = 0u PPI_STATISTICS (PPI_QUANTILE),
};

/* An option that says how many samples are kept: of those that do. */
struct ppi_keep_size {
	const char *option;    /* in declarations: "maxSize"; NULL: there is none */
	const char *key;       /* in reports: "max_size" */
	const char *sentence;  /* in reports, of the {key} */
	uint64_t usual, most;  /* where it isn't said; the largest */
	uint32_t at;           /* where the shard has it, a uint64_t */
	uint32_t sample_bytes; /* of the shard, for each */
};

struct ppi_keep {
	const char *name; /* everywhere: declarations, policies, reports, JSON */
	unsigned keeps;   /* set of enum ppi_kept */
	uint32_t bytes;   /* of a shard, without its samples */
	struct ppi_keep_size size;
	/* what it takes beyond that: " and 72 for each ..."; NULL: nothing */
	const char *grows;
	/* where the shard counts (uint64_t) samples without room; 0: there is always room */
	uint32_t lost_at;
	/* a window of time keeps its samples as stats: a series of one period is of no use */
	bool stats_in_windows;

	unsigned has; /* the statistics that it has; ... */
	/* ... those of them that are read from more than a few words: not at markers; ... */
	unsigned scans;
	unsigned own;   /* ... those that STATISTIC tells */
	unsigned alone; /* the one that its name stands for where none is said; 0: none does */

	/* ---- the owner, at a marker: general registers only, no libc; NULL: nothing to do ---- */
	/*
	 * The place that the next sample, an integer, needs. FIND: if it is there. MAKE: or makes
	 * it; NULL: there is no room.
	 */
	uint64_t *(*find) (struct ppi_shard *shard);
	uint64_t *(*make) (struct ppi_shard *shard);
	uint64_t *(*make_double) (struct ppi_shard *shard, uint64_t bits);
	/*
	 * Inside the shard's sequence, behind the shared fields and before n. That of a registered
	 * one may use all registers.
	 */
	void (*add_int) (struct ppi_shard *shard, int64_t x, uint64_t *place);
	void (*clear) (struct ppi_shard *shard, uint32_t epoch);

	/* ---- the owner, where all registers are kept ----------------------------------------- */
	void (*add_double) (struct ppi_shard *shard, uint64_t bits, uint64_t *place);
	/*
	 * FROM's thread has ended; before the shared fields of INTO are changed, inside its
	 * sequence. OLDER: INTO has a newer sample. With the lock.
	 */
	void (*fold) (struct ppi_shard *into, const struct ppi_shard *from, bool is_double,
		      bool older);

	/* ---- words of its own, PPI_OWN_WORDS at most, each whole; a reset clears them -------- */
	uint32_t own_at, own_words;
	/* Merges the words of a shard into those of a summary, which are 0 where IS_FIRST. */
	void (*merge) (uint64_t *into, const uint64_t *from, bool is_first);
	/* One of OWN, in the metric's unit (raw × SCALE). There is a sample. */
	double (*statistic) (const struct ppi_summary *summary, enum pp_statistic statistic,
			     double scale);
};

#define PPI_ACCUMULATORS_MAX 32

extern const struct ppi_keep *ppi_keep_table[PPI_ACCUMULATORS_MAX] PPI_HIDDEN;

static inline bool ppi_accumulator_exists (unsigned accumulator)
{
	return accumulator < PPI_ACCUMULATORS_MAX && ppi_keep_table[accumulator];
}

/*
 * Was it added by the program? Then nothing of it is inlined anywhere, and markers go the general
 * way, in C.
 */
static inline bool ppi_accumulator_is_registered (unsigned accumulator)
{
	return accumulator >= PPI_ACCUMULATOR_COUNT;
}

/* The descriptor of one that exists. */
static inline const struct ppi_keep *ppi_keep_of (unsigned accumulator)
{
	return ppi_keep_table[accumulator];
}

/* Does it keep one of KEPT? */
static inline bool ppi_keeps (unsigned accumulator, unsigned kept)
{
	return (ppi_keep_of (accumulator)->keeps & kept) != 0;
}

/*
 * Adds an accumulator, whose descriptor stays. Before there are metrics of it; not while others
 * declare metrics. Markers go the general way for it. Returns its number, PP_EEXIST where its name
 * is another's, PP_EINVAL where the descriptor asks for what there is not, PP_ENOMEM where there
 * are too many.
 */
PPI_HIDDEN int ppi_accumulator_register (const struct ppi_keep *keep);

/* "stats" … ; -1 where there is none */
PPI_HIDDEN int ppi_accumulator_parse (const char *name);
/* "?" where there is none */
PPI_HIDDEN const char *ppi_accumulator_name (unsigned accumulator);
/* The name of the one whose option OPTION is, with its article: "a bounded_series" */
PPI_HIDDEN const char *ppi_accumulator_with_option (const char *option, char *out, size_t room);

/*
 * Does this accumulator have that statistic; and is it read in O(1), as assertions at sites need
 * it?
 */
PPI_HIDDEN bool ppi_statistic_exists (unsigned accumulator, enum pp_statistic statistic);
PPI_HIDDEN bool ppi_statistic_is_cheap (unsigned accumulator, enum pp_statistic statistic);
/*
 * May it be asked for over a window of time, m.avg[10s]? By what a window's periods are kept with.
 */
PPI_HIDDEN bool ppi_statistic_has_window (unsigned accumulator, enum pp_statistic statistic);
PPI_HIDDEN enum ppi_accumulator ppi_statistic_window_accumulator (unsigned accumulator);
/* The one that the name of a metric stands for where none is said; -1: none does */
PPI_HIDDEN int ppi_statistic_alone (unsigned accumulator);

#endif
