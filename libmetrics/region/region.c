/* SPDX-License-Identifier: MIT */
/*
 * region.c: making, growing and naming the live region. Ordinary context, under the runtime's lock.
 */
#include "libmetrics/region/region.h"

#include "base/atomic.h"
#include "base/chunk.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/process.h"
#include "base/signals.h"
#include "base/stacks.h"
#include "base/ticks.h"
#include "base/twin.h"
#include "libmetrics/keep/pool.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/mailbox.h"
#include "libmetrics/region/stream.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/region/wiped.h"
#include "recording/layout.h"
#include "recording/mailbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LEAST_MAX (UINT64_C (1) << 20)
#define DEFAULT_MAX (UINT64_C (256) << 20)
#define FIRST_BACKING (UINT64_C (512) << 10)
#define FIRST_OWN (UINT64_C (128) << 10)
#define LARGEST_MAX (UINT64_C (1) << 40)

extern int ppi_region_file __attribute__ ((visibility ("hidden")));
extern dev_t ppi_region_device __attribute__ ((visibility ("hidden")));
extern ino_t ppi_region_inode __attribute__ ((visibility ("hidden")));
extern uint64_t ppi_region_max __attribute__ ((visibility ("hidden")));
extern uint64_t ppi_region_backed __attribute__ ((visibility ("hidden")));
extern struct ppi_pool ppi_shared_pool, ppi_own_pool __attribute__ ((visibility ("hidden")));
extern uintptr_t ppi_own_end __attribute__ ((visibility ("hidden")));

static bool told_full, told_none;

/*
 * An unnamed file in tmpfs, nameable later; else one that has no name to give; else -1: anonymous
 * memory. That, too, where the program has more rights than who runs it: he could open the file.
 */
static int open_backing (void)
{
	struct stat st;
	int fd;

	if (getauxval (AT_SECURE))
		return PPI_REGION_NO_FILE;
	fd = open ("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = memfd_create ("pp-region", MFD_CLOEXEC);
	if (fd >= 0 && fstat (fd, &st) < 0) {
		close (fd);
		fd = PPI_REGION_NO_FILE;
	} else if (fd >= 0) {
		ppi_region_device = st.st_dev;
		ppi_region_inode = st.st_ino;
	}
	return fd;
}

/*
 * TEXT: bytes, or with K, M, G behind them. Digits and a unit, no sign, no space; 0: it is nothing
 * of that kind, or too much.
 */
uint64_t ppi_region_parse_max (const char *text)
{
	static const char units[] = "KMG";
	const char *unit;
	uint64_t n = 0;

	if (*text < '0' || *text > '9')
		return 0;
	for (; *text >= '0' && *text <= '9'; text++) {
		n = n * 10 + (uint64_t) (*text - '0');
		if (n > LARGEST_MAX)
			return 0;
	}
	unit = *text ? strchr (units, *text) : NULL;
	if (unit) {
		/* 2^40 × 2^30 at most */
		if (n > LARGEST_MAX >> 10 * (unit - units + 1))
			return 0;
		n <<= 10 * (unit - units + 1);
		text++;
	}
	return *text || n < LEAST_MAX ? 0 : n & ~UINT64_C (4095);
}

static uint64_t configured_max (void)
{
	const char *text = ppi_environment (PPI_ENVIRONMENT_REGION_MAX);
	uint64_t n;

	if (!text)
		return DEFAULT_MAX;
	n = ppi_region_parse_max (text);
	if (!n)
		ppi_message ("PP_REGION_MAX=%s: expected a size from 1M to 1024G such as 256M; "
			     "using 256M",
			     text);
	return n ? n : DEFAULT_MAX;
}

/*
 * The file is as large as it may become from the start: the kernel looks at RLIMIT_FSIZE when a
 * file's size grows, and its answer is a signal. What is backed later, also at markers, lies within
 * the size. False: the limit forbids it.
 */
static bool size_backing (int fd)
{
	static bool told;

	if (ppi_resize (fd, ppi_region_max + PPI_MAILBOX_BYTES) == 0)
		return true;
	if (!told && errno == EFBIG)
		ppi_message ("RLIMIT_FSIZE allows no file of %llu bytes, which the live region may "
			     "need: it is in private memory, where ppctl does not see it, and is "
			     "lost if the process is "
			     "killed (said once; PP_REGION_MAX sets the size)",
			     (unsigned long long) ppi_region_max);
	told = true;
	return false;
}

static void fill_header (struct ppi_region_header *r)
{
	struct timespec now;
	ssize_t n;

	memcpy (r->magic, PPI_RECORDING_MAGIC, sizeof (r->magic));
	r->version = PPI_RECORDING_VERSION;
	r->header_bytes = PPI_HEADER_BYTES;
	r->used = PPI_HEADER_BYTES;
	r->pid = (uint32_t) getpid ();
	ppi_identity_of_self (&r->who);
	r->state = PPI_RECORDING_LIVE;
	clock_gettime (CLOCK_REALTIME, &now);
	r->start_realtime_ns =
		(uint64_t) now.tv_sec * UINT64_C (1000000000) + (uint64_t) now.tv_nsec;
	r->start_ticks = ppi_ticks ();
	r->start_ns = ppi_real_now_ns ();
	r->resolution_ticks = ppi_ticks_resolution ();
	n = readlink ("/proc/self/exe", r->program, sizeof (r->program) - 1);
	r->program[n > 0 ? n : 0] = '\0';
}

/* fallocate, not ftruncate: where tmpfs is full, it says so here and not by a signal later. */
static bool back_first (void)
{
	int tries = 64, e;

	/* again where a signal interrupted it */
	do
		e = fallocate (ppi_region_file, 0, 0, (off_t) FIRST_BACKING);
	while (e < 0 && errno == EINTR && --tries);
	return e == 0;
}

static bool make_accessible (char *at, uint64_t bytes)
{
	return mprotect (at, bytes, PROT_READ | PROT_WRITE) == 0;
}

/* The first part of the reservation at R is the file's; without one, it is like the rest of it. */
static bool map_file (char *r)
{
	ppi_region_file = open_backing ();
	if (ppi_region_file < 0)
		return false;
	if (size_backing (ppi_region_file) && back_first () &&
	    mmap (r, ppi_region_max, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
		  ppi_region_file, 0) != MAP_FAILED)
		return true;
	close (ppi_region_file);
	ppi_region_file = PPI_REGION_NO_FILE;
	return false;
}

/*
 * A quarter of the address space that RLIMIT_AS leaves: the rest is the host's. Without a limit
 * there is no end of it.
 */
static uint64_t fair_share (void)
{
	struct rlimit limit;
	unsigned long long pages = 0;
	char text[64];
	ssize_t n = -1;
	int fd;

	if (getrlimit (RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	fd = open ("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read (fd, text, sizeof (text) - 1);
		close (fd);
	}
	if (n > 0) {
		text[n] = '\0';
		pages = strtoull (text, NULL, 10);
	}
	pages *= (uint64_t) sysconf (_SC_PAGESIZE);
	return pages < limit.rlim_cur ? (limit.rlim_cur - pages) / 4 : 0;
}

/*
 * Address space for the region and its twin, of which nothing is accessible; less than was asked
 * for where the host has no more (RLIMIT_AS). The distance between the two never changes.
 */
static char *reserve (void)
{
	uint64_t share;
	void *r = MAP_FAILED;

	ppi_region_max = configured_max ();
	if (ppi_twin_distance && ppi_region_max > ppi_twin_distance)
		ppi_region_max = ppi_twin_distance;
	share = fair_share ();
	while ((ppi_twin_distance ? ppi_twin_distance : ppi_region_max) + ppi_region_max > share &&
	       ppi_region_max / 2 >= LEAST_MAX)
		ppi_region_max = ppi_region_max / 2 & ~UINT64_C (4095);
	for (;;) {
		uint64_t distance = ppi_twin_distance ? ppi_twin_distance : ppi_region_max;

		r = mmap (NULL, distance + ppi_region_max, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (r != MAP_FAILED) {
			ppi_twin_distance = distance;
			break;
		}
		if (ppi_region_max / 2 < LEAST_MAX)
			return NULL;
		ppi_region_max = ppi_region_max / 2 & ~UINT64_C (4095);
	}
	/* pages of 2 MiB would be mostly empty */
	madvise (r, ppi_twin_distance + ppi_region_max, MADV_NOHUGEPAGE);
	return r;
}

static void unmap (char *r)
{
	munmap (r, ppi_twin_distance + ppi_region_max);
	if (ppi_region_file >= 0)
		close (ppi_region_file);
	ppi_region_file = PPI_REGION_NO_FILE;
}

static char *map (void)
{
	char *r = reserve ();

	if (!r)
		return NULL;
	ppi_own_end = (uintptr_t) r + ppi_twin_distance + ppi_region_max;
	if ((map_file (r) || make_accessible (r, FIRST_BACKING)) &&
	    make_accessible (r + ppi_twin_distance, FIRST_BACKING) &&
	    make_accessible ((char *) ppi_own_end - FIRST_OWN, FIRST_OWN))
		return r;
	unmap (r);
	return NULL;
}

int ppi_region_init (void)
{
	static const struct ppi_chunk_pool pool = {ppi_region_alloc_fast, ppi_region_publish};
	struct ppi_region_header *r;

	if (ppi_region)
		return PP_OK;
	ppi_clock_start ();
	ppi_chunk_pool = &pool;
	r = (struct ppi_region_header *) (void *) map ();
	/*
	 * a region without what threads need is none: it would look as in a child that nobody has
	 * told
	 */
	ppi_stacks_learn ();
	if (r && ppi_wiped_init () < 0) {
		unmap ((char *) r);
		r = NULL;
	}
	if (!r) {
		if (!told_none)
			ppi_message ("no memory for the live region (%llu bytes of address space): "
				     "nothing is measured",
				     2 * (unsigned long long) configured_max ());
		told_none = true;
		return PP_ENOMEM;
	}
	told_none = false;
	fill_header (r);
	r->limit = FIRST_BACKING;
	ppi_shared_pool = (struct ppi_pool){PPI_HEADER_BYTES, FIRST_BACKING};
	ppi_own_pool = (struct ppi_pool){0, FIRST_OWN};
	ppi_region_backed = FIRST_BACKING + FIRST_OWN;
	if (ppi_region_file >= 0 && ppi_mailbox_map (ppi_region_file, ppi_region_max))
		r->mailbox = ppi_region_max;
	__atomic_store_n (&ppi_region, r, __ATOMIC_RELEASE);
	ppi_region_stamp ();
	return PP_OK;
}

uint64_t ppi_region_most (void)
{
	return ppi_region_max;
}

struct ppi_region_header *ppi_region_header (void)
{
	return __atomic_load_n (&ppi_region, __ATOMIC_ACQUIRE);
}

int ppi_region_fd (void)
{
	return ppi_region_has_file () ? ppi_region_file : -1;
}

void ppi_region_stamp (void)
{
	struct ppi_region_header *r = ppi_region;

	if (!r)
		return;
	r->seconds_per_tick = ppi_seconds_per_tick ();
	r->now_ticks = ppi_ticks ();
	r->now_ns = ppi_real_now_ns ();
}

/* what threads take until the library's thread looks again; no need to hold back half of much */
#define ROOM_ENOUGH (UINT64_C (8) << 20)

static bool is_low (const struct ppi_pool *pool)
{
	uint64_t limit = __atomic_load_n (&pool->limit, __ATOMIC_ACQUIRE);

	return limit - __atomic_load_n (&pool->used, __ATOMIC_RELAXED) <
	       (limit / 2 < ROOM_ENOUGH ? limit / 2 : ROOM_ENOUGH);
}

static void tell_full (void)
{
	uint64_t backed = __atomic_load_n (&ppi_region_backed, __ATOMIC_RELAXED);

	if (!told_full)
		ppi_message ("the live region is full at %llu bytes (%s); what no longer fits is "
			     "counted as dropped (pool)",
			     (unsigned long long) backed,
			     backed >= ppi_region_max ? "PP_REGION_MAX allows no more"
			     : ppi_region_file == PPI_REGION_LOST_FILE
				     ? "the program has closed its descriptor"
				     : "the system gives no more");
	told_full = true;
}

void ppi_region_replenish (void)
{
	bool good = true;

	while (good && ppi_region && is_low (&ppi_shared_pool))
		good = ppi_region_grow_fast ();
	if (!good)
		tell_full ();
	while (good && ppi_region && is_low (&ppi_own_pool))
		good = ppi_own_grow_fast ();
}

/* ---- chunks that are given out again --------------------------------------------------------- */

#define RETIRED_STAY 64u

/*
 * A chunk that nobody needs; in its twin, for nobody else to write. BYTES stays when it is given
 * out again, to be known when it comes back.
 */
struct unused {
	uint64_t bytes; /* 0: as many as were asked for */
	struct unused *next;
};
static struct unused *unused; /* with the lock, as RETIRED */
static struct {
	struct ppi_chunk *chunk;
	uint64_t bytes;
} retired[RETIRED_STAY];
static unsigned n_retired; /* that there ever were */

static uint64_t whole (size_t bytes)
{
	return (bytes + PPI_APART - 1) / PPI_APART * PPI_APART;
}

static struct unused *twin_of (struct ppi_chunk *chunk)
{
	return (struct unused *) (void *) ppi_twin (chunk);
}

static void put_unused (struct ppi_chunk *chunk, uint64_t bytes)
{
	struct unused *u = twin_of (chunk);

	/* readers step over it by its size, which stays */
	__atomic_store_n (&chunk->type, PPI_CHUNK_FREE, __ATOMIC_RELEASE);
	*u = (struct unused){bytes, unused};
	unused = u;
}

/*
 * One that was given back, zeroed: the smallest that is large enough, if it isn't twice as large.
 */
static struct ppi_chunk *take_unused (uint64_t bytes)
{
	struct unused **best = NULL, *u;
	struct ppi_chunk *chunk;

	for (struct unused **at = &unused; *at; at = &(*at)->next)
		if ((*at)->bytes >= bytes && (*at)->bytes <= 2 * bytes &&
		    (!best || (*at)->bytes < (*best)->bytes))
			best = at;
	if (!best)
		return NULL;
	u = *best;
	*best = u->next;
	chunk = (struct ppi_chunk *) (void *) ((char *) u - ppi_twin_distance);
	bytes = u->bytes;
	u->next = NULL;
	__atomic_store_n (&chunk->type, PPI_CHUNK_NONE, __ATOMIC_RELEASE);
	memset (chunk + 1, 0, bytes - sizeof (*chunk));
	chunk->id = chunk->reserved = 0;
	ppi_store (&chunk->bytes, (uint32_t) bytes);
	return chunk;
}

/* Nobody is waited for; a handler may have interrupted who has the lock. */
void *ppi_region_alloc_marker (size_t bytes)
{
	void *chunk = NULL;

	if (!ppi_lock_is_mine () && ppi_try_lock ()) {
		chunk = take_unused (whole (bytes));
		ppi_unlock_at_marker ();
	}
	return chunk ? chunk : ppi_region_alloc_fast (bytes);
}

void ppi_region_retire (void *chunk, size_t bytes)
{
	unsigned place;

	ppi_lock ();
	/* a parent's */
	if ((uintptr_t) chunk - (uintptr_t) ppi_region >= ppi_region_used ()) {
		ppi_unlock ();
		return;
	}
	place = n_retired++ % RETIRED_STAY;
	if (retired[place].chunk)
		put_unused (retired[place].chunk, retired[place].bytes);
	retired[place].chunk = chunk;
	bytes = whole (bytes);
	retired[place].bytes = twin_of (chunk)->bytes > bytes ? twin_of (chunk)->bytes : bytes;
	ppi_unlock ();
}

void ppi_region_give_back (void *chunk, size_t bytes)
{
	ppi_lock ();
	bytes = whole (bytes);
	put_unused (chunk, twin_of (chunk)->bytes > bytes ? twin_of (chunk)->bytes : bytes);
	ppi_unlock ();
}

void *ppi_region_try_alloc (size_t bytes)
{
	void *chunk;

	ppi_lock ();
	chunk = ppi_region_init () < 0 ? NULL : take_unused (whole (bytes));
	if (!chunk)
		chunk = ppi_region_alloc_fast (bytes);
	ppi_region_replenish ();
	ppi_unlock ();
	return chunk;
}

void *ppi_region_alloc (size_t bytes)
{
	void *chunk = ppi_region_try_alloc (bytes);

	if (!chunk)
		ppi_drop_nowhere (PP_DROP_POOL, 1);
	return chunk;
}

/* What is used of the shared region R becomes memory of this process's own, at the same address. */
static bool copy_private (struct ppi_region_header *r)
{
	size_t used = ppi_region_used ();
	void *copy = mmap (NULL, ppi_region_max, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (copy == MAP_FAILED)
		return false;
	memcpy (copy, r, used < ppi_region_limit () ? used : ppi_region_limit ());
	if (mremap (copy, ppi_region_max, ppi_region_max, MREMAP_MAYMOVE | MREMAP_FIXED, r) !=
	    MAP_FAILED)
		return true;
	munmap (copy, ppi_region_max);
	return false;
}

static bool make_private (struct ppi_region_header *r)
{
	if (ppi_region_file == PPI_REGION_NO_FILE)
		return true;
	if (!ppi_region_has_file ())
		return copy_private (r);
	return mmap (r, ppi_region_max, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, ppi_region_file, 0) != MAP_FAILED;
}

/*
 * A function of the program's own that forks holds a pointer to what its begin returned, in a frame
 * of the parent's: what is seen there stays, and what is written there is the child's own. So does
 * what it samples into. One generation is kept.
 */
static void keep_private (struct ppi_region_header *r)
{
	static void *kept;
	static size_t kept_bytes;

	if (kept)
		munmap (kept, kept_bytes);
	kept = r;
	kept_bytes = ppi_twin_distance + ppi_region_max;
	if (!make_private (r)) {
		munmap (r, kept_bytes);
		kept = NULL;
	}
}

void ppi_region_after_fork (void)
{
	struct ppi_region_header *r = ppi_region;

	if (!r)
		return;
	/*
	 * readers inside this child that still hold the pointer would be the parent's threads,
	 * which it does not have
	 */
	__atomic_store_n (&ppi_region, NULL, __ATOMIC_RELEASE);
	ppi_mailbox_after_fork ();
	keep_private (r);
	ppi_streams_forget ();
	ppi_texts_forget ();
	ppi_groups_forget ();
	if (ppi_region_has_file ())
		close (ppi_region_file);
	ppi_region_file = PPI_REGION_NO_FILE;
	told_full = told_none = false;
	unused = NULL;
	memset (retired, 0, sizeof (retired));
}
