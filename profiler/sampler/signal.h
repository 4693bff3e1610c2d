/* SPDX-License-Identifier: MIT */
/* signal.h: the signal by which threads are interrupted: one that the program has no use for. */
#ifndef PPI_SAMPLER_SIGNAL_H
#define PPI_SAMPLER_SIGNAL_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Takes the first of the signals that may be that has no handler but ours, is not ignored, and
 * gives it ours; CHOSEN, where that is not 0, or none. Its number; 0: the program has all of them.
 * What they do by themselves is nothing, so one that is late harms nobody.
 */
PPI_HIDDEN int ppi_signal_take (int chosen);
/* Is our handler still there? The program may have put one of its own in its place. */
PPI_HIDDEN bool ppi_signal_is_ours (int number);
/* "SIGURG" ... */
PPI_HIDDEN void ppi_signal_name (int number, char *out, size_t room);

#endif
