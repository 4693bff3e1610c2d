/* SPDX-License-Identifier: MIT */
/*
 * capture.h: what an assertion captures: metrics, and figures of groups, m{key="value"}.p99 and, of
 * the group that violates, any (m by key).p50. A figure is a program of one reference, linked and
 * refreshed like that of a condition.
 */
#ifndef PPI_ENGINE_CAPTURE_H
#define PPI_ENGINE_CAPTURE_H

#include "assertions/language/expr.h"

#include <pp.h>
#include <stdint.h>

struct ppi_assertion;
struct ppi_at;
struct ppi_captured;
struct ppi_policy_assertion;

struct ppi_capture {
	pp_metric *metric;              /* NULL: a figure */
	struct ppi_program *figure;     /* NULL: a metric */
	struct ppi_dimension dimension; /* of the figure */
};

/* What was WRITTEN, whose figures are taken over. */
void ppi_captures_take (struct ppi_assertion *a, struct ppi_policy_assertion *written);
void ppi_captures_destroy (struct ppi_assertion *a);
/* The metric's name, or the figure as it was written. */
const char *ppi_capture_name (const struct ppi_capture *c);
struct ppi_dimension ppi_capture_dimension (const struct ppi_capture *c);

/* Finds what figures mean now [lock]. */
void ppi_captures_link (struct ppi_assertion *a);
/* Merges the groups of figures anew [lock]. */
void ppi_captures_refresh (struct ppi_assertion *a, uint64_t now_ns);
/* The same where a window wants it; when it wants the next time, UINT64_MAX: never [lock]. */
uint64_t ppi_captures_look (struct ppi_assertion *a, uint64_t now_ns);
/* TO, which captures what FROM does, has what was merged for it [lock]. */
void ppi_captures_hand_over (struct ppi_assertion *to, struct ppi_assertion *from);

/*
 * What it is now: at a marker (AT), or merged, at SITE or (NULL) everywhere. Of a metric the newest
 * sample, average and number; of a figure as it was refreshed last, and chosen.
 */
struct ppi_captured ppi_capture_now (const struct ppi_capture *c, const struct ppi_at *at,
				     const pp_site *site);
/*
 * All of them merged, now; any (m by key) is of GROUP (grouped.h), unknown for 0. Ordinary context.
 */
void ppi_captures_merged (struct ppi_assertion *a, const pp_site *site, uint32_t group,
			  uint64_t now_ns, struct ppi_captured *out);
/* Of these OUT has those that are of GROUP, as they were merged then, of another group. */
void ppi_captures_of_group (struct ppi_assertion *a, uint32_t group, struct ppi_captured *out);

#endif
