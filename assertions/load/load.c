/* SPDX-License-Identifier: MIT */
/*
 * load.c: policies come and go as a whole. Loading:
 *
 *     read, check        no effect; all errors at once
 *     build              objects, metrics declared
 *     attach             rules and checks, in one batch; a failure takes all of it back
 *     replace            the former policy of the path hands over what is unchanged and is
 *                        detached, in the same batch
 *
 * so that a policy that can't be applied leaves everything as it was.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/assertions.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/check.h"
#include "assertions/engine/knob.h"
#include "assertions/engine/link.h"
#include "assertions/engine/names.h"
#include "assertions/engine/policies.h"
#include "assertions/load/loaded.h"
#include "assertions/react/adapt.h"
#include "assertions/react/budget.h"
#include "base/c_locale.h"
#include "base/clock.h"
#include "base/fp.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/life/recording.h"
#include "libmetrics/region/history.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/source/source.h"
#include "recording/layout.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WHY_ROOM 384

/* A file on its way to become a policy. */
struct reading {
	const char *path;   /* as it is called */
	const char *file;   /* as it is found */
	const char *text;   /* the policy itself, or NULL: it is in the file */
	const char *folder; /* of another process, which sent the text; NULL: none did */
	bool again;         /* only if it is loaded still */
	struct ppi_file_mark mark;
};

/* ---- the whole ------------------------------------------------------------------------------- */

/*
 * The same file by another way of writing its path; files that are gone are told apart by what was
 * written.
 */
static bool is_same_path (const char *a, const char *b)
{
	char real_a[PATH_MAX], real_b[PATH_MAX];

	return strcmp (a, b) == 0 ||
	       (realpath (a, real_a) && realpath (b, real_b) && strcmp (real_a, real_b) == 0);
}

/* Malloced; PATH itself where the current directory can't be told */
static char *from_root (const char *path)
{
	char here[PATH_MAX], *whole;

	if (*path == '/' || !getcwd (here, sizeof here))
		return strdup (path);
	return asprintf (&whole, "%s/%s", strcmp (here, "/") == 0 ? "" : here, path) < 0 ? NULL
											 : whole;
}

struct ppi_loaded *ppi_loaded_find (const char *path)
{
	for (struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		if (strcmp (loaded->policy->path, path) == 0 ||
		    (!loaded->is_text && is_same_path (loaded->file, path)))
			return loaded;
	return NULL;
}

void ppi_loaded_own_knobs (struct ppi_loaded *loaded, const struct ppi_loaded *former)
{
	for (size_t i = 0; i < loaded->policy->n_assertions; i++) {
		struct ppi_assertion *a = loaded->assertions[i];

		for (size_t k = 0; k < a->n_on_fire; k++)
			if (a->on_fire[k].knob)
				ppi_knob_own (a->on_fire[k].knob, loaded, former);
		for (size_t k = 0; k < a->n_on_clear; k++)
			if (a->on_clear[k].knob)
				ppi_knob_own (a->on_clear[k].knob, loaded, former);
	}
	for (size_t i = 0; i < loaded->n_adapts; i++)
		ppi_knob_own (loaded->adapts[i]->knob, loaded, former);
	if (former)
		ppi_knobs_disown (former);
}

/* Out of all lists; its assertions are freed later, by ppi_retired_free */
static void take_out (struct ppi_loaded *loaded)
{
	struct ppi_loaded **where = &ppi_policies;

	while (*where && *where != loaded)
		where = &(*where)->next;
	if (*where)
		*where = loaded->next;
	for (size_t i = 0; i < loaded->policy->n_assertions; i++) {
		ppi_assertion_unlist (loaded->assertions[i]);
		ppi_assertion_retire (loaded->assertions[i]);
	}
}

static void put_in (struct ppi_loaded *loaded)
{
	struct ppi_loaded **where = &ppi_policies;

	while (*where)
		where = &(*where)->next;
	loaded->next = NULL;
	*where = loaded;
}

void ppi_loaded_start (struct ppi_loaded *loaded, size_t first, struct ppi_diagnostics *d)
{
	uint64_t now_ns = ppi_now_ns ();

	for (size_t i = first; i < loaded->policy->n_assertions; i++)
		ppi_assertion_enlist (loaded->assertions[i]);
	for (size_t i = 0; i < loaded->n_adapts; i++)
		if (!loaded->adapts[i]->chunk)
			ppi_adapt_describe (loaded->adapts[i]);
	ppi_link_all ();
	ppi_budget_changed (now_ns);
	for (size_t i = first; i < loaded->policy->n_assertions; i++)
		ppi_assertion_start (loaded->assertions[i], now_ns);
	ppi_loaded_warn (loaded, first, d);
	ppi_wake ();
}

static struct ppi_loaded *create (struct ppi_policy *policy, const struct reading *reading)
{
	struct ppi_loaded *loaded = calloc (1, sizeof *loaded);

	if (loaded) {
		loaded->is_text = reading->text != NULL;
		loaded->is_sent = reading->folder != NULL;
		loaded->file = reading->text ? strdup (reading->file) : from_root (reading->file);
		loaded->mark = reading->mark;
		loaded->watched = !reading->text && ppi_policy_wants_watch (policy);
	}
	if (loaded && loaded->file) {
		loaded->policy = policy;
		return loaded;
	}
	free (loaded);
	ppi_policy_destroy (policy);
	return NULL;
}

static int apply (struct ppi_policy *policy, const struct reading *reading,
		  struct ppi_loaded *former, struct ppi_diagnostics *d)
{
	struct ppi_loaded *loaded = create (policy, reading);
	int error;

	if (!loaded)
		return PP_ENOMEM;
	if (former)
		ppi_loaded_lend_metrics (former); /* so that changed ones can be declared anew */
	error = ppi_loaded_build (loaded, d);
	if (!error)
		error = ppi_loaded_exchange (loaded, former, d);
	if (error) {
		ppi_loaded_unbuild (loaded);
		if (former)
			ppi_loaded_take_back_metrics (former);
		return error;
	}
	if (former)
		ppi_adapts_hand_over (loaded, former);
	ppi_loaded_own_knobs (loaded, former);
	ppi_keys_apply (loaded, former);
	ppi_keys_patterns_wait (loaded);
	if (former) {
		take_out (former);
		ppi_loaded_destroy (former);
	}
	put_in (loaded);
	ppi_loaded_start (loaded, 0, d);
	return PP_OK;
}

static void tell_why_not (struct ppi_diagnostics *d, const struct ppi_yaml *file, int error,
			  const char *why)
{
	ppi_diagnose (d, file->place, "can't record to '%s'%s%s%s", file->scalar, *why ? ": " : "",
		      why,
		      error == PP_EEXIST ? "; with 'overwrite: true' it would be replaced" : "");
}

static void check_actions (const struct ppi_policy_action *actions, size_t n,
			   struct ppi_diagnostics *d)
{
	char why[256] = "";
	int error;

	for (size_t i = 0; i < n; i++)
		if (actions[i].kind == PPI_ACTION_RECORD && actions[i].file) {
			error = ppi_recording_check (actions[i].file->scalar, actions[i].set, why,
						     sizeof why);
			if (error < 0)
				tell_why_not (d, actions[i].file, error, why);
		}
}

/*
 * What may not be replaced is an error now, also where a recording is only begun when an assertion
 * fires.
 */
static void check_files (const struct ppi_policy *policy, struct ppi_diagnostics *d)
{
	for (size_t i = 0; i < policy->n_assertions; i++) {
		check_actions (policy->assertions[i].on_fire, policy->assertions[i].n_on_fire, d);
		check_actions (policy->assertions[i].on_clear, policy->assertions[i].n_on_clear, d);
	}
}

/* Does the policy record elsewhere than FORMER did? Then the new place, else NULL */
static const char *new_recording (const struct ppi_policy *policy, const struct ppi_loaded *former)
{
	const char *file = policy->record ? policy->record->scalar : NULL;

	if (file && former && former->policy->record &&
	    strcmp (file, former->policy->record->scalar) == 0)
		return NULL;
	return file;
}

/* Read, checked and applied, with the lock */
static int load (struct ppi_policy *policy, const struct reading *reading,
		 struct ppi_loaded *former, struct ppi_diagnostics *d)
{
	struct ppi_runtime_names names;
	const char *record = new_recording (policy, former);
	char path[512], why[512] = "";
	int error;

	ppi_runtime_names_init (&names, former);
	ppi_policy_check (policy, &names.names, d);
	if (!d->errors)
		check_files (policy, d);
	ppi_keys_check (policy, former, d);
	if (!d->errors && record) {
		const struct ppi_record_wish wish = {record, policy->overwrite, policy->record_ns,
						     policy->record_bytes};

		error = ppi_recording_start (&wish, false, why, sizeof why);
		if (error < 0)
			tell_why_not (d, policy->record, error, why);
	}
	if (d->errors) {
		ppi_policy_destroy (policy);
		return PP_EPOLICY;
	}
	snprintf (path, sizeof path, "%s", policy->path);
	error = apply (policy, reading, former, d);
	if (error && record)
		ppi_recording_revert ();
	if (!error && record)
		ppi_recording_copy (false);
	if (!error) {
		for (struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
			ppi_policy_note_waits (loaded);
		ppi_history (PPI_HISTORY_POLICY, path, former ? "reloaded" : "loaded", NULL, 0);
		ppi_policies_look_for_names (); /* of this one, which others wait for */
	}
	return error;
}

/* Reads it and prepares what must not be done with the lock */
static void prepare_sources (const struct ppi_policy_metric *metric)
{
	ppi_source_prepare (metric->source->scalar);
	for (size_t i = 0; i < metric->n_fallbacks; i++)
		ppi_source_prepare (metric->fallback[i]->scalar);
}

/* A policy in the program has no file that could change. */
static void check_text (const struct ppi_policy *policy, struct ppi_diagnostics *d)
{
	if (policy->reload)
		ppi_diagnose (d, ppi_yaml_get (policy->tree, "reload")->place,
			      "this policy is %s: there is no file that 'reload' could look at",
			      d->folder ? "sent by ppctl" : "in the program");
}

static int slurp (struct reading *reading, char **text, size_t *bytes, struct ppi_diagnostics *d)
{
	if (!reading->text)
		return ppi_policy_slurp (reading->file, text, bytes, &reading->mark, d);
	*text = strdup (reading->text);
	*bytes = strlen (reading->text);
	return *text ? PP_OK : PP_ENOMEM;
}

static struct ppi_policy *read_file (struct reading *reading, char **copy,
				     struct ppi_diagnostics *d, int *error)
{
	struct ppi_policy *policy = NULL;
	char *text = NULL;
	size_t bytes = 0;

	*error = slurp (reading, &text, &bytes, d);
	if (!*error) {
		d->folder = reading->folder;
		/* the policy may be gone when its errors are told */
		d->text = *copy = strdup (text);
		*error = ppi_policy_read (reading->path, text, bytes, d, &policy);
	}
	if (policy && reading->text)
		check_text (policy, d);
	for (size_t i = 0; policy && i < policy->n_metrics; i++)
		if (policy->metrics[i].source && policy->metrics[i].source->scalar)
			prepare_sources (&policy->metrics[i]);
	return policy;
}

/* [lock] POLICY is used up */
static int check_and_load (struct ppi_policy *policy, const struct reading *reading,
			   struct ppi_diagnostics *d)
{
	struct ppi_loaded *former = ppi_loaded_find (reading->file);
	struct ppi_runtime_names names;

	if (reading->again && !former) {
		ppi_policy_destroy (policy);
		return PP_ENOENT;
	}
	if (!d->errors)
		return load (policy, reading, former, d);
	ppi_runtime_names_init (&names, former);
	if (policy->tree)
		ppi_policy_check (policy, &names.names, d);
	ppi_policy_destroy (policy);
	return PP_EPOLICY;
}

/* A version that was refused is not tried again by a reload or the watch: it was told. [lock] */
static void note_refused (const struct reading *reading)
{
	struct ppi_loaded *former = reading->text ? NULL : ppi_loaded_find (reading->file);

	if (former && !former->is_text)
		former->mark = former->fresh = reading->mark;
}

static int load_quietly (struct reading *reading)
{
	PPI_C_LOCALE;
	struct ppi_diagnostics d;
	struct ppi_policy *policy;
	char *copy = NULL;
	int error;

	ppi_diagnostics_init (&d, reading->path, NULL, 1);
	policy = read_file (reading, &copy, &d, &error);
	if (policy) {
		ppi_lock ();
		error = check_and_load (policy, reading, &d);
		if (error == PP_EPOLICY)
			note_refused (reading);
		ppi_unlock ();
	}
	ppi_diagnostics_say (&d);
	free (copy);
	return error;
}

static int load_file (struct reading *reading)
{
	int error = load_quietly (reading);

	/*
	 * setters of the program's, in its own locale: knobs of the former policy's, which it gave
	 * back
	 */
	ppi_knobs_tell ();
	ppi_retired_free ();
	return error;
}

int ppi_policy_load_again (const char *path, const char *file)
{
	PPI_DEFAULT_FP;
	struct reading reading = {.path = path, .file = file, .again = true};

	return load_file (&reading);
}

static int load_from (struct reading *reading)
{
	PPI_DEFAULT_FP;
	int error, saved = errno;

	if (!reading->path || !*reading->path)
		return PP_EINVAL;
	if (ppi_in_inline ())
		return PP_ESTATE;
	ppi_assertions_revive ();
	error = load_file (reading);
	errno = saved;
	return error;
}

int pp_policy_load (const char *path)
{
	struct reading reading = {.path = path, .file = path};

	return load_from (&reading);
}

int pp_policy_load_text (const char *name, const char *text)
{
	struct reading reading = {.path = name, .file = name, .text = text};

	return text ? load_from (&reading) : PP_EINVAL;
}

int ppi_policy_load_for (const char *name, const char *folder, const char *text)
{
	struct reading reading = {.path = name, .file = name, .text = text, .folder = folder};

	return load_from (&reading);
}

static void unload (struct ppi_loaded *loaded)
{
	ppi_loaded_flush (loaded); /* what it has seen still counts */
	ppi_batch_begin ();
	ppi_loaded_detach (loaded);
	ppi_batch_end ();
	ppi_knobs_disown (loaded);
	ppi_keys_take_back (loaded);
	ppi_loaded_release_metrics (loaded);
	take_out (loaded);
	ppi_history (PPI_HISTORY_POLICY, loaded->policy->path, "unloaded", NULL, 0);
	ppi_loaded_destroy (loaded);
	ppi_link_all ();
	ppi_budget_changed (ppi_now_ns ());
}

int pp_policy_unload (const char *path)
{
	struct ppi_loaded *loaded;
	int saved = errno;

	if (!path)
		return PP_EINVAL;
	if (ppi_in_inline ())
		return PP_ESTATE;
	ppi_assertions_revive ();
	ppi_lock ();
	loaded = ppi_loaded_find (path);
	if (loaded)
		unload (loaded);
	ppi_unlock ();
	ppi_knobs_tell ();
	ppi_retired_free ();
	errno = saved;
	return loaded ? PP_OK : PP_ENOENT;
}

/* New sites: assertions are attached to them. */
static void attach_to_new (void)
{
	struct ppi_diagnostics d;

	for (struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next) {
		ppi_diagnostics_init (&d, loaded->policy->path, loaded->policy->text, 1);
		for (size_t i = 0; i < loaded->policy->n_assertions; i++) {
			struct ppi_assertion *a = loaded->assertions[i];
			char why[WHY_ROOM] = "";

			if (ppi_assertion_attach (a, why, sizeof why) < 0)
				ppi_diagnose (&d, a->written->at->place, "%s", why);
		}
		ppi_diagnostics_say (&d);
	}
	ppi_policies_note_sites ();
}

const struct ppi_part ppi_policies_part = {.module_added = attach_to_new,
					   .commands = ppi_policy_commands};
