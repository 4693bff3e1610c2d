/* SPDX-License-Identifier: MIT */
/*
 * ppctl.h: the subcommands of ppctl. Each gets its own arguments (argv[0] is "ppctl NAME", for getopt) and returns the exit status: 0 all is well,
 * 1 a problem was found or a file could not be read, 2 the command line makes no sense.
 */
#ifndef PPCTL_H
#define PPCTL_H

#include <stdbool.h>
#include <stdio.h>

enum { PPCTL_OK = 0, PPCTL_PROBLEM = 1, PPCTL_USAGE = 2 };

int ppctl_report (int argc, char **argv);
int ppctl_sites (int argc, char **argv);
int ppctl_check (int argc, char **argv);
int ppctl_rules (int argc, char **argv);
int ppctl_sources (int argc, char **argv);
int ppctl_statistics (int argc, char **argv);
int ppctl_suggest (int argc, char **argv);
int ppctl_reload (int argc, char **argv);

/* "ppctl COMMAND: message" on stderr, printf-like. Returns STATUS. */
int ppctl_fail (int status, const char *command, const char *format, ...) __attribute__ ((format (printf, 3, 4)));

/* What is wrong with COMMAND's command line, printf-like, and where it is told how it is right. Returns PPCTL_USAGE. */
int ppctl_wrong (const char *command, const char *format, ...) __attribute__ ((format (printf, 2, 3)));
/* The same behind what getopt has said already. */
int ppctl_see_help (const char *command);

/*
 * The command line "ppctl COMMAND FILE [--json]": runs RUN with it, or USAGE where it asks for that. WHAT the file is, like "a recording". Returns
 * the exit status.
 */
int ppctl_one_file (int argc, char **argv, const char *command, const char *what, void (*usage) (FILE *out),
		    int (*run) (const char *path, bool json));

/* Flushes stdout; PPCTL_PROBLEM, told, where what was written did not arrive (a full disk), else STATUS. */
int ppctl_flush (int status, const char *command);

#endif
