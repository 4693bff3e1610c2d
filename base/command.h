/* SPDX-License-Identifier: MIT */
/*
 * command.h: what another process of the same user may ask this one for (ppctl bind ...). A part
 * lists its commands (base/part.h); libpp takes them out of the mailbox and calls them.
 */
#ifndef PPI_BASE_COMMAND_H
#define PPI_BASE_COMMAND_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line begins with a letter: what was said meanwhile, as on stderr; or the answer itself. */
#define PPI_ANSWER_SAID 'm'
#define PPI_ANSWER_LINE 'a'

/* What comes back: lines of text. All zero is an empty one. */
struct ppi_answer {
	char *text; /* malloced */
	size_t bytes, room;
	bool is_cut; /* there was no memory for more */
};

/* Adds a line of the answer, printf-like, without its newline. */
void ppi_answer (struct ppi_answer *answer, const char *format, ...)
	__attribute__ ((format (printf, 2, 3)));
/* The same of a line that the library said while it did what was asked, as on stderr. */
void ppi_answer_said (struct ppi_answer *answer, const char *line);
void ppi_answer_free (struct ppi_answer *answer);

struct ppi_command {
	const char *name;
	unsigned words; /* behind its name */
	/*
	 * Does it: on the library's thread or in pp_poll, without the lock, in the C locale. WORD:
	 * private copies. CONTROLLER: the process that asks. 0 or a pp_error, and in ANSWER what
	 * came of it, or why nothing did.
	 */
	int (*run) (const char *const *word, uint32_t controller, struct ppi_answer *answer);
};

/* TEXT as a number from LEAST to MOST: digits and nothing else. False: it is none. */
bool ppi_command_number (const char *text, uint32_t least, uint32_t most, uint32_t *out);

#endif
