/* SPDX-License-Identifier: MIT */
/*
 * wall.c: the interrupter by the wall clock. A thread of the library's, pp-interrupter, looks at
 * all threads once in each period, at a time that chance chooses.
 *
 *   it has not run since it slept      its newest stack counts again
 *   it sleeps, since it was seen last  its stack is read from here; nobody is interrupted
 *   it runs, or waits for a processor  it is asked to look at itself: it gets one signal, once it has
 *                                      run for some microseconds more in the program
 *
 * A thread is never signalled while it sleeps, so no sleep is cut short. Of one that sleeps the
 * kernel tells where its stack is and where it goes on, but no other register: where a caller's
 * frame is found by one of those (rbp, in code that is not optimised) the stack ends there.
 */
#include "base/clock.h"
#include "base/message.h"
#include "libmetrics/cost/overhead.h"
#include "profiler/sampler/looks.h"
#include "base/peek.h"
#include "profiler/sampler/sampler.h"
#include "profiler/sampler/threads.h"
#include "profiler/sampler/wall.h"

#include <stddef.h>
#include <string.h>

#define COUNT_NS UINT64_C (100000000) /* between looks at what all this costs */
#define LOST_NS UINT64_C (20000000)   /* CPU time: a signal that has not come by then does not */
#define SIGNAL_NS UINT64_C (3000)     /* of a signal, beside what the handler sees of itself */

enum { MOST_PART = 4 }; /* of the machine that samples may take: a quarter */

static struct {
	struct ppi_looks looks;
	const struct ppi_threads_options *options; /* NULL: it does not run */
	uint64_t now_ns, counted_ns, counted_own_ns;
	bool told;
} wall;

/* A piece of a stack that is read from here; too large for a stack. */
static union {
	struct ppi_raw raw;
	uint8_t bytes[sizeof (struct ppi_raw) + PPI_RAW_STACK_BYTES + PPI_RAW_OPEN_BYTES];
} asleep;

uint32_t ppi_wall_tid (void)
{
	return __atomic_load_n (&wall.looks.tid, __ATOMIC_RELAXED);
}

uint64_t ppi_wall_cpu_ns (void)
{
	return ppi_looks_cpu_ns (&wall.looks);
}

/* ---- a look ---------------------------------------------------------------------------------- */

/* The state of the thread TID; NULL: it has had no marker yet. */
static const struct ppi_thread *state_of (uint32_t tid)
{
	const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE);

	while (t && (ppi_load (&t->owner) || __atomic_load_n (&t->id, __ATOMIC_ACQUIRE) != tid ||
		     ppi_load (&t->state) != PPI_THREAD_USED))
		t = t->next;
	return t;
}

/* Reads the stack of a thread that sleeps there; false: it ran meanwhile. */
static bool read_stack (const struct ppi_timed_thread *slot, uint64_t sp, uint64_t pc,
			uint64_t cpu_ns)
{
	struct ppi_raw *raw = &asleep.raw;

	memset (raw, 0, sizeof *raw);
	raw->open = PPI_RAW_UNASKED;
	raw->ns = ppi_real_now_ns ();
	raw->at_ns = cpu_ns;
	raw->registers.known = 1u << PPI_REG_SP | 1u << PPI_REG_PC;
	raw->registers.value[PPI_REG_SP] = sp;
	raw->registers.value[PPI_REG_PC] = pc;
	raw->stack_bytes = (uint32_t) ppi_peek_by ((pid_t) slot->tid, sp,
						   asleep.bytes + offsetof (struct ppi_raw, stack),
						   PPI_RAW_STACK_BYTES);
	if (__atomic_load_n (&ppi_samples_open, __ATOMIC_RELAXED))
		ppi_raw_take_open (raw, state_of (slot->tid));
	return ppi_thread_cpu_ns (slot->tid) == cpu_ns;
}

/* The thread has run since the last look, or did then. */
static void look_closer (struct ppi_timed_thread *slot, uint64_t cpu_ns)
{
	uint64_t sp, pc,
		seen = __atomic_load_n (&ppi_rings[slot - ppi_slots]->seen, __ATOMIC_ACQUIRE);
	enum ppi_doing doing = ppi_thread_doing (slot->tid, &sp, &pc);

	if (doing == PPI_DOES_SLEEP && read_stack (slot, sp, pc, cpu_ns)) {
		ppi_interrupter_add_asleep (slot, &asleep.raw);
		slot->is_asleep = true;
		return;
	}
	/* nobody tells: one that has used nothing of the processor sleeps, or waits for it */
	if (doing == PPI_DOES_UNKNOWN && cpu_ns == slot->looked_cpu_ns)
		ppi_interrupter_add_again (slot, wall.now_ns);
	/* the one that it was asked for is under way, or was lost */
	if (slot->is_asked && seen == slot->looked_seen && cpu_ns - slot->asked_cpu_ns < LOST_NS) {
		if (cpu_ns > slot->asked_cpu_ns)
			ppi_thread_let_be (slot);
		return;
	}
	slot->is_asked = true;
	slot->asked_cpu_ns = cpu_ns;
	slot->looked_seen = seen;
	ppi_thread_interrupt (wall.options, slot);
}

static void look_at (struct ppi_timed_thread *slot)
{
	uint64_t cpu_ns = ppi_thread_cpu_ns (slot->tid);

	/* one that has ended is let go by the library's thread */
	if (!cpu_ns)
		return;
	if (slot->is_asleep && cpu_ns == slot->looked_cpu_ns) {
		ppi_interrupter_add_again (slot, wall.now_ns);
		return;
	}
	slot->is_asleep = false;
	look_closer (slot, cpu_ns);
	slot->looked_cpu_ns = cpu_ns;
}

/* ---- what it costs --------------------------------------------------------------------------- */

/* CPU time of handlers since the last time, by what the dearest of late took. */
static uint64_t spent_ns (void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < ppi_slots_used; i++) {
		struct ppi_timed_thread *slot = &ppi_slots[i];
		uint64_t seen, cost;

		if (!slot->tid)
			continue;
		seen = __atomic_load_n (&ppi_rings[i]->seen, __ATOMIC_RELAXED);
		cost = __atomic_load_n (&ppi_rings[i]->cost_ns, __ATOMIC_RELAXED) + SIGNAL_NS;
		if (seen > slot->spent_seen)
			sum += (seen - slot->spent_seen) * cost;
		slot->spent_seen = seen;
	}
	return sum;
}

/* Handlers and looks may take a quarter of the machine: beyond that looks become fewer. */
static void mind_cost (void)
{
	uint64_t own_ns = ppi_looks_cpu_ns (&wall.looks);
	uint64_t took_ns = spent_ns () + own_ns - wall.counted_own_ns;
	uint64_t there_ns = (wall.now_ns - wall.counted_ns) * ppi_processors ();

	wall.counted_ns = wall.now_ns;
	wall.counted_own_ns = own_ns;
	if (took_ns <= there_ns / MOST_PART)
		return;
	ppi_interrupter_period (2 * wall.looks.period_ns);
	if (!wall.told)
		ppi_message ("samples by the wall clock took %.0f %% of the machine: there are "
			     "fewer from "
			     "now on, one each %.2f ms, and still fewer where that is too much "
			     "(said once)",
			     100.0 * (double) took_ns / (double) there_ns,
			     1e-6 * (double) wall.looks.period_ns);
	wall.told = true;
}

static void look (bool is_last)
{
	wall.now_ns = ppi_real_now_ns ();
	if (is_last || wall.options->is_paused || !ppi_interrupter_goes_on ())
		return;
	ppi_store (&ppi_looked_ns, wall.now_ns);
	for (unsigned i = 0; i < ppi_slots_used; i++)
		if (ppi_slots[i].tid && ppi_slots[i].tid != UINT32_MAX)
			look_at (&ppi_slots[i]);
	if (wall.now_ns - wall.counted_ns >= COUNT_NS)
		mind_cost ();
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void *run (void *arg)
{
	(void) arg;
	ppi_looks_run (&wall.looks);
	return NULL;
}

const char *ppi_wall_begin (const struct ppi_threads_options *options)
{
	ppi_sampler_lock ();
	wall.options = options;
	wall.looks.look = look;
	wall.looks.period_ns = options->period_ns;
	wall.looks.begin_ns = wall.now_ns = wall.counted_ns = ppi_real_now_ns ();
	wall.counted_own_ns = ppi_looks_cpu_ns (&wall.looks);
	ppi_sampler_unlock ();
	return ppi_looks_begin (&wall.looks, "pp-interrupter", run)
		       ? NULL
		       : "there is no thread for samples by the wall clock";
}

void ppi_wall_period (uint64_t period_ns)
{
	if (wall.looks.runs)
		ppi_looks_period (&wall.looks, period_ns);
}

void ppi_wall_end (void)
{
	ppi_looks_end (&wall.looks);
}

void ppi_wall_forget (void)
{
	/* its thread may have been anywhere: it is not there any more */
	memset (&wall, 0, sizeof wall);
}
