/* SPDX-License-Identifier: MIT */
/*
 * expr_check.c: names, statistics and dimensions of a parsed expression. Every node is looked at,
 * so that one expression may have several errors; a node whose part is wrong is not complained
 * about again.
 */
#include "assertions/language/expr.h"
#include "base/estimate.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"

#include <stdlib.h>
#include <string.h>

struct checker {
	struct ppi_tree *tree;
	enum ppi_expr_place place;
	const struct ppi_names *names;
	const struct ppi_expr_errors *errors;
	bool ok;
};

#define NAME_ROOM 128
#define WHY_ROOM 384

#define ERROR(c, offset, ...)                                                                      \
	do {                                                                                       \
		(c)->ok = false;                                                                   \
		ppi_expr_error ((c)->errors, offset, __VA_ARGS__);                                 \
	} while (0)

static bool same_name (const char *name, void *arg)
{
	return strcmp (name, arg) == 0;
}

bool ppi_name_exists (const struct ppi_names *names, enum ppi_name_kind kind, const char *name)
{
	return names->each (names, kind, same_name, (void *) name);
}

bool ppi_name_is_there (const struct ppi_names *names, enum ppi_name_kind kind, const char *name)
{
	int power;

	if (kind == PPI_NAME_STATISTIC)
		return names->statistic && names->statistic (names, name, &power) >= 0;
	return ppi_name_exists (names, kind, name);
}

struct gathered {
	const char **names;
	size_t n;
};

static bool gather (const char *name, void *arg)
{
	struct gathered *all = arg;
	const char **more = reallocarray (all->names, all->n + 2, sizeof *more);

	if (!more)
		return true;
	all->names = more;
	more[all->n++] = name;
	more[all->n] = NULL;
	return false;
}

bool ppi_name_nearest (const struct ppi_names *names, enum ppi_name_kind kind, const char *word,
		       char *out, size_t room)
{
	struct gathered all = {NULL, 0};
	const char *nearest;

	names->each (names, kind, gather, &all);
	nearest = all.n ? ppi_nearest (word, all.names) : NULL;
	if (nearest)
		snprintf (out, room, "%s", nearest);
	free (all.names);
	return nearest != NULL;
}

const char *ppi_name_kind_word (enum ppi_name_kind kind)
{
	static const char *const words[] = {
		[PPI_NAME_METRIC] = "metric",       [PPI_NAME_ASSERTION] = "assertion",
		[PPI_NAME_KNOB] = "knob",           [PPI_NAME_CALLABLE] = "callable function",
		[PPI_NAME_SOURCE] = "source",       [PPI_NAME_OPERATOR] = "operator",
		[PPI_NAME_STATISTIC] = "statistic", [PPI_NAME_SITE] = "site"};

	return words[kind];
}

const char *ppi_name_missing (const struct ppi_names *names, enum ppi_name_kind kind,
			      const char *word, char *out, size_t room)
{
	char nearest[NAME_ROOM];
	bool near = ppi_name_nearest (names, kind, word, nearest, sizeof nearest);

	snprintf (out, room, "there is no %s '%s'%s%s%s", ppi_name_kind_word (kind), word,
		  near ? "; did you mean '" : "", near ? nearest : "", near ? "'?" : "");
	return out;
}

void ppi_expr_missing (const struct ppi_expr_errors *errors, size_t offset, enum ppi_name_kind kind,
		       const char *name, const char *message)
{
	if (errors->missing)
		errors->missing (errors->arg, offset, kind, name, message);
	else
		ppi_expr_error (errors, offset, "%s", message);
}

static bool unknown_name (struct checker *c, enum ppi_name_kind kind, const char *name,
			  size_t offset)
{
	char message[WHY_ROOM];

	c->ok = false;
	ppi_expr_missing (c->errors, offset, kind, name,
			  ppi_name_missing (c->names, kind, name, message, sizeof message));
	return false;
}

/* "avg, sum, last": what the accumulator has */
static const char *statistics_of (enum ppi_accumulator accumulator, bool cheap, bool windowed,
				  char *out, size_t room)
{
	size_t used = 0;

	out[0] = '\0';
	for (int i = 0; i < PP_STATISTICS; i++) {
		const char *name = ppi_statistic_name ((enum pp_statistic) i);
		int n;

		if (!(windowed ? ppi_statistic_has_window (accumulator, (enum pp_statistic) i)
			       : ppi_statistic_exists (accumulator, (enum pp_statistic) i)) ||
		    (cheap && !ppi_statistic_is_cheap (accumulator, (enum pp_statistic) i)))
			continue;
		n = snprintf (out + used, room - used, "%s%s", used ? ", " : "", name);
		if (n < 0 || (size_t) n >= room - used)
			break;
		used += (size_t) n;
	}
	return out;
}

static bool imply_statistic (struct checker *c, struct ppi_ref *ref,
			     const struct ppi_name_metric *metric)
{
	ref->property = (int16_t) ppi_statistic_alone (metric->accumulator);
	if (ref->property < 0)
		ERROR (c, ref->offset, "'%s' alone is no number; say which statistic, like %s.avg",
		       ref->name, ref->name);
	return ref->property >= 0;
}

/*
 * A statistic of the program's own: it needs a snapshot, which no marker takes and no recording
 * has.
 */
static bool check_users (struct checker *c, const struct ppi_ref *ref,
			 const struct ppi_name_metric *metric, bool cheap)
{
	if (cheap)
		ERROR (c, ref->property_offset,
		       "a statistic of the program's own is too dear at a site; use all(%s.…), or "
		       "check it by time",
		       ref->name);
	else if (ref->kind == PPI_REF_BASELINE)
		ERROR (c, ref->property_offset,
		       "a recording has no statistics of the program's own");
	else if (metric->window_ns)
		ERROR (c, ref->property_offset,
		       "a statistic of the program's own has no window of time, but metric '%s' "
		       "has one; take a metric without 'window', a bounded_series for the newest "
		       "samples only",
		       ref->name);
	else
		return true;
	return false;
}

static bool check_statistic (struct checker *c, struct ppi_ref *ref,
			     const struct ppi_name_metric *metric)
{
	enum ppi_accumulator accumulator = (enum ppi_accumulator) metric->accumulator;
	bool cheap = c->place == PPI_EXPR_AT_SITE && ref->kind != PPI_REF_ALL &&
		     ref->kind != PPI_REF_BASELINE;
	enum pp_statistic statistic;
	char has[WHY_ROOM];

	if (ref->property < 0 && !imply_statistic (c, ref, metric))
		return false;
	if (ref->property >= PP_STATISTICS)
		return check_users (c, ref, metric, cheap);
	statistic = (enum pp_statistic) ref->property;
	if (ref->window_ns && !ppi_statistic_has_window (accumulator, statistic)) {
		ERROR (c, ref->property_offset, "a %s has no %s over a window of time; '%s' has %s",
		       ppi_accumulator_name (accumulator), ppi_statistic_name (statistic),
		       ref->name, statistics_of (accumulator, false, true, has, sizeof has));
		return false;
	}
	/* a window's periods have other accumulators than series */
	if (ref->window_ns || metric->window_ns)
		accumulator = ppi_statistic_window_accumulator (accumulator);
	if (!ppi_statistic_exists (accumulator, statistic)) {
		ERROR (c, ref->property_offset, "a %s has no %s; '%s' has %s",
		       ppi_accumulator_name (accumulator), ppi_statistic_name (statistic),
		       ref->name, statistics_of (accumulator, cheap, false, has, sizeof has));
		return false;
	}
	if (cheap && !ppi_statistic_is_cheap (accumulator, statistic)) {
		ERROR (c, ref->property_offset,
		       "%s of a %s is too dear at a site; use all(%s).%s, or one of %s",
		       ppi_statistic_name (statistic), ppi_accumulator_name (accumulator),
		       ref->name, ppi_statistic_name (statistic),
		       statistics_of (accumulator, true, false, has, sizeof has));
		return false;
	}
	return true;
}

/* One that comes later is linked then; nothing waits for it. */
static bool no_site (struct checker *c, const struct ppi_ref *ref, const char *why)
{
	ppi_expr_missing (c->errors, ref->site_offset, PPI_NAME_SITE, ref->site, why);
	if (!c->errors->missing)
		c->ok = false;
	return c->errors->missing;
}

static bool check_site (struct checker *c, const struct ppi_ref *ref)
{
	char why[WHY_ROOM] = "";
	int found = c->names->site (c->names, ref->site, 0, why, sizeof why);

	if (found >= 0)
		return true;
	if (found == PP_ENOENT)
		return no_site (c, ref, why);
	ERROR (c, ref->site_offset, "%s", why);
	return false;
}

static struct ppi_dimension dimension_of (const struct ppi_name_metric *metric,
					  enum pp_statistic statistic)
{
	int power = ppi_statistic_power (statistic);

	return power < 0 ? (struct ppi_dimension){-1, 0}
			 : ppi_dimension_of ((enum ppi_unit) metric->unit, power);
}

static bool check_groups (struct checker *c, struct ppi_ref *ref,
			  const struct ppi_name_metric *metric)
{
	bool ok = ppi_expr_check_groups (ref, metric, c->place == PPI_EXPR_AT_SITE, c->names,
					 c->errors);

	c->ok = c->ok && ok;
	return ok;
}

static bool check_metric (struct checker *c, struct ppi_node *node, struct ppi_ref *ref)
{
	struct ppi_name_metric metric;
	bool ok;

	if (!c->names->metric (c->names, ref->name, &metric))
		return unknown_name (c, PPI_NAME_METRIC, ref->name, ref->offset);
	ok = ref->groups ? check_groups (c, ref, &metric) : check_statistic (c, ref, &metric);
	if (ok && ref->property >= PP_STATISTICS)
		node->dimension = ppi_dimension_of ((enum ppi_unit) metric.unit, ref->power);
	else if (ok)
		node->dimension = dimension_of (&metric, (enum pp_statistic) ref->property);
	return (!ref->site || check_site (c, ref)) && ok;
}

static int text_bytes (const struct ppi_node *node)
{
	return (int) (node->end - node->offset);
}

/* Without a site it is that of the check. */
static bool check_static (struct checker *c, struct ppi_node *node, const struct ppi_ref *ref)
{
	char why[WHY_ROOM] = "";
	int found;

	node->dimension = ppi_dimension_of (ppi_static_unit ((enum ppi_static) ref->property), 1);
	if (!ref->site) {
		if (c->place == PPI_EXPR_AT_SITE)
			return true;
		ERROR (c, ref->offset,
		       "only an assertion with 'at:' is at a site; say which one, like %.*s@SITE",
		       text_bytes (node), c->tree->text + node->offset);
		return false;
	}
	found = c->names->site (c->names, ref->site, PP_ABI_SITE_INTERVAL, why, sizeof why);
	if (found >= 0)
		return true;
	if (found == PP_ENOENT)
		return no_site (c, ref, why);
	if (found == PP_EKIND)
		ERROR (c, ref->site_offset,
		       "'%s' means a point; static figures are those of an interval's body",
		       ref->site);
	else
		ERROR (c, ref->site_offset, "%s", why);
	return false;
}

/* A constant of the recording, from now on in the cache */
static bool check_baseline (struct checker *c, struct ppi_node *node, struct ppi_ref *ref)
{
	struct ppi_name_metric metric;
	char why[WHY_ROOM] = "";

	if (!c->names->baseline) {
		ERROR (c, node->offset,
		       "baseline () reads the recording that a policy names with 'baseline: FILE'");
		return false;
	}
	if (ref->window_ns) {
		ERROR (c, ref->property_offset,
		       "a recording has statistics of the whole run and of no recent time; leave "
		       "out the [...]");
		return false;
	}
	if (c->names->baseline (c->names, ref->name, ref->site, &metric, why, sizeof why) < 0) {
		c->ok = false;
		if (*why)
			ERROR (c, ref->offset, "%s", why);
		return false;
	}
	if (!check_statistic (c, ref, &metric))
		return false;
	node->dimension =
		ppi_dimension_of ((enum ppi_unit) metric.unit,
				  ppi_statistic_power ((enum pp_statistic) ref->property));
	ref->cache = c->names->baseline_value (c->names, ref->name, ref->site, ref->property);
	return true;
}

static bool check_reference (struct checker *c, struct ppi_node *node)
{
	struct ppi_ref *ref = &c->tree->references[node->reference];

	switch ((enum ppi_ref_kind) ref->kind) {
	case PPI_REF_SITE:
		node->dimension.seconds = ref->property == PPI_SITE_OPEN_AGE;
		return check_site (c, ref);
	case PPI_REF_ASSERTION:
		node->dimension.seconds = ref->property == PPI_ASSERTION_RATE ? -1 : 0;
		return ppi_name_exists (c->names, PPI_NAME_ASSERTION, ref->name) ||
		       unknown_name (c, PPI_NAME_ASSERTION, ref->name, ref->offset);
	case PPI_REF_KNOB:
		return ppi_name_exists (c->names, PPI_NAME_KNOB, ref->name) ||
		       unknown_name (c, PPI_NAME_KNOB, ref->name, ref->offset);
	case PPI_REF_STATIC:
		return check_static (c, node, ref);
	case PPI_REF_BASELINE:
		return check_baseline (c, node, ref);
	default:
		return check_metric (c, node, ref);
	}
}

static bool want_number (struct checker *c, const struct ppi_node *node)
{
	if (!node->truth)
		return true;
	ERROR (c, node->offset, "'%.*s' is true or false; a number is needed here",
	       text_bytes (node), c->tree->text + node->offset);
	return false;
}

static bool want_truth (struct checker *c, const struct ppi_node *node)
{
	if (node->truth)
		return true;
	ERROR (c, node->offset,
	       "'%.*s' is a number; a condition is needed here, like %.*s <= LIMIT",
	       text_bytes (node), c->tree->text + node->offset, text_bytes (node),
	       c->tree->text + node->offset);
	return false;
}

/* Both sides of +, -, min, max or a comparison */
static bool same_dimension (struct checker *c, const struct ppi_node *node, const char *doing)
{
	const struct ppi_node *l = node->left, *r = node->right;
	char left[PPI_DIMENSION_BYTES], right[PPI_DIMENSION_BYTES];

	if (l->zero || r->zero || ppi_dimension_equal (l->dimension, r->dimension))
		return true;
	ERROR (c, node->operator, "can't %s '%.*s' (%s) and '%.*s' (%s)", doing, text_bytes (l),
	       c->tree->text + l->offset, ppi_dimension_name (l->dimension, left, sizeof left),
	       text_bytes (r), c->tree->text + r->offset,
	       ppi_dimension_name (r->dimension, right, sizeof right));
	return false;
}

static bool combine (struct checker *c, struct ppi_node *node, const char *doing)
{
	bool left = want_number (c, node->left), right = want_number (c, node->right);

	if (!left || !right || !same_dimension (c, node, doing))
		return false;
	node->zero = node->left->zero && node->right->zero;
	node->dimension = node->left->zero ? node->right->dimension : node->left->dimension;
	return true;
}

static bool multiply (struct checker *c, struct ppi_node *node, int sign)
{
	bool left = want_number (c, node->left), right = want_number (c, node->right);
	int seconds, bytes;

	if (!left || !right)
		return false;
	seconds = node->left->dimension.seconds + sign * node->right->dimension.seconds;
	bytes = node->left->dimension.bytes + sign * node->right->dimension.bytes;
	if (seconds > 100 || seconds < -100 || bytes > 100 || bytes < -100) {
		ERROR (c, node->operator, "this has no sensible dimension");
		return false;
	}
	node->dimension = (struct ppi_dimension){(int8_t) seconds, (int8_t) bytes};
	return true;
}

static bool compare (struct checker *c, struct ppi_node *node)
{
	bool ok = combine (c, node, "compare");

	node->truth = true;
	return ok;
}

static bool logic (struct checker *c, struct ppi_node *node)
{
	bool left = want_truth (c, node->left), right = !node->right || want_truth (c, node->right);

	node->truth = true;
	return left && right;
}

static bool is_unary (const struct ppi_node *node)
{
	return node->kind == PPI_NODE_NEG || node->kind == PPI_NODE_ABS ||
	       node->kind == PPI_NODE_NOT;
}

static bool check_operator (struct checker *c, struct ppi_node *node)
{
	if (!node->left || (!node->right && !is_unary (node)))
		return c->ok = false; /* the parser makes no such node */
	switch ((enum ppi_node_kind) node->kind) {
	case PPI_NODE_NEG:
	case PPI_NODE_ABS:
		node->dimension = node->left->dimension;
		node->zero = node->left->zero;
		return want_number (c, node->left);
	case PPI_NODE_ADD:
		return combine (c, node, "add");
	case PPI_NODE_SUB:
		return combine (c, node, "subtract");
	case PPI_NODE_MIN:
	case PPI_NODE_MAX:
		return combine (c, node, "compare");
	case PPI_NODE_MUL:
		return multiply (c, node, 1);
	case PPI_NODE_DIV:
		return multiply (c, node, -1);
	case PPI_NODE_NOT:
	case PPI_NODE_AND:
	case PPI_NODE_OR:
		return logic (c, node);
	default:
		return compare (c, node);
	}
}

/* Recursion is bounded by the tree, which has at most PPI_EXPR_NODES nodes */
static bool check_node (struct checker *c, struct ppi_node *node)
{
	bool left = !node->left || check_node (c, node->left),
	     right = !node->right || check_node (c, node->right);

	if (node->kind == PPI_NODE_NUMBER)
		return true;
	if (node->kind == PPI_NODE_REFERENCE)
		return check_reference (c, node);
	if (left && right)
		return check_operator (c, node);
	node->truth = node->kind >= PPI_NODE_LT;
	return false;
}

/*
 * A condition is checked for each group: of one kind of groups, as a whole. Nobody merges groups
 * for a number.
 */
static void check_kind_of_groups (struct checker *c, const struct ppi_ref *ref, bool number)
{
	const struct ppi_ref *first = c->tree->references;

	while (first->kind != ref->kind)
		first++;
	if (number)
		ERROR (c, ref->offset,
		       "figures of groups stand in what an assertion expects; here a number of "
		       "all executions is meant, like %s.avg",
		       ref->name);
	else if (ref->kind == PPI_REF_ANY && !ppi_ref_groups_equal (first->groups, ref->groups))
		ERROR (c, ref->offset,
		       "a condition is checked for groups of one kind: all any () in it need the "
		       "same dimensions in the same order");
}

static bool is_figure (const struct ppi_tree *tree)
{
	return tree->root->kind == PPI_NODE_REFERENCE &&
	       tree->references[tree->root->reference].groups;
}

bool ppi_expr_check (struct ppi_tree *tree, enum ppi_expr_place place, enum ppi_expr_want want,
		     const struct ppi_names *names, const struct ppi_expr_errors *errors)
{
	struct checker c = {
		.tree = tree, .place = place, .names = names, .errors = errors, .ok = true};

	for (size_t i = 0; i < tree->n_references; i++)
		if (tree->references[i].groups)
			check_kind_of_groups (&c, &tree->references[i], want == PPI_WANT_NUMBER);
	if (want == PPI_WANT_FIGURE && !is_figure (tree))
		ERROR (&c, tree->root->offset,
		       "'%.*s' is no figure of a group, like m{key=\"value\"}.p99 or any (m by "
		       "key).p99; a metric is said by its name alone, another figure as a metric "
		       "with 'expr'",
		       text_bytes (tree->root), tree->text + tree->root->offset);
	else if (check_node (&c, tree->root))
		(void) (want == PPI_WANT_CONDITION ? want_truth (&c, tree->root)
						   : want_number (&c, tree->root));
	return c.ok;
}
