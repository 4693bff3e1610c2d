/* SPDX-License-Identifier: MIT */
/*
 * expr_names.c: the names of expressions: metrics with their statistics and sites, sites,
 * assertions, knobs.
 */
#include "assertions/language/expr_parse.h"
#include "base/estimate.h"
#include "base/types.h"

#include <stdlib.h>
#include <string.h>

struct ppi_ref *ppi_parse_reference (struct ppi_parser *ps, enum ppi_ref_kind kind, const char *at,
				     struct ppi_node **node)
{
	struct ppi_ref *refs = reallocarray (ps->tree->references, ps->tree->n_references + 1,
					     sizeof *refs),
		       *ref;

	*node = ppi_parse_node (ps, PPI_NODE_REFERENCE, at);
	if (!refs) {
		ps->failed = ps->no_memory = true;
		return NULL;
	}
	ps->tree->references = refs;
	if (!*node)
		return NULL;
	(*node)->reference = (uint16_t) ps->tree->n_references;
	ref = &refs[ps->tree->n_references++];
	memset (ref, 0, sizeof *ref);
	ref->kind = (uint8_t) kind;
	ref->property = -1;
	ref->offset = ref->site_offset = ref->property_offset = ppi_parse_offset (ps, at);
	return ref;
}

char *ppi_parse_copy (struct ppi_parser *ps, const char *from, const char *to)
{
	char *text = strndup (from, (size_t) (to - from));

	if (!text)
		ps->failed = ps->no_memory = true;
	return text;
}

static bool no_window (struct ppi_parser *ps)
{
	if (*ps->p != '[')
		return true;
	PPI_PARSE_FAIL (ps, ps->p,
			"only statistics of metrics and counts of assertions have a window, like "
			"m.avg[10s]");
	return false;
}

/* "[10s]" at ps->p, if it is there */
static bool parse_window (struct ppi_parser *ps, struct ppi_ref *ref)
{
	const char *from, *unit, *end;
	struct ppi_dimension dimension;
	double seconds = 0;

	if (*ps->p != '[')
		return true;
	from = ppi_lex_blanks (ps->p + 1);
	if (ppi_quantity_scan (from, &seconds, &dimension, &unit, &end) != PPI_QUANTITY_OK ||
	    dimension.seconds != 1 || dimension.bytes) {
		PPI_PARSE_FAIL (ps, from, "expected a time with its unit after '[', like 10s");
		return false;
	}
	if (seconds < 1e-3 || seconds > 86400e3) {
		PPI_PARSE_FAIL (ps, from, "a window must be from 1 ms to 1000 days");
		return false;
	}
	ref->window_ns = (uint64_t) (seconds * 1e9 + 0.5);
	ref->window_offset = ppi_parse_offset (ps, from);
	ps->p = end;
	return ppi_parse_expect (ps, ']', "after the window's time");
}

/* Is it a statistic of the program's own? */
static bool find_users (const struct ppi_parser *ps, struct ppi_ref *ref, const char *name)
{
	const struct ppi_names *names = ps->names;
	int power = 0,
	    number = names && names->statistic ? names->statistic (names, name, &power) : -1;

	if (number < 0 || number > INT16_MAX - PP_STATISTICS)
		return false;
	ref->property = (int16_t) (PP_STATISTICS + number);
	ref->power = (int8_t) power;
	return true;
}

static bool no_own_window (struct ppi_parser *ps, const char *name)
{
	PPI_PARSE_FAIL (ps, ps->p,
			"'%s' is a statistic of the program's own: it has no window of time, as it "
			"is computed from all that a metric keeps; of a bounded_series that is its "
			"newest samples",
			name);
	return false;
}

/* It may be one of the program's own that is registered later. */
static void no_statistic (struct ppi_parser *ps, const char *at, const char *name)
{
	static const struct {
		const char *other, *meant;
	} meant[] = {{"mean", "avg"},    {"average", "avg"},  {"median", "p50"},
		     {"std", "stddev"},  {"sigma", "stddev"}, {"var", "variance"},
		     {"newest", "last"}, {"latest", "last"},  {"p100", "max"}};
	const char *nearest = ppi_nearest (name, ppi_lex_statistics ());
	char message[256];

	for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
		if (strcmp (name, meant[i].other) == 0)
			nearest = meant[i].meant;

	snprintf (message, sizeof message, "there is no statistic '%s'%s%s%s", name,
		  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	if (!ps->failed)
		ppi_expr_missing (ps->errors, ppi_parse_offset (ps, at), PPI_NAME_STATISTIC, name,
				  message);
	ps->failed = true;
}

/* Without a dot the statistic is implied. */
bool ppi_parse_statistic (struct ppi_parser *ps, struct ppi_ref *ref)
{
	const char *word = ps->p + 1, *end;
	char written[64];

	if (*ps->p != '.')
		return parse_window (ps, ref);
	end = ppi_lex_name (word);
	if (!end) {
		PPI_PARSE_FAIL (ps, word, "expected a statistic after '.', like avg");
		return false;
	}
	ref->property_offset = ppi_parse_offset (ps, word);
	ref->property = (int16_t) ppi_lex_statistic (word, (size_t) (end - word));
	snprintf (written, sizeof written, "%.*s", (int) (end - word), word);
	if (ref->property < 0 && find_users (ps, ref, written)) {
		ps->p = end;
		return *end != '[' || no_own_window (ps, written);
	}
	if (ref->property < 0) {
		no_statistic (ps, word, written);
		return false;
	}
	ps->p = end;
	return parse_window (ps, ref);
}

/* Behind "@": a quoted or plain site; a plain one ends before ".statistic" if PROPERTY */
static bool parse_at_site (struct ppi_parser *ps, struct ppi_ref *ref, bool property)
{
	const char *from = ps->p, *end, *next;

	end = ppi_lex_quoted (from);
	if (end) {
		from++;
		next = end--;
	} else if (*from == '\'' || *from == '"' || *from == '`') {
		PPI_PARSE_FAIL (ps, from, "the closing %c is missing", *from);
		return false;
	} else {
		end = property ? ppi_lex_property (from) : NULL;
		if (!end)
			for (end = from; ppi_lex_is_path (*end); end++)
				;
		next = end;
	}
	if (from == end) {
		PPI_PARSE_FAIL (ps, from, "expected a site's name after '@'");
		return false;
	}
	ref->site_offset = ppi_parse_offset (ps, from);
	ref->site = ppi_parse_copy (ps, from, end);
	ps->p = next;
	return ref->site;
}

static bool parse_at (struct ppi_parser *ps, struct ppi_ref *ref)
{
	ref->kind = PPI_REF_METRIC_SITE;
	return parse_at_site (ps, ref, true) && ppi_parse_statistic (ps, ref);
}

struct ppi_node *ppi_parse_site (struct ppi_parser *ps, const char *at, const char *from,
				 const char *end, const char *dot)
{
	const char *word = dot + 1, *stop = *dot == '.' ? ppi_lex_name (word) : NULL;
	int property = stop ? ppi_lex_site_property (word, (size_t) (stop - word)) : -1;
	struct ppi_node *node;
	struct ppi_ref *ref;

	if (property < 0) {
		PPI_PARSE_FAIL (ps, stop ? word : dot,
				"expected .open_age or .in_flight after a site; a metric's samples "
				"there are metric@site.avg");
		return NULL;
	}
	ref = ppi_parse_reference (ps, PPI_REF_SITE, at, &node);
	if (!ref)
		return NULL;
	ref->property = (int16_t) property;
	ref->property_offset = ppi_parse_offset (ps, word);
	ref->site_offset = ppi_parse_offset (ps, from);
	ref->site = ppi_parse_copy (ps, from, end);
	ps->p = stop;
	node->end = ppi_parse_offset (ps, stop);
	return ref->site && no_window (ps) ? node : NULL;
}

static struct ppi_node *parse_assertion (struct ppi_parser *ps, const char *at, const char *end,
					 int property)
{
	struct ppi_node *node;
	struct ppi_ref *ref = ppi_parse_reference (ps, PPI_REF_ASSERTION, at, &node);

	if (!ref)
		return NULL;
	ref->name = ppi_parse_copy (ps, at, end);
	ref->property_offset = ppi_parse_offset (ps, end + 1);
	ps->p = ppi_lex_name (end + 1);
	if (property == PPI_ASSERTION_VIOLATIONS && *ps->p == '.') {
		const char *share = ppi_lex_word (ps->p + 1, "share"),
			   *rate = ppi_lex_word (ps->p + 1, "rate");

		if (!share && !rate) {
			PPI_PARSE_FAIL (ps, ps->p + 1,
					"expected 'share' or 'rate' after violations.");
			return NULL;
		}
		property = share ? PPI_ASSERTION_SHARE : PPI_ASSERTION_RATE;
		ps->p = share ? share : rate;
	}
	ref->property = (int16_t) property;
	if (!ref->name || !parse_window (ps, ref))
		return NULL;
	if (property == PPI_ASSERTION_RATE && !ref->window_ns) {
		PPI_PARSE_FAIL (
			ps, ps->p,
			"a rate is one over recent time; say which, like %s.violations.rate[10s]",
			ref->name);
		return NULL;
	}
	node->end = ppi_parse_offset (ps, ps->p);
	return node;
}

/* "static." that ends at WORD, then a figure and perhaps "@site" */
static struct ppi_node *parse_static (struct ppi_parser *ps, const char *at, const char *word)
{
	const char *end = ppi_lex_name (word), *nearest;
	struct ppi_node *node;
	struct ppi_ref *ref = ppi_parse_reference (ps, PPI_REF_STATIC, at, &node);
	char written[64];

	if (!ref)
		return NULL;
	snprintf (written, sizeof written, "%.*s", end ? (int) (end - word) : 0, word);
	ref->property_offset = ppi_parse_offset (ps, word);
	ref->property = (int16_t) (end ? ppi_lex_static (word, (size_t) (end - word)) : -1);
	if (ref->property < 0) {
		nearest = ppi_nearest (written, ppi_static_names ());
		PPI_PARSE_FAIL (ps, word,
				"after 'static.' comes coverage, ops, flops, loads, stores, "
				"branches or calls%s%s%s",
				nearest ? "; did you mean '" : "", nearest ? nearest : "",
				nearest ? "'?" : "");
		return NULL;
	}
	ps->p = end;
	if (*end == '@') {
		ps->p++;
		if (!parse_at_site (ps, ref, false))
			return NULL;
	}
	node->end = ppi_parse_offset (ps, ps->p);
	return node;
}

#define COMPOSITES_DEEP 16

/* "a → b → a" of what is being read, the outermost first; false: NAME is not among them. */
static bool is_cycle (const struct ppi_parser *ps, const char *name, char *out, size_t room)
{
	const char *names[COMPOSITES_DEEP + 2];
	size_t n = 0, used = 0;
	bool found = false;

	for (; ps && ps->name && n < COMPOSITES_DEEP && !found; ps = ps->outer) {
		names[n++] = ps->name;
		found = strcmp (ps->name, name) == 0;
	}
	for (; found && n-- > 0 && used < room;)
		used += (size_t) snprintf (out + used, room - used, "%s → ", names[n]);
	return found;
}

/* The expression TEXT of the composite metric at [AT, END), in its place. */
static struct ppi_node *parse_composite (struct ppi_parser *ps, const char *at, const char *end,
					 const char *name, const char *text)
{
	struct ppi_parser inner = {.text = text,
				   .p = text,
				   .tree = ps->tree,
				   .errors = ps->errors,
				   .names = ps->names,
				   .nesting = ps->nesting + 1,
				   .outer = ps,
				   .name = name,
				   .at = ppi_parse_offset (ps, at)};
	struct ppi_node *node;
	char chain[256] = "";

	if (*end == '.' || *end == '@' || *end == '[' || *end == '{') {
		PPI_PARSE_FAIL (
			ps, end,
			"'%s' is computed from other metrics: it has no statistics, write %s alone",
			name, name);
		return NULL;
	}
	if (is_cycle (ps, name, chain, sizeof chain)) {
		PPI_PARSE_FAIL (ps, at, "'%s' is computed from itself: %s%s", name, chain, name);
		return NULL;
	}
	if (inner.nesting > COMPOSITES_DEEP) {
		PPI_PARSE_FAIL (ps, at, "metrics are computed from each other more than %d deep",
				COMPOSITES_DEEP);
		return NULL;
	}
	node = ppi_parse_whole (&inner);
	ps->failed = ps->failed || inner.failed;
	ps->no_memory = ps->no_memory || inner.no_memory;
	ps->p = end;
	if (!node)
		return NULL;
	node->offset = ppi_parse_offset (ps, at);
	node->end = ppi_parse_offset (ps, end);
	return node;
}

/*
 * Is there a composite metric at [AT, END)? Then *NODE is its expression, or NULL after an error.
 */
static bool is_composite (struct ppi_parser *ps, const char *at, const char *end,
			  struct ppi_node **node)
{
	const struct ppi_names *names = ps->names;
	char name[128];
	const char *text;

	if (!names || !names->composite || (size_t) (end - at) >= sizeof name)
		return false;
	snprintf (name, sizeof name, "%.*s", (int) (end - at), at);
	text = names->composite (names, name);
	if (text)
		*node = parse_composite (ps, at, end, name, text);
	return text != NULL;
}

/* NAME, NAME.word, NAME@site.word, static.word, or an unquoted path to a site */
struct ppi_node *ppi_parse_named (struct ppi_parser *ps)
{
	const char *at = ps->p, *end = ppi_lex_name (at), *dot = ppi_lex_property (at);
	struct ppi_node *node;
	struct ppi_ref *ref;

	if (ppi_lex_word (at, "static") == end && *end == '.')
		return parse_static (ps, at, end + 1);
	if (dot) {
		const char *word = dot + 1;
		size_t bytes = (size_t) (ppi_lex_name (word) - word);

		if (ppi_lex_site_property (word, bytes) >= 0)
			return ppi_parse_site (ps, at, at, dot, dot);
	}
	if (*end == '.') {
		const char *stop = ppi_lex_name (end + 1);
		int property =
			stop ? ppi_lex_assertion_property (end + 1, (size_t) (stop - end - 1)) : -1;

		if (property >= 0)
			return parse_assertion (ps, at, end, property);
	}
	if (is_composite (ps, at, end, &node))
		return node;
	ref = ppi_parse_reference (ps, PPI_REF_METRIC, at, &node);
	if (!ref)
		return NULL;
	ref->name = ppi_parse_copy (ps, at, end);
	ps->p = end;
	if (*end == '{') {
		if (!ppi_parse_group (ps, ref) || !ppi_parse_statistic (ps, ref))
			return NULL;
	} else if (*end == '@') {
		ps->p++;
		if (!parse_at (ps, ref))
			return NULL;
	} else if (!ppi_parse_statistic (ps, ref)) {
		return NULL;
	}
	node->end = ppi_parse_offset (ps, ps->p);
	return ref->name ? node : NULL;
}

/* NAME inside parentheses, as knob( and all( have it */
static const char *parse_inner_name (struct ppi_parser *ps, const char *what, char **out)
{
	const char *from = ps->p = ppi_lex_blanks (ps->p), *end = ppi_lex_name (from);
	char found[80];

	if (!end) {
		PPI_PARSE_FAIL (ps, from, "expected %s, found %s", what,
				ppi_parse_standing (from, found, sizeof found));
		return NULL;
	}
	*out = ppi_parse_copy (ps, from, end);
	ps->p = end;
	return *out ? from : NULL;
}

struct ppi_node *ppi_parse_knob (struct ppi_parser *ps, const char *at)
{
	struct ppi_node *node;
	struct ppi_ref *ref = ppi_parse_reference (ps, PPI_REF_KNOB, at, &node);
	const char *name = ref ? parse_inner_name (ps, "a knob's name", &ref->name) : NULL;

	if (!name)
		return NULL;
	ref->offset = ppi_parse_offset (ps, name);
	if (!ppi_parse_expect (ps, ')', "after the knob's name"))
		return NULL;
	node->end = ppi_parse_offset (ps, ps->p);
	return node;
}

struct ppi_node *ppi_parse_all (struct ppi_parser *ps, const char *at)
{
	struct ppi_node *node;
	struct ppi_ref *ref = ppi_parse_reference (ps, PPI_REF_ALL, at, &node);
	const char *name = ref ? parse_inner_name (ps, "a metric's name", &ref->name) : NULL;

	if (!name)
		return NULL;
	ref->offset = ref->property_offset = ppi_parse_offset (ps, name);
	if (*ps->p == '{' && !ppi_parse_group (ps, ref))
		return NULL;
	if (ref->groups)
		ref->groups->is_merged = true;
	if (*ps->p == '.' && !ppi_parse_statistic (ps, ref))
		return NULL;
	if (!ppi_parse_expect (ps, ')', "after the metric"))
		return NULL;
	if (ref->property < 0 && !ppi_parse_statistic (ps, ref))
		return NULL;
	node->end = ppi_parse_offset (ps, ps->p);
	return node;
}

struct ppi_node *ppi_parse_baseline (struct ppi_parser *ps, const char *at)
{
	struct ppi_node *node;
	struct ppi_ref *ref = ppi_parse_reference (ps, PPI_REF_BASELINE, at, &node);
	const char *name = ref ? parse_inner_name (ps, "a metric's name", &ref->name) : NULL;

	if (!name)
		return NULL;
	ref->offset = ref->property_offset = ppi_parse_offset (ps, name);
	if (*ps->p == '@') {
		ps->p++;
		if (!parse_at_site (ps, ref, true))
			return NULL;
	}
	if (!ppi_parse_statistic (ps, ref) || !ppi_parse_expect (ps, ')', "after the metric"))
		return NULL;
	node->end = ppi_parse_offset (ps, ps->p);
	return node;
}
