/* SPDX-License-Identifier: MIT */
/*
 * policy_read.c: the tree of a policy file → struct ppi_policy. Every key is looked at: one that is not understood is
 * an error, never ignored. An entry with an error is left out, its name excepted, so that others' errors are still
 * found but none follow from it.
 */
#include "growth.h"
#include "policy.h"

#include "libmetrics/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOWHERE ((struct ppi_place){0, 0})

static int read_all (int fd, char *text, size_t room, size_t *bytes)
{
	for (*bytes = 0; *bytes < room;) {
		ssize_t n = read (fd, text + *bytes, room - *bytes);

		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return errno;
		*bytes += n > 0 ? (size_t) n : 0;
	}
	return 0;
}

static struct ppi_file_mark mark_of (const struct stat *st)
{
	return (struct ppi_file_mark){st->st_dev, st->st_ino, (uint64_t) st->st_size, st->st_mtim.tv_sec,
				      st->st_mtim.tv_nsec};
}

bool ppi_file_mark_of (const char *path, struct ppi_file_mark *out)
{
	int saved = errno;
	struct stat st;
	bool exists = stat (path, &st) == 0;

	errno = saved;
	if (exists)
		*out = mark_of (&st);
	return exists;
}

bool ppi_file_mark_equal (const struct ppi_file_mark *a, const struct ppi_file_mark *b)
{
	return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes && a->seconds == b->seconds &&
	       a->nanoseconds == b->nanoseconds;
}

int ppi_policy_slurp (const char *path, char **text, size_t *bytes, struct ppi_file_mark *mark,
		      struct ppi_diagnostics *d)
{
	int saved = errno, problem = 0, fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	*text = malloc (PPI_YAML_BYTES + 2);
	if (fd < 0)
		problem = errno;
	else if (fstat (fd, &st) < 0)
		problem = errno;
	else if (S_ISDIR (st.st_mode))
		problem = EISDIR;
	else if (*text)
		problem = read_all (fd, *text, PPI_YAML_BYTES + 1, bytes);
	if (fd >= 0)
		close (fd);
	errno = saved;
	if (problem || !*text) {
		if (problem)
			ppi_diagnose (d, NOWHERE, "can't read the policy: %s", strerror (problem));
		free (*text);
		*text = NULL;
		return problem ? PP_EIO : PP_ENOMEM;
	}
	(*text)[*bytes] = '\0';
	if (mark)
		*mark = mark_of (&st);
	return PP_OK;
}

static bool read_metric_values (struct ppi_diagnostics *d, const struct ppi_yaml *body, struct ppi_policy_metric *out)
{
	const struct ppi_yaml *max_size = ppi_yaml_get (body, "maxSize"), *window = ppi_yaml_get (body, "window");
	const struct ppi_yaml *size = ppi_yaml_get (body, "size"), *every = ppi_yaml_get (body, "every");
	uint64_t number = 0;
	bool ok = true;

	if (size && out->accumulator != PPI_BOUNDED_SERIES) {
		ppi_diagnose (d, size->place, "only a bounded_series has a size");
		ok = false;
	} else if (size) {
		ok = ppi_policy_integer (d, size, "'size'", 1, 1u << 20, &out->size);
	} else if (out->accumulator == PPI_BOUNDED_SERIES) {
		out->size = PPI_SERIES_SIZE;
	}
	if (max_size && out->accumulator != PPI_UNBOUNDED_SERIES) {
		ppi_diagnose (d, max_size->place, "only an unbounded_series has a maxSize");
		ok = false;
	} else if (max_size) {
		ok = ppi_policy_integer (d, max_size, "'maxSize'", 1, PPI_UNBOUNDED_SIZE_MAX, &out->size) && ok;
	} else if (out->accumulator == PPI_UNBOUNDED_SERIES) {
		out->size = PPI_UNBOUNDED_SIZE;
	}
	if (window && !ppi_policy_duration (d, window, "'window'", &out->window_ns)) {
		ok = false;
	} else if (window && out->window_ns < PPI_WINDOW_LEAST_NS) {
		ppi_diagnose (d, window->place, "the shortest window is 1 ms");
		ok = false;
	}
	if (every && !ppi_policy_integer (d, every, "'every'", 1, 1u << 30, &number))
		ok = false;
	out->every = (uint32_t) number;
	return ok;
}

static bool read_keep (struct ppi_diagnostics *d, const struct ppi_yaml *body, struct ppi_policy_metric *out)
{
	static const char *const names[] = {
#define X(id, name) name,
		PPI_ACCUMULATORS (X)
#undef X
			NULL};
	const struct ppi_yaml *keep = ppi_yaml_get (body, "keep");
	const char *nearest;
	int accumulator;

	if (!keep) {
		ppi_diagnose (d, body->place,
			      "a metric needs 'keep': scalar, count, sumcount, bounded_series, unbounded_series, stats "
			      "or histogram");
		return false;
	}
	if (!ppi_policy_word (d, keep, "'keep'"))
		return false;
	accumulator = ppi_accumulator_parse (keep->scalar);
	if (accumulator >= 0) {
		out->accumulator = (uint8_t) accumulator;
		return true;
	}
	nearest = ppi_nearest (keep->scalar, names);

	ppi_diagnose (d, keep->place, "there is no accumulator '%s'%s%s%s", keep->scalar,
		      nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	return false;
}

static bool read_fallback (struct ppi_diagnostics *d, const struct ppi_yaml *source, struct ppi_policy_metric *out)
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

/* optional: and fallback: */
static bool read_lack (struct ppi_diagnostics *d, const struct ppi_yaml *body, struct ppi_policy_metric *out)
{
	const struct ppi_yaml *optional = ppi_yaml_get (body, "optional"), *list = ppi_yaml_get (body, "fallback");
	bool ok = !optional || ppi_policy_bool (d, optional, "'optional'", &out->optional);

	if (!list)
		return ok;
	if (list->kind != PPI_YAML_LIST)
		return read_fallback (d, list, out) && ok;
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

static void read_metric (struct ppi_diagnostics *d, const struct ppi_yaml *name, const struct ppi_yaml *body,
			 struct ppi_policy_metric *out)
{
	static const struct ppi_policy_key keys[] = {{"interval", false}, {"point", false},    {"keep", false},
						     {"size", false},     {"maxSize", false},  {"every", false},
						     {"optional", false}, {"fallback", false}, {"window", false},
						     {"expr", false},     {NULL, false}};
	const struct ppi_yaml *interval, *point;
	bool ok;

	out->name = name;
	ok = ppi_policy_name (d, name, "a metric's name");
	if (!ppi_policy_is (d, body, PPI_YAML_MAP, "a metric"))
		return;
	ok = ppi_policy_keys (d, body, "a metric", keys) && ok;
	interval = ppi_yaml_get (body, "interval");
	point = ppi_yaml_get (body, "point");
	if (!interval == !point) {
		ppi_diagnose (d, body->place, "a metric needs either 'interval' or 'point' with its source");
		ok = false;
	} else {
		out->kind = interval ? PP_ABI_SITE_INTERVAL : PP_ABI_SITE_POINT;
		out->source = interval ? interval : point;
		ok = ppi_policy_word (d, out->source, "a source") && ok;
	}
	if (read_keep (d, body, out))
		ok = read_metric_values (d, body, out) && ok;
	else
		ok = false;
	ok = read_lack (d, body, out) && ok;
	if (!ok) {
		out->unsound = out->source && out->source->kind == PPI_YAML_SCALAR ? out->source : NULL;
		out->source = NULL;
	}
}

static void read_composite (struct ppi_diagnostics *d, const struct ppi_yaml *name, const struct ppi_yaml *body,
			    struct ppi_policy *policy)
{
	static const struct ppi_policy_key keys[] = {{"expr", false}, {NULL, false}};
	const struct ppi_yaml *expr = ppi_yaml_get (body, "expr");
	bool named = ppi_policy_name (d, name, "a metric's name");

	if (ppi_policy_keys (d, body, "a metric with 'expr'", keys) && ppi_policy_word (d, expr, "'expr'") && named)
		policy->composites[policy->n_composites++] = (struct ppi_policy_composite){name, expr, false};
}

const char *ppi_policy_composite (const struct ppi_policy *policy, const char *name)
{
	for (size_t i = 0; i < policy->n_composites; i++)
		if (strcmp (policy->composites[i].name->scalar, name) == 0)
			return policy->composites[i].expr->scalar;
	return NULL;
}

static void read_metrics (struct ppi_diagnostics *d, const struct ppi_yaml *map, struct ppi_policy *policy)
{
	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'metrics'"))
		return;
	policy->metrics = calloc (map->n + 1, sizeof *policy->metrics);
	policy->composites = calloc (map->n + 1, sizeof *policy->composites);
	for (size_t i = 0; policy->metrics && policy->composites && i < map->n; i++)
		if (map->items[i]->kind == PPI_YAML_MAP && ppi_yaml_get (map->items[i], "expr"))
			read_composite (d, map->keys[i], map->items[i], policy);
		else
			read_metric (d, map->keys[i], map->items[i], &policy->metrics[policy->n_metrics++]);
}

static void read_binds (struct ppi_diagnostics *d, const struct ppi_yaml *list, struct ppi_policy *policy)
{
	static const struct ppi_policy_key keys[] = {{"metric", false}, {"sites", false}, {"every", false},
						     {"for", false},    {"where", true},  {NULL, false}};

	if (!list || !ppi_policy_is (d, list, PPI_YAML_LIST, "'bind'"))
		return;
	policy->binds = calloc (list->n + 1, sizeof *policy->binds);
	for (size_t i = 0; policy->binds && i < list->n; i++)
		if (ppi_policy_read_bind (d, list->items[i], "a binding", keys, &policy->binds[policy->n_binds]))
			policy->n_binds++;
}

static bool read_capture (struct ppi_diagnostics *d, const struct ppi_yaml *list, struct ppi_policy_assertion *out)
{
	bool ok = true;

	if (!list)
		return true;
	if (!ppi_policy_is (d, list, PPI_YAML_LIST, "'capture'"))
		return false;
	if (list->n > PPI_CAPTURES) {
		ppi_diagnose (d, list->items[PPI_CAPTURES]->place, "at most %d metrics can be captured", PPI_CAPTURES);
		return false;
	}
	for (size_t i = 0; i < list->n; i++) {
		ok = ppi_policy_name (d, list->items[i], "a metric's name") && ok;
		out->capture[out->n_captures++] = list->items[i];
	}
	if (!ok)
		out->n_captures = 0;
	return ok;
}

/* sweep: [1.05, 1.25, 2], for assertions at sites */
static void read_sweep (struct ppi_diagnostics *d, const struct ppi_yaml *list, struct ppi_policy_assertion *out)
{
	if (!list || !ppi_policy_is (d, list, PPI_YAML_LIST, "'sweep'"))
		return;
	out->sweep = list;
	if (!list->n || list->n > PPI_SWEEP_MAX)
		ppi_diagnose (d, list->place, "'sweep' has from 1 to %d thresholds", PPI_SWEEP_MAX);
	if (out->every_ns || out->growth.of)
		ppi_diagnose (d, list->place, "only what is expected 'at' a site can be swept");
	for (size_t i = 0; i < list->n && i < PPI_SWEEP_MAX; i++) {
		double *number = &out->threshold[out->n_thresholds];

		if (!ppi_policy_number (d, list->items[i], "a threshold", number))
			continue;
		if (*number > 0)
			out->n_thresholds++;
		else
			ppi_diagnose (d, list->items[i]->place, "a threshold is above 0");
	}
}

/* at: or every:, exactly one */
static void read_when (struct ppi_diagnostics *d, const struct ppi_yaml *body, struct ppi_policy_assertion *out)
{
	const struct ppi_yaml *every = ppi_yaml_get (body, "every");

	out->at = ppi_yaml_get (body, "at");
	if (!out->at == !every) {
		ppi_diagnose (d, body->place, "an assertion needs either 'at' (a site) or 'every' (a time)");
		out->at = NULL;
	} else if (every) {
		ppi_policy_duration (d, every, "'every'", &out->every_ns);
	} else if (!ppi_policy_word (d, out->at, "'at'")) {
		out->at = NULL;
	}
}

static void read_scope (struct ppi_diagnostics *d, const struct ppi_yaml *scope, struct ppi_policy_assertion *out)
{
	if (!scope || !ppi_policy_word (d, scope, "'scope'") || strcmp (scope->scalar, "process") == 0)
		return;
	out->per_thread = true;
	if (strcmp (scope->scalar, "thread") != 0)
		ppi_diagnose (d, scope->place, "there is no scope '%s'; there are process and thread", scope->scalar);
	else if (out->every_ns || out->growth.of)
		ppi_diagnose (d, scope->place,
			      "only what is expected 'at' a site is checked by threads; 'every' and 'growth' are "
			      "checked for all of them together");
}

static void read_severity (struct ppi_diagnostics *d, const struct ppi_yaml *node, struct ppi_policy_assertion *out)
{
	out->severity = PP_SEVERITY_WARNING;
	if (!node || !ppi_policy_word (d, node, "'severity'"))
		return;
	for (unsigned i = PP_SEVERITY_INFO; i <= PP_SEVERITY_CRITICAL; i++)
		if (strcmp (ppi_severity_name ((enum pp_severity) i), node->scalar) == 0) {
			out->severity = (uint8_t) i;
			return;
		}
	ppi_diagnose (d, node->place, "'severity' is info, warning, error or critical, not '%s'", node->scalar);
}

static void read_counts (struct ppi_diagnostics *d, const struct ppi_yaml *body, struct ppi_policy_assertion *out)
{
	const struct ppi_yaml *value;
	uint64_t fire_after = 1, clear_after = 1;

	value = ppi_yaml_get (body, "after");
	if (value)
		ppi_policy_integer (d, value, "'after'", 0, UINT64_C (1) << 53, &out->after);
	value = ppi_yaml_get (body, "for");
	if (value)
		ppi_policy_integer (d, value, "'for'", 1, 1000000, &fire_after);
	value = ppi_yaml_get (body, "clear");
	if (value)
		ppi_policy_integer (d, value, "'clear'", 1, 1000000, &clear_after);
	value = ppi_yaml_get (body, "cooldown");
	if (value)
		ppi_policy_duration (d, value, "'cooldown'", &out->cooldown_ns);
	value = ppi_yaml_get (body, "repeat");
	if (value)
		ppi_policy_bool (d, value, "'repeat'", &out->repeat);
	out->fire_after = (uint32_t) fire_after;
	out->clear_after = (uint32_t) clear_after;
}

static bool read_growth_class (struct ppi_diagnostics *d, const struct ppi_yaml *text, uint8_t *out)
{
	int class;

	if (!ppi_policy_word (d, text, "'at_most'"))
		return false;
	class = ppi_growth_parse (text->scalar);
	if (class < 0)
		ppi_diagnose (d, text->place, "there is no growth class '%s'; there are 1, log n, n, n log n, n^2, n^3",
			      text->scalar);
	*out = (uint8_t) class;
	return class >= 0;
}

static void read_growth (struct ppi_diagnostics *d, const struct ppi_yaml *body, struct ppi_policy_growth *out)
{
	static const struct ppi_policy_key keys[] = {
		{"of", false}, {"with", false}, {"at_most", false}, {"every", false}, {NULL, false}};
	const struct ppi_yaml *of, *with, *at_most, *every;
	struct ppi_policy_growth growth = {.every_ns = PPI_GROWTH_EVERY_NS};
	bool ok;

	if (!ppi_policy_is (d, body, PPI_YAML_MAP, "'growth'"))
		return;
	ok = ppi_policy_keys (d, body, "'growth'", keys);
	of = ppi_yaml_get (body, "of");
	with = ppi_yaml_get (body, "with");
	at_most = ppi_yaml_get (body, "at_most");
	every = ppi_yaml_get (body, "every");
	if (!of || !with || !at_most) {
		if (ok)
			ppi_diagnose (
				d, body->place,
				"'growth' needs 'of' (a metric), 'with' (the metric that it grows with) and 'at_most' "
				"(1, log n, n, n log n, n^2 or n^3)");
		ok = false;
	}
	ok = (!of || ppi_policy_name (d, of, "a metric's name")) && ok;
	ok = (!with || ppi_policy_name (d, with, "a metric's name")) && ok;
	ok = (!at_most || read_growth_class (d, at_most, &growth.at_most)) && ok;
	ok = (!every || ppi_policy_duration (d, every, "'every'", &growth.every_ns)) && ok;
	growth.of = of;
	growth.with = with;
	if (ok)
		*out = growth;
}

/* The keys of which exactly one says what is expected */
static const char *const conditions[] = {"expect", "model", "growth"};

enum { CONDITIONS = sizeof conditions / sizeof conditions[0] };

/*
 * UNDERSTOOD: there was no key that may be meant to be one. A model is an expression that may speak of sources and
 * dimensions; it and growth are about a site.
 */
static void read_condition (struct ppi_diagnostics *d, const struct ppi_yaml *body, bool understood,
			    struct ppi_policy_assertion *out)
{
	const struct ppi_yaml *first = NULL, *value;
	size_t which = 0;

	for (size_t i = 0; i < CONDITIONS; i++) {
		value = ppi_yaml_get (body, conditions[i]);
		if (value && first) {
			ppi_diagnose (d, value->place, "an assertion has either '%s' or '%s'", conditions[which],
				      conditions[i]);
			return;
		}
		if (value) {
			first = value;
			which = i;
		}
	}
	if (!first && understood)
		ppi_diagnose (d, body->place, "an assertion needs 'expect', 'model' or 'growth'");
	if (!first)
		return;
	if (which && ppi_yaml_get (body, "every"))
		ppi_diagnose (d, first->place, "'%s' is of a site: it needs 'at', not 'every'", conditions[which]);
	out->is_model = which == 1;
	if (which == 2)
		read_growth (d, first, &out->growth);
	else if (ppi_policy_word (d, first, which ? "'model'" : "'expect'"))
		out->expect = first;
}

static void read_assertion (struct ppi_diagnostics *d, const struct ppi_yaml *name, const struct ppi_yaml *body,
			    struct ppi_policy_assertion *out)
{
	static const struct ppi_policy_key keys[] = {
		{"at", false},       {"every", false},    {"expect", false},   {"after", false},      {"for", false},
		{"clear", false},    {"cooldown", false}, {"capture", false},  {"repeat", false},     {"scope", false},
		{"severity", false}, {"on_fire", false},  {"on_clear", false}, {"model", false},      {"growth", false},
		{"window", true},    {"adapt", true},     {"sweep", false},    {"investigate", true}, {NULL, false}};
	const struct ppi_yaml *value;
	bool understood;

	out->name = name;
	ppi_policy_name (d, name, "an assertion's name");
	if (!ppi_policy_is (d, body, PPI_YAML_MAP, "an assertion"))
		return;
	out->body = body;
	/* a key that is not understood may be the one that seems to be missing */
	understood = ppi_policy_keys (d, body, "an assertion", keys);
	if (understood || ppi_yaml_get (body, "at") || ppi_yaml_get (body, "every"))
		read_when (d, body, out);
	read_condition (d, body, understood, out);
	read_counts (d, body, out);
	read_scope (d, ppi_yaml_get (body, "scope"), out);
	read_severity (d, ppi_yaml_get (body, "severity"), out);
	read_capture (d, ppi_yaml_get (body, "capture"), out);
	read_sweep (d, ppi_yaml_get (body, "sweep"), out);
	value = ppi_yaml_get (body, "on_fire");
	if (value)
		ppi_policy_read_actions (d, value, "'on_fire'", &out->on_fire, &out->n_on_fire);
	value = ppi_yaml_get (body, "on_clear");
	if (value)
		ppi_policy_read_actions (d, value, "'on_clear'", &out->on_clear, &out->n_on_clear);
}

static void read_assertions (struct ppi_diagnostics *d, const struct ppi_yaml *map, struct ppi_policy *policy)
{
	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'assertions'"))
		return;
	policy->assertions = calloc (map->n + 1, sizeof *policy->assertions);
	for (size_t i = 0; policy->assertions && i < map->n; i++)
		read_assertion (d, map->keys[i], map->items[i], &policy->assertions[policy->n_assertions++]);
}

static void read_record (struct ppi_diagnostics *d, const struct ppi_yaml *map, struct ppi_policy *policy)
{
	static const struct ppi_policy_key keys[] = {
		{"file", false}, {"every", true}, {"max_size", true}, {"rotate", true}, {NULL, false}};
	const struct ppi_yaml *file;

	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'record'"))
		return;
	ppi_policy_keys (d, map, "'record'", keys);
	file = ppi_yaml_get (map, "file");
	if (!file)
		ppi_diagnose (d, map->place, "'record' needs 'file'");
	else if (ppi_policy_word (d, file, "'file'"))
		policy->record = file;
}

static void read_top (struct ppi_diagnostics *d, struct ppi_policy *policy)
{
	static const struct ppi_policy_key keys[] = {
		{"version", false},  {"metrics", false},    {"bind", false},    {"assertions", false},
		{"record", false},   {"reload", false},     {"overhead", true}, {"adapt", true},
		{"baseline", false}, {"investigate", true}, {"sweep", true},    {"sample", true},
		{"features", true},  {"events", true},      {"profile", true},  {NULL, false}};
	const struct ppi_yaml *tree = policy->tree, *version;
	uint64_t number;

	if (!ppi_policy_is (d, tree, PPI_YAML_MAP, "a policy"))
		return;
	ppi_policy_keys (d, tree, "a policy", keys);
	version = ppi_yaml_get (tree, "version");
	if (!version)
		ppi_diagnose (d, tree->place, "a policy needs 'version: 1'");
	else if (ppi_policy_integer (d, version, "'version'", 0, UINT32_MAX, &number) && number != 1)
		ppi_diagnose (d, version->place, "this library reads version 1 of policies, not %s", version->scalar);
	read_metrics (d, ppi_yaml_get (tree, "metrics"), policy);
	read_binds (d, ppi_yaml_get (tree, "bind"), policy);
	read_assertions (d, ppi_yaml_get (tree, "assertions"), policy);
	read_record (d, ppi_yaml_get (tree, "record"), policy);
	if (ppi_yaml_get (tree, "baseline") && ppi_policy_word (d, ppi_yaml_get (tree, "baseline"), "'baseline'"))
		policy->baseline = ppi_yaml_get (tree, "baseline");
	if (ppi_yaml_get (tree, "reload"))
		ppi_policy_bool (d, ppi_yaml_get (tree, "reload"), "'reload'", &policy->reload);
}

int ppi_policy_read (const char *path, char *text, size_t bytes, struct ppi_diagnostics *d, struct ppi_policy **out)
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
	for (size_t i = 0; i < policy->n_assertions; i++) {
		for (size_t k = 0; k < policy->assertions[i].n_on_fire; k++)
			ppi_program_destroy (policy->assertions[i].on_fire[k].program);
		free (policy->assertions[i].on_fire);
		free (policy->assertions[i].on_clear);
		ppi_program_destroy (policy->assertions[i].program);
	}
	free (policy->assertions);
	free (policy->binds);
	free (policy->metrics);
	free (policy->composites);
	ppi_policy_implied_destroy (policy);
	ppi_yaml_destroy (policy->tree);
	free (policy->text);
	free (policy->path);
	free (policy);
}
