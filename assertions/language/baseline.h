/* SPDX-License-Identifier: MIT */
/* baseline.h: the recording of an earlier run that a policy compares with. Ordinary context. */
#ifndef PPI_BASELINE_H
#define PPI_BASELINE_H

#include "assertions/language/expr.h"

struct ppi_baseline;

/* PATH must outlive it. 0, or PP_EIO, PP_EINVAL (with a sentence in WHY), PP_ENOMEM. */
int ppi_baseline_open (const char *path, struct ppi_baseline **out, char *why, size_t room);
void ppi_baseline_close (struct ppi_baseline *baseline);

/*
 * The metric NAME as it was recorded. SITE: the pattern of names where it is asked for, or NULL. 0,
 * or a pp_error with a sentence in WHY.
 */
int ppi_baseline_metric (const struct ppi_baseline *baseline, const char *name, const char *site,
			 struct ppi_name_metric *out, char *why, size_t room);
/* Its statistic, merged over threads and the sites that match; NaN: there was no sample. */
double ppi_baseline_value (const struct ppi_baseline *baseline, const char *name, const char *site,
			   enum pp_statistic statistic);

#endif
