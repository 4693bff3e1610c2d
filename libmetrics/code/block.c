/* SPDX-License-Identifier: MIT */
/*
 * block.c: the cache of blocks, by marker × plan, and where markers that run one are led.
 *
 * Who jumps to a block sees it whole: it was written before the marker, on x86-64 in the order of
 * the stores, and an address that was never executed before is in nobody's instruction cache. After
 * that only its head changes, one word of the writable mapping: a marker that is on and can't be
 * led elsewhere without losing executions, since several bytes of its jump differ, goes on to jump
 * to the block that it has, and that block's first instruction becomes a jump.
 *
 * Where there is no memory for them (arena.h) markers keep their static stubs. Only where so many
 * were bound in one go that they get none it is said.
 */
#include "libmetrics/code/block.h"

#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "libmetrics/code/arena.h"
#include "libmetrics/code/told.h"
#include "libmetrics/region/history.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/module.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "recording/layout.h"

#if PP_ARCH_HAS_BLOCKS

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const struct pp_abi_marker *marker; /* NULL: free */
	const struct ppi_plan *plan;
	const struct ppi_module *module;
	uintptr_t code;
};

size_t ppi_blocks_at_once = 4096;

static struct entry *entries; /* open addressing, at most half full */
static size_t n_entries, room;
static bool too_many;
static int wanted = -1; /* PP_BLOCKS; -1: not asked yet */
static bool paused;

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
	return is_wanted () && ppi_arenas_may_be ();
}

bool ppi_blocks_have_room (const struct ppi_module *module)
{
	return ppi_blocks_may_be () && !too_many && ppi_arenas_have_room (module);
}

void ppi_blocks_set (bool on)
{
	wanted = on;
}

void ppi_blocks_pause (bool on)
{
	paused = on;
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
static size_t skip_to_match (const struct ppi_arena *a, uintptr_t beside)
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
	struct ppi_arena *a;
	uintptr_t at;
	size_t n;

	/* what has no block anywhere shall not make an arena */
	if (!pp_arch_block_make (plan, marker, pp_arch_stub (marker), code))
		return 0;
	a = ppi_arena_for (module, pp_arch_stub (marker));
	if (!a)
		return 0;
	a->used += skip_to_match (a, beside);
	at = (uintptr_t) a->code + a->used;
	n = pp_arch_leads_to (marker, at) ? pp_arch_block_make (plan, marker, at, code) : 0;
	if (!n)
		return 0;
	memcpy (a->writable + a->used, code, n);
	for (size_t line = 0; line < n; line += PPI_BLOCK_LINE) {
		a->returns[(a->used + line) / PPI_BLOCK_LINE] = pp_arch_block_resume (marker);
		a->sites[(a->used + line) / PPI_BLOCK_LINE] = plan->site->id;
	}
	ppi_told_add (a, at, n, plan);
	a->used += (n + PPI_BLOCK_LINE - 1) & ~(size_t) (PPI_BLOCK_LINE - 1);
	return at;
}

/* The block's address, or the stub's. */
static uintptr_t code_for (const struct ppi_plan *plan, const struct pp_abi_marker *marker,
			   const struct ppi_module *module, uintptr_t beside)
{
	struct entry *e;
	uintptr_t code;

	if (!is_wanted () || paused || (too_many && !n_entries))
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

/*
 * Whoever comes to the block at AT goes on to TO, or with TO AT does what it was made for. A thread
 * stands before or behind its first instruction, never within. false: there is no such block, or it
 * can't be written.
 */
static bool lead_block (uintptr_t at, uintptr_t to)
{
	struct ppi_arena *a = ppi_arena_of (at);
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
	struct ppi_arena *a = ppi_arena_of (at);

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
	/*
	 * without memory for that the entries stay, and their markers may come back: they are
	 * compared by address only
	 */
	if (room && !rehash (room, module))
		for (size_t i = 0; i < room; i++)
			if (entries[i].module == module)
				entries[i].plan = NULL;
	ppi_arenas_forget (module, is_quiet);
}

void ppi_blocks_after_fork (void)
{
	ppi_arenas_after_fork ();
	ppi_told_after_fork ();
}

void ppi_blocks_tell (void)
{
	ppi_told_now ();
}

#else

void ppi_blocks_tell (void)
{
}

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

uint32_t ppi_block_site (uintptr_t at)
{
	(void) at;
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

void ppi_blocks_pause (bool on)
{
	(void) on;
}

void ppi_blocks_set (bool on)
{
	(void) on;
}

#endif
