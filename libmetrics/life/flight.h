/* SPDX-License-Identifier: MIT */
/* flight.h: dumps of the flight recorder: what is in all threads' rings stays in the region. */
#ifndef PPI_LIFE_FLIGHT_H
#define PPI_LIFE_FLIGHT_H

#include "base/atomic.h"

#define PPI_FLIGHT_DUMPS 8u /* that are kept: of more the newest */

/*
 * Copies the rings of all threads as they are now; WHY says for whom, cut to PPI_FLIGHT_WHY. The
 * threads go on. How many rings there were; PP_ENOENT: no thread has one; PP_ENOMEM: not all of
 * them had room. [lock], in ordinary context
 */
int ppi_flight_dump (const char *why);

/* In a child: they are its parent's. */
PPI_HIDDEN void ppi_flight_forget (void);

#endif
