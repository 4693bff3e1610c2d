/* SPDX-License-Identifier: MIT */
/* metric.h: the registry of metrics. */
#ifndef PPI_METRIC_H
#define PPI_METRIC_H

#include "recording.h"
#include "runtime.h"

struct ppi_binding;

struct pp_metric {
	uint32_t id;                 /* from 1 */
	uint32_t epoch;              /* raised by a reset; atomic */
	uint32_t references;         /* declarations; without any the name may be declared anew and differently */
	bool superseded;             /* it was; the data of this one stay */
	struct ppi_metric_spec spec; /* owns its strings */
	struct ppi_source_instance instance;
	char *unavailable; /* why, or NULL */
	bool told_full;    /* that its series takes no more */
	struct ppi_binding *bindings;
	struct ppi_binding *own; /* without a site: pp_sample's */
	struct ppi_metric_chunk *chunk;
	uint64_t since_ns;          /* declared, or reset; atomic */
	struct ppi_window *windows; /* all that there were ever */
	struct ppi_window *window;  /* of the declaration; or NULL */
	struct pp_metric *next;
};

/* raw sample × this = the metric's unit */
double ppi_metric_scale (const pp_metric *metric) __attribute__ ((visibility ("hidden")));
/* The metric of a static record, and the program's variable set; a message where it can't be. With the lock. */
void ppi_metric_add_record (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));
/* Makes the chunk that tells readers of the metric. 0 or PP_ENOMEM. */
int ppi_metric_describe (pp_metric *metric) __attribute__ ((visibility ("hidden")));
/* Says of each metric whose unbounded series is full that it is, once. With the lock; ordinary context (series.c). */
void ppi_series_tell_full (void) __attribute__ ((visibility ("hidden")));
void ppi_metric_after_fork (void) __attribute__ ((visibility ("hidden")));

#endif
