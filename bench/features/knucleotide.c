/* SPDX-License-Identifier: MIT */
/*
 * knucleotide.c: how often each word of six letters is in a sequence, in order of that. The
 * sequence is read through a next function, as generic sequences are, and sorted by one that is
 * handed over.
 */
#include "feature.h"

#include <pp.h>
#include <stdint.h>
#include <stdlib.h>

enum { WORDS = 4096, PIECE = 1024 };

struct sequence {
	unsigned char letters[PIECE];
	size_t at, end;
	uint32_t state;
	long left;
};

/* The next piece; 0: there is no more. */
static size_t next (struct sequence *from)
{
	PP_FEATURE (sequence.dispatch)
	for (from->end = 0; from->end < PIECE && from->left > 0; from->left--) {
		from->state = from->state * 1664525u + 1013904223u;
		from->letters[from->end++] = (from->state >> 24) & 3;
	}
	return from->end;
}

static long count[WORDS];

static int more (const void *a, const void *b)
{
	long x = count[*(const int *) a], y = count[*(const int *) b];

	return (x < y) - (x > y);
}

double feature_run (long n)
{
	struct sequence sequence = {.state = 42, .left = n};
	int order[WORDS];
	unsigned word = 0;

	while (next (&sequence) > 0)
		for (size_t i = 0; i < sequence.end; i++) {
			word = (word << 2 | sequence.letters[i]) % WORDS;
			count[word]++;
		}
	for (int i = 0; i < WORDS; i++)
		order[i] = i;
	qsort (order, WORDS, sizeof *order, more);
	return (double) count[order[0]];
}
