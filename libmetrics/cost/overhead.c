/* SPDX-License-Identifier: MIT */
/*
 * overhead.c: what the runtime's own markers cost the threads of the host.
 *
 * Nothing is counted for it at markers: a shard's n, times `every`, is how often its site was
 * executed, and what one execution costs is known (cost.c). So a look adds up, for each thread, the
 * samples since the last look × the cost of one, those that are left out for it included; that,
 * divided by the thread's CPU time since then, is the thread's share. What a sample costs changes
 * with what is bound at its site: a look charges by the costs at the look before. What each thread
 * paid for each binding is kept until the next look: what is done about one thread's share must be
 * done to what that thread pays for.
 */
#include "libmetrics/cost/overhead.h"

#include "base/atomic.h"
#include "base/clock.h"
#include "base/lock.h"
#include "libmetrics/cost/cost.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/tables/slots.h"
#include "libmetrics/thread/executions.h"
#include "libmetrics/thread/thread.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEAST_CPU_NS UINT64_C (1000000) /* of a thread whose share means something */

/* ---- threads --------------------------------------------------------------------------------- */

/* A thread of the host: its states, one more in handlers, together. */
struct payer {
	uint32_t tid;
	bool seen, is_new;
	uint64_t cpu_ns, was_ns; /* its clock at this look and at the last */
	double paid_s;           /* since then */
};

static struct payer *payers;
static size_t n_payers, room;
/* by a payer's id, from its hash on: its number + 1; 0: nobody's. At most half full */
static uint32_t *places;
static size_t places_room; /* a power of two, or 0 */
static bool has_looked;    /* since it was told to forget */
/* of the newest look; until it is over: seconds, of the number of a payer */
static struct ppi_payment *payments;
static size_t n_payments, payments_room;
static uint64_t (*replaced_cpu) (uint32_t tid);

void ppi_thread_cpu_set (uint64_t (*fn) (uint32_t tid))
{
	replaced_cpu = fn;
}

uint64_t ppi_thread_cpu_ns (uint32_t tid)
{
	struct timespec t;

	if (replaced_cpu)
		return replaced_cpu (tid);
	if (clock_gettime ((clockid_t) (~tid << 3 | 6), &t) < 0)
		return 0;
	return (uint64_t) t.tv_sec * UINT64_C (1000000000) + (uint64_t) t.tv_nsec;
}

/* The place of the payer TID, or where it would have its own. */
static uint32_t *place_of (uint32_t tid)
{
	size_t i = tid * UINT32_C (2654435769) & (places_room - 1);

	while (places[i] && payers[places[i] - 1].tid != tid)
		i = (i + 1) & (places_room - 1);
	return &places[i];
}

/* All payers have their places, and there is room for one more; false: no memory. */
static bool places_make (void)
{
	size_t wanted = places_room ? places_room : 32;

	while (wanted < 2 * (n_payers + 1))
		wanted *= 2;
	if (wanted != places_room) {
		free (places);
		places = malloc (wanted * sizeof (*places));
		places_room = places ? wanted : 0;
	}
	if (!places)
		return false;
	memset (places, 0, places_room * sizeof (*places));
	for (size_t i = 0; i < n_payers; i++)
		*place_of (payers[i].tid) = (uint32_t) i + 1;
	return true;
}

static bool has_room (void)
{
	struct payer *more;

	if (n_payers == room) {
		more = realloc (payers, (room ? room * 2 : 16) * sizeof (*more));
		if (!more)
			return false;
		payers = more;
		room = room ? room * 2 : 16;
	}
	return 2 * (n_payers + 1) <= places_room || places_make ();
}

/* NULL: no memory. */
static struct payer *payer_of (uint32_t tid)
{
	uint32_t at = places_room ? *place_of (tid) : 0;

	if (at)
		return &payers[at - 1];
	if (!has_room ())
		return NULL;
	/* one that came after a look is charged from its begin: it may be gone at the next */
	payers[n_payers] = (struct payer){.tid = tid, .is_new = !has_looked};
	*place_of (tid) = (uint32_t) ++n_payers;
	return &payers[n_payers - 1];
}

/* ---- a look ---------------------------------------------------------------------------------- */

/* A binding that is sampled now, or was at the last look. */
struct sampled {
	struct ppi_binding *binding;
	uint32_t slot, epoch;
	bool is_reset;      /* since the last look */
	double was_s, is_s; /* of one sample: at the last look, and now */
};

static double sample_s (const struct ppi_binding *b)
{
	unsigned i = 0;
	const struct ppi_plan *plan = ppi_binding_is_on (b) ? ppi_plan_with (b, &i) : NULL;
	const struct ppi_cost *cost = plan ? ppi_cost_of (plan) : NULL;

	if (!cost)
		return 0;
	return ppi_cost_part (plan, i) * (cost->sampled_s + ppi_cost_checks (plan) +
					  (ppi_binding_every (b) - 1.0) * cost->skipped_s);
}

/* NULL: none, or no memory. */
static struct sampled *all_sampled (size_t *n)
{
	struct sampled *all;
	size_t most = 0;

	for (const struct ppi_binding *b = ppi_binding_first (); b; b = b->next)
		most += b->site && (b->users || b->load.sample_s > 0);
	all = calloc (most + 1, sizeof (*all));
	*n = 0;
	/*
	 * calibrating makes hidden bindings, in front of the list: they are not met; but those of
	 * counts of assertions, which have no metric
	 */
	for (struct ppi_binding *b = ppi_binding_first (); all && b && *n < most; b = b->next) {
		uint32_t epoch;

		if (!b->site || !(b->users || b->load.sample_s > 0))
			continue;
		epoch = ppi_load (&b->metric->epoch);
		all[(*n)++] = (struct sampled){
			b,           b->op.slot, epoch, epoch != b->load.epoch, b->load.sample_s,
			sample_s (b)};
	}
	return all;
}

/*
 * The samples that a shard was given since the last look; notes that they were looked at. Its 32
 * bits are enough for a tenth of a second. Where there are fewer than before (a reset, another
 * thread's samples since) it began anew.
 */
static uint64_t new_samples (const struct ppi_shard *shard, const struct sampled *of)
{
	struct ppi_shard *s = (struct ppi_shard *) (uintptr_t) shard;
	uint64_t n = ppi_load (&s->epoch) == of->epoch ? ppi_load (&s->all.n) : 0;
	uint32_t more = (uint32_t) n - (of->is_reset ? 0 : ppi_load (&s->charged));

	ppi_store (&s->charged, (uint32_t) n);
	return more <= INT32_MAX ? more : n <= INT32_MAX ? n : 0;
}

static void note_payment (size_t payer, struct ppi_binding *b, double paid_s)
{
	struct ppi_payment *more;

	if (n_payments == payments_room) {
		more = realloc (payments,
				(payments_room ? payments_room * 2 : 64) * sizeof (*more));
		if (!more) /* it counts for the thread all the same */
			return;
		payments = more;
		payments_room = payments_room ? payments_room * 2 : 64;
	}
	payments[n_payments++] =
		(struct ppi_payment){.thread = (uint32_t) payer, .binding = b, .share = paid_s};
}

static void charge_thread (const struct ppi_thread *t, struct sampled *all, size_t n)
{
	uint32_t tid = __atomic_load_n (&t->id, __ATOMIC_RELAXED);
	struct payer *p = ppi_load (&t->state) == PPI_THREAD_USED && tid ? payer_of (tid) : NULL;

	if (!p)
		return;
	p->seen = true;
	for (size_t i = 0; i < n; i++) {
		const struct ppi_shard *s = ppi_thread_shard (t, all[i].slot);
		double paid_s = s ? (double) new_samples (s, &all[i]) * all[i].was_s : 0;

		if (!(paid_s > 0) || !has_looked)
			continue;
		p->paid_s += paid_s;
		note_payment ((size_t) (p - payers), all[i].binding, paid_s);
	}
}

/* CPU time since the last look, as seconds; NAN: it means nothing. */
static double cpu_s_of (const struct payer *p)
{
	bool is_known = p->seen && p->cpu_ns && !p->is_new && p->cpu_ns >= p->was_ns + LEAST_CPU_NS;

	return is_known ? (double) (p->cpu_ns - p->was_ns) * 1e-9 : NAN;
}

static int by_thread (const void *a, const void *b)
{
	const struct ppi_payment *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread > y->thread ? 1 : -1;
	return x->binding > y->binding ? 1 : -(x->binding < y->binding);
}

/*
 * From seconds to shares, each binding once for each thread; those of threads whose CPU time says
 * nothing are left out.
 */
static void settle_payments (void)
{
	size_t kept = 0;

	if (n_payments)
		qsort (payments, n_payments, sizeof (*payments), by_thread);
	for (size_t i = 0; i < n_payments; i++) {
		struct ppi_payment p = payments[i];

		p.share /= cpu_s_of (&payers[p.thread]);
		p.thread = payers[p.thread].tid;
		if (isnan (p.share))
			continue;
		if (kept && payments[kept - 1].thread == p.thread &&
		    payments[kept - 1].binding == p.binding)
			payments[kept - 1].share += p.share;
		else
			payments[kept++] = p;
	}
	n_payments = kept;
	for (size_t i = 0; i < kept; i++)
		if (payments[i].share > payments[i].binding->load.share)
			payments[i].binding->load.share = payments[i].share;
}

/* The largest share; those of threads that have ended are forgotten. */
static double settle_threads (void)
{
	double largest = NAN;
	size_t kept = 0;

	for (size_t i = 0; i < n_payers; i++)
		payers[i].cpu_ns = payers[i].seen ? ppi_thread_cpu_ns (payers[i].tid) : 0;
	settle_payments ();
	for (size_t i = 0; i < n_payers; i++) {
		double share = payers[i].paid_s / cpu_s_of (&payers[i]);

		if (!isnan (share))
			largest = share <= largest ? largest : share;
		if (payers[i].cpu_ns)
			payers[kept++] =
				(struct payer){.tid = payers[i].tid, .was_ns = payers[i].cpu_ns};
	}
	n_payers = kept;
	return largest;
}

double ppi_overhead_look (void)
{
	struct sampled *all;
	double share;
	size_t n;

	ppi_lock_look ();
	n_payments = 0;
	if (!ppi_region_header ())
		return NAN;
	all = all_sampled (&n);
	if (!all || !places_make ()) {
		free (all);
		return NAN;
	}
	for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next)
		charge_thread (t, all, n);
	for (size_t i = 0; i < n; i++) {
		all[i].binding->load.sample_s = all[i].is_s;
		all[i].binding->load.epoch = all[i].epoch;
		all[i].binding->load.share = 0;
	}
	share = settle_threads ();
	has_looked = true;
	free (all);
	return share;
}

const struct ppi_payment *ppi_overhead_payments (size_t *n)
{
	*n = n_payments;
	return payments;
}

void ppi_overhead_forget (void)
{
	n_payers = n_payments = 0;
	has_looked = false;
	for (struct ppi_binding *b = ppi_binding_first (); b; b = b->next)
		b->load.sample_s = 0;
}

/* ---- throttling ------------------------------------------------------------------------------ */

struct ppi_charge *ppi_overhead_charges (size_t *n)
{
	struct ppi_charge *all;
	size_t most = 0;

	*n = 0;
	for (const struct ppi_binding *b = ppi_binding_first (); b; b = b->next)
		most += b->site && b->users;
	all = most ? calloc (most, sizeof (*all)) : NULL;
	for (struct ppi_binding *b = ppi_binding_first (); all && b && *n < most; b = b->next) {
		struct ppi_charge *c = &all[*n];
		const struct ppi_plan *plan;
		const struct ppi_cost *cost;
		unsigned i = 0;

		/* what the code itself measures can't be kept from it */
		if (!b->site || !b->users || (b->site->flags & PP_ABI_SITE_INLINE))
			continue;
		*c = (struct ppi_charge){.binding = b,
					 .metric = b->metric->spec.name,
					 .site = b->site->full,
					 .every = b->every,
					 .now = b->throttle,
					 .share = b->load.share};
		plan = ppi_plan_with (b, &i);
		cost = plan ? ppi_cost_of (plan) : NULL;
		c->alone = plan && plan->n_ops == 1;
		if (cost) {
			c->sampled_s = (cost->sampled_s + ppi_cost_checks (plan)) *
				       ppi_cost_part (plan, i);
			c->skipped_s = cost->skipped_s * ppi_cost_part (plan, i);
		}
		++*n;
	}
	return all;
}

void ppi_overhead_throttled (void)
{
	for (struct ppi_binding *b = ppi_binding_first (); b; b = b->next)
		if (b->site && b->load.sample_s > 0)
			b->load.sample_s = sample_s (b);
}

void ppi_overhead_release (unsigned *eased, unsigned *restored)
{
	const struct ppi_throttle none = {0};

	*eased = *restored = 0;
	ppi_batch_begin ();
	for (struct ppi_binding *b = ppi_binding_first (); b; b = b->next) {
		if (!b->throttle.unbound && !b->throttle.factor)
			continue;
		/* also where nobody asks for it just now: who does so later gets all of it */
		*restored += b->users && b->throttle.unbound;
		*eased += b->users && b->throttle.factor > 1;
		ppi_overhead_throttle (b, &none);
	}
	ppi_batch_end ();
}

/*
 * With the lock; readers may see one word of it without the other, as if they had read just before
 * or after.
 */
static void note_gap (struct ppi_binding *b, const struct ppi_throttle *to)
{
	if (to->unbound && !to->briefly && !b->throttle.unbound) {
		ppi_store (&b->gap_epoch, ppi_load (b->op.epoch));
		ppi_store (&b->gap_ns, UINT64_MAX);
	} else if (!to->unbound && ppi_load (&b->gap_ns) == UINT64_MAX) {
		ppi_store (&b->gap_ns, ppi_now_ns ());
	}
}

void ppi_overhead_throttle (struct ppi_binding *b, const struct ppi_throttle *to)
{
	uint32_t was = ppi_executions_begin (b);

	note_gap (b, to);
	b->throttle.unbound = to->unbound;
	b->throttle.share = to->share;
	b->throttle.again_ns = to->again_ns;
	b->throttle.hold_ns = to->hold_ns;
	ppi_store (&b->throttle.factor, to->factor); /* markers and readers look at it */
	ppi_executions_end (b, was);
	ppi_binding_note (b);
	if (b->site)
		ppi_site_touch (b->site);
}
