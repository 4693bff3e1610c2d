/* SPDX-License-Identifier: MIT */
/*
 * general_hot.c: the entries of general plans: several values kept, functions, doubles, checks.
 *
 * Compiled for general registers only, as hot.c is: finding the thread, the frame and the clock
 * needs no others, nor do integers and functions of the user's that were built the same way
 * (PP_FAST_SOURCE). What does is one call of C (general.c), with the vector registers kept
 * (pp_arch_call_*), and from a fibre's stack, which may be small, on one of the library's
 * (thread.h).
 *
 * The stack. Each thread state has one, used between enter and leave of that state. So nobody else
 * is on it: a handler that interrupts has the second state with a stack of its own, and where one
 * left by siglongjmp, what it interrupted on the stack is as dead as the marker is. Checks run
 * after the marker was left, on the host's stack, because the functions that they call may run
 * through markers that need this one.
 */
#include "base/atomic.h"
#include "base/fp.h"
#include "base/ticks.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/marker/quick.h"
#include "libmetrics/region/region.h"
#include "libmetrics/source/source.h"
#include "libmetrics/source/user_source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/marker/taps.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/light.h"
#include "libmetrics/thread/mark.h"
#include "libmetrics/thread/nested.h"
#include "libmetrics/thread/opened.h"
#include "libmetrics/thread/ring.h"
#include "libmetrics/thread/thread.h"

#define PPI_INLINE static inline __attribute__ ((always_inline))

/*
 * Stubs must have the vector registers kept, as the plan says; a guard is a call, and nobody
 * expects them to be.
 */
enum how { FROM_STUB, FROM_GUARD };

#if PP_ARCH_CALLS
PPI_INLINE uint64_t in_c (enum how how, const struct ppi_plan *plan, uintptr_t stack,
			  pp_arch_any_fn fn, uintptr_t a, uintptr_t b, uintptr_t c, uint64_t d)
{
	return (how == FROM_STUB ? plan->call : pp_arch_call_plain) (fn, a, b, c, d, stack);
}
#define IN_C(how, plan, stack, fn, a, b, c, d)                                                     \
	in_c (how, plan, stack, (pp_arch_any_fn) (fn), (uintptr_t) (a), (uintptr_t) (b),           \
	      (uintptr_t) (c), (uint64_t) (d))
#define IN_C_VOID(how, plan, stack, fn, a, b) IN_C (how, plan, stack, fn, a, b, 0, 0)
#define STACK_OF(t) ppi_thread_stack (t)
#else
#define IN_C(how, plan, stack, fn, a, b, c, d)                                                     \
	({                                                                                         \
		PPI_KEEP_HOST;                                                                     \
		fn (a, b, c, d);                                                                   \
	})
#define IN_C_VOID(how, plan, stack, fn, a, b)                                                      \
	do {                                                                                       \
		PPI_KEEP_HOST;                                                                     \
		fn (a, b);                                                                         \
	} while (0)
#define STACK_OF(t) 0
#endif

/*
 * A plan of one function of the user's, with integer samples: it is called by itself, in C or as it
 * is, and all else is done here.
 */
PPI_INLINE void call_user (enum how how, struct ppi_thread *t, const struct ppi_plan *plan,
			   const struct ppi_op *op, pp_abi_sample_fn fn, uint64_t *out,
			   const uint64_t *begin)
{
	(void) how;
	(void) t;
	(void) plan;
	if (op->class == PPI_SOURCE_FAST)
		fn (out, begin);
	else
		IN_C_VOID (how, plan, STACK_OF (t), fn, out, begin);
}

/* ---- intervals ------------------------------------------------------------------------------- */

/* The place of the plan's frame as ppi_frame_try_room finds it, with its values before it. */
PPI_INLINE struct ppi_frame *try_room (const struct ppi_hot *h, const struct ppi_plan *plan,
				       uintptr_t tag, uintptr_t sp)
{
	uintptr_t room = plan->value_slots * PPI_FRAME_SLOT;
	struct ppi_frame *f = ppi_frame_try_room (h, tag, sp);

	if (f && room) {
		/* in the same page still? */
		if (((uintptr_t) f & (PPI_FRAME_PAGE - 1)) + room >= PPI_FRAME_PAGE)
			return NULL;
		f = (struct ppi_frame *) ((uintptr_t) f + room);
	}
	if (f)
		ppi_store (&f->slots, plan->value_slots);
	return f;
}

PPI_INLINE void begin_values (enum how how, struct ppi_thread *t, const struct ppi_plan *plan,
			      struct ppi_frame *f, int64_t value)
{
	uint64_t *values = ppi_frame_values (f), result[PP_ABI_RESULT_BYTES / sizeof (uint64_t)];

	if (ppi_unlikely (plan->scoped))
		ppi_nested_begin (plan, f);
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];

		if (op->class == PPI_SOURCE_VALUE)
			ppi_store (&values[op->value], (uint64_t) ppi_captured (plan, op, value));
		else if (ppi_is_function (op) && !(f->skipped >> i & 1)) {
			pp_abi_sample_fn fn =
				__atomic_load_n (&op->instance->user_begin, __ATOMIC_ACQUIRE);

			if (fn) {
				call_user (how, t, plan, op, fn, result, NULL);
				if (ppi_is_forked ())
					return;
				for (uint32_t k = 0; k < (op->instance->begin_bytes + 7u) / 8; k++)
					/*
					 * whoever looks for open intervals may still read what lay
					 * here
					 */
					ppi_store (&values[op->value + k], result[k]);
			} else { /* its module was closed */
				ppi_store (&f->skipped, f->skipped | UINT64_C (1) << i);
				ppi_drop (t, PP_DROP_UNKNOWN, 1);
			}
		}
	}
}

PPI_INLINE void general_begin (enum how how, uintptr_t tag, const struct ppi_plan *plan,
			       uintptr_t sp, int64_t value)
{
	struct ppi_hot *h;
	struct ppi_frame *f;
	struct ppi_thread *t;

	if (ppi_light_skips (plan))
		return;
	h = ppi_light_looks (plan) ? NULL : ppi_try_enter (sp);
	f = h ? try_room (h, plan, tag, sp) : NULL;
	if (ppi_unlikely (!f)) {
		if (h)
			ppi_leave (h);
		t = ppi_thread_enter (sp);
		if (t && ppi_light_looks (plan))
			ppi_light_begin (t, plan, tag, sp);
		f = t ? ppi_frame_make_room (t, plan, tag, sp) : NULL;
		if (!f) {
			if (t)
				ppi_thread_leave (t);
			return;
		}
		h = t->hot;
	}
	ppi_light_open (h, plan);
	ppi_store (&f->skipped, plan->skips ? ppi_skip_some (h, plan) : 0);
	if (plan->begin_in_c) {
		IN_C (how, plan, STACK_OF (h->thread), ppi_measure_begin, h->thread, plan, f,
		      value);
	} else {
		begin_values (how, h->thread, plan, f, value);
		if (plan->taps_begin && !ppi_is_forked ())
			ppi_taps_begin (h->thread, plan, value, ppi_frame_values (f), 0);
	}
	if (ppi_is_forked ())
		return;
	/* readers of open_age see the frame before its time; 0: not read yet */
	ppi_store (&f->begin_ticks, 0);
	if (ppi_unlikely (plan->scoped))
		ppi_nested_link (h->thread, plan, f);
	ppi_frame_push (h, f, tag, sp, plan);
	if (ppi_unlikely (plan->scoped))
		ppi_nested_enter (h->thread, f);
	if (plan->marked)
		ppi_mark_push (h->thread, h->thread->segment, f, plan, value);
	/* the clock last: what the functions cost is not the interval's */
	if (!plan->untimed)
		ppi_store (&f->begin_ticks, plan->exact ? ppi_ticks_in_order () : ppi_ticks ());
	ppi_leave (h);
}

/* The sample of one op; false: it has none. */
PPI_INLINE bool end_sample (enum how how, struct ppi_thread *t, const struct ppi_plan *plan,
			    const struct ppi_op *op, const struct ppi_frame *f,
			    const uint64_t *values, uint64_t now, int64_t *out)
{
	uint64_t result[PP_ABI_RESULT_BYTES / sizeof (uint64_t)];
	pp_abi_sample_fn fn;

	switch (op->class) {
	case PPI_SOURCE_TICKS:
		*out = ppi_sample_of_ticks (plan, op, now - ppi_load (&f->begin_ticks));
		return true;
	case PPI_SOURCE_VALUE:
		*out = (int64_t) values[op->value];
		return ppi_is_captured (plan, values[op->value]);
	case PPI_SOURCE_FUNCTION:
	case PPI_SOURCE_FAST:
		fn = __atomic_load_n (&op->instance->user_end, __ATOMIC_ACQUIRE);
		if (!fn) {
			ppi_drop (t, PP_DROP_UNKNOWN, 1);
			return false;
		}
		call_user (how, t, plan, op, fn, result, &values[op->value]);
		if (ppi_is_forked ())
			return false;
		*out = (int64_t) result[0];
		return true;
	default:
		*out = 0;
		return true;
	}
}

PPI_INLINE void add (struct ppi_hot *h, const struct ppi_op *op, int64_t sample, uint64_t now)
{
	struct ppi_shard *s = ppi_hot_shard (h, op->slot);

	if (ppi_unlikely (!s))
		s = ppi_shard_get (h->thread, op);
	if (!s)
		return;
	ppi_accumulate_int_any (s, op->accumulator, sample, now);
	if (ppi_unlikely (op->binding->windows))
		ppi_windows_add_int (h->thread, op->binding, sample);
}

/* All functions before anything is accumulated, the last that began first. */
static bool end_many (enum how how, struct ppi_hot *h, const struct ppi_plan *plan,
		      struct ppi_frame *f, uint64_t now)
{
	const uint64_t *values = ppi_frame_values (f);
	union ppi_sample samples[PPI_OPS_MAX];
	uint64_t without = f->skipped;
	bool sampled = false;

	for (uint32_t i = plan->n_ops; i-- > 0;)
		if (!(without >> i & 1) && !end_sample (how, h->thread, plan, &plan->ops[i], f,
							values, now, &samples[i].i))
			without |= UINT64_C (1) << i;
	if (ppi_is_forked ())
		return false;
	if (plan->scoped)
		without = ppi_nested_end (h->thread, plan, f, PPI_HOME_STACK, samples, without);
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (!(without >> i & 1)) {
			/* the loop above left out the same ones */
			/* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
			add (h, &plan->ops[i], samples[i].i, ppi_sample_end (&plan->ops[i], now));
			sampled = true;
		}
	return sampled;
}

PPI_INLINE bool end_bound (enum how how, struct ppi_hot *h, const struct ppi_plan *plan,
			   struct ppi_frame *f, uint64_t now)
{
	int64_t sample;

	if (!plan->n_ops)
		return false;
	if (plan->n_ops != 1 || plan->scoped)
		return end_many (how, h, plan, f, now);
	if (f->skipped || !end_sample (how, h->thread, plan, &plan->ops[0], f, ppi_frame_values (f),
				       now, &sample))
		return false;
	add (h, &plan->ops[0], sample, ppi_sample_end (&plan->ops[0], now));
	return true;
}

PPI_INLINE bool end_in (enum how how, struct ppi_hot *h, const struct ppi_plan *plan,
			struct ppi_frame *f, uint64_t now)
{
	bool sampled = end_bound (how, h, plan, f, now);
	struct ppi_taken taken;

	if (!plan->taps_take || ppi_is_forked ())
		return sampled;
	taken = (struct ppi_taken){.plan = plan, .frame = f, .now = now, .home = PPI_HOME_STACK};
	ppi_taps_take (h->thread, &taken, ppi_frame_values (f), 0);
	return sampled;
}

/*
 * Do they all pass, as far as integers can tell? Then nothing is left to do but what this does:
 * counting.
 */
PPI_INLINE bool checks_pass (const struct ppi_plan *plan, const struct ppi_hot *h)
{
	return plan->n_quick && ppi_quick_pass (h, plan);
}

/* Those of the site, once the marker was left. */
PPI_INLINE void checks (enum how how, const struct ppi_plan *plan, struct ppi_thread *t,
			uintptr_t sp, const struct ppi_moment *ended)
{
	(void) how; /* of other CPUs: C is called without ado */
	if (__atomic_load_n (&plan->site->checks, __ATOMIC_RELAXED))
		IN_C (how, plan, 0, ppi_run_checks, t, plan->site, sp, ended);
}

/* The frame that ends, with its thread entered; NULL: none, and left. */
__attribute__ ((noinline)) static struct ppi_frame *find_slow (uintptr_t tag, uintptr_t sp,
							       struct ppi_hot **out)
{
	struct ppi_thread *t = ppi_thread_enter (sp);
	struct ppi_frame *f = t ? ppi_frame_find (t, tag, sp) : NULL;

	if (!f) {
		if (t)
			ppi_thread_leave (t);
		return NULL;
	}
	/* a frame of a plan of one metric does not say what it skipped: nothing */
	if (!((const struct ppi_plan *) f->plan)->general)
		ppi_store (&f->slots, 0);
	if (!((const struct ppi_plan *) f->plan)->skips)
		ppi_store (&f->skipped, 0);
	*out = t->hot;
	return f;
}

PPI_INLINE void general_end (enum how how, uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp)
{
	uint64_t now;
	struct ppi_moment ended;
	struct ppi_hot *h;
	struct ppi_frame *f;
	struct ppi_thread *t;
	bool sampled, passed;

	if (ppi_light_is_nothing (plan))
		return;
	now = plan->exact ? ppi_ticks_in_order () : ppi_ticks ();
	h = ppi_try_enter (sp);
	f = h ? ppi_frame_try_find (h, tag, sp, plan) : NULL;
	if (ppi_unlikely (!f)) {
		if (h)
			ppi_leave (h);
		f = find_slow (tag, sp, &h);
		if (!f)
			return;
		plan = f->plan;
	}
	t = h->thread;
	ended = ppi_moment_at (now, ppi_load (&f->begin_ticks));
	if (plan->end_in_c)
		sampled = (bool) IN_C (how, plan, STACK_OF (t), ppi_measure_end, t, plan, f, now);
	else
		sampled = end_in (how, h, plan, f, now);
	if (ppi_is_forked ())
		return;
	passed = sampled && checks_pass (plan, h);
	if (ppi_unlikely (plan->scoped))
		ppi_nested_leave (t, f);
	if (plan->marked)
		ppi_mark_pop (t, t->segment, f);
	ppi_frame_pop (h, f);
	ppi_light_close (h, plan);
	ppi_leave (h);
	if (sampled && !passed)
		checks (how, plan, t, sp, &ended);
}

/* ---- points ---------------------------------------------------------------------------------- */

PPI_INLINE bool point_in (enum how how, struct ppi_hot *h, const struct ppi_plan *plan,
			  int64_t value, uint64_t now)
{
	uint64_t without = plan->skips ? ppi_skip_some (h, plan) : 0,
		 result[PP_ABI_RESULT_BYTES / sizeof (uint64_t)];
	bool sampled = false;

	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		pp_abi_sample_fn fn;

		if (without >> i & 1)
			continue;
		result[0] = op->class == PPI_SOURCE_VALUE
				    ? (uint64_t) ppi_captured (plan, op, value)
				    : 0;
		if (op->class == PPI_SOURCE_VALUE && !ppi_is_captured (plan, result[0]))
			continue;
		if (ppi_is_function (op)) {
			fn = __atomic_load_n (&op->instance->user_begin, __ATOMIC_ACQUIRE);
			if (!fn) {
				ppi_drop (h->thread, PP_DROP_UNKNOWN, 1);
				continue;
			}
			call_user (how, h->thread, plan, op, fn, result, NULL);
			if (ppi_is_forked ())
				return false;
		}
		add (h, op, (int64_t) result[0], now);
		sampled = true;
	}
	return sampled;
}

PPI_INLINE void general_point (enum how how, const struct ppi_plan *plan, uintptr_t sp,
			       int64_t value)
{
	uint64_t now = ppi_stamp ();
	const struct ppi_moment ended = {now, now - 1, 0};
	struct ppi_hot *h = plan->leaves ? NULL : ppi_try_enter (sp);
	struct ppi_thread *t;
	bool sampled, passed;

	if (ppi_unlikely (!h)) {
		t = ppi_thread_enter (sp);
		if (!t)
			return;
		h = t->hot;
	}
	t = h->thread;
	if (ppi_unlikely (plan->leaves)) {
		ppi_frames_leave (t, sp);
		ppi_opened_leave (t, sp);
	}
	if (plan->end_in_c)
		sampled = (bool) IN_C (how, plan, STACK_OF (t), ppi_measure_point, t, plan, value,
				       now);
	else
		sampled = point_in (how, h, plan, value, now);
	if (ppi_is_forked ())
		return;
	passed = sampled && checks_pass (plan, h);
	ppi_leave (h);
	if (sampled && !passed)
		checks (how, plan, t, sp, &ended);
}

/* ---- dimensions that are known only inside ----------------------------------------------------- */

PPI_INLINE void late (enum how how, uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp,
		      int64_t pushed)
{
	struct ppi_hot *h = ppi_try_enter (sp);
	struct ppi_thread *t = h ? h->thread : ppi_thread_enter (sp);

	(void) plan; /* of other CPUs, as above */
	(void) how;
	if (!t)
		return;
	IN_C (how, plan, STACK_OF (t), ppi_late_dims, t, tag, sp, pushed);
	ppi_thread_leave (t);
}

/* ---- entries --------------------------------------------------------------------------------- */

void ppi_general_begin (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp, int64_t value)
{
	general_begin (FROM_GUARD, tag, plan, sp, value);
}

void ppi_general_end (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp)
{
	general_end (FROM_GUARD, tag, plan, sp);
}

static void guard_late (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp, int64_t value)
{
	late (FROM_GUARD, tag, plan, sp, value);
}

void ppi_general_point (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp, int64_t value)
{
	(void) tag;
	general_point (FROM_GUARD, plan, sp, value);
}

#if PP_ARCH_CALLS
#define STUB_SP() (pp_arch_cfa () + PP_ABI_STUB_BYTES)
#define STUB_VALUE() (*(const int64_t *) (pp_arch_cfa () + PP_ABI_STUB_VALUE))

PP_ARCH_ENTRY static void begin_stub (uintptr_t tag, const struct ppi_plan *plan)
{
	general_begin (FROM_STUB, tag, plan, STUB_SP (), 0);
}

PP_ARCH_ENTRY static void begin_pushed (uintptr_t tag, const struct ppi_plan *plan)
{
	general_begin (FROM_STUB, tag, plan, STUB_SP () + PP_ABI_STUB_PUSHED, STUB_VALUE ());
}

PP_ARCH_ENTRY static void end_stub (uintptr_t tag, const struct ppi_plan *plan)
{
	general_end (FROM_STUB, tag, plan, STUB_SP ());
}

PP_ARCH_ENTRY static void point_stub (uintptr_t tag, const struct ppi_plan *plan)
{
	(void) tag;
	general_point (FROM_STUB, plan, STUB_SP (), STUB_VALUE ());
}

PP_ARCH_ENTRY static void late_stub (uintptr_t tag, const struct ppi_plan *plan)
{
	late (FROM_STUB, tag, plan, STUB_SP () + PP_ABI_STUB_PUSHED, STUB_VALUE ());
}
#endif

#if PP_ARCH_HAS_BLOCKS
void ppi_add_late (const struct ppi_op *op, int64_t sample)
{
	add (ppi_self, op, sample, ppi_stamp ());
}
#endif

/* ---- choosing -------------------------------------------------------------------------------- */

static bool is_users (const struct ppi_op *op)
{
	return op->class == PPI_SOURCE_FAST ||
	       (op->class == PPI_SOURCE_FUNCTION && !op->instance->combination &&
		ppi_is_users (op->instance));
}

static void look_at_taps (struct ppi_plan *plan)
{
	bool in_c = plan->site->kind == PP_ABI_SITE_POINT;

	for (uint32_t i = plan->n_ops; i < plan->n_all; i++) {
		const struct ppi_sink *sink = ppi_sinks[plan->ops[i].sink];

		plan->taps_begin |= plan->ops[i].words > 0 || sink->begin;
		plan->taps_take |= sink->take != NULL;
		plan->leaves |= sink->leaves;
		in_c |= !sink->is_plain && (plan->ops[i].words > 0 || sink->begin || sink->take);
	}
	plan->begin_in_c |= in_c && plan->taps_begin;
	plan->end_in_c |= in_c && plan->taps_take;
}

static void look_at_ops (struct ppi_plan *plan)
{
	/* one call of C for several functions is cheaper than several */
	bool alone = plan->n_ops == 1 && is_users (&plan->ops[0]) &&
		     plan->ops[0].sample_type == PP_ABI_SAMPLE_INT &&
		     !ppi_accumulator_is_registered (plan->ops[0].accumulator);

	plan->user_blocks = alone && !plan->checked && !plan->windowed && !plan->scoped &&
			    !plan->skips && !plan->light && plan->n_all == 1 &&
			    !plan->ops[0].instance->combination;
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		bool is_function = op->class == PPI_SOURCE_FUNCTION && !alone;

		plan->begin_in_c |= is_function;
		plan->end_in_c |= is_function || op->sample_type != PP_ABI_SAMPLE_INT ||
				  ppi_accumulator_is_registered (op->accumulator);
	}
	look_at_taps (plan);
}

void ppi_plan_choose_general (struct ppi_plan *plan)
{
	plan->general = true;
	look_at_ops (plan);
#if PP_ARCH_CALLS
	plan->begin = (ppi_entry_fn) (plan->begin_pushes ? begin_pushed : begin_stub);
	plan->end = (ppi_entry_fn) end_stub;
	plan->point = (ppi_entry_fn) point_stub;
#elif PP_ARCH_PATCHABLE
	plan->begin = plan->begin_pushes ? pp_arch_general_begin_pushed : pp_arch_general_begin;
	plan->end = pp_arch_general_end;
	plan->point = pp_arch_general_point;
#endif
	plan->guard_begin = ppi_general_begin;
	plan->guard_end = ppi_general_end;
	plan->guard_point = ppi_general_point;
}

void ppi_plan_choose_late (struct ppi_plan *plan)
{
#if PP_ARCH_CALLS
	plan->point = (ppi_entry_fn) late_stub;
#elif PP_ARCH_PATCHABLE
	plan->point = pp_arch_general_point;
#endif
	plan->guard_point = guard_late;
}
