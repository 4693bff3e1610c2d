/* SPDX-License-Identifier: MIT */
/*
 * wake.h: the library's thread sleeps on one word, and whoever has something for it raises the word
 * and wakes it: a call of the library's, a marker, another process (recording/mailbox.h). The word
 * is the mailbox's, which others may write; so whether this process has woken its thread is known
 * here, in its own memory.
 *
 * While samples come, the thread looks by itself, a hundred times a second. A second after the last
 * one it goes to sleep:
 *
 *   thread   ASLEEP = 1; looks for news once more; sleeps until something with a time of its own is due
 *   marker   leaves its news; sees ASLEEP: sets it to 0, and wakes the thread
 *
 * Both sides write before they read, so one of them sees the other. A marker looks at ASLEEP only
 * behind news (a violation, a full chunk), which is never its usual way.
 */
#ifndef PPI_BASE_WAKE_H
#define PPI_BASE_WAKE_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stdint.h>

extern uint32_t ppi_asleep PPI_HIDDEN; /* atomic */
PPI_HIDDEN void ppi_wake_from_sleep (void);

/* The word is WORD from now on; NULL: this process's own. Whoever sleeps goes on with it. */
PPI_HIDDEN void ppi_wake_word_set (uint32_t *word);

/* Wakes the library's thread, or keeps it from sleeping. Any context; one system call. */
PPI_HIDDEN void ppi_wake_thread (void);

/*
 * Is the calling thread the library's, or is there none? What it does itself is no reason to wake
 * it, but to look once more before it sleeps.
 */
PPI_HIDDEN void ppi_wake_sleeper_set (bool is_there);

/* Is the calling thread the library's? Any context. */
PPI_HIDDEN bool ppi_is_sleeper (void);

/* For the library's thread: it goes to sleep, or doesn't. */
PPI_HIDDEN void ppi_asleep_set (bool is_asleep);

/* Does it sleep? Who has woken it has made this false. */
static inline bool ppi_is_asleep (void)
{
	return __atomic_load_n (&ppi_asleep, __ATOMIC_SEQ_CST);
}

/* Behind news that was left with __ATOMIC_SEQ_CST. Any context; at most one system call. */
static inline void ppi_wake_if_asleep (void)
{
	if (ppi_unlikely (ppi_is_asleep ()))
		ppi_wake_from_sleep ();
}

/*
 * Sleeps until NS (CLOCK_MONOTONIC), or until there is a reason not to: it was woken since it
 * slept last, or HAS_MAIL, or somebody raised the word. Who goes on raising it without a reason is
 * not listened to more than a hundred times a second. For the library's thread. True: another
 * thread of this process woke it.
 */
PPI_HIDDEN bool ppi_wake_wait (uint64_t ns, bool (*has_mail) (void));

/* ---- between wake.c and wake_fast.c ---------------------------------------------------------- */

extern uint32_t *ppi_wake_word PPI_HIDDEN; /* atomic */
/* By whom in this process, since the thread looked last; atomic. */
enum { PPI_WOKEN = 1, PPI_WOKEN_ITSELF = 2 };
extern uint32_t ppi_woken PPI_HIDDEN;
extern uintptr_t ppi_sleeper PPI_HIDDEN; /* the library's thread's pointer; atomic */
/* Where there is no mailbox. */
PPI_HIDDEN uint32_t *ppi_wake_own_word (void);
PPI_HIDDEN void ppi_wake_raise (uint32_t *word);

#endif
