/* SPDX-License-Identifier: MIT */
/* policies.h: policies that are loaded. */
#ifndef PPI_ENGINE_POLICIES_H
#define PPI_ENGINE_POLICIES_H

#include "assertions/engine/action.h"
#include "assertions/language/policy.h"

#include <pp.h>
#include <stdbool.h>

struct ppi_adapt;
struct ppi_assertion;

/* Of struct ppi_awaited: its pattern is a glob of features. */
#define PPI_AWAITED_FEATURE "feature"

/* A pattern that nothing matches yet. */
struct ppi_awaited {
	const char *kind; /* "site", or PPI_AWAITED_FEATURE */
	const char *pattern;
};

struct ppi_loaded {
	struct ppi_loaded *next;
	struct ppi_policy *policy;
	/* its path from the root: the program may change its directory */
	char *file;
	bool is_text;              /* there is no file: it is in the program, and FILE its name */
	bool is_sent;              /* another process sent the text: ppctl load */
	bool watched;              /* it is loaded again when that changes */
	struct ppi_file_mark mark; /* of what was loaded last, or refused */
	/* of what was there at the last look, where that is something else */
	struct ppi_file_mark fresh;
	pp_metric **metrics;    /* declared by it, in order; NULL: not yet */
	pp_metric **composites; /* likewise */
	struct ppi_slot *slots; /* of bind: */
	size_t n_slots;
	/* of actions.c: which changes of slots are in SLOTS_DUE_NS; 0: none */
	uint32_t slots_seen;
	uint64_t slots_due_ns; /* when the time of the next one is over */
	struct ppi_assertion **assertions;
	struct ppi_adapt **adapts; /* adapt.h */
	size_t n_adapts;
	/* patterns of `events` that no site matches yet, of `features` that no mark does */
	struct ppi_awaited *awaited;
	size_t n_awaited;
	/* of the policy's entries; more come when names do that they wait for */
	struct ppi_policy_counts built;
};

/* All; with the lock. */
extern struct ppi_loaded *ppi_policies;

#endif
