/* SPDX-License-Identifier: MIT */
/*
 * payloads.h: texts that marks of features are handed: each is kept once in the region (chunk
 * `payload`) and has a number, which marks and samples have in its place. What is there stays, so a
 * number means the same to the end of the process; 65,536 of them are told apart.
 *
 *     text ──hash──► page of slots ──► slot: where its chunk is, how long it is
 *
 * A slot is filled by a compare-and-swap and never changes then. Where two threads bring a new text
 * at once, one of them finds its slot taken: the chunk that it made is one that nobody names.
 *
 * At markers: general registers only, no lock, memory only from the region.
 */
#ifndef PPI_REGION_PAYLOADS_H
#define PPI_REGION_PAYLOADS_H

#include <stdint.h>

#define PPI_PAYLOADS_MOST 65536u
#define PPI_PAYLOAD_BYTES 256u /* with its 0; longer ones are cut */

/*
 * The number of TEXT, from 1; 0: it is NULL. PPI_PAYLOAD_OTHER: it is new, and there is no room, or
 * there are that many already.
 */
uint32_t ppi_payload_number (const char *text) __attribute__ ((visibility ("hidden")));
/* In a child: they are the parent's. */
void ppi_payloads_forget (void) __attribute__ ((visibility ("hidden")));

#endif
