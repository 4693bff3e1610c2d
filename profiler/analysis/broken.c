/* SPDX-License-Identifier: MIT */
/* broken.c: see broken.h. */
#include "profiler/analysis/broken.h"

#include "profiler/analysis/symbols.h"
#include "recording/read.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BUILD_BYTES 6u /* of a build id, in one of the entry's values */

/* "PATH+0xOFFSET" in a text. */
struct place {
	const char *at;
	size_t path, all; /* bytes of the path, and of it all */
	uint64_t offset;
};

/* AT begins with a place, which END follows. */
static bool find_place (const char *at, const char *end, struct place *out)
{
	for (const char *plus = at; (plus = strstr (plus, "+0x")); plus++) {
		char *behind;

		out->offset = strtoull (plus + 3, &behind, 16);
		if (behind == plus + 3 || strncmp (behind, end, strlen (end)) != 0 ||
		    (!*end && *behind))
			continue;
		out->at = at;
		out->path = (size_t) (plus - at);
		out->all = (size_t) (behind - at);
		return true;
	}
	return false;
}

/* ---- functions and lines --------------------------------------------------------------------- */

struct text {
	char *to;
	size_t used, room;
};

static void put (struct text *t, const char *from, size_t n)
{
	size_t left = t->room - 1 - t->used;

	n = n < left ? n : left;
	memcpy (t->to + t->used, from, n);
	t->used += n;
	t->to[t->used] = '\0';
}

struct found {
	char text[512];
};

/* In C++ the calls are functions of that header, which are part of who calls them. */
static bool is_header (const char *file)
{
	const char *slash = strrchr (file, '/');

	return strcmp (slash ? slash + 1 : file, "pp_event.h") == 0;
}

/* The innermost comes last, and stays. */
static void take (const struct ppi_symbol *symbol, void *arg)
{
	struct found *found = arg;

	if (symbol->at && *symbol->name && !is_header (symbol->at_file))
		snprintf (found->text, sizeof found->text, "%s (%s:%u)", symbol->name,
			  symbol->at_file, symbol->at);
}

/* BUILD as struct ppi_spot has it; 0: of a file that can't be told from another. */
static size_t build_id (double build, uint8_t out[BUILD_BYTES])
{
	uint64_t bits = build > 0 && build < 0x1p48 ? (uint64_t) build : 0;

	for (unsigned i = 0; i < BUILD_BYTES; i++)
		out[i] = (uint8_t) (bits >> 8 * (BUILD_BYTES - 1 - i));
	return bits ? BUILD_BYTES : 0;
}

/* What is known of PLACE, or the place itself. */
static void put_place (struct text *t, const struct place *place, double build)
{
	char path[PATH_MAX], given[PATH_MAX];
	struct found found = {""};
	struct ppi_symbols *symbols;
	uint8_t id[BUILD_BYTES];
	size_t id_bytes = build_id (build, id);

	snprintf (given, sizeof given, "%.*s", (int) place->path, place->at);
	symbols = realpath (given, path) ? ppi_symbols_open (path, id, id_bytes) : NULL;
	if (symbols && !ppi_symbols_problem (symbols))
		ppi_symbols_at (symbols, place->offset, take, &found);
	ppi_symbols_close (symbols);
	if (*found.text)
		put (t, found.text, strlen (found.text));
	else
		put (t, place->at, place->all);
}

/* The last one in TEXT: a name before it may have the same words. */
static const char *find_last (const char *text, const char *words)
{
	const char *last = NULL;

	for (const char *at = text; (at = strstr (at, words)); at++)
		last = at;
	return last ? last + strlen (words) : NULL;
}

bool ppi_broken_sentence (const struct ppi_history_chunk *entry, char *out, size_t room)
{
	static const char first[] = "was begun at ";
	const char *sentence = entry->text + strlen (entry->text) + 1, *ended, *at = sentence;
	struct text t = {out, 0, room};
	struct place place;

	if (entry->kind != PPI_HISTORY_NESTING)
		return false;
	*out = '\0';
	if (strncmp (at, first, sizeof first - 1) == 0 &&
	    find_place (at + sizeof first - 1, " and was open when ", &place)) {
		put (&t, first, sizeof first - 1);
		put_place (&t, &place, entry->value[0]);
		at = place.at + place.all;
	}
	ended = find_last (at, " ended at ");
	if (ended && find_place (ended, "", &place)) {
		put (&t, at, (size_t) (ended - at));
		put_place (&t, &place, entry->value[1]);
		at = place.at + place.all;
	}
	put (&t, at, strlen (at));
	return true;
}

void ppi_broken_put (const struct ppi_recording *recording, FILE *out)
{
	const struct ppi_history_chunk *entry = NULL;
	char text[2048];

	while ((entry = ppi_recording_next (recording, PPI_CHUNK_HISTORY, entry)))
		if (ppi_broken_sentence (entry, text, sizeof text))
			fprintf (out, "nesting: \"%s\" %s\n", entry->text, text);
}
