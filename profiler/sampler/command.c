/* SPDX-License-Identifier: MIT */
/* command.c: see command.h. */
#include "profiler/sampler/command.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/process.h"
#include "profiler/sampler/asked.h"
#include "profiler/sampler/program.h"
#include "profiler/sampler/sampler.h"
#include "profiler/sampler/served.h"

#include <limits.h>
#include <pp.h>
#include <stdio.h>
#include <string.h>

enum { WHY = 512 };

const char ppi_by_command = 0;

/* ---- ppctl sample WHO TIME -------------------------------------------------------------------- */

/* The newest ppctl, with the runtime's lock. */
static uint32_t asker;
static struct ppi_identity who;

/*
 * Does another ppctl wait for its profile still? One that was killed does not, nor one in another
 * PID namespace, as far as is known here. [lock]
 */
static bool is_anothers (uint64_t *left_ns)
{
	const struct ppi_profile_asked ask = ppi_asked (PPI_SAMPLER_WATCHER);
	uint64_t now_ns = ppi_real_now_ns ();

	*left_ns = ask.until_ns - now_ns;
	return ask.wanted && !ask.is_done && ask.owner == &ppi_by_command &&
	       now_ns < ask.until_ns && ppi_process_presence (asker, &who) == PPI_PROCESS_RUNS;
}

/* [lock] */
static int ask_for (const struct ppi_profile_wish *wish, uint32_t controller, char *why,
		    size_t room)
{
	uint64_t left_ns;
	int error;

	if (is_anothers (&left_ns)) {
		snprintf (why, room, "ppctl, process %u, has a profile taken for another %.1f s",
			  asker, 1e-9 * (double) left_ns);
		return PP_EEXIST;
	}
	/* one that was asked for so may be in its last moments */
	error = ppi_profile_ask (wish, &ppi_by_command, why, room);
	if (!error) {
		asker = controller;
		ppi_identity_of (asker, &who);
	}
	return error;
}

/* RATE, MILLISECONDS */
static int sample (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	struct ppi_profile_wish wish = {.sampler = PPI_SAMPLER_WATCHER,
					.features = PPI_FEATURES_UNSAID};
	char why[WHY];
	uint32_t rate, ms;
	int error;

	if (!ppi_command_number (word[0], 1, PPI_SAMPLE_RATE_MOST, &rate) ||
	    !ppi_command_number (word[1], 1, 3600000, &ms)) {
		ppi_answer (answer, "a profile has 1 to %d samples a second, for 1 ms to 1 h",
			    PPI_SAMPLE_RATE_MOST);
		return PP_EINVAL;
	}
	wish.period_ns = PPI_SAMPLE_PERIOD (rate);
	wish.for_ns = UINT64_C (1000000) * ms;
	ppi_lock ();
	error = ask_for (&wish, controller, why, sizeof why);
	ppi_unlock ();
	if (error)
		ppi_answer (answer, "%s", why);
	return error;
}

/* ---- ppctl sample WHO pause ------------------------------------------------------------------- */

static const char *const names[PPI_SAMPLERS] = {
	[PPI_SAMPLER_INTERRUPTER] = "interrupter", [PPI_SAMPLER_WATCHER] = "watcher"};

/* With the sampler's lock: pauses that are not resumed. */
static unsigned held[PPI_SAMPLERS];

static void hold (enum ppi_sampler which, bool is_held)
{
	if (ppi_program_hold (which, is_held))
		return;
	if (which == PPI_SAMPLER_WATCHER)
		ppi_watcher_pause (is_held);
	else
		ppi_interrupter_pause (is_held);
}

void ppi_held_clear (enum ppi_sampler sampler)
{
	ppi_sampler_lock ();
	if (held[sampler])
		hold (sampler, false);
	held[sampler] = 0;
	ppi_sampler_unlock ();
}

void ppi_held_forget (void)
{
	memset (held, 0, sizeof held);
}

static void tell (enum ppi_sampler which, struct ppi_answer *answer)
{
	if (held[which] > 1)
		ppi_answer (answer, "the %s is paused, %u times", names[which], held[which]);
	else
		ppi_answer (answer, "the %s %s", names[which],
			    held[which] ? "is paused" : "goes on");
}

/* By STEP, 1 or -1, is each sampler's count another that runs, and can be. */
static int step (int by, const char *none, struct ppi_answer *answer)
{
	int error = PP_ESTATE;

	ppi_sampler_lock ();
	for (enum ppi_sampler i = PPI_SAMPLER_INTERRUPTER; i < PPI_SAMPLERS; i++) {
		if (!ppi_served_runs (i) || held[i] == (by < 0 ? 0 : UINT_MAX))
			continue;
		held[i] += (unsigned) by;
		if (held[i] == (by < 0 ? 0 : 1))
			hold (i, by > 0);
		tell (i, answer);
		error = PP_OK;
	}
	ppi_sampler_unlock ();
	if (error)
		ppi_answer (answer, "%s", none);
	return error;
}

static int pause_all (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	(void) word;
	(void) controller;
	return step (1, "nothing is profiled", answer);
}

static int resume_all (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	(void) word;
	(void) controller;
	return step (-1, "no profile is paused from outside", answer);
}

const struct ppi_command ppi_sampler_commands[] = {
	{"profile", 2, sample}, {"pause", 0, pause_all}, {"resume", 0, resume_all}, {.name = NULL}};
