/* SPDX-License-Identifier: MIT */
/*
 * policy_imply.c: metrics that a policy's `growth:` speaks of without declaring them. A name that is no metric is that of a
 * source (`of: elapsed`), else of a dimension of the site (`with: n` where the source says dim(n=…)); the metric is declared
 * under that name and bound to the assertion's sites, as if the policy had said so.
 */
#include "policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A scalar that stands where LIKE stands; the policy's own */
static const struct ppi_yaml *make_scalar (struct ppi_policy *policy, const struct ppi_yaml *like, const char *text)
{
	struct ppi_yaml **all = realloc (policy->implied, (policy->n_implied + 1) * sizeof *all), *node;

	if (!all)
		return NULL;
	policy->implied = all;
	node = calloc (1, sizeof *node);
	if (!node)
		return NULL;
	*node = (struct ppi_yaml){
		.kind = PPI_YAML_SCALAR, .place = like->place, .plain = true, .scalar = strdup (text)};
	if (!node->scalar) {
		free (node);
		return NULL;
	}
	return policy->implied[policy->n_implied++] = node;
}

void ppi_policy_implied_destroy (struct ppi_policy *policy)
{
	for (size_t i = 0; i < policy->n_implied; i++) {
		free (policy->implied[i]->scalar);
		free (policy->implied[i]);
	}
	free (policy->implied);
}

static bool is_known (const struct ppi_policy *policy, const struct ppi_names *outer, const char *name)
{
	for (size_t i = 0; i < policy->n_metrics; i++)
		if (strcmp (policy->metrics[i].name->scalar, name) == 0)
			return true;
	return ppi_name_exists (outer, PPI_NAME_METRIC, name);
}

static bool add (struct ppi_policy *policy, const struct ppi_policy_metric *metric, const struct ppi_yaml *at)
{
	struct ppi_policy_metric *metrics = realloc (policy->metrics, (policy->n_metrics + 1) * sizeof *metrics);
	struct ppi_policy_bind *binds;

	if (!metrics)
		return false;
	policy->metrics = metrics;
	binds = realloc (policy->binds, (policy->n_binds + 1) * sizeof *binds);
	if (!binds)
		return false;
	policy->binds = binds;
	metrics[policy->n_metrics++] = *metric;
	binds[policy->n_binds++] = (struct ppi_policy_bind){.metric = metric->name, .sites = {at}, .n_sites = 1};
	return true;
}

/* Points only where there are sites and none of them is an interval */
static uint8_t kind_of (const struct ppi_names *outer, const char *pattern)
{
	char why[256];

	return outer->site (outer, pattern, PP_ABI_SITE_INTERVAL, why, sizeof why) == PP_EKIND ? PP_ABI_SITE_POINT
											       : PP_ABI_SITE_INTERVAL;
}

static bool imply (struct ppi_policy *policy, const struct ppi_names *outer, const struct ppi_yaml *name,
		   const struct ppi_yaml *at)
{
	struct ppi_policy_metric metric = {.name = name, .kind = kind_of (outer, at->scalar)};
	char why[256], source[160];
	bool is_source;

	if (is_known (policy, outer, name->scalar))
		return true;
	is_source = outer->source (outer, name->scalar, metric.kind, &metric.unit, why, sizeof why) >= 0;
	snprintf (source, sizeof source, "%s%s", is_source ? "" : "dim:", name->scalar);
	metric.accumulator = is_source ? PPI_STATS : PPI_SCALAR;
	metric.source = make_scalar (policy, name, source);
	return metric.source && add (policy, &metric, at);
}

bool ppi_policy_imply (struct ppi_policy *policy, const struct ppi_names *outer)
{
	for (size_t i = 0; i < policy->n_assertions; i++) {
		const struct ppi_policy_assertion *a = &policy->assertions[i];

		if (a->growth.of && a->at &&
		    (!imply (policy, outer, a->growth.of, a->at) || !imply (policy, outer, a->growth.with, a->at)))
			return false;
	}
	return true;
}
