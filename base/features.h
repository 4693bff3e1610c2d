/* SPDX-License-Identifier: MIT */
/*
 * features.h: which features somebody wants to be switched on or off: a policy by its key
 * `features`, whose part is in profiler/features (base/part.h).
 */
#ifndef PPI_BASE_FEATURES_H
#define PPI_BASE_FEATURES_H

#include <stddef.h>

/* Globs on library.feature. The longest that matches counts; of two as long `off`. */
struct ppi_features_wish {
	const char *const *on, *const *off;
	size_t ons, offs;
};

#endif
