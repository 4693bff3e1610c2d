/* SPDX-License-Identifier: MIT */
/* frame.c: the unusual cases of frame.h. Runs inside markers: general registers only, no libc. */
#include "frame.h"

#include "region.h"
#include "site.h"

/* Removes the top frame, which was left behind. */
static void drop_top (struct ppi_thread *t, struct ppi_segment *s, bool jumped)
{
	const struct ppi_frame *f = s->top;
	const struct ppi_plan *plan = f->plan;
	bool current = f->generation == ppi_load (&plan->site->generation) && ppi_load (&plan->site->enabled);

	ppi_drop (t, jumped && current ? PP_DROP_LONGJMP : PP_DROP_DISABLED, 1);
	__atomic_store_n (&s->top, f->prev, __ATOMIC_RELEASE);
}

/* Frames of activations below SP are gone, and with the last of them what was begun beyond the depth. */
static void drop_deeper (struct ppi_thread *t, struct ppi_segment *s, uintptr_t sp)
{
	while (s->top->sp < sp) {
		s->overflow = 0;
		drop_top (t, s, true);
	}
}

static void overflow_begin (struct ppi_thread *t, struct ppi_segment *s, uintptr_t sp, enum pp_drop cause)
{
	if (!s->overflow++)
		s->overflow_sp = sp;
	ppi_drop (t, cause, 1);
}

/*
 * Is this end the end of a pair that was begun beyond the depth? From the first begin without room on, everything below it is dropped
 * together, begins and ends alike, or an end might find the frame of an outer activation of its own function.
 */
static bool overflow_end (struct ppi_segment *s, uintptr_t tag, uintptr_t sp)
{
	if (!s->overflow)
		return false;
	if (sp > s->overflow_sp || (s->top->tag == tag && sp == s->top->sp)) {
		s->overflow = 0;
		return false;
	}
	s->overflow--;
	return true;
}

/* The first place in the page after the one that holds TOP. */
static struct ppi_frame *place_in_next_page (struct ppi_thread *t, const struct ppi_frame *top)
{
	struct ppi_frame_page *page = (struct ppi_frame_page *) ((uintptr_t) top & ~(uintptr_t) (PPI_FRAME_PAGE - 1));
	struct ppi_frame_page *next = page->following;

	if (!next) {
		next = ppi_region_page_fast ();
		if (!next)
			return NULL;
		ppi_region_publish (&next->chunk, PPI_CHUNK_FRAMES, t->chunk.id);
		page->following = next;
	}
	return (struct ppi_frame *) (next + 1);
}

static bool crosses_page (const struct ppi_frame *top, uintptr_t place, uint32_t bytes)
{
	return (((uintptr_t) top ^ (place + bytes - 1)) & ~(uintptr_t) (PPI_FRAME_PAGE - 1)) != 0;
}

struct ppi_frame *ppi_frame_make_room (struct ppi_thread *t, uintptr_t tag, uintptr_t sp, uint32_t bytes)
{
	struct ppi_segment *s = t->segment;
	const struct ppi_frame *twin = NULL;
	struct ppi_frame *place;

	drop_deeper (t, s, sp);
	for (const struct ppi_frame *f = s->top; f->sp == sp; f = f->prev)
		if (f->tag == tag)
			twin = f;
	while (twin) {
		if (s->top == twin)
			twin = NULL;
		drop_top (t, s, true);
	}
	if (sp > s->overflow_sp)
		s->overflow = 0;
	if (s->overflow || s->top->depth >= PPI_DEPTH_MAX) {
		overflow_begin (t, s, sp, PP_DROP_DEPTH);
		return NULL;
	}
	place = (struct ppi_frame *) ((char *) s->top + s->top->bytes);
	if (crosses_page (s->top, (uintptr_t) place, bytes))
		place = place_in_next_page (t, s->top);
	if (!place)
		overflow_begin (t, s, sp, PP_DROP_POOL);
	return place;
}

struct ppi_frame *ppi_frame_find (struct ppi_thread *t, uintptr_t tag, uintptr_t sp)
{
	struct ppi_segment *s = t->segment;
	struct ppi_frame *f;

	if (overflow_end (s, tag, sp))
		return NULL;
	drop_deeper (t, s, sp);
	for (f = s->top; f != &s->bottom && f->tag != tag; f = f->prev)
		;
	if (f == &s->bottom) {
		ppi_drop (t, PP_DROP_UNMATCHED, 1);
		return NULL;
	}
	if (f->generation != ppi_load (&ppi_tag_site (tag)->generation)) {
		/* begun before the site was disabled and enabled again: not this end's */
		while (s->top != f)
			drop_top (t, s, true);
		drop_top (t, s, false);
		return NULL;
	}
	while (s->top != f)
		drop_top (t, s, true);
	return f;
}
