/* SPDX-License-Identifier: MIT */
/* main.c: ppctl, the command: finds the subcommand. */
#include "base/quantity.h"
#include "base/types.h"
#include "ppctl/ppctl.h"
#include "recording/finish.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "?"
#endif

static const struct {
	const char *name;
	int (*run) (int argc, char **argv);
	const char *help;
} commands[] = {
#define X(name, help) {#name, ppctl_##name, help},
	PPCTL_VERBS (X)
#ifdef HAVE_LIBELF
		PPCTL_VERBS_OF_PROGRAMS (X)
#endif
#undef X
};

#define COMMANDS (sizeof commands / sizeof commands[0])

static void help (FILE *out)
{
	fprintf (out, "usage: ppctl COMMAND [ARGUMENT...]\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf (out, "  %-10s %s\n", commands[i].name, commands[i].help);
	fprintf (out, "\nppctl COMMAND --help tells more, ppctl --version which one this is.\n"
		      "Exit status: 0 all is well, 1 a problem was found, 2 wrong usage,\n"
		      "3 an assertion fired (--fail-on, test). Of run: see there.\n");
}

int ppctl_fail (int status, const char *command, const char *format, ...)
{
	va_list arguments;

	fflush (stdout);
	fprintf (stderr, "ppctl %s: ", command);
	va_start (arguments, format);
	vfprintf (stderr, format, arguments);
	va_end (arguments);
	fputc ('\n', stderr);
	return status;
}

void ppctl_put_line (const char *line, void *out)
{
	char *copy = out ? strdup (line) : NULL;

	if (copy)
		ppi_text_for_locale (copy);
	if (out)
		fprintf (out, "%s\n", copy ? copy : line);
	free (copy);
}

int ppctl_see_help (const char *command)
{
	fprintf (stderr, "Try 'ppctl %s --help'.\n", command);
	return PPCTL_USAGE;
}

int ppctl_wrong (const char *command, const char *format, ...)
{
	va_list arguments;

	fprintf (stderr, "ppctl %s: ", command);
	va_start (arguments, format);
	vfprintf (stderr, format, arguments);
	va_end (arguments);
	fputc ('\n', stderr);
	return ppctl_see_help (command);
}

int ppctl_flush (int status, const char *command)
{
	if (fflush (stdout) == 0 && !ferror (stdout))
		return status;
	return ppctl_fail (PPCTL_PROBLEM, command, "the output could not be written: %s",
			   strerror (errno));
}

static int unknown_command (const char *name)
{
	const char *names[COMMANDS + 1] = {NULL}, *nearest;

	for (size_t i = 0; i < COMMANDS; i++)
		names[i] = commands[i].name;
	nearest = ppi_nearest (name, names);
	fprintf (stderr, "ppctl: there is no command '%s'", name);
	if (nearest)
		fprintf (stderr, "; did you mean '%s'?\n", nearest);
	else
		fprintf (stderr, ".\nTry 'ppctl --help'.\n");
	return PPCTL_USAGE;
}

static int run (size_t command, int argc, char **argv)
{
	static char name[32];
	int status;

	/* what getopt says begins with it */
	snprintf (name, sizeof name, "ppctl %s", commands[command].name);
	argv[0] = name;
	status = ppctl_flush (commands[command].run (argc, argv), commands[command].name);
	/*
	 * afterwards: a recording that was named is completed where it is now, not where its
	 * process had it
	 */
	ppi_regions_finish (&(struct ppi_finish_limits){0});
	return status;
}

int main (int argc, char **argv)
{
	setlocale (LC_CTYPE, "");
	/* RLIMIT_FSIZE is then an error that is told, and no temporary file stays behind */
	signal (SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		help (stderr);
		return PPCTL_USAGE;
	}
	if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0 ||
	    strcmp (argv[1], "help") == 0) {
		help (stdout);
		return ppctl_flush (PPCTL_OK, "help");
	}
	if (strcmp (argv[1], "--version") == 0) {
		puts ("ppctl (ppgcc) " PACKAGE_VERSION);
		return ppctl_flush (PPCTL_OK, "version");
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp (argv[1], commands[i].name) == 0)
			return run (i, argc - 1, argv + 1);
	return unknown_command (argv[1]);
}
