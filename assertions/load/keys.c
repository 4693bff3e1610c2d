/* SPDX-License-Identifier: MIT */
/*
 * keys.c: what policies ask of parts that own keys of theirs (base/part.h). Here is what such a key
 * says, in the words that part and reader share; what it does only the part knows. A part takes the
 * sites that its patterns match, and those that come; a pattern that none matches is noted here, as
 * those of `bind` are, and told where none has come until the end (late.c).
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/policies.h"
#include "assertions/load/loaded.h"
#include "base/events.h"
#include "base/features.h"
#include "base/flight.h"
#include "base/part.h"
#include "base/profile.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/site.h"

#include <stdlib.h>
#include <string.h>

#define WHY_ROOM 384

/* What POLICY says, with the patterns that it points to; one member by each key. */
struct wish {
	const struct ppi_yaml *place; /* NULL: nothing */
	const char *pattern[PPI_SITES_COUNT], *other[PPI_SITES_COUNT];
	union {
		struct ppi_profile_wish profile;
		struct ppi_events_wish events;
		struct ppi_features_wish features;
		struct ppi_flight_wish flight;
	} is;
};

static void read_profile (const struct ppi_policy *policy, struct wish *out)
{
	out->place = policy->profile.key;
	if (out->place)
		out->is.profile =
			ppi_policy_profile_wish (&policy->profile, out->pattern, out->other);
}

static void read_events (const struct ppi_policy *policy, struct wish *out)
{
	out->place = policy->events.key;
	if (out->place)
		out->is.events = ppi_policy_events_wish (&policy->events, out->pattern);
	for (size_t i = 0; out->place && i < out->is.events.aggregates; i++)
		out->is.events.aggregate[i].policy = policy->path;
}

static void read_flight (const struct ppi_policy *policy, struct wish *out)
{
	out->place = policy->events.flight.key;
	if (out->place)
		out->is.flight = ppi_policy_flight_wish (&policy->events.flight, out->pattern);
}

static void read_features (const struct ppi_policy *policy, struct wish *out)
{
	out->place = policy->features.key;
	if (out->place)
		out->is.features =
			ppi_policy_features_wish (&policy->features, out->pattern, out->other);
}

static const struct {
	const char *name, *nobody;
	void (*read) (const struct ppi_policy *policy, struct wish *out);
} keys[] = {{"profile", "nothing here takes a profile", read_profile},
	    {"events", "nothing here records events", read_events},
	    {"flight", "nothing here has a flight recorder", read_flight},
	    {"features", "nothing here has features", read_features}};

#define KEYS (sizeof keys / sizeof keys[0])

void ppi_keys_check (const struct ppi_policy *policy, const struct ppi_loaded *former,
		     struct ppi_diagnostics *d)
{
	struct wish wish;

	for (size_t i = 0; i < KEYS; i++) {
		const struct ppi_part_key *key = ppi_parts_key (keys[i].name);
		char why[WHY_ROOM] = "";

		keys[i].read (policy, &wish);
		if (wish.place && !key)
			ppi_diagnose (d, wish.place->place, "%s", keys[i].nobody);
		else if (wish.place && key->check (&wish.is, former, why, sizeof why) < 0)
			ppi_diagnose (d, wish.place->place, "%s", why);
	}
}

void ppi_keys_apply (const struct ppi_loaded *loaded, const struct ppi_loaded *former)
{
	struct wish wish;

	for (size_t i = 0; i < KEYS; i++) {
		const struct ppi_part_key *key = ppi_parts_key (keys[i].name);

		keys[i].read (loaded->policy, &wish);
		if (key && wish.place)
			key->apply (&wish.is, loaded, former);
		/* what the new version does not ask for */
		if (key && former)
			key->take_back (former);
	}
}

void ppi_keys_take_back (const struct ppi_loaded *loaded)
{
	for (size_t i = 0; i < KEYS; i++) {
		const struct ppi_part_key *key = ppi_parts_key (keys[i].name);

		if (key)
			key->take_back (loaded);
	}
}

/* ---- patterns that nothing matches ----------------------------------------------------------- */

#define SITE "site"

/* Each pattern of `events` and `features`, with one call of FN, and what it is a pattern of. */
static void each_pattern (const struct ppi_policy *policy,
			  void (*fn) (struct ppi_loaded *loaded, const char *kind,
				      const char *pattern),
			  struct ppi_loaded *loaded)
{
	const struct ppi_policy_events *events = &policy->events;
	const struct ppi_policy_features *features = &policy->features;

	for (size_t i = 0; events->key && i < events->records.n_sites; i++)
		fn (loaded, SITE, events->records.sites[i]->scalar);
	for (size_t i = 0; events->key && i < events->aggregates; i++)
		for (size_t k = 0; k < events->aggregate[i].sites.n_sites; k++)
			fn (loaded, SITE, events->aggregate[i].sites.sites[k]->scalar);
	for (size_t i = 0; events->flight.key && i < events->flight.sites.n_sites; i++)
		fn (loaded, SITE, events->flight.sites.sites[i]->scalar);
	for (size_t i = 0; features->key && i < features->on.n_sites; i++)
		fn (loaded, PPI_AWAITED_FEATURE, features->on.sites[i]->scalar);
	for (size_t i = 0; features->key && i < features->off.n_sites; i++)
		fn (loaded, PPI_AWAITED_FEATURE, features->off.sites[i]->scalar);
}

static int take_first (pp_site *site, void *arg)
{
	(void) site;
	(void) arg;
	return 1;
}

/* A feature may have antimarks only: these are switched, too. */
static int take_mark (pp_site *site, void *arg)
{
	return (site->kind == PP_ABI_SITE_FEATURE || site->kind == PP_ABI_SITE_ANTIMARK) &&
	       ppi_site_is_of_feature (site, arg);
}

static bool is_there (const char *kind, const char *pattern)
{
	return strcmp (kind, PPI_AWAITED_FEATURE) == 0
		       ? ppi_site_each_matching (NULL, take_mark, (void *) (uintptr_t) pattern) != 0
		       : ppi_site_each_matching (pattern, take_first, NULL) != 0;
}

/* What is bound there, or expected, waits for it as well, and has noted that. */
static bool is_noted (const struct ppi_loaded *loaded, const char *kind, const char *pattern)
{
	bool is_site = strcmp (kind, SITE) == 0;

	for (size_t i = 0; is_site && i < loaded->n_slots; i++)
		if (loaded->slots[i].is_pending && strcmp (loaded->slots[i].pattern, pattern) == 0)
			return true;
	for (size_t i = 0; is_site && i < loaded->policy->n_assertions; i++)
		if (loaded->assertions[i]->is_pending &&
		    strcmp (loaded->assertions[i]->at, pattern) == 0)
			return true;
	for (size_t i = 0; i < loaded->n_awaited; i++)
		if (strcmp (loaded->awaited[i].kind, kind) == 0 &&
		    strcmp (loaded->awaited[i].pattern, pattern) == 0)
			return true;
	return false;
}

static void wait_for (struct ppi_loaded *loaded, const char *kind, const char *pattern)
{
	struct ppi_awaited *more;

	if (is_there (kind, pattern) || is_noted (loaded, kind, pattern))
		return;
	more = reallocarray (loaded->awaited, loaded->n_awaited + 1, sizeof *more);
	if (!more)
		return;
	loaded->awaited = more;
	more[loaded->n_awaited++] = (struct ppi_awaited){kind, pattern};
	ppi_policy_note_pending (loaded, kind, pattern);
}

void ppi_keys_patterns_wait (struct ppi_loaded *loaded)
{
	each_pattern (loaded->policy, wait_for, loaded);
}

bool ppi_keys_pattern_came (struct ppi_loaded *loaded, struct ppi_awaited *out)
{
	for (size_t i = 0; i < loaded->n_awaited; i++) {
		*out = loaded->awaited[i];
		if (!is_there (out->kind, out->pattern))
			continue;
		loaded->awaited[i] = loaded->awaited[--loaded->n_awaited];
		return true;
	}
	return false;
}
