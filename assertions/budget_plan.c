/* SPDX-License-Identifier: MIT */
/* budget_plan.c: what is sampled more seldom, unbound and taken back; budget.h says by which rules. */
#include "budget.h"

#include <stdlib.h>

#define FORESEEN_MOST 0.8 /* of the budget */
#define EASE_BELOW 0.6    /* likewise */
#define GAIN_LEAST 0.05   /* of what a binding costs, for doubling its `every` */
#define SHARE_LEAST 1e-4  /* of the budget: what costs less is not worth a change */
#define EVERY_MOST (UINT32_C (1) << 30)

static uint32_t factor_of (const struct ppi_charge *c)
{
	return c->now.factor ? c->now.factor : 1;
}

/* Of one execution when one in C's `every` × FACTOR is sampled. */
static double execution_s (const struct ppi_charge *c, uint32_t factor)
{
	double every = (double) c->every * factor;

	return (c->sampled_s + (every - 1) * c->skipped_s) / every;
}

/* Its share with another factor. */
static double share_with (const struct ppi_charge *c, uint32_t factor)
{
	double now_s = execution_s (c, factor_of (c));

	return now_s > 0 ? c->share * execution_s (c, factor) / now_s : c->share;
}

static int by_share (const void *a, const void *b)
{
	const struct ppi_charge *x = a, *y = b;

	return x->share > y->share ? -1 : x->share < y->share;
}

/* Doubles its `every` if that is of use. What is saved; 0: it is as it was. */
static double raise_one (struct ppi_charge *c)
{
	uint32_t factor = factor_of (c) * 2;
	double share;

	if (c->now.unbound || factor > PPI_BUDGET_FACTOR_MOST || (uint64_t) c->every * factor > EVERY_MOST)
		return 0;
	share = share_with (c, factor);
	if (c->share - share < GAIN_LEAST * c->share)
		return 0;
	share = c->share - share;
	c->share -= share;
	c->now.factor = factor;
	return share;
}

/* The dearest first: all whose share is half of the largest, then half of that, and so on. */
static double raise_dearest (struct ppi_charge *charges, size_t n, double share, double limit)
{
	double from = n ? charges[0].share : 0;

	while (share > FORESEEN_MOST * limit && from > SHARE_LEAST * limit) {
		bool any = false;

		for (size_t i = 0; i < n && share > FORESEEN_MOST * limit; i++) {
			double saved = charges[i].share >= from / 2 ? raise_one (&charges[i]) : 0;

			share -= saved;
			any |= saved > 0;
		}
		if (!any)
			from /= 2;
	}
	return share;
}

static void unbind_one (struct ppi_charge *c, uint64_t now_ns)
{
	uint64_t hold_ns = c->now.hold_ns ? c->now.hold_ns * 2 : PPI_BUDGET_HOLD_NS;

	c->now.unbound = true;
	c->now.share = c->share;
	c->now.hold_ns = hold_ns < PPI_BUDGET_HOLD_MOST_NS ? hold_ns : PPI_BUDGET_HOLD_MOST_NS;
	c->now.again_ns = now_ns + c->now.hold_ns;
	c->share = 0;
}

struct ppi_budget_done ppi_budget_tighten (struct ppi_charge *charges, size_t n, double share, double limit,
					   uint64_t now_ns)
{
	struct ppi_budget_done done = {.foreseen = share};

	qsort (charges, n, sizeof *charges, by_share);
	for (size_t i = 0; i < n; i++)
		charges[i].was = charges[i].now.factor;
	done.foreseen = raise_dearest (charges, n, share, limit);
	if (done.foreseen > limit) {
		qsort (charges, n, sizeof *charges, by_share);
		for (size_t i = 0; i < n && done.foreseen > FORESEEN_MOST * limit; i++) {
			if (charges[i].now.unbound || charges[i].share <= 0)
				continue;
			done.foreseen -= charges[i].share;
			unbind_one (&charges[i], now_ns);
			done.taken++;
		}
	}
	for (size_t i = 0; i < n; i++)
		done.raised += charges[i].now.factor != charges[i].was && !charges[i].now.unbound;
	return done;
}

static int by_former_share (const void *a, const void *b)
{
	const struct ppi_charge *x = a, *y = b;

	return x->now.share > y->now.share ? 1 : x->now.share < y->now.share ? -1 : 0;
}

/* The cheapest first; what was foreseen then is what they cost before. One that would be too dear is tried when its time has come. */
static void restore (struct ppi_charge *charges, size_t n, double limit, uint64_t now_ns, struct ppi_budget_done *done)
{
	bool tried = false;

	qsort (charges, n, sizeof *charges, by_former_share);
	for (size_t i = 0; i < n; i++) {
		struct ppi_charge *c = &charges[i];
		bool fits = done->foreseen + c->now.share <= FORESEEN_MOST * limit;

		if (!c->now.unbound || (!fits && (tried || now_ns < c->now.again_ns)))
			continue;
		tried |= !fits;
		c->now.unbound = false;
		done->foreseen += fits ? c->now.share : 0;
		done->restored++;
	}
}

struct ppi_budget_done ppi_budget_ease (struct ppi_charge *charges, size_t n, double share, double limit,
					uint64_t now_ns)
{
	struct ppi_budget_done done = {.foreseen = share};

	for (size_t i = 0; i < n; i++)
		charges[i].was = charges[i].now.factor;
	if (share > EASE_BELOW * limit)
		return done;
	restore (charges, n, limit, now_ns, &done);
	qsort (charges, n, sizeof *charges, by_share);
	/* what nobody executes costs nothing at any rate; the cheapest first */
	for (size_t i = n; i-- > 0;) {
		struct ppi_charge *c = &charges[i];
		double more = factor_of (c) > 1 ? share_with (c, factor_of (c) / 2) - c->share : 0;

		if (factor_of (c) == 1 || c->now.unbound || done.foreseen + more > FORESEEN_MOST * limit)
			continue;
		done.foreseen += more;
		c->now.factor = factor_of (c) / 2;
		done.eased++;
	}
	return done;
}
