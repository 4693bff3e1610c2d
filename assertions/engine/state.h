/* SPDX-License-Identifier: MIT */
/* state.h: what the program may ask of assertions (state.c). */
#ifndef PPI_ENGINE_STATE_H
#define PPI_ENGINE_STATE_H

#include <stdint.h>

/* CLOCK_MONOTONIC ns as seconds since the start of the program; NaN for 0. */
double ppi_since_start (uint64_t ns);

#endif
