/* SPDX-License-Identifier: MIT */
/* analyse.c: from samples to the call graph; see profile.h. */
#include "profiler/analysis/profile.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is summed up ----------------------------------------------------------------------- */

struct work {
	const struct ppi_samples *samples;
	struct ppi_profile *out;
	/*
	 * for each function: how often it is on the stack that is looked at, and in which it was
	 * seen last
	 */
	uint32_t *count;
	/* edges by caller and callee */
	uint32_t *slot;
	size_t slots, edges_room;
	/*
	 * edges of this stack, whose total it has been added to: the number of the sample that did
	 * it last
	 */
	uint64_t *touched;
	size_t touched_room;
	uint64_t sample;
};

static uint64_t hash_of_edge (uint32_t caller, uint32_t callee)
{
	uint64_t sum = ((uint64_t) caller << 32 | callee) * UINT64_C (0x9e3779b97f4a7c15);

	return sum ^ sum >> 31;
}

static bool grow_slots (struct work *w)
{
	size_t more = w->slots ? 2 * w->slots : 256;
	uint32_t *wide;

	if (2 * (w->out->edges + 1) <= w->slots)
		return true;
	wide = calloc (more, sizeof *wide);
	if (!wide)
		return false;
	for (size_t i = 0; i < w->out->edges; i++) {
		size_t at =
			hash_of_edge (w->out->edge[i].caller, w->out->edge[i].callee) & (more - 1);

		while (wide[at])
			at = (at + 1) & (more - 1);
		wide[at] = (uint32_t) i + 1;
	}
	free (w->slot);
	w->slot = wide;
	w->slots = more;
	return true;
}

static bool grow_edges (struct work *w)
{
	size_t want = w->edges_room ? 2 * w->edges_room : 256;
	struct ppi_profile_edge *edge;
	uint64_t *touched;

	if (w->out->edges < w->edges_room)
		return true;
	edge = reallocarray (w->out->edge, want, sizeof *edge);
	if (!edge)
		return false;
	w->out->edge = edge;
	touched = reallocarray (w->touched, want, sizeof *touched);
	if (!touched)
		return false;
	w->touched = touched;
	w->edges_room = want;
	return true;
}

static struct ppi_profile_edge *edge_of (struct work *w, uint32_t caller, uint32_t callee)
{
	size_t at;

	if (!grow_slots (w) || !grow_edges (w))
		return NULL;
	for (at = hash_of_edge (caller, callee) & (w->slots - 1); w->slot[at];
	     at = (at + 1) & (w->slots - 1)) {
		struct ppi_profile_edge *edge = &w->out->edge[w->slot[at] - 1];

		if (edge->caller == caller && edge->callee == callee)
			return edge;
	}
	w->out->edge[w->out->edges] = (struct ppi_profile_edge){.caller = caller, .callee = callee};
	w->touched[w->out->edges] = 0;
	w->slot[at] = (uint32_t) ++w->out->edges;
	return &w->out->edge[w->out->edges - 1];
}

static uint32_t times_on_stack (const struct work *w, uint32_t node)
{
	return node == PPI_PROFILE_ROOT ? 1 : w->count[node];
}

static bool add_edge (struct work *w, uint32_t caller, uint32_t callee, double cost)
{
	struct ppi_profile_edge *edge = edge_of (w, caller, callee);
	uint64_t *touched;

	if (!edge)
		return false;
	touched = &w->touched[edge - w->out->edge];
	if (*touched != w->sample)
		edge->total += cost;
	*touched = w->sample;
	edge->caller_time += cost / times_on_stack (w, caller);
	edge->callee_time += cost / times_on_stack (w, callee);
	return true;
}

static bool note_thread (struct ppi_profile_node *node, uint32_t thread)
{
	uint32_t *grown;

	for (size_t i = 0; i < node->threads; i++)
		if (node->thread[i] == thread)
			return true;
	grown = reallocarray (node->thread, node->threads + 1, sizeof *grown);
	if (!grown)
		return false;
	node->thread = grown;
	grown[node->threads++] = thread;
	return true;
}

/* Adds a sample of a thread, seen so many TIMES, whose stack is N functions at FRAME. */
static bool add_sample (struct work *w, const uint32_t *frame, size_t n, double cost,
			uint32_t times, uint32_t thread)
{
	struct ppi_profile_node *node = w->out->node;
	bool ok = true;

	if (!n)
		return true;
	w->sample++;
	for (size_t i = 0; i < n; i++)
		if (!w->count[frame[i]]++) {
			node[frame[i]].total += cost;
			ok = ok && note_thread (&node[frame[i]], thread);
		}
	node[frame[n - 1]].self += cost;
	node[frame[n - 1]].samples += times;
	for (size_t i = 0; i <= n && ok; i++)
		ok = add_edge (w, i ? frame[i - 1] : PPI_PROFILE_ROOT,
			       i < n ? frame[i] : PPI_PROFILE_ROOT, cost);
	for (size_t i = 0; i < n; i++)
		w->count[frame[i]] = 0;
	return ok;
}

static bool add_thread (struct work *w, const struct ppi_sampled_thread *thread)
{
	struct ppi_profile_thread *out = &w->out->thread[w->out->threads];
	bool ok = true;

	out->id = thread->id;
	out->name = strdup (thread->name);
	if (!out->name)
		return false;
	w->out->threads++;
	for (size_t i = 0; i < thread->n && ok; i++) {
		const struct ppi_stack *stack = &w->samples->stack[thread->sample[i].stack];
		double cost = ppi_sample_cost (w->samples, thread, i);

		uint32_t times = ppi_sample_times (w->samples, &thread->sample[i]);

		ok = add_sample (w, w->samples->frame + stack->first, stack->n, cost, times,
				 thread->id);
		out->time += cost;
		out->samples += times;
	}
	w->out->total_time += out->time;
	w->out->sample_number += out->samples;
	return ok;
}

static bool make_nodes (const struct ppi_samples *samples, struct ppi_profile *out)
{
	out->node = calloc (samples->functions + 1, sizeof *out->node);
	if (!out->node)
		return false;
	for (; out->nodes < samples->functions; out->nodes++) {
		struct ppi_profile_node *node = &out->node[out->nodes];
		const struct ppi_function *function = &samples->function[out->nodes];

		node->name = strdup (function->name);
		node->file = strdup (function->file);
		node->line = function->line;
		if (!node->name || !node->file) {
			out->nodes++;
			return false;
		}
	}
	return true;
}

bool ppi_profile_analyse (const struct ppi_samples *samples, struct ppi_profile *out)
{
	struct work w = {.samples = samples, .out = out};
	bool ok;

	*out = (struct ppi_profile){
		.program = strdup (samples->program ? samples->program : ""),
		.is_by_interval = samples->is_by_interval,
		.is_by_line = samples->is_by_line,
		.by_watcher = samples->by_watcher,
		.is_cpu = samples->is_cpu,
		.actual_time = samples->actual_s,
		.wall_time = samples->wall_s,
		.cpu_time = samples->cpu_s,
		.own_time = samples->own_s,
		.period = samples->period_s,
		.thread = calloc (samples->threads + 1, sizeof *out->thread),
	};
	memcpy (out->lost, samples->lost, sizeof out->lost);
	w.count = calloc (samples->functions + 1, sizeof *w.count);
	ok = out->program && out->thread && w.count && !samples->no_memory &&
	     make_nodes (samples, out);
	for (size_t i = 0; i < samples->threads && ok; i++)
		ok = add_thread (&w, &samples->thread[i]);
	ppi_profile_weigh (out);
	free (w.count);
	free (w.slot);
	free (w.touched);
	return ok && ppi_profile_link (out);
}

void ppi_profile_clear (struct ppi_profile *profile)
{
	for (size_t i = 0; i < profile->nodes; i++) {
		free (profile->node[i].name);
		free (profile->node[i].file);
		free (profile->node[i].thread);
		free (profile->node[i].caller);
		free (profile->node[i].callee);
	}
	for (size_t i = 0; i < profile->threads; i++)
		free (profile->thread[i].name);
	free (profile->program);
	free (profile->node);
	free (profile->edge);
	free (profile->thread);
	*profile = (struct ppi_profile){.program = NULL};
}
