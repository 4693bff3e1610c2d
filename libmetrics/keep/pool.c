/* SPDX-License-Identifier: MIT */
/* pool.c: see pool.h. */
#include "libmetrics/keep/pool.h"

const struct ppi_chunk_pool *ppi_chunk_pool;
