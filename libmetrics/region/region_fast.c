/* SPDX-License-Identifier: MIT */
/*
 * region_fast.c: taking memory from the region, or of the process's own, at a marker: a
 * compare-and-swap on `used`. General registers only, no libc.
 *
 * The pool is filled in ordinary context. Where it is dry all the same (many threads at once, and
 * no thread of the library's), the slow path of a marker backs more itself, with one or two system
 * calls: what would be lost are a thread's samples, and it is the price of a thread's first marker.
 */
#include "base/atomic.h"
#include "base/chunk.h"
#include "base/twin.h"
#include "libmetrics/region/region.h"
#include "recording/layout.h"

#include "pp_arch.h"

#include <errno.h>
#include <sys/stat.h>

#define HIDDEN __attribute__ ((visibility ("hidden")))

/* the region of this process; NULL: none yet */
HIDDEN struct ppi_region_header *ppi_region;

/*
 * of the region: the file behind it, and what it was when it was opened; what it and the process's
 * own memory may take together; what they have
 */
HIDDEN int ppi_region_file = PPI_REGION_NO_FILE;
HIDDEN dev_t ppi_region_device;
HIDDEN ino_t ppi_region_inode;
HIDDEN uint64_t ppi_region_max, ppi_region_backed;
/*
 * both grow towards each other: the region from its first byte up, the process's own memory from
 * OWN_END down
 */
HIDDEN struct ppi_pool ppi_shared_pool, ppi_own_pool;
HIDDEN uintptr_t ppi_own_end;
#define LARGEST_STEP (UINT64_C (16) << 20)
#define SMALLEST_STEP (UINT64_C (64) << 10)
#define GROW_TRIES 64

static uint64_t round_up (uint64_t n, uint64_t to)
{
	return (n + to - 1) & ~(to - 1);
}

/*
 * A program that closes all descriptors closes this one too, and the number may be a file of its
 * own by now.
 */
bool ppi_region_has_file (void)
{
	struct stat now;
	int fd = __atomic_load_n (&ppi_region_file, __ATOMIC_RELAXED);

	if (fd < 0)
		return false;
	/* the kernel fills it in, which the analyzer does not see */
	/* NOLINTNEXTLINE(clang-analyzer-core.*) */
	if (pp_arch_fstat (fd, &now) == 0 && now.st_dev == ppi_region_device &&
	    now.st_ino == ppi_region_inode)
		return true;
	__atomic_store_n (&ppi_region_file, PPI_REGION_LOST_FILE, __ATOMIC_RELAXED);
	return false;
}

uint64_t ppi_region_used (void)
{
	return __atomic_load_n (&ppi_shared_pool.used, __ATOMIC_ACQUIRE);
}

uint64_t ppi_region_limit (void)
{
	return __atomic_load_n (&ppi_shared_pool.limit, __ATOMIC_ACQUIRE);
}

uint64_t ppi_own_used (void)
{
	return __atomic_load_n (&ppi_own_pool.used, __ATOMIC_ACQUIRE);
}

/* Readers are told what is so now: who told them something older looks again. */
static void tell (uint64_t *told, const uint64_t *now)
{
	uint64_t value;

	do {
		value = __atomic_load_n (now, __ATOMIC_SEQ_CST);
		__atomic_store_n (told, value, __ATOMIC_SEQ_CST);
	} while (__atomic_load_n (now, __ATOMIC_SEQ_CST) != value);
}

/* Up to STEP bytes of those that PP_REGION_MAX leaves; 0: none. */
static uint64_t grant (uint64_t step)
{
	uint64_t had = ppi_load (&ppi_region_backed), granted;

	do {
		granted = step < ppi_region_max - had ? step : ppi_region_max - had;
		if (!granted)
			return 0;
	} while (!__atomic_compare_exchange_n (&ppi_region_backed, &had, had + granted, true,
					       __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return granted;
}

static void give_back (uint64_t bytes)
{
	__atomic_fetch_sub (&ppi_region_backed, bytes, __ATOMIC_RELAXED);
}

/* Backs *STEP bytes of the region from LIMIT on, or fewer: then it says how many. */
static bool back_shared (uint64_t limit, uint64_t *step)
{
	uintptr_t at = (uintptr_t) ppi_region + limit;
	long e = -1;

	if (__atomic_load_n (&ppi_region_file, __ATOMIC_RELAXED) == PPI_REGION_NO_FILE)
		return pp_arch_make_accessible (at, *step) == 0;
	if (!ppi_region_has_file ())
		return false;
	/*
	 * a signal interrupts it, and the kernel takes back what it had: a profiler's timer leaves
	 * time for less
	 */
	for (int i = 0;
	     i < GROW_TRIES && (e = pp_arch_fallocate (ppi_region_file, limit, *step)) == -EINTR;
	     i++)
		if (*step > SMALLEST_STEP)
			*step = round_up (*step / 2, SMALLEST_STEP);
	return e == 0;
}

/*
 * Two threads that do it at once back the same range; one of them moves the limit, the other gives
 * back what it was granted.
 */
static bool grow (struct ppi_pool *pool)
{
	uint64_t limit = __atomic_load_n (&pool->limit, __ATOMIC_ACQUIRE);
	uint64_t granted = grant (limit < LARGEST_STEP ? limit : LARGEST_STEP), step = granted;
	bool good;

	if (!granted)
		return false;
	if (pool == &ppi_own_pool)
		good = pp_arch_make_accessible (ppi_own_end - limit - step, step) == 0;
	else
		good = back_shared (limit, &step) &&
		       pp_arch_make_accessible ((uintptr_t) ppi_region + ppi_twin_distance + limit,
						step) == 0;
	/* release: who sees the limit may touch what is below it */
	if (good && !__atomic_compare_exchange_n (&pool->limit, &limit, limit + step, false,
						  __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		step = 0;
	give_back (good ? granted - step : granted);
	return good;
}

bool ppi_region_grow_fast (void)
{
	bool good = grow (&ppi_shared_pool);

	tell (&ppi_region->limit, &ppi_shared_pool.limit);
	return good;
}

bool ppi_own_grow_fast (void)
{
	return grow (&ppi_own_pool);
}

void *ppi_region_alloc_fast (size_t bytes)
{
	struct ppi_region_header *r = __atomic_load_n (&ppi_region, __ATOMIC_ACQUIRE);
	struct ppi_chunk *chunk;
	uint64_t used, size;

	if (!r || bytes > UINT32_MAX - PPI_APART)
		return NULL;
	size = round_up (bytes, PPI_APART);
	used = ppi_load (&ppi_shared_pool.used);
	do
		/* relaxed: only the winner touches the bytes, and they are zero */
		while (used + size > ppi_region_limit ())
			if (!ppi_region_grow_fast ())
				return NULL;
	while (!__atomic_compare_exchange_n (&ppi_shared_pool.used, &used, used + size, true,
					     __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	chunk = (struct ppi_chunk *) ((char *) r + used);
	ppi_store (&chunk->bytes, (uint32_t) size);
	tell (&r->used, &ppi_shared_pool.used);
	return chunk;
}

void ppi_region_publish (struct ppi_chunk *chunk, enum ppi_chunk_type type, uint32_t id)
{
	ppi_store (&chunk->id, id);
	ppi_store (&chunk->version, PPI_RECORDING_VERSION);
	__atomic_store_n (&chunk->type, (uint16_t) type, __ATOMIC_RELEASE);
}

/* ---- the process's own memory ---------------------------------------------------------------- */

static void *own_take (uint64_t bytes, uint64_t align)
{
	uint64_t used = ppi_load (&ppi_own_pool.used), to;

	if (!__atomic_load_n (&ppi_region, __ATOMIC_ACQUIRE) || bytes > UINT32_MAX)
		return NULL;
	do {
		to = round_up (used + bytes, align);
		while (to > __atomic_load_n (&ppi_own_pool.limit, __ATOMIC_ACQUIRE))
			if (!ppi_own_grow_fast ())
				return NULL;
	} while (!__atomic_compare_exchange_n (&ppi_own_pool.used, &used, to, true,
					       __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return (void *) (ppi_own_end - to);
}

void *ppi_own_alloc_fast (size_t bytes)
{
	return own_take (bytes, PPI_APART);
}

void *ppi_own_page_fast (void)
{
	return own_take (PPI_FRAME_PAGE, PPI_FRAME_PAGE);
}

bool ppi_own_has (const void *p, size_t bytes)
{
	/* from the end, as it grows */
	uintptr_t behind = ppi_own_end - (uintptr_t) p;

	return behind >= bytes && behind <= ppi_own_used ();
}
