/* SPDX-License-Identifier: MIT */
/* trial_int.h: between the files of a trial (trial.h). */
#ifndef PPI_ENGINE_TRIAL_INT_H
#define PPI_ENGINE_TRIAL_INT_H

#include "assertions/engine/machine.h"
#include "assertions/engine/trial.h"
#include "assertions/language/policy.h"
#include "libmetrics/keep/summary.h"
#include "recording/replay.h"

/* What a metric had measured at a moment. */
struct ppi_trial_moment {
	uint64_t ns;
	uint32_t epoch;
	struct ppi_summary summary;
};

/* What a reference of an expression is in the recording. */
struct ppi_trial_ref {
	const struct ppi_metric_chunk *metric; /* NULL: a constant */
	uint32_t site;                         /* id, or PPI_ALL_SITES */
	enum pp_statistic statistic;
	uint64_t window_ns; /* 0: since the start */
	/* moments that its window may begin at, the oldest first */
	struct ppi_trial_moment *moment;
	size_t n, room;
};

/* Times of the recording, CLOCK_MONOTONIC. */
struct ppi_trial_times {
	uint64_t start_ns, first_ns, end_ns;
	uint64_t interval_ns; /* 0: not known */
	size_t steps;
};

struct ppi_trial_checked {
	const struct ppi_policy_assertion *policy;
	struct ppi_trial_assertion *told;
	struct ppi_trial_ref *ref; /* of each reference of the program */
	struct ppi_machine machine;
	uint64_t due_ns;
	uint64_t seen; /* checks that were passed over for `after` */
	/*
	 * of the newest check, and whether later ones come to the same until there are new values
	 */
	enum ppi_outcome outcome;
	bool is_still;
	size_t fires_room;
};

struct ppi_trial_open {
	struct ppi_replay *replay;
	struct ppi_policy *policy;
	struct ppi_trial_times times;
	struct ppi_trial_checked *checked;
	size_t n;
};

/* ---- trial_names.c --------------------------------------------------------------------------- */

/* Reads POLICY with the recording's metrics beside its own. As ppi_policy_read_offline. */
int ppi_trial_read (const struct ppi_recording *recording, const char *path,
		    void (*line) (const char *line, void *arg), void *arg, struct ppi_policy **out);
/*
 * Finds what the references of C mean; C->told->not_served says why the recording can't serve it.
 * False: no memory.
 */
bool ppi_trial_serve (const struct ppi_trial_open *open, struct ppi_trial_checked *c);

/* ---- trial_values.c -------------------------------------------------------------------------- */

/* The values are new: notes what windows may begin with. False: no memory. */
bool ppi_trial_note (const struct ppi_trial_open *open, struct ppi_trial_checked *c,
		     uint64_t now_ns);
struct ppi_verdict ppi_trial_evaluate (const struct ppi_trial_open *open,
				       const struct ppi_trial_checked *c, uint64_t now_ns);
/* Is what C reads at NOW_NS what it will read at any later time, until there are new values? */
bool ppi_trial_is_still (const struct ppi_trial_open *open, const struct ppi_trial_checked *c,
			 uint64_t now_ns);
void ppi_trial_forget (struct ppi_trial_checked *c);

#endif
