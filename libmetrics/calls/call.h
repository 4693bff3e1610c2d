/* SPDX-License-Identifier: MIT */
/*
 * call.h: pp_begin and pp_end for entries whose caller is not the user's code.
 */
#ifndef PPI_CALLS_CALL_H
#define PPI_CALLS_CALL_H

#include <pp.h>
#include <stdint.h>

/*
 * The stack pointer in the caller of the function that says it, at the call: both ends of an
 * interval are told by it.
 */
#define PPI_CALLER_SP() ((uintptr_t) __builtin_dwarf_cfa ())

/*
 * The interval of that name which is begun by calls, made if there is none; NULL: no room, counted.
 * Not from markers.
 */
pp_site *ppi_call_site (const char *name);
/* pp_begin and pp_end by a caller whose stack pointer was SP; NOW in ticks. */
void ppi_call_begin (const char *name, uintptr_t sp);
void ppi_call_end (const char *name, uintptr_t sp, uint64_t now);

#endif
