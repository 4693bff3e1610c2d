/* SPDX-License-Identifier: MIT */
/*
 * block.c: where blocks live: memory, the cache of marker × plan, unwinding, fork, modules that go.
 *
 * An arena is a memfd that is mapped twice: readable and executable within reach of its module's
 * markers, and writable somewhere else, in this process only (children don't inherit that mapping).
 * No page is ever writable and executable at one address. Where the system refuses any step of this
 * (memfd_create, executable shared mappings) markers keep their static stubs. Only where so many
 * were bound in one go that they get none it is said.
 *
 * Who jumps to a block sees it whole: it was written before the marker, on x86-64 in the order of
 * the stores, and an address that was never executed before is in nobody's instruction cache. After
 * that only its head changes, one word of the writable mapping: a marker that is on and can't be
 * led elsewhere without losing executions, since several bytes of its jump differ, goes on to jump
 * to the block that it has, and that block's first instruction becomes a jump.
 */
#include "libmetrics/code/block.h"

#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/signals.h"
#include "libmetrics/region/history.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/module.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "recording/layout.h"

#if PP_ARCH_HAS_BLOCKS

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum {
	ARENA_FIRST =
		/*
		 * bytes of a module's first arena; each that follows is four times as large, up to
		 * ...
		 */
	64 << 10,
	ARENA_LAST = 1 << 20,
	ARENAS_BYTES = 8 << 20, /* of all */
	/*
	 * libgcc's struct object has seven words; __register_frame, which takes them from malloc,
	 * doesn't look whether it got any
	 */
	OBJECT_WORDS = 16,
};

struct arena {
	const struct ppi_module *module;
	uint8_t *code, *writable;
	size_t bytes, used;
	uint64_t *returns; /* for each line of the code */
	/*
	 * likewise: the first word of a block that leads elsewhere now, and where it leads; 0: it
	 * doesn't
	 */
	uint64_t *heads, *leads;
	uint32_t owner; /* the process that may write: ppi_process */
	struct arena *next;
	uint8_t unwind[PPI_BLOCK_UNWIND_BYTES];
	void *object[OBJECT_WORDS];
};

struct entry {
	const struct pp_abi_marker *marker; /* NULL: free */
	const struct ppi_plan *plan;
	const struct ppi_module *module;
	uintptr_t code;
};

size_t ppi_blocks_at_once = 4096;

static struct arena *arenas;
static size_t arenas_bytes;
static struct entry *entries; /* open addressing, at most half full */
static size_t n_entries, room;
static bool too_many;
static bool refused;    /* there are no arenas here */
static bool is_full;    /* as many as there may be; said once */
static int wanted = -1; /* PP_BLOCKS; -1: not asked yet */

/* ---- is it wanted ---------------------------------------------------------------------------- */

/*
 * Boehm's collector, which may stop a thread within a block, by a signal, and frees what it sees no
 * pointer to in the thread's registers and on its stack. It would not look into our thread-local
 * storage, where a block keeps registers; what has no block keeps them on the stack. A weak
 * reference: a dlsym that fails would be seen in the host's dlerror, and the linker exports to us
 * what a program has in itself.
 */
extern void GC_init (void) __attribute__ ((weak));

static bool is_wanted (void)
{
	const char *text;

	if (wanted >= 0)
		return wanted;
	wanted = 1;
	text = ppi_environment (PPI_ENVIRONMENT_BLOCKS);
	if (text && strcmp (text, "0") == 0)
		wanted = 0;
	else if (!text && GC_init)
		wanted = 0;
	else if (text && strcmp (text, "1") != 0)
		ppi_message ("PP_BLOCKS=%s: expected 0 or 1; markers get code of their own as by "
			     "default",
			     text);
	return wanted;
}

bool ppi_blocks_may_be (void)
{
	return is_wanted () && !refused;
}

void ppi_blocks_set (bool on)
{
	wanted = on;
}

/* Once: they would be slower without anybody knowing why. */
static void tell_too_many (void)
{
	struct ppi_region_header *r = ppi_region_header ();
	static bool told;
	char text[200];

	if (r)
		__atomic_store_n (&r->at_once, 1, __ATOMIC_RELAXED);
	if (told || !ppi_blocks_may_be ())
		return;
	told = true;
	snprintf (text, sizeof (text),
		  "more than %zu markers were bound in one go: they have no code of their own, and "
		  "go by routines, which take longer",
		  ppi_blocks_at_once);
	ppi_message ("note: %s (said once)", text);
	ppi_history (PPI_HISTORY_LOG, "markers", text, NULL, 0);
}

void ppi_blocks_expect (size_t markers)
{
	too_many = markers > ppi_blocks_at_once;
	if (too_many)
		tell_too_many ();
}

/* ---- unwinding ------------------------------------------------------------------------------- */

/*
 * libgcc's. Linked, though a program in C may never need it: it has to be there when backtrace ()
 * or a cancellation loads it, and here, with the lock, nothing may be asked of the loader.
 */
extern void __register_frame_info (const void *, void *);
extern void *__deregister_frame_info (const void *);

static void unwind_add (struct arena *a)
{
	size_t n = pp_arch_block_unwind ((uintptr_t) a->code, a->bytes, a->returns, a->unwind,
					 sizeof (a->unwind));

	if (n)
		__register_frame_info (a->unwind, a->object);
	else
		a->unwind[0] = 0;
}

static void unwind_remove (struct arena *a)
{
	if (a->unwind[0])
		__deregister_frame_info (a->unwind);
}

size_t ppi_blocks_unwind (struct ppi_block_unwind *out, size_t most)
{
	size_t n = 0;

	for (const struct arena *a = arenas; a && n < most; a = a->next) {
		if (!a->unwind[0])
			continue;
		out[n].code = (uintptr_t) a->code;
		out[n].bytes = a->bytes;
		memcpy (out[n++].table, a->unwind, sizeof a->unwind);
	}
	return n;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Memory with two addresses: CODE or any for the executable one. false: refused. */
static bool map_twice (struct arena *a, void *code, int flags)
{
	int fd = memfd_create ("pp-blocks", MFD_CLOEXEC);
	void *x = MAP_FAILED, *w = MAP_FAILED;

	/* what there are too few of now may be there later */
	if (fd < 0 && errno != EMFILE && errno != ENFILE && errno != ENOMEM)
		refused = true;
	if (fd >= 0 && ppi_resize (fd, a->bytes) == 0) {
		w = mmap (NULL, a->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (w != MAP_FAILED && a->code) /* what is there goes on to be there */
			memcpy (w, a->code, a->used);
		if (w != MAP_FAILED)
			x = mmap (code, a->bytes, PROT_READ | PROT_EXEC, MAP_SHARED | flags, fd, 0);
		if (x == MAP_FAILED && errno != EEXIST && errno != ENOMEM)
			refused = true;
	}
	if (fd >= 0)
		close (fd);
	/* a kernel without MAP_FIXED_NOREPLACE takes the address as a hint */
	if (x != MAP_FAILED && x != code) {
		munmap (x, a->bytes);
		x = MAP_FAILED;
	}
	if (x == MAP_FAILED) {
		if (w != MAP_FAILED)
			munmap (w, a->bytes);
		return false;
	}
	madvise (w, a->bytes, MADV_DONTFORK);
	a->code = x;
	a->writable = w;
	a->owner = ppi_process ();
	return true;
}

/*
 * A place within reach of code at NEAR: below it, where a program's heap does not grow, or far
 * above. Steps between the tries: whatever is in the way is rarely larger.
 */
static bool place_near (struct arena *a, uintptr_t near)
{
	static const int64_t steps[] = {-(16 << 20),  -(64 << 20), -(128 << 20), -(256 << 20),
					-(512 << 20), -(1 << 30),  -(3 << 19),   3 << 29,
					1 << 30,      3 << 28,     1 << 29,      1 << 28,
					1 << 27};

	for (unsigned i = 0; i < sizeof (steps) / sizeof (steps[0]) && !refused; i++) {
		uintptr_t at = (near + (uintptr_t) steps[i]) & ~(uintptr_t) 0xffff;

		if ((steps[i] < 0) == (at < near) && at >= 1 << 16 &&
		    map_twice (a, (void *) at, MAP_FIXED_NOREPLACE))
			return true;
	}
	return false;
}

static bool fits (size_t bytes)
{
	if (arenas_bytes + bytes <= ARENAS_BYTES)
		return true;
	if (!is_full)
		ppi_message ("warning: the code made for markers takes %d MiB, as much as it may: "
			     "markers that are bound from now on do without and take up to three "
			     "times as long "
			     "(said once)",
			     ARENAS_BYTES >> 20);
	is_full = true;
	return false;
}

static void destroy (struct arena *a)
{
	free (a->returns);
	free (a->heads);
	free (a->leads);
	free (a);
}

static struct arena *arena_make (const struct ppi_module *module, uintptr_t near, size_t bytes)
{
	struct arena *a = calloc (1, sizeof (*a));

	if (!a)
		return NULL;
	a->module = module;
	a->bytes = bytes;
	a->returns = calloc (bytes / PPI_BLOCK_LINE, sizeof (*a->returns));
	a->heads = calloc (bytes / PPI_BLOCK_LINE, sizeof (*a->heads));
	a->leads = calloc (bytes / PPI_BLOCK_LINE, sizeof (*a->leads));
	if (!a->returns || !a->heads || !a->leads || !fits (bytes) || !place_near (a, near)) {
		destroy (a);
		return NULL;
	}
	unwind_add (a);
	arenas_bytes += bytes;
	a->next = arenas;
	arenas = a;
	return a;
}

/*
 * One of MODULE's that has room for a block, and may be written; NULL: none, and *BYTES are those
 * of its next.
 */
static struct arena *arena_with_room (const struct ppi_module *module, size_t *bytes)
{
	uint32_t self = ppi_process ();

	*bytes = ARENA_FIRST;
	for (struct arena *a = arenas; a; a = a->next)
		if (a->module == module) {
			if (a->owner == self && a->bytes - a->used >= PPI_BLOCK_BYTES)
				return a;
			*bytes = a->bytes < ARENA_LAST ? a->bytes * 4 : ARENA_LAST;
		}
	return NULL;
}

static struct arena *arena_for (const struct ppi_module *module, uintptr_t near)
{
	size_t bytes;
	struct arena *a = arena_with_room (module, &bytes);

	return a || refused ? a : arena_make (module, near, bytes);
}

bool ppi_blocks_have_room (const struct ppi_module *module)
{
	size_t bytes;

	return ppi_blocks_may_be () && !too_many &&
	       (arena_with_room (module, &bytes) || arenas_bytes + bytes <= ARENAS_BYTES);
}

static void arena_free (struct arena *a)
{
	unwind_remove (a);
	munmap (a->code, a->bytes);
	if (a->owner == ppi_process ())
		munmap (a->writable, a->bytes);
	arenas_bytes -= a->bytes;
	destroy (a);
}

/* ---- the cache ------------------------------------------------------------------------------- */

static struct entry *entry_of (struct entry *table, size_t size, const struct pp_abi_marker *marker,
			       const struct ppi_plan *plan)
{
	uint64_t hash =
		((uintptr_t) marker >> 2) * UINT64_C (0x9e3779b97f4a7c15) ^ (uintptr_t) plan >> 4;
	size_t i = (hash ^ hash >> 32) & (size - 1);

	while (table[i].marker && (table[i].marker != marker || table[i].plan != plan))
		i = (i + 1) & (size - 1);
	return &table[i];
}

/* The entries but those of module WITHOUT in a table of SIZE, a power of two. */
static bool rehash (size_t size, const struct ppi_module *without)
{
	struct entry *fresh = calloc (size, sizeof (*fresh));

	if (!fresh)
		return false;
	n_entries = 0;
	for (size_t i = 0; i < room; i++)
		if (entries[i].marker && entries[i].module != without) {
			*entry_of (fresh, size, entries[i].marker, entries[i].plan) = entries[i];
			n_entries++;
		}
	free (entries);
	entries = fresh;
	room = size;
	return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/*
 * Lines to skip, so that the displacement of a jump to the new block differs from that of one to
 * the block at BESIDE in a single byte, if they are not too far from each other: leading a marker
 * from one to the other is a write of one byte then.
 */
static size_t skip_to_match (const struct arena *a, uintptr_t beside)
{
	uintptr_t code = (uintptr_t) a->code;
	size_t skip = (beside - (code + a->used)) % 256;

	return beside >= code && beside < code + a->used &&
			       a->bytes - a->used >= PPI_BLOCK_BYTES + skip
		       ? skip
		       : 0;
}

static uintptr_t make (const struct ppi_plan *plan, const struct pp_abi_marker *marker,
		       const struct ppi_module *module, uintptr_t beside)
{
	uint8_t code[PPI_BLOCK_BYTES];
	struct arena *a;
	uintptr_t at;
	size_t n;

	/* what has no block anywhere shall not make an arena */
	if (!pp_arch_block_make (plan, marker, pp_arch_stub (marker), code))
		return 0;
	a = arena_for (module, pp_arch_stub (marker));
	if (!a)
		return 0;
	a->used += skip_to_match (a, beside);
	at = (uintptr_t) a->code + a->used;
	n = pp_arch_leads_to (marker, at) ? pp_arch_block_make (plan, marker, at, code) : 0;
	if (!n)
		return 0;
	memcpy (a->writable + a->used, code, n);
	for (size_t line = 0; line < n; line += PPI_BLOCK_LINE)
		a->returns[(a->used + line) / PPI_BLOCK_LINE] = pp_arch_block_resume (marker);
	a->used += (n + PPI_BLOCK_LINE - 1) & ~(size_t) (PPI_BLOCK_LINE - 1);
	return at;
}

/* The block's address, or the stub's. */
static uintptr_t code_for (const struct ppi_plan *plan, const struct pp_abi_marker *marker,
			   const struct ppi_module *module, uintptr_t beside)
{
	struct entry *e;
	uintptr_t code;

	if (!is_wanted () || (too_many && !n_entries))
		return pp_arch_stub (marker);
	if (2 * n_entries >= room && !rehash (room ? 2 * room : 64, NULL))
		return pp_arch_stub (marker);
	e = entry_of (entries, room, marker, plan);
	if (e->marker)
		return e->code;
	if (too_many)
		return pp_arch_stub (marker);
	code = make (plan, marker, module, beside);
	if (!code)
		return pp_arch_stub (marker);
	*e = (struct entry){marker, plan, module, code};
	n_entries++;
	return code;
}

static struct arena *arena_of (uintptr_t at)
{
	struct arena *a = arenas;

	while (a && (at < (uintptr_t) a->code || at >= (uintptr_t) a->code + a->used))
		a = a->next;
	return a;
}

/*
 * Whoever comes to the block at AT goes on to TO, or with TO AT does what it was made for. A thread
 * stands before or behind its first instruction, never within. false: there is no such block, or it
 * can't be written.
 */
static bool lead_block (uintptr_t at, uintptr_t to)
{
	struct arena *a = arena_of (at);
	size_t line = a ? (at - (uintptr_t) a->code) / PPI_BLOCK_LINE : 0;
	uint64_t *word, *head, was, becomes;

	if (!a)
		return false;
	word = (uint64_t *) (void *) (a->writable + (at - (uintptr_t) a->code));
	head = &a->heads[line];
	if (at == to && !*head)
		return true;
	if (a->owner != ppi_process ())
		return false;
	was = __atomic_load_n (word, __ATOMIC_RELAXED);
	becomes = *head ? *head : was;
	if (at != to && !pp_arch_head (at, becomes, to, &becomes))
		return false;
	if (!*head)
		*head = was;
	else if (at == to)
		*head = 0;
	a->leads[line] = at == to ? 0 : to;
	/* release: where it leads was written before */
	return __atomic_compare_exchange_n (word, &was, becomes, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
}

bool ppi_block_runs (const struct ppi_marker *marker)
{
	uintptr_t at = marker->target;
	struct arena *a = arena_of (at);

	/* a block that leads on leads to one that doesn't, or to the stub */
	if (a && a->leads[(at - (uintptr_t) a->code) / PPI_BLOCK_LINE])
		at = a->leads[(at - (uintptr_t) a->code) / PPI_BLOCK_LINE];
	return at && at != pp_arch_stub (marker->record);
}

uintptr_t ppi_block_target (const struct ppi_plan *plan, const struct pp_abi_marker *marker,
			    const struct ppi_module *module, uintptr_t beside)
{
	uintptr_t to = code_for (plan, marker, module, beside), stub = pp_arch_stub (marker);

	/*
	 * it may lead elsewhere since the marker was led to it before; where its head can't be
	 * mended C does it
	 */
	if (to != stub && !lead_block (to, to))
		to = stub;
	if (beside && beside != stub && beside != to && !pp_arch_leads_unseen (marker, to) &&
	    lead_block (beside, to))
		return beside;
	return to;
}

void ppi_blocks_forget (const struct ppi_module *module, bool is_quiet)
{
	struct arena **at = &arenas;

	/*
	 * without memory for that the entries stay, and their markers may come back: they are
	 * compared by address only
	 */
	if (room && !rehash (room, module))
		for (size_t i = 0; i < room; i++)
			if (entries[i].module == module)
				entries[i].plan = NULL;
	while (*at) {
		struct arena *a = *at;

		if (a->module != module)
			at = &a->next;
		else {
			*at = a->next;
			if (is_quiet)
				arena_free (a);
		}
	}
}

/*
 * The child's arenas are still the parent's memory: each gets a copy of its own, at the same
 * address.
 */
void ppi_blocks_after_fork (void)
{
	/* where that fails an arena stays as it is, and gets no more blocks */
	for (struct arena *a = arenas; a; a = a->next)
		if (a->owner != ppi_process ())
			map_twice (a, a->code, MAP_FIXED);
}

#else

bool ppi_block_runs (const struct ppi_marker *marker)
{
	(void) marker;
	return false;
}

uintptr_t ppi_block_target (const struct ppi_plan *plan, const struct pp_abi_marker *marker,
			    const struct ppi_module *module, uintptr_t beside)
{
	(void) beside;
	(void) plan;
	(void) module;
	return pp_arch_stub (marker);
}

void ppi_blocks_expect (size_t markers)
{
	(void) markers;
}

void ppi_blocks_forget (const struct ppi_module *module, bool is_quiet)
{
	(void) module;
	(void) is_quiet;
}

void ppi_blocks_after_fork (void)
{
}

size_t ppi_blocks_at_once;

size_t ppi_blocks_unwind (struct ppi_block_unwind *out, size_t most)
{
	(void) out;
	(void) most;
	return 0;
}

bool ppi_blocks_may_be (void)
{
	return false;
}

bool ppi_blocks_have_room (const struct ppi_module *module)
{
	(void) module;
	return false;
}

void ppi_blocks_set (bool on)
{
	(void) on;
}

#endif
