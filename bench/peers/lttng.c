/* SPDX-License-Identifier: MIT */
/* lttng.c: two tracepoints of LTTng-UST. peer.sh gives it a session of its own. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "peer.h"

#include "lttng.h"

static int start (void)
{
	if (lttng_ust_tracepoint_enabled (ppgcc_bench, begin) &&
	    lttng_ust_tracepoint_enabled (ppgcc_bench, end))
		return 0;
	fprintf (stderr, "peer lttng: the session does not trace this program\n");
	return PEER_SKIP;
}

const struct peer peer = {start, NULL};
PEER_LOOPS (lttng_ust_tracepoint (ppgcc_bench, begin), lttng_ust_tracepoint (ppgcc_bench, end))
