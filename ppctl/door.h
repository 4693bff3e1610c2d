/* SPDX-License-Identifier: MIT */
/* door.h: a running process, and how it is asked for something: recording/mailbox.h. */
#ifndef PPCTL_DOOR_H
#define PPCTL_DOOR_H

#include "recording/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What was found of a process. */
enum ppctl_found {
	PPCTL_FOUND,
	PPCTL_NO_PROCESS,
	PPCTL_ENDED,
	PPCTL_NOT_OURS,
	PPCTL_NO_REGION,
	PPCTL_OTHER_VERSION,
};

struct ppctl_process {
	pid_t pid;
	int fd;        /* of the live region's file, for reading and writing */
	off_t bytes;   /* of that file */
	char name[64]; /* the program's base name */
	struct ppi_region_header header;
};

/*
 * WHO, a process id or a program's base name → *OUT. PPCTL_OK, or the exit status: why not is said.
 */
int ppctl_find (const char *verb, const char *who, struct ppctl_process *out);
/* Is WHO a number, or is a process of the user called so? */
bool ppctl_means_process (const char *who);
void ppctl_leave (struct ppctl_process *process);
/* Has it no other rights than we have? Root may ask processes of others, and believes them less. */
bool ppctl_is_own (const struct ppctl_process *process);
/*
 * Calls FN with each process of the user, for root of all users, and what was found of it. But for
 * PPCTL_FOUND it has a number and a name only.
 */
void ppctl_each_process (void (*fn) (struct ppctl_process *process, enum ppctl_found found,
				     void *arg),
			 void *arg);
/* The state of PID in one letter, as ps has it: R, S, T, Z ...; 0: there is no such process. */
char ppctl_process_state (pid_t pid);

/* What came back. */
struct ppctl_reply {
	int status; /* 0 or a pp_error */
	char *text; /* malloced: lines, each with its letter before it (base/command.h) */
	size_t bytes;
};

/*
 * Sends the N WORDS (the command and what it needs) and waits for the answer. PPCTL_OK and *REPLY,
 * whose text is the caller's; or the exit status: what went wrong, and whether the command may have
 * been carried out, is said.
 */
int ppctl_ask (const char *verb, const struct ppctl_process *process, const char *const *word,
	       size_t n, struct ppctl_reply *reply);
/*
 * Prints REPLY: on stdout, or where the command failed on stderr. PPCTL_OK or PPCTL_PROBLEM. Frees
 * its text.
 */
int ppctl_tell (const char *verb, const struct ppctl_process *process, struct ppctl_reply *reply);
/* Both. */
int ppctl_do (const char *verb, const struct ppctl_process *process, const char *const *word,
	      size_t n);

#endif
