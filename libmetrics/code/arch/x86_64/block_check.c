/* SPDX-License-Identifier: MIT */
/*
 * block_check.c: checks that certainly pass (quick.h), in a block: proved from the shards as they
 * will be with the sample, before it is added, so that what can't be proved goes to the stub as
 * everything unusual does; and counted after it.
 *
 * RAX and RDX are free, R10 holds a term's right side, and the shard's register is free where there
 * are several metrics.
 */
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/quick.h"

#include "block_gen.h"

enum { MUL = 4 }; /* the digit of f7 */

/* RDX:RAX = RAX × RDX; slow where it does not fit in RAX */
static void multiply (struct gen *g)
{
	emit_reg (&g->e, BITS_64, 0xf7, MUL, RDX);
	emit_if (&g->e, IF_BELOW, g->slow);
}

/* INTO = the field with the sample in it; X is not negative */
static void load_field (struct gen *g, struct ppi_quick_factor factor, enum reg into)
{
	struct emit *e = &g->e;

	if (factor.field <= PPI_QUICK_ONE) {
		emit_constant (e, into, factor.field);
		return;
	}
	if (factor.field == PPI_QUICK_LAST) {
		emit_reg (e, BITS_64, LOAD, into, g->x);
		return;
	}
	if (g->plan->n_ops > 1)
		shard_load (g, &g->plan->ops[factor.op]);
	emit_mem (e, BITS_64, LOAD, into, g->shard,
		  factor.field == PPI_QUICK_N ? SHARD_N : SHARD_SUM);
	if (factor.field == PPI_QUICK_N) {
		emit_reg_i32 (e, BITS_64, ADD_I, into, 1);
		return;
	}
	emit_mem_i8 (e, BITS_64, CMP_I, g->shard, SHARD_SUM + 8, 0);
	emit_if (e, IF_NOT_EQUAL, g->slow);
	emit_reg (e, BITS_64, ADD, into, g->x);
	emit_if (e, IF_BELOW, g->slow);
}

/* RAX = both multiplied */
static void load_product (struct gen *g, const struct ppi_quick_factor factor[2])
{
	load_field (g, factor[0], RAX);
	if (factor[1].field == PPI_QUICK_ONE)
		return;
	load_field (g, factor[1], RDX);
	multiply (g);
}

/* RDX:RAX = RAX × the word of the ratio at OFFSET. Which ratios the plan has may change. */
static void multiply_ratio (struct gen *g, uint32_t check, size_t offset)
{
	struct emit *e = &g->e;

	emit_constant (e, RDX, (uint64_t) (uintptr_t) &g->plan->ratios[check]);
	emit_mem (e, BITS_64, LOAD, RDX, RDX, 0);
	emit_mem (e, BITS_64, 0xf7, MUL, RDX, (int32_t) offset);
}

/* R10 = RAX × the ratio of the check's term, rounded down */
static void apply_ratio (struct gen *g, uint32_t check, uint64_t which)
{
	const struct ppi_quick_term *term = &g->plan->quick[check].term[which];
	size_t whole = offsetof (struct ppi_quick_ratios, term[0].whole) + which * 16,
	       part = whole + 8;
	struct emit *e = &g->e;

	if (term->part) {
		emit_reg (e, BITS_64, LOAD, R10, RAX);
		multiply_ratio (g, check, part);
	}
	if (term->part && !term->whole) {
		emit_reg (e, BITS_64, LOAD, R10, RDX);
	} else if (term->part && term->whole == 1) {
		emit_reg (e, BITS_64, ADD, R10, RDX);
		emit_if (e, IF_BELOW, g->slow);
	} else {
		if (term->part) {
			emit_reg (e, BITS_64, LOAD, RAX, R10);
			emit_reg (e, BITS_64, LOAD, R10, RDX);
		} else {
			emit_reg (e, BITS_32, XOR, R10, R10);
		}
		multiply_ratio (g, check, whole);
		emit_if (e, IF_BELOW, g->slow);
		emit_reg (e, BITS_64, ADD, R10, RAX);
		emit_if (e, IF_BELOW, g->slow);
	}
	if (term->is_strict) {
		emit_reg (e, BITS_64, TEST, R10, R10);
		emit_if (e, IF_EQUAL, g->slow);
	}
}

static void prove (struct gen *g, uint32_t check, uint64_t which)
{
	const struct ppi_quick_term *term = &g->plan->quick[check].term[which];

	load_product (g, term->large);
	apply_ratio (g, check, which);
	if (term->small[0].field == PPI_QUICK_ZERO)
		return;
	load_product (g, term->small);
	emit_reg (&g->e, BITS_64, CMP, R10, RAX);
	emit_if (&g->e, IF_BELOW, g->slow);
}

/*
 * slow unless the gate is open, the thread has counted before, and has passes left until a check is
 * looked at
 */
static void is_open (struct gen *g, const struct ppi_tally *tally)
{
	struct emit *e = &g->e;
	const struct ppi_op *op = &tally->binding->op;

	emit_constant (e, RDX, (uint64_t) (uintptr_t) tally);
	emit_mem (e, BITS_64, LOAD, RAX, RDX, (int32_t) offsetof (struct ppi_tally, idle));
	emit_mem (e, BITS_64, CMP, RAX, RDX, (int32_t) offsetof (struct ppi_tally, shut));
	emit_if (e, IF_NOT_EQUAL, g->slow);
	table_reaches (g, op);
	emit_mem (e, BITS_64, LOAD, RDX, RCX, HOT_TABLE);
	emit_mem_i8 (e, BITS_64, CMP_I, RDX, (int32_t) (8 * op->slot), 0);
	emit_if (e, IF_EQUAL, g->slow);
	if (!tally->has_looks)
		return;
	emit_mem (e, BITS_64, LOAD, RDX, RDX, (int32_t) (8 * op->slot));
	emit_mem_i8 (e, BITS_32, CMP_I, RDX, SHARD_SKIP, 0);
	emit_if (e, IF_EQUAL, g->slow);
}

void ppi_gen_prove (struct gen *g)
{
	struct emit *e = &g->e;
	const struct ppi_plan *plan = g->plan;

	if (!plan->n_quick)
		return;
	emit_mem (e, BITS_64, LOAD, RDX, RCX, HOT_THREAD);
	emit_mem_i8 (e, BITS_32, CMP_I, RDX, (int32_t) offsetof (struct ppi_thread, in_check), 0);
	emit_if (e, IF_NOT_EQUAL, g->slow);
	if (!g->is_elapsed) {
		emit_reg (e, BITS_64, TEST, g->x, g->x);
		emit_if (e, IF_NEGATIVE, g->slow);
	}
	for (uint32_t i = 0; i < plan->n_quick; i++) {
		is_open (g, plan->quick[i].tally);
		for (uint64_t k = 0; k < plan->quick[i].n_terms; k++)
			prove (g, i, k);
	}
}

void ppi_gen_count (struct gen *g)
{
	struct emit *e = &g->e;
	const struct ppi_plan *plan = g->plan;

	for (uint32_t i = 0; i < plan->n_quick; i++) {
		emit_mem (e, BITS_64, LOAD, RAX, RCX, HOT_TABLE);
		emit_mem (e, BITS_64, LOAD, RAX, RAX,
			  (int32_t) (8 * plan->quick[i].tally->binding->op.slot));
		emit_constant (e, RDX, (uint64_t) (uintptr_t) plan->site);
		emit_mem (e, BITS_64, STORE, RDX, RAX, (int32_t) (ppi_twin_distance + SHARD_LAST));
		emit_inc (e, BITS_64, RAX, SHARD_N);
		if (plan->quick[i].tally->has_looks)
			emit_mem_i8 (e, BITS_32, SUB_I, RAX, SHARD_SKIP, 1);
	}
}
