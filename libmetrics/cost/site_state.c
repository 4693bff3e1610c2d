/* SPDX-License-Identifier: MIT */
/*
 * site_state.c: what readers of the region are told of how sites' markers work just now, and what
 * they cost.
 */
#include "libmetrics/cost/site_state.h"

#include "base/atomic.h"
#include "libmetrics/code/block.h"
#include "libmetrics/cost/cost.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "recording/layout.h"

static enum ppi_site_way way_of (const struct ppi_plan *plan)
{
	if (!plan || !plan->n_all)
		return PPI_WAY_NONE;
	if (plan->general)
		return PPI_WAY_GENERAL;
	if (plan->light != PPI_LIGHT_NONE)
		return PPI_WAY_LIGHT;
	return plan->n_quick ? PPI_WAY_QUICK : PPI_WAY_PLAIN;
}

static uint32_t in_blocks (const struct pp_site *s)
{
	uint32_t n = 0;

	for (const struct ppi_copy *c = s->copies; c; c = c->next)
		for (uint32_t i = 0; i < c->n_markers; i++)
			n += ppi_block_runs (&c->markers[i]);
	return n;
}

static void note (const struct pp_site *s)
{
	const struct ppi_plan *plan = ppi_load (&s->plan);
	bool bound = plan && plan->n_all;
	const struct ppi_cost *known, *records;
	struct ppi_site_chunk *c = s->chunk;
	struct ppi_cost cost;

	ppi_store (&c->way, way_of (plan));
	ppi_store (&c->in_blocks, bound ? in_blocks (s) : 0);
	/* what was recorded has what it cost in it still */
	if (!bound)
		return;
	known = ppi_cost_known (plan);
	cost = known ? *known : (struct ppi_cost){0};
	records = ppi_cost_of_records_known (plan);
	if (records) {
		cost.inside_s = records->inside_s;
		cost.sampled_s += records->sampled_s;
	}
	__atomic_store (&c->inside_s, &cost.inside_s, __ATOMIC_RELAXED);
	__atomic_store (&c->sampled_s, &cost.sampled_s, __ATOMIC_RELAXED);
	__atomic_store (&c->skipped_s, &cost.skipped_s, __ATOMIC_RELAXED);
}

void ppi_sites_note (void)
{
	for (const struct pp_site *s = ppi_site_first (); s; s = s->next)
		if (s->chunk)
			note (s);
}
