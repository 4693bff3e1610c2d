/* SPDX-License-Identifier: MIT */
/* span.c: pp_span_begin and pp_span_end; see span.h. */
#include "libmetrics/calls/span.h"

#include "base/atomic.h"
#include "base/fp.h"
#include "base/ticks.h"
#include "libmetrics/calls/call.h"
#include "libmetrics/calls/span_dims.h"
#include "libmetrics/calls/span_table.h"
#include "libmetrics/marker/aggregate.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/region/wiped.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/thread.h"

#include <errno.h>

#define INDEX_BITS 23

static struct ppi_span_table tables[2] = {{.slots = 1}, {.slots = 8}};

static uint32_t child; /* how many forks lie behind this process */

static pp_span token_of (const struct ppi_span_table *t, uint32_t index, uint64_t generation)
{
	uint64_t number = child % 4095 + 1; /* never 0: no token is */

	return number << 52 | generation << (INDEX_BITS + 1) |
	       (uint64_t) (t - tables) << INDEX_BITS | index;
}

/* ---- begin and end --------------------------------------------------------------------------- */

static struct ppi_thread *enter (uintptr_t sp)
{
	struct ppi_hot *h = ppi_try_enter (sp);

	return h ? h->thread : ppi_thread_enter (sp);
}

/* A span captures nothing, so metrics of values that are bound there have no sample. */
static uint64_t skip_values (struct ppi_thread *t, const struct ppi_plan *plan)
{
	uint64_t skipped = 0;

	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (plan->ops[i].class == PPI_SOURCE_VALUE)
			skipped |= UINT64_C (1) << i;
	if (skipped)
		ppi_drop (t, PP_DROP_UNKNOWN, (uint64_t) __builtin_popcountll (skipped));
	return skipped;
}

static pp_span open_entry (struct ppi_thread *t, const struct ppi_plan *plan)
{
	PPI_KEEP_HOST;
	static const int64_t nothing[1 + PP_ABI_DIMS] = {[0 ... PP_ABI_DIMS] = PP_ABI_NOT_CAPTURED};
	struct ppi_span_table *table = &tables[plan->value_slots != 0];
	pp_site *site = plan->site;
	struct ppi_frame *f;
	uint64_t generation;
	uint32_t index;

	f = plan->value_slots < table->slots || !plan->value_slots ? ppi_span_take (table, &index)
								   : NULL;
	if (!f) {
		ppi_drop (t, PP_DROP_POOL, 1);
		return PP_SPAN_NONE;
	}
	generation = f->sp >> 2;
	ppi_store (&f->sp, generation << 2 | PPI_SPAN_OPENING);
	ppi_span_dims_begin (f, generation);
	/* release: who finds it finds the generation */
	__atomic_store_n (&f->plan, plan, __ATOMIC_RELEASE);
	f->slots = table->slots - 1;
	f->skipped = ppi_skip_some (t->hot, plan) | skip_values (t, plan);
	f->link = __atomic_load_n (&site->generation, __ATOMIC_RELAXED);
	t->in_span = 1;
	ppi_measure_begin (t, plan, f,
			   plan->is_array ? (int64_t) (uintptr_t) nothing : PP_ABI_NOT_CAPTURED);
	if (ppi_is_forked ())
		return PP_SPAN_NONE;
	t->in_span = 0;
	__atomic_fetch_add (&site->spans, 1, __ATOMIC_RELAXED);
	/* the clock last: what the functions cost is not the span's */
	ppi_store (&f->begin_ticks, ppi_ticks ());
	/* release: whoever ends it, in whatever thread, finds it filled in */
	__atomic_store_n (&f->sp, generation << 2 | PPI_SPAN_OPEN, __ATOMIC_RELEASE);
	return token_of (table, index, generation);
}

pp_span pp_span_begin (pp_site *site)
{
	uintptr_t sp = PPI_CALLER_SP ();
	const struct ppi_plan *plan = site ? __atomic_load_n (&site->plan, __ATOMIC_ACQUIRE) : NULL;
	struct ppi_thread *t;
	pp_span token = PP_SPAN_NONE;

	if (!plan || !plan->n_all || site->kind != PP_ABI_SITE_INTERVAL)
		return PP_SPAN_NONE;
	/* a child that has its parent's region still gets none: nothing of the tables is touched */
	t = enter (sp);
	if (!t)
		return PP_SPAN_NONE;
	token = open_entry (t, plan);
	ppi_thread_leave (t);
	return token;
}

static bool is_of_now (const pp_site *site, const struct ppi_frame *f)
{
	return __atomic_load_n (&site->enabled, __ATOMIC_RELAXED) &&
	       __atomic_load_n (&site->generation, __ATOMIC_RELAXED) == f->link;
}

/* F is this thread's: ENDING. Returns whether checks are to be run. */
static bool close_entry (struct ppi_thread *t, struct ppi_frame *f, uint64_t now)
{
	PPI_KEEP_HOST;
	const struct ppi_plan *plan = f->plan;
	struct ppi_late said[PPI_LATE];
	bool sampled = false;

	t->n_said = ppi_span_dims_end (f, said);
	t->said = said;
	for (uint32_t i = 0; i < t->n_said; i++)
		ppi_aggregate_late (t, f, &said[i]);
	if (is_of_now (plan->site, f))
		sampled = ppi_measure_end_of (t, plan, f, now, PPI_HOME_SPAN);
	else
		ppi_drop (t, PP_DROP_DISABLED, 1);
	t->said = NULL;
	t->n_said = 0;
	__atomic_fetch_sub (&plan->site->spans, 1, __ATOMIC_RELAXED);
	return sampled;
}

/* The entry of TOKEN; NULL: there has never been one. */
static struct ppi_frame *entry_of (pp_span token, struct ppi_span_table **table, uint32_t *index,
				   uint64_t *generation)
{
	*table = &tables[token >> INDEX_BITS & 1];
	*index = (uint32_t) (token & ((UINT64_C (1) << INDEX_BITS) - 1));
	*generation = token >> (INDEX_BITS + 1) & (PPI_SPAN_GENERATIONS - 1);
	return token >> 52 == child % 4095 + 1 ? ppi_span_entry (*table, *index) : NULL;
}

/* The entry of TOKEN, which is this thread's to end; NULL: it ended before, or never was. */
static struct ppi_frame *win (pp_span token, struct ppi_span_table **table, uint32_t *index,
			      uint64_t *generation)
{
	struct ppi_frame *f = entry_of (token, table, index, generation);
	uint64_t open = *generation << 2 | PPI_SPAN_OPEN;

	/* acquire: what the begin wrote */
	if (!f || !__atomic_compare_exchange_n (&f->sp, &open, *generation << 2 | PPI_SPAN_ENDING,
						false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return NULL;
	return f;
}

int pp_span_end (pp_span token)
{
	uint64_t now = ppi_ticks (), generation;
	const struct ppi_moment ended = ppi_moment_at (now, 0);
	uintptr_t sp = PPI_CALLER_SP ();
	struct ppi_thread *t;
	struct ppi_span_table *table;
	struct ppi_frame *f;
	uint32_t index;
	pp_site *site = NULL;

	if (token == PP_SPAN_NONE)
		return PP_OK;
	t = enter (sp);
	if (!t)
		return PP_ESTATE;
	f = win (token, &table, &index, &generation);
	if (!f) {
		ppi_drop (t, PP_DROP_SPAN, 1);
	} else {
		site = close_entry (t, f, now) ? ((const struct ppi_plan *) f->plan)->site : NULL;
		if (ppi_is_forked ())
			return PP_ESTATE;
		ppi_span_give_back (table, f, index, generation);
	}
	ppi_thread_leave (t);
	if (site)
		ppi_run_checks (t, site, sp, &ended);
	return f ? PP_OK : PP_ESTATE;
}

int pp_span_dim_add (pp_span token, struct pp_event_dim dim)
{
	PPI_KEEP_HOST;
	uintptr_t sp = PPI_CALLER_SP ();
	struct ppi_span_table *table;
	uint64_t generation;
	struct ppi_thread *t;
	struct ppi_frame *f;
	uint32_t index;
	int error;

	if (token == PP_SPAN_NONE)
		return PP_OK;
	t = enter (sp);
	if (!t)
		return PP_ESTATE;
	f = entry_of (token, &table, &index, &generation);
	/* acquire: what the begin wrote */
	error = f && __atomic_load_n (&f->sp, __ATOMIC_ACQUIRE) == (generation << 2 | PPI_SPAN_OPEN)
			? ppi_span_dim (t, f, generation, &dim)
			: PP_ESTATE;
	ppi_thread_leave (t);
	return error;
}

pp_site *pp_span_site (const char *name)
{
	return ppi_call_site (name);
}

/* ---- who looks at them ----------------------------------------------------------------------- */

static void look_at (const struct ppi_frame *f, const pp_site *site, uint64_t *oldest)
{
	uintptr_t state = __atomic_load_n (&f->sp, __ATOMIC_ACQUIRE);
	const struct ppi_plan *plan;
	uint64_t begun;

	if ((state & 3) != PPI_SPAN_OPEN)
		return;
	/* plans are for good, so this one is a plan, if maybe not of this state */
	plan = __atomic_load_n (&f->plan, __ATOMIC_ACQUIRE);
	begun = __atomic_load_n (&f->begin_ticks, __ATOMIC_ACQUIRE);
	if (plan->site != site)
		return;
	/* acquire above: a later span's begin would come with its state */
	if (__atomic_load_n (&f->sp, __ATOMIC_RELAXED) == state && begun < *oldest)
		*oldest = begun;
}

uint64_t ppi_spans_open (const pp_site *site, uint64_t *oldest)
{
	uint64_t n = __atomic_load_n (&site->spans, __ATOMIC_RELAXED);

	if (!ppi_load (ppi_alive))
		return 0;
	if (!n || !oldest)
		return n;
	for (struct ppi_span_table *t = tables; t < tables + 2; t++) {
		uint32_t used = __atomic_load_n (&t->used, __ATOMIC_ACQUIRE);

		for (uint32_t i = 0; i < used; i++)
			look_at (ppi_span_entry (t, i), site, oldest);
	}
	return n;
}

void ppi_span_after_fork (void)
{
	for (struct ppi_span_table *t = tables; t < tables + 2; t++)
		ppi_span_table_forget (t);
	ppi_span_dims_forget ();
	for (pp_site *s = ppi_site_first (); s; s = s->next)
		s->spans = 0;
	child++;
}
