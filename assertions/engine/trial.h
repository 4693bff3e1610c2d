/* SPDX-License-Identifier: MIT */
/*
 * trial.h: a policy is tried on a recording: its timed assertions are checked at the times that the
 * recording has values of, by the expressions and the state machine that a running program has.
 * Nothing is done but that: no actions, no program. For ppctl.
 */
#ifndef PPI_ENGINE_TRIAL_H
#define PPI_ENGINE_TRIAL_H

#include "base/quantity.h"

#include <pp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All times are seconds since the recording's start. */
struct ppi_trial_fire {
	double from_s;
	double to_s; /* when it cleared, or the end */
};

/* One assertion of the policy; texts and lists are the trial's. */
struct ppi_trial_assertion {
	const char *name;
	const char *expression; /* "" of a growth */
	uint64_t every_ns;      /* 0: at a site */
	enum pp_severity severity;
	char *not_served; /* why the recording can't tell, a sentence without its end; else NULL */
	uint64_t checks, passes, violations, unknowns;
	struct ppi_trial_fire *fire;
	size_t n_fires;
	bool is_firing; /* at the end */
	/*
	 * of the checks that did not hold that whose sides were farthest apart; NaN: there is none
	 */
	double worst_s, left, right;
	struct ppi_dimension dimension;
};

struct ppi_trial {
	struct ppi_trial_assertion *assertion;
	size_t n;
	double measured_s;
	double first_s;    /* of the first values; NaN: there are none */
	double interval_s; /* from one to the next, usually; NaN: there are fewer than two */
	size_t steps;      /* how often there are values */
	/* copies of values that are damaged, and when the first was; what else is, or NULL */
	uint64_t lost;
	double lost_s;
	const char *damage;
	struct ppi_trial_open *open; /* what the texts are of */
};

/*
 * Tries POLICY on the recording at PATH. LINE gets the policy's errors, as when it is loaded. 0;
 * PP_EPOLICY: LINE has had why; PP_EIO, PP_EINVAL or PP_ENOMEM with a sentence in WHY.
 * ppi_trial_clear in any case. The library's sources are registered (ppi_stdmetrics_init).
 */
int ppi_trial_run (const char *policy, const char *path, void (*line) (const char *line, void *arg),
		   void *arg, struct ppi_trial *out, char *why, size_t room);
void ppi_trial_clear (struct ppi_trial *trial);

#endif
