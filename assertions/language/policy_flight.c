/* SPDX-License-Identifier: MIT */
/* policy_flight.c: what `flight:` says. */
#include "assertions/language/policy.h"

#include "recording/flight.h"

void ppi_policy_read_flight (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			     struct ppi_policy_flight *out)
{
	const struct ppi_policy_key *keys = ppi_keys_flight ();
	const struct ppi_yaml *sites;
	bool ok;

	*out = (struct ppi_policy_flight){.events = PPI_FLIGHT_USUAL};
	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'flight'"))
		return;
	ok = ppi_policy_keys (d, map, "'flight'", keys, PPI_LACKS_NONE);
	ok = ppi_policy_needs (d, map, "'flight'", keys, false) && ok;
	ok = ppi_policy_take (d, map, keys, out) && ok;
	sites = ppi_yaml_get (map, "sites");
	ok = (!sites || ppi_policy_read_sites (d, sites, &out->sites)) && ok;
	if (ok && sites)
		out->key = map;
}

struct ppi_flight_wish ppi_policy_flight_wish (const struct ppi_policy_flight *written,
					       const char *pattern[PPI_SITES_COUNT])
{
	for (size_t i = 0; i < written->sites.n_sites; i++)
		pattern[i] = written->sites.sites[i]->scalar;
	return (struct ppi_flight_wish){
		.site = pattern, .sites = written->sites.n_sites, .events = written->events};
}
