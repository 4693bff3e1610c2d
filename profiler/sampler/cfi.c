/* SPDX-License-Identifier: MIT */
/*
 * cfi.c: runs the instructions of an FDE up to an address, and restores the caller's registers; see
 * cfi.h.
 */
#include "profiler/sampler/cfi.h"

enum {
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF = 0x0c,
	CFA_DEF_REGISTER = 0x0d,
	CFA_DEF_OFFSET = 0x0e,
	CFA_DEF_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_SF = 0x11,
	CFA_DEF_SF = 0x12,
	CFA_DEF_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_ARGS_SIZE = 0x2e,
	CFA_NEGATIVE_OFFSET = 0x2f,
};

enum { REMEMBERED = 16 };

struct rule {
	enum {
		SAME,
		UNDEFINED,
		AT_OFFSET,
		IS_OFFSET,
		IN_REGISTER,
		AT_EXPRESSION,
		IS_EXPRESSION
	} kind;
	int64_t value;        /* an offset from the CFA, or a register */
	size_t offset, bytes; /* of an expression, in the table */
};

struct row {
	struct rule rule[PPI_REGS],
		/* CFA: IN_REGISTER with the register in OFFSET and VALUE added, or IS_EXPRESSION */
		cfa;
};

struct state {
	const struct ppi_fde *fde;
	uint64_t at, pc; /* code: the row is of AT on; it is looked for of PC */
	struct row now, initial;
	struct row remembered[REMEMBERED];
	unsigned n_remembered;
};

static void set (struct state *s, uint64_t reg, struct rule rule)
{
	/* of registers that are not followed nothing is known */
	if (reg < PPI_REGS)
		s->now.rule[reg] = rule;
}

static struct rule expression (struct ppi_cursor *c, int kind)
{
	uint64_t bytes = ppi_cursor_uleb (c);
	struct rule rule = {
		.kind = (__typeof__ (rule.kind)) kind, .offset = c->at, .bytes = (size_t) bytes};

	if (c->failed || bytes > c->end - c->at)
		c->failed = true;
	else
		c->at += (size_t) bytes;
	return rule;
}

static int64_t factored (const struct state *s, uint64_t value)
{
	return (int64_t) (value * (uint64_t) s->fde->data_align);
}

/* Instructions about the CFA. */
static bool define (struct state *s, struct ppi_cursor *c, unsigned op)
{
	struct rule *cfa = &s->now.cfa;

	switch (op) {
	case CFA_DEF:
	case CFA_DEF_SF:
		cfa->kind = IN_REGISTER;
		cfa->offset = (size_t) ppi_cursor_uleb (c);
		cfa->value = op == CFA_DEF ? (int64_t) ppi_cursor_uleb (c)
					   : factored (s, (uint64_t) ppi_cursor_sleb (c));
		return true;
	case CFA_DEF_REGISTER:
		cfa->kind = IN_REGISTER;
		cfa->offset = (size_t) ppi_cursor_uleb (c);
		return true;
	case CFA_DEF_OFFSET:
		cfa->value = (int64_t) ppi_cursor_uleb (c);
		return true;
	case CFA_DEF_OFFSET_SF:
		cfa->value = factored (s, (uint64_t) ppi_cursor_sleb (c));
		return true;
	case CFA_DEF_EXPRESSION:
		*cfa = expression (c, IS_EXPRESSION);
		return true;
	default:
		return false;
	}
}

/* Instructions about one register, which is their first operand. */
static bool restore (struct state *s, struct ppi_cursor *c, unsigned op)
{
	uint64_t reg;

	if (op < CFA_OFFSET_EXTENDED || op > CFA_NEGATIVE_OFFSET)
		return false;
	reg = ppi_cursor_uleb (c);
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set (s, reg, (struct rule){AT_OFFSET, factored (s, ppi_cursor_uleb (c)), 0, 0});
		return true;
	case CFA_OFFSET_SF:
		set (s, reg,
		     (struct rule){AT_OFFSET, factored (s, (uint64_t) ppi_cursor_sleb (c)), 0, 0});
		return true;
	case CFA_NEGATIVE_OFFSET:
		set (s, reg, (struct rule){AT_OFFSET, -factored (s, ppi_cursor_uleb (c)), 0, 0});
		return true;
	case CFA_VAL_OFFSET:
		set (s, reg, (struct rule){IS_OFFSET, factored (s, ppi_cursor_uleb (c)), 0, 0});
		return true;
	case CFA_VAL_OFFSET_SF:
		set (s, reg,
		     (struct rule){IS_OFFSET, factored (s, (uint64_t) ppi_cursor_sleb (c)), 0, 0});
		return true;
	case CFA_RESTORE_EXTENDED:
		if (reg < PPI_REGS)
			s->now.rule[reg] = s->initial.rule[reg];
		return true;
	case CFA_UNDEFINED:
		set (s, reg, (struct rule){UNDEFINED, 0, 0, 0});
		return true;
	case CFA_SAME:
		set (s, reg, (struct rule){SAME, 0, 0, 0});
		return true;
	case CFA_REGISTER:
		set (s, reg, (struct rule){IN_REGISTER, (int64_t) ppi_cursor_uleb (c), 0, 0});
		return true;
	case CFA_EXPRESSION:
		set (s, reg, expression (c, AT_EXPRESSION));
		return true;
	case CFA_VAL_EXPRESSION:
		set (s, reg, expression (c, IS_EXPRESSION));
		return true;
	default:
		return false;
	}
}

static bool remember (struct state *s)
{
	if (s->n_remembered == REMEMBERED)
		return false;
	s->remembered[s->n_remembered++] = s->now;
	return true;
}

static bool recall (struct state *s)
{
	if (!s->n_remembered)
		return false;
	s->now = s->remembered[--s->n_remembered];
	return true;
}

/* One instruction; false: it is not understood. */
static bool run_one (struct state *s, struct ppi_cursor *c)
{
	unsigned op = (unsigned) ppi_cursor_take (c, 1), low = op & 0x3f;

	switch (op & 0xc0) {
	case CFA_ADVANCE:
		s->at += low * s->fde->code_align;
		return true;
	case CFA_OFFSET:
		set (s, low, (struct rule){AT_OFFSET, factored (s, ppi_cursor_uleb (c)), 0, 0});
		return true;
	case CFA_RESTORE:
		if (low < PPI_REGS)
			s->now.rule[low] = s->initial.rule[low];
		return true;
	default:
		break;
	}
	switch (op) {
	case CFA_NOP:
		return true;
	case CFA_SET_LOC:
		s->at = ppi_cursor_pointer (c, s->fde->encoding);
		return true;
	case CFA_ADVANCE1:
		s->at += ppi_cursor_take (c, 1) * s->fde->code_align;
		return true;
	case CFA_ADVANCE2:
		s->at += ppi_cursor_take (c, 2) * s->fde->code_align;
		return true;
	case CFA_ADVANCE4:
		s->at += ppi_cursor_take (c, 4) * s->fde->code_align;
		return true;
	case CFA_REMEMBER:
		return remember (s);
	case CFA_RESTORE_STATE:
		return recall (s);
	case CFA_ARGS_SIZE:
		ppi_cursor_uleb (c);
		return true;
	default:
		return define (s, c, op) || restore (s, c, op);
	}
}

/* Instructions until the row is that of PC. */
static bool run (struct state *s, struct ppi_cursor c)
{
	/* an instruction that goes on to the next row changes nothing of this one */
	while (c.at < c.end && !c.failed && s->at <= s->pc)
		if (!run_one (s, &c))
			return false;
	return !c.failed;
}

/* ---- registers of the caller ----------------------------------------------------------------- */

static bool find_cfa (const struct ppi_unwind_table *table, const struct rule *rule,
		      const struct ppi_stack_copy *stack, const struct ppi_registers *registers,
		      uint64_t *out)
{
	if (rule->kind == IS_EXPRESSION)
		return ppi_cfi_evaluate (table, rule->offset, rule->bytes, stack, registers, NULL,
					 out);
	if (rule->kind != IN_REGISTER || rule->offset >= PPI_REGS ||
	    !(registers->known >> rule->offset & 1))
		return false;
	*out = registers->value[rule->offset] + (uint64_t) rule->value;
	return true;
}

/* Register I of the caller; false: it can't be had. */
static bool find_register (const struct ppi_unwind_table *table, const struct rule *rule,
			   unsigned i, uint64_t cfa, const struct ppi_stack_copy *stack,
			   const struct ppi_registers *now, uint64_t *out)
{
	uint64_t at;

	switch (rule->kind) {
	case SAME:
		*out = now->value[i];
		return now->known >> i & 1;
	case UNDEFINED:
		return false;
	case AT_OFFSET:
		return ppi_cfi_load (stack, cfa + (uint64_t) rule->value, 8, out);
	case IS_OFFSET:
		*out = cfa + (uint64_t) rule->value;
		return true;
	case IN_REGISTER:
		if (rule->value < 0 || rule->value >= PPI_REGS || !(now->known >> rule->value & 1))
			return false;
		*out = now->value[rule->value];
		return true;
	case AT_EXPRESSION:
		return ppi_cfi_evaluate (table, rule->offset, rule->bytes, stack, now, &cfa, &at) &&
		       ppi_cfi_load (stack, at, 8, out);
	case IS_EXPRESSION:
		return ppi_cfi_evaluate (table, rule->offset, rule->bytes, stack, now, &cfa, out);
	}
	return false;
}

enum ppi_step ppi_cfi_step (const struct ppi_unwind_table *table, size_t offset, uint64_t pc,
			    const struct ppi_stack_copy *stack, struct ppi_registers *registers)
{
	struct ppi_registers caller = {.known = 0};
	struct ppi_fde fde;
	struct state s; /* large: what is remembered is not cleared for nothing */
	uint64_t cfa;

	if (!ppi_fde_read (table, offset, &fde) || pc < fde.begin || pc - fde.begin >= fde.bytes)
		return PPI_STEP_UNKNOWN;
	s.fde = &fde;
	s.at = fde.begin;
	s.pc = pc;
	s.now = (struct row){.cfa = {.kind = SAME}};
	s.n_remembered = 0;
	if (!run (&s, fde.common))
		return PPI_STEP_UNKNOWN;
	s.initial = s.now;
	if (!run (&s, fde.own))
		return PPI_STEP_UNKNOWN;
	/* how the outermost function says that it is */
	if (s.now.rule[PPI_REG_PC].kind == UNDEFINED)
		return PPI_STEP_END;
	if (!find_cfa (table, &s.now.cfa, stack, registers, &cfa))
		return PPI_STEP_CUT;
	/* unless told otherwise */
	if (s.now.rule[PPI_REG_SP].kind == SAME)
		s.now.rule[PPI_REG_SP] = (struct rule){IS_OFFSET, 0, 0, 0};
	for (unsigned i = 0; i < PPI_REGS; i++)
		if (find_register (table, &s.now.rule[i], i, cfa, stack, registers,
				   &caller.value[i]))
			caller.known |= 1u << i;
	if (!(caller.known >> PPI_REG_PC & 1))
		return PPI_STEP_CUT;
	*registers = caller;
	return fde.is_signal_frame ? PPI_STEP_HANDLED : PPI_STEP_CALLER;
}
