/* SPDX-License-Identifier: MIT */
/*
 * keys.c: what policies ask of parts that own keys of theirs (base/part.h). Here is what such a key
 * says, in the words that part and reader share; what it does only the part knows.
 */
#include "assertions/engine/policies.h"
#include "assertions/load/loaded.h"
#include "base/events.h"
#include "base/features.h"
#include "base/flight.h"
#include "base/part.h"
#include "base/profile.h"

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
