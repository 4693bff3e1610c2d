/* SPDX-License-Identifier: MIT */
/*
 * recorded.c: our own interval with two dimensions, each execution recorded, as if it were a peer:
 * what the rows events.peer.* are compared with, in the same loops. The recording is in a folder of
 * its own, which goes in the end.
 */
#include "values.h"

#include <stdlib.h>
#include <unistd.h>

#include <pp.h>

static char folder[] = "/tmp/ppgcc-bench-XXXXXX";

static int start (void)
{
	make_texts ();
	if (mkdtemp (folder) != NULL && chdir (folder) == 0 &&
	    pp_policy_load_text ("recorded", "version: 1\n"
					     "events: {records: \"busy_with_*/pair\"}\n"
					     "record: {file: recorded.pprec}\n") >= 0)
		return 0;
	fprintf (stderr, "peer recorded: its policy can't be loaded in %s\n", folder);
	return 1;
}

static double recorded (void)
{
	int error = pp_policy_unload ("recorded");
	uint64_t dropped = pp_dropped (PP_DROP_STREAM) + pp_dropped (PP_DROP_POOL);

	unlink ("recorded.pprec");
	rmdir (folder);
	return error < 0 ? 0 : (double) executed_with - (double) dropped;
}

const struct peer peer = {start, recorded};
PEER_LOOPS_OF_VALUES (PP_INTERVAL_DIM (pair, size = size, command = text), )
