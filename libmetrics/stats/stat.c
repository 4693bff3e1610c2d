/* SPDX-License-Identifier: MIT */
/*
 * stat.c: statistics, as the program and the rooms behind this one read them; and samples by hand.
 */
#include "libmetrics/stats/stat.h"

#include "base/atomic.h"
#include "base/fp.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/summary.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/stats/merge.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/aggregate.h"
#include "libmetrics/thread/thread.h"

#include <errno.h>
#include <math.h>

/*
 * The window that the plain STATISTIC of METRIC is of, or NULL. A policy that is loaded again may
 * change it.
 */
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
		return statistic == PP_STAT_LAST
			       ? metric->spec.computed->value (metric->spec.computed, site)
			       : NAN;
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

	if (!metric || metric->unavailable ||
	    !ppi_keeps (metric->spec.accumulator, PPI_KEEPS_BUCKETS))
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

double ppi_thread_group_stat (const struct ppi_thread *thread, const pp_metric *metric,
			      const struct ppi_aggregate *aggregate, uint32_t group,
			      const pp_site *site, enum pp_statistic statistic)
{
	const struct ppi_group_entry *entry =
		ppi_group_entry_at (thread, aggregate->number, group, site->id);
	struct ppi_summary sum;

	if (!entry)
		return NAN;
	ppi_summary_init (&sum, PP_ABI_SAMPLE_INT, aggregate->accumulator);
	sum.wants_buckets = false;
	(void) ppi_summary_add_shard (&sum, ppi_group_shard (entry->chunk), 0, 1);
	return ppi_summary_get (&sum, statistic, ppi_metric_scale (metric));
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
	int alone = metric ? ppi_statistic_alone (metric->spec.accumulator) : -1;

	return alone < 0 ? NAN : pp_stat (metric, NULL, (enum pp_statistic) alone);
}

double pp_stat_over (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic,
		     double seconds)
{
	struct ppi_window *window = NULL;
	uint64_t ns;
	bool is_news;
	char why[256];
	int error = PP_OK, saved = errno;

	if (!metric || metric->unavailable || metric->spec.computed ||
	    !(seconds >= 1e-3 && seconds <= 86400e3) ||
	    !ppi_statistic_has_window (metric->spec.accumulator, statistic))
		return NAN;
	ns = (uint64_t) (seconds * 1e9 + 0.5);
	for (window = __atomic_load_n (&metric->windows, __ATOMIC_ACQUIRE); window;
	     window = window->next)
		if (window->ns == ns && ppi_load (&window->kept))
			break;
	if (!window) {
		ppi_lock ();
		error = ppi_window_acquire ((pp_metric *) (uintptr_t) metric, ns, &window, why,
					    sizeof why);
		if (!error)
			ppi_store (&window->kept, 1); /* it asks for it from now on */
		is_news = error && !metric->told_windows;
		if (is_news)
			((pp_metric *) (uintptr_t) metric)->told_windows = true;
		ppi_unlock ();
		if (is_news)
			ppi_message ("pp_stat_over (\"%s\", ...): %s (said once)",
				     metric->spec.name, why);
	}
	errno = saved;
	return error ? NAN : ppi_window_stat (window, site, statistic);
}

/* Each is one statistic of everything. */
#define OF_ALL(function, statistic)                                                                \
	double function (const pp_metric *metric)                                                  \
	{                                                                                          \
		return pp_stat (metric, NULL, PP_STAT_##statistic);                                \
	}
OF_ALL (pp_avg, AVG)
OF_ALL (pp_sum, SUM)
OF_ALL (pp_count, COUNT)
OF_ALL (pp_min, MIN)
OF_ALL (pp_max, MAX)
OF_ALL (pp_stddev, STDDEV)
OF_ALL (pp_variance, VARIANCE)
OF_ALL (pp_last, LAST)
OF_ALL (pp_total, TOTAL)
OF_ALL (pp_rate, RATE)
OF_ALL (pp_series_last, LAST)
