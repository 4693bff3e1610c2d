/* SPDX-License-Identifier: MIT */
/* features.c: see features.h. */
#include "profiler/analysis/features.h"

#include <math.h>
#include <pp_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define NO_CALLER "(nothing open)"

/* What one feature is charged for under one key: a node, or a thread's number in the list. */
struct cell {
	uint32_t feature, key;
	double time, squares;
	uint64_t samples;
};

struct work {
	const struct ppi_samples *samples;
	struct ppi_features *out;
	enum ppi_features_by by;
	const struct ppi_payload_keys *keys;
	uint32_t *of; /* a node's feature, or NONE */
	uint64_t *
		decided; /* of each feature: the newest sample in which it is known who is charged */
	uint64_t sample;
	struct cell *cell;
	size_t cells, cells_room;
	uint32_t *slot; /* hash of cells: numbers from 1 */
	size_t slots;
};

/* ---- which features there are ---------------------------------------------------------------- */

static bool is_mark (const struct ppi_function *node)
{
	return node->kind == PP_ABI_SITE_FEATURE || node->kind == PP_ABI_SITE_ANTIMARK;
}

static int compare_names (const void *a, const void *b, void *arg)
{
	const struct ppi_samples *samples = arg;

	return strcmp (samples->function[*(const uint32_t *) a].name,
		       samples->function[*(const uint32_t *) b].name);
}

/* Features of which there are antimarks only are features, too, that cost nothing. */
static bool find_features (struct work *w)
{
	const struct ppi_samples *s = w->samples;
	uint32_t *node = calloc (s->functions + 1, sizeof *node);
	size_t n = 0;
	bool ok = node != NULL;

	for (uint32_t i = 0; ok && i < s->functions; i++) {
		w->of[i] = NONE;
		if (is_mark (&s->function[i]))
			node[n++] = i;
	}
	if (ok)
		qsort_r (node, n, sizeof *node, compare_names, (void *) (uintptr_t) s);
	for (size_t i = 0; ok && i < n; i++) {
		const char *name = s->function[node[i]].name;

		if (!i || strcmp (name, s->function[node[i - 1]].name) != 0)
			ok = ppi_features_of (w->out, name) != NULL;
		w->of[node[i]] = (uint32_t) w->out->features - 1;
	}
	free (node);
	return ok;
}

/* ---- who is charged -------------------------------------------------------------------------- */

static size_t hash_of (uint32_t feature, uint32_t key)
{
	uint64_t sum = ((uint64_t) feature << 32 | key) * UINT64_C (0x9e3779b97f4a7c15);

	return (size_t) (sum ^ sum >> 31);
}

static bool grow_cells (struct work *w)
{
	size_t more = w->slots ? 2 * w->slots : 256;
	struct cell *cell;
	uint32_t *slot;

	if (2 * (w->cells + 1) <= w->slots)
		return true;
	cell = reallocarray (w->cell, more, sizeof *cell);
	if (!cell)
		return false;
	w->cell = cell;
	slot = calloc (more, sizeof *slot);
	if (!slot)
		return false;
	for (size_t i = 0; i < w->cells; i++) {
		size_t at = hash_of (cell[i].feature, cell[i].key) & (more - 1);

		while (slot[at])
			at = (at + 1) & (more - 1);
		slot[at] = (uint32_t) i + 1;
	}
	free (w->slot);
	w->slot = slot;
	w->slots = more;
	return true;
}

/* Of what TIMES samples stand for, together COST, each as much as the others. */
static double squares_of (double cost, uint64_t times)
{
	return times ? cost * cost / (double) times : 0;
}

static bool charge (struct work *w, uint32_t feature, uint32_t key, double cost, uint64_t times)
{
	struct cell *c;
	size_t at;

	if (!grow_cells (w))
		return false;
	for (at = hash_of (feature, key) & (w->slots - 1); w->slot[at];
	     at = (at + 1) & (w->slots - 1)) {
		c = &w->cell[w->slot[at] - 1];
		if (c->feature == feature && c->key == key)
			break;
	}
	if (!w->slot[at]) {
		w->cell[w->cells] = (struct cell){.feature = feature, .key = key};
		w->slot[at] = (uint32_t) ++w->cells;
	}
	c = &w->cell[w->slot[at] - 1];
	c->time += cost;
	c->squares += squares_of (cost, times);
	c->samples += times;
	return true;
}

/* What the mark at FRAME[AT] was begun in: the next one outside that is of no such feature. */
static uint32_t caller_of (const struct work *w, const uint32_t *frame, size_t at)
{
	uint32_t feature = w->of[frame[at]];

	while (at-- > 0)
		if (w->of[frame[at]] != feature &&
		    w->samples->function[frame[at]].kind != PP_ABI_SITE_ANTIMARK)
			return frame[at];
	return NONE;
}

static uint32_t key_of (const struct work *w, const uint32_t *frame, size_t at, uint32_t thread)
{
	switch (w->by) {
	case PPI_FEATURES_BY_CALLER:
		return caller_of (w, frame, at);
	case PPI_FEATURES_BY_THREAD:
		return thread;
	default:
		return frame[at];
	}
}

static bool add_sample (struct work *w, uint32_t thread, const struct ppi_stack_sample *sample,
			double cost)
{
	const struct ppi_stack *stack = &w->samples->stack[sample->stack];
	const uint32_t *frame = w->samples->frame + stack->first;
	uint32_t times = ppi_sample_times (w->samples, sample);

	w->sample++;
	for (size_t i = stack->n; i-- > 0;) {
		uint32_t feature = w->of[frame[i]];

		if (feature == NONE || w->decided[feature] == w->sample)
			continue;
		w->decided[feature] = w->sample;
		if (w->samples->function[frame[i]].kind == PP_ABI_SITE_FEATURE &&
		    !charge (w, feature, key_of (w, frame, i, thread), cost, times))
			return false;
	}
	return true;
}

/* Was it ever seen in a mark? */
static bool had_marks (const struct work *w, const struct ppi_sampled_thread *thread)
{
	for (size_t i = 0; i < thread->n; i++) {
		const struct ppi_stack *stack = &w->samples->stack[thread->sample[i].stack];

		for (size_t k = 0; k < stack->n; k++)
			if (w->of[w->samples->frame[stack->first + k]] != NONE)
				return true;
	}
	return false;
}

static bool add_thread (struct work *w, uint32_t number)
{
	const struct ppi_sampled_thread *thread = &w->samples->thread[number];
	bool ok = true;

	if (!had_marks (w, thread))
		return true;
	w->out->threads++;
	for (size_t i = 0; i < thread->n && ok; i++) {
		double cost = ppi_sample_cost (w->samples, thread, i);
		uint64_t times = ppi_sample_times (w->samples, &thread->sample[i]);

		w->out->total += cost;
		w->out->raw += cost;
		w->out->squares += squares_of (cost, times);
		w->out->times += times;
		ok = add_sample (w, number, &thread->sample[i], cost);
	}
	return ok;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static char *place_of (const struct ppi_function *node)
{
	char *out = NULL;

	if (!*node->file)
		return strdup ("unknown location");
	return asprintf (&out, "%s:%u", node->file, node->line) < 0 ? NULL : out;
}

/* Of KEY, as it is shown; malloced, NULL: no memory. */
static char *name_of (const struct work *w, uint32_t key)
{
	const struct ppi_samples *s = w->samples;
	char *out = NULL;

	if (w->by == PPI_FEATURES_BY_THREAD)
		return asprintf (&out, "%s, thread %u", s->thread[key].name, s->thread[key].id) < 0
			       ? NULL
			       : out;
	if (w->by == PPI_FEATURES_BY_CALLER)
		return strdup (key == NONE ? NO_CALLER : s->function[key].name);
	if (w->by == PPI_FEATURES_BY_DIMS)
		return ppi_payload_by (s->function[key].payload, w->keys);
	return w->by == PPI_FEATURES_BY_INSTANCE && s->function[key].payload
		       ? ppi_payload_text (s->function[key].payload)
		       : place_of (&s->function[key]);
}

static bool add_part (const struct work *w, const struct cell *cell)
{
	char *name = name_of (w, cell->key);
	bool is_one = w->by == PPI_FEATURES_BY_INSTANCE;
	bool ok =
		name &&
		ppi_feature_add (
			&w->out->feature[cell->feature],
			&(struct ppi_feature_part){
				.name = name,
				.payload = is_one ? w->samples->function[cell->key].payload : NULL,
				.time = cell->time,
				.raw = cell->time,
				.squares = cell->squares,
				.times = cell->samples});

	free (name);
	return ok;
}

/* Marks of which there are no samples: where their payloads, or they themselves, were not seen. */
static bool charge_nothing (struct work *w)
{
	bool ok = w->by == PPI_FEATURES_BY_INSTANCE || w->by == PPI_FEATURES_BY_PLACE;

	for (uint32_t i = 0; ok && i < w->samples->functions; i++) {
		const struct ppi_function *node = &w->samples->function[i];
		bool is_seen = false;

		if (node->kind != PP_ABI_SITE_FEATURE || node->payload)
			continue;
		for (size_t k = 0; k < w->cells && !is_seen; k++) {
			const struct ppi_function *other = &w->samples->function[w->cell[k].key];

			is_seen = w->cell[k].feature == w->of[i] && other->line == node->line &&
				  strcmp (other->file, node->file) == 0;
		}
		if (!is_seen && !charge (w, w->of[i], i, 0, 0))
			return false;
	}
	return true;
}

/* A mark is seen from somewhere in its begin to somewhere in its end: at most so much of it. */
#define SEEN 0.6

/*
 * By how much TIME may be off because of what marks take, at most; s. Of what is not known it is 0.
 */
static double bias_of (const struct ppi_features *all, double time)
{
	double share = time / all->total, left = all->total - all->took;

	if (isnan (all->took) || !(all->total > 0))
		return 0;
	/* all of the marks may be its own, or none */
	return left > 0 ? all->total * fmin (1, fmax (share, SEEN - share) * all->took / left)
			: all->total;
}

/*
 * By how much TIME may be off by chance, of which samples have SQUARES; s. The share is a quotient
 * of sums: its variance is that of what each sample adds to it. Samples of one length that would be
 * as sure are as many as Wilson's margin is for.
 */
static double chance_of (const struct ppi_features *all, double time, double squares)
{
	double share = time / all->total, n, variance;

	if (!all->times || !(all->squares > 0))
		return 0;
	n = all->total * all->total / all->squares;
	variance =
		((1 - share) * (1 - share) * squares + share * share * (all->squares - squares)) /
		(all->total * all->total);
	if (share > 0 && share < 1 && variance > 0)
		n = fmin (n, share * (1 - share) / variance);
	return all->total * ppi_share_margin (share, n);
}

static double squares_of_parts (const struct ppi_feature *feature)
{
	double sum = 0;

	for (size_t i = 0; i < feature->parts; i++)
		sum += feature->part[i].squares;
	return sum;
}

/* By how much each of them may be off. */
static void find_margins (struct ppi_features *all)
{
	for (size_t i = 0; i < all->features; i++) {
		struct ppi_feature *one = &all->feature[i];

		one->doubt = bias_of (all, one->time);
		one->chance = chance_of (all, one->time, squares_of_parts (one));
		for (size_t k = 0; k < one->parts; k++) {
			one->part[k].doubt = bias_of (all, one->part[k].time);
			one->part[k].chance =
				chance_of (all, one->part[k].time, one->part[k].squares);
		}
	}
}

static bool make_parts (struct work *w)
{
	bool ok = charge_nothing (w);

	for (size_t i = 0; ok && i < w->cells; i++)
		ok = add_part (w, &w->cell[i]);
	ppi_features_finish (w->out);
	find_margins (w->out);
	return ok;
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool ppi_features_analyse (const struct ppi_samples *samples, enum ppi_features_by by,
			   const struct ppi_payload_keys *keys, struct ppi_features *out)
{
	struct work w = {.samples = samples, .out = out, .by = by, .keys = keys};
	bool ok;

	*out = (struct ppi_features){.program = strdup (samples->program ? samples->program : ""),
				     .recordings = 1,
				     .is_cpu = samples->is_cpu,
				     .begun = samples->marks,
				     .took = samples->marks_s,
				     .untold = isnan (samples->marks_s) ? samples->marks : 0,
				     .period_s = samples->period_s,
				     .own_s = samples->own_s,
				     .mark_s = (double) NAN};
	memcpy (out->missed, samples->lost, sizeof out->missed);
	w.of = calloc (samples->functions + 1, sizeof *w.of);
	w.decided = calloc (samples->functions + 1, sizeof *w.decided);
	ok = out->program && w.of && w.decided && !samples->no_memory && find_features (&w);
	for (uint32_t i = 0; ok && i < samples->threads; i++)
		ok = add_thread (&w, i);
	ok = ok && make_parts (&w);
	free (w.of);
	free (w.decided);
	free (w.cell);
	free (w.slot);
	return ok;
}
