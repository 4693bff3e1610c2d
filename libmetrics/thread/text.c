/* SPDX-License-Identifier: MIT */
/* text.c: see text.h. General registers only, no libc. */
#include "libmetrics/thread/text.h"

#include "libmetrics/region/region.h"

struct ppi_texts_known *ppi_thread_texts_make (struct ppi_thread *t)
{
	t->texts = ppi_own_alloc_fast (sizeof *t->texts);
	return t->texts;
}
