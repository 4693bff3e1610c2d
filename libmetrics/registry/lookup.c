/* SPDX-License-Identifier: MIT */
/*
 * lookup.c: the sites that a pattern matches. One look-up looks at all sites, 60 ns each. A policy
 * of a thousand patterns in a program of 100,000 sites would take seconds that way, so after some
 * look-ups an index is made, which leaves some sites to be looked at.
 *
 * A pattern matches a full name, module!file:function/name, from its start or from behind a border
 * ('!', ':', '/') to its end. So the text before the pattern's first wildcard stands behind a
 * border of the names that it matches. The index has every place behind a border in the
 * function/name of every site, sorted by the text from there on: what begins with that text is
 * found by bisection. The borders in module!file: are few different ones, however many sites there
 * are: these are compared one by one, and what is left of the text is looked up as before.
 *
 * Sites that appeared since it was made are looked at one by one; when they have become many it is
 * made anew. It only narrows down: the whole pattern decides.
 */
#include "libmetrics/registry/lookup.h"

#include "base/glob.h"
#include "base/types.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SITES_LEAST = 512, /* fewer are looked at as fast as an index */
	SCANS_LEAST = 2,   /* so many times, for making it costs as much as some of them */
	TEXT_MOST = 256,   /* a longer text is looked up by its beginning */
};

struct entry {
	uint32_t site;   /* in sites[] */
	uint32_t offset; /* in its base */
};

/* The same while it is sorted: the first eight bytes of the text, the first one on top. */
struct sorting {
	uint64_t key;
	struct entry entry;
};

static struct {
	pp_site **sites; /* in the order in which they appeared */
	struct entry *entries;
	pp_site **files; /* for each module!file: that there is a site of it */
	uint32_t n_sites, n_entries, n_files;
	unsigned scans; /* since there were enough sites that it does not know */
} known;

/* How long module!file: is. Sites of calls have no file, and their full name is module!name. */
static size_t file_length (const pp_site *s)
{
	size_t module = strlen (s->module) + 1;

	return *s->file || *s->function ? module + strlen (s->file) + 1 : module;
}

/* ---- making it ------------------------------------------------------------------------------- */

static const char *text_of (struct entry e)
{
	return known.sites[e.site]->base + e.offset;
}

static uint64_t key_of (const char *text)
{
	uint64_t key = 0;

	for (unsigned i = 0; i < 8; i++) {
		key = key << 8 | (unsigned char) *text;
		text += *text != '\0';
	}
	return key;
}

static int by_text (const void *a, const void *b)
{
	const struct sorting *p = a, *q = b;

	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	/* the same eight bytes; with a zero among them, the same text */
	return p->key & 0xff ? strcmp (text_of (p->entry) + 8, text_of (q->entry) + 8) : 0;
}

static int by_file (const void *a, const void *b)
{
	const pp_site *p = *(pp_site *const *) a, *q = *(pp_site *const *) b;
	size_t n = file_length (p), m = file_length (q);
	int order = memcmp (p->base, q->base, n < m ? n : m);

	return order || n == m ? order : n < m ? -1 : 1;
}

/*
 * Places behind borders of S behind its file, the first of which is there itself. Writes them to
 * OUT unless it is NULL.
 */
static uint32_t places_of (uint32_t site, struct sorting *out)
{
	const char *base = known.sites[site]->base, *at = base + file_length (known.sites[site]);
	uint32_t n = 0;

	for (; at; at = ppi_glob_border (at)) {
		if (out)
			out[n] = (struct sorting){key_of (at), {site, (uint32_t) (at - base)}};
		n++;
	}
	return n;
}

static void forget (void)
{
	free (known.sites);
	free (known.entries);
	free (known.files);
	memset (&known, 0, sizeof (known));
}

/* Out of known.sites. */
static bool make_entries (void)
{
	uint32_t n = 0;
	struct sorting *sorting;

	for (uint32_t i = 0; i < known.n_sites; i++)
		n += places_of (i, NULL);
	sorting = calloc (n + 1, sizeof (*sorting));
	known.entries = calloc (n + 1, sizeof (*known.entries));
	if (!sorting || !known.entries) {
		free (sorting);
		return false;
	}
	for (uint32_t i = 0; i < known.n_sites; i++)
		known.n_entries += places_of (i, sorting + known.n_entries);
	qsort (sorting, n, sizeof (*sorting), by_text);
	for (uint32_t i = 0; i < n; i++)
		known.entries[i] = sorting[i].entry;
	free (sorting);
	return true;
}

static bool make_files (void)
{
	pp_site **files = calloc (known.n_sites + 1, sizeof (pp_site *)), **fit;
	uint32_t n = 0, kept = 0;

	if (!files)
		return false;
	/* those of one file mostly come one after the other */
	for (uint32_t i = 0; i < known.n_sites; i++)
		if (!n || by_file (&files[n - 1], &known.sites[i]))
			files[n++] = known.sites[i];
	qsort (files, n, sizeof (pp_site *), by_file);
	for (uint32_t i = 0; i < n; i++)
		if (!kept || by_file (&files[kept - 1], &files[i]))
			files[kept++] = files[i];
	fit = realloc (files, (kept + 1) * sizeof (pp_site *));
	known.files = fit ? fit : files;
	known.n_files = kept;
	return true;
}

static void make (pp_site *first, uint32_t n)
{
	forget ();
	known.sites = calloc (n + 1, sizeof (pp_site *));
	if (known.sites)
		for (pp_site *s = first; s && known.n_sites < n; s = s->next)
			known.sites[known.n_sites++] = s;
	if (!known.sites || !make_entries () || !make_files ())
		forget ();
}

/* ---- looking up ------------------------------------------------------------------------------ */

struct finding {
	uint32_t *sites; /* owned */
	uint32_t n, room;
};

/* false: so many that looking at all is as fast, or no memory */
static bool find (struct finding *f, uint32_t site)
{
	if (f->n > known.n_sites / 4)
		return false;
	if (f->n == f->room) {
		uint32_t room = f->room ? f->room * 2 : 64;
		uint32_t *fresh = realloc (f->sites, room * sizeof (*fresh));

		if (!fresh)
			return false;
		f->sites = fresh;
		f->room = room;
	}
	f->sites[f->n++] = site;
	return true;
}

/* All sites with a place from which the text begins with TEXT. */
static bool find_places (struct finding *f, const char *text)
{
	size_t n = strlen (text);
	uint32_t low = 0, high = known.n_entries;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (strcmp (text_of (known.entries[middle]), text) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < known.n_entries && !strncmp (text_of (known.entries[low]), text, n); low++)
		if (!find (f, known.entries[low].site))
			return false;
	return true;
}

/*
 * Those where TEXT begins in module!file: and goes on behind it; false: it ends there, so that all
 * sites of the file may match.
 */
static bool find_behind_files (struct finding *f, const char *text)
{
	size_t n = strlen (text);

	for (uint32_t i = 0; i < known.n_files; i++) {
		const char *at = known.files[i]->base, *end = at + file_length (known.files[i]);

		for (; at && at < end; at = ppi_glob_border (at)) {
			size_t rest = (size_t) (end - at);

			if (strncmp (at, text, rest < n ? rest : n) != 0)
				continue;
			if (n <= rest || !find_places (f, text + rest))
				return false;
		}
	}
	return true;
}

/*
 * What stands before the first wildcard of GLOB, and before what tells namesakes apart, without
 * '\'.
 */
static void text_before_wildcards (const char *glob, char text[TEXT_MOST])
{
	size_t n = 0;

	while (*glob && !strchr ("*?(@", *glob) && n < TEXT_MOST - 1) {
		glob += *glob == '\\' && glob[1];
		text[n++] = *glob++;
	}
	text[n] = '\0';
}

static int by_number (const void *a, const void *b)
{
	const uint32_t *p = a, *q = b;

	return *p < *q ? -1 : *p > *q;
}

/* Makes the list of those in F, in their order and each once. */
static bool hand_over (struct finding *f, struct ppi_lookup *l)
{
	l->found = malloc ((f->n ? f->n : 1) * sizeof (pp_site *));
	if (!l->found)
		return false;
	if (f->n)
		qsort (f->sites, f->n, sizeof (*f->sites), by_number);
	for (uint32_t i = 0; i < f->n; i++)
		if (!i || f->sites[i] != f->sites[i - 1])
			l->found[l->n_found++] = known.sites[f->sites[i]];
	return true;
}

/* By the index; false: it doesn't help. */
static bool find_in_index (struct ppi_lookup *l)
{
	struct finding f = {NULL, 0, 0};
	const char *function = ppi_pattern_property (l->pattern, "fn");
	char text[TEXT_MOST];
	bool done;

	if (!function && !l->names)
		return false;
	text_before_wildcards (function ? function : l->pattern, text);
	/* what "fn:" means begins in the function */
	done = *text && find_places (&f, text) && (function || find_behind_files (&f, text)) &&
	       hand_over (&f, l);
	free (f.sites);
	return done;
}

static struct ppi_lookup lookup_of (const char *pattern)
{
	struct ppi_lookup l = {.pattern = pattern, .names = pattern && ppi_pattern_names (pattern)};

	if (pattern && l.names && !pattern[strcspn (pattern, "*?\\(@")])
		l.plain = strlen (pattern);
	return l;
}

void ppi_lookup_begin (struct ppi_lookup *l, const char *pattern)
{
	pp_site *first = ppi_site_first (); /* takes in those of new modules */
	uint32_t n = ppi_site_count ();

	*l = lookup_of (pattern);
	if (pattern && n - known.n_sites >= SITES_LEAST + known.n_sites / 4 &&
	    ++known.scans > SCANS_LEAST)
		make (first, n);
	if (pattern && known.n_sites && find_in_index (l))
		l->behind = known.sites[known.n_sites - 1];
	if (pattern && l->names && ppi_pattern_may_be_literal (pattern)) {
		struct ppi_lookup literal = *l;

		literal.literally = true;
		l->literally = ppi_lookup_next (&literal) != NULL;
	}
}

/* What ppi_glob_suffix says of a pattern without wildcards, sooner. */
static bool ends_with (const char *full, const char *pattern, size_t n)
{
	size_t all = strlen (full);
	const char *at = full + all - n;

	return n <= all && memcmp (at, pattern, n) == 0 &&
	       (n == all || ppi_glob_border (at - 1) == at);
}

/* Has S code, and does it match? */
static bool fits (const struct ppi_lookup *l, const pp_site *s)
{
	if (!s->copies || !l->pattern)
		return s->copies && !(s->flags & PP_ABI_SITE_RETURN);
	if (l->plain)
		return ends_with (s->base, l->pattern, l->plain);
	return l->names ? ppi_site_is_called (s, l->pattern, l->literally)
			: ppi_site_matches (s, l->pattern);
}

pp_site *ppi_lookup_next (struct ppi_lookup *l)
{
	pp_site *s;

	while (l->at < l->n_found) {
		s = l->found[l->at++];
		if (fits (l, s))
			return s;
	}
	while ((s = l->behind ? l->behind->next : ppi_site_first ())) {
		l->behind = s;
		if (fits (l, s))
			return s;
	}
	return NULL;
}

void ppi_lookup_end (struct ppi_lookup *l)
{
	free (l->found);
	l->found = NULL;
}

static bool is_mark (const pp_site *site)
{
	return site->kind == PP_ABI_SITE_FEATURE || site->kind == PP_ABI_SITE_ANTIMARK;
}

bool ppi_lookup_has (const char *pattern, const pp_site *site)
{
	struct ppi_lookup l = lookup_of (pattern);
	bool has;

	/* whether there is a site that is called just so is a question about all */
	if (l.names && ppi_pattern_may_be_literal (pattern))
		ppi_lookup_begin (&l, pattern);
	has = fits (&l, site);
	ppi_lookup_end (&l);
	return has;
}

const char *ppi_lookup_meant (const char *pattern, char *out, size_t room)
{
	const char *candidates[512], *nearest;
	const char *feature = ppi_pattern_property (pattern, "feature");
	const char *last = strrchr (pattern, '/') ? strrchr (pattern, '/') + 1 : pattern;
	size_t n = 0;

	last = feature ? feature : last;
	snprintf (out, room, "%s/*", pattern);
	for (const pp_site *s = ppi_site_first (); s; s = s->next) {
		if (!s->copies || (feature && !is_mark (s)))
			continue;
		if (!feature && ppi_site_is_called (s, out, false)) {
			snprintf (out, room, "%s/%s", s->function, s->name);
			return out;
		}
		if (n + 1 < sizeof candidates / sizeof *candidates)
			candidates[n++] = s->name;
	}
	candidates[n] = NULL;
	nearest = ppi_nearest (last, candidates);
	if (!nearest || strcmp (nearest, last) == 0)
		return NULL;
	snprintf (out, room, "%s", nearest);
	return out;
}
