/* SPDX-License-Identifier: MIT */
/* grouped.c: see grouped.h. */
#include "assertions/engine/grouped.h"

#include "assertions/engine/assertion.h"
#include "assertions/engine/check.h"
#include "assertions/engine/groups.h"
#include "assertions/engine/link.h"
#include "assertions/engine/looks.h"
#include "assertions/engine/post.h"
#include "assertions/engine/seen.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/stats/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLUSHED_EACH (PPI_NOTICES / 2) /* groups */

/* ---- linking --------------------------------------------------------------------------------- */

static struct ppi_grouped *grouped_new (const struct ppi_aggregate *a)
{
	struct ppi_grouped *g = calloc (1, sizeof *g);

	if (!g)
		return NULL;
	g->aggregate = a;
	/* of nodes, which groups are numbered with, and 0 */
	g->most = a->max_groups * (2u * a->dims - 1) + 2;
	g->state = calloc (g->most, sizeof *g->state);
	if (g->state)
		return g;
	free (g);
	return NULL;
}

void ppi_grouped_link (struct ppi_assertion *a)
{
	const struct ppi_ref *first = ppi_program_any (a->program);
	struct ppi_grouped *g;

	if (!first || !first->place || (a->grouped && a->grouped->aggregate == first->place))
		return;
	g = grouped_new (first->place);
	if (!g)
		return;
	g->former = a->grouped;
	/* release: markers see it whole */
	__atomic_store_n (&a->grouped, g, __ATOMIC_RELEASE);
}

void ppi_grouped_free (struct ppi_assertion *a)
{
	while (a->grouped) {
		struct ppi_grouped *g = a->grouped;

		a->grouped = g->former;
		free (g->state);
		free (g->outcome);
		free (g);
	}
}

void ppi_grouped_forget (struct ppi_assertion *a)
{
	struct ppi_grouped *g = a->grouped;

	if (!g)
		return;
	memset (g->state, 0, g->most * sizeof *g->state);
	g->restless = g->firing = g->pending = 0;
}

/* ---- stepping -------------------------------------------------------------------------------- */

static void count (uint32_t *n, bool before, bool after)
{
	ppi_store (n, *n + after - before);
}

enum ppi_edge ppi_grouped_step (struct ppi_assertion *a, const struct ppi_seen *seen,
				uint64_t *since_ns)
{
	struct ppi_grouped *g = a->grouped;
	struct ppi_group_state *s;
	enum pp_state before, after;
	enum ppi_edge edge;
	bool is_restless;

	if (!g || !seen->group || seen->group >= g->most)
		return PPI_EDGE_NONE;
	s = &g->state[seen->group];
	before = ppi_machine_state (&s->machine);
	edge = ppi_machine_step (&s->machine, &a->spec, (enum ppi_outcome) seen->outcome, seen->ns);
	*since_ns = s->machine.bad_ns;
	after = ppi_machine_state (&s->machine);
	is_restless = !ppi_machine_idle (&s->machine, PPI_PASS);
	count (&g->firing, before == PP_STATE_FIRING, after == PP_STATE_FIRING);
	count (&g->pending, before == PP_STATE_PENDING, after == PP_STATE_PENDING);
	count (&g->restless, s->is_restless, is_restless);
	ppi_store (&s->is_restless, is_restless);
	ppi_store (&a->quiet, !g->restless);
	return edge;
}

enum pp_state ppi_grouped_state (const struct ppi_assertion *a, const struct ppi_seen *seen)
{
	const struct ppi_grouped *g = a->grouped;

	if (g && g->firing)
		return PP_STATE_FIRING;
	if (g && g->pending)
		return PP_STATE_PENDING;
	/* one group of many whose figures are not known says nothing of the others */
	return seen->outcome == PPI_UNKNOWN && !seen->is_uncounted ? PP_STATE_UNKNOWN : PP_STATE_OK;
}

/* ---- a timed check --------------------------------------------------------------------------- */

static struct ppi_seen look_at_row (struct ppi_assertion *a, const struct ppi_ref *first,
				    size_t row, uint64_t now_ns)
{
	struct ppi_seen seen = {.group = (uint32_t) row + 1,
				.thread = (int) gettid (),
				.ns = now_ns,
				.is_uncounted = true};
	struct ppi_verdict verdict;

	ppi_groups_choose (a->program, first, seen.group);
	verdict = ppi_program_run (a->program, ppi_load_merged, NULL);
	seen.outcome = (uint8_t) (isnan (verdict.value) ? PPI_UNKNOWN
				  : verdict.value > 0.5 ? PPI_PASS
							: PPI_FAIL);
	seen.left = verdict.left;
	seen.right = verdict.right;
	seen.dimension = verdict.dimension;
	for (uint32_t i = 0; i < a->n_captures; i++)
		seen.captured[i] = (struct ppi_captured){NAN, NAN, NAN};
	return seen;
}

/*
 * How bad is it? Of a violation how far apart its sides are, as a ratio; of what holds how near.
 */
static double badness (const struct ppi_seen *seen)
{
	double ratio = fabs (seen->left / seen->right);

	if (!(ratio > 0))
		return 0;
	ratio = ratio < 1 ? 1 / ratio : ratio;
	return seen->outcome == PPI_FAIL ? ratio : 1 / ratio;
}

/*
 * Is SEEN, what one group was found to be, worth more than WORST as what is told of all of them? A
 * violation is, then what is known, and of these the worst.
 */
static bool is_worse (const struct ppi_seen *seen, const struct ppi_seen *worst)
{
	static const uint8_t rank[] = {[PPI_FAIL] = 2, [PPI_PASS] = 1, [PPI_UNKNOWN] = 0};

	if (rank[seen->outcome] != rank[worst->outcome])
		return rank[seen->outcome] > rank[worst->outcome];
	return seen->outcome != PPI_UNKNOWN && badness (seen) > badness (worst);
}

static bool has_room (struct ppi_grouped *g, size_t rows)
{
	uint8_t *more;

	if (rows <= g->outcomes)
		return true;
	more = realloc (g->outcome, 2 * rows);
	if (!more)
		return false;
	g->outcome = more;
	g->outcomes = 2 * rows;
	return true;
}

/* The one that stands for all is counted; what is captured is read once, and of its group. */
static void step_whole (struct ppi_assertion *a, struct ppi_seen *seen, uint64_t now_ns)
{
	seen->is_uncounted = false;
	if (seen->outcome == PPI_PASS && a->n_captures)
		ppi_assertion_look_merged (a, seen->group, now_ns, true);
	if (seen->outcome == PPI_FAIL) {
		ppi_assertion_sample (a, ppi_load_merged, NULL);
		ppi_captures_merged (a, NULL, seen->group, now_ns, seen->captured);
	}
	ppi_assertion_saw (a, seen, true);
}

/* A pass of a group that is at rest, and what is unknown of one, changes nothing. */
static bool is_step (const struct ppi_grouped *g, size_t row)
{
	return row + 1 < g->most && (g->outcome[row] == PPI_FAIL || g->state[row + 1].is_restless);
}

enum ppi_outcome ppi_grouped_check (struct ppi_assertion *a, uint64_t now_ns)
{
	struct ppi_grouped *g = a->grouped;
	const struct ppi_ref *first = ppi_program_any (a->program);
	size_t rows = first && first->grouping ? ppi_grouping_rows (first->grouping) : 0;
	struct ppi_seen worst = {.outcome = PPI_UNKNOWN,
				 .thread = (int) gettid (),
				 .ns = now_ns,
				 .left = NAN,
				 .right = NAN};
	size_t stepped = 0;

	if (g && rows && !has_room (g, rows))
		rows = 0;
	for (size_t row = 0; g && row < rows; row++) {
		struct ppi_seen seen = look_at_row (a, first, row, now_ns);

		g->outcome[row] = seen.outcome;
		if (is_worse (&seen, &worst))
			worst = seen;
	}
	step_whole (a, &worst, now_ns);
	for (size_t row = 0; g && row < rows; row++) {
		struct ppi_seen seen;

		if (row + 1 == worst.group || !is_step (g, row))
			continue;
		seen = look_at_row (a, first, row, now_ns);
		if (seen.outcome == PPI_FAIL) {
			memcpy (seen.captured, worst.captured, sizeof seen.captured);
			ppi_captures_of_group (a, seen.group, seen.captured);
		}
		ppi_assertion_saw (a, &seen, true);
		if (++stepped % FLUSHED_EACH == 0)
			ppi_assertion_flush (a, now_ns);
	}
	return (enum ppi_outcome) worst.outcome;
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *ppi_grouped_name (const struct ppi_assertion *a, uint32_t group, char *out, size_t room)
{
	const struct ppi_ref *first =
		group && a->program->has_any ? ppi_program_any (a->program) : NULL;

	*out = '\0';
	if (first && first->grouping)
		return ppi_grouping_name (first->grouping, group - 1, out, room);
	return out;
}
