/* SPDX-License-Identifier: MIT */
/* policy_events.c: what `events:` says. */
#include "assertions/language/policy.h"

#include <string.h>

#define MAX_GROUPS 1000u /* when it is not said */

/* ---- aggregate ------------------------------------------------------------------------------- */

static bool add_dimension (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			   struct ppi_policy_aggregate *out)
{
	if (!ppi_policy_word (d, node, "a dimension of 'by'"))
		return false;
	for (size_t i = 0; i < out->dims; i++)
		if (strcmp (out->by[i]->scalar, node->scalar) == 0) {
			ppi_diagnose (d, node->place, "'by' has the dimension '%s' twice",
				      node->scalar);
			return false;
		}
	if (out->dims == PPI_AGGREGATE_DIMS) {
		ppi_diagnose (d, node->place,
			      "'by' has at most %u dimensions; several aggregates may be of the "
			      "same sites",
			      PPI_AGGREGATE_DIMS);
		return false;
	}
	out->by[out->dims++] = node;
	return true;
}

static bool read_by (struct ppi_diagnostics *d, const struct ppi_yaml *node,
		     struct ppi_policy_aggregate *out)
{
	bool ok = true;

	if (node->kind == PPI_YAML_SCALAR)
		return add_dimension (d, node, out);
	if (!ppi_policy_is (d, node, PPI_YAML_LIST, "'by'"))
		return false;
	if (!node->n) {
		ppi_diagnose (d, node->place, "'by' is empty: it needs a dimension, like command");
		return false;
	}
	for (size_t i = 0; i < node->n && ok; i++)
		ok = add_dimension (d, node->items[i], out);
	return ok;
}

static bool read_one (struct ppi_diagnostics *d, const struct ppi_yaml *map,
		      struct ppi_policy_aggregate *out)
{
	const struct ppi_policy_key *keys = ppi_keys_aggregate ();
	const struct ppi_yaml *by, *sites;
	bool ok;

	*out = (struct ppi_policy_aggregate){.max_groups = MAX_GROUPS};
	if (!ppi_policy_is (d, map, PPI_YAML_MAP, "an entry of 'aggregate'"))
		return false;
	ok = ppi_policy_keys (d, map, "'aggregate'", keys, PPI_LACKS_NONE);
	ok = ppi_policy_needs (d, map, "'aggregate'", keys, false) && ok;
	ok = ppi_policy_take (d, map, keys, out) && ok;
	by = ppi_yaml_get (map, "by");
	sites = ppi_yaml_get (map, "sites");
	ok = (!by || read_by (d, by, out)) && ok;
	return (!sites || ppi_policy_read_sites (d, sites, &out->sites)) && ok;
}

static bool read_aggregate (struct ppi_diagnostics *d, const struct ppi_yaml *list,
			    struct ppi_policy_events *out)
{
	bool ok = true;

	if (!ppi_policy_is (d, list, PPI_YAML_LIST, "'aggregate'"))
		return false;
	if (!list->n || list->n > PPI_AGGREGATES_OF) {
		ppi_diagnose (d, list->place, "'aggregate' has from 1 to %u entries",
			      PPI_AGGREGATES_OF);
		return false;
	}
	for (size_t i = 0; i < list->n; i++)
		ok = read_one (d, list->items[i], &out->aggregate[i]) && ok;
	out->aggregates = ok ? list->n : 0;
	return ok;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* With neither records nor aggregates. */
static void check_alone (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			 const struct ppi_yaml *flight)
{
	const char *rest = ppi_yaml_get (map, "when_full") ? "when_full"
			   : ppi_yaml_get (map, "strings") ? "strings"
							   : NULL;

	if (flight && rest)
		ppi_diagnose (d, ppi_yaml_get (map, rest)->place,
			      "'%s' is of 'records' and 'aggregate', which are not there", rest);
	else if (!flight)
		ppi_diagnose (
			d, map->place,
			"'events' needs 'records', the sites whose executions are recorded, "
			"'aggregate', which of them are put into groups, or 'flight', how many "
			"of the last ones are kept");
}

void ppi_policy_read_events (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			     struct ppi_policy_events *out)
{
	const struct ppi_policy_key *keys = ppi_keys_events ();
	const struct ppi_yaml *records, *aggregate, *flight;
	bool ok;

	*out = (struct ppi_policy_events){.strings = PPI_EVENTS_STRINGS};
	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'events'"))
		return;
	ok = ppi_policy_keys (d, map, "'events'", keys, PPI_LACKS_NONE);
	ok = ppi_policy_take (d, map, keys, out) && ok;
	records = ppi_yaml_get (map, "records");
	aggregate = ppi_yaml_get (map, "aggregate");
	flight = ppi_yaml_get (map, "flight");
	ok = (!flight || ppi_policy_read_flight (d, flight, &out->flight)) && ok;
	if (!records && !aggregate) {
		check_alone (d, map, flight);
		return;
	}
	ok = (!records || ppi_policy_read_patterns (d, records, "'records'", "a site pattern",
						    &out->records)) &&
	     ok;
	ok = (!aggregate || read_aggregate (d, aggregate, out)) && ok;
	if (ok)
		out->key = map;
}

static void aggregate_wish (const struct ppi_policy_aggregate *written,
			    struct ppi_aggregate_wish *out)
{
	*out = (struct ppi_aggregate_wish){.dims = (unsigned) written->dims,
					   .sites = written->sites.n_sites,
					   .histogram = written->keep == PPI_AGGREGATE_HISTOGRAM,
					   .max_groups = written->max_groups,
					   .line = written->by[0]->place.line};
	for (size_t i = 0; i < written->dims; i++)
		out->by[i] = written->by[i]->scalar;
	for (size_t i = 0; i < written->sites.n_sites; i++)
		out->site[i] = written->sites.sites[i]->scalar;
}

struct ppi_events_wish ppi_policy_events_wish (const struct ppi_policy_events *written,
					       const char *pattern[PPI_SITES_COUNT])
{
	struct ppi_events_wish wish = {.site = pattern,
				       .sites = written->records.n_sites,
				       .waits = written->when_full == PPI_WHEN_FULL_WAIT,
				       .strings = written->strings,
				       .aggregates = written->aggregates};

	for (size_t i = 0; i < written->records.n_sites; i++)
		pattern[i] = written->records.sites[i]->scalar;
	for (size_t i = 0; i < written->aggregates; i++)
		aggregate_wish (&written->aggregate[i], &wish.aggregate[i]);
	return wish;
}
