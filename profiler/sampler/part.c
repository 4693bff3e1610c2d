/* SPDX-License-Identifier: MIT */
/*
 * part.c: the samplers in the life of a process. Each has an asker at most: the environment
 * (PP_SAMPLE=RATE, the interrupter), a policy (its key `profile`), ppctl, or the program (program.c).
 *
 *   asked for, [runtime's lock] ──► library's thread: begins, looks after, ends ──► recording
 *
 * What is asked for is a note; all is done by the library's thread, behind each of its ticks. At
 * the end the thread that ends the process does it once more, when the library's is gone.
 */
#include "base/clock.h"
#include "base/command.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/rank.h"
#include "base/wake.h"
#include "libmetrics/cost/overhead.h"
#include "libmetrics/life/recording.h"
#include "libmetrics/registry/pattern.h"
#include "profiler/features/exact.h"
#include "profiler/sampler/program.h"
#include "profiler/sampler/sampler.h"
#include "profiler/sampler/served.h"
#include "profiler/sampler/store.h"
#include "profiler/sampler/tracked.h"
#include "profiler/sampler/wall.h"
#include "profiler/sampler/watched.h"

#include <limits.h>
#include <pp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WHY = 512 };
#define COSTS_MOST 5u

/* between looks at rings and threads; short profiles lose little at their ends */
#define LOOK_NS UINT64_C (20000000)
#define RECORD_NS UINT64_C (100000000) /* policies may say first where the recording goes */
#define PATTERN "%x.%p.pprec"

/* What is asked of a sampler; with the runtime's lock. */
struct ask {
	bool wanted, is_done; /* its time is over */
	const void *owner;    /* the policy; NULL: the environment */
	uint64_t number;      /* another one for each wish */
	struct ppi_profile_wish wish;
	char *globs; /* the wish's of threads, a line each; NULL: all, or no memory */
};

/* What has become of it; the library's thread's. */
struct task {
	uint64_t number; /* of the wish */
	bool runs, over;
	uint64_t until_ns; /* 0: to the end */
};

static struct ask asks[PPI_SAMPLERS];
static struct task tasks[PPI_SAMPLERS];
static bool any; /* was ever something asked for? atomic */
/*
 * 1 and is_cpu of what was asked of each sampler first, for it has one profile; 0: nothing was. With
 * the runtime's lock.
 */
static uint32_t clocks[PPI_SAMPLERS];

static struct {
	bool recorded, told_room;
	uint32_t process;    /* ppi_process: whose all this is; 0: nobody's yet */
	uint32_t library;    /* the library's thread; atomic */
	uint64_t library_ns; /* its CPU time at the last look: at the end it is gone */
	uint64_t start_ns, looked_ns;
	unsigned
		costs; /* tries to find out what marks take; COSTS_MOST: it is known, or given up */
} state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ppi_sampler_lock (void)
{
	ppi_rank_take (PPI_RANK_SAMPLER);
	pthread_mutex_lock (&lock);
}

void ppi_sampler_unlock (void)
{
	pthread_mutex_unlock (&lock);
	ppi_rank_give (PPI_RANK_SAMPLER);
}

/* ---- times ----------------------------------------------------------------------------------- */

uint32_t ppi_library_tid (void)
{
	return __atomic_load_n (&state.library, __ATOMIC_RELAXED);
}

uint64_t ppi_library_cpu_ns (void)
{
	uint64_t own = ppi_thread_cpu_ns (ppi_library_tid ());

	if (own > state.library_ns)
		state.library_ns = own;
	return state.library_ns;
}

uint64_t ppi_sampled_cpu_ns (void)
{
	struct timespec t = {0, 0};
	uint64_t all, own = ppi_library_cpu_ns () + ppi_watcher_cpu_ns () + ppi_wall_cpu_ns ();

	clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
	all = (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
	return all > own ? all - own : 0;
}

void ppi_sampler_tell_full (void)
{
	if (!state.told_room)
		ppi_message ("no room in the live region for more of the profile: samples are lost "
			     "from now on (PP_REGION_MAX)");
	state.told_room = true;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

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
	struct ask *ask = &asks[wish->sampler];

	free (ask->globs);
	*ask = (struct ask){.wanted = true,
			    .owner = owner,
			    .number = ask->number + 1,
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

static void init (void)
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
						    .is_cpu = !is_wall},
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
	const struct ask *ask = &asks[wish->sampler];
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
		if (i == PPI_SAMPLER_WATCHER)
			ppi_watched_clear ();
		ppi_wake_thread ();
	}
}

static bool are_same_threads (const struct ask *ask, const struct ppi_profile_wish *wish)
{
	char *globs = globs_of (wish);
	bool same = wish->threads == ask->wish.threads &&
		    (!globs || (ask->globs && strcmp (globs, ask->globs) == 0));

	free (globs);
	return same;
}

static bool is_same (const struct ask *ask, const struct ppi_profile_wish *wish)
{
	return ask->wanted && are_same_threads (ask, wish) &&
	       ask->wish.period_ns == wish->period_ns && ask->wish.is_cpu == wish->is_cpu &&
	       ask->wish.for_ns == wish->for_ns && ask->wish.signal == wish->signal &&
	       (wish->sampler != PPI_SAMPLER_WATCHER || ask->is_done || ppi_watched_are (wish));
}

static void apply (const void *value, const void *owner, const void *former)
{
	const struct ppi_profile_wish *wish = value;
	struct ask *ask = &asks[wish->sampler];

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
	if (wish->sampler == PPI_SAMPLER_WATCHER)
		ppi_watched_set (wish);
	ask_for (wish, owner);
}

int ppi_profile_ask (const struct ppi_profile_wish *wish, const void *owner, char *why, size_t room)
{
	const struct ask *ask = &asks[wish->sampler];
	int error = check (wish, owner, why, room);

	if (error)
		return error;
	if (ask->wanted && !ask->is_done && ask->owner != owner) {
		snprintf (why, room, "PP_SAMPLE has a profile taken by that sampler already");
		return PP_EEXIST;
	}
	if (wish->sampler == PPI_SAMPLER_WATCHER)
		ppi_watched_set (wish);
	ask_for (wish, owner);
	return PP_OK;
}

void ppi_profile_take_back (const void *owner)
{
	take_back (owner);
}

static const struct ppi_part_key keys[] = {{"profile", check, apply, take_back}, {.name = NULL}};

/* ---- ppctl sample ---------------------------------------------------------------------------- */

static const char by_command; /* the owner of what it asks for */

/* RATE, MILLISECONDS */
static int sample (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	struct ppi_profile_wish wish = {.sampler = PPI_SAMPLER_WATCHER,
					.features = PPI_FEATURES_UNSAID};
	char why[WHY];
	uint32_t rate, ms;
	int error;

	(void) controller;
	if (!ppi_command_number (word[0], 1, PPI_SAMPLE_RATE_MOST, &rate) ||
	    !ppi_command_number (word[1], 1, 3600000, &ms)) {
		ppi_answer (answer, "a profile has 1 to %d samples a second, for 1 ms to 1 h",
			    PPI_SAMPLE_RATE_MOST);
		return PP_EINVAL;
	}
	wish.period_ns = PPI_SAMPLE_PERIOD (rate);
	wish.for_ns = UINT64_C (1000000) * ms;
	ppi_lock ();
	/* one that was asked for so may be in its last moments */
	error = ppi_profile_ask (&wish, &by_command, why, sizeof why);
	ppi_unlock ();
	if (error)
		ppi_answer (answer, "%s", why);
	return error;
}

static const struct ppi_command commands[] = {{"profile", 2, sample}, {.name = NULL}};

/* [lock] */
static bool is_wanted (void)
{
	bool wanted = false;

	for (int i = 1; i < PPI_SAMPLERS; i++)
		wanted |= asks[i].wanted && !asks[i].is_done;
	return wanted;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

/* A child is sampled by its own threads, into its own recording. */
static void forget (void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	lock = fresh;
	ppi_interrupter_forget ();
	ppi_watcher_forget ();
	ppi_store_forget ();
	ppi_tracked_forget ();
	ppi_program_forget ();
	memset (&state, 0, sizeof state);
	for (int i = 1; i < PPI_SAMPLERS; i++) {
		tasks[i].runs = false;
		if (!asks[i].wanted)
			clocks[i] = 0;
	}
}

/* In a child of _Fork or clone, which no handler has told. */
static void become_own (void)
{
	if (state.process && state.process != ppi_process ())
		forget ();
	state.process = ppi_process ();
}

static const char *begin_sampler (enum ppi_sampler which, const struct ppi_profile_wish *wish,
				  const char *globs)
{
	const char *why;
	bool ok;

	ppi_sampler_lock ();
	ok = (globs || !wish->threads) && ppi_tracked_name (which, globs);
	ppi_sampler_unlock ();
	if (!ok)
		return "no memory";
	if (which == PPI_SAMPLER_WATCHER)
		return ppi_watcher_begin (wish);
	ppi_sampler_lock ();
	why = ppi_interrupter_begin (wish);
	ppi_sampler_unlock ();
	return why ? why : ppi_interrupter_begin_looks ();
}

static void end_sampler (enum ppi_sampler which)
{
	if (which == PPI_SAMPLER_WATCHER) {
		ppi_watcher_end ();
		return;
	}
	ppi_interrupter_end_looks ();
	ppi_sampler_lock ();
	ppi_interrupter_end ();
	ppi_sampler_unlock ();
}

static void begin (enum ppi_sampler which, const struct ask *ask, const char *globs,
		   uint64_t now_ns)
{
	struct task *task = &tasks[which];
	const char *why = begin_sampler (which, &ask->wish, globs);

	if (why) {
		ppi_message ("%s: %s: no profile is taken", ask->owner ? "profile" : "PP_SAMPLE",
			     why);
		task->over = true;
		return;
	}
	task->runs = true;
	if (!task->until_ns && ask->wish.for_ns)
		task->until_ns = now_ns + ask->wish.for_ns;
	state.looked_ns = 0;
	/* ppctl looks at the region, and the program at its image: no file is made for them */
	if (!state.start_ns && ask->owner != &by_command && ask->owner != &ppi_by_program)
		state.start_ns = now_ns;
}

static void end (enum ppi_sampler which)
{
	if (tasks[which].runs)
		end_sampler (which);
	tasks[which].runs = false;
}

/* Its time is over: nobody needs marks for it any more. */
static void end_for_good (enum ppi_sampler which)
{
	end (which);
	tasks[which].over = true;
	ppi_lock ();
	if (asks[which].number == tasks[which].number) {
		asks[which].is_done = true;
		if (which == PPI_SAMPLER_WATCHER)
			ppi_watched_clear ();
	}
	ppi_unlock ();
}

static void serve (enum ppi_sampler which, uint64_t now_ns)
{
	struct task *task = &tasks[which];
	char *globs = NULL;
	struct ask ask;

	ppi_lock ();
	ask = asks[which];
	if (ask.globs && (ask.number != task->number || !task->runs))
		globs = strdup (ask.globs);
	ppi_unlock ();
	if (ask.number != task->number) {
		end (which);
		*task = (struct task){.number = ask.number};
	}
	if (ask.wanted && !task->runs && !task->over)
		begin (which, &ask, globs, now_ns);
	free (globs);
	if (task->runs && task->until_ns && now_ns >= task->until_ns)
		end_for_good (which);
}

/* What marks take is in what is sampled of features: it is measured once. */
static void measure_cost (void)
{
	double pair_s = 0, by_c_s = 0;
	bool is_known = false;

	if (!tasks[PPI_SAMPLER_WATCHER].number || state.costs >= COSTS_MOST)
		return;
	ppi_lock ();
	is_known = ppi_watched_cost (&pair_s, &by_c_s) && pair_s > 0;
	ppi_unlock ();
	state.costs = is_known ? COSTS_MOST : state.costs + 1;
	if (!is_known)
		return;
	ppi_sampler_lock ();
	ppi_store_cost (pair_s, by_c_s);
	ppi_sampler_unlock ();
}

static void record (void)
{
	const struct ppi_record_wish wish = {.pattern = PATTERN};
	char why[WHY];
	int e;

	if (state.recorded)
		return;
	state.recorded = true;
	ppi_lock ();
	e = ppi_recording_wanted () ? PP_OK : ppi_recording_start (&wish, true, why, sizeof why);
	ppi_unlock ();
	if (e < 0)
		ppi_message ("the profile can't be recorded: %s",
			     e == PP_ENOMEM ? "no memory" : why);
}

static void housekeeping (void)
{
	uint64_t now_ns = ppi_real_now_ns ();

	if (!__atomic_load_n (&any, __ATOMIC_ACQUIRE))
		return;
	become_own ();
	__atomic_store_n (&state.library, (uint32_t) gettid (), __ATOMIC_RELAXED);
	for (int i = 1; i < PPI_SAMPLERS; i++)
		serve ((enum ppi_sampler) i, now_ns);
	if (tasks[PPI_SAMPLER_INTERRUPTER].runs && now_ns - state.looked_ns >= LOOK_NS / 2) {
		state.looked_ns = now_ns;
		ppi_sampler_lock ();
		ppi_interrupter_look ();
		ppi_sampler_unlock ();
	}
	for (int i = 1; i < PPI_SAMPLERS; i++)
		ppi_served_set ((enum ppi_sampler) i, tasks[i].number, tasks[i].runs);
	measure_cost ();
	if (state.start_ns && now_ns - state.start_ns >= RECORD_NS)
		record ();
}

bool ppi_profile_settle (enum ppi_sampler which, bool *runs)
{
	uint64_t number;

	ppi_lock ();
	number = asks[which].number;
	ppi_unlock ();
	/* a callback of the program's: nobody else would do it meanwhile */
	if (ppi_is_sleeper ())
		housekeeping ();
	return ppi_served_wait (which, number, runs);
}

static uint64_t tick (uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	if (!__atomic_load_n (&any, __ATOMIC_ACQUIRE))
		return next;
	if (tasks[PPI_SAMPLER_INTERRUPTER].runs ||
	    (tasks[PPI_SAMPLER_WATCHER].runs && state.costs < COSTS_MOST))
		next = now_ns + LOOK_NS;
	for (int i = 1; i < PPI_SAMPLERS; i++)
		if (tasks[i].runs && tasks[i].until_ns) {
			uint64_t now = ppi_real_now_ns (), until = tasks[i].until_ns;
			uint64_t due = now_ns + (until > now ? until - now : 0);

			next = due < next ? due : next;
		}
	return next;
}

/* Who ran the program tells of it, where ppctl did. */
static void tell_where (void)
{
	bool is_of_features = !tasks[PPI_SAMPLER_INTERRUPTER].number &&
			      asks[PPI_SAMPLER_WATCHER].wish.features == PPI_FEATURES_SAMPLED;
	char path[PATH_MAX];

	ppi_recording_path (path, sizeof path);
	if (*path && !ppi_environment (PPI_ENVIRONMENT_RUN))
		ppi_message ("a profile was taken; see: ppctl %s '%s'",
			     is_of_features ? "features" : "profile", path);
}

static void fini (void)
{
	ppi_served_no_more ();
	if (!__atomic_load_n (&any, __ATOMIC_ACQUIRE))
		return;
	become_own ();
	end (PPI_SAMPLER_WATCHER);
	measure_cost ();
	ppi_interrupter_end_looks ();
	/*
	 * the library's thread did not end in time: it is in a function of the program's, and all
	 * stays as it is
	 */
	if (pthread_mutex_trylock (&lock) != 0)
		return;
	pthread_mutex_unlock (&lock);
	end (PPI_SAMPLER_INTERRUPTER);
	if (state.start_ns) {
		record ();
		tell_where ();
	}
	__atomic_store_n (&any, false, __ATOMIC_RELEASE);
}

/* ---- modules, fork --------------------------------------------------------------------------- */

static bool held_for_fork; /* by the thread that forks: nobody else's until it has */

static void fork_prepare (void)
{
	if (!__atomic_load_n (&any, __ATOMIC_ACQUIRE))
		return;
	held_for_fork = ppi_interrupter_hold ();
}

static void fork_parent (void)
{
	if (!held_for_fork)
		return;
	held_for_fork = false;
	ppi_interrupter_release ();
}

static void fork_child (void)
{
	forget ();
	if (held_for_fork)
		ppi_rank_give (PPI_RANK_UNWINDING);
	held_for_fork = false;
}

const struct ppi_part ppi_sampler_part = {.init = init,
					  .module_added = ppi_watched_look,
					  .needs_thread = is_wanted,
					  .tick = tick,
					  .housekeeping = housekeeping,
					  .fork_prepare = fork_prepare,
					  .fork_parent = fork_parent,
					  .fork_child = fork_child,
					  .commands = commands,
					  .keys = keys,
					  .fini = fini};
