/* SPDX-License-Identifier: MIT */
/*
 * accumulate_double.h: how the owner of a shard adds a double sample to it. Not for the hot path,
 * which has no floating point.
 *
 * Moments by Welford: mean += (x - mean) / n, M2 += (x - old mean) (x - new mean). With u = 2^-53
 * and κ = sqrt (Σx² / M2) the relative error of the variance is at most about n κ u, that of the
 * mean n u (Σ|x| / |Σx|), that of the sum the same; the naive Σx² - (Σx)²/n would have n κ² u.
 */
#ifndef PPI_KEEP_ACCUMULATE_DOUBLE_H
#define PPI_KEEP_ACCUMULATE_DOUBLE_H

#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/field.h"
#include "libmetrics/keep/shard.h"

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
	ppi_field_set (&moments->sum[1],
		       ppi_bits_of (ppi_double_of (ppi_field_get (&moments->sum[1])) + x));
	ppi_field_set (&moments->squares[0], ppi_bits_of (m2 + delta * (x - mean)));
}

/*
 * As ppi_accumulate_int. A NaN is no sample: false, nothing changed, the caller counts it as
 * PP_DROP_UNKNOWN.
 */
static inline bool ppi_accumulate_double (struct ppi_shard *shard, unsigned accumulator, double x,
					  uint64_t ticks)
{
	const struct ppi_keep *keep = ppi_keep_of (accumulator);
	uint64_t n = ppi_field_get (&shard->all.n), *place = NULL, bits = ppi_bits_of (x);
	uint32_t seq;

	if (__builtin_isnan (x))
		return false;
	if (keep->make_double)
		place = keep->make_double (shard, bits);
	seq = ppi_shard_open (shard);
	if (keep->keeps & PPI_KEEPS_SUM)
		ppi_moments_add_double (&shard->all, n, x);
	if (keep->keeps & PPI_KEEPS_RANGE &&
	    (n == 0 || x < ppi_double_of (ppi_field_get (&shard->min))))
		ppi_field_set (&shard->min, bits);
	if (keep->keeps & PPI_KEEPS_RANGE &&
	    (n == 0 || x > ppi_double_of (ppi_field_get (&shard->max))))
		ppi_field_set (&shard->max, bits);
	if (keep->keeps & PPI_KEEPS_LAST) {
		ppi_field_set (&shard->last, bits);
		ppi_field_set (&shard->last_ticks, ticks);
	}
	if (keep->add_double)
		keep->add_double (shard, bits, place);
	ppi_field_set (&shard->all.n, n + 1);
	ppi_shard_close (shard, seq);
	return true;
}

#endif
