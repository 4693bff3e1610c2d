/* SPDX-License-Identifier: MIT */
/* investigate_candidates.c: which intervals an investigation looks at next. See investigate.h. */
#include "assertions/react/investigate.h"

#include "assertions/engine/action.h"
#include "libmetrics/registry/site.h"

#include <string.h>

/*
 * How near two sites are in the source: 0 the same function, 1 the same file, 2 the same module, 3
 * elsewhere
 */
static int distance (const char *a, const char *b)
{
	size_t same = 0;
	const char *end;

	while (a[same] && a[same] == b[same])
		same++;
	end = strrchr (a, '/');
	if (end && same > (size_t) (end - a))
		return 0;
	/* the file's end: the last colon before the function */
	while (end && end > a && *end != ':')
		end--;
	if (end && same > (size_t) (end - a))
		return 1;
	end = strchr (a, '!');
	return end && same > (size_t) (end - a) ? 2 : 3;
}

struct gathering {
	struct ppi_investigation *v;
	int wanted; /* distance */
};

static bool is_on_path (const struct ppi_investigation *v, const pp_site *site)
{
	for (uint32_t i = 0; i <= v->level; i++)
		if (v->path[i].site == site)
			return true;
	return false;
}

static int gather_one (pp_site *site, void *arg)
{
	struct gathering *g = arg;
	struct ppi_investigation *v = g->v;

	if (ppi_site_kind_of (site) != PP_ABI_SITE_INTERVAL || is_on_path (v, site) ||
	    ppi_pace_is_dear (v, site) ||
	    distance (pp_site_name (v->path[v->level].site), pp_site_name (site)) != g->wanted)
		return 0;
	if (v->n_candidates == PPI_CULPRIT_CANDIDATES) {
		v->unlooked++;
		return 0;
	}
	for (size_t i = 0; i < v->n_candidates; i++)
		if (v->candidate[i] == site) /* of two patterns */
			return 0;
	v->candidate[v->n_candidates++] = site;
	return 0;
}

void ppi_investigation_gather (struct ppi_investigation *v)
{
	const struct ppi_policy_bind *sites = &v->action->written->bind;
	struct gathering g = {v, 0};

	v->n_candidates = v->next_candidate = 0;
	v->n_found = 0;
	for (g.wanted = 0; g.wanted <= 3; g.wanted++) {
		if (!sites->n_sites)
			pp_site_each (NULL, gather_one, &g);
		for (size_t i = 0; i < sites->n_sites; i++)
			pp_site_each (sites->sites[i]->scalar, gather_one, &g);
	}
}
