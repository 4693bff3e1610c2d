/* SPDX-License-Identifier: MIT */
/* route.c: see route.h. */
#include "libmetrics/code/route.h"

#include "base/signals.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE ((uintptr_t) sysconf (_SC_PAGESIZE))

static bool is_expected (const struct pp_arch_patch *p)
{
	return (__atomic_load_n (p->word, __ATOMIC_RELAXED) & p->mask) == p->expected;
}

/* ---- /proc/self/mem -------------------------------------------------------------------------- */

/*
 * A write makes the kernel copy the bytes into the page, one by one or more of them at a time:
 * nobody promises which. So what is written together differs from what is there in single bytes,
 * each of which alone is a valid change (pp_arch.h). A breakpoint that somebody takes away just
 * then must not be written back, for nobody would know it any more: a run ends before whatever
 * looks like one.
 */
enum { RUN_BYTES = 4096, BREAKPOINT = 0xcc, FEW = 2 };

/*
 * Open during a batch only: in a child of _Fork or clone it would be its parent's memory, whoever
 * the child is by then.
 */
static int mem_fd = -1;
static struct stat mem_stat; /* as it was when it was looked up last: one batch or many ago */

static bool is_known (int fd)
{
	struct stat now;

	return fstat (fd, &now) == 0 && now.st_ino == mem_stat.st_ino &&
	       now.st_dev == mem_stat.st_dev;
}

static int open_mem (void)
{
	return open ("/proc/self/mem", O_RDWR | O_CLOEXEC);
}

static void look_up (int fd)
{
	if (fstat (fd, &mem_stat) < 0)
		mem_stat = (struct stat){0};
}

/*
 * Another thread of the program's may close all descriptors meanwhile, and have the number for a
 * file of its own: then it is left alone. Or the kernel has numbered the file anew between two
 * batches, which it doesn't while it is open: the number is that of another descriptor of it.
 */
static bool mem_is_ours (void)
{
	int another;

	if (mem_fd < 0)
		return false;
	if (is_known (mem_fd))
		return true;
	another = open_mem ();
	if (another < 0)
		return false;
	look_up (another);
	if (is_known (mem_fd))
		close (another);
	else
		mem_fd = another;
	return true;
}

/* One that was opened just now is used at once: a look would come no closer to its use. */
static bool mem_is_open (void)
{
	if (mem_fd >= 0)
		return mem_is_ours ();
	mem_fd = open_mem ();
	if (mem_fd >= 0 && !mem_stat.st_ino)
		look_up (mem_fd);
	return mem_fd >= 0;
}

static uintptr_t first_byte (const struct pp_arch_patch *p)
{
	return (uintptr_t) p->word + (unsigned) __builtin_ctzll (p->mask) / 8;
}

static unsigned bytes_of (const struct pp_arch_patch *p)
{
	return (unsigned) (71 - __builtin_clzll (p->mask)) / 8 -
	       (unsigned) __builtin_ctzll (p->mask) / 8;
}

static void write_one (const struct pp_arch_patch *p)
{
	uint64_t bytes = p->wanted >> (__builtin_ctzll (p->mask) & ~7);

	/* little-endian, as all CPUs that have patched markers */
	if (is_expected (p) && pwrite (mem_fd, &bytes, bytes_of (p), (off_t) first_byte (p)) < 0)
		return;
}

/* BYTES are N at AT, changed: those that must not be written back are left out. */
static void write_run (const unsigned char *bytes, uintptr_t at, size_t n)
{
	const unsigned char *end = bytes + n, *from = bytes, *to;

	for (; from < end; from = to + 1) {
		to = memchr (from, BREAKPOINT, (size_t) (end - from));
		to = to ? to : end;
		if (to > from && pwrite (mem_fd, from, (size_t) (to - from),
					 (off_t) (at + (uintptr_t) (from - bytes))) < 0)
			return;
	}
}

static bool is_single (const struct pp_arch_patch *p)
{
	return bytes_of (p) == 1 && p->wanted >> (__builtin_ctzll (p->mask) & ~7) != BREAKPOINT;
}

static void by_procmem (const struct word_change *changes, size_t n)
{
	static unsigned char bytes[RUN_BYTES];
	uintptr_t first = first_byte (&changes[0].patch),
		  end = first_byte (&changes[n - 1].patch) + 1;
	bool run = PP_ARCH_WRITES_RUNS && n > FEW && end - first <= RUN_BYTES;

	if (!mem_is_open ())
		return;
	for (size_t i = 0; i < n && run; i++)
		run = is_single (&changes[i].patch);
	if (run)
		memcpy (bytes, (const void *) first, end - first);
	for (size_t i = 0; i < n; i++) {
		const struct pp_arch_patch *p = &changes[i].patch;
		unsigned char *at = &bytes[first_byte (p) - first];
		int shift = __builtin_ctzll (p->mask) & ~7;

		if (!run)
			write_one (p);
		else if (*at == p->expected >> shift)
			*at = (unsigned char) (p->wanted >> shift);
	}
	if (run)
		write_run (bytes, first, end - first);
}

void ppi_route_rest (void)
{
	if (!mem_is_ours ())
		return; /* the next batch looks again: whose it is may be known then */
	close (mem_fd);
	mem_fd = -1;
}

/* ---- alias ----------------------------------------------------------------------------------- */

/*
 * Pages that were moved to a memfd, and where they are writable: as many as pages with markers in
 * use.
 */
struct alias {
	uintptr_t page;
	char *writable; /* NULL in a child: its parent's was not handed on */
	struct alias *next;
};

static struct alias *aliases;

/*
 * Code may be mapped so that indirect branches have to end at landing pads (aarch64), which nobody
 * tells of a page.
 */
static bool may_replace_pages (void)
{
#if defined(__aarch64__) && defined(AT_HWCAP2)
	const unsigned long bti = 1UL << 17;

	return !(getauxval (AT_HWCAP2) & bti);
#else
	return true;
#endif
}

static bool alias_make (struct alias *a)
{
	int fd = may_replace_pages () ? memfd_create ("pp-text", MFD_CLOEXEC) : -1;
	void *writable = MAP_FAILED;

	if (fd >= 0 && ppi_resize (fd, PAGE) == 0)
		writable = mmap (NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (writable != MAP_FAILED) {
		memcpy (writable, (const void *) a->page, PAGE);
		/* replaces the mapping at once; a thread that runs there goes on in the copy */
		if (madvise (writable, PAGE, MADV_DONTFORK) < 0 ||
		    mmap ((void *) a->page, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd,
			  0) == MAP_FAILED) {
			munmap (writable, PAGE);
			writable = MAP_FAILED;
		}
	}
	if (fd >= 0)
		close (fd);
	a->writable = writable == MAP_FAILED ? NULL : writable;
	return a->writable;
}

static void alias_drop (struct alias **at)
{
	struct alias *a = *at;

	if (!a)
		return;
	*at = a->next;
	if (a->writable)
		munmap (a->writable, PAGE);
	free (a);
}

static struct alias **alias_find (uintptr_t page)
{
	struct alias **at = &aliases;

	while (*at && (*at)->page != page)
		at = &(*at)->next;
	return at;
}

/* PAGE's, or NULL: it can't be replaced. */
static struct alias *alias_of (uintptr_t page)
{
	struct alias **at = alias_find (page), *a = *at;

	if (!a) {
		a = calloc (1, sizeof (*a));
		if (!a)
			return NULL;
		a->page = page;
		*at = a;
	}
	if (!a->writable && !alias_make (a)) {
		alias_drop (alias_find (page));
		return NULL;
	}
	return a;
}

/*
 * Stores P where PAGE is writable. Is it to be seen in PAGE then? Not where another mapping has
 * taken its place.
 */
static bool store (const struct pp_arch_patch *p, const struct alias *a)
{
	uint64_t *word = (uint64_t *) (void *) (a->writable + ((uintptr_t) p->word - a->page));

	return pp_arch_patch_store (p, word) && !is_expected (p);
}

static void by_alias (const struct word_change *changes, size_t n)
{
	uintptr_t page = (uintptr_t) changes[0].patch.word & ~(PAGE - 1);
	struct alias *a = alias_of (page);

	for (size_t i = 0; a && i < n; i++) {
		const struct pp_arch_patch *p = &changes[i].patch;

		if (!is_expected (p) || store (p, a))
			continue;
		/* a library that came to the address of one that was unloaded */
		alias_drop (alias_find (page));
		a = alias_of (page);
		if (a)
			store (p, a);
	}
}

void ppi_route_forget (uintptr_t first, uintptr_t end)
{
	for (struct alias **at = &aliases; *at;)
		if ((*at)->page < end && (*at)->page + PAGE > first)
			alias_drop (at);
		else
			at = &(*at)->next;
}

void ppi_route_after_fork (void)
{
	ppi_route_rest ();
	/*
	 * the child's pages are still its parent's memfds, which it can't write: each gets a copy
	 * of its own, or stays as it is until it is to be changed
	 */
	for (struct alias *a = aliases; a; a = a->next)
		alias_make (a);
}

/* ---- choosing -------------------------------------------------------------------------------- */

static void by_none (const struct word_change *changes, size_t n)
{
	(void) changes;
	(void) n;
}

static const struct ppi_route routes[] = {
	{"procmem", by_procmem}, {"alias", by_alias}, {"none", by_none}};

enum { N_ROUTES = sizeof (routes) / sizeof (routes[0]) };

const struct ppi_route *ppi_route_named (const char *name)
{
	for (unsigned i = 0; i < N_ROUTES; i++)
		if (strcmp (routes[i].name, name) == 0)
			return &routes[i];
	return NULL;
}

const struct ppi_route *ppi_route_to_try (unsigned i)
{
	return i < N_ROUTES ? &routes[i] : NULL;
}
