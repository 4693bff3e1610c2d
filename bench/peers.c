/* SPDX-License-Identifier: MIT */
/*
 * peers.c: what other tools cost, beside what we cost. Each has a program of its own (peers/),
 * because several want the linker, a compiler or the start of the process to themselves. A round
 * measures our interval here, and then asks the program for its own. Where a peer records
 * executions with values, our recorded interval is a program likewise, which is asked in turn.
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Few, for some keep every event in memory. */
enum { EXECUTIONS = 2000, SKIPPED = 77 };

#define OURS "interval.elapsed.sumcount.throughput"

/* All that there are; a target is negative, for their cost ÷ ours should be more. */
static const struct known {
	struct row row;
	const char *program, *needs;
} all[] = {
	{{"peer.gptl", "ns", OURS, -1.1}, "gptl", "BENCH_GPTL=PREFIX, where GPTL is installed"},
	{{"peer.tracy", "ns", OURS, -2},
	 "tracy",
	 "BENCH_TRACY=PREFIX, where Tracy's client is installed"},
	{{"peer.caliper", "ns", OURS, -8},
	 "caliper",
	 "BENCH_CALIPER=PREFIX, where Caliper is installed"},
	{{"peer.lttng_ust", "ns", OURS, -5}, "lttng", "LTTng (liblttng-ust-dev and lttng-tools)"},
	{{"peer.uftrace", "ns", OURS, 0}, "uftrace", "uftrace"},
	{{"peer.xray", "ns", OURS, 0},
	 "xray",
	 "clang with its run-time library (clang and libclang-rt-dev)"},
	{{"peer.xray_fdr", "ns", OURS, 0},
	 "xray_fdr",
	 "clang with its run-time library (clang and libclang-rt-dev)"},
	{{"peer.papi", "ns", OURS, 0}, "papi", "PAPI (libpapi-dev)"},
	{{"peer.sdt.disabled", "ns", OURS, 0}, "sdt", "sys/sdt.h (systemtap-sdt-dev)"},
	{{"peer.sdt.enabled", "ns", OURS, 0}, "sdt", "sys/sdt.h (systemtap-sdt-dev)"},
};

/* What records executions with two values, and our own. */
static const struct known with_values = {{"events.peer.lttng", "ns", "events.peer.ours", -5},
					 "lttng_values",
					 "LTTng (liblttng-ust-dev, lttng-tools and babeltrace2)"};
static const struct known our_values = {{"events.peer.ours", "ns", NULL, 0}, "recorded", NULL};

struct running {
	pid_t process;
	FILE *to, *from;
};

/* Starts `peer.sh NAME PROGRAM` with a pipe in both directions; -1 with errno. */
static int start_peer (struct running *peer, const char *script, const char *name,
		       const char *folder, const char *program)
{
	posix_spawn_file_actions_t actions;
	int to[2], from[2], error;
	char path[512];
	char *const arguments[] = {(char *) "bash", (char *) script, (char *) name, path, NULL};

	snprintf (path, sizeof path, "%s/peer_%s", folder, program);
	if (pipe2 (to, O_CLOEXEC) != 0)
		return -1;
	if (pipe2 (from, O_CLOEXEC) != 0) {
		close (to[0]);
		close (to[1]);
		return -1;
	}
	posix_spawn_file_actions_init (&actions);
	posix_spawn_file_actions_adddup2 (&actions, to[0], 0);
	posix_spawn_file_actions_adddup2 (&actions, from[1], 1);
	error = posix_spawnp (&peer->process, "bash", &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy (&actions);
	close (to[0]);
	close (from[1]);
	peer->to = fdopen (to[1], "w");
	peer->from = fdopen (from[0], "r");
	errno = error;
	return error == 0 && peer->to != NULL && peer->from != NULL ? 0 : -1;
}

/* A line of the peer's, without its end; NULL where it has ended. */
static const char *listen_to (struct running *peer, char *line, int size)
{
	if (fgets (line, size, peer->from) == NULL)
		return NULL;
	line[strcspn (line, "\n")] = 0;
	return line;
}

/* What our own interval costs now, the median over the layouts. */
static double ours_ns (void)
{
	static const enum loop_id ids[2] = {LOOP_plain, LOOP_sumcount};
	double ns[2][LAYOUTS];

	for (size_t layout = 0; layout < LAYOUTS; layout++)
		for (size_t i = 0; i < 2; i++) {
			ns[i][layout] =
				loop_cost_ns (&loops[ids[i]], THROUGHPUT, layout, EXECUTIONS);
			loops[ids[i]].executions += EXECUTIONS;
		}
	return quantile (ns[1], LAYOUTS, 0.5) - quantile (ns[0], LAYOUTS, 0.5);
}

/* What the peer's costs now; -1: it does not answer. */
static int theirs_ns (struct running *peer, double *ns)
{
	char line[128], *end;

	fprintf (peer->to, "%d\n", EXECUTIONS);
	fflush (peer->to);
	if (listen_to (peer, line, sizeof line) == NULL)
		return -1;
	*ns = strtod (line, &end);
	return end == line ? -1 : 0;
}

/* Ends its input; 0 when, where it knows, it recorded what was executed. */
static int has_recorded (struct running *peer)
{
	char line[128];
	double recorded, executed;

	fclose (peer->to);
	peer->to = NULL;
	if (listen_to (peer, line, sizeof line) == NULL ||
	    sscanf (line, "recorded %lf of %lf", &recorded, &executed) != 2)
		return -1;
	return recorded < 0 || recorded >= executed ? 0 : -1;
}

/*
 * ROUNDS of them, one after the other; 0 when the peer answered all and, where it knows, recorded
 * what was executed. BESIDE: ours, where it is a program too; else NULL.
 */
static int ask (struct running *peer, struct running *beside, size_t rounds, double *theirs,
		double *ours)
{
	for (size_t i = 0; i < rounds; i++) {
		if (beside == NULL)
			ours[i] = ours_ns ();
		else if (theirs_ns (beside, &ours[i]) != 0)
			return -1;
		if (theirs_ns (peer, &theirs[i]) != 0)
			return -1;
	}
	if (beside != NULL && has_recorded (beside) != 0)
		return -1;
	return has_recorded (peer);
}

static int wait_for (struct running *peer)
{
	int status = -1;

	if (peer->to != NULL)
		fclose (peer->to);
	if (peer->from != NULL)
		fclose (peer->from);
	while (waitpid (peer->process, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

/* Starts it; 1: it is ready, 0: it is not, -1: it cannot be run. */
static int begin_peer (struct running *peer, const struct known *known, const struct peers *peers)
{
	char line[128];

	if (start_peer (peer, peers->script, strstr (known->row.name, "peer.") + strlen ("peer."),
			peers->folder, known->program) != 0) {
		fprintf (stderr, "bench: cannot run %s: %s\n", peers->script, strerror (errno));
		return -1;
	}
	return listen_to (peer, line, sizeof line) != NULL && strcmp (line, "ready") == 0;
}

/*
 * The row of KNOWN, and that of OURS, with which it is compared; OURS is NULL where that is our
 * interval in this process, which has a row already.
 * ROOM is for 2 × ROUNDS values.
 */
static int bench_peer (const struct known *known, const struct known *ours, size_t rounds,
		       const struct peers *peers, double *room)
{
	struct running peer = {0, NULL, NULL}, beside = {0, NULL, NULL};
	int answered = begin_peer (&peer, known, peers), error = -1, status;

	if (answered < 0)
		return -1;
	if (answered && ours == NULL)
		error = ask (&peer, NULL, rounds, room, room + rounds);
	else if (answered && begin_peer (&beside, ours, peers) > 0)
		error = ask (&peer, &beside, rounds, room, room + rounds);
	status = wait_for (&peer);
	if (beside.process > 0 && wait_for (&beside) != 0)
		error = -1;
	if (!answered && WIFEXITED (status) && WEXITSTATUS (status) == SKIPPED) {
		fprintf (stderr, "bench: no row %s: it cannot be measured here\n", known->row.name);
		return 0;
	}
	if (error != 0 || status != 0 || loop_counted (&loops[LOOP_sumcount]) != 0) {
		fprintf (stderr,
			 "bench: no row %s: its program %s, and ended with wait status %d\n",
			 known->row.name,
			 answered ? "did not answer every time, or did not record what it executed"
				  : "did not start",
			 status);
		return -1;
	}
	if (ours != NULL)
		result_add (&ours->row, room + rounds, NULL, rounds);
	result_add (&known->row, room, room + rounds, rounds);
	return 0;
}

/* Is NAME one of the words in LIST? */
static int listed (const char *list, const char *name)
{
	size_t length = strlen (name);

	for (const char *at = list; (at = strstr (at, name)) != NULL; at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
			return 1;
	return 0;
}

/* As bench_peer, where configure has found what it needs. */
static int bench_listed (const struct known *known, const struct known *ours, size_t rounds,
			 const struct peers *peers, double *room)
{
	if (listed (peers->found, known->program))
		return bench_peer (known, ours, rounds, peers, room);
	fprintf (stderr, "bench: no row %s: needs %s\n", known->row.name, known->needs);
	return 0;
}

static int bench_these (const struct known *known, size_t n, const struct known *ours,
			size_t rounds, const struct peers *peers)
{
	double *room = calloc (2 * rounds, sizeof *room);
	int error = room == NULL ? -1 : 0;

	signal (SIGPIPE, SIG_IGN); /* of a peer that ends early */
	for (size_t i = 0; room != NULL && i < n; i++)
		if (bench_listed (&known[i], ours, rounds, peers, room) != 0)
			error = -1;
	free (room);
	return error;
}

int bench_peers (size_t rounds, const struct peers *peers)
{
	return bench_these (all, sizeof all / sizeof *all, NULL, rounds, peers);
}

int bench_event_peers (size_t rounds, const struct peers *peers)
{
	return bench_these (&with_values, 1, &our_values, rounds, peers);
}
