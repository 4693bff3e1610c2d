/* SPDX-License-Identifier: MIT */
/* adapt.c: see adapt.h. */
#include "assertions/react/adapt.h"

#include "assertions/engine/assertions.h"
#include "assertions/engine/knob.h"
#include "assertions/engine/link.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/state.h"

#include "base/chunk.h"
#include "base/lock.h"
#include "base/part.h"
#include "base/types.h"
#include "libmetrics/region/history.h"
#include "libmetrics/region/region.h"
#include "libmetrics/stats/stat.h"
#include "recording/layout.h"
#include "recording/names.h"
#include "base/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 4u /* a window begins that part of itself after its variant */

static uint32_t n_described;

/* ---- the recording --------------------------------------------------------------------------- */

static void set_double (double *where, double value)
{
	__atomic_store (where, &value, __ATOMIC_RELAXED);
}

/* What people read is in the objective's own sense */
static double own_sense (const struct ppi_adapt *adapt, double y)
{
	return adapt->chooser.maximise ? -y : y;
}

static void renew (struct ppi_adapt *adapt)
{
	const struct ppi_chooser *c = &adapt->chooser;
	struct ppi_adapt_chunk *chunk = adapt->chunk;

	if (!chunk)
		return;
	ppi_store (&chunk->state, (uint32_t) c->state);
	ppi_store (&chunk->best, c->best);
	ppi_store (&chunk->current, c->current);
	ppi_store (&chunk->windows, adapt->windows);
	ppi_store (&chunk->settled, adapt->settled);
	ppi_store (&chunk->degraded, adapt->degraded);
	ppi_store (&chunk->better, adapt->better);
	ppi_store (&chunk->empty, adapt->empty);
	ppi_store (&chunk->disturbed, adapt->disturbed);
	ppi_store (&chunk->since_ns, adapt->since_ns);
	set_double (&chunk->newest, adapt->newest);
	for (uint32_t i = 0; i < c->variants; i++) {
		const struct ppi_variant *v = &c->variant[i];

		set_double (&chunk->variant[i].mean, v->n ? own_sense (adapt, v->mean) : NAN);
		set_double (&chunk->variant[i].margin, v->n > 1 ? ppi_choose_margin (v) : NAN);
		ppi_store (&chunk->variant[i].windows, v->windows);
		ppi_store (&chunk->variant[i].out, v->out);
	}
}

/* Where in the chunk the knob's name lies; the objective follows it. */
static size_t knob_at (const struct ppi_adapt *adapt)
{
	return sizeof *adapt->chunk + adapt->chooser.variants * sizeof adapt->chunk->variant[0];
}

static size_t chunk_bytes (const struct ppi_adapt *adapt)
{
	return knob_at (adapt) + strlen (adapt->knob->name) + 1 + strlen (adapt->program->text) + 1;
}

void ppi_adapt_describe (struct ppi_adapt *adapt)
{
	size_t knob = knob_at (adapt), objective = knob + strlen (adapt->knob->name) + 1;
	struct ppi_adapt_chunk *chunk = ppi_region_alloc (chunk_bytes (adapt));

	adapt->chunk = chunk;
	ppi_link (adapt->program);
	if (!chunk)
		return;
	chunk->variants = adapt->chooser.variants;
	chunk->maximise = adapt->chooser.maximise;
	chunk->knob = (uint32_t) knob;
	chunk->objective = (uint32_t) objective;
	chunk->seconds = adapt->dimension.seconds;
	chunk->bytes = adapt->dimension.bytes;
	for (uint32_t i = 0; i < chunk->variants; i++)
		chunk->variant[i].value = adapt->value[i];
	strcpy ((char *) chunk + knob, adapt->knob->name);
	strcpy ((char *) chunk + objective, adapt->program->text);
	renew (adapt);
	ppi_region_publish (&chunk->chunk, PPI_CHUNK_ADAPT, ++n_described);
}

static const char *shown (const struct ppi_adapt *adapt, uint32_t variant, char *out, size_t room)
{
	return ppi_knob_format (adapt->knob->words, adapt->value[variant], out, room);
}

static const char *amount (const struct ppi_adapt *adapt, const struct ppi_variant *v, char *out,
			   size_t room)
{
	char mean[40], margin[40];

	if (!v->n)
		snprintf (out, room, "no samples");
	else if (v->n < 2)
		snprintf (out, room, "%s",
			  ppi_quantity_format (own_sense (adapt, v->mean), adapt->dimension, mean,
					       sizeof mean));
	else
		snprintf (out, room, "%s ± %s",
			  ppi_quantity_format (own_sense (adapt, v->mean), adapt->dimension, mean,
					       sizeof mean),
			  ppi_quantity_format (ppi_choose_margin (v), adapt->dimension, margin,
					       sizeof margin));
	return out;
}

static void tell (const struct ppi_adapt *adapt, const char *text)
{
	ppi_history (PPI_HISTORY_ADAPT, adapt->knob->name, text, NULL, 0);
}

/* "settled on cubic: render.avg 1.2 ms +- 10 us; box 3 ms +- …, linear no samples" */
static void tell_settled (const struct ppi_adapt *adapt)
{
	const struct ppi_chooser *c = &adapt->chooser;
	char text[512], name[64], figure[96];
	size_t used;

	used = (size_t) snprintf (text, sizeof text, "settled on %s: %s",
				  shown (adapt, c->best, name, sizeof name),
				  amount (adapt, &c->variant[c->best], figure, sizeof figure));
	for (uint32_t i = 0; i < c->variants && used < sizeof text; i++)
		if (i != c->best)
			used += (size_t) snprintf (
				text + used, sizeof text - used, "; %s %s",
				shown (adapt, i, name, sizeof name),
				amount (adapt, &c->variant[i], figure, sizeof figure));
	tell (adapt, text);
}

/* BEST is what was settled on when DECISION was made, WITH ran then, and VALUE was measured */
static void tell_decision (const struct ppi_adapt *adapt, enum ppi_choice decision, uint32_t best,
			   uint32_t with, double was, double value)
{
	char text[256], name[64], other[64], now[40], then[40];

	shown (adapt, best, name, sizeof name);
	shown (adapt, with, other, sizeof other);
	ppi_quantity_pair (value, was, adapt->dimension, now, then, sizeof now);
	switch (decision) {
	case PPI_CHOICE_DEGRADED:
		snprintf (text, sizeof text, "%s has degraded: %s, it was %s; all are tried again",
			  name, now, then);
		break;
	case PPI_CHOICE_BETTER:
		snprintf (text, sizeof text,
			  "%s seems better than %s: %s, not %s; all are tried again", other, name,
			  now, then);
		break;
	case PPI_CHOICE_WAITING:
		snprintf (text, sizeof text, "too few samples with any value; it waits for some");
		break;
	default:
		snprintf (text, sizeof text, "there are samples again, with %s: all are tried",
			  other);
		break;
	}
	tell (adapt, text);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* The fewest samples that a metric of the objective had in the window; NaN: none of them counts */
static double samples_of (const struct ppi_adapt *adapt)
{
	double least = NAN;

	for (size_t i = 0; i < adapt->program->n_references; i++) {
		const struct ppi_ref *ref = &adapt->program->references[i];

		if (ref->window)
			least = fmin (least,
				      ppi_window_stat (ref->window, ref->place, PP_STAT_COUNT));
	}
	return least;
}

static bool is_at (const struct ppi_adapt *adapt, uint32_t variant)
{
	return ppi_knob_value (adapt->knob) == adapt->value[variant];
}

static void begin (struct ppi_adapt *adapt, uint64_t now_ns)
{
	uint32_t variant = adapt->chooser.current;
	struct ppi_turn turn = {.set = true, .value = adapt->value[variant], .by = "adaptation"};
	bool turned = !is_at (adapt, variant) && ppi_knob_turn (adapt->knob, &turn, now_ns);

	adapt->due_ns = now_ns + adapt->window_ns;
	/* the first window of all, too, may have executions in it that began before */
	if (turned || !adapt->begun_ns)
		adapt->due_ns += adapt->window_ns / GUARD;
	adapt->begun_ns = now_ns;
}

static void decided (struct ppi_adapt *adapt, enum ppi_choice decision, uint32_t best,
		     uint32_t with, uint64_t now_ns)
{
	const struct ppi_chooser *c = &adapt->chooser;
	double was = own_sense (adapt, decision == PPI_CHOICE_BETTER ? c->recent : c->reference);

	adapt->since_ns = now_ns;
	adapt->settled += decision == PPI_CHOICE_SETTLED;
	adapt->degraded += decision == PPI_CHOICE_DEGRADED;
	adapt->better += decision == PPI_CHOICE_BETTER;
	if (decision == PPI_CHOICE_SETTLED)
		tell_settled (adapt);
	else
		tell_decision (adapt, decision, best, with, was, adapt->newest);
}

static void end (struct ppi_adapt *adapt, uint64_t now_ns)
{
	struct ppi_chooser *c = &adapt->chooser;
	uint32_t best = c->best, with = c->current;
	double value = NAN;
	enum ppi_choice decision;

	if (!(samples_of (adapt) < (double) adapt->samples))
		value = ppi_program_run (adapt->program, ppi_load_merged, NULL).value;
	adapt->windows++;
	adapt->empty += isfinite (value) ? 0 : 1;
	adapt->newest = value;
	decision = ppi_choose_feed (c, value);
	if (decision != PPI_CHOICE_NONE)
		decided (adapt, decision, best, with, now_ns);
}

/*
 * What a knob with a setter says takes effect with the setter, which may take its time: the window
 * begins behind it
 */
static void wait_for_setter (struct ppi_adapt *adapt, uint64_t now_ns)
{
	uint64_t told_ns = ppi_knob_told_ns (adapt->knob, now_ns);

	if (!adapt->begun_ns || told_ns <= adapt->begun_ns ||
	    !is_at (adapt, adapt->chooser.current))
		return;
	adapt->begun_ns = told_ns;
	adapt->due_ns = told_ns + adapt->window_ns + adapt->window_ns / GUARD;
}

/* Ends and begins windows; when it wants to look again [lock]. */
static uint64_t look (struct ppi_adapt *adapt, uint64_t now_ns)
{
	if (!adapt->knob->record) {
		/* its module is away: nothing can be tried; when it comes back a window begins */
		adapt->begun_ns = 0;
		return now_ns + adapt->window_ns;
	}
	wait_for_setter (adapt, now_ns);
	if (adapt->begun_ns && now_ns < adapt->due_ns)
		return adapt->due_ns;
	if (adapt->begun_ns && !is_at (adapt, adapt->chooser.current)) {
		/* somebody else turned it: nobody knows with what this window ran */
		adapt->disturbed++;
		if (!adapt->is_apart)
			tell (adapt, "somebody else turned it; the window does not count");
		adapt->is_apart = true;
	} else if (adapt->begun_ns) {
		adapt->is_apart = false;
		end (adapt, now_ns);
	}
	begin (adapt, now_ns);
	renew (adapt);
	return adapt->due_ns;
}

/* ---- coming and going ------------------------------------------------------------------------ */

/* The variant that runs now, or the one nearest to it */
static uint32_t nearest (const struct ppi_adapt *adapt, uint32_t variants)
{
	double now = ppi_knob_value (adapt->knob);
	uint32_t best = 0;

	for (uint32_t i = 1; i < variants; i++)
		if (fabs (adapt->value[i] - now) < fabs (adapt->value[best] - now))
			best = i;
	return best;
}

struct ppi_adapt *ppi_adapt_create (struct ppi_policy_adapt *written, struct ppi_knob *knob)
{
	struct ppi_adapt *adapt = calloc (1, sizeof *adapt);

	if (!adapt)
		return NULL;
	adapt->knob = knob;
	adapt->program = written->program;
	written->program = NULL; /* taken over */
	adapt->dimension = written->dimension;
	memcpy (adapt->value, written->value, sizeof adapt->value);
	adapt->window_ns = written->every_ns;
	adapt->samples = written->samples;
	adapt->newest = NAN;
	ppi_choose_start (&adapt->chooser, written->n_values, nearest (adapt, written->n_values),
			  written->maximise, written->explore);
	return adapt;
}

void ppi_adapt_destroy (struct ppi_adapt *adapt)
{
	if (!adapt)
		return;
	if (adapt->chunk)
		ppi_store (&adapt->chunk->state, PPI_ADAPT_ENDED);
	if (adapt->chunk)
		ppi_region_retire (adapt->chunk, chunk_bytes (adapt));
	ppi_unlink (adapt->program);
	ppi_program_destroy (adapt->program);
	free (adapt);
}

/* In a child: everything from the start. */
static void begin_anew (struct ppi_adapt *adapt)
{
	struct ppi_chooser *c = &adapt->chooser;

	ppi_choose_start (c, c->variants, nearest (adapt, c->variants), c->maximise, c->explore);
	adapt->windows = adapt->settled = adapt->degraded = adapt->better = adapt->empty =
		adapt->disturbed = 0;
	adapt->begun_ns = adapt->since_ns = 0;
	adapt->newest = NAN;
	ppi_adapt_describe (adapt);
}

/* ---- what the process asks of adaptations ---------------------------------------------------- */

static uint64_t tick (uint64_t now_ns)
{
	uint64_t next = UINT64_MAX, due;

	ppi_lock ();
	for (struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		for (size_t i = 0; i < loaded->n_adapts; i++) {
			due = look (loaded->adapts[i], now_ns);
			next = due < next ? due : next;
		}
	ppi_unlock ();
	return next;
}

static bool is_any (void)
{
	for (const struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		if (loaded->n_adapts)
			return true;
	return false;
}

static void begin_all_anew (void)
{
	for (struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		for (size_t i = 0; i < loaded->n_adapts; i++)
			begin_anew (loaded->adapts[i]);
}

static bool expressions (ppi_expression_fn fn, void *arg)
{
	for (struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		for (size_t i = 0; i < loaded->n_adapts; i++)
			if (fn (loaded->adapts[i]->program, loaded->policy->path, arg))
				return true;
	return false;
}

const struct ppi_part ppi_adapt_part = {.fork_child = begin_all_anew,
					.needs_thread = is_any,
					.tick = tick,
					.expressions = expressions};

/* ---- the API --------------------------------------------------------------------------------- */

static const struct ppi_adapt *find (const char *knob)
{
	for (const struct ppi_loaded *l = ppi_policies; l; l = l->next)
		for (size_t i = 0; i < l->n_adapts; i++)
			if (strcmp (l->adapts[i]->knob->name, knob) == 0)
				return l->adapts[i];
	return NULL;
}

int pp_adapt_state (const char *knob, struct pp_adapt_info *out)
{
	const struct ppi_adapt *adapt;

	if (!knob || !out)
		return PP_EINVAL;
	ppi_assertions_revive ();
	ppi_lock ();
	adapt = find (knob);
	if (adapt) {
		const struct ppi_chooser *c = &adapt->chooser;

		*out = (struct pp_adapt_info){
			.state = (enum pp_adapt_state) c->state,
			.maximise = c->maximise,
			.current = adapt->value[c->current],
			.best = c->state == PPI_CHOOSE_SETTLED ? adapt->value[c->best] : NAN,
			.newest = adapt->newest,
			.windows = adapt->windows,
			.settled = adapt->settled,
			.degraded = adapt->degraded,
			.better = adapt->better,
			.empty = adapt->empty,
			.disturbed = adapt->disturbed,
			.since = ppi_since_start (adapt->since_ns),
			.variants = c->variants,
		};
	}
	ppi_unlock ();
	return adapt ? PP_OK : PP_ENOENT;
}

long pp_adapt_variants (const char *knob, struct pp_adapt_variant *out, size_t room)
{
	const struct ppi_adapt *adapt;
	long result = PP_ENOENT;

	if (!knob || (!out && room))
		return PP_EINVAL;
	ppi_assertions_revive ();
	ppi_lock ();
	adapt = find (knob);
	for (uint32_t i = 0; adapt && i < adapt->chooser.variants && i < room; i++) {
		const struct ppi_variant *v = &adapt->chooser.variant[i];

		out[i] = (struct pp_adapt_variant){
			.value = adapt->value[i],
			.mean = v->n ? own_sense (adapt, v->mean) : NAN,
			.margin = v->n > 1 ? ppi_choose_margin (v) : NAN,
			.windows = v->windows,
			.is_out = v->out,
		};
	}
	if (adapt)
		result = (long) adapt->chooser.variants;
	ppi_unlock ();
	return result;
}

const char *pp_adapt_state_name (enum pp_adapt_state state)
{
	return ppi_adapt_state_name (state);
}
