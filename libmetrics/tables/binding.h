/* SPDX-License-Identifier: MIT */
/*
 * binding.h: metric × site. A binding exists from when it was first asked for; it is bound while
 * somebody asks for it.
 */
#ifndef PPI_TABLES_BINDING_H
#define PPI_TABLES_BINDING_H

#include "base/atomic.h"
#include "base/clock.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/throttle.h"
#include "recording/layout.h"

#include <pp.h>

struct ppi_window;

struct ppi_binding {
	uint32_t id; /* from 1; id - 1 is the slot of its shards */
	uint32_t users;
	uint32_t every;
	bool is_static; /* the source's own pragma is among its users */
	pp_metric *metric;
	pp_site *site;             /* NULL: pp_sample's */
	struct ppi_shard *retired; /* of threads that have ended */
	struct ppi_binding_chunk *chunk;
	struct ppi_binding *next_of_site, *next_of_metric;
	struct ppi_binding *next; /* all, newest first */
	struct ppi_op op;         /* as plans copy it */
	/*
	 * what holds the samples of the last seconds, one for each window of the metric; further
	 * ones of those (window.h)
	 */
	struct ppi_binding *windows;
	const struct ppi_window *window; /* of such a one; else NULL */
	struct ppi_throttle throttle;    /* overhead.c's */
	/*
	 * until when it was last kept from all samples, UINT64_MAX: it is, 0: never; of which epoch
	 * of the metric that is. Atomic
	 */
	uint64_t gap_ns;
	uint32_t gap_epoch;
	struct {
		uint32_t epoch;  /* the metric's at the last look */
		double sample_s; /* what a sample cost then, with those that were left out for it */
		/* since the look before: of the thread that paid most for this binding */
		double share;
	} load;
};

/* One execution in so many is sampled, all told. */
static inline uint32_t ppi_binding_every (const struct ppi_binding *b)
{
	uint32_t factor = ppi_load (&b->throttle.factor);
	uint64_t every = (uint64_t) ppi_load (&b->every) * (factor ? factor : 1);

	return every < 1u << 30 ? (uint32_t) every : 1u << 30;
}

/* Asked for, and not kept from it. */
static inline bool ppi_binding_is_on (const struct ppi_binding *b)
{
	return b->users && !b->throttle.unbound;
}

/*
 * Are there executions of the last NS (0: since start or reset) of which nobody knows, because it
 * was kept from all samples? Safe at markers.
 */
static inline bool ppi_binding_has_gap (const struct ppi_binding *b, uint64_t ns)
{
	uint64_t until = ppi_load (&b->gap_ns);

	if (!until || ppi_load (&b->gap_epoch) != ppi_load (b->op.epoch))
		return false;
	return !ns || until == UINT64_MAX || ppi_now_ns () - until < ns;
}

/*
 * Its chunk, if it has one, says what it is now: how often it is sampled, and what a budget has to
 * do with that. With the lock.
 */
static inline void ppi_binding_note (const struct ppi_binding *b)
{
	if (!b->chunk)
		return;
	ppi_store (&b->chunk->every, ppi_binding_every (b));
	ppi_store (&b->chunk->bound, ppi_binding_is_on (b));
	ppi_store (&b->chunk->asked, b->users ? ppi_load (&b->every) : 0);
	ppi_store (&b->chunk->kept_off, b->users && b->throttle.unbound);
}

#endif
