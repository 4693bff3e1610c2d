/* SPDX-License-Identifier: MIT */
/* policy_names.h: the names that a policy's expressions see: its own, and those outside. */
#ifndef PPI_POLICY_NAMES_H
#define PPI_POLICY_NAMES_H

#include "assertions/language/baseline.h"
#include "assertions/language/policy.h"

struct ppi_policy_names {
	struct ppi_names names; /* first: it is what expressions are given */
	const struct ppi_names *outer;
	const struct ppi_policy *policy;
	struct ppi_baseline *baseline; /* or NULL */
	/* the pattern of the assertion whose expression is compiled, or NULL */
	const char *at;
	/* of the policy's metrics by hash: index + 1, or 0; NULL: no memory for that */
	uint32_t *slot;
	size_t n_slots; /* a power of two */
};

/* POLICY gets no more metrics until the names are closed. */
void ppi_policy_names_open (struct ppi_policy_names *names, const struct ppi_policy *policy,
			    const struct ppi_names *outer);
void ppi_policy_names_close (struct ppi_policy_names *names);

/*
 * Reads the recording that the policy's expectations are held against. PP_OK, or an error and WHY.
 */
int ppi_policy_names_baseline (struct ppi_policy_names *names, const char *file, char *why,
			       size_t room);

/* The policy's own metric of that name, or NULL. */
const struct ppi_policy_metric *ppi_policy_own_metric (const struct ppi_policy_names *names,
						       const char *name);

/* Calls FN for the names of the sources until it returns true; returns whether it did. */
bool ppi_names_each_source (bool (*fn) (const char *name, void *arg), void *arg);

#endif
