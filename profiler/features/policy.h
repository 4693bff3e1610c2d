/* SPDX-License-Identifier: MIT */
/* policy.h: what the key `features` of policies means: a part's keys (base/part.h). */
#ifndef PPI_FEATURES_POLICY_H
#define PPI_FEATURES_POLICY_H

#include "base/atomic.h"
#include "base/part.h"

extern PPI_HIDDEN const struct ppi_part_key ppi_features_keys[];

#endif
