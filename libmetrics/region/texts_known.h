/* SPDX-License-Identifier: MIT */
/*
 * texts_known.h: the numbers of texts (texts.h) that a thread met lately, by where they lie.
 * Another text may lie there by now, so it is compared: a word at a time, with a copy that lies in
 * its words as the text does in the program's. A word is read only where the one before was as it
 * was, without an end: nothing behind the word in which the text ends.
 *
 * At markers: general registers only, no libc. One thread's.
 */
#ifndef PPI_REGION_TEXTS_KNOWN_H
#define PPI_REGION_TEXTS_KNOWN_H

#include "base/atomic.h"
#include "libmetrics/region/texts.h"

#include <stdbool.h>
#include <stdint.h>

#define PPI_TEXTS_KNOWN 256u
#define PPI_TEXT_WORDS 4u  /* of a copy, beside what is looked at first */
#define PPI_TEXT_BEHIND 8u /* words of a longer one; still longer texts are compared by bytes */

struct ppi_text_known {
	const char *at;
	uint32_t number;
	uint16_t n;     /* bytes */
	uint16_t words; /* 0: it has no copy */
	uint64_t first,
		last; /* which bits of these words are the text's; the same of the only one */
	uint64_t word[PPI_TEXT_WORDS]; /* with the 0 at the end; bits of others are 0 */
};

/* Zeroed: none is known. */
struct ppi_texts_known {
	struct ppi_text_known text[PPI_TEXTS_KNOWN];
	uint64_t behind[PPI_TEXTS_KNOWN][PPI_TEXT_BEHIND]; /* words that do not fit into WORD */
};

/* As ppi_text_number_of, which it asks for what is not known; PLACE is the text's. */
PPI_HIDDEN uint32_t ppi_texts_known_ask (struct ppi_texts_known *texts, unsigned place,
					 const char *text);

typedef uint64_t __attribute__ ((may_alias)) ppi_text_word;

/* The words around a text have other people's bytes, too, which sanitizers need not know of. */
static inline __attribute__ ((no_sanitize ("address", "thread"))) uint64_t ppi_text_word_at (
	const ppi_text_word *at)
{
	return *(const volatile ppi_text_word *) at;
}

/* Word I of a copy. */
static inline uint64_t ppi_text_known_word (const struct ppi_texts_known *texts, unsigned place,
					    unsigned i)
{
	return i < PPI_TEXT_WORDS ? texts->text[place].word[i]
				  : texts->behind[place][i - PPI_TEXT_WORDS];
}

static inline bool ppi_text_is_known (const struct ppi_texts_known *texts, unsigned place,
				      const char *text)
{
	const struct ppi_text_known *known = &texts->text[place];
	const ppi_text_word *at =
		(const ppi_text_word *) ((uintptr_t) text & ~(sizeof (uint64_t) - 1));
	unsigned n = known->words;

	if (known->at != text || !n || (ppi_text_word_at (at) & known->first) != known->word[0])
		return false;
	for (unsigned i = 1; i + 1 < n; i++)
		if (ppi_text_word_at (&at[i]) != ppi_text_known_word (texts, place, i))
			return false;
	return n == 1 || (ppi_text_word_at (&at[n - 1]) & known->last) ==
				 ppi_text_known_word (texts, place, n - 1);
}

/* The number of a text that is there now, as ppi_text_number_of. */
static inline uint32_t ppi_text_known_number (struct ppi_texts_known *texts, const char *text)
{
	uintptr_t at = (uintptr_t) text;
	unsigned place = (unsigned) ((at ^ at >> 8) % PPI_TEXTS_KNOWN);

	return ppi_likely (ppi_text_is_known (texts, place, text))
		       ? texts->text[place].number
		       : ppi_texts_known_ask (texts, place, text);
}

PP_ABI_ASSERT (sizeof (struct ppi_text_known) == 64);

#endif
