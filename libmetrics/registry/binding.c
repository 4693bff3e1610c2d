/* SPDX-License-Identifier: MIT */
/* binding.c: bindings: what is measured where, and who asks for it. */
#include "libmetrics/registry/binding.h"

#include "base/atomic.h"
#include "base/chunk.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/rule.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/tap.h"
#include "libmetrics/registry/tapped.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/source.h"
#include "libmetrics/source/user_source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/tables/slots.h"
#include "libmetrics/thread/executions.h"
#include "libmetrics/thread/nested.h"
#include "recording/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What the op of a plan needs to know, all in one place. A captured value has the type of the
 * site's expression.
 */
static void fill_op (struct ppi_binding *b)
{
	pp_metric *m = b->metric;
	struct ppi_op *op = &b->op;

	op->epoch = &m->epoch;
	op->sink = PPI_SINK_ACCUMULATE;
	op->slot = b->id - 1;
	op->accumulator = m->spec.accumulator;
	op->class = m->instance.source->class;
	op->sample_type = m->instance.sample_type;
	op->counts = !ppi_keeps (op->accumulator, PPI_KEEPS_ANY) || op->class == PPI_SOURCE_NONE;
	if (op->counts) {
		op->class = PPI_SOURCE_NONE;
		op->accumulator = PPI_COUNT;
		op->sample_type = PP_ABI_SAMPLE_INT;
	}
	if (op->class == PPI_SOURCE_FUNCTION && m->instance.is_fast && !m->instance.combination &&
	    op->sample_type == PP_ABI_SAMPLE_INT)
		op->class = PPI_SOURCE_FAST;
	op->words = ppi_is_function (op) ? (uint8_t) ((m->instance.begin_bytes + 7) / 8) : 0;
	/* an interval's value is captured at its begin and kept until the end */
	if (op->class == PPI_SOURCE_VALUE && m->spec.kind == PP_ABI_SITE_INTERVAL)
		op->words = 1;
	op->scope = m->spec.scope;
	/* what takes no time itself has no clock to be read for it */
	op->stamped = m->spec.kind == PP_ABI_SITE_POINT || ppi_is_users (&m->instance);
	op->jumped = m->spec.jumped;
	op->corrected = m->spec.corrected && op->class == PPI_SOURCE_TICKS;
	if (op->scope == PPI_SCOPE_SELF)
		op->words = (uint8_t) (op->words + PPI_NESTED_WORDS);
	op->bytes = ppi_shard_bytes (m->spec.accumulator, m->spec.size);
	op->size = m->spec.size;
	op->instance = &m->instance;
	op->binding = b;
}

struct ppi_binding *ppi_binding_get (pp_metric *metric, pp_site *site)
{
	struct ppi_binding *b;

	for (b = site ? site->bindings : metric->own; b; b = site ? b->next_of_site : NULL)
		if (b->metric == metric)
			return b;
	b = ppi_calloc_for_good (sizeof (*b));
	if (!b || !ppi_slot_take (b))
		return NULL;
	b->metric = metric;
	b->site = site;
	b->every = metric->spec.every;
	fill_op (b);
	if (!ppi_windows_follow (b))
		return NULL; /* it keeps its number, for nothing */
	b->next_of_metric = metric->bindings;
	if (site)
		b->next_of_site = site->bindings;
	else
		__atomic_store_n (&metric->own, b, __ATOMIC_RELEASE);
	/* release, and last: readers of statistics follow the lists without the lock */
	__atomic_store_n (&metric->bindings, b, __ATOMIC_RELEASE);
	if (site)
		__atomic_store_n (&site->bindings, b, __ATOMIC_RELEASE);
	return b;
}

/* What readers of the region need of a binding; made when it is first bound. */
int ppi_binding_describe (struct ppi_binding *b)
{
	struct ppi_binding_chunk *c = b->chunk;

	if (ppi_metric_describe (b->metric) < 0 || (b->site && ppi_site_describe (b->site) < 0))
		return PP_ENOMEM;
	if (!c) {
		c = ppi_region_alloc (sizeof (*c));
		if (!c)
			return PP_ENOMEM;
		c->metric = b->metric->id;
		c->site = b->site ? b->site->id : 0;
		c->every = ppi_binding_every (b);
		__atomic_store_n (&b->chunk, c, __ATOMIC_RELEASE);
		ppi_region_publish (&c->chunk, PPI_CHUNK_BINDING, b->id);
	}
	ppi_binding_note (b);
	return PP_OK;
}

/* ---- what a longjmp ends --------------------------------------------------------------------- */

static struct ppi_tapped returns;
static unsigned n_jumped; /* bindings that are asked for, of metrics with `jumped` */

/* Those have samples of what was jumped over, up to where setjmp returns. */
static void use_returns (const struct ppi_binding *b)
{
	if (b->op.jumped && !n_jumped++)
		ppi_tapped_set (&returns, PPI_SINK_LEAVE, "metrics",
				PPI_TAPPED_RETURNS | PPI_TAPPED_ONLY, NULL, 0);
}

static void release_returns (const struct ppi_binding *b)
{
	if (b->op.jumped && !--n_jumped)
		ppi_tapped_clear (&returns);
}

void ppi_bindings_look (void)
{
	(void) ppi_tapped_look (&returns);
}

/* ---- users of a binding ---------------------------------------------------------------------- */

/*
 * The first site that a metric of values is bound to decides whether its samples are integers or
 * doubles.
 */
static void adopt_value_type (pp_metric *m, const pp_site *s)
{
	uint16_t index;

	if (m->instance.source->class != PPI_SOURCE_VALUE || m->bindings)
		return;
	m->instance.sample_type = ppi_value_of (m, s, &index) == PP_ABI_VALUE_DOUBLE
					  ? PP_ABI_SAMPLE_DOUBLE
					  : PP_ABI_SAMPLE_INT;
	/* readers of the region may have been told of the metric before */
	if (m->chunk && ppi_keeps (m->spec.accumulator, PPI_KEEPS_ANY))
		ppi_store (&m->chunk->sample_type, m->instance.sample_type);
}

static void set_every (struct ppi_binding *b, uint32_t every)
{
	uint32_t was = ppi_executions_begin (b);

	ppi_store (&b->every, every);
	ppi_executions_end (b, was);
}

void ppi_binding_set_every (struct ppi_binding *b, uint32_t every)
{
	set_every (b, every);
	ppi_binding_note (b);
	if (b->site)
		ppi_site_touch (b->site);
}

void ppi_binding_renew_every (struct ppi_binding *b)
{
	uint32_t every = ppi_rule_every (b);

	if (every != ppi_load (&b->every))
		ppi_binding_set_every (b, every);
}

/* Whoever asks for it gets all of it, or nobody asks any more. */
static void end_gap (struct ppi_binding *b)
{
	if (ppi_load (&b->gap_ns) == UINT64_MAX)
		ppi_store (&b->gap_ns, ppi_now_ns ());
}

/* Does a marker run code of the program's for B, which may read and write what it likes? */
static bool runs_program (const struct ppi_binding *b)
{
	const struct ppi_source_instance *in = &b->metric->instance;

	if (!ppi_is_function (&b->op))
		return false;
	if (in->combination && in->combination->combine == PPI_OPERATOR_USERS)
		return true;
	/* PAPI's software events are variables and functions of the program's */
	if (strncmp (b->metric->spec.source, "papi:sde", 8) == 0)
		return true;
	return ppi_is_users (in) && !b->metric->spec.is_const;
}

/*
 * Says once of a metric that the compiler knows nothing of its functions where they are bound now.
 */
static void tell_unseen (const struct ppi_binding *b)
{
	const struct ppi_copy *c = b->site->copies;

	while (c && c->descriptor->flags & (PP_ABI_SITE_BARRIER | PP_ABI_SITE_INLINE))
		c = c->next;
	if (c && runs_program (b))
		ppi_message_once (
			b->metric,
			"metric \"%s\" calls functions of the program at %s, whose markers are no "
			"barriers for memory: they may see variables as they were before, and what "
			"they write "
			"may not be seen there; name the metric at the site in the source, or say "
			"\"fence\" there",
			b->metric->spec.name, b->site->full);
}

int ppi_binding_acquire (pp_metric *m, pp_site *s, uint32_t every, char *why, size_t room)
{
	struct ppi_binding *b;
	unsigned n = 0, words = ppi_tap_words (s);

	adopt_value_type (m, s);
	b = ppi_binding_get (m, s);
	for (const struct ppi_binding *o = s->bindings; o; o = o->next_of_site) {
		n += o->users > 0;
		words += o->users > 0 ? o->op.words : 0;
	}
	if (!b || (!b->users && (n >= PPI_OPS_MAX || words + b->op.words > PPI_WORDS_MAX))) {
		snprintf (why, room,
			  b ? "%s has %u metrics already, and there is no room for more"
			    : "no memory to bind at %s, which has %u metrics",
			  s->full, n);
		return PP_ENOMEM;
	}
	/* who asks for it anew is not refused because it was too dear some time ago */
	if (!b->users++) {
		b->throttle.unbound = false;
		end_gap (b);
		tell_unseen (b);
	}
	set_every (b, every ? every : m->spec.every);
	if (ppi_binding_describe (b) < 0) {
		b->users--;
		snprintf (why, room, "the live region has no room to bind at %s", s->full);
		return PP_ENOMEM;
	}
	if (b->users == 1)
		use_returns (b);
	ppi_site_touch (s);
	return PP_OK;
}

bool ppi_binding_release (pp_metric *m, pp_site *s)
{
	struct ppi_binding *b;

	for (b = s->bindings; b && b->metric != m; b = b->next_of_site)
		;
	if (!b || !b->users)
		return false;
	b->users--;
	if (b->users) {
		set_every (b, ppi_rule_every (b));
	} else {
		end_gap (b);
		release_returns (b);
	}
	ppi_binding_note (b);
	ppi_site_touch (s);
	return true;
}

size_t ppi_metric_sites (const pp_metric *metric, const pp_site **out, size_t room)
{
	size_t n = 0;

	for (const struct ppi_binding *b = metric->bindings; b; b = b->next_of_metric)
		if (b->site && ppi_binding_is_on (b) && n++ < room)
			out[n - 1] = b->site;
	return n;
}

/* ---- sources that are in the program's way --------------------------------------------------- */

bool ppi_uses_exist;

static bool is_used (const pp_metric *m)
{
	const struct ppi_binding *b = m->bindings;

	while (b && b->site && !b->users)
		b = b->next_of_metric;
	return b;
}

void ppi_sources_use (bool on)
{
	/* at every change of a binding, and hardly any source wants to know it */
	for (pp_metric *m = ppi_uses_exist ? ppi_metric_first () : NULL; m; m = m->next) {
		const struct ppi_source *source = m->instance.source;

		if (!source->use || m->unavailable || m->is_used == on || is_used (m) != on)
			continue;
		m->is_used = on;
		source->use (&m->instance, on);
	}
}

/* ---- fork ------------------------------------------------------------------------------------ */

void ppi_binding_after_fork (void)
{
	ppi_executions_after_fork ();
	for (struct ppi_binding *b = ppi_binding_first (); b; b = b->next) {
		b->chunk = NULL;
		b->retired = NULL;
	}
}

void ppi_bindings_describe (void)
{
	for (struct ppi_binding *b = ppi_binding_first (); b; b = b->next)
		if (b->users)
			ppi_binding_describe (b);
}
