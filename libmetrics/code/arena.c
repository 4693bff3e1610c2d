/* SPDX-License-Identifier: MIT */
/* arena.c: see arena.h. */
#include "libmetrics/code/arena.h"
#include "libmetrics/code/told.h"

#include "base/lock.h"
#include "base/message.h"
#include "base/signals.h"

#if PP_ARCH_HAS_BLOCKS

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Bytes of a module's first arena; each that follows is four times as large, up to the last. */
enum {
	ARENA_FIRST = 64 << 10,
	ARENA_LAST = 1 << 20,
	ARENAS_BYTES = 8 << 20, /* of all */
};

static struct ppi_arena *arenas;
static size_t arenas_bytes;
static bool refused; /* there are no arenas here */
static bool is_full; /* as many as there may be; said once */

/* ---- unwinding ------------------------------------------------------------------------------- */

/*
 * libgcc's. Linked, though a program in C may never need it: it has to be there when backtrace ()
 * or a cancellation loads it, and here, with the lock, nothing may be asked of the loader.
 */
extern void __register_frame_info (const void *, void *);
extern void *__deregister_frame_info (const void *);

static void unwind_add (struct ppi_arena *a)
{
	size_t n = pp_arch_block_unwind ((uintptr_t) a->code, a->bytes, a->returns, false,
					 a->unwind, sizeof (a->unwind));

	if (n)
		__register_frame_info (a->unwind, a->object);
	else
		a->unwind[0] = 0;
}

static void unwind_remove (struct ppi_arena *a)
{
	if (a->unwind[0])
		__deregister_frame_info (a->unwind);
}

size_t ppi_blocks_unwind (struct ppi_block_unwind *out, size_t most)
{
	size_t n = 0;

	for (const struct ppi_arena *a = arenas; a && n < most; a = a->next) {
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
static bool map_twice (struct ppi_arena *a, void *code, int flags)
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
static bool place_near (struct ppi_arena *a, uintptr_t near)
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

static void destroy (struct ppi_arena *a)
{
	free (a->returns);
	free (a->sites);
	free (a->heads);
	free (a->leads);
	free (a);
}

static struct ppi_arena *arena_make (const struct ppi_module *module, uintptr_t near, size_t bytes)
{
	struct ppi_arena *a = calloc (1, sizeof (*a));

	if (!a)
		return NULL;
	a->module = module;
	a->bytes = bytes;
	a->returns = calloc (bytes / PPI_BLOCK_LINE, sizeof (*a->returns));
	a->sites = calloc (bytes / PPI_BLOCK_LINE, sizeof (*a->sites));
	a->heads = calloc (bytes / PPI_BLOCK_LINE, sizeof (*a->heads));
	a->leads = calloc (bytes / PPI_BLOCK_LINE, sizeof (*a->leads));
	if (!a->returns || !a->sites || !a->heads || !a->leads || !fits (bytes) ||
	    !place_near (a, near)) {
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
static struct ppi_arena *arena_with_room (const struct ppi_module *module, size_t *bytes)
{
	uint32_t self = ppi_process ();

	*bytes = ARENA_FIRST;
	for (struct ppi_arena *a = arenas; a; a = a->next)
		if (a->module == module) {
			if (a->owner == self && a->bytes - a->used >= PPI_BLOCK_BYTES)
				return a;
			*bytes = a->bytes < ARENA_LAST ? a->bytes * 4 : ARENA_LAST;
		}
	return NULL;
}

struct ppi_arena *ppi_arena_for (const struct ppi_module *module, uintptr_t near)
{
	size_t bytes;
	struct ppi_arena *a = arena_with_room (module, &bytes);

	return a || refused ? a : arena_make (module, near, bytes);
}

static void arena_free (struct ppi_arena *a)
{
	unwind_remove (a);
	ppi_told_forget (a);
	munmap (a->code, a->bytes);
	if (a->owner == ppi_process ())
		munmap (a->writable, a->bytes);
	arenas_bytes -= a->bytes;
	destroy (a);
}

bool ppi_arenas_may_be (void)
{
	return !refused;
}

bool ppi_arenas_have_room (const struct ppi_module *module)
{
	size_t bytes;

	return arena_with_room (module, &bytes) || arenas_bytes + bytes <= ARENAS_BYTES;
}

struct ppi_arena *ppi_arena_of (uintptr_t at)
{
	struct ppi_arena *a = arenas;

	while (a && (at < (uintptr_t) a->code || at >= (uintptr_t) a->code + a->used))
		a = a->next;
	return a;
}

uint32_t ppi_block_site (uintptr_t at)
{
	const struct ppi_arena *a = ppi_arena_of (at);

	return a ? a->sites[(at - (uintptr_t) a->code) / PPI_BLOCK_LINE] : 0;
}

void ppi_arenas_forget (const struct ppi_module *module, bool is_quiet)
{
	struct ppi_arena **at = &arenas;

	while (*at) {
		struct ppi_arena *a = *at;

		if (a->module != module)
			at = &a->next;
		else {
			*at = a->next;
			if (is_quiet)
				arena_free (a);
		}
	}
}

void ppi_arenas_after_fork (void)
{
	/* where that fails an arena stays as it is, and gets no more blocks */
	for (struct ppi_arena *a = arenas; a; a = a->next)
		if (a->owner != ppi_process ())
			map_twice (a, a->code, MAP_FIXED);
}

#endif
