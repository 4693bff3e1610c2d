/* SPDX-License-Identifier: MIT */
/*
 * event.c: pp_event_begin, pp_event_end and pp_dim.
 *
 * An event is begun and ended in any function, so it is found by its id, not by where the stack is.
 * It lies in the thread's list of calls (thread/opened.h) with a place that no stack has, below
 * UINTPTR_MAX by its number in the thread:
 *
 *     id    thread (kernel id) │ of the thread, or of a handler that interrupted a marker │ number
 *           bits 62..33          bit 32                                                     bits 31..0
 */
#include "base/atomic.h"
#include "base/fp.h"
#include "base/ticks.h"
#include "libmetrics/calls/call.h"
#include "libmetrics/calls/nesting.h"
#include "libmetrics/marker/aggregate.h"
#include "libmetrics/marker/flight.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/marker/record.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/opened.h"
#include "libmetrics/thread/thread.h"

#include <errno.h>
#include <pp.h>

#define HANDLER_BIT (UINT64_C (1) << 32)

static struct ppi_thread *enter (uintptr_t sp)
{
	struct ppi_hot *h = ppi_try_enter (sp);

	return h ? h->thread : ppi_thread_enter (sp);
}

static int64_t id_of (const struct ppi_thread *t, uint32_t number)
{
	return (int64_t) ((uint64_t) t->id << 33 | (t->owner ? HANDLER_BIT : 0) | number);
}

static uintptr_t place_of (uint32_t number)
{
	return UINTPTR_MAX - number;
}

/* Dimensions have a key, and are 8 at most. */
static bool are_valid (unsigned n, const struct pp_event_dim *dims)
{
	unsigned given = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!ppi_key_fits (dims[i].key))
			return false;
		given += dims[i].key != NULL;
	}
	return given <= PP_ABI_DIMS;
}

/* To the record of F, which has MOST at most then. */
static void add_dims (struct ppi_thread *t, struct ppi_frame *f, unsigned n,
		      const struct pp_event_dim *dims, unsigned most)
{
	uint64_t own = ppi_record_of (f);

	for (unsigned i = 0; own && i < n; i++)
		if (dims[i].key && ppi_key_fits (dims[i].key))
			(void) ppi_record_dim (t, own, &dims[i], most);
	for (unsigned i = 0; i < n; i++)
		ppi_aggregate_dim (t, f, &dims[i]);
}

/* The same for the flight recorder, right behind the entry of PLAN's that they belong to. */
static void add_flying (struct ppi_thread *t, const struct ppi_plan *plan, unsigned n,
			const struct pp_event_dim *dims)
{
	for (unsigned i = 0; plan->flies && i < n; i++)
		if (ppi_key_fits (dims[i].key))
			ppi_flight_dim (t, &dims[i], false);
}

/* ---- begin ----------------------------------------------------------------------------------- */

/* From 1, since UINTPTR_MAX is the end of the list. */
static uint32_t next_number (struct ppi_thread *t)
{
	if (!++t->events)
		t->events = 1;
	return t->events;
}

static int64_t begin (const struct pp_abi_site *d, const struct ppi_plan *plan,
		      const struct ppi_caller *caller, unsigned n, const struct pp_event_dim *dims)
{
	PPI_KEEP_HOST;
	struct ppi_thread *t = enter (caller->sp);
	uint32_t number = 0;
	struct ppi_frame *f = NULL;
	int64_t id = 0;

	if (t) {
		number = next_number (t);
		f = ppi_opened_take (t, PPI_OPENED_CALLS, (uintptr_t) d,
				     (struct ppi_caller){place_of (number), caller->at},
				     plan->value_slots);
	}
	if (f) {
		ppi_store (&f->skipped, ppi_skip_some (t->hot, plan));
		t->in_event = 1;
		ppi_measure_begin (t, plan, f, 0);
		if (ppi_is_forked ())
			return 0;
		add_flying (t, plan, n, dims);
		ppi_opened_push (t, PPI_OPENED_CALLS, f, (uintptr_t) d, place_of (number), plan, 0);
		add_dims (t, f, n, dims, PPI_LATE_OPEN);
		t->in_event = 0;
		ppi_aggregate_begun (t, f);
		id = id_of (t, number);
		/* the clock last: what all this costs is not the event's */
		ppi_store (&f->begin_ticks, ppi_ticks ());
	}
	if (t)
		ppi_thread_leave (t);
	return id;
}

int64_t ppi_event_begin (const char *type, unsigned n, const struct pp_event_dim *dims,
			 struct ppi_caller caller)
{
	const struct pp_abi_site *d;
	const struct ppi_plan *plan;

	if (!type || !*type || !are_valid (n, dims))
		return PP_EINVAL;
	d = ppi_call_enabled (type);
	plan = d ? __atomic_load_n (&d->plan, __ATOMIC_ACQUIRE) : NULL;
	return plan && plan->n_all ? begin (d, plan, &caller, n, dims) : 0;
}

int64_t pp_event_begin_dims (const char *type, unsigned n, const struct pp_event_dim *dims)
{
	return ppi_event_begin (type, n, dims, PPI_CALLER ());
}

/* ---- end ------------------------------------------------------------------------------------- */

static bool is_event (const struct ppi_frame *f)
{
	return f->sp >= place_of (UINT32_MAX);
}

/* That of this thread with ID; NULL: there is none that is open. */
static struct ppi_frame *find (const struct ppi_thread *t, int64_t id)
{
	const struct ppi_segment *s = t->opened ? &t->opened->list[PPI_OPENED_CALLS] : NULL;
	uint32_t number = (uint32_t) id;

	if (!s || id != id_of (t, number) || !number)
		return NULL;
	for (struct ppi_frame *f = s->top; f != &s->bottom; f = f->prev)
		if (f->sp == place_of (number))
			return f;
	return NULL;
}

/*
 * Those that were begun after F, which ends. In OUT the first one; its site stays if there is none.
 */
static void drop_inner (struct ppi_thread *t, const struct ppi_frame *f, struct ppi_broken *out)
{
	const struct ppi_segment *s = &t->opened->list[PPI_OPENED_CALLS];
	struct ppi_frame *inner, *next;
	struct ppi_late late[PPI_LATE];
	uint64_t own;

	for (inner = s->top; inner != f; inner = next) {
		next = inner->prev;
		if (!is_event (inner))
			continue;
		out->inner = ((const struct ppi_plan *) inner->plan)->site;
		out->begun = ppi_opened_caller (inner);
		own = ppi_record_of (inner);
		if (own && t->stream)
			(void) ppi_lane_take_late (ppi_lane_of (t), own, late);
		ppi_opened_drop (t, PPI_OPENED_CALLS, inner, PP_DROP_NESTING);
	}
}

struct ended {
	const struct ppi_plan *plan;
	struct ppi_broken broken; /* INNER is NULL: nothing is */
	uint64_t begun;
	bool found, sampled;
};

static struct ended end (int64_t id, uintptr_t sp, uint64_t now, unsigned n,
			 const struct pp_event_dim *dims)
{
	PPI_KEEP_HOST;
	struct ended ended = {.plan = NULL};
	struct ppi_thread *t = enter (sp);
	struct ppi_frame *f = t ? find (t, id) : NULL;

	if (f) {
		ended.found = true;
		ended.plan = f->plan;
		ended.begun = ppi_load (&f->begin_ticks);
		drop_inner (t, f, &ended.broken);
		if (f->tag == PPI_TAG_STALE) {
			ppi_opened_drop (t, PPI_OPENED_CALLS, f, PP_DROP_DISABLED);
		} else {
			add_dims (t, f, n, dims, PPI_LATE);
			ended.sampled = ppi_measure_end_of (t, ended.plan, f, now, PPI_HOME_CALLS);
			if (ppi_is_forked ())
				return (struct ended){.plan = NULL};
			add_flying (t, ended.plan, n, dims);
			ppi_opened_close (t, PPI_OPENED_CALLS, f);
		}
	}
	if (t)
		ppi_thread_leave (t);
	return ended;
}

int ppi_event_end (int64_t id, unsigned n, const struct pp_event_dim *dims,
		   struct ppi_caller caller)
{
	uint64_t now = ppi_ticks ();
	struct ppi_moment moment = ppi_moment_at (now, 0);
	struct ended ended;

	if (id <= 0)
		return id ? PP_ESTATE : PP_OK;
	ended = end (id, caller.sp, now, n, dims);
	if (ended.broken.inner) {
		ended.broken.outer = ended.plan->site;
		ended.broken.ended = caller.at;
		ppi_nesting_tell (&ended.broken);
	}
	moment.begun = ended.begun;
	if (ended.sampled)
		ppi_run_checks (ppi_thread_self (), ended.plan->site, caller.sp, &moment);
	if (!ended.found)
		return PP_ESTATE;
	for (unsigned i = 0; i < n; i++)
		if (!ppi_key_fits (dims[i].key))
			return PP_EINVAL;
	return PP_OK;
}

int pp_event_end_dims (int64_t id, unsigned n, const struct pp_event_dim *dims)
{
	return ppi_event_end (id, n, dims, PPI_CALLER ());
}

/* ---- what is known later --------------------------------------------------------------------- */

/* The newest of the frames from F up to BOTTOM that will be a record; 0: none will. */
static uint64_t newest_record (const struct ppi_frame *f, const struct ppi_frame *bottom)
{
	uint64_t own = 0;

	for (; f != bottom && !own; f = f->prev)
		if (f->tag != PPI_TAG_STALE && f->plan)
			own = ppi_record_of (f);
	return own;
}

/* Of what is open on this stack, and by calls, what was begun last. */
static uint64_t innermost (const struct ppi_thread *t)
{
	const struct ppi_segment *calls = t->opened ? &t->opened->list[PPI_OPENED_CALLS] : NULL;
	uint64_t here = newest_record (t->hot->top, &t->segment->bottom);
	uint64_t called = calls ? newest_record (calls->top, &calls->bottom) : 0;

	if (!here || !called)
		return here ? here : called;
	return (int32_t) ((uint32_t) here - (uint32_t) called) > 0 ? here : called;
}

/* The newest of the frames from F up to BOTTOM that goes into groups; NULL: none does. */
static struct ppi_frame *newest_aggregated (struct ppi_frame *f, const struct ppi_frame *bottom)
{
	while (f != bottom && !(f->tag != PPI_TAG_STALE && f->plan &&
				((const struct ppi_plan *) f->plan)->aggregate))
		f = f->prev;
	return f == bottom ? NULL : f;
}

/* Of what is open on this stack, and by calls, what was begun last and goes into groups. */
static struct ppi_frame *innermost_aggregated (const struct ppi_thread *t)
{
	const struct ppi_segment *calls = t->opened ? &t->opened->list[PPI_OPENED_CALLS] : NULL;
	struct ppi_frame *here = newest_aggregated (t->hot->top, &t->segment->bottom),
			 *called = calls ? newest_aggregated (calls->top, &calls->bottom) : NULL;

	if (!here || !called)
		return here ? here : called;
	return here->begin_ticks > called->begin_ticks ? here : called;
}

/* Is one of the frames from F up to BOTTOM in the flight recorder? */
static bool is_flying (const struct ppi_frame *f, const struct ppi_frame *bottom)
{
	for (; f != bottom; f = f->prev)
		if (f->tag != PPI_TAG_STALE && f->plan &&
		    ((const struct ppi_plan *) f->plan)->flies)
			return true;
	return false;
}

/* The same of what is open on this stack, and by calls. */
static bool is_any_flying (const struct ppi_thread *t)
{
	const struct ppi_segment *calls = t->opened ? &t->opened->list[PPI_OPENED_CALLS] : NULL;

	return t->flight && (is_flying (t->hot->top, &t->segment->bottom) ||
			     (calls && is_flying (calls->top, &calls->bottom)));
}

int pp_dim_add (struct pp_event_dim dim)
{
	PPI_KEEP_HOST;
	struct ppi_frame *grouped;
	struct ppi_thread *t;
	uint64_t own;
	int error;

	if (!ppi_key_fits (dim.key))
		return PP_EINVAL;
	/* nothing that this thread ran was measured */
	if (!ppi_thread_self ())
		return PP_ENOENT;
	t = enter (PPI_CALLER_SP ());
	if (!t)
		return PP_ENOENT;
	own = innermost (t);
	error = own ? ppi_record_dim (t, own, &dim, PPI_LATE_OPEN) : PP_ENOENT;
	grouped = innermost_aggregated (t);
	if (grouped && ppi_aggregate_dim (t, grouped, &dim) && !own)
		error = PP_OK;
	if (is_any_flying (t) && ppi_flight_dim (t, &dim, true) && !own)
		error = PP_OK;
	ppi_thread_leave (t);
	return error;
}
