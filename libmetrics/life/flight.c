/* SPDX-License-Identifier: MIT */
/*
 * flight.c: see flight.h. A dump is a chunk for each ring, beside the rings, so that it goes into
 * the recording and stays after a kill as everything in the region does.
 */
#include "libmetrics/life/flight.h"

#include "base/ticks.h"
#include "libmetrics/region/region.h"
#include "libmetrics/thread/flight.h"
#include "libmetrics/thread/thread.h"
#include "recording/flight.h"

#include <pp.h>
#include <stdlib.h>
#include <string.h>

struct kept {
	struct kept *next;
	struct ppi_flight_chunk *chunk;
	size_t bytes;
};

static struct {
	struct kept *dump[PPI_FLIGHT_DUMPS]; /* by number, modulo how many there may be */
	uint32_t newest;
} dumps; /* [lock] */

static void give_back (struct kept **list)
{
	while (*list) {
		struct kept *k = *list;

		*list = k->next;
		ppi_region_give_back (k->chunk, k->bytes);
		free (k);
	}
}

/* The ring of T, into a chunk of its own. */
static int dump_one (const struct ppi_thread *t, const struct ppi_flight_chunk *ring,
		     const char *why, uint64_t ticks)
{
	/* not as the ring says: others may write there */
	uint32_t n = ppi_load (&t->flight_mask) / sizeof ring->entry[0] + 1;
	size_t bytes = sizeof *ring + n * sizeof ring->entry[0];
	struct ppi_flight_chunk *copy = ppi_region_alloc (bytes);
	struct kept *k = calloc (1, sizeof *k);

	if (!copy || !k) {
		if (copy)
			ppi_region_give_back (copy, bytes);
		free (k);
		return PP_ENOMEM;
	}
	copy->entries = n;
	copy->first = ppi_load (&ring->first);
	copy->flags = ppi_load (&ring->flags);
	copy->dump = dumps.newest;
	copy->ticks = ticks;
	ppi_flight_copy_entries (copy->entry, ring->entry, n);
	memcpy (copy->why, why, strnlen (why, sizeof copy->why - 1));
	ppi_region_publish (&copy->chunk, PPI_CHUNK_FLIGHT, ppi_load (&t->id));
	*k = (struct kept){dumps.dump[dumps.newest % PPI_FLIGHT_DUMPS], copy, bytes};
	dumps.dump[dumps.newest % PPI_FLIGHT_DUMPS] = k;
	return PP_OK;
}

int ppi_flight_dump (const char *why)
{
	uint64_t ticks = ppi_ticks ();
	int n = 0, error = PP_OK;

	for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next) {
		const struct ppi_flight_chunk *ring = ppi_flight_chunk_of (t);

		if (!ring || __atomic_load_n (&t->state, __ATOMIC_ACQUIRE) != PPI_THREAD_USED)
			continue;
		/* the oldest one's place */
		if (!n++)
			give_back (&dumps.dump[++dumps.newest % PPI_FLIGHT_DUMPS]);
		if (dump_one (t, ring, why, ticks) < 0)
			error = PP_ENOMEM;
	}
	return error ? error : n ? n : PP_ENOENT;
}

void ppi_flight_forget (void)
{
	for (unsigned i = 0; i < PPI_FLIGHT_DUMPS; i++)
		while (dumps.dump[i]) {
			struct kept *k = dumps.dump[i];

			dumps.dump[i] = k->next;
			free (k);
		}
	dumps.newest = 0;
}
