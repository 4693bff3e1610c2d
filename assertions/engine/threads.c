/* SPDX-License-Identifier: MIT */
/*
 * threads.c: the state machines of scope: thread; see threads.h. Runs inside markers: no lock, no
 * allocation, bounded loops.
 */
#include "assertions/engine/machine.h"
#include "assertions/engine/post.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/threads.h"
#include "base/atomic.h"
#include "libmetrics/thread/thread.h"

#include <stdlib.h>
#include <string.h>

struct ppi_threads *ppi_threads_create (void)
{
	struct ppi_threads *t = aligned_alloc (64, (sizeof *t + 63) & ~(size_t) 63);

	if (t)
		memset (t, 0, sizeof *t);
	return t;
}

/* Kernel ids come one after the other: they are spread over the buckets as they are */
static uint32_t bucket_of (uint32_t tid)
{
	return tid * PPI_THREADS_BUCKET % PPI_THREADS;
}

static int find (const struct ppi_threads *threads, uint32_t tid)
{
	uint32_t from = bucket_of (tid);

	for (uint32_t i = from; i < from + PPI_THREADS_BUCKET; i++)
		if (ppi_load (&threads->tid[i]) == tid)
			return (int) i;
	return -1;
}

bool ppi_threads_is_idle (const struct ppi_threads *threads, uint32_t tid)
{
	int place = find (threads, tid);

	return place < 0 || ppi_load (&threads->idle[place]);
}

int ppi_threads_take (struct ppi_threads *threads, uint32_t tid)
{
	int place = find (threads, tid);

	for (uint32_t i = bucket_of (tid); place < 0 && i < bucket_of (tid) + PPI_THREADS_BUCKET;
	     i++) {
		if (ppi_load (&threads->tid[i]))
			continue;
		place = (int) i;
		memset (&threads->machine[i], 0, sizeof threads->machine[i]);
		ppi_store (&threads->idle[i], 0);
		ppi_store (&threads->tid[i], tid);
		threads->in_state[PP_STATE_OK]++;
		ppi_store (&threads->used, threads->used + 1);
	}
	return place;
}

void ppi_threads_free_place (struct ppi_threads *threads, uint32_t place)
{
	threads->in_state[ppi_machine_state (&threads->machine[place])]--;
	ppi_store (&threads->used, threads->used - 1);
	ppi_store (&threads->tid[place], 0);
}

enum pp_state ppi_threads_worst (const struct ppi_threads *threads)
{
	static const enum pp_state worse[] = {PP_STATE_FIRING, PP_STATE_PENDING, PP_STATE_UNKNOWN};

	for (size_t i = 0; i < sizeof worse / sizeof *worse; i++)
		if (threads->in_state[worse[i]])
			return worse[i];
	return PP_STATE_OK;
}

enum pp_state ppi_threads_stepped (struct ppi_threads *threads, int place, enum pp_state before,
				   const struct ppi_machine_spec *spec, uint64_t now_ns)
{
	const struct ppi_machine *m = &threads->machine[place];

	threads->in_state[before]--;
	threads->in_state[ppi_machine_state (m)]++;
	ppi_store (&threads->idle[place], ppi_machine_idle (m, PPI_PASS));
	if (ppi_machine_is_fresh (m, spec, now_ns))
		ppi_threads_free_place (threads, (uint32_t) place);
	return ppi_threads_worst (threads);
}
