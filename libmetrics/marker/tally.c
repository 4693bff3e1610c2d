/* SPDX-License-Identifier: MIT */
/*
 * tally.c: how many checks were quick ones (quick.h): a word in each thread's shard, which the
 * thread adds to and readers sum up. What was taken away is subtracted in the retired shard, so
 * that the sum over all shards with the tally's id, modulo 2^64, is always what is left, also for
 * readers of the region, and for those of what a killed process has left.
 */
#include "libmetrics/marker/tally.h"

#include "base/atomic.h"
#include "base/twin.h"
#include "base/types.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/region/wiped.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/tables/slots.h"
#include "libmetrics/thread/thread.h"
#include "libmetrics/thread/thread_life.h"

#include <stdlib.h>

/* Tallies know no reset. */
static const uint32_t same_epoch;

struct ppi_tally *ppi_tally_new (bool has_looks)
{
	struct ppi_tally *tally = calloc (1, sizeof (*tally));

	if (tally)
		tally->binding = ppi_binding_hidden (NULL);
	if (!tally || !tally->binding) {
		free (tally);
		return NULL;
	}
	tally->binding->every = 1;
	tally->binding->op = (struct ppi_op){.epoch = &same_epoch,
					     .slot = tally->binding->id - 1,
					     .every = 1,
					     .accumulator = PPI_COUNT,
					     .counts = true,
					     .class = PPI_SOURCE_NONE,
					     .sample_type = PP_ABI_SAMPLE_INT,
					     .bytes = ppi_shard_bytes (PPI_COUNT, 0),
					     .binding = tally->binding};
	tally->shut = 1;
	tally->has_looks = has_looks;
	return tally;
}

uint32_t ppi_tally_id (const struct ppi_tally *tally)
{
	return tally->binding->id;
}

static uint64_t count_of (const struct ppi_shard *s)
{
	return s ? __atomic_load_n (&s->all.n, __ATOMIC_ACQUIRE) : 0;
}

uint64_t ppi_tally_read (uint32_t id)
{
	const struct ppi_op *op = id ? ppi_op_of_slot (id - 1) : NULL;
	uint64_t sum;
	uint32_t seq;
	int tries = 100;

	if (!op || !ppi_load (ppi_alive))
		return 0;
	do {
		seq = ppi_reap_begin_read ();
		sum = count_of (__atomic_load_n (&op->binding->retired, __ATOMIC_ACQUIRE));
		for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE);
		     t; t = t->next)
			sum += count_of (ppi_thread_shard (t, op->slot));
	} while (ppi_reap_changed (seq) && tries--);
	return sum;
}

bool ppi_tally_subtract (struct ppi_tally *tally, uint64_t n)
{
	struct ppi_shard *retired = n ? ppi_binding_retired (tally->binding) : NULL;

	if (retired)
		__atomic_store_n (&retired->all.n, retired->all.n - n, __ATOMIC_RELEASE);
	return !n || retired;
}

void ppi_tally_prepare (struct ppi_tally *tally, struct ppi_thread *thread)
{
	struct ppi_thread *t;

	if (ppi_hot_shard (thread->hot, tally->binding->op.slot) || ppi_load (&tally->is_dry))
		return;
	t = ppi_thread_enter ((uintptr_t) __builtin_frame_address (0));
	if (t == thread && !ppi_shard_get (t, &tally->binding->op))
		ppi_store (&tally->is_dry, 1);
	if (t)
		ppi_thread_leave (t);
}

struct ppi_shard *ppi_tally_shard (const struct ppi_tally *tally, const struct ppi_thread *thread)
{
	return ppi_hot_shard (thread->hot, tally->binding->op.slot);
}

uint64_t ppi_thread_stamp (const struct ppi_thread *thread, const pp_site *site)
{
	uint64_t newest = 0;

	for (const struct ppi_binding *b = __atomic_load_n (&site->bindings, __ATOMIC_ACQUIRE); b;
	     b = b->next_of_site) {
		const struct ppi_shard *s = ppi_thread_shard (thread, b->op.slot);
		uint64_t stamp = s ? __atomic_load_n (&s->last_ticks, __ATOMIC_ACQUIRE) : 0;

		newest = stamp > newest ? stamp : newest;
	}
	return newest;
}

/* Has the thread lost samples at SITE by a reset that it has not replaced yet? */
static bool was_reset (const struct ppi_thread *thread, const pp_site *site)
{
	for (const struct ppi_binding *b = __atomic_load_n (&site->bindings, __ATOMIC_ACQUIRE); b;
	     b = b->next_of_site) {
		const struct ppi_shard *s = ppi_thread_shard (thread, b->op.slot);

		if (s && (!count_of (s) ||
			  __atomic_load_n (&s->epoch, __ATOMIC_RELAXED) != ppi_load (b->op.epoch)))
			return true;
	}
	return false;
}

bool ppi_tally_newest (const struct ppi_tally *tally, uint64_t before, struct ppi_thread **thread,
		       pp_site **site)
{
	bool found = false;

	for (struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next) {
		const struct ppi_shard *s = ppi_thread_shard (t, tally->binding->op.slot);
		pp_site *at = count_of (s) ? (pp_site *) (uintptr_t) ppi_load (ppi_twin (&s->last))
					   : NULL;
		uint64_t stamp = at ? ppi_thread_stamp (t, at) : 0;

		if (stamp <= before || was_reset (t, at))
			continue;
		before = stamp;
		*thread = t;
		*site = at;
		found = true;
	}
	return found;
}
