/* SPDX-License-Identifier: MIT */
/* asked.c: what is asked of the samplers, and may it be? */
#include "profiler/sampler/asked.h"

#include "base/clock.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/wake.h"
#include "libmetrics/registry/pattern.h"
#include "profiler/features/exact.h"
#include "profiler/sampler/command.h"
#include "profiler/sampler/watched.h"

#include <pp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ppi_profile_asked asks[PPI_SAMPLERS];
static bool any; /* was ever something asked for? atomic */
/*
 * 1 and is_cpu of what was asked of each sampler first, for it has one profile; 0: nothing was.
 * With the runtime's lock.
 */
static uint32_t clocks[PPI_SAMPLERS];

/* The globs of WISH, a line each; malloced. NULL: there are none, or no memory. */
static char *globs_of (const struct ppi_profile_wish *wish)
{
	char *all = NULL, *more;

	for (size_t i = 0; i < wish->threads; i++) {
		if (asprintf (&more, "%s%s\n", all ? all : "", wish->thread[i]) < 0)
			more = NULL;
		free (all);
		all = more;
		if (!all)
			break;
	}
	return all;
}

/* [lock] */
static void ask_for (const struct ppi_profile_wish *wish, const void *owner)
{
	struct ppi_profile_asked *ask = &asks[wish->sampler];

	free (ask->globs);
	*ask = (struct ppi_profile_asked){
		.wanted = true,
		.owner = owner,
		.number = ask->number + 1,
		.until_ns = wish->for_ns ? ppi_real_now_ns () + wish->for_ns : UINT64_MAX,
		.wish = *wish,
		.globs = globs_of (wish)};
	/* patterns are the asker's, who may go; those that count are copies */
	ask->wish.site = NULL;
	ask->wish.sites = 0;
	ask->wish.thread = NULL;
	clocks[wish->sampler] = 1 + wish->is_cpu;
	__atomic_store_n (&any, true, __ATOMIC_RELEASE);
}

static bool has_thread (void)
{
	const char *threads = ppi_environment (PPI_ENVIRONMENT_THREADS);

	return !threads || strcmp (threads, "0") != 0;
}

void ppi_asked_init (void)
{
	const char *text = ppi_environment (PPI_ENVIRONMENT_SAMPLE), *why;
	uint32_t rate;
	bool is_wall;

	if (!text)
		return;
	why = ppi_interrupter_impossible ();
	if (!ppi_sample_text_read (text, &rate, &is_wall))
		ppi_message ("PP_SAMPLE=%s: it is samples per second of CPU time, 1 to %d, or of "
			     "time with \",wall\" behind it: no profile is taken",
			     text, PPI_SAMPLE_RATE_MOST);
	else if (why)
		ppi_message ("PP_SAMPLE: %s: no profile is taken", why);
	else if (!has_thread ())
		ppi_message ("PP_SAMPLE needs the library's thread, which PP_THREADS=0 forbids: no "
			     "profile is taken");
	else
		ask_for (&(struct ppi_profile_wish){.sampler = PPI_SAMPLER_INTERRUPTER,
						    .period_ns = PPI_SAMPLE_PERIOD (rate),
						    .is_cpu = !is_wall,
						    .features = PPI_FEATURES_UNSAID},
			 NULL);
}

static int no_thread (char *why, size_t room)
{
	snprintf (why, room, "a profile needs the library's thread, which PP_THREADS=0 forbids");
	return PP_EUNAVAILABLE;
}

/* `profile` of a policy. */
static int check (const void *value, const void *former, char *why, size_t room)
{
	const struct ppi_profile_wish *wish = value;
	const struct ppi_profile_asked *ask = &asks[wish->sampler];
	const char *impossible =
		wish->sampler == PPI_SAMPLER_INTERRUPTER ? ppi_interrupter_impossible () : NULL;

	*why = '\0';
	if (wish->features == PPI_FEATURES_EXACT)
		return has_thread () ? ppi_exact_check (wish, former, why, room)
				     : no_thread (why, room);
	if (impossible)
		snprintf (why, room, "%s", impossible);
	else if (!has_thread ())
		no_thread (why, room);
	if (*why)
		return PP_EUNAVAILABLE;
	if (ask->wanted && !ask->is_done && ask->owner && ask->owner != former)
		snprintf (why, room, "somebody else has a profile taken by that sampler already");
	else if ((!ask->wanted || ask->owner) && clocks[wish->sampler] &&
		 clocks[wish->sampler] != 1 + wish->is_cpu)
		snprintf (why, room, "the %s has a profile of this process by %s already",
			  wish->sampler == PPI_SAMPLER_WATCHER ? "watcher" : "interrupter",
			  wish->is_cpu ? "wall clock" : "CPU time");
	for (size_t i = 0; !*why && i < wish->sites; i++)
		if (!ppi_pattern_valid (wish->site[i], why, room))
			return PP_EINVAL;
	return *why ? PP_EEXIST : PP_OK;
}

static void take_back (const void *owner)
{
	ppi_exact_take_back (owner);
	for (int i = 1; i < PPI_SAMPLERS; i++) {
		if (!asks[i].wanted || asks[i].owner != owner)
			continue;
		asks[i].wanted = false;
		asks[i].number++;
		ppi_watched_clear ((enum ppi_sampler) i);
		ppi_wake_thread ();
	}
}

static bool are_same_threads (const struct ppi_profile_asked *ask,
			      const struct ppi_profile_wish *wish)
{
	char *globs = globs_of (wish);
	bool same = wish->threads == ask->wish.threads &&
		    (!globs || (ask->globs && strcmp (globs, ask->globs) == 0));

	free (globs);
	return same;
}

static bool is_same (const struct ppi_profile_asked *ask, const struct ppi_profile_wish *wish)
{
	return ask->wanted && are_same_threads (ask, wish) &&
	       ask->wish.period_ns == wish->period_ns && ask->wish.is_cpu == wish->is_cpu &&
	       ask->wish.for_ns == wish->for_ns && ask->wish.signal == wish->signal &&
	       (ask->is_done || ppi_watched_are (wish));
}

static void apply (const void *value, const void *owner, const void *former)
{
	const struct ppi_profile_wish *wish = value;
	struct ppi_profile_asked *ask = &asks[wish->sampler];

	if (wish->features == PPI_FEATURES_EXACT) {
		ppi_exact_apply (wish, owner, former);
		return;
	}
	if (ask->wanted && !ask->owner) {
		ppi_message ("PP_SAMPLE asks for a profile already: that of the policy is not "
			     "taken");
		return;
	}
	if (former && ask->owner == former && is_same (ask, wish)) {
		/* it goes on */
		ask->owner = owner;
		return;
	}
	ppi_watched_set (wish);
	ask_for (wish, owner);
}

int ppi_profile_ask (const struct ppi_profile_wish *wish, const void *owner, char *why, size_t room)
{
	const struct ppi_profile_asked *ask = &asks[wish->sampler];
	int error = check (wish, owner, why, room);

	if (error)
		return error;
	if (ask->wanted && !ask->is_done && ask->owner != owner) {
		snprintf (why, room, "PP_SAMPLE has a profile taken by that sampler already");
		return PP_EEXIST;
	}
	ppi_watched_set (wish);
	ask_for (wish, owner);
	return PP_OK;
}

void ppi_profile_take_back (const void *owner)
{
	take_back (owner);
}

const struct ppi_part_key ppi_asked_keys[] = {{"profile", check, apply, take_back}, {.name = NULL}};

/* ---- what is asked now ----------------------------------------------------------------------- */

struct ppi_profile_asked ppi_asked (enum ppi_sampler which)
{
	return asks[which];
}

bool ppi_asked_ever (void)
{
	return __atomic_load_n (&any, __ATOMIC_ACQUIRE);
}

void ppi_asked_no_more (void)
{
	__atomic_store_n (&any, false, __ATOMIC_RELEASE);
}

bool ppi_asked_now (void)
{
	bool wanted = false;

	for (int i = 1; i < PPI_SAMPLERS; i++)
		wanted |= asks[i].wanted && !asks[i].is_done;
	return wanted;
}

void ppi_asked_done (enum ppi_sampler which, uint64_t number)
{
	if (asks[which].number != number)
		return;
	asks[which].is_done = true;
	ppi_watched_clear (which);
}

bool ppi_asked_by_ppctl (const struct ppi_profile_asked *ask)
{
	return ask->owner == &ppi_by_command;
}

void ppi_asked_forget (void)
{
	for (int i = 1; i < PPI_SAMPLERS; i++)
		if (!asks[i].wanted)
			clocks[i] = 0;
}
