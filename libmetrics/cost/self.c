/* SPDX-License-Identifier: MIT */
/*
 * self.c: how long executions of markers take that are the library's own, with the plan that
 * somebody asks for.
 *
 * The library has markers of its own (self.S; where there are none, guards), at sites that are in
 * no list. They get a plan as any site does, made of hidden bindings, which have shards and belong
 * to nobody's statistics, and are executed some thousand times on the thread that asks, which is
 * the library's as a rule.
 *
 * What a marker costs depends on what the program does around it: sumcount (elapsed) 19 ns where
 * there is nothing, hardly 3 where the program waits for its own multiplications, and 12 where it
 * keeps the processor busy. It is the last that we say (the throughput-bound regime of bench/):
 * there nothing is hidden, so it is all that markers take from others, whatever the processor waits
 * for besides. A loop with markers and the same without take turns, in several places of the code,
 * a microsecond each, for half a millisecond: the shortest of each count.
 */
#include "libmetrics/cost/self_int.h"

#include "base/atomic.h"
#include "base/clock.h"
#include "base/ticks.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/marker/tally.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/check.h"
#include "libmetrics/tables/module.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/tables/slots.h"
#include "libmetrics/thread/light.h"
#include "libmetrics/thread/thread.h"

#include <stdlib.h>

enum { TIMES = 16 }; /* executions in a batch */

/* ---- sites of the library's own -------------------------------------------------------------- */

struct descriptor {
	struct pp_abi_site site;
	char text[PP_ABI_ALIGN];
};

#define DESCRIPTOR(of_kind, of_value)                                                              \
	{                                                                                          \
		.site = {                                                                          \
			.size = sizeof (struct descriptor),                                        \
			.abi = PP_ABI_VERSION,                                                     \
			.kind = of_kind,                                                           \
			.value = of_value                                                          \
		}                                                                                  \
	}

/* self.S names them */
#define OWN __attribute__ ((aligned (PP_ABI_ALIGN), visibility ("hidden")))
extern struct descriptor ppi_self_interval, ppi_self_point, ppi_self_value;
struct descriptor ppi_self_interval OWN = DESCRIPTOR (PP_ABI_SITE_INTERVAL, PP_ABI_VALUE_NONE);
struct descriptor ppi_self_point OWN = DESCRIPTOR (PP_ABI_SITE_POINT, PP_ABI_VALUE_NONE);
struct descriptor ppi_self_value OWN = DESCRIPTOR (PP_ABI_SITE_POINT, PP_ABI_VALUE_INT);

static struct ppi_module own_module;
static char own_name[] = "libpp!self";

struct ppi_self_site ppi_self_sites[3] = {
	{.descriptor = &ppi_self_interval.site, .marker = 0, .markers = 2},
	{.descriptor = &ppi_self_point.site, .marker = 2 * PPI_LAYOUTS, .markers = 1},
	{.descriptor = &ppi_self_value.site, .marker = 3 * PPI_LAYOUTS, .markers = 1},
};

/*
 * Eight independent chains of additions, as in self.S; bench/work.h measures its rows in the same
 * loop, so the budget and the bench speak of the same thing.
 */
#define WORK                                                                                       \
	do                                                                                         \
		for (long j = 0; j < steps; j++) {                                                 \
			a += i;                                                                    \
			b ^= i;                                                                    \
			c += j;                                                                    \
			d ^= j;                                                                    \
			e += i;                                                                    \
			f ^= i;                                                                    \
			g += j;                                                                    \
			h ^= j;                                                                    \
			__asm__ volatile(""                                                        \
					 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f),   \
					   "+r"(g), "+r"(h));                                      \
		}                                                                                  \
	while (0)

/* MARKED: with guards */
static __attribute__ ((noinline)) void execute_guards (const struct ppi_self_site *self, long times,
						       long steps, bool marked)
{
	long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
	bool is_point = self->site.kind == PP_ABI_SITE_POINT;

	for (long i = 0; i < times; i++) {
		WORK;
		if (marked && is_point)
			pp_rt_guard_point (self->descriptor, 0);
		else if (marked)
			pp_rt_guard_begin (self->descriptor);
		WORK;
		if (marked && !is_point)
			pp_rt_guard_end (self->descriptor);
	}
}

void ppi_self_execute (const struct ppi_self_site *self, unsigned layout, unsigned long steps,
		       bool marked)
{
#if PP_ARCH_HAS_SELF
	if (self->site.first_copy.n_markers) {
		pp_arch_self_loops[((unsigned) (self - ppi_self_sites) * PPI_LAYOUTS + layout) * 2 +
				   !marked](TIMES, steps);
		return;
	}
#endif
	(void) layout;
	execute_guards (self, TIMES, (long) steps, marked);
}

void ppi_self_prepare (struct ppi_self_site *self, const struct ppi_plan *like, bool patched)
{
	struct ppi_copy *c = &self->site.first_copy;

	own_module.name = own_name;
	self->site.kind = self->descriptor->kind;
	self->site.value =
		like->site->kind == PP_ABI_SITE_POINT ? like->site->value : PP_ABI_VALUE_NONE;
	self->site.full = own_name;
	self->site.module = self->site.file = self->site.function = self->site.name =
		self->site.groups = self->site.dims = "";
	self->site.copies = c;
	if (!self->site.plan)
		self->site.plan = &ppi_plan_nothing;
	c->descriptor = self->descriptor;
	c->module = &own_module;
	c->markers = self->all;
	c->n_markers = 0;
	c->descriptor->runtime = c;
	c->descriptor->reserved = (uintptr_t) &self->site;
#if PP_ARCH_HAS_SELF
	for (unsigned i = 0; patched && i < self->markers * PPI_LAYOUTS; i++) {
		struct pp_abi_marker *record = &pp_arch_self_markers[self->marker + i];

		/* what is kept around calls is what the site's most demanding marker says */
		record->flags =
			(uint16_t) ((like->state < PP_ARCH_ALL ? PP_ABI_MARKER_NO_X87 : 0) |
				    (like->state < PP_ARCH_AVX512 ? PP_ABI_MARKER_NO_AVX512 : 0) |
				    (like->state < PP_ARCH_AVX ? PP_ABI_MARKER_NO_AVX : 0));
		c->markers[i].record = record;
		c->n_markers++;
	}
#else
	(void) patched;
#endif
}

static struct ppi_self_site *self_of (const struct ppi_plan *plan)
{
	if (plan->site->kind != PP_ABI_SITE_POINT)
		return &ppi_self_sites[0];
	return &ppi_self_sites[plan->site->value == PP_ABI_VALUE_NONE ? 1 : 2];
}

/* ---- bindings that nobody sees --------------------------------------------------------------- */

enum { SERIES_MOST = 64 };

/* Instead of a function of the user's, which is not called behind his back. */
static void no_function (void *out, const void *begin)
{
	(void) begin;
	*(int64_t *) out = 0;
}

/*
 * Checks that do nothing: what those of the site do is timed there. Where markers see that they
 * pass these are seen to, by as many terms.
 */
static struct own_check {
	struct ppi_check check;
	struct ppi_tally *tally; /* or NULL */
	const struct ppi_quick *like;
} own_checks[PPI_QUICKS];

static void no_check (struct ppi_check *check, struct ppi_thread *thread, pp_site *site)
{
	const struct own_check *own = (struct own_check *) check;

	(void) site;
	if (own->like)
		ppi_tally_prepare (own->tally, thread);
}

static bool surely (struct ppi_check *check, const struct ppi_op *ops, unsigned n_ops,
		    struct ppi_quick *out)
{
	const struct own_check *own = (struct own_check *) check;

	(void) ops;
	if (!own->like)
		return false;
	*out = *own->like;
	out->tally = own->tally;
	for (uint64_t i = 0; i < out->n_terms; i++) {
		struct ppi_quick_term *t = &out->term[i];
		struct ppi_quick_factor *all[] = {&t->small[0], &t->small[1], &t->large[0],
						  &t->large[1]};

		for (int k = 0; k < 4; k++)
			if (all[k]->op >= n_ops) /* an op alone */
				all[k]->op = 0;
		t->whole = 1u << 20;
		t->is_strict = 0;
	}
	return true;
}

/* The list of those for a plan. */
static struct ppi_check *checks_like (const struct ppi_plan *like)
{
	struct ppi_check *list = NULL;

	for (unsigned i = like->n_quick ? like->n_quick : 1; i-- > 0;) {
		struct own_check *own = &own_checks[i];

		own->check = (struct ppi_check){.run = no_check, .quick = surely, .next = list};
		if (!own->tally && like->n_quick && (own->tally = ppi_tally_new (false)))
			own->tally->idle = own->tally->shut;
		own->like = like->n_quick && own->tally ? &like->quick[i] : NULL;
		list = &own->check;
	}
	return list;
}

struct ppi_binding *ppi_self_binding (const struct ppi_binding *b)
{
	struct ppi_binding *mine = ppi_binding_hidden (b);
	const struct ppi_combination *combination = b->op.instance->combination;
	bool calls_operator = combination && combination->function;
	struct quiet {
		struct ppi_source_instance instance;
		struct ppi_combination combination;
	} * quiet;

	if (!mine || (ppi_windows_used (b) && !ppi_windows_follow (mine)))
		return NULL;
	/*
	 * a short window is soon full, and slides as a long one does; nor is it memory that samples
	 * may need
	 */
	if (ppi_keeps (mine->op.accumulator, PPI_KEEPS_RING) && mine->op.size > SERIES_MOST) {
		mine->op.size = SERIES_MOST;
		mine->op.bytes = ppi_shard_bytes (mine->op.accumulator, SERIES_MOST);
	}
	if (!b->op.instance->user_begin && !calls_operator)
		return mine;
	quiet = malloc (sizeof (*quiet));
	if (!quiet)
		return NULL;
	quiet->instance = *b->op.instance;
	if (quiet->instance.user_begin)
		quiet->instance.user_begin = no_function;
	if (quiet->instance.user_end)
		quiet->instance.user_end = no_function;
	if (calls_operator) {
		quiet->combination = *combination;
		quiet->combination.combine = PPI_OPERATOR_LAST;
		quiet->combination.function = NULL;
		quiet->instance.combination = &quiet->combination;
	}
	mine->op.instance = &quiet->instance;
	return mine;
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* Samples so far of one of the thread's shards, and their sum in ticks. */
struct kept {
	uint64_t n, sum;
};

static struct kept kept_by (const struct ppi_binding *b)
{
	const struct ppi_shard *s = ppi_hot_shard (ppi_self, b->op.slot);

	return s ? (struct kept){ppi_load (&s->all.n), ppi_load (&s->all.sum[0])}
		 : (struct kept){0, 0};
}

enum { ROUNDS = 16, ROUNDS_LEAST = 2 };
#define TRIAL_NS UINT64_C (500000)

static double quietest = __builtin_inf (); /* of all loops without markers so far: plain_of */

double ppi_self_time_loop (const struct ppi_self_site *self, bool marked, unsigned layout,
			   unsigned long steps)
{
	uint64_t from = ppi_ticks ();

	ppi_self_execute (self, layout, steps, marked);
	return (double) (ppi_ticks () - from) / TIMES;
}

static double plain_of (const struct ppi_self_trial *t)
{
	double sum = 0;

	for (unsigned i = 0; i < PPI_LAYOUTS; i++)
		sum += t->plain[i] / PPI_LAYOUTS;
	return sum;
}

struct ppi_self_trial ppi_self_try (const struct ppi_self_site *self)
{
	struct ppi_self_trial t;
	uint64_t end;

	for (unsigned i = 0; i < PPI_LAYOUTS; i++) {
		t.plain[i] = t.marked[i] = __builtin_inf ();
		ppi_self_execute (self, i, PPI_SELF_STEPS,
				  true); /* makes shards, and learns the code */
	}
	end = ppi_real_now_ns () + TRIAL_NS;
	for (unsigned n = 0; n < ROUNDS && (n < ROUNDS_LEAST || ppi_real_now_ns () < end); n++)
		for (unsigned i = 0; i < PPI_LAYOUTS; i++) {
			t.plain[i] = ppi_self_least (
				t.plain[i], ppi_self_time_loop (self, false, i, PPI_SELF_STEPS));
			t.marked[i] = ppi_self_least (
				t.marked[i], ppi_self_time_loop (self, true, i, PPI_SELF_STEPS));
		}
	quietest = ppi_self_least (quietest, plain_of (&t));
	return t;
}

/*
 * Of executions that follow each other with nothing between, which wait for nothing but the jumps
 * to their code and back: ticks of one. Beside work for all units of the processor they are hidden
 * behind it, so both have to be known.
 */
static double time_jumps (const struct ppi_self_site *self)
{
	double sum = 0;

	for (unsigned i = 0; i < PPI_LAYOUTS; i++) {
		double plain = __builtin_inf (), marked = __builtin_inf ();

		for (unsigned round = 0; round < ROUNDS; round++) {
			plain = ppi_self_least (plain, ppi_self_time_loop (self, false, i, 0));
			marked = ppi_self_least (marked, ppi_self_time_loop (self, true, i, 0));
		}
		sum += marked > plain ? (marked - plain) / PPI_LAYOUTS : 0;
	}
	return sum;
}

/*
 * Ticks between the readings of the clock of empty intervals, the fastest batch; NaN: there are no
 * such samples.
 */
static double time_inside (const struct ppi_self_site *self, const struct ppi_binding *ticks)
{
	double shortest = __builtin_nan ("");

	for (unsigned i = 0; ticks && i < PPI_SELF_INSIDE_BATCHES; i++) {
		struct kept before = kept_by (ticks), after;
		double one;

		ppi_self_execute (self, i % PPI_LAYOUTS, 0, true);
		after = kept_by (ticks);
		if (after.n == before.n)
			continue;
		one = (double) (after.sum - before.sum) / (double) (after.n - before.n);
		shortest = shortest <= one ? shortest : one;
	}
	return shortest;
}

/* The first of N whose samples are ticks that it sums up. */
static const struct ppi_binding *first_of_ticks (struct ppi_binding *const *bindings, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (bindings[i]->op.class == PPI_SOURCE_TICKS &&
		    ppi_keeps (bindings[i]->op.accumulator, PPI_KEEPS_SUM))
			return bindings[i];
	return NULL;
}

/*
 * Makes SELF do what N BINDINGS say, each at one execution in EVERY; none: nothing. False: it
 * can't.
 */
static bool bind_self (struct ppi_self_site *self, const struct ppi_plan *like,
		       struct ppi_binding *const *bindings, unsigned n, uint32_t every)
{
	ppi_batch_begin ();
	self->site.bindings = NULL;
	for (unsigned i = n; i-- > 0;) {
		bindings[i]->users = 1;
		bindings[i]->every = every;
		bindings[i]->next_of_site = self->site.bindings;
		self->site.bindings = bindings[i];
	}
	self->site.checks = n && like->checked ? checks_like (like) : NULL;
	ppi_light_forget_own ();
	ppi_site_touch (&self->site);
	return ppi_batch_end () == PP_OK && (!n || self->site.enabled);
}

static void release_self (struct ppi_self_site *self, const struct ppi_plan *like,
			  struct ppi_binding *const *bindings, unsigned n)
{
	bind_self (self, like, bindings, 0, 1);
	for (unsigned i = 0; i < n; i++) {
		bindings[i]->users = 0;
		bindings[i]->next_of_site = NULL;
	}
}

unsigned ppi_self_measurements;

bool ppi_self_measure (const struct ppi_plan *plan, struct ppi_binding *const *bindings, unsigned n,
		       struct ppi_measured *out)
{
	struct ppi_self_site *self = self_of (plan);
	bool ok;

	ppi_self_measurements++;
	ppi_self_prepare (self, plan, PP_ARCH_HAS_SELF);
	ok = bind_self (self, plan, bindings, n, 1);
	if (!ok && self->site.first_copy.n_markers) { /* its code can't be changed here */
		release_self (self, plan, bindings, n);
		ppi_self_prepare (self, plan, false);
		ok = bind_self (self, plan, bindings, n, 1);
	}
	if (ok) {
		out->sampled = ppi_self_try (self);
		out->inside = time_inside (self, first_of_ticks (bindings, n));
		/* off between, so that it is light where it may be */
		ok = bind_self (self, plan, bindings, 0, 1) &&
		     bind_self (self, plan, bindings, n, 1u << 30);
	}
	if (ok) {
		out->skipped = ppi_self_try (self);
		out->jumps = time_jumps (self);
	}
	release_self (self, plan, bindings, n);
	return ok;
}

double ppi_trial_seconds (const struct ppi_self_trial *t)
{
	double sum = 0, plain = plain_of (t);

	for (unsigned i = 0; i < PPI_LAYOUTS; i++)
		sum += t->marked[i] > t->plain[i] ? (t->marked[i] - t->plain[i]) / PPI_LAYOUTS : 0;
	return sum * ppi_seconds_per_tick () * (plain > quietest ? quietest / plain : 1);
}
