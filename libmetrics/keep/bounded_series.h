/* SPDX-License-Identifier: MIT */
/*
 * bounded_series.h: the newest samples, in a ring, and their moments.
 *
 * A window of doubles is subtracted from, too; its error is bounded by that of two windows' length
 * of samples, because the moments of the samples since the last wrap replace the window's at each
 * wrap. What is so large that it would leave mostly its own rounding behind when it leaves
 * (infinities do), is not subtracted: a short window is summed up anew.
 */
#ifndef PPI_KEEP_BOUNDED_SERIES_H
#define PPI_KEEP_BOUNDED_SERIES_H

#include "base/twin.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/field.h"

#include <stddef.h>

/* |x| so large that 2^20 of its squares, the longest window, could pass 2^128 */
PPI_ACCUMULATE bool ppi_is_huge (int64_t x)
{
	return ((uint64_t) x + (UINT64_C (1) << 53)) >> 54 != 0;
}

/* How long the ring is; where its next sample goes, whatever the region says. */
PPI_ACCUMULATE uint64_t ppi_series_size (const struct ppi_series_shard *series)
{
	return ppi_field_get (ppi_twin (&series->size));
}

PPI_ACCUMULATE uint64_t ppi_series_next (const struct ppi_series_shard *series, uint64_t size)
{
	uint64_t next = ppi_field_get (&series->next);

	return __builtin_expect (next < size, 1) ? next : 0;
}

/*
 * The ring and the window's moments; arithmetic modulo 2^128, so that what is added is taken away
 * again exactly. Integers have no use for FRESH: fresh.n is the number of huge samples in the
 * window, during which the variance is unknown.
 */
PPI_ACCUMULATE void ppi_window_slide_int (struct ppi_series_shard *series, int64_t x)
{
	uint64_t size = ppi_series_size (series), next = ppi_series_next (series, size);
	uint64_t n = ppi_field_get (&series->window.n);
	unsigned __int128 sum =
		ppi_field_get_wide (series->window.sum) + (unsigned __int128) (__int128) x;
	unsigned __int128 squares = ppi_field_get_wide (series->window.squares) + ppi_square (x);

	if (n == size) {
		int64_t oldest = (int64_t) ppi_field_get (&series->ring[next]);

		sum -= (unsigned __int128) (__int128) oldest;
		squares -= ppi_square (oldest);
		if (__builtin_expect (ppi_is_huge (oldest), 0))
			ppi_field_set (&series->fresh.n, ppi_field_get (&series->fresh.n) - 1);
	}
	if (__builtin_expect (ppi_is_huge (x), 0))
		ppi_field_set (&series->fresh.n, ppi_field_get (&series->fresh.n) + 1);
	ppi_field_set (&series->ring[next], (uint64_t) x);
	ppi_field_set_wide (series->window.sum, sum);
	ppi_field_set_wide (series->window.squares, squares);
	ppi_field_set (&series->next, next + 1);
	if (n != size)
		ppi_field_set (&series->window.n, n + 1);
}

PPI_ACCUMULATE void ppi_series_add_int (struct ppi_shard *shard, int64_t x, uint64_t *place)
{
	(void) place;
	ppi_window_slide_int ((struct ppi_series_shard *) shard, x);
}

PPI_ACCUMULATE void ppi_series_clear (struct ppi_shard *shard, uint32_t epoch)
{
	struct ppi_series_shard *series = (struct ppi_series_shard *) shard;

	(void) epoch;
	ppi_field_set (&series->next, 0);
	ppi_moments_clear (&series->window);
	ppi_moments_clear (&series->fresh);
}

/* ---- bounded_series.c: see struct ppi_keep --------------------------------------------------- */

PPI_HIDDEN void ppi_series_add_double (struct ppi_shard *shard, uint64_t bits, uint64_t *place);
PPI_HIDDEN void ppi_series_fold (struct ppi_shard *into, const struct ppi_shard *from,
				 bool is_double, bool older);

static const struct ppi_keep ppi_keep_BOUNDED_SERIES = {
	.name = "bounded_series",
	.keeps = PPI_KEEPS_LAST | PPI_KEEPS_SUM | PPI_KEEPS_RING,
	.bytes = sizeof (struct ppi_series_shard),
	.size = {.option = "size",
		 .key = "size",
		 .sentence = ", the newest {size} of each thread",
		 .usual = 100,
		 .most = UINT64_C (1) << 20,
		 .at = offsetof (struct ppi_series_shard, size),
		 .sample_bytes = sizeof (uint64_t)},
	.stats_in_windows = true,
	.has = PPI_HAS_SPREAD,
	.scans = PPI_STAT (MIN) | PPI_STAT (MAX),
	.add_int = ppi_series_add_int,
	.clear = ppi_series_clear,
	.add_double = ppi_series_add_double,
	.fold = ppi_series_fold,
};

#endif
