/* SPDX-License-Identifier: MIT */
/*
 * stat.h: statistics of what was kept.
 */
#ifndef PPI_STATS_STAT_H
#define PPI_STATS_STAT_H

#include <pp.h>

struct ppi_aggregate;
struct ppi_thread;
struct ppi_window;

/*
 * Merged over threads; SITE NULL: over all sites. NaN: unknown. Scaled to the metric's unit. Any
 * thread, no lock needed.
 */
double ppi_stat (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic);

double ppi_users_stat (const pp_metric *metric, const pp_site *site, unsigned number);

/*
 * The calling thread's own samples of METRIC at SITE (NULL: at all sites), inside a check. O(1)
 * statistics only. NaN: unknown.
 */
double ppi_thread_stat (struct ppi_thread *thread, const pp_metric *metric, const pp_site *site,
			enum pp_statistic statistic);

/* The same of those of GROUP, a number of the AGGREGATE's. METRIC measures the time. */
double ppi_thread_group_stat (const struct ppi_thread *thread, const pp_metric *metric,
			      const struct ppi_aggregate *aggregate, uint32_t group,
			      const pp_site *site, enum pp_statistic statistic);

/*
 * As ppi_stat and ppi_thread_stat, over the window; statistics for which ppi_statistic_has_window.
 */
double ppi_window_stat (const struct ppi_window *window, const pp_site *site,
			enum pp_statistic statistic);

double ppi_window_thread_stat (struct ppi_thread *thread, const struct ppi_window *window,
			       const pp_site *site, enum pp_statistic statistic);

#endif
