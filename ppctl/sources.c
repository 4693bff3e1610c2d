/* SPDX-License-Identifier: MIT */
/* sources.c: ppctl sources [SOURCE...] [--json]: what can be measured, what a reading costs here, and what this machine lacks. */
#include "ppctl/ppctl.h"
#include "stdmetrics/listing.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <getopt.h>
#include <math.h>
#include <string.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

static void help (FILE *out)
{
	fprintf (out, "usage: ppctl sources [--verbose] [--json] [SOURCE...]\n\n"
		      "Lists what metrics can be made of: for which sites, in which unit, what one\n"
		      "reading is (an interval is read at its begin and at its end) and what it costs\n"
		      "on this machine, measured now; or why this machine lacks it. SOURCE is one as a\n"
		      "metric names it, like papi:PAPI_L1_DCM; without any, all are listed.\n\n"
		      "  --verbose   of each also what it counts\n"
		      "  --json      one JSON object\n");
}

struct output {
	bool verbose;
	char reason[600]; /* of the source before this one, without its name */
#ifdef HAVE_JANSSON
	json_t *list; /* instead of text */
#endif
};

static const char *kinds (const struct ppi_listed_source *s)
{
	return s->points && s->intervals ? "both" : s->points ? "points" : "intervals";
}

/* WHY with "X" in the place of NAME: the same for many counters. */
static void put_reason (const char *why, const char *name, char *out, size_t room)
{
	const char *at = strstr (why, name);

	if (at)
		snprintf (out, room, "%.*sX%s", (int) (at - why), why, at + strlen (name));
	else
		snprintf (out, room, "%s", why);
}

/* One that is missing for the reason that the one before was needs no sentence of its own. */
static void put_why (const struct ppi_listed_source *s, struct output *output)
{
	char reason[sizeof output->reason];

	put_reason (s->why, s->tried ? s->tried : s->name, reason, sizeof reason);
	if (strcmp (reason, output->reason) == 0)
		printf ("    not here either\n");
	else
		printf ("    not here%s%s%s: %s\n", s->tried ? " (" : "", s->tried ? s->tried : "", s->tried ? ")" : "",
			s->why);
	memcpy (output->reason, reason, sizeof reason);
}

static void put_text (const struct ppi_listed_source *s, void *arg)
{
	struct output *output = arg;
	char cost[32] = "-";

	if (!isnan (s->ns))
		snprintf (cost, sizeof cost, s->ns < 99.95 ? "%.1f" : "%.0f", s->ns);
	printf ("%-21s  %-9s  %-4s  %-7s  %-22s  %6s\n", s->name, kinds (s), *s->unit ? s->unit : "-", s->type,
		s->reading, cost);
	if (output->verbose)
		printf ("    %s\n", s->help);
	if (s->why)
		put_why (s, output);
	else if (s->tried)
		printf ("    measured with %s\n", s->tried);
}

static void put_wrong (const char *name, const char *why, void *arg)
{
	(void) arg;
	ppctl_fail (0, "sources", "%s: %s", name, why);
}

static int text (const char *const *names, size_t n, bool verbose)
{
	struct output output = {.verbose = verbose};

	printf ("%-21s  %-9s  %-4s  %-7s  %-22s  %6s\n", "source", "for", "unit", "samples", "one reading is", "ns");
	return ppi_list_sources (names, n, put_text, put_wrong, &output) ? PPCTL_PROBLEM : PPCTL_OK;
}

#ifdef HAVE_JANSSON

static json_t *text_or_null (const char *text)
{
	return text ? json_string (text) : json_null ();
}

static void put_json (const struct ppi_listed_source *s, void *arg)
{
	const struct output *output = arg;
	json_t *o = json_object ();

	json_object_set_new (o, "name", json_string (s->name));
	json_object_set_new (o, "help", json_string (s->help));
	json_object_set_new (o, "points", json_boolean (s->points));
	json_object_set_new (o, "intervals", json_boolean (s->intervals));
	json_object_set_new (o, "unit", json_string (s->unit));
	json_object_set_new (o, "samples", json_string (s->type));
	json_object_set_new (o, "reading", json_string (s->reading));
	json_object_set_new (o, "ns", isnan (s->ns) ? json_null () : json_real (s->ns));
	json_object_set_new (o, "available", json_boolean (!s->why));
	json_object_set_new (o, "tried", text_or_null (s->tried));
	json_object_set_new (o, "why", text_or_null (s->why));
	json_array_append_new (output->list, o);
}

static int json (const char *const *names, size_t n)
{
	json_t *top = json_object ();
	struct output output = {.list = json_array ()};
	size_t wrong = ppi_list_sources (names, n, put_json, put_wrong, &output);
	bool written;

	json_object_set_new (top, "sources", output.list);
	written = json_dumpf (top, stdout, JSON_INDENT (2) | JSON_SORT_KEYS) == 0;
	fputc ('\n', stdout);
	json_decref (top);
	if (!written)
		return ppctl_fail (PPCTL_PROBLEM, "sources", "no memory");
	return wrong ? PPCTL_PROBLEM : PPCTL_OK;
}

#else

static int json (const char *const *names, size_t n)
{
	(void) names;
	(void) n;
	return ppctl_fail (PPCTL_PROBLEM, "sources",
			   "this ppctl was built without JSON: install libjansson-dev and build again");
}

#endif

int ppctl_sources (int argc, char **argv)
{
	static const struct option options[] = {{"verbose", no_argument, NULL, 'v'},
						{"json", no_argument, NULL, 'j'},
						{"help", no_argument, NULL, 'h'},
						{NULL, 0, NULL, 0}};
	bool verbose = false, as_json = false;
	int option;

	while ((option = getopt_long (argc, argv, "", options, NULL)) != -1)
		switch (option) {
		case 'v':
			verbose = true;
			break;
		case 'j':
			as_json = true;
			break;
		case 'h':
			help (stdout);
			return PPCTL_OK;
		default:
			return ppctl_see_help ("sources");
		}
	return as_json ? json ((const char *const *) argv + optind, (size_t) (argc - optind))
		       : text ((const char *const *) argv + optind, (size_t) (argc - optind), verbose);
}
