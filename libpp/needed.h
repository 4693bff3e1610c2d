/* SPDX-License-Identifier: MIT */
/* needed.h: does anything here have markers to come? */
#ifndef PPI_LIBPP_NEEDED_H
#define PPI_LIBPP_NEEDED_H

#include <stdbool.h>

/*
 * Is the library a part of the program, or was an object that is loaded linked with it? If not, it
 * was preloaded into a program that knows nothing of it, and no module will register before main.
 * Ordinary context.
 */
bool ppi_is_needed (void) __attribute__ ((visibility ("hidden")));

#endif
