/* SPDX-License-Identifier: MIT */
/*
 * aggregate.c: executions in groups, in the life of a process: `aggregate` of the key `events`.
 * Markers fill the entries (libmetrics/marker/aggregate.c), which lie in the live region; here it
 * is said which sites go into which aggregates.
 */
#include "profiler/events/ask.h"
#include "profiler/events/events.h"

#include "base/dims.h"
#include "base/message.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/registry/lookup.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/aggregate.h"
#include "libmetrics/tables/site.h"

#include <pp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an entry of a policy's asks for. */
struct ask {
	struct ppi_ask is;
	struct ppi_aggregate *aggregate;
	const char *policy; /* where it stands, as long as that is there */
	uint32_t line;
};

static struct ppi_ask *asks;
/* Whose aggregates are there beside those that replace them, until it takes them back; or NULL. */
static const void *replaced;

/* ---- which values a site's dimensions have --------------------------------------------------- */

/* Where SITE has the value of KEY from. */
static void find_key (const pp_site *site, const char *key, uint8_t *from, uint8_t *type,
		      uint8_t *capture)
{
	unsigned first = site->value != PP_ABI_VALUE_NONE;
	enum pp_abi_value is = PP_ABI_VALUE_NONE;
	int at = ppi_dim_find (site->dims, key, &is);

	*from = PPI_KEY_UNKNOWN;
	if (at >= 0 && is != PP_ABI_VALUE_NONE) {
		*from = PPI_KEY_CAPTURED;
		*capture = (uint8_t) (first + (unsigned) at);
		*type = (uint8_t) is;
	} else if (first && strcmp (key, "value") == 0) {
		*from = PPI_KEY_CAPTURED;
		*capture = 0;
		*type = site->value;
	} else if (strcmp (key, "event") == 0) {
		*from = PPI_KEY_EVENT;
	}
}

/* The place of the key in SET, which gets it; -1: it has no room. */
static int add_key (struct ppi_aggregate_set *set, const pp_site *site, const char *name)
{
	uint32_t k = 0;

	while (k < set->keys && strcmp (set->key[k].name, name) != 0)
		k++;
	if (k < set->keys)
		return (int) k;
	if (k == PPI_SET_KEYS)
		return -1;
	set->key[k].name = name;
	find_key (site, name, &set->key[k].from, &set->key[k].type, &set->key[k].capture);
	if (set->key[k].from == PPI_KEY_CAPTURED && set->key[k].type == PP_ABI_VALUE_STRING)
		set->text[set->texts++] = set->key[k].capture;
	set->keys++;
	return (int) k;
}

/* False: the site has no room for one more. */
static bool add_aggregate (struct ppi_aggregate_set *set, const pp_site *site,
			   const struct ppi_aggregate *a)
{
	struct ppi_aggregate_set more = *set;

	for (uint32_t i = 0; i < set->n; i++)
		if (set->at[i].aggregate == a)
			return true;
	if (set->n == PPI_SET_AGGREGATES)
		return false;
	more.at[more.n].is_captured = true;
	for (unsigned i = 0; i < a->dims; i++) {
		int k = add_key (&more, site, a->by[i]);

		if (k < 0)
			return false;
		more.at[more.n].key[i] = (uint8_t) k;
		more.at[more.n].mask |= 1u << k;
		more.at[more.n].is_captured &= more.key[k].from == PPI_KEY_CAPTURED;
		more.at[more.n].capture[i] = more.key[k].capture;
		more.at[more.n].like.type[i] = more.key[k].type;
	}
	more.at[more.n++].aggregate = a;
	*set = more;
	return true;
}

/* ---- what sites are in ----------------------------------------------------------------------- */

static bool is_same (const struct ppi_aggregate_set *a, const struct ppi_aggregate_set *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->at[i].aggregate != b->at[i].aggregate)
			return false;
	return true;
}

/* Frames may name sets: one that there was once stays. */
static const struct ppi_aggregate_set *keep (pp_site *site, const struct ppi_aggregate_set *set)
{
	struct ppi_aggregate_set *is = site->aggregate_sets;

	if (!set->n)
		return NULL;
	while (is && !is_same (is, set))
		is = is->next;
	if (is)
		return is;
	is = malloc (sizeof *is);
	if (!is)
		return NULL;
	*is = *set;
	is->next = site->aggregate_sets;
	site->aggregate_sets = is;
	return is;
}

static bool has (const struct ppi_ask *ask, const pp_site *site)
{
	return site->id < ask->tapped.room && ask->tapped.site[site->id];
}

/* Once of each aggregate, whatever other sites it has no room at. */
static void tell_left_out (const struct ask *ask, const pp_site *site)
{
	const struct ppi_aggregate *a = ask->aggregate;
	char by[300] = "";
	size_t used = 0;

	for (unsigned i = 0; i < a->dims && used < sizeof by; i++)
		used += (size_t) snprintf (by + used, sizeof by - used, "%s%s", i ? ", " : "",
					   a->by[i]);
	ppi_message_once (
		a,
		"%s:%u: the aggregate by %s leaves out %s: a site can be in %u aggregates, "
		"with %u dimensions in all",
		ask->policy, ask->line, by, site->full, PPI_SET_AGGREGATES, PPI_SET_KEYS);
}

static void set_site (pp_site *site)
{
	struct ppi_aggregate_set set = {.n = 0};

	for (const struct ppi_ask *a = asks; a; a = a->next)
		if (has (a, site) &&
		    !add_aggregate (&set, site, ((const struct ask *) a)->aggregate) && !replaced)
			tell_left_out ((const struct ask *) a, site);
	__atomic_store_n (&site->aggregates, keep (site, &set), __ATOMIC_RELEASE);
}

static void set_sites (pp_site *from)
{
	for (pp_site *site = from; site; site = site->next)
		if (site->taps)
			set_site (site);
}

void ppi_aggregate_look (void)
{
	static struct ppi_sites_seen seen;
	bool all, too;
	pp_site *from;

	if (!asks)
		return;
	all = ppi_asks_look (asks);
	from = ppi_sites_news (&seen, &too);
	set_sites (all ? ppi_site_first () : from);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

int ppi_aggregate_check (const struct ppi_events_wish *wish, char *why, size_t room)
{
	for (size_t i = 0; i < wish->aggregates; i++)
		if (!ppi_ask_is_valid (wish->aggregate[i].site, wish->aggregate[i].sites, why,
				       room))
			return PP_EINVAL;
	return PP_OK;
}

/* Patterns with commas between; malloced. NULL: no memory. */
static char *joined (const struct ppi_aggregate_wish *wish)
{
	size_t bytes = 1;
	char *text, *at;

	for (size_t i = 0; i < wish->sites; i++)
		bytes += strlen (wish->site[i]) + 2;
	text = at = calloc (1, bytes);
	for (size_t i = 0; text && i < wish->sites; i++)
		at += sprintf (at, "%s%s", i ? ", " : "", wish->site[i]);
	return text;
}

static struct ask *ask_new (const struct ppi_aggregate_wish *wish, const void *owner)
{
	char *sites = joined (wish);
	struct ppi_aggregate *aggregate = NULL;
	struct ask *ask;

	if (sites)
		aggregate = ppi_aggregate_acquire (wish->by, wish->dims, sites,
						   wish->histogram ? PPI_HISTOGRAM : PPI_STATS,
						   wish->max_groups);
	free (sites);
	ask = aggregate ? ppi_ask_add (&asks, owner, sizeof *ask) : NULL;
	if (ask) {
		ask->aggregate = aggregate;
		ask->policy = wish->policy;
		ask->line = wish->line;
	} else if (aggregate)
		ppi_aggregate_release (aggregate);
	return ask;
}

static void forget (struct ppi_ask *ask)
{
	ppi_aggregate_release (((struct ask *) ask)->aggregate);
}

void ppi_aggregate_apply (const struct ppi_events_wish *wish, const void *owner, const void *former)
{
	replaced = former;
	for (size_t i = 0; i < wish->aggregates; i++) {
		const struct ppi_aggregate_wish *one = &wish->aggregate[i];
		struct ask *ask = ask_new (one, owner);

		if (!ask) {
			ppi_message ("events: no room for an aggregate by %s: a process has %u at "
				     "most, and the live region what PP_REGION_MAX says",
				     one->by[0], PPI_AGGREGATES);
			continue;
		}
		ppi_tapped_set (&ask->is.tapped, PPI_SINK_AGGREGATE, "events", 0, one->site,
				one->sites);
	}
	if (wish->aggregates)
		set_sites (ppi_site_first ());
}

void ppi_aggregate_take_back (const void *owner)
{
	ppi_asks_take_back (&asks, owner, forget);
	if (owner == replaced)
		replaced = NULL;
	for (pp_site *site = ppi_site_first (); site; site = site->next)
		if (site->aggregates)
			set_site (site);
}
