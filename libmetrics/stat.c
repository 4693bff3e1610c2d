/* SPDX-License-Identifier: MIT */
/* stat.c: statistics, as the program and the rooms behind this one read them; and samples by hand. */
#include "accumulate_double.h"
#include "fp.h"
#include "base.h"
#include "merge.h"

#include <errno.h>
#include <math.h>

/* The window that the plain STATISTIC of METRIC is of, or NULL. A policy that is loaded again may change it. */
static const struct ppi_window *window_of (const pp_metric *metric, enum pp_statistic statistic)
{
	const struct ppi_window *w = __atomic_load_n (&metric->window, __ATOMIC_ACQUIRE);

	return w && ppi_statistic_has_window (metric->spec.accumulator, statistic) ? w : NULL;
}

double ppi_stat (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic)
{
	const struct ppi_window *w;
	struct ppi_merge r;
	double value;

	if (!metric || metric->unavailable)
		return NAN;
	if (metric->spec.computed) /* it has one value and no samples */
		return statistic == PP_STAT_LAST ? metric->spec.computed->value (metric->spec.computed, site) : NAN;
	if (!ppi_statistic_exists (metric->spec.accumulator, statistic))
		return NAN;
	if ((w = window_of (metric, statistic)))
		return ppi_window_stat (w, site, statistic);
	ppi_merge_init (&r, metric, site, statistic);
	ppi_merge_read (&r);
	value = ppi_summary_get (&r.sum, statistic, ppi_metric_scale (metric));
	ppi_summary_clear (&r.sum);
	return value;
}

double pp_quantile (const pp_metric *metric, double q)
{
	struct ppi_merge r;
	double value;

	if (!metric || metric->unavailable || metric->spec.accumulator != PPI_HISTOGRAM)
		return NAN;
	ppi_merge_init (&r, metric, NULL, PP_STAT_P50);
	ppi_merge_read (&r);
	value = ppi_summary_quantile (&r.sum, q, ppi_metric_scale (metric));
	ppi_summary_clear (&r.sum);
	return value;
}

double ppi_thread_stat (struct ppi_thread *thread, const pp_metric *metric, const pp_site *site,
			enum pp_statistic statistic)
{
	const struct ppi_window *w;
	struct ppi_merge r;

	if (metric->unavailable)
		return NAN;
	if ((w = window_of (metric, statistic)))
		return ppi_window_thread_stat (thread, w, site, statistic);
	ppi_merge_init (&r, metric, site, statistic);
	r.sum.wants_buckets = false;
	ppi_merge_own (&r, thread, false);
	return ppi_summary_get (&r.sum, statistic, ppi_metric_scale (metric));
}

double pp_stat (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic)
{
	PPI_DEFAULT_FP;

	if (!metric || (unsigned) statistic >= PP_STATISTICS)
		return NAN;
	return ppi_stat (metric, site, statistic);
}

double pp_thread_stat (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic)
{
	const struct ppi_window *w;
	struct ppi_merge r;
	double value;

	if (!metric || metric->unavailable || metric->spec.computed ||
	    !ppi_statistic_exists (metric->spec.accumulator, statistic))
		return NAN;
	if ((w = window_of (metric, statistic)))
		ppi_merge_init_window (&r, w, site, statistic);
	else
		ppi_merge_init (&r, metric, site, statistic);
	ppi_merge_own (&r, ppi_thread_self (), true);
	ppi_thread_has_read ();
	value = ppi_summary_get (&r.sum, statistic, ppi_metric_scale (metric));
	ppi_summary_clear (&r.sum);
	return value;
}

double pp_get (const pp_metric *metric)
{
	bool counts = metric && metric->spec.accumulator == PPI_COUNT;

	/* as in expressions: what a metric's name stands for where no statistic is said */
	return !metric || (!counts && metric->spec.accumulator != PPI_SCALAR)
		       ? NAN
		       : pp_stat (metric, NULL, counts ? PP_STAT_N : PP_STAT_LAST);
}

double pp_stat_over (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic, double seconds)
{
	struct ppi_window *window = NULL;
	uint64_t ns;
	bool is_news;
	char why[256];
	int error = PP_OK, saved = errno;

	if (!metric || metric->unavailable || metric->spec.computed || !(seconds >= 1e-3 && seconds <= 86400e3) ||
	    !ppi_statistic_has_window (metric->spec.accumulator, statistic))
		return NAN;
	ns = (uint64_t) (seconds * 1e9 + 0.5);
	for (window = __atomic_load_n (&metric->windows, __ATOMIC_ACQUIRE); window; window = window->next)
		if (window->ns == ns && ppi_load (&window->kept))
			break;
	if (!window) {
		ppi_lock ();
		error = ppi_window_acquire ((pp_metric *) (uintptr_t) metric, ns, &window, why, sizeof why);
		if (!error)
			ppi_store (&window->kept, 1); /* it asks for it from now on */
		is_news = error && !metric->told_windows;
		if (is_news)
			((pp_metric *) (uintptr_t) metric)->told_windows = true;
		ppi_unlock ();
		if (is_news)
			ppi_message ("pp_stat_over (\"%s\", ...): %s (said once)", metric->spec.name, why);
	}
	errno = saved;
	return error ? NAN : ppi_window_stat (window, site, statistic);
}

double pp_avg (const pp_metric *metric)
{
	return pp_stat (metric, NULL, PP_STAT_AVG);
}

double pp_sum (const pp_metric *metric)
{
	return pp_stat (metric, NULL, PP_STAT_SUM);
}

double pp_count (const pp_metric *metric)
{
	return pp_stat (metric, NULL, PP_STAT_COUNT);
}

double pp_min (const pp_metric *metric)
{
	return pp_stat (metric, NULL, PP_STAT_MIN);
}

double pp_max (const pp_metric *metric)
{
	return pp_stat (metric, NULL, PP_STAT_MAX);
}

double pp_stddev (const pp_metric *metric)
{
	return pp_stat (metric, NULL, PP_STAT_STDDEV);
}

double pp_variance (const pp_metric *metric)
{
	return pp_stat (metric, NULL, PP_STAT_VARIANCE);
}

double pp_last (const pp_metric *metric)
{
	return pp_stat (metric, NULL, PP_STAT_LAST);
}

double pp_total (const pp_metric *metric)
{
	return pp_stat (metric, NULL, PP_STAT_TOTAL);
}

double pp_rate (const pp_metric *metric)
{
	return pp_stat (metric, NULL, PP_STAT_RATE);
}

double pp_series_last (const pp_metric *metric)
{
	return pp_last (metric);
}

/* ---- samples by hand --------------------------------------------------------------------------------------------- */

struct ppi_binding *ppi_sample_binding (pp_metric *m)
{
	struct ppi_binding *b = __atomic_load_n (&m->own, __ATOMIC_ACQUIRE);
	int saved = errno;

	if (b && __atomic_load_n (&b->chunk, __ATOMIC_ACQUIRE) && ppi_load (ppi_alive))
		return b;
	/* the first time, also in a child; where no site has a say yet, samples are what they are given as */
	ppi_lock ();
	if (m->instance.source->class == PPI_SOURCE_VALUE && !m->bindings && !m->chunk)
		m->instance.sample_type = PP_ABI_SAMPLE_DOUBLE;
	b = ppi_binding_get (m, NULL);
	if (b && ppi_binding_describe (b) < 0)
		b = NULL;
	ppi_sources_use (true);
	ppi_unlock ();
	errno = saved;
	return b;
}

int ppi_sample_prepare (pp_metric *metric)
{
	return metric->unavailable || ppi_sample_binding (metric) ? PP_OK : PP_ENOMEM;
}

int pp_sample (pp_metric *metric, double sample)
{
	bool is_double;
	union ppi_sample raw;
	struct ppi_binding *b;
	struct ppi_thread *t;
	struct ppi_shard *s;

	if (!metric || isnan (sample) || metric->spec.computed)
		return PP_EINVAL;
	b = ppi_sample_binding (metric);
	if (!b)
		return PP_ENOMEM;
	/* the binding decides, if it is the metric's first */
	is_double = metric->instance.sample_type == PP_ABI_SAMPLE_DOUBLE && metric->spec.accumulator != PPI_COUNT;
	/* an integer that there is not */
	if (!is_double && metric->spec.accumulator != PPI_COUNT &&
	    !(fabs (sample / ppi_metric_scale (metric)) < 0x1p63))
		return PP_EINVAL;
	t = ppi_thread_enter ((uintptr_t) __builtin_frame_address (0));
	if (!t)
		return PP_ESTATE;
	s = ppi_shard_get (t, &b->op);
	if (is_double)
		raw.d = sample / ppi_metric_scale (metric);
	else if (metric->spec.accumulator == PPI_COUNT)
		raw.i = 0;
	else
		raw.i = (int64_t) llrint (sample / ppi_metric_scale (metric));
	if (s && is_double)
		ppi_accumulate_double (s, metric->spec.accumulator, raw.d, b->op.stamped ? ppi_stamp () : ppi_ticks ());
	else if (s)
		ppi_accumulate_int_any (s, metric->spec.accumulator, raw.i,
					b->op.stamped ? ppi_stamp () : ppi_ticks ());
	if (s && ppi_unlikely (b->windows))
		ppi_windows_add (t, b, is_double, raw);
	ppi_thread_leave (t);
	return s ? PP_OK : PP_ENOMEM;
}
