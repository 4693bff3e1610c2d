/* SPDX-License-Identifier: MIT */
/*
 * mailbox.h: the mailbox of a process, by which others of its user ask it for something (ppctl bind
 * ...). It lies in the file of the live region, behind all that readers map: a page with who is at
 * what, then room for the command and room for the answer.
 *
 *   ppctl    locks the mailbox, writes the words of its command, SENT, and wakes the process
 *   process  TAKEN: copies the command; carries it out; writes the answer, ANSWERED
 *   ppctl    reads it; where there is more of it: NEXT, and the process writes the next piece
 *
 * The lock is the kernel's (F_OFD_SETLK on the page), so it ends with who held it. A command that
 * nobody waits for is not carried out: ppctl takes it back by exchanging SENT for FREE, and a
 * process looks whether the lock is held. The process believes nothing here: it copies the command
 * before it looks at it, and keeps the answer to itself.
 */
#ifndef PPI_RECORDING_MAILBOX_H
#define PPI_RECORDING_MAILBOX_H

#include <stdint.h>

#define PPI_MAILBOX_MAGIC "ppdoor\r\n"
#define PPI_MAILBOX_VERSION 1

/*
 * Bytes of the page, of the largest command (the largest policy, and its name), of a piece of an
 * answer.
 */
#define PPI_MAILBOX_PAGE UINT64_C (4096)
#define PPI_MAILBOX_COMMAND ((UINT64_C (1) << 20) + (UINT64_C (64) << 10))
#define PPI_MAILBOX_ANSWER (UINT64_C (64) << 10)
#define PPI_MAILBOX_BYTES (PPI_MAILBOX_PAGE + PPI_MAILBOX_COMMAND + PPI_MAILBOX_ANSWER)

/* Who answers. */
enum ppi_door {
	PPI_DOOR_CLOSED,    /* nobody: nothing is bound, and PP_CONTROL is not set */
	PPI_DOOR_OPEN,      /* the library's thread */
	PPI_DOOR_POLLED,    /* PP_THREADS=0: pp_poll, when it is called */
	PPI_DOOR_NO_THREAD, /* pp_poll, for there can be no thread */
};

enum ppi_mail_state {
	PPI_MAIL_FREE,
	PPI_MAIL_SENT,     /* a command waits */
	PPI_MAIL_TAKEN,    /* it is being carried out */
	PPI_MAIL_ANSWERED, /* a piece of the answer is there */
	PPI_MAIL_NEXT,     /* the next one is asked for */
};

struct ppi_mailbox {
	char magic[8];
	uint32_t version;
	uint32_t door;  /* enum ppi_door; atomic */
	uint32_t wake;  /* futex of the process: raised, then woken; atomic */
	uint32_t state; /* enum ppi_mail_state, futex of the controller; atomic */
	/* the command: its words, each with its 0; who sent it */
	uint64_t bytes;
	uint32_t controller; /* process id */
	uint32_t reserved;
	/*
	 * the answer: bytes of this piece, whether there are more, and what came of the command: 0
	 * or a pp_error
	 */
	uint32_t piece;
	uint32_t more;
	int32_t status;
	uint32_t unused;
};

#endif
