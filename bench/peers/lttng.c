/* SPDX-License-Identifier: MIT */
/*
 * lttng.c: two tracepoints of LTTng-UST, with PEER_VALUES the first of them with two fields.
 * peer.sh gives it a session of its own.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng.h"

#include "peer.h"

static int traced (int begin)
{
	if (begin && lttng_ust_tracepoint_enabled (ppgcc_bench, end))
		return 0;
	fprintf (stderr, "peer lttng: the session does not trace this program\n");
	return PEER_SKIP;
}

#ifndef PEER_VALUES

static int start (void)
{
	return traced (lttng_ust_tracepoint_enabled (ppgcc_bench, begin));
}

const struct peer peer = {start, NULL};
PEER_LOOPS (lttng_ust_tracepoint (ppgcc_bench, begin), lttng_ust_tracepoint (ppgcc_bench, end))

#else
#include "values.h"

#include <stdlib.h>
#include <string.h>

/* So many of the newest executions are looked at; the buffers hold more of them. */
enum { NEWEST = 10000 };

static int start (void)
{
	make_texts ();
	return traced (lttng_ust_tracepoint_enabled (ppgcc_bench, begin_of));
}

/* Is it what execution N says of itself, in LINE as babeltrace2 prints it? */
static int is_begin (const char *line, uint64_t n)
{
	const char *fields = strstr (line, "ppgcc_bench:begin_of:");
	char want[64];

	snprintf (want, sizeof want, "{ size = %ld, command = \"%s\" }", size_of (chance (n)),
		  text_of (chance (n)));
	return fields != NULL && strstr (fields, want) != NULL;
}

/*
 * The buffers overwrite the oldest. Of the NEWEST executions: how many are there, from the first
 * one on, in their order, begin and end in turn? PEER_PICTURE is a command that prints what the
 * buffers hold, the newest last.
 */
static uint64_t in_buffers (uint64_t newest)
{
	const char *picture = getenv ("PEER_PICTURE");
	char command[512], line[512];
	uint64_t n = executed_with - newest;
	FILE *in;

	snprintf (command, sizeof command, "{ %s; } | tail -n %llu 2>/dev/null",
		  picture ? picture : ":", 2 * (unsigned long long) newest);
	in = popen (command, "r");
	while (in != NULL && n < executed_with && fgets (line, sizeof line, in) != NULL &&
	       is_begin (line, n) && fgets (line, sizeof line, in) != NULL &&
	       strstr (line, "ppgcc_bench:end:") != NULL)
		n++;
	if (in != NULL)
		pclose (in);
	return n - (executed_with - newest);
}

static double recorded (void)
{
	uint64_t newest = executed_with < NEWEST ? executed_with : NEWEST;
	uint64_t there = in_buffers (newest);

	if (there < newest)
		fprintf (stderr, "peer lttng: of the newest %llu executions %llu are recorded\n",
			 (unsigned long long) newest, (unsigned long long) there);
	return (double) (executed_with - newest + there);
}

const struct peer peer = {start, recorded};
PEER_LOOPS_OF_VALUES (lttng_ust_tracepoint (ppgcc_bench, begin_of, size, text),
		      lttng_ust_tracepoint (ppgcc_bench, end))
#endif
