/* SPDX-License-Identifier: MIT */
/*
 * operand.c: which fields of shards a statistic is read from, for quick.h. Mirrors ppi_thread_stat
 * of integer samples.
 */
#include "libmetrics/stats/operand.h"

#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"

static const struct ppi_op *op_of (const struct ppi_op *ops, unsigned n, const pp_metric *metric)
{
	for (unsigned i = 0; i < n; i++)
		if (ops[i].binding->metric == metric)
			return &ops[i];
	return NULL;
}

static bool is_integer (const struct ppi_op *op, const pp_metric *metric)
{
	return !op->counts && op->sample_type == PP_ABI_SAMPLE_INT &&
	       metric->instance.sample_type == PP_ABI_SAMPLE_INT;
}

bool ppi_quick_operand (const struct ppi_op *ops, unsigned n_ops, const pp_metric *metric,
			enum pp_statistic statistic, struct ppi_quick_operand *out)
{
	const struct ppi_op *op = op_of (ops, n_ops, metric);
	bool is_series = op && ppi_keeps (op->accumulator, PPI_KEEPS_RING);
	uint16_t sum = is_series ? PPI_QUICK_WINDOW_SUM : PPI_QUICK_SUM, field, by = PPI_QUICK_ONE;

	if (!op || metric->unavailable || metric->window || !is_integer (op, metric) ||
	    !ppi_statistic_exists (op->accumulator, statistic) ||
	    ppi_keep_of (op->accumulator)->own >> statistic & 1)
		return false;
	switch (statistic) {
	case PP_STAT_LAST:
		field = PPI_QUICK_LAST;
		break;
	case PP_STAT_MIN:
	case PP_STAT_MAX:
		if (is_series)
			return false;
		field = statistic == PP_STAT_MIN ? PPI_QUICK_MIN : PPI_QUICK_MAX;
		break;
	case PP_STAT_N:
		field = PPI_QUICK_N;
		break;
	case PP_STAT_COUNT:
		field = is_series ? PPI_QUICK_WINDOW_N : PPI_QUICK_N;
		break;
	case PP_STAT_SUM:
		field = sum;
		break;
	case PP_STAT_TOTAL:
		field = PPI_QUICK_SUM;
		break;
	case PP_STAT_AVG:
		field = sum;
		by = is_series ? PPI_QUICK_WINDOW_N : PPI_QUICK_N;
		break;
	default:
		return false;
	}
	out->field = (struct ppi_quick_factor){field, (uint16_t) (op - ops)};
	out->by = (struct ppi_quick_factor){by, by == PPI_QUICK_ONE ? 0 : (uint16_t) (op - ops)};
	out->is_count = statistic == PP_STAT_N || statistic == PP_STAT_COUNT;
	out->is_measured = !out->is_count && !(metric->instance.scale > 0);
	out->scale = out->is_count ? 1 : ppi_metric_scale (metric);
	return true;
}
