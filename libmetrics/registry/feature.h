/* SPDX-License-Identifier: MIT */
/* feature.h: which feature marks and antimarks are of: by the names of their sites. */
#ifndef PPI_REGISTRY_FEATURE_H
#define PPI_REGISTRY_FEATURE_H

#include <pp.h>
#include <stdint.h>

/*
 * The number of the feature of SITE, a mark or antimark, which knows it from then on: that of all
 * sites called LIBRARY.FEATURE, or FEATURE in one module. From 1; 0: no memory. With the lock.
 */
uint32_t ppi_feature_number (pp_site *site) __attribute__ ((visibility ("hidden")));

#endif
