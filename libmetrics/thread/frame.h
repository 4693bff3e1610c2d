/* SPDX-License-Identifier: MIT */
/*
 * frame.h: how ends find their begins.
 *
 * A segment's frames lie in the order of their begins. Stacks grow down, so of two frames of one
 * segment the newer one has the lower or the same stack pointer; the plugin keeps the stack pointer
 * at an interval's end from being above that at its begin. Hence:
 *
 *   at a marker with stack pointer SP, frames with sp < SP belong to activations that are gone: a
 *   longjmp left them behind; a begin that finds its own tag at its own SP finds a frame that was
 *   left behind in the same way; an end finds its frame on top. If it does not, whatever lies above
 *   was left behind (or disabled inside); if its tag is nowhere, it was enabled inside.
 *
 * What is removed so is counted. Frames that were open when their site was disabled and enabled
 * again can't end any more: a flush (thread.h) gives them the tag PPI_TAG_STALE.
 *
 * A frame takes a slot of 64 bytes; the values of begin functions lie in the slots before it, so
 * the place of the next is always right behind the top one. Frames lie in pages of 2 KiB.
 */
#ifndef PPI_THREAD_FRAME_H
#define PPI_THREAD_FRAME_H

#include "base/atomic.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/thread.h"

/*
 * A place for a frame of PLAN with TAG at SP in the thread's current segment, after removing what
 * is stale; NULL: dropped and counted.
 */
PPI_HIDDEN struct ppi_frame *ppi_frame_make_room (struct ppi_thread *thread,
						  const struct ppi_plan *plan, uintptr_t tag,
						  uintptr_t sp);
/* The frame that ends with TAG at SP, on top after removing what is stale; NULL: none, counted. */
PPI_HIDDEN struct ppi_frame *ppi_frame_find (struct ppi_thread *thread, uintptr_t tag,
					     uintptr_t sp);

/* Begun before its site was disabled and enabled again, or the site is disabled now. */
PPI_HIDDEN bool ppi_frame_is_of_the_past (const struct ppi_thread *thread,
					  const struct ppi_frame *f);

/* When a sample of OP ended whose marker has read the clock: NOW. */
static inline __attribute__ ((always_inline)) uint64_t ppi_sample_end (const struct ppi_op *op,
								       uint64_t now)
{
	return op->stamped ? ppi_stamp () : now;
}

/* Before the samples of an execution whose marker read the clock at NOW; BEGUN: as there. */
static inline __attribute__ ((always_inline)) struct ppi_moment ppi_moment_at (uint64_t now,
									       uint64_t begun)
{
	return (struct ppi_moment){
		now, PP_ARCH_TICKS_ARE_FINE ? ppi_load (&ppi_scratch.stamp) : now - 1, begun};
}

/* The values of F: before it. */
static inline uint64_t *ppi_frame_values (struct ppi_frame *f)
{
	return (uint64_t *) ((char *) f - f->slots * PPI_FRAME_SLOT);
}

/* The usual place for a frame without values: behind the top, nothing stale, in the same page. */
static inline __attribute__ ((always_inline)) struct ppi_frame *ppi_frame_try_room (
	const struct ppi_hot *h, uintptr_t tag, uintptr_t sp)
{
	struct ppi_frame *top = h->top;
	uintptr_t place = (uintptr_t) (top + 1);

	if (ppi_unlikely (place - h->first >= PPI_FRAME_PAGE - PPI_FRAME_FIRST))
		return NULL;
	if (ppi_unlikely (top->sp <= sp)) {
		const struct ppi_frame *f = top;

		if (f->sp < sp)
			return NULL;
		/* intervals of one activation, nested */
		for (; f->sp == sp; f = f->prev)
			if (f->tag == tag)
				return NULL;
	}
	return (struct ppi_frame *) place;
}

/* Fills in a frame's head and makes it the top. */
static inline __attribute__ ((always_inline)) void ppi_frame_push (struct ppi_hot *h,
								   struct ppi_frame *f,
								   uintptr_t tag, uintptr_t sp,
								   const struct ppi_plan *plan)
{
	ppi_store (&f->tag, tag);
	ppi_store (&f->sp, sp);
	ppi_store (&f->prev, h->top);
	ppi_store (&f->plan, plan);
	__atomic_store_n (&h->top, f, __ATOMIC_RELEASE); /* readers of open_age follow it */
}

/* On top and of this plan: the usual end. */
static inline __attribute__ ((always_inline)) struct ppi_frame *ppi_frame_try_find (
	const struct ppi_hot *h, uintptr_t tag, uintptr_t sp, const struct ppi_plan *plan)
{
	struct ppi_frame *top = h->top;

	if (ppi_unlikely (top->tag != tag || top->sp < sp || top->plan != plan))
		return NULL;
	return top;
}

static inline __attribute__ ((always_inline)) void ppi_frame_pop (struct ppi_hot *h,
								  const struct ppi_frame *f)
{
	__atomic_store_n (&h->top, f->prev, __ATOMIC_RELEASE);
}

/* What was begun on the current segment below SP, and did not end, was jumped over. */
PPI_HIDDEN void ppi_frames_leave (struct ppi_thread *thread, uintptr_t sp);

/* The current segment's frames that became stale before the flush NUMBER can't end any more. */
PPI_HIDDEN void ppi_frames_flush (struct ppi_thread *thread, struct ppi_segment *segment);

/*
 * Inside a check: is PARENT (NULL: any) the innermost interval that is open in the thread just now,
 * and OUTER open too, as that one or as one of the 64 around it?
 */
bool ppi_thread_is_inside (const struct ppi_thread *thread, const pp_site *parent,
			   const pp_site *outer);

#endif
