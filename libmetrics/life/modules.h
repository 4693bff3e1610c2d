/* SPDX-License-Identifier: MIT */
/* modules.h: what the program has loaded, as recordings have it. */
#ifndef PPI_LIFE_MODULES_H
#define PPI_LIFE_MODULES_H

#include "base/atomic.h"
#include "recording/blocks.h"

#include <stddef.h>

#define PPI_MODULES_ROOM 16384

/* struct ppi_module_entry one behind the other; how many bytes. What has no room is left out. */
PPI_HIDDEN size_t ppi_modules_list (char room[PPI_MODULES_ROOM]);

#endif
