/* SPDX-License-Identifier: MIT */
/*
 * rules_file.c: instrument files (pp_instrument(5)) as ppctl reads them. The plugin has a reader of
 * its own, which speaks through the compiler; which lists and
 * keys there are is in pp_abi.h for both.
 */
#include "assertions/language/diagnostics.h"
#include "assertions/language/policy.h"
#include "assertions/language/ppctl.h"
#include "assertions/language/rules_features.h"
#include "base/types.h"

#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum value { TEXT, REGEX, COUNT, SIZE, TRUTH, KIND, SITE, NAMES };

static const struct {
	const char *name, *lists;
	enum value value;
} keys[] = {
#define X(name, lists, value) {#name, lists, value},
	PP_ABI_RULE_KEYS (X)
#undef X
};
enum { N_KEYS = sizeof keys / sizeof keys[0] };

static const struct {
	const char *name;
	char letter;
} lists[] = {
#define X(name, letter) {#name, letter},
	PP_ABI_RULE_LISTS (X)
#undef X
};
enum { N_LISTS = sizeof lists / sizeof lists[0] };

static const struct ppi_policy_key top_keys[] = {
#define X(key, letter) {.name = #key},
	{.name = "version"},
	{.name = "min_size"},
	{.name = "report"},
	{.name = "features"},
	PP_ABI_RULE_LISTS (X){.name = NULL}
#undef X
};

/* ---- values ---------------------------------------------------------------------------------- */

static bool is_text (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what)
{
	if (node->kind == PPI_YAML_SCALAR && *node->scalar)
		return true;
	ppi_diagnose (d, node->place, "'%s' must be a text", what);
	return false;
}

static void check_regex (struct ppi_diagnostics *d, const struct ppi_yaml *node)
{
	regex_t regex;
	char why[128];
	int error = regcomp (&regex, node->scalar, REG_EXTENDED | REG_NOSUB);

	if (!error) {
		regfree (&regex);
		return;
	}
	regerror (error, &regex, why, sizeof why);
	ppi_diagnose (d, node->place, "'%s' is no extended regular expression: %s", node->scalar,
		      why);
}

static void check_site (struct ppi_diagnostics *d, const struct ppi_yaml *node)
{
	for (const char *p = node->scalar; *p; p++)
		if (*p == '/' || iscntrl ((unsigned char) *p)) {
			ppi_diagnose (d, node->place, "the name of a site must not contain '%c'",
				      *p == '/' ? '/' : ' ');
			return;
		}
}

static void check_name (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what)
{
	const char *p;

	if (!is_text (d, node, what))
		return;
	for (p = node->scalar; isalnum ((unsigned char) *p) || *p == '_' || *p == '$';)
		p++;
	if (*p || isdigit ((unsigned char) *node->scalar))
		ppi_diagnose (d, node->place, "'%s' is no name", node->scalar);
}

static void check_names (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what)
{
	if (node->kind != PPI_YAML_LIST)
		check_name (d, node, what);
	for (size_t i = 0; node->kind == PPI_YAML_LIST && i < node->n; i++)
		check_name (d, node->items[i], what);
}

static void check_number (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			  uint64_t least)
{
	uint64_t value;

	(void) ppi_policy_integer (d, node, what, least, 99999999, &value);
}

static bool is_mark (const char *kind)
{
	return strcmp (kind, "feature") == 0 || strcmp (kind, "antimark") == 0;
}

static void check_kind (struct ppi_diagnostics *d, const struct ppi_yaml *node)
{
	if (strcmp (node->scalar, "interval") != 0 && strcmp (node->scalar, "point") != 0 &&
	    !is_mark (node->scalar))
		ppi_diagnose (d, node->place,
			      "expected 'interval', 'point', 'feature' or 'antimark', not '%s'",
			      node->scalar);
}

static void check_value (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			 enum value value)
{
	bool flag;

	if (value == NAMES) {
		check_names (d, node, what);
		return;
	}
	if (value == COUNT || value == SIZE) {
		check_number (d, node, what, value == COUNT);
		return;
	}
	if (value == TRUTH) {
		(void) ppi_policy_bool (d, node, what, &flag);
		return;
	}
	if (!is_text (d, node, what))
		return;
	if (value == REGEX)
		check_regex (d, node);
	else if (value == SITE)
		check_site (d, node);
	else if (value == KIND)
		check_kind (d, node);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static const char *scalar_of (const struct ppi_yaml *rule, const char *key)
{
	const struct ppi_yaml *value = ppi_yaml_get (rule, key);

	return value && value->kind == PPI_YAML_SCALAR ? value->scalar : "";
}

/* "functions: function solve*, file src/a.c", malloced */
static char *describe (const struct ppi_yaml *rule, const char *list)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream (&text, &bytes);
	const char *between = ": ";

	if (!out)
		return NULL;
	fputs (list, out);
	for (size_t i = 0; i < rule->n; i++) {
		if (rule->items[i]->kind != PPI_YAML_SCALAR)
			continue;
		fprintf (out, "%s%s %s", between, rule->keys[i]->scalar, rule->items[i]->scalar);
		between = ", ";
	}
	return fclose (out) == 0 ? text : NULL;
}

static void keep (struct ppi_offline_rules *out, const struct ppi_yaml *rule, unsigned list)
{
	const char *name = scalar_of (rule, lists[list].letter == 'C' ? "callee" : "function");
	struct ppi_offline_rule *more = realloc (out->rule, (out->n + 1) * sizeof *more);

	if (!more)
		return;
	out->rule = more;
	out->rule[out->n] = (struct ppi_offline_rule){.list = lists[list].letter,
						      .line = rule->place.line,
						      .pattern = strdup (name),
						      .text = describe (rule, lists[list].name)};
	out->n += out->rule[out->n].pattern && out->rule[out->n].text;
}

/* Whole functions that are marks say of which feature, and only they. */
static void check_mark (struct ppi_diagnostics *d, const struct ppi_yaml *rule)
{
	bool mark = is_mark (scalar_of (rule, "as"));

	if (mark && !ppi_yaml_get (rule, "feature"))
		ppi_diagnose (d, rule->place, "'as: %s' needs 'feature', whose it is",
			      scalar_of (rule, "as"));
	if (!mark && ppi_yaml_get (rule, "feature"))
		ppi_diagnose (d, rule->place,
			      "'feature' needs 'as: feature' or 'as: antimark' here");
	if (mark && (ppi_yaml_get (rule, "metrics") || ppi_yaml_get (rule, "site")))
		ppi_diagnose (d, rule->place, "a mark has no 'site' and no 'metrics'");
}

static bool is_true (const struct ppi_yaml *rule, const char *key)
{
	const char *word = scalar_of (rule, key);

	return strcmp (word, "true") == 0 || strcmp (word, "yes") == 0;
}

static void check_call (struct ppi_diagnostics *d, const struct ppi_yaml *rule)
{
	bool unnamed = is_true (rule, "indirect") || is_true (rule, "virtual");
	bool named = ppi_yaml_get (rule, "callee") != NULL;

	if (!named && !unnamed)
		ppi_diagnose (d, rule->place,
			      "a rule for calls needs 'callee', 'indirect' or 'virtual'");
	if (named && unnamed)
		ppi_diagnose (d, rule->place,
			      "'callee' is for calls by name: give 'indirect' and 'virtual' a rule "
			      "of their own");
	if (unnamed && !ppi_yaml_get (rule, "feature"))
		ppi_diagnose (d, rule->place,
			      "calls that are not by name need 'feature', which they are");
}

static void check_rule (struct ppi_diagnostics *d, const struct ppi_yaml *rule, unsigned list,
			struct ppi_offline_rules *out)
{
	struct ppi_policy_key known[N_KEYS + 1] = {{.name = NULL}};
	char what[40];
	size_t n = 0;

	snprintf (what, sizeof what, "a rule of '%s'", lists[list].name);
	if (!ppi_policy_is (d, rule, PPI_YAML_MAP, what))
		return;
	for (size_t i = 0; i < N_KEYS; i++)
		if (strchr (keys[i].lists, lists[list].letter))
			known[n++].name = keys[i].name;
	(void) ppi_policy_keys (d, rule, what, known, PPI_LACKS_NONE);
	for (size_t i = 0; i < rule->n; i++)
		for (size_t k = 0; k < N_KEYS; k++)
			if (strcmp (keys[k].name, rule->keys[i]->scalar) == 0 &&
			    strchr (keys[k].lists, lists[list].letter))
				check_value (d, rule->items[i], keys[k].name, keys[k].value);
	if (lists[list].letter == 'C')
		check_call (d, rule);
	if (lists[list].letter == 'F')
		check_mark (d, rule);
	if (lists[list].letter == 'X' && !rule->n)
		ppi_diagnose (d, rule->place, "this would exclude everything");
	keep (out, rule, list);
}

static void check_top (struct ppi_diagnostics *d, const struct ppi_yaml *top,
		       struct ppi_offline_rules *out)
{
	const struct ppi_yaml *value;
	uint64_t version;

	if (!ppi_policy_is (d, top, PPI_YAML_MAP, "an instrument file"))
		return;
	(void) ppi_policy_keys (d, top, "an instrument file", top_keys, PPI_LACKS_NONE);
	value = ppi_yaml_get (top, "version");
	if (!value)
		ppi_diagnose (d, top->place, "'version: 1' is missing");
	else
		(void) ppi_policy_integer (d, value, "'version'", 1, 1, &version);
	if ((value = ppi_yaml_get (top, "min_size")))
		check_number (d, value, "min_size", 0);
	if ((value = ppi_yaml_get (top, "report")))
		(void) is_text (d, value, "report");
	if ((value = ppi_yaml_get (top, "features")))
		ppi_offline_features_check (d, value, out);
	for (unsigned list = 0; list < N_LISTS; list++) {
		value = ppi_yaml_get (top, lists[list].name);
		if (value && ppi_policy_is (d, value, PPI_YAML_LIST, lists[list].name))
			for (size_t i = 0; i < value->n; i++)
				check_rule (d, value->items[i], list, out);
	}
}

/* ---- files ----------------------------------------------------------------------------------- */

bool ppi_offline_is_rules (const char *path)
{
	struct ppi_diagnostics d;
	struct ppi_yaml *top = NULL;
	char *text = NULL;
	size_t bytes = 0;
	unsigned of_rules = 0, of_policy = 0, nearly = 0;

	ppi_diagnostics_init (&d, path, NULL, 1);
	if (!ppi_offline_slurp (path, &text, &bytes, &d))
		top = ppi_yaml_read (text, bytes, &d);
	for (size_t i = 0; top && top->kind == PPI_YAML_MAP && i < top->n; i++) {
		const char *key = top->keys[i]->scalar;

		/* version is both's */
		/* a policy has on and off there */
		if (strcmp (key, "features") == 0) {
			of_rules += ppi_offline_features_are (top->items[i]);
			of_policy += !ppi_offline_features_are (top->items[i]);
			continue;
		}
		for (const struct ppi_policy_key *k = top_keys + 1; k->name; k++) {
			of_rules += strcmp (k->name, key) == 0;
			nearly += ppi_is_mistyped (key, k->name);
		}
		for (const struct ppi_policy_key *k = ppi_keys_policy () + 1; k->name; k++)
			of_policy += k->when != PPI_KEY_LATER &&
				     (strcmp (k->name, key) == 0 || ppi_is_mistyped (key, k->name));
	}
	ppi_yaml_destroy (top);
	ppi_diagnostics_clear (&d);
	free (text);
	return of_rules > of_policy || (!of_policy && nearly);
}

static uint64_t hash_of (const char *text, size_t bytes)
{
	uint64_t hash = PP_ABI_RULES_HASH_FIRST;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (unsigned char) text[i]) * PP_ABI_RULES_HASH_FACTOR;
	return hash;
}

int ppi_offline_rules_read (const char *path, void (*line) (const char *line, void *arg), void *arg,
			    struct ppi_offline_rules *out)
{
	struct ppi_diagnostics d;
	struct ppi_yaml *top = NULL;
	char *text = NULL;
	size_t bytes = 0;
	int error;

	*out = (struct ppi_offline_rules){.rule = NULL};
	ppi_diagnostics_init (&d, path, NULL, 1);
	error = ppi_offline_slurp (path, &text, &bytes, &d);
	if (!error) {
		d.text = text;
		out->hash = hash_of (text, bytes);
		top = ppi_yaml_read (text, bytes, &d);
		if (top)
			check_top (&d, top, out);
	}
	ppi_diagnostics_tell (&d, line, arg);
	if (!error && d.errors)
		error = PP_EPOLICY;
	ppi_yaml_destroy (top);
	ppi_diagnostics_clear (&d);
	free (text);
	if (error)
		ppi_offline_rules_clear (out);
	return error;
}

void ppi_offline_rules_clear (struct ppi_offline_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++) {
		free (rules->rule[i].pattern);
		free (rules->rule[i].text);
	}
	for (size_t i = 0; i < rules->features; i++) {
		free (rules->feature[i].name);
		free (rules->feature[i].report);
	}
	free (rules->rule);
	free (rules->feature);
	*rules = (struct ppi_offline_rules){.rule = NULL};
}
