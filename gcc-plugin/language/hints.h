// SPDX-License-Identifier: GPL-3.0-or-later
//
// hints.h: what is suspicious about names once a unit is known.

#ifndef PPGCC_HINTS_H
#define PPGCC_HINTS_H

#include "gcc-plugin/markers/site.h"

// A site that a pragma of the unit makes, at LOC.
void ppgcc_site_written (const ppgcc_site &site, location_t loc);
// A metric that something in the unit measures.
void ppgcc_metric_used (const char *name);
// METRIC is bound to SITE, or unbound from it, by a statement.
void ppgcc_bind_seen (const char *metric, location_t metric_loc, const std::string &site,
		      location_t site_loc);
void ppgcc_hints_register (const char *plugin);

#endif
