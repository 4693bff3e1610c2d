/* SPDX-License-Identifier: MIT */
/*
 * layout.h: the one format of the live region and of the recording file.
 *
 * A region is a header and then chunks, one after the other, each 64-byte aligned and self-sized,
 * up to header.used. A chunk's type is stored last (release): a reader skips type 0 (not finished)
 * and types it does not know, so that new kinds of chunk can be added. Chunks name each other by
 * ids, never by address. Numbers are little-endian 64-bit words of the writing machine.
 *
 * Who writes: a shard only the thread that owns it, under its sequence count; everything else the
 * holder of the runtime's lock. Readers (this process, another process, a file) never make a writer
 * wait.
 *
 * Whoever runs as the same user may write anything here. So the process that measures takes figures
 * from its region, but nothing that says where to go on: that is in its twin (twin.h).
 */
#ifndef PPI_RECORDING_LAYOUT_H
#define PPI_RECORDING_LAYOUT_H

#include "base/chunk.h"
#include "base/contrast.h"
#include "base/process.h"
#include "base/profile.h"

#include <pp.h>
#include <pp_abi.h>
#include <stdint.h>

#define PPI_RECORDING_MAGIC "ppgcc\r\n\032"
#define PPI_RECORDING_VERSION 6
#define PPI_RECORD_PATH 512 /* of a recording, with the 0 */
#define PPI_DROPS 16        /* room; PP_DROPS of them are used */

enum ppi_recording_state {
	PPI_RECORDING_LIVE = 1,
	PPI_RECORDING_FINISHED = 2, /* by its process */
	PPI_RECORDING_LEFT = 3,     /* by a process that died: every finished sample is there */
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
	 * Where its process copies it to, or "": for who completes what a dead process left, and
	 * has to see for himself that a recording of this very run is there (finish.c). The process
	 * itself never reads it.
	 */
	char record_path[PPI_RECORD_PATH];
	uint64_t record_device, record_inode; /* the directory that this was in; 0: not known */
	/* of files, 0 in memory: of all other bytes (check.h), and how many of them may be holes */
	uint64_t sum;
	uint64_t zeros;
	uint64_t resolution_ticks; /* a time below that can't be told from none; 0: not known */
	/* so many markers were bound in one go that they have no code of their own; atomic */
	uint32_t at_once;
	/* of files: parts of what a dead process left that were overwritten (salvage.h) */
	uint32_t damaged;
	/*
	 * of no meaning in files: where in the region's file the mailbox is (mailbox.h); 0: there
	 * is none
	 */
	uint64_t mailbox;
	/* in files: from one copy of the values to the next, as was asked for; 0: not known */
	uint64_t interval_ns;
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
		/* struct pp_self_cost, where it has been measured; SAMPLED_S 0: it has not */
		skipped_s;
	char name[]; /* module!file:function/site */
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
	struct ppi_chunk chunk; /* id: the metric's number, from 1 */
	uint32_t epoch;         /* raised by a reset; atomic */
	/* enum pp_abi_site_kind; 0: a composite metric, whose source is its expression */
	uint8_t kind;
	uint8_t accumulator;  /* enum ppi_accumulator */
	uint8_t sample_type;  /* enum pp_abi_sample_type */
	uint8_t unit;         /* enum ppi_unit */
	double scale;         /* raw sample × scale = the metric's unit */
	uint64_t size;        /* of a bounded_series */
	uint32_t source;      /* offsets of text from the start of this chunk */
	uint32_t unavailable; /* why it can't be measured here, or 0 */
	/* where SOURCE is a fallback: "the metric's own: why not that", or 0 */
	uint32_t instead;
	/* how much of the time it was counted, where counters take turns; 0: always; atomic */
	uint32_t share_permille;
	/* as it was declared, where SOURCE is words for people */
	/* text: its source, or 0: functions of the program's, which nothing else can declare */
	uint32_t asked;
	uint32_t combine;  /* text: operator, or 0 */
	uint32_t fallback; /* text: sources with commas between, or 0 */
	uint8_t scope;     /* enum ppi_scope */
	uint8_t corrected; /* without what its own markers take */
	uint8_t optional;  /* nobody need be told where this machine lacks it */
	uint8_t jumped;    /* also of executions whose end was jumped over */
	uint8_t reserved[4];
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

/*
 * What the markers cost while there is a budget, by its looks (overhead.c), and what was done about
 * it. Atomics, written by the engine.
 */
#define PPI_OVERHEAD_THREADS 16u
struct ppi_overhead_chunk {
	struct ppi_chunk chunk; /* id: 1 */
	double budget;          /* a share of a thread's time; NaN: there is none any more */
	double share,
		/*
		 * what the thread that pays most paid: at the newest look, and at the one at which
		 * that was most; NaN: not known
		 */
		most;
	uint64_t looks;
	uint64_t raised, taken, eased, restored; /* as in struct pp_overhead */
	/* at the newest look; the first of them, those that paid most, are here */
	uint32_t threads, reserved;
	struct {
		double share;
		uint32_t thread; /* kernel id */
		uint32_t reserved;
	} thread[PPI_OVERHEAD_THREADS];
};

/*
 * An assertion: counts are atomics, written by the engine. Where chunk.reserved is not 0, shards
 * with that id count further checks that passed (all.n, modulo 2^64), each thread for itself.
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
	uint8_t crowded;            /* the newest unknown was: a group had no room; atomic */
	uint8_t reserved[5];
	char name[];
};

/*
 * What is captured, at violations and at checks that hold: a metric, whose values are in its unit,
 * or a figure of a group, m{key="value"}.p99.
 */
struct ppi_capture_entry {
	uint32_t metric;       /* id; 0: a figure */
	uint16_t text;         /* of a figure: as it was written, offset from the first entry */
	int8_t seconds, bytes; /* of a figure: dimension of its values, powers of them */
	struct ppi_contrast contrast;
};

/*
 * sweep: of an assertion, one thread's part: what its captured metrics were at checks that violated
 * each threshold, and at those that didn't. Only that thread writes; each word is whole, figures
 * that belong together may differ by the check that is just under way. CONTRAST: CAPTURES for each
 * threshold.
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
 * Executions that violated an assertion at its site while a sampler looked: they tell which samples
 * are of those (profiler/analysis/where.h). A ring, entry number I at I % ROOM, for 0 ≤ I < N; who
 * writes holds the assertion's flag, and stores each word by itself, so the one that is just being
 * replaced may be of two executions.
 */
#define PPI_VIOLATING_ROOM 2048u

struct ppi_execution {
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	uint32_t thread;           /* kernel id */
	uint32_t site;             /* id */
};

struct ppi_violating_chunk {
	struct ppi_chunk chunk; /* id: the assertion's */
	uint64_t n;             /* stored after the entry */
	uint32_t room, reserved;
	struct ppi_execution execution[];
};

/*
 * What the program computed of a metric, whose id it has: its own value where it is a composite one
 * (NAME is ""), a statistic of the program's own, or one of the library's over a window of time.
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
#define PPI_HISTORY(X)                                                                                           \
	X (FIRE, 1, "fire")                                                                                      \
	X (CLEAR, 2, "clear")                                                                                    \
	X (KNOB, 3, "knob") /* value[0] → value[1] */                                                          \
	X (BIND, 4, "bind")                                                                                      \
	X (UNBIND, 5, "unbind")                                                                                  \
	X (LOG, 6, "log")                                                                                        \
	X (POLICY, 7, "policy")      /* loaded, reloaded, unloaded */                                            \
	X (MARK, 8, "mark")          /* by an action */                                                          \
	X (ADAPT, 9, "adapt")        /* an adaptation decided, of the knob NAME */                               \
	X (INVESTIGATE, 10, "found") /* of the assertion NAME: where it is slow */                               \
	/* of overhead: share of the thread that pays most, budget, bindings sampled more seldom, and unbound */ \
	X (BUDGET, 11, "budget")                                                                                 \
	X (MESSAGE, 12, "said") /* a line for people that found nobody who listens */                            \
	/* of the event NAME, whose nesting was broken: the sentence has places, PATH+0xOFFSET, */               \
	/* values 0 and 1 their build ids, the first 6 bytes as a number; 0: not known */                        \
	X (NESTING, 13, "nesting")

enum ppi_history_kind {
#define X(id, number, name) PPI_HISTORY_##id = number,
	PPI_HISTORY (X)
#undef X
		PPI_HISTORY_KINDS /* beyond all of them */
};

/*
 * An entry of the history: something that happened. Ids number the entries from 1 in their order;
 * chunks lie in any. It is a ring (history.c): the oldest are replaced, and counted in
 * PP_DROP_HISTORY.
 */
struct ppi_history_chunk {
	struct ppi_chunk chunk;
	uint32_t kind;   /* enum ppi_history_kind */
	uint32_t thread; /* kernel id of who saw it */
	uint64_t ns;     /* CLOCK_MONOTONIC */
	double value[4]; /* by kind */
	char text[];     /* name of the assertion, knob ..., then NUL, then a sentence */
};

/* What streams carry: number in recordings, name. */
#define PPI_STREAMS(X)                                                                             \
	X (PROFILE, 1, "profile") /* samples of the profiler */                                    \
	X (EVENTS, 2, "events")   /* executions of sites, packed: recording/event.h */             \
	X (SERIES, 4, "series")   /* struct ppi_series_part */

enum ppi_stream_kind {
#define X(id, number, name) PPI_STREAM_##id = number,
	PPI_STREAMS (X)
#undef X
		PPI_STREAM_KINDS /* beyond all of them */
};

/*
 * stream: entries of one thread, in their order, until the library's thread has written them to the
 * recording (libmetrics/region/stream.h). What an entry is, its KIND says. One writer; an entry is
 * there once USED is beyond it.
 */
#define PPI_STREAM_BYTES (64u << 10) /* of such a chunk */

/* Entries of KIND begin at multiples of that. */
static inline uint32_t ppi_stream_grain (uint32_t kind)
{
	return kind == PPI_STREAM_EVENTS ? 1 : 8;
}

struct ppi_stream_chunk {
	/* id: how many of these were begun, from 1: the order of a thread's chunks */
	struct ppi_chunk chunk;
	uint32_t kind;   /* enum ppi_stream_kind */
	uint32_t thread; /* kernel id of who writes */
	/* bytes of whole entries in DATA, a multiple of ppi_stream_grain; atomic */
	uint32_t used;
	/* so many of them, the first, are in the recording's file; atomic */
	uint32_t taken;
	uint64_t first_ticks; /* of the oldest and newest entry; atomic; 0: there is none */
	uint64_t last_ticks;
	uint64_t reserved[2];
	uint64_t data[];
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
		double value; /* of the knob */
		/* of the objective, and half its 99 % confidence interval; NaN: not known */
		double mean, margin;
		uint64_t windows;
		uint32_t out; /* of this exploration */
		uint32_t reserved;
	} variant[];
};

#define PPI_ADAPT_ENDED 3

/*
 * What a thread had open last: for who comes after kill -9 (libmetrics/thread/mark.h), so only in
 * the region. Its newest mark is that of the two tops of all its chunks whose order is the largest
 * (a handler that interrupted a marker has a chunk of its own). WHAT is 0 where nothing is open.
 */
struct ppi_top {
	uint64_t order;
	uint64_t what; /* PPI_MARK_WHAT; stored last */
	uint64_t payload;
	uint64_t reserved;
};

struct ppi_top_chunk {
	struct ppi_chunk chunk; /* id: the thread's, of the kernel; 0: nobody's now */
	uint64_t reserved[6];
	struct ppi_top top[2]; /* of markers on the current stack; of calls */
};

/* What a mark is of: the site's id, its kind, and the type of its payload. */
#define PPI_MARK_WHAT(site, kind, payload)                                                         \
	((uint64_t) (site) | (uint64_t) (kind) << 32 | (uint64_t) (payload) << 40)
#define PPI_MARK_HAS_PAYLOAD (UINT64_C (0xff) << 40)
#define PPI_MARK_HAS_WORDS (UINT64_C (1) << 48)
#define PPI_MARK_SITE(what) ((uint32_t) (what))
#define PPI_MARK_KIND(what) ((unsigned) ((what) >> 32 & 0xff)) /* enum pp_abi_site_kind */
#define PPI_MARK_PAYLOAD(what)                                                                     \
	((unsigned) ((what) >> 40 & 0xff)) /* enum pp_abi_value; PP_ABI_VALUE_NONE: it has none */

/*
 * A payload of several values is a text that begins with the separator; see
 * libmetrics/thread/rich.h. Types are letters (base/dims.h).
 */
#define PPI_RICH_SEPARATOR '\x1f'

/*
 * Texts that entries of streams name by number: strings of dimensions, and what entries are of
 * (recording/event.h). The chunk with id K has those numbered from (K - 1) * PPI_TEXTS_OF_CHUNK + 1
 * on. Any thread adds to it, at markers: the bytes first, then the word that says where they are.
 */
#define PPI_TEXTS_OF_CHUNK 1024u
#define PPI_TEXTS_CHUNKS 2048u
#define PPI_TEXTS_BYTES (48u << 10) /* of such a chunk */
#define PPI_TEXT_MOST 1023u         /* bytes of a text; longer ones are cut off there */
#define PPI_TEXT_OTHER 1u           /* the number of all that there was no room for */

struct ppi_texts_chunk {
	struct ppi_chunk chunk;
	/*
	 * of each text: offset from the start of the chunk, and above that its length, without the
	 * 0 that ends it; 0: there is none. Atomic.
	 */
	uint64_t place[PPI_TEXTS_OF_CHUNK];
	char bytes[];
};

/*
 * An entry of PPI_STREAM_SERIES: samples of an unbounded series that it has no memory for any more.
 * They follow each other from number FIRST (from 0) on of the shard's since its start, or since the
 * reset that began EPOCH.
 */
struct ppi_series_part {
	uint32_t binding;
	uint32_t epoch; /* as of a shard */
	uint64_t shard; /* its place */
	uint32_t thread, reserved;
	uint64_t first;
	uint64_t n;
	uint64_t sample[]; /* integers, or bits of doubles */
};

/*
 * An aggregate: executions in groups, by the values of dimensions. id: its number, from 1. TEXT has
 * the DIMS keys, then the patterns of its sites with commas between, each ended by a 0.
 */
#define PPI_GROUP_DIMS 4u

struct ppi_aggregate_chunk {
	struct ppi_chunk chunk;
	uint32_t accumulator; /* enum ppi_accumulator: STATS or HISTOGRAM */
	uint32_t dims, max_groups;
	uint32_t reserved;
	char text[];
};

/*
 * What one thread measured of a group, written by it alone, each word by itself: figures that
 * belong together may differ by the execution that just ends. id: the aggregate's, with
 * PPI_GROUP_ID.
 *
 * Where SITE is not 0 it is of that site's executions in one group, and what the accumulator keeps
 * of their times in ticks follows: a struct ppi_shard. Where it is 0 it is of all executions with
 * the first DIMS values: what ran inside them, each once, and was not itself of the last value.
 */
#define PPI_GROUP_ID UINT32_C (0x40000000)
#define PPI_GROUP_REST 5u /* type of the first value of what has no group: no enum pp_abi_value */

struct ppi_group_chunk {
	struct ppi_chunk chunk;
	uint32_t thread; /* kernel id of who was the first here */
	uint32_t site;   /* id */
	uint32_t dims;
	uint32_t unclear; /* of a total: it is not known; atomic */
	uint8_t type[8];  /* enum pp_abi_value, or PPI_GROUP_REST; of PPI_GROUP_DIMS */
	uint64_t value[PPI_GROUP_DIMS]; /* of a string the text's number */
	uint64_t self_ticks;            /* their own, without executions of the aggregate in them */
	uint64_t desc_ticks;            /* of a total */
	uint64_t reserved[5];
};

PP_ABI_ASSERT (sizeof (struct ppi_group_chunk) % PPI_CHUNK_ALIGN == 0);

#endif
