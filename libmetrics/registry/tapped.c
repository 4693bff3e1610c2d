/* SPDX-License-Identifier: MIT */
/* tapped.c: see tapped.h. */
#include "libmetrics/registry/tapped.h"

#include "base/message.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/lookup.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/switch.h"
#include "libmetrics/registry/tap.h"
#include "libmetrics/tables/site.h"

#include <stdlib.h>
#include <string.h>

static struct ppi_tapped *all; /* that are wanted */

static bool make_room (struct ppi_tapped *tapped, uint32_t id)
{
	uint32_t more = tapped->room ? tapped->room : 256;
	pp_site **grown;

	if (id < tapped->room)
		return true;
	while (more <= id)
		more *= 2;
	grown = reallocarray (tapped->site, more, sizeof *grown);
	if (!grown)
		return false;
	memset (grown + tapped->room, 0, (more - tapped->room) * sizeof *grown);
	tapped->site = grown;
	tapped->room = more;
	return true;
}

/* Whether SITE comes with others, whatever the patterns say. */
static bool comes_with_others (const pp_site *site)
{
	return site->kind == PP_ABI_SITE_ANTIMARK || site->flags & PP_ABI_SITE_RETURN;
}

/* Where a call may return twice what is open is left, and nothing more where that is wanted. */
static enum ppi_sink_id sink_at (const struct ppi_tapped *tapped, const pp_site *site)
{
	return tapped->also & (PPI_TAPPED_ANTIMARKS | PPI_TAPPED_RETURNS) &&
			       site->flags & PP_ABI_SITE_RETURN
		       ? PPI_SINK_LEAVE
		       : tapped->sink;
}

static bool wants_returns (const struct ppi_tapped *tapped)
{
	return tapped->also & PPI_TAPPED_RETURNS ||
	       (tapped->also & PPI_TAPPED_ANTIMARKS && tapped->any_feature);
}

static int acquire (pp_site *site, void *arg)
{
	struct ppi_tapped *tapped = arg;
	uint32_t id = ppi_site_id (site);
	char why[sizeof tapped->why] = "no memory";
	int error = PP_ENOMEM;

	if (!ppi_switch_is_on (site) || !make_room (tapped, id) || tapped->site[id])
		return 0;
	if (!tapped->prepare || tapped->prepare (site))
		error = ppi_tap_acquire (site, sink_at (tapped, site), why, sizeof why);
	if (error >= 0)
		tapped->site[id] = site;
	else if (error != PP_EKIND && !tapped->refused++)
		memcpy (tapped->why, why, sizeof why);
	return 0;
}

static int acquire_antimark (pp_site *site, void *arg)
{
	return site->kind == PP_ABI_SITE_ANTIMARK ? acquire (site, arg) : 0;
}

static void acquire_returns (struct ppi_tapped *tapped)
{
	for (pp_site *s = ppi_site_first (); s; s = s->next)
		if (s->copies && s->flags & PP_ABI_SITE_RETURN)
			acquire (s, tapped);
}

static int acquire_feature (pp_site *site, void *arg)
{
	return site->kind == PP_ABI_SITE_FEATURE ? acquire (site, arg) : 0;
}

/* The first will do. */
static int find_feature (pp_site *site, void *arg)
{
	struct ppi_tapped *tapped = arg;

	tapped->any_feature = site->kind == PP_ABI_SITE_FEATURE && ppi_switch_is_on (site);
	return tapped->any_feature;
}

/*
 * FN of each that is meant, OF_FEATURES where only features are, until one is true; of some twice.
 * Antimarks that come with features are not among them.
 */
static void each_meant (struct ppi_tapped *tapped, int (*fn) (pp_site *, void *),
			int (*of_features) (pp_site *, void *))
{
	int (*one) (pp_site *, void *) = tapped->also & PPI_TAPPED_ONLY ? of_features : fn;
	int done = 0;

	if (!tapped->patterns && !(tapped->also & (PPI_TAPPED_FEATURES | PPI_TAPPED_ONLY)))
		done = ppi_site_each_matching (NULL, fn, tapped);
	for (size_t i = 0; tapped->pattern && i < tapped->patterns && !done; i++)
		done = ppi_site_each_matching (tapped->pattern[i], one, tapped);
	if (tapped->also & PPI_TAPPED_FEATURES && !done)
		ppi_site_each_matching (NULL, of_features, tapped);
}

/* Where marks are left, when there are none any more. */
static void release_returns (struct ppi_tapped *tapped)
{
	for (uint32_t i = 0; i < tapped->room && !wants_returns (tapped); i++)
		if (tapped->site[i] && sink_at (tapped, tapped->site[i]) == PPI_SINK_LEAVE) {
			ppi_tap_release (tapped->site[i], PPI_SINK_LEAVE);
			tapped->site[i] = NULL;
		}
}

/* Those of KIND whose features are off. */
static void release_off (struct ppi_tapped *tapped, enum pp_abi_site_kind kind)
{
	for (uint32_t i = 0; i < tapped->room; i++)
		if (tapped->site[i] && tapped->site[i]->kind == kind &&
		    !ppi_switch_is_on (tapped->site[i])) {
			ppi_tap_release (tapped->site[i], tapped->sink);
			tapped->site[i] = NULL;
		}
}

static void tell (const struct ppi_tapped *tapped, bool unchanged)
{
	if (unchanged)
		ppi_message ("%s: markers of some sites could not be changed: these intervals are "
			     "left out",
			     tapped->who);
	if (tapped->refused)
		ppi_message ("%s: %u sites are left out: %s", tapped->who, tapped->refused,
			     tapped->why);
}

static void look_at_all (struct ppi_tapped *tapped)
{
	bool is_all;
	int error;

	(void) ppi_sites_news (&tapped->seen, &is_all);
	tapped->refused = 0;
	tapped->any_feature = false;
	each_meant (tapped, find_feature, find_feature);
	ppi_batch_begin ();
	release_off (tapped, PP_ABI_SITE_FEATURE);
	if (tapped->also & PPI_TAPPED_ANTIMARKS && tapped->any_feature)
		ppi_site_each_matching (NULL, acquire_antimark, tapped);
	if (wants_returns (tapped))
		acquire_returns (tapped);
	error = ppi_batch_end ();
	ppi_batch_begin ();
	release_off (tapped, PP_ABI_SITE_ANTIMARK);
	release_returns (tapped);
	each_meant (tapped, acquire, acquire_feature);
	tell (tapped, ppi_batch_end () < 0 || error < 0);
}

/* As each_meant says it, of one site. */
static bool is_meant (const struct ppi_tapped *tapped, const pp_site *site)
{
	bool is_feature = site->kind == PP_ABI_SITE_FEATURE;

	if (is_feature ? tapped->also & PPI_TAPPED_FEATURES
		       : !tapped->patterns &&
				 !(tapped->also & (PPI_TAPPED_FEATURES | PPI_TAPPED_ONLY)))
		return ppi_lookup_has (NULL, site);
	if (!is_feature && tapped->also & PPI_TAPPED_ONLY)
		return false;
	if (!tapped->patterns && !(tapped->also & PPI_TAPPED_ONLY))
		return ppi_lookup_has (NULL, site);
	for (size_t i = 0; tapped->pattern && i < tapped->patterns; i++)
		if (ppi_lookup_has (tapped->pattern[i], site))
			return true;
	return false;
}

static bool has_feature (const struct ppi_tapped *tapped, const pp_site *from)
{
	for (const pp_site *s = from; s; s = s->next)
		if (s->kind == PP_ABI_SITE_FEATURE && ppi_switch_is_on (s) && is_meant (tapped, s))
			return true;
	return false;
}

/* FROM and those behind it have come, and antimarks and returns of before are as they are to be. */
static void look_at_new (struct ppi_tapped *tapped, pp_site *from)
{
	int error;

	ppi_batch_begin ();
	for (pp_site *s = from; s; s = s->next)
		if ((tapped->also & PPI_TAPPED_ANTIMARKS && tapped->any_feature &&
		     s->kind == PP_ABI_SITE_ANTIMARK) ||
		    (wants_returns (tapped) && s->flags & PP_ABI_SITE_RETURN))
			acquire (s, tapped);
	error = ppi_batch_end ();
	ppi_batch_begin ();
	for (pp_site *s = from; s; s = s->next)
		if (is_meant (tapped, s))
			acquire (s, tapped);
	tell (tapped, ppi_batch_end () < 0 || error < 0);
}

/*
 * With the first feature come all antimarks, and returns; and what was refused may have room now.
 */
bool ppi_tapped_look (struct ppi_tapped *tapped)
{
	pp_site *from;
	bool is_all;

	if (!tapped->wanted)
		return false;
	from = ppi_sites_news (&tapped->seen, &is_all);
	if (is_all || tapped->refused || (!tapped->any_feature && has_feature (tapped, from))) {
		look_at_all (tapped);
		return true;
	}
	if (from)
		look_at_new (tapped, from);
	return false;
}

void ppi_tapped_look_all (void)
{
	for (struct ppi_tapped *t = all; t; t = t->next)
		look_at_all (t);
}

static void list_remove (const struct ppi_tapped *tapped)
{
	struct ppi_tapped **at = &all;

	while (*at && *at != tapped)
		at = &(*at)->next;
	if (*at)
		*at = tapped->next;
}

static void release_those (struct ppi_tapped *tapped, bool coming_with_others)
{
	ppi_batch_begin ();
	for (uint32_t i = 0; i < tapped->room; i++) {
		if (!tapped->site[i] || comes_with_others (tapped->site[i]) != coming_with_others)
			continue;
		ppi_tap_release (tapped->site[i], sink_at (tapped, tapped->site[i]));
		tapped->site[i] = NULL;
	}
	(void) ppi_batch_end ();
}

void ppi_tapped_clear (struct ppi_tapped *tapped)
{
	if (!tapped->wanted)
		return;
	tapped->wanted = tapped->any_feature = false;
	list_remove (tapped);
	release_those (tapped, false);
	release_those (tapped, true);
	for (size_t i = 0; tapped->pattern && i < tapped->patterns; i++)
		free (tapped->pattern[i]);
	free (tapped->pattern);
	tapped->pattern = NULL;
	tapped->patterns = 0;
}

bool ppi_tapped_are (const struct ppi_tapped *tapped, unsigned also, const char *const *pattern,
		     size_t n)
{
	if (!tapped->wanted || tapped->patterns != n || tapped->also != also)
		return false;
	for (size_t i = 0; tapped->pattern && i < n; i++)
		if (strcmp (tapped->pattern[i], pattern[i]) != 0)
			return false;
	return true;
}

static bool copy_patterns (struct ppi_tapped *tapped, const char *const *pattern, size_t n)
{
	tapped->pattern = n ? calloc (n, sizeof *tapped->pattern) : NULL;
	for (size_t i = 0; tapped->pattern && i < n; i++) {
		tapped->pattern[i] = strdup (pattern[i]);
		if (!tapped->pattern[i])
			return false;
		tapped->patterns++;
	}
	return tapped->pattern || !n;
}

void ppi_tapped_set (struct ppi_tapped *tapped, enum ppi_sink_id sink, const char *who,
		     unsigned also, const char *const *pattern, size_t n)
{
	if (ppi_tapped_are (tapped, also, pattern, n))
		return;
	ppi_tapped_clear (tapped);
	tapped->wanted = true;
	tapped->next = all;
	all = tapped;
	tapped->sink = sink;
	tapped->who = who;
	tapped->also = also;
	if (copy_patterns (tapped, pattern, n)) {
		look_at_all (tapped);
		return;
	}
	ppi_message ("%s: no memory for the patterns of sites: there are none", who);
	ppi_tapped_clear (tapped);
}
