/* SPDX-License-Identifier: MIT */
/*
 * fires.c: what people hear of assertions that fire: of each one the first time, unless it has an
 * action that logs or is `quiet: true`, and one line when the process ends. With the runtime's
 * lock.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/assertions.h"
#include "assertions/engine/fires.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/report_text.h"
#include "assertions/engine/seen.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"

static unsigned n_fired; /* assertions, in this process */
static uint64_t n_fires; /* of those */
static bool is_child;    /* of fork: its parent speaks of what both did */

static bool has_log (const struct ppi_assertion *a)
{
	for (size_t i = 0; i < a->n_on_fire; i++)
		if (a->on_fire[i].written->kind == PPI_ACTION_LOG)
			return true;
	return false;
}

void ppi_fire_tell (struct ppi_assertion *a, const struct ppi_notice *notice)
{
	char sentence[PPI_SENTENCE_BYTES];

	if (a->is_unheard)
		return;
	n_fires++;
	n_fired += !a->has_fired;
	a->has_fired = true;
	if (a->was_told || has_log (a))
		return;
	a->was_told = true;
	ppi_message ("%s: %s (said once)", pp_severity_name ((enum pp_severity) a->severity),
		     ppi_sentence (a, notice, sentence, sizeof sentence));
}

/* In a child nothing has fired yet. */
static void forget (void)
{
	n_fired = 0;
	n_fires = 0;
	is_child = true;
	for (struct ppi_assertion *a = ppi_assertions; a; a = a->next)
		a->has_fired = false;
}

const struct ppi_part ppi_fires_part = {.fork_child = forget};

/* What shows what the policies asked for, which may be nothing but events. */
static const char *best_view (void)
{
	bool records = false, flight = false, more = false;

	for (const struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next) {
		const struct ppi_policy *p = loaded->policy;

		records |= p->events.key != NULL;
		flight |= p->events.flight.key != NULL;
		more |= p->n_binds || p->n_assertions || p->n_adapts || p->late.binds ||
			p->late.assertions || p->late.adapts || p->profile.key;
	}
	return more || (!records && !flight) ? "report" : records ? "query" : "flight";
}

void ppi_assertions_tell_end (const char *recorded)
{
	unsigned assertions;
	const char *view;
	uint64_t times;
	bool child;

	ppi_lock ();
	assertions = n_fired;
	times = n_fires;
	child = is_child;
	view = best_view ();
	ppi_unlock ();
	if (assertions)
		ppi_message ("%u assertion%s fired, %llu time%s in all; %s%s%s", assertions,
			     assertions == 1 ? "" : "s", (unsigned long long) times,
			     times == 1 ? "" : "s",
			     recorded ? "see: ppctl report '" : "nothing was recorded",
			     recorded ? recorded : "", recorded ? "'" : "");
	else if (recorded && !child)
		ppi_message ("recorded; see: ppctl %s '%s'", view, recorded);
}
