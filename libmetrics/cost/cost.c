/* SPDX-License-Identifier: MIT */
/*
 * cost.c: calibration. Plans of one shape cost the same, wherever they are; a shape is measured
 * (self.c) once in a process, when somebody asks.
 */
#include "libmetrics/cost/cost.h"

#include "base/atomic.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/types.h"
#include "libmetrics/cost/self.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/check.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"
#include "libmetrics/tables/site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- shapes ---------------------------------------------------------------------------------- */

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
	uint8_t kind, value, state;
	uint8_t checked; /* 0: no; 1; more where checks are quick: one and their terms */
	struct part part[PPI_OPS_MAX];
};

struct shape {
	struct ppi_shape head;
	struct shape *next;
	struct key key;
	bool known;
	struct ppi_cost cost;
	const struct ppi_plan *plan; /* the first of this shape */
	struct ppi_binding *mine[PPI_OPS_MAX];
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
	for (unsigned i = 0; i < plan->n_quick; i++)
		k->checked = (uint8_t) (k->checked + 1 + plan->quick[i].n_terms);
	for (unsigned i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		const struct ppi_combination *combination = op->instance->combination;
		const char *argument = op->instance->argument;

		k->part[i] = (struct part){
			.source = op->instance->source,
			.argument = argument ? ppi_hash (argument, strlen (argument), 1) : 0,
			/*
					    * how long a window is that slides makes no difference
					    */
			.size = ppi_keeps (op->accumulator, PPI_KEEPS_RING) ? 0 : op->size,
			.accumulator = op->accumulator,
			.class = op->class,
			.sample_type = op->sample_type,
			.windowed = ppi_windows_used (op->binding),
			.words = op->words,
			.scope = (uint8_t) (op->scope | (op->corrected ? 8 : 0)),
			.combined = combination ? (uint8_t) (combination->combine + 1) : 0};
	}
}

static void set_cost (struct shape *shape, const struct ppi_measured *m)
{
	double sampled = ppi_trial_seconds (&m->sampled), skipped = ppi_trial_seconds (&m->skipped),
	       jumps = m->jumps * ppi_seconds_per_tick ();

	skipped = skipped > jumps ? skipped : jumps;
	shape->cost = (struct ppi_cost){m->inside * ppi_seconds_per_tick (), sampled,
					skipped < sampled ? skipped : sampled};
}

static struct shape *shape_find (const struct key *k)
{
	struct shape *shape = shapes;

	while (shape && memcmp (&shape->key, k, key_bytes (k)) != 0)
		shape = shape->next;
	return shape;
}

/* NULL: no memory. */
static struct shape *shape_new (const struct ppi_plan *plan, const struct key *k)
{
	struct shape *shape = calloc (1, sizeof (*shape) + k->n * sizeof (shape->weight[0]));

	if (!shape)
		return NULL;
	memcpy (&shape->key, k, key_bytes (k));
	shape->plan = plan;
	return shape;
}

/* SHAPE is known, or that it can't be. */
static void shape_add (struct shape *shape)
{
	if (shape->known && shape->cost.inside_s > 0)
		shape->head.inside_ticks =
			(uint64_t) (shape->cost.inside_s / ppi_seconds_per_tick () + 0.5);
	shape->next = shapes;
	shapes = shape;
}

/* With the bindings that SHAPE has. */
static bool measure (struct shape *shape)
{
	struct ppi_measured measured;

	if (!ppi_self_measure (shape->plan, shape->mine, shape->key.n, &measured))
		return false;
	set_cost (shape, &measured);
	return true;
}

/*
 * What op I of SHAPE costs alone, in seconds: measured once for all shapes that have one like it.
 * Below 0: it can't be told.
 */
static double cost_alone (const struct shape *shape, unsigned i)
{
	struct key k = shape->key;
	struct shape *alone;

	k.n = 1;
	k.part[0] = shape->key.part[i];
	alone = shape_find (&k);
	if (!alone && (alone = shape_new (shape->plan, &k))) {
		alone->mine[0] = shape->mine[i];
		alone->weight[0] = 1;
		alone->known = measure (alone);
		shape_add (alone);
	}
	return alone && alone->known ? alone->cost.sampled_s : -1;
}

/* What each op alone costs, as a part of all of them. */
static bool weigh (struct shape *shape)
{
	unsigned n = shape->key.n;
	double sum = 0;

	for (unsigned i = 0; i < n; i++) {
		double alone = n > 1 ? cost_alone (shape, i) : 1;

		if (alone < 0)
			return false;
		shape->weight[i] = alone > 0 ? alone : 1e-12;
		sum += shape->weight[i];
	}
	for (unsigned i = 0; i < n; i++)
		shape->weight[i] /= sum;
	return true;
}

static void calibrate (struct shape *shape)
{
	unsigned n = 0, all = shape->plan->n_ops;

	/* hidden bindings have numbers and shards, and stay */
	while (n < all && (shape->mine[n] = ppi_self_binding (shape->plan->ops[n].binding)))
		n++;
	shape->known = n == all && measure (shape) && weigh (shape);
}

static struct shape *shape_make (const struct ppi_plan *plan, const struct key *k)
{
	struct shape *shape = shape_new (plan, k);

	if (!shape)
		return NULL;
	if (injected) {
		shape->known = injected (plan->site, &shape->cost);
		for (unsigned i = 0; i < k->n; i++)
			shape->weight[i] = 1.0 / k->n;
	} else {
		calibrate (shape);
	}
	shape_add (shape);
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
		shape = shape_find (&k);
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

const struct ppi_cost *ppi_cost_known (const struct ppi_plan *plan)
{
	const struct shape *shape = (const struct shape *) (const void *) plan->shape;

	return shape && shape->known ? &shape->cost : NULL;
}

/* ---- records --------------------------------------------------------------------------------- */

enum { RECORD_TRIALS = 3 };

static struct {
	struct ppi_cost cost; /* SAMPLED_S 0: not known */
	unsigned trials;
} records;

static bool is_recorded (const struct ppi_plan *plan)
{
	for (unsigned i = plan->n_ops; i < plan->n_all; i++)
		if (plan->ops[i].sink == PPI_SINK_RECORD)
			return plan->site->kind == PP_ABI_SITE_INTERVAL;
	return false;
}

const struct ppi_cost *ppi_cost_of_records_known (const struct ppi_plan *plan)
{
	return records.cost.sampled_s > 0 && is_recorded (plan) ? &records.cost : NULL;
}

const struct ppi_cost *ppi_cost_of_records (const struct ppi_plan *plan)
{
	double inside, pair;

	/* on a machine that is busy it may not be seen at all: then once more */
	if (!(records.cost.sampled_s > 0) && is_recorded (plan) && records.trials < RECORD_TRIALS) {
		records.trials++;
		if (ppi_self_measure_records (plan, &inside, &pair) && inside > 0 && pair > 0)
			records.cost = (struct ppi_cost){.inside_s = inside, .sampled_s = pair};
	}
	return ppi_cost_of_records_known (plan);
}

double ppi_cost_part (const struct ppi_plan *plan, unsigned i)
{
	const struct shape *shape = shape_of (plan);

	return shape && shape->known && i < plan->n_ops ? shape->weight[i] : 0;
}

double ppi_cost_checks (const struct ppi_plan *plan)
{
	uint64_t ticks = 0;

	for (const struct ppi_check *c = plan->n_quick ? NULL : plan->site->checks; c; c = c->next)
		ticks += ppi_load (&c->ticks);
	return (double) ticks * ppi_seconds_per_tick ();
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

bool ppi_cost_at (const pp_metric *metric, const pp_site *site, struct ppi_cost *out)
{
	const struct ppi_binding *b = site->bindings;
	const struct ppi_cost *cost = NULL;
	const struct ppi_plan *plan;
	unsigned i = 0;

	while (b && b->metric != metric)
		b = b->next_of_site;
	plan = b ? ppi_plan_with (b, &i) : NULL;
	cost = plan ? ppi_cost_of (plan) : NULL;
	if (!cost)
		return false;
	*out = (struct ppi_cost){.inside_s = cost->inside_s,
				 .sampled_s = cost->sampled_s * ppi_cost_part (plan, i) +
					      ppi_cost_checks (plan),
				 .skipped_s = cost->skipped_s * ppi_cost_part (plan, i)};
	return true;
}

static struct pp_self_cost self_cost (const struct ppi_cost *of_metrics,
				      const struct ppi_cost *of_records)
{
	struct pp_self_cost out = {0, 0, 0};

	if (of_metrics)
		out = (struct pp_self_cost){of_metrics->inside_s, of_metrics->sampled_s,
					    of_metrics->skipped_s};
	if (of_records) {
		out.inside = of_records->inside_s;
		out.sampled += of_records->sampled_s;
	}
	return out;
}

int pp_self_cost (const char *site, struct pp_self_cost *out)
{
	const struct ppi_cost *cost = NULL, *records_cost = NULL;
	int saved = errno, error;
	char why[512];
	pp_site *s;

	if (!site || !out)
		return PP_EINVAL;
	ppi_lock ();
	error = ppi_site_find_plain (site, &s, why, sizeof (why));
	if (!error) {
		cost = s->plan->n_ops ? ppi_cost_of (s->plan) : NULL;
		records_cost = ppi_cost_of_records (s->plan);
	}
	if (cost || records_cost)
		*out = self_cost (cost, records_cost);
	if (cost)
		out->sampled += ppi_cost_checks (s->plan);
	ppi_unlock ();
	errno = saved;
	return error ? error : cost || records_cost ? PP_OK : PP_EUNAVAILABLE;
}

static void learn (const struct ppi_plan *plan)
{
	ppi_cost_of (plan);
}

void ppi_cost_start (void)
{
	ppi_batch_learns (learn);
}
