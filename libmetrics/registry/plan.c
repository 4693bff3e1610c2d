/* SPDX-License-Identifier: MIT */
/*
 * plan.c: which plan a site gets for what is bound to it. Plans are kept: a site that is bound as
 * it was before has the same plan again, so that switching something on and off for ever takes no
 * more memory than doing it once.
 */
#include "libmetrics/registry/plan.h"

#include "base/memory.h"
#include "base/ticks.h"
#include "base/types.h"
#include "libmetrics/code/block.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/marker/quick.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/registry/tap.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/check.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/feature.h"
#include "libmetrics/thread/light.h"
#include "libmetrics/thread/rich.h"
#include "libmetrics/thread/thread.h"

#include <stdlib.h>
#include <string.h>

#define OPS_ROOM (PPI_OPS_MAX + PPI_SINKS_COUNT)

/* Those of bindings, then in N_ALL those of taps too. */
static unsigned bound_ops (const pp_site *site, struct ppi_op ops[OPS_ROOM], unsigned *n_all)
{
	unsigned n = 0;
	uint16_t words = 0;

	for (const struct ppi_binding *b = site->bindings; b && n < PPI_OPS_MAX;
	     b = b->next_of_site)
		if (ppi_binding_is_on (b)) {
			ops[n] = b->op;
			/* in a scope it is counted at the end (nested.h) */
			ops[n].every = b->op.scope == PPI_SCOPE_TOTAL ? ppi_binding_every (b) : 1;
			if (b->op.class == PPI_SOURCE_VALUE)
				ops[n].sample_type =
					ppi_value_of (b->metric, site, &ops[n].index) ==
							PP_ABI_VALUE_DOUBLE
						? PP_ABI_SAMPLE_DOUBLE
						: PP_ABI_SAMPLE_INT;
			ops[n].value = words;
			words = (uint16_t) (words + b->op.words);
			n++;
		}
	*n_all = n + ppi_tap_ops (site, &ops[n], &words);
	return n;
}

static bool has_windows (const struct ppi_op *ops, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (ppi_windows_used (ops[i].binding))
			return true;
	return false;
}

static bool has_scopes (const struct ppi_op *ops, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (ops[i].scope != PPI_SCOPE_TOTAL)
			return true;
	return false;
}

static bool has_jumped (const struct ppi_op *ops, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (ops[i].jumped)
			return true;
	return false;
}

/* What may be live at one of the site's markers; enum pp_arch_state. */
static uint8_t state_of (const pp_site *site)
{
	uint8_t state = 0;

#if PP_ARCH_CALLS
	for (const struct ppi_copy *c = site->copies; c; c = c->next)
		for (uint32_t i = 0; i < c->n_markers; i++) {
			uint8_t at = (uint8_t) pp_arch_state_of (c->markers[i].record);

			state = at > state ? at : state;
		}
#else
	(void) site;
#endif
	return state;
}

/*
 * How markers can see that all checks pass, and by which ratios: how many there are, or 0 where one
 * of them is not so simple.
 */
static uint8_t quick_checks (const pp_site *site, const struct ppi_op *ops, unsigned n,
			     struct ppi_quick *out, const struct ppi_quick_ratios **ratios)
{
	uint8_t used = 0;

	memset (out, 0, PPI_QUICKS * sizeof (*out));
	/*
	 * where one op has a sample and another none, each check has to see whether it is concerned
	 */
	for (unsigned i = 0; n > 1 && i < n; i++)
		if (ops[i].every > 1)
			return 0;
	for (struct ppi_check *c = site->checks; c; c = c->next) {
		if (used == PPI_QUICKS || !c->quick || !c->quick (c, ops, n, &out[used]))
			return 0;
		ratios[used] = ppi_quick_split (&out[used]);
		if (!ratios[used++])
			return 0;
	}
	return used;
}

static bool is_computed (const pp_site *site)
{
	for (const struct ppi_copy *c = site->copies; c; c = c->next)
		if (c->descriptor->flags & PP_ABI_SITE_COMPUTED)
			return true;
	return false;
}

/* Bit N: one of the ops reads what the site captures as number N. */
static uint16_t wanted_by (const pp_site *site, const struct ppi_op *ops, unsigned n)
{
	uint16_t wanted = 0;

	for (unsigned i = 0; i < n; i++)
		if (ppi_sinks[ops[i].sink]->late)
			wanted |= (uint16_t) (1u << PP_ABI_WANTED_LATE);
	for (unsigned i = 0; i < n; i++)
		if (ops[i].class == PPI_SOURCE_VALUE && ppi_sinks[ops[i].sink]->captures)
			wanted |= (uint16_t) ((1u << (ops[i].words -
						      ppi_sinks[ops[i].sink]->own_words)) -
					      1);
		else if (ops[i].class == PPI_SOURCE_VALUE && ppi_sinks[ops[i].sink]->marks &&
			 ppi_site_is_rich (site))
			wanted |= (uint16_t) ((1u << (site->n_dims + (site->value ? 1u : 0u))) - 1);
		else if (ops[i].class == PPI_SOURCE_VALUE)
			wanted |= (uint16_t) (1u << ops[i].index);
	return wanted;
}

/* Is all of the site's code begins and ends that are patched? */
static bool is_patched (const pp_site *site)
{
	for (const struct ppi_copy *c = site->copies; c; c = c->next)
		if (!c->n_markers)
			return false;
	return site->kind == PP_ABI_SITE_INTERVAL;
}

/* There would be blocks of a new plan for the markers of the site. */
static bool gets_blocks (const pp_site *site)
{
	for (const struct ppi_copy *c = site->copies; c; c = c->next)
		if (!ppi_blocks_have_room (c->module))
			return false;
	return true;
}

/* How light the plan of these OPS may be: see light.h. */
static enum ppi_light_kind light_for (const pp_site *site, const struct ppi_op *ops, unsigned n,
				      bool is_tapped, bool checked, bool is_quick)
{
	const struct ppi_plan *is = site->plan;
	enum ppi_light_kind kind = PPI_LIGHT_NONE;
	bool is_open = is && is != &ppi_plan_nothing && site->enabled; /* executions may be */

	if (is_open && (is->light == PPI_LIGHT_COUNT || is->light == PPI_LIGHT_AFTER_COUNT))
		kind = PPI_LIGHT_AFTER_COUNT;
	if (n != 1 || is_tapped || has_scopes (ops, n) || has_jumped (ops, n) || site->watched ||
	    is_quick || !is_patched (site))
		return kind;
	/*
	 * what has blocks keeps them; without, one of the few places for light plans is better kept
	 * for another
	 */
	if (!(is_open && is->light && is->ops[0].binding == ops->binding &&
	      is->ops[0].every == ops->every) &&
	    !gets_blocks (site))
		return kind;
	if (ops->every > 1) {
		/* those that are open have frames of the other plan */
		bool fits = !is_open ||
			    (is->light == PPI_LIGHT_EVERY && is->ops[0].binding == ops->binding);

		return fits ? PPI_LIGHT_EVERY : kind;
	}
	if (!ops->counts || checked || has_windows (ops, n))
		return kind;
	return !is_open || (is->light == PPI_LIGHT_COUNT && is->ops[0].binding == ops->binding)
		       ? PPI_LIGHT_COUNT
		       : kind;
}

static bool is_same_plan (const struct ppi_plan *p, const struct ppi_op *ops, unsigned n,
			  unsigned n_all, bool checked, const struct ppi_quick *quick,
			  uint8_t n_quick, uint8_t state)
{
	if (p->n_ops != n || p->n_all != n_all || p->checked != checked || p->state != state ||
	    p->windowed != has_windows (ops, n))
		return false;
	if (p->n_quick != n_quick || memcmp (p->quick, quick, n_quick * sizeof (*quick)) != 0)
		return false;
	for (unsigned i = 0; i < n_all; i++)
		if (p->ops[i].binding != ops[i].binding || p->ops[i].every != ops[i].every ||
		    p->ops[i].sink != ops[i].sink || p->ops[i].words != ops[i].words)
			return false;
	return true;
}

/*
 * Do begins have to read the clock because somebody asks how long executions are open, though no
 * sample needs it: of a function, of counts alone, or in executions that are not sampled?
 */
static bool is_timed (const pp_site *site, const struct ppi_op *ops, unsigned n)
{
	unsigned counts = 0, skips = 0;

	for (unsigned i = 0; i < n; i++) {
		counts += ops[i].counts;
		skips += ops[i].every > 1;
	}
	return site->watched && (counts == n || skips == n || (n == 1 && ppi_is_function (ops)));
}

/* One that the site had before, as light as that; or NULL. */
static struct ppi_plan *find_plan (const pp_site *site, const struct ppi_op *ops, unsigned n,
				   unsigned n_all, bool checked, const struct ppi_quick *quick,
				   uint8_t n_quick, uint8_t state, enum ppi_light_kind light)
{
	for (struct ppi_plan *p = site->plans; p; p = p->next)
		if (p->light == light && p->timed == is_timed (site, ops, n) &&
		    is_same_plan (p, ops, n, n_all, checked, quick, n_quick, state))
			return p;
	return NULL;
}

uint32_t ppi_exact_is_used;

/* Op I counts features; the slots are known. */
static void set_exact (struct ppi_plan *p, unsigned i)
{
	const struct ppi_op *op = &p->ops[i];

	ppi_store (&ppi_exact_is_used, 1);
	p->exact = (uint8_t) (i + 1);
	p->feature = p->site->feature;
	p->exact_at = 8 * (int32_t) (op->value + op->words - PPI_FEATURE_WORDS) -
		      (int32_t) (p->value_slots * PPI_FRAME_SLOT);
}

/* A slot more, between the values and the frame, where an op marks; which one counts features. */
static void set_mark (struct ppi_plan *p)
{
	for (unsigned i = p->n_ops; i < p->n_all && !p->marked; i++)
		if (ppi_sinks[p->ops[i].sink]->marks) {
			p->marked = true;
			p->mark = (uint8_t) i;
			p->what = PPI_MARK_WHAT (p->site->id, p->site->kind,
						 ppi_payload_type (p->site));
			p->value_slots++;
		}
	for (unsigned i = p->n_ops; i < p->n_all; i++) {
		if (p->ops[i].sink == PPI_SINK_FEATURE)
			set_exact (p, i);
		if (p->ops[i].sink == PPI_SINK_AGGREGATE)
			p->aggregate = (uint8_t) (i + 1);
		p->has_events |= p->ops[i].sink == PPI_SINK_RECORD || p->aggregate;
		p->flies |= p->ops[i].sink == PPI_SINK_FLIGHT;
	}
}

const struct ppi_plan *ppi_plan_for (pp_site *site)
{
	bool checked = site->checks != NULL;
	uint8_t state = state_of (site);
	struct ppi_op ops[OPS_ROOM];
	struct ppi_quick quick[PPI_QUICKS];
	const struct ppi_quick_ratios *ratios[PPI_QUICKS];
	unsigned n_all, n = bound_ops (site, ops, &n_all);
	uint8_t n_quick;
	enum ppi_light_kind light;
	struct ppi_plan *p;
	size_t bytes;

	if (!n_all || !site->copies || (site->flags & PP_ABI_SITE_INLINE))
		return &ppi_plan_nothing;
	n_quick = quick_checks (site, ops, n, quick, ratios);
	/* what is left out needs no proof; what isn't is proved in C */
	light = light_for (site, ops, n, n_all > n, checked, n_quick > 0 && ops->every <= 1);
	p = find_plan (site, ops, n, n_all, checked, quick, n_quick, state, light);
	if (p) {
		ppi_quick_set_ratios (p, ratios);
		return p;
	}
	bytes = sizeof (*p) + n_all * sizeof (p->ops[0]) +
		n_quick * (sizeof (*quick) + sizeof (*ratios));
	/* there may be no place for a light one: then it goes again */
	p = light ? calloc (1, bytes) : ppi_calloc_for_good (bytes);
	if (!p)
		return NULL;
	memcpy (p->ops, ops, n_all * sizeof (p->ops[0]));
	p->n_ops = n;
	p->n_all = n_all;
	p->quick = memcpy (&p->ops[n_all], quick, n_quick * sizeof (*quick));
	p->n_quick = n_quick;
	p->ratios = memcpy ((char *) &p->ops[n_all] + n_quick * sizeof (*quick), ratios,
			    n_quick * sizeof (*ratios));
	p->checked = checked;
	p->windowed = has_windows (ops, n);
	p->scoped = has_scopes (ops, n);
	p->keeps_jumped = has_jumped (ops, n);
	p->timed = is_timed (site, ops, n);
	p->state = state;
	p->is_array = site->flags & PP_ABI_SITE_ARRAY;
	p->is_computed = is_computed (site);
	p->wanted = wanted_by (site, ops, n_all);
	p->begin_pushes = site->kind != PP_ABI_SITE_POINT && (site->value || site->n_dims);
	p->site = site;
	p->value_slots = (8u * (ops[n_all - 1].value + ops[n_all - 1].words) + PPI_FRAME_SLOT - 1) /
			 PPI_FRAME_SLOT;
	set_mark (p);
	if (light &&
	    !ppi_light_make (p,
			     light)) { /* all slots are taken: one without, if there is none yet */
		struct ppi_plan *same = find_plan (site, ops, n, n_all, checked, quick, n_quick,
						   state, PPI_LIGHT_NONE);

		if (same) {
			free (p);
			ppi_quick_set_ratios (same, ratios);
			return same;
		}
	}
	if (p->light == PPI_LIGHT_EVERY)
		__atomic_store_n (&site->is_sampled, 1, __ATOMIC_RELAXED);
	ppi_plan_choose (p, checked);
	p->next = site->plans;
	site->plans = p;
	return p;
}
