/* SPDX-License-Identifier: MIT */
/* tracy.c: Tracy's zones from C. Nobody is connected, so it keeps all events in memory. */
#define TRACY_ENABLE
#include "peer.h"

#include <tracy/TracyC.h>

static int start (void)
{
	return 0;
}

static inline TracyCZoneCtx begin (void)
{
	TracyCZone (zone, 1);
	return zone;
}

const struct peer peer = {start, NULL};
PEER_LOOPS (TracyCZoneCtx zone = begin (), TracyCZoneEnd (zone))
