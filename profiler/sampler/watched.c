/* SPDX-License-Identifier: MIT */
/* watched.c: see watched.h. */
#include "profiler/sampler/watched.h"

#include "base/message.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/tap.h"
#include "libmetrics/tables/site.h"

#include <stdlib.h>
#include <string.h>

enum { WHY = 256 };

static struct {
	bool wanted;
	uint8_t features; /* enum ppi_features_how */
	char **pattern;   /* none: all sites, or all features */
	size_t patterns;
	pp_site **site; /* by id; NULL: it is not watched */
	uint32_t room;
	bool any_feature;
	unsigned refused; /* of this look */
	char why[WHY];    /* the first */
} watched;

static bool make_room (uint32_t id)
{
	uint32_t more = watched.room ? watched.room : 256;
	pp_site **grown;

	if (id < watched.room)
		return true;
	while (more <= id)
		more *= 2;
	grown = reallocarray (watched.site, more, sizeof *grown);
	if (!grown)
		return false;
	memset (grown + watched.room, 0, (more - watched.room) * sizeof *grown);
	watched.site = grown;
	watched.room = more;
	return true;
}

static int watch (pp_site *site, void *arg)
{
	uint32_t id = ppi_site_id (site);
	char why[WHY];
	int error;

	(void) arg;
	watched.any_feature |= site->kind == PP_ABI_SITE_FEATURE;
	if (!make_room (id) || watched.site[id])
		return 0;
	error = ppi_tap_acquire (site, PPI_SINK_MARK, why, sizeof why);
	if (error >= 0)
		watched.site[id] = site;
	else if (error != PP_EKIND && !watched.refused++)
		memcpy (watched.why, why, sizeof why);
	return 0;
}

static int watch_feature (pp_site *site, void *arg)
{
	return site->kind == PP_ABI_SITE_FEATURE ? watch (site, arg) : 0;
}

static int watch_antimark (pp_site *site, void *arg)
{
	return site->kind == PP_ABI_SITE_ANTIMARK ? watch (site, arg) : 0;
}

/*
 * Without its antimarks a feature would be charged for what the user's code takes, so these come
 * with it, whatever the patterns say.
 */
static void watch_all (void)
{
	bool is_sampled = watched.features == PPI_FEATURES_SAMPLED;

	if (!watched.patterns && !is_sampled)
		ppi_site_each_matching (NULL, watch, NULL);
	for (size_t i = 0; i < watched.patterns; i++)
		ppi_site_each_matching (watched.pattern[i], watch, NULL);
	if (is_sampled)
		ppi_site_each_matching (NULL, watch_feature, NULL);
	if (watched.any_feature)
		ppi_site_each_matching (NULL, watch_antimark, NULL);
}

void ppi_watched_look (void)
{
	if (!watched.wanted)
		return;
	watched.refused = 0;
	ppi_batch_begin ();
	watch_all ();
	if (ppi_batch_end () < 0)
		ppi_message ("profile: markers of some sites could not be changed: these intervals "
			     "are not watched");
	if (watched.refused)
		ppi_message ("profile: %u sites are not watched: %s", watched.refused, watched.why);
}

void ppi_watched_clear (void)
{
	if (!watched.wanted)
		return;
	watched.wanted = watched.any_feature = false;
	ppi_batch_begin ();
	for (uint32_t i = 0; i < watched.room; i++) {
		if (watched.site[i])
			ppi_tap_release (watched.site[i], PPI_SINK_MARK);
		watched.site[i] = NULL;
	}
	(void) ppi_batch_end ();
	for (size_t i = 0; i < watched.patterns; i++)
		free (watched.pattern[i]);
	free (watched.pattern);
	watched.pattern = NULL;
	watched.patterns = 0;
}

bool ppi_watched_are (const struct ppi_profile_wish *wish)
{
	if (!watched.wanted || watched.patterns != wish->sites ||
	    watched.features != wish->features)
		return false;
	for (size_t i = 0; i < wish->sites; i++)
		if (strcmp (watched.pattern[i], wish->site[i]) != 0)
			return false;
	return true;
}

static bool copy_patterns (const struct ppi_profile_wish *wish)
{
	watched.pattern = wish->sites ? calloc (wish->sites, sizeof *watched.pattern) : NULL;
	for (size_t i = 0; watched.pattern && i < wish->sites; i++) {
		watched.pattern[i] = strdup (wish->site[i]);
		if (!watched.pattern[i])
			return false;
		watched.patterns++;
	}
	return watched.pattern || !wish->sites;
}

void ppi_watched_set (const struct ppi_profile_wish *wish)
{
	if (ppi_watched_are (wish))
		return;
	ppi_watched_clear ();
	watched.wanted = true;
	watched.features = wish->features;
	if (copy_patterns (wish)) {
		ppi_watched_look ();
		return;
	}
	ppi_message ("profile: no memory for the patterns of sites: none is watched");
	ppi_watched_clear ();
}
