/* SPDX-License-Identifier: MIT */
/* metric.c: declaring metrics: from pragmas, from C, from policies. */
#include "libmetrics/registry/metric.h"

#include "base/atomic.h"
#include "base/chunk.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/source.h"
#include "libmetrics/source/user_source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/thread_life.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 1024u

static pp_metric *first;
static pp_metric **last = &first;
static pp_metric *by_name[BUCKETS]; /* chains, the youngest first */
static uint32_t n_metrics;

static pp_metric **bucket_of (const char *name)
{
	return &by_name[ppi_hash (name, strlen (name), 0) % BUCKETS];
}

pp_metric *pp_metric_find (const char *name)
{
	pp_metric *m;

	if (!name)
		return NULL;
	ppi_lock ();
	m = *bucket_of (name);
	while (m && (m->superseded || strcmp (m->spec.name, name) != 0))
		m = m->next_of_bucket;
	ppi_unlock ();
	return m;
}

void ppi_metric_each (void (*fn) (pp_metric *metric, void *arg), void *arg)
{
	for (pp_metric *m = first; m; m = m->next)
		fn (m, arg);
}

const struct ppi_metric_spec *ppi_metric_spec_of (const pp_metric *metric)
{
	return &metric->spec;
}

uint32_t ppi_metric_users (const pp_metric *metric)
{
	return metric->references;
}

uint32_t ppi_metric_id (const pp_metric *metric)
{
	return metric->id;
}

enum ppi_unit ppi_metric_unit (const pp_metric *metric)
{
	return ppi_keeps (metric->spec.accumulator, PPI_KEEPS_ANY) ? metric->instance.unit
								   : PPI_UNIT_PLAIN;
}

double ppi_metric_scale (const pp_metric *metric)
{
	return metric->instance.scale > 0 ? metric->instance.scale : ppi_seconds_per_tick ();
}

const char *pp_metric_name (const pp_metric *metric)
{
	return metric ? metric->spec.name : "";
}

const char *pp_unavailable (const pp_metric *metric)
{
	return metric ? metric->unavailable : "there is no such metric";
}

pp_metric *ppi_metric_first (void)
{
	return first;
}

/* ---- declaring ------------------------------------------------------------------------------- */

static const char *operator_of (const struct ppi_metric_spec *spec)
{
	return spec->combine ? spec->combine : "difference";
}

static bool same_fallbacks (const struct ppi_metric_spec *a, const struct ppi_metric_spec *b)
{
	return strcmp (a->fallback ? a->fallback : "", b->fallback ? b->fallback : "") == 0;
}

/* Are samples of the one also samples of the other, and kept alike? */
static bool same_data (const struct ppi_metric_spec *a, const struct ppi_metric_spec *b)
{
	/*
	 * every file has thunks of its own for the same functions: the source's text tells, not
	 * their addresses
	 */
	return a->kind == b->kind && a->accumulator == b->accumulator && a->scope == b->scope &&
	       a->corrected == b->corrected && a->jumped == b->jumped && a->size == b->size &&
	       !a->computed == !b->computed && !a->begin == !b->begin &&
	       a->has_arguments == b->has_arguments && strcmp (a->source, b->source) == 0 &&
	       strcmp (operator_of (a), operator_of (b)) == 0;
}

static bool is_same (const struct ppi_metric_spec *a, const struct ppi_metric_spec *b)
{
	return same_data (a, b) && a->every == b->every && a->window_ns == b->window_ns &&
	       same_fallbacks (a, b);
}

static struct ppi_metric_spec normalised (const struct ppi_metric_spec *spec)
{
	const struct ppi_keep_size *size = &ppi_keep_of (spec->accumulator)->size;
	struct ppi_metric_spec s = *spec;

	if (!size->option)
		s.size = 0;
	else if (!s.size)
		s.size = size->usual;
	if (!s.every)
		s.every = 1;
	if (!s.where)
		s.where = "pp_metric_new";
	return s;
}

static void collect_name (const struct ppi_source *source, void *arg)
{
	const char ***end = arg;

	*(*end)++ = source->name;
}

int ppi_metric_unknown_source (const struct ppi_metric_spec *spec, const char *name, char *why,
			       size_t room)
{
	const char *names[260], **end = names, *nearest;

	ppi_source_each (collect_name, &end);
	*end = NULL;
	nearest = ppi_nearest (name, names);
	return ppi_fail (PP_ENOENT, why, room, "unknown source \"%s\" of metric \"%s\"%s%s%s", name,
			 spec->name, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
			 nearest ? "\"?" : "");
}

static int check_spec (const struct ppi_metric_spec *s, const struct ppi_source *source, char *why,
		       size_t room)
{
	const struct ppi_keep_size *size = &ppi_keep_of (s->accumulator)->size;

	if (s->kind != PP_ABI_SITE_POINT && s->kind != PP_ABI_SITE_INTERVAL)
		snprintf (why, room, "metric \"%s\" is neither for points nor for intervals",
			  s->name);
	else if (s->combine && ppi_operator_check (s, source, why, room) < 0)
		return PP_EINVAL;
	else if (!s->combine && !(source->kinds >> (s->kind - 1) & 1))
		snprintf (why, room,
			  "the source \"%s\" of metric \"%s\" cannot be measured at %s, only at %s",
			  s->source, s->name, s->kind == PP_ABI_SITE_POINT ? "points" : "intervals",
			  s->kind == PP_ABI_SITE_POINT ? "intervals" : "points");
	else if (source->class == PPI_SOURCE_NONE && ppi_keeps (s->accumulator, PPI_KEEPS_ANY))
		snprintf (why, room,
			  "the source \"%s\" reads nothing: metric \"%s\" can only keep count",
			  s->source, s->name);
	else if (s->corrected &&
		 (source->class != PPI_SOURCE_TICKS || s->scope != PPI_SCOPE_TOTAL || s->combine))
		snprintf (why, room,
			  "metric \"%s\" can't be corrected: only what \"elapsed\" reads, without "
			  "a scope or an operator, holds a known part of its own markers",
			  s->name);
	else if (s->jumped && (s->kind != PP_ABI_SITE_INTERVAL || !ppi_has_jumped (source) ||
			       s->scope == PPI_SCOPE_SELF || s->combine))
		snprintf (why, room,
			  "metric \"%s\" can't be jumped: of an interval whose end is jumped over "
			  "there are \"elapsed\" and \"count\", without scope self or an operator",
			  s->name);
	else if (s->scope != PPI_SCOPE_TOTAL && s->kind != PP_ABI_SITE_INTERVAL)
		snprintf (why, room,
			  "metric \"%s\" is for points: only intervals can be nested and have a "
			  "scope",
			  s->name);
	else if (s->scope == PPI_SCOPE_SELF &&
		 !ppi_has_self ((enum ppi_accumulator) s->accumulator, source))
		snprintf (why, room,
			  "metric \"%s\" keeps %s of \"%s\", of which an execution has no part of "
			  "its own: scope self is for sums of what is read at begin and end",
			  s->name, ppi_accumulator_name (s->accumulator), s->source);
	else if (s->size > size->most)
		snprintf (why, room,
			  "%s=%llu of metric \"%s\" is too large; at most %llu samples are kept",
			  size->option, (unsigned long long) s->size, s->name,
			  (unsigned long long) size->most);
	else if (s->every > PPI_EVERY_MAX)
		snprintf (why, room, "every=%u of metric \"%s\" is too large; at most %u", s->every,
			  s->name, PPI_EVERY_MAX);
	else
		return PP_OK;
	return PP_EINVAL;
}

int ppi_metric_open (pp_metric *m, const struct ppi_source *source, const char *argument, char *why,
		     size_t room)
{
	struct ppi_source_instance *in = &m->instance;
	int r;

	in->source = source;
	ppi_shares_exist = ppi_shares_exist || source->share;
	ppi_uses_exist = ppi_uses_exist || source->use;
	free (in->argument);
	in->argument = argument ? strdup (argument) : NULL;
	in->sample_type = source->sample_type;
	in->unit = source->unit;
	in->begin_bytes = source->begin_bytes;
	in->scale = source->scale;
	if (m->spec.begin || m->spec.has_arguments) {
		in->user_begin = m->spec.begin;
		in->user_end = m->spec.end;
		in->is_fast = m->spec.is_fast;
		in->sample_type = m->spec.sample_type;
		in->begin_bytes = m->spec.result_bytes;
	}
	r = source->open ? source->open (in, why, room) : PP_OK;
	if ((r == PP_OK || r == PP_EUNAVAILABLE) && m->spec.combine)
		if (ppi_combination_set (in, m->spec.combine) < 0)
			return PP_ENOMEM;
	if (r == PP_EUNAVAILABLE) {
		m->unavailable = strdup (why);
		return m->unavailable ? PP_OK : PP_ENOMEM;
	}
	return r;
}

static void metric_free (pp_metric *m)
{
	free ((char *) (uintptr_t) m->spec.name);
	free ((char *) (uintptr_t) m->spec.source);
	free ((char *) (uintptr_t) m->spec.where);
	free ((char *) (uintptr_t) m->spec.fallback);
	free (m->in_use);
	free (m->instead);
	free ((char *) (uintptr_t) m->spec.combine);
	free (m->instance.argument);
	free (m->instance.combination);
	free (m->unavailable);
	free (m);
}

static pp_metric *metric_alloc (const struct ppi_metric_spec *spec)
{
	pp_metric *m = calloc (1, sizeof (*m));

	if (!m)
		return NULL;
	m->spec = *spec;
	m->spec.name = strdup (spec->name);
	m->spec.source = strdup (spec->source);
	m->spec.where = strdup (spec->where);
	m->spec.fallback = spec->fallback ? strdup (spec->fallback) : NULL;
	m->spec.combine = spec->combine ? strdup (spec->combine) : NULL;
	if (!m->spec.name || !m->spec.source || !m->spec.where ||
	    !m->spec.fallback != !spec->fallback || !m->spec.combine != !spec->combine) {
		metric_free (m);
		return NULL;
	}
	return m;
}

/* Into the list; it stays there. */
static pp_metric *metric_enter (pp_metric *m)
{
	pp_metric **bucket = bucket_of (m->spec.name);

	m->references = 1;
	m->id = ++n_metrics;
	m->since_ns = ppi_now_ns ();
	*last = m;
	last = &m->next;
	m->next_of_bucket = *bucket;
	*bucket = m;
	return m;
}

/* What a composite metric has in the place of a source. */
static const struct ppi_source composite = {.name = "expr", .class = PPI_SOURCE_NONE, .scale = 1};

static int composite_create (const struct ppi_metric_spec *spec, pp_metric **out)
{
	pp_metric *m = metric_alloc (spec);

	if (!m)
		return PP_ENOMEM;
	m->instance.source = &composite;
	m->instance.sample_type = PP_ABI_SAMPLE_DOUBLE;
	m->instance.unit = spec->computed->unit;
	m->instance.scale = 1;
	*out = metric_enter (m);
	return PP_OK;
}

static int metric_create (const struct ppi_metric_spec *spec, pp_metric **out, char *why,
			  size_t room)
{
	const char *argument = NULL;
	const struct ppi_source *source = spec->computed ? &composite
					  : spec->begin || spec->has_arguments
						  ? &ppi_user_functions
						  : ppi_source_find (spec->source, &argument);
	pp_metric *m;
	int r;

	if (spec->computed)
		return composite_create (spec, out);
	if (!source)
		return ppi_metric_unknown_source (spec, spec->source, why, room);
	r = check_spec (spec, source, why, room);
	if (r == PP_OK)
		r = ppi_fallback_check (spec, source, why, room);
	if (r < 0)
		return r;
	m = metric_alloc (spec);
	if (!m)
		return ppi_fail (PP_ENOMEM, why, room, "no memory for metric \"%s\"", spec->name);
	r = ppi_metric_open (m, source, argument, why, room);
	if (r == PP_OK && m->unavailable)
		r = ppi_fallback_open (m, why, room);
	if (r < 0) {
		metric_free (m);
		return r;
	}
	if (m->spec.window_ns) {
		r = ppi_window_acquire (m, m->spec.window_ns, &m->window, why, room);
		if (r < 0) {
			metric_free (m);
			return r;
		}
	}
	*out = metric_enter (m);
	return PP_OK;
}

/*
 * Can M, which nobody declares any more, go on under SPEC with the data it has? What stood in for
 * its source is no such data.
 */
static bool can_go_on (const pp_metric *m, const struct ppi_metric_spec *spec)
{
	return same_data (spec, &m->spec) && !spec->computed && !m->in_use && !m->unavailable;
}

static int set_window (pp_metric *m, uint64_t ns, char *why, size_t room)
{
	struct ppi_window *former = m->window, *fresh = NULL;
	int r = ns ? ppi_window_acquire (m, ns, &fresh, why, room) : PP_OK;

	if (r < 0)
		return r;
	/* who asks for a statistic reads it without the lock; windows are never freed */
	__atomic_store_n (&m->window, fresh, __ATOMIC_RELEASE);
	m->spec.window_ns = ns;
	if (former)
		ppi_window_release (former);
	return PP_OK;
}

/*
 * What does not matter for the samples that there are becomes as SPEC says. Nothing changes where
 * it can't.
 */
static int go_on (pp_metric *m, const struct ppi_metric_spec *spec, char *why, size_t room)
{
	char *where = strdup (spec->where),
	     *fallback = spec->fallback ? strdup (spec->fallback) : NULL;
	int r = where && !fallback == !spec->fallback
			? ppi_fallback_check (spec, m->instance.source, why, room)
			: PP_ENOMEM;

	if (r == PP_OK && spec->window_ns != m->spec.window_ns)
		r = set_window (m, spec->window_ns, why, room);
	if (r < 0) {
		free (where);
		free (fallback);
		return r;
	}
	free ((char *) (uintptr_t) m->spec.where);
	free ((char *) (uintptr_t) m->spec.fallback);
	m->spec.where = where;
	m->spec.fallback = fallback;
	m->spec.optional = spec->optional;
	m->spec.every = spec->every;
	ppi_batch_begin ();
	for (struct ppi_binding *b = m->bindings; b; b = b->next_of_metric)
		if (b->site && b->users)
			ppi_binding_renew_every (b);
	ppi_batch_end ();
	if (m->chunk) {
		m->chunk->every = spec->every;
		m->chunk->window_ns = spec->window_ns;
		m->chunk->optional = spec->optional;
	}
	return PP_OK;
}

/* Nobody declares M any more, and it is to be something else. */
static int declare_anew (pp_metric *m, const struct ppi_metric_spec *spec, pp_metric **out,
			 char *why, size_t room)
{
	int r;

	if (can_go_on (m, spec)) {
		r = go_on (m, spec, why, room);
		if (r == PP_OK) {
			m->references = 1;
			*out = m;
		}
		return r;
	}
	r = metric_create (spec, out, why, room);
	if (r == PP_OK)
		m->superseded = true;
	return r;
}

int ppi_metric_declare (const struct ppi_metric_spec *given, pp_metric **out, char *why,
			size_t room)
{
	struct ppi_metric_spec spec = normalised (given);
	pp_metric *m = pp_metric_find (spec.name);

	if (!m)
		return metric_create (&spec, out, why, room);
	if (!is_same (&spec, &m->spec) && !m->references)
		return declare_anew (m, &spec, out, why, room);
	if (!is_same (&spec, &m->spec))
		return ppi_fail (PP_EEXIST, why, room,
				 "metric \"%s\" is declared differently at %s", spec.name,
				 m->spec.where);
	if (spec.begin && !m->instance.user_begin && spec.is_fast >= m->instance.is_fast) {
		/* its module was closed and is there again */
		__atomic_store_n (&m->instance.user_end, spec.end, __ATOMIC_RELEASE);
		__atomic_store_n (&m->instance.user_begin, spec.begin, __ATOMIC_RELEASE);
	}
	m->references++;
	*out = m;
	return PP_OK;
}

void ppi_metric_release (pp_metric *metric)
{
	if (metric->references)
		metric->references--;
}

void ppi_metric_restore (pp_metric *metric)
{
	for (pp_metric *m = metric->superseded ? *bucket_of (metric->spec.name) : NULL; m;
	     m = m->next_of_bucket)
		if (!m->superseded && strcmp (m->spec.name, metric->spec.name) == 0) {
			m->superseded = true;
			if (m->window)
				ppi_window_release (m->window);
			m->window = NULL;
		}
	metric->superseded = false;
}

void ppi_metric_after_fork (void)
{
	for (pp_metric *m = first; m; m = m->next)
		m->chunk = NULL;
}

static void reset_one (pp_metric *m)
{
	uint32_t epoch = __atomic_add_fetch (&m->epoch, 1, __ATOMIC_RELEASE);

	__atomic_store_n (&m->since_ns, ppi_now_ns (), __ATOMIC_RELAXED);
	for (struct ppi_window *w = m->windows; w; w = w->next)
		ppi_store (&w->since, ppi_window_now ());
	if (m->chunk)
		__atomic_store_n (&m->chunk->epoch, epoch, __ATOMIC_RELEASE);
}

int pp_reset (pp_metric *metric)
{
	ppi_lock ();
	if (metric)
		reset_one (metric);
	else
		for (pp_metric *m = first; m; m = m->next)
			reset_one (m);
	ppi_flush ();
	ppi_unlock ();
	return PP_OK;
}
