/* SPDX-License-Identifier: MIT */
/*
 * ticks.h: the time that markers note: the processor's tick counter, or, where it can't be trusted,
 * CLOCK_MONOTONIC's nanoseconds, by the vDSO or a system call. One of the two is chosen at the
 * start and kept, before any code is made for a marker.
 *
 * The counter is trusted where the kernel trusts it: it watches it, and compares the counters of
 * all sockets. It counts on while a machine sleeps, or begins anew, which CLOCK_MONOTONIC does not:
 * an interval that was open then has a wrong sample. PP_CLOCK=monotonic is for machines that sleep.
 */
#ifndef PPI_BASE_TICKS_H
#define PPI_BASE_TICKS_H

#include "pp_arch.h"

#include <stdbool.h>
#include <stddef.h>

/* Set at the start, before anything is measured. */
extern uint32_t ppi_ticks_are_trusted __attribute__ ((visibility ("hidden")));

/* At markers too: general registers only. */
static inline uint64_t ppi_ticks (void)
{
	return __builtin_expect (ppi_ticks_are_trusted, 1) ? pp_arch_ticks ()
							   : pp_arch_monotonic_ns ();
}

/*
 * The time when all before it is done. A processor that runs ahead reads the clock before what was
 * to be measured has ended: of what takes less than some 200 ns most may be missed.
 */
static inline uint64_t ppi_ticks_in_order (void)
{
	pp_arch_in_order ();
	return ppi_ticks ();
}

/* Chooses; PP_CLOCK=tsc or monotonic insists. Once, before anything is measured. */
void ppi_ticks_choose (void) __attribute__ ((visibility ("hidden")));
/*
 * The least time that differs from none, in ticks: the smallest step between two readings one right
 * after the other, which is the step of the clock or what reading it takes, whichever is longer.
 * Some microseconds.
 */
uint64_t ppi_ticks_resolution (void) __attribute__ ((visibility ("hidden")));
/* Is CLOCK_MONOTONIC read by the vDSO, which makes no system call as a rule? */
bool ppi_ticks_have_vdso (void) __attribute__ ((visibility ("hidden")));
/* Why CLOCK_MONOTONIC was chosen, as a sentence; NULL: it was not. */
const char *ppi_ticks_doubt (void) __attribute__ ((visibility ("hidden")));
/*
 * Why a tick counter can't be trusted, NULL: it can. INVARIANT: the processor says that it counts
 * at one rate, always. AVAILABLE, CURRENT: the kernel's sources of time, NULL: it does not say.
 * NAME: that of the counter among them. Pure.
 */
const char *ppi_ticks_judge (bool invariant, const char *available, const char *current,
			     const char *name) __attribute__ ((visibility ("hidden")));

#endif
