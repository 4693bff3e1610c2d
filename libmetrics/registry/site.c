/* SPDX-License-Identifier: MIT */
/* site.c: the registry of sites. */
#include "libmetrics/registry/site.h"

#include "base/chunk.h"
#include "base/dims.h"
#include "base/estimate.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/types.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/lookup.h"
#include "libmetrics/registry/module.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/registry/site_alloc.h"
#include "libmetrics/tables/module.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/tables/slots.h"
#include "recording/layout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pp_site *first, *newest;
static pp_site **last = &first;
static uint32_t n_sites;
static uint64_t n_changes = 1;

/*
 * open addressing, at most half full; hashes lie in it so that a look-up touches one site, and
 * growing none
 */
static struct place {
	pp_site *site;
	uint32_t hash;
} * table;
static uint32_t table_size; /* power of two */

pp_site *ppi_site_first (void)
{
	ppi_modules_take_in ();
	return first;
}

uint32_t ppi_site_count (void)
{
	return n_sites;
}

uint64_t ppi_site_changes (void)
{
	return n_changes;
}

/*
 * Each copy is a change: where there are as many as new sites, each of those has one, and nothing
 * else has changed.
 */
pp_site *ppi_sites_news (struct ppi_sites_seen *seen, bool *all)
{
	pp_site *from = ppi_site_first ();
	struct ppi_sites_seen was = *seen;

	*seen = (struct ppi_sites_seen){newest, n_changes, n_sites};
	*all = !was.newest || n_changes - was.changes != n_sites - was.n;
	return *all ? from : was.newest->next;
}

/* ---- the hash table: by base, of namesakes the first ----------------------------------------- */

static void table_put (struct place *in, uint32_t size, struct place place)
{
	uint32_t i = place.hash & (size - 1);

	while (in[i].site)
		i = (i + 1) & (size - 1);
	in[i] = place;
}

/* Room for N sites. */
static bool table_grow (uint64_t n)
{
	uint32_t size = table_size ? table_size : 256;
	struct place *fresh;

	while (size < 2 * n && size < UINT32_C (1) << 31)
		size *= 2;
	if (size == table_size)
		return true;
	fresh = ppi_calloc_at_once (size * sizeof (*fresh));
	if (!fresh)
		return false;
	for (uint32_t i = 0; i < table_size; i++)
		if (table[i].site)
			table_put (fresh, size, table[i]);
	free (table);
	table = fresh;
	table_size = size;
	return true;
}

/* ---- making sites ---------------------------------------------------------------------------- */

/*
 * Instances of one template may capture values of different types in one place: those are different
 * sites.
 */
static bool is_alike (const pp_site *s, const struct pp_abi_site *d)
{
	return s->line == d->line && s->column == d->column && s->kind == d->kind &&
	       s->value == d->value && s->flags == (d->flags & PP_ABI_SITE_TELLING) &&
	       s->function_line == d->function_line &&
	       strcmp (s->parameters, ppi_site_text (d, d->parameters)) == 0 &&
	       strcmp (s->dims, ppi_site_text (d, d->dims)) == 0;
}

/* The first of those called BASE. */
static pp_site *namesakes_find (const char *base, uint32_t hash)
{
	for (uint32_t i = hash & (table_size - 1); table_size && table[i].site;
	     i = (i + 1) & (table_size - 1))
		if (table[i].hash == hash && strcmp (table[i].site->base, base) == 0)
			return table[i].site;
	return NULL;
}

/* KNOWN is the first site of that name, or NULL. */
static pp_site *site_make (const struct ppi_site_name *name, uint32_t hash,
			   const struct ppi_module *m, const struct pp_abi_site *d, pp_site *known)
{
	pp_site *s;

	if (!table_grow (n_sites + UINT64_C (1)))
		return NULL;
	s = ppi_site_alloc (name, m, d);
	if (!s)
		return NULL;
	s->id = ++n_sites;
	s->kind = d->kind;
	s->value = d->value;
	s->flags = d->flags & PP_ABI_SITE_TELLING;
	s->n_dims = d->n_dims;
	s->line = d->line;
	s->column = d->column;
	s->function_line = d->function_line;
	s->plan = &ppi_plan_nothing;
	if (known) {
		s->namesake = known->namesake;
		known->namesake = s;
		ppi_site_crowd_add (known);
	} else {
		table_put (table, table_size, (struct place){s, hash});
	}
	*last = newest = s;
	last = &s->next;
	return s;
}

static struct ppi_copy *copy_add (pp_site *s, struct pp_abi_site *d, const struct ppi_module *m)
{
	struct ppi_copy *c = s->first_copy.descriptor ? calloc (1, sizeof (*c)) : &s->first_copy;

	if (!c)
		return NULL;
	c->descriptor = d;
	c->module = m;
	c->markers = c->first;
	c->room = sizeof (c->first) / sizeof (c->first[0]);
	c->next = s->copies;
	s->copies = c;
	n_changes++;
	__atomic_store_n (&d->generation, s->generation, __ATOMIC_RELAXED);
	if (s->plan->wanted >> PP_ABI_WANTED_LATE || d->flags & PP_ABI_SITE_COMPUTED)
		__atomic_store_n (&d->wanted, s->plan->wanted, __ATOMIC_RELAXED);
	__atomic_store_n (&d->plan, s->plan, __ATOMIC_RELEASE);
	d->runtime = c;
	d->reserved = (uintptr_t) s;
	return c;
}

/* The copy of a descriptor, which is met anew with its first marker. */
static struct ppi_copy *copy_of (struct pp_abi_site *d, const struct ppi_module *m)
{
	struct ppi_site_name name;
	uint32_t hash;
	pp_site *s, *known;

	if (d->runtime)
		return d->runtime;
	if (d->abi != PP_ABI_VERSION || d->size < sizeof (*d))
		return NULL;
	if (!ppi_site_name (&name, m, d))
		return NULL;
	hash = (uint32_t) ppi_hash (name.full, name.n, 0);
	s = known = namesakes_find (name.full, hash);
	while (s && !is_alike (s, d))
		s = s->namesake;
	if (!s)
		s = site_make (&name, hash, m, d, known);
	return s ? copy_add (s, d, m) : NULL;
}

pp_site *ppi_site_add_named (struct pp_abi_site *d)
{
	static struct ppi_module program = {.is_program = true};

	program.name = program_invocation_short_name;
	return copy_of (d, &program) ? (pp_site *) (uintptr_t) d->reserved : NULL;
}

static struct pp_abi_site *descriptor_of (const struct pp_abi_marker *marker)
{
	return (struct pp_abi_site *) ((uintptr_t) &marker->site +
				       (uintptr_t) (intptr_t) marker->site);
}

static bool marker_add (struct ppi_copy *c, const struct pp_abi_marker *marker)
{
	if (c->n_markers == c->room) {
		uint32_t room = c->room * 2;
		bool own = c->markers == c->first;
		struct ppi_marker *fresh =
			realloc (own ? NULL : c->markers, room * sizeof (*fresh));

		if (!fresh)
			return false;
		if (own)
			memcpy (fresh, c->first, sizeof (c->first));
		c->markers = fresh;
		c->room = room;
	}
	c->markers[c->n_markers++] = (struct ppi_marker){marker, 0};
	return true;
}

bool ppi_sites_name_metrics (const struct ppi_module *m)
{
	const struct pp_abi_marker *marker = m->sites_begin, *end = m->sites_end;
	const char *at = m->guards_begin, *guards_end = m->guards_end;

	for (; marker < end; marker++)
		if (!(marker->flags & PP_ABI_MARKER_NO_METRICS) && descriptor_of (marker)->metrics)
			return true;
	while (at && at + sizeof (struct pp_abi_site) <= guards_end) {
		const struct pp_abi_site *d = (const struct pp_abi_site *) at;

		if (d->metrics || d->size < sizeof (*d))
			return true; /* or a table that has to be told of */
		at += d->size;
	}
	return false;
}

/*
 * Each descriptor gets the address of its copy: where they are many they lie one behind the other.
 */
static void fill_descriptors (const struct pp_abi_marker *marker, const struct pp_abi_marker *end)
{
	const char *from = (const char *) UINTPTR_MAX, *to = NULL;
	size_t n = (size_t) (end - marker), apart = 1024;

	for (; marker < end; marker++) {
		const char *d = (const char *) descriptor_of (marker);

		from = d < from ? d : from;
		to = d > to ? d : to;
	}
	if (to > from && (size_t) (to - from) < n * apart)
		ppi_fill_at_once (from, to);
}

static void add_markers (const struct ppi_module *m, unsigned *lost)
{
	const struct pp_abi_marker *marker = m->sites_begin, *end = m->sites_end;

	/*
	 * most sites have two markers; where there are more it grows, and without memory each says
	 * so for itself
	 */
	table_grow (n_sites + (uint64_t) (end - marker) / 2);
	fill_descriptors (marker, end);
	for (; marker < end; marker++) {
		struct pp_abi_site *d = descriptor_of (marker);
		struct ppi_copy *c = copy_of (d, m);

		if (!c || !marker_add (c, marker))
			++*lost;
	}
}

static void add_guards (const struct ppi_module *m, unsigned *lost)
{
	char *at = (char *) (uintptr_t) m->guards_begin, *end = (char *) (uintptr_t) m->guards_end;

	while (at && at + sizeof (struct pp_abi_site) <= end) {
		struct pp_abi_site *d = (struct pp_abi_site *) at;

		if (d->size < sizeof (*d) || d->size % PP_ABI_ALIGN ||
		    d->size > (size_t) (end - at)) {
			++*lost;
			return;
		}
		if (!copy_of (d, m))
			++*lost;
		at += d->size;
	}
}

/*
 * Copies of sites that something is bound to already, or that somebody has observed or recorded,
 * whether or not they had code until now: they take effect with the batch.
 */
static void touch_asked_for (const struct ppi_module *module)
{
	for (pp_site *s = first; s; s = s->next)
		for (struct ppi_copy *c = s->bindings || s->taps ? s->copies : NULL; c; c = c->next)
			if (c->module == module)
				ppi_site_touch (s);
}

void ppi_sites_add (const struct ppi_module *module)
{
	unsigned lost = 0;
	uint32_t settled = n_sites;

	add_markers (module, &lost);
	add_guards (module, &lost);
	ppi_site_settle_names (settled);
	if (lost)
		ppi_message ("%s: %u markers could not be registered (no memory, or a site table "
			     "of another version); they stay disabled",
			     module->name, lost);
	touch_asked_for (module);
}

static void copies_remove (pp_site *s, const struct ppi_module *module)
{
	struct ppi_copy **at = &s->copies, *c;

	while ((c = *at)) {
		if (c->module != module) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		if (c->markers != c->first)
			free (c->markers);
		if (c == &s->first_copy)
			memset (c, 0, sizeof (*c));
		else
			free (c);
	}
	if (!s->copies)
		__atomic_store_n (&s->enabled, 0, __ATOMIC_RELEASE);
}

void ppi_sites_remove (const struct ppi_module *module)
{
	n_changes++;
	for (pp_site *s = first; s; s = s->next)
		if (s->copies)
			copies_remove (s, module);
}

/* ---- looking sites up ------------------------------------------------------------------------ */

int ppi_site_each_matching (const char *pattern, int (*fn) (pp_site *site, void *arg), void *arg)
{
	struct ppi_lookup lookup;
	pp_site *s;
	int r = 0;

	ppi_lookup_begin (&lookup, pattern);
	while (!r && (s = ppi_lookup_next (&lookup)))
		r = fn (s, arg);
	ppi_lookup_end (&lookup);
	return r;
}

int pp_site_each (const char *pattern, int (*fn) (pp_site *site, void *arg), void *arg)
{
	char why[256];
	struct ppi_lookup lookup;
	pp_site *s;
	int r = 0;

	if (!fn || (pattern && !ppi_pattern_valid (pattern, why, sizeof (why))))
		return PP_EINVAL;
	ppi_lock ();
	ppi_lookup_begin (&lookup, pattern);
	while (!r && (s = ppi_lookup_next (&lookup))) {
		/* the user's function may do what it likes meanwhile */
		ppi_unlock ();
		r = fn (s, arg);
		ppi_lock ();
	}
	ppi_lookup_end (&lookup);
	ppi_unlock ();
	return r;
}

struct candidates {
	pp_site *site;
	unsigned n;
	char text[512];
};

/*
 * What tells sites of one name apart, and closes the parenthesis: the line, which sites of calls
 * lack, and the type of what they capture.
 */
static void describe_place (const pp_site *site, char *text, size_t room)
{
	size_t used = strlen (text);

	if (site->line)
		used += (size_t) snprintf (text + used, room - used, ", line %u", site->line);
	if (site->value != PP_ABI_VALUE_NONE && used < room)
		used += (size_t) snprintf (text + used, room - used, ", value %s",
					   ppi_value_name (site->value));
	if (used < room)
		snprintf (text + used, room - used, ")");
}

static int count (pp_site *site, void *arg)
{
	struct candidates *c = arg;

	c->site = site;
	c->n++;
	return 0;
}

static int collect (pp_site *site, void *arg)
{
	struct candidates *c = arg;
	size_t used = strlen (c->text);

	if (used < sizeof (c->text) - 1)
		snprintf (c->text + used, sizeof (c->text) - used, "%s%s (%s", used ? ", " : "",
			  site->full, ppi_kind_with_article (site->kind));
	describe_place (site, c->text, sizeof (c->text));
	return 0;
}

int ppi_site_find_plain (const char *name, pp_site **out, char *why, size_t room)
{
	struct candidates c;

	c.site = NULL;
	c.n = 0;
	ppi_site_each_matching (name, count, &c);
	*out = c.site;
	if (c.n == 1)
		return PP_OK;
	if (!c.n) {
		snprintf (why, room, "there is no site \"%s\"", name);
		return PP_ENOENT;
	}
	c.text[0] = '\0';
	ppi_site_each_matching (name, collect, &c);
	snprintf (why, room, "\"%s\" is ambiguous: %s", name, c.text);
	return PP_EAMBIGUOUS;
}

int pp_site_find (const char *name, pp_site **out)
{
	pp_site *s = NULL;
	char why[768];
	int r, saved = errno;

	if (!name || !*name)
		return PP_EINVAL;
	ppi_lock ();
	r = ppi_site_find_plain (name, &s, why, sizeof (why));
	ppi_unlock ();
	if (r == PP_EAMBIGUOUS)
		ppi_message ("pp_site_find: %s", why);
	errno = saved;
	if (r == PP_OK && out)
		*out = s;
	return r;
}

const char *pp_site_name (const pp_site *site)
{
	return site ? site->full : "";
}

uint32_t ppi_site_id (const pp_site *site)
{
	return site->id;
}

enum pp_abi_site_kind ppi_site_kind_of (const pp_site *site)
{
	return site->kind;
}

/* ---- what the compiler knows ----------------------------------------------------------------- */

static void add_statics (struct ppi_statics_sum *sum, const struct ppi_copy *c)
{
	const struct pp_abi_estimate *e = c->module->estimates_begin,
				     *end = c->module->estimates_end;

	for (; e && e < end; e++)
		if (ppi_estimate_site (e) == c->descriptor)
			ppi_statics_add (sum, e);
}

struct ppi_statics ppi_site_statics (const pp_site *site)
{
	struct ppi_statics_sum sum = {.copies = 0};

	ppi_lock ();
	for (const struct ppi_copy *c = site->copies; c; c = c->next)
		add_statics (&sum, c);
	ppi_unlock ();
	return ppi_statics_of (&sum);
}

/* ---- the region ------------------------------------------------------------------------------ */

static uint32_t count_markers (const pp_site *s)
{
	uint32_t n = 0;

	for (const struct ppi_copy *c = s->copies; c; c = c->next)
		n += c->n_markers;
	return n;
}

int ppi_site_describe (pp_site *s)
{
	size_t name = strlen (s->full) + 1;
	struct ppi_site_chunk *c;

	if (s->chunk)
		return PP_OK;
	c = ppi_region_alloc (sizeof (*c) + name);
	if (!c)
		return PP_ENOMEM;
	c->kind = s->kind;
	c->line = s->line;
	c->markers = count_markers (s);
	memcpy (c->name, s->full, name);
	s->chunk = c;
	ppi_region_publish (&c->chunk, PPI_CHUNK_SITE, s->id);
	return PP_OK;
}

void ppi_site_after_fork (void)
{
	for (pp_site *s = first; s; s = s->next)
		s->chunk = NULL;
}
