/* SPDX-License-Identifier: MIT */
/* cfi_expression.c: DWARF expressions, as far as call frame information has them; see cfi.h. */
#include "profiler/sampler/cfi.h"

#include "base/peek.h"

#include <string.h>

enum { DEPTH = 64, STEPS = 1000 };

enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_SWAP = 0x16,
	OP_ABS = 0x19,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_BRA = 0x28,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_SKIP = 0x2f,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

bool ppi_cfi_load (const struct ppi_stack_copy *stack, uint64_t at, unsigned bytes, uint64_t *out)
{
	*out = 0;
	if (bytes > sizeof *out)
		return false;
	if (at >= stack->at && at - stack->at <= stack->bytes &&
	    stack->bytes - (at - stack->at) >= bytes) {
		memcpy (out, stack->data + (at - stack->at), bytes);
		return true;
	}
	/* what is on the stack but not in the copy has changed since */
	if (at >= stack->at - (1u << 20) && at < stack->at + (8u << 20))
		return false;
	return ppi_peek (at, out, bytes) == bytes;
}

struct machine {
	struct ppi_cursor c;
	uint64_t value[DEPTH];
	unsigned n;
	const struct ppi_stack_copy *stack;
	const struct ppi_registers *registers;
};

static bool push (struct machine *m, uint64_t value)
{
	if (m->n == DEPTH)
		return false;
	m->value[m->n++] = value;
	return true;
}

static uint64_t extended (uint64_t value, unsigned bytes)
{
	uint64_t sign = UINT64_C (1) << (8 * bytes - 1);

	return bytes == 8 ? value : (value ^ sign) - sign;
}

/* const1u, const1s, const2u … const8s */
static bool push_constant (struct machine *m, unsigned op)
{
	unsigned bytes = 1u << ((op - OP_CONST1U) / 2);
	uint64_t value = ppi_cursor_take (&m->c, bytes);

	return push (m, (op & 1) ? extended (value, bytes) : value);
}

static bool push_register (struct machine *m, unsigned number)
{
	int64_t offset = ppi_cursor_sleb (&m->c);

	return number < PPI_REGS && (m->registers->known >> number & 1) &&
	       push (m, m->registers->value[number] + (uint64_t) offset);
}

static bool binary (unsigned op, uint64_t a, uint64_t b, uint64_t *out)
{
	int64_t x = (int64_t) a, y = (int64_t) b;

	switch (op) {
	case OP_AND:
		*out = a & b;
		return true;
	case OP_MINUS:
		*out = a - b;
		return true;
	case OP_MUL:
		*out = a * b;
		return true;
	case OP_OR:
		*out = a | b;
		return true;
	case OP_PLUS:
		*out = a + b;
		return true;
	case OP_SHL:
		*out = b < 64 ? a << b : 0;
		return true;
	case OP_SHR:
		*out = b < 64 ? a >> b : 0;
		return true;
	case OP_SHRA:
		*out = (uint64_t) (x >> (b < 63 ? b : 63));
		return true;
	case OP_XOR:
		*out = a ^ b;
		return true;
	case OP_EQ:
		*out = x == y;
		return true;
	case OP_GE:
		*out = x >= y;
		return true;
	case OP_GT:
		*out = x > y;
		return true;
	case OP_LE:
		*out = x <= y;
		return true;
	case OP_LT:
		*out = x < y;
		return true;
	case OP_NE:
		*out = x != y;
		return true;
	default:
		return false;
	}
}

static bool jump (struct machine *m, bool taken)
{
	int64_t by = (int16_t) ppi_cursor_take (&m->c, 2);

	if (!taken || m->c.failed)
		return !m->c.failed;
	if (by < -(int64_t) m->c.at || by > (int64_t) (m->c.end - m->c.at))
		return false;
	m->c.at = (size_t) ((int64_t) m->c.at + by);
	return true;
}

/* What needs a value on the stack. */
static bool apply (struct machine *m, unsigned op)
{
	uint64_t *top = &m->value[m->n - 1];

	switch (op) {
	case OP_DEREF:
		return ppi_cfi_load (m->stack, *top, 8, top);
	case OP_DEREF_SIZE:
		return ppi_cfi_load (m->stack, *top, (unsigned) ppi_cursor_take (&m->c, 1), top);
	case OP_DUP:
		return push (m, *top);
	case OP_DROP:
		m->n--;
		return true;
	case OP_ABS:
		*top = (int64_t) *top < 0 ? -*top : *top;
		return true;
	case OP_NEG:
		*top = -*top;
		return true;
	case OP_NOT:
		*top = ~*top;
		return true;
	case OP_PLUS_UCONST:
		*top += ppi_cursor_uleb (&m->c);
		return true;
	case OP_BRA:
		m->n--;
		return jump (m, *top != 0);
	default:
		break;
	}
	if (m->n < 2)
		return false;
	if (op == OP_OVER)
		return push (m, top[-1]);
	if (op == OP_SWAP) {
		uint64_t one = *top;

		*top = top[-1];
		top[-1] = one;
		return true;
	}
	m->n--;
	return binary (op, top[-1], top[0], &top[-1]);
}

static bool step (struct machine *m)
{
	unsigned op = (unsigned) ppi_cursor_take (&m->c, 1);

	if (op >= OP_LIT0 && op <= OP_LIT31)
		return push (m, op - OP_LIT0);
	if (op >= OP_BREG0 && op <= OP_BREG31)
		return push_register (m, op - OP_BREG0);
	if (op >= OP_CONST1U && op <= OP_CONST8S)
		return push_constant (m, op);
	switch (op) {
	case OP_NOP:
		return true;
	case OP_ADDR:
		return push (m, ppi_cursor_take (&m->c, 8));
	case OP_CONSTU:
		return push (m, ppi_cursor_uleb (&m->c));
	case OP_CONSTS:
		return push (m, (uint64_t) ppi_cursor_sleb (&m->c));
	case OP_SKIP:
		return jump (m, true);
	default:
		return m->n && apply (m, op);
	}
}

bool ppi_cfi_evaluate (const struct ppi_unwind_table *table, size_t offset, size_t bytes,
		       const struct ppi_stack_copy *stack, const struct ppi_registers *registers,
		       const uint64_t *initial, uint64_t *out)
{
	struct machine m = {.c = {table, offset, offset + bytes,
				  offset > table->bytes || bytes > table->bytes - offset},
			    .stack = stack,
			    .registers = registers};

	if (initial)
		push (&m, *initial);
	for (unsigned i = 0; m.c.at < m.c.end && !m.c.failed; i++)
		if (i == STEPS || !step (&m))
			return false;
	if (m.c.failed || !m.n)
		return false;
	*out = m.value[m.n - 1];
	return true;
}
