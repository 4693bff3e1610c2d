/* SPDX-License-Identifier: MIT */
/* callback.h: functions of the program: callables, callbacks, and their deliveries. */
#ifndef PPI_CALLBACK_H
#define PPI_CALLBACK_H

#include <pp_abi.h>
#include <stdbool.h>

struct ppi_assertion;
struct ppi_notice;

/* A function of the program. Never freed. */
struct ppi_callable {
	struct ppi_callable *next;
	char name[PP_ABI_NAME_BYTES];
	pp_abi_call_fn function; /* NULL while its module is away; atomic */
	const struct pp_abi_callable *record;
	bool inlined; /* called by the thread that saw it */
};

struct ppi_callable *ppi_callable_find (const char *name);
struct ppi_callable *ppi_callable_first (void);
/*
 * Calls the assertion's inline callables for an edge, on this thread. DETAIL: of the violation, or
 * NULL.
 */
void ppi_inline_calls (struct ppi_assertion *a, const struct ppi_notice *notice,
		       const char *detail);
/* Is this thread in an inline callable? */
bool ppi_in_inline (void);
/* Queues a call of CALLABLE, or of the callbacks (NULL), for an edge [lock]. */
void ppi_delivery_add (struct ppi_assertion *a, const struct ppi_notice *notice,
		       struct ppi_callable *callable);
/* The same for its inline callables, where they can't be called at once. */
void ppi_delivery_add_inline (struct ppi_assertion *a, const struct ppi_notice *notice);
bool ppi_callbacks_exist (const char *name); /* NULL: any. [lock] */
/* Delivers what is queued; how many functions were called. Without the lock. POLLED: by pp_poll. */
int ppi_deliver (bool polled);

#endif
