/* SPDX-License-Identifier: MIT */
/*
 * unwind.c: see unwind.h. An address is described by its object's tables; by the library itself,
 * where it is in a block of a marker; or not at all: then its frame pointer is tried, where it
 * leads to an address in an object. What compilers at run time register with libgcc is not looked
 * at: libgcc reads such tables as they stand, and a program that has unmapped one goes on well
 * until it throws.
 */
#include "profiler/sampler/unwind.h"

#include "base/lock.h"
#include "base/peek.h"

#include "libmetrics/code/block.h"
#include "recording/layout_profile.h"

#include <stdlib.h>
#include <string.h>

enum { ARENAS_MOST = 256 };

/* What is said of blocks of markers, as it was at the last look. One thread at a time. */
static struct ppi_block_unwind arenas[ARENAS_MOST];
static size_t n_arenas;

void ppi_unwind_look (void)
{
	ppi_lock ();
	n_arenas = ppi_blocks_unwind (arenas, ARENAS_MOST);
	ppi_unlock ();
}

static enum ppi_step step_block (uint64_t pc, const struct ppi_stack_copy *stack,
				 struct ppi_registers *registers)
{
	for (size_t i = 0; i < n_arenas; i++)
		if (pc >= arenas[i].code && pc - arenas[i].code < arenas[i].bytes) {
			const struct ppi_unwind_table table = {(uintptr_t) arenas[i].table,
							       arenas[i].table,
							       sizeof arenas[i].table};
			uint32_t common;

			memcpy (&common, arenas[i].table, sizeof common);
			return common + sizeof common < table.bytes
				       ? ppi_cfi_step (&table, common + sizeof common, pc, stack,
						       registers)
				       : PPI_STEP_UNKNOWN;
		}
	return PPI_STEP_UNKNOWN;
}

static enum ppi_step step_described (struct ppi_object *object, uint64_t pc,
				     const struct ppi_stack_copy *stack,
				     struct ppi_registers *registers)
{
	const struct ppi_unwind_table *table;
	size_t fde;

	if (!object)
		return step_block (pc, stack, registers);
	table = ppi_object_table (object);
	fde = table ? ppi_cfi_find (table, object->hdr, pc) : 0;
	return fde ? ppi_cfi_step (table, fde, pc, stack, registers) : PPI_STEP_UNKNOWN;
}

/* By the frame pointer, if that is one. */
static enum ppi_step step_by_frame (const struct ppi_stack_copy *stack,
				    struct ppi_registers *registers)
{
	uint64_t frame = registers->value[PPI_REG_RBP], before, back;

	if (!(registers->known >> PPI_REG_RBP & 1) || frame % 8 ||
	    frame < registers->value[PPI_REG_SP] || frame < stack->at ||
	    frame - stack->at + 16 > stack->bytes)
		return PPI_STEP_UNKNOWN;
	memcpy (&before, stack->data + (frame - stack->at), 8);
	memcpy (&back, stack->data + (frame - stack->at) + 8, 8);
	if (!ppi_object_of (back - 1))
		return PPI_STEP_UNKNOWN;
	registers->known = 1u << PPI_REG_RBP | 1u << PPI_REG_SP | 1u << PPI_REG_PC;
	registers->value[PPI_REG_RBP] = before;
	registers->value[PPI_REG_SP] = frame + 16;
	registers->value[PPI_REG_PC] = back;
	return PPI_STEP_CALLER;
}

/* Why the stack ends at an address of OBJECT where a step said so. */
static unsigned loss_of (enum ppi_step step, const struct ppi_object *object)
{
	switch (step) {
	case PPI_STEP_END:
		return PPI_SAMPLE_LOSSES;
	case PPI_STEP_CUT:
		return PPI_SAMPLE_CUT;
	default:
		return object ? PPI_SAMPLE_UNWOUND : PPI_SAMPLE_UNKNOWN;
	}
}

void ppi_unwind (const struct ppi_raw *raw, struct ppi_unwound *out)
{
	const struct ppi_stack_copy stack = {raw->registers.value[PPI_REG_SP], raw->stack,
					     raw->stack_bytes};
	struct ppi_registers registers = raw->registers;
	uint64_t back = 0; /* 1: the address is behind a call */
	enum ppi_step step = PPI_STEP_END;

	out->loss = PPI_SAMPLE_CUT;
	out->end = 0;
	for (out->n = 0; out->n < PPI_UNWIND_MOST;) {
		uint64_t pc = registers.value[PPI_REG_PC] - back, sp = registers.value[PPI_REG_SP];
		struct ppi_object *object = ppi_object_of (pc);

		out->end = sp;
		if (!registers.value[PPI_REG_PC]) {
			out->loss = PPI_SAMPLE_LOSSES;
			return;
		}
		out->place[out->n++] = (struct ppi_code_place){pc, object};
		step = step_described (object, pc, &stack, &registers);
		if (step == PPI_STEP_UNKNOWN)
			step = step_by_frame (&stack, &registers);
		if (step != PPI_STEP_CALLER && step != PPI_STEP_HANDLED) {
			out->loss = loss_of (step, object);
			out->end = out->loss == PPI_SAMPLE_CUT ? 0 : sp;
			return;
		}
		/*
		 * a stack that goes nowhere; but a handler on a stack of its own came from another
		 * one
		 */
		if (step == PPI_STEP_CALLER && registers.value[PPI_REG_SP] <= sp && out->n > 1) {
			out->loss = PPI_SAMPLE_UNWOUND;
			return;
		}
		back = step == PPI_STEP_CALLER;
	}
}
