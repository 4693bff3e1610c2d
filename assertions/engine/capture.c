/* SPDX-License-Identifier: MIT */
/* capture.c: see capture.h. */
#include "assertions/engine/capture.h"

#include "assertions/engine/assertion.h"
#include "assertions/engine/groups.h"
#include "assertions/engine/link.h"
#include "assertions/engine/seen.h"
#include "assertions/language/policy.h"
#include "base/lock.h"
#include "base/types.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/stats/stat.h"

#include <math.h>

/* ---- which ----------------------------------------------------------------------------------- */

void ppi_captures_take (struct ppi_assertion *a, struct ppi_policy_assertion *written)
{
	a->n_captures = (uint32_t) written->n_captures;
	for (uint32_t i = 0; i < a->n_captures; i++) {
		struct ppi_capture *c = &a->capture[i];

		c->figure = written->figure[i];
		c->dimension = written->figure_dimension[i];
		written->figure[i] = NULL;
		a->has_figures |= c->figure != NULL;
		if (!c->figure)
			c->metric = pp_metric_find (written->capture[i]->scalar);
	}
}

void ppi_captures_destroy (struct ppi_assertion *a)
{
	for (uint32_t i = 0; a->has_figures && i < a->n_captures; i++) {
		if (a->capture[i].figure)
			ppi_unlink (a->capture[i].figure);
		ppi_program_destroy (a->capture[i].figure);
	}
}

const char *ppi_capture_name (const struct ppi_capture *c)
{
	return c->figure ? c->figure->text : pp_metric_name (c->metric);
}

struct ppi_dimension ppi_capture_dimension (const struct ppi_capture *c)
{
	if (c->figure)
		return c->dimension;
	return ppi_metric_spec_of (c->metric)->computed
		       ? ppi_composite_dimension (c->metric)
		       : ppi_dimension_of (ppi_metric_unit (c->metric), 1);
}

/* ---- what figures are of --------------------------------------------------------------------- */

void ppi_captures_link (struct ppi_assertion *a)
{
	for (uint32_t i = 0; a->has_figures && i < a->n_captures; i++)
		if (a->capture[i].figure)
			ppi_link (a->capture[i].figure);
}

void ppi_captures_refresh (struct ppi_assertion *a, uint64_t now_ns)
{
	for (uint32_t i = 0; a->has_figures && i < a->n_captures; i++)
		if (a->capture[i].figure)
			ppi_groups_refresh (a->capture[i].figure, a, true, now_ns);
}

uint64_t ppi_captures_look (struct ppi_assertion *a, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	for (uint32_t i = 0; a->has_figures && i < a->n_captures; i++) {
		struct ppi_program *figure = a->capture[i].figure;
		uint64_t due_ns = figure ? ppi_groups_look (figure, a, now_ns) : UINT64_MAX;

		next = due_ns < next ? due_ns : next;
	}
	return next;
}

void ppi_captures_hand_over (struct ppi_assertion *to, struct ppi_assertion *from)
{
	for (uint32_t i = 0; to->has_figures && i < to->n_captures; i++)
		if (to->capture[i].figure && from->capture[i].figure)
			ppi_groups_hand_over (to->capture[i].figure, from->capture[i].figure);
}

/* ---- values ---------------------------------------------------------------------------------- */

static double look (const pp_metric *metric, const struct ppi_at *at, const pp_site *site,
		    enum pp_statistic statistic)
{
	return at ? ppi_thread_stat (at->thread, metric, site, statistic)
		  : ppi_stat (metric, site, statistic);
}

/* Of a group no average is known that its newest figure could be compared with. */
static struct ppi_captured look_at_figure (const struct ppi_program *figure,
					   const struct ppi_at *at)
{
	double (*load) (const struct ppi_ref *, void *) = at ? ppi_load_at : ppi_load_merged;

	return (struct ppi_captured){
		.value = ppi_program_run (figure, load, (void *) (uintptr_t) at).value,
		.avg = NAN,
		.samples = NAN};
}

struct ppi_captured ppi_capture_now (const struct ppi_capture *c, const struct ppi_at *at,
				     const pp_site *site)
{
	struct ppi_captured out;

	if (c->figure)
		return look_at_figure (c->figure, at);
	if (ppi_metric_spec_of (c->metric)->computed)
		return ppi_composite_now (c->metric, at, site);
	out.value = look (c->metric, at, site, PP_STAT_LAST);
	if (site && isnan (out.value)) { /* not measured here */
		site = NULL;
		out.value = look (c->metric, at, site, PP_STAT_LAST);
	}
	out.avg = look (c->metric, at, site, PP_STAT_AVG);
	out.samples = look (c->metric, at, site, PP_STAT_N);
	return out;
}

/* Markers and the owner read figures at the same time; who chooses holds the lock. */
void ppi_captures_merged (struct ppi_assertion *a, const pp_site *site, uint32_t group,
			  uint64_t now_ns, struct ppi_captured *out)
{
	if (a->has_figures) {
		ppi_lock ();
		ppi_captures_refresh (a, now_ns);
		ppi_captures_of_group (a, group, out);
	}
	for (uint32_t i = 0; i < a->n_captures; i++)
		if (!a->capture[i].figure || !a->capture[i].figure->has_any)
			out[i] = ppi_capture_now (&a->capture[i], NULL, site);
	if (a->has_figures)
		ppi_unlock ();
}

void ppi_captures_of_group (struct ppi_assertion *a, uint32_t group, struct ppi_captured *out)
{
	const struct ppi_ref *first = ppi_program_any (a->program);

	for (uint32_t i = 0; a->has_figures && i < a->n_captures; i++) {
		struct ppi_program *figure = a->capture[i].figure;

		if (!figure || !figure->has_any)
			continue;
		ppi_groups_choose (figure, first, group);
		out[i] = look_at_figure (figure, NULL);
	}
}
