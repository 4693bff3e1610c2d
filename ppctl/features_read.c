/* SPDX-License-Identifier: MIT */
/* features_read.c: see features_read.h. */
#include "ppctl/features_read.h"

#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "ppctl/unseen.h"
#include "profiler/analysis/read.h"
#include "recording/blocks.h"
#include "recording/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ppctl_features_bys[] = {
#define X(id, name) name,
	PPI_FEATURES_BY (X)
#undef X
		NULL};

struct reading {
	const char *verb;
	const struct ppctl_features_ask *ask;
	const char **path;                /* without those of recordings that were given before */
	struct ppi_recording **recording; /* of each path */
	size_t n;
	bool is_exact;
	struct ppctl_features_read *out;
};

static int no_memory (const struct reading *r)
{
	return ppctl_fail (PPCTL_PROBLEM, r->verb, "no memory");
}

/* ---- measured or sampled --------------------------------------------------------------------- */

static bool has (const struct ppi_recording *recording, bool is_exact)
{
	return is_exact ? ppi_recording_next (recording, PPI_CHUNK_EXACT, NULL) != NULL
			: ppi_recording_has_profile (recording, PPI_BY_MARK);
}

/* The first recording that has none; N: all have one. */
static size_t lacks (const struct reading *r, bool is_exact)
{
	size_t i = 0;

	while (i < r->n && has (r->recording[i], is_exact))
		i++;
	return i;
}

static int tell_none (const struct reading *r, size_t i)
{
	const char *how = r->ask->how;

	if (!how)
		return ppctl_fail (PPCTL_PROBLEM, r->verb,
				   "%s has no profile of features: run the program with 'profile: "
				   "{features: sampled}' in its policy",
				   r->path[i]);
	return ppctl_fail (PPCTL_PROBLEM, r->verb,
			   "%s has no profile of features that is %s: run the program with "
			   "'profile: {features: %s}' in its policy",
			   r->path[i], how, how);
}

/* What all of them have, measured before sampled. */
static int choose_how (struct reading *r)
{
	size_t unmeasured = lacks (r, true), unsampled = lacks (r, false), lacking;

	if (r->ask->how) {
		r->is_exact = strcmp (r->ask->how, "exact") == 0;
		lacking = r->is_exact ? unmeasured : unsampled;
		return lacking == r->n ? PPCTL_OK : tell_none (r, lacking);
	}
	r->is_exact = unmeasured == r->n;
	if (r->is_exact || unsampled == r->n)
		return PPCTL_OK;
	for (size_t i = 0; i < r->n; i++)
		if (!has (r->recording[i], true) && !has (r->recording[i], false))
			return tell_none (r, i);
	/* each has one, and the first has not both */
	return unmeasured < unsampled
		       ? ppctl_fail (PPCTL_PROBLEM, r->verb,
				     "%s was sampled and %s was measured: there is no sum of them",
				     r->path[unmeasured], r->path[unsampled])
		       : ppctl_fail (PPCTL_PROBLEM, r->verb,
				     "%s was measured and %s was sampled: there is no sum of them",
				     r->path[unsampled], r->path[unmeasured]);
}

/* ---- one of them ----------------------------------------------------------------------------- */

static void tell (const char *path, const char *why, void *arg)
{
	const struct reading *r = arg;

	ppctl_fail (PPCTL_OK, r->verb, "%s %s", path, why);
}

static bool read_sampled (struct reading *r, size_t i, struct ppi_features *all,
			  struct ppi_instances *instances)
{
	static const struct ppi_samples_span span = PPI_SAMPLES_ALL;
	struct ppi_samples samples;
	bool ok = ppi_samples_read (r->recording[i], PPI_BY_MARK, &span, &samples, tell, r) &&
		  ppi_features_analyse (&samples, r->ask->by, &r->ask->keys, all);

	if (ok && r->ask->wants_instances)
		ok = ppi_instances_sampled (&samples, instances) &&
		     ppi_instances_add (&r->out->instances, instances);
	/* they point into the samples */
	ppi_instances_clear (instances);
	ppi_samples_clear (&samples);
	return ok;
}

static bool read_measured (struct reading *r, size_t i, struct ppi_features *all,
			   struct ppi_instances *instances)
{
	bool ok = ppi_features_measured (r->recording[i], r->ask->by, &r->ask->keys, all);

	if (ok && r->ask->wants_instances)
		ok = ppi_instances_measured (r->recording[i], instances) &&
		     ppi_instances_add (&r->out->instances, instances);
	ppi_instances_clear (instances);
	return ok;
}

/* Threads of several programs may have one name and number. */
static bool name_threads (const struct reading *r, size_t i, struct ppi_features *all)
{
	for (size_t k = 0; k < all->features; k++)
		for (size_t p = 0; p < all->feature[k].parts; p++) {
			struct ppi_feature_part *part = &all->feature[k].part[p];
			char *name = NULL;

			if (asprintf (&name, "%s of %s", part->name, r->path[i]) < 0)
				return false;
			free (part->name);
			part->name = name;
		}
	return true;
}

/* ---- the sum --------------------------------------------------------------------------------- */

static bool add (struct reading *r, size_t i, struct ppi_features *all)
{
	struct ppctl_features_of *of = &r->out->of[i];

	r->out->n = i + 1;
	*of = (struct ppctl_features_of){.path = r->path[i],
					 .program = strdup (all->program),
					 .total = all->total,
					 .threads = all->threads,
					 .times = all->times};
	if (r->n > 1 && r->ask->by == PPI_FEATURES_BY_THREAD && !name_threads (r, i, all))
		return false;
	ppctl_unseen_add (r->recording[i], r->out->unseen);
	return of->program && ppi_features_add (&r->out->all, all);
}

static int add_checked (struct reading *r, size_t i, struct ppi_features *all)
{
	const char *why = ppi_features_differ (&r->out->all, all);

	if (!all->features)
		return ppctl_fail (PPCTL_PROBLEM, r->verb,
				   "%s: no feature was watched: the program has none, or the "
				   "profile's 'sites' chose none",
				   r->path[i]);
	if (why)
		return ppctl_fail (PPCTL_PROBLEM, r->verb, "%s %s: there is no sum of them",
				   r->path[i], why);
	return add (r, i, all) ? PPCTL_OK : no_memory (r);
}

static int read_one (struct reading *r, size_t i)
{
	struct ppi_features all = {.program = NULL};
	struct ppi_instances instances = {.n = 0};
	bool ok = r->is_exact ? read_measured (r, i, &all, &instances)
			      : read_sampled (r, i, &all, &instances);
	int status = ok ? add_checked (r, i, &all) : no_memory (r);

	ppi_features_clear (&all);
	return status;
}

static int read_all (struct reading *r)
{
	int status = choose_how (r);

	if (status != PPCTL_OK)
		return status;
	if (r->is_exact &&
	    (r->ask->by == PPI_FEATURES_BY_CALLER || r->ask->by == PPI_FEATURES_BY_THREAD))
		return ppctl_wrong (r->verb,
				    "--by: what was measured is by instance or place; '%s' needs "
				    "samples",
				    ppctl_features_bys[r->ask->by]);
	for (size_t i = 0; i < r->n && status == PPCTL_OK; i++)
		status = read_one (r, i);
	ppi_instances_sort (&r->out->instances);
	return status;
}

/* Each of the N once. */
static int open_all (struct reading *r, char *const *paths, size_t n)
{
	struct ppi_process_entry *owner = calloc (n, sizeof *owner);
	int status = owner ? PPCTL_OK : no_memory (r);
	size_t again = 0;

	for (size_t i = 0; i < n && status == PPCTL_OK; i++) {
		r->path[r->n] = paths[i];
		status = ppctl_open (r->verb, paths[i], &r->recording[r->n]);
		if (status != PPCTL_OK)
			break;
		if (ppctl_is_new (r->recording[r->n], paths[i], owner, r->n)) {
			r->n++;
			continue;
		}
		again++;
		ppi_recording_close (r->recording[r->n]);
	}
	free (owner);
	if (status == PPCTL_OK)
		ppctl_tell_again (r->verb, again);
	return status;
}

int ppctl_features_read (const char *verb, const struct ppctl_features_ask *ask, char *const *paths,
			 size_t n, struct ppctl_features_read *out)
{
	struct ppi_recording **recording = calloc (n, sizeof *recording);
	const char **path = calloc (n, sizeof *path);
	struct ppctl_features_of *of = calloc (n, sizeof *of);
	struct reading r = {
		.verb = verb, .ask = ask, .path = path, .recording = recording, .out = out};
	int status;

	*out = (struct ppctl_features_read){.of = of};
	status = of && recording && path ? open_all (&r, paths, n) : no_memory (&r);
	if (status == PPCTL_OK)
		status = read_all (&r);
	while (r.n > 0)
		ppi_recording_close (recording[--r.n]);
	free (recording);
	free (path);
	return status;
}

void ppctl_features_clear (struct ppctl_features_read *read)
{
	for (size_t i = 0; i < read->n; i++)
		free (read->of[i].program);
	free (read->of);
	ppi_features_clear (&read->all);
	ppi_instances_clear (&read->instances);
	*read = (struct ppctl_features_read){.n = 0};
}
