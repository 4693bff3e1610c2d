/* SPDX-License-Identifier: MIT */
/*
 * message.h: lines for people. They are queued with the runtime's lock and written without any, by
 * whoever gives the lock back: nobody waits for a slow terminal or a full pipe. What can't be
 * written stays queued; what finds nobody who listens is noted in the history; what no longer fits
 * is counted and said.
 */
#ifndef PPI_BASE_MESSAGE_H
#define PPI_BASE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * NOTE gets a line that finds nobody who listens, without the lock; false: it can't be noted yet,
 * and stays queued.
 */
void ppi_messages_unheard_set (bool (*note) (const char *line));
/*
 * Writes what is queued and can be written. Without the lock; does nothing while another thread
 * does it.
 */
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

/*
 * A message to the user, "pp: " before it, one line: on the stderr of the start, or in the file of
 * PP_LOG (message.h). With the lock it is written when that is given back, else now; never waits. A
 * test may take it (NULL: as before). printf-like. Ordinary context, any thread.
 */
void ppi_message (const char *format, ...) __attribute__ ((format (printf, 1, 2)));

void ppi_message_set (void (*sink) (const char *line, void *arg), void *arg);

/*
 * Until this is called with NULL, messages of the calling thread are lines of ANSWER, and go
 * nowhere else.
 */
struct ppi_answer;
void ppi_message_answer (struct ppi_answer *answer);

/* A message about WHAT, an address, only the first time. */
void ppi_message_once (const void *what, const char *format, ...)
	__attribute__ ((format (printf, 2, 3)));

#endif
