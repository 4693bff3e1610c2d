/* SPDX-License-Identifier: MIT */
/* features_sum.c: what features cost in several recordings, added up; see features.h. */
#include "profiler/analysis/features.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ppi_features_differ (const struct ppi_features *sum, const struct ppi_features *more)
{
	if (!sum->recordings)
		return NULL;
	if (more->is_exact != sum->is_exact)
		return more->is_exact ? "was measured, and the others were sampled"
				      : "was sampled, and the others were measured";
	return ppi_clocks_differ (sum->is_cpu, more->is_cpu);
}

/* ---- the head -------------------------------------------------------------------------------- */

/* What is not known of one is 0 in the sum; of none it stays unknown. */
static double plus (double a, double b)
{
	return isnan (a) ? b : isnan (b) ? a : a + b;
}

/* What one mark takes: the mean of all of which it is known. */
static double mark_of (const struct ppi_features *sum, const struct ppi_features *more)
{
	double n = (double) (sum->times - sum->untold), m = (double) (more->times - more->untold);

	if (isnan (sum->mark_s) || isnan (more->mark_s))
		return plus (sum->mark_s, more->mark_s);
	return n + m > 0 ? (n * sum->mark_s + m * more->mark_s) / (n + m) : more->mark_s;
}

/* How many there are beyond those that are named, RECORDINGS says. */
static bool add_name (struct ppi_features *sum, const struct ppi_features *more)
{
	char *name = NULL;

	if (sum->recordings >= PPI_FEATURES_NAMED)
		return true;
	if (asprintf (&name, "%s%s%s", sum->program ? sum->program : "", sum->program ? " + " : "",
		      more->program) < 0)
		return false;
	free (sum->program);
	sum->program = name;
	return true;
}

static bool is_same (double a, double b)
{
	return !(a < b || a > b) && !isnan (a) && !isnan (b);
}

static bool add_head (struct ppi_features *sum, const struct ppi_features *more)
{
	bool is_first = !sum->recordings;

	if (!add_name (sum, more))
		return false;
	if (is_first) {
		sum->is_exact = more->is_exact;
		sum->is_cpu = more->is_cpu;
		sum->period_s = more->period_s;
		sum->took = sum->mark_s = (double) NAN;
	}
	sum->recordings += more->recordings;
	if (!is_same (sum->period_s, more->period_s))
		sum->period_s = (double) NAN;
	/* of the numbers before they are added */
	sum->mark_s = mark_of (sum, more);
	sum->took = plus (sum->took, more->took);
	sum->total += more->total;
	sum->raw += more->raw;
	sum->doubt += more->doubt;
	sum->waited += more->waited;
	sum->waits += more->waits;
	sum->begun += more->begun;
	sum->own_s += more->own_s;
	sum->times += more->times;
	sum->threads += more->threads;
	sum->untold += more->untold;
	sum->open += more->open;
	sum->lost += more->lost;
	sum->lost_s += more->lost_s;
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		sum->missed[i] += more->missed[i];
	return true;
}

/* ---- features -------------------------------------------------------------------------------- */

/* How much FEATURE may be off is not the sum over its parts. */
static bool add_feature (struct ppi_feature *feature, const struct ppi_feature *more)
{
	double doubt = feature->doubt + more->doubt, chance = hypot (feature->chance, more->chance);

	for (size_t i = 0; i < more->parts; i++)
		if (!ppi_feature_add (feature, &more->part[i]))
			return false;
	feature->doubt = doubt;
	feature->chance = chance;
	return true;
}

bool ppi_features_add (struct ppi_features *sum, const struct ppi_features *more)
{
	if (!add_head (sum, more))
		return false;
	for (size_t i = 0; i < more->features; i++) {
		struct ppi_feature *feature = ppi_features_of (sum, more->feature[i].name);

		if (!feature || !add_feature (feature, &more->feature[i]))
			return false;
	}
	ppi_features_finish (sum);
	return true;
}
