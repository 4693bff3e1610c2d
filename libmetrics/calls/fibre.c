/* SPDX-License-Identifier: MIT */
/* fibre.c: pp_fibre_suspend and pp_fibre_resume: clocks that stand still while a fibre does. */
#include "base/atomic.h"
#include "base/ticks.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/opened.h"
#include "libmetrics/thread/thread.h"

#include <pp.h>

uint64_t pp_fibre_suspend (void)
{
	return ppi_ticks ();
}

/* F has been open for so much less. */
static void shift (struct ppi_frame *f, uint64_t ticks)
{
	/* a stale one has its tag there, one that reads no clock 0 */
	if (f->tag != PPI_TAG_STALE && f->begin_ticks)
		ppi_store (&f->begin_ticks, f->begin_ticks + ticks);
}

void pp_fibre_resume (uint64_t suspended)
{
	uintptr_t sp = (uintptr_t) __builtin_frame_address (0);
	uint64_t now = ppi_ticks ();
	struct ppi_frame *calls;
	struct ppi_thread *t;

	if (!suspended || suspended >= now || !ppi_thread_self () || !(t = ppi_thread_enter (sp)))
		return;
	for (struct ppi_frame *f = t->hot->top; f != &t->segment->bottom; f = f->prev)
		shift (f, now - suspended);
	/* those of the list lie on all stacks; the end's place is larger than any */
	calls = t->opened ? t->opened->list[PPI_OPENED_CALLS].top : NULL;
	for (; calls && calls->sp != UINTPTR_MAX; calls = calls->prev)
		if (calls->sp - t->segment->lo < t->segment->span)
			shift (calls, now - suspended);
	ppi_thread_leave (t);
}
