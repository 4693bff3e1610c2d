/* SPDX-License-Identifier: MIT */
/* policy_action.c: what bind: and the actions of on_fire: and on_clear: say. */
#include "assertions/language/policy.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define INVESTIGATE_DEPTH 8
#define INVESTIGATE_NS UINT64_C (10000000000) /* when it is not said */

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

/* A word that is nearly a level, or begins one, is a text, and hardly meant as one. */
static void tell_if_mistyped (struct ppi_diagnostics *d, const struct ppi_yaml *text)
{
	static const char *const names[] = {
#define X(id, name) name,
		PPI_LOG_LEVELS (X)
#undef X
			NULL};
	const char *nearest = ppi_nearest (text->scalar, names);
	size_t length = strlen (text->scalar);

	for (size_t i = 0; !nearest && length >= 3 && names[i]; i++)
		if (strncmp (names[i], text->scalar, length) == 0)
			nearest = names[i];
	if (nearest && text->plain)
		ppi_diagnose_warning (
			d, text->place,
			"'%s' is logged as a text; did you mean the level '%s'? {text: %s} says it without this",
			text->scalar, nearest, text->scalar);
}

/* to: stderr, syslog, or a file */
static bool read_target (struct ppi_diagnostics *d, const struct ppi_yaml *to, struct ppi_policy_action *out)
{
	if (!to)
		return true;
	if (!ppi_policy_path (d, to, "'to'", false))
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
static bool read_log (struct ppi_diagnostics *d, const struct ppi_yaml *node, struct ppi_policy_action *out)
{
	static const struct ppi_policy_key keys[] = {{"level", false}, {"text", false}, {"to", false}, {NULL, false}};
	const struct ppi_yaml *level = node;
	int number;

	out->level = PPI_LOG_AS_SEVERE;
	if (node->kind == PPI_YAML_MAP) {
		if (!ppi_policy_keys (d, node, "log", keys))
			return false;
		out->name = ppi_yaml_get (node, "text");
		if (out->name && !ppi_policy_word (d, out->name, "'text'"))
			return false;
		if (!read_target (d, ppi_yaml_get (node, "to"), out))
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
		tell_if_mistyped (d, level);
		out->name = level;
	} else {
		ppi_diagnose (d, level->place, "'level' is debug, info, warning or error, not '%s'", level->scalar);
		return false;
	}
	return true;
}

/* record: mark; record: {mark: "text", file: PATH} */
static bool read_record (struct ppi_diagnostics *d, const struct ppi_yaml *node, struct ppi_policy_action *out)
{
	static const struct ppi_policy_key keys[] = {
		{"mark", false}, {"file", false}, {"overwrite", false}, {NULL, false}};
	const struct ppi_yaml *overwrite;

	if (node->kind == PPI_YAML_SCALAR) {
		if (strcmp (node->scalar, "mark") == 0)
			return true;
		ppi_diagnose (d, node->place, "record is mark, or {mark: TEXT, file: PATH}, not '%s'", node->scalar);
		return false;
	}
	if (!ppi_policy_is (d, node, PPI_YAML_MAP, "record") || !ppi_policy_keys (d, node, "record", keys))
		return false;
	out->name = ppi_yaml_get (node, "mark");
	out->file = ppi_yaml_get (node, "file");
	if (!out->name && !out->file) {
		ppi_diagnose (d, node->place, "record needs 'mark' or 'file'");
		return false;
	}
	overwrite = ppi_yaml_get (node, "overwrite");
	if (overwrite && !ppi_policy_bool (d, overwrite, "'overwrite'", &out->set))
		return false;
	return (!out->name || ppi_policy_word (d, out->name, "'mark'")) &&
	       (!out->file || ppi_policy_path (d, out->file, "'file'", true));
}

static const struct {
	const char *name;
	int number;
} signals[] = {{"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},  {"ABRT", SIGABRT}, {"KILL", SIGKILL},
	       {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"ALRM", SIGALRM},  {"TERM", SIGTERM}, {"CONT", SIGCONT},
	       {"TRAP", SIGTRAP}, {"URG", SIGURG},   {"WINCH", SIGWINCH}};

/* signal: SIGUSR1; signal: {name: USR1, to: thread} */
static bool read_signal (struct ppi_diagnostics *d, const struct ppi_yaml *node, struct ppi_policy_action *out)
{
	static const struct ppi_policy_key keys[] = {{"name", false}, {"to", false}, {NULL, false}};
	const struct ppi_yaml *name = node, *to;
	const char *text;

	if (node->kind == PPI_YAML_MAP) {
		if (!ppi_policy_keys (d, node, "signal", keys))
			return false;
		name = ppi_yaml_get (node, "name");
		to = ppi_yaml_get (node, "to");
		if (!name)
			ppi_diagnose (d, node->place, "signal needs 'name'");
		if (to && !ppi_policy_word (d, to, "'to'"))
			return false;
		out->set = to && strcmp (to->scalar, "thread") == 0;
		if (to && !out->set && strcmp (to->scalar, "process") != 0) {
			ppi_diagnose (d, to->place, "'to' of a signal is process or thread, not '%s'", to->scalar);
			return false;
		}
	}
	if (!name || !ppi_policy_word (d, name, "signal"))
		return false;
	text = name->scalar + (strncmp (name->scalar, "SIG", 3) == 0 ? 3 : 0);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (strcmp (signals[i].name, text) == 0)
			out->number = (uint8_t) signals[i].number;
	if (out->number)
		return true;
	ppi_diagnose (d, name->place,
		      "'%s' is no signal that can be sent; there are HUP, INT, QUIT, ABRT, KILL, USR1, USR2, ALRM, "
		      "TERM, CONT, TRAP, URG and WINCH",
		      name->scalar);
	return false;
}

/* sample: {metric: NAME, value: EXPRESSION} */
static bool read_sample (struct ppi_diagnostics *d, const struct ppi_yaml *node, struct ppi_policy_action *out)
{
	static const struct ppi_policy_key keys[] = {{"metric", false}, {"value", false}, {NULL, false}};
	const struct ppi_yaml *metric, *value;

	if (!ppi_policy_is (d, node, PPI_YAML_MAP, "sample") || !ppi_policy_keys (d, node, "sample", keys))
		return false;
	metric = ppi_yaml_get (node, "metric");
	value = ppi_yaml_get (node, "value");
	if (!metric || !value) {
		ppi_diagnose (d, node->place, "sample needs 'metric' and 'value'");
		return false;
	}
	out->name = metric;
	out->expression = value;
	return ppi_policy_name (d, metric, "a metric's name") && ppi_policy_word (d, value, "'value'");
}

/* investigate: true; investigate: {for: 10s, depth: 4, sites: PATTERN} */
static bool read_investigate (struct ppi_diagnostics *d, const struct ppi_yaml *node, struct ppi_policy_action *out)
{
	static const struct ppi_policy_key keys[] = {{"for", false}, {"depth", false}, {"sites", false}, {NULL, false}};
	const struct ppi_yaml *time, *depth, *sites;
	uint64_t levels = INVESTIGATE_DEPTH;
	bool ok = true;

	out->bind.for_ns = INVESTIGATE_NS;
	if (node->kind == PPI_YAML_SCALAR) {
		if (strcmp (node->scalar, "true") != 0)
			ppi_diagnose (d, node->place, "investigate is true, or {for: TIME, depth: N, sites: PATTERN}");
		out->depth = INVESTIGATE_DEPTH;
		return strcmp (node->scalar, "true") == 0;
	}
	if (!ppi_policy_is (d, node, PPI_YAML_MAP, "investigate"))
		return false;
	ok = ppi_policy_keys (d, node, "investigate", keys);
	time = ppi_yaml_get (node, "for");
	depth = ppi_yaml_get (node, "depth");
	sites = ppi_yaml_get (node, "sites");
	if (time)
		ok = ppi_policy_duration (d, time, "'for'", &out->bind.for_ns) && ok;
	if (depth)
		ok = ppi_policy_integer (d, depth, "'depth'", 1, INVESTIGATE_DEPTH, &levels) && ok;
	out->depth = (uint32_t) levels;
	return (!sites || read_sites (d, sites, &out->bind)) && ok;
}

/* A number, or a word of the knob's: which it may be is known with the knob */
static bool read_set (struct ppi_diagnostics *d, const struct ppi_yaml *set, struct ppi_policy_action *out)
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
	ok = (set ? read_set (d, set, out) : ppi_policy_number (d, step, "'step'", &out->value)) && ok;
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
	out->key = key;
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
	default:
		return false;
	}
}

bool ppi_policy_read_actions (struct ppi_diagnostics *d, const struct ppi_yaml *list, const char *what,
			      struct ppi_policy_action **out, size_t *n)
{
	bool ok = true, on_clear = strcmp (what, "'on_clear'") == 0;
	const struct ppi_policy_key keys[] = {
#define X(id, name)                                                                                                    \
	{on_clear && (PPI_ACTION_##id == PPI_ACTION_SAMPLE || PPI_ACTION_##id == PPI_ACTION_INVESTIGATE) ? "" : name,  \
	 false},
		PPI_ACTIONS (X)
#undef X
			{"profile", true},
		{"run", true},
		{NULL, false}};

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
				      "an action is one of log, call, bind, unbind, knob, record, report, signal, "
				      "sample, investigate; "
				      "write '- ' before each");
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
