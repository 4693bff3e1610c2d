/* SPDX-License-Identifier: MIT */
/* seen.h: what threads saw at checks, and edges, on their ways to the owner. */
#ifndef PPI_ENGINE_SEEN_H
#define PPI_ENGINE_SEEN_H

#include "assertions/engine/machine.h"
#include "assertions/engine/ring.h"
#include "assertions/language/policy.h"
#include "libmetrics/stats/groups.h"
#include "recording/layout.h"

#include <pp.h>
#include <stdbool.h>
#include <stdint.h>

#define PPI_POSTS 64u   /* outcomes that wait for the flag, per assertion; a power of two */
#define PPI_NOTICES 64u /* edges that wait for the owner, per assertion; a power of two */

struct ppi_captured {
	double value, avg, samples;
};

struct ppi_seen {
	uint8_t outcome; /* enum ppi_outcome */
	struct ppi_dimension dimension;
	bool is_uncounted; /* one group of several that were checked at once */
	uint32_t group;    /* which it is about (grouped.h); 0: none */
	int thread;
	pp_site *site; /* or NULL */
	uint64_t ns;
	double left, right;
	/* the execution that violated it, where samples may be in it; thread 0: none */
	struct ppi_execution execution;
	struct ppi_captured captured[PPI_CAPTURES];
};

/* The reader is the flag's holder. */
struct ppi_posts {
	struct ppi_ring ring;
	uint32_t done;            /* those before it were stepped; atomic */
	uint32_t turn[PPI_POSTS]; /* atomic */
	struct ppi_seen *slot;    /* PPI_POSTS */
};

/* An edge on its way to the owner. */
struct ppi_notice {
	uint8_t edge;      /* enum ppi_edge */
	bool investigated; /* no edge: an investigation is over */
	bool put_off;      /* seen in a signal handler: the owner calls the inline callables */
	struct ppi_seen seen;
	uint64_t violations, checks, fired;
	uint64_t since_ns;                /* when the failures began */
	char group[PPI_GROUP_TEXT_BYTES]; /* its name; "": it is about none */
};

/* One writer at a time (the flag's holder), one reader (the lock's holder). */
struct ppi_notices {
	uint32_t head, tail;     /* atomic */
	struct ppi_notice *slot; /* PPI_NOTICES */
};

/* Most assertions hardly ever use theirs: pages that are there when they are touched. */
struct ppi_rings {
	struct ppi_seen posts[PPI_POSTS];
	struct ppi_notice notices[PPI_NOTICES];
};

#endif
