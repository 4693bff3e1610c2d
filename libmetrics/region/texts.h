/* SPDX-License-Identifier: MIT */
/*
 * texts.h: texts become numbers, at markers: the strings of dimensions and of payloads, and what
 * records are of.
 *
 *   "GET" ──► table of hashes (private) ──► 17 ◄── chunk of texts in the live region ──► recording
 *
 * The table only grows. Who looks something up takes no lock; who adds something puts the text into
 * the region first and then its number into the table by a compare-and-swap, so a signal handler
 * may come in between. Where two threads add the same text at the same time it may have two
 * numbers: readers go by the text.
 *
 * Bounded: strings beyond the limit are PPI_TEXT_OTHER, and counted as PP_DROP_STRINGS.
 */
#ifndef PPI_REGION_TEXTS_H
#define PPI_REGION_TEXTS_H

#include "base/atomic.h"
#include "recording/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_TEXTS_USUAL 65536u  /* strings, where nobody says how many, and the most */
#define PPI_TEXTS_SHAPES 65536u /* more texts, which are what records are of */

/*
 * There is a table from now on, for MOST strings; 0: for as many as were asked for before, or as
 * usual. With the lock; in a process that has a region. The latest MOST counts. 0, or PP_ENOMEM.
 */
PPI_HIDDEN int ppi_texts_prepare (uint32_t most);

/*
 * The number of the first N bytes of TEXT, up to PPI_TEXT_MOST of them: never 0. A shape's is none
 * of the strings that are limited; it is 0 where there is no room. At markers: general
 * registers only.
 */
PPI_HIDDEN uint32_t ppi_text_number (const char *text, size_t n);
PPI_HIDDEN uint32_t ppi_shape_number (const char *text, size_t n);
/* The same of a string that ends with a 0. */
PPI_HIDDEN uint32_t ppi_text_number_of (const char *text);

/* Is NUMBER that of the text that STRING is, all of it, N bytes long as it was known by? */
PPI_HIDDEN bool ppi_text_is (uint32_t number, const char *string, uint32_t n);

/* The text of NUMBER into OUT, of PPI_TEXT_MOST + 1; how long it is. 0: it has none. */
PPI_HIDDEN size_t ppi_text_copy (uint32_t number, char *out);

/* A figure that is larger when there are more texts, none of which an entry names before. */
PPI_HIDDEN uint64_t ppi_texts_published (void);

/* In a child: the region with all of them is the parent's; and its own, for as many. */
PPI_HIDDEN void ppi_texts_forget (void);
PPI_HIDDEN void ppi_texts_renew (void);

#endif
