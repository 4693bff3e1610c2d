/* SPDX-License-Identifier: MIT */
/* peek.h: reads memory of this process that may not be there: no signal comes of it. */
#ifndef PPI_BASE_PEEK_H
#define PPI_BASE_PEEK_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Copies up to BYTES from the address AT, as many as are mapped from there on. Returns how many.
 * One system call; any context, errno stays.
 */
PPI_HIDDEN size_t ppi_peek (uint64_t at, void *out, size_t bytes);
/* The same, for who knows a thread of this process: without asking for the process's number. */
PPI_HIDDEN size_t ppi_peek_by (pid_t thread, uint64_t at, void *out, size_t bytes);

/* May this process do that? A sandbox may forbid it. */
PPI_HIDDEN bool ppi_peek_is_permitted (void);

#endif
