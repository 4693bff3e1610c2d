/* SPDX-License-Identifier: MIT */
/*
 * samples.h: what a sampler saw, with names: the input of the analyser. Functions and stacks are
 * interned, so that a sample is a time and a number.
 *
 *   sample of a thread ──► stack ──► functions, the outermost first
 *
 * It is filled from a recording (read.c) or by hand (tests). Nothing here needs the runtime.
 */
#ifndef PPI_ANALYSIS_SAMPLES_H
#define PPI_ANALYSIS_SAMPLES_H

#include "recording/layout_profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a node of the graph is about: a function, a line of one, an interval, or a mark. Texts are
 * "" where they are not known.
 */
struct ppi_function {
	char *name; /* as people write it, demangled; of marks the feature's, "library.feature" */
	char *file; /* of its source, or of the object that it is in */
	unsigned line; /* of its declaration, or the very line; 0: not known */
	unsigned kind; /* where marks are told apart: enum pp_abi_site_kind; else 0 */
	char *payload; /* of a mark, as text; NULL: it has none */
};

struct ppi_stack {
	size_t first, n; /* in ppi_samples.frame */
};

struct ppi_stack_sample {
	/* on the axis of its thread: CPU time or wall clock since the profile's start */
	double at_s;
	uint64_t ns; /* CLOCK_MONOTONIC; of one that stands for several, the last of them */
	uint32_t stack;
	uint32_t periods; /* of the timer, or looks, that it stands for; at least 1 */
	bool late;        /* the time before it is nobody's: the signal was kept waiting */
	/* of the time before it, its periods and a half at most are not the kernel's: layout.h */
	bool user;
};

struct ppi_sampled_thread {
	uint32_t id; /* the kernel's */
	char *name;
	struct ppi_stack_sample *sample; /* in the order of time */
	size_t n, room;
};

struct ppi_samples {
	char *program;
	uint32_t pid;
	bool is_by_interval; /* stacks are of intervals and marks; else of functions */
	bool is_by_line;     /* ... each with the very line */
	bool by_watcher;     /* who took them; else the interrupter did */
	bool is_cpu;         /* at_s is CPU time */
	double period_s;     /* that was asked for */
	/*
	 * what there was to sample: CPU time of the process, or wall clock times threads; 0: not
	 * known
	 */
	double actual_s;
	double wall_s; /* how long the profile was taken */
	double cpu_s;  /* CPU time of the process meanwhile */
	double own_s;  /* CPU time of the library's thread that took them */
	/* of watched threads: marks that began, and what they took in s; NaN: not known */
	uint64_t marks;
	double marks_s;
	uint64_t lost[PPI_SAMPLE_LOSSES];

	struct ppi_function *function;
	size_t functions, functions_room;
	uint32_t *frame;
	size_t frames, frames_room;
	struct ppi_stack *stack;
	size_t stacks, stacks_room;
	struct ppi_sampled_thread *thread;
	size_t threads, threads_room;
	/* hashes of functions and stacks; private */
	uint32_t *function_slot, *stack_slot;
	size_t function_slots, stack_slots;
	bool no_memory; /* something is missing */
};

/* All that is freed by ppi_samples_clear; OUT need not be initialised before. */
void ppi_samples_init (struct ppi_samples *out);
void ppi_samples_clear (struct ppi_samples *samples);

/*
 * The number of the function of that NAME, FILE and LINE, which are copied. Without memory: 0, and
 * NO_MEMORY says so.
 */
uint32_t ppi_samples_function (struct ppi_samples *samples, const char *name, const char *file,
			       unsigned line);
/* The number of the node that is as LIKE. */
uint32_t ppi_samples_node (struct ppi_samples *samples, const struct ppi_function *like);
/* The number of the stack of N functions, the outermost first. */
uint32_t ppi_samples_stack (struct ppi_samples *samples, const uint32_t *functions, size_t n);
/*
 * The thread of that number, made where there is none; NULL: no memory. Valid until the next is
 * made.
 */
struct ppi_sampled_thread *ppi_samples_thread (struct ppi_samples *samples, uint32_t id,
					       const char *name);
/* Adds a sample to a thread, behind those that are there. */
void ppi_samples_add (struct ppi_samples *samples, struct ppi_sampled_thread *thread,
		      struct ppi_stack_sample sample);

/*
 * By how much SHARE, 0 to 1, of N samples may be off by chance: half of Wilson's interval for 95 %,
 * as if samples knew nothing of each other. NaN without any.
 */
double ppi_share_margin (double share, double n);
/* How many times it was seen: each look is one, of a timer's expiries only the one that came. */
uint32_t ppi_sample_times (const struct ppi_samples *samples,
			   const struct ppi_stack_sample *sample);
/* How many samples there are, of all threads. */
size_t ppi_samples_count (const struct ppi_samples *samples);
/*
 * Why times by two clocks have no sum, as what the OTHER "is", where each is CPU time or the wall
 * clock; NULL: it is one clock.
 */
const char *ppi_clocks_differ (bool is_cpu, bool other_is_cpu);
/*
 * The cost of sample I of THREAD, in seconds: half of the gap to each neighbour. The first has no
 * gap before it, the last none after; a thread's only one is worth its periods. No time goes to a
 * gap in which the signal was kept waiting.
 */
double ppi_sample_cost (const struct ppi_samples *samples, const struct ppi_sampled_thread *thread,
			size_t i);

#endif
