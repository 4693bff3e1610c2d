/* SPDX-License-Identifier: MIT */
/* region.c: making, growing and naming the live region. Ordinary context, under the runtime's lock. */
#include "region.h"

#include "base.h"
#include "metric.h"
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LEAST_MAX (UINT64_C (1) << 20)
#define DEFAULT_MAX (UINT64_C (256) << 20)
#define FIRST_BACKING (UINT64_C (512) << 10)
#define HEADER_BYTES 4096u

extern struct ppi_region_header *ppi_region __attribute__ ((visibility ("hidden")));

extern int ppi_region_file __attribute__ ((visibility ("hidden")));
extern uint64_t ppi_region_max __attribute__ ((visibility ("hidden")));

static bool told_full;

/* An unnamed file in tmpfs, nameable later; else one that has no name to give; else -1: anonymous memory. */
static int open_backing (void)
{
	int fd = open ("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		fd = memfd_create ("pp-region", MFD_CLOEXEC);
	return fd;
}

/* PP_REGION_MAX: bytes, or with K, M, G. */
static uint64_t configured_max (void)
{
	const char *text = secure_getenv ("PP_REGION_MAX");
	char *end;
	unsigned long long n;

	if (!text || !*text)
		return DEFAULT_MAX;
	errno = 0;
	n = strtoull (text, &end, 10);
	for (const char *unit = "KMG"; *unit; unit++)
		if (*end == *unit) {
			n <<= 10 * (unit - "KMG" + 1);
			end++;
			break;
		}
	if (errno || *end || n < LEAST_MAX || n > UINT64_C (1) << 40) {
		ppi_message ("PP_REGION_MAX=%s: expected a size from 1M to 1024G such as 256M; using 256M", text);
		return DEFAULT_MAX;
	}
	return (uint64_t) n & ~(uint64_t) 4095;
}

static bool back (uint64_t from, uint64_t to)
{
	/* fallocate, not ftruncate: where tmpfs is full, it says so here and not by a signal later */
	int tries = 64, e = 0;

	/* again where a signal interrupted it */
	while (ppi_region_file >= 0 && (e = fallocate (ppi_region_file, 0, (off_t) from, (off_t) (to - from))) < 0)
		if (errno != EINTR || !--tries)
			break;
	return e == 0;
}

static void fill_header (struct ppi_region_header *r)
{
	struct timespec now;
	ssize_t n;

	memcpy (r->magic, PPI_RECORDING_MAGIC, sizeof (r->magic));
	r->version = PPI_RECORDING_VERSION;
	r->header_bytes = HEADER_BYTES;
	r->used = HEADER_BYTES;
	r->pid = (uint32_t) getpid ();
	r->state = PPI_RECORDING_LIVE;
	clock_gettime (CLOCK_REALTIME, &now);
	r->start_realtime_ns = (uint64_t) now.tv_sec * UINT64_C (1000000000) + (uint64_t) now.tv_nsec;
	r->start_ticks = ppi_ticks ();
	r->start_ns = ppi_real_now_ns ();
	n = readlink ("/proc/self/exe", r->program, sizeof (r->program) - 1);
	r->program[n > 0 ? n : 0] = '\0';
}

int ppi_region_init (void)
{
	struct ppi_region_header *r = MAP_FAILED;

	if (ppi_region)
		return PP_OK;
	ppi_clock_start ();
	ppi_region_max = configured_max ();
	ppi_region_file = open_backing ();
	if (ppi_region_file >= 0 && back (0, FIRST_BACKING))
		r = mmap (NULL, ppi_region_max, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, ppi_region_file, 0);
	if (r == MAP_FAILED) {
		if (ppi_region_file >= 0)
			close (ppi_region_file);
		ppi_region_file = -1;
		r = mmap (NULL, ppi_region_max, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			  0);
	}
	if (r == MAP_FAILED) {
		ppi_message ("no memory for the live region (%llu bytes of address space): nothing is measured",
			     (unsigned long long) ppi_region_max);
		return PP_ENOMEM;
	}
	fill_header (r);
	r->limit = ppi_region_file < 0 ? ppi_region_max : FIRST_BACKING;
	/* the last region's */
	ppi_store (&ppi_region_gap, 0);
	__atomic_store_n (&ppi_region, r, __ATOMIC_RELEASE);
	ppi_region_stamp ();
	return ppi_thread_init ();
}

struct ppi_region_header *ppi_region_header (void)
{
	return __atomic_load_n (&ppi_region, __ATOMIC_ACQUIRE);
}

size_t ppi_region_mapped (void)
{
	return ppi_region_max;
}

int ppi_region_fd (void)
{
	return ppi_region_file;
}

void ppi_region_stamp (void)
{
	struct ppi_region_header *r = ppi_region;

	if (!r)
		return;
	ppi_metrics_note_shares ();
	r->seconds_per_tick = ppi_seconds_per_tick ();
	r->now_ticks = ppi_ticks ();
	r->now_ns = ppi_real_now_ns ();
}

/* Markers move it too. */
static uint64_t limit_of (const struct ppi_region_header *r)
{
	return __atomic_load_n (&r->limit, __ATOMIC_ACQUIRE);
}

static bool grow (struct ppi_region_header *r)
{
	if (ppi_region_grow_fast (r))
		return true;
	if (!told_full)
		ppi_message (
			"the live region is full at %llu bytes (%s); what no longer fits is counted as dropped (pool)",
			(unsigned long long) limit_of (r),
			limit_of (r) < ppi_region_max ? "tmpfs has no more" : "PP_REGION_MAX allows no more");
	told_full = true;
	return false;
}

void ppi_region_replenish (void)
{
	struct ppi_region_header *r = ppi_region;

	while (r && limit_of (r) - __atomic_load_n (&r->used, __ATOMIC_RELAXED) < limit_of (r) / 2 &&
	       limit_of (r) < ppi_region_max)
		if (!grow (r))
			break;
}

void *ppi_region_alloc (size_t bytes)
{
	void *chunk;

	ppi_lock ();
	chunk = ppi_region_init () < 0 ? NULL : ppi_region_alloc_fast (bytes);
	ppi_region_replenish ();
	ppi_unlock ();
	if (!chunk)
		ppi_drop (NULL, PP_DROP_POOL, 1);
	return chunk;
}

/*
 * A function of the program's own that forks holds a pointer to what its begin returned, in a frame of the parent's: what is seen there stays, and what
 * is written there is the child's own. One generation is kept.
 */
static void keep_private (struct ppi_region_header *r)
{
	static void *kept;
	static size_t kept_bytes;

	if (kept)
		munmap (kept, kept_bytes);
	kept = r;
	kept_bytes = ppi_region_max;
	/* without a file it is private already */
	if (ppi_region_file >= 0 && mmap (r, ppi_region_max, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, ppi_region_file, 0) == MAP_FAILED) {
		munmap (r, ppi_region_max);
		kept = NULL;
	}
}

void ppi_region_after_fork (void)
{
	struct ppi_region_header *r = ppi_region;

	if (!r)
		return;
	/*
	 * readers inside this child that still hold the pointer would be the parent's threads, which it does not
	 * have
	 */
	__atomic_store_n (&ppi_region, NULL, __ATOMIC_RELEASE);
	ppi_store (&ppi_region_gap, 0);
	keep_private (r);
	if (ppi_region_file >= 0)
		close (ppi_region_file);
	ppi_region_file = -1;
	told_full = false;
}
