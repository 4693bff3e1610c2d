/* SPDX-License-Identifier: MIT */
/*
 * assertions.h: what the room of policies, expressions, assertions, actions and knobs offers libpp.
 *
 * Who runs what: a marker evaluates the assertions of its site and posts what it saw; the owner (whoever calls
 * ppi_assertions_tick: the library's thread, or pp_poll) evaluates timed assertions and performs actions. Registries
 * are under the runtime's lock; there is no lock of this room's own, so fork needs nothing but
 * ppi_assertions_after_fork_child.
 */
#ifndef PPI_ASSERTIONS_H
#define PPI_ASSERTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Takes over knob, callable and expectation records and the module hook. Once, before modules register. 0 or a
 * pp_error.
 */
int ppi_assertions_init (void);

/*
 * Runs what is due at NOW_NS (ppi_now_ns): timed assertions, posted outcomes, actions, and callbacks unless pp_poll_fd
 * was called. Ordinary context, without the runtime's lock. Returns when it wants to run again, ns; UINT64_MAX: not
 * until the wake function.
 */
uint64_t ppi_assertions_tick (uint64_t now_ns);

/* Is there anything that needs the tick? */
bool ppi_assertions_need_thread (void);

/*
 * FN is called, in ordinary context and possibly with the runtime's lock held, when something appeared that needs the
 * tick or needs it sooner than the last tick said. It must not call back. NULL: nobody.
 */
void ppi_assertions_wake_set (void (*fn) (void));

/*
 * ONLY: the library has no thread, pp_poll does it all; then the descriptor of pp_poll_fd says when something is due, as
 * it is now. Called again whenever the wake function is.
 */
void ppi_assertions_polled_set (bool only);

/*
 * In a forked child, after its own live region exists: forgets outcomes, callbacks under way and counts of the parent.
 */
void ppi_assertions_after_fork_child (void);
/*
 * In a child of _Fork or clone, for which no handler runs: makes everything its own, and gets it a thread. Ordinary context, without the lock; the first thing that
 * this room's API does, and what follows the first call of any other function that takes the lock.
 */
void ppi_assertions_revive (void);

/*
 * Leaves in the region what only the program can compute: composite metrics, its own statistics, what was lately. Before a recording is copied or a report is
 * made. Ordinary context, without the lock: functions of the program's are called.
 */
void ppi_figures_refresh (void);

/* Says which names policies wait for that never came: at the end of the program. Without the lock. */
void ppi_policies_tell_missing (void);

/*
 * Says how many assertions have fired, and that the recording is at RECORDED (NULL: there is none), if there is anything to say; of a child only what
 * fired there. At the end of the program, without the lock.
 */
void ppi_assertions_tell_end (const char *recorded);

/* Performs what is posted, restores knobs, takes every policy away. The tick must not run any more. */
void ppi_assertions_fini (void);

#endif
