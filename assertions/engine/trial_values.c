/* SPDX-License-Identifier: MIT */
/*
 * trial_values.c: what the references of expressions are at a moment of a recording. A statistic
 * since the start is the recording's; over a window it is what was added since the moment at which
 * the window begins.
 */
#include "assertions/engine/trial_int.h"

#include "base/memory.h"
#include "recording/span.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct evaluation {
	const struct ppi_trial_open *open;
	const struct ppi_trial_checked *checked;
	uint64_t now_ns;
};

static void summarize (const struct ppi_trial_open *open, const struct ppi_trial_ref *ref,
		       struct ppi_summary *out)
{
	ppi_recording_summary (ppi_replay_recording (open->replay), ref->metric, ref->site, out);
}

/*
 * Where its window begins: the newest moment that is so long ago. Copies come a little early or
 * late, so half of their interval is nothing. NULL: all since the start, or since the first values,
 * where those before have been given up (max_size).
 */
static const struct ppi_trial_moment *begin_of (const struct evaluation *e,
						const struct ppi_trial_ref *ref)
{
	const struct ppi_trial_times *times = &e->open->times;
	const struct ppi_trial_moment *begin = NULL;
	uint64_t reach_ns = e->now_ns + times->interval_ns / 2;

	for (size_t i = 0; i < ref->n && ref->moment[i].ns + ref->window_ns <= reach_ns; i++)
		begin = &ref->moment[i];
	if (!begin && ref->n && times->first_ns - times->start_ns > 4 * times->interval_ns)
		begin = &ref->moment[0];
	return begin;
}

static double over_window (const struct evaluation *e, const struct ppi_trial_ref *ref,
			   const struct ppi_summary *now, double scale)
{
	const struct ppi_trial_moment *begin = begin_of (e, ref);
	uint64_t from_ns = begin ? begin->ns : e->open->times.start_ns;
	/* a reset began it anew */
	const struct ppi_summary *then =
		begin && begin->epoch == ref->metric->epoch ? &begin->summary : NULL;
	struct ppi_summary span;
	double value = NAN;

	if (ppi_span_between (now, then, (double) (e->now_ns - from_ns) * 1e-9, &span)) {
		value = ppi_summary_get (&span, ref->statistic, scale);
		ppi_summary_clear (&span);
	}
	return value;
}

static double load (const struct ppi_ref *reference, void *arg)
{
	const struct evaluation *e = arg;
	const struct ppi_trial_ref *ref =
		&e->checked->ref[reference - e->checked->policy->program->references];
	const struct ppi_recording *recording = ppi_replay_recording (e->open->replay);
	struct ppi_summary now;
	double scale, value;

	if (!ref->metric)
		return reference->cache;
	scale = ppi_recording_scale (recording, ref->metric);
	summarize (e->open, ref, &now);
	value = ref->window_ns ? over_window (e, ref, &now, scale)
			       : ppi_summary_get (&now, ref->statistic, scale);
	ppi_summary_clear (&now);
	return value;
}

struct ppi_verdict ppi_trial_evaluate (const struct ppi_trial_open *open,
				       const struct ppi_trial_checked *c, uint64_t now_ns)
{
	struct evaluation e = {open, c, now_ns};

	return ppi_program_run (c->policy->program, load, &e);
}

bool ppi_trial_is_still (const struct ppi_trial_open *open, const struct ppi_trial_checked *c,
			 uint64_t now_ns)
{
	for (size_t i = 0; i < c->policy->program->n_references; i++) {
		const struct ppi_trial_ref *ref = &c->ref[i];
		const struct ppi_trial_moment *newest = ref->n ? &ref->moment[ref->n - 1] : NULL;

		if (!ref->metric)
			continue;
		/* that of the same number of executions falls as time goes by */
		if (ref->statistic == PP_STAT_RATE)
			return false;
		if (ref->window_ns && newest &&
		    newest->ns + ref->window_ns > now_ns + open->times.interval_ns / 2)
			return false;
	}
	return true;
}

/* The oldest go that no window begins at any more, once they are half of all. */
static void drop_old (struct ppi_trial_ref *ref, uint64_t now_ns)
{
	size_t gone = 0;

	while (gone + 1 < ref->n && ref->moment[gone + 1].ns + ref->window_ns < now_ns)
		gone++;
	if (!gone || 2 * gone < ref->n)
		return;
	for (size_t i = 0; i < gone; i++)
		ppi_summary_clear (&ref->moment[i].summary);
	memmove (ref->moment, ref->moment + gone, (ref->n - gone) * sizeof *ref->moment);
	ref->n -= gone;
}

bool ppi_trial_note (const struct ppi_trial_open *open, struct ppi_trial_checked *c,
		     uint64_t now_ns)
{
	for (size_t i = 0; i < c->policy->program->n_references; i++) {
		struct ppi_trial_ref *ref = &c->ref[i];
		struct ppi_trial_moment *more;

		if (!ref->metric || !ref->window_ns)
			continue;
		drop_old (ref, now_ns);
		more = ppi_list_reach (ref->moment, ref->n, &ref->room, sizeof *more);
		if (!more)
			return false;
		ref->moment = more;
		more[ref->n].ns = now_ns;
		more[ref->n].epoch = ref->metric->epoch;
		summarize (open, ref, &more[ref->n++].summary);
	}
	return true;
}

void ppi_trial_forget (struct ppi_trial_checked *c)
{
	for (size_t i = 0; c->ref && i < c->policy->program->n_references; i++) {
		for (size_t k = 0; k < c->ref[i].n; k++)
			ppi_summary_clear (&c->ref[i].moment[k].summary);
		free (c->ref[i].moment);
	}
	free (c->ref);
}
