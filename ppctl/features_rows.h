/* SPDX-License-Identifier: MIT */
/* features_rows.h: what ppctl features prints, as tables. */
#ifndef PPCTL_FEATURES_ROWS_H
#define PPCTL_FEATURES_ROWS_H

#include "assertions/language/ppctl.h"
#include "ppctl/features_read.h"
#include "report/model.h"

#include <stdbool.h>

struct ppctl_features_view {
	const struct ppi_offline_rules *about; /* what files say of them */
	size_t files;
	const char *feature; /* the names that are shown, a pattern; NULL: all */
	const char *by;      /* what each is broken down by, in words */
	const struct ppi_payload_keys
		*keys; /* which it is broken down by; none: by something else */
	bool by_place, all, json;
	unsigned top;     /* parts of each; 0: all */
	unsigned columns; /* that a line has; 0: any number */
};

/* Nothing that was never seen, unless asked. */
bool ppctl_features_is_shown (const struct ppctl_features_view *view,
			      const struct ppi_feature *feature);
/* NULL: no memory. READ has to stay. */
struct ppi_report *ppctl_features_build (const struct ppctl_features_view *view,
					 const struct ppctl_features_read *read);

#endif
