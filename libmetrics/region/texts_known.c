/* SPDX-License-Identifier: MIT */
/* texts_known.c: see texts_known.h. General registers only, no libc. */
#include "libmetrics/region/texts_known.h"

/*
 * TEXT, of N bytes, gets a copy, if that is the text of the number still: another thread may be
 * writing to it.
 */
static void copy (struct ppi_texts_known *texts, unsigned place, const char *text, unsigned n)
{
	enum { WORDS = PPI_TEXT_WORDS + PPI_TEXT_BEHIND };
	struct ppi_text_known *known = &texts->text[place];
	unsigned from = (uintptr_t) text % sizeof (uint64_t), to = from + n + 1;
	union {
		uint64_t word[WORDS];
		char byte[WORDS * sizeof (uint64_t)];
	} is = {{0}}, bits = {{0}};

	if (to > sizeof is)
		return;
	for (unsigned i = 0; i < n; i++)
		is.byte[from + i] = text[i];
	for (unsigned i = from; i < to; i++)
		bits.byte[i] = (char) -1;
	if (!ppi_text_is (known->number, is.byte + from, n))
		return;
	for (unsigned i = 0; i < PPI_TEXT_WORDS; i++)
		known->word[i] = is.word[i];
	for (unsigned i = 0; i < PPI_TEXT_BEHIND; i++)
		texts->behind[place][i] = is.word[PPI_TEXT_WORDS + i];
	known->words = (uint16_t) ((to + sizeof (uint64_t) - 1) / sizeof (uint64_t));
	known->first = bits.word[0];
	known->last = bits.word[known->words - 1];
}

uint32_t ppi_texts_known_ask (struct ppi_texts_known *texts, unsigned place, const char *text)
{
	struct ppi_text_known *known = &texts->text[place];
	uint32_t number;
	unsigned n = 0;

	if (known->at == text && !known->words && ppi_text_is (known->number, text, known->n))
		return known->number;
	number = ppi_text_number_of (text);
	while (n <= PPI_TEXT_MOST && text[n])
		n++;
	/* nobody's meanwhile: a handler may leave for good here */
	known->at = NULL;
	ppi_compiler_barrier ();
	if (n > PPI_TEXT_MOST || number == PPI_TEXT_OTHER)
		return number;
	known->number = number;
	known->n = (uint16_t) n;
	known->words = 0;
	copy (texts, place, text, n);
	ppi_compiler_barrier ();
	known->at = text;
	return number;
}
