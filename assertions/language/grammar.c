/* SPDX-License-Identifier: MIT */
/*
 * grammar.c: the table of keys for the reader; what is read by it alone, and what is said of keys
 * that it does not have.
 */
#include "assertions/language/grammar.h"

#include "assertions/language/policy.h"
#include "libmetrics/keep/unbounded.h"

#include <stdio.h>
#include <string.h>

/* ---- the table ------------------------------------------------------------------------------- */

#define MEMBER_OF(member)                                                                          \
	_Generic((member), bool                                                                                        \
		 : PPI_MEMBER_BOOL, uint8_t                                                                            \
		 : PPI_MEMBER_U8, uint32_t                                                                             \
		 : PPI_MEMBER_U32, uint64_t                                                                            \
		 : PPI_MEMBER_U64, double                                                                              \
		 : PPI_MEMBER_DOUBLE, const struct ppi_yaml *                                                          \
		 : PPI_MEMBER_NODE)

#define MAP(id, type, ...)                                                                         \
	const struct ppi_policy_key *ppi_keys_##id (void)                                          \
	{                                                                                          \
		typedef type owner;                                                                \
		static const struct ppi_policy_key keys[] = {
#define KEY(key, when, form, text) {.name = #key, when, form},
#define FIELD(key, when, form, field, text)                                                        \
	{.name = #key,                                                                             \
	 when,                                                                                     \
	 form,                                                                                     \
	 .offset = offsetof (owner, field),                                                        \
	 .member = MEMBER_OF ((owner){0}.field)},
#define ACTION(id, key, when, form, text) {.name = #key, when, form},
#define END(id)                                                                                    \
	{                                                                                          \
		.name = NULL, .max = sizeof (owner)                                                \
	}                                                                                          \
	}                                                                                          \
	;                                                                                          \
	return keys;                                                                               \
	}

#define MAY .when = PPI_KEY_MAY
#define MUST(text) .when = PPI_KEY_MUST, .needs = text
#define CLAUSE .when = PPI_KEY_CLAUSE
#define FIRE .when = PPI_KEY_FIRE
#define LATER .when = PPI_KEY_LATER

#define WORD(id, name) name,
#define IS(...) .form = PPI_FORM_OWN
#define AS(...) .form = PPI_FORM_OWN
#define NAMED(...) .form = PPI_FORM_OWN
#define LIST(...) .form = PPI_FORM_OWN
#define ANY_LIST(...) .form = PPI_FORM_OWN
#define ONE_OR_LIST(...) .form = PPI_FORM_OWN
#define TRUTH .form = PPI_FORM_TRUTH
#define COUNT(least, most) .form = PPI_FORM_COUNT, .min = least, .max = most
#define COUNTED(least, most, things)                                                               \
	.form = PPI_FORM_COUNT, .min = least, .max = most, .noun = things
#define DURATION .form = PPI_FORM_DURATION
#define WINDOW(least_ns, text) .form = PPI_FORM_DURATION, .min = least_ns, .noun = text
#define BYTES(least, text) .form = PPI_FORM_BYTES, .min = least, .noun = text
#define NUMBER .form = PPI_FORM_NUMBER
#define NAME(text) .form = PPI_FORM_NAME, .noun = text
#define TEXT .form = PPI_FORM_TEXT
#define TEXT_AS(...) .form = PPI_FORM_TEXT
#define PATH .form = PPI_FORM_PATH
#define NUMBERED_PATH .form = PPI_FORM_PATH, .max = 1
#define WORDS(text, ...) .form = PPI_FORM_WORD, .noun = text, .words = {__VA_ARGS__}
#define WORDS_OF(text, list) .form = PPI_FORM_WORD, .noun = text, .words = {list (WORD)}

#include "assertions/language/grammar_keys.h"

_Static_assert(PPI_UNBOUNDED_SIZE_MAX == 1073741824, "maxSize");
_Static_assert(PP_SEVERITY_INFO == 0 && PP_SEVERITY_CRITICAL == 3, "severity");

static const struct {
	const char *other, *key;
} meant[] = {
#define MEANT(other, key) {#other, #key},
#include "assertions/language/grammar_keys.h"
};

/* ---- which keys a map has -------------------------------------------------------------------- */

static const struct ppi_policy_key *find_key (const struct ppi_policy_key *keys, unsigned lacks,
					      const char *name)
{
	for (; keys->name; keys++)
		if (!(lacks >> keys->when & 1) && strcmp (keys->name, name) == 0)
			return keys;
	return NULL;
}

const struct ppi_policy_key *ppi_policy_key (const struct ppi_policy_key *keys, const char *name)
{
	return find_key (keys, PPI_LACKS_NONE, name);
}

/* What other languages say for a key, where the map has that one */
static const char *meant_key (const char *word, const char *const *names)
{
	for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
		for (size_t k = 0; strcmp (meant[i].other, word) == 0 && names[k]; k++)
			if (strcmp (names[k], meant[i].key) == 0)
				return names[k];
	return NULL;
}

bool ppi_policy_keys (struct ppi_diagnostics *d, const struct ppi_yaml *map, const char *what,
		      const struct ppi_policy_key *keys, unsigned lacks)
{
	const char *names[PPI_KEYS_MAX + 1];
	size_t n = 0;
	bool ok = true;

	for (const struct ppi_policy_key *key = keys; key->name && n < PPI_KEYS_MAX; key++)
		if (key->when != PPI_KEY_LATER && !(lacks >> key->when & 1))
			names[n++] = key->name;
	names[n] = NULL;
	for (size_t i = 0; i < map->n; i++) {
		const struct ppi_yaml *key = map->keys[i];
		const struct ppi_policy_key *known = find_key (keys, lacks, key->scalar);
		const char *nearest;

		if (known && known->when != PPI_KEY_LATER)
			continue;
		ok = false;
		nearest = known ? NULL : meant_key (key->scalar, names);
		if (!known && !nearest)
			nearest = ppi_nearest (key->scalar, names);
		if (known)
			ppi_diagnose (d, key->place, "'%s' of %s is not available in this version",
				      key->scalar, what);
		else if (nearest)
			ppi_diagnose (d, key->place, "%s has no key '%s'; did you mean '%s'?", what,
				      key->scalar, nearest);
		else
			ppi_diagnose (d, key->place, "%s has no key '%s'", what, key->scalar);
	}
	return ok;
}

bool ppi_policy_needs (struct ppi_diagnostics *d, const struct ppi_yaml *map, const char *what,
		       const struct ppi_policy_key *keys, bool together)
{
	const char *all[PPI_KEYS_MAX + 1];
	char list[256];
	size_t n = 0;
	bool ok = true;

	for (const struct ppi_policy_key *key = keys; key->name && n < PPI_KEYS_MAX; key++) {
		bool lacks = key->when == PPI_KEY_MUST && !ppi_yaml_get (map, key->name);

		if (key->when == PPI_KEY_MUST)
			all[n++] = key->needs;
		if (lacks && !together)
			ppi_diagnose (d, map->place, "%s needs %s", what, key->needs);
		ok = ok && !lacks;
	}
	all[n] = NULL;
	if (!ok && together)
		ppi_diagnose (d, map->place, "%s needs %s", what,
			      ppi_policy_listed (all, " and ", list, sizeof list));
	return ok;
}

/* ---- values ---------------------------------------------------------------------------------- */

int ppi_policy_word_place (const char *const *words, const char *text)
{
	for (int i = 0; words[i]; i++)
		if (strcmp (words[i], text) == 0)
			return i;
	return -1;
}

const char *ppi_policy_listed (const char *const *words, const char *between, char *out,
			       size_t room)
{
	size_t length = 0;

	*out = '\0';
	for (size_t i = 0; words[i] && length < room; i++)
		length += (size_t) snprintf (out + length, room - length, "%s%s",
					     !i             ? ""
					     : words[i + 1] ? ", "
							    : between,
					     words[i]);
	return out;
}

/* A time in the place of a number of THINGS is a slip with a hint. */
static bool is_time (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
		     const char *things)
{
	struct ppi_dimension dimension;
	const char *unit, *end;
	double value;

	if (node->kind != PPI_YAML_SCALAR ||
	    ppi_quantity_scan (node->scalar, &value, &dimension, &unit, &end) != PPI_QUANTITY_OK ||
	    *end || dimension.seconds != 1 || dimension.bytes)
		return false;
	ppi_diagnose (d, node->place,
		      "%s is a number of %s, not a time: did you mean '%.*s'? What is expected "
		      "over a time says so itself: share[%s], p99[%s]",
		      what, things, (int) (unit - node->scalar), node->scalar, node->scalar,
		      node->scalar);
	return true;
}

static bool read_count (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			const struct ppi_policy_key *key, void *out)
{
	uint64_t number;

	if ((key->noun && is_time (d, node, what, key->noun)) ||
	    !ppi_policy_integer (d, node, what, key->min, key->max, &number))
		return false;
	if (key->member == PPI_MEMBER_U32)
		*(uint32_t *) out = (uint32_t) number;
	else
		*(uint64_t *) out = number;
	return true;
}

/* A time or bytes */
static bool read_quantity (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
			   const struct ppi_policy_key *key, uint64_t *out)
{
	bool is_time = key->form == PPI_FORM_DURATION;
	uint64_t n;

	if (!(is_time ? ppi_policy_duration (d, node, what, &n)
		      : ppi_policy_bytes (d, node, what, &n)))
		return false;
	if (n < key->min)
		ppi_diagnose (d, node->place, "the %s %s", is_time ? "shortest" : "smallest",
			      key->noun);
	else
		*out = n;
	return n >= key->min;
}

static bool read_word (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what,
		       const struct ppi_policy_key *key, uint8_t *out)
{
	char list[128];
	int place;

	if (!ppi_policy_word (d, node, what))
		return false;
	place = ppi_policy_word_place (key->words, node->scalar);
	if (place < 0)
		ppi_diagnose (d, node->place, "%s %s %s, not '%s'", what,
			      key->words[1] ? "is" : "can only be",
			      ppi_policy_listed (key->words, " or ", list, sizeof list),
			      node->scalar);
	else
		*out = (uint8_t) place;
	return place >= 0;
}

static bool read_value (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			const struct ppi_policy_key *key, void *out)
{
	const struct ppi_yaml **text = out;
	char what[64];
	bool ok;

	snprintf (what, sizeof what, "'%s'", key->name);
	switch ((enum ppi_key_form) key->form) {
	case PPI_FORM_TRUTH:
		return ppi_policy_bool (d, node, what, out);
	case PPI_FORM_COUNT:
		return read_count (d, node, what, key, out);
	case PPI_FORM_DURATION:
	case PPI_FORM_BYTES:
		return read_quantity (d, node, what, key, out);
	case PPI_FORM_NUMBER:
		return ppi_policy_number (d, node, what, out);
	case PPI_FORM_WORD:
		return read_word (d, node, key->noun ? key->noun : what, key, out);
	case PPI_FORM_NAME:
		ok = ppi_policy_name (d, node, key->noun);
		break;
	case PPI_FORM_TEXT:
		ok = ppi_policy_word (d, node, what);
		break;
	case PPI_FORM_PATH:
		ok = ppi_policy_path (d, node, what, key->max != 0);
		break;
	case PPI_FORM_OWN:
	default:
		return false; /* asked for by mistake */
	}
	if (ok)
		*text = node;
	return ok;
}

bool ppi_policy_value (struct ppi_diagnostics *d, const struct ppi_yaml *node,
		       const struct ppi_policy_key *keys, const char *name, void *out)
{
	return read_value (d, node, ppi_policy_key (keys, name), out);
}

bool ppi_policy_take (struct ppi_diagnostics *d, const struct ppi_yaml *map,
		      const struct ppi_policy_key *keys, void *out)
{
	bool ok = true;

	for (const struct ppi_policy_key *key = keys; key->name; key++) {
		const struct ppi_yaml *node = key->member ? ppi_yaml_get (map, key->name) : NULL;

		if (node)
			ok = read_value (d, node, key, (char *) out + key->offset) && ok;
	}
	return ok;
}
