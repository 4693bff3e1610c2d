/* SPDX-License-Identifier: MIT */
/* offline_events.c: see offline_events.h. */
#include "assertions/language/offline_events.h"

#include "base/dims.h"
#include "base/types.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/tables/aggregate.h"

#include <stdio.h>
#include <string.h>

enum { KEYS_MOST = 256 };

/* Names that sites have, each once. */
struct keys {
	char text[KEYS_MOST][PP_ABI_NAME_BYTES];
	size_t n;
};

static void add_keys (struct keys *keys, const char *dims)
{
	struct ppi_dim dim;

	while (keys->n < KEYS_MOST && ppi_dim_next (&dims, &dim)) {
		char *text = keys->text[keys->n];
		size_t i = 0;

		if (dim.length >= sizeof keys->text[0])
			continue;
		snprintf (text, sizeof keys->text[0], "%.*s", (int) dim.length, dim.key);
		while (strcmp (keys->text[i], text) != 0)
			i++;
		keys->n += i == keys->n;
	}
}

static bool is_chosen (const struct ppi_policy_bind *sites, const struct ppi_offline_site *site)
{
	struct pp_site view = ppi_offline_site_view (site);

	for (size_t i = 0; i < sites->n_sites; i++)
		if (ppi_site_matches (&view, sites->sites[i]->scalar))
			return true;
	return !sites->n_sites;
}

/*
 * Does a binary have KEY as a text: that of a call, or of a dimension that comes later, which lies
 * behind the letter of its type (pp_abi.h)?
 */
static bool is_spelt (const struct ppi_offline *offline, const char *key)
{
	char late[PP_ABI_NAME_BYTES + 2];
	bool found;

	if (!offline->spells)
		return false;
	found = offline->spells (key, offline->arg);
	for (const char *letter = PPI_VALUE_LETTERS; *letter && !found; letter++) {
		snprintf (late, sizeof late, "%c%s", *letter, key);
		found = ppi_value_of_letter (*letter) != PP_ABI_VALUE_NONE &&
			offline->spells (late, offline->arg);
	}
	return found;
}

/* Can any of them say KEY? FOUND gets the keys that they do say. */
static bool is_said (const struct ppi_offline *offline, const struct ppi_policy_bind *sites,
		     const char *key, struct keys *found)
{
	enum pp_abi_value type;

	if (strcmp (key, "event") == 0)
		return true;
	for (size_t i = 0; i < offline->n_sites; i++) {
		const struct ppi_offline_site *site = &offline->site[i];

		if (!is_chosen (sites, site))
			continue;
		if (ppi_dim_find (site->dims, key, &type) >= 0 ||
		    (site->value != PP_ABI_VALUE_NONE && strcmp (key, "value") == 0))
			return true;
		add_keys (found, site->dims);
	}
	return is_spelt (offline, key);
}

static void check_key (const struct ppi_offline *offline, const struct ppi_policy_bind *sites,
		       const struct ppi_yaml *key, struct ppi_diagnostics *d)
{
	static struct keys found;
	const char *names[KEYS_MOST + 1] = {NULL}, *nearest;

	found.n = 0;
	if (is_said (offline, sites, key->scalar, &found))
		return;
	for (size_t i = 0; i < found.n; i++)
		names[i] = found.text[i];
	nearest = ppi_nearest (key->scalar, names);
	ppi_diagnose_warning (
		d, key->place,
		"no site that is counted has a dimension '%s', which would be missing "
		"everywhere%s%s%s",
		key->scalar, nearest ? "; did you mean '" : "", nearest ? nearest : "",
		nearest ? "'?" : "");
}

/* ---- how many aggregates a site is in -------------------------------------------------------- */

/* Keys of the aggregates of a site, each once. */
struct room {
	const char *key[PPI_SET_KEYS];
	size_t keys, aggregates;
};

/* False: there is no room for the dimensions of ONE, of which nothing is taken then. */
static bool take_room (struct room *room, const struct ppi_policy_aggregate *one)
{
	struct room more = *room;

	if (more.aggregates++ == PPI_SET_AGGREGATES)
		return false;
	for (size_t i = 0; i < one->dims; i++) {
		const char *key = one->by[i]->scalar;
		size_t k = 0;

		while (k < more.keys && strcmp (more.key[k], key) != 0)
			k++;
		if (k == PPI_SET_KEYS)
			return false;
		more.key[k] = key;
		more.keys += k == more.keys;
	}
	*room = more;
	return true;
}

/* Are they one, for those who count? */
static bool is_same (const struct ppi_policy_aggregate *a, const struct ppi_policy_aggregate *b)
{
	bool same = a->dims == b->dims && a->keep == b->keep && a->max_groups == b->max_groups &&
		    a->sites.n_sites == b->sites.n_sites;

	for (size_t i = 0; same && i < a->dims; i++)
		same = strcmp (a->by[i]->scalar, b->by[i]->scalar) == 0;
	for (size_t i = 0; same && i < a->sites.n_sites; i++)
		same = strcmp (a->sites.sites[i]->scalar, b->sites.sites[i]->scalar) == 0;
	return same;
}

static bool is_again (const struct ppi_policy_events *events, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (is_same (&events->aggregate[i], &events->aggregate[number]))
			return true;
	return false;
}

/* Each aggregate once, at the first site that has no room for it. */
static void check_room (const struct ppi_offline *offline, const struct ppi_policy_events *events,
			struct ppi_diagnostics *d)
{
	bool told[PPI_AGGREGATES_OF] = {false};

	for (size_t s = 0; s < offline->n_sites; s++) {
		struct room room = {.keys = 0};

		for (size_t i = 0; i < events->aggregates; i++) {
			const struct ppi_policy_aggregate *one = &events->aggregate[i];

			if (!is_chosen (&one->sites, &offline->site[s]) || is_again (events, i) ||
			    take_room (&room, one) || told[i])
				continue;
			told[i] = true;
			ppi_diagnose_warning (
				d, one->by[0]->place,
				"this aggregate leaves out %s: a site can be in %u aggregates, "
				"with %u dimensions in all",
				offline->site[s].full, PPI_SET_AGGREGATES, PPI_SET_KEYS);
		}
	}
}

void ppi_offline_check_events (const struct ppi_offline *offline,
			       const struct ppi_policy_events *events, struct ppi_diagnostics *d)
{
	for (size_t i = 0; i < events->aggregates; i++)
		for (size_t k = 0; k < events->aggregate[i].dims; k++)
			check_key (offline, &events->aggregate[i].sites, events->aggregate[i].by[k],
				   d);
	check_room (offline, events, d);
}

/* ---- features -------------------------------------------------------------------------------- */

/* Has a mark, or a call, that GLOB means; NAMES gets those of marks that are none. */
static bool has_feature (const struct ppi_offline *offline, const char *glob, const char **names,
			 size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < offline->n_sites; i++) {
		struct pp_site view = ppi_offline_site_view (&offline->site[i]);

		if (view.kind != PP_ABI_SITE_FEATURE && view.kind != PP_ABI_SITE_ANTIMARK)
			continue;
		if (ppi_site_is_of_feature (&view, glob))
			return true;
		if (n + 1 < room)
			names[n++] = view.name;
	}
	names[n] = NULL;
	return offline->spells && offline->spells (glob, offline->arg);
}

static void check_globs (const struct ppi_offline *offline, const struct ppi_policy_bind *globs,
			 struct ppi_diagnostics *d)
{
	const char *names[512], *nearest;

	for (size_t i = 0; i < globs->n_sites; i++) {
		const struct ppi_yaml *glob = globs->sites[i];

		if (has_feature (offline, glob->scalar, names, sizeof names / sizeof *names))
			continue;
		nearest = ppi_nearest (glob->scalar, names);
		ppi_diagnose_warning (
			d, glob->place, "no feature of the binary matches '%s'; %s%s%s",
			glob->scalar, nearest ? "did you mean '" : "",
			nearest ? nearest : "ppctl sites lists them", nearest ? "'?" : "");
	}
}

void ppi_offline_check_features (const struct ppi_offline *offline,
				 const struct ppi_policy_features *features,
				 struct ppi_diagnostics *d)
{
	if (!features->key)
		return;
	check_globs (offline, &features->on, d);
	check_globs (offline, &features->off, d);
}
