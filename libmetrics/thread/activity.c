/* SPDX-License-Identifier: MIT */
/* activity.c: see activity.h. */
#include "libmetrics/thread/activity.h"

#include "libmetrics/region/stream.h"
#include "libmetrics/thread/thread.h"

/* The shard with the newest sample of the last look at all: most likely the next is its, too. */
static struct {
	struct ppi_thread *thread; /* NULL: none; states are never freed */
	uint32_t slot;
	uint64_t figure;
} busiest;

static uint64_t all; /* of all shards and streams, at the last look at all */

/*
 * Another one with each sample: SEQ of those that several words are written of, N of the others.
 * The time, for what is in a state that another thread has taken over.
 */
static uint64_t figure_of (const struct ppi_shard *s)
{
	return ppi_load (&s->seq) + ppi_load (&s->all.n) + ppi_load (&s->last_ticks);
}

static bool busiest_goes_on (void)
{
	const struct ppi_shard *s =
		busiest.thread ? ppi_thread_shard (busiest.thread, busiest.slot) : NULL;
	uint64_t figure = s ? figure_of (s) : busiest.figure;
	bool goes_on = figure != busiest.figure;

	busiest.figure = figure;
	return goes_on;
}

static uint64_t look_at_all (void)
{
	uint64_t sum = ppi_streams_activity (), newest = 0;

	for (struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next) {
		uint64_t slots = __atomic_load_n (&t->hot->slots, __ATOMIC_ACQUIRE);

		for (uint32_t slot = 0; slot < slots; slot++) {
			const struct ppi_shard *s = ppi_thread_shard (t, slot);
			uint64_t figure = s ? figure_of (s) : 0;

			sum += figure;
			if (!s || ppi_load (&s->last_ticks) <= newest)
				continue;
			newest = ppi_load (&s->last_ticks);
			busiest.thread = t;
			busiest.slot = slot;
			busiest.figure = figure;
		}
	}
	return sum;
}

bool ppi_samples_came (void)
{
	uint64_t sum;
	bool came;

	if (busiest_goes_on ())
		return true;
	busiest.thread = NULL;
	sum = look_at_all ();
	came = sum != all;
	all = sum;
	return came;
}

void ppi_activity_forget (void)
{
	busiest.thread = NULL;
	all = 0;
}
