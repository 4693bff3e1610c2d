/* SPDX-License-Identifier: MIT */
/* profile.c: see profile.h. */
#include "base/profile.h"

uint64_t ppi_looked_ns, ppi_told_apart;
