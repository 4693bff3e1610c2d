/* SPDX-License-Identifier: MIT */
/* policy_flight.c: what `events: {flight: …}` says. */
#include "assertions/language/policy.h"

#include "recording/flight.h"

static bool read_map (struct ppi_diagnostics *d, const struct ppi_yaml *map,
		      struct ppi_policy_flight *out)
{
	const struct ppi_policy_key *keys = ppi_keys_flight ();
	const struct ppi_yaml *sites = ppi_yaml_get (map, "sites");
	bool ok = ppi_policy_keys (d, map, "'flight'", keys, PPI_LACKS_NONE);

	ok = ppi_policy_take (d, map, keys, out) && ok;
	return (!sites || ppi_policy_read_sites (d, sites, &out->sites)) && ok;
}

bool ppi_policy_read_flight (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			     struct ppi_policy_flight *out)
{
	uint64_t events = PPI_FLIGHT_USUAL;
	bool ok = false;

	*out = (struct ppi_policy_flight){.events = PPI_FLIGHT_USUAL};
	if (node->kind == PPI_YAML_MAP)
		ok = read_map (d, node, out);
	else if (node->kind == PPI_YAML_SCALAR) {
		ok = ppi_policy_integer (d, node, "'flight'", PPI_FLIGHT_LEAST, PPI_FLIGHT_MOST,
					 &events);
		out->events = (uint32_t) events;
	} else
		ppi_diagnose (d, node->place,
			      "'flight' must be a number, how many begins, ends and values are "
			      "kept of each thread, or keys with values");
	if (ok)
		out->key = node;
	return ok;
}

struct ppi_flight_wish ppi_policy_flight_wish (const struct ppi_policy_flight *written,
					       const char *pattern[PPI_SITES_COUNT])
{
	size_t n = written->sites.n_sites;

	for (size_t i = 0; i < n; i++)
		pattern[i] = written->sites.sites[i]->scalar;
	if (!n)
		pattern[n++] = "**";
	return (struct ppi_flight_wish){.site = pattern, .sites = n, .events = written->events};
}
