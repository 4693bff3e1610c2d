/* SPDX-License-Identifier: MIT */
/* fold.c: see fold.h. */
#include "libmetrics/keep/fold.h"

#include "base/atomic.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/field.h"
#include "libmetrics/keep/shard.h"

/* Chan's merge of two sets of moments; integers simply add. */
static void fold_moments (struct ppi_moments *into, const struct ppi_moments *from, bool is_double)
{
	double n = (double) into->n, m = (double) from->n, delta;
	unsigned __int128 squares;

	if (!is_double) {
		ppi_field_set_wide (into->sum, ppi_field_get_wide (into->sum) +
						       ppi_field_get_wide (from->sum));
		/* where one has passed what fits, so has their sum (ppi_squares_add) */
		if (__builtin_add_overflow (ppi_field_get_wide (into->squares),
					    ppi_field_get_wide (from->squares), &squares))
			squares = ~(unsigned __int128) 0;
		ppi_field_set_wide (into->squares, squares);
	} else if (from->n) {
		delta = ppi_double_of (from->sum[0]) - ppi_double_of (into->sum[0]);
		into->squares[0] = ppi_bits_of (ppi_double_of (into->squares[0]) +
						ppi_double_of (from->squares[0]) +
						delta * delta * n * m / (n + m));
		into->sum[0] = ppi_bits_of (ppi_double_of (into->sum[0]) + delta * m / (n + m));
		into->sum[1] =
			ppi_bits_of (ppi_double_of (into->sum[1]) + ppi_double_of (from->sum[1]));
	}
	ppi_field_set (&into->n, into->n + from->n);
}

static bool is_less (uint64_t a, uint64_t b, bool is_double)
{
	return is_double ? ppi_double_of (a) < ppi_double_of (b) : (int64_t) a < (int64_t) b;
}

static double more_of (const struct ppi_shard *s, uint32_t epoch)
{
	double more = 0;

	if (ppi_load (&s->more_epoch) == epoch)
		__atomic_load (&s->more, &more, __ATOMIC_RELAXED);
	return more;
}

void ppi_shard_add_more (struct ppi_shard *s, uint32_t epoch, double more)
{
	more += more_of (s, epoch);
	__atomic_store (&s->more, &more, __ATOMIC_RELAXED);
	ppi_store (&s->more_epoch, epoch);
}

static void fold_more (struct ppi_shard *into, const struct ppi_shard *from)
{
	double more = more_of (from, ppi_load (&from->epoch));

	if (more != 0)
		ppi_shard_add_more (into, ppi_load (&into->epoch), more);
}

void ppi_shard_fold (struct ppi_shard *into, const struct ppi_shard *from, unsigned accumulator,
		     enum pp_abi_sample_type type)
{
	const struct ppi_keep *keep = ppi_keep_of (accumulator);
	bool is_double = type == PP_ABI_SAMPLE_DOUBLE && keep->keeps;
	bool older = into->all.n && from->last_ticks < into->last_ticks;
	uint32_t seq = ppi_shard_open (into);

	if (keep->fold)
		keep->fold (into, from, is_double, older);
	if (!into->all.n || is_less (from->min, into->min, is_double))
		ppi_field_set (&into->min, from->min);
	if (!into->all.n || is_less (into->max, from->max, is_double))
		ppi_field_set (&into->max, from->max);
	if (from->last_ticks >= into->last_ticks) {
		ppi_field_set (&into->last, from->last);
		ppi_field_set (&into->last_ticks, from->last_ticks);
	}
	fold_moments (&into->all, &from->all, is_double);
	fold_more (into, from);
	ppi_shard_close (into, seq);
}
