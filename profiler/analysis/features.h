/* SPDX-License-Identifier: MIT */
/*
 * features.h: what each feature of a language or library cost, and which of its instances.
 *
 * A sample is charged to a feature only if the newest entry of that feature on its stack is a mark;
 * if it is an antimark, the user's code runs. Features know nothing of each other: a sample may be
 * charged to several of them, and their shares need not sum up to 1.
 *
 *     stack, the newest first              charged to
 *     mark A                               A
 *     antimark A, mark A                   nobody
 *     mark B, antimark A, mark A           B
 *     mark A, antimark A, mark A           A, its newest instance
 */
#ifndef PPI_ANALYSIS_FEATURES_H
#define PPI_ANALYSIS_FEATURES_H

#include "profiler/analysis/payload.h"
#include "profiler/analysis/samples.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_recording;

/* What a feature's cost is broken down by. */
#define PPI_FEATURES_BY(X)                                                                         \
	X (INSTANCE, "instance") /* the payload; of marks without one their place in the source */ \
	X (PLACE, "place")       /* the mark's file and line */                                    \
	X (CALLER, "caller")     /* the interval, or other feature, that it was begun in */        \
	X (THREAD, "thread")

enum ppi_features_by {
#define X(id, name) PPI_FEATURES_BY_##id,
	PPI_FEATURES_BY (X)
#undef X
		PPI_FEATURES_BYS,
	PPI_FEATURES_BY_DIMS =
		PPI_FEATURES_BYS /* dimensions of the payloads, which are said beside */
};

struct ppi_feature_part {
	char *name;
	char *payload; /* of an instance, as it was recorded, where it has several values; or NULL */
	double time;   /* s; of what was measured without what marks take */
	double raw;    /* s, with that */
	double doubt;  /* s, by which TIME may be off because of what marks take, and of waits */
	double chance;  /* s, by which it may be off because samples are chance; 0 where measured */
	double squares; /* s²: what each sample stands for, squared and summed up; of no sum */
	uint64_t times; /* samples, or marks */
};

struct ppi_feature {
	char *name; /* "library.feature" */
	double time, raw, doubt, chance;
	uint64_t times;                /* 0: it was never seen */
	struct ppi_feature_part *part; /* by falling time */
	size_t parts, parts_room;
};

/* So many recordings of a sum are named. */
#define PPI_FEATURES_NAMED 3

struct ppi_features {
	char *program; /* of several recordings that of the first ones: "one + two + three" */
	size_t recordings;
	bool is_exact; /* measured, not sampled */
	bool is_cpu;
	/*
	 * s: of threads that were seen in a mark. Sampled: from their first sample to their last.
	 * Exact: from their first mark to the end of their last, and the program's first thread all
	 * the time; without what marks take, RAW with it.
	 */
	double total, raw;
	double doubt; /* s, by which TOTAL may be off because of what marks take */
	/*
	 * exact: s for which threads waited for a processor, in how many times; that is in whatever
	 * mark it came in, by chance
	 */
	double waited;
	uint64_t waits;
	/*
	 * sampled: marks that began, and s that they took, which is not taken off; NaN: not known
	 */
	uint64_t begun;
	double took;
	double period_s; /* sampled: that was asked for; NaN: recordings have several */
	double squares;  /* s²: as of parts, of all samples of those threads */
	double own_s;    /* sampled: CPU time of the library's thread that took them */
	uint64_t missed[PPI_SAMPLE_LOSSES];
	uint64_t times; /* samples of those threads; or marks and antimarks */
	size_t threads;
	/* of what is exact: what a mark takes; NaN: not known, nothing was taken off */
	double mark_s;
	/* marks of recordings in which it is not known what they take */
	uint64_t untold;
	uint64_t open; /* marks and antimarks that had not ended */
	uint64_t lost; /* that were jumped over, or were switched off while they were open */
	/*
	 * What was their own until that was noticed, which may be behind the profile; time in marks
	 * of several features counts for each. So it is no part of TOTAL
	 */
	double lost_s;
	struct ppi_feature *feature; /* by falling time */
	size_t features, features_room;
};

/*
 * Of samples by mark (read.h); KEYS where it is by dimensions, else NULL. False: no memory. OUT is
 * freed by ppi_features_clear, also then.
 * Features and instances that were never seen are there, with no samples.
 */
bool ppi_features_analyse (const struct ppi_samples *samples, enum ppi_features_by by,
			   const struct ppi_payload_keys *keys, struct ppi_features *out);
/*
 * The same of what RECORDING has measured, by INSTANCE, PLACE or DIMS. OUT has no features where
 * there is nothing.
 */
bool ppi_features_measured (const struct ppi_recording *recording, enum ppi_features_by by,
			    const struct ppi_payload_keys *keys, struct ppi_features *out);
void ppi_features_clear (struct ppi_features *features);

/* What one thread has measured of a mark and its payload. Times are s. */
struct ppi_measured_feature {
	const char *feature, *place;
	const char *payload; /* NULL: it has none; of several values as recorded (payload.h) */
	double time, raw;    /* without and with what marks take */
	double doubt;        /* by how much TIME may be off because of that, at most */
	uint64_t times;
};
/* Calls FN with each; false ends it. False: no memory, or FN said so. */
bool ppi_features_each_measured (const struct ppi_recording *recording,
				 bool (*fn) (const struct ppi_measured_feature *measured,
					     void *arg),
				 void *arg);

/*
 * The sum of what several recordings have: FEATURES and MORE, which are both by the same. Features
 * of one name are one, and so are their parts. SUM is empty to begin with: {.program = NULL}.
 * False: no memory.
 *
 * What is chance in one recording knows nothing of the others: it adds up as the root of the
 * squares. What marks take is off to the same side in all of them: it is simply added. So are waits
 * for a processor, which one busy machine makes in all of its processes.
 */
bool ppi_features_add (struct ppi_features *sum, const struct ppi_features *more);
/* Why there is no sum of them, as the end of a sentence about MORE; NULL: there is. */
const char *ppi_features_differ (const struct ppi_features *sum, const struct ppi_features *more);

/*
 * By how much the share of PART in all may be off, 0 to 1; NaN where there is nothing of the whole.
 */
double ppi_features_off (const struct ppi_features *features, const struct ppi_feature_part *part);
/* FEATURE as if it were a part, without a name. */
struct ppi_feature_part ppi_feature_whole (const struct ppi_feature *feature);

/* ---- for features.c and exact.c -------------------------------------------------------------- */

/* The feature called NAME, made if there is none; NULL: no memory. Valid until the next is made. */
struct ppi_feature *ppi_features_of (struct ppi_features *features, const char *name);
/* Adds PART, whose texts are copied, to FEATURE and to its figures; false: no memory. */
bool ppi_feature_add (struct ppi_feature *feature, const struct ppi_feature_part *part);
/* Parts of one name are one; all are in their order from now on. */
void ppi_features_finish (struct ppi_features *features);

#endif
