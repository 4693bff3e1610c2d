/* SPDX-License-Identifier: MIT */
/*
 * block.c: makes the code of a marker with a plan (block.h) on x86-64.
 *
 * A block is entered by the marker's jump, with the marker's registers and stack, and leaves by a jump behind the marker.
 * The flags are dead there: GCC takes every asm of x86 to clobber them. The stack pointer never moves, so one rule
 * unwinds from any instruction, and the red zone needs no care. Registers are kept in thread-local memory instead
 * (ppi_scratch): on the machine where this was decided an interval cost 1.02 times two bare RDTSC so, 1.23 with
 * pushes below the red zone, and 0.93 with no registers saved at all.
 *
 *      cmp $0, guard; jne stub        a block that this one interrupts has its registers there
 *      mov rsp, guard                 from here on handlers take the stubs
 *      registers → ppi_scratch.saved
 *      rdtsc                          first: see fast.S
 *      line, its busy and span        as ppi_try_enter; busy is not set: handlers see the guard
 *      ...
 *      saved → registers; guard = 0; jmp behind the marker
 *
 * Everything that could say no is asked before the first store to anything but the scratch and a place for frames that is
 * not yet taken. `slow` gives all back and goes to the stub, which begins anew, with the clock too.
 */
#include "../../block.h"

#include "../../accumulate_int.h"
#include "../../source.h"
#include "emit.h"
#include "layout.h"

#define SHARD_SKIP ((int32_t) offsetof (struct ppi_shard, skip))
#define FRAME_SKIPPED ((int32_t) offsetof (struct ppi_frame, skipped))
enum { GROUP_BITS = 6 };
PP_ABI_ASSERT (PPI_GROUP_WORDS == 1 << GROUP_BITS);

#define TLS(field) ((int32_t) offsetof (struct ppi_scratch, field))
#define SERIES(field) ((int32_t) offsetof (struct ppi_series_shard, field))

enum { SAVED_MAX = 10, SAVED_SPARE = SAVED_MAX, LATER_MAX = 40 };

struct gen;
typedef void (*later_fn) (struct gen *g, const struct ppi_op *op);

struct gen {
	struct emit e;
	const struct ppi_plan *plan;
	uintptr_t stub, back, tag;
	int32_t tls, self; /* from fs: ppi_scratch, ppi_self */
	enum reg saves[SAVED_MAX];
	unsigned n_saves;
	enum reg x, now, shard, frame;
	bool is_elapsed; /* X is not negative, and NOW is the time; else at a point */
	bool has_table;  /* the frame's register has the table of shards instead */
	label slow, pop;
	struct {
		later_fn fn;
		const struct ppi_op *op;
		label at, back;
	} later[LATER_MAX]; /* unusual code, behind the usual */
	unsigned n_later;
	label back_now; /* of the later one that is being emitted */
};

/* ---- frame of the code ------------------------------------------------------------------------------------------- */

static label later (struct gen *g, later_fn fn, const struct ppi_op *op)
{
	label at = emit_label (&g->e), back = emit_label (&g->e);

	if (g->n_later == LATER_MAX) {
		g->e.failed = true;
		return 0;
	}
	g->later[g->n_later].fn = fn;
	g->later[g->n_later].op = op;
	g->later[g->n_later].at = at;
	g->later[g->n_later++].back = back;
	return at;
}

/* Jumps to FN's code if C; it comes back to where this is called. */
static void unlikely (struct gen *g, enum condition c, later_fn fn, const struct ppi_op *op)
{
	emit_if (&g->e, c, later (g, fn, op));
	if (!g->e.failed)
		emit_here (&g->e, g->later[g->n_later - 1].back);
}

static void save_too (struct gen *g, enum reg r)
{
	g->saves[g->n_saves++] = r;
}

static void prologue (struct gen *g)
{
	struct emit *e = &g->e;

	emit_tls (e, BITS_64, 0x83, CMP_I, g->tls + TLS (guard));
	emit_byte (e, 0);
	emit_jump_if (e, IF_NOT_EQUAL, g->stub);
	emit_tls (e, BITS_64, STORE, RSP, g->tls + TLS (guard));
	for (unsigned i = 0; i < g->n_saves; i++)
		emit_tls (e, BITS_64, STORE, g->saves[i], g->tls + TLS (saved) + 8 * (int32_t) i);
}

static void restore (struct gen *g, uintptr_t to)
{
	struct emit *e = &g->e;

	for (unsigned i = 0; i < g->n_saves; i++)
		emit_tls (e, BITS_64, LOAD, g->saves[i], g->tls + TLS (saved) + 8 * (int32_t) i);
	emit_tls (e, BITS_64, 0xc7, 0, g->tls + TLS (guard));
	emit_32 (e, 0);
	emit_jump (e, to);
}

static void epilogue (struct gen *g)
{
	struct emit *e = &g->e;

	restore (g, g->back);
	for (unsigned i = 0; i < g->n_later; i++) {
		emit_here (e, g->later[i].at);
		g->back_now = g->later[i].back;
		g->later[i].fn (g, g->later[i].op);
	}
	emit_here (e, g->slow);
	restore (g, g->stub);
}

/* RAX = the time; RDX is lost */
static void clock (struct gen *g)
{
	emit_byte (&g->e, 0x0f);
	emit_byte (&g->e, 0x31);
	emit_shift (&g->e, SHL, RDX, 32);
	emit_reg (&g->e, BITS_64, OR, RAX, RDX);
}

/* RCX = the thread's line, entered as ppi_try_enter does it; TEMP is lost */
static void enter (struct gen *g, enum reg temp)
{
	struct emit *e = &g->e;

	emit_tls (e, BITS_64, LOAD, RCX, g->self);
	emit_mem_i8 (e, BITS_64, CMP_I, RCX, HOT_BUSY, 0);
	emit_if (e, IF_NOT_EQUAL, g->slow);
	emit_reg (e, BITS_64, LOAD, temp, RSP);
	emit_mem (e, BITS_64, SUB, temp, RCX, HOT_LO);
	emit_mem (e, BITS_64, CMP, temp, RCX, HOT_SPAN);
	emit_if (e, IF_NOT_BELOW, g->slow);
}

/* ---- shards ------------------------------------------------------------------------------------------------------ */

/* slow unless the thread's table has OP's slot; the first ones are in every table, and ppi_nobody does not get here */
static void table_reaches (struct gen *g, const struct ppi_op *op)
{
	if (op->slot < PPI_SLOTS_FIRST)
		return;
	emit_mem_i32 (&g->e, BITS_64, CMP_I, RCX, HOT_SLOTS, op->slot);
	emit_if (&g->e, IF_NOT_ABOVE, g->slow);
}

/* The register with the table of shards: the shard's own, unless there is one with it already. */
static enum reg table (struct gen *g)
{
	if (g->has_table)
		return g->frame;
	emit_mem (&g->e, BITS_64, LOAD, g->shard, RCX, HOT_TABLE);
	return g->shard;
}

/* slow unless there is a shard of OP; the shard's register is lost */
static void shard_exists (struct gen *g, const struct ppi_op *op)
{
	table_reaches (g, op);
	emit_mem_i8 (&g->e, BITS_64, CMP_I, table (g), (int32_t) (8 * op->slot), 0);
	emit_if (&g->e, IF_EQUAL, g->slow);
}

static void shard_load (struct gen *g, const struct ppi_op *op)
{
	emit_mem (&g->e, BITS_64, LOAD, g->shard, table (g), (int32_t) (8 * op->slot));
}

/* both at once */
static void shard_get (struct gen *g, const struct ppi_op *op)
{
	table_reaches (g, op);
	shard_load (g, op);
	emit_reg (&g->e, BITS_64, TEST, g->shard, g->shard);
	emit_if (&g->e, IF_EQUAL, g->slow);
}

/* slow where the window holds or gets squares that may not fit: accumulate_int.h */
static void series_is_usual (struct gen *g)
{
	struct emit *e = &g->e;

	emit_mem_i8 (e, BITS_64, CMP_I, g->shard, SERIES (fresh.n), 0);
	emit_if (e, IF_NOT_EQUAL, g->slow);
	emit_reg (e, BITS_64, LOAD, RAX, g->x);
	if (!g->is_elapsed) {
		emit_reg (e, BITS_64, LOAD, RDX, g->x);
		emit_shift (e, SAR, RDX, 63);
		emit_reg (e, BITS_64, XOR, RAX, RDX);
	}
	emit_shift (e, SHR, RAX, 53);
	emit_if (e, IF_NOT_EQUAL, g->slow);
}

/*
 * RAX + 8 * RDX = the counter of X, as ppi_histogram_find_int: with MAY_LEAVE slow where X is negative or its group is not
 * there yet
 */
static void find_counter (struct gen *g, bool may_leave)
{
	struct emit *e = &g->e;

	if (may_leave && !g->is_elapsed) {
		emit_reg (e, BITS_64, TEST, g->x, g->x);
		emit_if (e, IF_NEGATIVE, g->slow);
	}
	emit_reg (e, BITS_64, LOAD, RAX, g->x);
	emit_reg_i32 (e, BITS_64, OR_I, RAX, PPI_GROUP_WORDS);
	emit_bytes (e, (const uint8_t[]){0x48, 0x0f, 0xbd, 0xc8}, 4); /* bsr rax, rcx */
	emit_reg_i32 (e, BITS_32, SUB_I, RCX, GROUP_BITS);
	emit_reg (e, BITS_64, LOAD, RDX, g->x);
	emit_reg (e, BITS_64, 0xd3, SHR, RDX); /* by cl */
	emit_reg (e, BITS_64, LOAD, RAX, RDX);
	emit_shift (e, SHR, RAX, GROUP_BITS);
	emit_reg (e, BITS_64, ADD, RCX, RAX);
	emit_index (e, BITS_64, LOAD, RAX, g->shard, RCX, (int32_t) offsetof (struct ppi_histogram_shard, group));
	emit_tls (e, BITS_64, LOAD, RCX, g->self);
	if (may_leave) {
		emit_reg (e, BITS_64, TEST, RAX, RAX);
		emit_if (e, IF_EQUAL, g->slow);
	}
	emit_reg (e, BITS_64, ADD, RAX, g->shard);
	emit_reg_i32 (e, BITS_32, AND_I, RDX, PPI_GROUP_WORDS - 1);
}

/* ---- accumulators ------------------------------------------------------------------------------------------------ */

/* the 128 bits at the shard's OFFSET += VALUE, signed; TEMP is lost */
static void add_wide (struct gen *g, int32_t offset, enum reg value, enum reg temp)
{
	struct emit *e = &g->e;

	emit_reg (e, BITS_64, LOAD, temp, value);
	emit_shift (e, SAR, temp, 63);
	emit_mem (e, BITS_64, ADD_TO, value, g->shard, offset);
	emit_mem (e, BITS_64, ADC_TO, temp, g->shard, offset + 8);
}

/* the 128 bits at the shard's OFFSET += RDX:RAX */
static void add_product (struct gen *g, int32_t offset)
{
	emit_mem (&g->e, BITS_64, ADD_TO, RAX, g->shard, offset);
	emit_mem (&g->e, BITS_64, ADC_TO, RDX, g->shard, offset + 8);
}

/* Sums of ticks pass 2^64 after centuries: a jump is cheaper than adding the carry. */
static void later_carry (struct gen *g, const struct ppi_op *op)
{
	(void) op;
	emit_inc (&g->e, BITS_64, g->shard, SHARD_SUM + 8);
	emit_goto (&g->e, g->back_now);
}

static void add_sum (struct gen *g)
{
	if (!g->is_elapsed) {
		add_wide (g, SHARD_SUM, g->x, RDX);
		return;
	}
	emit_mem (&g->e, BITS_64, ADD_TO, g->x, g->shard, SHARD_SUM);
	unlikely (g, IF_BELOW, later_carry, NULL);
}

/* ppi_stamp_slow, inline; RAX is the stamp */
static void later_stamp (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;
	label is_nobody = emit_label (e), rare = emit_label (e), back = g->back_now;

	(void) op;
	emit_constant (e, RDX, (uint64_t) (uintptr_t) &ppi_newest);
	emit_mem_i8 (e, BITS_64, CMP_I, RDX, 0, PPI_NOBODY);
	emit_if (e, IF_EQUAL, is_nobody);
	emit_store_i32 (e, BITS_64, RDX, 0, PPI_NOBODY);
	clock (g);
	emit_tls (e, BITS_64, STORE, RAX, g->tls + TLS (stamp));
	emit_goto (e, back);
	emit_here (e, is_nobody);
	clock (g);
	emit_tls (e, BITS_64, STORE, RAX, g->tls + TLS (stamp));
	emit_tls (e, BITS_64, LOAD, RDX, g->tls + TLS (turns));
	emit_reg_i32 (e, BITS_64, ADD_I, RDX, 1);
	emit_tls (e, BITS_64, STORE, RDX, g->tls + TLS (turns));
	emit_reg_i32 (e, BITS_32, AND_I, RDX, PPI_STAMP_TURNS - 1);
	emit_if (e, IF_EQUAL, rare);
	emit_goto (e, back);
	/* takes the word; its id is the address of its scratch */
	emit_here (e, rare);
	emit_tls (e, BITS_64, LOAD, RDX, 0);
	emit_reg_i32 (e, BITS_64, ADD_I, RDX, g->tls);
	emit_tls (e, BITS_64, STORE, RDX, g->tls + TLS (id));
	emit_constant (e, RAX, (uint64_t) (uintptr_t) &ppi_newest);
	emit_mem (e, BITS_64, STORE, RDX, RAX, 0);
	emit_tls (e, BITS_64, LOAD, RAX, g->tls + TLS (stamp));
	emit_goto (e, back);
}

/* RAX = ppi_stamp () */
static void stamp (struct gen *g)
{
	struct emit *e = &g->e;

	emit_constant (e, RAX, (uint64_t) (uintptr_t) &ppi_newest);
	emit_mem (e, BITS_64, LOAD, RAX, RAX, 0);
	emit_tls (e, BITS_64, CMP, RAX, g->tls + TLS (id));
	emit_if (e, IF_NOT_EQUAL, later (g, later_stamp, NULL));
	emit_tls (e, BITS_64, 0xff, 0, g->tls + TLS (stamp)); /* inc */
	emit_tls (e, BITS_64, LOAD, RAX, g->tls + TLS (stamp));
	if (!e->failed)
		emit_here (e, g->later[g->n_later - 1].back);
}

static void set_last (struct gen *g)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, STORE, g->x, g->shard, SHARD_LAST);
	if (!g->is_elapsed)
		stamp (g);
	emit_mem (e, BITS_64, STORE, g->is_elapsed ? g->now : RAX, g->shard, SHARD_LAST_TICKS);
}

static void later_min (struct gen *g, const struct ppi_op *op)
{
	(void) op;
	emit_mem (&g->e, BITS_64, STORE, g->x, g->shard, SHARD_MIN);
	emit_goto (&g->e, g->back_now);
}

static void later_max (struct gen *g, const struct ppi_op *op)
{
	(void) op;
	emit_mem (&g->e, BITS_64, STORE, g->x, g->shard, SHARD_MAX);
	emit_goto (&g->e, g->back_now);
}

/* the first sample is both */
static void later_first (struct gen *g, const struct ppi_op *op)
{
	emit_mem (&g->e, BITS_64, STORE, g->x, g->shard, SHARD_MIN);
	later_max (g, op);
}

static void set_range (struct gen *g)
{
	struct emit *e = &g->e;

	emit_mem_i8 (e, BITS_64, CMP_I, g->shard, SHARD_N, 0);
	unlikely (g, IF_EQUAL, later_first, NULL);
	emit_mem (e, BITS_64, CMP, g->x, g->shard, SHARD_MIN);
	unlikely (g, IF_LESS, later_min, NULL);
	emit_mem (e, BITS_64, CMP, g->x, g->shard, SHARD_MAX);
	unlikely (g, IF_GREATER, later_max, NULL);
}

/* past 2^128: stays there */
static void later_saturated (struct gen *g, const struct ppi_op *op)
{
	(void) op;
	emit_store_i32 (&g->e, BITS_64, g->shard, SHARD_SQUARES, -1);
	emit_store_i32 (&g->e, BITS_64, g->shard, SHARD_SQUARES + 8, -1);
	emit_goto (&g->e, g->back_now);
}

/* The last that looks at RAX and RDX, where they are X and NOW. */
static void add_square (struct gen *g)
{
	if (g->x != RAX)
		emit_reg (&g->e, BITS_64, LOAD, RAX, g->x);
	emit_imul (&g->e, RAX);
	add_product (g, SHARD_SQUARES);
	unlikely (g, IF_BELOW, later_saturated, NULL);
}

/* The window is not full yet. */
static void later_grow (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;

	(void) op;
	emit_index (e, BITS_64, STORE, g->x, g->shard, R10, SERIES (ring));
	add_wide (g, SERIES (window.sum), g->x, RDX);
	emit_reg (e, BITS_64, LOAD, RAX, g->x);
	emit_imul (e, RAX);
	add_product (g, SERIES (window.squares));
	emit_inc (e, BITS_64, g->shard, SERIES (window.n));
	emit_goto (e, g->back_now);
}

static void later_wrap (struct gen *g, const struct ppi_op *op)
{
	(void) op;
	emit_reg (&g->e, BITS_32, XOR, R10, R10);
	emit_goto (&g->e, g->back_now);
}

/* ppi_window_slide_int without huge samples; x² - old² = (x - old)(x + old), both within 2^54 */
static void slide_window (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;
	label grow, grown = emit_label (e);

	emit_mem (e, BITS_64, LOAD, R10, g->shard, SERIES (next));
	emit_mem_i32 (e, BITS_64, CMP_I, g->shard, SERIES (window.n), (int64_t) op->size);
	grow = later (g, later_grow, op);
	if (e->failed)
		return;
	g->later[g->n_later - 1].back = grown;
	emit_if (e, IF_NOT_EQUAL, grow);
	emit_index (e, BITS_64, LOAD, R11, g->shard, R10, SERIES (ring));
	emit_index (e, BITS_64, STORE, g->x, g->shard, R10, SERIES (ring));
	emit_reg (e, BITS_64, LOAD, RAX, g->x);
	emit_reg (e, BITS_64, LOAD, RDX, g->x);
	emit_reg (e, BITS_64, ADD, RDX, R11);
	emit_reg (e, BITS_64, SUB, RAX, R11);
	add_wide (g, SERIES (window.sum), RAX, R11);
	emit_imul (e, RDX);
	add_product (g, SERIES (window.squares));
	emit_here (e, grown);
	emit_reg_i32 (e, BITS_64, ADD_I, R10, 1);
	emit_reg_i32 (e, BITS_64, CMP_I, R10, (int64_t) op->size);
	unlikely (g, IF_EQUAL, later_wrap, op);
	emit_mem (e, BITS_64, STORE, R10, g->shard, SERIES (next));
}

/* ppi_accumulate_int. A seq that was odd, left so by siglongjmp, becomes even here as it does there. */
static void accumulate (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;
	unsigned a = op->accumulator;

	emit_mem_i8 (e, BITS_32, OR_I, g->shard, SHARD_SEQ, 1);
	if (a == PPI_SUMCOUNT || a == PPI_STATS || a == PPI_BOUNDED_SERIES || a == PPI_HISTOGRAM)
		add_sum (g);
	if (a != PPI_COUNT)
		set_last (g);
	if (a == PPI_STATS) {
		set_range (g);
		add_square (g);
	}
	if (a == PPI_HISTOGRAM) {
		set_range (g);
		find_counter (g, false);
		emit_rex (e, BITS_64, 0, RDX, RAX);
		emit_bytes (e, (const uint8_t[]){0xff, 0x04, 0xd0}, 3); /* inc (rax + 8 * rdx) */
	}
	if (a == PPI_BOUNDED_SERIES)
		slide_window (g, op);
	emit_inc (e, BITS_64, g->shard, SHARD_N);
	emit_inc (e, BITS_32, g->shard, SHARD_SEQ);
}

/* ---- plans -------------------------------------------------------------------------------------------------------- */

static bool keeps (const struct ppi_plan *plan, enum ppi_accumulator accumulator)
{
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (plan->ops[i].accumulator == accumulator)
			return true;
	return false;
}

static bool keeps_only_counts (const struct ppi_plan *plan)
{
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (plan->ops[i].accumulator != PPI_COUNT)
			return false;
	return true;
}

/* ---- every: N ---------------------------------------------------------------------------------------------------- */

static bool skips (const struct ppi_op *op)
{
	return op->every > 1;
}

static unsigned count_skipping (const struct ppi_plan *plan)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < plan->n_ops; i++)
		n += skips (&plan->ops[i]);
	return n;
}

static bool all_skip (const struct ppi_plan *plan)
{
	return count_skipping (plan) == plan->n_ops;
}

static int64_t bit_of (const struct ppi_plan *plan, const struct ppi_op *op)
{
	return INT64_C (1) << (op - plan->ops);
}

/* One of N: the others count down. Sets the flags to "below" where this one is sampled. */
static void count_down (struct gen *g)
{
	emit_mem_i8 (&g->e, BITS_32, SUB_I, g->shard, SHARD_SKIP, 1);
}

static void begin_anew (struct gen *g, const struct ppi_op *op)
{
	emit_store_i32 (&g->e, BITS_32, g->shard, SHARD_SKIP, (int32_t) (op->every - 1));
}

static void later_sampled (struct gen *g, const struct ppi_op *op)
{
	label back = g->back_now;

	begin_anew (g, op);
	emit_reg_i32 (&g->e, BITS_64, SUB_I, RDI, bit_of (g->plan, op));
	emit_goto (&g->e, back);
}

/* The frame in RDX gets the time of now; RAX is lost. */
static void set_time (struct gen *g)
{
	struct emit *e = &g->e;

	emit_tls (e, BITS_64, STORE, RDX, g->tls + TLS (saved) + 8 * SAVED_SPARE);
	clock (g);
	emit_tls (e, BITS_64, LOAD, RDX, g->tls + TLS (saved) + 8 * SAVED_SPARE);
	emit_mem (e, BITS_64, STORE, RAX, RDX, FRAME_TICKS);
}

static void later_timed (struct gen *g, const struct ppi_op *op)
{
	label back = g->back_now;

	(void) op;
	set_time (g);
	emit_goto (&g->e, back);
}

static void later_only_one (struct gen *g, const struct ppi_op *op)
{
	label back = g->back_now;

	begin_anew (g, op);
	emit_store_i32 (&g->e, BITS_64, RDX, FRAME_SKIPPED, 0);
	if (op->accumulator != PPI_COUNT)
		set_time (g);
	emit_goto (&g->e, back);
}

/* Where a plan of one metric is sampled now and then, most executions shall cost little. */
static void decide_one (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;
	label decided = emit_label (e), sampled;

	shard_get (g, op);
	emit_store_i32 (e, BITS_64, RDX, FRAME_TICKS, 0);
	count_down (g);
	sampled = later (g, later_only_one, op);
	if (e->failed)
		return;
	g->later[g->n_later - 1].back = decided;
	emit_if (e, IF_BELOW, sampled);
	emit_store_i32 (e, BITS_64, RDX, FRAME_SKIPPED, 1);
	emit_here (e, decided);
}

/*
 * Which ops are not sampled, for the frame in RDX. Where none is, the clock is not read: that open interval has no age until
 * somebody asks for it (ppi_site_open_age).
 */
static void decide (struct gen *g)
{
	struct emit *e = &g->e;
	const struct ppi_plan *plan = g->plan;
	int64_t all = 0;

	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (skips (&plan->ops[i])) {
			shard_exists (g, &plan->ops[i]);
			all += bit_of (plan, &plan->ops[i]);
		}
	emit_reg (e, BITS_32, 0xc7, 0, RDI);
	emit_32 (e, all);
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (skips (&plan->ops[i])) {
			shard_load (g, &plan->ops[i]);
			count_down (g);
			unlikely (g, IF_BELOW, later_sampled, &plan->ops[i]);
		}
	emit_mem (e, BITS_64, STORE, RDI, RDX, FRAME_SKIPPED);
	if (!all_skip (plan) || keeps_only_counts (plan))
		return;
	emit_store_i32 (e, BITS_64, RDX, FRAME_TICKS, 0);
	emit_reg_i32 (e, BITS_64, CMP_I, RDI, all);
	unlikely (g, IF_NOT_EQUAL, later_timed, NULL);
}

/* ---- begin ------------------------------------------------------------------------------------------------------- */

/* Intervals of one activation, nested: a frame of this tag among them was left behind, and so was one below. RDX: the top */
static void later_same_sp (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;
	label again = emit_label (e), twin = emit_label (e), back = g->back_now;

	(void) op;
	emit_if (e, IF_BELOW, g->slow);
	emit_tls (e, BITS_64, STORE, RSI, g->tls + TLS (saved) + 8 * SAVED_SPARE);
	emit_address (e, RSI, g->tag);
	emit_here (e, again);
	emit_mem (e, BITS_64, CMP_TO, RSI, RDX, FRAME_TAG);
	emit_if (e, IF_EQUAL, twin);
	emit_mem (e, BITS_64, LOAD, RDX, RDX, FRAME_PREV);
	emit_mem (e, BITS_64, CMP_TO, RSP, RDX, FRAME_SP);
	emit_if (e, IF_EQUAL, again);
	emit_mem (e, BITS_64, LOAD, RDX, RCX, HOT_TOP);
	emit_tls (e, BITS_64, LOAD, RSI, g->tls + TLS (saved) + 8 * SAVED_SPARE);
	emit_goto (e, back);
	emit_here (e, twin);
	emit_tls (e, BITS_64, LOAD, RSI, g->tls + TLS (saved) + 8 * SAVED_SPARE);
	emit_goto (e, g->slow);
}

/* RDX = the place for a frame, as ppi_frame_try_room */
static void find_room (struct gen *g)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, LOAD, RDX, RCX, HOT_TOP);
	emit_mem (e, BITS_64, CMP_TO, RSP, RDX, FRAME_SP);
	unlikely (g, IF_NOT_ABOVE, later_same_sp, NULL);
	emit_mem (e, BITS_64, SUB, RDX, RCX, HOT_FIRST);
	emit_reg_i32 (e, BITS_64, ADD_I, RDX, FRAME_BYTES);
	emit_reg_i32 (e, BITS_64, CMP_I, RDX, FRAME_PAGE_BYTES - FRAME_PAGE_FIRST);
	emit_if (e, IF_NOT_BELOW, g->slow);
	emit_mem (e, BITS_64, ADD, RDX, RCX, HOT_FIRST);
}

static void make_begin (struct gen *g)
{
	struct emit *e = &g->e;
	const struct ppi_plan *plan = g->plan;
	bool decides = count_skipping (plan) > 0, is_timed = !all_skip (plan) && !keeps_only_counts (plan);

	save_too (g, RAX);
	save_too (g, RDX);
	save_too (g, RCX);
	g->shard = RAX;
	if (decides && plan->n_ops > 1) {
		save_too (g, g->shard = RSI);
		save_too (g, RDI);
	}
	prologue (g);
	if (is_timed)
		clock (g);
	enter (g, RDX);
	find_room (g);
	if (decides && plan->n_ops == 1)
		decide_one (g, plan->ops);
	else if (decides)
		decide (g);
	else if (plan->n_ops > 1)
		emit_store_i32 (e, BITS_64, RDX, FRAME_SKIPPED, 0);
	if (is_timed)
		emit_mem (e, BITS_64, STORE, RAX, RDX, FRAME_TICKS);
	else if (keeps_only_counts (plan) && !(decides && plan->n_ops == 1))
		emit_store_i32 (e, BITS_64, RDX, FRAME_TICKS, 0);
	emit_mem (e, BITS_64, STORE, RSP, RDX, FRAME_SP);
	emit_mem (e, BITS_64, LOAD, RAX, RCX, HOT_TOP);
	emit_mem (e, BITS_64, STORE, RAX, RDX, FRAME_PREV);
	emit_address (e, RAX, g->tag);
	emit_mem (e, BITS_64, STORE, RAX, RDX, FRAME_TAG);
	emit_constant (e, RAX, (uint64_t) (uintptr_t) plan);
	emit_mem (e, BITS_64, STORE, RAX, RDX, FRAME_PLAN);
	emit_mem (e, BITS_64, STORE, RDX, RCX, HOT_TOP);
	epilogue (g);
}

/* ---- end --------------------------------------------------------------------------------------------------------- */

/* The top frame, if it is this interval's; TEMP is lost */
static void find_frame (struct gen *g, enum reg temp)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, LOAD, g->frame, RCX, HOT_TOP);
	emit_address (e, temp, g->tag);
	emit_mem (e, BITS_64, CMP_TO, temp, g->frame, FRAME_TAG);
	emit_if (e, IF_NOT_EQUAL, g->slow);
	emit_mem (e, BITS_64, CMP_TO, RSP, g->frame, FRAME_SP);
	emit_if (e, IF_BELOW, g->slow);
	emit_constant (e, temp, (uint64_t) (uintptr_t) g->plan);
	emit_mem (e, BITS_64, CMP_TO, temp, g->frame, FRAME_PLAN);
	emit_if (e, IF_NOT_EQUAL, g->slow);
}

/* Everything that may still say no. */
static void all_are_usual (struct gen *g)
{
	const struct ppi_plan *plan = g->plan;

	for (uint32_t i = 0; i < plan->n_ops; i++) {
		unsigned a = plan->ops[i].accumulator;

		if (plan->n_ops == 1 || a == PPI_BOUNDED_SERIES || a == PPI_HISTOGRAM)
			shard_get (g, &plan->ops[i]);
		else
			shard_exists (g, &plan->ops[i]);
		if (a == PPI_BOUNDED_SERIES)
			series_is_usual (g);
		if (a == PPI_HISTOGRAM)
			find_counter (g, true);
	}
}

/* X and NOW, of the frame and the time in RAX */
static void take_difference (struct gen *g)
{
	struct emit *e = &g->e;

	emit_reg (e, BITS_64, LOAD, g->now, RAX);
	emit_mem (e, BITS_64, SUB, RAX, g->frame, FRAME_TICKS);
	emit_if (e, IF_NEGATIVE, g->slow); /* where the clock went back: in C */
	if (g->x != RAX)
		emit_reg (e, BITS_64, LOAD, g->x, RAX);
}

static void accumulate_all (struct gen *g)
{
	struct emit *e = &g->e;
	const struct ppi_plan *plan = g->plan;

	if (plan->n_ops == 1) {
		accumulate (g, plan->ops);
		return;
	}
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		label next = emit_label (e);

		if (skips (op)) {
			emit_mem (e, BITS_32, 0xf7, 0, g->frame, FRAME_SKIPPED); /* test */
			emit_32 (e, bit_of (plan, op));
			emit_if (e, IF_NOT_EQUAL, next);
		}
		shard_load (g, op);
		accumulate (g, op);
		emit_here (e, next);
	}
}

/* Where the top frame's register has something else by now, it is loaded again. */
static void pop_frame (struct gen *g)
{
	struct emit *e = &g->e;

	if (g->has_table)
		emit_mem (e, BITS_64, LOAD, g->frame, RCX, HOT_TOP);
	emit_mem (e, BITS_64, LOAD, RAX, g->frame, FRAME_PREV);
	emit_mem (e, BITS_64, STORE, RAX, RCX, HOT_TOP);
}

/* What an end needs beyond RAX, RDX and RCX where it takes a time: the frame in RDI, a shard in RSI. Returns how many. */
static unsigned timed_registers (struct gen *g, enum reg out[6])
{
	const struct ppi_plan *plan = g->plan;
	bool is_series = keeps (plan, PPI_BOUNDED_SERIES);
	unsigned n = 0;

	out[n++] = RSI;
	out[n++] = RDI;
	g->shard = RSI;
	g->frame = RDI;
	g->is_elapsed = true;
	g->x = RAX;
	g->now = RDX;
	if (plan->n_ops > 1 || is_series || keeps (plan, PPI_HISTOGRAM)) {
		out[n++] = g->x = R8;
		out[n++] = g->now = R9;
	}
	if (is_series) {
		out[n++] = R10;
		out[n++] = R11;
	}
	return n;
}

/* The frame is in RDX; most executions of this plan are not sampled and have gone another way. */
static void later_end (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;
	label slow = g->slow;
	enum reg more[6];
	unsigned n = timed_registers (g, more);
	int32_t saved = g->tls + TLS (saved) + 8 * (int32_t) g->n_saves;

	(void) op;
	for (unsigned i = 0; i < n; i++)
		emit_tls (e, BITS_64, STORE, more[i], saved + 8 * (int32_t) i);
	g->slow = emit_label (e);
	emit_reg (e, BITS_64, LOAD, g->frame, RDX);
	clock (g);
	take_difference (g);
	all_are_usual (g);
	accumulate_all (g);
	emit_reg (e, BITS_64, LOAD, RDX, g->frame);
	for (unsigned i = 0; i < n; i++)
		emit_tls (e, BITS_64, LOAD, more[i], saved + 8 * (int32_t) i);
	emit_goto (e, g->pop);
	emit_here (e, g->slow);
	for (unsigned i = 0; i < n; i++)
		emit_tls (e, BITS_64, LOAD, more[i], saved + 8 * (int32_t) i);
	emit_goto (e, slow);
	g->slow = slow;
}

/* Ends that need no time, mostly or always: with three registers. */
static void make_light_end (struct gen *g)
{
	struct emit *e = &g->e;

	g->shard = RAX;
	g->frame = RDX;
	prologue (g);
	enter (g, RAX);
	find_frame (g, RAX);
	if (all_skip (g->plan)) {
		emit_mem_i32 (e, BITS_64, CMP_I, RDX, FRAME_SKIPPED, (INT64_C (1) << g->plan->n_ops) - 1);
		if (!keeps_only_counts (g->plan))
			emit_if (e, IF_NOT_EQUAL, later (g, later_end, NULL));
		else
			emit_if (e, IF_EQUAL, g->pop);
	}
	if (keeps_only_counts (g->plan)) {
		all_are_usual (g);
		accumulate_all (g);
	}
	emit_here (e, g->pop);
	pop_frame (g);
	epilogue (g);
}

static void make_end (struct gen *g)
{
	const struct ppi_plan *plan = g->plan;
	enum reg more[6];
	unsigned n;

	save_too (g, RAX);
	save_too (g, RDX);
	save_too (g, RCX);
	if (all_skip (plan) || keeps_only_counts (plan)) {
		make_light_end (g);
		return;
	}
	n = timed_registers (g, more);
	for (unsigned i = 0; i < n; i++)
		save_too (g, more[i]);
	prologue (g);
	clock (g);
	enter (g, RDX);
	find_frame (g, RSI);
	take_difference (g);
	if (plan->n_ops > 1 && !count_skipping (plan)) {
		emit_mem (&g->e, BITS_64, LOAD, g->frame, RCX, HOT_TABLE);
		g->has_table = true;
	}
	all_are_usual (g);
	accumulate_all (g);
	pop_frame (g);
	epilogue (g);
}

/* ---- point ------------------------------------------------------------------------------------------------------- */

/* X is the captured value, from VALUE. */
static void make_point (struct gen *g, enum reg value)
{
	struct emit *e = &g->e;
	const struct ppi_plan *plan = g->plan;
	bool has_value = !keeps_only_counts (plan);

	g->x = RDI;
	g->shard = RAX;
	save_too (g, RAX);
	save_too (g, RCX);
	if (has_value) {
		save_too (g, RDX);
		save_too (g, g->shard = RSI);
		save_too (g, g->x);
	}
	if (keeps (plan, PPI_BOUNDED_SERIES)) {
		save_too (g, R10);
		save_too (g, R11);
	}
	prologue (g);
	if (has_value && value != g->x)
		emit_reg (e, BITS_64, LOAD, g->x, value);
	enter (g, RAX);
	all_are_usual (g);
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		label next = emit_label (e);

		if (plan->n_ops > 1)
			shard_load (g, op);
		if (skips (op)) {
			count_down (g);
			emit_if (e, IF_NOT_BELOW, next);
			begin_anew (g, op);
		}
		accumulate (g, op);
		emit_here (e, next);
	}
	epilogue (g);
}

/* ---- the marker -------------------------------------------------------------------------------------------------- */

/* The register that the marker's stub pushes as its value: lea -128(%rsp), %rsp; push value; push %rdi; push %rsi */
static bool value_of (uintptr_t stub, enum reg *value)
{
	static const uint8_t red_zone[] = {0x48, 0x8d, 0x64, 0x24, 0x80}, saved[] = {0x57, 0x56};
	const uint8_t *at = (const uint8_t *) stub;
	unsigned high = 0;

	if (memcmp (at, red_zone, sizeof (red_zone)) != 0)
		return false;
	at += sizeof (red_zone);
	if ((*at & 0xfe) == 0x40)
		high = *at++ & 1;
	if ((*at & 0xf8) != 0x50 || memcmp (at + 1, saved, sizeof (saved)) != 0)
		return false;
	*value = (*at & 7) | high << 3;
	return *value != RSP;
}

static bool is_made (unsigned accumulator)
{
	return accumulator == PPI_SCALAR || accumulator == PPI_COUNT || accumulator == PPI_SUMCOUNT ||
	       accumulator == PPI_STATS || accumulator == PPI_BOUNDED_SERIES || accumulator == PPI_HISTOGRAM;
}

/* Does anything here need what only C does? */
static bool is_usual (const struct ppi_plan *plan, unsigned op)
{
	if (plan->general || !plan->n_ops || plan->n_ops > PPI_BLOCK_OPS)
		return false;
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *o = &plan->ops[i];
		unsigned class = op == PP_ABI_POINT ? PPI_SOURCE_VALUE : PPI_SOURCE_TICKS;

		if (!is_made (o->accumulator) || (o->accumulator != PPI_COUNT && o->class != class))
			return false;
		if (o->slot > INT32_MAX / 8 || o->size > INT32_MAX || o->every > INT32_MAX)
			return false;
	}
	return true;
}

static int32_t from_fs (const volatile void *tls)
{
	return (int32_t) (intptr_t) ((uintptr_t) tls - pp_arch_thread_pointer ());
}

uintptr_t pp_arch_block_resume (const struct pp_abi_marker *marker)
{
	return (uintptr_t) &marker->nop + (uintptr_t) (intptr_t) marker->nop + PP_ABI_X86_NOP_BYTES;
}

size_t pp_arch_block_make (const struct ppi_plan *plan, const struct pp_abi_marker *marker, uintptr_t at, uint8_t *out)
{
	struct gen g = {.plan = plan, .e = {.out = out, .room = PPI_BLOCK_BYTES, .at = at}};
	enum reg value = RDI;

	if (!is_usual (plan, marker->op) || (marker->flags & PP_ABI_MARKER_COLD))
		return 0;
	g.stub = pp_arch_stub (marker);
	g.back = pp_arch_block_resume (marker);
	g.tag = (uintptr_t) &marker->site + (uintptr_t) (intptr_t) marker->site + marker->depth;
	g.tls = from_fs (&ppi_scratch);
	g.self = from_fs (&ppi_self);
	g.slow = emit_label (&g.e);
	g.pop = emit_label (&g.e);
	if (marker->op == PP_ABI_BEGIN)
		make_begin (&g);
	else if (marker->op == PP_ABI_END)
		make_end (&g);
	else if (keeps_only_counts (plan) || (!plan->is_array && value_of (g.stub, &value)))
		make_point (&g, value);
	else
		return 0;
	emit_finish (&g.e);
	return g.e.failed ? 0 : g.e.n;
}

PP_ABI_ASSERT (sizeof (ppi_scratch.saved) / 8 > SAVED_SPARE);

/* ---- unwinding --------------------------------------------------------------------------------------------------- */

/*
 * One FDE for an arena: the stack is the marker's everywhere, and where the program goes on stands in RETURNS, one word for each
 * line of the arena. An 'S' frame: the address is where it goes on, not behind a call. Registers that a block uses are not
 * to be had meanwhile.
 */
size_t pp_arch_block_unwind (uintptr_t code, size_t bytes, const uint64_t *returns, uint8_t *out, size_t room)
{
	static const uint8_t lost[] = {0, 1, 2, 4, 5, 8, 9, 10, 11}; /* rax, rdx, rcx, rsi, rdi, r8 to r11 */
	enum { DEF_CFA = 0x0c, VAL_EXPRESSION = 0x16, UNDEFINED = 0x07, RIP = 16, DWARF_RSP = 7 };
	struct emit e = {.out = out, .room = room};
	uint32_t first_bytes, second_bytes;
	size_t begin, length;

	/* the common part */
	emit_32 (&e, 0);
	emit_32 (&e, 0);
	emit_bytes (&e, "\1zRS", 5);
	emit_bytes (&e, "\1\x78\x10\1", 4); /* code 1, data -8, return address 16, one byte: */
	emit_byte (&e, 0);                  /* absolute addresses */
	emit_bytes (&e, (const uint8_t[]){DEF_CFA, DWARF_RSP, 0}, 3);
	for (size_t i = 0; i < sizeof (lost); i++)
		emit_bytes (&e, (const uint8_t[]){UNDEFINED, lost[i]}, 2);
	/* breg16 0; addr code; minus; lit6; shr; lit3; shl; addr returns; plus; deref */
	emit_bytes (&e, (const uint8_t[]){VAL_EXPRESSION, RIP, 27, 0x80, 0, 0x03}, 6);
	emit_bytes (&e, &code, 8);
	emit_bytes (&e, (const uint8_t[]){0x1c, 0x36, 0x25, 0x33, 0x24, 0x03}, 6);
	emit_bytes (&e, &returns, 8);
	emit_bytes (&e, (const uint8_t[]){0x22, 0x06}, 2);
	while (e.n % 8 != 4 && !e.failed)
		emit_byte (&e, 0);
	length = e.n - 4;
	begin = e.n;
	/* the arena's */
	emit_32 (&e, 0);
	emit_32 (&e, (int64_t) begin + 4);
	emit_bytes (&e, &code, 8);
	emit_bytes (&e, &bytes, 8);
	emit_byte (&e, 0);
	while ((e.n - begin) % 8 != 4 && !e.failed)
		emit_byte (&e, 0);
	emit_32 (&e, 0); /* the end of all */
	if (e.failed)
		return 0;
	first_bytes = (uint32_t) length;
	second_bytes = (uint32_t) (e.n - 4 - begin - 4);
	memcpy (out, &first_bytes, 4);
	memcpy (out + begin, &second_bytes, 4);
	return e.n;
}
