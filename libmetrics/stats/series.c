/* SPDX-License-Identifier: MIT */
/* series.c: the calling thread's own series, sample by sample, and what is computed from them. */
#include "libmetrics/stats/series.h"

#include "base/atomic.h"
#include "base/message.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/unbounded.h"
#include "libmetrics/region/wiped.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/stats/stat.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/thread/thread.h"

#include <math.h>
#include <string.h>

/*
 * Calls FN for the pieces of one series, oldest first, until it returns non-zero; adds the samples
 * to *N.
 */
static int view_bounded (const struct ppi_series_shard *s, struct pp_series_piece *piece,
			 int (*fn) (const struct pp_series_piece *, void *), void *arg, long *n)
{
	uint64_t size = ppi_series_size (s), n_now = ppi_field_get (&s->window.n),
		 used = n_now < size ? n_now : size;
	uint64_t at = used < size ? 0 : ppi_series_next (s, size);
	uint64_t first = used - at, length[2] = {first, used - first}, from[2] = {at, 0};
	int r = 0;

	if (used < size) {
		length[0] = used;
		length[1] = 0;
	}
	for (int i = 0; i < 2 && !r; i++) {
		piece->samples = &s->ring[from[i]];
		piece->n = (size_t) length[i];
		*n += (long) length[i];
		r = length[i] ? fn (piece, arg) : 0;
	}
	return r;
}

static int view_unbounded (const struct ppi_unbounded_shard *u, struct pp_series_piece *piece,
			   int (*fn) (const struct pp_series_piece *, void *), void *arg, long *n)
{
	uint64_t length;
	int r = 0;

	for (const uint64_t *at = NULL; !r && (at = ppi_unbounded_next (u, at, &length));) {
		piece->samples = at;
		piece->n = (size_t) length;
		*n += (long) length;
		r = fn (piece, arg);
	}
	return r;
}

static int view (const pp_metric *m, const struct ppi_shard *s, struct pp_series_piece *piece,
		 int (*fn) (const struct pp_series_piece *, void *), void *arg, long *n)
{
	if (ppi_keeps (m->spec.accumulator, PPI_KEEPS_RING))
		return view_bounded ((const struct ppi_series_shard *) s, piece, fn, arg, n);
	return view_unbounded ((const struct ppi_unbounded_shard *) s, piece, fn, arg, n);
}

static bool keeps_series (const pp_metric *m)
{
	return ppi_keeps (m->spec.accumulator, PPI_KEEPS_SAMPLES);
}

static const struct ppi_binding *first_of (const pp_metric *m)
{
	return ppi_thread_self () && ppi_load (ppi_alive)
		       ? __atomic_load_n (&m->bindings, __ATOMIC_ACQUIRE)
		       : NULL;
}

/* The calling thread's samples of a binding; NULL: none. PIECE is made ready for them. */
static const struct ppi_shard *series_of (const struct ppi_binding *b,
					  struct pp_series_piece *piece)
{
	const struct ppi_shard *s = ppi_hot_shard (ppi_thread_self ()->hot, b->op.slot);

	*piece = (struct pp_series_piece){.site = b->site,
					  .scale = ppi_metric_scale (b->metric),
					  .is_double = b->metric->instance.sample_type ==
						       PP_ABI_SAMPLE_DOUBLE};
	return s && s->epoch == ppi_load (&b->metric->epoch) ? s : NULL;
}

long pp_series_view (const pp_metric *metric,
		     int (*fn) (const struct pp_series_piece *piece, void *arg), void *arg)
{
	struct pp_series_piece piece;
	long n = 0;
	int r = 0;

	if (!metric || !fn)
		return PP_EINVAL;
	if (!keeps_series (metric))
		return PP_EKIND;
	for (const struct ppi_binding *b = first_of (metric); b && !r; b = b->next_of_metric) {
		const struct ppi_shard *s = series_of (b, &piece);

		if (s)
			r = view (metric, s, &piece, fn, arg, &n);
	}
	ppi_thread_has_read ();
	return n;
}

static double sample_of (const struct pp_series_piece *piece, size_t i)
{
	uint64_t bits = ppi_field_get ((const uint64_t *) piece->samples + i);

	return (piece->is_double ? ppi_double_of (bits) : (double) (int64_t) bits) * piece->scale;
}

struct copy {
	double *out;
	size_t n, room;
};

static int copy_piece (const struct pp_series_piece *piece, void *arg)
{
	struct copy *copy = arg;

	for (size_t i = 0; i < piece->n && copy->n < copy->room; i++)
		copy->out[copy->n++] = sample_of (piece, i);
	return 0;
}

long pp_series_copy (const pp_metric *metric, double *out, size_t room)
{
	struct copy copy = {out, 0, room};

	if (!out && room)
		return PP_EINVAL;
	return pp_series_view (metric, copy_piece, &copy);
}

/* ---- moving averages ------------------------------------------------------------------------- */

struct moving {
	size_t skip, n; /* samples that are too old; those that aren't */
	double sum, ewma, alpha;
};

static int move_on (const struct pp_series_piece *piece, void *arg)
{
	struct moving *m = arg;

	for (size_t i = 0; i < piece->n; i++) {
		double x = sample_of (piece, i);

		if (m->skip) {
			m->skip--;
			continue;
		}
		m->ewma = m->n ? m->ewma + m->alpha * (x - m->ewma) : x;
		m->sum += x;
		m->n++;
	}
	return 0;
}

static int look (const struct pp_series_piece *piece, void *arg)
{
	(void) piece;
	(void) arg;
	return 0;
}

double pp_moving_avg (const pp_metric *metric, size_t k)
{
	struct moving all = {0};
	struct pp_series_piece piece;

	if (!metric || !k || !keeps_series (metric))
		return NAN;
	for (const struct ppi_binding *b = first_of (metric); b; b = b->next_of_metric) {
		const struct ppi_shard *s = series_of (b, &piece);
		long n = 0;

		if (!s)
			continue;
		view (metric, s, &piece, look, NULL, &n);
		all.skip = (size_t) n > k ? (size_t) n - k : 0;
		view (metric, s, &piece, move_on, &all, &n);
	}
	ppi_thread_has_read ();
	return all.n ? all.sum / (double) all.n : NAN;
}

double pp_ewma (const pp_metric *metric, double alpha)
{
	struct pp_series_piece piece;
	double sum = 0, sites = 0;

	if (!metric || !(alpha > 0 && alpha <= 1) || !keeps_series (metric))
		return NAN;
	for (const struct ppi_binding *b = first_of (metric); b; b = b->next_of_metric) {
		const struct ppi_shard *s = series_of (b, &piece);
		struct moving one = {.alpha = alpha};
		long n = 0;

		if (s)
			view (metric, s, &piece, move_on, &one, &n);
		sum += one.ewma;
		sites += one.n > 0;
	}
	ppi_thread_has_read ();
	return sites > 0 ? sum / sites : NAN;
}

/* ---- full series ----------------------------------------------------------------------------- */

static void tell_full (pp_metric *m, void *arg)
{
	double lost;

	(void) arg;
	if (!ppi_keeps (m->spec.accumulator, PPI_KEEPS_CHUNKS) || m->told_full || m->unavailable)
		return;
	lost = ppi_stat (m, NULL, PP_STAT_LOST);
	if (!(lost > 0))
		return;
	m->told_full = true;
	ppi_message ("the series of metric \"%s\" takes no more samples (maxSize=%llu, or the live "
		     "region is full); they are counted in its statistic lost, and its other "
		     "statistics go on",
		     m->spec.name, (unsigned long long) m->spec.size);
}

void ppi_series_tell_full (void)
{
	if (__atomic_exchange_n (&ppi_unbounded_full, 0, __ATOMIC_RELAXED))
		ppi_metric_each (tell_full, NULL);
}
