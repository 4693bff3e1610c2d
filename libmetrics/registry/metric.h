/* SPDX-License-Identifier: MIT */
/* metric.h: the registry of metrics. */
#ifndef PPI_REGISTRY_METRIC_H
#define PPI_REGISTRY_METRIC_H

#include "base/atomic.h"
#include "base/command.h"
#include "base/types.h"

struct ppi_metric_spec;
struct ppi_source;

/* raw sample × this = the metric's unit */
double ppi_metric_scale (const pp_metric *metric) __attribute__ ((visibility ("hidden")));
/*
 * The metric of a static record, and the program's variable set; a message where it can't be. With
 * the lock.
 */
void ppi_metric_add_record (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));
/*
 * Opens SOURCE for it; where the machine lacks it, the metric's UNAVAILABLE says why, and that is
 * no error.
 */
int ppi_metric_open (pp_metric *metric, const struct ppi_source *source, const char *argument,
		     char *why, size_t room) __attribute__ ((visibility ("hidden")));
/* PP_ENOENT, and in WHY that NAME is no source, and what may have been meant. */
int ppi_metric_unknown_source (const struct ppi_metric_spec *spec, const char *name, char *why,
			       size_t room) __attribute__ ((visibility ("hidden")));
/* command.c: bind, unbind, reset */
extern const struct ppi_command ppi_metric_commands[] PPI_HIDDEN;
#define PPI_EVERY_MAX (1u << 30)
pp_metric *ppi_metric_first (void) __attribute__ ((visibility ("hidden")));
/*
 * Are all fallbacks of SPEC sources that can stand for SOURCE? 0, or an error and a sentence in
 * WHY.
 */
int ppi_fallback_check (const struct ppi_metric_spec *spec, const struct ppi_source *source,
			char *why, size_t room) __attribute__ ((visibility ("hidden")));
/*
 * Opens the first fallback that there is for a metric whose source is unavailable; without any it
 * stays so.
 */
int ppi_fallback_open (pp_metric *metric, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));
/*
 * Tells readers of the region in which share of the time sources were counted that may have had to
 * wait for others; with the lock.
 */
void ppi_metrics_note_shares (void) __attribute__ ((visibility ("hidden")));
/* Was there ever a metric whose source counts a share of the time only? With the lock. */
extern bool ppi_shares_exist __attribute__ ((visibility ("hidden")));
void ppi_metric_after_fork (void) __attribute__ ((visibility ("hidden")));

/*
 * Declares a metric [lock]. The same spec again is the same metric (one more reference); another
 * spec under the same name is PP_EEXIST with both places in WHY. A source that this machine lacks
 * is no error: the metric exists, unavailable says why. An unknown source is PP_ENOENT with a
 * suggestion in WHY.
 */
int ppi_metric_declare (const struct ppi_metric_spec *spec, pp_metric **out, char *why,
			size_t room);

/*
 * Gives a reference back [lock]. The metric and its data stay until the process ends (rebinding
 * goes on); but without references its name may be declared differently, which makes another
 * metric.
 */
void ppi_metric_release (pp_metric *metric);

/*
 * METRIC has its name again, which was declared differently since it was released, and in vain:
 * nobody declares that other one any more. Its data are as they were; to be declared again [lock].
 */
void ppi_metric_restore (pp_metric *metric);

/* Runs prepare of the sources in LIST, which has commas between. */
void ppi_fallback_prepare (const char *list);

/* The spec of a metric, for comparing and reporting. */
const struct ppi_metric_spec *ppi_metric_spec_of (const pp_metric *metric);

uint32_t ppi_metric_id (const pp_metric *metric);

/* By how many it is declared now [lock]. */
uint32_t ppi_metric_users (const pp_metric *metric);

enum ppi_unit ppi_metric_unit (const pp_metric *metric);

/* Calls FN for each metric [lock]. */
void ppi_metric_each (void (*fn) (pp_metric *metric, void *arg), void *arg);

/* Makes the chunk that tells readers of the metric [lock]. 0 or PP_ENOMEM. */
int ppi_metric_describe (pp_metric *metric);

/*
 * Who makes one for pp_metric_new (.., "expr(TEXT)"): declares it [lock], 0 or a pp_error with a
 * sentence in WHY. NULL: nobody.
 */
void ppi_computed_maker_set (int (*make) (const char *name, const char *text, pp_metric **out,
					  char *why, size_t room));

/* A metric's declaration goes: its functions are not called any more. */
void ppi_metric_remove_record (struct pp_abi_record *record)
	__attribute__ ((visibility ("hidden")));

/*
 * A declaration of a module that is still there: where its metric has lost its functions, it has
 * this one's.
 */
void ppi_metric_lend_functions (struct pp_abi_record *record)
	__attribute__ ((visibility ("hidden")));

/*
 * A PP_SOURCE record comes: metrics whose source went with its module have functions again. It
 * goes: they lose them, and it is forgotten.
 */
void ppi_metric_add_source (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));

void ppi_metric_forget_source (struct pp_abi_record *record)
	__attribute__ ((visibility ("hidden")));

#endif
