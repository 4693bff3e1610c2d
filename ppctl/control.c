/* SPDX-License-Identifier: MIT */
/*
 * control.c: ppctl bind, unbind, set, reset, feature: a running process measures something else,
 * or turns a knob.
 */
#include "ppctl/door.h"
#include "ppctl/ppctl.h"

#include <getopt.h>
#include <string.h>

static void help_bind (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl bind [--every N] WHO METRIC SITES\n\n"
		"A running process measures METRIC at SITES, too, from their next execution on.\n"
		"WHO is its number or its program's name, SITES a site's name or a pattern, as in\n"
		"policies. ppctl unbind ends it.\n\n"
		"  --every N  one execution in N is sampled\n");
}

static void help_unbind (FILE *out)
{
	fprintf (out,
		 "usage: ppctl unbind WHO METRIC SITES\n\n"
		 "A running process no longer measures METRIC at SITES. WHO is its number or its\n"
		 "program's name. What was measured stays.\n");
}

static void help_set (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl set WHO KNOB VALUE\n\n"
		"Turns a knob of a running process to VALUE, a number or one of the knob's words;\n"
		"what is beyond its range becomes its limit, which is said. WHO is the process's\n"
		"number or its program's name. Policies may turn it again, but don't undo it when\n"
		"they go.\n");
}

static void help_reset (FILE *out)
{
	fprintf (out,
		 "usage: ppctl reset WHO METRIC\n\n"
		 "METRIC of a running process begins anew, with no samples. WHO is the process's\n"
		 "number or its program's name.\n");
}

static void help_feature (FILE *out)
{
	fprintf (out,
		 "usage: ppctl feature WHO on|off FEATURE\n"
		 "       ppctl feature on|off FEATURE WHO\n\n"
		 "Switches a feature of a running process on or off: one that is off is in no\n"
		 "profile, and its marks cost nothing. WHO is the process's number or its "
		 "program's\n"
		 "name, FEATURE library.feature or a glob: 'libc.*'. What was said last counts, "
		 "here\n"
		 "or by a policy.\n");
}

/* VERB with N arguments, the first of which says who; LAST: one more word, or NULL. */
static int control (const char *verb, int argc, char **argv, int n, const char *what,
		    const char *last)
{
	const char *word[8] = {verb};
	struct ppctl_process process;
	size_t words = 1;
	int status;

	if (argc - optind != n)
		return ppctl_wrong (verb, "it needs %s", what);
	status = ppctl_find (verb, argv[optind], &process);
	if (status != PPCTL_OK)
		return status;
	for (int i = optind + 1; i < argc; i++)
		word[words++] = argv[i];
	if (last)
		word[words++] = last;
	status = ppctl_do (verb, &process, word, words);
	ppctl_leave (&process);
	return status;
}

int ppctl_bind (int argc, char **argv)
{
	const char *every = NULL;
	const struct ppctl_option options[] = {{"every", PPCTL_TEXT, &every, 0}, {0}};
	int status = ppctl_options (argc, argv, "bind", options, help_bind);

	if (status == PPCTL_GO_ON && every && !every[strspn (every, "0")])
		status = ppctl_wrong ("bind", "--every: one in '%s' is none; it is a number from 1",
				      every);
	if (status != PPCTL_GO_ON)
		return status;
	return control ("bind", argc, argv, 3, "a process, a metric and sites",
			every ? every : "0");
}

int ppctl_unbind (int argc, char **argv)
{
	const struct ppctl_option options[] = {{0}};
	int status = ppctl_options (argc, argv, "unbind", options, help_unbind);

	return status == PPCTL_GO_ON
		       ? control ("unbind", argc, argv, 3, "a process, a metric and sites", NULL)
		       : status;
}

int ppctl_set (int argc, char **argv)
{
	const struct ppctl_option options[] = {{0}};
	/* a value may begin with - */
	int status = ppctl_options_before (argc, argv, "set", options, help_set);

	return status == PPCTL_GO_ON
		       ? control ("set", argc, argv, 3, "a process, a knob and a value", NULL)
		       : status;
}

int ppctl_reset (int argc, char **argv)
{
	const struct ppctl_option options[] = {{0}};
	int status = ppctl_options (argc, argv, "reset", options, help_reset);

	return status == PPCTL_GO_ON
		       ? control ("reset", argc, argv, 2, "a process and a metric", NULL)
		       : status;
}

static bool is_switch (const char *word)
{
	return strcmp (word, "on") == 0 || strcmp (word, "off") == 0;
}

/* Said as one says it, "on lib.sort server", what comes last comes first everywhere else. */
static void put_who_first (int argc, char **argv)
{
	char *who = argv[argc - 1];

	if (argc - optind != 3 || !is_switch (argv[optind]) || is_switch (argv[optind + 1]))
		return;
	memmove (&argv[optind + 1], &argv[optind], 2 * sizeof argv[0]);
	argv[optind] = who;
}

int ppctl_feature (int argc, char **argv)
{
	const struct ppctl_option options[] = {{0}};
	int status = ppctl_options (argc, argv, "feature", options, help_feature);

	if (status != PPCTL_GO_ON)
		return status;
	put_who_first (argc, argv);
	if (argc - optind == 3 && !*argv[optind + 2])
		return ppctl_wrong ("feature", "a feature is library.feature, or a glob such as "
					       "'libc.*', not ''");
	return control ("feature", argc, argv, 3, "a process, on or off, and a feature", NULL);
}
