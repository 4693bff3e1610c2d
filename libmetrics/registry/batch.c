/* SPDX-License-Identifier: MIT */
/*
 * batch.c: making what sites do agree with what is bound to them.
 *
 * Changes mark sites dirty; the end of the outermost batch gives each a new plan and changes the
 * code of all in a fixed order:
 *
 *   1  begins of sites that are disabled     off      no new frame that would find no end
 *   2  ends of sites that are disabled       off
 *      new plans, generations                         before any marker can reach them
 *      flush                                          frames of before the site was disabled can't
 *                                                     end any more
 *      ends of sites that are enabled        on       every begin that follows finds its end enabled; so do guards
 *      flush                                          nor what a begin opened that was under way
 *                                                     when it was disabled
 *   3  begins and points that are enabled    on
 *
 * Where stores of code are not seen in their order (PP_ARCH_CODE_IN_ORDER) there is a barrier
 * behind each of the three. Where they are, none is needed, and an interrupt of all processors is
 * saved, which takes longer than everything else here: a thread that executes the new begin fetches
 * its end, and reads its plan, later. One that still executes the old begin when the ends are off
 * opens a frame that cannot end, as it would have done a moment before; it is dropped and counted.
 *
 * A site that was enabled and stays so gets another plan, a pointer in each descriptor, and jumps
 * that lead elsewhere.
 */
#include "libmetrics/registry/batch.h"

#include "base/atomic.h"
#include "base/barrier.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/code/block.h"
#include "libmetrics/code/patch.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/registry/plan.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/check.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/thread.h"
#include "libmetrics/thread/thread_life.h"

#include <stdlib.h>

static unsigned depth;
static pp_site *dirty,
	**last_dirty =
		/* in the order in which they became so, which is mostly that of their code */
	&dirty;

void ppi_batch_begin (void)
{
	if (!depth++)
		ppi_lock_look ();
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

/* ---- plans ----------------------------------------------------------------------------------- */

/*
 * Frames of before the site was disabled can't end any more, from the next flush on; the first time
 * there are none.
 */
static void expect_flush (pp_site *site)
{
	if (site->generation)
		__atomic_store_n (&site->enabled_at, ppi_flush_number + 1, __ATOMIC_RELAXED);
}

static void set_plan (pp_site *site, const struct ppi_plan *plan, bool fresh)
{
	bool late = (plan->wanted | (site->plan ? site->plan->wanted : 0)) >> PP_ABI_WANTED_LATE;

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
		if (late || c->descriptor->flags & PP_ABI_SITE_COMPUTED)
			__atomic_store_n (&c->descriptor->wanted, plan->wanted, __ATOMIC_RELAXED);
		/* release: who sees the plan sees what is in it, and the generation */
		__atomic_store_n (&c->descriptor->plan, plan, __ATOMIC_RELEASE);
	}
}

/* ---- code ------------------------------------------------------------------------------------ */

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
	/* some sites are dirty still: the next batch, or the library's thread, tries again */
	bool short_of_memory;
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
				list->patches[list->n].to =
					on ? ppi_block_target (job->plan, c->markers[i].record,
							       c->module, c->markers[i].target)
					   : 0;
				list->owners[list->n++] = job;
			}
}

static void patch (struct marker_list *list, struct job *jobs, size_t n, enum change change,
		   bool ends, bool on)
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
 * A descriptor that joined an enabled site has markers that are off still: enabling is done for
 * all, which leaves the others as they are.
 */
static enum change wanted (const pp_site *site, const struct ppi_plan *plan)
{
	bool was = site->plan != &ppi_plan_nothing, is = plan != &ppi_plan_nothing;

	if (is)
		return was && site->enabled ? REPLACE : ENABLE;
	return was ? DISABLE : NONE;
}

/*
 * Begins are off while ends may be on: a busy thread runs through hundreds of ends without a begin
 * then, of executions that nobody wanted to be measured.
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
	/*
	 * a marker that was on already and has a breakpoint now is no reason to stop measuring
	 * there
	 */
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
 * Each of the following looks at every site once: those of a large batch are more than caches hold.
 * They answer whether what was open at some site has to become stale in all threads, before their
 * next marker.
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
	 * before the second flush, as ends are: what a begin that was under way all the time opened
	 * up to it is stale, and one that comes after it finds its end enabled
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
		for (size_t i = 0; i < n; i++)
			ppi_site_touch (jobs[i].site);
		return PP_ENOMEM;
	}
	ppi_patch_begin ();
	for (size_t i = 0; i < n; i++)
		if (jobs[i].change == DISABLE)
			set_begins_off (jobs[i].site, true);
	patch (&list, jobs, n, DISABLE, false, false);
	order_barrier ();
	patch (&list, jobs, n, DISABLE, true, false);
	/*
	 * or the first end that is on would find what was open when the site was disabled, with the
	 * same plan again
	 */
	if (set_plans (jobs, n))
		ppi_flush ();
	switch_on (&list, jobs, n);
	for (size_t i = 0; i < n; i++)
		if (take_back (&list, &jobs[i]))
			r = PP_ECODE;
	order_barrier ();
	ppi_patch_end ();
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
	job->plan = ppi_plan_for (site);
	if (!job->plan) {
		ppi_site_touch (site);
		list->short_of_memory = true;
		return;
	}
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

/*
 * How many markers are to have something bound is known before plans are made, which may be light
 * where there will be blocks.
 */
static struct job_list collect_jobs (void)
{
	struct job_list list = {0};
	pp_site *all;
	size_t n = 1;

	for (const pp_site *s = dirty; s; s = s->dirty_next, n++)
		if (list.expected <= ppi_blocks_at_once)
			list.expected += bound_markers (s);
	ppi_blocks_expect (list.expected);
	list.at = ppi_calloc_at_once (n * sizeof (*list.at));
	if (!list.at)
		return list;
	all = dirty;
	dirty = NULL;
	last_dirty = &dirty;
	while (all) {
		pp_site *s = all;

		all = s->dirty_next;
		s->dirty = 0;
		collect_job (&list, s);
	}
	return list;
}

static void (*learn) (const struct ppi_plan *plan);

void ppi_batch_learns (void (*fn) (const struct ppi_plan *plan))
{
	learn = fn;
}

/*
 * What corrected samples are corrected by is known before the first is taken. A batch of its own:
 * what is dirty was collected.
 */
static void know_costs (const struct job_list *list)
{
	const struct job *jobs = list->at;

	for (size_t i = 0; learn && list->has_corrected && i < list->n; i++)
		for (unsigned k = 0; k < jobs[i].plan->n_ops; k++)
			if (jobs[i].plan->ops[k].corrected && !jobs[i].plan->shape &&
			    jobs[i].site->id) {
				learn (jobs[i].plan);
				break;
			}
}

/* Said once until there was enough again: the library's thread tries ten times a second. */
static void tell_short (bool is_short)
{
	static bool told;

	if (is_short && !told)
		ppi_message ("no memory to change what sites measure: they go on as they are, and "
			     "it is tried again");
	told = is_short;
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
	if (r == PP_OK && list.short_of_memory)
		r = PP_ENOMEM;
	tell_short (r == PP_ENOMEM);
	if (list.n)
		ppi_parts_measuring ();
	free (list.at);
	ppi_sources_use (false);
	return r;
}

/* ---- who looks at open executions ------------------------------------------------------------ */

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

/* ---- checks ---------------------------------------------------------------------------------- */

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
