/* SPDX-License-Identifier: MIT */
/*
 * span.h: spans, intervals that begin and end in different functions or threads, held together by a
 * token.
 *
 * An open span is an entry in one of two tables (span_table.h), of 64 bytes, or of 512 where its
 * plan keeps values. No lock anywhere:
 *
 *   token = child (12 bits) | generation (28) | table (1) | index (23)
 *   state = generation << 2 | FREE, OPENING, OPEN or ENDING        in the entry, atomic
 *
 * Whoever ends a span wins it by turning OPEN of the token's generation into ENDING, one
 * compare-and-swap, so it ends once, whatever threads end it at the same time. A freed entry has
 * the next generation, so an old token does not fit; nor does a parent's in its child, which has
 * tables of its own and another number in `child`. A generation comes again after 2^28 spans in one
 * entry.
 */
#ifndef PPI_CALLS_SPAN_H
#define PPI_CALLS_SPAN_H

#include "base/atomic.h"

#include <pp.h>
#include <stdint.h>

/*
 * Spans of SITE that are open, and the ticks of the oldest one's begin, left as it is where none is
 * older; NULL: not asked for. That looks through all open spans. Any thread.
 */
uint64_t ppi_spans_open (const pp_site *site, uint64_t *oldest) PPI_HIDDEN;
/* In a child: none are open. With the lock. */
void ppi_span_after_fork (void) PPI_HIDDEN;

#endif
