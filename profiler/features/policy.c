/* SPDX-License-Identifier: MIT */
/*
 * policy.c: `features:` of a policy: which features are on and off while it is loaded
 * (libmetrics/registry/switch.h).
 */
#include "base/features.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/registry/switch.h"
#include "profiler/features/policy.h"

#include <pp.h>
#include <stdio.h>
#include <string.h>

static int check_globs (const char *const *glob, size_t n, char *why, size_t room)
{
	char pattern[512];

	for (size_t i = 0; i < n; i++) {
		if ((size_t) snprintf (pattern, sizeof pattern, "feature:%s", glob[i]) >=
		    sizeof pattern) {
			snprintf (why, room, "no feature has a name as long as '%.40s...'",
				  glob[i]);
			return PP_EINVAL;
		}
		if (!ppi_pattern_valid (pattern, why, room))
			return PP_EINVAL;
	}
	return PP_OK;
}

static int check (const void *value, const void *former, char *why, size_t room)
{
	const struct ppi_features_wish *wish = value;
	int error = check_globs (wish->on, wish->ons, why, room);

	(void) former;
	return error ? error : check_globs (wish->off, wish->offs, why, room);
}

/* Those of LENGTH; the longest that there is. */
static size_t set_of_length (const char *const *glob, size_t n, size_t length, bool on,
			     const void *owner, int *error)
{
	size_t longest = 0;

	for (size_t i = 0; i < n; i++) {
		size_t bytes = strlen (glob[i]);

		longest = bytes > longest ? bytes : longest;
		if (bytes == length && ppi_switch_set (glob[i], on, owner) < 0)
			*error = PP_ENOMEM;
	}
	return longest;
}

/* What is said last counts: the shorter globs come first. */
static void apply (const void *value, const void *owner, const void *former)
{
	const struct ppi_features_wish *wish = value;
	size_t most_on = 0, most_off = 0;
	int error = PP_OK;

	if (former)
		(void) ppi_switch_take_back (former);
	for (size_t length = 0; length <= most_on || length <= most_off; length++) {
		most_on = set_of_length (wish->on, wish->ons, length, true, owner, &error);
		most_off = set_of_length (wish->off, wish->offs, length, false, owner, &error);
	}
	if (error < 0)
		ppi_message ("features: no memory, or more than can be switched: not all of them "
			     "are");
	ppi_switch_apply ();
}

static void take_back (const void *owner)
{
	if (ppi_switch_take_back (owner))
		ppi_switch_apply ();
}

const struct ppi_part_key ppi_features_keys[] = {{"features", check, apply, take_back},
						 {.name = NULL}};
