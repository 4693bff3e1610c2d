/* SPDX-License-Identifier: MIT */
/*
 * span.c: see span.h. Integer samples subtract exactly. Of doubles the variance is the one that,
 * merged with the earlier one, gives the later one (summary.c, merge_double, solved for the second
 * set); what cancels is lost in the last digits.
 */
#include "recording/span.h"

#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ppi_span_has (unsigned accumulator, enum pp_statistic statistic)
{
	const struct ppi_keep *keep = ppi_keep_of (accumulator);

	if (!ppi_statistic_has_window (accumulator, statistic) || keep->own >> statistic & 1)
		return false;
	switch (statistic) {
	case PP_STAT_MIN:
	case PP_STAT_MAX:
		return false;
	case PP_STAT_VARIANCE:
	case PP_STAT_STDDEV:
		return keep->keeps & (PPI_KEEPS_SQUARES | PPI_KEEPS_BUCKETS);
	default:
		return true;
	}
}

static void subtract_int (struct ppi_merged *from, const struct ppi_merged *then)
{
	from->n -= then->n;
	from->sum -= then->sum;
	from->squares_lost |= then->squares_lost;
	from->squares -= then->squares;
}

static void subtract_double (struct ppi_merged *from, const struct ppi_merged *then)
{
	double all = (double) from->n, before = (double) then->n, n = all - before;
	double delta;

	from->n -= then->n;
	from->double_sum -= then->double_sum;
	if (!from->n || !then->n)
		return;
	/* by the sums: what programs count in doubles is often whole, and then it is exact */
	from->mean = from->double_sum / n;
	delta = from->mean - then->mean;
	from->m2 -= then->m2 + delta * delta * (before * n / all);
	from->m2 = from->m2 < 0 ? 0 : from->m2;
}

static const struct ppi_bucket_group *group_of (const struct ppi_buckets *b, int32_t key)
{
	for (size_t i = 0; i < b->n_groups; i++)
		if (b->group[i].key == key)
			return &b->group[i];
	return NULL;
}

static void subtract_buckets (struct ppi_buckets *from, const struct ppi_buckets *then)
{
	struct ppi_bucket_group *groups = from->group;

	from->n = 0;
	for (size_t i = 0; groups && i < from->n_groups; i++) {
		struct ppi_bucket_group *group = &groups[i];
		const struct ppi_bucket_group *before = group_of (then, group->key);

		for (unsigned k = 0; k < PPI_GROUP_WORDS; k++) {
			/* counters of a file may be anything: none becomes huge by wrapping */
			uint64_t less = before ? before->n[k] : 0;

			group->n[k] = group->n[k] > less ? group->n[k] - less : 0;
			from->n += group->n[k];
		}
	}
	from->lost = from->lost > then->lost ? from->lost - then->lost : 0;
}

/* Of a histogram the least and the greatest are as exact as its buckets are. */
static void set_range (struct ppi_summary *s)
{
	bool is_double = s->type == PP_ABI_SAMPLE_DOUBLE;
	double least = ppi_buckets_ranked (&s->buckets, 1, is_double),
	       most = ppi_buckets_ranked (&s->buckets, s->buckets.n, is_double);

	s->has_range = s->buckets.n && !isnan (least) && !isnan (most);
	if (!s->has_range)
		return;
	if (is_double) {
		memcpy (&s->min, &least, sizeof s->min);
		memcpy (&s->max, &most, sizeof s->max);
	} else {
		s->min = (uint64_t) (int64_t) least;
		s->max = (uint64_t) (int64_t) most;
	}
}

bool ppi_span_copy (const struct ppi_summary *from, struct ppi_summary *out)
{
	size_t n = from->buckets.n_groups;

	*out = *from;
	out->buckets.room = n;
	out->buckets.group = n ? malloc (n * sizeof *out->buckets.group) : NULL;
	if (n && !out->buckets.group) {
		out->buckets = (struct ppi_buckets){0};
		return false;
	}
	if (n)
		memcpy (out->buckets.group, from->buckets.group, n * sizeof *out->buckets.group);
	return true;
}

bool ppi_span_between (const struct ppi_summary *now, const struct ppi_summary *then,
		       double seconds, struct ppi_summary *out)
{
	bool is_whole = !then || then->all.n > now->all.n;

	if (!ppi_span_copy (now, out))
		return false;
	/* periods of a window keep what their own accumulator does */
	out->accumulator = (uint8_t) ppi_statistic_window_accumulator (now->accumulator);
	out->is_recent = true;
	out->seconds = seconds;
	if (!is_whole && now->type == PP_ABI_SAMPLE_DOUBLE)
		subtract_double (&out->all, &then->all);
	else if (!is_whole)
		subtract_int (&out->all, &then->all);
	if (!is_whole) {
		subtract_buckets (&out->buckets, &then->buckets);
		out->executions -= then->executions;
		out->lost -= then->lost < out->lost ? then->lost : out->lost;
	}
	out->has_last = out->has_last && out->all.n;
	set_range (out);
	return true;
}
