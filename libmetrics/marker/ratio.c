/* SPDX-License-Identifier: MIT */
/*
 * ratio.c: the numbers in checks that certainly pass (quick.h), kept apart from plans and code: a
 * policy that is edited and loaded again all day changes them, and neither plans nor blocks are
 * ever given back. Markers read them without a lock, so a table is written once; checks with the
 * same numbers share one, wherever they are, and what stays of each new number is a few words.
 */
#include "base/hash.h"
#include "libmetrics/marker/quick.h"
#include "libmetrics/marker/tally.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct known {
	struct ppi_quick_ratios ratios;
	struct known *next;
};

static struct known *table[BUCKETS]; /* with the lock */

const struct ppi_quick_ratios *ppi_quick_split (struct ppi_quick *quick)
{
	struct ppi_quick_ratios ratios;
	struct known **at, *k;

	memset (&ratios, 0, sizeof (ratios));
	for (uint64_t i = 0; i < quick->n_terms; i++) {
		ratios.term[i].whole = quick->term[i].whole;
		ratios.term[i].part = quick->term[i].part;
		quick->term[i].whole = quick->term[i].whole < 2 ? quick->term[i].whole : 2;
		quick->term[i].part = quick->term[i].part > 0;
	}
	at = &table[ppi_hash ((const char *) &ratios, sizeof (ratios), 1) % BUCKETS];
	for (k = *at; k; k = k->next)
		if (memcmp (&k->ratios, &ratios, sizeof (ratios)) == 0)
			return &k->ratios;
	k = calloc (1, sizeof (*k));
	if (!k)
		return NULL;
	k->ratios = ratios;
	k->next = *at;
	*at = k;
	return &k->ratios;
}

void ppi_quick_set_ratios (struct ppi_plan *plan, const struct ppi_quick_ratios *const *ratios)
{
	for (uint32_t i = 0; i < plan->n_quick; i++)
		if (plan->ratios[i] != ratios[i]) {
			/* release: who sees the table sees what is in it */
			__atomic_store_n (&plan->ratios[i], ratios[i], __ATOMIC_RELEASE);
			/*
			 * a gate that was opened since for the former numbers; it is opened again
			 * after a check of the new ones
			 */
			ppi_tally_shut (plan->quick[i].tally);
		}
}
