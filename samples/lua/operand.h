/* SPDX-License-Identifier: MIT */
/*
 * operand.h: what Lua's instructions are told apart by, for profile.sh: which key is looked up, which
 * type is computed with, what is called. Is included by Lua 5.4's lvm.c, whose names it uses.
 */
#include <pp.h>

/* One instruction, whose name is NAME, up to the end of its block. */
#define LUA_OP(name) PP_INTERVAL_DIM (op, opcode = name, operand = operand_of (i, k, base))

static const char *key_of (const TValue *key)
{
	return ttisstring (key) ? svalue (key) : luaT_typenames_[ttype (key) + 1];
}

static const char *number_of (const TValue *value)
{
	return ttisinteger (value) ? "integer"
	       : ttisfloat (value) ? "float"
				   : luaT_typenames_[ttype (value) + 1];
}

static const char *function_of (const TValue *value)
{
	return ttisLclosure (value)                      ? "Lua function"
	       : ttisCclosure (value) || ttislcf (value) ? "C function"
							 : luaT_typenames_[ttype (value) + 1];
}

/* NULL: it has none that tells it apart. */
static const char *operand_of (Instruction i, const TValue *k, StkId base)
{
	switch (GET_OPCODE (i)) {
	case OP_GETTABUP:
	case OP_GETFIELD:
		return key_of (k + GETARG_C (i));
	case OP_SELF:
		return key_of (TESTARG_k (i) ? k + GETARG_C (i) : s2v (base + GETARG_C (i)));
	case OP_SETTABUP:
	case OP_SETFIELD:
		return key_of (k + GETARG_B (i));
	case OP_GETTABLE:
		return number_of (s2v (base + GETARG_C (i)));
	case OP_SETTABLE:
		return number_of (s2v (base + GETARG_B (i)));
	case OP_ADDI ... OP_SHR:
	case OP_UNM ... OP_LEN:
		return number_of (s2v (base + GETARG_B (i)));
	case OP_EQ ... OP_GEI:
	case OP_FORLOOP:
	case OP_CONCAT:
		return number_of (s2v (base + GETARG_A (i)));
	case OP_CALL:
	case OP_TAILCALL:
		return function_of (s2v (base + GETARG_A (i)));
	default:
		return NULL;
	}
}
