/* SPDX-License-Identifier: MIT */
/*
 * assertions.h: what the assertion engine offers libpp, beside its parts.
 *
 * Who runs what: a marker evaluates the assertions of its site and posts what it saw; the owner
 * (whoever calls ppi_assertions_tick: the library's thread, or pp_poll) has every part tick
 * (base/part.h), the engine among them. Registries are under the runtime's lock; there is no lock
 * of this room's own.
 */
#ifndef PPI_ASSERTIONS_H
#define PPI_ASSERTIONS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Runs what is due at NOW_NS (ppi_now_ns): timed assertions, posted outcomes, actions, and
 * callbacks unless pp_poll_fd was called. Ordinary context, without the runtime's lock. Returns
 * when it wants to run again, ns; UINT64_MAX: not until the wake function.
 */
uint64_t ppi_assertions_tick (uint64_t now_ns);

/*
 * FN is called, in ordinary context and possibly with the runtime's lock held, when something
 * appeared that needs the tick or needs it sooner than the last tick said. It must not call back.
 * NULL: nobody.
 */
void ppi_assertions_wake_set (void (*fn) (void));

/*
 * ONLY: the library has no thread, pp_poll does it all; then the descriptor of pp_poll_fd says when
 * something is due, as it is now. Called again whenever the wake function is.
 */
void ppi_assertions_polled_set (bool only);

/*
 * In a child of _Fork or clone, for which no handler runs: makes everything its own, and gets it a
 * thread. Ordinary context, without the lock; the first thing that this room's API does, and what
 * follows the first call of any other function that takes the lock.
 */
void ppi_assertions_revive (void);

/*
 * Says how many assertions have fired, and that the recording is at RECORDED (NULL: there is none),
 * if there is anything to say; of a child only what fired there. At the end of the program, without
 * the lock.
 */
void ppi_assertions_tell_end (const char *recorded);

#endif
