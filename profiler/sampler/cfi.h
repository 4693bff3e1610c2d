/* SPDX-License-Identifier: MIT */
/*
 * cfi.h: one step up a stack by the call frame information of DWARF (.eh_frame), over copies: of
 * the stack, taken when the thread was interrupted, and of an object's tables. Nothing of the
 * thread is read any more, nothing is believed, and no step loops or reads beyond what it is given.
 *
 * It is our own, and no library's, since libunwind and libdw walk threads that stand still: what
 * they read of memory they read now. Here a stack is a copy, a step costs less than a microsecond,
 * and a process needs no further library.
 */
#ifndef PPI_SAMPLER_CFI_H
#define PPI_SAMPLER_CFI_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * DWARF's numbers of x86-64: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, and the return
 * address, which is where it goes on.
 */
enum { PPI_REG_RBX = 3, PPI_REG_RBP = 6, PPI_REG_SP = 7, PPI_REG_PC = 16, PPI_REGS = 17 };

struct ppi_registers {
	uint64_t value[PPI_REGS];
	uint32_t known; /* bit I: of register I */
};

/* The copy: BYTES that were at the address AT. */
struct ppi_stack_copy {
	uint64_t at;
	const uint8_t *data;
	size_t bytes;
};

/* Tables of an object: BYTES that were at the address AT. */
struct ppi_unwind_table {
	uint64_t at;
	const uint8_t *data;
	size_t bytes;
};

enum ppi_step {
	PPI_STEP_CALLER,  /* the registers are the caller's, PC is where the call returns to */
	PPI_STEP_HANDLED, /* ... PC is where a signal came */
	PPI_STEP_END,     /* there is no caller */
	PPI_STEP_CUT,     /* what it needs is not in the copy */
	PPI_STEP_UNKNOWN, /* no description of this address, or one that is not understood */
};

/*
 * Finds the description (FDE) of PC by the sorted table of an .eh_frame_hdr at HDR, in TABLE.
 * Returns its offset in TABLE; 0: there is none.
 */
PPI_HIDDEN size_t ppi_cfi_find (const struct ppi_unwind_table *table, uint64_t hdr, uint64_t pc);

/*
 * One step by the FDE at OFFSET in TABLE. PC is looked up as it is: of a caller, it is an address
 * in the call.
 */
PPI_HIDDEN enum ppi_step ppi_cfi_step (const struct ppi_unwind_table *table, size_t offset,
				       uint64_t pc, const struct ppi_stack_copy *stack,
				       struct ppi_registers *registers);

/* ---- between cfi.c and cfi_read.c ------------------------------------------------------------ */

/* Reads TABLE from an offset on; FAILED once it is beyond the end. */
struct ppi_cursor {
	const struct ppi_unwind_table *table;
	size_t at, end;
	bool failed;
};

PPI_HIDDEN uint64_t ppi_cursor_take (struct ppi_cursor *c, unsigned bytes);
PPI_HIDDEN uint64_t ppi_cursor_uleb (struct ppi_cursor *c);
PPI_HIDDEN int64_t ppi_cursor_sleb (struct ppi_cursor *c);
/* A pointer in the encoding ENC (DW_EH_PE_...); relative ones are to where they are. */
PPI_HIDDEN uint64_t ppi_cursor_pointer (struct ppi_cursor *c, uint8_t enc);

/* What an FDE and its CIE say. */
struct ppi_fde {
	uint64_t begin, bytes; /* of code */
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding;
	bool is_signal_frame;
	struct ppi_cursor common, own; /* instructions */
};

PPI_HIDDEN bool ppi_fde_read (const struct ppi_unwind_table *table, size_t offset,
			      struct ppi_fde *out);

/* Is a value on the stack, or may it be read from elsewhere? false: it can't be had. */
PPI_HIDDEN bool ppi_cfi_load (const struct ppi_stack_copy *stack, uint64_t at, unsigned bytes,
			      uint64_t *out);
/* Evaluates the BYTES of a DWARF expression at OFFSET; INITIAL is on its stack if HAS_INITIAL. */
PPI_HIDDEN bool ppi_cfi_evaluate (const struct ppi_unwind_table *table, size_t offset, size_t bytes,
				  const struct ppi_stack_copy *stack,
				  const struct ppi_registers *registers, const uint64_t *initial,
				  uint64_t *out);

#endif
