/* SPDX-License-Identifier: MIT */
/*
 * inline.c: samples that the program's own code takes: #pragma pp sample_begin and sample_end,
 * whose functions have arguments that only the code can give, and sites that are inline.
 */
#include "base/atomic.h"
#include "base/fp.h"
#include "base/ticks.h"
#include "base/types.h"
#include "libmetrics/calls/by_hand.h"
#include "libmetrics/calls/call.h"
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/opened.h"
#include "libmetrics/thread/ring.h"
#include "libmetrics/thread/thread.h"

#include <math.h>
#include <string.h>

PP_ABI_ASSERT (PPI_FRAME_SLOT >= PP_ABI_RESULT_BYTES);

/* What sample_end gives back, and what is written where nothing can be kept. */
static __thread uint64_t scratch[PP_ABI_RESULT_BYTES / sizeof (uint64_t)]
	__attribute__ ((aligned (16), tls_model ("initial-exec")));

static struct ppi_thread *enter (uintptr_t sp)
{
	struct ppi_hot *h = ppi_try_enter (sp);

	return h ? h->thread : ppi_thread_enter (sp);
}

/* ---- one sample ------------------------------------------------------------------------------ */

/* Integers where the metric keeps integers, doubles where it keeps doubles. */
static void record (struct ppi_thread *t, const struct ppi_op *op, bool is_double,
		    union ppi_sample sample)
{
	struct ppi_shard *s = ppi_shard_get (t, op);
	/* beside those of markers */
	uint64_t now = op->stamped ? ppi_stamp () : ppi_ticks ();
	bool keeps_double = ppi_is_double (op);
	const double limit = 0x1p63, real = sample.d; /* of the union one of the two */
	const int64_t whole = sample.i;
	bool known = true;

	if (!s)
		return;
	if (op->counts)
		sample.i = 0;
	else if (keeps_double && !is_double)
		sample.d = (double) whole;
	else if (!keeps_double && is_double && !(known = sample.d >= -limit && sample.d < limit))
		sample.i = 0;
	else if (!keeps_double && is_double)
		sample.i = (int64_t) llrint (real);
	if (keeps_double)
		known = ppi_accumulate_double (s, op->accumulator, sample.d, now);
	else if (known)
		ppi_accumulate_int_any (s, op->accumulator, sample.i, now);
	if (!known)
		ppi_drop (t, PP_DROP_UNKNOWN, 1);
	else if (ppi_unlikely (op->binding->windows))
		ppi_windows_add (t, op->binding, keeps_double, sample);
}

static void add (pp_metric *m, bool is_double, union ppi_sample sample, uintptr_t sp)
{
	struct ppi_binding *b = m && !m->unavailable ? ppi_sample_binding (m) : NULL;
	struct ppi_thread *t = b ? enter (sp) : NULL;

	if (!t)
		return;
	record (t, &b->op, is_double, sample);
	ppi_thread_leave (t);
}

void pp_rt_sample_int (void *metric, int64_t sample)
{
	add (metric, false, (union ppi_sample){.i = sample}, PPI_CALLER_SP ());
}

void pp_rt_sample_double (void *metric, double sample)
{
	add (metric, true, (union ppi_sample){.d = sample}, PPI_CALLER_SP ());
}

/* ---- begin and end --------------------------------------------------------------------------- */

/* Are its functions in the program, where the plugin writes their calls? */
static bool is_called_by_program (const pp_metric *m)
{
	return (m->spec.begin && !m->instance.combination) || m->spec.has_arguments;
}

/* Whether there is no value. */
static bool read_begin (struct ppi_thread *t, pp_metric *m, void *room)
{
	PPI_KEEP_HOST;
	int r;

	ppi_reading_number++;
	r = ppi_instance_begin (&m->instance, room);
	if (r < 0)
		ppi_drop (t, ppi_source_cause (r), 1);
	return r < 0;
}

static void *sample_begin (pp_metric *m, struct ppi_caller caller)
{
	struct ppi_thread *t = enter (caller.sp);
	struct ppi_frame *f =
		t ? ppi_opened_take (t, PPI_OPENED_SAMPLES, (uintptr_t) m, caller, 1) : NULL;
	void *room = scratch;

	if (f) {
		room = (char *) f - PP_ABI_RESULT_BYTES;
		ppi_store (&f->skipped, 0);
		if (!is_called_by_program (m) && m->instance.source->class == PPI_SOURCE_FUNCTION)
			ppi_store (&f->skipped, read_begin (t, m, room));
		ppi_opened_push (t, PPI_OPENED_SAMPLES, f, (uintptr_t) m, caller.sp, NULL, 0);
		ppi_store (&f->begin_ticks, ppi_ticks ());
	}
	if (t)
		ppi_thread_leave (t);
	return room;
}

void *pp_rt_sample_begin (void *metric)
{
	pp_metric *m = metric;

	/* the binding first: it makes the region that the frame lies in */
	return m && !m->unavailable && ppi_sample_binding (m) ? sample_begin (m, PPI_CALLER ())
							      : scratch;
}

/* The sample of one of the library's sources. */
static bool read_source (struct ppi_thread *t, pp_metric *m, const struct ppi_frame *f,
			 const void *room, uint64_t now, union ppi_sample *sample)
{
	const struct ppi_source *source = m->instance.source;
	PPI_KEEP_HOST;
	int r;

	sample->i = 0;
	switch (source->class) {
	case PPI_SOURCE_TICKS:
		sample->i = (int64_t) (now - f->begin_ticks);
		return true;
	case PPI_SOURCE_FUNCTION:
		if (f->skipped)
			return false; /* counted at the begin */
		ppi_reading_number++;
		r = ppi_instance_end (&m->instance, room, sample);
		if (r < 0)
			ppi_drop (t, ppi_source_cause (r), 1);
		return r >= 0;
	default:
		if (ppi_keeps (m->spec.accumulator,
			       PPI_KEEPS_ANY)) /* there is nothing that captures a value here */
			ppi_drop (t, PP_DROP_UNKNOWN, 1);
		return !ppi_keeps (m->spec.accumulator, PPI_KEEPS_ANY);
	}
}

static void *sample_end (pp_metric *m, const struct ppi_binding *b, uintptr_t sp, uint64_t now)
{
	struct ppi_thread *t = enter (sp);
	struct ppi_frame *f = t ? ppi_opened_find (t, PPI_OPENED_SAMPLES, (uintptr_t) m, sp) : NULL;
	union ppi_sample sample;
	void *result = NULL;

	if (f) {
		const void *room = (char *) f - PP_ABI_RESULT_BYTES;

		if (is_called_by_program (m))
			result = memcpy (scratch, room, sizeof (scratch));
		else if (read_source (t, m, f, room, now, &sample))
			record (t, &b->op, b->op.sample_type == PP_ABI_SAMPLE_DOUBLE, sample);
		ppi_opened_close (t, PPI_OPENED_SAMPLES, f);
	}
	if (t)
		ppi_thread_leave (t);
	return result;
}

void *pp_rt_sample_end (void *metric)
{
	uint64_t now = ppi_ticks ();
	pp_metric *m = metric;
	const struct ppi_binding *b = m && !m->unavailable ? ppi_sample_binding (m) : NULL;

	return b ? sample_end (m, b, PPI_CALLER_SP (), now) : NULL;
}

/* ---- inline sites ---------------------------------------------------------------------------- */

static const struct ppi_binding *binding_at (const struct pp_abi_site *d, const pp_metric *m)
{
	const pp_site *site = (const pp_site *) (uintptr_t) d->reserved;
	const struct ppi_binding *b =
		site ? __atomic_load_n (&site->bindings, __ATOMIC_ACQUIRE) : NULL;

	while (b && b->metric != m)
		b = b->next_of_site;
	return b;
}

static void add_at (const void *tag, const pp_metric *m, bool is_double, union ppi_sample sample,
		    uintptr_t sp)
{
	const struct pp_abi_site *d =
		(const struct pp_abi_site *) ((uintptr_t) tag & ~(uintptr_t) PP_ABI_DEPTH_MASK);
	const struct ppi_binding *b = m ? binding_at (d, m) : NULL;
	struct ppi_thread *t = b ? enter (sp) : NULL;
	struct ppi_shard *s = t ? ppi_shard_get (t, &b->op) : NULL;
	struct ppi_moment ended = {UINT64_MAX, UINT64_MAX, 0};
	bool sampled = false;

	if (s && !ppi_shard_skips (s, ppi_load (&b->every))) {
		record (t, &b->op, is_double, sample);
		/* and of no other metric */
		if (b->op.stamped)
			ended.stamp = ppi_field_get (&s->last_ticks) - 1;
		else
			ended.ticks = ppi_field_get (&s->last_ticks);
		sampled = true;
	}
	if (t)
		ppi_thread_leave (t);
	if (sampled)
		ppi_run_checks (t, b->site, sp, &ended);
}

void pp_rt_inline_int (const void *site, void *metric, int64_t sample)
{
	add_at (site, metric, false, (union ppi_sample){.i = sample}, PPI_CALLER_SP ());
}

void pp_rt_inline_double (const void *site, void *metric, double sample)
{
	add_at (site, metric, true, (union ppi_sample){.d = sample}, PPI_CALLER_SP ());
}
