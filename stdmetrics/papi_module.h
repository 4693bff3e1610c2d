/* SPDX-License-Identifier: MIT */
/*
 * papi_module.h: what libpp and its module libpp-papi.so agree on. The module is a file of its own
 * so that only programs that name a PAPI metric load libpapi; it exports one symbol,
 * PPI_PAPI_SYMBOL, and calls nothing of libpp.
 */
#ifndef PPI_PAPI_MODULE_H
#define PPI_PAPI_MODULE_H

#include "base/module.h"

#include <stddef.h>
#include <stdint.h>

#define PPI_PAPI_MODULE_VERSION 2
#define PPI_PAPI_FILE "libpp-papi.so"
#define PPI_PAPI_SYMBOL "pp_papi_module"

struct ppi_papi_event;

struct ppi_papi_module {
	struct ppi_module_head head;
	/*
	 * The event NAME ("PAPI_TOT_INS", "sde:::lib::event", any native name), or NULL with a
	 * sentence in WHY. Ordinary context. The same
	 * 	   name twice is the same event. Events are never given back.
	 */
	struct ppi_papi_event *(*open) (const char *name, char *why, size_t room);
	/*
	 * The calling thread's count of EVENT in OUT: 0, or -1 when there is none just now. Under
	 * the same NUMBER (not 0) all events of a component are read at once, the first time. A
	 * thread's first reading after an event was opened sets its counters up, which allocates;
	 * it must not happen in a signal handler (on a signal stack it is refused).
	 */
	int (*read) (struct ppi_papi_event *event, uint64_t number, int64_t *out);
};

#endif
