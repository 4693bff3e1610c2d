/* SPDX-License-Identifier: MIT */
/*
 * handler.h: does a handler run?
 */
#ifndef PPI_THREAD_HANDLER_H
#define PPI_THREAD_HANDLER_H

#include <stdbool.h>

/*
 * Does a signal's handler run on the calling thread? On x86-64 true where one does; it may be true
 * where one did. Elsewhere, and where a sandbox refuses process_vm_readv, only handlers on the
 * signal stack are seen. Some microseconds; any context.
 */
bool ppi_in_handler (void);

#endif
