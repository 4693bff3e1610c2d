/* SPDX-License-Identifier: MIT */
/* terms.c: what expressions over dimensions are made of: texts, keys, values; see terms.h. */
#include "profiler/analysis/terms_int.h"

#include "base/hash.h"
#include "base/types.h"
#include "profiler/analysis/put.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES_MOST = 1 << 20, OWN_TEXTS_MOST = 1 << 20, KEYS_MOST = 1024 };

struct ppi_terms *ppi_terms_create (const struct ppi_query_source *source)
{
	struct ppi_terms *terms = calloc (1, sizeof *terms);

	if (!terms)
		return NULL;
	terms->source = source;
	terms->root = ppi_terms_intern (terms, "root");
	terms->inner = ppi_terms_intern (terms, "inner");
	terms->leaf = ppi_terms_intern (terms, "leaf");
	if (terms->root == PPI_NO_TEXT || terms->inner == PPI_NO_TEXT ||
	    terms->leaf == PPI_NO_TEXT) {
		ppi_terms_destroy (terms);
		return NULL;
	}
	return terms;
}

void ppi_terms_destroy (struct ppi_terms *terms)
{
	if (!terms)
		return;
	for (uint32_t i = 0; i < terms->n_own; i++)
		free (terms->own[i]);
	for (unsigned i = 0; i < terms->n_late; i++)
		free (terms->late[i].text);
	for (unsigned i = 0; i < terms->n_defined; i++)
		free (terms->defined[i].name);
	ppi_terms_free_made (terms);
	free (terms->own);
	free (terms->own_slot);
	free (terms->site);
	free ((void *) terms->key);
	free (terms);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static uint32_t own_place (const struct ppi_terms *terms, const char *text)
{
	uint32_t at = (uint32_t) ppi_hash (text, strlen (text), 0) & (terms->own_slots - 1);

	while (terms->own_slot[at] && strcmp (terms->own[terms->own_slot[at] - 1], text) != 0)
		at = (at + 1) & (terms->own_slots - 1);
	return at;
}

static bool own_room (struct ppi_terms *terms)
{
	uint32_t more = terms->own_room ? 2 * terms->own_room : 32;
	char **wide;
	uint32_t *slots;

	if (terms->n_own < terms->own_room)
		return true;
	if (terms->n_own == OWN_TEXTS_MOST)
		return false;
	wide = reallocarray (terms->own, more, sizeof *wide);
	if (!wide)
		return false;
	terms->own = wide;
	slots = calloc (2 * (size_t) more, sizeof *slots);
	if (!slots)
		return false;
	free (terms->own_slot);
	terms->own_slot = slots;
	terms->own_slots = 2 * more;
	terms->own_room = more;
	for (uint32_t i = 0; i < terms->n_own; i++)
		slots[own_place (terms, terms->own[i])] = i + 1;
	return true;
}

uint32_t ppi_terms_intern (struct ppi_terms *terms, const char *text)
{
	uint32_t id = terms->source->records ? ppi_records_id (terms->source->records, text)
					     : UINT32_MAX,
		 at;
	char *copy;

	if (id < PPI_OWN_TEXT)
		return id;
	if (!own_room (terms))
		return PPI_NO_TEXT;
	at = own_place (terms, text);
	if (!terms->own_slot[at]) {
		copy = strdup (text);
		if (!copy)
			return PPI_NO_TEXT;
		terms->own[terms->n_own] = copy;
		terms->own_slot[at] = ++terms->n_own;
	}
	return PPI_OWN_TEXT | (terms->own_slot[at] - 1);
}

const char *ppi_terms_text (const struct ppi_terms *terms, uint64_t id)
{
	if (id < PPI_OWN_TEXT && terms->source->records)
		return ppi_records_text (terms->source->records, (uint32_t) id);
	id ^= PPI_OWN_TEXT;
	return id < terms->n_own ? terms->own[id] : "";
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* The program may give them; a run need not have a record with each. */
bool ppi_terms_look_for_keys (struct ppi_terms *terms)
{
	uint32_t key[KEYS_MOST] = {0};

	if (terms->key)
		return true;
	terms->key = calloc (KEYS_MOST + 1, sizeof *terms->key);
	if (!terms->key)
		return false;
	if (terms->source->records)
		terms->n_keys =
			(uint32_t) ppi_records_keys (terms->source->records, key, KEYS_MOST);
	for (uint32_t i = 0; i < terms->n_keys; i++)
		terms->key[i] = ppi_terms_text (terms, key[i]);
	return true;
}

bool ppi_terms_is_key (struct ppi_terms *terms, const char *name)
{
	if (!terms->source->records ||
	    ppi_records_id (terms->source->records, name) == UINT32_MAX ||
	    !ppi_terms_look_for_keys (terms))
		return false;
	for (uint32_t i = 0; i < terms->n_keys; i++)
		if (strcmp (terms->key[i], name) == 0)
			return true;
	return false;
}

const uint32_t *ppi_terms_slots (const struct ppi_terms *terms, uint32_t *n)
{
	*n = terms->n_slots;
	return terms->slot;
}

uint32_t ppi_terms_want (struct ppi_terms *terms, uint32_t key)
{
	for (uint32_t i = 0; i < terms->n_slots; i++)
		if (terms->slot[i] == key)
			return i;
	if (terms->n_slots == PPI_SLOTS_MOST)
		return UINT32_MAX;
	terms->slot[terms->n_slots] = key;
	return terms->n_slots++;
}

bool ppi_terms_want_all (struct ppi_terms *terms, char *why, size_t room)
{
	if (!ppi_terms_look_for_keys (terms)) {
		snprintf (why, room, "no memory");
		return false;
	}
	for (uint32_t i = 0; i < terms->n_keys; i++) {
		uint32_t key = ppi_records_id (terms->source->records, terms->key[i]);
		uint32_t slot = key == UINT32_MAX ? 0 : ppi_terms_want (terms, key);

		/* nobody asked for this one: no record need have it */
		if (slot != UINT32_MAX) {
			terms->seen[slot] |= key != UINT32_MAX;
			continue;
		}
		snprintf (why, room,
			  "records have more than %d dimensions: name those that are wanted",
			  PPI_SLOTS_MOST);
		return false;
	}
	return true;
}

uint32_t ppi_terms_slot (const struct ppi_terms *terms, unsigned term)
{
	return terms->term[term].op == PPI_TERM_SLOT ? terms->term[term].a : UINT32_MAX;
}

void ppi_terms_seen (struct ppi_terms *terms, uint32_t slot)
{
	terms->seen[slot] = true;
}

const char *ppi_terms_meant (const char *name, const char *const *names)
{
	const char *nearest = ppi_nearest (name, names);

	return nearest && ppi_is_mistyped (name, nearest) ? nearest : NULL;
}

bool ppi_terms_all_seen (struct ppi_terms *terms, char *why, size_t room)
{
	for (uint32_t i = 0; i < terms->n_slots; i++) {
		const char *name = ppi_terms_text (terms, terms->slot[i]), *nearest;

		if (terms->seen[i])
			continue;
		nearest =
			ppi_terms_look_for_keys (terms) ? ppi_terms_meant (name, terms->key) : NULL;
		snprintf (why, room, "no record has a dimension '%s'; %s%s'%s", name,
			  nearest ? "did you mean '" : "a text stands in quotes: '",
			  nearest ? nearest : name, nearest ? "?" : "");
		return false;
	}
	return true;
}

struct ppi_late_term *ppi_terms_late (struct ppi_terms *terms, unsigned n)
{
	return n < terms->n_late ? &terms->late[n] : NULL;
}

void ppi_query_list_clear (struct ppi_query_list *list)
{
	for (unsigned i = 0; i < list->n; i++)
		free (list->dim[i].label);
	*list = (struct ppi_query_list){.n = 0};
}

/* ---- values ---------------------------------------------------------------------------------- */

struct ppi_value ppi_value_recorded (unsigned type, uint64_t bits)
{
	struct ppi_value value = {.type = type, .bits = bits};

	if (type == PP_ABI_VALUE_BOOL)
		value = (struct ppi_value){.type = PPI_VALUE_TRUTH, .bits = bits != 0};
	else if (type == PP_ABI_VALUE_UNSIGNED)
		value.type = bits > INT64_MAX ? PPI_VALUE_LARGE : PP_ABI_VALUE_INT;
	return value;
}

double ppi_value_number (struct ppi_value value)
{
	double real;

	switch (value.type) {
	case PP_ABI_VALUE_INT:
	case PPI_VALUE_TRUTH:
		return (double) (int64_t) value.bits;
	case PP_ABI_VALUE_DOUBLE:
		memcpy (&real, &value.bits, sizeof real);
		return real;
	case PP_ABI_VALUE_POINTER:
	case PPI_VALUE_LARGE:
		return (double) value.bits;
	default:
		return (double) NAN;
	}
}

bool ppi_value_is_true (struct ppi_value value)
{
	double number = ppi_value_number (value);

	return !isnan (number) && number != 0;
}

const char *ppi_value_text (const struct ppi_terms *terms, struct ppi_value value, char *out,
			    size_t room)
{
	switch (value.type) {
	case PP_ABI_VALUE_INT:
		snprintf (out, room, "%" PRId64, (int64_t) value.bits);
		return out;
	case PP_ABI_VALUE_DOUBLE:
		return ppi_real_text (ppi_value_number (value), out, room);
	case PP_ABI_VALUE_POINTER:
		snprintf (out, room, "0x%" PRIx64, value.bits);
		return out;
	case PP_ABI_VALUE_STRING:
		return ppi_terms_text (terms, value.bits);
	case PPI_VALUE_LARGE:
		snprintf (out, room, "%" PRIu64, value.bits);
		return out;
	case PPI_VALUE_TRUTH:
		return value.bits ? "true" : "false";
	case PPI_VALUE_REST:
		return "(rest)";
	default:
		return "(none)";
	}
}

static int rank (struct ppi_value value)
{
	return value.type == PP_ABI_VALUE_NONE     ? 0
	       : value.type == PP_ABI_VALUE_STRING ? 3
	       : value.type == PPI_VALUE_REST      ? 4
	       : isnan (ppi_value_number (value))  ? 2
						   : 1;
}

int ppi_value_order (const struct ppi_terms *terms, struct ppi_value a, struct ppi_value b)
{
	double x = ppi_value_number (a), y = ppi_value_number (b);

	if (rank (a) != rank (b))
		return rank (a) < rank (b) ? -1 : 1;
	if (rank (a) == 3)
		return strcmp (ppi_terms_text (terms, a.bits), ppi_terms_text (terms, b.bits));
	if (x < y || x > y)
		return x < y ? -1 : 1;
	return a.bits < b.bits ? -1 : a.bits > b.bits;
}
