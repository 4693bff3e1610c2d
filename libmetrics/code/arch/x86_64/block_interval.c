/* SPDX-License-Identifier: MIT */
/* block_interval.c: the blocks (block.c) of begins and ends. */
#include "block_gen.h"

/* ---- every: N -------------------------------------------------------------------------------- */

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
	if (!op->counts)
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
	count_down (g, op);
	sampled = later (g, later_only_one, op);
	if (e->failed)
		return;
	g->later[g->n_later - 1].back = decided;
	emit_if (e, IF_ABOVE, sampled);
	emit_store_i32 (e, BITS_64, RDX, FRAME_SKIPPED, 1);
	emit_here (e, decided);
}

/*
 * Which ops are not sampled, for the frame in RDX. Where none is, the clock is not read: that open
 * interval has no age until somebody asks for it (ppi_site_open_age).
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
			count_down (g, &plan->ops[i]);
			unlikely (g, IF_ABOVE, later_sampled, &plan->ops[i]);
		}
	emit_mem (e, BITS_64, STORE, RDI, RDX, FRAME_SKIPPED);
	if (!all_skip (plan) || keeps_only_counts (plan))
		return;
	emit_store_i32 (e, BITS_64, RDX, FRAME_TICKS, 0);
	emit_reg_i32 (e, BITS_64, CMP_I, RDI, all);
	unlikely (g, IF_NOT_EQUAL, later_timed, NULL);
}

/* ---- begin ----------------------------------------------------------------------------------- */

/*
 * Intervals of one activation, nested: a frame of this tag among them was left behind, and so was
 * one below. RDX: the top
 */
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

void ppi_gen_find_room (struct gen *g, uint32_t slots)
{
	int32_t room = (int32_t) (slots * FRAME_BYTES);
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, LOAD, RDX, RCX, HOT_TOP);
	emit_mem (e, BITS_64, CMP_TO, RSP, RDX, FRAME_SP);
	unlikely (g, IF_NOT_ABOVE, later_same_sp, NULL);
	emit_mem (e, BITS_64, SUB, RDX, RCX, HOT_FIRST);
	emit_reg_i32 (e, BITS_64, ADD_I, RDX, FRAME_BYTES);
	emit_reg_i32 (e, BITS_64, CMP_I, RDX, FRAME_PAGE_BYTES - FRAME_PAGE_FIRST - room);
	emit_if (e, IF_NOT_BELOW, g->slow);
	emit_mem (e, BITS_64, ADD, RDX, RCX, HOT_FIRST);
	if (room)
		emit_reg_i32 (e, BITS_64, ADD_I, RDX, room);
}

void ppi_gen_push_frame (struct gen *g)
{
	struct emit *e = &g->e;

	emit_mem (e, BITS_64, STORE, RSP, RDX, FRAME_SP);
	emit_mem (e, BITS_64, LOAD, RAX, RCX, HOT_TOP);
	emit_mem (e, BITS_64, STORE, RAX, RDX, FRAME_PREV);
	emit_address (e, RAX, g->tag);
	emit_mem (e, BITS_64, STORE, RAX, RDX, FRAME_TAG);
	emit_constant (e, RAX, (uint64_t) (uintptr_t) g->plan);
	emit_mem (e, BITS_64, STORE, RAX, RDX, FRAME_PLAN);
	ppi_gen_light_open (g);
	emit_mem (e, BITS_64, STORE, RDX, RCX, HOT_TOP);
}

void ppi_gen_make_begin (struct gen *g)
{
	struct emit *e = &g->e;
	const struct ppi_plan *plan = g->plan;
	bool decides = count_skipping (plan) > 0,
	     is_timed = (!all_skip (plan) && !keeps_only_counts (plan)) || plan->flies;

	save_too (g, RAX);
	save_too (g, RDX);
	save_too (g, RCX);
	ppi_gen_light_begin (g);
	g->shard = RAX;
	if (plan->marked || (decides && plan->n_ops > 1)) {
		save_too (g, g->shard = RSI);
		save_too (g, RDI);
	}
	prologue (g);
	if (is_timed)
		clock (g);
	enter (g, RDX);
	if (plan->flies)
		ppi_gen_flight_look (g, RDX);
	if (plan->marked)
		ppi_gen_mark_look (g);
	ppi_gen_find_room (g, plan->value_slots);
	if (decides && plan->n_ops == 1)
		decide_one (g, plan->ops);
	else if (decides)
		decide (g);
	else if (plan->general)
		emit_store_i32 (e, BITS_64, RDX, FRAME_SKIPPED, 0);
	if (plan->general)
		emit_store_i32 (e, BITS_64, RDX, FRAME_SLOTS, plan->value_slots);
	if (is_timed)
		emit_mem (e, BITS_64, STORE, RAX, RDX, FRAME_TICKS);
	else if (keeps_only_counts (plan) && !(decides && plan->n_ops == 1))
		emit_store_i32 (e, BITS_64, RDX, FRAME_TICKS, 0);
	if (plan->timed && !is_timed)
		set_time (g);
	ppi_gen_push_frame (g);
	if (plan->marked)
		ppi_gen_mark_push (g);
	if (plan->flies)
		ppi_gen_flight_begin (g);
	epilogue (g);
}

/* ---- end ------------------------------------------------------------------------------------- */

void ppi_gen_find_frame (struct gen *g, enum reg temp)
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

/* Series last, which take the register with the table. */
static void accumulate_in_order (struct gen *g)
{
	const struct ppi_plan *plan = g->plan;
	bool has_table = true;

	for (int series = 0; series < 2; series++)
		for (uint32_t i = 0; i < plan->n_ops; i++) {
			const struct ppi_op *op = &plan->ops[i];

			if (ppi_keeps (op->accumulator, PPI_KEEPS_RING) != series)
				continue;
			if (!has_table)
				emit_mem (&g->e, BITS_64, LOAD, g->frame, RCX, HOT_TABLE);
			shard_load (g, op);
			ppi_gen_accumulate (g, op);
			has_table = !series;
		}
}

static void accumulate_all (struct gen *g)
{
	struct emit *e = &g->e;
	const struct ppi_plan *plan = g->plan;

	if (plan->n_ops == 1) {
		ppi_gen_accumulate (g, plan->ops);
		g->has_table |= g->index == g->frame && keeps (plan, PPI_KEEPS_RING);
		return;
	}
	if (g->has_table) {
		accumulate_in_order (g);
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
		ppi_gen_accumulate (g, op);
		emit_here (e, next);
	}
}

/* Where the top frame's register has something else by now, it is loaded again. */
static void pop_frame (struct gen *g)
{
	struct emit *e = &g->e;

	if (g->has_table)
		emit_mem (e, BITS_64, LOAD, g->frame, RCX, HOT_TOP);
	if (g->plan->marked)
		ppi_gen_mark_pop (g);
	emit_mem (e, BITS_64, LOAD, RAX, g->frame, FRAME_PREV);
	emit_mem (e, BITS_64, STORE, RAX, RCX, HOT_TOP);
}

/*
 * What an end needs beyond RAX, RDX and RCX where it takes a time: the frame in RDI, a shard in
 * RSI. Returns how many.
 */
static unsigned timed_registers (struct gen *g, enum reg out[6])
{
	const struct ppi_plan *plan = g->plan;
	bool is_series = keeps (plan, PPI_KEEPS_RING);
	unsigned n = 0;

	out[n++] = RSI;
	out[n++] = RDI;
	g->shard = RSI;
	g->frame = RDI;
	g->is_elapsed = true;
	g->x = RAX;
	g->now = RDX;
	if (plan->n_ops > 1 || is_series || keeps (plan, PPI_KEEPS_BUCKETS) || plan->n_quick) {
		out[n++] = g->x = R8;
		out[n++] = g->now = R9;
	}
	/* the frame, or the table, can be found again where no bits are looked at in it */
	g->index = count_skipping (plan) ? R10 : g->frame;
	if ((is_series && g->index == R10) || plan->n_quick)
		out[n++] = R10;
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
	ppi_gen_all_are_usual (g);
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
static void make_short_end (struct gen *g)
{
	struct emit *e = &g->e;

	g->shard = RAX;
	g->frame = RDX;
	if (g->plan->marked) {
		save_too (g, RSI);
		save_too (g, g->frame = RDI);
	}
	prologue (g);
	enter (g, RAX);
	ppi_gen_find_frame (g, RAX);
	if (all_skip (g->plan)) {
		emit_mem_i32 (e, BITS_64, CMP_I, RDX, FRAME_SKIPPED,
			      (INT64_C (1) << g->plan->n_ops) - 1);
		if (!keeps_only_counts (g->plan))
			emit_if (e, IF_NOT_EQUAL, later (g, later_end, NULL));
		else
			emit_if (e, IF_EQUAL, g->pop);
	}
	if (keeps_only_counts (g->plan)) {
		ppi_gen_all_are_usual (g);
		accumulate_all (g);
	}
	emit_here (e, g->pop);
	pop_frame (g);
	ppi_gen_light_close (g);
	epilogue (g);
}

void ppi_gen_make_end (struct gen *g)
{
	const struct ppi_plan *plan = g->plan;
	enum reg more[6];
	unsigned n;

	save_too (g, RAX);
	save_too (g, RDX);
	save_too (g, RCX);
	ppi_gen_light_end (g);
	if ((all_skip (plan) || keeps_only_counts (plan)) && !plan->flies) {
		make_short_end (g);
		return;
	}
	n = timed_registers (g, more);
	for (unsigned i = 0; i < n; i++)
		save_too (g, more[i]);
	prologue (g);
	clock (g);
	enter (g, RDX);
	ppi_gen_find_frame (g, RSI);
	if (plan->flies)
		ppi_gen_flight_end (g);
	take_difference (g);
	if (plan->n_ops > 1 && !count_skipping (plan)) {
		emit_mem (&g->e, BITS_64, LOAD, g->frame, RCX, HOT_TABLE);
		g->has_table = true;
	}
	ppi_gen_all_are_usual (g);
	ppi_gen_prove (g);
	accumulate_all (g);
	ppi_gen_count (g);
	if (plan->flies)
		ppi_gen_flight_take (g);
	pop_frame (g);
	epilogue (g);
}
