/* SPDX-License-Identifier: MIT */
/*
 * clients.h: the server's customers: threads that ask over sockets, as programs elsewhere would.
 *
 * What they ask for depends only on their number and on how often they have asked, so every run is
 * the same work.
 */
#ifndef SERVER_LOOP_CLIENTS_H
#define SERVER_LOOP_CLIENTS_H

#include <stdint.h>

#define CLIENTS 4
#define SMALL_PAGE_BYTES (64u << 10)
#define LARGE_PAGE_BYTES (1u << 20) /* every LARGE_EVERY-th request of a client */
#define LARGE_EVERY 25u

struct request {
	uint32_t seed;  /* which page */
	uint32_t bytes; /* how large */
};

struct reply {
	uint64_t checksum;
};

/*
 * How many of REQUESTS requests in all client INDEX makes: shares differ a little, so the clients
 * leave one by one.
 */
unsigned clients_share (unsigned index, unsigned requests);

/*
 * Starts CLIENTS clients that make REQUESTS requests in all and then close their sockets. SOCKETS
 * gets the server's ends, which the caller closes. 0, or an errno value: then nothing runs.
 */
int clients_start (int sockets[CLIENTS], unsigned requests);

/* Waits until all have left; returns how many replies they got. */
unsigned clients_join (void);

#endif
