/* SPDX-License-Identifier: MIT */
/* command.c: what another process may ask of metrics and features. */
#include "base/command.h"

#include "base/lock.h"
#include "base/types.h"
#include "libmetrics/registry/lookup.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/rule.h"
#include "libmetrics/source/metric_spec.h"

#include <pp.h>
#include <stdlib.h>
#include <string.h>

struct names {
	const char **at;
	size_t n, room;
};

static void add_name (pp_metric *metric, void *arg)
{
	struct names *names = arg;

	if (names->n + 1 < names->room)
		names->at[names->n++] = ppi_metric_spec_of (metric)->name;
}

/* The metric NAME; NULL: there is none, which is answered. */
static pp_metric *find (const char *name, struct ppi_answer *answer)
{
	const char *at[1024] = {NULL}, *nearest;
	struct names names = {at, 0, sizeof at / sizeof *at};
	pp_metric *metric = pp_metric_find (name);

	if (metric)
		return metric;
	ppi_lock ();
	ppi_metric_each (add_name, &names);
	at[names.n] = NULL;
	nearest = ppi_nearest (name, at);
	ppi_answer (answer, "there is no metric '%s'%s%s%s", name,
		    nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	ppi_unlock ();
	return NULL;
}

static const char *plural (int n)
{
	return n == 1 ? "" : "s";
}

/* How it ends that METRIC VERB PATTERN, as WHY says; perhaps another one was meant. */
static void refuse (struct ppi_answer *answer, const char *metric, const char *verb,
		    const char *pattern, const char *why)
{
	char room[512];
	const char *meant = ppi_lookup_meant (pattern, room, sizeof room);

	ppi_answer (answer, "%s %s '%s': %s%s%s%s", metric, verb, pattern, why,
		    meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

/* METRIC, SITES, EVERY ("0": what the metric's declaration says) */
static int bind_sites (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	pp_metric *metric = find (word[0], answer);
	char why[768] = "";
	uint32_t every;
	int n;

	(void) controller;
	if (!metric)
		return PP_ENOENT;
	if (!ppi_command_number (word[2], 0, PPI_EVERY_MAX, &every)) {
		ppi_answer (answer, "one in '%s' can't be sampled: it is a number from 1 to %u",
			    word[2], PPI_EVERY_MAX);
		return PP_EINVAL;
	}
	n = ppi_bind_for_program (metric, word[1], every, why, sizeof why);
	if (n < 0)
		refuse (answer, word[0], "can't be bound to", word[1],
			*why ? why : pp_strerror (n));
	else
		ppi_answer (answer, "%s is bound to %d site%s", word[0], n, plural (n));
	return n < 0 ? n : PP_OK;
}

static int unbind_sites (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	pp_metric *metric = find (word[0], answer);
	int n;

	(void) controller;
	if (!metric)
		return PP_ENOENT;
	n = pp_unbind (metric, word[1]);
	if (n < 0)
		refuse (answer, word[0], "is not unbound from", word[1],
			n == PP_ENOENT ? "it is bound to no such site" : pp_strerror (n));
	else
		ppi_answer (answer, "%s is unbound from %d site%s", word[0], n, plural (n));
	return n < 0 ? n : PP_OK;
}

static int reset (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	pp_metric *metric = find (word[0], answer);

	(void) controller;
	if (!metric)
		return PP_ENOENT;
	pp_reset (metric);
	ppi_answer (answer, "%s begins anew", word[0]);
	return PP_OK;
}

/* on or off, FEATURE */
static int switch_feature (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	bool on = strcmp (word[0], "on") == 0;
	int n;

	(void) controller;
	if (!on && strcmp (word[0], "off") != 0) {
		ppi_answer (answer, "features are switched 'on' or 'off', not '%s'", word[0]);
		return PP_EINVAL;
	}
	n = pp_feature_enable (word[1], on);
	if (n < 0)
		ppi_answer (answer, "%s is not switched: %s", word[1], pp_strerror (n));
	else if (n == 0)
		ppi_answer (answer, "%s is %s: it has no marks yet; those that come are", word[1],
			    word[0]);
	else
		ppi_answer (answer, "%s is %s, at %d mark%s", word[1], word[0], n, plural (n));
	return n < 0 ? n : PP_OK;
}

const struct ppi_command ppi_metric_commands[] = {{"bind", 3, bind_sites},
						  {"unbind", 2, unbind_sites},
						  {"reset", 1, reset},
						  {"feature", 2, switch_feature},
						  {.name = NULL}};
