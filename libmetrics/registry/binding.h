/* SPDX-License-Identifier: MIT */
/*
 * binding.h: metric × site. A binding exists from when it was first asked for; it is bound while
 * somebody asks for it.
 */
#ifndef PPI_REGISTRY_BINDING_H
#define PPI_REGISTRY_BINDING_H

#include <pp.h>
#include <pp_abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_binding;

/* The binding of METRIC at SITE, made if there is none; with the lock. NULL: no memory. */
struct ppi_binding *ppi_binding_get (pp_metric *metric, pp_site *site)
	__attribute__ ((visibility ("hidden")));
/* Makes the chunks that tell readers of it. 0 or PP_ENOMEM. */
int ppi_binding_describe (struct ppi_binding *binding) __attribute__ ((visibility ("hidden")));
/*
 * What a metric of source `value` or `dim:KEY` captures at SITE, and its place where the site
 * pushes an array. PP_ABI_VALUE_NONE: the site has no such value.
 */
enum pp_abi_value ppi_value_of (const pp_metric *metric, const pp_site *site, uint16_t *index)
	__attribute__ ((visibility ("hidden")));
/* May METRIC be bound to SITE by its kind and its values? 0, or PP_EKIND with the reason. */
int ppi_binding_fits (const pp_metric *metric, const pp_site *site, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));
/*
 * Whether SITE captures a number for METRIC, which fits or is of the other type, integer or double.
 */
bool ppi_binding_clashes (const pp_metric *metric, const pp_site *site)
	__attribute__ ((visibility ("hidden")));
/* May METRIC be bound to SITE by anybody, now? 0, or PP_EKIND with the reason. */
int ppi_binding_check (const pp_metric *metric, const pp_site *site, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));
/*
 * One more user of the binding, or one less (false: it had none); takes effect with the batch. With
 * the lock.
 */
int ppi_binding_acquire (pp_metric *metric, pp_site *site, uint32_t every, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));
bool ppi_binding_release (pp_metric *metric, pp_site *site) __attribute__ ((visibility ("hidden")));
/*
 * EVERY of a binding that somebody has becomes another, or what its rules and its metric say now.
 * With the lock.
 */
void ppi_binding_set_every (struct ppi_binding *binding, uint32_t every)
	__attribute__ ((visibility ("hidden")));
void ppi_binding_renew_every (struct ppi_binding *binding) __attribute__ ((visibility ("hidden")));
/*
 * Sites may have come where a call may return twice: metrics with `jumped` are to know it. With the
 * lock.
 */
void ppi_bindings_look (void) __attribute__ ((visibility ("hidden")));
/*
 * What all bindings have in the parent's region is forgotten, also of those that nobody asks for
 * now: they may be asked for again.
 */
void ppi_binding_after_fork (void) __attribute__ ((visibility ("hidden")));
/* Those that are bound have chunks in the new region. */
void ppi_bindings_describe (void) __attribute__ ((visibility ("hidden")));

/* The sites that METRIC is bound to now, at most ROOM of them to OUT; how many there are [lock]. */
size_t ppi_metric_sites (const pp_metric *metric, const pp_site **out, size_t room);

/*
 * Tells sources that want to know it (use) that a metric of theirs is bound somewhere or takes
 * samples by hand (ON), or no longer is. Around the change of markers: those that begin before they
 * are enabled, those that end after they are disabled. With the lock.
 */
void ppi_sources_use (bool on) __attribute__ ((visibility ("hidden")));

/* Was there ever a metric of such a source? With the lock. */
extern bool ppi_uses_exist __attribute__ ((visibility ("hidden")));

#endif
