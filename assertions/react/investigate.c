/* SPDX-License-Identifier: MIT */
/* investigate.c: the phases of an investigation, by the owner of the tick. See investigate.h. */
#include "assertions/react/investigate.h"

#include "assertions/engine/action.h"
#include "assertions/engine/assertion.h"
#include "assertions/engine/post.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/tick.h"

#include "assertions/engine/policies.h"
#include "base/estimate.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/types.h"
#include "base/wake.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/source/metric_spec.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct ppi_investigation *running; /* [lock] */

/* ---- phases ---------------------------------------------------------------------------------- */

/* SITE[N] are the batch, and a phase begins: at once, or behind the pause */
static void begin_phase (struct ppi_investigation *v, pp_site *const *site, uint32_t n,
			 bool measure, uint64_t now_ns)
{
	ppi_culprits_unbind (v, false);
	/* cppcheck-suppress uninitvar ; N of them are set, which may be none */
	memcpy (v->batch, site, n * sizeof *site);
	v->n_batch = n;
	v->is_measuring = measure;
	v->phase_ns = now_ns;
	v->is_fresh = true;
	if (!v->pace.is_paused)
		ppi_culprits_bind_batch (v, false);
}

/*
 * Lets executions count. Not at once: actions are performed in a batch, at the end of which the
 * markers are switched on, and executions before that would have no parts.
 */
static void start_phase (struct ppi_investigation *v)
{
	if (!v->is_waiting ||
	    !ppi_culprit_reset (v, v->phase_number, v->path[v->level].site, v->is_fresh))
		return;
	v->is_waiting = v->is_fresh = false;
}

/* Those that were found and not measured yet */
static void begin_round (struct ppi_investigation *v, uint64_t now_ns)
{
	uint32_t left = v->n_found - v->first_found, n = left < v->pace.most ? left : v->pace.most;
	pp_site *site[PPI_CULPRIT_BATCH];

	for (uint32_t i = 0; i < n; i++)
		site[i] = v->found[v->first_found + i].site;
	v->is_whole = n == v->n_found;
	begin_phase (v, site, n, true, now_ns);
}

static void begin_measuring (struct ppi_investigation *v, uint64_t now_ns)
{
	v->first_found = v->rounds = 0;
	begin_round (v, now_ns);
}

static void begin_scan (struct ppi_investigation *v, uint64_t now_ns)
{
	size_t left = v->n_candidates - v->next_candidate;
	uint32_t n = left < v->pace.most ? (uint32_t) left : v->pace.most;

	if (!v->next_candidate && left <= PPI_CULPRIT_BATCH) {
		/* they need not be looked at first */
		for (v->n_found = 0; v->n_found < left; v->n_found++)
			v->found[v->n_found].site = v->candidate[v->n_found];
		v->next_candidate = v->n_candidates;
		begin_measuring (v, now_ns);
		return;
	}
	v->next_candidate += n;
	begin_phase (v, &v->candidate[v->next_candidate - n], n, false, now_ns);
}

/* Keeps those that take most */
static void keep_found (struct ppi_investigation *v, const struct ppi_culprit_sums *slow,
			const struct ppi_culprit_sums *fast)
{
	for (uint32_t i = 0; i < v->n_batch; i++) {
		double mean =
			(slow->part[i] + fast->part[i]) / (slow->executions + fast->executions);
		uint32_t least = 0;

		if (!(mean > 0))
			continue;
		if (v->n_found < PPI_CULPRIT_BATCH) {
			v->found[v->n_found].site = v->batch[i];
			v->found[v->n_found++].mean = mean;
			continue;
		}
		for (uint32_t k = 1; k < v->n_found; k++)
			if (v->found[k].mean < v->found[least].mean)
				least = k;
		if (v->found[least].mean < mean) {
			v->found[least].site = v->batch[i];
			v->found[least].mean = mean;
		}
	}
}

/* How much of what is too slow the candidate is; 1: all of it */
static double share_of (const struct ppi_investigation *v, const struct ppi_culprit_sums *slow,
			const struct ppi_culprit_sums *fast, uint32_t i)
{
	double part = slow->part[i] / slow->executions, whole = slow->whole / slow->executions;

	if (v->by_share)
		return part / whole;
	return (part - fast->part[i] / fast->executions) / (whole - fast->whole / fast->executions);
}

/* ---- deciding -------------------------------------------------------------------------------- */

/* The level is new: it has all its time, and has seen nothing. */
static void begin_level (struct ppi_investigation *v, uint64_t now_ns)
{
	v->level_ns = now_ns;
	v->pace.paused_ns = 0;
	v->violating = v->holding = 0;
	v->is_often = false;
}

static void next_level (struct ppi_investigation *v, pp_site *site, double share, uint64_t now_ns)
{
	v->level++;
	v->path[v->level].site = site;
	v->path[v->level].share = share;
	ppi_culprits_unbind (v, false);
	/* it stays bound, so that it has a frame in which its own are seen */
	if (v->level == PPI_CULPRIT_DEPTH || v->level == v->action->written->depth ||
	    (!v->pace.is_paused && !ppi_culprit_bind (v, site, 0, 0, 1, ppi_culprit_around))) {
		ppi_culprit_describe (v, NAN, now_ns);
		return;
	}
	ppi_investigation_gather (v);
	ppi_pace_next_round (v);
	if (!v->n_candidates) {
		ppi_culprit_describe (v, share, now_ns);
		return;
	}
	begin_level (v, now_ns);
	begin_scan (v, now_ns);
}

/* All rounds of the level are over: one of what was found is followed, or it is found. */
static void conclude (struct ppi_investigation *v, uint64_t now_ns)
{
	double best = 0, sum = 0, whole = v->path[v->level].share;
	uint32_t which = 0;

	for (uint32_t i = 0; i < v->n_found; i++) {
		double share = v->found[i].share;

		sum += share;
		if (share > best) {
			best = share;
			which = i;
		}
	}
	if (v->n_found && best >= PPI_CULPRIT_SHARE * whole)
		next_level (v, v->found[which].site, best < whole ? best : whole, now_ns);
	else /* measured one after the other, what is in two of them counts twice */
		ppi_culprit_describe (v,
				      !v->n_found   ? whole
				      : v->is_whole ? whole - sum
						    : NAN,
				      now_ns);
}

/*
 * What holds is compared with: unless there is hardly any, or it is no faster by this measure.
 * False: that can't be told at this level, and could be before.
 */
static bool choose_measure (struct ppi_investigation *v, const struct ppi_culprit_sums *slow,
			    const struct ppi_culprit_sums *fast)
{
	bool no_contrast = fast->executions < 2 ||
			   !(slow->whole / slow->executions > fast->whole / fast->executions);

	if (!v->level && !v->rounds)
		v->by_share = no_contrast;
	return v->by_share || !no_contrast;
}

static void end_round (struct ppi_investigation *v, const struct ppi_culprit_sums *slow,
		       const struct ppi_culprit_sums *fast, bool over, uint64_t now_ns)
{
	bool known = slow->executions >= PPI_CULPRIT_LEAST && choose_measure (v, slow, fast);

	v->violating += slow->executions;
	v->holding += fast->executions;
	/* all that it has seen is kept, and the batch */
	v->goes_on = over && !v->rounds && slow->executions < PPI_CULPRIT_LEAST && !v->is_fresh;
	if (v->goes_on) {
		ppi_culprit_nothing (v, now_ns);
		return;
	}
	for (uint32_t i = 0; i < v->n_batch; i++)
		v->found[v->first_found + i].share = known ? share_of (v, slow, fast, i) : 0;
	v->rounds += known;
	v->first_found += v->n_batch;
	if (v->first_found < v->n_found && !over) {
		ppi_pace_next_round (v);
		begin_round (v, now_ns);
		return;
	}
	for (uint32_t i = v->first_found; i < v->n_found; i++, v->unlooked++)
		v->found[i].share = 0;
	if (v->rounds)
		conclude (v, now_ns);
	else
		ppi_culprit_nothing (v, now_ns);
}

static void end_scan (struct ppi_investigation *v, const struct ppi_culprit_sums *slow,
		      const struct ppi_culprit_sums *fast, bool over, uint64_t now_ns)
{
	if (slow->executions + fast->executions)
		keep_found (v, slow, fast);
	ppi_pace_next_round (v);
	if (over) {
		v->violating += slow->executions;
		v->holding += fast->executions;
		v->unlooked += v->n_candidates - v->next_candidate;
		ppi_culprit_nothing (v, now_ns);
	} else if (v->next_candidate < v->n_candidates) {
		begin_scan (v, now_ns);
	} else {
		begin_measuring (v, now_ns);
	}
}

static bool is_over (const struct ppi_investigation *v, uint64_t now_ns)
{
	uint64_t for_ns = v->action->written->bind.for_ns, paused_ns = v->pace.paused_ns;

	if (v->pace.is_paused)
		paused_ns += now_ns - v->pace.since_ns;
	return now_ns - v->level_ns >= for_ns + paused_ns - v->pace.paused_ns ||
	       paused_ns >= PPI_CULPRIT_STRETCH * for_ns;
}

static bool is_enough (const struct ppi_investigation *v, const struct ppi_culprit_sums *slow,
		       const struct ppi_culprit_sums *fast, uint64_t now_ns)
{
	/* what is measured all together has all the time of the level */
	uint64_t patience = v->action->written->bind.for_ns / (!v->is_measuring ? 8
							       : v->is_whole    ? 1
										: 2);
	uint32_t all = slow->executions + fast->executions, samples = slow->samples + fast->samples;

	if (now_ns - v->phase_ns >= patience)
		return true;
	/* one in many: some of them, unless it is seen that it does not run there */
	if (v->pace.every > 1 && samples < PPI_CULPRIT_SAMPLES &&
	    (samples || all < 2 * PPI_CULPRIT_ENOUGH))
		return false;
	if (!v->is_measuring)
		return all >= PPI_CULPRIT_SCAN;
	return (slow->executions >= PPI_CULPRIT_ENOUGH && fast->executions >= PPI_CULPRIT_ENOUGH) ||
	       (slow->executions >= PPI_CULPRIT_ALONE && !fast->executions);
}

/* Ends the phase if it is time. */
static void look (struct ppi_investigation *v, enum ppi_pace_result pace, bool over,
		  uint64_t now_ns)
{
	struct ppi_culprit_sums slow = {0}, fast = {0};
	bool is_known = !v->is_fresh;

	if (is_known && !ppi_culprit_take (v, &slow, &fast))
		return;
	v->pace.executions = slow.executions + fast.executions;
	v->is_often = v->is_often || ppi_load (&v->parts) >= PPI_CULPRIT_PARTS;
	if (pace != PPI_PACE_TOO_DEAR && !over &&
	    (pace != PPI_PACE_ON || !is_known || !is_enough (v, &slow, &fast, now_ns)))
		return;
	if (v->is_measuring)
		end_round (v, &slow, &fast, over, now_ns);
	else
		end_scan (v, &slow, &fast, over, now_ns);
	if (running && !v->pace.is_paused)
		ppi_pace_wait (v, now_ns);
}

/* Goes on with the one that runs [lock]. */
static uint64_t go_on_with (struct ppi_investigation *v, uint64_t now_ns)
{
	enum ppi_pace_result pace;

	if (!v)
		return UINT64_MAX;
	pace = ppi_pace_look (v, now_ns);
	start_phase (v);
	if (pace == PPI_PACE_GONE)
		ppi_culprit_nothing (v, now_ns);
	else
		look (v, pace, is_over (v, now_ns), now_ns);
	if (running)
		start_phase (running);
	return running && !ppi_is_asleep () ? now_ns + PPI_TICK_NS : UINT64_MAX;
}

static uint64_t tick (uint64_t now_ns)
{
	uint64_t next;

	ppi_lock ();
	next = go_on_with (running, now_ns);
	ppi_unlock ();
	return next;
}

static uint64_t after_tick (uint64_t now_ns, bool polled)
{
	(void) now_ns;
	(void) polled;
	ppi_culprits_free ();
	return UINT64_MAX;
}

/* ---- coming and going ------------------------------------------------------------------------ */

/* Is METRIC's source one of the library's or the program's that adds up along nested intervals? */
static bool adds_up (const struct ppi_metric_spec *spec)
{
	return spec->kind == PP_ABI_SITE_INTERVAL && !spec->begin &&
	       strncmp (spec->source, "dim:", 4) != 0 &&
	       strncmp (spec->source, "constant", 8) != 0 && strcmp (spec->source, "value") != 0;
}

/*
 * What is measured: the source of the first metric of the condition, where that adds up, else the
 * time
 */
static const char *find_source (struct ppi_investigation *v)
{
	const struct ppi_program *program = v->assertion->program;
	const char *source = NULL;

	for (size_t i = 0; i < program->n_references; i++) {
		const struct ppi_ref *ref = &program->references[i];

		if (ref->kind != PPI_REF_METRIC || !ref->target || pp_unavailable (ref->target))
			continue;
		if (!source && adds_up (ppi_metric_spec_of (ref->target)))
			source = ppi_metric_spec_of (ref->target)->source;
	}
	return source ? source : "elapsed";
}

static int make_probe (struct ppi_investigation *v, char *why, size_t room)
{
	struct ppi_metric_spec spec = {.kind = PP_ABI_SITE_INTERVAL,
				       .accumulator = PPI_STATS,
				       .source = find_source (v),
				       .where = v->assertion->policy->policy->path,
				       .optional = true};
	char name[160];
	int error;

	snprintf (name, sizeof name, "investigate_%s", v->assertion->name);
	spec.name = name;
	error = ppi_metric_declare (&spec, &v->probe, why, room);
	v->has_probe = error >= 0;
	return error;
}

struct ppi_investigation *ppi_investigation_create (struct ppi_assertion *assertion,
						    struct ppi_action *action)
{
	struct ppi_investigation *v = calloc (1, sizeof *v);

	if (!v)
		return NULL;
	v->assertion = assertion;
	v->action = action;
	v->candidate = calloc (PPI_CULPRIT_CANDIDATES, sizeof (pp_site *));
	if (v->candidate)
		return v;
	free (v);
	return NULL;
}

void ppi_investigation_destroy (struct ppi_investigation *v)
{
	if (!v)
		return;
	free (v->candidate);
	free (v);
}

/*
 * Where it was when the time was over, with what it had seen. False: something of that can't be
 * bound any more.
 */
static bool go_on (struct ppi_investigation *v, uint64_t now_ns)
{
	v->goes_on = false;
	ppi_pace_begin (v, now_ns);
	begin_level (v, now_ns);
	v->phase_ns = now_ns;
	ppi_store (&v->parts, 0);
	if (!ppi_culprits_bind_batch (v, true)) {
		ppi_culprits_unbind (v, true);
		return false;
	}
	running = v;
	return true;
}

void ppi_investigation_begin (struct ppi_investigation *v, pp_site *site, uint64_t now_ns)
{
	struct ppi_statics statics;
	char why[256] = "";

	/* an assertion that fires all the time is not investigated all the time */
	if (running || !site ||
	    (v->ended_ns &&
	     now_ns - v->ended_ns < PPI_CULPRIT_PAUSE * v->action->written->bind.for_ns))
		return;
	/* its policy is going, or being replaced: then the assertion's next version begins */
	if (!v->assertion->checks) {
		v->postponed = site;
		return;
	}
	if (make_probe (v, why, sizeof why) < 0) {
		ppi_message ("error: '%s' can't be investigated: %s", v->assertion->name, why);
		return;
	}
	statics = ppi_site_statics (site);
	memcpy (v->statics, statics.value, sizeof v->statics);
	memset (v->cell, 0, sizeof v->cell);
	if (v->goes_on && v->site == site && go_on (v, now_ns))
		return;
	v->site = v->path[0].site = site;
	v->path[0].share = 1;
	v->level = 0;
	v->unlooked = v->missed = 0;
	v->by_share = v->goes_on = false;
	v->n_batch = v->n_bound = 0;
	v->is_waiting = false;
	ppi_pace_begin (v, now_ns);
	begin_level (v, now_ns);
	ppi_investigation_gather (v);
	if (!v->n_candidates || !ppi_culprit_bind (v, site, 0, 0, 1, ppi_culprit_whole)) {
		ppi_culprit_describe (v, NAN, now_ns);
		return;
	}
	running = v;
	begin_scan (v, now_ns);
}

void ppi_investigation_urge (void)
{
	if (running)
		running->pace.is_urged = true;
}

bool ppi_investigation_measures (const char *metric)
{
	return running && running->has_probe &&
	       strcmp (ppi_metric_spec_of (running->probe)->name, metric) == 0;
}

void ppi_investigation_end (struct ppi_investigation *v)
{
	__atomic_store_n (&v->phase, 0, __ATOMIC_RELEASE);
	ppi_culprits_unbind (v, true);
	/* a marker may be reading it still: metrics are never freed */
	if (v->has_probe)
		ppi_metric_release (v->probe);
	v->has_probe = false;
	if (running == v)
		running = NULL;
}

void ppi_investigation_interrupt (struct ppi_investigation *v)
{
	if (running == v)
		v->postponed = v->site;
	ppi_investigation_end (v);
}

void ppi_investigation_hand_over (struct ppi_investigation *to, struct ppi_investigation *from)
{
	if (from->ended_ns)
		to->ended_ns = from->ended_ns;
	if (from->postponed)
		to->postponed = from->postponed;
	from->postponed = NULL;
}

void ppi_investigation_resume (struct ppi_investigation *v, uint64_t now_ns)
{
	pp_site *site = v->postponed;

	v->postponed = NULL;
	if (site)
		ppi_investigation_begin (v, site, now_ns);
}

static void forget_parents (void)
{
	if (!running)
		return;
	running->busy = 0; /* whoever had it is in the parent */
	ppi_investigation_end (running);
}

const struct ppi_part ppi_investigation_part = {
	.fork_child = forget_parents, .tick = tick, .after_tick = after_tick};
