/* SPDX-License-Identifier: MIT */
/* patch.c: routes by which code is changed; see patch.h. */
#include "patch.h"

#include "runtime.h"
#include "thread_life.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE ((uintptr_t) sysconf (_SC_PAGESIZE))

struct word_change {
	struct pp_arch_patch patch;
	struct ppi_patch *of;
};

/* A route changes words of one page; false: it could not, and nothing was changed. */
struct route {
	const char *name;
	bool (*write_page) (uintptr_t page, const struct word_change *changes, size_t n);
};

static void store_words (const struct word_change *changes, size_t n, intptr_t shift)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t *word = (uint64_t *) ((uintptr_t) changes[i].patch.word + (uintptr_t) shift);

		pp_arch_patch_store (&changes[i].patch, word);
	}
}

/* ---- mprotect ---------------------------------------------------------------------------------------------------- */

static bool by_mprotect (uintptr_t page, const struct word_change *changes, size_t n)
{
	if (mprotect ((void *) page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return false;
	store_words (changes, n, 0);
	mprotect ((void *) page, PAGE, PROT_READ | PROT_EXEC);
	return true;
}

/* ---- /proc/self/mem ---------------------------------------------------------------------------------------------- */

static int mem_fd = -1;

static bool by_procmem (uintptr_t page, const struct word_change *changes, size_t n)
{
	(void) page;
	if (mem_fd < 0)
		mem_fd = open ("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (mem_fd < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (pwrite (mem_fd, &changes[i].patch.wanted, 8, (off_t) (uintptr_t) changes[i].patch.word) != 8)
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

static bool by_alias (uintptr_t page, const struct word_change *changes, size_t n)
{
	struct alias *a = aliases;

	while (a && a->page != page)
		a = a->next;
	if (!a && (a = alias_make (page))) {
		a->next = aliases;
		aliases = a;
	}
	if (!a)
		return false;
	store_words (changes, n, (intptr_t) a->writable - (intptr_t) page);
	return true;
}

static bool by_none (uintptr_t page, const struct word_change *changes, size_t n)
{
	(void) page;
	(void) changes;
	(void) n;
	return false;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static const struct route routes[] = {
	{"mprotect", by_mprotect},
	{"procmem", by_procmem},
	{"alias", by_alias},
	{"none", by_none},
};

enum { N_ROUTES = sizeof (routes) / sizeof (routes[0]) };

static const struct route *chosen; /* NULL: the first that works */

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
		ppi_message ("PP_ROUTE=%s: expected mprotect, procmem, alias or none; choosing by what works", name);
}

const char *ppi_patch_route (void)
{
	choose_from_environment ();
	return chosen ? chosen->name : routes[0].name;
}

bool ppi_patch_route_set (const char *name)
{
	const struct route *r = route_named (name);

	choose_from_environment ();
	if (r)
		chosen = r;
	return r != NULL;
}

static bool write_by_route (uintptr_t page, const struct word_change *changes, size_t n)
{
	choose_from_environment ();
	if (chosen)
		return chosen->write_page (page, changes, n);
	for (unsigned i = 0; i < N_ROUTES - 1; i++)
		if (routes[i].write_page (page, changes, n)) {
			chosen = &routes[i];
			return true;
		}
	return false;
}

static bool write_page (uintptr_t page, const struct word_change *changes, size_t n)
{
	if (!write_by_route (page, changes, n))
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

static uintptr_t page_of (const struct word_change *c)
{
	return (uintptr_t) c->patch.word & ~(PAGE - 1);
}

/* Where somebody changed a word since it was looked at, it is theirs. */
static bool still_expected (const struct word_change *c)
{
	return __atomic_load_n (c->patch.word, __ATOMIC_RELAXED) == c->patch.expected;
}

/*
 * Markers that share a word, the end of one and the beginning of the next, change different bytes of it: each gets both
 * changes.
 */
static void join (struct word_change *changes, size_t n)
{
	for (size_t begin = 0, end; begin < n; begin = end) {
		uint64_t flips = 0;

		for (end = begin; end < n && changes[end].patch.word == changes[begin].patch.word; end++)
			flips |= changes[end].patch.wanted ^ changes[end].patch.expected;
		for (size_t i = begin; i < end; i++)
			changes[i].patch.wanted = changes[i].patch.expected ^ flips;
	}
}

static void give_up (const struct word_change *changes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		changes[i].of->failed = true;
}

static void write_all (struct word_change *changes, size_t n)
{
	size_t end, kept;

	qsort (changes, n, sizeof (*changes), by_address);
	join (changes, n);
	for (size_t begin = 0; begin < n; begin = end) {
		uintptr_t page = page_of (&changes[begin]);

		kept = begin;
		for (end = begin; end < n && page_of (&changes[end]) == page; end++)
			if (still_expected (&changes[end]))
				changes[kept++] = changes[end];
			else
				changes[end].of->failed = true;
		if (kept > begin && !write_page (page, &changes[begin], kept - begin))
			give_up (&changes[begin], kept - begin);
	}
}

/* One step of all markers that have not failed. Returns how many words it changed. */
static size_t step_all (struct ppi_patch *patches, size_t n, int step, struct word_change *changes)
{
	size_t used = 0;
	int r;

	for (size_t i = 0; i < n; i++) {
		struct ppi_patch *p = &patches[i];

		if (p->failed)
			continue;
		r = pp_arch_patch_prepare (p->marker->record, p->marker->target, p->to, step, &changes[used].patch);
		p->failed = r < 0;
		changes[used].of = p;
		used += r > 0;
	}
	write_all (changes, used);
	return used;
}

/* The step that changes the jump is behind those markers that it did not fail for. */
static void note_targets (struct ppi_patch *patches, size_t n, bool off)
{
	for (size_t i = 0; i < n; i++)
		if (!patches[i].failed && (patches[i].to == 0) == off)
			patches[i].marker->target = patches[i].to;
}

size_t ppi_patch_markers (struct ppi_patch *patches, size_t n)
{
	struct word_change *changes = calloc (n ? n : 1, sizeof (*changes));
	size_t bad = 0;

	for (size_t i = 0; i < n; i++)
		patches[i].failed = !changes;
	/* the first step's words are seen by all threads before the second's are written */
	if (changes && step_all (patches, n, 0, changes))
		ppi_barrier ();
	note_targets (patches, n, true);
	if (changes)
		step_all (patches, n, 1, changes);
	note_targets (patches, n, false);
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
	if (mem_fd >= 0)
		close (mem_fd);
	mem_fd = -1;
	aliases_after_fork ();
}
