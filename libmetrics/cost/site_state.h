/* SPDX-License-Identifier: MIT */
/*
 * site_state.h: what readers of the region are told of how sites' markers work just now, and what
 * they cost.
 */
#ifndef PPI_SITE_STATE_H
#define PPI_SITE_STATE_H

/*
 * Before a report or a copy is made: notes it in the chunks of all sites that have one. Measures
 * nothing for it. With the lock.
 */
void ppi_sites_note (void) __attribute__ ((visibility ("hidden")));

#endif
