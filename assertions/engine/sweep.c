/* SPDX-License-Identifier: MIT */
/*
 * sweep.c: "when this is slow, what else is high?", for several ideas of slow in one run. The
 * number that the right side of the expectation is multiplied with is replaced by each threshold in
 * turn; captured metrics are added up at checks that would have violated each, and at those that
 * would not (contrast.h).
 *
 * All of it runs inside markers. A thread has a chunk of its own in the region, taken from the pool
 * at its first check; its kernel id says which. One that has ended leaves it to the next with that
 * id, which goes on adding: only sums are in it.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/check.h"
#include "assertions/engine/post.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/seen.h"
#include "assertions/engine/sweep.h"
#include "assertions/engine/threads.h"
#include "assertions/language/policy.h"
#include "base/atomic.h"
#include "libmetrics/region/region.h"
#include "libmetrics/thread/thread.h"
#include "libmetrics/thread/thread_life.h"
#include "recording/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ppi_sweeping *ppi_sweep_create (const double *threshold, uint32_t n)
{
	struct ppi_sweeping *s = aligned_alloc (64, (sizeof *s + 63) & ~(size_t) 63);

	if (!s)
		return NULL;
	memset (s, 0, sizeof *s);
	memcpy (s->threshold, threshold, n * sizeof *threshold);
	s->thresholds = n;
	return s;
}

void ppi_sweep_forget (struct ppi_sweeping *sweep)
{
	memset (sweep->tid, 0, sizeof sweep->tid);
	memset (sweep->chunk, 0, sizeof sweep->chunk);
}

static size_t chunk_bytes (const struct ppi_assertion *a)
{
	const struct ppi_sweep_chunk *c;

	return sizeof *c + a->sweep->thresholds * a->n_captures * sizeof c->contrast[0];
}

void ppi_sweep_end (const struct ppi_assertion *a)
{
	for (uint32_t i = 0; i < PPI_THREADS; i++)
		if (a->sweep->chunk[i])
			ppi_region_retire (a->sweep->chunk[i], chunk_bytes (a));
	ppi_sweep_forget (a->sweep);
}

/* Its place, taken where there is none; -1: its bucket is full */
static int place_of (struct ppi_sweeping *s, uint32_t tid)
{
	uint32_t from = tid * PPI_THREADS_BUCKET % PPI_THREADS;

	for (uint32_t i = from; i < from + PPI_THREADS_BUCKET; i++) {
		uint32_t there = ppi_load (&s->tid[i]);

		if (there == tid)
			return (int) i;
		/*
		 * relaxed: it only shares places out; what is at a place only its thread reads and
		 * writes
		 */
		if (!there && __atomic_compare_exchange_n (&s->tid[i], &there, tid, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return (int) i;
	}
	return -1;
}

static struct ppi_sweep_chunk *make_chunk (const struct ppi_assertion *a, uint32_t tid)
{
	struct ppi_sweep_chunk *c =
		a->chunk == &a->spare.chunk ? NULL : ppi_region_alloc_marker (chunk_bytes (a));

	if (!c)
		return NULL;
	c->thread = tid;
	c->thresholds = a->sweep->thresholds;
	c->captures = a->n_captures;
	memcpy (c->threshold, a->sweep->threshold, sizeof c->threshold);
	ppi_region_publish (&c->chunk, PPI_CHUNK_SWEEP, a->chunk->chunk.id);
	return c;
}

static struct ppi_sweep_chunk *chunk_of (struct ppi_assertion *a, uint32_t tid)
{
	int place = place_of (a->sweep, tid);

	if (place < 0)
		return NULL;
	if (!a->sweep->chunk[place])
		a->sweep->chunk[place] = make_chunk (a, tid);
	return a->sweep->chunk[place];
}

static bool holds (uint8_t comparison, double left, double right)
{
	switch (comparison) {
	case PPI_NODE_LT:
		return left < right;
	case PPI_NODE_LE:
		return left <= right;
	case PPI_NODE_GT:
		return left > right;
	default:
		return left >= right;
	}
}

void ppi_sweep_add (struct ppi_assertion *a, struct ppi_thread *thread, pp_site *site,
		    const struct ppi_verdict *verdict)
{
	double base = verdict->right / a->program->factor;
	const struct ppi_sweeping *sweep = a->sweep;
	struct ppi_captured captured[PPI_CAPTURES];
	struct ppi_sweep_chunk *c;

	if (!(base > 0) || !isfinite (base))
		return;
	c = chunk_of (a, (uint32_t) ppi_thread_id (thread));
	if (!c)
		return; /* the region counts what it has no room for */
	ppi_assertion_capture (a, thread, site, captured);
	ppi_store (&c->checks, c->checks + 1);
	/* the chunk says how long it is to readers; what decides here is the assertion's own */
	for (uint32_t i = 0; i < sweep->thresholds; i++) {
		bool violates =
			!holds (a->program->comparison, verdict->left, sweep->threshold[i] * base);

		if (violates)
			ppi_store (&c->violations[i], c->violations[i] + 1);
		for (uint32_t k = 0; k < a->n_captures; k++)
			ppi_contrast_add (&c->contrast[i * a->n_captures + k], violates,
					  captured[k].value, 1);
	}
}
