/* SPDX-License-Identifier: MIT */
/*
 * values.h: what each execution says of itself in the rows events.peer.*, the same for everybody,
 * and of the kind that bench/events.c has: a number of 12 bits and one of 200 texts, both by
 * chance. They are a function of the execution's number, so whoever reads a recording knows what
 * must be there. The loop without a peer makes them too: the peer's cost is without that.
 */
#ifndef BENCH_PEER_VALUES_H
#define BENCH_PEER_VALUES_H

#include "peer.h"

enum { TEXTS = 200 };

static char texts[TEXTS][16];
static uint64_t executed_without, executed_with;

static void make_texts (void)
{
	for (int i = 0; i < TEXTS; i++)
		snprintf (texts[i], sizeof texts[i], "command %d", i);
}

/* 64 bits by chance, of execution N */
static inline uint64_t chance (uint64_t n)
{
	uint64_t x = n * UINT64_C (0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
	return x ^ x >> 27;
}

static inline long size_of (uint64_t x)
{
	return (long) (x & 4095);
}

static inline const char *text_of (uint64_t x)
{
	return texts[(x >> 12) % TEXTS];
}

#define VALUES(COUNTER)                                                                            \
	uint64_t x = chance (COUNTER++);                                                           \
	long size = size_of (x);                                                                   \
	const char *text = text_of (x);                                                            \
	__asm__ volatile("" : "+r"(size), "+r"(text))

/* Loops in which OPEN and CLOSE have SIZE and TEXT. */
#define PEER_LOOPS_OF_VALUES(OPEN, CLOSE)                                                          \
	LOOP (without, VALUES (executed_without), )                                                \
	LOOP (with, VALUES (executed_with); OPEN, CLOSE)                                           \
	PEER_TABLES

#endif
