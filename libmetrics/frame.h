/* SPDX-License-Identifier: MIT */
/*
 * frame.h: how ends find their begins.
 *
 * A segment's frames lie in the order of their begins. Stacks grow down, so of two frames of one segment the newer one has the lower or the
 * same stack pointer; the plugin keeps the stack pointer at an interval's end from being above that at its begin. Hence:
 *
 *   at a marker with stack pointer SP, frames with sp < SP belong to activations that are gone: a longjmp left them behind;
 *   a begin that finds its own tag at its own SP finds a frame that was left behind in the same way;
 *   an end finds its frame on top. If it does not, whatever lies above was left behind (or disabled inside); if its tag is nowhere, it was
 *   enabled inside.
 *
 * What is removed so is counted. Frames of a generation that is not the site's are of a time before the site was disabled.
 */
#ifndef PPI_FRAME_H
#define PPI_FRAME_H

#include "plan.h"
#include "thread.h"

/* A place for a frame of TAG at SP in the thread's current segment, after removing what is stale; NULL: dropped and counted. */
PPI_HIDDEN struct ppi_frame *ppi_frame_make_room (struct ppi_thread *thread, uintptr_t tag, uintptr_t sp, uint32_t bytes);
/* The frame that ends with TAG at SP, on top after removing what is stale; NULL: none, counted. */
PPI_HIDDEN struct ppi_frame *ppi_frame_find (struct ppi_thread *thread, uintptr_t tag, uintptr_t sp);

static inline const struct pp_abi_site *ppi_tag_site (uintptr_t tag)
{
	return (const struct pp_abi_site *) (tag & ~(uintptr_t) PP_ABI_DEPTH_MASK);
}

/* The usual place: on top, nothing stale, in the same page. */
static inline __attribute__ ((always_inline)) struct ppi_frame *ppi_frame_try_room (struct ppi_thread *t, uintptr_t tag,
										     uintptr_t sp, uint32_t bytes)
{
	struct ppi_frame *top = t->segment->top;
	uintptr_t place = (uintptr_t) top + top->bytes;

	if (ppi_unlikely (top->sp < sp || top->depth + 1u > PPI_DEPTH_MAX || t->segment->overflow))
		return NULL;
	if (ppi_unlikely ((((uintptr_t) top ^ (place + bytes - 1)) & ~(uintptr_t) (PPI_FRAME_PAGE - 1)) != 0))
		return NULL;
	for (const struct ppi_frame *f = top; ppi_unlikely (f->sp == sp); f = f->prev)
		if (f->tag == tag)
			return NULL;
	return (struct ppi_frame *) place;
}

/* Fills in a frame's head and makes it the top. TICKS is read last by the caller's choice. */
static inline __attribute__ ((always_inline)) void ppi_frame_push (struct ppi_thread *t, struct ppi_frame *f, uintptr_t tag, uintptr_t sp,
								    const struct ppi_plan *plan)
{
	struct ppi_frame *top = t->segment->top;

	ppi_store (&f->tag, tag);
	ppi_store (&f->sp, sp);
	ppi_store (&f->prev, top);
	ppi_store (&f->plan, plan);
	ppi_store (&f->generation, ppi_load (&ppi_tag_site (tag)->generation));
	ppi_store (&f->bytes, (uint16_t) plan->frame_bytes);
	ppi_store (&f->depth, (uint16_t) (top->depth + 1));
	__atomic_store_n (&t->segment->top, f, __ATOMIC_RELEASE); /* readers of open_age follow it */
}

/* On top, of this plan, of this generation: the usual end. */
static inline __attribute__ ((always_inline)) struct ppi_frame *ppi_frame_try_find (const struct ppi_thread *t, uintptr_t tag, uintptr_t sp,
										     const struct ppi_plan *plan)
{
	struct ppi_frame *top = t->segment->top;

	if (ppi_unlikely (top->tag != tag || top->sp < sp || top->plan != plan
			  || top->generation != ppi_load (&ppi_tag_site (tag)->generation) || t->segment->overflow))
		return NULL;
	return top;
}

static inline __attribute__ ((always_inline)) void ppi_frame_pop (struct ppi_thread *t, const struct ppi_frame *f)
{
	__atomic_store_n (&t->segment->top, f->prev, __ATOMIC_RELEASE);
}

#endif
