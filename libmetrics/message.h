/* SPDX-License-Identifier: MIT */
/*
 * message.h: lines for people. They are queued with the runtime's lock and written without any, by whoever gives the
 * lock back: nobody waits for a slow terminal or a full pipe. What can't be written stays queued; what finds nobody
 * who listens is noted in the history; what no longer fits is counted and said.
 */
#ifndef PPI_MESSAGE_H
#define PPI_MESSAGE_H

#include "ticks.h"

#include <stdbool.h>
#include <stddef.h>

/* Queues a line, with its newline [lock]. */
void ppi_messages_add (const char *line, size_t bytes) __attribute__ ((visibility ("hidden")));
/*
 * NOTE gets a line that finds nobody who listens, without the lock; false: it can't be noted yet, and stays queued.
 */
void ppi_messages_unheard_set (bool (*note) (const char *line));
/* Writes what is queued and can be written. Without the lock; does nothing while another thread does it. */
void ppi_messages_flush (void);
/* At the end of the process: the rest goes to the history. */
void ppi_messages_last (void);
/* Around fork: no line is being written meanwhile, and none is the child's. */
void ppi_messages_before_fork (void);
void ppi_messages_after_fork_parent (void);
/* In a child: forgets what its parent has queued. */
void ppi_messages_after_fork_child (void);

/* Is something queued? Any thread; may be late. */
extern unsigned ppi_messages_queued __attribute__ ((visibility ("hidden")));

#endif
