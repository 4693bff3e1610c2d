/* SPDX-License-Identifier: MIT */
/*
 * layout_profile.h: how profiles lie in the live region and in recordings, beside what layout.h
 * has: by sampling, and of features, which are measured.
 */
#ifndef PPI_RECORDING_LAYOUT_PROFILE_H
#define PPI_RECORDING_LAYOUT_PROFILE_H

#include "recording/layout.h"

/*
 * A profile by sampling (profiler/sampler), of a process:
 *
 *   samples of a thread ──► stack: number of its last frame ──► the frame's caller ──► … ──► 0
 *                                          └──► address in an object
 *
 * Frames are numbered from 1 through all chunks of stacks; a frame is a call from a place in its
 * caller, so equal stacks are one number. Nothing here is an address of the process: it is where
 * the object's file has it.
 */

/*
 * Why something is missing in a profile: PPI_SAMPLE_CUT ..., its name, and what reports say behind
 * how many there were, of one and of several.
 */
#define PPI_SAMPLE_LOSS_CAUSES(X)                                                                  \
	X (CUT, "cut", "sample whose stack was cut off: its outer callers are missing",            \
	   "samples whose stack was cut off: their outer callers are missing")                     \
	X (UNKNOWN, "unknown",                                                                     \
	   "sample with an address in no object that was loaded (made at run time, or unloaded)",  \
	   "samples with an address in no object that was loaded (made at run time, or unloaded)") \
	X (UNWOUND, "unwound", "sample whose stack ends where nothing tells who the caller is",    \
	   "samples whose stack ends where nothing tells who the caller is")                       \
	X (FULL, "full", "sample was lost: the library's thread was too late to fetch it",         \
	   "samples were lost: the library's thread was too late to fetch them")                   \
	X (MEMORY, "memory", "sample was lost for want of room in the live region",                \
	   "samples were lost for want of room in the live region")                                \
	X (BLOCKED, "blocked",                                                                     \
	   "expiry of a timer whose signal was kept waiting: nothing tells what ran then",         \
	   "expiries of timers whose signal was kept waiting: nothing tells what ran then")        \
	X (TIMER, "timer", "thread was not sampled: the kernel gave no timer",                     \
	   "threads were not sampled: the kernel gave no timer")                                   \
	X (TORN, "torn",                                                                           \
	   "look saw a thread's open intervals change, time and again, and took nothing",          \
	   "looks saw a thread's open intervals change, time and again, and took nothing")         \
	X (OTHERS, "others",                                                                       \
	   "mark in samples whose payload is one of \"(others)\": 65,536 are told apart",          \
	   "marks in samples whose payload is one of \"(others)\": 65,536 are told apart")

enum ppi_sample_loss {
#define X(id, name, one, several) PPI_SAMPLE_##id,
	PPI_SAMPLE_LOSS_CAUSES (X)
#undef X
		PPI_SAMPLE_LOSSES
};

#define PPI_SAMPLE_LOSSES_ROOM 15

/*
 * id: enum ppi_sampler, of which each has one profile at most: what begins again goes on. Written
 * by the library's thread, or by the watcher; words are atomic.
 */
struct ppi_profile_chunk {
	struct ppi_chunk chunk;
	uint16_t is_cpu;   /* of samples: the axis is the thread's CPU time, else CLOCK_MONOTONIC */
	uint8_t sees_open; /* of the interrupter: its samples say what is open, too */
	uint8_t is_paused; /* nothing is sampled now */
	uint32_t signal;   /* 0: of the watcher, which sends none */
	uint64_t period_ns; /* that was asked for; the longest, where it changed */
	/* CLOCK_MONOTONIC; of a profile that goes on, STOP is as of the newest samples */
	uint64_t start_ns, stop_ns;
	/* CPU time of the process between them, without the library's threads, outside of pauses */
	uint64_t cpu_ns;
	uint64_t lost[PPI_SAMPLE_LOSSES_ROOM];
	uint64_t left_out_ns; /* between them, in pauses and from an end to a new begin */
	uint64_t own_ns;      /* CPU time of the thread that took the samples, or fetched them */
	/*
	 * where the sampler sees what is open: marks that began meanwhile in threads that were
	 * seen, those of them without code made for them, and what takes one of either kind; not
	 * above 0: that is not known
	 */
	uint64_t marks, by_c;
	double pair_s, by_c_s;
};

/* What was mapped when samples were taken. id: its number, from 1. */
struct ppi_profile_object_chunk {
	struct ppi_chunk chunk;
	uint64_t load; /* address in the process = LOAD + address in the file */
	uint32_t id_bytes;
	uint32_t reserved;
	uint8_t build_id[32];
	char name[]; /* its path; "[vdso]" */
};

/* Instead of an object: the frame is an open interval, and ADDRESS the id of its site. */
#define PPI_PROFILE_OF_SITE UINT32_MAX
/*
 * Likewise: not a frame of its own, but the payload of the mark that is its caller. TYPE is an enum
 * pp_abi_value up to STRING but NONE, ADDRESS the payload, of a text its number; of OTHERS nothing
 * is known.
 */
#define PPI_PROFILE_OF_PAYLOAD(type) (PPI_PROFILE_OF_SITE - (uint32_t) (type))
#define PPI_PROFILE_OF_OTHERS PPI_PROFILE_OF_PAYLOAD (5)
/* 0: OBJECT is something else */
static inline unsigned ppi_profile_payload_type (uint32_t object)
{
	return object >= PPI_PROFILE_OF_OTHERS ? PPI_PROFILE_OF_SITE - object : 0;
}

/* Likewise: the code that was made for a marker, and ADDRESS the id of its site. */
#define PPI_PROFILE_OF_BLOCK (PPI_PROFILE_OF_OTHERS - 1)

struct ppi_profile_frame {
	uint32_t caller;  /* number of a frame that came before; 0: none */
	uint32_t object;  /* number; 0: in none */
	uint64_t address; /* in the file; of a caller, the last byte of the call */
};

/* id: the number of the first frame here. */
struct ppi_profile_stacks_chunk {
	struct ppi_chunk chunk;
	uint32_t frames, room; /* FRAMES is stored after them */
	struct ppi_profile_frame frame[];
};

/*
 * Of ppi_profile_sample.flags. LATE: the signal was kept waiting, so the time before is nobody's.
 * PARTIAL: who called the outermost frame is not known. USER: none are taken while the thread is in
 * the kernel, so time before it that is more than its periods is system calls', and nobody's.
 */
#define PPI_SAMPLE_IS_LATE 1u
#define PPI_SAMPLE_IS_PARTIAL 2u
#define PPI_SAMPLE_IS_USER 4u
/* Of the interrupter's: OPEN is known. CUT: so many were open that the outermost are not in it. */
#define PPI_SAMPLE_HAS_OPEN 8u
#define PPI_SAMPLE_IS_OPEN_CUT 16u

struct ppi_profile_sample {
	uint64_t ns;    /* CLOCK_MONOTONIC */
	uint64_t at_ns; /* on the profile's axis */
	uint32_t frame; /* number; 0: nothing is known of its stack, or no interval is open */
	/*
	 * of the timer that it stands for, at least 1; of the watcher's: looks that saw the same,
	 * of which this is the last
	 */
	uint32_t periods;
	uint32_t flags;
	/* of the interrupter's: the number of the innermost interval's frame, or 0: none is open */
	uint32_t open;
};

/* id: the thread, the kernel's number; chunks of a thread follow each other. */
struct ppi_profile_samples_chunk {
	struct ppi_chunk chunk;
	uint32_t samples, room; /* SAMPLES is stored after them */
	char thread[16];        /* its name */
	uint32_t sampler;       /* enum ppi_sampler: of which profile */
	uint32_t reserved;
	struct ppi_profile_sample sample[];
};

#define PPI_EXACT_KNOWN 3

/*
 * A profile of features that are measured, not sampled. id: 1. Written by the library's thread;
 * words are atomic.
 */
struct ppi_exact_chunk {
	struct ppi_chunk chunk;
	uint64_t start_ticks, stop_ticks; /* while it goes on, STOP is as of the newest look */
	double pair_s;         /* all that a mark takes; NaN: not known, nor what follows */
	uint64_t paused_ticks; /* between two that are one */
	double empty_s;        /* all that a mark takes that holds nothing */
	/* where a mark has no code made for it: all that it takes, and what it measures too much */
	double by_c_s, by_c_inside_s;
	/*
	 * what marks measure that hold work whose length is known: none, some, of which PAIR_S is,
	 * and more
	 */
	struct {
		double measured_s, held_s;
	} known[PPI_EXACT_KNOWN];
	/* how long tails and heads were when those were found out: see below */
	double tail_s, by_c_tail_s, by_c_head_s;
	/* of threads with marks: how long they waited for a processor, and how often at most */
	uint64_t waited_ns, waits;
};

/* Where one feature's marks, or antimarks, of one site and payload have been. */
struct ppi_feature_entry {
	uint64_t what;    /* PPI_MARK_WHAT; 0: there is no such entry */
	uint64_t payload; /* of a text its number; of type OTHERS nothing is known */
	uint64_t n;       /* how often they ended */
	/* their own, without entries of the same feature in them */
	uint64_t ticks;
	/* pairs of markers whose whole cost is in that; entries of the same feature in them */
	uint64_t pairs, children;
	/* jumped over: their own time is nobody's, and here */
	uint64_t lost, lost_ticks;
	/*
	 * Where marks stand they may take longer than where that was found out: behind a system
	 * call little of their code and tables is at hand. So one end in PPI_FEATURE_LOOK_EVERY
	 * reads the clock once more when it is done. How many did, and what lay between: a tail.
	 */
	uint64_t tails, tail_ticks;
};

/* A prime number: a program that goes round in rounds of marks has all of them looked at. */
#define PPI_FEATURE_LOOK_EVERY 61u
/* In ticks; what is longer was no mark's doing, but of what came between, and is left out. */
#define PPI_FEATURE_LOOK_MOST 4096u

/* type of entries whose payload is not told apart any more: no enum pp_abi_value */
#define PPI_FEATURE_OTHERS 5u

/*
 * What one thread measured, written by it alone, each word by itself: figures that belong together
 * may differ by the mark that just ends. id: the thread, the kernel's number; after it has ended
 * another one may go on here.
 */
struct ppi_features_chunk {
	struct ppi_chunk chunk;
	/* of the thread: its first mark, and the end of its newest */
	uint64_t first_ticks, last_ticks;
	uint64_t before_ticks; /* the same of all threads that had this before it, summed up */
	uint64_t begun;        /* entries, in this chunk and those that have more of it */
	uint64_t by_c;         /* of those that ended: without code made for them */
	/* what begins of those do with their payload before they read the clock, likewise */
	uint64_t heads, head_ticks;
	uint32_t threads; /* 1 + those; 0: more entries of a thread that has another one of these */
	uint32_t room;
	struct ppi_feature_entry entry[];
};

#endif
