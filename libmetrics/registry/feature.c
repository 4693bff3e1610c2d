/* SPDX-License-Identifier: MIT */
/* feature.c: see feature.h. */
#include "libmetrics/registry/feature.h"

#include "base/hash.h"
#include "libmetrics/tables/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number I is at I - 1. Programs have some dozens. */
static struct {
	uint64_t hash;
	char *name;
} * features;
static uint32_t n_features, room;

static bool make_room (void)
{
	uint32_t more = room ? 2 * room : 64;
	void *grown;

	if (n_features < room)
		return true;
	grown = reallocarray (features, more, sizeof *features);
	if (!grown)
		return false;
	features = grown;
	room = more;
	return true;
}

uint32_t ppi_feature_number (pp_site *site)
{
	bool has_library = strchr (site->name, '.') != NULL;
	char *name = NULL;
	uint64_t hash;

	if (site->feature)
		return site->feature;
	if (asprintf (&name, "%s%s%s", has_library ? "" : site->module, has_library ? "" : ".",
		      site->name) < 0)
		return 0;
	hash = ppi_hash (name, strlen (name), 0);
	for (uint32_t i = 0; i < n_features && !site->feature; i++)
		if (features[i].hash == hash && strcmp (features[i].name, name) == 0)
			site->feature = i + 1;
	if (site->feature || !make_room ()) {
		free (name);
		return site->feature;
	}
	features[n_features].hash = hash;
	features[n_features].name = name;
	site->feature = ++n_features;
	return site->feature;
}
