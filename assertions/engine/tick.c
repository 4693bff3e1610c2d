/* SPDX-License-Identifier: MIT */
/*
 * tick.c: what the owner of the tick does with the list of assertions, and all else that comes with
 * time. See assertion.h for who does what.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/assertions.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/fires.h"
#include "assertions/engine/groups.h"
#include "assertions/engine/growth_check.h"
#include "assertions/engine/link.h"
#include "assertions/engine/machine.h"
#include "assertions/engine/poll_fd.h"
#include "assertions/engine/post.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/report_text.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/seen.h"
#include "assertions/engine/tick.h"
#include "base/atomic.h"
#include "base/c_locale.h"
#include "base/clock.h"
#include "base/fp.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/wake.h"
#include "libmetrics/region/history.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

#include <errno.h>

static void perform (struct ppi_assertion *a, const struct ppi_notice *notice, uint64_t now_ns)
{
	const double values[4] = {notice->seen.left, notice->seen.right,
				  (double) notice->violations, (double) notice->checks};
	char sentence[PPI_SENTENCE_BYTES];

	if (notice->edge != PPI_EDGE_REPEAT)
		ppi_history (notice->edge == PPI_EDGE_FIRE ? PPI_HISTORY_FIRE : PPI_HISTORY_CLEAR,
			     a->name, ppi_sentence (a, notice, sentence, sizeof sentence), values,
			     4);
	if (notice->edge == PPI_EDGE_FIRE)
		ppi_fire_tell (a, notice);
	if (a->reactions)
		a->reactions->perform (a, notice, now_ns);
	if (notice->put_off)
		ppi_delivery_add_inline (a, notice);
	/* repeated is what on_fire has; the program's own expectations have callbacks only */
	if ((notice->edge != PPI_EDGE_REPEAT || !a->policy) && ppi_callbacks_exist (a->name))
		ppi_delivery_add (a, notice, NULL);
}

/* LOST and how many of them, once */
static void say_lost (const struct ppi_assertion *a, const char *lost, uint64_t n, bool *told)
{
	if (*told || !n)
		return;
	*told = true;
	ppi_message ("warning: assertion '%s': more came at once than there was room for; %s: %llu "
		     "so far (said once)",
		     a->name, lost, (unsigned long long) n);
}

void ppi_assertion_flush (struct ppi_assertion *a, uint64_t now_ns)
{
	struct ppi_notice notice;

	for (uint32_t i = 0; i < PPI_NOTICES && ppi_notices_take (&a->notices, &notice); i++)
		perform (a, &notice, now_ns);
	say_lost (a, "outcomes of checks that did not reach its state", ppi_load (&a->lost),
		  &a->told_lost);
	say_lost (a, "changes whose actions were left out", ppi_load (&a->unperformed),
		  &a->told_unperformed);
}

static uint64_t earlier (uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Do markers read values that are merged for them? */
static bool has_merged (const struct ppi_program *program)
{
	for (size_t i = 0; i < program->n_references; i++)
		if (program->references[i].kind == PPI_REF_ALL ||
		    program->references[i].kind == PPI_REF_SITE)
			return true;
	return program->has_groups || ppi_asks_users (program);
}

static void renew (struct ppi_assertion *a, struct ppi_program *program, uint64_t now_ns)
{
	ppi_refresh (program);
	ppi_groups_refresh (program, a, false, now_ns);
}

static uint64_t refresh (struct ppi_assertion *a, uint64_t now_ns)
{
	bool any = a->has_samples || a->has_figures || has_merged (a->program);
	uint64_t period_ns = any ? PPI_REFRESH_NS : PPI_SIDES_NS;

	if (now_ns - a->refreshed_ns < period_ns)
		return a->refreshed_ns + period_ns;
	a->refreshed_ns = now_ns;
	if (any)
		renew (a, a->program, now_ns);
	ppi_captures_refresh (a, now_ns);
	ppi_assertion_look_at_sides (a);
	for (size_t i = 0; a->has_samples && i < a->n_on_fire; i++)
		if (a->on_fire[i].program)
			renew (a, a->on_fire[i].program, now_ns);
	return now_ns + period_ns;
}

/* Steps what markers have left; when that is to be looked at again. */
static uint64_t step (struct ppi_assertion *a, uint64_t now_ns)
{
	ppi_assertion_saw (a, NULL, true);
	ppi_assertion_reap (a, now_ns);
	/*
	 * somebody has the flag, and may not see what came meanwhile; or states of threads, which
	 * may end
	 */
	return ppi_assertion_has_posts (a) || (a->threads && ppi_load (&a->threads->used))
		       ? now_ns + PPI_TICK_NS
		       : UINT64_MAX;
}

static uint64_t tick_at_site (struct ppi_assertion *a, uint64_t now_ns)
{
	uint64_t next = refresh (a, now_ns);

	next = earlier (next, step (a, now_ns));
	return a->growth ? earlier (next, ppi_growth_tick (a, now_ns)) : next;
}

static uint64_t tick_timed (struct ppi_assertion *a, uint64_t now_ns)
{
	if (now_ns < a->due_ns)
		return a->due_ns;
	/* after a stall it goes on from now: no burst of checks of the same moment */
	a->due_ns =
		now_ns - a->due_ns < a->every_ns ? a->due_ns + a->every_ns : now_ns + a->every_ns;
	if (ppi_assertion_begun (a))
		ppi_assertion_check_now (a, now_ns, true);
	return a->due_ns;
}

static uint64_t tick_one (struct ppi_assertion *a, uint64_t now_ns)
{
	uint64_t next = a->program->has_windows ? ppi_recent_look (a->program, now_ns) : UINT64_MAX;

	for (size_t i = 0; a->has_samples && i < a->n_on_fire; i++)
		if (a->on_fire[i].program)
			next = earlier (next, ppi_recent_look (a->on_fire[i].program, now_ns));
	if (a->program->has_groups)
		next = earlier (next, ppi_groups_look (a->program, a, now_ns));
	if (a->has_figures)
		next = earlier (next, ppi_captures_look (a, now_ns));
	if (a->at)
		next = earlier (next, tick_at_site (a, now_ns));
	else if (a->every_ns)
		next = earlier (next, tick_timed (a, now_ns));
	else
		next = earlier (next, step (a, now_ns));
	ppi_assertion_flush (a, now_ns);
	return next;
}

/*
 * The program's own statistics that expressions ask for, before they are evaluated: its functions
 * are called without the lock, by the owner only, while the assertions are held so that they don't
 * go meanwhile. Some at a time, until none is left that was not in this round; a function that
 * polls begins another round, and what that has done is not done again.
 */
#define USERS_AT_ONCE 64u

static size_t hold_some (struct ppi_assertion *due[USERS_AT_ONCE], unsigned round, bool is_refresh,
			 uint64_t now_ns)
{
	size_t n = 0;

	for (struct ppi_assertion *a = ppi_assertions; a && n < USERS_AT_ONCE; a = a->next)
		if ((a->every_ns ? now_ns >= a->due_ns : is_refresh) &&
		    (int) (a->users_round - round) < 0 && ppi_asks_users (a->program)) {
			a->users_round = round;
			a->references++;
			due[n++] = a;
		}
	return n;
}

static void call_users (uint64_t now_ns)
{
	static uint64_t looked_ns;
	static unsigned rounds;
	struct ppi_assertion *due[USERS_AT_ONCE];
	unsigned round;
	bool is_refresh;
	size_t n;

	ppi_lock ();
	round = ++rounds;
	is_refresh = now_ns - looked_ns >= PPI_REFRESH_NS;
	if (is_refresh)
		looked_ns = now_ns;
	while ((n = hold_some (due, round, is_refresh, now_ns)) > 0) {
		ppi_unlock ();
		for (size_t i = 0; i < n; i++)
			ppi_refresh_users (due[i]->program);
		ppi_lock ();
		for (size_t i = 0; i < n; i++)
			due[i]->references--;
	}
	ppi_unlock ();
}

static uint32_t news;   /* atomic: how often there was any */
static uint64_t passes; /* with the lock */

void ppi_assertions_news (void)
{
	/* release pairs with the acquire below: who sees that there is news sees it */
	__atomic_fetch_add (&news, 1, __ATOMIC_SEQ_CST);
	ppi_wake_if_asleep ();
}

uint64_t ppi_assertions_passes (void)
{
	uint64_t n;

	ppi_lock ();
	n = passes;
	ppi_unlock ();
	return n;
}

/*
 * When A has to be looked at though nothing is sampled: it has times of its own, or somebody is
 * amid a post. All else that the owner does is for markers, or done by what wakes it.
 */
static uint64_t due_asleep (const struct ppi_assertion *a, uint64_t now_ns)
{
	if (!a->at && a->every_ns)
		return a->due_ns;
	return ppi_assertion_has_posts (a) ? now_ns + PPI_TICK_NS : UINT64_MAX;
}

/*
 * All assertions, where there is something to do: markers have left something or the list has
 * changed since the last pass (which is seen before the pass: what comes during it is for the next
 * one), or the time has come that the last pass asked for. So a thousand assertions at rest cost a
 * comparison.
 */
uint64_t ppi_assertions_tick_all (uint64_t now_ns)
{
	static uint32_t seen;
	static uint64_t due_ns, asleep_ns, last_ns;
	static bool at_sites;
	uint32_t now = __atomic_load_n (&news, __ATOMIC_SEQ_CST);
	bool is_due;
	uint64_t next;

	ppi_lock ();
	/* the clock goes back in tests only */
	is_due = now != seen || now_ns >= due_ns || now_ns < last_ns;
	ppi_unlock ();
	if (is_due)
		call_users (now_ns);
	ppi_lock ();
	if (is_due) {
		passes++;
		seen = now;
		due_ns = asleep_ns = UINT64_MAX;
		at_sites = false;
		for (struct ppi_assertion *a = ppi_assertions; a; a = a->next) {
			due_ns = earlier (due_ns, tick_one (a, now_ns));
			asleep_ns = earlier (asleep_ns, due_asleep (a, now_ns));
			at_sites |= a->at != NULL;
		}
	}
	last_ns = now_ns;
	next = at_sites ? earlier (due_ns, now_ns + PPI_TICK_NS) : due_ns;
	next = ppi_is_asleep () ? asleep_ns : next;
	ppi_unlock ();
	return next;
}

static uint64_t tick_parts (uint64_t now_ns)
{
	PPI_C_LOCALE;

	return ppi_parts_tick (now_ns);
}

/* Callbacks come last: they see what all else has done. How many were called goes to *CALLED. */
static uint64_t tick (uint64_t now_ns, bool polled, int *called)
{
	uint64_t next;

	ppi_assertions_revive ();
	next = tick_parts (now_ns);
	next = earlier (next, ppi_parts_after_tick (now_ns, polled));
	*called = ppi_deliver (polled);
	return next;
}

uint64_t ppi_assertions_tick (uint64_t now_ns)
{
	PPI_DEFAULT_FP;
	int saved = errno, called;
	uint64_t next = tick (now_ns, false, &called);

	errno = saved;
	return next;
}

int pp_poll (void)
{
	PPI_DEFAULT_FP;
	int saved = errno, called;

	if (ppi_in_inline ())
		return 0;
	ppi_poll_fd_arm (tick (ppi_now_ns (), true, &called));
	errno = saved;
	return called;
}
