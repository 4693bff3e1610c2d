/* SPDX-License-Identifier: MIT */
/*
 * block.h: code made for one marker and one plan, where a CPU's folder can (PP_ARCH_HAS_BLOCKS).
 *
 * A static stub saves registers, finds its plan in the descriptor, and calls an entry that finds
 * what to do in the plan. A block does what the entry does with everything known: tag, plan, slots,
 * accumulators. It handles the usual case and leaves all else, before it has changed anything, by a
 * jump to the marker's stub: the C routines are the one place that says what a marker does, and a
 * block may be taken away from a marker or not be there at any time.
 *
 * But for their heads, which may lead on to another one, blocks never change once something can
 * jump to them, and live until their module goes: threads may be in one at any time.
 */
#ifndef PPI_CODE_BLOCK_H
#define PPI_CODE_BLOCK_H

#include "base/atomic.h"

#include "pp_arch.h"

#include <pp_abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_marker;
struct ppi_plan;

struct ppi_module;

/*
 * Where MARKER of MODULE jumps when it has PLAN: a block, made on demand and remembered, or its
 * stub where there can be none; or where it jumps now, BESIDE, if it is on and would lose
 * executions by being led elsewhere: then the block there leads on. A new block lies at a distance
 * from BESIDE that makes the change cheap. With the runtime's lock.
 */
PPI_HIDDEN uintptr_t ppi_block_target (const struct ppi_plan *plan,
				       const struct pp_abi_marker *marker,
				       const struct ppi_module *module, uintptr_t beside);
/*
 * Does MARKER, while it is on, run a block of its own rather than its stub? With the runtime's
 * lock.
 */
PPI_HIDDEN bool ppi_block_runs (const struct ppi_marker *marker);
/*
 * What follows concerns so many markers: of very many at once none gets a new block, which would
 * take longer and more memory than hot places can be worth.
 */
PPI_HIDDEN void ppi_blocks_expect (size_t markers);
/* MODULE goes; IS_QUIET: and nobody is in its blocks any more. */
PPI_HIDDEN void ppi_blocks_forget (const struct ppi_module *module, bool is_quiet);
/* In a child: no writable code is shared with the parent. */
PPI_HIDDEN void ppi_blocks_after_fork (void);
/* May there be blocks at all? With the lock. */
PPI_HIDDEN bool ppi_blocks_may_be (void);
/* Is there room for another of MODULE, of as many as are expected? With the lock. */
PPI_HIDDEN bool ppi_blocks_have_room (const struct ppi_module *module);
/* Tells debuggers and profilers of the blocks that were made since (told.h). With the lock. */
PPI_HIDDEN void ppi_blocks_tell (void);
/* No new blocks, nor ways to those there are, until that ends. With the lock. */
PPI_HIDDEN void ppi_blocks_pause (bool on);
/* For tests: blocks or none from now on, for markers that are changed. */
PPI_HIDDEN void ppi_blocks_set (bool on);
#define PPI_BLOCK_UNWIND_BYTES 256u

/* For tests: of more markers than that at once none gets a new block. */
PPI_HIDDEN extern size_t ppi_blocks_at_once;

/* What unwinders are told of an arena of blocks: a CIE and an FDE, without relative addresses. */
struct ppi_block_unwind {
	uintptr_t code;
	size_t bytes;
	uint8_t table[PPI_BLOCK_UNWIND_BYTES];
};
/* Copies what is said of the arenas that there are to OUT; returns how many, at most MOST. Lock. */
PPI_HIDDEN size_t ppi_blocks_unwind (struct ppi_block_unwind *out, size_t most);
/* The id of the site whose marker has the block that AT is in; 0: it is in none. Lock. */
PPI_HIDDEN uint32_t ppi_block_site (uintptr_t at);

/* ---- what a CPU's folder has ----------------------------------------------------------------- */

#define PPI_BLOCK_LINE 64u    /* blocks begin at multiples of it */
#define PPI_BLOCK_BYTES 4096u /* of the longest */
#define PPI_BLOCK_OPS 8u      /* of the longest plan */

/*
 * Writes to OUT, of PPI_BLOCK_BYTES, the block that will be executed AT. Returns its bytes, or 0:
 * this marker with this plan has none.
 */
PPI_HIDDEN size_t pp_arch_block_make (const struct ppi_plan *plan,
				      const struct pp_abi_marker *marker, uintptr_t at,
				      uint8_t *out);
/* Where the program goes on behind the marker. */
PPI_HIDDEN uintptr_t pp_arch_block_resume (const struct pp_abi_marker *marker);
/*
 * Writes the unwinder's description of all blocks in an arena of BYTES at CODE to OUT (of ROOM);
 * RETURNS[i] is where the program goes on from line i. FOR_DEBUGGERS: without saying that it was
 * interrupted there, which they take for the frame of a signal. Returns its bytes, or 0.
 */
PPI_HIDDEN size_t pp_arch_block_unwind (uintptr_t code, size_t bytes, const uint64_t *returns,
					bool for_debuggers, uint8_t *out, size_t room);

#endif
