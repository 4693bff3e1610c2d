/* SPDX-License-Identifier: MIT */
/* executions.c: how many executions samples stand for; see executions.h. */
#include "libmetrics/thread/executions.h"

#include "base/atomic.h"
#include "libmetrics/keep/fold.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/thread.h"

/* Odd while an `every` changes. */
static uint32_t changing;

uint32_t ppi_executions_begin_read (void)
{
	return __atomic_load_n (&changing, __ATOMIC_ACQUIRE);
}

bool ppi_executions_changed (uint32_t seq)
{
	/* what was read before must not be read after this */
	__atomic_thread_fence (__ATOMIC_ACQUIRE);
	return (seq & 1) || __atomic_load_n (&changing, __ATOMIC_RELAXED) != seq;
}

static void note_shard (const struct ppi_shard *shard, double per_sample)
{
	struct ppi_shard *s = (struct ppi_shard *) (uintptr_t) shard;
	uint32_t epoch = __atomic_load_n (&s->epoch, __ATOMIC_ACQUIRE);
	uint64_t n = ppi_load (&s->all.n);

	/* where its owner has restarted it meanwhile, MORE is of an epoch that is over */
	if (n)
		ppi_shard_add_more (s, epoch, (double) n * per_sample);
}

static void note (const struct ppi_binding *part, const struct ppi_shard *shard, double per_sample)
{
	if (shard && part->window)
		for (unsigned i = 0; i < PPI_CELLS; i++)
			note_shard (ppi_ring_cell ((const struct ppi_ring_shard *) shard,
						   part->window, i),
				    per_sample);
	else if (shard)
		note_shard (shard, per_sample);
}

uint32_t ppi_executions_begin (struct ppi_binding *b)
{
	__atomic_store_n (&changing, changing | 1, __ATOMIC_RELAXED);
	/* whoever sees what is stored from here on sees that, too */
	__atomic_thread_fence (__ATOMIC_RELEASE);
	return ppi_binding_every (b);
}

void ppi_executions_end (struct ppi_binding *b, uint32_t was)
{
	double per_sample = (double) was - (double) ppi_binding_every (b);

	for (const struct ppi_binding *part = b; part && per_sample != 0; part = part->windows) {
		note (part, part->retired, per_sample);
		for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE);
		     t; t = t->next)
			note (part, ppi_thread_shard (t, part->op.slot), per_sample);
	}
	__atomic_store_n (&changing, (changing | 1) + 1, __ATOMIC_RELEASE);
}

void ppi_executions_after_fork (void)
{
	__atomic_store_n (&changing, 0, __ATOMIC_RELAXED);
}
