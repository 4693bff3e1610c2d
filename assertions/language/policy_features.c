/* SPDX-License-Identifier: MIT */
/* policy_features.c: what `features:` says. */
#include "assertions/language/policy.h"

/* Patterns of KEY; that it is not there is no mistake. */
static bool read_list (struct ppi_diagnostics *d, const struct ppi_yaml *map, const char *key,
		       const char *what, struct ppi_policy_bind *out)
{
	const struct ppi_yaml *list = ppi_yaml_get (map, key);

	return !list || ppi_policy_read_patterns (d, list, what, "a glob of features", out);
}

void ppi_policy_read_features (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			       struct ppi_policy_features *out)
{
	bool ok;

	*out = (struct ppi_policy_features){.key = NULL};
	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'features'"))
		return;
	ok = ppi_policy_keys (d, map, "'features'", ppi_keys_features (), PPI_LACKS_NONE);
	ok = read_list (d, map, "on", "'on'", &out->on) && ok;
	ok = read_list (d, map, "off", "'off'", &out->off) && ok;
	if (ok)
		out->key = map;
}

struct ppi_features_wish ppi_policy_features_wish (const struct ppi_policy_features *written,
						   const char *on[PPI_SITES_COUNT],
						   const char *off[PPI_SITES_COUNT])
{
	for (size_t i = 0; i < written->on.n_sites; i++)
		on[i] = written->on.sites[i]->scalar;
	for (size_t i = 0; i < written->off.n_sites; i++)
		off[i] = written->off.sites[i]->scalar;
	return (struct ppi_features_wish){
		.on = on, .ons = written->on.n_sites, .off = off, .offs = written->off.n_sites};
}
