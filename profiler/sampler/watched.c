/* SPDX-License-Identifier: MIT */
/* watched.c: see watched.h. */
#include "profiler/sampler/watched.h"

#include "libmetrics/cost/self.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/registry/tapped.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"

static struct ppi_tapped watched[PPI_SAMPLERS];

static unsigned also_of (const struct ppi_profile_wish *wish)
{
	return PPI_TAPPED_ANTIMARKS | PPI_TAPPED_RETURNS |
	       (wish->features == PPI_FEATURES_SAMPLED ? PPI_TAPPED_FEATURES : 0u);
}

/* Does its sampler see what is open? */
static bool sees (const struct ppi_profile_wish *wish)
{
	return wish->sampler == PPI_SAMPLER_WATCHER || wish->features == PPI_FEATURES_SAMPLED;
}

void ppi_watched_look (void)
{
	for (int i = 1; i < PPI_SAMPLERS; i++)
		(void) ppi_tapped_look (&watched[i]);
}

void ppi_watched_clear (enum ppi_sampler sampler)
{
	ppi_tapped_clear (&watched[sampler]);
}

bool ppi_watched_are (const struct ppi_profile_wish *wish)
{
	const struct ppi_tapped *now = &watched[wish->sampler];

	return sees (wish) ? ppi_tapped_are (now, also_of (wish), wish->site, wish->sites)
			   : !now->wanted;
}

void ppi_watched_set (const struct ppi_profile_wish *wish)
{
	if (!sees (wish)) {
		ppi_watched_clear (wish->sampler);
		return;
	}
	/* where there is none, texts that are payloads are one, and counted */
	if (ppi_region_init () == 0)
		(void) ppi_texts_prepare (0);
	ppi_tapped_set (&watched[wish->sampler], PPI_SINK_MARK, "profile", also_of (wish),
			wish->site, wish->sites);
}

bool ppi_watched_cost (enum ppi_sampler sampler, double *pair_s, double *by_c_s)
{
	const struct ppi_tapped *now = &watched[sampler];

	for (uint32_t i = 0; i < now->room; i++)
		if (now->site[i] && now->site[i]->plan && now->site[i]->plan->marked &&
		    now->site[i]->kind == PP_ABI_SITE_FEATURE)
			return ppi_self_measure_marks (now->site[i]->plan, pair_s, by_c_s);
	return false;
}
