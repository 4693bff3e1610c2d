/* SPDX-License-Identifier: MIT */
/*
 * block_feature.c: blocks (block.c) of marks whose features are measured and that capture nothing:
 * what the sink `feature` does (marker/feature.c, thread/feature.c).
 *
 * The clock is read as late as may be at the begin, and first at the end: what a mark takes itself
 * and what it holds are then apart, and little of it is in what is measured.
 *
 * C is left what is new in the thread (its table, an entry), and marks that are in calls of
 * features.
 */
#include "libmetrics/marker/sink.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/feature.h"

#include "block_gen.h"

#define THREAD(field) ((int32_t) offsetof (struct ppi_thread, field))
#define TABLE(field) ((int32_t) offsetof (struct ppi_feature_open, field))
#define CHUNK(field) ((int32_t) offsetof (struct ppi_features_chunk, field))
#define ENTRY(field) ((int32_t) offsetof (struct ppi_feature_entry, field))
#define PLAN(field) ((int32_t) offsetof (struct ppi_plan, field))
#define WORD(field) ((int32_t) offsetof (struct ppi_feature_words, field))

/* of the block's own frame */
static int32_t own_word (const struct gen *g, int32_t word)
{
	return g->plan->exact_at + word;
}

static int32_t open_count (const struct gen *g)
{
	return TABLE (open) + 4 * (int32_t) (g->plan->feature % PPI_FEATURE_OPEN);
}

static int32_t known (const struct gen *g)
{
	return TABLE (known) + (int32_t) sizeof (struct ppi_feature_known) *
				       (int32_t) (g->plan->site->id % PPI_FEATURE_KNOWN);
}

#define KNOWN(field) ((int32_t) offsetof (struct ppi_feature_known, field))

/* RSI = the thread's table, or slow */
static void find_table (struct gen *g)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, LOAD, RSI, RCX, HOT_THREAD);
	emit_mem (e, BITS_64, LOAD, RSI, RSI, THREAD (measuring));
	emit_reg (e, BITS_64, TEST, RSI, RSI);
	emit_if (e, IF_EQUAL, g->slow);
}

/*
 * The time when all before it is done: a processor that runs ahead would read it before what the
 * entry holds has ended, and count that outside.
 */
static void clock_in_order (struct gen *g)
{
	emit_bytes (&g->e, (const uint8_t[]){0x0f, 0xae, 0xe8}, 3); /* lfence */
	clock (g);
}

/* ---- begin ----------------------------------------------------------------------------------- */

static void make_begin (struct gen *g)
{
	struct emit *e = &g->e;

	prologue (g);
	enter (g, RDX);
	find_table (g);
	ppi_gen_find_room (g, g->plan->value_slots);
	emit_store_i32 (e, BITS_64, RDX, FRAME_SKIPPED, 0);
	emit_store_i32 (e, BITS_64, RDX, FRAME_SLOTS, g->plan->value_slots);
	/* readers of open_age see the frame before its time */
	emit_store_i32 (e, BITS_64, RDX, FRAME_TICKS, 0);
	emit_store_i32 (e, BITS_64, RDX, own_word (g, WORD (ticks)), 0);
	emit_store_i32 (e, BITS_64, RDX, own_word (g, WORD (pairs)), 0);
	emit_store_i32 (e, BITS_64, RDX, own_word (g, WORD (children)), 0);
	emit_mem (e, BITS_64, LOAD, RAX, RSI, TABLE (pairs));
	emit_mem (e, BITS_64, STORE, RAX, RDX, own_word (g, WORD (before)));
	emit_inc (e, BITS_32, RSI, open_count (g));
	emit_mem (e, BITS_64, LOAD, RAX, RSI, TABLE (first));
	emit_inc (e, BITS_64, RAX, CHUNK (begun));
	ppi_gen_push_frame (g);
	emit_reg (e, BITS_64, LOAD, RSI, RDX);
	clock_in_order (g);
	emit_mem (e, BITS_64, STORE, RAX, RSI, FRAME_TICKS);
	epilogue (g);
}

/* ---- end ------------------------------------------------------------------------------------- */

/*
 * Others of the feature, or of one with the same place, are open: the next one outside, if it is on
 * this stack, is told what this one took. RDX: its ticks.
 */
static void later_outside (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;
	label back = g->back_now, again = emit_label (e), next = emit_label (e);

	(void) op;
	emit_mem (e, BITS_64, LOAD, R8, RCX, HOT_THREAD);
	emit_mem_i8 (e, BITS_64, CMP_I, R8, THREAD (opened), 0);
	emit_if (e, IF_NOT_EQUAL, g->slow);
	emit_mem (e, BITS_64, LOAD, R8, g->frame, FRAME_PREV);
	emit_here (e, again);
	emit_mem_i8 (e, BITS_64, CMP_I, R8, FRAME_SP, 0xff); /* the sentinel's: UINTPTR_MAX */
	emit_if (e, IF_EQUAL, back);
	emit_mem_i8 (e, BITS_64, CMP_I, R8, FRAME_TAG, PPI_TAG_STALE);
	emit_if (e, IF_EQUAL, next);
	emit_mem (e, BITS_64, LOAD, R9, R8, FRAME_PLAN);
	emit_mem_i32 (e, BITS_32, CMP_I, R9, PLAN (feature), g->plan->feature);
	emit_if (e, IF_NOT_EQUAL, next);
	emit_mem (e, BITS_64, 0x63, R9, R9, PLAN (exact_at)); /* movslq */
	emit_reg (e, BITS_64, ADD, R9, R8);
	emit_mem (e, BITS_64, ADD_TO, RDX, R9, WORD (ticks));
	emit_mem (e, BITS_64, LOAD, R8, RSI, TABLE (pairs));
	emit_mem (e, BITS_64, SUB, R8, g->frame, own_word (g, WORD (before)));
	emit_reg_i32 (e, BITS_64, ADD_I, R8, 1);
	emit_mem (e, BITS_64, ADD_TO, R8, R9, WORD (pairs));
	emit_inc (e, BITS_64, R9, WORD (children));
	emit_goto (e, back);
	emit_here (e, next);
	emit_mem (e, BITS_64, LOAD, R8, R8, FRAME_PREV);
	emit_goto (e, again);
}

/* R8 = the entry, to which RDX ticks and what ended in the frame are added. RAX is lost */
static void add_to_entry (struct gen *g)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, LOAD, R8, RSI, known (g) + KNOWN (entry));
	emit_mem (e, BITS_64, SUB, RDX, g->frame, own_word (g, WORD (ticks)));
	emit_mem (e, BITS_64, ADD_TO, RDX, R8, ENTRY (ticks));
	emit_mem (e, BITS_64, LOAD, RAX, RSI, TABLE (pairs));
	emit_reg (e, BITS_64, LOAD, RDX, RAX);
	emit_mem (e, BITS_64, SUB, RDX, g->frame, own_word (g, WORD (before)));
	emit_mem (e, BITS_64, SUB, RDX, g->frame, own_word (g, WORD (pairs)));
	emit_mem (e, BITS_64, ADD_TO, RDX, R8, ENTRY (pairs));
	emit_mem (e, BITS_64, LOAD, RDX, g->frame, own_word (g, WORD (children)));
	emit_mem (e, BITS_64, ADD_TO, RDX, R8, ENTRY (children));
	emit_inc (e, BITS_64, R8, ENTRY (n));
	emit_reg_i32 (e, BITS_64, ADD_I, RAX, 1);
	emit_mem (e, BITS_64, STORE, RAX, RSI, TABLE (pairs));
}

/* Reads the clock once more: what has passed since the end's own reading is a tail of entry R8. */
static void later_tail (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;
	label back = g->back_now;

	(void) op;
	clock_in_order (g);
	emit_store_i32 (e, BITS_32, RSI, TABLE (until_tail), PPI_FEATURE_LOOK_EVERY);
	emit_mem (e, BITS_64, LOAD, RDX, RSI, TABLE (first));
	emit_mem (e, BITS_64, SUB, RAX, RDX, CHUNK (last_ticks));
	emit_reg_i32 (e, BITS_64, CMP_I, RAX, PPI_FEATURE_LOOK_MOST);
	emit_if (e, IF_ABOVE, back);
	emit_mem (e, BITS_64, ADD_TO, RAX, R8, ENTRY (tail_ticks));
	emit_inc (e, BITS_64, R8, ENTRY (tails));
	emit_goto (e, back);
}

static void make_end (struct gen *g)
{
	struct emit *e = &g->e;

	g->frame = RDI;
	save_too (g, RDI);
	save_too (g, R8);
	if (g->plan->feature)
		save_too (g, R9);
	prologue (g);
	clock_in_order (g);
	enter (g, RDX);
	ppi_gen_find_frame (g, RSI);
	find_table (g);
	emit_mem_i32 (e, BITS_64, CMP_I, RSI, known (g) + KNOWN (site),
		      g->plan->site->id + INT64_C (1));
	emit_if (e, IF_NOT_EQUAL, g->slow);
	emit_reg (e, BITS_64, LOAD, RDX, RAX);
	emit_mem (e, BITS_64, SUB, RDX, g->frame, FRAME_TICKS);
	emit_if (e, IF_BELOW, g->slow); /* where the clock went back: in C */
	emit_mem (e, BITS_64, CMP, RDX, g->frame, own_word (g, WORD (ticks)));
	emit_if (e, IF_BELOW, g->slow);
	emit_mem_i8 (e, BITS_32, CMP_I, RSI, open_count (g), 1);
	emit_if (e, IF_BELOW, g->slow);
	if (g->plan->feature)
		unlikely (g, IF_NOT_EQUAL, later_outside, NULL);
	emit_mem (e, BITS_64, LOAD, R8, RSI, TABLE (first));
	emit_mem (e, BITS_64, STORE, RAX, R8, CHUNK (last_ticks));
	add_to_entry (g);
	emit_mem (e, BITS_64, LOAD, RAX, g->frame, FRAME_PREV);
	emit_mem (e, BITS_64, STORE, RAX, RCX, HOT_TOP);
	/* last, or where a handler leaves in between whoever drops the frame would do it again */
	emit_mem_i8 (e, BITS_32, SUB_I, RSI, open_count (g), 1);
	/* below 0 where a handler left the one that was to be timed */
	emit_mem_i8 (e, BITS_32, SUB_I, RSI, TABLE (until_tail), 1);
	unlikely (g, IF_NOT_ABOVE, later_tail, NULL);
	epilogue (g);
}

void ppi_gen_make_feature (struct gen *g, unsigned op)
{
	save_too (g, RAX);
	save_too (g, RDX);
	save_too (g, RCX);
	save_too (g, RSI);
	if (op == PP_ABI_BEGIN)
		make_begin (g);
	else
		make_end (g);
}
