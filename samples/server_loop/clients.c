/* SPDX-License-Identifier: MIT */
/*
 * clients.c: each client is a thread with one end of a socket pair: ask, wait for the answer, ask
 * again, leave.
 */
#include "clients.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

struct client {
	pthread_t thread;
	unsigned index, requests, replies;
	int socket;
};

static struct client clients[CLIENTS];

unsigned clients_share (unsigned index, unsigned requests)
{
	unsigned share = requests / CLIENTS, less = share / 8 * index;

	/* the first client makes up for what the others ask less */
	return index ? share - less
		     : requests - (CLIENTS - 1) * share + share / 8 * (CLIENTS * (CLIENTS - 1) / 2);
}

static void *client_run (void *arg)
{
	struct client *client = arg;

	for (unsigned i = 0; i < client->requests; i++) {
		struct request request = {.seed = i * CLIENTS + client->index,
					  .bytes = SMALL_PAGE_BYTES};
		struct reply reply;

		if (i % LARGE_EVERY == LARGE_EVERY - 1)
			request.bytes = LARGE_PAGE_BYTES;
		if (send (client->socket, &request, sizeof request, MSG_NOSIGNAL) !=
		    (ssize_t) sizeof request)
			break;
		if (recv (client->socket, &reply, sizeof reply, MSG_WAITALL) !=
		    (ssize_t) sizeof reply)
			break;
		client->replies++;
	}
	close (client->socket);
	return NULL;
}

int clients_start (int sockets[CLIENTS], unsigned requests)
{
	for (unsigned i = 0; i < CLIENTS; i++) {
		int pair[2], error = 0;

		clients[i] = (struct client){.index = i, .requests = clients_share (i, requests)};
		if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
			error = errno;
		} else {
			sockets[i] = pair[0];
			clients[i].socket = pair[1];
			error = pthread_create (&clients[i].thread, NULL, client_run, &clients[i]);
			if (error) {
				close (pair[0]);
				close (pair[1]);
			}
		}
		if (error) {
			/* the ones that run see their sockets closed and leave */
			while (i-- > 0) {
				close (sockets[i]);
				pthread_join (clients[i].thread, NULL);
			}
			return error;
		}
	}
	return 0;
}

unsigned clients_join (void)
{
	unsigned replies = 0;

	for (unsigned i = 0; i < CLIENTS; i++) {
		pthread_join (clients[i].thread, NULL);
		replies += clients[i].replies;
	}
	return replies;
}
