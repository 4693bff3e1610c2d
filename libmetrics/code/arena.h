/* SPDX-License-Identifier: MIT */
/*
 * arena.h: memory for blocks (block.h). With the runtime's lock.
 *
 * An arena is a memfd that is mapped twice: readable and executable within reach of its module's
 * markers, and writable somewhere else, in this process only (children don't inherit that mapping).
 * No page is ever writable and executable at one address. Where the system refuses any step of this
 * (memfd_create, executable shared mappings) there are none.
 */
#ifndef PPI_CODE_ARENA_H
#define PPI_CODE_ARENA_H

#include "libmetrics/code/block.h"

/*
 * libgcc's struct object has seven words; __register_frame, which takes them from malloc, doesn't
 * look whether it got any.
 */
#define PPI_ARENA_OBJECT_WORDS 16

struct ppi_arena {
	const struct ppi_module *module;
	uint8_t *code, *writable;
	size_t bytes, used;
	/* for each line of the code: where the program goes on; whose block it is, a site's id */
	uint64_t *returns;
	uint32_t *sites;
	/*
	 * likewise: the first word of a block that leads elsewhere now, and where it leads; 0: it
	 * doesn't
	 */
	uint64_t *heads, *leads;
	uint32_t owner; /* the process that may write: ppi_process */
	struct ppi_arena *next;
	uint8_t unwind[PPI_BLOCK_UNWIND_BYTES];
	void *object[PPI_ARENA_OBJECT_WORDS];
};

/*
 * One with room for a block of MODULE's, whose marker is NEAR, made where there is none; or NULL.
 */
PPI_HIDDEN struct ppi_arena *ppi_arena_for (const struct ppi_module *module, uintptr_t near);
/* The one that has code AT; NULL: none. */
PPI_HIDDEN struct ppi_arena *ppi_arena_of (uintptr_t at);
/* Has the system refused none yet? */
PPI_HIDDEN bool ppi_arenas_may_be (void);
/* Is there room for a block of MODULE's, or may there be? */
PPI_HIDDEN bool ppi_arenas_have_room (const struct ppi_module *module);
/* MODULE goes; IS_QUIET: and nobody is in its blocks any more. */
PPI_HIDDEN void ppi_arenas_forget (const struct ppi_module *module, bool is_quiet);
/*
 * The child's arenas are still the parent's memory: each gets a copy of its own, at the same
 * address.
 */
PPI_HIDDEN void ppi_arenas_after_fork (void);

#endif
