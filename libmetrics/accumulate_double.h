/* SPDX-License-Identifier: MIT */
/*
 * accumulate_double.h: how the owner of a shard adds a double sample to it. Not for the hot path, which has no
 * floating point.
 *
 * Moments by Welford: mean += (x - mean) / n, M2 += (x - old mean) (x - new mean). With u = 2^-53 and κ = sqrt (Σx²
 * / M2) the relative error of the variance is at most about n κ u, that of the mean n u (Σ|x| / |Σx|), that of the
 * sum the same; the naive Σx² - (Σx)²/n would have n κ² u. A series' window also subtracts; its error is bounded by
 * that of two windows' length of samples, because the moments of the samples since the last wrap replace the
 * window's at each wrap. What is so large that it would leave mostly its own rounding behind when it leaves (infinities do), is not subtracted: a short
 * window is summed up anew.
 */
#ifndef PPI_ACCUMULATE_DOUBLE_H
#define PPI_ACCUMULATE_DOUBLE_H

#include "accumulate_int.h"

PPI_ACCUMULATE double ppi_double_of (uint64_t bits)
{
	union {
		uint64_t bits;
		double value;
	} u = {.bits = bits};

	return u.value;
}

PPI_ACCUMULATE uint64_t ppi_bits_of (double value)
{
	union {
		double value;
		uint64_t bits;
	} u = {.value = value};

	return u.bits;
}

/* Adds X to MOMENTS; all but n, which the caller stores (of a shard it comes last). */
static inline void ppi_moments_add_double (struct ppi_moments *moments, uint64_t n_before, double x)
{
	double mean = ppi_double_of (ppi_field_get (&moments->sum[0]));
	double delta = x - mean;
	double m2 = ppi_double_of (ppi_field_get (&moments->squares[0]));

	mean += delta / (double) (n_before + 1);
	ppi_field_set (&moments->sum[0], ppi_bits_of (mean));
	ppi_field_set (&moments->sum[1], ppi_bits_of (ppi_double_of (ppi_field_get (&moments->sum[1])) + x));
	ppi_field_set (&moments->squares[0], ppi_bits_of (m2 + delta * (x - mean)));
}

/* X takes the place of OLDEST in a full window of N samples. */
static inline void ppi_moments_replace_double (struct ppi_moments *moments, uint64_t n, double oldest, double x)
{
	double before = ppi_double_of (ppi_field_get (&moments->sum[0]));
	double delta = x - oldest;
	double mean = before + delta / (double) n;
	double m2 = ppi_double_of (ppi_field_get (&moments->squares[0])) + delta * ((x - mean) + (oldest - before));

	ppi_field_set (&moments->sum[0], ppi_bits_of (mean));
	ppi_field_set (&moments->sum[1], ppi_bits_of (ppi_double_of (ppi_field_get (&moments->sum[1])) + delta));
	ppi_field_set (&moments->squares[0], ppi_bits_of (m2 > 0 ? m2 : m2 <= 0 ? 0 : m2)); /* a NaN stays one */
}

/* At each wrap the window is exactly what FRESH has seen. */
static inline void ppi_window_renew (struct ppi_series_shard *series)
{
	ppi_field_set (&series->window.sum[0], ppi_field_get (&series->fresh.sum[0]));
	ppi_field_set (&series->window.sum[1], ppi_field_get (&series->fresh.sum[1]));
	ppi_field_set (&series->window.squares[0], ppi_field_get (&series->fresh.squares[0]));
	ppi_moments_clear (&series->fresh);
}

#define PPI_SUMMED_ANEW 1024u /* samples at most: some microseconds */

/*
 * Is OLDEST, which has left the window, so much larger than what is left, by average and scatter, that more than 2^-31 of that is rounding? True, too,
 * where an infinity was or is there.
 */
static inline bool ppi_window_is_lost (const struct ppi_moments *window, uint64_t n, double oldest)
{
	double mean = ppi_double_of (ppi_field_get (&window->sum[0]));
	double m2 = ppi_double_of (ppi_field_get (&window->squares[0]));
	double rest = __builtin_fabs (oldest) * 0x1p-22;

	return !(rest <= __builtin_fabs (mean) || rest * rest <= m2 / (double) n);
}

/* The window's moments of what is in its ring, which is full. */
static inline void ppi_window_sum_anew (struct ppi_series_shard *series)
{
	ppi_field_set (&series->window.sum[0], 0);
	ppi_field_set (&series->window.sum[1], 0);
	ppi_field_set (&series->window.squares[0], 0);
	for (uint64_t i = 0; i < ppi_series_size (series); i++)
		ppi_moments_add_double (&series->window, i, ppi_double_of (ppi_field_get (&series->ring[i])));
}

static inline void ppi_window_slide_double (struct ppi_series_shard *series, double x)
{
	uint64_t size = ppi_series_size (series), next = ppi_series_next (series, size);
	uint64_t n = ppi_field_get (&series->window.n);
	uint64_t fresh = ppi_field_get (&series->fresh.n);
	double oldest = n == size ? ppi_double_of (ppi_field_get (&series->ring[next])) : 0;

	if (n == size)
		ppi_moments_replace_double (&series->window, n, oldest, x);
	else
		ppi_moments_add_double (&series->window, n, x);
	ppi_moments_add_double (&series->fresh, fresh, x);
	ppi_field_set (&series->fresh.n, fresh + 1);
	ppi_field_set (&series->ring[next], ppi_bits_of (x));
	ppi_field_set (&series->next, next + 1);
	if (n != size)
		ppi_field_set (&series->window.n, n + 1);
	else if (n <= PPI_SUMMED_ANEW && next + 1 != n && ppi_window_is_lost (&series->window, n, oldest))
		ppi_window_sum_anew (series);
	if (next + 1 == size)
		ppi_window_renew (series);
}

/* As ppi_accumulate_int. A NaN is no sample: false, nothing changed, the caller counts it as PP_DROP_UNKNOWN. */
static inline bool ppi_accumulate_double (struct ppi_shard *shard, enum ppi_accumulator accumulator, double x,
					  uint64_t ticks)
{
	uint64_t n = ppi_field_get (&shard->all.n), *place = NULL;
	uint32_t seq;

	if (__builtin_isnan (x))
		return false;
	if (accumulator == PPI_HISTOGRAM)
		place = ppi_histogram_place_double ((struct ppi_histogram_shard *) shard, ppi_bits_of (x));
	if (accumulator == PPI_UNBOUNDED_SERIES)
		place = ppi_unbounded_place ((struct ppi_unbounded_shard *) shard);
	seq = ppi_shard_open (shard);
	if (ppi_keeps_sum (accumulator))
		ppi_moments_add_double (&shard->all, n, x);
	if (ppi_keeps_range (accumulator) && (n == 0 || x < ppi_double_of (ppi_field_get (&shard->min))))
		ppi_field_set (&shard->min, ppi_bits_of (x));
	if (ppi_keeps_range (accumulator) && (n == 0 || x > ppi_double_of (ppi_field_get (&shard->max))))
		ppi_field_set (&shard->max, ppi_bits_of (x));
	if (accumulator == PPI_BOUNDED_SERIES)
		ppi_window_slide_double ((struct ppi_series_shard *) shard, x);
	if (accumulator == PPI_HISTOGRAM)
		ppi_histogram_count ((struct ppi_histogram_shard *) shard, place);
	if (accumulator == PPI_UNBOUNDED_SERIES)
		ppi_unbounded_append ((struct ppi_unbounded_shard *) shard, place, ppi_bits_of (x));
	if (accumulator != PPI_COUNT) {
		ppi_field_set (&shard->last, ppi_bits_of (x));
		ppi_field_set (&shard->last_ticks, ticks);
	}
	ppi_field_set (&shard->all.n, n + 1);
	ppi_shard_close (shard, seq);
	return true;
}

#endif
