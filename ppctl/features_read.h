/* SPDX-License-Identifier: MIT */
/* features_read.h: what features cost in one recording, or in several, added up. */
#ifndef PPCTL_FEATURES_READ_H
#define PPCTL_FEATURES_READ_H

#include "profiler/analysis/features.h"
#include "profiler/analysis/instances.h"

#include <pp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppctl_features_ask {
	const char *how; /* "sampled", "exact", or NULL: what there is, exact before sampled */
	enum ppi_features_by by;
	struct ppi_payload_keys keys;
	bool wants_instances;
};

/* What one recording adds to the sum. */
struct ppctl_features_of {
	const char *path;
	char *program;
	double total; /* s; as of struct ppi_features */
	size_t threads;
	uint64_t times;
};

struct ppctl_features_read {
	struct ppi_features all;
	struct ppi_instances instances; /* by falling time, where they are wanted */
	uint64_t unseen[PP_DROPS];      /* marks and intervals that threads did not note */
	struct ppctl_features_of *of;   /* each recording */
	size_t n;
};

/* The words of enum ppi_features_by; they end with NULL. */
extern const char *const ppctl_features_bys[];

/*
 * Reads the N recordings at PATHS, which stay. OK, or the exit status, and it was told what is
 * wrong. OUT is freed by ppctl_features_clear, whatever it says.
 */
int ppctl_features_read (const char *verb, const struct ppctl_features_ask *ask, char *const *paths,
			 size_t n, struct ppctl_features_read *out);
void ppctl_features_clear (struct ppctl_features_read *read);

#endif
