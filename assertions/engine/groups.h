/* SPDX-License-Identifier: MIT */
/*
 * groups.h: values of groups that expressions read: m{key="value"}.avg and any (m by key).avg. The
 * owner merges them (libmetrics/stats/groups.h) and leaves the one group's value in the reference's
 * cache, which everybody reads.
 */
#ifndef PPI_ENGINE_GROUPS_H
#define PPI_ENGINE_GROUPS_H

#include "assertions/language/expr.h"

#include <pp.h>
#include <stddef.h>

struct ppi_assertion;

/*
 * Finds the aggregate that tells the groups of a reference of METRIC (NULL: there is none now), and
 * gives back what it had of another [lock]. Where none does the reference is unknown, which is
 * said. True: it is another than before.
 */
bool ppi_groups_link (struct ppi_ref *ref, const pp_metric *metric);
/* Gives it back. When no marker evaluates it any more [lock]. */
void ppi_groups_unlink (struct ppi_ref *ref);
/* TO, which is FROM once more, has what was merged for it. [lock] */
void ppi_groups_hand_over (struct ppi_program *to, struct ppi_program *from);
/*
 * Merges those of PROGRAM, a part of the assertion OF, anew, and renews the values of those of one
 * group [lock]. ANY: those of each group, too.
 */
void ppi_groups_refresh (struct ppi_program *program, struct ppi_assertion *of, bool any,
			 uint64_t now_ns);
/*
 * The same where a window wants it; when it wants the next time. UINT64_MAX: there are none [lock].
 */
uint64_t ppi_groups_look (struct ppi_program *program, struct ppi_assertion *of, uint64_t now_ns);
/*
 * What references to each group are of GROUP, a row of FIRST and one; unknown for 0, and where
 * FIRST is NULL. By the last refresh [lock].
 */
void ppi_groups_choose (struct ppi_program *program, const struct ppi_ref *first, uint32_t group);
/* Is one of its groups not told apart for want of room? By the last refresh; any thread. */
bool ppi_groups_are_crowded (const struct ppi_program *program);

#endif
