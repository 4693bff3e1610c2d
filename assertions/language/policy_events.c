/* SPDX-License-Identifier: MIT */
/* policy_events.c: what `events:` says. */
#include "assertions/language/policy.h"

void ppi_policy_read_events (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			     struct ppi_policy_events *out)
{
	const struct ppi_policy_key *keys = ppi_keys_events ();
	const struct ppi_yaml *records;
	bool ok;

	*out = (struct ppi_policy_events){.strings = PPI_EVENTS_STRINGS};
	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'events'"))
		return;
	ok = ppi_policy_keys (d, map, "'events'", keys, PPI_LACKS_NONE);
	ok = ppi_policy_needs (d, map, "'events'", keys, false) && ok;
	ok = ppi_policy_take (d, map, keys, out) && ok;
	records = ppi_yaml_get (map, "records");
	ok = (!records || ppi_policy_read_sites (d, records, &out->records)) && ok;
	if (ok && records)
		out->key = map;
}

struct ppi_events_wish ppi_policy_events_wish (const struct ppi_policy_events *written,
					       const char *pattern[PPI_SITES_COUNT])
{
	for (size_t i = 0; i < written->records.n_sites; i++)
		pattern[i] = written->records.sites[i]->scalar;
	return (struct ppi_events_wish){.site = pattern,
					.sites = written->records.n_sites,
					.waits = written->when_full == PPI_WHEN_FULL_WAIT,
					.strings = written->strings};
}
