/* SPDX-License-Identifier: MIT */
/*
 * rules_features.c: see rules_features.h. Which keys there are is in pp_abi.h for the plugin, too.
 */
#include "assertions/language/rules_features.h"

#include "assertions/language/diagnostics.h"
#include "assertions/language/policy.h"
#include "assertions/language/ppctl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum value { STATE, GLOBS, TRUTH, PAYLOAD, TEXT };

static const struct {
	const char *name;
	enum value value;
} keys[] = {
#define X(name, value) {#name, value},
	PP_ABI_FEATURE_KEYS (X)
#undef X
};
enum { N_KEYS = sizeof keys / sizeof keys[0] };

bool ppi_offline_features_are (const struct ppi_yaml *node)
{
	for (size_t i = 0; node->kind == PPI_YAML_MAP && i < node->n; i++)
		if (strchr (node->keys[i]->scalar, '.'))
			return true;
	return false;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_text (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what)
{
	if (node->kind == PPI_YAML_SCALAR && *node->scalar)
		return true;
	ppi_diagnose (d, node->place, "'%s' must be a text", what);
	return false;
}

static void check_state (struct ppi_diagnostics *d, const struct ppi_yaml *node)
{
	if (node->kind != PPI_YAML_SCALAR ||
	    (strcmp (node->scalar, "on") != 0 && strcmp (node->scalar, "latent") != 0))
		ppi_diagnose (d, node->place, "expected 'on' or 'latent'");
}

/* "$1" */
static bool is_argument (const char *text, size_t n)
{
	return n == 2 && text[0] == '$' && text[1] >= '1' && text[1] <= '9';
}

static bool is_payload (const char *text)
{
	size_t n = strlen (text);

	if (n > 6 && strncmp (text, "text(", 5) == 0 && text[n - 1] == ')')
		return is_argument (text + 5, n - 6);
	return strcmp (text, "site") == 0 || is_argument (text, n);
}

static void check_payload (struct ppi_diagnostics *d, const struct ppi_yaml *node)
{
	if (node->kind != PPI_YAML_SCALAR || !is_payload (node->scalar))
		ppi_diagnose (d, node->place,
			      "expected 'site', an argument of the call ('$1'), or the text that "
			      "one points to ('text($1)')");
}

static void check_value (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			 enum value value)
{
	bool flag;

	switch (value) {
	case STATE:
		check_state (d, node);
		break;
	case GLOBS:
		for (size_t i = 0; node->kind == PPI_YAML_LIST && i < node->n; i++)
			(void) is_text (d, node->items[i], what);
		if (node->kind != PPI_YAML_LIST)
			(void) is_text (d, node, what);
		break;
	case TRUTH:
		(void) ppi_policy_bool (d, node, what, &flag);
		break;
	case PAYLOAD:
		check_payload (d, node);
		break;
	case TEXT:
		(void) is_text (d, node, what);
		break;
	}
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void add_rule (struct ppi_offline_rules *out, char list, unsigned line, const char *pattern,
		      const char *feature, const char *what)
{
	struct ppi_offline_rule *more = realloc (out->rule, (out->n + 1) * sizeof *more);
	struct ppi_offline_rule rule = {.list = list, .line = line, .pattern = strdup (pattern)};

	if (more)
		out->rule = more;
	if (!more || !rule.pattern ||
	    asprintf (&rule.text, "features: %s, %s%s%s", feature, what, *pattern ? " " : "",
		      pattern) < 0) {
		free (rule.pattern);
		return;
	}
	out->rule[out->n++] = rule;
}

/* One for each of the globs under KEY. */
static void add_rules (struct ppi_offline_rules *out, char list, const struct ppi_yaml *feature,
		       const char *name, const char *key)
{
	const struct ppi_yaml *globs = ppi_yaml_get (feature, key);

	if (globs && globs->kind == PPI_YAML_SCALAR)
		add_rule (out, list, globs->place.line, globs->scalar, name, key);
	for (size_t i = 0; globs && globs->kind == PPI_YAML_LIST && i < globs->n; i++)
		if (globs->items[i]->kind == PPI_YAML_SCALAR)
			add_rule (out, list, globs->items[i]->place.line, globs->items[i]->scalar,
				  name, key);
}

static void keep (struct ppi_offline_rules *out, const struct ppi_yaml *name,
		  const struct ppi_yaml *feature)
{
	struct ppi_offline_feature *more =
		realloc (out->feature, (out->features + 1) * sizeof *more);
	const struct ppi_yaml *report = ppi_yaml_get (feature, "report");
	size_t first = out->n;

	if (!more)
		return;
	out->feature = more;
	more[out->features] = (struct ppi_offline_feature){.name = strdup (name->scalar)};
	if (report && report->kind == PPI_YAML_SCALAR)
		more[out->features].report = strdup (report->scalar);
	out->features += more[out->features].name != NULL;
	if (ppi_yaml_get (feature, "indirect") || ppi_yaml_get (feature, "virtual"))
		add_rule (out, 'C', name->place.line, "", name->scalar,
			  "calls through pointers or of virtual functions");
	add_rules (out, 'C', feature, name->scalar, "functions");
	for (size_t i = first; ppi_yaml_get (feature, "where") && i < out->n; i++)
		out->rule[i].has_where = true;
	add_rules (out, 'F', feature, name->scalar, "antimark");
}

static bool is_name (const char *name)
{
	const char *dot = strchr (name, '.');

	return dot && dot != name && dot[1];
}

static void check_feature (struct ppi_diagnostics *d, const struct ppi_yaml *name,
			   const struct ppi_yaml *feature, struct ppi_offline_rules *out)
{
	struct ppi_policy_key known[N_KEYS + 1] = {{.name = NULL}};

	if (!is_name (name->scalar))
		ppi_diagnose (d, name->place, "a feature is called 'LIBRARY.FEATURE', not '%s'",
			      name->scalar);
	for (const char *p = name->scalar; *p; p++)
		if (*p == '/' || iscntrl ((unsigned char) *p)) {
			ppi_diagnose (d, name->place, "the name of a site must not contain '%c'",
				      *p == '/' ? '/' : ' ');
			break;
		}
	if (!ppi_policy_is (d, feature, PPI_YAML_MAP, "a feature"))
		return;
	for (size_t i = 0; i < N_KEYS; i++)
		known[i].name = keys[i].name;
	(void) ppi_policy_keys (d, feature, "a feature", known, PPI_LACKS_NONE);
	for (size_t i = 0; i < feature->n; i++)
		for (size_t k = 0; k < N_KEYS; k++)
			if (strcmp (keys[k].name, feature->keys[i]->scalar) == 0)
				check_value (d, feature->items[i], keys[k].name, keys[k].value);
	keep (out, name, feature);
}

void ppi_offline_features_check (struct ppi_diagnostics *d, const struct ppi_yaml *map,
				 struct ppi_offline_rules *out)
{
	if (!ppi_policy_is (d, map, PPI_YAML_MAP, "'features'"))
		return;
	for (size_t i = 0; i < map->n; i++)
		check_feature (d, map->keys[i], map->items[i], out);
}
