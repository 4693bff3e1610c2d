/* SPDX-License-Identifier: MIT */
/* investigate.c: the phases of an investigation, by the owner of the tick. See investigate.h. */
#include "investigate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static struct ppi_investigation *running; /* [lock] */
static struct ppi_culprit_check *gone;    /* detached, to be freed [lock] */

/* ---- binding ----------------------------------------------------------------------------------------------------- */

/* The site's full name as a pattern that means nothing else. False: it is too long */
static bool exact_pattern (const pp_site *site, char *out, size_t room)
{
	size_t used = 0;

	for (const char *p = pp_site_name (site); *p; p++) {
		if (used + 3 > room)
			return false;
		if (*p == '*' || *p == '\\')
			out[used++] = '\\';
		out[used++] = *p;
	}
	out[used] = '\0';
	return true;
}

/* RUN NULL: it is only bound, so that it has a frame. False: it can't be (several sites of that name, code that can't be changed) */
static bool take_in (struct ppi_investigation *v, pp_site *site, uint32_t phase, uint32_t number,
		     void (*run) (struct ppi_check *check, struct ppi_thread *thread, pp_site *site))
{
	struct ppi_culprit_check *c = calloc (1, sizeof *c);
	char pattern[1024], why[256];

	if (!c || !exact_pattern (site, pattern, sizeof pattern) ||
	    ppi_rule_create (v->probe, pattern, 1, &c->rule, why, sizeof why) < 1) {
		if (c && c->rule)
			ppi_rule_destroy (c->rule);
		free (c);
		return false;
	}
	c->check.run = run;
	c->of = v;
	c->site = site;
	c->phase = phase;
	c->number = number;
	if (run && ppi_check_attach (site, &c->check) < 0) {
		ppi_rule_destroy (c->rule);
		free (c);
		return false;
	}
	c->next = v->checks;
	v->checks = c;
	return true;
}

/* What belongs to the batch, or (ALL) everything */
static void let_go (struct ppi_investigation *v, bool all)
{
	ppi_batch_begin ();
	for (struct ppi_culprit_check **where = &v->checks, *c; (c = *where);) {
		if (!all && !c->phase) {
			where = &c->next;
			continue;
		}
		if (c->check.run)
			ppi_check_detach (c->site, &c->check);
		ppi_rule_destroy (c->rule);
		*where = c->next;
		c->next = gone;
		gone = c;
	}
	ppi_batch_end ();
}

void ppi_investigation_sweep (void)
{
	static const struct ppi_gone what = {offsetof (struct ppi_culprit_check, next), NULL, free, 100};

	ppi_gone_free ((void **) &gone, &what);
}

/* ---- candidates -------------------------------------------------------------------------------------------------- */

/* How near two sites are in the source: 0 the same function, 1 the same file, 2 the same module, 3 elsewhere */
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

/* The intervals that may be nested in the last one of the path, the nearest in the source first */
static void gather (struct ppi_investigation *v)
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

/* ---- phases ------------------------------------------------------------------------------------------------------ */

static pp_site *parent_of (const struct ppi_investigation *v)
{
	return v->path[v->level].site;
}

/* Those of SITE[N] that can be bound are the batch, and a phase begins */
static void begin_phase (struct ppi_investigation *v, pp_site *const *site, size_t n, bool measure, uint64_t now_ns)
{
	let_go (v, false);
	v->n_batch = 0;
	v->phase_number++;
	v->phase_number += !v->phase_number;
	ppi_batch_begin ();
	for (size_t i = 0; i < n; i++)
		if (take_in (v, site[i], v->phase_number, v->n_batch, ppi_culprit_part))
			v->batch[v->n_batch++] = site[i];
	ppi_batch_end ();
	v->is_measuring = measure;
	v->phase_ns = now_ns;
	v->is_waiting = true;
}

/*
 * Lets executions count. Not at once: actions are performed in a batch, at the end of which the markers are switched on, and executions before that would
 * have no parts.
 */
static void start_phase (struct ppi_investigation *v)
{
	if (v->is_waiting)
		v->is_waiting = !ppi_culprit_reset (v, v->phase_number, parent_of (v));
}

static void begin_scan (struct ppi_investigation *v, uint64_t now_ns)
{
	size_t left = v->n_candidates - v->next_candidate, n = left < PPI_CULPRIT_BATCH ? left : PPI_CULPRIT_BATCH;
	/* all of them at once: they need not be looked at first */
	bool measure = !v->next_candidate && n == left;

	v->next_candidate += n;
	begin_phase (v, &v->candidate[v->next_candidate - n], n, measure, now_ns);
}

static void begin_measuring (struct ppi_investigation *v, uint64_t now_ns)
{
	pp_site *site[PPI_CULPRIT_BATCH];

	for (uint32_t i = 0; i < v->n_found; i++)
		site[i] = v->found[i].site;
	begin_phase (v, site, v->n_found, true, now_ns);
}

/* Keeps those that take most */
static void keep_found (struct ppi_investigation *v, const struct ppi_culprit_sums *slow,
			const struct ppi_culprit_sums *fast)
{
	for (uint32_t i = 0; i < v->n_batch; i++) {
		double mean = (slow->part[i] + fast->part[i]) / (slow->executions + fast->executions);
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

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* Tells TEXT, ends */
static void finish (struct ppi_investigation *v, const char *text, double share, uint64_t now_ns)
{
	struct ppi_assertion *a = v->assertion;
	int used;

	snprintf (a->culprit, sizeof a->culprit, "%s", v->level ? pp_site_name (parent_of (v)) : "");
	a->culprit_share = v->level ? share : NAN;
	used = snprintf (a->culprit_text, sizeof a->culprit_text, "%s", text);
	if (v->over_budget > 0 && used > 0 && (size_t) used < sizeof a->culprit_text)
		snprintf (a->culprit_text + used, sizeof a->culprit_text - (size_t) used,
			  "; stopped: with what it measured markers took %.3g %% of a thread's time, the budget is "
			  "%.3g %%",
			  v->over_share * 100, v->over_budget * 100);
	ppi_investigation_end (v);
	v->ended_ns = now_ns;
	ppi_investigated (a, v->site, now_ns);
}

static void describe (struct ppi_investigation *v, double itself, uint64_t now_ns)
{
	const char *what = v->by_share ? "of all its time" : "of what is too slow";
	char text[PPI_CULPRIT_BYTES];
	size_t used;

	if (strcmp (ppi_metric_spec_of (v->probe)->source, "elapsed") != 0)
		what = v->by_share ? "of all of it" : "of what is too much";
	if (!v->level)
		used = (size_t) snprintf (text, sizeof text, "no interval inside %s is most %s", pp_site_name (v->site),
					  what);
	else
		used = (size_t) snprintf (text, sizeof text, "%.0f %% %s is in %s", 100 * v->path[v->level].share, what,
					  pp_site_name (parent_of (v)));
	if (v->level && isfinite (itself) && used < sizeof text)
		used += (size_t) snprintf (text + used, sizeof text - used, ", %.0f %% by itself", 100 * itself);
	for (uint32_t i = v->level; i-- > 1 && used < sizeof text;)
		used += (size_t) snprintf (text + used, sizeof text - used, "%s %s (%.0f %%)",
					   i == v->level - 1 ? "; inside" : ", inside", pp_site_name (v->path[i].site),
					   100 * v->path[i].share);
	if (v->by_share && used < sizeof text)
		used += (size_t) snprintf (text + used, sizeof text - used, "; no execution held meanwhile");
	if (v->unlooked && used < sizeof text)
		snprintf (text + used, sizeof text - used, "; %llu intervals were not looked at",
			  (unsigned long long) v->unlooked);
	finish (v, text, v->path[v->level].share, now_ns);
}

static void nothing_to_tell (struct ppi_investigation *v, uint64_t now_ns)
{
	char text[PPI_CULPRIT_BYTES];

	if (v->level)
		describe (v, NAN, now_ns);
	else {
		snprintf (text, sizeof text,
			  "too few executions of %s violated it meanwhile to tell what is too slow%s",
			  pp_site_name (v->site),
			  v->is_cut ? "; what may run in it runs too often to be measured longer" : "");
		finish (v, text, NAN, now_ns);
	}
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

static void next_level (struct ppi_investigation *v, pp_site *site, double share, uint64_t now_ns)
{
	v->level++;
	v->path[v->level].site = site;
	v->path[v->level].share = share;
	let_go (v, false);
	/* it stays bound, so that it has a frame in which its own are seen */
	if (v->over_budget > 0 || v->level == PPI_CULPRIT_DEPTH || v->level == v->action->written->depth ||
	    !take_in (v, site, 0, 0, NULL)) {
		describe (v, NAN, now_ns);
		return;
	}
	gather (v);
	if (v->n_candidates)
		begin_scan (v, now_ns);
	else
		describe (v, share, now_ns);
}

static void decide (struct ppi_investigation *v, const struct ppi_culprit_sums *slow,
		    const struct ppi_culprit_sums *fast, uint64_t now_ns)
{
	double best = 0, sum = 0, whole = v->path[v->level].share;
	uint32_t which = 0;
	bool no_contrast;

	if (slow->executions < 2) {
		nothing_to_tell (v, now_ns);
		return;
	}
	/* what holds is compared with: unless there is hardly any, or it is no faster by this measure */
	no_contrast = fast->executions < 2 || !(slow->whole / slow->executions > fast->whole / fast->executions);
	if (!v->level)
		v->by_share = no_contrast;
	else if (no_contrast && !v->by_share) {
		describe (v, NAN, now_ns);
		return;
	}
	for (uint32_t i = 0; i < v->n_batch; i++) {
		double share = share_of (v, slow, fast, i);

		sum += share;
		if (share > best) {
			best = share;
			which = i;
		}
	}
	if (v->n_batch && best >= PPI_CULPRIT_SHARE * whole)
		next_level (v, v->batch[which], best < whole ? best : whole, now_ns);
	else
		describe (v, v->n_batch ? whole - sum : whole, now_ns);
}

static bool is_enough (const struct ppi_investigation *v, const struct ppi_culprit_sums *slow,
		       const struct ppi_culprit_sums *fast, uint64_t now_ns)
{
	uint64_t patience = v->action->written->bind.for_ns / (v->is_measuring ? 2 : 8);
	uint32_t all = slow->executions + fast->executions;

	if (v->over_budget > 0 || ppi_relaxed (&v->parts) >= PPI_CULPRIT_PARTS ||
	    now_ns - v->begun_ns >= v->action->written->bind.for_ns || now_ns - v->phase_ns >= patience ||
	    all >= PPI_CULPRIT_MANY)
		return true;
	if (!v->is_measuring)
		return all >= PPI_CULPRIT_SCAN;
	return (slow->executions >= PPI_CULPRIT_ENOUGH && fast->executions >= PPI_CULPRIT_ENOUGH) ||
	       (slow->executions >= PPI_CULPRIT_ALONE && !fast->executions);
}

uint64_t ppi_investigation_tick (uint64_t now_ns)
{
	struct ppi_investigation *v = running;
	struct ppi_culprit_sums slow, fast;
	bool over;

	if (!v)
		return UINT64_MAX;
	start_phase (v);
	if (v->is_waiting || !ppi_culprit_take (v, &slow, &fast) || !is_enough (v, &slow, &fast, now_ns))
		return now_ns + PPI_TICK_NS;
	v->is_cut = v->is_cut || ppi_relaxed (&v->parts) >= PPI_CULPRIT_PARTS;
	over = v->over_budget > 0 || now_ns - v->begun_ns >= v->action->written->bind.for_ns;
	if (v->is_measuring) {
		decide (v, &slow, &fast, now_ns);
	} else {
		if (slow.executions + fast.executions)
			keep_found (v, &slow, &fast);
		if (over)
			v->unlooked += v->n_candidates - v->next_candidate;
		if (v->next_candidate < v->n_candidates && !over)
			begin_scan (v, now_ns);
		else if (over)
			nothing_to_tell (v, now_ns);
		else
			begin_measuring (v, now_ns);
	}
	if (running)
		start_phase (running);
	return running ? now_ns + PPI_TICK_NS : UINT64_MAX;
}

/* ---- coming and going -------------------------------------------------------------------------------------------- */

/* Is METRIC's source one of the library's or the program's that adds up along nested intervals? */
static bool adds_up (const struct ppi_metric_spec *spec)
{
	return spec->kind == PP_ABI_SITE_INTERVAL && !spec->begin && strncmp (spec->source, "dim:", 4) != 0 &&
	       strncmp (spec->source, "constant", 8) != 0 && strcmp (spec->source, "value") != 0;
}

/* What is measured: the source of the first metric of the condition, where that adds up, else the time */
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

struct ppi_investigation *ppi_investigation_create (struct ppi_assertion *assertion, struct ppi_action *action)
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

void ppi_investigation_begin (struct ppi_investigation *v, pp_site *site, uint64_t now_ns)
{
	struct ppi_statics statics;
	char why[256] = "";

	/* an assertion that fires all the time is not investigated all the time */
	if (running || !site ||
	    (v->ended_ns && now_ns - v->ended_ns < PPI_CULPRIT_PAUSE * v->action->written->bind.for_ns))
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
	v->site = v->path[0].site = site;
	v->path[0].share = 1;
	v->level = 0;
	v->unlooked = v->missed = 0;
	v->by_share = v->is_cut = false;
	v->over_share = v->over_budget = 0;
	v->begun_ns = now_ns;
	memset (v->cell, 0, sizeof v->cell);
	gather (v);
	if (!v->n_candidates || !take_in (v, site, 0, 0, ppi_culprit_whole)) {
		describe (v, NAN, now_ns);
		return;
	}
	running = v;
	begin_scan (v, now_ns);
}

void ppi_investigation_stop (double share, double budget)
{
	if (!running || running->over_budget > 0)
		return;
	running->over_share = share;
	running->over_budget = budget;
}

bool ppi_investigation_measures (const char *metric)
{
	return running && running->has_probe && strcmp (ppi_metric_spec_of (running->probe)->name, metric) == 0;
}

void ppi_investigation_end (struct ppi_investigation *v)
{
	__atomic_store_n (&v->phase, 0, __ATOMIC_RELEASE);
	let_go (v, true);
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

void ppi_investigation_after_fork (void)
{
	if (!running)
		return;
	running->busy = 0; /* whoever had it is in the parent */
	ppi_investigation_end (running);
}
