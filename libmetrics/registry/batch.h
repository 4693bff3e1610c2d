/* SPDX-License-Identifier: MIT */
/*
 * batch.h: changes what sites measure: many at once, with one barrier.
 */
#ifndef PPI_REGISTRY_BATCH_H
#define PPI_REGISTRY_BATCH_H

#include <pp.h>

struct ppi_check;
struct ppi_plan;

/*
 * Several rule_create / rule_destroy / check_attach between begin and end change the code once,
 * with one barrier; they take effect at the end [lock]. Nests.
 */
void ppi_batch_begin (void);

int ppi_batch_end (void);

/*
 * The site's plan must be made anew at the end of the batch (bindings or checks changed). With the
 * lock.
 */
void ppi_site_touch (pp_site *site) __attribute__ ((visibility ("hidden")));

/*
 * Before either of the next two is asked for: from now on every execution of the site is seen, also
 * one that is only counted or not sampled. Takes the lock.
 */
void ppi_site_watch (pp_site *site);

/* Attaches to a site [lock]; a site with a check but no binding is not enabled. */
int ppi_check_attach (pp_site *site, struct ppi_check *check);

/* Detaches [lock]. When ppi_quiesce has returned, no thread runs CHECK any more. */
void ppi_check_detach (pp_site *site, struct ppi_check *check);

/* What QUICK of its checks says has changed: markers of SITE take it up with the batch [lock]. */
void ppi_check_touch (pp_site *site);

/*
 * LEARN is told of plans whose samples are corrected, before the first is taken, so that it is
 * known by what (cost/cost.h). [lock], no batch
 */
void ppi_batch_learns (void (*learn) (const struct ppi_plan *plan))
	__attribute__ ((visibility ("hidden")));

#endif
