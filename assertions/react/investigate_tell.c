/* SPDX-License-Identifier: MIT */
/*
 * investigate_tell.c: what an investigation has found, in a sentence; with that it ends. See
 * investigate.h.
 */
#include "assertions/react/investigate.h"

#include "assertions/engine/assertion.h"
#include "assertions/react/actions.h"
#include "assertions/react/budget.h"
#include "base/quantity.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/source/metric_spec.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Appends, as far as there is room */
__attribute__ ((format (printf, 2, 3))) static void add (char text[static PPI_CULPRIT_BYTES],
							 const char *format, ...)
{
	size_t used = strlen (text);
	va_list list;

	va_start (list, format);
	vsnprintf (text + used, PPI_CULPRIT_BYTES - used, format, list);
	va_end (list);
}

/* What the budget made of it */
static void say_pace (const struct ppi_investigation *v, char text[static PPI_CULPRIT_BYTES])
{
	char share[PPI_QUANTITY_BYTES];

	if (v->pace.is_slower && ppi_budget_limit () > 0)
		add (text, "; measured with pauses, to stay within the budget of %s",
		     ppi_share_format (ppi_budget_limit (), share, sizeof share));
	else if (v->pace.is_slower)
		add (text, "; measured with pauses, as what may run in it runs very often");
	if (v->pace.too_dear)
		add (text, "; %u interval%s too often for it and %s left out", v->pace.too_dear,
		     v->pace.too_dear == 1 ? " runs" : "s run",
		     v->pace.too_dear == 1 ? "is" : "are");
}

/* What the level has seen */
static void say_seen (const struct ppi_investigation *v, char text[static PPI_CULPRIT_BYTES])
{
	add (text, "; seen at %u violation%s and %u other execution%s", v->violating,
	     v->violating == 1 ? "" : "s", v->holding, v->holding == 1 ? "" : "s");
}

/* When it does, where the level saw too few violations */
static void say_goes_on (const struct ppi_investigation *v, char text[static PPI_CULPRIT_BYTES])
{
	double pause_s = (double) (PPI_CULPRIT_PAUSE * v->action->written->bind.for_ns) * 1e-9;
	char pause[PPI_QUANTITY_BYTES];

	if (v->goes_on)
		add (text, "; it goes on there when the assertion fires in %s or later",
		     ppi_quantity_format (pause_s, ppi_dimension_of (PPI_UNIT_SECONDS, 1), pause,
					  sizeof pause));
}

/* Tells TEXT, ends */
static void finish (struct ppi_investigation *v, char text[static PPI_CULPRIT_BYTES], double share,
		    uint64_t now_ns)
{
	struct ppi_assertion *a = v->assertion;

	say_pace (v, text);
	snprintf (a->culprit, sizeof a->culprit, "%s",
		  v->level ? pp_site_name (v->path[v->level].site) : "");
	a->culprit_share = v->level ? share : NAN;
	snprintf (a->culprit_text, sizeof a->culprit_text, "%s", text);
	ppi_investigation_end (v);
	v->ended_ns = now_ns;
	ppi_investigated (a, v->site, now_ns);
}

void ppi_culprit_describe (struct ppi_investigation *v, double itself, uint64_t now_ns)
{
	const char *what = v->by_share ? "of all its time" : "of what is too slow";
	char text[PPI_CULPRIT_BYTES] = "";

	if (strcmp (ppi_metric_spec_of (v->probe)->source, "elapsed") != 0)
		what = v->by_share ? "of all of it" : "of what is too much";
	if (!v->level)
		add (text, "no interval inside %s is most %s", pp_site_name (v->site), what);
	else
		add (text, "%.0f %% %s is in %s", 100 * v->path[v->level].share, what,
		     pp_site_name (v->path[v->level].site));
	if (v->level && isfinite (itself))
		add (text, ", %.0f %% by itself", 100 * itself);
	for (uint32_t i = v->level; i-- > 1;)
		add (text, "%s %s (%.0f %%)", i == v->level - 1 ? "; inside" : ", inside",
		     pp_site_name (v->path[i].site), 100 * v->path[i].share);
	if (v->violating + v->holding)
		say_seen (v, text);
	say_goes_on (v, text);
	if (v->by_share)
		add (text, "; no execution held meanwhile");
	if (v->unlooked)
		add (text, "; %llu interval%s not looked at", (unsigned long long) v->unlooked,
		     v->unlooked == 1 ? " was" : "s were");
	finish (v, text, v->path[v->level].share, now_ns);
}

void ppi_culprit_nothing (struct ppi_investigation *v, uint64_t now_ns)
{
	char text[PPI_CULPRIT_BYTES] = "";

	if (v->level) {
		ppi_culprit_describe (v, NAN, now_ns);
		return;
	}
	add (text, "too few executions of %s violated it meanwhile to tell what is too slow",
	     pp_site_name (v->site));
	say_seen (v, text);
	say_goes_on (v, text);
	finish (v, text, NAN, now_ns);
}
