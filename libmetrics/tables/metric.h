/* SPDX-License-Identifier: MIT */
/*
 * metric.h: a metric, as markers and the registry know it.
 */
#ifndef PPI_TABLES_METRIC_H
#define PPI_TABLES_METRIC_H

#include "libmetrics/source/metric_spec.h"
#include "libmetrics/source/source.h"

#include <pp.h>
#include <stdbool.h>
#include <stdint.h>

struct ppi_metric_chunk;

struct ppi_window;

struct ppi_binding;

struct pp_metric {
	uint32_t id;    /* from 1 */
	uint32_t epoch; /* raised by a reset; atomic */
	/* declarations; without any the name may be declared anew and differently */
	uint32_t references;
	bool superseded;             /* it was; the data of this one stay */
	struct ppi_metric_spec spec; /* owns its strings */
	struct ppi_source_instance instance;
	char *unavailable; /* why, or NULL */
	bool told_windows; /* that there can be no more of them, once */
	/* the fallback that it is measured with, or NULL; then INSTEAD says why */
	char *in_use;
	char *instead;
	bool told_full; /* that its series takes no more */
	bool is_used;   /* as its source was told (ppi_sources_use) */
	struct ppi_binding *bindings;
	struct ppi_binding *own; /* without a site: pp_sample's */
	struct ppi_metric_chunk *chunk;
	uint64_t since_ns;          /* declared, or reset; atomic */
	struct ppi_window *windows; /* all that there were ever */
	struct ppi_window *window;  /* of the declaration; or NULL */
	struct pp_metric *next, *next_of_bucket;
};

#endif
