/* SPDX-License-Identifier: MIT */
/* started.h: for a program of libmetrics and stdmetrics without libpp: how the runtime starts. */
#ifndef PP_STARTED_H
#define PP_STARTED_H

#include "base/start.h"
#include "libmetrics/life/lifecycle.h"
#include "stdmetrics/listing.h"

#include <pthread.h>

void ppi_runtime_start (void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once (&once, ppi_lifecycle_start);
	ppi_stdmetrics_init ();
}

#define NOIPA __attribute__ ((noipa))

#endif
