/* SPDX-License-Identifier: MIT */
/*
 * block.c: makes the code of a marker with a plan (block.h) on x86-64.
 *
 * A block is entered by the marker's jump, with the marker's registers and stack, and leaves by a
 * jump behind the marker. The flags are dead there: GCC takes every asm of x86 to clobber them. The
 * stack pointer never moves, so one rule unwinds from any instruction, and the red zone needs no
 * care. Registers are kept in thread-local memory instead (ppi_scratch): on the machine where this
 * was decided an interval cost 1.02 times two bare RDTSC so, 1.23 with pushes below the red zone,
 * and 0.93 with no registers saved at all.
 *
 *      cmp $0, guard; jne stub        a block that this one interrupts has its registers there
 *      mov rsp, guard                 from here on handlers take the stubs
 *      registers → ppi_scratch.saved
 *      rdtsc                          first: see hot.c
 *      line, its busy and span        as ppi_try_enter; busy is not set: handlers see the guard
 *      ...
 *      saved → registers; guard = 0; jmp behind the marker
 *
 * Everything that could say no is asked before the first store to anything but the scratch and a
 * place for frames that is not yet taken. `slow` gives all back and goes to the stub, which begins
 * anew, with the clock too.
 */
#include "block_gen.h"

/* ---- point ----------------------------------------------------------------------------------- */

/* X is the captured value, from VALUE. */
static void make_point (struct gen *g, enum reg value)
{
	struct emit *e = &g->e;
	const struct ppi_plan *plan = g->plan;
	bool has_value = !keeps_only_counts (plan);

	g->x = RDI;
	g->index = R10;
	g->shard = RAX;
	save_too (g, RAX);
	save_too (g, RCX);
	if (has_value) {
		save_too (g, RDX);
		save_too (g, g->shard = RSI);
		save_too (g, g->x);
	}
	if (keeps (plan, PPI_KEEPS_RING) || plan->n_quick)
		save_too (g, R10);
	prologue (g);
	if (has_value && value != g->x)
		emit_reg (e, BITS_64, LOAD, g->x, value);
	enter (g, RAX);
	ppi_gen_all_are_usual (g);
	ppi_gen_prove (g);
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		label next = emit_label (e);

		if (plan->n_ops > 1)
			shard_load (g, op);
		if (skips (op)) {
			count_down (g, op);
			emit_if (e, IF_NOT_ABOVE, next);
			begin_anew (g, op);
		}
		ppi_gen_accumulate (g, op);
		emit_here (e, next);
	}
	ppi_gen_count (g);
	epilogue (g);
}

/* ---- the marker ------------------------------------------------------------------------------ */

/*
 * The register that the marker's stub pushes as its value: lea -128(%rsp), %rsp; push value; push
 * %rdi; push %rsi
 */
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
	return !ppi_keeps (accumulator, PPI_KEEPS_CHUNKS | PPI_KEEPS_OWN);
}

/* Does anything here need what only C does? */
static bool is_usual (const struct ppi_plan *plan, unsigned op)
{
	if ((plan->general && !plan->quick_blocks && !plan->mark_blocks) || !plan->n_all ||
	    plan->n_ops > PPI_BLOCK_OPS)
		return false;
	/* what the mark gets of the site's values is C's */
	if (op == PP_ABI_BEGIN && plan->marked && plan->ops[plan->mark].class != PPI_SOURCE_NONE)
		return false;
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *o = &plan->ops[i];
		unsigned class = op == PP_ABI_POINT ? PPI_SOURCE_VALUE : PPI_SOURCE_TICKS;

		if (!is_made (o->accumulator) || (!o->counts && o->class != class))
			return false;
		/* a displacement reaches as far */
		if ((ppi_keeps (o->accumulator, PPI_KEEPS_BUCKETS) || plan->n_quick) &&
		    ppi_twin_distance > INT32_MAX - sizeof (struct ppi_histogram_shard))
			return false;
		if (o->slot > INT32_MAX / 8 || o->size > INT32_MAX || o->every > INT32_MAX)
			return false;
	}
	return true;
}

/* Of a light plan that C samples only the executions that are not: the others go to the stub. */
static bool is_skipped (const struct ppi_plan *plan, unsigned op)
{
	return plan->light == PPI_LIGHT_EVERY && (op == PP_ABI_BEGIN || op == PP_ABI_END);
}

/* One function of the user's, in the usual case. */
static bool is_users (const struct ppi_plan *plan)
{
	const struct ppi_op *o = plan->ops;

	return plan->user_blocks && plan->value_slots <= 1 && is_made (o->accumulator) &&
	       o->slot <= INT32_MAX / 8 && o->size <= INT32_MAX;
}

static void make_skipped (struct gen *g, unsigned op)
{
	if (op == PP_ABI_BEGIN)
		ppi_gen_light_begin (g);
	else
		ppi_gen_light_end (g);
	emit_jump (&g->e, g->stub);
}

static int32_t from_fs (const volatile void *tls)
{
	return (int32_t) (intptr_t) ((uintptr_t) tls - pp_arch_thread_pointer ());
}

uintptr_t pp_arch_block_resume (const struct pp_abi_marker *marker)
{
	return (uintptr_t) &marker->nop + (uintptr_t) (intptr_t) marker->nop + PP_ABI_X86_NOP_BYTES;
}

size_t pp_arch_block_make (const struct ppi_plan *plan, const struct pp_abi_marker *marker,
			   uintptr_t at, uint8_t *out)
{
	struct gen g = {.plan = plan, .e = {.out = out, .room = PPI_BLOCK_BYTES, .at = at}};
	enum reg value = RDI;

	if (marker->flags & PP_ABI_MARKER_COLD)
		return 0;
	if (!is_usual (plan, marker->op) && !is_skipped (plan, marker->op) && !is_users (plan) &&
	    !plan->exact_blocks)
		return 0;
	g.stub = pp_arch_stub (marker);
	g.back = pp_arch_block_resume (marker);
	g.tag = (uintptr_t) &marker->site + (uintptr_t) (intptr_t) marker->site + marker->depth;
	g.tls = from_fs (&ppi_scratch);
	g.self = from_fs (&ppi_self);
	g.slow = emit_label (&g.e);
	g.pop = emit_label (&g.e);
	/* counting without a frame is for the outermost inline depth only */
	if (plan->light && (plan->light != PPI_LIGHT_COUNT || !marker->depth))
		g.light = from_fs (&ppi_lights[plan->light_slot]);
	if (is_users (plan))
		ppi_gen_make_user (&g, marker->op);
	else if (plan->exact_blocks)
		ppi_gen_make_feature (&g, marker->op);
	else if (!is_usual (plan, marker->op))
		make_skipped (&g, marker->op);
	else if (marker->op == PP_ABI_BEGIN)
		ppi_gen_make_begin (&g);
	else if (marker->op == PP_ABI_END)
		ppi_gen_make_end (&g);
	else if (keeps_only_counts (plan) || (!plan->is_array && value_of (g.stub, &value)))
		make_point (&g, value);
	else
		return 0;
	emit_finish (&g.e);
	return g.e.failed ? 0 : g.e.n;
}

PP_ABI_ASSERT (sizeof (ppi_scratch.saved) / 8 > SAVED_SPARE);
