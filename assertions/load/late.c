/* SPDX-License-Identifier: MIT */
/*
 * late.c: what policies say of names that come later: metrics, operators and statistics that the
 * program declares by call, and all that modules bring which are loaded then. Until then it waits
 * (checker.h), visibly: said once when the policy is loaded, noted in the recording, and said at
 * the end where the name never came.
 */
#include "assertions/engine/action.h"
#include "assertions/engine/assertion.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/link.h"
#include "assertions/engine/names.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/post.h"
#include "assertions/engine/ring.h"
#include "assertions/load/loaded.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/region/history.h"
#include "libmetrics/registry/lookup.h"
#include "libmetrics/registry/rule.h"
#include "recording/layout.h"

#include <string.h>

#define LINE_BYTES 900

/*
 * Names came where nothing may be bound, in a callable inside a marker: the tick looks for them.
 * Atomic
 */
static bool is_left;

/* ---- telling --------------------------------------------------------------------------------- */

static void note (const struct ppi_loaded *loaded, const char *format, const char *kind,
		  const char *name)
{
	char text[512];

	snprintf (text, sizeof text, format, kind, name);
	ppi_history (PPI_HISTORY_POLICY, loaded->policy->path, text, NULL, 0);
}

void ppi_policy_note_waits (struct ppi_loaded *loaded)
{
	for (size_t i = 0; i < loaded->policy->n_waits; i++) {
		struct ppi_policy_wait *wait = &loaded->policy->waits[i];

		if (!wait->is_noted)
			note (loaded, "pending: no %s '%s' yet", ppi_name_kind_word (wait->kind),
			      wait->name);
		wait->is_noted = true;
	}
}

void ppi_policy_note_pending (const struct ppi_loaded *loaded, const char *kind,
			      const char *pattern)
{
	note (loaded, "pending: no %s matches '%s' yet", kind, pattern);
}

void ppi_policies_note_sites (void)
{
	for (struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next) {
		for (size_t i = 0; i < loaded->n_slots; i++) {
			struct ppi_slot *slot = &loaded->slots[i];

			if (!slot->is_pending || !slot->rule || !ppi_rule_sites (slot->rule))
				continue;
			slot->is_pending = false;
			note (loaded, "found: %s '%s'", "site", slot->pattern);
		}
		for (size_t i = 0; i < loaded->policy->n_assertions; i++) {
			struct ppi_assertion *a = loaded->assertions[i];

			if (!a->is_pending || !a->checks)
				continue;
			a->is_pending = false;
			note (loaded, "found: %s '%s'", "site", a->at);
		}
		for (struct ppi_awaited came; ppi_keys_pattern_came (loaded, &came);)
			note (loaded, "found: %s '%s'", came.kind, came.pattern);
	}
}

/* A line of what is missing, as long as there is room. */
struct list {
	char text[LINE_BYTES];
	size_t used, n;
};

static void add (struct list *list, const char *kind, const char *name, const char *meant)
{
	char one[512];
	size_t bytes = (size_t) snprintf (
		one, sizeof one, "%s%s '%.180s'%s%.180s%s", list->n ? ", " : "", kind, name,
		meant ? " (did you mean '" : "", meant ? meant : "", meant ? "'?)" : "");

	list->n++;
	if (list->used + bytes >= sizeof list->text ||
	    strstr (list->text, one + (list->n > 1 ? 2 : 0)))
		return;
	strcpy (list->text + list->used, one);
	list->used += bytes;
}

static void add_site (struct list *list, const char *pattern)
{
	char meant[512];

	add (list, "site", pattern, ppi_lookup_meant (pattern, meant, sizeof meant));
}

static void add_awaited (struct list *list, const struct ppi_awaited *awaited)
{
	char pattern[512], meant[512];

	if (strcmp (awaited->kind, PPI_AWAITED_FEATURE) != 0) {
		add_site (list, awaited->pattern);
		return;
	}
	snprintf (pattern, sizeof pattern, "feature:%s", awaited->pattern);
	add (list, awaited->kind, awaited->pattern,
	     ppi_lookup_meant (pattern, meant, sizeof meant));
}

static bool awaits_feature (const struct ppi_loaded *loaded)
{
	for (size_t i = 0; i < loaded->n_awaited; i++)
		if (strcmp (loaded->awaited[i].kind, PPI_AWAITED_FEATURE) == 0)
			return true;
	return false;
}

static void tell_missing (const struct ppi_loaded *loaded)
{
	const struct ppi_policy *policy = loaded->policy;
	struct list list = {"", 0, 0};

	for (size_t i = 0; i < policy->n_waits; i++)
		add (&list, ppi_name_kind_word (policy->waits[i].kind), policy->waits[i].name,
		     NULL);
	for (size_t i = 0; i < loaded->n_slots; i++)
		if (loaded->slots[i].is_pending)
			add_site (&list, loaded->slots[i].pattern);
	for (size_t i = 0; i < policy->n_assertions; i++)
		if (loaded->assertions[i]->is_pending)
			add_site (&list, loaded->assertions[i]->at);
	for (size_t i = 0; i < loaded->n_awaited; i++)
		add_awaited (&list, &loaded->awaited[i]);
	if (list.n)
		ppi_message ("%s: never found, so what it says of them had no effect: %s%s",
			     policy->path, list.text,
			     awaits_feature (loaded) ? "; 'ppctl sites PROGRAM' lists features, too"
						     : "");
}

/* Names that policies wait for and that never came. */
static void tell_all_missing (void)
{
	ppi_lock ();
	for (const struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		tell_missing (loaded);
	ppi_unlock ();
}

/* ---- names that came ------------------------------------------------------------------------- */

/*
 * What could not be built is never used: there was no memory, or its name is something else's by
 * now, and D says so.
 */
static void leave_out (struct ppi_loaded *loaded)
{
	struct ppi_policy *policy = loaded->policy;

	for (size_t i = loaded->built.assertions; i < policy->n_assertions; i++)
		policy->assertions[i].waits = policy->assertions[i].refused = true;
	policy->late.assertions += policy->n_assertions - loaded->built.assertions;
	policy->n_assertions = loaded->built.assertions;
	for (size_t i = loaded->built.adapts; i < policy->n_adapts; i++)
		policy->adapts[i].waits = policy->adapts[i].refused = true;
	policy->late.adapts += policy->n_adapts - loaded->built.adapts;
	policy->n_adapts = loaded->built.adapts;
}

static void bring_in (struct ppi_loaded *loaded, const struct ppi_names *names)
{
	struct ppi_policy *policy = loaded->policy;
	size_t first = policy->n_assertions;
	struct ppi_diagnostics d;

	for (size_t i = 0; i < policy->n_waits; i++)
		if (ppi_name_is_there (names, policy->waits[i].kind, policy->waits[i].name))
			note (loaded, "found: %s '%s'", ppi_name_kind_word (policy->waits[i].kind),
			      policy->waits[i].name);
	ppi_diagnostics_init (&d, policy->path, policy->text, 1);
	ppi_policy_check_late (policy, names, &d);
	if (ppi_loaded_build (loaded, &d) == PP_ENOMEM)
		ppi_diagnose (&d, (struct ppi_place){0, 0}, "no memory for what it waited for");
	leave_out (loaded);
	ppi_loaded_extend (loaded, first, &d);
	ppi_loaded_own_knobs (loaded, NULL);
	ppi_loaded_start (loaded, first, &d);
	ppi_policy_note_waits (loaded);
	ppi_diagnostics_say (&d);
}

/*
 * The first policy that waits for something that is there, brought up to date; false: there is
 * none.
 */
static bool bring_in_one (void)
{
	for (struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next) {
		struct ppi_runtime_names names;

		ppi_runtime_names_init (&names, loaded);
		if (!loaded->policy->n_waits ||
		    !ppi_policy_wait_is_over (loaded->policy, &names.names))
			continue;
		bring_in (loaded, &names.names);
		return true;
	}
	return false;
}

void ppi_policies_look_for_names (void)
{
	static bool is_looking;
	size_t most = 0;

	if (is_looking)
		return;
	if (ppi_in_inline () || !ppi_load (ppi_assertions_alive)) {
		ppi_store (&is_left, true);
		ppi_wake ();
		return;
	}
	is_looking = true;
	/*
	 * Each time a name less is waited for; what a policy declares may be what another waits
	 * for. Counted all the same: a name that were there for one question and not for another
	 * must not stop the host.
	 */
	for (const struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		most += loaded->policy->n_waits + 1;
	while (most-- && bring_in_one ())
		;
	is_looking = false;
}

static uint64_t look_again (uint64_t now_ns)
{
	(void) now_ns;
	if (!ppi_load (&is_left))
		return UINT64_MAX;
	ppi_lock ();
	ppi_store (&is_left, false);
	ppi_policies_look_for_names ();
	ppi_unlock ();
	return UINT64_MAX;
}

/* Before the engine: what came while nothing could be bound holds for this tick. */
const struct ppi_part ppi_late_part = {.tick = look_again};

/* Behind the links: what waits for a name of a new module finds everything else in its place. */
const struct ppi_part ppi_names_part = {.module_added = ppi_policies_look_for_names,
					.names_changed = ppi_policies_look_for_names,
					.fini = tell_all_missing};
