/* SPDX-License-Identifier: MIT */
/*
 * mailbox.h: this process's side of its mailbox (recording/mailbox.h). Only its first page is
 * mapped; command and answer are read and written through the region's descriptor, so that what
 * others cut off or leave out is an error here and not a signal. For the owner of the tick, one at
 * a time; without the lock.
 */
#ifndef PPI_REGION_MAILBOX_H
#define PPI_REGION_MAILBOX_H

#include "base/atomic.h"
#include "recording/mailbox.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the mailbox at OFFSET of the region's file FD. False: no room. [lock] */
PPI_HIDDEN bool ppi_mailbox_map (int fd, uint64_t offset);
/* In a child: the mailbox is the parent's. [lock] */
PPI_HIDDEN void ppi_mailbox_after_fork (void);

/* Is there a mailbox? Any thread. */
bool ppi_mailbox_exists (void);
/* Tells others who answers. */
void ppi_mailbox_set_door (enum ppi_door door);

/* Has somebody sent something, or does somebody wait for the rest of an answer? Any thread. */
bool ppi_mailbox_has_mail (void);

/* A command, in memory of this process's own. */
struct ppi_mail {
	char *text;          /* malloced: its words, each with its 0, and one more 0 */
	size_t bytes;        /* without the last 0 */
	uint32_t controller; /* the process that it says it is from */
};

/*
 * Takes the command that waits. False: none does, or nobody waits for it any more, or it can't be
 * read (then that is answered). First sends the next piece of an answer, where one is asked for.
 */
bool ppi_mailbox_take (struct ppi_mail *out);
/*
 * Answers the command that was taken last: STATUS, and BYTES of TEXT (malloced, is taken; may be
 * NULL).
 */
void ppi_mailbox_answer (int status, char *text, size_t bytes);

#endif
