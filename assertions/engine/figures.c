/* SPDX-License-Identifier: MIT */
/*
 * figures.c: what reports can't compute from samples, because the program alone knows how:
 * composite metrics, statistics of the program's own, and what metrics have kept of the last while.
 * Computed here before a report or a copy of the recording is made, and left in the region.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/link.h"
#include "assertions/engine/post.h"
#include "assertions/engine/ring.h"
#include "base/atomic.h"
#include "base/chunk.h"
#include "base/fp.h"
#include "base/lock.h"
#include "base/part.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/source/users_statistic.h"
#include "libmetrics/stats/stat.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SITES 16              /* of a metric, whose windows are told each for itself */
#define FIGURES_OF_SITES 4096 /* no more for that when there are so many */

/* One value, and where it goes. Never freed, but in a child. [lock] */
struct figure {
	struct figure *next;
	pp_metric *metric;
	const pp_site *site; /* NULL: all of them */
	const char *name;    /* of the statistic; "" for a composite metric */
	const struct ppi_window *window;
	/*
	 * enum pp_statistic, or PP_STATISTICS + the number of one of the program's; -1: a composite
	 */
	int statistic;
	double value; /* of just now */
	struct ppi_figure_chunk *chunk;
};

static struct figure *figures, **figures_end = &figures;
static size_t n_figures;

/* What a window's line says. */
static const enum pp_statistic lately[] = {PP_STAT_COUNT, PP_STAT_RATE, PP_STAT_AVG, PP_STAT_MIN,
					   PP_STAT_MAX,   PP_STAT_P50,  PP_STAT_P99};

static void want (pp_metric *metric, const struct ppi_window *window, const pp_site *site,
		  int statistic, const char *name)
{
	struct figure *f = figures;

	while (f && (f->metric != metric || f->window != window || f->statistic != statistic ||
		     f->site != site))
		f = f->next;
	f = f ? NULL : calloc (1, sizeof *f);
	if (!f)
		return;
	f->metric = metric;
	f->window = window;
	f->site = site;
	f->statistic = statistic;
	f->name = name;
	*figures_end = f;
	figures_end = &f->next;
	n_figures++;
}

static void want_window (pp_metric *metric, const struct ppi_window *w, const pp_site *site)
{
	enum ppi_accumulator accumulator =
		(enum ppi_accumulator) ppi_metric_spec_of (metric)->accumulator;

	for (size_t i = 0; i < sizeof lately / sizeof *lately; i++)
		if (ppi_statistic_has_window (accumulator, lately[i]))
			want (metric, w, site, lately[i], ppi_statistic_name (lately[i]));
}

/*
 * Of a metric at several sites the first ones too, each for itself: reports are for people, and
 * each figure is read again every time.
 */
static void want_windows (pp_metric *metric)
{
	const pp_site *site[SITES];
	size_t n = ppi_metric_sites (metric, site, SITES);

	for (const struct ppi_window *w = NULL; (w = ppi_window_next (metric, w));) {
		want_window (metric, w, NULL);
		for (size_t i = 0; n > 1 && i < n && i < SITES && n_figures < FIGURES_OF_SITES; i++)
			want_window (metric, w, site[i]);
	}
}

static void want_of (pp_metric *metric, void *arg)
{
	const struct ppi_metric_spec *spec = ppi_metric_spec_of (metric);
	const char *name;

	(void) arg;
	if (spec->computed && ppi_metric_users (metric))
		want (metric, NULL, NULL, -1, "");
	if (spec->computed)
		return;
	for (unsigned i = 0; (name = ppi_users_statistic_name (i)); i++)
		want (metric, NULL, NULL, PP_STATISTICS + (int) i, name);
	want_windows (metric);
}

static double value_of (const struct figure *f)
{
	if (f->window)
		return ppi_window_is_used (f->window)
			       ? ppi_window_stat (f->window, f->site,
						  (enum pp_statistic) f->statistic)
			       : NAN;
	if (f->statistic < 0)
		return pp_get (f->metric);
	return ppi_users_stat (f->metric, NULL, (unsigned) (f->statistic - PP_STATISTICS));
}

static struct ppi_dimension dimension_of (const struct figure *f)
{
	int power;

	if (f->statistic < 0)
		return ppi_composite_dimension (f->metric);
	power = f->statistic < PP_STATISTICS
			? ppi_statistic_power ((enum pp_statistic) f->statistic)
			: ppi_users_statistic_power ((unsigned) (f->statistic - PP_STATISTICS));
	return power < 0 ? (struct ppi_dimension){-1, 0}
			 : ppi_dimension_of (ppi_metric_unit (f->metric), power);
}

/*
 * [lock] One that was never known is not told, but of a composite metric that is what is to be
 * told.
 */
static void put (struct figure *f)
{
	struct ppi_dimension dimension = dimension_of (f);

	if (!f->chunk && isnan (f->value) && f->statistic >= 0)
		return;
	if (!f->chunk) {
		if (ppi_metric_describe (f->metric) < 0)
			return;
		f->chunk = ppi_region_alloc (sizeof *f->chunk + strlen (f->name) + 1);
		if (!f->chunk)
			return;
		f->chunk->window_ns = f->window ? ppi_window_ns (f->window) : 0;
		f->chunk->site = f->site ? ppi_site_id (f->site) : 0;
		f->chunk->seconds = (int8_t) dimension.seconds;
		f->chunk->bytes = (int8_t) dimension.bytes;
		strcpy (f->chunk->name, f->name);
		ppi_region_publish (&f->chunk->chunk, PPI_CHUNK_FIGURE, ppi_metric_id (f->metric));
	}
	__atomic_store (&f->chunk->value, &f->value, __ATOMIC_RELAXED);
}

/* Without the lock: functions of the program's are called. What is in the list stays there. */
static void refresh (void)
{
	PPI_DEFAULT_FP;
	int saved = errno;
	struct figure *first;
	double *value;
	size_t n, i = 0;

	if (!ppi_load (ppi_assertions_alive) || ppi_in_inline ())
		return;
	ppi_lock ();
	ppi_metric_each (want_of, NULL);
	first = figures;
	n = n_figures;
	ppi_unlock ();
	value = calloc (n + 1, sizeof *value);
	for (struct figure *f = first; value && i < n; f = f->next)
		value[i++] = value_of (f);
	ppi_lock ();
	i = 0;
	for (struct figure *f = first; value && i < n; f = f->next) {
		f->value = value[i++];
		put (f);
	}
	ppi_unlock ();
	free (value);
	errno = saved;
}

static void forget_chunks (void)
{
	for (struct figure *f = figures; f; f = f->next)
		f->chunk = NULL;
}

const struct ppi_part ppi_figures_part = {.fork_child = forget_chunks, .figures = refresh};
