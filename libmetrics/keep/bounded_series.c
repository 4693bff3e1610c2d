/* SPDX-License-Identifier: MIT */
/*
 * bounded_series.c: the window of a bounded_series of doubles, and the folding of one whose thread
 * has ended; see bounded_series.h.
 */
#include "libmetrics/keep/bounded_series.h"

#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/field.h"
#include "libmetrics/keep/shard.h"

/* X takes the place of OLDEST in a full window of N samples. */
static void replace (struct ppi_moments *moments, uint64_t n, double oldest, double x)
{
	double before = ppi_double_of (ppi_field_get (&moments->sum[0]));
	double delta = x - oldest;
	double mean = before + delta / (double) n;
	double m2 = ppi_double_of (ppi_field_get (&moments->squares[0])) +
		    delta * ((x - mean) + (oldest - before));

	ppi_field_set (&moments->sum[0], ppi_bits_of (mean));
	ppi_field_set (&moments->sum[1],
		       ppi_bits_of (ppi_double_of (ppi_field_get (&moments->sum[1])) + delta));
	/* a NaN stays one */
	ppi_field_set (&moments->squares[0], ppi_bits_of (m2 > 0 ? m2 : m2 <= 0 ? 0 : m2));
}

/* At each wrap the window is exactly what FRESH has seen. */
static void renew (struct ppi_series_shard *series)
{
	ppi_field_set (&series->window.sum[0], ppi_field_get (&series->fresh.sum[0]));
	ppi_field_set (&series->window.sum[1], ppi_field_get (&series->fresh.sum[1]));
	ppi_field_set (&series->window.squares[0], ppi_field_get (&series->fresh.squares[0]));
	ppi_moments_clear (&series->fresh);
}

#define SUMMED_ANEW 1024u /* samples at most: some microseconds */

/*
 * Is OLDEST, which has left the window, so much larger than what is left, by average and scatter,
 * that more than 2^-31 of that is rounding? True, too, where an infinity was or is there.
 */
static bool is_lost (const struct ppi_moments *window, uint64_t n, double oldest)
{
	double mean = ppi_double_of (ppi_field_get (&window->sum[0]));
	double m2 = ppi_double_of (ppi_field_get (&window->squares[0]));
	double rest = __builtin_fabs (oldest) * 0x1p-22;

	return !(rest <= __builtin_fabs (mean) || rest * rest <= m2 / (double) n);
}

/* The window's moments of what is in its ring, which is full. */
static void sum_anew (struct ppi_series_shard *series)
{
	ppi_field_set (&series->window.sum[0], 0);
	ppi_field_set (&series->window.sum[1], 0);
	ppi_field_set (&series->window.squares[0], 0);
	for (uint64_t i = 0; i < ppi_series_size (series); i++)
		ppi_moments_add_double (&series->window, i,
					ppi_double_of (ppi_field_get (&series->ring[i])));
}

static void slide_double (struct ppi_series_shard *series, double x)
{
	uint64_t size = ppi_series_size (series), next = ppi_series_next (series, size);
	uint64_t n = ppi_field_get (&series->window.n);
	uint64_t fresh = ppi_field_get (&series->fresh.n);
	double oldest = n == size ? ppi_double_of (ppi_field_get (&series->ring[next])) : 0;

	if (n == size)
		replace (&series->window, n, oldest, x);
	else
		ppi_moments_add_double (&series->window, n, x);
	ppi_moments_add_double (&series->fresh, fresh, x);
	ppi_field_set (&series->fresh.n, fresh + 1);
	ppi_field_set (&series->ring[next], ppi_bits_of (x));
	ppi_field_set (&series->next, next + 1);
	if (n != size)
		ppi_field_set (&series->window.n, n + 1);
	else if (n <= SUMMED_ANEW && next + 1 != n && is_lost (&series->window, n, oldest))
		sum_anew (series);
	if (next + 1 == size)
		renew (series);
}

void ppi_series_add_double (struct ppi_shard *shard, uint64_t bits, uint64_t *place)
{
	(void) place;
	slide_double ((struct ppi_series_shard *) shard, ppi_double_of (bits));
}

/* ---- folding --------------------------------------------------------------------------------- */

/* How many samples are in a ring, and the place of the oldest. */
static uint64_t ring_used (const struct ppi_series_shard *s)
{
	uint64_t n = ppi_field_get (&s->window.n), size = ppi_series_size (s);

	return n < size ? n : size;
}

static uint64_t ring_oldest (const struct ppi_series_shard *s, uint64_t used)
{
	uint64_t size = ppi_series_size (s);

	return used < size ? 0 : ppi_series_next (s, size);
}

static void reverse (uint64_t *samples, uint64_t n)
{
	for (uint64_t i = 0; i < n / 2; i++) {
		uint64_t x = samples[i];

		ppi_field_set (&samples[i], samples[n - 1 - i]);
		ppi_field_set (&samples[n - 1 - i], x);
	}
}

/*
 * A window that has ended goes through the retired one sample by sample, which keeps the newest of
 * all: of one whose newest sample is OLDER than that of the retired one so many of its newest as
 * there is room for, before the others. Their sums don't depend on the order.
 */
void ppi_series_fold (struct ppi_shard *shard, const struct ppi_shard *ended, bool is_double,
		      bool older)
{
	struct ppi_series_shard *into = (struct ppi_series_shard *) shard;
	const struct ppi_series_shard *from = (const struct ppi_series_shard *) ended;
	uint64_t n = ring_used (from), had = ring_used (into), size = ppi_series_size (from);
	uint64_t room = ppi_series_size (into) - had, skip = older && n > room ? n - room : 0;
	uint64_t at = (ring_oldest (from, n) + skip) % size;

	for (uint64_t i = skip; i < n; i++, at = at + 1 == size ? 0 : at + 1) {
		if (is_double)
			slide_double (into, ppi_double_of (from->ring[at]));
		else
			ppi_window_slide_int (into, (int64_t) from->ring[at]);
	}
	if (older && had && skip < n) {
		/*
		 * there was room, so the ring begins with its oldest: what had come goes behind
		 * what came now
		 */
		reverse (into->ring, had);
		reverse (into->ring + had, n - skip);
		reverse (into->ring, had + n - skip);
	}
}
