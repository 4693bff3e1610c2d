/* SPDX-License-Identifier: MIT */
/*
 * feature_table.c: a thread's table of what its marks took: see feature.h. General registers only,
 * no libc.
 */
#include "libmetrics/thread/feature.h"

#include "base/ticks.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/keyed.h"
#include "libmetrics/thread/rich.h"
#include "recording/layout.h"

#define ENTRIES_OF_CHUNK 30u

/* In memory of the process's own. */
struct ppi_feature_table {
	struct ppi_feature_open open;
	uint32_t thread; /* kernel id: whose times the first chunk has; 0: nobody's */
	uint32_t in_chunk;
	/* by what and payload, as in the entry: in the region, figures, which nothing relies on */
	struct ppi_keyed entries;
	struct ppi_features_chunk *newest;
};

/* ---- memory ---------------------------------------------------------------------------------- */

static struct ppi_features_chunk *chunk_new (uint32_t id)
{
	struct ppi_features_chunk *c =
		ppi_region_alloc_fast (sizeof *c + ENTRIES_OF_CHUNK * sizeof c->entry[0]);

	if (!c)
		return NULL;
	ppi_store (&c->room, ENTRIES_OF_CHUNK);
	ppi_region_publish (&c->chunk, PPI_CHUNK_FEATURES, id);
	return c;
}

static struct ppi_feature_table *table_new (uint32_t id)
{
	struct ppi_feature_table *table = ppi_own_alloc_fast (sizeof *table);

	if (!table)
		return NULL;
	table->open.first = table->newest = chunk_new (id);
	table->open.until_tail = table->open.until_head = PPI_FEATURE_LOOK_EVERY;
	return ppi_keyed_grow (&table->entries) && table->open.first ? table : NULL;
}

/*
 * Another thread has this state: its times begin anew, those of the one before are summed up. The
 * state of a handler that interrupted a marker has none: its thread runs on meanwhile.
 */
static void begin_thread (const struct ppi_thread *t, struct ppi_feature_table *table)
{
	struct ppi_features_chunk *c = table->open.first;
	uint64_t now = ppi_ticks ();

	table->thread = t->id;
	ppi_store (&c->before_ticks, c->before_ticks + (c->last_ticks - c->first_ticks));
	/* a reader that comes in between takes it for a thread without a time */
	ppi_store (&c->first_ticks, now);
	ppi_store (&c->last_ticks, now);
	ppi_store (&c->threads, c->threads + !t->owner);
	ppi_store (&c->chunk.id, t->id);
	for (unsigned i = 0; i < PPI_FEATURE_OPEN; i++)
		table->open.open[i] = 0;
}

struct ppi_feature_open *ppi_feature_open_of (struct ppi_thread *t)
{
	struct ppi_feature_table *table = t->features;

	if (ppi_unlikely (!table)) {
		table = table_new (t->id);
		if (!table) {
			ppi_drop (t, PP_DROP_POOL, 1);
			return NULL;
		}
		/* release: who sees it sees it made */
		__atomic_store_n (&t->features, table, __ATOMIC_RELEASE);
	}
	if (ppi_unlikely (table->thread != t->id))
		begin_thread (t, table);
	t->measuring = &table->open;
	return &table->open;
}

/* ---- entries --------------------------------------------------------------------------------- */

static struct ppi_feature_entry *entry_new (struct ppi_feature_table *table)
{
	if (table->in_chunk == ENTRIES_OF_CHUNK) {
		struct ppi_features_chunk *c = chunk_new (table->thread);

		if (!c)
			return NULL;
		table->newest = c;
		table->in_chunk = 0;
	}
	return &table->newest->entry[table->in_chunk++];
}

/* NULL: no room. */
static struct ppi_feature_entry *entry_of (struct ppi_feature_table *table, uint64_t what,
					   uint64_t payload)
{
	struct ppi_feature_entry *entry = ppi_keyed_slot (&table->entries, what, payload)->is;

	if (ppi_unlikely (!entry)) {
		if (PPI_MARK_PAYLOAD (what) && PPI_MARK_PAYLOAD (what) != PPI_FEATURE_OTHERS &&
		    table->entries.used >= PPI_FEATURE_PAYLOADS)
			return entry_of (table,
					 (what & ~PPI_MARK_HAS_PAYLOAD) |
						 PPI_MARK_WHAT (0, 0, PPI_FEATURE_OTHERS),
					 0);
		if (!ppi_keyed_grow (&table->entries) || !(entry = entry_new (table)))
			return NULL;
		ppi_store (&entry->payload, payload);
		/* release: who sees what it is sees the payload */
		__atomic_store_n (&entry->what, what, __ATOMIC_RELEASE);
		ppi_keyed_put (&table->entries, what, payload, entry);
	}
	return entry;
}

/* Blocks find ENTRY, of a site that captures nothing, from now on. */
static void get_known (struct ppi_feature_table *table, uint32_t site,
		       struct ppi_feature_entry *entry)
{
	struct ppi_feature_known *known = &table->open.known[site % PPI_FEATURE_KNOWN];

	known->entry = entry;
	known->site = site + UINT64_C (1);
}

struct ppi_feature_entry *ppi_feature_entry_of (struct ppi_thread *t, struct ppi_frame *f)
{
	const struct ppi_plan *plan = f->plan;
	const struct ppi_op *op = &plan->ops[plan->exact - 1];
	unsigned type = ppi_payload_type (plan->site);
	uint64_t payload = 0;
	struct ppi_feature_entry *entry;

	if (op->words > PPI_FEATURE_WORDS)
		payload = ppi_frame_values (f)[op->value];
	if (op->words == PPI_FEATURE_WORDS || (int64_t) payload == PP_ABI_NOT_CAPTURED)
		type = PP_ABI_VALUE_NONE;
	if (type == PP_ABI_VALUE_STRING && payload == PPI_TEXT_OTHER)
		type = PPI_FEATURE_OTHERS;
	if (type == PP_ABI_VALUE_NONE || type == PPI_FEATURE_OTHERS)
		payload = 0;
	entry = entry_of (t->features, PPI_MARK_WHAT (plan->site->id, plan->site->kind, type),
			  payload);
	if (!entry)
		ppi_drop (t, PP_DROP_POOL, 1);
	else if (op->words == PPI_FEATURE_WORDS)
		get_known (t->features, plan->site->id, entry);
	return entry;
}

const struct ppi_feature_entry *ppi_feature_own (uint32_t id)
{
	const struct ppi_thread *t = ppi_thread_self ();
	const struct ppi_feature_table *table = t ? t->features : NULL;

	return table ? ppi_keyed_slot (&table->entries,
				       PPI_MARK_WHAT (id, PP_ABI_SITE_INTERVAL, PP_ABI_VALUE_NONE),
				       0)
			       ->is
		     : NULL;
}

const struct ppi_features_chunk *ppi_feature_first (void)
{
	const struct ppi_thread *t = ppi_thread_self ();
	const struct ppi_feature_table *table = t ? t->features : NULL;

	return table ? table->open.first : NULL;
}
