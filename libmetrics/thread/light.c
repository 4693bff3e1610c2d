/* SPDX-License-Identifier: MIT */
/* light.c: the unusual cases of light.h. Runs inside markers: general registers only, no libc. */
#include "libmetrics/thread/light.h"

#include "base/atomic.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/thread.h"

__thread struct ppi_lights_lines ppi_lights_lines;

/* by slot; of several plans with one slot the first */
static const struct ppi_plan *plans[PPI_LIGHTS];
static uint32_t used;

/*
 * Do plans of these kinds, both not NONE, use the same words? All that count at a site, and those
 * of one binding that differ in N.
 */
static bool share (const struct ppi_plan *p, const struct ppi_plan *plan, enum ppi_light_kind kind)
{
	if (kind == PPI_LIGHT_EVERY)
		return p->light == kind && p->ops[0].binding == plan->ops[0].binding;
	return p->light == PPI_LIGHT_COUNT;
}

bool ppi_light_make (struct ppi_plan *plan, enum ppi_light_kind kind)
{
	const struct ppi_plan *p = plan->site->plans;

	if (!plan->site->id) { /* no flush meets what is open there: the thread is in cost.c */
		plan->light_slot = PPI_LIGHT_OWN;
		plan->light = kind;
		return true;
	}
	while (p && !share (p, plan, kind))
		p = p->next;
	if (!p && used == PPI_LIGHTS)
		return false;
	plan->light_slot = (uint8_t) (p ? p->light_slot : used);
	plan->light = kind;
	if (!p) {
		plans[used] = plan;
		__atomic_store_n (&used, used + 1, __ATOMIC_RELEASE);
	}
	return true;
}

void ppi_lights_reset (void)
{
	for (uint32_t i = 0; i <= PPI_LIGHTS; i++)
		ppi_lights[i] = (struct ppi_light){0};
}

void ppi_light_forget_own (void)
{
	ppi_lights[PPI_LIGHT_OWN] = (struct ppi_light){0};
}

const pp_site *ppi_light_site (uintptr_t tag)
{
	return (const pp_site *) (uintptr_t) ((const struct pp_abi_site
						       *) (tag & ~(uintptr_t) PP_ABI_DEPTH_MASK))
		->reserved;
}

static bool is_on (const struct ppi_segment *s, uintptr_t at)
{
	return at - s->lo < s->span;
}

/*
 * Is the execution at BEGAN on the stack of a marker at SP? Of the thread's own stack that is
 * known. Of a learned one, which may never have seen the begin, what is near above.
 */
static bool is_same_stack (const struct ppi_thread *t, uintptr_t began, uintptr_t sp)
{
	return is_on (t->segment, began) ? is_on (t->segment, sp)
					 : t->segment->learned && began - sp < PPI_SEGMENT_REACH;
}

bool ppi_light_begin (struct ppi_thread *t, const struct ppi_plan *plan, uintptr_t tag,
		      uintptr_t sp)
{
	struct ppi_light *l = &ppi_lights[plan->light_slot];
	uintptr_t began = l->sp & ~PPI_LIGHT_FLAGS;
	bool is_inlined =
		/* into itself: those have frames, and may be at one SP with the outer one */
		tag & PP_ABI_DEPTH_MASK;

	/*
	 * a handler that interrupted a marker runs below all that was begun before, or on a stack
	 * of its own
	 */
	if (began && !t->owner && is_same_stack (t, began, sp) &&
	    (began < sp || (began == sp && !is_inlined)) && ppi_stack_was_left (began, sp)) {
		ppi_drop (t, l->sp & PPI_LIGHT_STALE ? PP_DROP_DISABLED : PP_DROP_LONGJMP, 1);
		l->sp = 0;
	}
	if (!l->sp && plan->light == PPI_LIGHT_COUNT && !is_inlined && !t->owner &&
	    !t->segment->overflow) {
		l->sp = sp;
		return true;
	}
	if (l->sp)
		l->sp |= PPI_LIGHT_FRAMES;
	return false;
}

/* Is there a frame of TAG that was begun later than what is open without one, at BEGAN? */
static bool has_later_frame (const struct ppi_thread *t, uintptr_t tag, uintptr_t began,
			     bool is_stale)
{
	/* what is stale is older than all that isn't */
	for (const struct ppi_frame *f = t->hot->top;
	     f->sp < began || (is_stale && f != &t->segment->bottom); f = f->prev)
		if (f->tag == tag ||
		    (is_stale && f->tag == PPI_TAG_STALE && f->begin_ticks == tag && f->sp < began))
			return true;
	return false;
}

const struct ppi_plan *ppi_light_find (struct ppi_thread *t, uintptr_t tag, uintptr_t sp,
				       uintptr_t *out)
{
	const pp_site *site = tag & PP_ABI_DEPTH_MASK ? NULL : ppi_light_site (tag);
	const struct ppi_plan *p = site ? __atomic_load_n (&site->counts, __ATOMIC_ACQUIRE) : NULL;
	struct ppi_light *l = p ? &ppi_lights[p->light_slot] : NULL;
	uintptr_t began = l ? l->sp & ~PPI_LIGHT_FLAGS : 0;

	/* in a handler that interrupted a marker what lies above is the interrupted program's */
	if (!began || began < sp || (t->owner && began != sp) || !is_same_stack (t, began, sp) ||
	    has_later_frame (t, tag, began, l->sp & PPI_LIGHT_STALE))
		return NULL;
	*out = l->sp;
	l->sp = 0;
	return p;
}

/* Frames of PLAN's site and binding in the stacks of T. */
static uint32_t count_frames (const struct ppi_thread *t, const struct ppi_plan *plan)
{
	uint32_t n = 0;

	for (const struct ppi_segment *s = t ? &t->own : NULL; s; s = s->next)
		for (const struct ppi_frame *f = s == t->segment ? t->hot->top : s->top;
		     f != &s->bottom; f = f->prev) {
			const struct ppi_plan *p = f->plan;

			n += p->light == PPI_LIGHT_EVERY && p->light_slot == plan->light_slot;
		}
	return n;
}

void ppi_lights_flush (struct ppi_thread *t)
{
	uint32_t n = __atomic_load_n (&used, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < n; i++) {
		struct ppi_light *l = &ppi_lights[i];

		if (plans[i]->light == PPI_LIGHT_COUNT && l->sp &&
		    ppi_load (&plans[i]->site->enabled_at) > t->flushed)
			l->sp |= PPI_LIGHT_STALE;
		/*
		 * not where a handler on another stack interrupted a block, which counts before it
		 * opens
		 */
		if (plans[i]->light == PPI_LIGHT_EVERY && l->open && !ppi_scratch.guard)
			l->open = count_frames (t, plans[i]) + count_frames (t->alt, plans[i]);
	}
}
