/* SPDX-License-Identifier: MIT */
/* pending.c: what policies say of names and sites that there were not until the end. */
#include "recording/layout.h"
#include "recording/read.h"
#include "report/sections.h"

#include <string.h>

#define PENDING "pending: no "
#define FOUND "found: "

/* Of an entry of a policy, what is behind its name if that begins with WORD; else NULL */
static const char *behind (const struct ppi_history_chunk *e, const char *word)
{
	const char *sentence = e->text + strlen (e->text) + 1;
	size_t n = strlen (word);

	return e->kind == PPI_HISTORY_POLICY && strncmp (sentence, word, n) == 0 ? sentence + n
										 : NULL;
}

/* "metric 'x'" and "metric 'x' yet": of one kind, and one name? */
static bool is_same_name (const char *a, const char *b)
{
	const char *from = strchr (a, '\''), *to = strrchr (a, '\''), *other = strchr (b, '\'');
	size_t word = strcspn (a, " ");

	return from && other && strncmp (a, b, word + 1) == 0 &&
	       strncmp (from, other, (size_t) (to - from) + 1) == 0;
}

/*
 * Has it been found later, or the policy gone or changed? What a version of it waits for is noted
 * before it is said to be loaded.
 */
static bool is_over (const struct ppi_recording *recording, const struct ppi_history_chunk *e,
		     const char *what)
{
	const char *policy = e->text, *found;
	bool is_loaded = false;

	while ((e = ppi_recording_next (recording, PPI_CHUNK_HISTORY, e))) {
		if (e->kind != PPI_HISTORY_POLICY || strcmp (e->text, policy) != 0)
			continue;
		found = behind (e, FOUND);
		if ((found && is_same_name (what, found)) || behind (e, "unloaded") ||
		    (is_loaded && behind (e, "reloaded")))
			return true;
		is_loaded |= behind (e, "loaded") || behind (e, "reloaded");
	}
	return false;
}

void ppi_section_pending (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_table (report, "pending", "pending");
	const struct ppi_history_chunk *e = NULL;

	while ((e = ppi_recording_next (recording, PPI_CHUNK_HISTORY, e))) {
		const char *what = behind (e, PENDING);
		struct ppi_row *row;

		if (!what || is_over (recording, e, what))
			continue;
		row = ppi_row (table);
		ppi_put_text (row, "policy", e->text);
		ppi_put_text (row, "what", what);
		ppi_say (row, "  {policy}: no {what}\n");
	}
}
