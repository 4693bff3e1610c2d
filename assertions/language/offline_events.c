/* SPDX-License-Identifier: MIT */
/* offline_events.c: see offline_events.h. */
#include "assertions/language/offline_events.h"

#include "base/dims.h"
#include "base/types.h"
#include "libmetrics/registry/pattern.h"

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
	return offline->spells && offline->spells (key, offline->arg);
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

void ppi_offline_check_events (const struct ppi_offline *offline,
			       const struct ppi_policy_events *events, struct ppi_diagnostics *d)
{
	for (size_t i = 0; i < events->aggregates; i++)
		for (size_t k = 0; k < events->aggregate[i].dims; k++)
			check_key (offline, &events->aggregate[i].sites, events->aggregate[i].by[k],
				   d);
}
