/* SPDX-License-Identifier: MIT */
/*
 * block_call.c: blocks (block.c) of plans that are one function of the user's, which they call as
 * general_hot.c does: with the thread entered, the function's result in the frame's values, or the
 * sample. It goes there by way of the thread's scratch: the frame of a child that the function
 * forks is its parent's.
 *
 * Once the function was called nothing may go to the stub, which would call it again: whatever may
 * say no is asked before. What is only known of the sample itself is left to C then (ppi_add_late).
 *
 * While it runs the guard stays set, so markers in the function, and in handlers meanwhile, use the
 * thread's second state, and find this one as it was behind it; and `busy` is set too, which
 * ppi_quiesce waits for: a function of a module that goes is either seen here or finished. So what
 * the block had in registers is loaded again. A child that the function has forked has no state:
 * what follows would be written into its parent's.
 *
 * No clock is read: the sample is stamped as those of points are (ppi_stamp), and the frame's time
 * is filled in by who asks for it, unless somebody does (`timed`).
 */
#include "libmetrics/marker/marker.h"

#include "block_gen.h"

#define THREAD_SEGMENT ((int32_t) offsetof (struct ppi_thread, segment))
#define SEGMENT_LEARNED ((int32_t) offsetof (struct ppi_segment, learned))

/* what a function may clobber */
static const enum reg clobbered[] = {RAX, RDX, RCX, RSI, RDI, R8, R9, R10, R11};

/* ---- the call -------------------------------------------------------------------------------- */

static void set_busy (struct gen *g)
{
	emit_mem (&g->e, BITS_64, STORE, RSP, RCX, HOT_BUSY);
}

static void clear_busy (struct gen *g)
{
	emit_store_i32 (&g->e, BITS_64, RCX, HOT_BUSY, 0);
}

/* Its module was closed. */
static void later_not_there (struct gen *g, const struct ppi_op *op)
{
	(void) op;
	clear_busy (g);
	emit_goto (&g->e, g->slow);
}

/* A child */
static void later_nobody (struct gen *g, const struct ppi_op *op)
{
	(void) op;
	restore (g, g->back);
}

/* Calls what is in RAX, with arguments; RCX is the line again. */
static void call (struct gen *g)
{
	struct emit *e = &g->e;
	label behind = emit_label (e);

	emit_address (e, R10, g->back);
	emit_label_address (e, R11, behind);
	emit_constant (e, R8, (uint64_t) (uintptr_t) pp_arch_block_call);
	emit_jump_to (e, R8);
	emit_here (e, behind);
	emit_tls (e, BITS_64, LOAD, RCX, g->self);
}

/*
 * Functions that need the vector registers kept may need more stack than a fibre has, too: in C
 * there.
 */
static void stack_is_own (struct gen *g)
{
	struct emit *e = &g->e;

	if (g->plan->ops->class == PPI_SOURCE_FAST)
		return;
	emit_mem (e, BITS_64, LOAD, RAX, RCX, HOT_THREAD);
	emit_mem (e, BITS_64, LOAD, RAX, RAX, THREAD_SEGMENT);
	emit_mem_i8 (e, BITS_32, CMP_I, RAX, SEGMENT_LEARNED, 0);
	emit_if (e, IF_NOT_EQUAL, g->slow);
}

/* The function at *AT, with (RDI, RSI). */
static void call_user (struct gen *g, const pp_abi_sample_fn *at)
{
	struct emit *e = &g->e;

	set_busy (g);
	emit_constant (e, RAX, (uint64_t) (uintptr_t) at);
	emit_mem (e, BITS_64, LOAD, RAX, RAX, 0);
	emit_reg (e, BITS_64, TEST, RAX, RAX);
	emit_if (e, IF_EQUAL, later (g, later_not_there, NULL));
	if (g->plan->ops->class != PPI_SOURCE_FAST) {
		emit_reg (e, BITS_64, LOAD, RDX, RSI);
		emit_reg (e, BITS_64, LOAD, RSI, RDI);
		emit_reg (e, BITS_64, LOAD, RDI, RAX);
		emit_reg (e, BITS_32, XOR, R9, R9);
		emit_constant (e, RAX, (uint64_t) (uintptr_t) g->plan->call);
	}
	call (g);
	emit_mem_i8 (e, BITS_64, CMP_I, RCX, HOT_THREAD, 0);
	emit_if (e, IF_EQUAL, later (g, later_nobody, NULL));
	clear_busy (g);
}

/* RDI = where the sample goes */
static void into_result (struct gen *g)
{
	emit_tls (&g->e, BITS_64, LOAD, RDI, 0);
	emit_reg_i32 (&g->e, BITS_64, ADD_I, RDI, g->tls + TLS (result));
}

/* ---- the sample ------------------------------------------------------------------------------ */

/* X has what no block does. */
static void later_in_c (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;
	label back = g->back_now;

	emit_reg (e, BITS_64, LOAD, RSI, g->x);
	emit_constant (e, RDI, (uint64_t) (uintptr_t) op);
	emit_constant (e, RAX, (uint64_t) (uintptr_t) ppi_add_late);
	call (g);
	emit_goto (e, back);
}

static void add_result (struct gen *g)
{
	struct emit *e = &g->e;
	label slow = g->slow, added = emit_label (e);

	g->x = RDI;
	g->shard = RSI;
	g->index = R10;
	emit_tls (e, BITS_64, LOAD, g->x, g->tls + TLS (result));
	g->slow = later (g, later_in_c, g->plan->ops);
	if (e->failed)
		return;
	g->later[g->n_later - 1].back = added;
	ppi_gen_all_are_usual (g);
	ppi_gen_accumulate (g, g->plan->ops);
	emit_here (e, added);
	g->slow = slow;
}

/* ---- markers --------------------------------------------------------------------------------- */

static int32_t value_offset (const struct ppi_plan *plan)
{
	return 8 * (int32_t) plan->ops->value - (int32_t) (plan->value_slots * FRAME_BYTES);
}

static void make_begin (struct gen *g)
{
	struct emit *e = &g->e;
	const struct ppi_plan *plan = g->plan;
	int32_t room = (int32_t) (plan->value_slots * FRAME_BYTES);

	ppi_gen_find_room (g, plan->value_slots);
	emit_store_i32 (e, BITS_64, RDX, FRAME_SKIPPED, 0);
	emit_store_i32 (e, BITS_64, RDX, FRAME_SLOTS, plan->value_slots);
	into_result (g);
	emit_reg (e, BITS_32, XOR, RSI, RSI);
	call_user (g, &plan->ops->instance->user_begin);
	if (plan->timed)
		clock (g);
	emit_mem (e, BITS_64, LOAD, RDX, RCX, HOT_TOP);
	emit_reg_i32 (e, BITS_64, ADD_I, RDX, FRAME_BYTES + room);
	for (int32_t i = 0; i < (plan->ops->instance->begin_bytes + 7) / 8; i++) {
		emit_tls (e, BITS_64, LOAD, RSI, g->tls + TLS (result) + 8 * i);
		emit_mem (e, BITS_64, STORE, RSI, RDX, value_offset (plan) + 8 * i);
	}
	if (plan->timed)
		emit_mem (e, BITS_64, STORE, RAX, RDX, FRAME_TICKS);
	else
		emit_store_i32 (e, BITS_64, RDX, FRAME_TICKS, 0);
	ppi_gen_push_frame (g);
}

static void make_end (struct gen *g)
{
	struct emit *e = &g->e;
	const struct ppi_plan *plan = g->plan;

	g->frame = RDX;
	g->shard = RSI;
	ppi_gen_find_frame (g, RAX);
	emit_mem_i8 (e, BITS_64, CMP_I, RDX, FRAME_SKIPPED, 0);
	emit_if (e, IF_NOT_EQUAL, g->slow);
	shard_exists (g, plan->ops);
	into_result (g);
	emit_mem (e, BITS_64, LEA, RSI, RDX, value_offset (plan));
	call_user (g, &plan->ops->instance->user_end);
	add_result (g);
	emit_mem (e, BITS_64, LOAD, RDX, RCX, HOT_TOP);
	emit_mem (e, BITS_64, LOAD, RAX, RDX, FRAME_PREV);
	emit_mem (e, BITS_64, STORE, RAX, RCX, HOT_TOP);
}

static void make_point (struct gen *g)
{
	g->shard = RSI;
	shard_exists (g, g->plan->ops);
	into_result (g);
	emit_reg (&g->e, BITS_32, XOR, RSI, RSI);
	call_user (g, &g->plan->ops->instance->user_begin);
	add_result (g);
}

void ppi_gen_make_user (struct gen *g, unsigned op)
{
	for (size_t i = 0; i < sizeof (clobbered) / sizeof (clobbered[0]); i++)
		save_too (g, clobbered[i]);
	prologue (g);
	enter (g, RDX);
	stack_is_own (g);
	if (op == PP_ABI_BEGIN)
		make_begin (g);
	else if (op == PP_ABI_END)
		make_end (g);
	else
		make_point (g);
	epilogue (g);
}
