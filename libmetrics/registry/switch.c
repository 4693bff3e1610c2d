/* SPDX-License-Identifier: MIT */
/* switch.c: see switch.h. */
#include "libmetrics/registry/switch.h"

#include "base/glob.h"
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
	int marks;        /* that GLOB matched when there had been so many CHANGES of sites */
	uint64_t changes; /* 0: nobody has counted */
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

/*
 * Does a word about GLOB leave nothing for an older one about OLD? Where OLD has stars of its own,
 * those of GLOB must be what takes them.
 */
static bool covers (const char *glob, const char *old)
{
	if (strcmp (glob, old) == 0)
		return true;
	return !strpbrk (glob, "?\\") && !strchr (old, '\\') && !strstr (old, "**") &&
	       ppi_glob_whole (glob, old);
}

/*
 * OWNER's word about GLOB, if it is ON and nothing would change were it the newest: what is newer
 * says the same.
 */
static struct word *find_same (const char *glob, bool on, const void *owner)
{
	for (size_t i = n_words; i-- > 0 && words[i].on == on;)
		if (words[i].owner == owner && strcmp (words[i].glob, glob) == 0)
			return &words[i];
	return NULL;
}

int ppi_switch_set (const char *glob, bool on, const void *owner)
{
	char *copy;

	if (find_same (glob, on, owner))
		return 0;
	copy = strdup (glob);
	if (!copy)
		return PP_ENOMEM;
	/* they are taken back together, so the older ones never count again */
	for (size_t i = n_words; i-- > 0;)
		if (words[i].owner == owner && covers (glob, words[i].glob))
			forget (i);
	if (!make_room ()) {
		free (copy);
		return PP_ENOMEM;
	}
	words[n_words++] = (struct word){.glob = copy, .on = on, .owner = owner};
	return 1;
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
	return !(site->flags & PP_ABI_SITE_LATENT);
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

/* How many marks the program's word about PATTERN, which is ON, is for. */
static int marks_of (const char *pattern, bool on)
{
	struct word *word = find_same (pattern + strlen ("feature:"), on, NULL);

	if (!word)
		return 0;
	if (word->changes != ppi_site_changes ()) {
		word->marks = 0;
		(void) ppi_site_each_matching (pattern, count, &word->marks);
		word->changes = ppi_site_changes ();
	}
	return word->marks;
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
	if (error > 0)
		ppi_switch_apply ();
	if (error >= 0)
		n = marks_of (pattern, on != 0);
	ppi_unlock ();
	errno = saved;
	return error < 0 ? error : n;
}
