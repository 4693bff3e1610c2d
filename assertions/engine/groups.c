/* SPDX-License-Identifier: MIT */
/* groups.c: see groups.h. */
#include "assertions/engine/groups.h"

#include "assertions/engine/assertion.h"
#include "base/atomic.h"
#include "base/message.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/stats/groups.h"
#include "recording/span.h"

#include <math.h>
#include <string.h>

static void set_cache (struct ppi_ref *ref, double value)
{
	__atomic_store (&ref->cache, &value, __ATOMIC_RELAXED);
}

/* ---- which aggregate ------------------------------------------------------------------------- */

/* Where A has the reference's dimensions. False: it lacks one. */
static bool find_dims (const struct ppi_aggregate *a, const struct ppi_ref_groups *groups,
		       unsigned dim[PPI_GROUP_DIMS])
{
	for (unsigned i = 0; i < groups->dims; i++) {
		unsigned k = 0;

		while (k < a->dims && strcmp (a->by[k], groups->dim[i].key) != 0)
			k++;
		if (k == a->dims)
			return false;
		dim[i] = k;
	}
	return true;
}

static bool has_statistic (const struct ppi_aggregate *a, const struct ppi_ref *ref)
{
	enum pp_statistic statistic = (enum pp_statistic) ref->property;

	return ref->window_ns ? ppi_span_has (a->accumulator, statistic)
			      : ppi_statistic_exists (a->accumulator, statistic);
}

/* That counts at all sites of METRIC, if one does, by these dimensions and no others. */
static const struct ppi_aggregate *find (const struct ppi_ref *ref, const pp_metric *metric,
					 const pp_site **missed)
{
	const struct ppi_aggregate *a, *best = NULL;
	unsigned dim[PPI_GROUP_DIMS];
	int most = -1;

	for (uint32_t number = 1; (a = ppi_aggregate_at (number)); number++) {
		const pp_site *site = NULL;
		int worth;

		if (!a->wanted || !has_statistic (a, ref) || !find_dims (a, ref->groups, dim) ||
		    (!ref->groups->is_merged && a->dims != ref->groups->dims))
			continue;
		worth = (a->dims == ref->groups->dims) +
			2 * !ppi_grouping_misses (metric, a, &site);
		if (worth <= most)
			continue;
		most = worth;
		best = a;
		*missed = site;
	}
	return best;
}

/* Once. While a policy is being loaded there is none yet. */
static void tell (const struct ppi_ref *ref, const struct ppi_aggregate *a, const pp_site *missed)
{
	bool is_news = !ref->groups->is_told && (a ? missed != NULL : ref->place != NULL);

	ref->groups->is_told |= is_news;
	if (is_news && !a)
		ppi_message ("no aggregate is by %s any more: groups of %s are unknown",
			     ref->groups->dim[0].key, ref->name);
	else if (is_news)
		ppi_message ("%s is measured at %s, too, which no aggregate by %s counts: its "
			     "groups are unknown",
			     ref->name, pp_site_name (missed), ref->groups->dim[0].key);
}

static struct ppi_grouping *make (const struct ppi_ref *ref, const pp_metric *metric,
				  const struct ppi_aggregate *a)
{
	struct ppi_group_want want[PPI_GROUP_DIMS];
	unsigned dim[PPI_GROUP_DIMS];

	if (!find_dims (a, ref->groups, dim))
		return NULL;
	for (unsigned i = 0; i < ref->groups->dims; i++)
		want[i] =
			(struct ppi_group_want){ref->groups->dim[i].type, ref->groups->dim[i].bits,
						ref->groups->dim[i].text};
	return ppi_grouping_new (metric, a, dim, ref->groups->dims,
				 ref->kind == PPI_REF_GROUP ? want : NULL, ref->window_ns);
}

bool ppi_groups_link (struct ppi_ref *ref, const pp_metric *metric)
{
	const pp_site *missed = NULL;
	const struct ppi_aggregate *a = metric ? find (ref, metric, &missed) : NULL;

	if (metric)
		tell (ref, a, missed);
	if (ref->windowed == metric && ref->place == a && (ref->grouping || !a))
		return false;
	ppi_grouping_free (ref->grouping);
	ref->grouping = a ? make (ref, metric, a) : NULL;
	ref->windowed = (void *) (uintptr_t) metric;
	ppi_store (&ref->groups->node, 0);
	set_cache (ref, NAN);
	/* release: markers see it whole */
	__atomic_store_n (&ref->place, (void *) (uintptr_t) a, __ATOMIC_RELEASE);
	return true;
}

void ppi_groups_unlink (struct ppi_ref *ref)
{
	ppi_grouping_free (ref->grouping);
	ref->grouping = NULL;
	ref->windowed = NULL;
}

void ppi_groups_hand_over (struct ppi_program *to, struct ppi_program *from)
{
	for (size_t i = 0; i < to->n_references && i < from->n_references; i++) {
		struct ppi_ref *ref = &to->references[i], *former = &from->references[i];

		if (!ref->groups || !former->groups || ref->grouping)
			continue;
		ref->grouping = former->grouping;
		ref->windowed = former->windowed;
		ref->place = former->place;
		ref->cache = former->cache;
		former->grouping = NULL;
		former->windowed = NULL;
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Said once of each assertion, since what it asserts then is unknown for good. */
static void note_crowded (struct ppi_ref *ref, struct ppi_assertion *of)
{
	bool is_crowded = ppi_grouping_is_crowded (ref->grouping);

	ppi_store (&ref->groups->is_crowded, is_crowded);
	if (is_crowded && !of->told_crowded)
		ppi_message ("assertion %s: a group of %s by %s is unknown: there was no room to "
			     "tell it apart (max_groups, strings), or it never came",
			     of->name, ref->name, ref->groups->dim[0].key);
	of->told_crowded |= is_crowded;
}

bool ppi_groups_are_crowded (const struct ppi_program *program)
{
	for (size_t i = 0; program->has_groups && i < program->n_references; i++)
		if (program->references[i].groups &&
		    ppi_load (&program->references[i].groups->is_crowded))
			return true;
	return false;
}

static void refresh (struct ppi_ref *ref, struct ppi_assertion *of, uint64_t now_ns)
{
	if (!ref->grouping)
		return;
	(void) ppi_grouping_look (ref->grouping, now_ns);
	note_crowded (ref, of);
	if (ref->kind != PPI_REF_GROUP)
		return;
	ppi_store (&ref->groups->node, ppi_grouping_group (ref->grouping, 0));
	set_cache (ref, ppi_grouping_value (ref->grouping, 0, (enum pp_statistic) ref->property));
}

void ppi_groups_refresh (struct ppi_program *program, struct ppi_assertion *of, bool any,
			 uint64_t now_ns)
{
	for (size_t i = 0; program->has_groups && i < program->n_references; i++)
		if (any || program->references[i].kind != PPI_REF_ANY)
			refresh (&program->references[i], of, now_ns);
}

void ppi_groups_choose (struct ppi_program *program, const struct ppi_ref *first, uint32_t group)
{
	for (size_t i = 0; i < program->n_references; i++) {
		struct ppi_ref *ref = &program->references[i];
		double value = NAN;

		if (ref->kind != PPI_REF_ANY)
			continue;
		if (group && ref->grouping && first && first->grouping)
			value = ppi_grouping_value (
				ref->grouping,
				ppi_grouping_like (ref->grouping, first->grouping, group - 1),
				(enum pp_statistic) ref->property);
		set_cache (ref, value);
	}
}

uint64_t ppi_groups_look (struct ppi_program *program, struct ppi_assertion *of, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = 0; program->has_groups && i < program->n_references; i++) {
		struct ppi_ref *ref = &program->references[i];
		uint64_t due_ns = ref->grouping ? ppi_grouping_due (ref->grouping) : UINT64_MAX;

		if (due_ns == UINT64_MAX)
			continue;
		if (now_ns >= due_ns)
			refresh (ref, of, now_ns);
		due_ns = ppi_grouping_due (ref->grouping);
		next = due_ns < next ? due_ns : next;
	}
	return next;
}
