/* SPDX-License-Identifier: MIT */
/*
 * nested.c: what is nested in what, and what is left of it; nested.h. Runs inside markers: general
 * registers only, no libc.
 */
#include "libmetrics/thread/nested.h"

#include "base/atomic.h"
#include "base/types.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/aggregate.h"
#include "libmetrics/thread/feature.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/opened.h"
#include "libmetrics/thread/thread.h"

/* of an op of scope self, behind what its source keeps in the frame */
struct nested {
	uint64_t children; /* sum of what was read of them: an integer, or the bits of a double */
	uint64_t unknown;  /* one of them could not be read */
};

PP_ABI_ASSERT (sizeof (struct nested) == PPI_NESTED_WORDS * sizeof (uint64_t));

static struct nested *nested_of (struct ppi_frame *f, const struct ppi_op *op)
{
	return (struct nested *) &ppi_frame_values (f)[op->value + op->words - PPI_NESTED_WORDS];
}

/* Where there was a frame a moment ago: who looks for open ones may read it still. */
static void reset (struct nested *n)
{
	ppi_store (&n->children, 0);
	ppi_store (&n->unknown, 0);
}

void ppi_nested_begin (const struct ppi_plan *plan, struct ppi_frame *f)
{
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (plan->ops[i].scope == PPI_SCOPE_SELF)
			reset (nested_of (f, &plan->ops[i]));
}

/* ---- the list of those of plans with scopes -------------------------------------------------- */

/*
 * A frame's link: the next one around it, whose address has 48 bits, or 0; above that the marks of
 * all ops of both: a mark that is missing says that there is none around which has the metric.
 */
#define MARKS_FROM 48
#define OUTER_BITS ((UINT64_C (1) << MARKS_FROM) - 1)

static struct ppi_frame *outer_of (const struct ppi_frame *f)
{
	return (struct ppi_frame *) (uintptr_t) (f->link & OUTER_BITS);
}

/* One of 16 bits, the same where op_around finds the same. */
static uint64_t mark_of (const struct ppi_op *op)
{
	uint32_t by = op->scope == PPI_SCOPE_SELF ? op->binding->metric->id : op->binding->id;

	return UINT64_C (1) << (MARKS_FROM + by % (64 - MARKS_FROM));
}

void ppi_nested_link (const struct ppi_thread *t, const struct ppi_plan *plan, struct ppi_frame *f)
{
	const struct ppi_frame *outer = t->segment->scoped;

	ppi_store (&f->link, (uintptr_t) outer | (outer ? outer->link & ~OUTER_BITS : 0));
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (plan->ops[i].scope != PPI_SCOPE_TOTAL)
			ppi_store (&f->link, f->link | mark_of (&plan->ops[i]));
}

void ppi_nested_unlink (struct ppi_thread *t, const struct ppi_frame *f)
{
	ppi_store (&t->segment->scoped, outer_of (f));
	ppi_compiler_barrier ();
}

/* ---- what is around a frame ------------------------------------------------------------------ */

/* The op of F by which it is around an execution of OP; NULL: it is not. */
static const struct ppi_op *op_around (const struct ppi_frame *f, const struct ppi_op *op)
{
	const struct ppi_plan *plan = f->plan;

	if (!plan || !plan->scoped || f->tag == PPI_TAG_STALE)
		return NULL;
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *other = &plan->ops[i];

		if (op->scope == PPI_SCOPE_SELF ? other->instance == op->instance
						: other->binding == op->binding)
			return other;
	}
	return NULL;
}

struct around {
	struct ppi_frame *frame; /* NULL: there is none */
	const struct ppi_op *op;
};

static bool is_within (const struct ppi_segment *s, uintptr_t sp)
{
	return sp - s->lo < s->span;
}

/*
 * Of F, NULL or a frame of a marker, and those around it, the newest around OP that began by BEGUN.
 */
static struct around look (struct ppi_frame *f, const struct ppi_op *op, uint64_t begun)
{
	const uint64_t mark = mark_of (op);
	struct around found = {NULL, NULL};

	for (; f && f->link & mark; f = outer_of (f)) {
		found.op = op_around (f, op);
		if (found.op && f->begin_ticks <= begun) {
			found.frame = f;
			break;
		}
	}
	return found;
}

/* The same of what was begun by calls, on the stack ON. */
static struct around look_at_calls (struct ppi_frame *f, const struct ppi_op *op, uint64_t begun,
				    const struct ppi_segment *on)
{
	struct around found = {NULL, NULL};

	/* the sentinel's is larger than any */
	for (; f->sp != UINTPTR_MAX; f = f->prev) {
		found.op = op_around (f, op);
		if (found.op && f->begin_ticks <= begun && is_within (on, f->sp)) {
			found.frame = f;
			break;
		}
	}
	return found;
}

/*
 * Among the frames of markers and what was begun by calls, that which began last is the inner one.
 */
static struct around around (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home,
			     const struct ppi_op *op)
{
	struct around marker = {NULL, NULL}, call = {NULL, NULL};
	struct ppi_frame *calls = t->opened ? t->opened->list[PPI_OPENED_CALLS].top : NULL;

	if (home == PPI_HOME_SPAN)
		return marker;
	if (home == PPI_HOME_STACK)
		marker = look (outer_of (f), op, f->begin_ticks);
	else if (is_within (t->segment, f->sp))
		marker = look (t->segment->scoped, op, f->begin_ticks);
	if (home == PPI_HOME_CALLS)
		calls = f->prev;
	if (calls && is_within (t->segment, f->sp))
		call = look_at_calls (calls, op, f->begin_ticks, t->segment);
	if (!marker.frame || (call.frame && call.frame->begin_ticks > marker.frame->begin_ticks))
		return call;
	return marker;
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* BITS to the sum at INTO; SAVED: the vector registers are kept already. */
static void add (uint64_t *into, const struct ppi_op *op, uint64_t bits, bool saved)
{
	if (op->sample_type != PP_ABI_SAMPLE_DOUBLE)
		*into += bits;
	else if (saved)
		ppi_nested_add_double ((uintptr_t) into, NULL, bits);
	else
		pp_arch_saving_vectors (ppi_nested_add_double, (uintptr_t) into, NULL, bits);
}

#define SIGN (UINT64_C (1) << 63)

/* The own part of what was read, in *SAMPLE. False: it is not known. */
static bool take_children (struct ppi_frame *f, const struct ppi_op *op, union ppi_sample *sample)
{
	const struct nested *mine = nested_of (f, op);
	bool is_double = op->sample_type == PP_ABI_SAMPLE_DOUBLE;
	uint64_t bits;

	if (mine->unknown)
		return false;
	__builtin_memcpy (&bits, sample, sizeof (bits));
	if (mine->children) /* else -0.0, or nothing to do */
		add (&bits, op, is_double ? mine->children ^ SIGN : -mine->children, true);
	__builtin_memcpy (sample, &bits, sizeof (bits));
	return true;
}

/* WAS_READ: there is something in *SAMPLE. False: nothing is to be kept. */
static bool end_self (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home,
		      const struct ppi_op *op, union ppi_sample *sample, bool was_read)
{
	struct around outer = around (t, f, home, op);
	struct nested *its = outer.frame ? nested_of (outer.frame, outer.op) : NULL;
	uint64_t bits;

	if (its && was_read) {
		__builtin_memcpy (&bits, sample, sizeof (bits));
		add (&its->children, op, bits, true);
	} else if (its) {
		its->unknown = 1;
	}
	if (!was_read)
		return false;
	if (take_children (f, op, sample))
		return true;
	ppi_drop (t, PP_DROP_UNKNOWN, 1);
	return false;
}

/* every: N, of executions that would have a sample. */
static bool is_kept (struct ppi_thread *t, const struct ppi_op *op)
{
	uint32_t every = ppi_binding_every (op->binding);
	struct ppi_shard *s = every > 1 ? ppi_shard_get (t, op) : NULL;

	if (every <= 1 || !s)
		return every <= 1;
	if (s->skip) {
		ppi_store (&s->skip, s->skip - 1);
		return false;
	}
	ppi_store (&s->skip, every - 1);
	return true;
}

bool ppi_nested_counts (struct ppi_thread *t, struct ppi_frame *f, const struct ppi_op *op)
{
	if (op->scope == PPI_SCOPE_TOTAL)
		return true;
	return !around (t, f, PPI_HOME_STACK, op).frame && is_kept (t, op);
}

uint64_t ppi_nested_end (struct ppi_thread *t, const struct ppi_plan *plan, struct ppi_frame *f,
			 enum ppi_home home, union ppi_sample *samples, uint64_t without)
{
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		bool has = !(without >> i & 1);

		if (op->scope == PPI_SCOPE_TOTAL)
			continue;
		if (op->scope == PPI_SCOPE_SELF)
			has = end_self (t, f, home, op, &samples[i], has);
		else
			has = has && !around (t, f, home, op).frame;
		if (!has || !is_kept (t, op))
			without |= UINT64_C (1) << i;
	}
	return without;
}

void ppi_nested_give (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home)
{
	const struct ppi_plan *plan = f->plan;

	if (plan->exact)
		ppi_feature_give (t, f, home);
	if (plan->aggregate)
		ppi_aggregate_give (t, f, home);
	for (uint32_t i = 0; plan->scoped && i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		struct nested *mine = op->scope == PPI_SCOPE_SELF ? nested_of (f, op) : NULL;
		struct around outer = {NULL, NULL};

		if (mine && (mine->children || mine->unknown))
			outer = around (t, f, home, op);
		if (!outer.frame)
			continue;
		add (&nested_of (outer.frame, outer.op)->children, op, mine->children, false);
		nested_of (outer.frame, outer.op)->unknown |= mine->unknown;
	}
}
