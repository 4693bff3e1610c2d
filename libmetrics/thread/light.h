/* SPDX-License-Identifier: MIT */
/*
 * light.h: intervals whose usual execution opens no frame, on CPUs with blocks (block.h).
 *
 * Two kinds of plans of one metric are light. What they know of a thread lies in its TLS, where a
 * block gets at it without a register:
 *
 *   every   The executions that are not sampled (`every: N`) do nothing but count down. OPEN is how many frames of the site the thread
 *           has on all its stacks; while there are any, every begin opens one, sampled or not, so
 *           that an end always finds its own. With none open an end belongs to a begin that was not
 *           sampled, and is nothing: it can't be taken for another execution's, for the frames of
 *           those that were begun before it would be open still.
 *   count   A begin leaves its stack pointer in SP, where that is 0. An end with the same stack
 *           pointer is the pair's: two activations that exist at the same time have different ones,
 *           and one that is gone is found by the next begin, at SP or above. Further executions
 *           inside (recursion, handlers) open frames, and say so in SP: its end looks for what they
 *           left behind. So all frames were begun after SP. Plans that follow without the site
 *           being disabled (PPI_LIGHT_AFTER_COUNT) keep that up.
 *
 * Both hold only where no frame of another plan of the site may be open, so a plan is light where
 * the site was not enabled before (what was open then is stale), or had it already. Nor may
 * somebody ask how long executions are open: pp_site's `watched`.
 *
 * A light begin or end is a handful of instructions on the thread's own TLS: a handler that comes
 * in between finds either what was before or what is after. SAVED holds a register of the host's
 * while SP is set, and another begin would open a frame. Where a handler left by siglongjmp, SP is
 * that of an activation that is gone, or OPEN is too high until the next flush, and frames are
 * opened as without all this.
 */
#ifndef PPI_THREAD_LIGHT_H
#define PPI_THREAD_LIGHT_H

#include "base/atomic.h"
#include "base/chunk.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/thread.h"

#define PPI_LIGHTS 32u /* of a process; later plans aren't light */
#define PPI_LIGHT_OWN                                                                              \
	32u /* one more: of the library's own sites (cost.c), one of which is bound at a time */

struct ppi_light {
	uintptr_t sp;   /* count: of the execution that is open, and flags; 0: none */
	uint64_t saved; /* of a block */
	/* every: executions until the next sample, while no frame is open; then negative */
	int32_t left;
	uint32_t open; /* every: frames */
};
#define PPI_LIGHT_STALE ((uintptr_t) 1)  /* it was begun before the site was disabled */
#define PPI_LIGHT_FRAMES ((uintptr_t) 2) /* frames of its site were opened inside */
#define PPI_LIGHT_FLAGS ((uintptr_t) 7)

struct ppi_lights_lines {
	struct ppi_light of[PPI_LIGHTS + 1];
} __attribute__ ((aligned (PPI_APART)));
extern __thread struct ppi_lights_lines ppi_lights_lines
	__attribute__ ((tls_model ("initial-exec"), visibility ("hidden")));
#define ppi_lights (ppi_lights_lines.of)

/* every: is this execution not sampled, and needs no frame? Counts it. */
static inline __attribute__ ((always_inline)) bool ppi_light_skips (const struct ppi_plan *plan)
{
	struct ppi_light *l = &ppi_lights[plan->light_slot];

	/* more than that was left by a larger N */
	if (plan->light != PPI_LIGHT_EVERY || l->open || l->left <= 0 ||
	    (uint32_t) l->left >= plan->ops[0].every)
		return false;
	l->left--;
	return true;
}

/* every: an end to which no frame can belong. */
static inline __attribute__ ((always_inline)) bool ppi_light_is_nothing (
	const struct ppi_plan *plan)
{
	return plan->light == PPI_LIGHT_EVERY && !ppi_lights[plan->light_slot].open;
}

/*
 * count and what follows it: must a begin look at what is open, or be what is open, instead of
 * opening a frame at once?
 */
static inline __attribute__ ((always_inline)) bool ppi_light_looks (const struct ppi_plan *plan)
{
	return plan->light == PPI_LIGHT_COUNT ||
	       (plan->light == PPI_LIGHT_AFTER_COUNT && ppi_lights[plan->light_slot].sp);
}

/* A frame of PLAN will be pushed; before it is asked whether this execution is sampled. */
static inline __attribute__ ((always_inline)) void ppi_light_open (struct ppi_hot *h,
								   const struct ppi_plan *plan)
{
	struct ppi_light *l = &ppi_lights[plan->light_slot];
	struct ppi_shard *s;

	if (plan->light != PPI_LIGHT_EVERY)
		return;
	/* the last frame may just have been found left behind */
	s = !l->open && l->left > 0 ? ppi_hot_shard (h, plan->ops[0].slot) : NULL;
	if (s)
		ppi_store (&s->skip, (uint32_t) l->left);
	l->open++;
	l->left = -1;
	ppi_compiler_barrier ();
}

/* A frame of PLAN was popped. */
static inline __attribute__ ((always_inline)) void ppi_light_close (struct ppi_hot *h,
								    const struct ppi_plan *plan)
{
	struct ppi_light *l = &ppi_lights[plan->light_slot];
	struct ppi_shard *s;

	if (ppi_likely (plan->light != PPI_LIGHT_EVERY) || !l->open || --l->open)
		return;
	/* from here on the executions until the next sample are counted in LEFT */
	s = ppi_hot_shard (h, plan->ops[0].slot);
	if (s) {
		l->left = (int32_t) s->skip;
		ppi_store (&s->skip, 0);
	}
}

/* ---- light.c: general registers only, as frame.c --------------------------------------------- */

/*
 * A begin with TAG at SP, in plans of which ppi_light_looks is true: removes what was left behind.
 * True: the execution is open, without a frame.
 */
PPI_HIDDEN bool ppi_light_begin (struct ppi_thread *thread, const struct ppi_plan *plan,
				 uintptr_t tag, uintptr_t sp);
/*
 * count: the plan of the execution that an end with TAG at SP may belong to, unless a frame that
 * was begun later is its own; in *BEGAN its SP. NULL: none.
 */
PPI_HIDDEN const struct ppi_plan *ppi_light_find (struct ppi_thread *thread, uintptr_t tag,
						  uintptr_t sp, uintptr_t *began);
/* The site of a tag, or NULL. */
PPI_HIDDEN const pp_site *ppi_light_site (uintptr_t tag);
/* For a thread that attaches. */
PPI_HIDDEN void ppi_lights_reset (void);
/*
 * Before another of the library's own sites is bound: nothing is open there, and nothing counted.
 */
PPI_HIDDEN void ppi_light_forget_own (void);
/* At a flush: what was open before its site was disabled is stale; OPEN is counted anew. */
PPI_HIDDEN void ppi_lights_flush (struct ppi_thread *thread);

/*
 * Makes PLAN one of KIND. False: there is no room for another. With the lock, before anybody sees
 * it.
 */
PPI_HIDDEN bool ppi_light_make (struct ppi_plan *plan, enum ppi_light_kind kind);

#endif
