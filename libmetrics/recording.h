/* SPDX-License-Identifier: MIT */
/*
 * recording.h: the one format of the live region and of the recording file.
 *
 * A region is a header and then chunks, one after the other, each 64-byte aligned and self-sized, up to header.used.
 * A chunk's type is stored last (release): a reader skips type 0 (not finished) and types it does not know, so that
 * new kinds of chunk can be added. Chunks name each other by ids, never by address. Numbers are little-endian 64-bit
 * words of the writing machine.
 *
 * Who writes: a shard only the thread that owns it, under its sequence count; everything else the holder of the
 * runtime's lock. Readers (this process, another process, a file) never make a writer wait.
 *
 * Whoever runs as the same user may write anything here. So the process that measures takes figures from its region, but nothing that
 * says where to go on: that is in its twin (twin.h).
 */
#ifndef PPI_RECORDING_H
#define PPI_RECORDING_H

#include "contrast.h"

#include <pp.h>
#include <stdint.h>

#define PPI_RECORDING_MAGIC "ppgcc\r\n\032"
#define PPI_RECORDING_VERSION 5
#define PPI_CHUNK_ALIGN 64
/*
 * What threads write at markers lies apart from what others do, and from the program's data, by this: two cache lines, since processors fetch
 * them in pairs (tests/unit/test_lines.c). So the runtime gives chunks out by this.
 */
#define PPI_APART 128
#define PPI_RECORD_PATH 512 /* of a recording, with the 0 */
#define PPI_DROPS 16        /* room; PP_DROPS of them are used */

enum ppi_recording_state {
	PPI_RECORDING_LIVE = 1,
	PPI_RECORDING_FINISHED = 2, /* by its process */
	PPI_RECORDING_LEFT = 3,     /* by a process that died: every finished sample is there */
};

/*
 * Which process it is, with its number: numbers are given again, and the wall clock is set, but a start in ticks of the
 * boot's clock stays. 0: not known, for there was no /proc (process.h).
 */
struct ppi_identity {
	uint64_t start;          /* clock ticks since the boot, /proc/PID/stat */
	uint64_t pid_namespace;  /* that the number is of: an inode */
	uint64_t time_namespace; /* that START is of: an inode */
	uint8_t boot[16];        /* the kernel's boot_id */
};

struct ppi_region_header {
	char magic[8];
	uint32_t version;
	uint32_t header_bytes; /* where the first chunk begins */
	uint64_t used;         /* bytes given out, header included; atomic */
	uint64_t limit;        /* bytes that are backed by memory; atomic */
	uint32_t pid;
	uint32_t state;             /* enum ppi_recording_state */
	uint64_t start_realtime_ns; /* when the region was made, CLOCK_REALTIME */
	uint64_t start_ticks;       /* the same moment in ticks */
	uint64_t start_ns;          /* the same moment, CLOCK_MONOTONIC */
	uint64_t now_ticks;         /* of the newest copy to a file */
	uint64_t now_ns;
	double seconds_per_tick;
	uint64_t drops[PPI_DROPS]; /* atomic */
	char program[256];
	struct ppi_identity who;
	/*
	 * Where its process copies it to, or "": for who completes what a dead process left, and has to see for himself
	 * that a recording of this very run is there (recording_finish.c). The process itself never reads it.
	 */
	char record_path[PPI_RECORD_PATH];
	uint64_t record_device, record_inode; /* the directory that this was in; 0: not known */
	/* of files, 0 in memory: of all other bytes (recording_check.h), and how many of them may be holes */
	uint64_t sum;
	uint64_t zeros;
	uint64_t resolution_ticks; /* a time below that can't be told from none; 0: not known */
	uint32_t at_once; /* so many markers were bound in one go that they have no code of their own; atomic */
	uint32_t reserved;
	/* from here on of no meaning in files: another process may want the policies loaded again (ppctl reload) */
	uint32_t asked;    /* how often that was asked for; others write it; atomic */
	uint32_t answered; /* up to which of those it was done; atomic */
	int32_t answer;    /* what came of the newest: pp_policy_reload's result; stored before ANSWERED */
	uint32_t unused;
};

/*
 * Record types: number in recordings, name, bytes of the fixed part, whether a text follows it, whether it changes while somebody may read it
 * without a sequence count, and what else makes it whole (recording_check.c; NULL: nothing).
 */
#define PPI_CHUNKS(X)                                                                                                  \
	X (SITE, 2, "site", offsetof (struct ppi_site_chunk, name), true, true, site_is_whole)                         \
	X (METRIC, 3, "metric", offsetof (struct ppi_metric_chunk, name), true, true, metric_is_whole)                 \
	X (BINDING, 4, "binding", sizeof (struct ppi_binding_chunk), false, true, binding_is_whole)                    \
	X (SHARD, 7, "shard", sizeof (struct ppi_shard), false, false, NULL)                                           \
	X (ASSERTION, 9, "assertion", offsetof (struct ppi_assertion_chunk, name), true, true, assertion_is_whole)     \
	X (HISTORY, 10, "history", offsetof (struct ppi_history_chunk, text), true, true, history_is_whole)            \
	X (KNOB, 11, "knob", offsetof (struct ppi_knob_chunk, name), true, true, knob_is_whole)                        \
	/* of a histogram */                                                                                           \
	X (BUCKETS, 12, "buckets", sizeof (struct ppi_buckets_chunk), false, false, NULL)                              \
	/* of an unbounded series */                                                                                   \
	X (SAMPLES, 13, "samples", sizeof (struct ppi_samples_chunk), false, false, NULL)                              \
	X (SWEEP, 16, "sweep", sizeof (struct ppi_sweep_chunk), false, true, sweep_is_whole)                           \
	X (ADAPT, 17, "adapt", sizeof (struct ppi_adapt_chunk), false, true, adapt_is_whole)                           \
	X (FIGURE, 18, "figure", offsetof (struct ppi_figure_chunk, name), true, true, NULL)                           \
	X (OVERHEAD, 19, "overhead", sizeof (struct ppi_overhead_chunk), false, true, NULL)

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

struct ppi_site_chunk {
	struct ppi_chunk chunk; /* id: the site's number, from 1 */
	uint32_t kind;          /* enum pp_abi_site_kind */
	uint32_t line;
	uint32_t markers;
	/* as of the newest report or copy */
	uint32_t in_blocks; /* markers that lead to code that was made for them */
	uint32_t way;       /* enum ppi_site_way */
	uint32_t reserved;
	double inside_s, sampled_s,
		skipped_s; /* struct pp_self_cost, where it has been measured; SAMPLED_S 0: it has not */
	char name[];       /* module!file:function/site */
};

/* How the markers of a site go about what is bound there. */
enum ppi_site_way {
	PPI_WAY_NONE,    /* nothing is */
	PPI_WAY_PLAIN,   /* a routine, or code, for just this */
	PPI_WAY_LIGHT,   /* ... whose usual execution opens no frame */
	PPI_WAY_QUICK,   /* ... with checks that markers see to pass by themselves */
	PPI_WAY_GENERAL, /* one routine for all that can be bound */
};

struct ppi_metric_chunk {
	struct ppi_chunk chunk;  /* id: the metric's number, from 1 */
	uint32_t epoch;          /* raised by a reset; atomic */
	uint8_t kind;            /* enum pp_abi_site_kind; 0: a composite metric, whose source is its expression */
	uint8_t accumulator;     /* enum ppi_accumulator */
	uint8_t sample_type;     /* enum pp_abi_sample_type */
	uint8_t unit;            /* enum ppi_unit */
	double scale;            /* raw sample × scale = the metric's unit */
	uint64_t size;           /* of a bounded_series */
	uint32_t source;         /* offsets of text from the start of this chunk */
	uint32_t unavailable;    /* why it can't be measured here, or 0 */
	uint32_t instead;        /* where SOURCE is a fallback: "the metric's own: why not that", or 0 */
	uint32_t share_permille; /* how much of the time it was counted, where counters take turns; 0: always; atomic */
	/* as it was declared, where SOURCE is words for people */
	uint32_t asked;    /* text: its source, or 0: functions of the program's, which nothing else can declare */
	uint32_t combine;  /* text: operator, or 0 */
	uint32_t fallback; /* text: sources with commas between, or 0 */
	uint8_t scope;     /* enum ppi_scope */
	uint8_t corrected; /* without what its own markers take */
	uint8_t optional;  /* nobody need be told where this machine lacks it */
	uint8_t reserved[5];
	uint32_t every;     /* what its bindings have that don't say another */
	uint64_t window_ns; /* that its statistics are over; 0: since the start */
	char name[];        /* then the other texts */
};

struct ppi_binding_chunk {
	struct ppi_chunk chunk; /* id: the binding's number, from 1 */
	uint32_t metric;        /* ids */
	uint32_t site;          /* 0: pp_sample */
	uint32_t every;         /* at least 1 */
	uint32_t bound;         /* now, or only formerly */
	/* what a budget makes of it; atomic */
	uint32_t asked;    /* EVERY without that; 0: nobody asks, or an older writer */
	uint32_t kept_off; /* asked for, and kept from all samples */
};

/* What the markers cost while there is a budget, by its looks (overhead.c), and what was done about it. Atomics, written by the engine. */
#define PPI_OVERHEAD_THREADS 16u
struct ppi_overhead_chunk {
	struct ppi_chunk chunk; /* id: 1 */
	double budget;          /* a share of a thread's time; NaN: there is none any more */
	double share,
		most; /* what the thread that pays most paid: at the newest look, and at the one at which that was most; NaN: not known */
	uint64_t looks;
	uint64_t raised, taken, eased, restored; /* as in struct pp_overhead */
	uint32_t threads, reserved; /* at the newest look; the first of them, those that paid most, are here */
	struct {
		double share;
		uint32_t thread; /* kernel id */
		uint32_t reserved;
	} thread[PPI_OVERHEAD_THREADS];
};

/*
 * One thread's part of one binding. Everything from SEQ on is written by its owner only: seq odd, the fields, seq
 * even. Integer samples: sum and squares are 128-bit two's complement, exact. Double samples: sum[0] the bits of the
 * running mean, sum[1] of the sum, squares[0] of Welford's M2. A killed writer leaves seq odd: then n tells the
 * finished samples.
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
	/* Executions beyond n × every, of samples that were taken while that was another; the lock's holder writes it. */
	double more;
	uint32_t more_epoch; /* that MORE is of; of another one it is 0 */
	uint32_t
		charged; /* samples that overhead.c has seen, modulo 2^32; the lock's holder writes it. Nothing for readers */
	uint32_t waiting; /* of a histogram of integers: LAST is in no counter yet (histogram.h) */
	uint32_t reserved;
};

/*
 * A bounded_series: the window's own moments, and those of the samples since the ring's last wrap, which replace
 * them there, so that the error of subtracting double samples can't grow.
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
 * A histogram; histogram.h says which samples are in which bucket. Its counters lie in chunks of their own, made when
 * the first sample falls into them: GROUP has their places, in bytes from the start of the shard, 0 where there is none.
 * Of integers a group is 64 counters; of doubles it is 64 places of such groups. Squares of `all` are not kept.
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

/* An unbounded series: its samples lie in chunks that follow each other (unbounded.h). Places as in a histogram. */
struct ppi_unbounded_shard {
	struct ppi_shard shard;
	uint64_t lost;     /* samples that the series has no room for; they are in `all` */
	uint64_t max_size; /* samples that it keeps */
	uint64_t kept;
	int64_t first; /* place of the samples of the first chunk */
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

/*
 * An assertion: counts are atomics, written by the engine. Where chunk.reserved is not 0, shards with that id count further checks that
 * passed (all.n, modulo 2^64), each thread for itself.
 */
struct ppi_assertion_chunk {
	struct ppi_chunk chunk;
	uint32_t state; /* enum pp_state */
	uint32_t captures;
	uint64_t checks, passes, violations, unknowns, fired, cleared;
	double left, right;
	uint64_t first_ns, last_ns; /* of violations, CLOCK_MONOTONIC */
	uint32_t expression;        /* text offsets from the start of the chunk */
	uint32_t site;              /* id, or 0: timed */
	uint32_t capture;           /* offset of struct ppi_capture_entry[captures] */
	uint32_t severity;          /* enum pp_severity */
	uint64_t since_ns;          /* of the state, CLOCK_MONOTONIC; 0: since it was loaded */
	uint64_t fired_ns;          /* when it fired last, or 0 */
	uint32_t per_thread;        /* a state for each thread: STATE is the worst of them */
	uint32_t firing;            /* threads that fire now, where PER_THREAD */
	uint64_t cleared_ns;        /* when it cleared last, or 0 */
	uint64_t suppressed;        /* lines that were not logged, for there were too many */
	int8_t seconds, bytes;      /* dimension of LEFT and RIGHT: powers of them; atomic */
	uint8_t reserved[6];
	char name[];
};

/* A captured metric at violations and at checks that hold; its values are in the metric's unit. */
struct ppi_capture_entry {
	uint32_t metric; /* id */
	uint32_t reserved;
	struct ppi_contrast contrast;
};

/*
 * sweep: of an assertion, one thread's part: what its captured metrics were at checks that violated each threshold, and at
 * those that didn't. Only that thread writes; each word is whole, figures that belong together may differ by the check that
 * is just under way. CONTRAST: CAPTURES for each threshold.
 */
#define PPI_SWEEP_MAX 8

struct ppi_sweep_chunk {
	struct ppi_chunk chunk; /* id: the assertion's */
	uint32_t thread;        /* kernel id */
	uint32_t thresholds, captures;
	uint32_t reserved;
	uint64_t checks; /* with a known result and a base above 0 */
	double threshold[PPI_SWEEP_MAX];
	uint64_t violations[PPI_SWEEP_MAX];
	struct ppi_contrast contrast[];
};

/*
 * What the program computed of a metric, whose id it has: its own value where it is a composite one (NAME is ""), a statistic of the program's own, or
 * one of the library's over a window of time.
 */
struct ppi_figure_chunk {
	struct ppi_chunk chunk;
	double value;          /* in seconds^a × bytes^b; atomic */
	uint64_t window_ns;    /* 0: since the start */
	uint32_t site;         /* id; 0: of all sites */
	int8_t seconds, bytes; /* a and b */
	char name[];
};

/* Kinds of entries of the history: number in recordings, name in reports. */
#define PPI_HISTORY(X)                                                                                                 \
	X (FIRE, 1, "fire")                                                                                            \
	X (CLEAR, 2, "clear")                                                                                          \
	X (KNOB, 3, "knob") /* value[0] → value[1] */                                                                \
	X (BIND, 4, "bind")                                                                                            \
	X (UNBIND, 5, "unbind")                                                                                        \
	X (LOG, 6, "log")                                                                                              \
	X (POLICY, 7, "policy")      /* loaded, reloaded, unloaded */                                                  \
	X (MARK, 8, "mark")          /* by an action */                                                                \
	X (ADAPT, 9, "adapt")        /* an adaptation decided, of the knob NAME */                                     \
	X (INVESTIGATE, 10, "found") /* of the assertion NAME: where it is slow */                                     \
	/* of overhead: share of the thread that pays most, budget, bindings sampled more seldom, and unbound */       \
	X (BUDGET, 11, "budget")                                                                                       \
	X (MESSAGE, 12, "said") /* a line for people that found nobody who listens */

enum ppi_history_kind {
#define X(id, number, name) PPI_HISTORY_##id = number,
	PPI_HISTORY (X)
#undef X
		PPI_HISTORY_KINDS /* beyond all of them */
};

/*
 * An entry of the history: something that happened. Ids number the entries from 1 in their order; chunks lie in any. It is a ring (history.c):
 * the oldest are replaced, and counted in PP_DROP_HISTORY.
 */
struct ppi_history_chunk {
	struct ppi_chunk chunk;
	uint32_t kind;   /* enum ppi_history_kind */
	uint32_t thread; /* kernel id of who saw it */
	uint64_t ns;     /* CLOCK_MONOTONIC */
	double value[4]; /* by kind */
	char text[];     /* name of the assertion, knob ..., then NUL, then a sentence */
};

struct ppi_knob_chunk {
	struct ppi_chunk chunk;
	uint32_t is_double;
	uint32_t turned; /* how often */
	double value, initial, min, max;
	uint32_t words; /* offset of "box, linear, cubic", or 0 */
	uint32_t reserved;
	char name[];
};

/* An adaptation: a knob whose values are tried. Written by the holder of the lock. */
struct ppi_adapt_chunk {
	struct ppi_chunk chunk;
	uint32_t state;    /* enum pp_adapt_state, or PPI_ADAPT_ENDED */
	uint32_t variants; /* of VARIANT */
	uint32_t best, current;
	uint32_t maximise;
	uint32_t knob, objective; /* offsets of text from the start of the chunk */
	int8_t seconds, bytes;    /* dimension of the objective: powers of them */
	uint8_t unused[2];
	uint64_t windows, settled, degraded, better, empty, disturbed;
	uint64_t since_ns; /* of the state, CLOCK_MONOTONIC; 0: from the start */
	double newest;     /* objective of the last window */
	struct ppi_adapt_entry {
		double value;        /* of the knob */
		double mean, margin; /* of the objective, and half its 99 % confidence interval; NaN: not known */
		uint64_t windows;
		uint32_t out; /* of this exploration */
		uint32_t reserved;
	} variant[];
};

#define PPI_ADAPT_ENDED 3

#endif
