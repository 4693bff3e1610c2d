/* SPDX-License-Identifier: MIT */
/*
 * investigate_feed.c: what markers do for an investigation: no lock, no allocation. See
 * investigate.h.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/link.h"
#include "assertions/engine/post.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/ring.h"
#include "assertions/react/investigate.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/stats/stat.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/thread_life.h"

#include <math.h>
#include <string.h>

#define BUCKET 16u /* places in which a thread has its cell */

static struct ppi_culprit_cell *cell_of (struct ppi_investigation *v, uint32_t tid)
{
	uint32_t from = tid * BUCKET % PPI_CULPRIT_THREADS;

	for (uint32_t i = from; i < from + BUCKET; i++) {
		uint32_t there = ppi_load (&v->cell[i].tid);

		if (there == tid)
			return &v->cell[i];
		/*
		 * relaxed: it only shares cells out; what is in one only its thread reads and
		 * writes
		 */
		if (!there && __atomic_compare_exchange_n (&v->cell[i].tid, &there, tid, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return &v->cell[i];
	}
	return NULL;
}

static void miss (struct ppi_investigation *v)
{
	__atomic_fetch_add (&v->missed, 1, __ATOMIC_RELAXED);
}

void ppi_culprit_part (struct ppi_check *check, struct ppi_thread *thread, pp_site *site)
{
	struct ppi_culprit_check *c = (struct ppi_culprit_check *) check;
	struct ppi_investigation *v = c->of;
	struct ppi_culprit_cell *cell;
	double value;

	/* acquire: with the number comes the parent of that phase */
	if (!ppi_load (ppi_assertions_alive) ||
	    __atomic_load_n (&v->phase, __ATOMIC_ACQUIRE) != c->phase)
		return;
	cell = cell_of (v, (uint32_t) ppi_thread_id (thread));
	if (!cell)
		return;
	/*
	 * what is bound here may run very often, inside of S or elsewhere: the owner ends the phase
	 * then, or pauses
	 */
	ppi_store (&cell->parts, cell->parts + 1);
	if (cell->parts % 1024 == 0)
		__atomic_fetch_add (&v->parts, 1024, __ATOMIC_RELAXED);
	/* an execution of S that began before this phase is not a whole one */
	if (cell->phase != c->phase ||
	    !ppi_thread_is_inside (thread, ppi_load (&v->parent), v->site))
		return;
	/* its frame may be older than the probe there */
	if (!ppi_thread_sampled (thread, v->probe, site))
		return;
	value = ppi_thread_stat (thread, v->probe, site, PP_STAT_LAST);
	if (!isfinite (value))
		return;
	cell->part[c->number] += value * c->every;
	cell->samples++;
}

void ppi_culprit_around (struct ppi_check *check, struct ppi_thread *thread, pp_site *site)
{
	struct ppi_investigation *v = ((struct ppi_culprit_check *) check)->of;
	struct ppi_culprit_cell *cell;

	(void) site;
	if (!ppi_load (ppi_assertions_alive))
		return;
	cell = cell_of (v, (uint32_t) ppi_thread_id (thread));
	if (cell)
		ppi_store (&cell->around, cell->around + 1);
}

static void add (struct ppi_culprit_sums *sums, double whole, const struct ppi_culprit_cell *cell)
{
	sums->executions++;
	sums->whole += whole;
	sums->samples += cell->samples;
	for (uint32_t i = 0; i < PPI_CULPRIT_BATCH; i++)
		sums->part[i] += cell->part[i];
}

static bool take_flag (struct ppi_investigation *v)
{
	/* acquire pairs with the release below: the sums are as the last holder left them */
	return !ppi_load (&v->busy) && !__atomic_exchange_n (&v->busy, 1, __ATOMIC_ACQUIRE);
}

static void give_flag (struct ppi_investigation *v)
{
	__atomic_store_n (&v->busy, 0, __ATOMIC_RELEASE);
}

void ppi_culprit_whole (struct ppi_check *check, struct ppi_thread *thread, pp_site *site)
{
	struct ppi_culprit_check *c = (struct ppi_culprit_check *) check;
	struct ppi_investigation *v = c->of;
	uint32_t phase = __atomic_load_n (&v->phase, __ATOMIC_ACQUIRE);
	struct ppi_culprit_cell *cell;
	struct ppi_at at = {thread, site, v->statics};
	double outcome, whole;
	bool is_whole;

	if (!ppi_load (ppi_assertions_alive) || !phase || site != v->site ||
	    ppi_thread_is_inside (thread, NULL, site))
		return;
	cell = cell_of (v, (uint32_t) ppi_thread_id (thread));
	if (!cell) {
		miss (v);
		return;
	}
	ppi_store (&cell->around, cell->around + 1);
	is_whole = cell->phase == phase && ppi_assertion_has_news (v->assertion, thread, site) &&
		   ppi_thread_sampled (thread, v->probe, site);
	cell->phase = phase;
	whole = ppi_thread_stat (thread, v->probe, site, PP_STAT_LAST);
	outcome = is_whole && isfinite (whole)
			  ? ppi_program_run (v->assertion->program, ppi_load_at, &at).value
			  : NAN;
	if (isfinite (outcome) && !take_flag (v)) {
		miss (v);
	} else if (isfinite (outcome)) {
		if (ppi_load (&v->phase) == phase)
			add (outcome > 0.5 ? &v->fast : &v->slow, whole, cell);
		give_flag (v);
	}
	memset (cell->part, 0, sizeof cell->part);
	cell->samples = 0;
}

bool ppi_culprit_take (struct ppi_investigation *v, struct ppi_culprit_sums *slow,
		       struct ppi_culprit_sums *fast)
{
	if (!take_flag (v))
		return false;
	*slow = v->slow;
	*fast = v->fast;
	give_flag (v);
	return true;
}

bool ppi_culprit_reset (struct ppi_investigation *v, uint32_t phase, pp_site *parent, bool fresh)
{
	/*
	 * no phase first: who takes the flag after this sees it, so nothing of the old one is added
	 * to the new sums
	 */
	__atomic_store_n (&v->phase, 0, __ATOMIC_RELEASE);
	if (!take_flag (v))
		return false;
	if (fresh) {
		memset (&v->slow, 0, sizeof v->slow);
		memset (&v->fast, 0, sizeof v->fast);
	}
	give_flag (v);
	ppi_store (&v->parent, parent);
	if (fresh)
		ppi_store (&v->parts, 0);
	__atomic_store_n (&v->phase, phase, __ATOMIC_RELEASE);
	return true;
}
