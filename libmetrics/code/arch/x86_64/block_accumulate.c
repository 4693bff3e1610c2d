/* SPDX-License-Identifier: MIT */
/*
 * block_accumulate.c: the part of a block (block.c) that adds a sample to a shard, as
 * accumulate_int.h does it.
 */
#include "block_gen.h"

#include <cpuid.h>

/*
 * what leads to a histogram's counters is read from its twin (twin.h), which block.c has seen to be
 * near enough
 */
#define HISTOGRAM_TWIN(field)                                                                      \
	((int32_t) (ppi_twin_distance + offsetof (struct ppi_histogram_shard, field)))
enum { GROUP_BITS = 6 };
PP_ABI_ASSERT (PPI_GROUP_WORDS == 1 << GROUP_BITS);

/* ---- what may say no ------------------------------------------------------------------------- */

/* slow where the window holds or gets squares that may not fit: accumulate_int.h */
static void series_is_usual (struct gen *g)
{
	struct emit *e = &g->e;

	emit_reg (e, BITS_64, LOAD, RAX, g->x);
	if (!g->is_elapsed) {
		emit_reg (e, BITS_64, LOAD, RDX, g->x);
		emit_shift (e, SAR, RDX, 63);
		emit_reg (e, BITS_64, XOR, RAX, RDX);
	}
	emit_shift (e, SHR, RAX, 53);
	emit_mem (e, BITS_64, OR, RAX, g->shard, SERIES (fresh.n));
	emit_if (e, IF_NOT_EQUAL, g->slow);
}

static bool has_lzcnt (void)
{
	unsigned a, b, c, d;

	return __get_cpuid (0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

/* RCX = the number of the highest bit of RDX, which is not 0 */
static void highest_bit (struct gen *g)
{
	/* LZCNT is one step, where BSR is eight on some; ^ 63 makes it the same */
	bool counts = has_lzcnt ();
	struct emit *e = &g->e;

	if (counts)
		emit_byte (e, 0xf3);
	emit_bytes (e, (const uint8_t[]){0x48, 0x0f, 0xbd, 0xca}, 4);
	if (counts)
		emit_bytes (e, (const uint8_t[]){0x83, 0xf1, 63}, 3); /* xor 63, ecx */
}

/*
 * What waits is smaller than a group: it is in the first, whose counters are for one number each.
 */
static void later_first_group (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;

	(void) op;
	emit_mem (e, BITS_64, LOAD, RAX, g->shard, HISTOGRAM_TWIN (group));
	emit_index (e, BITS_64, LEA, RDX, g->shard, RDX, 0);
	emit_goto (e, g->back_now);
}

/*
 * RAX + RDX = the counter of the sample that waits in LAST, as ppi_histogram_find_waiting: with
 * MAY_LEAVE slow where none does or its group is not there; nor is it for negative ones, which have
 * the number of 2^63. Nothing here depends on the clock: RDTSC of the next interval would wait for
 * it.
 */
static void find_counter (struct gen *g, bool may_leave)
{
	struct emit *e = &g->e;
	label first;

	if (may_leave) {
		emit_mem_i8 (e, BITS_32, CMP_I, g->shard, SHARD_WAITING, 0);
		emit_if (e, IF_EQUAL, g->slow);
	}
	emit_mem (e, BITS_64, LOAD, RDX, g->shard, SHARD_LAST);
	emit_reg_i32 (e, BITS_64, CMP_I, RDX, PPI_GROUP_WORDS);
	first = later (g, later_first_group, NULL);
	emit_if (e, IF_BELOW, first);
	highest_bit (g);
	/* the group of 2^6 to 2^7 - 1 is number 1 */
	emit_index (e, BITS_64, LOAD, RAX, g->shard, RCX,
		    HISTOGRAM_TWIN (group) - 8 * (GROUP_BITS - 1));
	emit_reg_i32 (e, BITS_32, SUB_I, RCX, GROUP_BITS);
	emit_reg (e, BITS_64, 0xd3, SHR, RDX); /* by cl */
	emit_reg_i32 (e, BITS_32, AND_I, RDX, PPI_GROUP_WORDS - 1);
	emit_index (e, BITS_64, LEA, RDX, g->shard, RDX, 0);
	if (!e->failed)
		emit_here (e, g->later[g->n_later - 1].back);
	emit_tls (e, BITS_64, LOAD, RCX, g->self);
	if (may_leave) {
		emit_reg (e, BITS_64, TEST, RAX, RAX);
		emit_if (e, IF_EQUAL, g->slow);
	}
}

static void count_waiting (struct gen *g)
{
	emit_bytes (&g->e, (const uint8_t[]){0x48, 0xff, 0x04, 0x10}, 4); /* inc (rax + rdx) */
}

/*
 * slow unless there are shards of all ops. One test for all: their addresses have bits in common,
 * for they lie in one mapping; where that lies so that they had none, each execution would be slow,
 * and no more. RAX is lost
 */
static void all_exist (struct gen *g)
{
	const struct ppi_plan *plan = g->plan;
	enum reg from;

	for (uint32_t i = 0; i < plan->n_ops; i++)
		table_reaches (g, &plan->ops[i]);
	from = table (g);
	for (uint32_t i = 0; i < plan->n_ops; i++)
		emit_mem (&g->e, BITS_64, i ? AND : LOAD, RAX, from,
			  (int32_t) (8 * plan->ops[i].slot));
	emit_if (&g->e, IF_EQUAL, g->slow);
}

/* Everything that may still say no. */
void ppi_gen_all_are_usual (struct gen *g)
{
	const struct ppi_plan *plan = g->plan;
	bool at_once = plan->n_ops > 1 && g->shard != RAX;

	if (at_once)
		all_exist (g);
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		unsigned kept = ppi_keep_of (plan->ops[i].accumulator)->keeps;

		if (at_once && kept & (PPI_KEEPS_RING | PPI_KEEPS_BUCKETS))
			shard_load (g, &plan->ops[i]);
		else if (plan->n_ops == 1)
			shard_get (g, &plan->ops[i]);
		else if (!at_once)
			shard_exists (g, &plan->ops[i]);
		if (kept & PPI_KEEPS_RING)
			series_is_usual (g);
		if (kept & PPI_KEEPS_BUCKETS)
			find_counter (g, true);
	}
}

/* ---- accumulators ---------------------------------------------------------------------------- */

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
	emit_index (e, BITS_64, STORE, g->x, g->shard, g->index, SERIES (ring));
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
	emit_reg (&g->e, BITS_32, XOR, g->index, g->index);
	emit_goto (&g->e, g->back_now);
}

/* ppi_window_slide_int without huge samples; x² - old² = (x - old)(x + old), both within 2^54 */
static void slide_window (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;
	label grow, grown = emit_label (e);

	emit_mem (e, BITS_64, LOAD, g->index, g->shard, SERIES (next));
	emit_reg_i32 (e, BITS_64, CMP_I, g->index, (int64_t) op->size);
	unlikely (g, IF_NOT_BELOW, later_wrap, op);
	emit_mem_i32 (e, BITS_64, CMP_I, g->shard, SERIES (window.n), (int64_t) op->size);
	grow = later (g, later_grow, op);
	if (e->failed)
		return;
	g->later[g->n_later - 1].back = grown;
	emit_if (e, IF_NOT_EQUAL, grow);
	/* the line's register, for a moment: loading it again is cheaper than saving one more */
	emit_index (e, BITS_64, LOAD, RCX, g->shard, g->index, SERIES (ring));
	emit_index (e, BITS_64, STORE, g->x, g->shard, g->index, SERIES (ring));
	emit_reg (e, BITS_64, LOAD, RAX, g->x);
	emit_sum (e, RDX, g->x, RCX);
	emit_reg (e, BITS_64, SUB, RAX, RCX);
	add_wide (g, SERIES (window.sum), RAX, RCX);
	emit_imul (e, RDX);
	add_product (g, SERIES (window.squares));
	emit_tls (e, BITS_64, LOAD, RCX, g->self);
	emit_here (e, grown);
	emit_reg_i32 (e, BITS_64, ADD_I, g->index, 1);
	emit_mem (e, BITS_64, STORE, g->index, g->shard, SERIES (next));
}

/*
 * ppi_accumulate_int. A seq that was odd, left so by siglongjmp, becomes even here as it does
 * there.
 */
void ppi_gen_accumulate (struct gen *g, const struct ppi_op *op)
{
	struct emit *e = &g->e;
	unsigned kept = ppi_keep_of (op->accumulator)->keeps;
	/*
	 * of the one shard of an interval the counter was found before, and no check has used its
	 * registers since
	 */
	bool found = g->is_elapsed && g->plan->n_ops == 1 && !g->plan->checked;

	/* one word, that is whole at every moment */
	if (!kept) {
		emit_inc (e, BITS_64, g->shard, SHARD_N);
		return;
	}
	emit_mem_i8 (e, BITS_32, OR_I, g->shard, SHARD_SEQ, 1);
	if (kept & PPI_KEEPS_BUCKETS && !found) {
		find_counter (g, false);
		emit_mem (e, BITS_64, STORE, g->x, g->shard, SHARD_LAST);
		count_waiting (g);
	}
	if (kept & PPI_KEEPS_SUM)
		add_sum (g);
	set_last (g);
	if (kept & PPI_KEEPS_RANGE)
		set_range (g);
	if (kept & PPI_KEEPS_SQUARES)
		add_square (g);
	if (kept & PPI_KEEPS_BUCKETS && found)
		count_waiting (g);
	if (kept & PPI_KEEPS_RING)
		slide_window (g, op);
	emit_inc (e, BITS_64, g->shard, SHARD_N);
	emit_inc (e, BITS_32, g->shard, SHARD_SEQ);
}
