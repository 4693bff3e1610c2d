/* SPDX-License-Identifier: MIT */
/* policy_action.c: what bind: and the actions of on_fire: and on_clear: say. */
#include "assertions/language/policy.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define INVESTIGATE_DEPTH 8
#define INVESTIGATE_NS UINT64_C (10000000000) /* when it is not said */

static bool add_pattern (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *one,
			 struct ppi_policy_bind *out)
{
	if (!ppi_policy_word (d, node, one))
		return false;
	if (out->n_sites == PPI_SITES_COUNT) {
		ppi_diagnose (d, node->place, "these are more than %d patterns", PPI_SITES_COUNT);
		return false;
	}
	out->sites[out->n_sites++] = node;
	return true;
}

bool ppi_policy_read_patterns (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			       const char *what, const char *one, struct ppi_policy_bind *out)
{
	bool ok = true;

	if (node->kind == PPI_YAML_SCALAR)
		return add_pattern (d, node, one, out);
	if (!ppi_policy_is (d, node, PPI_YAML_LIST, what))
		return false;
	if (!node->n) {
		ppi_diagnose (d, node->place, "%s is empty", what);
		return false;
	}
	for (size_t i = 0; i < node->n && out->n_sites <= PPI_SITES_COUNT; i++)
		ok = add_pattern (d, node->items[i], one, out) && ok;
	return ok;
}

bool ppi_policy_read_sites (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			    struct ppi_policy_bind *out)
{
	return ppi_policy_read_patterns (d, node, "'sites'", "a site pattern", out);
}

bool ppi_policy_read_bind (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			   const struct ppi_policy_key *keys, unsigned lacks,
			   struct ppi_policy_bind *out)
{
	const struct ppi_yaml *value;
	uint8_t clear;
	bool ok;

	memset (out, 0, sizeof *out);
	if (!ppi_policy_is (d, node, PPI_YAML_MAP, what))
		return false;
	ok = ppi_policy_keys (d, node, what, keys, lacks);
	ok = ppi_policy_needs (d, node, what, keys, false) && ok;
	ok = ppi_policy_take (d, node, keys, out) && ok;
	value = ppi_yaml_get (node, "sites");
	ok = (!value || ppi_policy_read_sites (d, value, out)) && ok;
	value = ppi_yaml_get (node, "until");
	out->until_clear = value != NULL;
	return (!value || ppi_policy_value (d, value, ppi_keys_bind (), "until", &clear)) && ok;
}

/* A word that is nearly a level, or begins one, is a text, and hardly meant as one. */
static void tell_if_mistyped (struct ppi_diagnostics *d, const struct ppi_yaml *text)
{
	const char *const *names = ppi_policy_key (ppi_keys_log (), "level")->words;
	const char *nearest = ppi_nearest (text->scalar, names);
	size_t length = strlen (text->scalar);

	for (size_t i = 0; !nearest && length >= 3 && names[i]; i++)
		if (strncmp (names[i], text->scalar, length) == 0)
			nearest = names[i];
	if (nearest && text->plain)
		ppi_diagnose_warning (d, text->place,
				      "'%s' is logged as a text; did you mean the level '%s'? "
				      "{text: %s} says it without this",
				      text->scalar, nearest, text->scalar);
}

/* to: stderr, syslog, or a file */
static bool read_target (struct ppi_diagnostics *d, const struct ppi_yaml *to,
			 struct ppi_policy_action *out)
{
	if (!to)
		return true;
	if (!ppi_policy_value (d, to, ppi_keys_log (), "to", &to))
		return false;
	if (strcmp (to->scalar, "syslog") == 0) {
		out->target = PPI_LOG_SYSLOG;
	} else if (strcmp (to->scalar, "stderr") != 0) {
		out->target = PPI_LOG_FILE;
		out->file = to;
	}
	return true;
}

/* log: warning; log: "text"; log: {level: warning, text: "text", to: syslog} */
static bool read_log (struct ppi_diagnostics *d, const struct ppi_yaml *node,
		      struct ppi_policy_action *out)
{
	const struct ppi_policy_key *keys = ppi_keys_log ();
	const struct ppi_yaml *level = node;
	int number;

	out->level = PPI_LOG_AS_SEVERE;
	if (node->kind == PPI_YAML_MAP) {
		if (!ppi_policy_keys (d, node, "log", keys, PPI_LACKS_NONE) ||
		    !ppi_policy_take (d, node, keys, out) ||
		    !read_target (d, ppi_yaml_get (node, "to"), out))
			return false;
		level = ppi_yaml_get (node, "level");
		if (!level)
			return true;
	}
	if (!ppi_policy_word (d, level, "log"))
		return false;
	number = ppi_policy_word_place (ppi_policy_key (keys, "level")->words, level->scalar);
	if (number < 0 && level == node) {
		tell_if_mistyped (d, level);
		out->name = level;
		return true;
	}
	return ppi_policy_value (d, level, keys, "level", &out->level);
}

/* record: mark; record: {mark: "text", file: PATH} */
static bool read_record (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			 struct ppi_policy_action *out)
{
	const struct ppi_policy_key *keys = ppi_keys_mark ();

	if (node->kind == PPI_YAML_SCALAR) {
		if (strcmp (node->scalar, "mark") == 0)
			return true;
		ppi_diagnose (d, node->place,
			      "record is mark, or {mark: TEXT, file: PATH}, not '%s'",
			      node->scalar);
		return false;
	}
	if (!ppi_policy_is (d, node, PPI_YAML_MAP, "record") ||
	    !ppi_policy_keys (d, node, "record", keys, PPI_LACKS_NONE))
		return false;
	if (!ppi_yaml_get (node, "mark") && !ppi_yaml_get (node, "file")) {
		ppi_diagnose (d, node->place, "record needs 'mark' or 'file'");
		return false;
	}
	return ppi_policy_take (d, node, keys, out);
}

/* signal: SIGUSR1; signal: {name: USR1, to: thread} */
static bool read_signal (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			 struct ppi_policy_action *out)
{
	static const char *const names[] = {
#define X(id) #id,
		PPI_SIGNALS (X)
#undef X
			NULL};
	static const int numbers[] = {
#define X(id) SIG##id,
		PPI_SIGNALS (X)
#undef X
	};
	const struct ppi_policy_key *keys = ppi_keys_signal ();
	const struct ppi_yaml *name = node, *to;
	uint8_t place = 0;
	const char *text;
	char list[128];
	int which;

	if (node->kind == PPI_YAML_MAP) {
		if (!ppi_policy_keys (d, node, "signal", keys, PPI_LACKS_NONE))
			return false;
		ppi_policy_needs (d, node, "signal", keys, false);
		name = ppi_yaml_get (node, "name");
		to = ppi_yaml_get (node, "to");
		if (to && (!ppi_policy_word (d, to, "'to'") ||
			   !ppi_policy_value (d, to, keys, "to", &place)))
			return false;
		out->set = place == 1;
	}
	if (!name || !ppi_policy_word (d, name, "signal"))
		return false;
	text = name->scalar + (strncmp (name->scalar, "SIG", 3) == 0 ? 3 : 0);
	which = ppi_policy_word_place (names, text);
	if (which >= 0) {
		out->number = (uint8_t) numbers[which];
		return true;
	}
	ppi_diagnose (d, name->place, "'%s' is no signal that can be sent; there are %s",
		      name->scalar, ppi_policy_listed (names, " and ", list, sizeof list));
	return false;
}

/* sample: {metric: NAME, value: EXPRESSION} */
static bool read_sample (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			 struct ppi_policy_action *out)
{
	const struct ppi_policy_key *keys = ppi_keys_sample ();

	return ppi_policy_is (d, node, PPI_YAML_MAP, "sample") &&
	       ppi_policy_keys (d, node, "sample", keys, PPI_LACKS_NONE) &&
	       ppi_policy_needs (d, node, "sample", keys, true) &&
	       ppi_policy_take (d, node, keys, out);
}

/* investigate: true; investigate: {for: 10s, depth: 4, sites: PATTERN} */
static bool read_investigate (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			      struct ppi_policy_action *out)
{
	const struct ppi_policy_key *keys = ppi_keys_investigate ();
	const struct ppi_yaml *sites;
	bool ok;

	out->bind.for_ns = INVESTIGATE_NS;
	out->depth = INVESTIGATE_DEPTH;
	if (node->kind == PPI_YAML_SCALAR) {
		if (strcmp (node->scalar, "true") != 0)
			ppi_diagnose (
				d, node->place,
				"investigate is true, or {for: TIME, depth: N, sites: PATTERN}");
		return strcmp (node->scalar, "true") == 0;
	}
	if (!ppi_policy_is (d, node, PPI_YAML_MAP, "investigate"))
		return false;
	ok = ppi_policy_keys (d, node, "investigate", keys, PPI_LACKS_NONE);
	ok = ppi_policy_take (d, node, keys, out) && ok;
	sites = ppi_yaml_get (node, "sites");
	return (!sites || ppi_policy_read_sites (d, sites, &out->bind)) && ok;
}

/* A number, or a word of the knob's: which it may be is known with the knob */
static bool read_set (struct ppi_diagnostics *d, const struct ppi_yaml *set,
		      struct ppi_policy_action *out)
{
	const char *end;

	if (!ppi_policy_word (d, set, "'set'"))
		return false;
	out->word = set;
	end = ppi_lex_name (set->scalar);
	if (!end || *end)
		return ppi_policy_number (d, set, "'set'", &out->value);
	out->value = NAN;
	return true;
}

static bool read_knob (struct ppi_diagnostics *d, const struct ppi_yaml *node,
		       struct ppi_policy_action *out)
{
	const struct ppi_policy_key *keys = ppi_keys_knob ();
	const struct ppi_yaml *step, *set;
	bool ok;

	if (!ppi_policy_is (d, node, PPI_YAML_MAP, "knob"))
		return false;
	ok = ppi_policy_keys (d, node, "knob", keys, PPI_LACKS_NONE);
	ok = ppi_policy_needs (d, node, "knob", keys, false) && ok;
	ok = ppi_policy_take (d, node, keys, out) && ok;
	step = ppi_yaml_get (node, "step");
	set = ppi_yaml_get (node, "set");
	out->set = set != NULL;
	if (!step == !set) {
		ppi_diagnose (d, node->place, "knob needs either 'step' or 'set'");
		return false;
	}
	return (set ? read_set (d, set, out)
		    : ppi_policy_value (d, step, keys, "step", &out->value)) &&
	       ok;
}

/* profile: {for: 5s, sampler: interrupter, rate: 1000, sites: PATTERN} */
static bool read_profile (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			  struct ppi_policy_action *out)
{
	ppi_policy_read_profile (d, node, &out->profile);
	if (out->profile.key && !out->profile.for_ns) {
		ppi_diagnose (d, node->place,
			      "profile as an action needs 'for': it ends after this time");
		return false;
	}
	return out->profile.key != NULL;
}

/* dump: flight; there is nothing else yet that could be dumped */
static bool read_dump (struct ppi_diagnostics *d, const struct ppi_yaml *node)
{
	uint8_t place;

	return ppi_policy_word (d, node, "dump") &&
	       ppi_policy_value (d, node, ppi_keys_action (), "dump", &place);
}

static bool read_action (struct ppi_diagnostics *d, const struct ppi_yaml *key,
			 const struct ppi_yaml *value, unsigned lacks,
			 struct ppi_policy_action *out)
{
	const struct ppi_policy_key *actions = ppi_keys_action ();
	size_t kind = 0;

	while (actions[kind].name && strcmp (actions[kind].name, key->scalar) != 0)
		kind++;
	out->kind = (uint8_t) kind;
	out->key = key;
	switch (kind) {
	case PPI_ACTION_LOG:
		return read_log (d, value, out);
	case PPI_ACTION_CALL:
		out->name = value;
		return ppi_policy_name (d, value, "a function's name");
	case PPI_ACTION_BIND:
		return ppi_policy_read_bind (d, value, "bind", ppi_keys_bind (), lacks, &out->bind);
	case PPI_ACTION_UNBIND:
		return ppi_policy_read_bind (d, value, "unbind", ppi_keys_unbind (), lacks,
					     &out->bind);
	case PPI_ACTION_KNOB:
		return read_knob (d, value, out);
	case PPI_ACTION_RECORD:
		return read_record (d, value, out);
	case PPI_ACTION_REPORT:
		if (!ppi_policy_path (d, value, "report", false))
			return false;
		out->file = strcmp (value->scalar, "stderr") == 0 ? NULL : value;
		return true;
	case PPI_ACTION_SIGNAL:
		return read_signal (d, value, out);
	case PPI_ACTION_SAMPLE:
		return read_sample (d, value, out);
	case PPI_ACTION_INVESTIGATE:
		return read_investigate (d, value, out);
	case PPI_ACTION_PROFILE:
		return read_profile (d, value, out);
	case PPI_ACTION_DUMP:
		return read_dump (d, value);
	default: /* a word or a text, which means something to react/actions.c only */
		out->name = value;
		return ppi_policy_word (d, value, key->scalar);
	}
}

static const char *all_actions (char *out, size_t room)
{
	const struct ppi_policy_key *action = ppi_keys_action ();
	const char *names[PPI_KEYS_MAX + 1] = {NULL};

	for (size_t n = 0; action->name; action++)
		if (action->when != PPI_KEY_LATER)
			names[n++] = action->name;
	return ppi_policy_listed (names, ", ", out, room);
}

bool ppi_policy_read_actions (struct ppi_diagnostics *d, const struct ppi_yaml *list,
			      const char *what, struct ppi_policy_action **out, size_t *n)
{
	/*
	 * what is bound, sampled or investigated when it clears has no clear to end with, nor a
	 * violation
	 */
	unsigned lacks = strcmp (what, "'on_clear'") == 0 ? PPI_ON_CLEAR : PPI_LACKS_NONE;
	char list_of_all[160];
	bool ok = true;

	*n = 0;
	*out = NULL;
	if (!ppi_policy_is (d, list, PPI_YAML_LIST, what))
		return false;
	*out = calloc (list->n + 1, sizeof **out);
	for (size_t i = 0; *out && i < list->n; i++) {
		const struct ppi_yaml *item = list->items[i];

		/* the only action that needs no more than its name */
		if (item->kind == PPI_YAML_SCALAR && strcmp (item->scalar, "dump") == 0) {
			(*out)[(*n)++] =
				(struct ppi_policy_action){.kind = PPI_ACTION_DUMP, .key = item};
		} else if (!ppi_policy_is (d, item, PPI_YAML_MAP, "an action")) {
			ok = false;
		} else if (item->n != 1) {
			ppi_diagnose (d, item->place,
				      "an action is one of %s; write '- ' before each",
				      all_actions (list_of_all, sizeof list_of_all));
			ok = false;
		} else if (!ppi_policy_keys (d, item, "an action", ppi_keys_action (), lacks) ||
			   !read_action (d, item->keys[0], item->items[0], lacks, &(*out)[*n])) {
			ok = false;
		} else {
			++*n;
		}
		if (!ok)
			memset (&(*out)[*n], 0, sizeof **out);
	}
	return ok && *out;
}
