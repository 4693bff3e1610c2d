/* SPDX-License-Identifier: MIT */
/*
 * peer.h: a program for each peer: the loops of work.h, once without and once with what the peer
 * puts around a half of the work. bench runs it and asks for a round when it has measured our own
 * interval, so that both see the same machine:
 *
 *      bench → peer    EXECUTIONS\n            of each layout
 *      peer → bench    ready\n                 once, before
 *                      NS\n                    CPU time of an execution that the peer costs, the
 *                                              median over the layouts
 *                      recorded N of M\n       behind the end of the input; N < 0: the peer doesn't
 *                                              tell
 *
 * Exit status 77: it can't be measured here, standard error says why.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdio.h>

#include "../work.h"

enum { PEER_SKIP = 77 };

/* A peer's file defines this and one of the macros below. */
struct peer {
	int (*start) (void); /* 0, or PEER_SKIP, or another exit status, having said why */
	/* begins and ends, pairs of them, that it knows of; NULL: it doesn't tell */
	double (*recorded) (void);
};
extern const struct peer peer;

typedef long peer_loop (long n, int w);
extern peer_loop *const peer_without[LAYOUTS], *const peer_with[LAYOUTS];

#define PEER_TABLES                                                                                \
	peer_loop *const peer_without[LAYOUTS] = EACH_LAYOUT (busy_without);                       \
	peer_loop *const peer_with[LAYOUTS] = EACH_LAYOUT (busy_with);

#define PEER_LOOPS(OPEN, CLOSE)                                                                    \
	LOOP (without, , )                                                                         \
	LOOP (with, OPEN, CLOSE)                                                                   \
	PEER_TABLES

/* Each half is a function, with these attributes. */
#define PEER_FUNCTIONS(ATTRIBUTES_WITHOUT, ATTRIBUTES_WITH)                                        \
	FUNCTION_LOOP (without, ATTRIBUTES_WITHOUT)                                                \
	FUNCTION_LOOP (with, ATTRIBUTES_WITH)                                                      \
	PEER_TABLES

#endif
