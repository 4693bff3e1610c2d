/* SPDX-License-Identifier: MIT */
/*
 * baseline.c: what `baseline (m.avg)` in a policy's expressions means: a statistic of an earlier
 * run's recording, read once, when the policy is checked. In an assertion at sites it is that of
 * the recording's sites that its pattern matches.
 */
#include "assertions/language/baseline.h"

#include "base/chunk.h"
#include "base/glob.h"
#include "base/types.h"
#include "libmetrics/keep/summary.h"
#include "recording/layout.h"
#include "recording/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ppi_baseline {
	struct ppi_recording *recording;
	const char *path;
};

int ppi_baseline_open (const char *path, struct ppi_baseline **out, char *why, size_t room)
{
	struct ppi_baseline *b = calloc (1, sizeof *b);
	int error;

	*out = NULL;
	if (!b)
		return PP_ENOMEM;
	error = ppi_recording_open (path, &b->recording, why, room);
	if (error) {
		free (b);
		return error;
	}
	b->path = path;
	*out = b;
	return PP_OK;
}

void ppi_baseline_close (struct ppi_baseline *b)
{
	if (!b)
		return;
	ppi_recording_close (b->recording);
	free (b);
}

/* ---- metrics --------------------------------------------------------------------------------- */

/* The newest of that name: one that was declared anew is another metric */
static const struct ppi_metric_chunk *find (const struct ppi_baseline *b, const char *name)
{
	const struct ppi_metric_chunk *found = NULL;

	for (const struct ppi_metric_chunk *m = NULL;
	     (m = ppi_recording_next (b->recording, PPI_CHUNK_METRIC, m));)
		if (strcmp (m->name, name) == 0)
			found = m;
	return found;
}

static void say_missing (const struct ppi_baseline *b, const char *name, char *why, size_t room)
{
	const char *names[256], *nearest;
	size_t n = 0;

	for (const struct ppi_metric_chunk *m = NULL;
	     n + 1 < sizeof names / sizeof *names &&
	     (m = ppi_recording_next (b->recording, PPI_CHUNK_METRIC, m));)
		names[n++] = m->name;
	names[n] = NULL;
	nearest = ppi_nearest (name, names);
	snprintf (why, room, "the baseline %s has no metric '%s'%s%s%s", b->path, name,
		  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static bool has_prefix (const char *pattern)
{
	static const char *const prefixes[] = {"group:", "feature:", "file:", "fn:", "module:"};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strncmp (pattern, prefixes[i], strlen (prefixes[i])) == 0)
			return true;
	return false;
}

static bool any_site (const struct ppi_baseline *b, const char *pattern)
{
	for (const struct ppi_site_chunk *s = NULL;
	     (s = ppi_recording_next (b->recording, PPI_CHUNK_SITE, s));)
		if (ppi_glob_suffix (pattern, s->name))
			return true;
	return false;
}

int ppi_baseline_metric (const struct ppi_baseline *b, const char *name, const char *site,
			 struct ppi_name_metric *out, char *why, size_t room)
{
	const struct ppi_metric_chunk *m = find (b, name);

	if (!m) {
		say_missing (b, name, why, room);
		return PP_ENOENT;
	}
	if (site && has_prefix (site)) {
		snprintf (why, room,
			  "a recording knows sites by their names only, not by '%s'; say which, "
			  "like baseline (%s@SITE.avg)",
			  site, name);
		return PP_EINVAL;
	}
	if (site && !any_site (b, site)) {
		snprintf (why, room, "the baseline %s has no site '%s'", b->path, site);
		return PP_ENOENT;
	}
	*out = (struct ppi_name_metric){m->accumulator, m->unit, m->kind, false, NULL, 0, false};
	return PP_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

struct wanted {
	const struct ppi_baseline *baseline;
	const char *pattern;
};

static bool is_wanted (uint32_t site, void *arg)
{
	const struct wanted *wanted = arg;
	const struct ppi_site_chunk *s =
		ppi_recording_find (wanted->baseline->recording, PPI_CHUNK_SITE, site);

	return s && ppi_glob_suffix (wanted->pattern, s->name);
}

double ppi_baseline_value (const struct ppi_baseline *b, const char *name, const char *site,
			   enum pp_statistic statistic)
{
	const struct ppi_metric_chunk *m = find (b, name);
	struct wanted wanted = {b, site};
	struct ppi_summary summary;
	double value;

	if (!m)
		return NAN;
	if (site)
		ppi_recording_summary_of (b->recording, m, is_wanted, &wanted, &summary);
	else
		ppi_recording_summary (b->recording, m, PPI_ALL_SITES, &summary);
	value = ppi_summary_get (&summary, statistic, ppi_recording_scale (b->recording, m));
	ppi_summary_clear (&summary);
	return value;
}
