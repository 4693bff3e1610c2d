/* SPDX-License-Identifier: MIT */
/*
 * profile.h: the analysed profile: a call graph with times. A node is a function (or a line), an
 * edge a call that was seen on a stack.
 *
 * What a sample of cost c adds, whose stack is root → A → B → B → B → A → root:
 *
 *   node   total c once, however often it is on the stack; self c where it is the last
 *   edge   total c once; caller_time c for each occurrence, divided by how often the caller is on
 *          the stack; callee_time the same, divided by how often the callee is
 *
 *          total  caller_time  callee_time          total  caller_time  callee_time
 *   A → B    c        c/2          c/3      B → A     c        c/3          c/2
 *   B → B    c       2c/3         2c/3      * → A     c         c           c/2       A → *   c   c/2   c
 *
 * So the caller_times of the edges out of a node sum up to its total, and so do the callee_times of
 * those into it. The root counts once per sample.
 */
#ifndef PPI_ANALYSIS_PROFILE_H
#define PPI_ANALYSIS_PROFILE_H

#include "profiler/analysis/samples.h"
#include "recording/layout_profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_PROFILE_ROOT UINT32_MAX /* in place of a node's number */

struct ppi_profile_edge {
	uint32_t caller, callee;                /* nodes */
	double total, caller_time, callee_time; /* s */
};

struct ppi_profile_node {
	char *name, *file; /* as of struct ppi_function */
	unsigned line;
	double total, self; /* s */
	uint64_t samples;   /* in which it was the last */
	uint32_t *thread;   /* numbers of threads that were seen there, ascending */
	size_t threads;
	/* numbers of edges into and out of it, by falling callee_time and caller_time */
	uint32_t *caller, *callee;
	size_t callers, callees;
};

struct ppi_profile_thread {
	uint32_t id;
	char *name;
	double time; /* s: what its samples stand for */
	uint64_t samples;
};

struct ppi_profile {
	char *program;
	/* as of struct ppi_samples */
	bool is_by_interval, is_by_line, by_watcher, is_cpu;
	double total_time;                                 /* s: what all samples stand for */
	double actual_time, wall_time, cpu_time, own_time; /* s; as of struct ppi_samples */
	double period;                                     /* s */
	/*
	 * s²: of each sample the square of the time that it stands for, as if that were the same
	 * for all of a recording
	 */
	double squares;
	uint64_t sample_number;
	uint64_t lost[PPI_SAMPLE_LOSSES];
	struct ppi_profile_thread *thread;
	size_t threads;
	/* in topological order, callers first; where several may come next, by falling total */
	struct ppi_profile_node *node;
	size_t nodes;
	struct ppi_profile_edge *edge;
	size_t edges;
};

/* False: no memory. OUT is freed by ppi_profile_clear, also then. */
bool ppi_profile_analyse (const struct ppi_samples *samples, struct ppi_profile *out);
void ppi_profile_clear (struct ppi_profile *profile);

/*
 * What joins the rest of a profile that has its nodes, with their texts, times and threads, and its
 * edges: sorts nodes, lists edges at them.
 */
bool ppi_profile_link (struct ppi_profile *profile);
/* The same of a profile of one recording that has its times and its number of samples. */
void ppi_profile_weigh (struct ppi_profile *profile);

/*
 * The sum of N profiles, 1 or more, of runs or machines. Nodes with one name, file and line are one
 * node; threads are numbered anew from 1, in the order of the profiles. What is not known of one of
 * them, or not the same in all (actual_time, period), is 0. False: no memory; OUT is freed by
 * ppi_profile_clear, also then.
 */
bool ppi_profile_merge (const struct ppi_profile *profile, size_t n, struct ppi_profile *out);
/* Why OTHER has no sum with ONE, as what OTHER "is"; NULL: it has. */
const char *ppi_profiles_differ (const struct ppi_profile *one, const struct ppi_profile *other);

/*
 * By how much a share of its time may be off by chance, where it is near one half: elsewhere it is
 * less. NaN without samples.
 */
double ppi_profile_margin (const struct ppi_profile *profile);

enum ppi_profile_order { PPI_ORDER_TOPOLOGICAL, PPI_ORDER_SELF, PPI_ORDER_TOTAL };

/* The numbers of the nodes in that order; malloced, NULL: no memory. */
uint32_t *ppi_profile_sorted (const struct ppi_profile *profile, enum ppi_profile_order order);

/*
 * Is the node hidden? Only where its self time is less than HIDE_SELF of all, and each edge into or
 * out of it is less than HIDE_SUBS of the node at the other end: so no edge that is shown leads to
 * a node that is not. Beside these, what starts the program and its threads before any function of
 * the program's own (_start, __libc_start_main ...) is hidden where its self time is so little,
 * unless HIDE_SUBS is 0. Shares, 0 … 1.
 */
bool ppi_profile_hides (const struct ppi_profile *profile, uint32_t node, double hide_self,
			double hide_subs);

#endif
