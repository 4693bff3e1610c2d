/* SPDX-License-Identifier: MIT */
/*
 * budget.c: keeps what the markers cost within the loaded policies' budgets: looks ten times a
 * second, and acts on what budget_plan.c says.
 */
#include "assertions/react/budget.h"

#include "assertions/engine/assertions.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/ring.h"
#include "assertions/react/investigate.h"
#include "base/chunk.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/quantity.h"
#include "base/wake.h"
#include "libmetrics/cost/overhead.h"
#include "libmetrics/region/history.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/tables/throttle.h"
#include "recording/layout.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static bool looking;
static uint64_t due_ns, changed_ns, calm_ns, told_ns;
static bool was_eased; /* the last change took something back */
/* of the last looks, a bit for each, the newest the lowest: the share was above the budget */
static unsigned over;
static unsigned unknowns; /* looks since somebody ran */
static struct pp_overhead told = {.budget = NAN, .share = NAN};

/* The smallest; NaN: none. [lock] */
static double smallest_budget (void)
{
	double limit = NAN;

	for (const struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		if (loaded->policy->budget > 0 && !(loaded->policy->budget >= limit))
			limit = loaded->policy->budget;
	return limit;
}

static bool is_any (void)
{
	return !isnan (smallest_budget ());
}

double ppi_budget_limit (void)
{
	return looking ? told.budget : NAN;
}

double ppi_budget_share (void)
{
	return looking && told.share > 0 ? told.share : 0;
}

/* ---- what readers of the recording are told -------------------------------------------------- */

static struct ppi_overhead_chunk *chunk;
static double worst = NAN; /* share at a look */

static void set_double (double *where, double value)
{
	__atomic_store (where, &value, __ATOMIC_RELAXED);
}

struct payer {
	uint32_t thread;
	double share;
};

static int dearest_first (const void *a, const void *b)
{
	const struct payer *x = a, *y = b;

	return x->share > y->share ? -1 : x->share < y->share;
}

/*
 * What each thread paid at the newest look, who paid most first; malloced. NULL: nobody, or no
 * memory.
 */
static struct payer *sum_up (uint32_t *n)
{
	size_t n_payments;
	const struct ppi_payment *p = ppi_overhead_payments (&n_payments);
	struct payer *all = n_payments ? calloc (n_payments, sizeof *all) : NULL;

	*n = 0;
	for (size_t i = 0; all && i < n_payments; i++) {
		if (!*n || all[*n - 1].thread != p[i].thread)
			all[(*n)++].thread = p[i].thread;
		all[*n - 1].share += p[i].share;
	}
	if (all)
		qsort (all, *n, sizeof *all, dearest_first);
	return all;
}

static void record_threads (void)
{
	uint32_t n;
	struct payer *all = sum_up (&n);

	ppi_store (&chunk->threads, n);
	for (uint32_t i = 0; i < n && i < PPI_OVERHEAD_THREADS; i++) {
		set_double (&chunk->thread[i].share, all[i].share);
		ppi_store (&chunk->thread[i].thread, all[i].thread);
	}
	free (all);
}

/* IS_LOOK: of threads, too */
static void record (bool is_look)
{
	if (!chunk && looking) {
		chunk = ppi_region_alloc (sizeof *chunk);
		if (chunk)
			ppi_region_publish (&chunk->chunk, PPI_CHUNK_OVERHEAD, 1);
	}
	if (!chunk)
		return;
	if (told.share > worst || isnan (worst))
		worst = told.share;
	set_double (&chunk->budget, told.budget);
	set_double (&chunk->share, told.share);
	set_double (&chunk->most, worst);
	ppi_store (&chunk->looks, told.looks);
	ppi_store (&chunk->raised, told.raised);
	ppi_store (&chunk->taken, told.taken);
	ppi_store (&chunk->eased, told.eased);
	ppi_store (&chunk->restored, told.restored);
	if (is_look)
		record_threads ();
}

/* ---- acting ---------------------------------------------------------------------------------- */

static void count (const struct ppi_charge *charges, size_t n)
{
	told.seldom = told.unbound = 0;
	for (size_t i = 0; charges && i < n; i++) {
		told.unbound += charges[i].now.unbound;
		told.seldom += !charges[i].now.unbound && charges[i].now.factor > 1;
	}
}

/* Is C the first time sampled more seldom than it was? */
static bool begins_to_skip (const struct ppi_charge *c)
{
	return c->alone && !c->now.unbound && c->now.factor > 1 && c->was.factor <= 1;
}

static void apply (const struct ppi_charge *charges, size_t n)
{
	struct ppi_throttle off = {.unbound = true, .briefly = true};

	/*
	 * What is left out costs next to nothing where no execution that began before is open
	 * (libmetrics/thread/light.h): so it is off for a moment. Those that are open then are
	 * lost, and counted.
	 */
	ppi_batch_begin ();
	for (size_t i = 0; i < n; i++)
		if (begins_to_skip (&charges[i]))
			ppi_overhead_throttle (charges[i].binding, &off);
	ppi_batch_end ();
	ppi_batch_begin ();
	for (size_t i = 0; i < n; i++)
		ppi_overhead_throttle (charges[i].binding, &charges[i].now);
	ppi_batch_end ();
	ppi_overhead_throttled ();
}

/* The one that is sampled most seldom, or is not. */
static const struct ppi_charge *most_throttled (const struct ppi_charge *charges, size_t n)
{
	const struct ppi_charge *most = NULL;

	for (size_t i = 0; i < n; i++)
		if ((charges[i].now.unbound || charges[i].now.factor > 1) &&
		    (!most || charges[i].now.unbound > most->now.unbound ||
		     (charges[i].now.unbound == most->now.unbound &&
		      charges[i].now.factor > most->now.factor)))
			most = &charges[i];
	return most;
}

#define TELL_NS UINT64_C (10000000000) /* between two lines on stderr; the recording has them all */

static void tell (const char *what, const struct ppi_charge *charges, size_t n, bool is_loud,
		  uint64_t now_ns)
{
	const struct ppi_charge *most = most_throttled (charges, n);
	double values[] = {told.share, told.budget, told.seldom, told.unbound};
	char text[512], share[PPI_QUANTITY_BYTES], budget[PPI_QUANTITY_BYTES];
	int used;

	used = snprintf (text, sizeof text,
			 "%s: markers took %s of a thread's time, the budget is %s; ", what,
			 ppi_share_format (told.share, share, sizeof share),
			 ppi_share_format (told.budget, budget, sizeof budget));
	if (!most)
		snprintf (text + used, sizeof text - (size_t) used,
			  "everything is sampled as asked for");
	else if (most->now.unbound)
		snprintf (text + used, sizeof text - (size_t) used,
			  "%u bindings are sampled more seldom, %u unbound, %s at %s among them",
			  told.seldom, told.unbound, most->metric, most->site);
	else
		snprintf (text + used, sizeof text - (size_t) used,
			  "%u bindings are sampled more seldom, %s at %s one in %u", told.seldom,
			  most->metric, most->site, most->every * most->now.factor);
	ppi_history (PPI_HISTORY_BUDGET, "overhead", text, values, 4);
	if (!is_loud || (told_ns && now_ns - told_ns < TELL_NS))
		return;
	told_ns = now_ns;
	ppi_message ("overhead: %s", text);
}

/* Taking back that was followed by too much soon was too early: the next time is later. */
static void tightened (uint64_t now_ns)
{
	bool was_wrong = was_eased && now_ns - changed_ns < 2 * calm_ns;

	if (was_wrong && calm_ns < PPI_BUDGET_CALM_MOST_NS)
		calm_ns *= 2;
	else if (!was_wrong && now_ns - changed_ns > 10 * calm_ns)
		calm_ns = PPI_BUDGET_CALM_NS;
	changed_ns = now_ns;
	was_eased = false;
}

/*
 * Those of an investigation go behind the others: sampled more seldom they would tell wrong parts,
 * so they stay as they are, and it minds the budget itself (investigate_pace.c). Returns how many
 * are left.
 */
static size_t without_investigation (struct ppi_charge *charges, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		struct ppi_charge c = charges[i];

		if (ppi_investigation_measures (c.metric))
			continue;
		charges[i] = charges[left];
		charges[left++] = c;
	}
	return left;
}

static void note_done (const struct ppi_budget_done *done, bool is_over, uint64_t now_ns)
{
	told.raised += done->raised;
	told.taken += done->taken;
	told.eased += done->eased;
	told.restored += done->restored;
	if (is_over) {
		tightened (now_ns);
	} else {
		changed_ns = now_ns;
		was_eased = true;
	}
}

/* A tenth of a second may be an odd one: the first of a thread, one in which it was interrupted. */
#define CLEARLY_OVER 1.25
#define LOOKS_BEFORE 6u /* bits: the two before this one */
#define UNKNOWNS 10u    /* after so many looks the last share is none any more */

static void act (double limit, uint64_t now_ns)
{
	bool is_over = told.share > limit, was_over = (over & LOOKS_BEFORE) != 0;
	struct ppi_budget_done done = {0};
	const struct ppi_payment *payments;
	struct ppi_charge *charges;
	size_t n, all, n_payments;

	if (!is_over && (!(told.seldom || told.unbound) || now_ns - changed_ns < calm_ns))
		return;
	if (is_over && !was_over && told.share <= CLEARLY_OVER * limit)
		return;
	charges = ppi_overhead_charges (&all);
	payments = ppi_overhead_payments (&n_payments);
	n = without_investigation (charges, all);
	if (is_over && n < all)
		ppi_investigation_urge ();
	/* what is too much may have been an investigation's that is over */
	if (is_over && charges)
		done = ppi_budget_tighten (charges, n, payments, n_payments, limit, was_over,
					   now_ns);
	else if (charges)
		done = ppi_budget_ease (charges, n, payments, n_payments, told.share, limit,
					now_ns);
	if (done.raised || done.taken || done.eased || done.restored) {
		apply (charges, n);
		note_done (&done, is_over, now_ns);
	}
	count (charges, n);
	if (done.raised || done.taken)
		tell ("too much", charges, n, true, now_ns);
	else if (done.eased || done.restored)
		tell ("room again", charges, n, !told.seldom && !told.unbound, now_ns);
	free (charges);
}

/* No policy has a budget any more. */
static void stop (void)
{
	unsigned eased, restored;

	looking = false;
	ppi_overhead_release (&eased, &restored);
	told.eased += eased;
	told.restored += restored;
	ppi_overhead_forget ();
	told.budget = told.share = NAN;
	told.seldom = told.unbound = 0;
	record (false);
}

/* ---- looking --------------------------------------------------------------------------------- */

void ppi_budget_changed (uint64_t now_ns)
{
	double limit = smallest_budget ();

	told.budget = limit;
	if (isnan (limit) && looking)
		stop ();
	if (isnan (limit) || looking)
		return;
	looking = true;
	calm_ns = PPI_BUDGET_CALM_NS;
	changed_ns = now_ns;
	told_ns = 0;
	over = unknowns = 0;
	ppi_overhead_forget ();
	ppi_overhead_look ();
	due_ns = now_ns + PPI_BUDGET_LOOK_NS;
}

/* Looks and acts when it is time [lock]. */
static uint64_t look (uint64_t now_ns)
{
	double share;

	if (!looking)
		return UINT64_MAX;
	if (now_ns < due_ns)
		return due_ns;
	due_ns = now_ns + PPI_BUDGET_LOOK_NS;
	share = ppi_overhead_look ();
	told.looks++;
	unknowns = isnan (share) ? unknowns + 1 : 0;
	if (!unknowns || unknowns >= UNKNOWNS)
		told.share = share;
	if (!unknowns) {
		over = over << 1 | (share > told.budget);
		act (told.budget, now_ns);
	}
	record (!unknowns);
	return due_ns;
}

static uint64_t tick (uint64_t now_ns)
{
	uint64_t next;

	ppi_lock ();
	next = look (now_ns);
	ppi_unlock ();
	/* what is not sampled costs nothing */
	return ppi_is_asleep () ? UINT64_MAX : next;
}

static void forget_chunk (void)
{
	chunk = NULL; /* it is in the parent's region */
	if (looking)
		ppi_overhead_forget ();
}

const struct ppi_part ppi_budget_part = {
	.fork_child = forget_chunk, .needs_thread = is_any, .tick = tick};

int pp_overhead (struct pp_overhead *out)
{
	int saved = errno;

	if (!out)
		return PP_EINVAL;
	ppi_assertions_revive ();
	ppi_lock ();
	*out = told;
	ppi_unlock ();
	errno = saved;
	return PP_OK;
}
