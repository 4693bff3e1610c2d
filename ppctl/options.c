/* SPDX-License-Identifier: MIT */
/* options.c: the command lines of all verbs are read here; see ppctl.h. */
#include "ppctl/ppctl.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <getopt.h>
#include <string.h>

enum { OPTIONS_MOST = 16, HELP = 1000 };

static int take (const struct ppctl_option *option, const char *command, char *value)
{
	struct ppctl_list *list;

	switch (option->kind) {
	case PPCTL_FLAG:
		*(bool *) option->to = true;
		break;
	case PPCTL_TEXT:
		*(const char **) option->to = value;
		break;
	case PPCTL_TEXTS:
		list = option->to;
		if (list->n == PPCTL_TEXTS_MOST)
			return ppctl_fail (PPCTL_USAGE, command, "--%s: at most %d of them",
					   option->name, PPCTL_TEXTS_MOST);
		list->text[list->n++] = value;
		break;
	}
#ifndef HAVE_JANSSON
	if (strcmp (option->name, "json") == 0)
		return ppctl_fail (PPCTL_PROBLEM, command,
				   "this ppctl was built without JSON: install libjansson-dev and "
				   "build again");
#endif
	return PPCTL_GO_ON;
}

/* SHORT begins with '+' where what follows the first argument is not ours */
static int read_all (int argc, char **argv, const char *command, const struct ppctl_option *options,
		     void (*help) (FILE *out), const char *first)
{
	struct option known[OPTIONS_MOST + 2] = {{NULL, 0, NULL, 0}};
	char letters[2 * OPTIONS_MOST + 2];
	size_t n = 0, used = (size_t) snprintf (letters, sizeof letters, "%s", first);
	int found, status = PPCTL_GO_ON;

	for (; n < OPTIONS_MOST && options[n].name; n++) {
		bool has_value = options[n].kind != PPCTL_FLAG;

		known[n] = (struct option){options[n].name, has_value, NULL, (int) n + HELP + 1};
		if (options[n].letter)
			used += (size_t) snprintf (letters + used, sizeof letters - used, "%c%s",
						   options[n].letter, has_value ? ":" : "");
	}
	known[n] = (struct option){"help", no_argument, NULL, HELP};
	while (status == PPCTL_GO_ON &&
	       (found = getopt_long (argc, argv, letters, known, NULL)) != -1) {
		size_t i = found > HELP ? (size_t) (found - HELP - 1) : 0;

		if (found == HELP) {
			help (stdout);
			return PPCTL_OK;
		}
		while (found < HELP && i < n && options[i].letter != found)
			i++;
		status = i < n ? take (&options[i], command, optarg) : ppctl_see_help (command);
	}
	return status;
}

int ppctl_options (int argc, char **argv, const char *command, const struct ppctl_option *options,
		   void (*help) (FILE *out))
{
	return read_all (argc, argv, command, options, help, "");
}

int ppctl_options_before (int argc, char **argv, const char *command,
			  const struct ppctl_option *options, void (*help) (FILE *out))
{
	return read_all (argc, argv, command, options, help, "+");
}
