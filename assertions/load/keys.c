/* SPDX-License-Identifier: MIT */
/*
 * keys.c: what policies ask of parts that own keys of theirs (base/part.h). Here is what such a key
 * says, in the words that part and reader share; what it does only the part knows.
 */
#include "assertions/engine/policies.h"
#include "assertions/load/loaded.h"
#include "base/part.h"
#include "base/profile.h"

#define WHY_ROOM 384

void ppi_keys_check (const struct ppi_policy *policy, const struct ppi_loaded *former,
		     struct ppi_diagnostics *d)
{
	const struct ppi_part_key *key = ppi_parts_key ("profile");
	const char *pattern[PPI_SITES_COUNT];
	struct ppi_profile_wish wish;
	char why[WHY_ROOM] = "";

	if (!policy->profile.key)
		return;
	wish = ppi_policy_profile_wish (&policy->profile, pattern);
	if (!key)
		ppi_diagnose (d, policy->profile.key->place, "nothing here takes a profile");
	else if (key->check (&wish, former, why, sizeof why) < 0)
		ppi_diagnose (d, policy->profile.key->place, "%s", why);
}

void ppi_keys_apply (const struct ppi_loaded *loaded, const struct ppi_loaded *former)
{
	const struct ppi_policy_profile *written = &loaded->policy->profile;
	const struct ppi_part_key *key = ppi_parts_key ("profile");
	const char *pattern[PPI_SITES_COUNT];
	struct ppi_profile_wish wish;

	if (!key)
		return;
	if (written->key) {
		wish = ppi_policy_profile_wish (written, pattern);
		key->apply (&wish, loaded, former);
	}
	/* what the new version does not ask for */
	if (former)
		key->take_back (former);
}

void ppi_keys_take_back (const struct ppi_loaded *loaded)
{
	const struct ppi_part_key *key = ppi_parts_key ("profile");

	if (key)
		key->take_back (loaded);
}
