/* SPDX-License-Identifier: MIT */
/*
 * tapped.h: the sites that patterns match, and who wants a sink there (tap.h): also those that come
 * later, and never those of features that are off (switch.h). With the lock, as all here.
 *
 * A mark without its antimarks would be charged for the user's code: antimarks come before marks,
 * and go after them.
 */
#ifndef PPI_REGISTRY_TAPPED_H
#define PPI_REGISTRY_TAPPED_H

#include "base/atomic.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/registry/site.h"

#include <pp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Beside the sites that patterns match. */
enum ppi_tapped_also {
	/*
	 * all antimarks, where there is a feature: without them it would be charged for what the
	 * user's code takes
	 */
	PPI_TAPPED_ANTIMARKS = 1,
	PPI_TAPPED_FEATURES = 2, /* all features; without a pattern nothing else */
	PPI_TAPPED_ONLY = 4, /* of the sites that patterns match, or of all, none but features */
	/*
	 * points behind calls that may return twice, where what was jumped over goes; without this
	 * where there is a feature, if antimarks are wanted
	 */
	PPI_TAPPED_RETURNS = 8,
};

/* Zeroed: nothing is wanted. */
struct ppi_tapped {
	bool wanted;
	enum ppi_sink_id sink;
	const char *who; /* as messages begin: "profile" */
	/* NULL, or what a site needs before it has the sink; false: there is no memory */
	bool (*prepare) (pp_site *site);
	unsigned also; /* enum ppi_tapped_also */
	bool any_feature;
	char **pattern; /* none: all sites */
	size_t patterns;
	pp_site **site; /* by id; NULL: it has none */
	uint32_t room;
	struct ppi_sites_seen seen; /* by the last look */
	/* of one look */
	unsigned refused;
	char why[256];           /* the first */
	struct ppi_tapped *next; /* of those that are wanted */
};

/* The sites of N PATTERNS, which are copied, have SINK from now on, and no others. */
PPI_HIDDEN void ppi_tapped_set (struct ppi_tapped *tapped, enum ppi_sink_id sink, const char *who,
				unsigned also, const char *const *pattern, size_t n);
/* Are these the patterns that it has? */
PPI_HIDDEN bool ppi_tapped_are (const struct ppi_tapped *tapped, unsigned also,
				const char *const *pattern, size_t n);
/*
 * Sites may have come that are meant too: those alone are looked at where that is enough. True: all
 * were.
 */
PPI_HIDDEN bool ppi_tapped_look (struct ppi_tapped *tapped);
/* Features were switched: all sites are looked at, for all that are wanted. */
PPI_HIDDEN void ppi_tapped_look_all (void);
/* None any more. */
PPI_HIDDEN void ppi_tapped_clear (struct ppi_tapped *tapped);

#endif
