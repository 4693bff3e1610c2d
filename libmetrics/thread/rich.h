/* SPDX-License-Identifier: MIT */
/*
 * rich.h: payloads of several values: what a mark captures by dim (KEY=EXPR, ...). They are one
 * text, so that all that knows of payloads knows of them (profiler/analysis/payload.h reads it):
 *
 *     1f s blamer = m i x e r  1f i value = 1 2      ──text──► number, as any text's
 *
 * Of N values each has an Nth of PPI_TEXT_MOST bytes, with its key; what is longer is cut. Values
 * that are missing are left out. At markers: general registers only, no libc.
 */
#ifndef PPI_THREAD_RICH_H
#define PPI_THREAD_RICH_H

#include "base/atomic.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

#include <stddef.h>
#include <stdint.h>

struct ppi_rich {
	size_t n, most; /* bytes; those that one value may have */
	char at[PPI_TEXT_MOST + 1];
};

/* Does SITE hand over a payload of several values? */
static inline bool ppi_site_is_rich (const pp_site *site)
{
	return site->kind == PP_ABI_SITE_FEATURE && site->n_dims;
}

/* enum pp_abi_value of the payload that marks of SITE have. */
static inline unsigned ppi_payload_type (const pp_site *site)
{
	return ppi_site_is_rich (site) ? (unsigned) PP_ABI_VALUE_STRING : site->value;
}

/* An empty one, for N values. */
void ppi_rich_begin (struct ppi_rich *rich, unsigned n) PPI_HIDDEN;
/* One more; TYPE is an enum pp_abi_value, VALUE of a string its address. NUL-terminated then. */
void ppi_rich_add (struct ppi_rich *rich, const char *key, size_t length, unsigned type,
		   uint64_t value) PPI_HIDDEN;
/*
 * The number of the text that all that PLAN's site, which is rich, has captured makes; VALUE: of
 * them in turn. PP_ABI_NOT_CAPTURED: all are missing, or there is no memory. T, which is entered,
 * has the text: the host's stack may be small.
 */
uint64_t ppi_rich_number (struct ppi_thread *t, const struct ppi_plan *plan,
			  const uint64_t *value) PPI_HIDDEN;

#endif
