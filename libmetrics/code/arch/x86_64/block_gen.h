/* SPDX-License-Identifier: MIT */
/*
 * block_gen.h: what the makers of blocks share: the block that is being made, how it begins and
 * ends, how it finds the thread and a shard. block.c says what a block is like.
 *
 *      block.c              which markers have one, points
 *      block_interval.c     begins and ends, `every`
 *      block_light.c        the short ways of light plans
 *      block_accumulate.c   a sample into a shard
 *      block_check.c        checks that certainly pass
 *      block_call.c         functions of the user's
 *      block_mark.c         frames that observers see
 *      block_flight.c       the flight recorder's entries
 *      block_feature.c      marks of features that are measured
 *      block_unwind.c       the description for unwinders
 */
#ifndef PP_ARCH_BLOCK_GEN_H
#define PP_ARCH_BLOCK_GEN_H

#include "base/ticks.h"
#include "libmetrics/code/block.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/region/region.h" /* PPI_FRAME_PAGE */
#include "libmetrics/source/source.h"
#include "libmetrics/thread/light.h"

#include "emit.h"

#define HOT_LO ((int32_t) offsetof (struct ppi_hot, lo))
#define HOT_SPAN ((int32_t) offsetof (struct ppi_hot, span))
#define HOT_TOP ((int32_t) offsetof (struct ppi_hot, top))
#define HOT_BUSY ((int32_t) offsetof (struct ppi_hot, busy))
#define HOT_FIRST ((int32_t) offsetof (struct ppi_hot, first))
#define HOT_TABLE ((int32_t) offsetof (struct ppi_hot, table))
#define HOT_SLOTS ((int32_t) offsetof (struct ppi_hot, slots))
#define HOT_THREAD ((int32_t) offsetof (struct ppi_hot, thread))

#define FRAME_TAG ((int32_t) offsetof (struct ppi_frame, tag))
#define FRAME_SP ((int32_t) offsetof (struct ppi_frame, sp))
#define FRAME_PREV ((int32_t) offsetof (struct ppi_frame, prev))
#define FRAME_PLAN ((int32_t) offsetof (struct ppi_frame, plan))
#define FRAME_TICKS ((int32_t) offsetof (struct ppi_frame, begin_ticks))
#define FRAME_SKIPPED ((int32_t) offsetof (struct ppi_frame, skipped))
#define FRAME_SLOTS ((int32_t) offsetof (struct ppi_frame, slots))
#define FRAME_BYTES ((int32_t) sizeof (struct ppi_frame))
#define FRAME_PAGE_BYTES ((int32_t) PPI_FRAME_PAGE)
#define FRAME_PAGE_FIRST ((int32_t) PPI_FRAME_FIRST)

#define SHARD_SEQ ((int32_t) offsetof (struct ppi_shard, seq))
#define SHARD_SKIP ((int32_t) offsetof (struct ppi_shard, skip))
#define SHARD_LAST ((int32_t) offsetof (struct ppi_shard, last))
#define SHARD_LAST_TICKS ((int32_t) offsetof (struct ppi_shard, last_ticks))
#define SHARD_N ((int32_t) offsetof (struct ppi_shard, all.n))
#define SHARD_SUM ((int32_t) offsetof (struct ppi_shard, all.sum))
#define SHARD_SQUARES ((int32_t) offsetof (struct ppi_shard, all.squares))
#define SHARD_MIN ((int32_t) offsetof (struct ppi_shard, min))
#define SHARD_MAX ((int32_t) offsetof (struct ppi_shard, max))
#define SHARD_WAITING ((int32_t) offsetof (struct ppi_shard, waiting))

#define TLS(field) ((int32_t) offsetof (struct ppi_scratch, field))
#define LIGHT(field) ((int32_t) offsetof (struct ppi_light, field))
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
	enum reg index;  /* of a series' ring, for a moment: R10, or the frame's register */
	bool is_elapsed; /* X is not negative, and NOW is the time; else at a point */
	bool has_table;  /* the frame's register has the table of shards instead */
	label slow, pop;
	/*
	 * from fs: of the plan in ppi_lights; where the plan is not light, or not at this marker: 0
	 */
	int32_t light;
	struct {
		later_fn fn;
		const struct ppi_op *op;
		label at, back;
	} later[LATER_MAX]; /* unusual code, behind the usual */
	unsigned n_later;
	label back_now; /* of the later one that is being emitted */
};

/* ---- frame of the code ----------------------------------------------------------------------- */

static inline label later (struct gen *g, later_fn fn, const struct ppi_op *op)
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
static inline void unlikely (struct gen *g, enum condition c, later_fn fn, const struct ppi_op *op)
{
	emit_if (&g->e, c, later (g, fn, op));
	if (!g->e.failed)
		emit_here (&g->e, g->later[g->n_later - 1].back);
}

static inline void save_too (struct gen *g, enum reg r)
{
	g->saves[g->n_saves++] = r;
}

static inline void prologue (struct gen *g)
{
	struct emit *e = &g->e;

	emit_tls (e, BITS_64, 0x83, CMP_I, g->tls + TLS (guard));
	emit_byte (e, 0);
	emit_jump_if (e, IF_NOT_EQUAL, g->stub);
	emit_tls (e, BITS_64, STORE, RSP, g->tls + TLS (guard));
	for (unsigned i = 0; i < g->n_saves; i++)
		emit_tls (e, BITS_64, STORE, g->saves[i], g->tls + TLS (saved) + 8 * (int32_t) i);
}

static inline void restore (struct gen *g, uintptr_t to)
{
	struct emit *e = &g->e;

	for (unsigned i = 0; i < g->n_saves; i++)
		emit_tls (e, BITS_64, LOAD, g->saves[i], g->tls + TLS (saved) + 8 * (int32_t) i);
	emit_tls (e, BITS_64, 0xc7, 0, g->tls + TLS (guard));
	emit_32 (e, 0);
	emit_jump (e, to);
}

static inline bool keeps (const struct ppi_plan *plan, unsigned kept)
{
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (ppi_keeps (plan->ops[i].accumulator, kept))
			return true;
	return false;
}

static inline void epilogue (struct gen *g)
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

/* As RDTSC does, but by pp_arch_clock. The jump is one of any distance: registers are not free. */
static inline void clock_of_kernel (struct gen *g)
{
	struct emit *e = &g->e;
	label behind = emit_label (e);
	uint64_t to = (uint64_t) (uintptr_t) pp_arch_clock;

	emit_label_address (e, RAX, behind);
	emit_address (e, RDX, g->back);
	emit_bytes (e, (const uint8_t[]){0xff, 0x25, 0, 0, 0, 0}, 6); /* jmp *0(%rip) */
	emit_bytes (e, &to, sizeof to);
	emit_here (e, behind);
}

/* RAX = the time; RDX is lost */
static inline void clock (struct gen *g)
{
	if (!ppi_ticks_are_trusted) {
		clock_of_kernel (g);
		return;
	}
	emit_byte (&g->e, 0x0f);
	emit_byte (&g->e, 0x31);
	emit_shift (&g->e, SHL, RDX, 32);
	emit_reg (&g->e, BITS_64, OR, RAX, RDX);
}

/* RCX = the thread's line, entered as ppi_try_enter does it; TEMP is lost */
static inline void enter (struct gen *g, enum reg temp)
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

/* ---- shards ---------------------------------------------------------------------------------- */

/*
 * To NO unless the table of the thread whose line is in LINE has OP's slot; the first ones are in
 * every table, and ppi_nobody does not get here
 */
static inline void table_reaches_or (struct gen *g, const struct ppi_op *op, enum reg line,
				     label no)
{
	if (op->slot < PPI_SLOTS_FIRST)
		return;
	emit_mem_i32 (&g->e, BITS_64, CMP_I, line, HOT_SLOTS, op->slot);
	emit_if (&g->e, IF_NOT_ABOVE, no);
}

static inline void table_reaches (struct gen *g, const struct ppi_op *op)
{
	table_reaches_or (g, op, RCX, g->slow);
}

/* RAX = the shard of OP of the thread whose line is in LINE (which may be RAX), or to NO */
static inline void shard_or (struct gen *g, const struct ppi_op *op, enum reg line, label no)
{
	table_reaches_or (g, op, line, no);
	emit_mem (&g->e, BITS_64, LOAD, RAX, line, HOT_TABLE);
	emit_mem (&g->e, BITS_64, LOAD, RAX, RAX, (int32_t) (8 * op->slot));
	emit_reg (&g->e, BITS_64, TEST, RAX, RAX);
	emit_if (&g->e, IF_EQUAL, no);
}

/* The register with the table of shards: the shard's own, unless there is one with it already. */
static inline enum reg table (struct gen *g)
{
	if (g->has_table)
		return g->frame;
	emit_mem (&g->e, BITS_64, LOAD, g->shard, RCX, HOT_TABLE);
	return g->shard;
}

/* slow unless there is a shard of OP; the shard's register is lost */
static inline void shard_exists (struct gen *g, const struct ppi_op *op)
{
	table_reaches (g, op);
	emit_mem_i8 (&g->e, BITS_64, CMP_I, table (g), (int32_t) (8 * op->slot), 0);
	emit_if (&g->e, IF_EQUAL, g->slow);
}

static inline void shard_load (struct gen *g, const struct ppi_op *op)
{
	emit_mem (&g->e, BITS_64, LOAD, g->shard, table (g), (int32_t) (8 * op->slot));
}

/* both at once */
static inline void shard_get (struct gen *g, const struct ppi_op *op)
{
	table_reaches (g, op);
	shard_load (g, op);
	emit_reg (&g->e, BITS_64, TEST, g->shard, g->shard);
	emit_if (&g->e, IF_EQUAL, g->slow);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static inline bool keeps_only_counts (const struct ppi_plan *plan)
{
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (!plan->ops[i].counts)
			return false;
	return true;
}

/* ---- every: N -------------------------------------------------------------------------------- */

static inline bool skips (const struct ppi_op *op)
{
	return op->every > 1;
}

static inline unsigned count_skipping (const struct ppi_plan *plan)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < plan->n_ops; i++)
		n += skips (&plan->ops[i]);
	return n;
}

static inline bool all_skip (const struct ppi_plan *plan)
{
	return plan->n_ops && count_skipping (plan) == plan->n_ops;
}

static inline int64_t bit_of (const struct ppi_plan *plan, const struct ppi_op *op)
{
	return INT64_C (1) << (op - plan->ops);
}

/*
 * One of N: the others count down. Sets the flags to "above" where this one is sampled: below 0, or
 * beyond what N can leave (ppi_shard_skips).
 */
static inline void count_down (struct gen *g, const struct ppi_op *op)
{
	emit_mem_i8 (&g->e, BITS_32, SUB_I, g->shard, SHARD_SKIP, 1);
	emit_mem_i32 (&g->e, BITS_32, CMP_I, g->shard, SHARD_SKIP, (int32_t) (op->every - 2));
}

static inline void begin_anew (struct gen *g, const struct ppi_op *op)
{
	emit_store_i32 (&g->e, BITS_32, g->shard, SHARD_SKIP, (int32_t) (op->every - 1));
}

/* ---- the makers ------------------------------------------------------------------------------ */

/* Everything that may still say no to the plan's samples: slow, before anything was changed. */
PPI_HIDDEN void ppi_gen_all_are_usual (struct gen *g);
/*
 * ppi_accumulate_int. A seq that was odd, left so by siglongjmp, becomes even here as it does
 * there.
 */
PPI_HIDDEN void ppi_gen_accumulate (struct gen *g, const struct ppi_op *op);
/*
 * The plan's checks certainly pass with the samples, or slow; X is kept. Then, once the samples are
 * in their shards: they are counted.
 */
PPI_HIDDEN void ppi_gen_prove (struct gen *g);
PPI_HIDDEN void ppi_gen_count (struct gen *g);
/*
 * Where the plan is light (light.h): the way of most executions, which leaves behind the marker.
 * What is emitted next is executed by the others.
 */
PPI_HIDDEN void ppi_gen_light_begin (struct gen *g);
PPI_HIDDEN void ppi_gen_light_end (struct gen *g);
/* A frame is pushed, or was popped (RAX and RDX are lost). */
PPI_HIDDEN void ppi_gen_light_open (struct gen *g);
PPI_HIDDEN void ppi_gen_light_close (struct gen *g);
/*
 * Where frames have marks: before anything was changed, RSI = the thread's state, or slow; the
 * frame in RDX has been pushed (RAX, RSI and RDI are lost); the frame in RDI will be popped (RAX,
 * RDX and RSI are lost).
 */
PPI_HIDDEN void ppi_gen_mark_look (struct gen *g);
PPI_HIDDEN void ppi_gen_mark_push (struct gen *g);
PPI_HIDDEN void ppi_gen_mark_pop (struct gen *g);
/*
 * Where the flight recorder has begins and ends. Of a begin: before anything was changed, slow
 * unless the thread has a ring (TEMP is lost); then, at its very end, the frame in RDX has been
 * pushed (RAX, RCX and RDX are lost). Of an end: it is at the time in RAX (RDX and RSI are lost);
 * then, when it is certain, the entry is taken (RAX is lost).
 */
PPI_HIDDEN void ppi_gen_flight_look (struct gen *g, enum reg temp);
PPI_HIDDEN void ppi_gen_flight_begin (struct gen *g);
PPI_HIDDEN void ppi_gen_flight_end (struct gen *g);
PPI_HIDDEN void ppi_gen_flight_take (struct gen *g);
PPI_HIDDEN void ppi_gen_make_begin (struct gen *g);
PPI_HIDDEN void ppi_gen_make_end (struct gen *g);
/* RDX = the place for a frame with SLOTS of values before it, as ppi_frame_try_room. */
PPI_HIDDEN void ppi_gen_find_room (struct gen *g, uint32_t slots);
/* The frame in RDX becomes the top one; its time, SKIPPED and SLOTS are in it. RAX is lost */
PPI_HIDDEN void ppi_gen_push_frame (struct gen *g);
/* The top frame, if it is this interval's; TEMP is lost */
PPI_HIDDEN void ppi_gen_find_frame (struct gen *g, enum reg temp);
/* Of a plan that only measures features. */
PPI_HIDDEN void ppi_gen_make_feature (struct gen *g, unsigned op);
/* Of a plan that is one function of the user's. */
PPI_HIDDEN void ppi_gen_make_user (struct gen *g, unsigned op);

#endif
