/* SPDX-License-Identifier: MIT */
/*
 * barrier.h: makes other threads see what was stored.
 */
#ifndef PPI_BASE_BARRIER_H
#define PPI_BASE_BARRIER_H

/*
 * Every thread of the process has executed a serialising instruction when this returns (patch.c).
 */
void ppi_barrier (void) __attribute__ ((visibility ("hidden")));

#endif
