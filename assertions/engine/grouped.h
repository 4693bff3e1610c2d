/* SPDX-License-Identifier: MIT */
/*
 * grouped.h: assertions on each group of executions, any (m by key): a state for each group, by its
 * number. Of a timed assertion that is the row that the owner merged.
 *
 * Who steps has the assertion's flag; who links has the lock.
 */
#ifndef PPI_ENGINE_GROUPED_H
#define PPI_ENGINE_GROUPED_H

#include "assertions/engine/machine.h"
#include "base/atomic.h"

#include <pp.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_aggregate;
struct ppi_assertion;
struct ppi_notice;
struct ppi_seen;

struct ppi_group_state {
	struct ppi_machine machine;
	uint32_t is_restless; /* a pass would change something; atomic */
};

struct ppi_grouped {
	struct ppi_grouped *former; /* of another aggregate; it lives as long as the assertion */
	const struct ppi_aggregate *aggregate;
	unsigned round;    /* of the rows */
	uint32_t most;     /* numbers are below */
	uint32_t restless; /* groups that are; atomic, as the next two */
	uint32_t firing, pending;
	uint8_t *outcome; /* of the check that is under way, by row; the owner's */
	size_t outcomes;
	struct ppi_group_state *state; /* by number */
};

/* Its groups are those that its references mean now. */
void ppi_grouped_link (struct ppi_assertion *a);
void ppi_grouped_free (struct ppi_assertion *a);
/* In a child, no group was ever seen. */
void ppi_grouped_forget (struct ppi_assertion *a);
/* A timed one: each group, and the whole as one check. The outcome [lock]. */
enum ppi_outcome ppi_grouped_check (struct ppi_assertion *a, uint64_t now_ns);
/* One outcome through the machine of its group; the flag is held. */
enum ppi_edge ppi_grouped_step (struct ppi_assertion *a, const struct ppi_seen *seen,
				uint64_t *since_ns);
/* The worst that one of them is in, after that. */
enum pp_state ppi_grouped_state (const struct ppi_assertion *a, const struct ppi_seen *seen);
/* As people read it, "" where it is none; at markers, too. Returns OUT. */
const char *ppi_grouped_name (const struct ppi_assertion *a, uint32_t group, char *out,
			      size_t room);

#endif
