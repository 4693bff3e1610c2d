/* SPDX-License-Identifier: MIT */
/*
 * walk_late.c: on what records depend: the values that a term has of their descendants, the direct
 * ones or all of them, as one text: "lookup, type". They are known at a record's end only, which is
 * why there is a pass for them.
 */
#include "profiler/analysis/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many different values of descendants are told apart; beyond them "..." is among the names. */
enum { VALUES_MOST = 32, TEXT_MOST = 4096 };

struct set {
	struct ppi_value value[VALUES_MOST];
	unsigned n;
	bool is_more;
};

struct late_walk {
	struct ppi_terms *terms;
	struct ppi_late_term *late;
	struct set *set; /* of the record at each place */
	uint32_t sets;
};

static bool set_for (struct late_walk *l, uint32_t place)
{
	uint32_t more = l->sets ? 2 * l->sets : 16;
	struct set *wide;

	while (more <= place)
		more *= 2;
	if (place >= l->sets) {
		wide = reallocarray (l->set, more, sizeof *wide);
		if (!wide)
			return false;
		l->set = wide;
		l->sets = more;
	}
	l->set[place].n = 0;
	l->set[place].is_more = false;
	return true;
}

static void insert (const struct ppi_terms *terms, struct set *set, struct ppi_value value)
{
	unsigned i;

	for (i = 0; i < set->n; i++)
		if (set->value[i].bits == value.bits && set->value[i].type == value.type)
			return;
	if (set->n == VALUES_MOST) {
		set->is_more = true;
		return;
	}
	while (i && ppi_value_order (terms, set->value[i - 1], value) > 0) {
		set->value[i] = set->value[i - 1];
		i--;
	}
	set->value[i] = value;
	set->n++;
}

static void insert_all (const struct ppi_terms *terms, struct set *set, const struct set *more)
{
	for (unsigned i = 0; i < more->n; i++)
		insert (terms, set, more->value[i]);
	set->is_more |= more->is_more;
}

static bool begins (const struct ppi_nest *nest, uint32_t place, void *arg)
{
	struct late_walk *l = arg;
	uint32_t up = nest->frame[place].up;
	struct ppi_value value;

	if (!set_for (l, place))
		return false;
	if (up) {
		value = ppi_terms_value (l->terms, l->late->term, nest, place);
		if (value.type != PP_ABI_VALUE_NONE)
			insert (l->terms, &l->set[up], value);
	}
	return true;
}

static uint32_t text_of (struct ppi_terms *terms, const struct set *set)
{
	char text[TEXT_MOST], one[64];
	size_t at = 0;

	for (unsigned i = 0; i < set->n && at < sizeof text; i++)
		at += (size_t) snprintf (text + at, sizeof text - at, "%s%s", i ? ", " : "",
					 ppi_value_text (terms, set->value[i], one, sizeof one));
	if (set->is_more && at < sizeof text)
		snprintf (text + at, sizeof text - at, ", ...");
	return ppi_terms_intern (terms, text);
}

static bool ends (const struct ppi_nest *nest, uint32_t place, double own_ns, void *arg)
{
	struct late_walk *l = arg;
	uint64_t sequence = nest->frame[place].sequence;
	size_t more = l->late->room ? 2 * l->late->room : 1024;
	uint32_t *wide;

	(void) own_ns;
	if (l->late->is_transitive && nest->frame[place].up)
		insert_all (l->terms, &l->set[nest->frame[place].up], &l->set[place]);
	while (more <= sequence)
		more *= 2;
	if (sequence >= l->late->room) {
		wide = reallocarray (l->late->text, more, sizeof *wide);
		if (!wide)
			return false;
		l->late->text = wide;
		l->late->room = more;
	}
	if (sequence >= l->late->n)
		l->late->n = (size_t) sequence + 1;
	l->late->text[sequence] =
		l->set[place].n ? text_of (l->terms, &l->set[place]) : PPI_NO_TEXT;
	return true;
}

bool ppi_walk_late (const struct ppi_query_source *source, struct ppi_terms *terms, char *why,
		    size_t room)
{
	for (unsigned i = 0; ppi_terms_late (terms, i); i++) {
		struct late_walk late = {.terms = terms, .late = ppi_terms_late (terms, i)};
		struct ppi_walker walker = {begins, ends, &late};
		struct ppi_walk_sums sums;
		bool ok = ppi_walk (source, terms, &walker, &sums, why, room);

		free (late.set);
		if (!ok)
			return false;
	}
	return true;
}
