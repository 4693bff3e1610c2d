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
	bool told_windows; /* that there can be no more of them, once */
	char *in_use;      /* the fallback that it is measured with, or NULL; then INSTEAD says why */
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

/* raw sample × this = the metric's unit */
double ppi_metric_scale (const pp_metric *metric) __attribute__ ((visibility ("hidden")));
/* The metric of a static record, and the program's variable set; a message where it can't be. With the lock. */
void ppi_metric_add_record (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));
/* Opens SOURCE for it; where the machine lacks it, the metric's UNAVAILABLE says why, and that is no error. */
int ppi_metric_open (pp_metric *metric, const struct ppi_source *source, const char *argument, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));
/* PP_ENOENT, and in WHY that NAME is no source, and what may have been meant. */
int ppi_metric_unknown_source (const struct ppi_metric_spec *spec, const char *name, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));
#define PPI_EVERY_MAX (1u << 30)
/* What says how long a series may be, "" where there is none; and how long that is. */
const char *ppi_size_option (enum ppi_accumulator accumulator) __attribute__ ((visibility ("hidden")));
uint64_t ppi_size_max (enum ppi_accumulator accumulator) __attribute__ ((visibility ("hidden")));
pp_metric *ppi_metric_first (void) __attribute__ ((visibility ("hidden")));
/* Are all fallbacks of SPEC sources that can stand for SOURCE? 0, or an error and a sentence in WHY. */
int ppi_fallback_check (const struct ppi_metric_spec *spec, const struct ppi_source *source, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));
/* Opens the first fallback that there is for a metric whose source is unavailable; without any it stays so. */
int ppi_fallback_open (pp_metric *metric, char *why, size_t room) __attribute__ ((visibility ("hidden")));
/* Of a source that may have had to wait for others: the share of the time in which it was counted; NaN: not such a source. */
double ppi_metric_share (const pp_metric *metric) __attribute__ ((visibility ("hidden")));
/* Tells readers of the region these shares; with the lock. */
void ppi_metrics_note_shares (void) __attribute__ ((visibility ("hidden")));
/* Was there ever a metric whose source counts a share of the time only? With the lock. */
extern bool ppi_shares_exist __attribute__ ((visibility ("hidden")));
/* Says of each metric whose unbounded series is full that it is, once. With the lock; ordinary context (series.c). */
void ppi_series_tell_full (void) __attribute__ ((visibility ("hidden")));
/*
 * Tells sources that want to know it (use) that a metric of theirs is bound somewhere or takes samples by hand (ON), or no longer is. Around the
 * change of markers: those that begin before they are enabled, those that end after they are disabled. With the lock.
 */
void ppi_sources_use (bool on) __attribute__ ((visibility ("hidden")));
/* Was there ever a metric of such a source? With the lock. */
extern bool ppi_uses_exist __attribute__ ((visibility ("hidden")));
void ppi_metric_after_fork (void) __attribute__ ((visibility ("hidden")));

#endif
