/* SPDX-License-Identifier: MIT */
/*
 * part.c: the samplers in the life of a process.
 *
 *   asked for (asked.c) ──► library's thread: begins, looks after, ends ──► recording
 *
 * What is asked for is a note; all is done by the library's thread, behind each of its ticks. At
 * the end the thread that ends the process does it once more, when the library's is gone.
 */
#include "base/clock.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/rank.h"
#include "base/wake.h"
#include "libmetrics/life/recording.h"
#include "profiler/sampler/asked.h"
#include "profiler/sampler/command.h"
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

/* What has become of what was asked of a sampler; the library's thread's. */
struct task {
	uint64_t number; /* of the wish */
	bool runs, over;
	uint64_t until_ns; /* 0: to the end */
	unsigned
		costs; /* tries to find out what marks take; COSTS_MOST: it is known, or given up */
};

static struct task tasks[PPI_SAMPLERS];

static struct {
	bool recorded, told_room;
	uint32_t process;    /* ppi_process: whose all this is; 0: nobody's yet */
	uint32_t library;    /* the library's thread; atomic */
	uint64_t library_ns; /* its CPU time at the last look: at the end it is gone */
	uint64_t start_ns, looked_ns;
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
	ppi_held_forget ();
	memset (&state, 0, sizeof state);
	ppi_asked_forget ();
	for (int i = 1; i < PPI_SAMPLERS; i++)
		tasks[i].runs = false;
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

	ppi_held_clear (which);
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
	ppi_held_clear (which);
	if (which == PPI_SAMPLER_WATCHER) {
		ppi_watcher_end ();
		return;
	}
	ppi_interrupter_end_looks ();
	ppi_sampler_lock ();
	ppi_interrupter_end ();
	ppi_sampler_unlock ();
}

static void begin (enum ppi_sampler which, const struct ppi_profile_asked *ask, const char *globs,
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
	/* the tick before this knew of no sampler: it is asked again before the thread sleeps */
	ppi_wake_thread ();
	if (!task->until_ns && ask->wish.for_ns)
		task->until_ns = now_ns + ask->wish.for_ns;
	state.looked_ns = 0;
	/* ppctl looks at the region, and the program at its image: no file is made for them */
	if (!state.start_ns && !ppi_asked_by_ppctl (ask) && ask->owner != &ppi_by_program)
		state.start_ns = now_ns;
}

/* A glob that is mistaken leaves an empty profile, which does not say why. */
static void tell_nobody (enum ppi_sampler which)
{
	bool is_nobody;

	ppi_sampler_lock ();
	is_nobody = ppi_tracked_is_nobody (which);
	ppi_sampler_unlock ();
	if (is_nobody)
		ppi_message ("profile: of the threads that %s, none had a name as 'threads' "
			     "says",
			     which == PPI_SAMPLER_WATCHER ? "came to a marker" : "there were");
}

static void end (enum ppi_sampler which)
{
	if (tasks[which].runs) {
		end_sampler (which);
		tell_nobody (which);
	}
	tasks[which].runs = false;
}

static void end_for_good (enum ppi_sampler which)
{
	end (which);
	tasks[which].over = true;
	ppi_lock ();
	ppi_asked_done (which, tasks[which].number);
	ppi_unlock ();
}

static void serve (enum ppi_sampler which, uint64_t now_ns)
{
	struct task *task = &tasks[which];
	char *globs = NULL;
	struct ppi_profile_asked ask;

	ppi_lock ();
	ask = ppi_asked (which);
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
static void measure_cost (enum ppi_sampler which)
{
	struct task *task = &tasks[which];
	double pair_s = 0, by_c_s = 0;
	bool is_known = false;

	if (!task->number || task->costs >= COSTS_MOST)
		return;
	ppi_lock ();
	is_known = ppi_watched_cost (which, &pair_s, &by_c_s) && pair_s > 0;
	ppi_unlock ();
	task->costs = is_known ? COSTS_MOST : task->costs + 1;
	if (!is_known)
		return;
	ppi_sampler_lock ();
	ppi_store_cost (which, pair_s, by_c_s);
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

static void look_at_rings (uint64_t now_ns)
{
	bool is_whole = now_ns - state.looked_ns >= LOOK_NS / 2;

	ppi_sampler_lock ();
	if (is_whole)
		ppi_interrupter_look ();
	else
		ppi_interrupter_fetch ();
	ppi_sampler_unlock ();
	if (is_whole)
		state.looked_ns = now_ns;
}

static void housekeeping (void)
{
	uint64_t now_ns = ppi_real_now_ns ();

	if (!ppi_asked_ever ())
		return;
	become_own ();
	__atomic_store_n (&state.library, (uint32_t) gettid (), __ATOMIC_RELAXED);
	for (int i = 1; i < PPI_SAMPLERS; i++)
		serve ((enum ppi_sampler) i, now_ns);
	if (tasks[PPI_SAMPLER_INTERRUPTER].runs)
		look_at_rings (now_ns);
	for (int i = 1; i < PPI_SAMPLERS; i++)
		ppi_served_set ((enum ppi_sampler) i, tasks[i].number, tasks[i].runs);
	for (int i = 1; i < PPI_SAMPLERS; i++)
		measure_cost ((enum ppi_sampler) i);
	if (state.start_ns && now_ns - state.start_ns >= RECORD_NS)
		record ();
}

bool ppi_profile_settle (enum ppi_sampler which, bool *runs)
{
	uint64_t number;

	ppi_lock ();
	number = ppi_asked (which).number;
	ppi_unlock ();
	/* a callback of the program's: nobody else would do it meanwhile */
	if (ppi_is_sleeper ())
		housekeeping ();
	return ppi_served_wait (which, number, runs);
}

static uint64_t tick (uint64_t now_ns)
{
	uint64_t next = UINT64_MAX;

	if (!ppi_asked_ever ())
		return next;
	if (tasks[PPI_SAMPLER_INTERRUPTER].runs ||
	    (tasks[PPI_SAMPLER_WATCHER].runs && tasks[PPI_SAMPLER_WATCHER].costs < COSTS_MOST))
		next = now_ns + LOOK_NS;
	if (tasks[PPI_SAMPLER_INTERRUPTER].runs && ppi_interrupter_fetches_ns () < LOOK_NS)
		next = now_ns + ppi_interrupter_fetches_ns ();
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
	bool is_of_features;
	char path[PATH_MAX], first[PATH_MAX];

	ppi_lock ();
	is_of_features = ppi_asked (tasks[PPI_SAMPLER_INTERRUPTER].number ? PPI_SAMPLER_INTERRUPTER
									  : PPI_SAMPLER_WATCHER)
				 .wish.features == PPI_FEATURES_SAMPLED;
	ppi_unlock ();
	ppi_recording_path (path, sizeof path);
	ppi_recording_first (first, sizeof first);
	/* what ran before exec said nothing: the shell finds its recording, too */
	if (*path && !ppi_environment (PPI_ENVIRONMENT_RUN))
		ppi_message ("a profile was taken; see: ppctl %s '%s'%s",
			     is_of_features ? "features" : "profile", *first ? first : path,
			     *first ? "*" : "");
}

static void fini (void)
{
	ppi_served_no_more ();
	if (!ppi_asked_ever ())
		return;
	become_own ();
	end (PPI_SAMPLER_WATCHER);
	for (int i = 1; i < PPI_SAMPLERS; i++)
		measure_cost ((enum ppi_sampler) i);
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
	ppi_asked_no_more ();
}

/* ---- modules, fork --------------------------------------------------------------------------- */

static bool held_for_fork; /* by the thread that forks: nobody else's until it has */

static void fork_prepare (void)
{
	if (!ppi_asked_ever ())
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

const struct ppi_part ppi_sampler_part = {.init = ppi_asked_init,
					  .module_added = ppi_watched_look,
					  .needs_thread = ppi_asked_now,
					  .tick = tick,
					  .housekeeping = housekeeping,
					  .fork_prepare = fork_prepare,
					  .fork_parent = fork_parent,
					  .fork_child = fork_child,
					  .commands = ppi_sampler_commands,
					  .keys = ppi_asked_keys,
					  .fini = fini};
