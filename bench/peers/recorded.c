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

enum { WAITS = 50, WAIT_US = 200000 };

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

/* How many records the recording has, by PEER_PPCTL. */
static double records (void)
{
	const char *ppctl = getenv ("PEER_PPCTL");
	char command[1024];
	double n = 0;
	FILE *in;

	snprintf (command, sizeof command,
		  "'%s' query --csv recorded.pprec size 2>/dev/null | awk -F, 'NR > 1 { n += $9 } "
		  "END { print "
		  "n }'",
		  ppctl ? ppctl : "ppctl");
	in = popen (command, "r");
	if (in == NULL || fscanf (in, "%lf", &n) != 1)
		n = 0;
	if (in != NULL)
		pclose (in);
	return n;
}

/* The library's thread writes them, some time after they were made. */
static double wait_for_records (void)
{
	double n = 0;

	for (int i = 0; i < WAITS && n < (double) executed_with; i++) {
		usleep (WAIT_US);
		n = records ();
	}
	return n;
}

static double recorded (void)
{
	double n = wait_for_records ();

	if (pp_policy_unload ("recorded") < 0 || n < (double) executed_with)
		fprintf (stderr, "peer recorded: %.0f of %llu executions are recorded\n", n,
			 (unsigned long long) executed_with);
	unlink ("recorded.pprec");
	rmdir (folder);
	return n;
}

const struct peer peer = {start, recorded};
PEER_LOOPS_OF_VALUES (PP_INTERVAL_DIM (pair, size = size, command = text), )
