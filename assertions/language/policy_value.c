/* SPDX-License-Identifier: MIT */
/*
 * policy_value.c: the small values of a policy: words, integers, durations, each with its error at
 * its place.
 */
#include "assertions/language/policy.h"
#include "recording/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The name in "- {name: NAME, ...}", which others' files have; NULL: LIST has none. */
static const char *name_of_first (const struct ppi_yaml *list)
{
	const struct ppi_yaml *name =
		list->kind == PPI_YAML_LIST && list->n && list->items[0]->kind == PPI_YAML_MAP
			? ppi_yaml_get (list->items[0], "name")
			: NULL;

	return name && name->kind == PPI_YAML_SCALAR ? name->scalar : NULL;
}

bool ppi_policy_is (struct ppi_diagnostics *d, const struct ppi_yaml *node, enum ppi_yaml_kind kind,
		    const char *what)
{
	static const char *const names[] = {"a single value", "a list", "keys with values"};

	if (node->kind == kind)
		return true;
	if (kind == PPI_YAML_MAP && name_of_first (node))
		ppi_diagnose (d, node->place,
			      "%s must be keys with values, not a list: the name is the key, "
			      "'%s: {...}' instead of '- {name: %s, ...}'",
			      what, name_of_first (node), name_of_first (node));
	else if (node->kind == PPI_YAML_SCALAR && node->plain && !*node->scalar)
		ppi_diagnose (d, node->place, "%s is empty: it must be %s", what, names[kind]);
	else
		ppi_diagnose (d, node->place, "%s must be %s, not %s", what, names[kind],
			      names[node->kind]);
	return false;
}

bool ppi_policy_word (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what)
{
	if (!ppi_policy_is (d, node, PPI_YAML_SCALAR, what))
		return false;
	if (*node->scalar)
		return true;
	ppi_diagnose (d, node->place, "%s is empty", what);
	return false;
}

bool ppi_policy_name (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what)
{
	const char *end;

	if (!ppi_policy_word (d, node, what))
		return false;
	end = ppi_lex_name (node->scalar);
	if (end && !*end)
		return true;
	ppi_diagnose (d, node->place,
		      "%s is letters, digits and _, and begins with no digit; '%s' is not", what,
		      node->scalar);
	return false;
}

bool ppi_policy_integer (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			 uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t value = 0;
	const char *p;

	if (!ppi_policy_word (d, node, what))
		return false;
	for (p = node->scalar; *p >= '0' && *p <= '9' && value <= max; p++)
		value = value * 10 + (uint64_t) (*p - '0');
	if (*p && !(*p >= '0' && *p <= '9')) {
		ppi_diagnose (d, node->place, "%s must be a whole number, not '%s'", what,
			      node->scalar);
		return false;
	}
	if (value < min || value > max) {
		ppi_diagnose (d, node->place, "%s must be from %llu to %llu, not %s", what,
			      (unsigned long long) min, (unsigned long long) max, node->scalar);
		return false;
	}
	*out = value;
	return true;
}

/* A number with a unit of DIMENSION, like EXAMPLE, in its base unit. */
static bool read_quantity (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			   struct ppi_dimension wanted, const char *example, double *out)
{
	struct ppi_dimension dimension;
	const char *unit, *end, *nearest, *rest;

	if (!ppi_policy_word (d, node, what))
		return false;
	switch (ppi_quantity_scan (node->scalar, out, &dimension, &unit, &end)) {
	case PPI_QUANTITY_UNKNOWN_UNIT:
		nearest = ppi_quantity_nearest_unit (unit);
		ppi_diagnose (d, node->place, "there is no unit '%s'%s%s%s", unit,
			      nearest ? "; did you mean '" : "", nearest ? nearest : "",
			      nearest ? "'?" : "");
		return false;
	case PPI_QUANTITY_OK:
		if (!*end && ppi_dimension_equal (dimension, wanted))
			return true;
		/* fall through */
	default:
		rest = end + strspn (end, " ");
		nearest = *rest ? ppi_quantity_nearest_unit (rest) : NULL;
		ppi_diagnose (d, node->place, "%s must be %s, not '%s'%s%s%s", what, example,
			      node->scalar, nearest ? "; did you mean '" : "",
			      nearest ? nearest : "", nearest ? "'?" : "");
		return false;
	}
}

bool ppi_policy_duration (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			  uint64_t *ns)
{
	double seconds = 0;

	if (!read_quantity (d, node, what, (struct ppi_dimension){1, 0},
			    "a time with its unit, like 10s or 250 ms", &seconds))
		return false;
	if (seconds * 1e9 < 1 || seconds * 1e9 > (double) PPI_DURATION_MAX_NS) {
		ppi_diagnose (d, node->place, "%s must be from 1 ns to 1000 days, not %s", what,
			      node->scalar);
		return false;
	}
	*ns = (uint64_t) llround (seconds * 1e9);
	return true;
}

bool ppi_policy_bytes (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
		       uint64_t *bytes)
{
	double size = 0;

	if (!read_quantity (d, node, what, (struct ppi_dimension){0, 1},
			    "a size with its unit, like 64MiB or 1 GB", &size))
		return false;
	if (size < 1 || size > PPI_BYTES_MAX) {
		ppi_diagnose (d, node->place, "%s must be from 1 B to 1024 TiB, not %s", what,
			      node->scalar);
		return false;
	}
	*bytes = (uint64_t) size;
	return true;
}

bool ppi_policy_number (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			double *out)
{
	struct ppi_dimension dimension;
	const char *p, *unit, *end, *rest, *nearest;

	if (!ppi_policy_word (d, node, what))
		return false;
	p = node->scalar + (*node->scalar == '-' || *node->scalar == '+');
	if (ppi_quantity_scan (p, out, &dimension, &unit, &end) != PPI_QUANTITY_OK || *end ||
	    dimension.seconds || dimension.bytes) {
		rest = strspn (p, "0123456789.") + p;
		nearest = ppi_quantity_nearest_unit (rest + strspn (rest, " "));
		if (nearest && strcmp (nearest, "%") == 0)
			ppi_diagnose (d, node->place,
				      "%s must be a plain number, not '%s'; did you mean '%.*s%%'?",
				      what, node->scalar, (int) (rest - node->scalar),
				      node->scalar);
		else
			ppi_diagnose (d, node->place, "%s must be a plain number, not '%s'", what,
				      node->scalar);
		return false;
	}
	if (*node->scalar == '-')
		*out = -*out;
	return true;
}

/*
 * A relative path of a policy that another process sent is in that one's folder. The tree is ours,
 * and so is its text.
 */
static bool make_whole (const struct ppi_diagnostics *d, struct ppi_yaml *node)
{
	char *whole;

	if (!d->folder || *node->scalar == '/' || strcmp (node->scalar, "stderr") == 0 ||
	    strcmp (node->scalar, "syslog") == 0)
		return true;
	if (asprintf (&whole, "%s/%s", strcmp (d->folder, "/") == 0 ? "" : d->folder,
		      node->scalar) < 0)
		return false;
	free (node->scalar);
	node->scalar = whole;
	node->verbatim = false;
	return true;
}

bool ppi_policy_path (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
		      bool numbered)
{
	char problem[256];

	if (!ppi_policy_word (d, node, what))
		return false;
	if (*ppi_path_problem (node->scalar, numbered, problem, sizeof problem)) {
		ppi_diagnose (d, node->place, "%s: %s", what, problem);
		return false;
	}
	return make_whole (d, (struct ppi_yaml *) node);
}

bool ppi_policy_bool (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
		      bool *out)
{
	static const struct {
		const char *word;
		bool value;
	} meant[] = {{"true", true},   {"yes", true}, {"on", true},   {"1", true},
		     {"false", false}, {"no", false}, {"off", false}, {"0", false}};

	if (!ppi_policy_word (d, node, what))
		return false;
	*out = strcmp (node->scalar, "true") == 0;
	if (*out || strcmp (node->scalar, "false") == 0)
		return true;
	for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
		if (strcasecmp (node->scalar, meant[i].word) == 0) {
			ppi_diagnose (d, node->place,
				      "%s must be true or false, not '%s'; did you mean '%s'?",
				      what, node->scalar, meant[i].value ? "true" : "false");
			return false;
		}
	ppi_diagnose (d, node->place, "%s must be true or false, not '%s'", what, node->scalar);
	return false;
}
