/* SPDX-License-Identifier: MIT */
/*
 * chunk.h: what all chunks of the live region begin with, and which there are (recording/layout.h).
 */
#ifndef PPI_BASE_CHUNK_H
#define PPI_BASE_CHUNK_H

#include <stddef.h>
#include <stdint.h>

struct ppi_adapt_chunk;
struct ppi_aggregate_chunk;
struct ppi_assertion_chunk;
struct ppi_binding_chunk;
struct ppi_buckets_chunk;
struct ppi_exact_chunk;
struct ppi_features_chunk;
struct ppi_figure_chunk;
struct ppi_flight_chunk;
struct ppi_group_chunk;
struct ppi_history_chunk;
struct ppi_knob_chunk;
struct ppi_metric_chunk;
struct ppi_overhead_chunk;
struct ppi_profile_chunk;
struct ppi_profile_object_chunk;
struct ppi_profile_samples_chunk;
struct ppi_profile_stacks_chunk;
struct ppi_samples_chunk;
struct ppi_shard;
struct ppi_site_chunk;
struct ppi_stream_chunk;
struct ppi_sweep_chunk;
struct ppi_texts_chunk;
struct ppi_top_chunk;
struct ppi_violating_chunk;

#define PPI_CHUNK_ALIGN 64

/*
 * What threads write at markers lies apart from what others do, and from the program's data, by
 * this: two cache lines, since processors fetch them in pairs (tests/unit/test_lines.c). So the
 * runtime gives chunks out by this.
 */
#define PPI_APART 128

/*
 * Record types: number in recordings, name, bytes of the fixed part, whether a text follows it,
 * whether it changes while somebody may read it without a sequence count, and what else makes it
 * whole (recording/check.c; NULL: nothing).
 */
#define PPI_CHUNKS(X)                                                                              \
	X (SITE, 2, "site", offsetof (struct ppi_site_chunk, name), true, true, site_is_whole)     \
	X (METRIC, 3, "metric", offsetof (struct ppi_metric_chunk, name), true, true,              \
	   metric_is_whole)                                                                        \
	X (BINDING, 4, "binding", sizeof (struct ppi_binding_chunk), false, true,                  \
	   binding_is_whole)                                                                       \
	X (SHARD, 7, "shard", sizeof (struct ppi_shard), false, false, NULL)                       \
	X (ASSERTION, 9, "assertion", offsetof (struct ppi_assertion_chunk, name), true, true,     \
	   assertion_is_whole)                                                                     \
	X (HISTORY, 10, "history", offsetof (struct ppi_history_chunk, text), true, true,          \
	   history_is_whole)                                                                       \
	X (KNOB, 11, "knob", offsetof (struct ppi_knob_chunk, name), true, true, knob_is_whole)    \
	/* of a histogram */                                                                       \
	X (BUCKETS, 12, "buckets", sizeof (struct ppi_buckets_chunk), false, false, NULL)          \
	/* of an unbounded series */                                                               \
	X (SAMPLES, 13, "samples", sizeof (struct ppi_samples_chunk), false, false, NULL)          \
	X (SWEEP, 16, "sweep", sizeof (struct ppi_sweep_chunk), false, true, sweep_is_whole)       \
	X (ADAPT, 17, "adapt", sizeof (struct ppi_adapt_chunk), false, true, adapt_is_whole)       \
	X (FIGURE, 18, "figure", offsetof (struct ppi_figure_chunk, name), true, true, NULL)       \
	X (OVERHEAD, 19, "overhead", sizeof (struct ppi_overhead_chunk), false, true, NULL)        \
	X (STREAM, 20, "stream", sizeof (struct ppi_stream_chunk), false, true, stream_is_whole)   \
	/* what a thread has open */                                                               \
	X (TOP, 21, "top", sizeof (struct ppi_top_chunk), false, true, top_is_whole)               \
	X (TEXTS, 22, "texts", sizeof (struct ppi_texts_chunk), false, true, texts_are_whole)      \
	/* of the sampling profiler */                                                             \
	X (PROFILE, 24, "profile", sizeof (struct ppi_profile_chunk), false, true,                 \
	   profile_is_whole)                                                                       \
	X (PROFILE_OBJECT, 25, "profile object", offsetof (struct ppi_profile_object_chunk, name), \
	   true, true, object_is_whole)                                                            \
	X (PROFILE_STACKS, 26, "profile stacks", sizeof (struct ppi_profile_stacks_chunk), false,  \
	   true, stacks_are_whole)                                                                 \
	X (PROFILE_SAMPLES, 27, "profile samples", sizeof (struct ppi_profile_samples_chunk),      \
	   false, true, profile_samples_are_whole)                                                 \
	/* of features that are measured */                                                        \
	X (EXACT, 28, "exact", sizeof (struct ppi_exact_chunk), false, true, exact_is_whole)       \
	X (FEATURES, 29, "features", sizeof (struct ppi_features_chunk), false, true,              \
	   features_are_whole)                                                                     \
	/* of the flight recorder */                                                               \
	X (FLIGHT, 30, "flight", sizeof (struct ppi_flight_chunk), false, true, flight_is_whole)   \
	/* of an assertion, while samples are taken */                                             \
	X (VIOLATING, 31, "violating", sizeof (struct ppi_violating_chunk), false, true,           \
	   violating_is_whole)                                                                     \
	/* of executions in groups */                                                              \
	X (AGGREGATE, 32, "aggregate", sizeof (struct ppi_aggregate_chunk), false, true,           \
	   aggregate_is_whole)                                                                     \
	X (GROUP, 33, "group", sizeof (struct ppi_group_chunk), false, false, group_is_whole)

enum ppi_chunk_type {
	PPI_CHUNK_NONE = 0,
	PPI_CHUNK_FREE = 1,
#define X(id, number, name, bytes, text, changes, check) PPI_CHUNK_##id = number,
	PPI_CHUNKS (X)
#undef X
		PPI_CHUNK_TYPES /* beyond all of them */
};

struct ppi_chunk {
	uint32_t bytes; /* with this head, a multiple of PPI_CHUNK_ALIGN */
	uint16_t type;  /* enum ppi_chunk_type; stored last */
	uint16_t version;
	uint32_t id; /* by type: site, metric, binding, thread (kernel id) ... */
	uint32_t reserved;
};

#endif
