/* SPDX-License-Identifier: MIT */
/*
 * watcher.c: a thread that looks at what other threads have open, so many times a second. Nobody is
 * interrupted: markers leave marks (thread/mark.h), which are read from here.
 *
 * Looks are spread over time by chance (looks.h): what the program does by a period of its own is
 * seen in its share. Where a look is left out, the sample before it and the one behind it stand for
 * that time.
 */
#include "base/clock.h"
#include "base/lock.h"
#include "libmetrics/cost/overhead.h"
#include "libmetrics/thread/mark.h"
#include "profiler/sampler/looks.h"
#include "profiler/sampler/sampler.h"
#include "profiler/sampler/store.h"
#include "profiler/sampler/threads.h"
#include "profiler/sampler/tracked.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH (2 * PPI_DEPTH_MAX) /* a stack's, and that of calls */
#define TRIES 64                  /* to read what changes meanwhile */
#define NOTE_NS UINT64_C (100000000)
#define ALIVE_NS UINT64_C (1000000) /* between looks whether a thread is there still */

/* A thread state of the library's, and who has it. */
struct seen {
	uint32_t tid; /* 0: nobody */
	char name[16];
	struct ppi_store_thread store;
	uint64_t cpu_ns;      /* its CPU time at the last look, where that is the axis */
	uint64_t left_out_ns; /* of that, in pauses */
	uint64_t alive_ns;    /* when it was there still */
	uint64_t slept;       /* how often, when it had no processor and did not sleep */
	bool is_new, is_gone;
	struct ppi_changes changes; /* at the last look */
};

static struct watcher {
	struct ppi_looks looks;
	struct ppi_profile_wish wish;
	uint64_t now_ns, noted_ns;
	bool is_alone;                     /* with all others, on one processor */
	bool is_paused, is_out;            /* IS_OUT: that, or between an end and a new begin */
	uint64_t paused_ns, paused_cpu_ns; /* when that began, of the clock and the process */
	uint64_t left_out_ns;              /* of the clock, in those that are over */
	uint64_t sampled_cpu_ns;           /* of the process when it began */
	uint64_t lost[PPI_SAMPLE_LOSSES];
	uint64_t changes, by_c; /* of all threads: ppi_marks_changes */
	/* the program's first thread when it began, which has run since; 0: that is said */
	uint32_t main_tid;
	uint64_t main_ns, main_at_ns;
	uint64_t before_ns; /* the look before this one, or the begin; without what is left out */
	/* the I-th from the end of the list of states is at I, for that only grows at its head */
	struct seen *seen;
	size_t n, room;
	const struct ppi_thread *head;
} watcher;

uint32_t ppi_watcher_tid (void)
{
	return __atomic_load_n (&watcher.looks.tid, __ATOMIC_RELAXED);
}

uint64_t ppi_watcher_cpu_ns (void)
{
	return ppi_looks_cpu_ns (&watcher.looks);
}

/* ---- a look ---------------------------------------------------------------------------------- */

/* Room for all states that are on the list now. False: no memory. */
static bool follow_list (void)
{
	const struct ppi_thread *head = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE);
	struct seen *grown;
	size_t n = 0;

	if (head == watcher.head)
		return true;
	for (const struct ppi_thread *t = head; t; t = t->next)
		n++;
	if (n > watcher.room) {
		grown = reallocarray (watcher.seen, 2 * n, sizeof *grown);
		if (!grown)
			return false;
		memset (grown + watcher.room, 0, (2 * n - watcher.room) * sizeof *grown);
		watcher.seen = grown;
		watcher.room = 2 * n;
	}
	watcher.n = n;
	watcher.head = head;
	return true;
}

/* The time that looks count, whatever the axis is. */
static uint64_t counted_ns (void)
{
	return watcher.now_ns - watcher.left_out_ns;
}

/*
 * A thread is known from its first marker on. The program's first has run before it, with nothing
 * open, since the profile began, until the look before this one: samples of then say so. AT_NS:
 * where this look is on the axis, on which nothing goes faster than the clock.
 */
static void store_main (struct seen *seen, uint64_t at_ns)
{
	struct ppi_profile_sample begin = {.ns = watcher.main_ns,
					   .at_ns = watcher.main_at_ns,
					   .periods = 1,
					   .flags = PPI_SAMPLE_IS_LATE},
				  end = {.ns = watcher.now_ns, .at_ns = watcher.main_at_ns};
	uint64_t since, looks = 0;

	if (seen->tid != watcher.main_tid)
		return;
	watcher.main_tid = 0;
	since = counted_ns () - watcher.before_ns;
	if (at_ns > watcher.main_at_ns + since) {
		end.ns -= since;
		end.at_ns = at_ns - since;
		looks = (end.at_ns - begin.at_ns) / watcher.wish.period_ns;
	}
	end.periods = looks < UINT32_MAX ? (uint32_t) looks : UINT32_MAX;
	seen->is_new =
		!ppi_store_add_open (&seen->store, seen->tid, seen->name, NULL, 0, NULL, begin) ||
		(looks > 0 &&
		 !ppi_store_add_open (&seen->store, seen->tid, seen->name, NULL, 0, NULL, end));
}

static void store (struct seen *seen, const struct ppi_open *open, unsigned n, bool is_cut,
		   uint64_t at_ns)
{
	struct ppi_profile_sample sample = {.ns = watcher.now_ns, .at_ns = at_ns, .periods = 1};

	store_main (seen, at_ns);
	/* what another had before, or this one before a pause, is no part of it */
	if (seen->is_new)
		sample.flags |= PPI_SAMPLE_IS_LATE;
	seen->is_new = false;
	if (is_cut) {
		sample.flags |= PPI_SAMPLE_IS_PARTIAL;
		watcher.lost[PPI_SAMPLE_CUT]++;
	}
	if (ppi_store_add_open (&seen->store, seen->tid, seen->name, open, n,
				&watcher.lost[PPI_SAMPLE_OTHERS], sample))
		return;
	watcher.lost[PPI_SAMPLE_MEMORY]++;
	ppi_sampler_tell_full ();
}

/* What it has open, as soon as it changes no more; negative: it went on. */
static int read_marks (const struct ppi_thread *t, struct ppi_open *open, unsigned *more)
{
	int n = PPI_MARKS_TORN;

	for (unsigned i = 0; i < TRIES && n < 0; i++)
		n = ppi_marks_read (t, open, DEPTH, more);
	return n;
}

/*
 * Of a thread whose CPU time was CPU_NS a moment ago and that does not sleep: is what it has open
 * what it used that time for? One that has no processor now may have been woken from a sleep, and
 * its time went into something else. Or it lost it, as to this very look: then it has not slept
 * since it was found like this before.
 */
static bool is_at_work (struct seen *seen, uint64_t cpu_ns)
{
	uint64_t slept, before = seen->slept;

	if (watcher.is_alone || ppi_thread_cpu_ns (seen->tid) != cpu_ns)
		return true;
	slept = seen->slept = ppi_thread_slept (seen->tid);
	return slept == before;
}

/*
 * Is there a sample of this look, and where on the axis? A thread that has ended stays on the list
 * until its state is given to another. Of CPU time there is one if the thread runs: one that sleeps
 * now has used its time with other things open, so the next sample that sees it run, and the last
 * that did, stand for that time.
 */
static bool is_due (struct seen *seen, uint64_t *at_ns)
{
	uint64_t cpu_ns, sp, pc;

	*at_ns = counted_ns ();
	if (!watcher.wish.is_cpu && watcher.now_ns - seen->alive_ns < ALIVE_NS)
		return true;
	cpu_ns = ppi_thread_cpu_ns (seen->tid);
	seen->alive_ns = watcher.now_ns;
	seen->is_gone = !cpu_ns;
	if (!watcher.wish.is_cpu || seen->is_gone)
		return !seen->is_gone;
	if (cpu_ns == seen->cpu_ns)
		return false;
	seen->cpu_ns = cpu_ns;
	*at_ns = cpu_ns - seen->left_out_ns;
	return ppi_thread_doing (seen->tid, &sp, &pc) != PPI_DOES_SLEEP &&
	       is_at_work (seen, cpu_ns);
}

static void count_marks (const struct ppi_thread *t, struct seen *seen)
{
	struct ppi_changes now = ppi_marks_changes (t);

	if (!seen->is_new && now.all >= seen->changes.all) {
		watcher.changes += now.all - seen->changes.all;
		watcher.by_c += (uint32_t) (now.by_c - seen->changes.by_c);
	}
	seen->changes = now;
}

static void look_at (const struct ppi_thread *t, struct seen *seen)
{
	static struct ppi_open open[DEPTH]; /* too large for a stack */
	uint32_t tid = __atomic_load_n (&t->id, __ATOMIC_ACQUIRE);
	unsigned more = 0;
	uint64_t at_ns;
	int n;

	if (tid != seen->tid) {
		*seen = (struct seen){.tid = tid, .is_new = true};
		if (tid)
			ppi_thread_name (tid, seen->name, sizeof seen->name);
	}
	if (!tid || !ppi_is_tracked (PPI_SAMPLER_WATCHER, tid)) {
		/* one that is watched again begins anew */
		seen->is_new = true;
		return;
	}
	if (ppi_load (&t->owner) || seen->is_gone || ppi_load (&t->state) != PPI_THREAD_USED)
		return;
	count_marks (t, seen);
	n = read_marks (t, open, &more);
	if (n < 0) {
		watcher.lost[PPI_SAMPLE_TORN]++;
		return;
	}
	if (is_due (seen, &at_ns) && __atomic_load_n (&t->id, __ATOMIC_RELAXED) == tid)
		store (seen, open, (unsigned) n, more, at_ns);
}

static void leave (void)
{
	watcher.is_out = true;
	watcher.now_ns = watcher.paused_ns = ppi_real_now_ns ();
	watcher.paused_cpu_ns = ppi_sampled_cpu_ns ();
}

static uint64_t left_out_ns (uint64_t now_ns)
{
	bool is_in_it = watcher.is_out && now_ns > watcher.paused_ns;

	return watcher.left_out_ns + (is_in_it ? now_ns - watcher.paused_ns : 0);
}

static void come_back (void)
{
	const struct ppi_thread *t = watcher.head;

	watcher.left_out_ns = left_out_ns (ppi_real_now_ns ());
	watcher.sampled_cpu_ns += ppi_sampled_cpu_ns () - watcher.paused_cpu_ns;
	watcher.is_out = false;
	/* marks of meanwhile are not in what is sampled */
	for (size_t i = watcher.n; i-- > 0; t = t->next)
		watcher.seen[i].changes = ppi_marks_changes (t);
}

void ppi_watcher_note (void)
{
	uint64_t own = ppi_looks_cpu_ns (&watcher.looks), cpu;

	cpu = watcher.is_out ? watcher.paused_cpu_ns : ppi_sampled_cpu_ns ();
	watcher.noted_ns = watcher.now_ns;
	ppi_store_note (PPI_SAMPLER_WATCHER,
			&(struct ppi_store_notes){.now_ns = watcher.now_ns,
						  .cpu_ns = cpu > watcher.sampled_cpu_ns
								    ? cpu - watcher.sampled_cpu_ns
								    : 0,
						  .left_out_ns = left_out_ns (watcher.now_ns),
						  .is_paused = watcher.is_paused,
						  .own_ns = own,
						  .marks = watcher.changes / 2,
						  .by_c = watcher.by_c,
						  .lost = watcher.lost});
}

static void look_at_all (void)
{
	const struct ppi_thread *t;
	size_t i;

	if (follow_list ())
		for (t = watcher.head, i = watcher.n; t; t = t->next)
			look_at (t, &watcher.seen[--i]);
	else
		watcher.lost[PPI_SAMPLE_MEMORY]++;
}

static void look (bool is_last)
{
	watcher.now_ns = ppi_real_now_ns ();
	if (!watcher.is_paused) {
		ppi_store (&ppi_looked_ns, watcher.now_ns);
		look_at_all ();
		watcher.before_ns = counted_ns ();
	}
	if (is_last || watcher.now_ns - watcher.noted_ns >= NOTE_NS)
		ppi_watcher_note ();
	if (is_last && !watcher.is_out)
		leave ();
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *run (void *arg)
{
	(void) arg;
	ppi_looks_run (&watcher.looks);
	return NULL;
}

const char *ppi_watcher_begin (const struct ppi_profile_wish *wish)
{
	bool is_stored;

	ppi_sampler_lock ();
	/* of a profile that goes on: the time between is nobody's */
	for (size_t i = 0; i < watcher.n; i++)
		watcher.seen[i] = (struct seen){.tid = 0};
	watcher.wish = *wish;
	watcher.now_ns = watcher.noted_ns = ppi_real_now_ns ();
	watcher.looks.look = look;
	watcher.looks.period_ns = wish->period_ns;
	watcher.looks.begin_ns = watcher.now_ns;
	watcher.is_alone = ppi_processors () == 1;
	watcher.is_paused = false;
	if (watcher.is_out)
		come_back ();
	else
		watcher.sampled_cpu_ns = ppi_sampled_cpu_ns ();
	watcher.main_tid = (uint32_t) getpid ();
	watcher.main_ns = watcher.now_ns;
	watcher.before_ns = counted_ns ();
	watcher.main_at_ns = wish->is_cpu ? ppi_thread_cpu_ns (watcher.main_tid)
					  : watcher.now_ns - watcher.left_out_ns;
	is_stored = ppi_store_begin (PPI_SAMPLER_WATCHER, wish->is_cpu, 0, wish->period_ns,
				     watcher.now_ns);
	ppi_sampler_unlock ();
	if (!is_stored)
		return "there is no room in the live region";
	return ppi_looks_begin (&watcher.looks, "pp-watcher", run)
		       ? NULL
		       : "there is no thread for the watcher";
}

/* ---- control --------------------------------------------------------------------------------- */

/* Of a thread, what it used of the processor in the pause. */
static void leave_out (struct seen *seen, uint64_t sign)
{
	uint64_t cpu_ns = seen->tid ? ppi_thread_cpu_ns (seen->tid) : 0;

	seen->left_out_ns += sign * cpu_ns;
}

void ppi_watcher_pause (bool is_paused)
{
	if (is_paused == watcher.is_paused)
		return;
	watcher.is_paused = is_paused;
	for (size_t i = 0; watcher.wish.is_cpu && i < watcher.n; i++)
		leave_out (&watcher.seen[i], is_paused ? UINT64_MAX : 1);
	if (is_paused)
		leave ();
	else
		come_back ();
	ppi_watcher_note ();
}

void ppi_watcher_period (uint64_t period_ns)
{
	ppi_store_period (PPI_SAMPLER_WATCHER, period_ns);
	ppi_looks_period (&watcher.looks, period_ns);
}

void ppi_watcher_end (void)
{
	ppi_looks_end (&watcher.looks);
}

void ppi_watcher_forget (void)
{
	static struct watcher parents __attribute__ ((used));

	/*
	 * its thread may have been anywhere: nothing of the parent's is touched, and who looks for
	 * leaks finds it here
	 */
	parents = watcher;
	memset (&watcher, 0, sizeof watcher);
}
