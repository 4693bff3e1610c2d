/* SPDX-License-Identifier: MIT */
/* watched.c: see watched.h. */
#include "profiler/sampler/watched.h"

#include "libmetrics/cost/self.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/registry/tapped.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"

static struct ppi_tapped watched;

static unsigned also_of (const struct ppi_profile_wish *wish)
{
	return PPI_TAPPED_ANTIMARKS |
	       (wish->features == PPI_FEATURES_SAMPLED ? PPI_TAPPED_FEATURES : 0u);
}

void ppi_watched_look (void)
{
	ppi_tapped_look (&watched);
}

void ppi_watched_clear (void)
{
	ppi_tapped_clear (&watched);
}

bool ppi_watched_are (const struct ppi_profile_wish *wish)
{
	return ppi_tapped_are (&watched, also_of (wish), wish->site, wish->sites);
}

void ppi_watched_set (const struct ppi_profile_wish *wish)
{
	/* where there is none, texts that are payloads are one, and counted */
	if (ppi_region_init () == 0)
		(void) ppi_texts_prepare (0);
	ppi_tapped_set (&watched, PPI_SINK_MARK, "profile", also_of (wish), wish->site,
			wish->sites);
}

bool ppi_watched_cost (double *pair_s, double *by_c_s)
{
	for (uint32_t i = 0; i < watched.room; i++)
		if (watched.site[i] && watched.site[i]->plan && watched.site[i]->plan->marked &&
		    watched.site[i]->kind == PP_ABI_SITE_FEATURE)
			return ppi_self_measure_marks (watched.site[i]->plan, pair_s, by_c_s);
	return false;
}
