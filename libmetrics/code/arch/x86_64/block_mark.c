/* SPDX-License-Identifier: MIT */
/*
 * block_mark.c: marks of frames in blocks (block.c): what ppi_mark_push and ppi_mark_pop do
 * (thread/mark.h), in the same order of stores, which x86 keeps. A block never runs on a handler's
 * state, nor among calls.
 */
#include "libmetrics/thread/mark.h"

#include "block_gen.h"

#define THREAD_SEGMENT ((int32_t) offsetof (struct ppi_thread, segment))
#define THREAD_PATH ((int32_t) offsetof (struct ppi_thread, path))
#define PATH(field) ((int32_t) offsetof (struct ppi_path, field))
#define THREAD_SHOWN ((int32_t) offsetof (struct ppi_thread, shown))
#define SEGMENT_MARKED ((int32_t) offsetof (struct ppi_segment, marked))
/* of a mark, from its frame */
#define MARK(field) ((int32_t) offsetof (struct ppi_mark, field) - FRAME_BYTES)
#define TOP(field) ((int32_t) offsetof (struct ppi_top_chunk, top[0].field))

/* Where the region shows nothing of the thread yet, C makes the place. */
void ppi_gen_mark_look (struct gen *g)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, LOAD, RSI, RCX, HOT_THREAD);
	emit_mem_i8 (e, BITS_64, CMP_I, RSI, THREAD_SHOWN, 0);
	emit_if (e, IF_EQUAL, g->slow);
}

void ppi_gen_mark_push (struct gen *g)
{
	struct emit *e = &g->e;
	label deep = emit_label (e);

	emit_mem (e, BITS_64, LOAD, RDI, RSI, THREAD_PATH);
	emit_mem (e, BITS_32, LOAD, RAX, RDI, PATH (order));
	emit_reg_i32 (e, BITS_32, AND_I, RAX, (int64_t) PPI_ORDER_LEVEL);
	emit_reg_i32 (e, BITS_32, CMP_I, RAX, PPI_PATH);
	emit_if (e, IF_NOT_BELOW, deep);
	emit_index (e, BITS_64, 0xc7, 0, RDI, RAX, PATH (open)); /* mov $.., */
	emit_32 (e, PPI_PATH_SITE (g->plan->what));
	emit_here (e, deep);
	emit_mem (e, BITS_64, LOAD, RAX, RDI, PATH (order));
	emit_reg_i32 (e, BITS_64, ADD_I, RAX, (int64_t) PPI_ORDER_STEP + 1);
	emit_mem (e, BITS_64, STORE, RAX, RDI, PATH (order));
	emit_mem (e, BITS_64, STORE, RAX, RDX, MARK (order));
	emit_store_i32 (e, BITS_64, RDX, MARK (payload), 0);
	emit_mem (e, BITS_64, LOAD, RDI, RSI, THREAD_SHOWN);
	emit_store_i32 (e, BITS_64, RDI, TOP (what), 0);
	emit_mem (e, BITS_64, STORE, RAX, RDI, TOP (order));
	emit_store_i32 (e, BITS_64, RDI, TOP (payload), 0);
	emit_constant (e, RAX, g->plan->what);
	emit_mem (e, BITS_64, STORE, RAX, RDX, MARK (what));
	emit_mem (e, BITS_64, STORE, RAX, RDI, TOP (what));
	emit_mem (e, BITS_64, LOAD, RSI, RSI, THREAD_SEGMENT);
	emit_mem (e, BITS_64, LOAD, RDI, RSI, SEGMENT_MARKED);
	emit_mem (e, BITS_64, STORE, RDI, RDX, MARK (below));
	emit_mem (e, BITS_64, STORE, RDX, RSI, SEGMENT_MARKED);
}

void ppi_gen_mark_pop (struct gen *g)
{
	struct emit *e = &g->e;
	label done = emit_label (e);

	emit_mem (e, BITS_64, LOAD, RSI, RCX, HOT_THREAD);
	emit_mem (e, BITS_64, LOAD, RAX, RSI, THREAD_SEGMENT);
	/* what a handler left by siglongjmp may be in the stack and not in the list */
	emit_mem (e, BITS_64, CMP_TO, RDI, RAX, SEGMENT_MARKED);
	emit_if (e, IF_NOT_EQUAL, done);
	emit_mem (e, BITS_64, LOAD, RDX, RDI, MARK (below));
	emit_mem (e, BITS_64, STORE, RDX, RAX, SEGMENT_MARKED);
	emit_mem (e, BITS_64, LOAD, RAX, RSI, THREAD_SHOWN);
	emit_mem (e, BITS_64, LOAD, RSI, RSI, THREAD_PATH);
	emit_mem_i32 (e, BITS_64, ADD_I, RSI, PATH (order), (int64_t) PPI_ORDER_STEP - 1);
	emit_store_i32 (e, BITS_64, RAX, TOP (what), 0);
	emit_reg (e, BITS_64, TEST, RDX, RDX);
	emit_if (e, IF_EQUAL, done);
	emit_mem (e, BITS_64, LOAD, RSI, RDX, MARK (order));
	emit_mem (e, BITS_64, STORE, RSI, RAX, TOP (order));
	emit_mem (e, BITS_64, LOAD, RSI, RDX, MARK (payload));
	emit_mem (e, BITS_64, STORE, RSI, RAX, TOP (payload));
	emit_mem (e, BITS_64, LOAD, RSI, RDX, MARK (what));
	emit_mem (e, BITS_64, STORE, RSI, RAX, TOP (what));
	emit_here (e, done);
}
