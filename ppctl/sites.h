/* SPDX-License-Identifier: MIT */
/* sites.h: words for what a binary holds, and its JSON. */
#ifndef PPCTL_SITES_H
#define PPCTL_SITES_H

#include "ppctl/elf_read.h"

#include <stdio.h>

const char *ppctl_site_kind (const struct pp_abi_site *site);
const char *ppctl_site_value (const struct pp_abi_site *site);
const char *ppctl_record_type (const struct pp_abi_record *record);

/* One JSON object with "sites" and "records". false: no memory. */
bool ppctl_sites_json (FILE *out, const struct ppctl_binary *binary);

#endif
