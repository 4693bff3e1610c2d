/* SPDX-License-Identifier: MIT */
/*
 * interrupter.c: every thread is interrupted, so many times per second of its CPU time; or by the
 * wall clock, while it runs (wall.c). The library's thread looks for threads, fetches what handlers
 * left, unwinds, writes. At the end the thread that ends the process does it once more, when the
 * library's is gone.
 */
#include "base/clock.h"
#include "base/message.h"
#include "base/rank.h"
#include "base/peek.h"
#include "profiler/sampler/sampler.h"
#include "profiler/sampler/signal.h"
#include "profiler/sampler/threads.h"
#include "profiler/sampler/wall.h"

#include <pthread.h>
#include <string.h>

enum { SHIFT_SIGNALS = 16 };

#define WAITED_NS UINT64_C (50000000) /* CPU time: a signal that comes later was kept waiting */

enum { FORK_WAITS_NS = 50000000 };

/* A ring has room for twice as many samples of the largest size. */
enum { FETCH_PERIODS = 16, FETCH_LEAST_NS = 1000000 };

static struct {
	bool ended; /* there is no signal any more */
	struct ppi_threads_options options;
	uint64_t start_cpu_ns, start_own_ns; /* the first with what was used in pauses since */
	/*
	 * in a pause, or between an end and a new begin: since when, by the process and the clock
	 */
	bool is_out;
	uint64_t paused_cpu_ns, paused_ns;
	uint64_t left_out_ns; /* by the clock, in those that are over */
	int chosen;           /* the only signal that may be taken; 0: the first that can be */
	bool has_begun;
	bool sees_open;
	uint64_t marks, by_c; /* as of struct ppi_profile_chunk; twice as many */
	bool told_threads;
	uint64_t lost[PPI_SAMPLE_LOSSES];
} sampler;

/*
 * While an object's tables are looked for: fork waits for it, for the loader has a lock that a
 * child would find taken. It waits for a moment only: who forks may hold that lock itself, and then
 * the library's thread waits for it and does not hold it.
 */
static pthread_mutex_t unwinding = PTHREAD_MUTEX_INITIALIZER;

const char *ppi_interrupter_impossible (void)
{
#if defined __x86_64__
	return NULL;
#else
	return "threads can't be interrupted for samples on this CPU";
#endif
}

static uint64_t own_cpu_ns (void)
{
	return ppi_library_cpu_ns () + ppi_wall_cpu_ns ();
}

static void leave (void)
{
	sampler.is_out = true;
	sampler.paused_cpu_ns = ppi_sampled_cpu_ns ();
	sampler.paused_ns = ppi_real_now_ns ();
}

static uint64_t left_out_ns (uint64_t now_ns)
{
	return sampler.left_out_ns + (sampler.is_out ? now_ns - sampler.paused_ns : 0);
}

static void come_back (void)
{
	sampler.left_out_ns = left_out_ns (ppi_real_now_ns ());
	sampler.start_cpu_ns += ppi_sampled_cpu_ns () - sampler.paused_cpu_ns;
	sampler.is_out = false;
	/* nor are marks of meanwhile in what is sampled */
	for (unsigned i = 0; i < ppi_slots_used; i++)
		ppi_slots[i].is_counted = false;
}

static void note (void)
{
	uint64_t lost[PPI_SAMPLE_LOSSES], now_ns = ppi_real_now_ns ();
	uint64_t cpu = sampler.is_out ? sampler.paused_cpu_ns : ppi_sampled_cpu_ns ();

	memcpy (lost, sampler.lost, sizeof lost);
	for (unsigned i = 0; i < ppi_slots_used; i++)
		if (ppi_rings[i])
			lost[PPI_SAMPLE_FULL] +=
				__atomic_load_n (&ppi_rings[i]->full, __ATOMIC_RELAXED);
	ppi_store_note (PPI_SAMPLER_INTERRUPTER,
			&(struct ppi_store_notes){.now_ns = now_ns,
						  .left_out_ns = left_out_ns (now_ns),
						  .is_paused = sampler.options.is_paused,
						  .cpu_ns = cpu > sampler.start_cpu_ns
								    ? cpu - sampler.start_cpu_ns
								    : 0,
						  .own_ns = own_cpu_ns () - sampler.start_own_ns,
						  .marks = sampler.marks / 2,
						  .by_c = sampler.by_c,
						  .signal = sampler.options.signal,
						  .lost = lost});
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Marks between this sample and the thread's one before. */
static void count_marks (struct ppi_timed_thread *slot, const struct ppi_raw *raw)
{
	const struct ppi_changes now = {raw->changes, raw->by_c};

	if (slot->is_counted && now.all >= slot->changes.all) {
		sampler.marks += now.all - slot->changes.all;
		sampler.by_c += (uint32_t) (now.by_c - slot->changes.by_c);
	}
	slot->changes = now;
	slot->is_counted = true;
}

/* What SAMPLE says of what is open. */
static void take_open (struct ppi_timed_thread *slot, const struct ppi_raw *raw,
		       struct ppi_profile_sample *sample)
{
	if (raw->open == PPI_RAW_UNASKED)
		return;
	count_marks (slot, raw);
	if (raw->open < 0) {
		sampler.lost[PPI_SAMPLE_TORN]++;
		return;
	}
	sample->flags |= PPI_SAMPLE_HAS_OPEN;
	if (raw->older)
		sample->flags |= PPI_SAMPLE_IS_OPEN_CUT;
}

static void write_sample (struct ppi_timed_thread *slot, const struct ppi_raw *raw,
			  const struct ppi_unwound *unwound)
{
	uint64_t period = sampler.options.period_ns;
	uint64_t waited = (raw->overrun + UINT64_C (1)) * period;
	uint64_t most = 8 * period > WAITED_NS ? 8 * period : WAITED_NS;
	struct ppi_profile_sample sample = {
		.ns = raw->ns, .at_ns = raw->at_ns, .periods = raw->overrun + 1};

	if (unwound->loss < PPI_SAMPLE_LOSSES) {
		sampler.lost[unwound->loss]++;
		sample.flags |= PPI_SAMPLE_IS_PARTIAL;
	}
	if (slot->has_timer && !sampler.options.is_wall && waited > most) {
		sampler.lost[PPI_SAMPLE_BLOCKED] +=
			raw->overrun > slot->missed ? raw->overrun - slot->missed : 0;
		sample.flags |= PPI_SAMPLE_IS_LATE;
		sample.periods = 1;
	}
	if (sampler.options.is_wall)
		sample.at_ns = raw->ns - sampler.left_out_ns;
	else if (!slot->has_timer) {
		sample.flags |= PPI_SAMPLE_IS_USER;
		sample.periods = slot->periods;
	}
	/* between the runs of a profile that went on */
	if (!slot->store.chunk)
		sample.flags |= PPI_SAMPLE_IS_LATE;
	take_open (slot, raw, &sample);
	slot->missed = 0;
	slot->last_at_ns = raw->at_ns;
	if (ppi_store_add (&slot->store, slot->tid, slot->name, raw, unwound,
			   &sampler.lost[PPI_SAMPLE_OTHERS], sample))
		return;
	sampler.lost[PPI_SAMPLE_MEMORY]++;
	ppi_sampler_tell_full ();
}

/* Returns what it found; valid until the next one. */
static const struct ppi_unwound *unwind_and_write (struct ppi_timed_thread *slot,
						   const struct ppi_raw *raw)
{
	static struct ppi_unwound unwound; /* too large for a stack */

	ppi_rank_take (PPI_RANK_UNWINDING);
	pthread_mutex_lock (&unwinding);
	ppi_unwind (raw, &unwound);
	pthread_mutex_unlock (&unwinding);
	ppi_rank_give (PPI_RANK_UNWINDING);
	write_sample (slot, raw, &unwound);
	return &unwound;
}

static void fetch (struct ppi_timed_thread *slot)
{
	struct ppi_raw_ring *ring = ppi_rings[slot - ppi_slots];
	/*
	 * what is there now: the thread that fetches may be sampled faster than it unwinds
	 */
	uint64_t head = ring ? __atomic_load_n (&ring->head, __ATOMIC_ACQUIRE) : 0;
	const struct ppi_unwound *unwound;
	const struct ppi_raw *raw;

	while (ring && __atomic_load_n (&ring->tail, __ATOMIC_RELAXED) < head &&
	       (raw = ppi_ring_first (ring))) {
		unwound = unwind_and_write (slot, raw);
		if (unwound->loss == PPI_SAMPLE_LOSSES || !unwound->end)
			ppi_ring_note_end (ring, raw, unwound->end);
		slot->signals++;
		ppi_ring_pop (ring, raw);
	}
}

void ppi_interrupter_add_asleep (struct ppi_timed_thread *slot, const struct ppi_raw *raw)
{
	fetch (slot);
	unwind_and_write (slot, raw);
}

void ppi_interrupter_add_again (struct ppi_timed_thread *slot, uint64_t ns)
{
	const struct ppi_profile_sample sample = {
		.ns = ns, .at_ns = ns - sampler.left_out_ns, .periods = 1};

	fetch (slot);
	if (ppi_store_add_again (&slot->store, slot->tid, slot->name, sample) ||
	    !slot->store.samples)
		return;
	sampler.lost[PPI_SAMPLE_MEMORY]++;
	ppi_sampler_tell_full ();
}

bool ppi_interrupter_goes_on (void)
{
	return !sampler.ended;
}

static void refresh_objects (void)
{
	ppi_unwind_look ();
	ppi_rank_take (PPI_RANK_UNWINDING);
	pthread_mutex_lock (&unwinding);
	ppi_objects_refresh ();
	pthread_mutex_unlock (&unwinding);
	ppi_rank_give (PPI_RANK_UNWINDING);
}

/* Is the thread in the handler, which blocks all signals? */
static bool is_handling (const struct ppi_timed_thread *slot)
{
	const struct ppi_raw_ring *ring = ppi_rings[slot - ppi_slots];

	return __atomic_load_n (&ring->left, __ATOMIC_ACQUIRE) !=
	       __atomic_load_n (&ring->seen, __ATOMIC_ACQUIRE);
}

static void tell_blocked (struct ppi_timed_thread *slot)
{
	char name[24];

	if (slot->told)
		return;
	slot->told = true;
	ppi_signal_name (sampler.options.signal, name, sizeof name);
	ppi_message ("thread %u (%s) blocks %s: it is not sampled meanwhile", slot->tid, slot->name,
		     name);
}

/* A thread that uses the processor and gets no signal may block it. */
static void look_for_blocked (struct ppi_timed_thread *slot)
{
	uint64_t cpu = ppi_thread_cpu_ns (slot->tid),
		 seen = __atomic_load_n (&ppi_rings[slot - ppi_slots]->seen, __ATOMIC_RELAXED);
	uint64_t most = 2 * WAITED_NS + 8 * sampler.options.period_ns, missed;

	if (seen != slot->seen || !cpu) {
		slot->seen = seen;
		slot->cpu_ns = cpu;
		return;
	}
	if (cpu - slot->cpu_ns < most)
		return;
	missed = (cpu - slot->cpu_ns) / sampler.options.period_ns;
	slot->cpu_ns = cpu;
	/* the program may have closed what it does not know */
	ppi_thread_shift (&sampler.options, slot);
	/*
	 * the kernel looks at timers with its tick only, which may miss a thread that often waits
	 */
	if (is_handling (slot) || !ppi_thread_blocks (slot->tid, sampler.options.signal) ||
	    is_handling (slot))
		return;
	if (!sampler.options.is_wall) {
		sampler.lost[PPI_SAMPLE_BLOCKED] += missed;
		slot->missed += missed;
	}
	tell_blocked (slot);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

const char *ppi_interrupter_begin (const struct ppi_profile_wish *wish)
{
	int signal = sampler.options.signal, chosen = (int) wish->signal;

	if (!ppi_peek_is_permitted ())
		return "this process may not copy its own stacks (process_vm_readv)";
	if (!signal || !ppi_signal_is_ours (signal) || (chosen && signal != chosen))
		signal = ppi_signal_take (chosen);
	if (!signal)
		return chosen ? "the program has a handler for the signal of 'signal', or ignores "
				"it"
			      : "the program has a handler for every signal that could be used";
	sampler.options.signal = signal;
	sampler.options.period_ns = wish->period_ns;
	sampler.options.is_wall = !wish->is_cpu;
	sampler.chosen = chosen;
	if (!ppi_store_begin (PPI_SAMPLER_INTERRUPTER, wish->is_cpu, signal,
			      sampler.options.period_ns, ppi_real_now_ns ()))
		return "there is no room in the live region";
	if (sampler.has_begun) {
		come_back ();
	} else {
		sampler.start_cpu_ns = ppi_sampled_cpu_ns ();
		sampler.start_own_ns = own_cpu_ns ();
	}
	sampler.has_begun = true;
	sampler.ended = false;
	sampler.sees_open = wish->features == PPI_FEATURES_SAMPLED;
	__atomic_store_n (&ppi_samples_open, sampler.sees_open, __ATOMIC_RELAXED);
	if (sampler.sees_open)
		ppi_store_sees_open (PPI_SAMPLER_INTERRUPTER);
	return NULL;
}

void ppi_interrupter_period (uint64_t period_ns)
{
	__atomic_store_n (&sampler.options.period_ns, period_ns, __ATOMIC_RELAXED);
	ppi_store_period (PPI_SAMPLER_INTERRUPTER, period_ns);
	ppi_wall_period (period_ns);
	for (unsigned i = 0; i < ppi_slots_used; i++)
		if (ppi_slots[i].tid)
			ppi_thread_shift (&sampler.options, &ppi_slots[i]);
}

/* The program has taken the signal for itself: another one is. */
static void mind_signal (void)
{
	char was[24], now[24];

	if (ppi_signal_is_ours (sampler.options.signal))
		return;
	ppi_threads_stop ();
	ppi_signal_name (sampler.options.signal, was, sizeof was);
	sampler.options.signal = sampler.chosen ? 0 : ppi_signal_take (0);
	if (!sampler.options.signal) {
		ppi_message (
			"the program has taken %s for itself, and %s: no more samples are taken",
			was,
			sampler.chosen ? "'signal' names no other" : "there is no other signal");
		sampler.ended = true;
		return;
	}
	ppi_signal_name (sampler.options.signal, now, sizeof now);
	ppi_message ("the program has taken %s for itself: threads are sampled by %s from now on",
		     was, now);
	for (unsigned i = 0; i < ppi_slots_used; i++)
		if (ppi_slots[i].tid) {
			fetch (&ppi_slots[i]);
			/* a thread that is not there: it begins anew */
			ppi_slots[i].tid = UINT32_MAX;
		}
}

/* GOES_ON: and their timers go on. */
static void fetch_all (bool goes_on)
{
	refresh_objects ();
	for (unsigned i = 0; i < ppi_slots_used; i++) {
		if (!ppi_slots[i].tid)
			continue;
		fetch (&ppi_slots[i]);
		if (!goes_on || sampler.options.is_paused)
			continue;
		look_for_blocked (&ppi_slots[i]);
		if (ppi_slots[i].signals >= SHIFT_SIGNALS)
			ppi_thread_shift (&sampler.options, &ppi_slots[i]);
	}
}

void ppi_interrupter_pause (bool is_paused)
{
	if (is_paused == sampler.options.is_paused)
		return;
	if (is_paused) {
		ppi_threads_pause (&sampler.options);
		leave ();
		/* what was taken before it has the time, or the marks, of before */
		if (sampler.options.is_wall || sampler.sees_open)
			fetch_all (false);
	} else {
		come_back ();
		ppi_threads_resume (&sampler.options);
	}
	note ();
}

static void tell_of_threads (int error)
{
	if (!error || sampler.told_threads)
		return;
	sampler.told_threads = true;
	ppi_message ("/proc/self/task can't be read (%s): threads that begin meanwhile are not "
		     "sampled (said once)",
		     strerror (-error));
}

const char *ppi_interrupter_begin_looks (void)
{
	return sampler.options.is_wall ? ppi_wall_begin (&sampler.options) : NULL;
}

void ppi_interrupter_end_looks (void)
{
	ppi_wall_end ();
}

void ppi_interrupter_fetch (void)
{
	refresh_objects ();
	for (unsigned i = 0; i < ppi_slots_used; i++)
		if (ppi_slots[i].tid)
			fetch (&ppi_slots[i]);
}

uint64_t ppi_interrupter_fetches_ns (void)
{
	/* it may be another one meanwhile: the wall clock's sampler makes it longer */
	uint64_t period = __atomic_load_n (&sampler.options.period_ns, __ATOMIC_RELAXED),
		 ns = FETCH_PERIODS * period;

	return ns < FETCH_LEAST_NS ? FETCH_LEAST_NS : ns;
}

void ppi_interrupter_look (void)
{
	fetch_all (!sampler.ended);
	mind_signal ();
	if (!sampler.ended)
		tell_of_threads (ppi_threads_look (&sampler.options, fetch, sampler.lost));
	note ();
}

void ppi_interrupter_end (void)
{
	/* what came by timers, while that is known of their threads */
	fetch_all (false);
	ppi_threads_stop ();
	fetch_all (false);
	note ();
	for (unsigned i = 0; i < ppi_slots_used; i++)
		if (ppi_rings[i])
			sampler.lost[PPI_SAMPLE_FULL] +=
				__atomic_load_n (&ppi_rings[i]->full, __ATOMIC_RELAXED);
	ppi_threads_forget ();
	if (!sampler.is_out)
		leave ();
}

/* ---- children -------------------------------------------------------------------------------- */

void ppi_interrupter_forget (void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	unwinding = fresh;
	ppi_threads_forget ();
	ppi_wall_forget ();
	ppi_objects_forget ();
	memset (&sampler, 0, sizeof sampler);
	__atomic_store_n (&ppi_samples_paused, 0, __ATOMIC_RELAXED);
	__atomic_store_n (&ppi_samples_open, 0, __ATOMIC_RELAXED);
}

bool ppi_interrupter_hold (void)
{
	struct timespec until;

	clock_gettime (CLOCK_REALTIME, &until);
	until.tv_nsec += FORK_WAITS_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	ppi_rank_take (PPI_RANK_UNWINDING);
	if (pthread_mutex_timedlock (&unwinding, &until) == 0)
		return true;
	ppi_rank_give (PPI_RANK_UNWINDING);
	return false;
}

void ppi_interrupter_release (void)
{
	pthread_mutex_unlock (&unwinding);
	ppi_rank_give (PPI_RANK_UNWINDING);
}
