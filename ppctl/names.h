/* SPDX-License-Identifier: MIT */
/*
 * names.h: the names that a policy may use, as binaries say them, for checking a policy without running anything. Without a binary the knobs and
 * functions that the policy names are taken to exist, and its sites are only looked at for their form.
 */
#ifndef PPCTL_NAMES_H
#define PPCTL_NAMES_H

#include "assertions/policy.h"
#include "ppctl/elf_read.h"

struct ppctl_names {
	struct ppi_names names; /* first: what the checker gets */
	const struct ppctl_binary *binary;
	size_t n_binaries;
	const struct ppi_policy *policy;
};

/* BINARY and POLICY stay the caller's. Registers the library's sources. */
void ppctl_names_init (struct ppctl_names *names, const struct ppctl_binary *binary, size_t n,
		       const struct ppi_policy *policy);

#endif
