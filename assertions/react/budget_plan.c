/* SPDX-License-Identifier: MIT */
/*
 * budget_plan.c: what is sampled more seldom, unbound and taken back; budget.h says by which rules.
 */
#include "assertions/react/budget.h"

#include <stdlib.h>

#define FORESEEN_MOST PPI_BUDGET_FORESEEN
#define EASE_BELOW 0.6   /* likewise */
#define GAIN_LEAST 0.05  /* of what a binding costs, for doubling its `every` */
#define SHARE_LEAST 1e-4 /* of the budget: what costs less is not worth a change */
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

/* What a SHARE that C has with the factor OLD would be with another one. */
static double share_with (const struct ppi_charge *c, double share, uint32_t old, uint32_t factor)
{
	double old_s = execution_s (c, old);

	return old_s > 0 ? share * execution_s (c, factor) / old_s : share;
}

/* ---- what each thread pays ------------------------------------------------------------------- */

struct part {
	struct ppi_charge *charge;
	uint32_t thread; /* of struct threads */
	double share;    /* of the thread's time, by what is foreseen */
};

struct thread {
	size_t first, n; /* of the parts */
	double share;    /* their sum */
	double whole;    /* with what nothing can be done about */
};

struct threads {
	struct part *part; /* those of a thread together */
	size_t n_parts;
	struct thread *thread;
	size_t n;
};

static int by_binding (const void *a, const void *b)
{
	const struct ppi_charge *x = a, *y = b;

	return x->binding > y->binding ? 1 : -(x->binding < y->binding);
}

/* Sorts CHARGES. False: no memory. */
static bool gather (struct ppi_charge *charges, size_t n, const struct ppi_payment *payments,
		    size_t n_payments, struct threads *out)
{
	*out = (struct threads){.part = calloc (n_payments + 1, sizeof *out->part),
				.thread = calloc (n_payments + 1, sizeof *out->thread)};
	if (!out->part || !out->thread)
		return false;
	qsort (charges, n, sizeof *charges, by_binding);
	for (size_t i = 0; i < n_payments; i++) {
		const struct ppi_charge key = {.binding = payments[i].binding};
		struct ppi_charge *c =
			n ? bsearch (&key, charges, n, sizeof *charges, by_binding) : NULL;
		struct thread *t;

		if (!i || payments[i].thread != payments[i - 1].thread)
			out->thread[out->n++].first = out->n_parts;
		t = &out->thread[out->n - 1];
		t->whole += payments[i].share;
		if (!c)
			continue;
		out->part[out->n_parts++] =
			(struct part){c, (uint32_t) (out->n - 1), payments[i].share};
		t->share += payments[i].share;
		t->n++;
	}
	for (size_t i = 0; i < n; i++)
		charges[i].was = charges[i].now;
	return true;
}

static void scatter (struct threads *t)
{
	free (t->part);
	free (t->thread);
}

static int by_share (const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return x->share > y->share ? -1 : x->share < y->share;
}

/* ---- tightening ------------------------------------------------------------------------------ */

/* What another thread's share made be done about these bindings saves this one, too. */
static double foresee (struct part *part, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct ppi_charge *c = part[i].charge;

		if (c->now.unbound && !c->was.unbound)
			part[i].share = 0;
		else
			part[i].share = share_with (
				c, part[i].share, c->was.factor ? c->was.factor : 1, factor_of (c));
		sum += part[i].share;
	}
	return sum;
}

/* Doubles its `every` if that is of use. What is saved; 0: it is as it was. */
static double raise_one (struct part *part)
{
	struct ppi_charge *c = part->charge;
	uint32_t factor = factor_of (c) * 2;
	double saved;

	if (c->now.unbound || factor > PPI_BUDGET_FACTOR_MOST ||
	    (uint64_t) c->every * factor > EVERY_MOST)
		return 0;
	saved = part->share - share_with (c, part->share, factor_of (c), factor);
	if (saved < GAIN_LEAST * part->share)
		return 0;
	part->share -= saved;
	c->now.factor = factor;
	return saved;
}

/* The dearest first: all whose share is half of the largest, then half of that, and so on. */
static double raise_dearest (struct part *part, size_t n, double share, double limit)
{
	double from = n ? part[0].share : 0;

	while (share > FORESEEN_MOST * limit && from > SHARE_LEAST * limit) {
		bool any = false;

		for (size_t i = 0; i < n && share > FORESEEN_MOST * limit; i++) {
			double saved = part[i].share >= from / 2 ? raise_one (&part[i]) : 0;

			share -= saved;
			any |= saved > 0;
		}
		if (!any)
			from /= 2;
	}
	return share;
}

static void unbind_one (struct part *part, uint64_t now_ns)
{
	struct ppi_throttle *now = &part->charge->now;
	uint64_t hold_ns = now->hold_ns ? now->hold_ns * 2 : PPI_BUDGET_HOLD_NS;

	now->unbound = true;
	now->share = part->share;
	now->hold_ns = hold_ns < PPI_BUDGET_HOLD_MOST_NS ? hold_ns : PPI_BUDGET_HOLD_MOST_NS;
	now->again_ns = now_ns + now->hold_ns;
}

static void tighten_one (struct part *part, size_t n, double limit, bool may_unbind,
			 uint64_t now_ns)
{
	double share = foresee (part, n);

	if (share <= limit)
		return;
	qsort (part, n, sizeof *part, by_share);
	share = raise_dearest (part, n, share, limit);
	if (share <= limit)
		return;
	qsort (part, n, sizeof *part, by_share);
	for (size_t i = 0; i < n && share > FORESEEN_MOST * limit; i++) {
		const struct ppi_throttle *now = &part[i].charge->now;

		/* what was only tried again needs no second look */
		if (now->unbound || part[i].share <= 0 || (!may_unbind && !now->hold_ns))
			continue;
		share -= part[i].share;
		unbind_one (&part[i], now_ns);
	}
}

static int dearest_first (const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return x->share > y->share ? -1 : x->share < y->share;
}

struct ppi_budget_done ppi_budget_tighten (struct ppi_charge *charges, size_t n,
					   const struct ppi_payment *payments, size_t n_payments,
					   double limit, bool may_unbind, uint64_t now_ns)
{
	struct ppi_budget_done done = {0};
	struct threads threads;

	if (gather (charges, n, payments, n_payments, &threads)) {
		qsort (threads.thread, threads.n, sizeof *threads.thread, dearest_first);
		for (size_t i = 0; i < threads.n && threads.thread[i].share > limit; i++)
			tighten_one (&threads.part[threads.thread[i].first], threads.thread[i].n,
				     limit, may_unbind, now_ns);
		for (size_t i = 0; i < n; i++) {
			bool is_raised = charges[i].now.factor != charges[i].was.factor;

			done.taken += charges[i].now.unbound && !charges[i].was.unbound;
			done.raised += is_raised && !charges[i].now.unbound;
		}
	}
	scatter (&threads);
	return done;
}

/* ---- easing ---------------------------------------------------------------------------------- */

static int by_former_share (const void *a, const void *b)
{
	const struct ppi_charge *x = a, *y = b;

	return x->now.share > y->now.share ? 1 : x->now.share < y->now.share ? -1 : 0;
}

/*
 * The cheapest first; what was foreseen then is what they cost before. One that would be too dear
 * is tried when its time has come. Which threads will execute them nobody knows: the one that pays
 * most may. FORESEEN: what that pays. What they add.
 */
static double restore (struct ppi_charge *charges, size_t n, double foreseen, double limit,
		       uint64_t now_ns, struct ppi_budget_done *done)
{
	double added = 0;
	bool tried = false;

	qsort (charges, n, sizeof *charges, by_former_share);
	for (size_t i = 0; i < n; i++) {
		struct ppi_charge *c = &charges[i];
		bool fits = foreseen + added + c->now.share <= FORESEEN_MOST * limit;

		if (!c->now.unbound || (!fits && (tried || now_ns < c->now.again_ns)))
			continue;
		tried |= !fits;
		c->now.unbound = false;
		added += fits ? c->now.share : 0;
		done->restored++;
	}
	return added;
}

static int by_charge (const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return x->charge > y->charge ? 1 : -(x->charge < y->charge);
}

static int cheapest_first (const void *a, const void *b)
{
	const struct ppi_charge *x = *(struct ppi_charge *const *) a,
				*y = *(struct ppi_charge *const *) b;

	return x->share > y->share ? 1 : x->share < y->share ? -1 : 0;
}

/*
 * Halves its factor if all threads that execute it stay within the budget: PART, N of them. A
 * thread that has hardly room as it is gives none; what nobody executes is as if the one that pays
 * most did: HAS_ROOM.
 */
static bool ease_one (struct ppi_charge *c, struct threads *threads, const struct part *part,
		      size_t n, bool has_room, double limit)
{
	uint32_t old = factor_of (c), factor = old / 2;

	if (old == 1 || c->now.unbound || (!n && !has_room))
		return false;
	for (size_t i = 0; i < n; i++) {
		double more = share_with (c, part[i].share, old, factor) - part[i].share;
		const struct thread *t = &threads->thread[part[i].thread];

		if (t->whole > EASE_BELOW * limit || t->share + more > FORESEEN_MOST * limit)
			return false;
	}
	for (size_t i = 0; i < n; i++)
		threads->thread[part[i].thread].share +=
			share_with (c, part[i].share, old, factor) - part[i].share;
	c->now.factor = factor;
	return true;
}

/* The parts of C, of those sorted by charges. */
static const struct part *parts_of (const struct threads *threads, struct ppi_charge *c, size_t *n)
{
	const struct part key = {.charge = c}, *first = NULL,
			  *end = threads->part + threads->n_parts;

	*n = 0;
	if (threads->n_parts)
		first = bsearch (&key, threads->part, threads->n_parts, sizeof *threads->part,
				 by_charge);
	if (!first)
		return NULL;
	while (first > threads->part && first[-1].charge == c)
		first--;
	while (first + *n < end && first[*n].charge == c)
		++*n;
	return first;
}

/* The cheapest first. */
static unsigned ease (struct ppi_charge *charges, size_t n, struct threads *threads, bool has_room,
		      double limit)
{
	struct ppi_charge **order = calloc (n + 1, sizeof *order);
	unsigned eased = 0;

	qsort (threads->part, threads->n_parts, sizeof *threads->part, by_charge);
	for (size_t i = 0; order && i < n; i++)
		order[i] = &charges[i];
	if (order)
		qsort (order, n, sizeof *order, cheapest_first);
	for (size_t i = 0; order && i < n; i++) {
		size_t n_parts;
		const struct part *part = parts_of (threads, order[i], &n_parts);

		eased += ease_one (order[i], threads, part, n_parts, has_room, limit);
	}
	free (order);
	return eased;
}

struct ppi_budget_done ppi_budget_ease (struct ppi_charge *charges, size_t n,
					const struct ppi_payment *payments, size_t n_payments,
					double share, double limit, uint64_t now_ns)
{
	bool has_room = share <= EASE_BELOW * limit;
	struct ppi_budget_done done = {0};
	struct threads threads;
	double added = 0;

	if (has_room)
		added = restore (charges, n, share, limit, now_ns, &done);
	if (gather (charges, n, payments, n_payments, &threads)) {
		for (size_t i = 0; i < threads.n; i++)
			threads.thread[i].share = threads.thread[i].whole + added;
		done.eased = ease (charges, n, &threads, has_room, limit);
	}
	scatter (&threads);
	return done;
}
