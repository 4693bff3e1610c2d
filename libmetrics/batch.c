/* SPDX-License-Identifier: MIT */
/*
 * batch.c: making what sites do agree with what is bound to them.
 *
 * Changes mark sites dirty; the end of the outermost batch gives each a new plan and changes the code of all in a
 * fixed order:
 *
 *   1  begins of sites that are disabled     off      no new frame that would find no end
 *   2  ends of sites that are disabled       off
 *      new plans, generations                         before any marker can reach them
 *      flush                                          frames of before the site was disabled can't end any more
 *      ends of sites that are enabled        on       every begin that follows finds its end enabled; so do guards
 *      flush                                          nor what a begin opened that was under way when it was disabled
 *   3  begins and points that are enabled    on
 *
 * Where stores of code are not seen in their order (PP_ARCH_CODE_IN_ORDER) there is a barrier behind each of the three. Where they are,
 * none is needed, and an interrupt of all processors is saved, which takes longer than everything else here: a thread that
 * executes the new begin fetches its end, and reads its plan, later. One that still executes the old begin
 * when the ends are off opens a frame that cannot end, as it would have done a moment before; it is dropped and counted.
 *
 * A site that was enabled and stays so gets another plan, a pointer in each descriptor, and jumps that lead elsewhere.
 */
#include "binding.h"
#include "block.h"
#include "cost.h"
#include "lifecycle.h"
#include "light.h"
#include "module.h"
#include "patch.h"
#include "quick.h"
#include "site_alloc.h"
#include "thread.h"
#include "thread_life.h"
#include "window.h"

#include <stdlib.h>
#include <string.h>

static unsigned depth;
static pp_site *dirty,
	**last_dirty = &dirty; /* in the order in which they became so, which is mostly that of their code */

void ppi_batch_begin (void)
{
	if (!depth++)
		ppi_revive_child ();
}

void ppi_site_touch (pp_site *site)
{
	if (site->dirty)
		return;
	site->dirty = 1;
	site->dirty_next = NULL;
	*last_dirty = site;
	last_dirty = &site->dirty_next;
}

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static unsigned bound_ops (const pp_site *site, struct ppi_op ops[PPI_OPS_MAX])
{
	unsigned n = 0;
	uint16_t words = 0;

	for (const struct ppi_binding *b = site->bindings; b && n < PPI_OPS_MAX; b = b->next_of_site)
		if (ppi_binding_is_on (b)) {
			ops[n] = b->op;
			/* in a scope it is counted at the end (nested.h) */
			ops[n].every = b->op.scope == PPI_SCOPE_TOTAL ? ppi_binding_every (b) : 1;
			if (b->op.class == PPI_SOURCE_VALUE)
				ops[n].sample_type =
					ppi_value_of (b->metric, site, &ops[n].index) == PP_ABI_VALUE_DOUBLE
						? PP_ABI_SAMPLE_DOUBLE
						: PP_ABI_SAMPLE_INT;
			ops[n].value = words;
			words = (uint16_t) (words + b->op.words);
			n++;
		}
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

/* How markers can see that all checks pass, and by which ratios: how many there are, or 0 where one of them is not so simple. */
static uint8_t quick_checks (const pp_site *site, const struct ppi_op *ops, unsigned n, struct ppi_quick *out,
			     const struct ppi_quick_ratios **ratios)
{
	uint8_t used = 0;

	memset (out, 0, PPI_QUICKS * sizeof (*out));
	/* where one op has a sample and another none, each check has to see whether it is concerned */
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
static enum ppi_light_kind light_for (const pp_site *site, const struct ppi_op *ops, unsigned n, bool checked,
				      bool is_quick)
{
	const struct ppi_plan *is = site->plan;
	enum ppi_light_kind kind = PPI_LIGHT_NONE;
	bool is_open = is && is != &ppi_plan_nothing && site->enabled; /* executions may be */

	if (is_open && (is->light == PPI_LIGHT_COUNT || is->light == PPI_LIGHT_AFTER_COUNT))
		kind = PPI_LIGHT_AFTER_COUNT;
	if (n != 1 || has_scopes (ops, n) || site->watched || is_quick || !is_patched (site))
		return kind;
	/* what has blocks keeps them; without, one of the few places for light plans is better kept for another */
	if (!(is_open && is->light && is->ops[0].binding == ops->binding && is->ops[0].every == ops->every) &&
	    !gets_blocks (site))
		return kind;
	if (ops->every > 1) {
		/* those that are open have frames of the other plan */
		bool fits = !is_open || (is->light == PPI_LIGHT_EVERY && is->ops[0].binding == ops->binding);

		return fits ? PPI_LIGHT_EVERY : kind;
	}
	/* without the counter all goes by the general routines, which know frames only */
	if (ops->accumulator != PPI_COUNT || checked || has_windows (ops, n) || !ppi_ticks_are_trusted)
		return kind;
	return !is_open || (is->light == PPI_LIGHT_COUNT && is->ops[0].binding == ops->binding) ? PPI_LIGHT_COUNT
												: kind;
}

static bool is_same_plan (const struct ppi_plan *p, const struct ppi_op *ops, unsigned n, bool checked,
			  const struct ppi_quick *quick, uint8_t n_quick, uint8_t state)
{
	if (p->n_ops != n || p->checked != checked || p->state != state || p->windowed != has_windows (ops, n))
		return false;
	if (p->n_quick != n_quick || memcmp (p->quick, quick, n_quick * sizeof (*quick)) != 0)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (p->ops[i].binding != ops[i].binding || p->ops[i].every != ops[i].every)
			return false;
	return true;
}

/*
 * Do begins have to read the clock because somebody asks how long executions are open, though no sample needs it: of a function, of counts alone, or
 * in executions that are not sampled?
 */
static bool is_timed (const pp_site *site, const struct ppi_op *ops, unsigned n)
{
	unsigned counts = 0, skips = 0;

	for (unsigned i = 0; i < n; i++) {
		counts += ops[i].accumulator == PPI_COUNT;
		skips += ops[i].every > 1;
	}
	return site->watched && (counts == n || skips == n || (n == 1 && ppi_is_function (ops)));
}

/* One that the site had before, as light as that; or NULL. */
static struct ppi_plan *find_plan (const pp_site *site, const struct ppi_op *ops, unsigned n, bool checked,
				   const struct ppi_quick *quick, uint8_t n_quick, uint8_t state,
				   enum ppi_light_kind light)
{
	for (struct ppi_plan *p = site->plans; p; p = p->next)
		if (p->light == light && p->timed == is_timed (site, ops, n) &&
		    is_same_plan (p, ops, n, checked, quick, n_quick, state))
			return p;
	return NULL;
}

/* The plan of what is bound now: one that the site had before, or a new one. NULL: no memory. */
static const struct ppi_plan *plan_for (pp_site *site)
{
	bool checked = site->checks != NULL;
	uint8_t state = state_of (site);
	struct ppi_op ops[PPI_OPS_MAX];
	struct ppi_quick quick[PPI_QUICKS];
	const struct ppi_quick_ratios *ratios[PPI_QUICKS];
	unsigned n = bound_ops (site, ops);
	uint8_t n_quick;
	enum ppi_light_kind light;
	struct ppi_plan *p;

	if (!n || !site->copies || (site->flags & PP_ABI_SITE_INLINE))
		return &ppi_plan_nothing;
	n_quick = quick_checks (site, ops, n, quick, ratios);
	/* what is left out needs no proof; what isn't is proved in C */
	light = light_for (site, ops, n, checked, n_quick > 0 && ops->every <= 1);
	p = find_plan (site, ops, n, checked, quick, n_quick, state, light);
	if (p) {
		ppi_quick_set_ratios (p, ratios);
		return p;
	}
	p = calloc (1, sizeof (*p) + n * sizeof (p->ops[0]) + n_quick * (sizeof (*quick) + sizeof (*ratios)));
	if (!p)
		return NULL;
	memcpy (p->ops, ops, n * sizeof (p->ops[0]));
	p->n_ops = n;
	p->quick = memcpy (&p->ops[n], quick, n_quick * sizeof (*quick));
	p->n_quick = n_quick;
	p->ratios = memcpy ((char *) &p->ops[n] + n_quick * sizeof (*quick), ratios, n_quick * sizeof (*ratios));
	p->checked = checked;
	p->windowed = has_windows (ops, n);
	p->scoped = has_scopes (ops, n);
	p->timed = is_timed (site, ops, n);
	p->state = state;
	p->is_array = site->flags & PP_ABI_SITE_ARRAY;
	p->begin_pushes = site->kind != PP_ABI_SITE_POINT && (site->value || site->n_dims);
	p->site = site;
	p->value_slots = (8u * (ops[n - 1].value + ops[n - 1].words) + PPI_FRAME_SLOT - 1) / PPI_FRAME_SLOT;
	if (light && !ppi_light_make (p, light)) { /* all slots are taken: one without, if there is none yet */
		struct ppi_plan *same = find_plan (site, ops, n, checked, quick, n_quick, state, PPI_LIGHT_NONE);

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

/* Frames of before the site was disabled can't end any more, from the next flush on; the first time there are none. */
static void expect_flush (pp_site *site)
{
	if (site->generation)
		__atomic_store_n (&site->enabled_at, ppi_flush_number + 1, __ATOMIC_RELAXED);
}

static void set_plan (pp_site *site, const struct ppi_plan *plan, bool fresh)
{
	if (fresh) {
		expect_flush (site);
		__atomic_store_n (&site->generation, site->generation + 1, __ATOMIC_RELAXED);
	}
	if (plan->light == PPI_LIGHT_COUNT)
		__atomic_store_n (&site->counts, plan, __ATOMIC_RELEASE);
	/* release: spans begin by it */
	__atomic_store_n (&site->plan, plan, __ATOMIC_RELEASE);
	for (const struct ppi_copy *c = site->copies; c; c = c->next) {
		__atomic_store_n (&c->descriptor->generation, site->generation, __ATOMIC_RELAXED);
		/* release: who sees the plan sees what is in it, and the generation */
		__atomic_store_n (&c->descriptor->plan, plan, __ATOMIC_RELEASE);
	}
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

enum change { NONE, ENABLE, DISABLE, REPLACE };

struct job {
	pp_site *site;
	const struct ppi_plan *plan;
	enum change change;
	bool failed;
};

struct job_list {
	struct job *at;
	size_t n;
	size_t n_markers;   /* of all, an upper limit */
	size_t expected;    /* of those that something is bound to, as far as blocks care */
	bool has_corrected; /* plans whose samples are corrected */
};

struct marker_list {
	struct ppi_patch *patches;
	struct job **owners;
	size_t n;
};

static bool is_end (const struct pp_abi_marker *m)
{
	return m->op == PP_ABI_END;
}

/* The markers of one sort of all jobs that want CHANGE. */
static void list_add (struct marker_list *list, struct job *job, bool ends, bool on)
{
	for (const struct ppi_copy *c = job->site->copies; c; c = c->next)
		for (uint32_t i = 0; i < c->n_markers; i++)
			if (is_end (c->markers[i].record) == ends) {
				list->patches[list->n].marker = &c->markers[i];
				list->patches[list->n].to = on ? ppi_block_target (job->plan, c->markers[i].record,
										   c->module, c->markers[i].target)
							       : 0;
				list->owners[list->n++] = job;
			}
}

static void patch (struct marker_list *list, struct job *jobs, size_t n, enum change change, bool ends, bool on)
{
	list->n = 0;
	for (size_t i = 0; i < n; i++)
		if (jobs[i].change == change && !jobs[i].failed)
			list_add (list, &jobs[i], ends, on);
	if (!list->n || !ppi_patch_markers (list->patches, list->n))
		return;
	for (size_t i = 0; i < list->n; i++)
		if (list->patches[i].failed)
			list->owners[i]->failed = true;
}

static bool list_make (struct marker_list *list, size_t room)
{
	list->patches = ppi_calloc_at_once ((room + 1) * sizeof (*list->patches));
	list->owners = ppi_calloc_at_once ((room + 1) * sizeof (*list->owners));
	return list->patches && list->owners;
}

static void list_free (struct marker_list *list)
{
	free (list->patches);
	free (list->owners);
}

static void set_enabled (pp_site *site, bool on)
{
	__atomic_store_n (&site->enabled, on, __ATOMIC_RELEASE);
	for (const struct ppi_copy *c = site->copies; c; c = c->next)
		__atomic_store_n (&c->descriptor->enabled, on, __ATOMIC_RELEASE);
}

/*
 * A descriptor that joined an enabled site has markers that are off still: enabling is done for all, which leaves
 * the others as they are.
 */
static enum change wanted (const pp_site *site, const struct ppi_plan *plan)
{
	bool was = site->plan != &ppi_plan_nothing, is = plan != &ppi_plan_nothing;

	if (is)
		return was && site->enabled ? REPLACE : ENABLE;
	return was ? DISABLE : NONE;
}

/*
 * Begins are off while ends may be on: a busy thread runs through hundreds of ends without a begin then, of executions that nobody wanted to be measured.
 */
static void set_begins_off (pp_site *site, bool off)
{
	__atomic_store_n (&site->begins_off, off, __ATOMIC_RELEASE);
}

static void order_barrier (void)
{
	if (!PP_ARCH_CODE_IN_ORDER)
		ppi_barrier ();
}

/* Half enabled would measure half: all of it off again. False: there was nothing to take back. */
static bool take_back (struct marker_list *list, struct job *job)
{
	/* a marker that was on already and has a breakpoint now is no reason to stop measuring there */
	if (!job->failed || job->change == REPLACE)
		return false;
	job->change = DISABLE;
	job->failed = false;
	set_enabled (job->site, false);
	patch (list, job, 1, DISABLE, false, false);
	/* begins that cannot be changed either are no reason to leave the ends on */
	job->failed = false;
	patch (list, job, 1, DISABLE, true, false);
	set_plan (job->site, &ppi_plan_nothing, false);
	return true;
}

/*
 * Each of the following looks at every site once: those of a large batch are more than caches hold. They answer whether what was open
 * at some site has to become stale in all threads, before their next marker.
 */
static bool set_plans (struct job *jobs, size_t n)
{
	bool stale = false;

	for (size_t i = 0; i < n; i++) {
		pp_site *s = jobs[i].site;

		if (jobs[i].change == DISABLE)
			set_enabled (s, false);
		else if (jobs[i].change == ENABLE)
			set_begins_off (s, true);
		set_plan (s, jobs[i].plan, jobs[i].change == ENABLE);
		stale |= jobs[i].change != DISABLE && ppi_load (&s->enabled_at) > ppi_flush_number;
	}
	return stale;
}

static bool enable_all (struct job *jobs, size_t n)
{
	bool stale = false;

	for (size_t i = 0; i < n; i++) {
		pp_site *s = jobs[i].site;

		if (jobs[i].change == DISABLE)
			continue;
		set_enabled (s, true);
		if (jobs[i].change == ENABLE && s->generation > 1)
			expect_flush (s);
		stale |= ppi_load (&s->enabled_at) > ppi_flush_number;
	}
	return stale;
}

/* Ends before begins. */
static void switch_on (struct marker_list *list, struct job *jobs, size_t n)
{
	order_barrier ();
	patch (list, jobs, n, ENABLE, true, true);
	patch (list, jobs, n, REPLACE, true, true);
	/*
	 * before the second flush, as ends are: what a begin that was under way all the time opened up to it is stale, and one that
	 * comes after it finds its end enabled
	 */
	if (enable_all (jobs, n))
		ppi_flush ();
	order_barrier ();
	patch (list, jobs, n, ENABLE, false, true);
	patch (list, jobs, n, REPLACE, false, true);
	for (size_t i = 0; i < n; i++)
		if (jobs[i].change == ENABLE)
			set_begins_off (jobs[i].site, false);
}

static int run_jobs (const struct job_list *all)
{
	struct marker_list list = {0};
	struct job *jobs = all->at;
	size_t n = all->n;
	int r = PP_OK;

	/* calibrating has said another number meanwhile */
	ppi_blocks_expect (all->expected);
	if (!list_make (&list, all->n_markers)) {
		list_free (&list);
		return PP_ENOMEM;
	}
	ppi_patch_begin ();
	for (size_t i = 0; i < n; i++)
		if (jobs[i].change == DISABLE)
			set_begins_off (jobs[i].site, true);
	patch (&list, jobs, n, DISABLE, false, false);
	order_barrier ();
	patch (&list, jobs, n, DISABLE, true, false);
	/* or the first end that is on would find what was open when the site was disabled, with the same plan again */
	if (set_plans (jobs, n))
		ppi_flush ();
	switch_on (&list, jobs, n);
	for (size_t i = 0; i < n; i++)
		if (take_back (&list, &jobs[i]))
			r = PP_ECODE;
	order_barrier ();
	list_free (&list);
	return r;
}

static bool has_corrected (const struct ppi_plan *plan)
{
	for (unsigned i = 0; i < plan->n_ops; i++)
		if (plan->ops[i].corrected)
			return true;
	return false;
}

static void collect_job (struct job_list *list, pp_site *site)
{
	struct job *job = &list->at[list->n];

	job->site = site;
	job->plan = plan_for (site);
	if (!job->plan)
		return;
	job->change = wanted (site, job->plan);
	if (job->change == NONE)
		return;
	list->n++;
	for (const struct ppi_copy *c = site->copies; c; c = c->next)
		list->n_markers += c->n_markers;
	list->has_corrected |= has_corrected (job->plan);
}

static size_t bound_markers (const pp_site *site)
{
	const struct ppi_binding *b = site->bindings;
	size_t n = 0;

	while (b && !ppi_binding_is_on (b))
		b = b->next_of_site;
	for (const struct ppi_copy *c = b ? site->copies : NULL; c; c = c->next)
		n += c->n_markers;
	return n;
}

/* How many markers are to have something bound is known before plans are made, which may be light where there will be blocks. */
static struct job_list collect_jobs (void)
{
	struct job_list list = {0};
	size_t n = 1;

	for (const pp_site *s = dirty; s; s = s->dirty_next, n++)
		if (list.expected <= ppi_blocks_at_once)
			list.expected += bound_markers (s);
	ppi_blocks_expect (list.expected);
	list.at = ppi_calloc_at_once (n * sizeof (*list.at));
	while (dirty) {
		pp_site *s = dirty;

		dirty = s->dirty_next;
		s->dirty = 0;
		if (list.at)
			collect_job (&list, s);
	}
	last_dirty = &dirty;
	return list;
}

/* What corrected samples are corrected by is known before the first is taken. A batch of its own: what is dirty was collected. */
static void know_costs (const struct job_list *list)
{
	const struct job *jobs = list->at;

	for (size_t i = 0; list->has_corrected && i < list->n; i++)
		for (unsigned k = 0; k < jobs[i].plan->n_ops; k++)
			if (jobs[i].plan->ops[k].corrected && !jobs[i].plan->shape && jobs[i].site->id) {
				ppi_cost_of (jobs[i].plan);
				break;
			}
}

int ppi_batch_end (void)
{
	struct job_list list;
	int r;

	if (--depth)
		return PP_OK;
	if (!dirty)
		return PP_OK;
	ppi_sources_use (true);
	list = collect_jobs ();
	know_costs (&list);
	r = !list.at ? PP_ENOMEM : list.n ? run_jobs (&list) : PP_OK;
	free (list.at);
	ppi_sources_use (false);
	return r;
}

/* ---- who looks at open executions ---------------------------------------------------------------------------------- */

void ppi_site_watch (pp_site *site)
{
	ppi_lock ();
	if (!site->watched) {
		ppi_batch_begin ();
		site->watched = 1;
		ppi_site_touch (site);
		/* where its code can't be changed it stays as it is */
		ppi_batch_end ();
	}
	ppi_unlock ();
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

int ppi_check_attach (pp_site *site, struct ppi_check *check)
{
	struct ppi_check **at = &site->checks;
	int r;

	ppi_batch_begin ();
	check->next = NULL;
	while (*at)
		at = &(*at)->next;
	__atomic_store_n (at, check, __ATOMIC_RELEASE);
	ppi_site_touch (site);
	r = ppi_batch_end ();
	return r;
}

void ppi_check_detach (pp_site *site, struct ppi_check *check)
{
	struct ppi_check **at = &site->checks;

	ppi_batch_begin ();
	while (*at && *at != check)
		at = &(*at)->next;
	/* a thread that is at CHECK still finds the rest of the list behind it */
	if (*at)
		__atomic_store_n (at, check->next, __ATOMIC_RELEASE);
	ppi_site_touch (site);
	ppi_batch_end ();
}

void ppi_check_touch (pp_site *site)
{
	ppi_batch_begin ();
	ppi_site_touch (site);
	ppi_batch_end ();
}
