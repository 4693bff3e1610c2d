/* SPDX-License-Identifier: MIT */
/*
 * policy_imply.c: metrics that a policy's `growth:` and `model:` speak of without declaring them. A
 * name that is no metric is that of a source (`of: elapsed`), else of a dimension of the site
 * (`with: n` where the source says dim(n=…)); the metric is declared under that name and bound to
 * the assertion's sites, as if the policy had said so.
 */
#include "assertions/language/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A scalar that stands where LIKE stands; the policy's own */
static const struct ppi_yaml *make_scalar (struct ppi_policy *policy, const struct ppi_yaml *like,
					   const char *text)
{
	struct ppi_yaml **all = realloc (policy->implied, (policy->n_implied + 1) * sizeof *all),
			*node;

	if (!all)
		return NULL;
	policy->implied = all;
	node = calloc (1, sizeof *node);
	if (!node)
		return NULL;
	*node = (struct ppi_yaml){.kind = PPI_YAML_SCALAR,
				  .place = like->place,
				  .plain = true,
				  .scalar = strdup (text)};
	if (!node->scalar) {
		free (node);
		return NULL;
	}
	policy->implied[policy->n_implied++] = node;
	return node;
}

void ppi_policy_implied_destroy (struct ppi_policy *policy)
{
	for (size_t i = 0; i < policy->n_implied; i++) {
		free (policy->implied[i]->scalar);
		free (policy->implied[i]);
	}
	free (policy->implied);
}

/*
 * Is there a metric NAME besides this policy's that METRIC would not be? One that is the same was
 * implied by the version of this policy before, whose bindings end with it, or by another policy
 * for its own sites: it is implied again.
 */
static bool is_another (const struct ppi_names *outer, const struct ppi_policy_metric *metric)
{
	struct ppi_name_metric found = {.kind = 0};

	if (!ppi_name_exists (outer, PPI_NAME_METRIC, metric->name->scalar))
		return false;
	return !outer->metric (outer, metric->name->scalar, &found) ||
	       found.accumulator != metric->accumulator || found.kind != metric->kind ||
	       found.has_arguments || found.window_ns || !found.source ||
	       strcmp (found.source, metric->source->scalar) != 0;
}

static bool add (struct ppi_policy *policy, const struct ppi_policy_metric *metric,
		 const struct ppi_yaml *at)
{
	struct ppi_policy_metric *metrics =
		realloc (policy->metrics, (policy->n_metrics + 1) * sizeof *metrics);
	struct ppi_policy_bind *binds;

	if (!metrics)
		return false;
	policy->metrics = metrics;
	binds = realloc (policy->binds, (policy->n_binds + 1) * sizeof *binds);
	if (!binds)
		return false;
	policy->binds = binds;
	metrics[policy->n_metrics++] = *metric;
	binds[policy->n_binds++] =
		(struct ppi_policy_bind){.metric = metric->name, .sites = {at}, .n_sites = 1};
	return true;
}

/* Points only where there are sites and none of them is an interval */
static uint8_t kind_of (const struct ppi_names *outer, const char *pattern)
{
	char why[256];

	return outer->site (outer, pattern, PP_ABI_SITE_INTERVAL, why, sizeof why) == PP_EKIND
		       ? PP_ABI_SITE_POINT
		       : PP_ABI_SITE_INTERVAL;
}

static bool imply (struct ppi_policy *policy, const struct ppi_names *outer,
		   const struct ppi_yaml *name, const struct ppi_yaml *at)
{
	struct ppi_policy_metric metric = {.name = name, .kind = kind_of (outer, at->scalar)};
	char why[256], source[160];
	bool is_source;

	if (ppi_policy_metric (policy, name->scalar))
		return true;
	is_source = outer->source (outer, name->scalar, metric.kind, &metric.unit, why,
				   sizeof why) >= 0;
	snprintf (source, sizeof source, "%s%s", is_source ? "" : "dim:", name->scalar);
	metric.accumulator = is_source ? PPI_STATS : PPI_SCALAR;
	metric.source = make_scalar (policy, name, source);
	return metric.source && (is_another (outer, &metric) || add (policy, &metric, at));
}

/* ---- the names of a model -------------------------------------------------------------------- */

/* Behind a number with its unit */
static const char *skip_number (const char *p)
{
	while ((*p >= '0' && *p <= '9') || *p == '.' || ppi_lex_name (p))
		p++;
	return p;
}

static bool is_word (const char *p, const char *end)
{
	return ppi_lex_word (p, "and") == end || ppi_lex_word (p, "or") == end ||
	       ppi_lex_word (p, "not") == end || ppi_lex_word (p, "static") == end;
}

/* Is [p, end) a name that may be a source or a dimension: alone, or with a statistic behind it? */
static bool is_candidate (const char *p, const char *end)
{
	const char *stop;

	if (is_word (p, end) || *ppi_lex_blanks (end) == '(')
		return false;
	if (*end == '.') {
		stop = ppi_lex_name (end + 1);
		return stop && ppi_lex_statistic (end + 1, (size_t) (stop - end - 1)) >= 0;
	}
	return !*end || !strchr (":!~$@", *end);
}

/* The end of a path to a site at P, with its property, or NULL */
static const char *site_at (const char *p)
{
	const char *dot = ppi_lex_property (p), *end = dot ? ppi_lex_name (dot + 1) : NULL;

	return end && ppi_lex_site_property (dot + 1, (size_t) (end - dot - 1)) >= 0 ? end : NULL;
}

/* Behind ".statistic" and "@site" at P */
static const char *skip_rest (const char *p)
{
	const char *end;

	if (*p == '.' && (end = ppi_lex_name (p + 1)))
		return end;
	if (*p != '@')
		return p;
	end = ppi_lex_quoted (++p);
	while (!end && ppi_lex_is_path (*p))
		p++;
	return end ? end : p;
}

static bool imply_model (struct ppi_policy *policy, const struct ppi_names *outer,
			 const struct ppi_yaml *text, const struct ppi_yaml *at)
{
	for (const char *p = text->scalar; *p;) {
		const char *end = ppi_lex_name (p), *site = end ? site_at (p) : NULL;
		const struct ppi_yaml *name;
		char word[128];

		if (!end || site) {
			p = site ? site : *p >= '0' && *p <= '9' ? skip_number (p) : p + 1;
			continue;
		}
		snprintf (word, sizeof word, "%.*s", (int) (end - p), p);
		if (is_candidate (p, end) && !ppi_policy_metric (policy, word) &&
		    !ppi_name_exists (outer, PPI_NAME_ASSERTION, word)) {
			name = make_scalar (policy, text, word);
			if (!name || !imply (policy, outer, name, at))
				return false;
		}
		p = skip_rest (end);
	}
	return true;
}

static bool imply_of (struct ppi_policy *policy, const struct ppi_names *outer,
		      const struct ppi_policy_assertion *a)
{
	if (!a->at)
		return true;
	if (a->growth.of)
		return imply (policy, outer, a->growth.of, a->at) &&
		       imply (policy, outer, a->growth.with, a->at);
	return !a->is_model || !a->expect || imply_model (policy, outer, a->expect, a->at);
}

bool ppi_policy_imply (struct ppi_policy *policy, const struct ppi_names *outer)
{
	for (size_t i = 0; i < policy->n_assertions; i++)
		if (!imply_of (policy, outer, &policy->assertions[i]))
			return false;
	return true;
}
