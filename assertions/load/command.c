/* SPDX-License-Identifier: MIT */
/*
 * command.c: what another process may ask of policies and knobs. Policies come as text; their names
 * are paths as the other process sees them, and no file is looked at here.
 */
#include "base/command.h"

#include "assertions/engine/knob.h"
#include "assertions/load/loaded.h"
#include "base/clock.h"
#include "base/lock.h"

#include <pp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NAME, the folder that its relative paths are in, TEXT */
static int load (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	int error = ppi_policy_load_for (word[0], word[1], word[2]);

	(void) controller;
	if (error)
		ppi_answer (answer, "%s is not loaded: %s", word[0],
			    error == PP_EPOLICY ? "it has errors" : pp_strerror (error));
	else
		ppi_answer (answer, "%s is loaded", word[0]);
	return error;
}

static int unload (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	int error = pp_policy_unload (word[0]);

	(void) controller;
	if (error) {
		ppi_answer (answer, "no policy of the name %s is loaded", word[0]);
		ppi_lock ();
		for (const struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
			ppi_answer (answer, "there is %s", loaded->policy->path);
		ppi_unlock ();
	} else {
		ppi_answer (answer, "%s is unloaded", word[0]);
	}
	return error;
}

/* Those that are in files. */
static int reload (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	int n = pp_policy_reload ();

	(void) word;
	(void) controller;
	if (n < 0)
		ppi_answer (answer,
			    "a policy could not be loaded again (%s): its former version stays",
			    pp_strerror (n));
	else if (n > 0)
		ppi_answer (answer, "%d %s loaded again", n,
			    n == 1 ? "policy was" : "policies were");
	else
		ppi_answer (answer, "no policy has changed");
	return n < 0 ? n : PP_OK;
}

/* The names of those that came as text from another process: it has their files. */
static int list_sent (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	(void) word;
	(void) controller;
	ppi_lock ();
	for (const struct ppi_loaded *loaded = ppi_policies; loaded; loaded = loaded->next)
		if (loaded->is_sent)
			ppi_answer (answer, "%s", loaded->policy->path);
	ppi_unlock ();
	return PP_OK;
}

static int set_knob (const char *const *word, uint32_t controller, struct ppi_answer *answer)
{
	char by[64], what[512];
	int error;

	snprintf (by, sizeof by, "ppctl (process %u)", controller);
	error = ppi_knob_set_by_hand (word[0], word[1], by, what, sizeof what);
	ppi_answer (answer, "%s", what);
	return error;
}

const struct ppi_command ppi_policy_commands[] = {{"load", 3, load},     {"unload", 1, unload},
						  {"reload", 0, reload}, {"sent", 0, list_sent},
						  {"set", 2, set_knob},  {.name = NULL}};
