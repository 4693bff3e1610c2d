/* SPDX-License-Identifier: MIT */
/* patch.c: routes by which code is changed; see patch.h. */
#include "patch.h"

#include "runtime.h"
#include "site_alloc.h"
#include "thread_life.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE ((uintptr_t) sysconf (_SC_PAGESIZE))

struct word_change {
	struct pp_arch_patch patch;
	struct ppi_patch *of;
};

/* A route changes words of BYTES bytes from FIRST, whole pages; false: it could not change all of them. */
struct route {
	const char *name;
	bool (*write) (uintptr_t first, size_t bytes, const struct word_change *changes, size_t n);
};

/* ---- mprotect ---------------------------------------------------------------------------------------------------- */

static bool by_mprotect (uintptr_t first, size_t bytes, const struct word_change *changes, size_t n)
{
	if (mprotect ((void *) first, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		pp_arch_patch_store (&changes[i].patch, changes[i].patch.word);
	mprotect ((void *) first, bytes, PROT_READ | PROT_EXEC);
	return true;
}

/* ---- /proc/self/mem ---------------------------------------------------------------------------------------------- */

static int mem_fd = -1;
static struct stat mem_stat;
static bool mem_is_known; /* since the last ppi_patch_begin */

/* A program that closes all descriptors closes this one too, and the number may be a file of its own by now. */
static bool mem_is_ours (void)
{
	struct stat now;

	return mem_fd >= 0 && fstat (mem_fd, &now) == 0 && now.st_ino == mem_stat.st_ino &&
	       now.st_dev == mem_stat.st_dev;
}

static bool mem_is_open (void)
{
	if (mem_is_known || mem_is_ours ())
		return mem_is_known = true;
	mem_fd = open ("/proc/self/mem", O_RDWR | O_CLOEXEC);
	return mem_is_known = mem_fd >= 0 && fstat (mem_fd, &mem_stat) == 0;
}

void ppi_patch_begin (void)
{
	mem_is_known = false;
}

/* Only one byte is sure to be written at once: how the kernel copies several is its business. */
static bool is_one_byte (const struct pp_arch_patch *p)
{
	return p->mask >> (__builtin_ctzll (p->mask) & ~7) == 0xff;
}

static bool mem_write (const struct pp_arch_patch *p)
{
	uint64_t is = __atomic_load_n (p->word, __ATOMIC_RELAXED), becomes = (is & ~p->mask) | p->wanted;
	unsigned at = is_one_byte (p) ? (unsigned) __builtin_ctzll (p->mask) / 8 : 0, n = is_one_byte (p) ? 1 : 8;

	return pwrite (mem_fd, (const char *) &becomes + at, n, (off_t) ((uintptr_t) p->word + at)) == (ssize_t) n;
}

static bool by_procmem (uintptr_t first, size_t bytes, const struct word_change *changes, size_t n)
{
	(void) first;
	(void) bytes;
	if (!mem_is_open ())
		return false;
	for (size_t i = 0; i < n; i++)
		if (!mem_write (&changes[i].patch))
			return false;
	return true;
}

/* ---- alias ------------------------------------------------------------------------------------------------------- */

/*
 * Pages that were moved to a memfd, and where they are writable. Kept for good: there are as many as pages with
 * markers in use.
 */
struct alias {
	uintptr_t page;
	char *writable;
	struct alias *next;
};

static struct alias *aliases;

static struct alias *alias_make (uintptr_t page)
{
	struct alias *a = malloc (sizeof (*a));
	int fd = memfd_create ("pp-text", MFD_CLOEXEC);
	void *writable = MAP_FAILED;

	if (a && fd >= 0 && ftruncate (fd, (off_t) PAGE) == 0)
		writable = mmap (NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (writable != MAP_FAILED) {
		memcpy (writable, (const void *) page, PAGE);
		/* replaces the mapping at once; a thread that runs there goes on in the copy */
		if (mmap ((void *) page, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
			munmap (writable, PAGE);
			writable = MAP_FAILED;
		}
	}
	if (fd >= 0)
		close (fd);
	if (writable == MAP_FAILED) {
		free (a);
		return NULL;
	}
	a->page = page;
	a->writable = writable;
	return a;
}

/*
 * The child's pages are still the parent's memfds: each gets a copy of its own, or keeps what it has and is never
 * changed again.
 */
static void aliases_after_fork (void)
{
	struct alias *old = aliases, *next, *fresh;

	for (aliases = NULL; old; old = next) {
		next = old->next;
		fresh = alias_make (old->page);
		munmap (old->writable, PAGE);
		free (old);
		if (fresh) {
			fresh->next = aliases;
			aliases = fresh;
		}
	}
}

static struct alias *alias_of (uintptr_t page)
{
	struct alias *a = aliases;

	while (a && a->page != page)
		a = a->next;
	if (!a && (a = alias_make (page))) {
		a->next = aliases;
		aliases = a;
	}
	return a;
}

static bool by_alias (uintptr_t first, size_t bytes, const struct word_change *changes, size_t n)
{
	struct alias *a = NULL;

	(void) first;
	(void) bytes;
	for (size_t i = 0; i < n; i++) {
		uintptr_t word = (uintptr_t) changes[i].patch.word, page = word & ~(PAGE - 1);

		if (!a || a->page != page)
			a = alias_of (page);
		if (!a)
			return false;
		pp_arch_patch_store (&changes[i].patch, (uint64_t *) (void *) (a->writable + (word - page)));
	}
	return true;
}

static bool by_none (uintptr_t first, size_t bytes, const struct word_change *changes, size_t n)
{
	(void) first;
	(void) bytes;
	(void) changes;
	(void) n;
	return false;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static const struct route routes[] = {
	{"procmem", by_procmem},
	{"mprotect", by_mprotect},
	{"alias", by_alias},
	{"none", by_none},
};

enum { N_ROUTES = sizeof (routes) / sizeof (routes[0]) };

static const struct route *chosen; /* NULL: whichever works and is the cheapest */

static const struct route *route_named (const char *name)
{
	for (unsigned i = 0; i < N_ROUTES; i++)
		if (strcmp (routes[i].name, name) == 0)
			return &routes[i];
	return NULL;
}

static void choose_from_environment (void)
{
	static bool asked;
	const char *name = secure_getenv ("PP_ROUTE");

	if (asked)
		return;
	asked = true;
	if (!name || !*name)
		return;
	chosen = route_named (name);
	if (!chosen)
		ppi_message ("PP_ROUTE=%s: expected procmem, mprotect, alias or none; choosing by what works", name);
}

const char *ppi_patch_route (void)
{
	choose_from_environment ();
	return chosen ? chosen->name : "any";
}

/*
 * As many writes through /proc/self/mem cost what making pages writable costs, which interrupts all processors that run
 * the process (VM, two processors: 1.3 us for a write, 25 us for the pair of mprotect; 2 us where nobody is near).
 */
#define FEW 12

static bool all_one_byte (const struct word_change *changes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_one_byte (&changes[i].patch))
			return false;
	return true;
}

static bool write_by_route (uintptr_t first, size_t bytes, const struct word_change *changes, size_t n)
{
	bool few = n <= FEW && all_one_byte (changes, n);

	choose_from_environment ();
	if (chosen)
		return chosen->write (first, bytes, changes, n);
	if (few && by_procmem (first, bytes, changes, n))
		return true;
	/* what was written already is written again */
	return by_mprotect (first, bytes, changes, n) || (!few && by_procmem (first, bytes, changes, n)) ||
	       by_alias (first, bytes, changes, n);
}

static bool write_run (uintptr_t first, size_t bytes, const struct word_change *changes, size_t n)
{
	if (!write_by_route (first, bytes, changes, n))
		return false;
	for (size_t i = 0; i < n; i++)
		pp_arch_patch_stored (&changes[i].patch);
	return true;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static int by_address (const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) ((const struct word_change *) a)->patch.word;
	uintptr_t y = (uintptr_t) ((const struct word_change *) b)->patch.word;

	return x < y ? -1 : x > y;
}

/* Sites are listed in the order of their markers, or in the opposite one. */
static void sort (struct word_change *changes, size_t n)
{
	bool up = true, down = true;

	for (size_t i = 1; i < n; i++) {
		int order = by_address (&changes[i - 1], &changes[i]);

		up &= order <= 0;
		down &= order >= 0;
	}
	if (up)
		return;
	if (!down) {
		qsort (changes, n, sizeof (*changes), by_address);
		return;
	}
	for (size_t i = 0; i < n / 2; i++) {
		struct word_change other = changes[i];

		changes[i] = changes[n - 1 - i];
		changes[n - 1 - i] = other;
	}
}

/* Where somebody changed the bytes since they were looked at, they are theirs. */
static bool still_expected (const struct word_change *c)
{
	return (__atomic_load_n (c->patch.word, __ATOMIC_RELAXED) & c->patch.mask) == c->patch.expected;
}

/* Drops those whose bytes are somebody else's now; how many are left. */
static size_t keep_expected (struct word_change *changes, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (still_expected (&changes[i]))
			changes[kept++] = changes[i];
		else
			changes[i].of->failed = true;
	return kept;
}

/* Pages that follow each other are one run, and made writable by one call. */
static void write_all (struct word_change *changes, size_t n)
{
	uintptr_t page_mask = ~(PAGE - 1), first, last, page;

	sort (changes, n);
	for (size_t begin = 0, end; begin < n; begin = end) {
		size_t kept;

		first = last = (uintptr_t) changes[begin].patch.word & page_mask;
		for (end = begin + 1; end < n; end++, last = page) {
			page = (uintptr_t) changes[end].patch.word & page_mask;
			if (page > last + ~page_mask + 1)
				break;
		}
		kept = keep_expected (&changes[begin], end - begin);
		if (kept && !write_run (first, last - first + ~page_mask + 1, &changes[begin], kept))
			for (size_t i = begin; i < begin + kept; i++)
				changes[i].of->failed = true;
	}
}

/* One step of all markers that have not failed. */
static void step_all (struct ppi_patch *patches, size_t n, int step, struct word_change *changes)
{
	size_t used = 0;
	int r;

	for (size_t i = 0; i < n; i++) {
		struct ppi_patch *p = &patches[i];
		uintptr_t is = p->marker->target;

		if (p->failed)
			continue;
		r = pp_arch_patch_prepare (p->marker->record, is ? is : pp_arch_stub (p->marker->record), p->to, step,
					   &changes[used].patch);
		p->failed = r < 0;
		changes[used].of = p;
		used += r > 0;
	}
	write_all (changes, used);
	/* the first step, or the only one, is the jump's */
	for (size_t i = 0; step == 0 && i < n; i++)
		if (!patches[i].failed && patches[i].to)
			patches[i].marker->target = patches[i].to;
}

size_t ppi_patch_markers (struct ppi_patch *patches, size_t n)
{
	struct word_change *changes = ppi_calloc_at_once ((n ? n : 1) * sizeof (*changes));
	size_t bad = 0;

	for (size_t i = 0; i < n; i++)
		patches[i].failed = !changes;
	/* a thread that sees the second step only goes where the marker led before, and that is code still */
	for (int step = 0; changes && step < PP_ARCH_STEPS; step++)
		step_all (patches, n, step, changes);
	free (changes);
	for (size_t i = 0; i < n; i++)
		bad += patches[i].failed;
	return bad;
}

/* ---- the barrier ------------------------------------------------------------------------------------------------- */

static int membarrier (int command)
{
	return (int) syscall (SYS_membarrier, command, 0, 0);
}

void ppi_barrier (void)
{
	static int registered; /* 1 yes, -1 the kernel has none */

	if (!registered)
		registered = membarrier (MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE) == 0 ? 1 : -1;
	if (registered > 0 && membarrier (MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE) == 0)
		return;
	/*
	 * taking a page's permission away interrupts every core that runs this process: the interrupt's return
	 * serialises
	 */
	void *page = mmap (NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED) {
		*(volatile char *) page = 1;
		mprotect (page, PAGE, PROT_NONE);
		munmap (page, PAGE);
	}
}

void ppi_patch_after_fork (void)
{
	if (mem_is_ours ())
		close (mem_fd);
	mem_fd = -1;
	mem_is_known = false;
	aliases_after_fork ();
}
