/* SPDX-License-Identifier: MIT */
/* gptl.c: GPTL's timers by handle, with the time-stamp counter where it has that. */
#include "peer.h"

#include <gptl.h>

static int handle;

static int start (void)
{
	if (GPTLsetutr (GPTLnanotime) != 0)
		fprintf (stderr, "peer gptl: no nanotime, another clock\n");
	if (GPTLinitialize () == 0 && GPTLinit_handle ("region", &handle) == 0)
		return 0;
	fprintf (stderr, "peer gptl: cannot be initialised\n");
	return 1;
}

static double recorded (void)
{
	int count = 0;

	return GPTLget_count ("region", 0, &count) == 0 ? count : 0;
}

const struct peer peer = {start, recorded};
PEER_LOOPS (GPTLstart_handle ("region", &handle), GPTLstop_handle ("region", &handle))
