/* SPDX-License-Identifier: MIT */
/*
 * policy_read.c: the tree of a policy file → struct ppi_policy. Every key is looked at: one that is
 * not understood is an error, never ignored. An entry with an error is left out, its name excepted,
 * so that others' errors are still found but none follow from it.
 */
#include "assertions/language/policy.h"

#include "libmetrics/keep/accumulator.h"

#include <stdlib.h>
#include <string.h>

/*
 * How samples are kept is said beside 'keep', or in it where that is a map: {accumulator: stats,
 * scope: self}. NAME is one of the words that may stand in either.
 */
static const struct ppi_yaml *keeping (const struct ppi_yaml *body, const char *name)
{
	const struct ppi_yaml *keep = ppi_yaml_get (body, "keep");

	return ppi_yaml_get (keep && keep->kind == PPI_YAML_MAP ? keep : body, name);
}

static bool read_keep_map (struct ppi_diagnostics *d, const struct ppi_yaml *body,
			   const struct ppi_yaml *keep)
{
	const struct ppi_policy_key *keys = ppi_keys_keeping ();
	bool ok = ppi_policy_keys (d, keep, "'keep'", keys, PPI_LACKS_NONE);

	for (const struct ppi_policy_key *key = keys + 1; key->name; key++)
		if (ppi_yaml_get (body, key->name)) {
			ppi_diagnose (d, ppi_yaml_get (body, key->name)->place,
				      "where 'keep' is a map, '%s' stands in it", key->name);
			ok = false;
		}
	return ok;
}

/* scope: and operator: */
static bool read_combining (struct ppi_diagnostics *d, const struct ppi_yaml *body,
			    struct ppi_policy_metric *out)
{
	const struct ppi_yaml *scope = keeping (body, "scope"),
			      *combine = keeping (body, "operator");
	const struct ppi_yaml *first = scope ? scope : combine;
	bool is_interval = out->kind == PP_ABI_SITE_INTERVAL;
	uint8_t parsed = PPI_SCOPE_TOTAL;

	if (first && out->kind && !is_interval) {
		ppi_diagnose (d, first->place,
			      scope ? "nothing is nested in a point: 'scope' is for intervals"
				    : "a point is read once: 'operator' is for intervals");
		return false;
	}
	if (scope && !ppi_policy_value (d, scope, ppi_keys_metric (), "scope", &parsed))
		return false;
	out->scope = parsed;
	if (combine && !ppi_policy_word (d, combine, "'operator'"))
		return false;
	if (combine && (!ppi_lex_name (combine->scalar) || *ppi_lex_name (combine->scalar))) {
		ppi_diagnose (
			d, combine->place,
			"'operator' is difference, ratio, max, last, or the name of a function");
		return false;
	}
	out->combine = combine;
	if (parsed != PPI_SCOPE_SELF)
		return true;
	if (combine && strcmp (combine->scalar, "difference") != 0) {
		ppi_diagnose (d, scope->place, "of a %s an execution has no part of its own",
			      combine->scalar);
		return false;
	}
	if (ppi_keeps (out->accumulator, PPI_KEEPS_ANY))
		return true;
	ppi_diagnose (d, scope->place, "a count has no part that is an execution's own");
	return false;
}

/* OPTION, if it is there. It belongs to the accumulator that has such a size. */
static bool read_size (struct ppi_diagnostics *d, const struct ppi_yaml *body, const char *option,
		       struct ppi_policy_metric *out)
{
	const struct ppi_keep_size *has = &ppi_keep_of (out->accumulator)->size;
	const struct ppi_yaml *said = keeping (body, option);
	char who[64];

	if (!said)
		return true;
	if (has->option && strcmp (has->option, option) == 0)
		return ppi_policy_value (d, said, ppi_keys_metric (), option, &out->size);
	ppi_diagnose (d, said->place, "only %s has a %s",
		      ppi_accumulator_with_option (option, who, sizeof who), option);
	return false;
}

static bool read_sizes (struct ppi_diagnostics *d, const struct ppi_yaml *body,
			struct ppi_policy_metric *out)
{
	bool ok = true;

#define X(option, accumulator, most, text) ok = read_size (d, body, #option, out) && ok;
	PP_ABI_SIZES (X)
#undef X
	if (ok && !out->size)
		out->size = ppi_keep_of (out->accumulator)->size.usual;
	return ok;
}

static bool read_keep (struct ppi_diagnostics *d, const struct ppi_yaml *body,
		       struct ppi_policy_metric *out)
{
	const struct ppi_yaml *keep = ppi_yaml_get (body, "keep");
	const char *const *words = ppi_policy_key (ppi_keys_keeping (), "accumulator")->words;
	const char *nearest;
	int accumulator;

	if (keep && keep->kind == PPI_YAML_MAP) {
		if (!read_keep_map (d, body, keep))
			return false;
		keep = ppi_yaml_get (keep, "accumulator");
	}
	if (!keep) {
#define X(id, name) name ", "
		ppi_diagnose (d, body->place,
			      "a metric needs 'keep': " PPI_ACCUMULATORS (
				      X) "or a map with such an 'accumulator'");
#undef X
		return false;
	}
	if (!ppi_policy_word (d, keep, "'keep'"))
		return false;
	accumulator = ppi_accumulator_parse (keep->scalar);
	if (accumulator >= 0) {
		out->accumulator = (uint8_t) accumulator;
		return true;
	}
	nearest = ppi_nearest (keep->scalar, words);
	ppi_diagnose (d, keep->place, "there is no accumulator '%s'%s%s%s", keep->scalar,
		      nearest ? "; did you mean '" : "", nearest ? nearest : "",
		      nearest ? "'?" : "");
	return false;
}

static bool read_fallback (struct ppi_diagnostics *d, const struct ppi_yaml *source,
			   struct ppi_policy_metric *out)
{
	if (!ppi_policy_word (d, source, "a source"))
		return false;
	if (!*source->scalar || strchr (source->scalar, ',')) {
		ppi_diagnose (d, source->place, "a fallback is one source; several are a list");
		return false;
	}
	out->fallback[out->n_fallbacks++] = source;
	return true;
}

static bool read_fallbacks (struct ppi_diagnostics *d, const struct ppi_yaml *list,
			    struct ppi_policy_metric *out)
{
	bool ok = true;

	if (!list)
		return true;
	if (list->kind != PPI_YAML_LIST)
		return read_fallback (d, list, out);
	if (!list->n || list->n > PPI_FALLBACKS) {
		ppi_diagnose (d, list->place, "'fallback' has from 1 to %d sources", PPI_FALLBACKS);
		return false;
	}
	for (size_t i = 0; i < list->n; i++)
		ok = read_fallback (d, list->items[i], out) && ok;
	return ok;
}

char *ppi_policy_fallbacks (const struct ppi_policy_metric *metric)
{
	size_t room = 1;
	char *list, *end;

	for (size_t i = 0; i < metric->n_fallbacks; i++)
		room += strlen (metric->fallback[i]->scalar) + 1;
	list = end = metric->n_fallbacks ? malloc (room) : NULL;
	for (size_t i = 0; list && i < metric->n_fallbacks; i++) {
		if (i)
			*end++ = ',';
		end = stpcpy (end, metric->fallback[i]->scalar);
	}
	return list;
}

static void read_metric (struct ppi_diagnostics *d, const struct ppi_yaml *name,
			 const struct ppi_yaml *body, struct ppi_policy_metric *out)
{
	const struct ppi_yaml *interval, *point;
	bool ok;

	out->name = name;
	ok = ppi_policy_name (d, name, "a metric's name");
	if (!ppi_policy_is (d, body, PPI_YAML_MAP, "a metric"))
		return;
	ok = ppi_policy_keys (d, body, "a metric", ppi_keys_metric (), PPI_LACKS_NONE) && ok;
	interval = ppi_yaml_get (body, "interval");
	point = ppi_yaml_get (body, "point");
	if (!interval == !point) {
		ppi_diagnose (d, body->place,
			      "a metric needs either 'interval' or 'point' with its source");
		ok = false;
	} else {
		out->kind = interval ? PP_ABI_SITE_INTERVAL : PP_ABI_SITE_POINT;
		out->source = interval ? interval : point;
		ok = ppi_policy_word (d, out->source, "a source") && ok;
	}
	if (read_keep (d, body, out))
		ok = read_sizes (d, body, out) && read_combining (d, body, out) && ok;
	else
		ok = false;
	ok = ppi_policy_take (d, body, ppi_keys_metric (), out) && ok;
	ok = read_fallbacks (d, ppi_yaml_get (body, "fallback"), out) && ok;
	if (!ok) {
		out->unsound =
			out->source && out->source->kind == PPI_YAML_SCALAR ? out->source : NULL;
		out->source = NULL;
	}
}

static void read_composite (struct ppi_diagnostics *d, const struct ppi_yaml *name,
			    const struct ppi_yaml *body, struct ppi_policy *policy)
{
	struct ppi_policy_composite *out = &policy->composites[policy->n_composites];
	bool named = ppi_policy_name (d, name, "a metric's name");

	out->name = name;
	if (ppi_policy_keys (d, body, "a metric with 'expr'", ppi_keys_composite (),
			     PPI_LACKS_NONE) &&
	    ppi_policy_take (d, body, ppi_keys_composite (), out) && named)
		policy->n_composites++;
}

const struct ppi_policy_metric *ppi_policy_metric (const struct ppi_policy *policy,
						   const char *name)
{
	for (size_t i = 0; i < policy->n_metrics; i++)
		if (strcmp (policy->metrics[i].name->scalar, name) == 0)
			return &policy->metrics[i];
	return NULL;
}

const char *ppi_policy_composite (const struct ppi_policy *policy, const char *name)
{
	for (size_t i = 0; i < policy->n_composites; i++)
		if (strcmp (policy->composites[i].name->scalar, name) == 0)
			return policy->composites[i].expr->scalar;
	return NULL;
}

static void read_metrics (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			  struct ppi_policy *policy)
{
	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'metrics'"))
		return;
	policy->metrics = calloc (map->n + 1, sizeof *policy->metrics);
	policy->composites = calloc (map->n + 1, sizeof *policy->composites);
	for (size_t i = 0; policy->metrics && policy->composites && i < map->n; i++)
		if (map->items[i]->kind == PPI_YAML_MAP && ppi_yaml_get (map->items[i], "expr"))
			read_composite (d, map->keys[i], map->items[i], policy);
		else
			read_metric (d, map->keys[i], map->items[i],
				     &policy->metrics[policy->n_metrics++]);
}

static void read_binds (struct ppi_diagnostics *d, const struct ppi_yaml *list,
			struct ppi_policy *policy)
{
	if (!list || !ppi_policy_is (d, list, PPI_YAML_LIST, "'bind'"))
		return;
	policy->binds = calloc (list->n + 1, sizeof *policy->binds);
	for (size_t i = 0; policy->binds && i < list->n; i++)
		if (ppi_policy_read_bind (d, list->items[i], "a binding", ppi_keys_binding (),
					  PPI_LACKS_NONE, &policy->binds[policy->n_binds]))
			policy->n_binds++;
}

static void read_record (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			 struct ppi_policy *policy)
{
	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'record'"))
		return;
	ppi_policy_keys (d, map, "'record'", ppi_keys_record (), PPI_LACKS_NONE);
	ppi_policy_needs (d, map, "'record'", ppi_keys_record (), false);
	ppi_policy_take (d, map, ppi_keys_record (), policy);
}

/* overhead: {budget: 1%} */
static void read_overhead (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			   struct ppi_policy *policy)
{
	const struct ppi_policy_key *keys = ppi_keys_overhead ();
	const struct ppi_yaml *budget;
	double share;

	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'overhead'"))
		return;
	if (!ppi_policy_keys (d, map, "'overhead'", keys, PPI_LACKS_NONE) ||
	    !ppi_policy_needs (d, map, "'overhead'", keys, false))
		return;
	budget = ppi_yaml_get (map, "budget");
	if (!ppi_policy_number (d, budget, "'budget'", &share))
		return;
	else if (share >= 1 && share <= 100 && !strchr (budget->scalar, '%'))
		ppi_diagnose (d, budget->place,
			      "'budget' is a share, and %s is %g%%; did you mean '%s%%'?",
			      budget->scalar, share * 100, budget->scalar);
	else if (!(share >= PPI_BUDGET_LEAST && share <= 1))
		ppi_diagnose (d, budget->place, "'budget' is from 0.01%% to 100%%, not %s",
			      budget->scalar);
	else
		policy->budget = share;
}

static void read_top (struct ppi_diagnostics *d, struct ppi_policy *policy)
{
	const struct ppi_yaml *tree = policy->tree, *version;
	uint64_t number;

	if (!ppi_policy_is (d, tree, PPI_YAML_MAP, "a policy"))
		return;
	ppi_policy_keys (d, tree, "a policy", ppi_keys_policy (), PPI_LACKS_NONE);
	ppi_policy_needs (d, tree, "a policy", ppi_keys_policy (), false);
	version = ppi_yaml_get (tree, "version");
	if (version && ppi_policy_integer (d, version, "'version'", 0, UINT32_MAX, &number) &&
	    number != 1)
		ppi_diagnose (d, version->place, "this library reads version 1 of policies, not %s",
			      version->scalar);
	read_metrics (d, ppi_yaml_get (tree, "metrics"), policy);
	read_binds (d, ppi_yaml_get (tree, "bind"), policy);
	ppi_policy_read_assertions (d, ppi_yaml_get (tree, "assertions"), policy);
	read_record (d, ppi_yaml_get (tree, "record"), policy);
	ppi_policy_read_adapt (d, ppi_yaml_get (tree, "adapt"), policy);
	read_overhead (d, ppi_yaml_get (tree, "overhead"), policy);
	ppi_policy_read_profile (d, ppi_yaml_get (tree, "profile"), &policy->profile);
	ppi_policy_read_events (d, ppi_yaml_get (tree, "events"), &policy->events);
	ppi_policy_read_features (d, ppi_yaml_get (tree, "features"), &policy->features);
	ppi_policy_take (d, tree, ppi_keys_policy (), policy);
}

int ppi_policy_read (const char *path, char *text, size_t bytes, struct ppi_diagnostics *d,
		     struct ppi_policy **out)
{
	struct ppi_policy *policy = calloc (1, sizeof *policy);

	*out = NULL;
	if (policy)
		policy->path = strdup (path);
	if (!policy || !policy->path) {
		free (policy);
		free (text);
		return PP_ENOMEM;
	}
	policy->text = text;
	policy->tree = ppi_yaml_read (text, bytes, d);
	if (policy->tree)
		read_top (d, policy);
	*out = policy;
	return d->errors ? PP_EPOLICY : PP_OK;
}

void ppi_policy_destroy (struct ppi_policy *policy)
{
	if (!policy)
		return;
	for (size_t i = 0; i < policy->n_assertions + policy->late.assertions; i++) {
		for (size_t k = 0; k < policy->assertions[i].n_on_fire; k++)
			ppi_program_destroy (policy->assertions[i].on_fire[k].program);
		free (policy->assertions[i].on_fire);
		free (policy->assertions[i].on_clear);
		ppi_program_destroy (policy->assertions[i].program);
		ppi_policy_figures_destroy (&policy->assertions[i]);
	}
	for (size_t i = 0; i < policy->n_adapts + policy->late.adapts; i++)
		ppi_program_destroy (policy->adapts[i].program);
	free (policy->adapts);
	free (policy->assertions);
	free (policy->binds);
	free (policy->metrics);
	free (policy->composites);
	ppi_policy_waits_free (policy->waits, policy->n_waits);
	ppi_policy_implied_destroy (policy);
	ppi_yaml_destroy (policy->tree);
	free (policy->text);
	free (policy->path);
	free (policy);
}
