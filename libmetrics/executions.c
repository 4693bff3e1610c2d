/* SPDX-License-Identifier: MIT */
/* executions.c: how many executions samples stand for; see executions.h. */
#include "executions.h"

#include "window.h"

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

static double more_of (const struct ppi_shard *s, uint32_t epoch)
{
	double more = 0;

	if (ppi_load (&s->more_epoch) == epoch)
		__atomic_load (&s->more, &more, __ATOMIC_RELAXED);
	return more;
}

static void more_set (struct ppi_shard *s, uint32_t epoch, double more)
{
	__atomic_store (&s->more, &more, __ATOMIC_RELAXED);
	ppi_store (&s->more_epoch, epoch);
}

static void note_shard (const struct ppi_shard *shard, double per_sample)
{
	struct ppi_shard *s = (struct ppi_shard *) (uintptr_t) shard;
	uint32_t epoch = __atomic_load_n (&s->epoch, __ATOMIC_ACQUIRE);
	uint64_t n = ppi_load (&s->all.n);

	/* where its owner has restarted it meanwhile, MORE is of an epoch that is over */
	if (n)
		more_set (s, epoch, more_of (s, epoch) + (double) n * per_sample);
}

static void note (const struct ppi_binding *part, const struct ppi_shard *shard, double per_sample)
{
	if (shard && part->window)
		for (unsigned i = 0; i < PPI_CELLS; i++)
			note_shard (ppi_ring_cell ((const struct ppi_ring_shard *) shard, part->window, i), per_sample);
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
		for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t; t = t->next)
			note (part, ppi_thread_shard (t, part->op.slot), per_sample);
	}
	__atomic_store_n (&changing, (changing | 1) + 1, __ATOMIC_RELEASE);
}

void ppi_executions_after_fork (void)
{
	__atomic_store_n (&changing, 0, __ATOMIC_RELAXED);
}

void ppi_executions_fold (struct ppi_shard *into, const struct ppi_shard *from)
{
	double more = more_of (from, ppi_load (&from->epoch));

	if (more != 0)
		more_set (into, ppi_load (&into->epoch), more_of (into, ppi_load (&into->epoch)) + more);
}
