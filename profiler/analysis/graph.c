/* SPDX-License-Identifier: MIT */
/* graph.c: the order of nodes, their edges, and which are shown; see profile.h. */
#include "profiler/analysis/profile.h"

#include <stdlib.h>
#include <string.h>

/* ---- topological order ----------------------------------------------------------------------- */

/* May come before OTHER where the order leaves it open? */
static bool is_before (const struct ppi_profile *p, uint32_t one, uint32_t other)
{
	const struct ppi_profile_node *a = &p->node[one], *b = &p->node[other];

	if (a->total > b->total || a->total < b->total)
		return a->total > b->total;
	return strcmp (a->name, b->name) < 0;
}

/*
 * The next of those that are not placed: one whose callers all are; in a cycle, one that a placed
 * one calls; else any. Of several the one with the largest total.
 */
static uint32_t next_node (const struct ppi_profile *p, const uint32_t *waits,
			   const uint8_t *reached, const uint8_t *placed)
{
	uint32_t best = PPI_PROFILE_ROOT;
	int best_class = 3;

	for (uint32_t i = 0; i < p->nodes; i++) {
		int class = !waits[i] ? 0 : reached[i] ? 1 : 2;

		if (placed[i] || class > best_class)
			continue;
		if (class < best_class || is_before (p, i, best)) {
			best = i;
			best_class = class;
		}
	}
	return best;
}

/* NUMBER gets the old numbers of the nodes in their order. */
static bool order_nodes (const struct ppi_profile *p, uint32_t *number)
{
	uint32_t *waits = calloc (p->nodes + 1, sizeof *waits);
	uint8_t *reached = calloc (p->nodes + 1, 1), *placed = calloc (p->nodes + 1, 1);
	bool ok = waits && reached && placed;

	for (size_t i = 0; ok && i < p->edges; i++)
		if (p->edge[i].callee != PPI_PROFILE_ROOT &&
		    p->edge[i].caller != p->edge[i].callee) {
			waits[p->edge[i].callee] += p->edge[i].caller != PPI_PROFILE_ROOT;
			reached[p->edge[i].callee] |= p->edge[i].caller == PPI_PROFILE_ROOT;
		}
	for (size_t n = 0; ok && n < p->nodes; n++) {
		uint32_t next = next_node (p, waits, reached, placed);
		const struct ppi_profile_node *node = &p->node[next];

		number[n] = next;
		placed[next] = 1;
		for (size_t i = 0; i < node->callees; i++) {
			uint32_t callee = p->edge[node->callee[i]].callee;

			if (callee == PPI_PROFILE_ROOT || callee == next)
				continue;
			waits[callee]--;
			reached[callee] = 1;
		}
	}
	free (waits);
	free (reached);
	free (placed);
	return ok;
}

static uint32_t renumbered (const uint32_t *now, uint32_t node)
{
	return node == PPI_PROFILE_ROOT ? node : now[node];
}

static bool put_in_order (struct ppi_profile *p)
{
	uint32_t *number = calloc (p->nodes + 1, sizeof *number),
		 *now = calloc (p->nodes + 1, sizeof *now);
	struct ppi_profile_node *sorted = calloc (p->nodes + 1, sizeof *sorted);
	bool ok = number && now && sorted && order_nodes (p, number);

	for (uint32_t i = 0; ok && i < p->nodes; i++) {
		sorted[i] = p->node[number[i]];
		now[number[i]] = i;
	}
	for (size_t i = 0; ok && i < p->edges; i++) {
		p->edge[i].caller = renumbered (now, p->edge[i].caller);
		p->edge[i].callee = renumbered (now, p->edge[i].callee);
	}
	if (ok) {
		free (p->node);
		p->node = sorted;
	} else
		free (sorted);
	free (number);
	free (now);
	return ok;
}

/* ---- edges at nodes -------------------------------------------------------------------------- */

static bool append (uint32_t **list, size_t *n, uint32_t value)
{
	/* of a power of two it has just that room */
	if (!(*n & (*n - 1))) {
		uint32_t *grown = reallocarray (*list, *n ? 2 * *n : 1, sizeof *grown);

		if (!grown)
			return false;
		*list = grown;
	}
	(*list)[(*n)++] = value;
	return true;
}

static int compare (double a, double b)
{
	return a > b ? -1 : a < b;
}

static int by_callee_time (const void *a, const void *b, void *arg)
{
	const struct ppi_profile_edge *edge = arg;
	uint32_t i = *(const uint32_t *) a, j = *(const uint32_t *) b;
	int c = compare (edge[i].callee_time, edge[j].callee_time);

	return c ? c : (i > j) - (i < j);
}

static int by_caller_time (const void *a, const void *b, void *arg)
{
	const struct ppi_profile_edge *edge = arg;
	uint32_t i = *(const uint32_t *) a, j = *(const uint32_t *) b;
	int c = compare (edge[i].caller_time, edge[j].caller_time);

	return c ? c : (i > j) - (i < j);
}

static int by_number (const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *) a, j = *(const uint32_t *) b;

	return (i > j) - (i < j);
}

static bool list_edges (struct ppi_profile *p)
{
	for (uint32_t i = 0; i < p->edges; i++) {
		const struct ppi_profile_edge *edge = &p->edge[i];
		struct ppi_profile_node *caller = edge->caller == PPI_PROFILE_ROOT
							  ? NULL
							  : &p->node[edge->caller],
					*callee = edge->callee == PPI_PROFILE_ROOT
							  ? NULL
							  : &p->node[edge->callee];

		if ((caller && !append (&caller->callee, &caller->callees, i)) ||
		    (callee && !append (&callee->caller, &callee->callers, i)))
			return false;
	}
	for (size_t i = 0; p->node && i < p->nodes; i++) {
		struct ppi_profile_node *node = &p->node[i];

		if (node->callers > 1)
			qsort_r (node->caller, node->callers, sizeof *node->caller, by_callee_time,
				 p->edge);
		if (node->callees > 1)
			qsort_r (node->callee, node->callees, sizeof *node->callee, by_caller_time,
				 p->edge);
		if (node->threads > 1)
			qsort (node->thread, node->threads, sizeof *node->thread, by_number);
	}
	return true;
}

static int by_ends (const void *a, const void *b)
{
	const struct ppi_profile_edge *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->callee > y->callee) - (x->callee < y->callee);
}

static void forget_edges (struct ppi_profile *p)
{
	for (size_t i = 0; i < p->nodes; i++) {
		free (p->node[i].caller);
		free (p->node[i].callee);
		p->node[i].caller = p->node[i].callee = NULL;
		p->node[i].callers = p->node[i].callees = 0;
	}
}

bool ppi_profile_link (struct ppi_profile *profile)
{
	if (!list_edges (profile) || !put_in_order (profile))
		return false;
	/* again with new numbers: the same graph always looks the same */
	forget_edges (profile);
	if (profile->edges)
		qsort (profile->edge, profile->edges, sizeof *profile->edge, by_ends);
	return list_edges (profile);
}

/* ---- what is chance -------------------------------------------------------------------------- */

void ppi_profile_weigh (struct ppi_profile *profile)
{
	double n = (double) profile->sample_number;

	profile->squares = n > 0 ? profile->total_time * profile->total_time / n : 0;
}

double ppi_profile_margin (const struct ppi_profile *profile)
{
	double all = profile->total_time;

	/* so many samples that stand for the same time would be as sure */
	return ppi_share_margin (0.5, profile->squares > 0 ? all * all / profile->squares : 0);
}

/* ---- what is shown --------------------------------------------------------------------------- */

static int by_self (const void *a, const void *b, void *arg)
{
	const struct ppi_profile_node *node = arg;
	uint32_t i = *(const uint32_t *) a, j = *(const uint32_t *) b;
	int c = compare (node[i].self, node[j].self);

	return c ? c : (i > j) - (i < j);
}

static int by_total (const void *a, const void *b, void *arg)
{
	const struct ppi_profile_node *node = arg;
	uint32_t i = *(const uint32_t *) a, j = *(const uint32_t *) b;
	int c = compare (node[i].total, node[j].total);

	return c ? c : (i > j) - (i < j);
}

uint32_t *ppi_profile_sorted (const struct ppi_profile *profile, enum ppi_profile_order order)
{
	uint32_t *number = calloc (profile->nodes + 1, sizeof *number);

	for (uint32_t i = 0; number && i < profile->nodes; i++)
		number[i] = i;
	if (number && order != PPI_ORDER_TOPOLOGICAL)
		qsort_r (number, profile->nodes, sizeof *number,
			 order == PPI_ORDER_SELF ? by_self : by_total, profile->node);
	return number;
}

/*
 * What the C library and the linker put before main and before a thread's function: how many of
 * such are around it, at most; -1: it is none.
 */
static int starter (const char *name)
{
	static const struct {
		const char *name;
		int around;
	} starters[] = {{"_start", 0},       {"clone", 0},
			{"__clone", 0},      {"clone3", 0},
			{"__clone3", 0},     {"__libc_start_main", 1},
			{"start_thread", 1}, {"__libc_start_call_main", 2}};
	static const char variants[] = "__libc_start_main";

	for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
		if (strcmp (name, starters[i].name) == 0)
			return starters[i].around;
	return strncmp (name, variants, sizeof variants - 1) == 0 ? 1 : -1;
}

/* Is the node such a one, and not a function of the program's, which others of them call? */
static bool starts (const struct ppi_profile *p, const struct ppi_profile_node *node)
{
	int around = p->is_by_interval ? -1 : starter (node->name);
	bool is = around >= 0;

	for (size_t i = 0; is && i < node->callers; i++) {
		uint32_t caller = p->edge[node->caller[i]].caller;
		int of = caller == PPI_PROFILE_ROOT ? -1 : starter (p->node[caller].name);

		is = caller == PPI_PROFILE_ROOT || !*p->node[caller].name ||
		     (of >= 0 && of < around);
	}
	return is;
}

bool ppi_profile_hides (const struct ppi_profile *p, uint32_t number, double hide_self,
			double hide_subs)
{
	const struct ppi_profile_node *node = &p->node[number];

	if (node->self >= hide_self * p->total_time)
		return false;
	if (hide_subs > 0 && starts (p, node))
		return true;
	for (size_t i = 0; i < node->callers; i++) {
		const struct ppi_profile_edge *edge = &p->edge[node->caller[i]];
		double of = edge->caller == PPI_PROFILE_ROOT ? p->total_time
							     : p->node[edge->caller].total;

		if (edge->caller != number && edge->caller_time >= hide_subs * of)
			return false;
	}
	for (size_t i = 0; i < node->callees; i++) {
		const struct ppi_profile_edge *edge = &p->edge[node->callee[i]];
		double of = edge->callee == PPI_PROFILE_ROOT ? p->total_time
							     : p->node[edge->callee].total;

		if (edge->callee != number && edge->callee_time >= hide_subs * of)
			return false;
	}
	return true;
}
