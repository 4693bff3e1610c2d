/* SPDX-License-Identifier: MIT */
/*
 * block_light.c: the short ways of blocks (block.c) of light plans, as light.h says why they are
 * right.
 *
 *      every   begin:  dec left; cmp $N-2, left; ja frame      end:  cmp $0, open; jne frame
 *                      jmp back                                      jmp back
 *      count   begin:  cmp $0, sp; jne frame                   end:  cmp rsp, sp; jne frame
 *                      mov rsp, sp                                   rax → saved; line's span not
 *                                                                    0; shard's n + 1
 *                      rax → saved; line's span not 0                saved → rax
 *                      saved → rax; jmp back                         mov $0, sp; jmp back
 *
 * Neither looks at the guard: every store is to this plan's words, of which a handler that comes in
 * between leaves what it found. The span is 0 in children of fork, before the thread's first marker
 * and where a flush must be honoured first.
 */
#include "block_gen.h"

static bool is_count (const struct gen *g)
{
	return g->light && g->plan->light == PPI_LIGHT_COUNT;
}

static bool is_every (const struct gen *g)
{
	return g->light && g->plan->light == PPI_LIGHT_EVERY;
}

static void sp_clear (struct gen *g)
{
	emit_tls (&g->e, BITS_64, 0xc7, 0, g->light + LIGHT (sp));
	emit_32 (&g->e, 0);
}

/* RAX, which is kept, = the line; flags: equal where its span is 0 */
static void look_at_line (struct gen *g)
{
	struct emit *e = &g->e;

	emit_tls (e, BITS_64, STORE, RAX, g->light + LIGHT (saved));
	emit_tls (e, BITS_64, LOAD, RAX, g->self);
	emit_mem_i8 (e, BITS_64, CMP_I, RAX, HOT_SPAN, 0);
}

static void rax_back (struct gen *g)
{
	emit_tls (&g->e, BITS_64, LOAD, RAX, g->light + LIGHT (saved));
}

/* ---- begins ---------------------------------------------------------------------------------- */

static void later_not_now (struct gen *g, const struct ppi_op *op)
{
	(void) op;
	sp_clear (g);
	emit_jump (&g->e, g->stub);
}

static void count_begin (struct gen *g)
{
	struct emit *e = &g->e;
	label frame = emit_label (e);

	emit_tls (e, BITS_64, 0x83, CMP_I, g->light + LIGHT (sp));
	emit_byte (e, 0);
	emit_if (e, IF_NOT_EQUAL, frame);
	emit_tls (e, BITS_64, STORE, RSP, g->light + LIGHT (sp));
	look_at_line (g);
	rax_back (g);
	emit_if (e, IF_EQUAL, later (g, later_not_now, NULL));
	emit_jump (e, g->back);
	emit_here (e, frame);
	/* one that is not further up was left behind, or is on another stack */
	emit_tls (e, BITS_64, CMP_TO, RSP, g->light + LIGHT (sp));
	emit_jump_if (e, IF_NOT_ABOVE, g->stub);
	emit_tls (e, BITS_64, 0x83, OR_I, g->light + LIGHT (sp));
	emit_byte (e, PPI_LIGHT_FRAMES);
}

void ppi_gen_light_begin (struct gen *g)
{
	struct emit *e = &g->e;
	label frame = emit_label (e);

	if (is_count (g))
		count_begin (g);
	if (g->light && g->plan->light == PPI_LIGHT_AFTER_COUNT) {
		emit_tls (e, BITS_64, 0x83, CMP_I, g->light + LIGHT (sp));
		emit_byte (e, 0);
		emit_jump_if (e, IF_NOT_EQUAL, g->stub);
	}
	if (!is_every (g))
		return;
	emit_tls (e, BITS_32, 0x83, SUB_I, g->light + LIGHT (left));
	emit_byte (e, 1);
	/* below 0; or what a larger N has left */
	emit_tls (e, BITS_32, 0x81, CMP_I, g->light + LIGHT (left));
	emit_32 (e, (int32_t) (g->plan->ops->every - 2));
	emit_if (e, IF_ABOVE, frame);
	emit_jump (e, g->back);
	emit_here (e, frame);
}

void ppi_gen_light_open (struct gen *g)
{
	if (!is_every (g))
		return;
	emit_tls (&g->e, BITS_32, 0xff, 0, g->light + LIGHT (open)); /* inc */
	emit_tls (&g->e, BITS_32, 0xc7, 0, g->light + LIGHT (left));
	emit_32 (&g->e, -1);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void later_slow (struct gen *g, const struct ppi_op *op)
{
	(void) op;
	rax_back (g);
	emit_jump (&g->e, g->stub);
}

static void count_end (struct gen *g)
{
	const struct ppi_op *op = g->plan->ops;
	struct emit *e = &g->e;
	label frame = emit_label (e), slow = later (g, later_slow, NULL);

	emit_tls (e, BITS_64, CMP_TO, RSP, g->light + LIGHT (sp));
	emit_if (e, IF_NOT_EQUAL, frame);
	look_at_line (g);
	emit_if (e, IF_EQUAL, slow);
	shard_or (g, op, RAX, slow);
	emit_inc (e, BITS_64, RAX, SHARD_N);
	rax_back (g);
	sp_clear (g);
	emit_jump (e, g->back);
	emit_here (e, frame);
}

void ppi_gen_light_end (struct gen *g)
{
	struct emit *e = &g->e;
	label frame = emit_label (e);

	if (is_count (g))
		count_end (g);
	if (!is_every (g))
		return;
	emit_tls (e, BITS_32, 0x83, CMP_I, g->light + LIGHT (open));
	emit_byte (e, 0);
	emit_if (e, IF_NOT_EQUAL, frame);
	emit_jump (e, g->back);
	emit_here (e, frame);
}

void ppi_gen_light_close (struct gen *g)
{
	const struct ppi_op *op = g->plan->ops;
	struct emit *e = &g->e;
	label done = emit_label (e);

	if (!is_every (g))
		return;
	emit_tls (e, BITS_32, 0xff, 1, g->light + LIGHT (open)); /* dec */
	emit_if (e, IF_NOT_EQUAL, done);
	shard_or (g, op, RCX, done);
	emit_mem (e, BITS_32, LOAD, RDX, RAX, SHARD_SKIP);
	emit_tls (e, BITS_32, STORE, RDX, g->light + LIGHT (left));
	emit_store_i32 (e, BITS_32, RAX, SHARD_SKIP, 0);
	emit_here (e, done);
}
