/* SPDX-License-Identifier: MIT */
/* needed.h: does anything here declare what policies need to know when they are loaded? */
#ifndef PPI_LIBPP_NEEDED_H
#define PPI_LIBPP_NEEDED_H

#include <stdbool.h>

/*
 * Does the program, or an object that is loaded, register a module or declare operators or
 * statistics, for which a policy can't wait? If not, nothing of that comes before main: the library
 * was preloaded into a program that knows nothing of it, or linked to one without markers. Of a
 * program that the library is a part of it is not known, and true. Ordinary context.
 */
bool ppi_names_come (void) __attribute__ ((visibility ("hidden")));

#endif
