/* SPDX-License-Identifier: MIT */
/*
 * general.c: the routines for any plan: sources that are functions, double samples, checks. Called with every
 * register of the host saved, so this is ordinary C; but it runs at markers: no lock, no allocation, no system call
 * of its own.
 */
#include "accumulate_double.h"
#include "binding.h"
#include "frame.h"
#include "window.h"

#include <string.h>

static void record (struct ppi_thread *t, const struct ppi_op *op, const union ppi_sample *sample, uint64_t now)
{
	struct ppi_shard *s = ppi_shard_get (t, op);
	bool known = true;

	if (!s)
		return;
	if (op->sample_type == PP_ABI_SAMPLE_DOUBLE && op->accumulator != PPI_COUNT)
		known = ppi_accumulate_double (s, op->accumulator, sample->d, now);
	else
		ppi_accumulate_int_any (s, op->accumulator, sample->i, now);
	if (!known)
		ppi_drop (t, PP_DROP_UNKNOWN, 1);
	else if (ppi_unlikely (op->binding->windows))
		ppi_windows_add (t, op->binding,
				 op->sample_type == PP_ABI_SAMPLE_DOUBLE && op->accumulator != PPI_COUNT, *sample);
}

/*
 * Checks run with the frame closed and the marker left, so that what they call may be instrumented itself; not in
 * handlers that interrupted a marker, and not inside each other.
 */
void ppi_run_checks (struct ppi_thread *t, pp_site *site, uintptr_t sp)
{
	uintptr_t lo = t->segment->lo, span = t->segment->span;
	struct ppi_check *c;

	if (t->owner)
		return;
	/* a handler may have left them by siglongjmp: the stack was unwound past their marker then */
	if (t->in_check && !(sp - lo < span && t->check_sp - lo < span && sp >= t->check_sp))
		return;
	t->check_sp = sp;
	ppi_store (&t->in_check, 1);
	ppi_compiler_barrier ();
	for (c = __atomic_load_n (&site->checks, __ATOMIC_ACQUIRE); c; c = __atomic_load_n (&c->next, __ATOMIC_ACQUIRE))
		c->run (c, t, site);
	__atomic_store_n (&t->in_check, 0, __ATOMIC_RELEASE);
}

/* What the site pushed for an op. */
static int64_t captured (const struct ppi_plan *plan, const struct ppi_op *op, int64_t value)
{
	if (plan->is_array)
		memcpy (&value, (const char *) (uintptr_t) value + op->index * sizeof (value), sizeof (value));
	return value;
}

/*
 * The marker stays entered while a source's functions run: markers that they run through use the second state, and
 * end there, so that a measured function that measures cannot recurse without end.
 */
static void call_begins (struct ppi_thread *t, const struct ppi_plan *plan, struct ppi_frame *f, int64_t value)
{
	uint64_t *values = ppi_frame_values (f);
	int r;

	ppi_reading_number++;
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];

		if (op->class == PPI_SOURCE_VALUE)
			values[op->value] = (uint64_t) captured (plan, op, value);
		else if (op->class == PPI_SOURCE_FUNCTION && !(f->skipped >> i & 1) &&
			 (r = op->instance->source->begin (op->instance, &values[op->value])) < 0) {
			f->skipped |= UINT64_C (1) << i;
			ppi_drop (t, ppi_source_cause (r), 1);
		}
	}
}

void ppi_measure_begin (struct ppi_thread *t, const struct ppi_plan *plan, struct ppi_frame *f, int64_t value)
{
	f->skipped = ppi_skip_some (t->hot, plan);
	call_begins (t, plan, f, value);
}

void ppi_general_begin (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp, int64_t value)
{
	struct ppi_thread *t = ppi_thread_enter (sp);
	struct ppi_frame *f = t ? ppi_frame_make_room (t, tag, sp, plan->value_slots) : NULL;

	if (f) {
		ppi_measure_begin (t, plan, f, value);
		ppi_frame_push (t->hot, f, tag, sp, plan);
		/* the clock last: what the functions cost is not the interval's */
		ppi_store (&f->begin_ticks, ppi_ticks ());
	}
	if (t)
		ppi_thread_leave (t);
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
			samples[i].i = (int64_t) (now - f->begin_ticks);
		else if (op->class == PPI_SOURCE_VALUE)
			samples[i].i = (int64_t) values[op->value];
		else if (op->class == PPI_SOURCE_FUNCTION &&
			 (r = op->instance->source->end (op->instance, &values[op->value], &samples[i])) < 0) {
			without |= UINT64_C (1) << i;
			ppi_drop (t, ppi_source_cause (r), 1);
		}
	}
	return without;
}

static bool record_all (struct ppi_thread *t, const struct ppi_plan *plan, const union ppi_sample *samples,
			uint64_t without, uint64_t now)
{
	bool sampled = false;

	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (!(without >> i & 1)) {
			record (t, &plan->ops[i], &samples[i], now);
			sampled = true;
		}
	return sampled;
}

bool ppi_measure_end (struct ppi_thread *t, const struct ppi_plan *plan, struct ppi_frame *f, uint64_t now)
{
	union ppi_sample samples[PPI_OPS_MAX];
	uint64_t without = call_ends (t, plan, f, samples, now);

	return record_all (t, plan, samples, without, now);
}

void ppi_general_end (uintptr_t tag, const struct ppi_plan *current, uintptr_t sp)
{
	uint64_t now = ppi_ticks ();
	struct ppi_thread *t = ppi_thread_enter (sp);
	struct ppi_frame *f = t ? ppi_frame_find (t, tag, sp) : NULL;
	const struct ppi_plan *plan;
	bool sampled;

	(void) current;
	if (!f) {
		if (t)
			ppi_thread_leave (t);
		return;
	}
	plan = f->plan;
	/* a frame of a plan of one metric does not say what it skipped: nothing */
	if (!plan->general)
		f->slots = 0;
	if (!plan->general && plan->n_ops == 1 && plan->ops[0].every <= 1)
		f->skipped = 0;
	sampled = ppi_measure_end (t, plan, f, now);
	ppi_frame_pop (t->hot, f);
	ppi_thread_leave (t);
	if (sampled)
		ppi_run_checks (t, plan->site, sp);
}

/* One op at a point: false where it is skipped or has no value. */
static bool sample_point (struct ppi_thread *t, const struct ppi_plan *plan, const struct ppi_op *op, int64_t value,
			  union ppi_sample *out)
{
	int r = 0;

	/* a double's bits when the site says so */
	out->i = op->class == PPI_SOURCE_VALUE ? captured (plan, op, value) : 0;
	if (op->class == PPI_SOURCE_FUNCTION)
		r = op->instance->source->point (op->instance, out);

	if (r < 0)
		ppi_drop (t, ppi_source_cause (r), 1);
	return r >= 0;
}

void ppi_general_point (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp, int64_t value)
{
	uint64_t now = ppi_stamp ();
	struct ppi_thread *t = ppi_thread_enter (sp);
	union ppi_sample samples[PPI_OPS_MAX];
	uint64_t without;
	bool sampled;

	(void) tag;
	if (!t)
		return;
	without = ppi_skip_some (t->hot, plan);
	ppi_reading_number++;
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (!(without >> i & 1) && !sample_point (t, plan, &plan->ops[i], value, &samples[i]))
			without |= UINT64_C (1) << i;
	sampled = record_all (t, plan, samples, without, now);
	ppi_thread_leave (t);
	if (sampled)
		ppi_run_checks (t, plan->site, sp);
}
