/* SPDX-License-Identifier: MIT */
/* window.c: statistics over windows of time (tables/window.h). */
#include "base/atomic.h"
#include "libmetrics/keep/summary.h"
#include "libmetrics/region/wiped.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/stats/merge.h"
#include "libmetrics/stats/stat.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/thread.h"

#include <math.h>

double ppi_window_stat (const struct ppi_window *w, const pp_site *site,
			enum pp_statistic statistic)
{
	struct ppi_merge r;
	double value;

	if (w->metric->unavailable || !ppi_load (ppi_alive))
		return NAN;
	ppi_merge_init_window (&r, w, site, statistic);
	ppi_merge_read (&r);
	value = ppi_summary_get (&r.sum, statistic, ppi_metric_scale (w->metric));
	ppi_summary_clear (&r.sum);
	return value;
}

double ppi_window_thread_stat (struct ppi_thread *thread, const struct ppi_window *w,
			       const pp_site *site, enum pp_statistic statistic)
{
	struct ppi_merge r;

	if (w->metric->unavailable)
		return NAN;
	ppi_merge_init_window (&r, w, site, statistic);
	r.sum.wants_buckets = false;
	ppi_merge_own (&r, thread, false);
	return ppi_summary_get (&r.sum, statistic, ppi_metric_scale (w->metric));
}
