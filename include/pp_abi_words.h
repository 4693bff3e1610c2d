/* SPDX-License-Identifier: MIT */
/*
 * pp_abi_words.h: words of the language that plugin and runtime both know, each in one list: what
 * metrics read, how that is combined and kept, what can be asked of it, and the keys of instrument
 * files. Part of pp_abi.h, which is the header to include.
 */
#ifndef PP_ABI_WORDS_H
#define PP_ABI_WORDS_H

/*
 * The library's own sources, in the order of listings: the runtime registers one of each name, the
 * plugin knows them for its "did you mean". Those that need an argument, NAME:ARGUMENT, come last.
 */
#define PP_ABI_SOURCES(X)                                                                          \
	X (elapsed)                                                                                \
	X (cpu_time)                                                                               \
	X (process_cpu_time)                                                                       \
	X (user_time)                                                                              \
	X (system_time)                                                                            \
	X (page_faults)                                                                            \
	X (minor_faults)                                                                           \
	X (major_faults)                                                                           \
	X (context_switches)                                                                       \
	X (voluntary_switches)                                                                     \
	X (involuntary_switches)                                                                   \
	X (block_reads)                                                                            \
	X (block_writes)                                                                           \
	X (max_resident)                                                                           \
	X (resident)                                                                               \
	X (heap_allocs)                                                                            \
	X (heap_bytes)                                                                             \
	X (bytes_read)                                                                             \
	X (bytes_written)                                                                          \
	X (read_calls)                                                                             \
	X (write_calls)                                                                            \
	X (disk_bytes_read)                                                                        \
	X (disk_bytes_written)                                                                     \
	X (cycles)                                                                                 \
	X (instructions)                                                                           \
	X (ref_cycles)                                                                             \
	X (branches)                                                                               \
	X (branch_misses)                                                                          \
	X (cache_references)                                                                       \
	X (cache_misses)                                                                           \
	X (stalled_frontend)                                                                       \
	X (stalled_backend)                                                                        \
	X (l1d_misses)                                                                             \
	X (dtlb_misses)                                                                            \
	X (itlb_misses)                                                                            \
	X (task_clock)                                                                             \
	X (migrations)                                                                             \
	X (perf_context_switches)                                                                  \
	X (perf_page_faults)                                                                       \
	X (perf_minor_faults)                                                                      \
	X (perf_major_faults)                                                                      \
	X (value)                                                                                  \
	X (count)                                                                                  \
	X (dim)                                                                                    \
	X (constant)                                                                               \
	X (papi)

/*
 * The library's own operators, as ENUM_NAME and as written; others are functions of the program's.
 */
#define PP_ABI_OPERATORS(X)                                                                        \
	X (DIFFERENCE, "difference")                                                               \
	X (RATIO, "ratio")                                                                         \
	X (MAX, "max")                                                                             \
	X (LAST, "last")

/*
 * Statistics of metrics: PP_STAT_COUNT ... of pp_metric.h, and what stands behind the dot in
 * expressions. The plugin knows the names, the library what they are of which accumulator
 * (base/types.h), docs/statistics.md all of it.
 */
#define PP_ABI_STATISTICS(X)                                                                       \
	X (COUNT, "count") /* samples; over the window for a bounded_series */                     \
	X (SUM, "sum")     /* of the samples; over the window for a bounded_series */              \
	X (AVG, "avg")     /* sum / count */                                                       \
	X (MIN, "min")                                                                             \
	X (MAX, "max")                                                                             \
	X (VARIANCE, "variance") /* of the population: sum (x - avg)² / count */                  \
	X (STDDEV, "stddev")     /* its root */                                                    \
	X (LAST, "last")         /* the sample with the newest end */                              \
	X (TOTAL, "total")       /* the sum since start or reset, also for a bounded_series */     \
	X (N, "n")               /* the samples since start or reset, also for a bounded_series */ \
	X (ESTIMATED_COUNT, "estimated_count") /* executions: n × every */                        \
	X (P50, "p50") /* quantiles: the least sample that half of them, 90 % ... do not exceed */ \
	X (P90, "p90")                                                                             \
	X (P95, "p95")                                                                             \
	X (P99, "p99")                                                                             \
	X (P999, "p999") /* 99.9 % */                                                              \
	X (LOST, "lost") /* samples that the accumulator had no room for */                        \
	X (RATE, "rate") /* executions per second since start or reset */

/* The accumulators, in the order of their numbers: id, name in the language. */
#define PP_ABI_ACCUMULATORS(X)                                                                     \
	X (SCALAR, "scalar")                                                                       \
	X (COUNT, "count")                                                                         \
	X (SUMCOUNT, "sumcount")                                                                   \
	X (BOUNDED_SERIES, "bounded_series")                                                       \
	X (STATS, "stats")                                                                         \
	X (HISTOGRAM, "histogram")                                                                 \
	X (UNBOUNDED_SERIES, "unbounded_series")

/*
 * Options that say how many samples an accumulator keeps: word, whose it is, the largest number,
 * what it means.
 */
#define PP_ABI_SIZES(X)                                                                            \
	X (size, "bounded_series", 1048576,                                                        \
	   "samples in the window of a bounded_series; 100 when not said")                         \
	X (maxSize, "unbounded_series", 1073741824,                                                \
	   "samples of each thread and site that an unbounded_series keeps; 1048576 when not "     \
	   "said")

/*
 * The lists of rules, and the keys that a rule of each may have: F functions, L loops, C calls, X
 * exclusions.
 */
#define PP_ABI_RULE_LISTS(X)                                                                       \
	X (functions, 'F')                                                                         \
	X (loops, 'L')                                                                             \
	X (calls, 'C')                                                                             \
	X (exclude, 'X')
#define PP_ABI_RULE_KEYS(X)                                                                        \
	X (function, "FLCX", TEXT)                                                                 \
	X (regex, "FLCX", REGEX)                                                                   \
	X (file, "FLCX", TEXT)                                                                     \
	X (scope, "FLCX", TEXT)                                                                    \
	X (attribute, "FLCX", TEXT)                                                                \
	X (callee, "C", TEXT)                                                                      \
	X (indirect, "C", TRUTH)                                                                   \
	X (virtual, "C", TRUTH)                                                                    \
	X (depth, "L", COUNT)                                                                      \
	X (min_size, "FL", SIZE)                                                                   \
	X (inlinable, "F", TRUTH)                                                                  \
	X (as, "F", KIND)                                                                          \
	X (site, "FL", SITE)                                                                       \
	X (feature, "FC", SITE)                                                                    \
	X (groups, "FLC", NAMES)                                                                   \
	X (metrics, "FL", NAMES)

/* The keys that a feature may have in the map `features` of an instrument file. */
#define PP_ABI_FEATURE_KEYS(X)                                                                     \
	X (default, STATE)                                                                         \
	X (functions, GLOBS)                                                                       \
	X (antimark, GLOBS)                                                                        \
	X (indirect, TRUTH)                                                                        \
	X (virtual, TRUTH)                                                                         \
	X (payload, PAYLOAD)                                                                       \
	X (where, GLOBS)                                                                           \
	X (report, TEXT)

#endif
