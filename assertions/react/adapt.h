/* SPDX-License-Identifier: MIT */
/*
 * adapt.h: `adapt:` of policies. The owner of the tick turns the knob to the variant that choose.h
 * wants to run next, waits until executions that began before are over (a quarter of the window),
 * and at the end of the window reads the objective over just that window: its metrics keep the last
 * so much time for it, as m.avg[1s] does.
 */
#ifndef PPI_ADAPT_H
#define PPI_ADAPT_H

#include "assertions/engine/knob.h"
#include "assertions/language/choose.h"
#include "assertions/language/policy.h"
#include "recording/layout.h"

struct ppi_adapt {
	struct ppi_knob *knob;
	struct ppi_program *program;
	struct ppi_dimension dimension; /* of the objective */
	struct ppi_chooser chooser;
	double value[PPI_VARIANTS]; /* of the knob, by variant */
	uint64_t window_ns, samples;
	uint64_t begun_ns; /* the window; 0: it is to begin */
	uint64_t due_ns;
	/* objective of the last whole window */
	double newest;
	uint64_t windows, settled, degraded, better, empty, disturbed; /* how often */
	uint64_t since_ns;                                             /* of the state */
	bool is_apart;                 /* somebody else turned the knob, and that was noted */
	struct ppi_adapt_chunk *chunk; /* or NULL */
};

/* Takes the program over from WRITTEN. NULL: no memory. Begins with what the knob is now. [lock] */
struct ppi_adapt *ppi_adapt_create (struct ppi_policy_adapt *written, struct ppi_knob *knob);
void ppi_adapt_destroy (struct ppi_adapt *adapt); /* [lock] */
/* Its place in the recording, and what its names mean now [lock]. */
void ppi_adapt_describe (struct ppi_adapt *adapt);

#endif
