/* SPDX-License-Identifier: MIT */
/*
 * ppctl.h: what the subcommands of ppctl (verbs.h) have in common. Their exit status: 0 all is
 * well, 1 a problem was found or a file could not be read, 2 the command line makes no sense, 3 an
 * assertion fired (--fail-on).
 */
#ifndef PPCTL_H
#define PPCTL_H

#include "ppctl/verbs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* GO_ON is none: nothing is decided yet */
enum { PPCTL_GO_ON = -1, PPCTL_OK = 0, PPCTL_PROBLEM = 1, PPCTL_USAGE = 2, PPCTL_FIRED = 3 };

/* "ppctl COMMAND: message" on stderr, printf-like. Returns STATUS. */
int ppctl_fail (int status, const char *command, const char *format, ...)
	__attribute__ ((format (printf, 3, 4)));

/* LINE on OUT, a FILE *, in letters that the locale has; NULL: nowhere. */
void ppctl_put_line (const char *line, void *out);

/*
 * What is wrong with COMMAND's command line, printf-like, and where it is told how it is right.
 * Returns PPCTL_USAGE.
 */
int ppctl_wrong (const char *command, const char *format, ...)
	__attribute__ ((format (printf, 2, 3)));
/* The same behind what getopt has said already. */
int ppctl_see_help (const char *command);

enum { PPCTL_TEXTS_MOST = 32 };

struct ppctl_list {
	char *text[PPCTL_TEXTS_MOST];
	size_t n;
};

/*
 * An option: where its value goes: a bool, a const char *, or a list. A list of them ends with {0}.
 */
struct ppctl_option {
	const char *name; /* "json" */
	enum { PPCTL_FLAG, PPCTL_TEXT, PPCTL_TEXTS } kind;
	void *to;
	char letter; /* 0: it has none */
};

/*
 * Reads the options of COMMAND; --help calls HELP. Returns PPCTL_GO_ON, arguments are from optind
 * on then, or the exit status. The second ends at the first argument: what follows is another
 * program's.
 */
int ppctl_options (int argc, char **argv, const char *command, const struct ppctl_option *options,
		   void (*help) (FILE *out));
int ppctl_options_before (int argc, char **argv, const char *command,
			  const struct ppctl_option *options, void (*help) (FILE *out));

/*
 * Prints REPORT, as JSON with JSON, and frees it; NULL: there was no memory for it. Returns the
 * exit status.
 */
struct ppi_report;
int ppctl_print (struct ppi_report *report, bool json, const char *command);

/*
 * May what is at OUTPUT be replaced by what is made of the file at INPUT, or of none (NULL)? "", or
 * why not: a recording is a measurement, which can't be made again.
 */
const char *ppctl_guarded (const char *output, const char *input);

/*
 * Flushes stdout; PPCTL_PROBLEM, told, where what was written did not arrive (a full disk), else
 * STATUS.
 */
int ppctl_flush (int status, const char *command);

#endif
