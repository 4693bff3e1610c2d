/* SPDX-License-Identifier: MIT */
/* policy_action.c: what bind: and the actions of on_fire: and on_clear: say. */
#include "policy.h"

#include <stdlib.h>
#include <string.h>

static bool add_site (struct ppi_diagnostics *d, const struct ppi_yaml *node, struct ppi_policy_bind *out)
{
	if (!ppi_policy_word (d, node, "a site pattern"))
		return false;
	if (out->n_sites == PPI_SITES_COUNT) {
		ppi_diagnose (d, node->place, "these are more than %d patterns", PPI_SITES_COUNT);
		return false;
	}
	out->sites[out->n_sites++] = node;
	return true;
}

static bool read_sites (struct ppi_diagnostics *d, const struct ppi_yaml *node, struct ppi_policy_bind *out)
{
	bool ok = true;

	if (node->kind == PPI_YAML_SCALAR)
		return add_site (d, node, out);
	if (!ppi_policy_is (d, node, PPI_YAML_LIST, "'sites'"))
		return false;
	if (!node->n) {
		ppi_diagnose (d, node->place, "'sites' is empty");
		return false;
	}
	for (size_t i = 0; i < node->n && out->n_sites <= PPI_SITES_COUNT; i++)
		ok = add_site (d, node->items[i], out) && ok;
	return ok;
}

bool ppi_policy_read_bind (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			   const struct ppi_policy_key *keys, struct ppi_policy_bind *out)
{
	const struct ppi_yaml *value;
	uint64_t every = 0;
	bool ok;

	memset (out, 0, sizeof *out);
	if (!ppi_policy_is (d, node, PPI_YAML_MAP, what))
		return false;
	ok = ppi_policy_keys (d, node, what, keys);
	value = ppi_yaml_get (node, "metric");
	if (value && ppi_policy_name (d, value, "a metric's name"))
		out->metric = value;
	else if (!value)
		ppi_diagnose (d, node->place, "%s needs 'metric'", what);
	value = ppi_yaml_get (node, "sites");
	if (value)
		ok = read_sites (d, value, out) && ok;
	else
		ppi_diagnose (d, node->place, "%s needs 'sites'", what);
	value = ppi_yaml_get (node, "every");
	if (value)
		ok = ppi_policy_integer (d, value, "'every'", 1, 1u << 30, &every) && ok;
	out->every = (uint32_t) every;
	value = ppi_yaml_get (node, "for");
	if (value)
		ok = ppi_policy_duration (d, value, "'for'", &out->for_ns) && ok;
	value = ppi_yaml_get (node, "until");
	if (value && ppi_policy_word (d, value, "'until'") && strcmp (value->scalar, "clear") != 0)
		ppi_diagnose (d, value->place, "'until' can only be clear, not '%s'", value->scalar);
	out->until_clear = value != NULL;
	return ok && out->metric && out->n_sites;
}

static int level_of (const char *word)
{
	static const char *const names[] = {
#define X(id, name) name,
		PPI_LOG_LEVELS (X)
#undef X
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp (names[i], word) == 0)
			return (int) i;
	return -1;
}

/* log: warning; log: "text"; log: {level: warning, text: "text"} */
static bool read_log (struct ppi_diagnostics *d, const struct ppi_yaml *node, struct ppi_policy_action *out)
{
	static const struct ppi_policy_key keys[] = {{"level", false}, {"text", false}, {NULL, false}};
	const struct ppi_yaml *level = node;
	int number;

	out->level = PPI_LOG_WARNING;
	if (node->kind == PPI_YAML_MAP) {
		if (!ppi_policy_keys (d, node, "log", keys))
			return false;
		out->name = ppi_yaml_get (node, "text");
		if (out->name && !ppi_policy_word (d, out->name, "'text'"))
			return false;
		level = ppi_yaml_get (node, "level");
		if (!level)
			return true;
	}
	if (!ppi_policy_word (d, level, "log"))
		return false;
	number = level_of (level->scalar);
	if (number >= 0) {
		out->level = (uint8_t) number;
	} else if (level == node) {
		out->name = level;
	} else {
		ppi_diagnose (d, level->place, "'level' is debug, info, warning or error, not '%s'", level->scalar);
		return false;
	}
	return true;
}

static bool read_knob (struct ppi_diagnostics *d, const struct ppi_yaml *node, struct ppi_policy_action *out)
{
	static const struct ppi_policy_key keys[] = {
		{"name", false}, {"step", false}, {"set", false}, {"min_dwell", false}, {NULL, false}};
	const struct ppi_yaml *step, *set, *dwell;
	bool ok;

	if (!ppi_policy_is (d, node, PPI_YAML_MAP, "knob"))
		return false;
	ok = ppi_policy_keys (d, node, "knob", keys);
	out->name = ppi_yaml_get (node, "name");
	if (!out->name)
		ppi_diagnose (d, node->place, "knob needs 'name'");
	else
		ok = ppi_policy_name (d, out->name, "a knob's name") && ok;
	step = ppi_yaml_get (node, "step");
	set = ppi_yaml_get (node, "set");
	out->set = set != NULL;
	if (!step == !set) {
		ppi_diagnose (d, node->place, "knob needs either 'step' or 'set'");
		return false;
	}
	ok = ppi_policy_number (d, set ? set : step, set ? "'set'" : "'step'", &out->value) && ok;
	dwell = ppi_yaml_get (node, "min_dwell");
	if (dwell)
		ok = ppi_policy_duration (d, dwell, "'min_dwell'", &out->min_dwell_ns) && ok;
	return ok && out->name;
}

static bool read_action (struct ppi_diagnostics *d, const struct ppi_yaml *key, const struct ppi_yaml *value,
			 bool on_clear, struct ppi_policy_action *out)
{
	/* what is bound when it clears has no clear to end with */
	const struct ppi_policy_key bind_keys[] = {{"metric", false},
						   {"sites", false},
						   {"every", false},
						   {"for", false},
						   {on_clear ? NULL : "until", false},
						   {NULL, false}};
	static const struct ppi_policy_key unbind_keys[] = {{"metric", false}, {"sites", false}, {NULL, false}};
	static const char *const names[] = {
#define X(id, name) name,
		PPI_ACTIONS (X)
#undef X
	};
	size_t kind = 0;

	while (kind < sizeof names / sizeof *names && strcmp (names[kind], key->scalar) != 0)
		kind++;
	out->kind = (uint8_t) kind;
	switch (kind) {
	case PPI_ACTION_LOG:
		return read_log (d, value, out);
	case PPI_ACTION_CALL:
		out->name = value;
		return ppi_policy_name (d, value, "a function's name");
	case PPI_ACTION_BIND:
		return ppi_policy_read_bind (d, value, "bind", bind_keys, &out->bind);
	case PPI_ACTION_UNBIND:
		return ppi_policy_read_bind (d, value, "unbind", unbind_keys, &out->bind);
	case PPI_ACTION_KNOB:
		return read_knob (d, value, out);
	default:
		return false;
	}
}

bool ppi_policy_read_actions (struct ppi_diagnostics *d, const struct ppi_yaml *list, const char *what,
			      struct ppi_policy_action **out, size_t *n)
{
	static const struct ppi_policy_key keys[] = {
#define X(id, name) {name, false},
		PPI_ACTIONS (X)
#undef X
			{"signal", true},
		{"dump", true},
		{"profile", true},
		{"sample", true},
		{"investigate", true},
		{"run", true},
		{NULL, false}};
	bool ok = true, on_clear = strcmp (what, "'on_clear'") == 0;

	*n = 0;
	*out = NULL;
	if (!ppi_policy_is (d, list, PPI_YAML_LIST, what))
		return false;
	*out = calloc (list->n + 1, sizeof **out);
	for (size_t i = 0; *out && i < list->n; i++) {
		const struct ppi_yaml *item = list->items[i];

		if (!ppi_policy_is (d, item, PPI_YAML_MAP, "an action")) {
			ok = false;
		} else if (item->n != 1) {
			ppi_diagnose (d, item->place,
				      "an action is one of log, call, bind, unbind, knob; write '- ' before each");
			ok = false;
		} else if (!ppi_policy_keys (d, item, "an action", keys) ||
			   !read_action (d, item->keys[0], item->items[0], on_clear, &(*out)[*n])) {
			ok = false;
		} else {
			++*n;
		}
		if (!ok)
			memset (&(*out)[*n], 0, sizeof **out);
	}
	return ok && *out;
}
