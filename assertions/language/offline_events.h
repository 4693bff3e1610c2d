/* SPDX-License-Identifier: MIT */
/* offline_events.h: what a policy says of events and features, against the sites of binaries. */
#ifndef PPI_OFFLINE_EVENTS_H
#define PPI_OFFLINE_EVENTS_H

#include "assertions/language/diagnostics.h"
#include "assertions/language/policy.h"
#include "assertions/language/ppctl.h"
#include "libmetrics/tables/site.h"

/* The site as the runtime's patterns want it; its texts are SITE's. */
struct pp_site ppi_offline_site_view (const struct ppi_offline_site *site);

/*
 * Warns of each dimension that executions are counted by and that nothing there is can say: no site
 * that is counted has it, and no binary has it as a text, as calls like pp_dim would. Binaries are
 * known.
 */
void ppi_offline_check_events (const struct ppi_offline *offline,
			       const struct ppi_policy_events *events, struct ppi_diagnostics *d);
/*
 * Warns of each glob of features that no mark there is has, and no binary as a text, as calls like
 * pp_feature_begin would. Binaries are known.
 */
void ppi_offline_check_features (const struct ppi_offline *offline,
				 const struct ppi_policy_features *features,
				 struct ppi_diagnostics *d);

#endif
