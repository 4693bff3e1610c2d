/* SPDX-License-Identifier: MIT */
/*
 * call.h: pp_begin and pp_end for entries whose caller is not the user's code.
 */
#ifndef PPI_CALLS_CALL_H
#define PPI_CALLS_CALL_H

#include "libmetrics/thread/opened.h"

#include <pp.h>
#include <pp_abi.h>
#include <stdint.h>

/*
 * The stack pointer in the caller of the function that says it, at the call: both ends of an
 * interval are told by it.
 */
#define PPI_CALLER_SP() ((uintptr_t) __builtin_dwarf_cfa ())

/* Who called the function that says it. */
#define PPI_CALLER()                                                                               \
	((struct ppi_caller){PPI_CALLER_SP (), (uintptr_t) __builtin_return_address (0)})

/* pp_event_begin_dims and pp_event_end_dims by that caller. */
int64_t ppi_event_begin (const char *type, unsigned n, const struct pp_event_dim *dims,
			 struct ppi_caller caller);
int ppi_event_end (int64_t id, unsigned n, const struct pp_event_dim *dims,
		   struct ppi_caller caller);

/*
 * The interval of that name which is begun by calls, made if there is none; NULL: no room, counted.
 * Not from markers.
 */
pp_site *ppi_call_site (const char *name);
/*
 * The interval of that name if something is bound to it, as its descriptor; made where there is
 * none of that name. NULL: nothing is.
 */
struct pp_abi_site *ppi_call_enabled (const char *name);
/*
 * pp_begin and pp_end, and those of features and antimarks, by CALLER, whose stack pointer was SP;
 * NOW in ticks.
 */
void ppi_call_begin (const char *name, enum pp_abi_site_kind kind, struct ppi_caller caller);
void ppi_call_end (const char *name, enum pp_abi_site_kind kind, uintptr_t sp, uint64_t now);
/* NOW for the end of a feature or antimark: whether that is measured is not looked up yet. */
uint64_t ppi_call_mark_end_ticks (void);
/* A feature's begin; TYPE NONE: without a payload. */
void ppi_call_feature (const char *name, enum pp_abi_value type, int64_t payload,
		       struct ppi_caller caller);

/* The same with several values. */
void ppi_call_feature_dims (const char *name, unsigned n, const struct pp_event_dim *dims,
			    struct ppi_caller caller);

#endif
