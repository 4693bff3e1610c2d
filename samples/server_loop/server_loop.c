/* SPDX-License-Identifier: MIT */
/*
 * server_loop.c: a server's main loop that knows how it is doing.
 *
 * This is the first example of the thesis that ppgcc comes from, made whole: metrics are declared
 * at the top, bound to places of the loop where they are marked, and read by the program itself in
 * report (). It shows the five things that source code can say: what to measure (metric), where
 * (point, interval), with functions of one's own (getNumActive, my_begin and my_end), when (bind,
 * unbind while running), and what came of it (pp_avg and its kin).
 */
#include "clients.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <pp.h>

/*
 * What metrics call: a point's function returns the sample; what an interval's begin returns, its
 * end gets to see.
 */
int getNumActive (void);
struct timespec my_begin (void);
double my_end (const struct timespec *begin);

#ifndef __PPGCC__
/*
 * Without the plugin the pragmas are ignored, without a word; the metrics are nothing then, their
 * figures no number.
 */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
static pp_metric *const activeAcc, *const elapsedHist, *const cacheMissAcc,
							       *const waitTime, *const pageFaults;
#endif

/* clang-format off */
#pragma pp metric activeAcc    point    sumcount(getNumActive)
#pragma pp metric elapsedHist  interval bounded_series(elapsed, size=100)
#pragma pp metric cacheMissAcc interval sumcount(papi:PAPI_L1_DCM)
#pragma pp metric waitTime     interval stats(my_begin, my_end)
#pragma pp metric pageFaults   interval sumcount(page_faults)
/* clang-format on */

/* Page faults are looked at for a while only: from this request on, for so many requests. */
#define FAULTS_FROM 100
#define FAULTS_FOR 100

#define DEFAULT_REQUESTS 400

static struct pollfd connections[CLIENTS];
static int active; /* connections that are open */

int getNumActive (void)
{
	return active;
}

struct timespec my_begin (void)
{
	struct timespec now;

	clock_gettime (CLOCK_MONOTONIC, &now);
	return now;
}

double my_end (const struct timespec *begin)
{
	struct timespec now = my_begin ();

	return (double) (now.tv_sec - begin->tv_sec) +
	       1e-9 * (double) (now.tv_nsec - begin->tv_nsec);
}

/* The next request and the connection that it came by, or -1: all clients have left. */
static int wait_for_client_request (struct request *request)
{
	static int next; /* whose turn it is: no client may starve the others */

	while (active > 0) {
		if (poll (connections, CLIENTS, -1) < 0 && errno != EINTR)
			return -1;
		for (int i = 0; i < CLIENTS; i++) {
			struct pollfd *c = &connections[(next + i) % CLIENTS];
			ssize_t got;

			if (c->fd < 0 || !c->revents)
				continue;
			got = recv (c->fd, request, sizeof *request, 0);
			if (got == (ssize_t) sizeof *request) {
				next = (int) (c - connections) + 1;
				return c->fd;
			}
			if (got < 0 && errno == EINTR)
				continue;
			close (c->fd);
			c->fd = -1;
			active--;
		}
	}
	return -1;
}

/* Writes a page of pseudo-random text into fresh memory, so each of its pages is a page fault. */
static void build_page (unsigned char *page, const struct request *request)
{
#pragma pp interval i3
	uint32_t state = request->seed * 2654435761u + 1u;

	for (uint32_t i = 0; i < request->bytes; i++) {
		state = state * 1664525u + 1013904223u;
		page[i] = (unsigned char) (' ' + (state >> 24) % 95u);
	}
}

static uint64_t checksum (const unsigned char *page, size_t bytes)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < bytes; i++)
		sum = (sum ^ page[i]) * 0x100000001b3u;
	return sum;
}

static void handle_client_request (int connection, const struct request *request)
{
	void *page = mmap (NULL, request->bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct reply reply = {0};

	if (page != MAP_FAILED) {
		build_page (page, request);
		reply.checksum = checksum (page, request->bytes);
		munmap (page, request->bytes);
	}
	/* a client that has left is noticed at the next poll */
	(void) send (connection, &reply, sizeof reply, MSG_NOSIGNAL);
}

/* Serves until the last client has left; returns how many requests there were. */
static unsigned main_server_loop (void)
{
	unsigned served = 0;

	for (;;) {
		struct request request;
		int connection;

		{
#pragma pp interval waiting(waitTime)
			connection = wait_for_client_request (&request);
		}
		if (connection < 0)
			return served;
#pragma pp point p1(activeAcc)
		{
#pragma pp interval i1(elapsedHist, cacheMissAcc)
			handle_client_request (connection, &request);
		}
		served++;
		if (served == FAULTS_FROM) {
#pragma pp bind pageFaults to i3
		} else if (served == FAULTS_FROM + FAULTS_FOR) {
#pragma pp unbind pageFaults from i3
		}
	}
}

static void report (unsigned served)
{
	const char *why = cacheMissAcc ? pp_unavailable (cacheMissAcc) : NULL;

	printf ("requests     %u\n", served);
	printf ("connections  %.3f on average, in %.0f samples\n", pp_avg (activeAcc),
		pp_count (activeAcc));
	printf ("elapsed      %.3g s +- %.3g, the last %.0f of %.0f requests\n",
		pp_avg (elapsedHist), pp_stddev (elapsedHist), pp_count (elapsedHist),
		pp_stat (elapsedHist, NULL, PP_STAT_N));
	printf ("waiting      %.3g s +- %.3g, %.3g s at most\n", pp_avg (waitTime),
		pp_stddev (waitTime), pp_max (waitTime));
	printf ("page faults  %.1f on average, in %.0f samples\n", pp_avg (pageFaults),
		pp_count (pageFaults));
	if (why)
		printf ("L1 misses    unavailable: %s\n", why);
	else
		printf ("L1 misses    %.1f on average\n", pp_avg (cacheMissAcc));
}

/* For the policy: what was different about a slow request. */
static void report_slow_request (const struct pp_violation *v, void *arg)
{
	(void) arg;
	fprintf (stderr, "%s %s: %.3g s against %.3g s", v->assertion,
		 v->clears ? "holds again" : "is violated", v->left, v->right);
	for (size_t i = 0; i < v->captures; i++)
		fprintf (stderr, ", %s %g (%g on average so far)", v->capture[i].metric,
			 v->capture[i].value, v->capture[i].avg);
	fprintf (stderr, "\n");
}

PP_CALLABLE (report_slow_request)

static int usage (FILE *out)
{
	fprintf (out,
		 "Usage: server_loop [REQUESTS]\n"
		 "Serves %d simulated clients until they have made REQUESTS requests (default %d), "
		 "then reports.\n"
		 "With PP_POLICY=policy.yaml slow requests are reported while it runs.\n",
		 CLIENTS, DEFAULT_REQUESTS);
	return out == stdout ? EXIT_SUCCESS : 2;
}

int main (int argc, char **argv)
{
	int sockets[CLIENTS], error;
	unsigned long requests = DEFAULT_REQUESTS;
	unsigned served, replies;

	if (argc == 2 && strcmp (argv[1], "--help") == 0)
		return usage (stdout);
	if (argc > 2)
		return usage (stderr);
	if (argc == 2) {
		char *end;

		requests = strtoul (argv[1], &end, 10);
		if (end == argv[1] || *end || requests < CLIENTS || requests > 100000000) {
			fprintf (stderr,
				 "server_loop: expected a number of requests from %d to 100000000, "
				 "not \"%s\"\n",
				 CLIENTS, argv[1]);
			return usage (stderr);
		}
	}
	error = clients_start (sockets, (unsigned) requests);
	if (error) {
		fprintf (stderr, "server_loop: cannot start the clients: %s\n", strerror (error));
		return EXIT_FAILURE;
	}
	for (active = 0; active < CLIENTS; active++)
		connections[active] = (struct pollfd){.fd = sockets[active], .events = POLLIN};
	served = main_server_loop ();
	replies = clients_join ();
	report (served);
	if (replies != requests || fflush (stdout)) {
		fprintf (stderr, "server_loop: %u of %lu requests were answered\n", replies,
			 requests);
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
