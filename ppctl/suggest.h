/* SPDX-License-Identifier: MIT */
/* suggest.h: ppctl suggest: what recordings hold (suggest.c) becomes a policy (suggest_write.c). */
#ifndef PPCTL_SUGGEST_H
#define PPCTL_SUGGEST_H

#include "recording/layout.h"

#include <pp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ppi_recording;

struct suggest_options {
	double margin;              /* 0.25: constants are times 1.25 */
	enum pp_statistic quantile; /* of histograms */
	unsigned long least;        /* samples, for a constant */
	char **sites;               /* patterns; any of them */
	size_t n_sites;
};

/* A metric at a site, in all recordings that have it. Texts are the recordings' own. */
struct suggest_row {
	const struct ppi_metric_chunk *metric; /* the first that was met */
	const char *site;                      /* NULL: pp_sample */
	uint32_t every;
	uint64_t n;         /* samples of all processes */
	unsigned processes; /* with samples */
	unsigned short_of;  /* those of them with too few */
	double rate;        /* samples per second of the slowest of the others */
	bool lost;          /* some had no room: quantiles are unknown */
	/* the largest of those processes, each of which must meet what is expected; NaN: unknown */
	double avg, max, p50, quantile;
};

struct suggest_gathered {
	struct ppi_recording **recording;
	size_t n_recordings;
	struct suggest_row *row;
	size_t n_rows, room;
	double seconds; /* of the longest run */
	bool failed;    /* no memory */
};

/* Writes the policy; false: not one constant could be told, and nothing was written but WHY. */
bool suggest_write (FILE *out, const struct suggest_gathered *gathered,
		    const struct suggest_options *options, char *why, size_t room);

#endif
