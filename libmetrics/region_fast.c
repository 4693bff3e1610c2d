/* SPDX-License-Identifier: MIT */
/*
 * region_fast.c: taking memory from the region at a marker: a compare-and-swap on `used`. General registers only, no
 * libc.
 *
 * The pool is filled in ordinary context. Where it is dry all the same (many threads at once, and no thread of the
 * library's), the slow path of a marker backs more itself, with one fallocate: what would be lost are a thread's
 * samples, and it is the price of a thread's first marker.
 */
#include "region.h"

#include "pp_arch.h"
#include "thread.h"

#include <errno.h>

/* the region of this process; NULL: none yet */
__attribute__ ((visibility ("hidden"))) struct ppi_region_header *ppi_region;

/* of the region: the file behind it (-1: none, all is backed), its largest size, the largest step */
__attribute__ ((visibility ("hidden"))) int ppi_region_file = -1;
__attribute__ ((visibility ("hidden"))) uint64_t ppi_region_max;
#define LARGEST_STEP (UINT64_C (16) << 20)
#define SMALLEST_STEP (UINT64_C (64) << 10)
#define GROW_TRIES 64

static uint64_t round_up (uint64_t n, uint64_t to)
{
	return (n + to - 1) & ~(to - 1);
}

/* Two threads that do it at once back the same range; one of them moves the limit. */
bool ppi_region_grow_fast (struct ppi_region_header *r)
{
	uint64_t limit = __atomic_load_n (&r->limit, __ATOMIC_ACQUIRE);
	uint64_t step = limit < LARGEST_STEP ? limit : LARGEST_STEP;
	long e = -1;

	if (step > ppi_region_max - limit)
		step = ppi_region_max - limit;
	if (!step || ppi_region_file < 0)
		return false;
	/* a signal interrupts it, and the kernel takes back what it had: a profiler's timer leaves time for less */
	for (int i = 0; i < GROW_TRIES && (e = pp_arch_fallocate (ppi_region_file, limit, step)) == -EINTR; i++)
		if (step > SMALLEST_STEP)
			step = round_up (step / 2, SMALLEST_STEP);
	if (e != 0)
		return false;
	/* release: who sees the limit may touch what is below it */
	__atomic_compare_exchange_n (&r->limit, &limit, limit + step, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return true;
}

/*
 * What was skipped for a thread's page is used for small chunks, shards mostly, or half of what threads take would be gaps. One gap is remembered: its
 * offset, and in the low bits its size in units of 64 bytes; 0: none. Who has exchanged it for 0 owns it, so nobody waits, and
 * in a handler that interrupts him there is none.
 */
uint64_t ppi_region_gap;
#define GAP_UNITS UINT64_C (63)

static void put_free (struct ppi_region_header *r, uint64_t at, uint64_t bytes)
{
	struct ppi_chunk *gap = (struct ppi_chunk *) ((char *) r + at);

	ppi_store (&gap->bytes, (uint32_t) bytes);
	__atomic_store_n (&gap->type, PPI_CHUNK_FREE, __ATOMIC_RELEASE);
}

static void remember_gap (uint64_t at, uint64_t bytes)
{
	uint64_t none = 0;

	if (bytes && bytes / PPI_CHUNK_ALIGN <= GAP_UNITS)
		__atomic_compare_exchange_n (&ppi_region_gap, &none, at | bytes / PPI_CHUNK_ALIGN, false,
					     __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* SIZE bytes of the gap, or NULL. */
static void *take_from_gap (struct ppi_region_header *r, uint64_t size)
{
	uint64_t gap, at, bytes;
	struct ppi_chunk *chunk;

	if (!ppi_load (&ppi_region_gap))
		return NULL;
	gap = __atomic_exchange_n (&ppi_region_gap, 0, __ATOMIC_ACQUIRE);
	at = gap & ~GAP_UNITS;
	bytes = (gap & GAP_UNITS) * PPI_CHUNK_ALIGN;
	if (size > bytes) {
		remember_gap (at, bytes);
		return NULL;
	}
	chunk = (struct ppi_chunk *) ((char *) r + at);
	/* a reader that steps from chunk to chunk meets the whole gap or both parts */
	if (bytes > size)
		put_free (r, at + size, bytes - size);
	__atomic_store_n (&chunk->bytes, (uint32_t) size, __ATOMIC_RELEASE);
	__atomic_store_n (&chunk->type, PPI_CHUNK_NONE, __ATOMIC_RELEASE);
	remember_gap (at + size, bytes - size);
	return chunk;
}

/* BYTES at a multiple of ALIGN; what is skipped for it becomes a free chunk, so that readers can step over it. */
static void *take (size_t bytes, uint64_t align)
{
	struct ppi_region_header *r = __atomic_load_n (&ppi_region, __ATOMIC_ACQUIRE);
	struct ppi_chunk *chunk;
	uint64_t used, at, size;

	if (!r || bytes > UINT32_MAX - PPI_CHUNK_ALIGN)
		return NULL;
	size = round_up (bytes, PPI_APART);
	if (align == PPI_APART && (chunk = take_from_gap (r, size)))
		return chunk;
	used = ppi_load (&r->used);
	do {
		at = round_up (used, align);
		/* relaxed: only the winner touches the bytes, and they are zero */
		while (at + size > __atomic_load_n (&r->limit, __ATOMIC_ACQUIRE))
			if (!ppi_region_grow_fast (r))
				return NULL;
	} while (!__atomic_compare_exchange_n (&r->used, &used, at + size, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	chunk = (struct ppi_chunk *) ((char *) r + at);
	ppi_store (&chunk->bytes, (uint32_t) size);
	if (at > used) {
		put_free (r, used, at - used);
		remember_gap (used, at - used);
	}
	return chunk;
}

void *ppi_region_alloc_fast (size_t bytes)
{
	return take (bytes, PPI_APART);
}

void *ppi_region_page_fast (void)
{
	return take (PPI_FRAME_BYTES, PPI_FRAME_PAGE);
}

void ppi_region_publish (struct ppi_chunk *chunk, enum ppi_chunk_type type, uint32_t id)
{
	ppi_store (&chunk->id, id);
	ppi_store (&chunk->version, PPI_RECORDING_VERSION);
	__atomic_store_n (&chunk->type, (uint16_t) type, __ATOMIC_RELEASE);
}
