/* SPDX-License-Identifier: MIT */
/*
 * channel.h: where the library says things: the file that PP_LOG names, else the stderr that the
 * process was started with. A host may close descriptor 2 and get another file under that number:
 * so it is compared (device, inode, time of birth) each time. Writing never waits and raises no
 * signal.
 */
#ifndef PPI_BASE_CHANNEL_H
#define PPI_BASE_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define PPI_CHANNEL_BYTES                                                                          \
	4096 /* at most in one write: PIPE_BUF, so that lines of several processes don't mix */

struct ppi_channel {
	int fd;     /* of our own; -1: there is none */
	int way;    /* channel.c's */
	bool later; /* there is none for lack of descriptors or memory */
};

/* Notes which file stderr is, and PP_LOG. Once, as early as possible. */
void ppi_channel_start (void) __attribute__ ((visibility ("hidden")));
/* Opens it for a few writes. Ordinary context, any thread. */
void ppi_channel_open (struct ppi_channel *out) __attribute__ ((visibility ("hidden")));
/*
 * The part of BYTES that was written; 0: not now; -1: nobody listens there. Signals are held
 * meanwhile (signals.h).
 */
ssize_t ppi_channel_put (const struct ppi_channel *c, const char *text, size_t bytes)
	__attribute__ ((visibility ("hidden")));
void ppi_channel_close (struct ppi_channel *c) __attribute__ ((visibility ("hidden")));
/*
 * PP_LOG, and why it can't be written to (an errno), the first time that is known; NULL: nothing is
 * to be told. One thread at a time.
 */
const char *ppi_channel_trouble (int *error) __attribute__ ((visibility ("hidden")));

#endif
