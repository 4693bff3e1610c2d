/* SPDX-License-Identifier: MIT */
/*
 * violating.c: see violating.h.
 *
 *   sampler ──► ppi_looked_ns        check is violated: did it begin before the newest look?
 *                                       no: no sample can be in it, and nothing is kept
 *                                       yes ──► ring of the assertion ──► recording
 *
 * So there is an entry for a look at most in each thread, however many executions are violated, and
 * none at all while nobody samples.
 */
#include "assertions/engine/violating.h"
#include "assertions/engine/assertion.h"
#include "assertions/engine/seen.h"
#include "base/atomic.h"
#include "base/profile.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/region/region.h"

void ppi_violating_saw (const struct ppi_thread *thread, const pp_site *site, struct ppi_seen *seen)
{
	/* begin_ns is made from ticks, which is not exact: a sample at the very edge is either's */
	uint64_t looked_ns = ppi_load (&ppi_looked_ns);

	if (!looked_ns || !ppi_thread_execution (thread, site, &seen->execution) ||
	    seen->execution.begin_ns > looked_ns)
		seen->execution.thread = 0;
}

static size_t chunk_bytes (void)
{
	return sizeof (struct ppi_violating_chunk) +
	       PPI_VIOLATING_ROOM * sizeof (struct ppi_execution);
}

static struct ppi_violating_chunk *make_chunk (const struct ppi_assertion *a)
{
	struct ppi_violating_chunk *c =
		a->chunk == &a->spare.chunk ? NULL : ppi_region_alloc_marker (chunk_bytes ());

	if (!c)
		return NULL; /* the region counts what it has no room for */
	c->room = PPI_VIOLATING_ROOM;
	ppi_region_publish (&c->chunk, PPI_CHUNK_VIOLATING, a->chunk->chunk.id);
	return c;
}

void ppi_violating_keep (struct ppi_assertion *a, const struct ppi_seen *seen)
{
	struct ppi_execution *e;

	if (!seen->execution.thread)
		return;
	if (!a->violating) {
		a->violating = make_chunk (a);
		a->n_violating = 0;
	}
	if (!a->violating)
		return;
	/* the chunk says how many to readers; what decides here is the assertion's own */
	e = &a->violating->execution[a->n_violating++ % PPI_VIOLATING_ROOM];
	ppi_store (&e->begin_ns, seen->execution.begin_ns);
	ppi_store (&e->end_ns, seen->execution.end_ns);
	ppi_store (&e->thread, seen->execution.thread);
	ppi_store (&e->site, seen->execution.site);
	__atomic_fetch_add (&ppi_told_apart, 1, __ATOMIC_RELAXED);
	/* release: a reader that sees the number sees the entry */
	__atomic_store_n (&a->violating->n, a->n_violating, __ATOMIC_RELEASE);
}

void ppi_violating_end (struct ppi_assertion *a)
{
	if (a->violating)
		ppi_region_retire (a->violating, chunk_bytes ());
	a->violating = NULL;
}
