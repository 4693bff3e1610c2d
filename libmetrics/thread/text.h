/* SPDX-License-Identifier: MIT */
/*
 * text.h: the number of a text (region/texts.h), of those that the thread met lately without
 * looking it up (region/texts_known.h). At markers, with the thread entered: general registers
 * only.
 */
#ifndef PPI_THREAD_TEXT_H
#define PPI_THREAD_TEXT_H

#include "libmetrics/region/texts_known.h"
#include "libmetrics/thread/thread.h"

/* T's table, made at its first text; NULL: no memory. */
PPI_HIDDEN struct ppi_texts_known *ppi_thread_texts_make (struct ppi_thread *t);

/* As ppi_text_number_of. */
static inline uint32_t ppi_thread_text_number (struct ppi_thread *t, const char *text)
{
	struct ppi_texts_known *texts = t->texts;

	if (ppi_unlikely (!texts) && !(texts = ppi_thread_texts_make (t)))
		return ppi_text_number_of (text);
	return ppi_text_known_number (texts, text);
}

#endif
