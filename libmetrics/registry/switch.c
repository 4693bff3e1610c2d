/* SPDX-License-Identifier: MIT */
/* switch.c: see switch.h. */
#include "libmetrics/registry/switch.h"

#include "base/lock.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/tapped.h"
#include "libmetrics/tables/site.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 4096u

/* The newest is the last. */
static struct word {
	char *glob;
	bool on;
	const void *owner;
} * words;
static size_t n_words, room;

static void forget (size_t i)
{
	free (words[i].glob);
	memmove (&words[i], &words[i + 1], (n_words - i - 1) * sizeof *words);
	n_words--;
}

static bool make_room (void)
{
	size_t more = room ? 2 * room : 16;
	void *grown;

	if (n_words < room)
		return true;
	grown = n_words < WORDS_MOST ? reallocarray (words, more, sizeof *words) : NULL;
	if (!grown)
		return false;
	words = grown;
	room = more;
	return true;
}

int ppi_switch_set (const char *glob, bool on, const void *owner)
{
	char *copy = NULL;

	for (size_t i = n_words; i-- > 0 && !copy;)
		if (words[i].owner == owner && strcmp (words[i].glob, glob) == 0) {
			copy = words[i].glob;
			words[i].glob = NULL;
			forget (i);
		}
	if (!copy)
		copy = strdup (glob);
	if (!copy || !make_room ()) {
		free (copy);
		return PP_ENOMEM;
	}
	words[n_words++] = (struct word){copy, on, owner};
	return PP_OK;
}

bool ppi_switch_take_back (const void *owner)
{
	size_t before = n_words;

	for (size_t i = n_words; i-- > 0;)
		if (words[i].owner == owner)
			forget (i);
	return n_words != before;
}

bool ppi_switch_is_on (const pp_site *site)
{
	if (site->kind != PP_ABI_SITE_FEATURE && site->kind != PP_ABI_SITE_ANTIMARK)
		return true;
	for (size_t i = n_words; i-- > 0;)
		if (ppi_site_is_of_feature (site, words[i].glob))
			return words[i].on;
	return true;
}

void ppi_switch_apply (void)
{
	ppi_tapped_look_all ();
}

/* ---- the program's own word ------------------------------------------------------------------ */

static int count (pp_site *site, void *arg)
{
	(void) site;
	++*(int *) arg;
	return 0;
}

int pp_feature_enable (const char *name, int on)
{
	int saved = errno, error, n = 0;
	char pattern[512], why[256];

	if (!name || !*name ||
	    (size_t) snprintf (pattern, sizeof pattern, "feature:%s", name) >= sizeof pattern ||
	    !ppi_pattern_valid (pattern, why, sizeof why))
		return PP_EINVAL;
	ppi_lock ();
	error = ppi_switch_set (name, on != 0, NULL);
	if (error == PP_OK) {
		ppi_switch_apply ();
		(void) ppi_site_each_matching (pattern, count, &n);
	}
	ppi_unlock ();
	errno = saved;
	return error == PP_OK ? n : error;
}
