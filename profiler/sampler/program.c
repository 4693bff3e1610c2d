/* SPDX-License-Identifier: MIT */
/* program.c: see program.h. */
#include "profiler/sampler/program.h"

#include "base/clock.h"
#include "base/lock.h"
#include "profiler/sampler/sampler.h"
#include "profiler/sampler/store.h"
#include "profiler/sampler/wall.h"

#include <pp.h>
#include <stdio.h>
#include <string.h>

const char ppi_by_program = 0;

enum state { NONE, ASKED, RUNNING, ENDING, ENDED };

/* What is known of a profile at some moment, of all that its sampler has done in this process. */
struct figures {
	uint64_t ns, cpu_ns, own_ns;
	uint64_t lost[PPI_SAMPLE_LOSSES];
};

/* With the sampler's lock. */
static struct program {
	enum state state;
	enum ppi_sampler sampler;
	unsigned pauses;             /* that are not resumed */
	bool is_held;                /* paused by another process, too */
	uint64_t period_ns;          /* the longest that there was */
	struct figures start, end;   /* END: once it has ended */
	struct figures paused;       /* when the pause began that there is now */
	uint64_t out_ns, out_cpu_ns; /* in pauses that are over */
} program;

/* ---- figures --------------------------------------------------------------------------------- */

static struct figures figures_now (void)
{
	struct figures now = {.ns = ppi_real_now_ns (), .cpu_ns = ppi_sampled_cpu_ns ()};

	now.own_ns = program.sampler == PPI_SAMPLER_WATCHER
			     ? ppi_watcher_cpu_ns ()
			     : ppi_library_cpu_ns () + ppi_wall_cpu_ns ();
	ppi_store_losses (program.sampler, now.lost);
	return now;
}

/* What samplers have by now is in the region, and noted there. */
static void fetch (void)
{
	if (program.sampler == PPI_SAMPLER_WATCHER)
		ppi_watcher_note ();
	else
		ppi_interrupter_look ();
}

/*
 * Figures of a moment that samples are told apart by: those of before are there, and none of them
 * will be one with those that come, which whoever reads the profile leaves out.
 */
static struct figures figures_between (void)
{
	fetch ();
	__atomic_fetch_add (&ppi_told_apart, 1, __ATOMIC_RELAXED);
	return figures_now ();
}

static uint64_t difference (uint64_t more, uint64_t less)
{
	return more > less ? more - less : 0;
}

int ppi_program_span (struct ppi_samples_span *out)
{
	struct figures now;
	bool is_there;

	ppi_sampler_lock ();
	is_there = program.state >= RUNNING;
	now = program.state == RUNNING || program.state == ENDING ? figures_between ()
								  : program.end;
	*out = (struct ppi_samples_span){
		.since_ns = program.start.ns,
		.until_ns = now.ns,
		.is_known = true,
		.own_ns = difference (now.own_ns, program.start.own_ns),
		.period_ns = program.period_ns,
	};
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		out->lost[i] = difference (now.lost[i], program.start.lost[i]);
	/* in a pause no time goes by */
	if (program.pauses || program.is_held)
		now = program.paused;
	out->wall_ns = difference (now.ns - program.start.ns, program.out_ns);
	out->cpu_ns = difference (now.cpu_ns - program.start.cpu_ns, program.out_cpu_ns);
	ppi_sampler_unlock ();
	return is_there ? PP_OK : PP_ESTATE;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* What was before, and that SAMPLER, which tracks these threads, is asked now. */
static int become_asked (enum ppi_sampler sampler, enum ppi_track track, const uint32_t *thread,
			 size_t n, struct program *former)
{
	int error = PP_OK;

	ppi_sampler_lock ();
	*former = program;
	if (program.state != NONE && program.state != ENDED)
		error = PP_ESTATE;
	else if (!ppi_tracked_set (sampler, track, thread, n))
		error = PP_ENOMEM;
	else
		program = (struct program){.state = ASKED, .sampler = sampler};
	ppi_sampler_unlock ();
	return error;
}

static void become (const struct program *what)
{
	enum ppi_sampler sampler = program.sampler;

	ppi_sampler_lock ();
	(void) ppi_tracked_set (sampler, PPI_TRACK_ALL, NULL, 0);
	program = *what;
	ppi_sampler_unlock ();
}

int ppi_program_ask (const struct ppi_profile_wish *wish, enum ppi_track track,
		     const uint32_t *thread, size_t n, char *why, size_t room)
{
	struct program former;
	int error = ppi_profiles_are_over ()
			    ? PP_ESTATE
			    : become_asked (wish->sampler, track, thread, n, &former);

	*why = '\0';
	if (error)
		return error;
	ppi_sampler_lock ();
	program.period_ns = wish->period_ns;
	program.start = figures_now ();
	ppi_sampler_unlock ();
	ppi_lock ();
	error = ppi_profile_ask (wish, &ppi_by_program, why, room);
	ppi_unlock ();
	if (error)
		become (&former);
	return error;
}

static void take_back (void)
{
	ppi_lock ();
	ppi_profile_take_back (&ppi_by_program);
	ppi_unlock ();
}

int ppi_program_begin (void)
{
	static const struct program none;
	bool runs;

	if (!ppi_profile_settle (program.sampler, &runs) || !runs) {
		take_back ();
		become (&none);
		return PP_EUNAVAILABLE;
	}
	ppi_sampler_lock ();
	program.state = RUNNING;
	ppi_sampler_unlock ();
	return PP_OK;
}

static void pause_sampler (bool is_paused)
{
	if (program.sampler == PPI_SAMPLER_WATCHER)
		ppi_watcher_pause (is_paused);
	else
		ppi_interrupter_pause (is_paused);
}

static void resume (void)
{
	struct figures now = figures_now ();

	program.out_ns += now.ns - program.paused.ns;
	program.out_cpu_ns += difference (now.cpu_ns, program.paused.cpu_ns);
	pause_sampler (false);
}

static void become_paused (unsigned pauses, bool is_held)
{
	bool was_paused = program.pauses || program.is_held, is_paused = pauses || is_held;

	program.pauses = pauses;
	program.is_held = is_held;
	if (is_paused && !was_paused) {
		pause_sampler (true);
		program.paused = figures_now ();
	} else if (was_paused && !is_paused) {
		resume ();
	}
}

int ppi_program_claim (void)
{
	int error = PP_ESTATE;

	ppi_sampler_lock ();
	if (program.state == RUNNING) {
		program.state = ENDING;
		error = PP_OK;
	}
	ppi_sampler_unlock ();
	return error;
}

void ppi_program_end (void (*wake) (void))
{
	bool runs;

	ppi_sampler_lock ();
	/* so that whoever asks next finds it running */
	become_paused (0, false);
	program.end = figures_between ();
	ppi_sampler_unlock ();
	take_back ();
	wake ();
	/* where it takes longer, samples that come behind its end are not of it */
	(void) ppi_profile_settle (program.sampler, &runs);
	ppi_sampler_lock ();
	ppi_store_losses (program.sampler, program.end.lost);
	(void) ppi_tracked_set (program.sampler, PPI_TRACK_ALL, NULL, 0);
	program.state = ENDED;
	ppi_sampler_unlock ();
}

/* ---- while it runs --------------------------------------------------------------------------- */

int ppi_program_pause (void)
{
	int error = PP_ESTATE;

	ppi_sampler_lock ();
	if (program.state == RUNNING) {
		become_paused (program.pauses + 1, program.is_held);
		error = PP_OK;
	}
	ppi_sampler_unlock ();
	return error;
}

int ppi_program_resume (void)
{
	int error = PP_ESTATE;

	ppi_sampler_lock ();
	if (program.state == RUNNING && program.pauses) {
		become_paused (program.pauses - 1, program.is_held);
		error = PP_OK;
	}
	ppi_sampler_unlock ();
	return error;
}

bool ppi_program_hold (enum ppi_sampler sampler, bool is_held)
{
	if (program.state != RUNNING || program.sampler != sampler || program.is_held == is_held)
		return false;
	become_paused (program.pauses, is_held);
	return true;
}

int ppi_program_period (uint64_t period_ns)
{
	int error = PP_ESTATE;

	ppi_sampler_lock ();
	if (program.state == RUNNING) {
		if (period_ns > program.period_ns)
			program.period_ns = period_ns;
		if (program.sampler == PPI_SAMPLER_WATCHER)
			ppi_watcher_period (period_ns);
		else
			ppi_interrupter_period (period_ns);
		error = PP_OK;
	}
	ppi_sampler_unlock ();
	return error;
}

int ppi_program_track (enum ppi_track track, const uint32_t *thread, size_t n)
{
	int error = PP_ESTATE;

	ppi_sampler_lock ();
	if (program.state == RUNNING) {
		error = ppi_tracked_set (program.sampler, track, thread, n) ? PP_OK : PP_ENOMEM;
		/* those that are not tracked any more lose their timers, others get one */
		if (!error && program.sampler == PPI_SAMPLER_INTERRUPTER)
			ppi_interrupter_look ();
	}
	ppi_sampler_unlock ();
	return error;
}

void ppi_program_forget (void)
{
	memset (&program, 0, sizeof program);
	take_back ();
}
