/* SPDX-License-Identifier: MIT */
/* error.h: errors with a sentence. */
#ifndef PPI_BASE_ERROR_H
#define PPI_BASE_ERROR_H

#include <stddef.h>

/* Returns ERROR; WHY, with so much ROOM, says the rest, printf-like. */
int ppi_fail (int error, char *why, size_t room, const char *format, ...)
	__attribute__ ((format (printf, 4, 5)));

#endif
