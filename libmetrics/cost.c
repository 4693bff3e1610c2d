/* SPDX-License-Identifier: MIT */
/*
 * cost.c: calibration. Plans of one shape cost the same, wherever they are; a shape is measured once in a process, when somebody asks.
 *
 * The library has markers of its own (self.S; where there are none, guards), at sites that are in no list. They get a plan as any site does, made of
 * hidden bindings, which have shards and belong to nobody's statistics, and are executed some hundred times on the thread that
 * asks, which is the library's as a rule. Batches of them are timed by the counter that elapsed intervals read. What the machine did meanwhile
 * only makes a batch longer, so the fastest is taken. Caches and predictors are warm, as they are not in every program.
 *
 * A program's work overlaps with its markers', so what they cost depends on it: sumcount (elapsed) 19 ns where there is none, 3 between chains of multiplications,
 * and 12 in the throughput-bound loops of bench/. The mean of the two extremes is what those loops show, for points and counts too: it is what we say.
 */
#include "cost.h"

#include "base.h"
#include "binding.h"
#include "module.h"
#include "operator.h"
#include "thread.h"
#include "window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- sites of the library's own ---------------------------------------------------------------------------------- */

struct descriptor {
	struct pp_abi_site site;
	char text[PP_ABI_ALIGN];
};

#define DESCRIPTOR(of_kind, of_value)                                                                                  \
	{                                                                                                              \
		.site = {                                                                                              \
			.size = sizeof (struct descriptor),                                                            \
			.abi = PP_ABI_VERSION,                                                                         \
			.kind = of_kind,                                                                               \
			.value = of_value                                                                              \
		}                                                                                                      \
	}

/* self.S names them */
#define OWN __attribute__ ((aligned (PP_ABI_ALIGN), visibility ("hidden")))
extern struct descriptor ppi_self_interval, ppi_self_point, ppi_self_value;
struct descriptor ppi_self_interval OWN = DESCRIPTOR (PP_ABI_SITE_INTERVAL, PP_ABI_VALUE_NONE);
struct descriptor ppi_self_point OWN = DESCRIPTOR (PP_ABI_SITE_POINT, PP_ABI_VALUE_NONE);
struct descriptor ppi_self_value OWN = DESCRIPTOR (PP_ABI_SITE_POINT, PP_ABI_VALUE_INT);

static struct ppi_module own_module;
static char own_name[] = "libpp!self";

static struct self {
	struct descriptor *descriptor;
	unsigned marker, markers; /* of pp_arch_self_markers */
	pp_site site;
} selves[] = {{&ppi_self_interval, 0, 2, {0}}, {&ppi_self_point, 2, 1, {0}}, {&ppi_self_value, 3, 1, {0}}};

static void execute_guards (const struct self *self, unsigned long times)
{
	for (; times; times--)
		if (self->site.kind == PP_ABI_SITE_POINT)
			pp_rt_guard_point (self->descriptor, 0);
		else {
			pp_rt_guard_begin (self->descriptor);
			pp_rt_guard_end (self->descriptor);
		}
}

static void execute (const struct self *self, unsigned long times, unsigned long work)
{
#if PP_ARCH_HAS_SELF
	static void (*const functions[]) (unsigned long, unsigned long) = {pp_arch_self_interval, pp_arch_self_point,
									   pp_arch_self_value};

	if (self->site.first_copy.n_markers) {
		functions[self - selves](times, work);
		return;
	}
#endif
	(void) work;
	execute_guards (self, times);
}

/* As if a module had brought it. PATCHED: with markers, else its code is calls of guards. */
static void site_prepare (struct self *self, const struct ppi_plan *like, bool patched)
{
	struct ppi_copy *c = &self->site.first_copy;

	own_module.name = own_name;
	self->site.kind = self->descriptor->site.kind;
	self->site.value = like->site->kind == PP_ABI_SITE_POINT ? like->site->value : PP_ABI_VALUE_NONE;
	self->site.full = own_name;
	self->site.module = self->site.file = self->site.function = self->site.name = self->site.groups =
		self->site.dims = "";
	self->site.copies = c;
	if (!self->site.plan)
		self->site.plan = &ppi_plan_nothing;
	c->descriptor = &self->descriptor->site;
	c->module = &own_module;
	c->markers = c->first;
	c->n_markers = 0;
	c->descriptor->runtime = c;
	c->descriptor->reserved = (uintptr_t) &self->site;
#if PP_ARCH_HAS_SELF
	for (unsigned i = 0; patched && i < self->markers; i++) {
		struct pp_abi_marker *record = &pp_arch_self_markers[self->marker + i];

		/* what is kept around calls is what the site's most demanding marker says */
		record->flags = (uint16_t) ((like->state < PP_ARCH_ALL ? PP_ABI_MARKER_NO_X87 : 0) |
					    (like->state < PP_ARCH_AVX512 ? PP_ABI_MARKER_NO_AVX512 : 0) |
					    (like->state < PP_ARCH_AVX ? PP_ABI_MARKER_NO_AVX : 0));
		c->first[i].record = record;
		c->n_markers++;
	}
#else
	(void) patched;
#endif
}

static struct self *self_of (const struct ppi_plan *plan)
{
	if (plan->site->kind != PP_ABI_SITE_POINT)
		return &selves[0];
	return &selves[plan->site->value == PP_ABI_VALUE_NONE ? 1 : 2];
}

/* ---- bindings that nobody sees ----------------------------------------------------------------------------------- */

/* Instead of a function of the user's, which is not called behind his back. */
static void no_function (void *out, const void *begin)
{
	(void) begin;
	*(int64_t *) out = 0;
}

static void no_check (struct ppi_check *check, struct ppi_thread *thread, pp_site *site)
{
	(void) check;
	(void) thread;
	(void) site;
}

/* In none of the lists; with the source of B, or a function that does nothing. NULL: no memory. */
static struct ppi_binding *binding_like (const struct ppi_binding *b)
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

/* ---- measuring --------------------------------------------------------------------------------------------------- */

/* Multiplications between the markers, for what they do to overlap with. */
#define WORK 20

enum { TIMES = 64, BATCHES = 100, BATCHES_LEAST = 8, LONGEST_NS = 1000000 };

/* Samples so far of one of the thread's shards, and their sum in ticks. */
struct kept {
	uint64_t n, sum;
};

static struct kept kept_by (const struct ppi_binding *b)
{
	const struct ppi_shard *s = ppi_hot_shard (ppi_self, b->op.slot);

	return s ? (struct kept){ppi_load (&s->all.n), ppi_load (&s->all.sum[0])} : (struct kept){0, 0};
}

struct timing {
	double whole, inside; /* ticks of one execution, of the fastest batch; INSIDE: NaN without samples of ticks */
};

static struct timing time_batches (const struct self *self, unsigned long work, const struct ppi_binding *ticks)
{
	struct timing best = {__builtin_inf (), __builtin_nan ("")};
	uint64_t end = ppi_real_now_ns () + LONGEST_NS;

	execute (self, TIMES, work); /* makes shards, and learns the code */
	for (unsigned i = 0; i < BATCHES && (i < BATCHES_LEAST || ppi_real_now_ns () < end); i++) {
		struct kept before = ticks ? kept_by (ticks) : (struct kept){0, 0}, after;
		uint64_t from = ppi_ticks ();
		double whole, inside;

		execute (self, TIMES, work);
		whole = (double) (ppi_ticks () - from) / TIMES;
		best.whole = whole < best.whole ? whole : best.whole;
		after = ticks ? kept_by (ticks) : before;
		if (after.n == before.n)
			continue;
		inside = (double) (after.sum - before.sum) / (double) (after.n - before.n);
		best.inside = best.inside <= inside ? best.inside : inside;
	}
	return best;
}

/* The mean of what they cost with nothing to overlap with and with WORK; OFF is that of the loops themselves. */
static struct timing time_both (const struct self *self, const struct timing *off, const struct ppi_binding *ticks)
{
	struct timing alone = time_batches (self, 0, ticks), among = time_batches (self, WORK, NULL);

	alone.whole = (alone.whole + among.whole) / 2 - (off ? off->whole : 0);
	if (alone.whole < 0)
		alone.whole = 0;
	return alone;
}

/* The first of N whose samples are ticks that it sums up. */
static const struct ppi_binding *first_of_ticks (struct ppi_binding *const *bindings, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (bindings[i]->op.class == PPI_SOURCE_TICKS && bindings[i]->op.accumulator != PPI_SCALAR &&
		    bindings[i]->op.accumulator != PPI_COUNT)
			return bindings[i];
	return NULL;
}

/* Makes SELF do what N BINDINGS say, each at one execution in EVERY; none: nothing. False: it can't. */
static bool bind_self (struct self *self, const struct ppi_plan *like, struct ppi_binding *const *bindings, unsigned n,
		       uint32_t every)
{
	static struct ppi_check quiet = {.run = no_check};

	ppi_batch_begin ();
	self->site.bindings = NULL;
	for (unsigned i = n; i-- > 0;) {
		bindings[i]->users = 1;
		bindings[i]->every = every;
		bindings[i]->next_of_site = self->site.bindings;
		self->site.bindings = bindings[i];
	}
	self->site.checks = n && like->checked ? &quiet : NULL;
	ppi_site_touch (&self->site);
	return ppi_batch_end () == PP_OK && (!n || self->site.enabled);
}

static void release_self (struct self *self, const struct ppi_plan *like, struct ppi_binding *const *bindings,
			  unsigned n)
{
	bind_self (self, like, bindings, 0, 1);
	for (unsigned i = 0; i < n; i++) {
		bindings[i]->users = 0;
		bindings[i]->next_of_site = NULL;
	}
}

/* Seconds of one execution of PLAN's site with BINDINGS instead of its own. */
static bool measure (const struct ppi_plan *plan, struct ppi_binding *const *bindings, unsigned n, struct ppi_cost *out)
{
	const struct ppi_binding *ticks = first_of_ticks (bindings, n);
	struct timing off = {0}, sampled = {0}, skipped;
	double tick = ppi_seconds_per_tick ();
	struct self *self = self_of (plan);
	bool ok;

	site_prepare (self, plan, PP_ARCH_HAS_SELF);
	if (self->site.first_copy.n_markers)
		off = time_both (self, NULL, NULL);
	ok = bind_self (self, plan, bindings, n, 1);
	if (!ok && self->site.first_copy.n_markers) { /* its code can't be changed here */
		release_self (self, plan, bindings, n);
		site_prepare (self, plan, false);
		off.whole = 0;
		ok = bind_self (self, plan, bindings, n, 1);
	}
	if (ok) {
		sampled = time_both (self, &off, ticks);
		ok = bind_self (self, plan, bindings, n, 1u << 30);
	}
	if (ok) {
		skipped = time_both (self, &off, NULL);
		if (skipped.whole > sampled.whole)
			skipped.whole = sampled.whole;
		*out = (struct ppi_cost){sampled.inside * tick, sampled.whole * tick, skipped.whole * tick};
	}
	release_self (self, plan, bindings, n);
	return ok;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* All that an op's cost depends on. Compared byte by byte. */
struct part {
	const struct ppi_source *source;
	uint64_t argument, size; /* ARGUMENT: a hash of the source's */
	uint8_t accumulator, class, sample_type, windowed;
	uint16_t words;
	uint8_t scope;    /* and 8, where it is corrected */
	uint8_t combined; /* operator + 1, or 0 */
};

struct key {
	uint32_t n;
	uint8_t kind, value, state, checked;
	struct part part[PPI_OPS_MAX];
};

struct shape {
	struct ppi_shape head;
	struct shape *next;
	struct key key;
	bool known;
	struct ppi_cost cost;
	double weight[]; /* of each op */
};

static struct shape *shapes;
static ppi_cost_fn *injected;

static size_t key_bytes (const struct key *k)
{
	return offsetof (struct key, part) + k->n * sizeof (k->part[0]);
}

static void key_of (const struct ppi_plan *plan, struct key *k)
{
	memset (k, 0, sizeof (*k));
	k->n = plan->n_ops;
	k->kind = plan->site->kind == PP_ABI_SITE_POINT ? PP_ABI_SITE_POINT : PP_ABI_SITE_INTERVAL;
	k->value = k->kind == PP_ABI_SITE_POINT ? plan->site->value : 0;
	k->state = plan->state;
	k->checked = plan->checked;
	for (unsigned i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		const struct ppi_combination *combination = op->instance->combination;
		const char *argument = op->instance->argument;

		k->part[i] = (struct part){.source = op->instance->source,
					   .argument = argument ? ppi_hash (argument, strlen (argument), 1) : 0,
					   .size = op->size,
					   .accumulator = op->accumulator,
					   .class = op->class,
					   .sample_type = op->sample_type,
					   .windowed = ppi_windows_used (op->binding),
					   .words = op->words,
					   .scope = (uint8_t) (op->scope | (op->corrected ? 8 : 0)),
					   .combined = combination ? (uint8_t) (combination->combine + 1) : 0};
	}
}

static void release_all (struct ppi_binding **mine, unsigned n)
{
	/* hidden bindings have numbers and shards, and stay */
	for (unsigned i = 0; i < n; i++)
		mine[i]->users = 0;
}

/* What each op alone costs, as a part of all of them. */
static bool weigh (const struct ppi_plan *plan, struct ppi_binding **mine, struct shape *shape)
{
	double sum = 0;

	for (unsigned i = 0; i < plan->n_ops; i++) {
		struct ppi_cost alone;

		if (plan->n_ops == 1)
			alone.sampled_s = 1;
		else if (!measure (plan, &mine[i], 1, &alone))
			return false;
		shape->weight[i] = alone.sampled_s > 0 ? alone.sampled_s : 1e-12;
		sum += shape->weight[i];
	}
	for (unsigned i = 0; i < plan->n_ops; i++)
		shape->weight[i] /= sum;
	return true;
}

static void calibrate (const struct ppi_plan *plan, struct shape *shape)
{
	struct ppi_binding *mine[PPI_OPS_MAX] = {NULL};
	unsigned n = 0;

	while (n < plan->n_ops && (mine[n] = binding_like (plan->ops[n].binding)))
		n++;
	shape->known = n == plan->n_ops && measure (plan, mine, n, &shape->cost) && weigh (plan, mine, shape);
	release_all (mine, n);
}

static struct shape *shape_make (const struct ppi_plan *plan, const struct key *k)
{
	struct shape *shape = calloc (1, sizeof (*shape) + k->n * sizeof (shape->weight[0]));

	if (!shape)
		return NULL;
	shape->key = *k;
	if (injected) {
		shape->known = injected (plan->site, &shape->cost);
		for (unsigned i = 0; i < k->n; i++)
			shape->weight[i] = 1.0 / k->n;
	} else {
		calibrate (plan, shape);
	}
	if (shape->known && shape->cost.inside_s > 0)
		shape->head.inside_ticks = (uint64_t) (shape->cost.inside_s / ppi_seconds_per_tick () + 0.5);
	shape->next = shapes;
	shapes = shape;
	return shape;
}

static const struct shape *shape_of (const struct ppi_plan *plan)
{
	struct shape *shape = NULL;
	struct key k;

	if (!plan || !plan->n_ops)
		return NULL;
	if (plan->shape)
		return (const struct shape *) plan->shape;
	key_of (plan, &k);
	if (!injected) /* a test's figures are of sites */
		for (shape = shapes; shape && memcmp (&shape->key, &k, key_bytes (&k)) != 0; shape = shape->next)
			;
	if (!shape)
		shape = shape_make (plan, &k);
	((struct ppi_plan *) (uintptr_t) plan)->shape = shape ? &shape->head : NULL;
	return shape;
}

const struct ppi_cost *ppi_cost_of (const struct ppi_plan *plan)
{
	const struct shape *shape = shape_of (plan);

	return shape && shape->known ? &shape->cost : NULL;
}

double ppi_cost_part (const struct ppi_plan *plan, unsigned i)
{
	const struct shape *shape = shape_of (plan);

	return shape && shape->known && i < plan->n_ops ? shape->weight[i] : 0;
}

void ppi_cost_inject (ppi_cost_fn *fn)
{
	injected = fn;
}

const struct ppi_plan *ppi_plan_with (const struct ppi_binding *b, unsigned *op)
{
	const struct ppi_plan *plan = b->site ? b->site->plan : NULL;

	for (unsigned i = 0; plan && i < plan->n_ops; i++)
		if (plan->ops[i].binding == b) {
			*op = i;
			return plan;
		}
	return NULL;
}

int pp_self_cost (const char *site, struct pp_self_cost *out)
{
	const struct ppi_cost *cost = NULL;
	int saved = errno, error;
	char why[512];
	pp_site *s;

	if (!site || !out)
		return PP_EINVAL;
	ppi_lock ();
	error = ppi_site_find_plain (site, &s, why, sizeof (why));
	if (!error)
		cost = s->plan->n_ops ? ppi_cost_of (s->plan) : NULL;
	if (cost)
		*out = (struct pp_self_cost){cost->inside_s, cost->sampled_s, cost->skipped_s};
	ppi_unlock ();
	errno = saved;
	return error ? error : cost ? PP_OK : PP_EUNAVAILABLE;
}
