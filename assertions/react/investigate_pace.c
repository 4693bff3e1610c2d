/* SPDX-License-Identifier: MIT */
/*
 * investigate_pace.c: an investigation within a budget: how much it binds at a time, and when it
 * pauses. See investigate.h.
 */
#include "assertions/engine/post.h"
#include "assertions/engine/ring.h"
#include "assertions/react/budget.h"
#include "assertions/react/investigate.h"
#include "libmetrics/cost/cost.h"

#include <math.h>

#define UNKNOWN_SAMPLED_S                                                                          \
	60e-9 /* of an execution, with its check, where this machine's can't be measured */
#define UNKNOWN_SKIPPED_S 2e-9
#define EVERY_MOST 511u
#define IDLE                                                                                       \
	0.01 /* of the time: a thread that has less is as if it had that, as for the budget (overhead.c) */

void ppi_pace_begin (struct ppi_investigation *v, uint64_t now_ns)
{
	v->pace = (struct ppi_pace){.most = PPI_CULPRIT_BATCH,
				    .every = 1,
				    .looked_ns = now_ns,
				    .others = ppi_budget_share ()};
}

/*
 * The share of a thread's time that is left for it; NaN: there is no limit. What else is measured
 * may take all of it: then it has a fifth.
 */
static double room_of (const struct ppi_investigation *v)
{
	double budget = ppi_budget_limit (), left = PPI_BUDGET_FORESEEN * budget - v->pace.others;

	if (!(budget > 0))
		return v->is_often ? PPI_CULPRIT_ROOM : NAN;
	return left < 0.2 * budget ? 0.2 * budget : left;
}

/* What an execution costs just now: the first of the batch stands for all. */
static void price (struct ppi_pace *pace, const struct ppi_investigation *v)
{
	struct ppi_cost cost;

	if (pace->sampled_s > 0)
		return;
	if (!v->n_bound || !ppi_cost_at (v->probe, v->batch[0], &cost))
		cost = (struct ppi_cost){.sampled_s = UNKNOWN_SAMPLED_S,
					 .skipped_s = UNKNOWN_SKIPPED_S};
	pace->sampled_s = cost.sampled_s;
	pace->skipped_s = cost.skipped_s;
}

/*
 * What the thread of cell I has paid for the batch since the last look; it gets what the time since
 * then is worth.
 */
static double settle_one (struct ppi_investigation *v, unsigned i, double room, uint64_t now_ns)
{
	const struct ppi_culprit_cell *cell = &v->cell[i];
	struct ppi_pace_account *a = &v->pace.account[i];
	uint32_t parts = ppi_load (&cell->parts), around = ppi_load (&cell->around);
	uint64_t cpu_ns = ppi_thread_cpu_ns (ppi_load (&cell->tid));
	double bank_s = room * (double) PPI_PACE_BANK_NS * 1e-9,
	       dt_s = (double) (now_ns - v->pace.looked_ns) * 1e-9;
	double ran_s = a->cpu_ns && cpu_ns > a->cpu_ns ? (double) (cpu_ns - a->cpu_ns) * 1e-9 : 0;
	double paid_s =
		(parts - a->parts) * (v->pace.sampled_s + (v->pace.every - 1) * v->pace.skipped_s);
	double around_s = (around - a->around) * v->pace.sampled_s;

	if (!a->cpu_ns)
		a->credit_s = bank_s;
	if (ran_s < IDLE * dt_s)
		ran_s = IDLE * dt_s;
	a->credit_s += room * ran_s - paid_s - around_s;
	if (a->credit_s > bank_s)
		a->credit_s = bank_s;
	a->cpu_ns = cpu_ns ? cpu_ns : 1;
	a->parts = parts;
	a->around = around;
	/* one that has ended pays no more */
	if (!cpu_ns)
		a->credit_s = bank_s;
	return paid_s;
}

/* The least that a thread has left, as a part of what it may have at most. */
static double settle (struct ppi_investigation *v, double room, uint64_t now_ns)
{
	double bank_s = room * (double) PPI_PACE_BANK_NS * 1e-9, least_s = bank_s, most_paid_s = 0;

	price (&v->pace, v);
	for (unsigned i = 0; i < PPI_CULPRIT_THREADS; i++) {
		struct ppi_pace_account *a = &v->pace.account[i];
		double paid_s;

		if (!ppi_load (&v->cell[i].tid))
			continue;
		paid_s = settle_one (v, i, room, now_ns);
		most_paid_s = paid_s > most_paid_s ? paid_s : most_paid_s;
		if (v->pace.is_urged && !v->pace.is_paused)
			a->credit_s = -bank_s;
		least_s = a->credit_s < least_s ? a->credit_s : least_s;
	}
	v->pace.spent_s += most_paid_s;
	v->pace.looked_ns = now_ns;
	v->pace.is_urged = false;
	return least_s / bank_s;
}

static void stop_measuring (struct ppi_investigation *v, uint64_t now_ns)
{
	__atomic_store_n (&v->phase, 0, __ATOMIC_RELEASE);
	ppi_culprits_unbind (v, true);
	v->is_waiting = false;
	v->pace.is_paused = v->pace.is_slower = true;
	v->pace.since_ns = now_ns;
}

/*
 * Too many for what there is: no execution was whole, or far more was spent at once. What S and the
 * path take no smaller batch would save.
 */
static bool was_too_much (struct ppi_investigation *v, double room)
{
	double bank_s = room * (double) PPI_PACE_BANK_NS * 1e-9;

	return (v->pace.spent_s > bank_s / 2 &&
		(v->is_fresh || v->pace.executions == v->pace.before)) ||
	       v->pace.spent_s > 2 * bank_s;
}

/*
 * The next burst is of less. False: it is one interval that is too dear even where it is sampled.
 */
static bool narrow (struct ppi_investigation *v)
{
	uint32_t half = v->n_batch / 2;

	v->is_fresh = true;
	v->phase_ns = v->pace.since_ns;
	if (v->n_batch > 1) {
		if (!v->is_measuring)
			v->next_candidate -= v->n_batch - half;
		v->n_batch = v->pace.most = half;
		v->is_whole = false;
		return true;
	}
	v->pace.every = v->pace.every == 1 ? 7 : v->pace.every * 4 + 3;
	if (v->n_batch && v->pace.every <= EVERY_MOST)
		return true;
	if (v->n_batch && v->pace.too_dear < PPI_CULPRIT_BATCH)
		v->pace.dear[v->pace.too_dear] = v->batch[0];
	v->pace.too_dear += v->n_batch;
	return false;
}

bool ppi_pace_is_dear (const struct ppi_investigation *v, const pp_site *site)
{
	for (unsigned i = 0; i < v->pace.too_dear && i < PPI_CULPRIT_BATCH; i++)
		if (v->pace.dear[i] == site)
			return true;
	return false;
}

void ppi_pace_next_round (struct ppi_investigation *v)
{
	uint32_t more = v->pace.most * 2;

	v->pace.every = 1;
	v->pace.most = more < PPI_CULPRIT_BATCH ? more : PPI_CULPRIT_BATCH;
}

/* The rest of the phase; the time that passed meanwhile is nobody's. */
static enum ppi_pace_result resume (struct ppi_investigation *v, uint64_t now_ns)
{
	uint64_t paused_ns = now_ns - v->pace.since_ns;

	v->pace.is_paused = false;
	v->pace.paused_ns += paused_ns;
	v->pace.spent_s = 0;
	v->pace.before = v->is_fresh ? 0 : v->pace.executions;
	v->level_ns += paused_ns;
	v->phase_ns += paused_ns;
	return ppi_culprits_bind_batch (v, true) ? PPI_PACE_ON : PPI_PACE_GONE;
}

/* Nothing is paid for what was until now. */
static void begin_accounts (struct ppi_investigation *v, uint64_t now_ns)
{
	for (unsigned i = 0; i < PPI_CULPRIT_THREADS; i++)
		v->pace.account[i] =
			(struct ppi_pace_account){.parts = ppi_load (&v->cell[i].parts),
						  .around = ppi_load (&v->cell[i].around)};
	v->pace.looked_ns = now_ns;
}

enum ppi_pace_result ppi_pace_look (struct ppi_investigation *v, uint64_t now_ns)
{
	double room = room_of (v), left;
	bool too_much;

	if (!(room > 0)) { /* no budget, perhaps no more */
		begin_accounts (v, now_ns);
		return v->pace.is_paused ? resume (v, now_ns) : PPI_PACE_ON;
	}
	left = settle (v, room, now_ns);
	if (v->pace.is_paused)
		return left >= 0.5 ? resume (v, now_ns) : PPI_PACE_PAUSED;
	if (left >= 0)
		return PPI_PACE_ON;
	too_much = was_too_much (v, room);
	stop_measuring (v, now_ns);
	return too_much && !narrow (v) ? PPI_PACE_TOO_DEAR : PPI_PACE_PAUSED;
}

void ppi_pace_wait (struct ppi_investigation *v, uint64_t now_ns)
{
	double bank_s = room_of (v) * (double) PPI_PACE_BANK_NS * 1e-9;

	for (unsigned i = 0; i < PPI_CULPRIT_THREADS; i++)
		if (ppi_load (&v->cell[i].tid) && v->pace.account[i].credit_s < bank_s / 2) {
			stop_measuring (v, now_ns);
			return;
		}
}
