/* SPDX-License-Identifier: MIT */
/*
 * papi.c: a region of PAPI's high-level interface, with the counters that it chooses or that
 * PAPI_EVENTS names; where there are no hardware counters, as in most virtual machines, with a
 * clock of the kernel's, which takes a system call to read.
 */
#include "peer.h"

#include <stdlib.h>

#include <papi.h>

static int start (void)
{
	int error;

	if (PAPI_library_init (PAPI_VER_CURRENT) != PAPI_VER_CURRENT) {
		fprintf (stderr, "peer papi: the library is of another version\n");
		return PEER_SKIP;
	}
	if (PAPI_query_event (PAPI_TOT_CYC) != PAPI_OK && getenv ("PAPI_EVENTS") == NULL) {
		fprintf (stderr,
			 "peer papi: no hardware counters here: PAPI_EVENTS=perf::TASK-CLOCK\n");
		setenv ("PAPI_EVENTS", "perf::TASK-CLOCK", 1);
	}
	/* without a counter a region returns an error at once, and that is no measurement */
	error = PAPI_hl_region_begin ("region");
	if (error == PAPI_OK)
		error = PAPI_hl_region_end ("region");
	if (error == PAPI_OK)
		return 0;
	fprintf (stderr,
		 "peer papi: PAPI_hl_region_begin: %s: this machine offers PAPI no counters\n",
		 PAPI_strerror (error));
	return PEER_SKIP;
}

const struct peer peer = {start, NULL};
PEER_LOOPS (PAPI_hl_region_begin ("region"), PAPI_hl_region_end ("region"))
