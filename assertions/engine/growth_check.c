/* SPDX-License-Identifier: MIT */
/* growth_check.c: see growth_check.h. */
#include "assertions/engine/growth_check.h"

#include "assertions/engine/assertion.h"
#include "assertions/engine/link.h"
#include "assertions/engine/post.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/seen.h"
#include "assertions/engine/tick.h"
#include "libmetrics/registry/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ppi_growth_check *ppi_growth_check_create (enum ppi_growth_class at_most, uint64_t every_ns,
						  uint64_t now_ns)
{
	struct ppi_growth_check *check = calloc (1, sizeof *check);

	if (!check)
		return NULL;
	check->at_most = at_most;
	check->every_ns = every_ns;
	ppi_growth_check_reset (check, now_ns);
	return check;
}

void ppi_growth_check_reset (struct ppi_growth_check *check, uint64_t now_ns)
{
	memset (&check->growth, 0, sizeof check->growth);
	check->detail[0] = '\0';
	check->due_ns = now_ns + check->every_ns;
	ppi_ring_init (&check->ring, check->turn, PPI_GROWTH_RING);
}

/* The program's references are the two metrics, in this order: policy_check.c makes it so */
void ppi_growth_feed (struct ppi_assertion *a, struct ppi_at *at)
{
	double value = ppi_load_at (&a->program->references[0], at);
	double n = ppi_load_at (&a->program->references[1], at);
	struct ppi_growth_check *check = a->growth;
	uint32_t i;

	/* one that finds no room is left out: a fit is of a sample of the executions anyway */
	if (isnan (value) || isnan (n) ||
	    !ppi_ring_claim (&check->ring, check->turn, PPI_GROWTH_RING, &i))
		return;
	check->pair[i % PPI_GROWTH_RING] = (struct ppi_growth_pair){n, value};
	ppi_ring_written (check->turn, PPI_GROWTH_RING, i);
	if ((i + 1) % (PPI_GROWTH_RING / 4) == 0)
		ppi_assertions_news ();
}

static void format_value (const struct ppi_assertion *a, double value, char *out, size_t room)
{
	const pp_metric *metric =
		__atomic_load_n (&a->program->references[0].target, __ATOMIC_ACQUIRE);
	enum ppi_unit unit = metric ? ppi_metric_unit (metric) : PPI_UNIT_PLAIN;

	ppi_quantity_format (value, ppi_dimension_of (unit, 1), out, room);
}

/* "n^2 fits best: 1.2 us + 3.4 ns * n^2, scatter 21 %, n 10 to 99532, 1024 executions" */
static void describe (const struct ppi_assertion *a, const struct ppi_growth_result *result,
		      char *out, size_t room)
{
	const struct ppi_growth_fit *fit = &result->fit[result->best];
	char constant[40], slope[40];

	if (!result->known) {
		snprintf (out, room, "too little is known: %.0f executions, n from %.6g to %.6g",
			  result->pairs, result->least_n, result->most_n);
		return;
	}
	format_value (a, fit->a, constant, sizeof constant);
	format_value (a, fit->b, slope, sizeof slope);
	if (result->best == PPI_GROWTH_CONSTANT)
		snprintf (out, room,
			  "1 fits best: %s, scatter %.0f %%, n from %.6g to %.6g, %.0f executions",
			  constant, 100 * result->scatter, result->least_n, result->most_n,
			  result->pairs);
	else
		snprintf (out, room,
			  "%s fits best: %s + %s * %s, scatter %.0f %%, n from %.6g to %.6g, %.0f "
			  "executions",
			  ppi_growth_name (result->best), constant, slope,
			  ppi_growth_name (result->best), 100 * result->scatter, result->least_n,
			  result->most_n, result->pairs);
}

/* Both sides are the classes' numbers, from 0 (1) to 5 (n^3) */
static void check_now (struct ppi_assertion *a, uint64_t now_ns)
{
	struct ppi_growth_check *check = a->growth;
	struct ppi_growth_result result;
	struct ppi_seen seen = {.site = a->checks && !a->checks->next ? a->checks->site : NULL,
				.ns = now_ns};

	ppi_growth_fit (&check->growth, &result);
	describe (a, &result, check->detail, sizeof check->detail);
	seen.outcome = (uint8_t) (!result.known                  ? PPI_UNKNOWN
				  : result.best > check->at_most ? PPI_FAIL
								 : PPI_PASS);
	seen.left = result.known ? (double) result.best : NAN;
	seen.right = (double) check->at_most;
	ppi_captures_merged (a, seen.site, 0, now_ns, seen.captured);
	if (seen.outcome == PPI_PASS)
		ppi_assertion_held (a, seen.captured, 1);
	ppi_assertion_saw (a, &seen, true);
}

uint64_t ppi_growth_tick (struct ppi_assertion *a, uint64_t now_ns)
{
	struct ppi_growth_check *check = a->growth;
	uint32_t at;

	for (uint32_t i = 0;
	     i < PPI_GROWTH_RING && ppi_ring_next (&check->ring, check->turn, PPI_GROWTH_RING, &at);
	     i++) {
		struct ppi_growth_pair pair = check->pair[at % PPI_GROWTH_RING];

		ppi_ring_taken (&check->ring, check->turn, PPI_GROWTH_RING, at);
		ppi_growth_add (&check->growth, pair.n, pair.value);
	}
	if (now_ns >= check->due_ns) {
		check->due_ns = now_ns - check->due_ns < check->every_ns
					? check->due_ns + check->every_ns
					: now_ns + check->every_ns;
		check_now (a, now_ns);
	}
	/* a quarter of the ring is news */
	return check->due_ns;
}
