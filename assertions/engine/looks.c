/* SPDX-License-Identifier: MIT */
/*
 * looks.c: which checks that hold are looked at, for what violations are compared with
 * (contrast.h): what the assertion captures is read there, too.
 *
 * The first 16,384 are, all of them. From then on a check is looked at by chance, one in so many
 * that the number of those looked at grows with the logarithm of all, and stands for so many:
 * averages stay unbiased, whatever the program's rhythm and however long its threads live. How many
 * checks are passed over until the next one is drawn from the geometric distribution, by the thread
 * that counts them down: in its part of the tally, so that markers which see by themselves that a
 * check holds (quick.h) count, too, and come the whole way when it is time.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/check.h"
#include "assertions/engine/link.h"
#include "assertions/engine/looks.h"
#include "assertions/engine/post.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/seen.h"
#include "assertions/language/policy.h"
#include "base/atomic.h"
#include "base/contrast.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/marker/tally.h"
#include "libmetrics/tables/quick.h"
#include "libmetrics/thread/thread.h"

#include <math.h>

#define ALL 16384.0
#define MOST 0x1p26 /* that one stands for: what is drawn fits in 32 bits */

/* A weight in a shard's word */
union bits {
	double number;
	uint64_t word;
};

/* Splitmix64; who takes which number does not matter */
static uint64_t draw (void)
{
	static uint64_t state;
	uint64_t x = __atomic_add_fetch (&state, UINT64_C (0x9e3779b97f4a7c15), __ATOMIC_RELAXED);

	x = (x ^ x >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C (0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* How many checks the next one stands for */
static double weight_now (const struct ppi_assertion *a)
{
	const struct ppi_contrast *c = &a->entries[0].contrast;
	double known, unknown;

	__atomic_load (&c->other.weight, &known, __ATOMIC_RELAXED);
	__atomic_load (&c->unknown_other, &unknown, __ATOMIC_RELAXED);
	return fmax (1, fmin ((known + unknown) / ALL, MOST));
}

/* Checks that are passed over */
static uint32_t gap_of (double weight)
{
	double uniform = (double) ((draw () >> 11) + 1) * 0x1p-53;

	return weight > 1 ? (uint32_t) (log (uniform) / log1p (-1 / weight)) : 0;
}

/* Counts down. Is it this one? Then *WEIGHT. */
static bool is_due (const struct ppi_assertion *a, uint32_t *left, double *weight)
{
	if (!(*weight >= 1)) { /* the thread's first */
		*weight = weight_now (a);
		*left = gap_of (*weight);
	}
	if (*left) {
		--*left;
		return false;
	}
	return true;
}

/* True: the flag was free, and what it saw is kept. Else the next check is looked at. */
static bool keep (struct ppi_assertion *a, const struct ppi_captured *captured, double weight,
		  bool locked)
{
	bool kept = ppi_assertion_held (a, captured, weight);

	/* an outcome that came meanwhile would wait for the tick */
	if (kept && ppi_assertion_has_posts (a))
		ppi_assertion_saw (a, NULL, locked);
	return kept;
}

void ppi_assertion_look (struct ppi_assertion *a, struct ppi_thread *thread, pp_site *site)
{
	struct ppi_tally *tally = ppi_assertion_tally (a);
	struct ppi_captured captured[PPI_CAPTURES];
	struct ppi_shard *shard;
	uint32_t left = 0;
	double weight = 1;

	if (tally)
		ppi_tally_prepare (tally, thread);
	shard = tally ? ppi_tally_shard (tally, thread) : NULL;
	if (shard) {
		left = ppi_load (&shard->skip);
		weight = (union bits){.word = ppi_load (&shard->all.sum[0])}.number;
		/* what was drawn for another assertion */
		if (ppi_load (&shard->all.sum[1]) != ppi_load (&tally->round))
			weight = 0;
		ppi_store (&shard->all.sum[1], ppi_load (&tally->round));
	}
	if (is_due (a, &left, &weight)) {
		ppi_assertion_capture (a, thread, site, captured);
		if (keep (a, captured, weight, false)) {
			weight = weight_now (a);
			left = gap_of (weight);
		}
	}
	if (!shard)
		return;
	ppi_store (&shard->skip, left);
	ppi_store (&shard->all.sum[0], (union bits){.number = weight}.word);
}

void ppi_assertion_look_merged (struct ppi_assertion *a, uint32_t group, uint64_t now_ns,
				bool locked)
{
	uint32_t left = ppi_load (&a->looks_left);
	struct ppi_captured captured[PPI_CAPTURES];
	double weight;

	/*
	 * expectations may be checked by several threads at once: who comes second counts down from
	 * the same number
	 */
	__atomic_load (&a->looks_weight, &weight, __ATOMIC_RELAXED);
	if (is_due (a, &left, &weight)) {
		ppi_captures_merged (a, NULL, group, now_ns, captured);
		if (keep (a, captured, weight, locked)) {
			weight = weight_now (a);
			left = gap_of (weight);
		}
	}
	ppi_store (&a->looks_left, left);
	__atomic_store (&a->looks_weight, &weight, __ATOMIC_RELAXED);
}
