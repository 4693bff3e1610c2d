/* SPDX-License-Identifier: MIT */
/*
 * merge.c: the sum of several profiles, of runs or of machines. All that a profile has is a sum
 * over its samples, so the sums are added up: of nodes with one name, file and line, and of the
 * edges between these.
 */
#include "profiler/analysis/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct merging {
	struct ppi_profile *out;
	struct ppi_samples names; /* its functions are OUT's nodes */
};

const char *ppi_profiles_differ (const struct ppi_profile *one, const struct ppi_profile *other)
{
	if (one->is_by_interval != other->is_by_interval)
		return one->is_by_interval ? "is by function, and the others are by interval"
					   : "is by interval, and the others are by function";
	if (one->is_by_line != other->is_by_line)
		return one->is_by_line ? "is by function, and the others are by line"
				       : "is by line, and the others are by function";
	if (one->by_watcher != other->by_watcher)
		return one->by_watcher
			       ? "was taken by the interrupter, and the others by the watcher"
			       : "was taken by the watcher, and the others by the interrupter";
	return ppi_clocks_differ (one->is_cpu, other->is_cpu);
}

/* ---- the head -------------------------------------------------------------------------------- */

static bool name_all (const struct ppi_profile *from, size_t n, struct ppi_profile *out)
{
	enum { MOST = 3 };
	size_t bytes;
	FILE *text = open_memstream (&out->program, &bytes);
	bool ok;

	if (!text)
		return false;
	for (size_t i = 0; i < n && i < MOST; i++)
		fprintf (text, "%s%s", i ? " + " : "", from[i].program);
	if (n > MOST)
		fprintf (text, " + %zu more", n - MOST);
	ok = !ferror (text);
	return fclose (text) == 0 && ok;
}

static void add_head (const struct ppi_profile *from, size_t n, struct ppi_profile *out)
{
	bool is_actual_known = true, is_period_one = true;

	out->is_by_interval = from->is_by_interval;
	out->is_by_line = from->is_by_line;
	out->by_watcher = from->by_watcher;
	out->is_cpu = from->is_cpu;
	for (size_t i = 0; i < n; i++) {
		is_actual_known &= from[i].actual_time > 0;
		is_period_one &= !(from[i].period < from->period || from[i].period > from->period);
		out->actual_time += from[i].actual_time;
		out->total_time += from[i].total_time;
		out->wall_time += from[i].wall_time;
		out->cpu_time += from[i].cpu_time;
		out->own_time += from[i].own_time;
		out->squares += from[i].squares;
		out->sample_number += from[i].sample_number;
		for (unsigned k = 0; k < PPI_SAMPLE_LOSSES; k++)
			out->lost[k] += from[i].lost[k];
	}
	out->period = is_period_one ? from->period : 0;
	if (!is_actual_known)
		out->actual_time = 0;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* The kernel's numbers come again in other processes: those of OUT count from 1. */
static bool add_threads (const struct ppi_profile *from, struct ppi_profile *out)
{
	for (size_t i = 0; i < from->threads; i++) {
		struct ppi_profile_thread *thread = &out->thread[out->threads];

		*thread = from->thread[i];
		thread->id = (uint32_t) out->threads + 1;
		thread->name = strdup (from->thread[i].name);
		if (!thread->name)
			return false;
		out->threads++;
	}
	return true;
}

/*
 * FROM's thread of that kernel's number, in OUT, where FROM's begin behind BEFORE; 0: it is none.
 */
static uint32_t thread_in (const struct ppi_profile *from, size_t before, uint32_t id)
{
	for (size_t i = 0; i < from->threads; i++)
		if (from->thread[i].id == id)
			return (uint32_t) (before + i + 1);
	return 0;
}

/* ---- nodes and edges ------------------------------------------------------------------------- */

/* OUT's node that is as LIKE, made where there is none; NULL: no memory. */
static struct ppi_profile_node *node_like (struct merging *m, const struct ppi_profile_node *like)
{
	uint32_t number = ppi_samples_function (&m->names, like->name, like->file, like->line);
	struct ppi_profile_node *node = &m->out->node[number];

	if (m->names.no_memory)
		return NULL;
	if (number < m->out->nodes)
		return node;
	node->name = strdup (like->name);
	node->file = strdup (like->file);
	node->line = like->line;
	m->out->nodes = number + 1;
	return node->name && node->file ? node : NULL;
}

static bool add_node_threads (struct ppi_profile_node *node, const struct ppi_profile_node *from,
			      const struct ppi_profile *of, size_t before)
{
	uint32_t *grown =
		reallocarray (node->thread, node->threads + from->threads + 1, sizeof *grown);

	if (!grown)
		return false;
	node->thread = grown;
	for (size_t i = 0; i < from->threads; i++) {
		uint32_t thread = thread_in (of, before, from->thread[i]);

		if (thread)
			grown[node->threads++] = thread;
	}
	return true;
}

/* NUMBER gets the numbers in OUT of FROM's nodes. */
static bool add_nodes (struct merging *m, const struct ppi_profile *from, size_t threads_before,
		       uint32_t *number)
{
	for (size_t i = 0; i < from->nodes; i++) {
		struct ppi_profile_node *node = node_like (m, &from->node[i]);

		if (!node || !add_node_threads (node, &from->node[i], from, threads_before))
			return false;
		node->total += from->node[i].total;
		node->self += from->node[i].self;
		node->samples += from->node[i].samples;
		number[i] = (uint32_t) (node - m->out->node);
	}
	return true;
}

static uint32_t numbered (const uint32_t *number, uint32_t node)
{
	return node == PPI_PROFILE_ROOT ? node : number[node];
}

static void add_edges (struct ppi_profile *out, const struct ppi_profile *from,
		       const uint32_t *number)
{
	for (size_t i = 0; i < from->edges; i++) {
		struct ppi_profile_edge *edge = &out->edge[out->edges++];

		*edge = from->edge[i];
		edge->caller = numbered (number, edge->caller);
		edge->callee = numbered (number, edge->callee);
	}
}

static int by_ends (const void *one, const void *other)
{
	const struct ppi_profile_edge *a = one, *b = other;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

/* Each pair of ends has one edge. */
static void join_edges (struct ppi_profile *p)
{
	size_t kept = 0;

	qsort (p->edge, p->edges, sizeof *p->edge, by_ends);
	for (size_t i = 0; i < p->edges; i++) {
		struct ppi_profile_edge *last = kept ? &p->edge[kept - 1] : NULL;

		if (!last || by_ends (last, &p->edge[i]) != 0) {
			p->edge[kept++] = p->edge[i];
			continue;
		}
		last->total += p->edge[i].total;
		last->caller_time += p->edge[i].caller_time;
		last->callee_time += p->edge[i].callee_time;
	}
	p->edges = kept;
}

static bool add_profile (struct merging *m, const struct ppi_profile *from)
{
	uint32_t *number = calloc (from->nodes + 1, sizeof *number);
	size_t before = m->out->threads;
	bool ok = number && add_threads (from, m->out) && add_nodes (m, from, before, number);

	if (ok)
		add_edges (m->out, from, number);
	free (number);
	return ok;
}

bool ppi_profile_merge (const struct ppi_profile *profile, size_t n, struct ppi_profile *out)
{
	struct merging m = {.out = out};
	size_t nodes = 0, edges = 0, threads = 0;
	bool ok;

	*out = (struct ppi_profile){.program = NULL};
	for (size_t i = 0; i < n; i++) {
		nodes += profile[i].nodes;
		edges += profile[i].edges;
		threads += profile[i].threads;
	}
	ppi_samples_init (&m.names);
	out->node = calloc (nodes + 1, sizeof *out->node);
	out->edge = calloc (edges + 1, sizeof *out->edge);
	out->thread = calloc (threads + 1, sizeof *out->thread);
	ok = out->node && out->edge && out->thread && name_all (profile, n, out);
	if (ok)
		add_head (profile, n, out);
	for (size_t i = 0; ok && i < n; i++)
		ok = add_profile (&m, &profile[i]);
	ppi_samples_clear (&m.names);
	if (!ok)
		return false;
	join_edges (out);
	return ppi_profile_link (out);
}
