/* SPDX-License-Identifier: MIT */
/*
 * general.c: what general plans do in C: sources that are functions, double samples, checks.
 * general_hot.c calls it with the host's registers kept and on a stack of the library's; but it
 * runs at markers: no lock, no allocation, no system call of its own.
 */
#include "base/atomic.h"
#include "base/clock.h"
#include "base/fp.h"
#include "base/ticks.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/source.h"
#include "libmetrics/source/user_source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/check.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/marker/taps.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/aggregate.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/nested.h"
#include "libmetrics/thread/ring.h"
#include "libmetrics/thread/thread.h"

#include <string.h>

/* ---- the sink `accumulate` ------------------------------------------------------------------- */

static void accumulate (struct ppi_thread *t, const struct ppi_op *op,
			const struct ppi_taken *taken)
{
	struct ppi_shard *s = ppi_shard_get (t, op);
	const union ppi_sample *sample = taken->sample;
	bool known = true;
	uint64_t now;

	if (!s)
		return;
	now = ppi_sample_end (op, taken->now);
	if (ppi_is_double (op))
		known = ppi_accumulate_double (s, op->accumulator, sample->d, now);
	else
		ppi_accumulate_int_any (s, op->accumulator, sample->i, now);
	if (!known)
		ppi_drop (t, PP_DROP_UNKNOWN, 1);
	else if (ppi_unlikely (op->binding->windows))
		ppi_windows_add (t, op->binding, ppi_is_double (op), *sample);
}

const struct ppi_sink ppi_sink_accumulate = {
	.name = "accumulate", .is_bound = true, .take = accumulate};

/* ---- checks ---------------------------------------------------------------------------------- */

#define TIMED 64u /* of a thread's runs of checks one in so many is timed */

/*
 * What a check takes: of those that were timed lately, but one during which the thread lost its
 * processor hardly counts. Threads may overwrite each other's.
 */
static void note_time (struct ppi_check *c, uint64_t took)
{
	uint64_t is = ppi_load (&c->ticks);

	if (!is)
		is = took;
	else if (took < is)
		is -= (is - took) / 2;
	else
		is += (took < 2 * is ? took - is : is) / 16;
	ppi_store (&c->ticks, is);
}

static void run_timed (struct ppi_thread *t, pp_site *site)
{
	struct ppi_check *c;

	for (c = __atomic_load_n (&site->checks, __ATOMIC_ACQUIRE); c;
	     c = __atomic_load_n (&c->next, __ATOMIC_ACQUIRE)) {
		uint64_t from = ppi_ticks ();

		c->run (c, t, site);
		note_time (c, ppi_ticks () - from);
	}
}

/*
 * Checks run with the frame closed and the marker left, so that what they call may be instrumented
 * itself; not in handlers that interrupted a marker, and not inside each other.
 */
uint64_t ppi_run_checks (struct ppi_thread *t, pp_site *site, uintptr_t sp,
			 const struct ppi_moment *ended)
{
	PPI_KEEP_HOST;
	uintptr_t lo = t->segment->lo, span = t->segment->span;
	struct ppi_check *c;

	if (t->owner)
		return 0;
	/*
	 * a handler may have left them by siglongjmp: the stack was unwound past their marker then
	 */
	if (t->in_check &&
	    !(sp - lo < span && t->check_sp - lo < span && ppi_stack_was_left (t->check_sp, sp)))
		return 0;
	t->check_sp = sp;
	t->checked = ended;
	ppi_store (&t->in_check, 1);
	ppi_compiler_barrier ();
	if (++t->checks_run % TIMED == TIMED / 2)
		run_timed (t, site);
	else
		for (c = __atomic_load_n (&site->checks, __ATOMIC_ACQUIRE); c;
		     c = __atomic_load_n (&c->next, __ATOMIC_ACQUIRE))
			c->run (c, t, site);
	__atomic_store_n (&t->in_check, 0, __ATOMIC_RELEASE);
	return 0;
}

int ppi_thread_sampled (const struct ppi_thread *t, const pp_metric *metric, const pp_site *site)
{
	const struct ppi_binding *b = __atomic_load_n (&site->bindings, __ATOMIC_ACQUIRE);
	const struct ppi_shard *s;
	uint64_t last;

	while (b && b->metric != metric)
		b = b->next_of_site;
	if (!b)
		return -1;
	/* counts have no time; but with each execution they have one more */
	if (b->op.counts)
		return ppi_binding_every (b) > 1 ? -1 : 1;
	s = ppi_thread_shard (t, b->op.slot);
	if (!s)
		return 0;
	last = ppi_field_get (&s->last_ticks);
	return b->op.stamped ? last > t->checked->stamp : last >= t->checked->ticks;
}

bool ppi_thread_grouped (const struct ppi_thread *t, uint32_t number, uint32_t group,
			 const pp_site *site)
{
	const struct ppi_group_entry *entry = ppi_group_entry_at (t, number, group, site->id);

	return entry &&
	       ppi_field_get (&ppi_group_shard (entry->chunk)->last_ticks) >= t->checked->ticks;
}

bool ppi_thread_execution (const struct ppi_thread *t, const pp_site *site,
			   struct ppi_execution *out)
{
	uint64_t begun = t->checked->begun, ended = t->checked->ticks, now, now_ns;
	double ns_per_tick = 1e9 * ppi_seconds_per_tick ();

	if (!begun || begun > ended)
		return false;
	now_ns = ppi_real_now_ns ();
	now = ppi_ticks ();
	out->end_ns = now_ns - (uint64_t) (ns_per_tick * (double) (now - ended));
	out->begin_ns = now_ns - (uint64_t) (ns_per_tick * (double) (now - begun));
	out->thread = ppi_load (&t->id);
	out->site = site->id;
	return true;
}

/* Not right into the frame: a function may fork, and the child must not write to its parent's. */
static int begin_one (const struct ppi_op *op, uint64_t *values)
{
	uint64_t result[PP_ABI_RESULT_BYTES / sizeof (uint64_t)];
	int r;

	if (!ppi_is_users (op->instance) || op->instance->combination)
		return ppi_instance_begin (op->instance, &values[op->value]);
	r = ppi_instance_begin (op->instance, result);
	if (r >= 0 && !ppi_is_forked ())
		memcpy (&values[op->value], result, op->instance->begin_bytes);
	return r;
}

/*
 * The marker stays entered while a source's functions run: markers that they run through use the
 * second state, and end there, so that a measured function that measures cannot recurse without
 * end.
 */
uint64_t ppi_measure_begin (struct ppi_thread *t, const struct ppi_plan *plan, struct ppi_frame *f,
			    int64_t value)
{
	uint64_t *values = ppi_frame_values (f);
	int r;

	ppi_reading_number++;
	if (plan->scoped)
		ppi_nested_begin (plan, f);
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];

		if (op->class == PPI_SOURCE_VALUE)
			ppi_store (&values[op->value], (uint64_t) ppi_captured (plan, op, value));
		else if (ppi_is_function (op) && !(f->skipped >> i & 1) &&
			 (r = begin_one (op, values)) < 0) {
			ppi_store (&f->skipped, f->skipped | UINT64_C (1) << i);
			ppi_drop (t, ppi_source_cause (r), 1);
		}
	}
	ppi_taps_begin (t, plan, value, values, 0);
	return 0;
}

/* The samples of all functions, before anything is accumulated. Returns which ops have none. */
static uint64_t call_ends (struct ppi_thread *t, const struct ppi_plan *plan, struct ppi_frame *f,
			   union ppi_sample *samples, uint64_t now)
{
	const uint64_t *values = ppi_frame_values (f);
	uint64_t without = f->skipped;
	int r;

	ppi_reading_number++;
	for (uint32_t i = plan->n_ops; i-- > 0;) {
		const struct ppi_op *op = &plan->ops[i];

		samples[i].i = 0;
		if (without >> i & 1)
			continue;
		if (op->class == PPI_SOURCE_TICKS)
			samples[i].i =
				ppi_sample_of_ticks (plan, op, now - ppi_load (&f->begin_ticks));
		else if (op->class == PPI_SOURCE_VALUE) {
			samples[i].i = (int64_t) values[op->value];
			without |= (uint64_t) !ppi_is_captured (plan, values[op->value]) << i;
		} else if (ppi_is_function (op) &&
			   (r = ppi_instance_end (op->instance, &values[op->value], &samples[i])) <
				   0) {
			without |= UINT64_C (1) << i;
			ppi_drop (t, ppi_source_cause (r), 1);
		}
	}
	return without;
}

static bool take_bound (struct ppi_thread *t, struct ppi_taken *taken,
			const union ppi_sample *samples, uint64_t without)
{
	const struct ppi_plan *plan = taken->plan;
	bool sampled = false;

	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (!(without >> i & 1)) {
			taken->sample = &samples[i];
			accumulate (t, &plan->ops[i], taken);
			sampled = true;
		}
	return sampled;
}

uint64_t ppi_measure_end_of (struct ppi_thread *t, const struct ppi_plan *plan, struct ppi_frame *f,
			     uint64_t now, enum ppi_home home)
{
	union ppi_sample samples[PPI_OPS_MAX];
	uint64_t without = call_ends (t, plan, f, samples, now);
	struct ppi_taken taken;
	bool sampled;

	if (ppi_is_forked ())
		return 0;
	if (plan->scoped)
		without = ppi_nested_end (t, plan, f, home, samples, without);
	taken = (struct ppi_taken){.plan = plan, .frame = f, .now = now, .home = home};
	sampled = take_bound (t, &taken, samples, without);
	ppi_taps_take (t, &taken, ppi_frame_values (f), 0);
	return sampled;
}

uint64_t ppi_measure_end (struct ppi_thread *t, const struct ppi_plan *plan, struct ppi_frame *f,
			  uint64_t now)
{
	return ppi_measure_end_of (t, plan, f, now, PPI_HOME_STACK);
}

/* One op at a point: false where it is skipped or has no value. */
static bool sample_point (struct ppi_thread *t, const struct ppi_plan *plan,
			  const struct ppi_op *op, int64_t value, union ppi_sample *out)
{
	int r = 0;

	/* a double's bits when the site says so */
	out->i = op->class == PPI_SOURCE_VALUE ? ppi_captured (plan, op, value) : 0;
	if (op->class == PPI_SOURCE_VALUE)
		return ppi_is_captured (plan, (uint64_t) out->i);
	if (ppi_is_function (op))
		r = op->instance->source->point (op->instance, out);

	if (r < 0)
		ppi_drop (t, ppi_source_cause (r), 1);
	return r >= 0;
}

uint64_t ppi_measure_point (struct ppi_thread *t, const struct ppi_plan *plan, int64_t value,
			    uint64_t now)
{
	union ppi_sample samples[PPI_OPS_MAX];
	uint64_t without = plan->skips ? ppi_skip_some (t->hot, plan) : 0,
		 values[PPI_CAPTURES_MAX * PPI_SINKS_COUNT];
	struct ppi_taken taken = {.plan = plan, .now = now};
	bool sampled;

	ppi_reading_number++;
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (!(without >> i & 1) &&
		    !sample_point (t, plan, &plan->ops[i], value, &samples[i]))
			without |= UINT64_C (1) << i;
	if (ppi_is_forked ())
		return 0;
	sampled = take_bound (t, &taken, samples, without);
	if (plan->n_all > plan->n_ops) {
		ppi_taps_begin (t, plan, value, values, plan->ops[plan->n_ops].value);
		ppi_taps_take (t, &taken, values, plan->ops[plan->n_ops].value);
	}
	return sampled;
}
