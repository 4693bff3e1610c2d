/* SPDX-License-Identifier: MIT */
/*
 * call.c: pp_begin, pp_end, pp_point, pp_feature_begin ...: sites that are calls.
 *
 * Where the plugin lowers a call to a marker none of this runs. All other calls find their site by
 * name, in a table that only grows: readers take no lock, a table that was outgrown stays. A site
 * is made at the first call of its name, which is then like a module that was loaded: rules that
 * wait for it apply. Such a site has a descriptor as guard markers have, so that bindings, plans
 * and `enabled` are the same; what differs is how its intervals pair: opened.h.
 */
#include "libmetrics/calls/call.h"

#include "base/atomic.h"
#include "base/fp.h"
#include "base/hash.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/start.h"
#include "base/ticks.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/registry/module.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/opened.h"
#include "libmetrics/thread/rich.h"
#include "libmetrics/thread/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* names that a program makes up as it runs must not fill the memory */
#define NAMES_MAX 65536u
#define NAME_BYTES_MAX 1024u

struct table {
	const struct table *outgrown; /* readers may be in it still: it is never freed */
	uint32_t size;                /* power of two */
	struct pp_abi_site *at[];
};

static struct table *table; /* atomic; filled with the lock */
static uint32_t n_names;

static const char *name_of (const struct pp_abi_site *d)
{
	return (const char *) d + d->name;
}

/* ---- looking up ------------------------------------------------------------------------------ */

/* The place of a name in T: its site's, or the empty one where it would be. */
static struct pp_abi_site **place_of (struct table *t, const char *name, size_t n, uint8_t kind)
{
	uint32_t mask = t->size - 1;

	for (uint32_t i = (uint32_t) ppi_hash (name, n, kind) & mask;; i = (i + 1) & mask) {
		struct pp_abi_site *d = __atomic_load_n (&t->at[i], __ATOMIC_ACQUIRE);

		if (!d || (d->kind == kind && strcmp (name_of (d), name) == 0))
			return &t->at[i];
	}
}

static struct pp_abi_site *look_up (const char *name, uint8_t kind)
{
	struct table *t = __atomic_load_n (&table, __ATOMIC_ACQUIRE);

	return t ? __atomic_load_n (place_of (t, name, strlen (name), kind), __ATOMIC_ACQUIRE)
		 : NULL;
}

/* ---- making sites ---------------------------------------------------------------------------- */

/* Room for one more: at most half of the table is used. */
static bool table_grow (void)
{
	uint32_t size = table ? table->size : 0;
	struct table *fresh;

	if (2 * (n_names + 1) <= size)
		return true;
	size = size ? size * 2 : 64;
	fresh = calloc (1, sizeof (*fresh) + size * sizeof (fresh->at[0]));
	if (!fresh)
		return false;
	fresh->outgrown = table;
	fresh->size = size;
	for (uint32_t i = 0; table && i < table->size; i++)
		if (table->at[i])
			*place_of (fresh, name_of (table->at[i]), strlen (name_of (table->at[i])),
				   table->at[i]->kind) = table->at[i];
	/* release: whoever sees the table sees what is in it */
	__atomic_store_n (&table, fresh, __ATOMIC_RELEASE);
	return true;
}

static struct pp_abi_site *descriptor_new (const char *name, size_t n, uint8_t kind, uint8_t value)
{
	size_t bytes = (sizeof (struct pp_abi_site) + n + 1 + PP_ABI_ALIGN - 1) / PP_ABI_ALIGN *
		       PP_ABI_ALIGN;
	struct pp_abi_site *d = aligned_alloc (PP_ABI_ALIGN, bytes);

	if (!d)
		return NULL;
	memset (d, 0, bytes);
	d->size = (uint32_t) bytes;
	d->abi = PP_ABI_VERSION;
	d->kind = kind;
	d->flags = PP_ABI_SITE_GUARD | PP_ABI_SITE_BARRIER; /* a call is one */
	/* each call of a feature says anew whether it has a payload */
	if (kind == PP_ABI_SITE_FEATURE)
		d->flags |= PP_ABI_SITE_COMPUTED;
	d->value = value;
	d->name = offsetof (struct pp_abi_site, text);
	memcpy (d->text, name, n + 1);
	return d;
}

static struct pp_abi_site *make (const char *name, size_t n, uint8_t kind, uint8_t value)
{
	struct pp_abi_site *d, **place;
	pp_site *site;

	if (n_names >= NAMES_MAX || !table_grow ())
		return NULL;
	place = place_of (table, name, n, kind);
	d = *place;
	if (d)
		return d;
	d = descriptor_new (name, n, kind, value);
	if (!d)
		return NULL;
	site = ppi_site_add_named (d);
	if (!site) {
		free (d);
		return NULL;
	}
	n_names++;
	ppi_site_appeared (site);
	/*
	 * only now: another thread's first call of the name finds bound what is to be, or waits for
	 * the lock
	 */
	__atomic_store_n (place, d, __ATOMIC_RELEASE);
	return d;
}

/*
 * The first value at a point, or payload of a feature, that had none: metrics of values can be
 * bound to it now.
 */
static void adopt_value (struct pp_abi_site *d, uint8_t value)
{
	pp_site *site = (pp_site *) (uintptr_t) d->reserved;

	if (d->value)
		return;
	site->value = value;
	__atomic_store_n (&d->value, value, __ATOMIC_RELAXED);
	ppi_site_appeared (site);
}

/* The first call of a name, or the first with a value. NULL: dropped, and counted. */
__attribute__ ((noinline, cold)) static struct pp_abi_site *introduce (const char *name,
								       uint8_t kind, uint8_t value)
{
	size_t n = strlen (name);
	struct pp_abi_site *d;
	int saved = errno;

	ppi_runtime_start ();
	if (ppi_lock_is_mine ()) { /* a handler that interrupted the library */
		ppi_drop (NULL, PP_DROP_SIGNAL, 1);
		return NULL;
	}
	ppi_lock ();
	d = n && n < NAME_BYTES_MAX ? make (name, n, kind, value) : NULL;
	if (d && value)
		adopt_value (d, value);
	ppi_unlock ();
	if (d)
		ppi_program_ready ();
	else
		ppi_drop (NULL, PP_DROP_POOL, 1);
	errno = saved;
	return d;
}

/* The site of a name if something is bound to it. */
static struct pp_abi_site *enabled_site (const char *name, uint8_t kind, uint8_t value)
{
	struct pp_abi_site *d;

	if (!name)
		return NULL;
	d = look_up (name, kind);
	if (!d || (value && !__atomic_load_n (&d->value, __ATOMIC_RELAXED)))
		d = introduce (name, kind, value);
	return d && __atomic_load_n (&d->enabled, __ATOMIC_ACQUIRE) ? d : NULL;
}

struct pp_abi_site *ppi_call_enabled (const char *name)
{
	return enabled_site (name, PP_ABI_SITE_INTERVAL, PP_ABI_VALUE_NONE);
}

pp_site *ppi_call_site (const char *name)
{
	struct pp_abi_site *d = name ? look_up (name, PP_ABI_SITE_INTERVAL) : NULL;

	if (!d && name)
		d = introduce (name, PP_ABI_SITE_INTERVAL, PP_ABI_VALUE_NONE);
	return d ? (pp_site *) (uintptr_t) d->reserved : NULL;
}

/* What is bound there; NULL: nothing any more. */
static const struct ppi_plan *plan_of (const struct pp_abi_site *d)
{
	const struct ppi_plan *plan = __atomic_load_n (&d->plan, __ATOMIC_ACQUIRE);

	return plan->n_all ? plan : NULL;
}

/* ---- intervals ------------------------------------------------------------------------------- */

static struct ppi_thread *enter (uintptr_t sp)
{
	struct ppi_hot *h = ppi_try_enter (sp);

	return h ? h->thread : ppi_thread_enter (sp);
}

/* VALUE is the payload of a feature. */
static void begin (const struct pp_abi_site *d, const struct ppi_plan *plan,
		   struct ppi_caller caller, int64_t value)
{
	PPI_KEEP_HOST;
	struct ppi_thread *t = enter (caller.sp);
	struct ppi_frame *f =
		t ? ppi_opened_take (t, PPI_OPENED_CALLS, (uintptr_t) d, caller, plan->value_slots)
		  : NULL;

	if (f) {
		ppi_store (&f->skipped, ppi_skip_some (t->hot, plan));
		ppi_measure_begin (t, plan, f, value);
		if (ppi_is_forked ())
			return;
		ppi_opened_push (t, PPI_OPENED_CALLS, f, (uintptr_t) d, caller.sp, plan, value);
		/* the clock last: what the functions cost is not the interval's */
		ppi_store (&f->begin_ticks, plan->exact ? ppi_ticks_in_order () : ppi_ticks ());
	}
	if (t)
		ppi_thread_leave (t);
}

void ppi_call_begin (const char *name, enum pp_abi_site_kind kind, struct ppi_caller caller)
{
	struct pp_abi_site *d = enabled_site (name, (uint8_t) kind, PP_ABI_VALUE_NONE);
	const struct ppi_plan *plan = d ? plan_of (d) : NULL;

	if (plan)
		begin (d, plan, caller, PP_ABI_NOT_CAPTURED);
}

/*
 * The type of a feature's payload is that of its first call which has one; another one is as good
 * as none.
 */
void ppi_call_feature (const char *name, enum pp_abi_value type, int64_t payload,
		       struct ppi_caller caller)
{
	struct pp_abi_site *d = enabled_site (name, PP_ABI_SITE_FEATURE, (uint8_t) type);
	const struct ppi_plan *plan = d ? plan_of (d) : NULL;

	if (plan)
		begin (d, plan, caller,
		       type == __atomic_load_n (&d->value, __ATOMIC_RELAXED) ? payload
									     : PP_ABI_NOT_CAPTURED);
}

void pp_begin (const char *name)
{
	ppi_call_begin (name, PP_ABI_SITE_INTERVAL, PPI_CALLER ());
}

static void end (const struct pp_abi_site *d, uintptr_t sp, uint64_t now)
{
	PPI_KEEP_HOST;
	struct ppi_thread *t = enter (sp);
	struct ppi_frame *f = t ? ppi_opened_find (t, PPI_OPENED_CALLS, (uintptr_t) d, sp) : NULL;
	const struct ppi_moment ended = ppi_moment_at (now, f ? ppi_load (&f->begin_ticks) : 0);
	const struct ppi_plan *plan = f ? f->plan : NULL;
	bool sampled = false;

	if (f) {
		sampled = ppi_measure_end_of (t, plan, f, now, PPI_HOME_CALLS);
		if (ppi_is_forked ())
			return;
		ppi_opened_close (t, PPI_OPENED_CALLS, f);
	}
	if (t)
		ppi_thread_leave (t);
	if (sampled)
		ppi_run_checks (t, plan->site, sp, &ended);
}

void ppi_call_end (const char *name, enum pp_abi_site_kind kind, uintptr_t sp, uint64_t now)
{
	struct pp_abi_site *d = enabled_site (name, (uint8_t) kind, PP_ABI_VALUE_NONE);

	if (d)
		end (d, sp, now);
}

void pp_end (const char *name)
{
	uint64_t now = ppi_ticks ();

	ppi_call_end (name, PP_ABI_SITE_INTERVAL, PPI_CALLER_SP (), now);
}

/* ---- features -------------------------------------------------------------------------------- */

uint64_t ppi_call_mark_end_ticks (void)
{
	return ppi_load (&ppi_exact_is_used) ? ppi_ticks_in_order () : ppi_ticks ();
}

void (pp_feature_begin) (const char *name, const char *payload)
{
	ppi_call_feature (name, payload ? PP_ABI_VALUE_STRING : PP_ABI_VALUE_NONE,
			  (int64_t) (uintptr_t) payload, PPI_CALLER ());
}

void pp_feature_begin_int (const char *name, int64_t payload)
{
	ppi_call_feature (name, PP_ABI_VALUE_INT, payload, PPI_CALLER ());
}

/* The text lives until the begin has it. */
void ppi_call_feature_dims (const char *name, unsigned n, const struct pp_event_dim *dims,
			    struct ppi_caller caller)
{
	struct pp_abi_site *d = enabled_site (name, PP_ABI_SITE_FEATURE, PP_ABI_VALUE_STRING);
	unsigned given = 0, put = 0;
	struct ppi_rich rich;

	if (!d)
		return;
	for (unsigned i = 0; i < n; i++)
		given += dims[i].key != NULL;
	ppi_rich_begin (&rich, given < PP_ABI_DIMS ? given : PP_ABI_DIMS);
	for (unsigned i = 0; i < n && put < PP_ABI_DIMS; i++)
		if (dims[i].key) {
			ppi_rich_add (&rich, dims[i].key, strlen (dims[i].key), dims[i].type,
				      dims[i].value);
			put++;
		}
	ppi_call_feature (name, rich.n ? PP_ABI_VALUE_STRING : PP_ABI_VALUE_NONE,
			  (int64_t) (uintptr_t) rich.at, caller);
}

void pp_feature_begin_dims (const char *name, unsigned n, const struct pp_event_dim *dims)
{
	ppi_call_feature_dims (name, n, dims, PPI_CALLER ());
}

void pp_feature_end (const char *name)
{
	uint64_t now = ppi_call_mark_end_ticks ();

	ppi_call_end (name, PP_ABI_SITE_FEATURE, PPI_CALLER_SP (), now);
}

void pp_antimark_begin (const char *name)
{
	ppi_call_begin (name, PP_ABI_SITE_ANTIMARK, PPI_CALLER ());
}

void pp_antimark_end (const char *name)
{
	uint64_t now = ppi_call_mark_end_ticks ();

	ppi_call_end (name, PP_ABI_SITE_ANTIMARK, PPI_CALLER_SP (), now);
}

/* ---- points ---------------------------------------------------------------------------------- */

static bool wants_value (const struct ppi_plan *plan)
{
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (plan->ops[i].class == PPI_SOURCE_VALUE)
			return true;
	return false;
}

/* The value as the site has it: that of its first call decides. False: there is none. */
static bool convert (const struct pp_abi_site *d, uint8_t given, int64_t *value)
{
	uint8_t type = __atomic_load_n (&d->value, __ATOMIC_RELAXED);
	double x;

	if (given == type || !type)
		return true;
	if (given != PP_ABI_VALUE_INT)
		return false;
	x = (double) *value;
	memcpy (value, &x, sizeof (x));
	return true;
}

/* Once for each point. A handler that interrupted the library says nothing: the next one does. */
__attribute__ ((noinline, cold)) static void tell_other_type (const struct pp_abi_site *d,
							      uint8_t given)
{
	bool is_double = __atomic_load_n (&d->value, __ATOMIC_RELAXED) == PP_ABI_VALUE_DOUBLE;
	int saved = errno;

	if (given != PP_ABI_VALUE_NONE && !ppi_lock_is_mine ())
		ppi_message_once (d,
				  "point \"%s\": its first call had %s, so a value of another type "
				  "(pp_point_double beside pp_point_int) is none; such executions "
				  "are counted as "
				  "dropped (unknown)",
				  name_of (d), is_double ? "a double" : "an integer");
	errno = saved;
}

static void point (const char *name, uint8_t given, int64_t value, uintptr_t sp)
{
	struct pp_abi_site *d = enabled_site (name, PP_ABI_SITE_POINT, given);
	const struct ppi_plan *plan = d ? plan_of (d) : NULL;

	if (!plan)
		return;
	if (!convert (d, given, &value) && wants_value (plan)) {
		ppi_drop (NULL, PP_DROP_UNKNOWN, 1);
		tell_other_type (d, given);
	} else {
		plan->guard_point ((uintptr_t) d, plan, sp, value);
	}
}

void pp_point (const char *name)
{
	point (name, PP_ABI_VALUE_NONE, 0, PPI_CALLER_SP ());
}

void pp_point_int (const char *name, int64_t value)
{
	point (name, PP_ABI_VALUE_INT, value, PPI_CALLER_SP ());
}

void pp_point_double (const char *name, double value)
{
	int64_t bits;

	memcpy (&bits, &value, sizeof (bits));
	point (name, PP_ABI_VALUE_DOUBLE, bits, PPI_CALLER_SP ());
}
