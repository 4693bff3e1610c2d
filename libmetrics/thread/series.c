/* SPDX-License-Identifier: MIT */
/* series.c: see series.h. */
#include "libmetrics/thread/series.h"

#include "libmetrics/keep/unbounded.h"
#include "libmetrics/region/stream.h"

/* 4 MiB of streams: half a million samples may wait for the disk. */
#define CHUNKS 64

static bool prepared; /* [lock] */

void ppi_series_leave_set (bool leave)
{
	if (leave && !prepared)
		prepared = ppi_streams_prepare (CHUNKS) == 0;
	/* where there is less memory than asked for, what there is serves */
	__atomic_store_n (&ppi_unbounded_leave, leave ? ppi_series_leave : NULL, __ATOMIC_RELEASE);
}

void ppi_series_forget (void)
{
	prepared = false;
	__atomic_store_n (&ppi_unbounded_leave, NULL, __ATOMIC_RELEASE);
}
