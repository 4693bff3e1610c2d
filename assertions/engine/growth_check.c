/* SPDX-License-Identifier: MIT */
/* growth_check.c: see growth_check.h. */
#include "assertions/engine/growth_check.h"

#include "assertions/engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PUT_TRIES = 4 };

/* ---- the ring ---------------------------------------------------------------------------------------------------- */

void ppi_growth_ring_init (struct ppi_growth_ring *ring)
{
	ring->head = ring->tail = 0;
	for (uint32_t i = 0; i < PPI_GROWTH_RING; i++)
		ppi_set_relaxed (&ring->slot[i].turn, i);
}

bool ppi_growth_ring_put (struct ppi_growth_ring *ring, double n, double value, bool *is_much)
{
	for (int i = 0; i < PUT_TRIES; i++) {
		uint32_t head = ppi_relaxed (&ring->head);
		uint32_t at = head % PPI_GROWTH_RING;

		/* acquire: the reader has copied the former pair before it freed the slot */
		if (__atomic_load_n (&ring->slot[at].turn, __ATOMIC_ACQUIRE) != head) {
			if (ppi_relaxed (&ring->head) == head)
				return false; /* full */
			continue;
		}
		/* relaxed: the slot is handed over by its turn; the counter only shares slots out */
		if (!__atomic_compare_exchange_n (&ring->head, &head, head + 1, false, __ATOMIC_RELAXED,
						  __ATOMIC_RELAXED))
			continue;
		ring->slot[at].n = n;
		ring->slot[at].value = value;
		__atomic_store_n (&ring->slot[at].turn, head + 1, __ATOMIC_RELEASE);
		*is_much = (head + 1) % (PPI_GROWTH_RING / 4) == 0;
		return true;
	}
	return false;
}

bool ppi_growth_ring_take (struct ppi_growth_ring *ring, double *n, double *value)
{
	uint32_t tail = ppi_relaxed (&ring->tail), at = tail % PPI_GROWTH_RING;

	if (__atomic_load_n (&ring->slot[at].turn, __ATOMIC_ACQUIRE) != tail + 1)
		return false;
	*n = ring->slot[at].n;
	*value = ring->slot[at].value;
	ppi_set_relaxed (&ring->tail, tail + 1);
	__atomic_store_n (&ring->slot[at].turn, tail + PPI_GROWTH_RING, __ATOMIC_RELEASE);
	return true;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

struct ppi_growth_check *ppi_growth_check_create (enum ppi_growth_class at_most, uint64_t every_ns, uint64_t now_ns)
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
	ppi_growth_ring_init (&check->ring);
}

/* The program's references are the two metrics, in this order: policy_check.c makes it so */
void ppi_growth_feed (struct ppi_assertion *a, struct ppi_at *at)
{
	double value = ppi_load_at (&a->program->references[0], at);
	double n = ppi_load_at (&a->program->references[1], at);
	bool is_much = false;

	if (!isnan (value) && !isnan (n) && ppi_growth_ring_put (&a->growth->ring, n, value, &is_much) && is_much)
		ppi_assertions_news ();
}

static void format_value (const struct ppi_assertion *a, double value, char *out, size_t room)
{
	const pp_metric *metric = __atomic_load_n (&a->program->references[0].target, __ATOMIC_ACQUIRE);
	enum ppi_unit unit = metric ? ppi_metric_unit (metric) : PPI_UNIT_PLAIN;

	ppi_quantity_format (value, ppi_dimension_of (unit, 1), out, room);
}

/* "n^2 fits best: 1.2 us + 3.4 ns * n^2, scatter 21 %, n 10 to 99532, 1024 executions" */
static void describe (const struct ppi_assertion *a, const struct ppi_growth_result *result, char *out, size_t room)
{
	const struct ppi_growth_fit *fit = &result->fit[result->best];
	char constant[40], slope[40];

	if (!result->known) {
		snprintf (out, room, "too little is known: %.0f executions, n from %.6g to %.6g", result->pairs,
			  result->least_n, result->most_n);
		return;
	}
	format_value (a, fit->a, constant, sizeof constant);
	format_value (a, fit->b, slope, sizeof slope);
	if (result->best == PPI_GROWTH_CONSTANT)
		snprintf (out, room, "1 fits best: %s, scatter %.0f %%, n from %.6g to %.6g, %.0f executions", constant,
			  100 * result->scatter, result->least_n, result->most_n, result->pairs);
	else
		snprintf (out, room,
			  "%s fits best: %s + %s * %s, scatter %.0f %%, n from %.6g to %.6g, %.0f executions",
			  ppi_growth_name (result->best), constant, slope, ppi_growth_name (result->best),
			  100 * result->scatter, result->least_n, result->most_n, result->pairs);
}

/* Both sides are the classes' numbers, from 0 (1) to 5 (n^3) */
static void check_now (struct ppi_assertion *a, uint64_t now_ns)
{
	struct ppi_growth_check *check = a->growth;
	struct ppi_growth_result result;
	struct ppi_seen seen = {.site = a->checks && !a->checks->next ? a->checks->site : NULL, .ns = now_ns};

	ppi_growth_fit (&check->growth, &result);
	describe (a, &result, check->detail, sizeof check->detail);
	seen.outcome = (uint8_t) (!result.known ? PPI_UNKNOWN : result.best > check->at_most ? PPI_FAIL : PPI_PASS);
	seen.left = result.known ? (double) result.best : NAN;
	seen.right = (double) check->at_most;
	for (uint32_t i = 0; i < a->n_captures; i++)
		seen.captured[i] = ppi_capture_now (a->capture[i], NULL, seen.site);
	if (seen.outcome == PPI_PASS)
		ppi_assertion_held (a, seen.captured, 1);
	ppi_assertion_saw (a, &seen, true);
}

uint64_t ppi_growth_tick (struct ppi_assertion *a, uint64_t now_ns)
{
	struct ppi_growth_check *check = a->growth;
	double n, value;

	for (uint32_t i = 0; i < PPI_GROWTH_RING && ppi_growth_ring_take (&check->ring, &n, &value); i++)
		ppi_growth_add (&check->growth, n, value);
	if (now_ns >= check->due_ns) {
		check->due_ns = now_ns - check->due_ns < check->every_ns ? check->due_ns + check->every_ns
									 : now_ns + check->every_ns;
		check_now (a, now_ns);
	}
	/* a quarter of the ring is news */
	return check->due_ns;
}
