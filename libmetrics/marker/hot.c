/* SPDX-License-Identifier: MIT */
/*
 * hot.c: what an enabled marker executes.
 *
 * Compiled with -mgeneral-regs-only, so nothing here can touch a vector register, and on x86-64
 * every entry is a function that saves just the registers it uses (PP_ARCH_ENTRY). Routines, from
 * the fastest to the most general:
 *
 *   interval  one elapsed metric, one routine per accumulator
 *   point     count; one captured integer, one routine per accumulator
 *   simple    any number of metrics made of ticks, integer values and counts, with `every`
 *   general   everything else (general_hot.c): as much of it in place as may be, functions and
 *             checks called with what may be live saved
 *
 * Each has an entry for stubs, which get the stack pointer from their call frame, and one for guard
 * markers, which are called as plain C. An entry does the usual case inline and leaves the rest
 * (first marker of a thread, handlers, other stacks, stale frames) to one slow function.
 */
#include "base/atomic.h"
#include "base/ticks.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/marker/quick.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/region/region.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/light.h"
#include "libmetrics/thread/thread.h"

#define PPI_INLINE static inline __attribute__ ((always_inline))

/* ---- one op ---------------------------------------------------------------------------------- */

/* The shard to write, or NULL (counted). */
PPI_INLINE struct ppi_shard *shard_of (struct ppi_hot *h, const struct ppi_op *op)
{
	struct ppi_shard *s = ppi_hot_shard (h, op->slot);

	return ppi_likely (s) ? s : ppi_shard_get (h->thread, op);
}

/* ---- intervals: one elapsed metric ----------------------------------------------------------- */

/*
 * NOW was read on arrival. RDTSC waits for what is in flight before it: behind the look-ups it
 * would cost the latency of all of them. What an interval so measures of its own begin is the same
 * every time.
 */
PPI_INLINE void elapsed_begin_in (struct ppi_hot *h, struct ppi_frame *f, uintptr_t tag,
				  uintptr_t sp, const struct ppi_plan *plan, uint64_t now)
{
	ppi_store (&f->begin_ticks, now);
	ppi_frame_push (h, f, tag, sp, plan);
	ppi_leave (h);
}

PP_ARCH_ENTRY __attribute__ ((noinline)) static void elapsed_begin_slow (
	uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp)
{
	struct ppi_thread *t = ppi_thread_enter (sp);
	struct ppi_frame *f = t ? ppi_frame_make_room (t, plan, tag, sp) : NULL;

	if (f)
		elapsed_begin_in (t->hot, f, tag, sp, plan, ppi_ticks ());
	else if (t)
		ppi_thread_leave (t);
}

PPI_INLINE void elapsed_begin (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp)
{
	uint64_t now = ppi_ticks ();
	struct ppi_hot *h = ppi_try_enter (sp);
	struct ppi_frame *f;

	if (ppi_unlikely (!h)) {
		elapsed_begin_slow (tag, plan, sp);
		return;
	}
	f = ppi_frame_try_room (h, tag, sp);
	if (ppi_unlikely (!f)) {
		ppi_leave (h);
		elapsed_begin_slow (tag, plan, sp);
		return;
	}
	elapsed_begin_in (h, f, tag, sp, plan, now);
}

/* Ends a frame of a plan without functions. */
PPI_INLINE void end_in (struct ppi_hot *h, struct ppi_frame *f, uint64_t now)
{
	const struct ppi_plan *plan = f->plan;
	bool skips = plan->skips; /* else frames need not say it */

	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		struct ppi_shard *s;

		if (skips && f->skipped >> i & 1)
			continue;
		s = shard_of (h, op);
		if (s)
			ppi_accumulate_int_any (
				s, op->accumulator,
				op->class == PPI_SOURCE_TICKS
					? (int64_t) (now - ppi_load (&f->begin_ticks))
					: 0,
				now);
	}
	ppi_frame_pop (h, f);
	ppi_light_close (h, plan);
}

/*
 * Everything unusual, ends of other plans than the frame's among it: an interval ends as it began.
 * Where it began with functions, they are called by the general routine with the vector registers
 * saved too.
 */
PP_ARCH_ENTRY __attribute__ ((noinline)) static void end_slow (uintptr_t tag, uintptr_t sp,
							       uint64_t now)
{
	struct ppi_thread *t = ppi_thread_enter (sp);
	struct ppi_frame *f = t ? ppi_frame_find (t, tag, sp) : NULL;
	const struct ppi_plan *plan = f ? f->plan : NULL;

	if (plan && !plan->general)
		end_in (t->hot, f, now);
	if (t)
		ppi_thread_leave (t);
	if (plan && plan->general)
		pp_arch_saving_vectors (ppi_general_end, tag, plan, sp);
}

PPI_INLINE void elapsed_end (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp,
			     enum ppi_accumulator accumulator)
{
	uint64_t now = ppi_ticks ();
	struct ppi_hot *h = ppi_try_enter (sp);
	uint64_t *place = NULL;
	struct ppi_frame *f;
	struct ppi_shard *s;

	if (ppi_unlikely (!h)) {
		end_slow (tag, sp, now);
		return;
	}
	f = ppi_frame_try_find (h, tag, sp, plan);
	s = ppi_hot_shard (h, plan->ops[0].slot);
	if (ppi_likely (f && s))
		place = ppi_place_find_int (s, accumulator);
	if (ppi_unlikely (!f || !s || (ppi_needs_place (accumulator) && !place))) {
		ppi_leave (h);
		end_slow (tag, sp, now);
		return;
	}
	ppi_accumulate_int_at (s, accumulator, (int64_t) (now - ppi_load (&f->begin_ticks)), now,
			       place);
	ppi_frame_pop (h, f);
	ppi_leave (h);
}

/* ---- points ---------------------------------------------------------------------------------- */

PPI_INLINE void simple_point_in (struct ppi_hot *h, const struct ppi_plan *plan, int64_t value)
{
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		struct ppi_shard *s = shard_of (h, op);

		if (!s || (!op->counts && !ppi_is_captured (plan, (uint64_t) value)))
			continue;
		if (!ppi_shard_skips (s, op->every))
			ppi_accumulate_int_any (s, op->accumulator, value,
						op->counts ? 0 : ppi_stamp ());
	}
	ppi_leave (h);
}

PP_ARCH_ENTRY __attribute__ ((noinline)) static void point_slow (const struct ppi_plan *plan,
								 uintptr_t sp, int64_t value)
{
	struct ppi_thread *t = ppi_thread_enter (sp);

	if (t)
		simple_point_in (t->hot, plan, value);
}

PPI_INLINE void one_point (const struct ppi_plan *plan, uintptr_t sp, int64_t value,
			   enum ppi_accumulator accumulator)
{
	bool keeps = ppi_keeps_constant (accumulator, PPI_KEEPS_ANY);
	struct ppi_hot *h;
	uint64_t *place = NULL;
	struct ppi_shard *s;

	if (keeps && ppi_unlikely (!ppi_is_captured (plan, (uint64_t) value)))
		return;
	h = ppi_try_enter (sp);
	if (ppi_unlikely (!h)) {
		point_slow (plan, sp, value);
		return;
	}
	s = ppi_hot_shard (h, plan->ops[0].slot);
	if (ppi_likely (s))
		place = ppi_place_find_int (s, accumulator);
	if (ppi_unlikely (!s || (ppi_needs_place (accumulator) && !place))) {
		ppi_leave (h);
		point_slow (plan, sp, value);
		return;
	}
	ppi_accumulate_int_at (s, accumulator, value, keeps ? ppi_stamp () : 0, place);
	ppi_leave (h);
}

/* ---- simple: any number of ops --------------------------------------------------------------- */

/* Which ops are not sampled this time. */
PPI_INLINE uint64_t skip_some (struct ppi_hot *h, const struct ppi_plan *plan)
{
	uint64_t skipped = 0;

	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		struct ppi_shard *s = op->every > 1 ? shard_of (h, op) : NULL;

		if (s && ppi_shard_skips (s, op->every))
			skipped |= UINT64_C (1) << i;
	}
	return skipped;
}

uint64_t ppi_skip_some (struct ppi_hot *h, const struct ppi_plan *plan)
{
	return skip_some (h, plan);
}

PPI_INLINE void simple_begin_in (struct ppi_hot *h, struct ppi_frame *f, uintptr_t tag,
				 uintptr_t sp, const struct ppi_plan *plan, uint64_t now)
{
	ppi_store (&f->begin_ticks, now);
	ppi_light_open (h, plan);
	ppi_store (&f->skipped, skip_some (h, plan));
	ppi_frame_push (h, f, tag, sp, plan);
	ppi_leave (h);
}

PP_ARCH_ENTRY __attribute__ ((noinline)) static void simple_begin_slow (uintptr_t tag,
									const struct ppi_plan *plan,
									uintptr_t sp)
{
	struct ppi_thread *t = ppi_thread_enter (sp);
	struct ppi_frame *f = NULL;

	if (t && !(ppi_light_looks (plan) && ppi_light_begin (t, plan, tag, sp)))
		f = ppi_frame_make_room (t, plan, tag, sp);
	if (f)
		simple_begin_in (t->hot, f, tag, sp, plan, ppi_ticks ());
	else if (t)
		ppi_thread_leave (t);
}

PPI_INLINE void simple_begin (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp)
{
	uint64_t now;
	struct ppi_hot *h;
	struct ppi_frame *f;

	if (plan->light && ppi_light_skips (plan))
		return;
	now = ppi_ticks ();
	h = plan->light && ppi_light_looks (plan) ? NULL : ppi_try_enter (sp);
	f = h ? ppi_frame_try_room (h, tag, sp) : NULL;
	if (ppi_unlikely (!f)) {
		if (h)
			ppi_leave (h);
		simple_begin_slow (tag, plan, sp);
		return;
	}
	simple_begin_in (h, f, tag, sp, plan, now);
}

PPI_INLINE void simple_end (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp)
{
	uint64_t now;
	struct ppi_hot *h;
	struct ppi_frame *f;

	if (plan->light && ppi_light_is_nothing (plan))
		return;
	now = ppi_ticks ();
	h = plan->light == PPI_LIGHT_COUNT ? NULL : ppi_try_enter (sp);
	f = h ? ppi_frame_try_find (h, tag, sp, plan) : NULL;
	if (ppi_unlikely (!f)) {
		if (h)
			ppi_leave (h);
		end_slow (tag, sp, now);
		return;
	}
	end_in (h, f, now);
	ppi_leave (h);
}

PPI_INLINE void simple_point (const struct ppi_plan *plan, uintptr_t sp, int64_t value)
{
	struct ppi_hot *h = ppi_try_enter (sp);

	if (ppi_unlikely (!h))
		point_slow (plan, sp, value);
	else
		simple_point_in (h, plan, value);
}

/* ---- entries --------------------------------------------------------------------------------- */

#define STUB_SP() (pp_arch_cfa () + PP_ABI_STUB_BYTES)
#define STUB_VALUE() (*(const int64_t *) (pp_arch_cfa () + PP_ABI_STUB_VALUE))

/*
 * The entries of a routine: NAME_stub, that emitted stubs call, and NAME_guard; of a begin also
 * NAME_pushed, where the stub has pushed a value that nothing bound here looks at.
 */
#define BEGIN_ENTRIES(name, call)                                                                  \
	PP_ARCH_ENTRY static void name##_stub (uintptr_t tag, const struct ppi_plan *plan)         \
	{                                                                                          \
		uintptr_t sp = STUB_SP ();                                                         \
		call;                                                                              \
	}                                                                                          \
	PP_ARCH_ENTRY static void name##_pushed (uintptr_t tag, const struct ppi_plan *plan)       \
	{                                                                                          \
		uintptr_t sp = STUB_SP () + sizeof (int64_t);                                      \
		call;                                                                              \
	}                                                                                          \
	static void name##_guard (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp,        \
				  int64_t value)                                                   \
	{                                                                                          \
		(void) value;                                                                      \
		call;                                                                              \
	}
#define END_ENTRIES(name, call)                                                                    \
	PP_ARCH_ENTRY static void name##_stub (uintptr_t tag, const struct ppi_plan *plan)         \
	{                                                                                          \
		uintptr_t sp = STUB_SP ();                                                         \
		call;                                                                              \
	}                                                                                          \
	static void name##_guard (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp)        \
	{                                                                                          \
		call;                                                                              \
	}
#define POINT_ENTRIES(name, call)                                                                  \
	PP_ARCH_ENTRY static void name##_stub (uintptr_t tag, const struct ppi_plan *plan)         \
	{                                                                                          \
		uintptr_t sp = STUB_SP ();                                                         \
		int64_t value = STUB_VALUE ();                                                     \
		(void) tag;                                                                        \
		call;                                                                              \
	}                                                                                          \
	static void name##_guard (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp,        \
				  int64_t value)                                                   \
	{                                                                                          \
		(void) tag;                                                                        \
		call;                                                                              \
	}

BEGIN_ENTRIES (elapsed_begin, elapsed_begin (tag, plan, sp))
BEGIN_ENTRIES (simple_begin, simple_begin (tag, plan, sp))
END_ENTRIES (simple_end, simple_end (tag, plan, sp))
POINT_ENTRIES (simple_point, simple_point (plan, sp, value))
#define X(id, name)                                                                                \
	END_ENTRIES (elapsed_end_##id, elapsed_end (tag, plan, sp, PPI_##id))                      \
	POINT_ENTRIES (point_##id, one_point (plan, sp, value, PPI_##id))
PPI_ACCUMULATORS (X)
#undef X

/* ---- nothing bound: a thread may be in the stub still ---------------------------------------- */

PP_ARCH_ENTRY __attribute__ ((unused)) static void nothing_stub (uintptr_t tag,
								 const struct ppi_plan *plan)
{
	(void) tag;
	(void) plan;
}

static void nothing_guard (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp)
{
	(void) tag;
	(void) plan;
	(void) sp;
}

static void nothing_guard_value (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp,
				 int64_t value)
{
	(void) tag;
	(void) plan;
	(void) sp;
	(void) value;
}

#define STUB(f) ((ppi_entry_fn) (void (*) (void)) (f))

#ifdef PP_ARCH_CALLS_GUARDS
#include "layout.h"

PP_ABI_ASSERT (offsetof (struct ppi_plan, guard_begin) == PLAN_GUARD_BEGIN);
PP_ABI_ASSERT (offsetof (struct ppi_plan, guard_end) == PLAN_GUARD_END);
PP_ABI_ASSERT (offsetof (struct ppi_plan, guard_point) == PLAN_GUARD_POINT);
#endif

const struct ppi_plan ppi_plan_nothing = {
#ifdef PP_ARCH_CALLS_GUARDS
	.begin = pp_arch_plain_begin,
	.end = pp_arch_plain_end,
	.point = pp_arch_plain_point,
#else
	.begin = STUB (nothing_stub),
	.end = STUB (nothing_stub),
	.point = STUB (nothing_stub),
#endif
	.guard_begin = nothing_guard_value,
	.guard_end = nothing_guard,
	.guard_point = nothing_guard_value,
};

/* ---- choosing -------------------------------------------------------------------------------- */

static const struct {
	ppi_entry_fn end, point;
	void (*guard_end) (uintptr_t, const struct ppi_plan *, uintptr_t);
	void (*guard_point) (uintptr_t, const struct ppi_plan *, uintptr_t, int64_t);
} one_metric[PPI_ACCUMULATOR_COUNT] = {
#define X(id, name)                                                                                \
	[PPI_##id] = {STUB (elapsed_end_##id##_stub), STUB (point_##id##_stub),                    \
		      elapsed_end_##id##_guard, point_##id##_guard},
	PPI_ACCUMULATORS (X)
#undef X
};

/* Is VALUE more than the sample of a point itself? */
static bool is_kept_value (const struct ppi_plan *plan, const struct ppi_op *op)
{
	return op->class == PPI_SOURCE_VALUE && (plan->is_array || op->words);
}

static bool needs_general (const struct ppi_plan *plan)
{
	if (plan->windowed || plan->scoped)
		return true;
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];

		if (ppi_accumulator_is_registered (op->accumulator) || op->corrected ||
		    ppi_is_function (op) || op->sample_type != PP_ABI_SAMPLE_INT ||
		    is_kept_value (plan, op))
			return true;
	}
	return false;
}

/*
 * No other sinks than accumulate but a mark, and the flight recorder's, at a site that captures
 * nothing. What a mark gets of what the site captures is known when it has begun, which C does.
 */
static bool only_marks (const struct ppi_plan *plan)
{
	for (uint32_t i = plan->n_ops; i < plan->n_all; i++)
		if (plan->ops[i].sink != PPI_SINK_MARK &&
		    (plan->ops[i].sink != PPI_SINK_FLIGHT || plan->ops[i].class != PPI_SOURCE_NONE))
			return false;
	return plan->n_all > plan->n_ops && plan->site->kind != PP_ABI_SITE_POINT;
}

static bool only_measures_features (const struct ppi_plan *plan)
{
	return plan->n_all == 1 && plan->exact && plan->ops[0].class == PPI_SOURCE_NONE;
}

static void choose_simple (struct ppi_plan *plan)
{
	plan->begin = plan->begin_pushes ? STUB (simple_begin_pushed) : STUB (simple_begin_stub);
	plan->end = STUB (simple_end_stub);
	plan->point = STUB (simple_point_stub);
	plan->guard_begin = simple_begin_guard;
	plan->guard_end = simple_end_guard;
	plan->guard_point = simple_point_guard;
}

static void choose_one_metric (struct ppi_plan *plan)
{
	uint8_t accumulator = plan->ops[0].accumulator;

	plan->begin = plan->begin_pushes ? STUB (elapsed_begin_pushed) : STUB (elapsed_begin_stub);
	plan->guard_begin = elapsed_begin_guard;
	plan->end = one_metric[accumulator].end;
	plan->point = one_metric[accumulator].point;
	plan->guard_end = one_metric[accumulator].guard_end;
	plan->guard_point = one_metric[accumulator].guard_point;
}

void ppi_plan_choose (struct ppi_plan *plan, bool checked)
{
	for (uint32_t i = 0; i < plan->n_ops; i++)
		plan->skips |= plan->ops[i].every > 1;
#if PP_ARCH_CALLS
	plan->call = pp_arch_call_for (plan->state);
#endif
	if (checked || needs_general (plan) || plan->n_all > plan->n_ops) {
		plan->quick_blocks = !needs_general (plan) && ppi_quick_is_plain (plan) &&
				     plan->n_all == plan->n_ops;
		plan->mark_blocks =
			!needs_general (plan) && !checked && !plan->skips && only_marks (plan);
		plan->untimed = plan->mark_blocks && !plan->n_ops && !plan->flies && !plan->timed;
		plan->exact_blocks = !checked && only_measures_features (plan);
		ppi_plan_choose_general (plan);
	} else if (plan->n_ops == 1 && plan->ops[0].every <= 1 && !plan->light)
		choose_one_metric (plan);
	else
		choose_simple (plan);
#ifdef PP_ARCH_CALLS_GUARDS
	if (!plan->general) {
		plan->begin = pp_arch_plain_begin;
		plan->end = pp_arch_plain_end;
		plan->point = pp_arch_plain_point;
	}
#endif
	if (plan->site->kind != PP_ABI_SITE_POINT)
		ppi_plan_choose_late (plan);
}
