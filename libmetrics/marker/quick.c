/* SPDX-License-Identifier: MIT */
/*
 * quick.c: proves that checks pass (quick.h). General registers only, no libc; the thread is
 * entered, so nobody else writes its shards.
 */
#include "libmetrics/marker/quick.h"

#include "base/atomic.h"
#include "base/twin.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"
#include "libmetrics/thread/thread.h"

#define PPI_INLINE static inline __attribute__ ((always_inline))

enum sign { IS_UNKNOWN, IS_NEGATIVE, IS_KNOWN };

/* A field that is not negative and fits; IS_NEGATIVE: one below 0. */
static enum sign read_field (const struct ppi_hot *h, const struct ppi_plan *plan,
			     struct ppi_quick_factor factor, uint64_t *out)
{
	const struct ppi_op *op = &plan->ops[factor.op];
	const struct ppi_shard *s;
	const struct ppi_moments *m;

	if (factor.field <= PPI_QUICK_ONE) {
		*out = factor.field;
		return IS_KNOWN;
	}
	s = ppi_hot_shard (h, op->slot);
	/* of before a reset there is nothing to be known */
	if (!s || !s->all.n || s->epoch != ppi_load (op->epoch))
		return IS_UNKNOWN;
	m = factor.field >= PPI_QUICK_WINDOW_N ? &((const struct ppi_series_shard *) s)->window
					       : &s->all;
	switch (factor.field) {
	case PPI_QUICK_LAST:
	case PPI_QUICK_MIN:
	case PPI_QUICK_MAX:
		*out = factor.field == PPI_QUICK_LAST  ? s->last
		       : factor.field == PPI_QUICK_MIN ? s->min
						       : s->max;
		return (int64_t) *out < 0 ? IS_NEGATIVE : IS_KNOWN;
	case PPI_QUICK_N:
	case PPI_QUICK_WINDOW_N:
		*out = m->n;
		return *out ? IS_KNOWN : IS_UNKNOWN;
	default:
		*out = m->sum[0];
		return m->sum[1] ? IS_UNKNOWN : IS_KNOWN;
	}
}

static enum sign multiply (const struct ppi_hot *h, const struct ppi_plan *plan,
			   const struct ppi_quick_factor factor[2], unsigned __int128 *out)
{
	uint64_t a, b;
	enum sign first = read_field (h, plan, factor[0], &a),
		  second = read_field (h, plan, factor[1], &b);

	/* the second one is a number or a count */
	if (first == IS_UNKNOWN || second != IS_KNOWN)
		return IS_UNKNOWN;
	*out = (unsigned __int128) a * b;
	return first;
}

static bool holds (const struct ppi_hot *h, const struct ppi_plan *plan,
		   const struct ppi_quick_term *term, uint64_t whole, uint64_t part)
{
	unsigned __int128 small, large, most;
	enum sign sign = multiply (h, plan, term->small, &small);

	if (sign == IS_UNKNOWN || multiply (h, plan, term->large, &large) != IS_KNOWN ||
	    large >> 64)
		return false;
	if (sign == IS_NEGATIVE)
		return true;
	most = large * whole + ((large * part) >> 64);
	return small <= most && (most || !term->is_strict);
}

static bool proves (const struct ppi_hot *h, const struct ppi_plan *plan, uint32_t which)
{
	const struct ppi_quick *quick = &plan->quick[which];
	const struct ppi_quick_ratios *r;
	/* acquire: the other word is not older */
	uint64_t idle = __atomic_load_n (&quick->tally->idle, __ATOMIC_ACQUIRE);

	if (idle != ppi_load (&quick->tally->shut))
		return false;
	/* acquire: whole; and not older than the gate, which was read before */
	r = __atomic_load_n (&plan->ratios[which], __ATOMIC_ACQUIRE);
	for (uint64_t i = 0; i < quick->n_terms; i++)
		if (!holds (h, plan, &quick->term[i], r->term[i].whole, r->term[i].part))
			return false;
	return true;
}

bool ppi_quick_pass (const struct ppi_hot *h, const struct ppi_plan *plan)
{
	struct ppi_shard *counts[PPI_QUICKS];

	/* handlers that interrupt a marker check nothing, nor does what a check calls */
	if (h->thread->owner || ppi_load (&h->thread->in_check))
		return false;
	for (uint32_t i = 0; i < plan->n_quick; i++) {
		counts[i] = ppi_hot_shard (h, plan->quick[i].tally->binding->op.slot);
		if (!counts[i] ||
		    (plan->quick[i].tally->has_looks && !ppi_load (&counts[i]->skip)) ||
		    !proves (h, plan, i))
			return false;
	}
	for (uint32_t i = 0; i < plan->n_quick; i++) {
		/* a pointer: readers have no use for it, and it is nobody else's to write */
		ppi_store (ppi_twin (&counts[i]->last), (uint64_t) (uintptr_t) plan->site);
		ppi_field_set (&counts[i]->all.n, ppi_field_get (&counts[i]->all.n) + 1);
		if (plan->quick[i].tally->has_looks)
			ppi_store (&counts[i]->skip, counts[i]->skip - 1);
	}
	return true;
}
