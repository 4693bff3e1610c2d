/* SPDX-License-Identifier: MIT */
/* snapshot.c: snapshots of metrics, and the statistics that the program computes from them. */
#include "libmetrics/stats/snapshot.h"

#include "base/named.h"
#include "base/twin.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/summary.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/source/users_statistic.h"
#include "libmetrics/stats/merge.h"
#include "libmetrics/stats/stat.h"
#include "libmetrics/tables/metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define COPY_TRIES 100

/* ---- samples --------------------------------------------------------------------------------- */

static bool make_room (struct pp_snapshot *s, uint64_t more)
{
	size_t room = s->room ? s->room : 64;
	double *samples;

	while (room < s->n_samples + more)
		room *= 2;
	if (room <= s->room)
		return true;
	samples = realloc (s->samples, room * sizeof *samples);
	if (!samples) {
		s->no_memory = true;
		return false;
	}
	s->samples = samples;
	s->room = room;
	return true;
}

static uint64_t get (const uint64_t *field)
{
	return __atomic_load_n (field, __ATOMIC_ACQUIRE);
}

static void copy (struct pp_snapshot *s, const uint64_t *from, uint64_t n)
{
	bool is_double = s->reading.sum.type == PP_ABI_SAMPLE_DOUBLE;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t bits = get (&from[i]);

		s->samples[s->n_samples++] =
			(is_double ? ppi_double_of (bits) : (double) (int64_t) bits) * s->scale;
	}
}

/*
 * The ring, oldest first; again where its owner went on meanwhile. After many tries, as it was met.
 */
static void copy_bounded (struct pp_snapshot *s, const struct ppi_series_shard *series)
{
	uint64_t size = ppi_series_size (series);
	size_t before = s->n_samples;
	uint32_t seq;
	int tries = COPY_TRIES;

	if (!make_room (s, size))
		return;
	do {
		uint64_t n, at;

		seq = __atomic_load_n (&series->shard.seq, __ATOMIC_ACQUIRE);
		n = get (&series->window.n);
		at = n < size ? 0 : get (&series->next);
		n = n > size ? size : n;
		at = at > n ? 0 : at;
		s->n_samples = before;
		copy (s, series->ring + at, n - at);
		copy (s, series->ring, at);
	} while ((seq & 1 || __atomic_load_n (&series->shard.seq, __ATOMIC_RELAXED) != seq) &&
		 tries--);
}

/*
 * False: a chunk that was copied, or led to the next one, has left meanwhile (unbounded.c). Else
 * chunks are only appended to: what `kept` says is there. A reset sets it to 0 first; then what is
 * copied is of after it.
 */
static bool copy_chunks (struct pp_snapshot *s, const struct ppi_unbounded_shard *u)
{
	uint64_t at = __atomic_load_n (ppi_twin (&u->gone), __ATOMIC_ACQUIRE);
	int64_t place = __atomic_load_n (ppi_twin (&u->first), __ATOMIC_ACQUIRE);
	uint64_t left = get (ppi_twin (&u->kept));

	if (!make_room (s, left))
		return true;
	while (place && left) {
		const uint64_t *sample =
			(const uint64_t *) (const void *) ((const char *) u + place);
		const struct ppi_samples_chunk *chunk =
			(const void *) ((const char *) sample -
					offsetof (struct ppi_samples_chunk, sample));
		uint64_t room = ppi_twin (chunk)->room, n = room < left ? room : left;

		copy (s, sample, n);
		left -= n;
		place = __atomic_load_n (ppi_twin (&chunk->next), __ATOMIC_ACQUIRE);
		if (__atomic_load_n (ppi_twin (&u->gone), __ATOMIC_ACQUIRE) > at)
			return false;
		at += room;
	}
	return true;
}

static void copy_unbounded (struct pp_snapshot *s, const struct ppi_unbounded_shard *u)
{
	size_t before = s->n_samples;
	int tries = COPY_TRIES;

	while (!copy_chunks (s, u) && tries--)
		s->n_samples = before;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static struct pp_snapshot *snapshot_of (struct ppi_merge *r)
{
	return (struct pp_snapshot *) (void *) r;
}

static void restart (struct ppi_merge *r)
{
	snapshot_of (r)->n_samples = 0;
}

static void copy_samples (struct ppi_merge *r, const struct ppi_shard *shard)
{
	if (ppi_keeps (r->sum.accumulator, PPI_KEEPS_RING))
		copy_bounded (snapshot_of (r), (const struct ppi_series_shard *) shard);
	if (ppi_keeps (r->sum.accumulator, PPI_KEEPS_CHUNKS))
		copy_unbounded (snapshot_of (r), (const struct ppi_unbounded_shard *) shard);
}

void ppi_snapshot_take (struct pp_snapshot *s, const pp_metric *m, const pp_site *site)
{
	*s = (struct pp_snapshot){.scale = ppi_metric_scale (m)};
	ppi_merge_init (&s->reading, m, site, PP_STATISTICS);
	s->reading.restart = restart;
	s->reading.also = copy_samples;
	ppi_merge_read (&s->reading);
}

void ppi_snapshot_clear (struct pp_snapshot *s)
{
	ppi_summary_clear (&s->reading.sum);
	free (s->samples);
	s->samples = NULL;
}

const pp_metric *pp_snapshot_metric (const pp_snapshot *s)
{
	return s ? s->reading.metric : NULL;
}

double pp_snapshot_stat (const pp_snapshot *s, enum pp_statistic statistic)
{
	return s && (unsigned) statistic < PP_STATISTICS
		       ? ppi_summary_get (&s->reading.sum, statistic, s->scale)
		       : NAN;
}

double pp_snapshot_quantile (const pp_snapshot *s, double q)
{
	return s && ppi_keeps (s->reading.sum.accumulator, PPI_KEEPS_BUCKETS)
		       ? ppi_summary_quantile (&s->reading.sum, q, s->scale)
		       : NAN;
}

size_t pp_snapshot_samples (const pp_snapshot *s, const double **samples)
{
	if (samples)
		*samples = s ? s->samples : NULL;
	return s ? s->n_samples : 0;
}

double ppi_users_stat (const pp_metric *metric, const pp_site *site, unsigned number)
{
	const struct ppi_named *one = ppi_users_statistic_numbered (number);
	pp_statistic_fn fn =
		one ? (pp_statistic_fn) __atomic_load_n (&one->function, __ATOMIC_ACQUIRE) : NULL;
	struct pp_snapshot snapshot;
	double value = NAN;

	if (!fn || !metric || metric->unavailable || metric->spec.computed)
		return NAN;
	ppi_snapshot_take (&snapshot, metric, site);
	if (snapshot.reading.sum.all.n && !snapshot.no_memory)
		value = fn (&snapshot, one->arg);
	ppi_snapshot_clear (&snapshot);
	return value;
}

double pp_stat_named (const pp_metric *metric, const pp_site *site, const char *name)
{
	int statistic = name ? ppi_statistic_parse (name) : -1, number;

	if (statistic >= 0)
		return pp_stat (metric, site, (enum pp_statistic) statistic);
	number = name ? ppi_users_statistic (name, NULL) : -1;
	return number >= 0 ? ppi_users_stat (metric, site, (unsigned) number) : NAN;
}
