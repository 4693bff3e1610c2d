/* SPDX-License-Identifier: MIT */
/*
 * expr_groups.c: groups of executions in expressions: m{key="value"} is one, any(m by key) is each.
 * Which there are an aggregate says: a policy's key `events`.
 */
#include "assertions/language/expr_parse.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "recording/span.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ----------------------------------------------------------------------------------- */

static bool groups_new (struct ppi_parser *ps, struct ppi_ref *ref, enum ppi_ref_kind kind)
{
	ref->kind = (uint8_t) kind;
	ref->groups = calloc (1, sizeof *ref->groups);
	if (!ref->groups)
		ps->failed = ps->no_memory = true;
	return ref->groups;
}

/* A key at ps->p, of one dimension more. */
static struct ppi_ref_dim *parse_key (struct ppi_parser *ps, struct ppi_ref *ref)
{
	const char *from = ps->p = ppi_lex_blanks (ps->p), *end = ppi_lex_name (from);
	struct ppi_ref_groups *groups = ref->groups;
	struct ppi_ref_dim *dim;
	char found[80];

	if (!end) {
		PPI_PARSE_FAIL (ps, from, "expected a dimension, like command, found %s",
				ppi_parse_standing (from, found, sizeof found));
		return NULL;
	}
	if (groups->dims == PPI_AGGREGATE_DIMS) {
		PPI_PARSE_FAIL (ps, from, "groups are by %d dimensions at most",
				PPI_AGGREGATE_DIMS);
		return NULL;
	}
	dim = &groups->dim[groups->dims];
	dim->offset = ppi_parse_offset (ps, from);
	dim->key = ppi_parse_copy (ps, from, end);
	if (!dim->key)
		return NULL;
	for (unsigned i = 0; i < groups->dims; i++)
		if (strcmp (groups->dim[i].key, dim->key) == 0) {
			PPI_PARSE_FAIL (ps, from, "'%s' is said twice", dim->key);
			groups->dims++;
			return NULL;
		}
	groups->dims++;
	ps->p = end;
	return dim;
}

/* Digits alone are an integer, as C has them at a site; with a point or exponent it is a double. */
static bool parse_number (struct ppi_parser *ps, struct ppi_ref_dim *dim)
{
	const char *from = ps->p, *digits = from + (*from == '-'), *end = digits;
	struct ppi_dimension dimension;
	const char *unit;
	double value = 0;
	int saved = errno;

	while (*end >= '0' && *end <= '9')
		end++;
	if (end > digits && *end != '.' && *end != 'e' && *end != 'E') {
		errno = 0;
		dim->type = PP_ABI_VALUE_INT;
		dim->bits = (uint64_t) strtoll (from, NULL, 10);
		if (errno)
			PPI_PARSE_FAIL (ps, from, "this number is none of 64 bits");
		errno = saved;
		ps->p = end;
		return !ps->failed;
	}
	if (ppi_quantity_scan (digits, &value, &dimension, &unit, &end) != PPI_QUANTITY_OK ||
	    unit != end) {
		PPI_PARSE_FAIL (ps, from, "this number can't be read");
		return false;
	}
	value = *from == '-' ? -value : value;
	dim->type = PP_ABI_VALUE_DOUBLE;
	memcpy (&dim->bits, &value, sizeof dim->bits);
	ps->p = end;
	return true;
}

static bool parse_word (struct ppi_parser *ps, struct ppi_ref_dim *dim)
{
	const char *yes = ppi_lex_word (ps->p, "true"), *no = ppi_lex_word (ps->p, "false"),
		   *none = ppi_lex_word (ps->p, "none");
	char found[80];

	if (!yes && !no && !none) {
		PPI_PARSE_FAIL (ps, ps->p,
				"expected a value of '%s', found %s; texts stand in quotes",
				dim->key, ppi_parse_standing (ps->p, found, sizeof found));
		return false;
	}
	dim->type = none ? PP_ABI_VALUE_NONE : PP_ABI_VALUE_INT;
	dim->bits = yes != NULL;
	ps->p = yes ? yes : no ? no : none;
	return true;
}

static bool parse_value (struct ppi_parser *ps, struct ppi_ref_dim *dim)
{
	const char *at = ps->p = ppi_lex_blanks (ps->p), *end = ppi_lex_quoted (at);

	if (end) {
		dim->type = PP_ABI_VALUE_STRING;
		dim->text = ppi_parse_copy (ps, at + 1, end - 1);
		ps->p = end;
		return dim->text;
	}
	if (*at == '\'' || *at == '"' || *at == '`') {
		PPI_PARSE_FAIL (ps, at, "the closing %c is missing", *at);
		return false;
	}
	return *at == '-' || (*at >= '0' && *at <= '9') ? parse_number (ps, dim)
							: parse_word (ps, dim);
}

bool ppi_parse_group (struct ppi_parser *ps, struct ppi_ref *ref)
{
	if (!groups_new (ps, ref, PPI_REF_GROUP))
		return false;
	do {
		struct ppi_ref_dim *dim;

		ps->p++; /* the brace, a comma */
		dim = parse_key (ps, ref);
		if (!dim || !ppi_parse_expect (ps, '=', "after the dimension") ||
		    !parse_value (ps, dim))
			return false;
		ps->p = ppi_lex_blanks (ps->p);
	} while (*ps->p == ',');
	if (!ppi_parse_expect (ps, '}', "after the group's values"))
		return false;
	if (*ps->p == '@')
		PPI_PARSE_FAIL (ps, ps->p,
				"a group is of all sites that '%s' is measured at; leave out the "
				"site",
				ref->name);
	return !ps->failed;
}

/* "NAME by KEY, KEY)" behind "any(" */
static bool parse_inside (struct ppi_parser *ps, struct ppi_ref *ref)
{
	const char *name = ps->p = ppi_lex_blanks (ps->p), *end = ppi_lex_name (name), *by;
	char found[80];

	if (!end) {
		PPI_PARSE_FAIL (ps, name, "expected a metric's name, found %s",
				ppi_parse_standing (name, found, sizeof found));
		return false;
	}
	ref->offset = ref->property_offset = ppi_parse_offset (ps, name);
	ref->name = ppi_parse_copy (ps, name, end);
	if (!ref->name || !groups_new (ps, ref, PPI_REF_ANY))
		return false;
	ps->p = ppi_lex_blanks (end);
	by = ppi_lex_word (ps->p, "by");
	if (!by) {
		PPI_PARSE_FAIL (ps, ps->p,
				"expected 'by' and a dimension after the metric, like any (%s by "
				"command).avg",
				ref->name);
		return false;
	}
	ps->p = by;
	do {
		if (!parse_key (ps, ref))
			return false;
		ps->p = ppi_lex_blanks (ps->p);
	} while (*ps->p == ',' && ps->p++);
	return ppi_parse_expect (ps, ')', "after the dimensions");
}

struct ppi_node *ppi_parse_any (struct ppi_parser *ps, const char *at)
{
	struct ppi_node *node;
	struct ppi_ref *ref = ppi_parse_reference (ps, PPI_REF_ANY, at, &node);

	/* what has no groups is no reference to any */
	if (!ref)
		return NULL;
	ref->kind = PPI_REF_METRIC;
	if (!parse_inside (ps, ref) || !ppi_parse_statistic (ps, ref))
		return NULL;
	node->end = ppi_parse_offset (ps, ps->p);
	return node;
}

/* ---- the check ------------------------------------------------------------------------------- */

#define WHY_ROOM 384

struct look {
	const struct ppi_ref *ref;
	const struct ppi_ref_groups *groups;
	bool has_some, has_all, has_statistic, has_any;
	uint8_t other; /* accumulator of one that lacks the statistic */
	const char *missing;
	uint32_t missing_offset;
	const char *names[64]; /* dimensions that there are; the last is NULL */
	size_t n_names;
};

static bool is_by (const struct ppi_name_aggregate *a, const char *key)
{
	for (unsigned i = 0; i < a->dims; i++)
		if (strcmp (a->by[i], key) == 0)
			return true;
	return false;
}

/* The statistic that REF wants: a span's where it has a window. */
static bool has_statistic (const struct ppi_ref *ref, unsigned accumulator)
{
	enum pp_statistic statistic = (enum pp_statistic) ref->property;

	return ref->window_ns ? ppi_span_has (accumulator, statistic)
			      : ppi_statistic_exists (accumulator, statistic);
}

static bool look_at (const struct ppi_name_aggregate *a, void *arg)
{
	struct look *look = arg;
	unsigned n = 0;

	look->has_any = true;
	for (unsigned i = 0;
	     i < a->dims && look->n_names + 1 < sizeof look->names / sizeof *look->names; i++)
		look->names[look->n_names++] = a->by[i];
	for (unsigned i = 0; i < look->groups->dims; i++)
		n += is_by (a, look->groups->dim[i].key);
	if (n < look->groups->dims)
		return false;
	look->has_some = true;
	if (!look->groups->is_merged && n < a->dims)
		return false;
	look->has_all = true;
	if (!has_statistic (look->ref, a->accumulator)) {
		look->other = a->accumulator;
		return false;
	}
	look->has_statistic = true;
	return true;
}

static bool knows (const struct look *look, const char *key)
{
	for (size_t i = 0; i < look->n_names; i++)
		if (strcmp (look->names[i], key) == 0)
			return true;
	return false;
}

/* "command, cached" */
static const char *list (const struct ppi_ref_groups *groups, char *out, size_t room)
{
	size_t used = 0;

	for (unsigned i = 0; i < groups->dims && used < room; i++)
		used += (size_t) snprintf (out + used, room - used, "%s%s", i ? ", " : "",
					   groups->dim[i].key);
	return out;
}

static void tell_keys (const struct look *look, const struct ppi_expr_errors *errors)
{
	char keys[WHY_ROOM / 2];

	for (unsigned i = 0; i < look->groups->dims; i++) {
		const struct ppi_ref_dim *dim = &look->groups->dim[i];
		const char *nearest =
			knows (look, dim->key) ? NULL : ppi_nearest (dim->key, look->names);

		if (!knows (look, dim->key)) {
			ppi_expr_error (errors, dim->offset, "no aggregate is by '%s'%s%s%s",
					dim->key, nearest ? "; did you mean '" : "",
					nearest ? nearest : "", nearest ? "'?" : "");
			return;
		}
	}
	ppi_expr_error (errors, look->groups->dim[0].offset, "no aggregate is by %s together",
			list (look->groups, keys, sizeof keys));
}

static void tell_statistic (const struct look *look, const struct ppi_expr_errors *errors)
{
	const struct ppi_ref *ref = look->ref;
	const char *name = ppi_statistic_name ((enum pp_statistic) ref->property);

	if (ref->window_ns && !ppi_span_has (PPI_HISTOGRAM, (enum pp_statistic) ref->property))
		ppi_expr_error (errors, ref->property_offset,
				"groups have no %s over a window of time", name);
	else
		ppi_expr_error (
			errors, ref->property_offset, "the aggregate keeps %s, which has no %s%s",
			ppi_accumulator_name (look->other), name,
			has_statistic (ref, PPI_HISTOGRAM) ? "; it needs 'keep: histogram'" : "");
}

/* What is wrong with the reference, whichever aggregates there are? */
static bool check_form (struct ppi_ref *ref, const struct ppi_name_metric *metric,
			const struct ppi_expr_errors *errors)
{
	if (!metric->is_time)
		ppi_expr_error (errors, ref->offset,
				"groups are of whole times of executions, just as they were "
				"measured: '%s' would have to be 'interval: elapsed' without a "
				"scope, an operator or corrections",
				ref->name);
	else if (ref->property < 0)
		ppi_expr_error (errors, ref->offset,
				"'%s' of a group is no number; say which statistic, like avg",
				ref->name);
	else if (ref->property >= PP_STATISTICS)
		ppi_expr_error (errors, ref->property_offset,
				"groups have no statistics of the program's own");
	else if (!ref->groups->is_merged && ref->kind == PPI_REF_ANY)
		ppi_expr_error (errors, ref->offset,
				"each group is checked by time in this version: say 'every' in "
				"place of 'at'");
	else
		return true;
	return false;
}

/* What a marker reads of its thread's group takes constant time. */
static bool check_here (const struct ppi_ref *ref, const struct ppi_expr_errors *errors)
{
	enum pp_statistic statistic = (enum pp_statistic) ref->property;
	bool is_cheap = !ref->window_ns && (!ppi_statistic_exists (PPI_HISTOGRAM, statistic) ||
					    ppi_statistic_is_cheap (PPI_HISTOGRAM, statistic));

	if (ref->groups->is_merged || is_cheap)
		return true;
	ppi_expr_error (errors, ref->property_offset,
			"%s of a group%s is too dear at a site; use all(%s{%s=…}).%s, or check it "
			"by time: 'every' in place of 'at'",
			ppi_statistic_name (statistic), ref->window_ns ? " over a window" : "",
			ref->name, ref->groups->dim[0].key, ppi_statistic_name (statistic));
	return false;
}

bool ppi_expr_check_groups (struct ppi_ref *ref, const struct ppi_name_metric *metric, bool at_site,
			    const struct ppi_names *names, const struct ppi_expr_errors *errors)
{
	struct look look = {.ref = ref, .groups = ref->groups};
	char keys[WHY_ROOM / 2];

	ref->groups->is_merged |= !at_site;
	if (!check_form (ref, metric, errors))
		return false;
	if (!ref->window_ns &&
	    ppi_statistic_has_window (PPI_HISTOGRAM, (enum pp_statistic) ref->property))
		ref->window_ns = metric->window_ns;
	if (!check_here (ref, errors))
		return false;
	if (names->aggregates)
		names->aggregates (names, look_at, &look);
	if (look.has_statistic)
		return true;
	list (ref->groups, keys, sizeof keys);
	if (!look.has_any)
		ppi_expr_error (errors, ref->groups->dim[0].offset,
				"groups need an aggregate at the sites of '%s': events: "
				"{aggregate: [{by: [%s], sites: …}]}",
				ref->name, keys);
	else if (look.has_some && !look.has_all)
		ppi_expr_error (errors, ref->groups->dim[0].offset,
				"a group at a site is by all dimensions of an aggregate, and none "
				"is by %s alone; all(%s{…}) needs only some",
				keys, ref->name);
	else if (!look.has_all)
		tell_keys (&look, errors);
	else
		tell_statistic (&look, errors);
	return false;
}

bool ppi_ref_groups_equal (const struct ppi_ref_groups *a, const struct ppi_ref_groups *b)
{
	if (a->dims != b->dims)
		return false;
	for (unsigned i = 0; i < a->dims; i++)
		if (strcmp (a->dim[i].key, b->dim[i].key) != 0)
			return false;
	return true;
}
