// SPDX-License-Identifier: GPL-3.0-or-later
//
// prices.cc: what an instruction costs, roughly: the unit is a simple operation.
//
// Shares are made of it, so it need not be what any one processor takes, but the same everywhere.
// What a call costs is not known at all; it has a price so that one that moves is seen.

#include "gcc-plugin/passes/truth.h"

#include <rtl.h>
#include <rtl-iter.h>
#include <rtlanal.h>
#include <emit-rtl.h>
#include <expr.h>

namespace
{

enum { COST_SIMPLE = 1, COST_MEMORY = 3, COST_MULTIPLY = 3, COST_DIVIDE = 20, COST_CALL = 20 };

// A constant that the compiler keeps in memory is a constant all the same.
bool is_constant (const_rtx mem)
{
	const_rtx address = XEXP (mem, 0);
	return GET_CODE (address) == SYMBOL_REF && CONSTANT_POOL_ADDRESS_P (address);
}

// A copy between registers or of a constant: today's processors rename it away, and where it stands
// says nothing.
bool is_copy (rtx_insn *insn)
{
	rtx set = single_set (insn);
	if (!set || !REG_P (SET_DEST (set)))
		return false;
	rtx from = SET_SRC (set);
	return REG_P (from) || SUBREG_P (from) || CONSTANT_P (from) ||
	       (MEM_P (from) && is_constant (from));
}

// A register that was put aside and brought back.
bool is_spill (const_rtx mem)
{
	return MEM_EXPR (mem) && MEM_EXPR (mem) == get_spill_slot_decl (false);
}

// A compiler barrier.
bool is_empty_asm (rtx pattern)
{
	rtx text = extract_asm_operands (pattern);
	return text && !*ASM_OPERANDS_TEMPLATE (text);
}

void add_part (ppgcc_price &out, const_rtx x)
{
	switch (GET_CODE (x)) {
	case DIV:
	case UDIV:
	case MOD:
	case UMOD:
		if (!out.dear)
			out.cost += COST_DIVIDE;
		out.dear = "division";
		break;
	case SQRT:
		out.cost += COST_DIVIDE;
		out.dear = "square root";
		break;
	case MULT:
		out.cost += COST_MULTIPLY;
		break;
	case MEM:
		out.cost += is_spill (x) || is_constant (x) ? 0 : COST_MEMORY;
		break;
	default:
		break;
	}
}

// The name of the function of GCC's own library that CALL calls instead of computing something: for
// those the compiler makes up declarations that are no built-in functions. Else NULL.
const char *arithmetic_function (rtx_insn *insn)
{
	rtx call = get_call_rtx_from (insn), symbol = call ? XEXP (XEXP (call, 0), 0) : NULL_RTX;
	tree decl =
		symbol && GET_CODE (symbol) == SYMBOL_REF ? SYMBOL_REF_DECL (symbol) : NULL_TREE;
	if (!decl || TREE_CODE (decl) != FUNCTION_DECL || !DECL_ARTIFICIAL (decl) ||
	    !DECL_EXTERNAL (decl) || fndecl_built_in_p (decl) || !RTL_CONST_CALL_P (insn) ||
	    strncmp (XSTR (symbol, 0), "__", 2))
		return NULL;
	return XSTR (symbol, 0);
}

// What a guard calls while something is bound.
bool is_guard (rtx_insn *insn)
{
	rtx call = get_call_rtx_from (insn), symbol = call ? XEXP (XEXP (call, 0), 0) : NULL_RTX;
	tree decl =
		symbol && GET_CODE (symbol) == SYMBOL_REF ? SYMBOL_REF_DECL (symbol) : NULL_TREE;
	return decl && DECL_P (decl) && DECL_NAME (decl) &&
	       startswith (IDENTIFIER_POINTER (DECL_NAME (decl)), "pp_rt_guard_");
}

ppgcc_price price_of_call (rtx_insn *insn)
{
	ppgcc_price out;
	if (is_guard (insn))
		return out;
	const char *name = arithmetic_function (insn);
	bool divides = name && (strstr (name, "div") || strstr (name, "mod"));
	out.cost = name && !divides ? COST_MULTIPLY : divides ? COST_DIVIDE : COST_CALL;
	out.dear = divides ? "division" : name ? NULL : "call";
	out.guess = !name && !RTL_CONST_OR_PURE_CALL_P (insn);
	return out;
}

} // namespace

ppgcc_price ppgcc_price_of (rtx_insn *insn)
{
	ppgcc_price out;
	rtx pattern = PATTERN (insn);
	if (CALL_P (insn))
		return price_of_call (insn);
	if (GET_CODE (pattern) == USE || is_empty_asm (pattern) || GET_CODE (pattern) == CLOBBER ||
	    RTX_FRAME_RELATED_P (insn) || simplejump_p (insn) || is_copy (insn))
		return out;
	out.cost = COST_SIMPLE;
	subrtx_iterator::array_type array;
	FOR_EACH_SUBRTX (i, array, pattern, ALL)
	{
		add_part (out, *i);
		if (MEM_P (*i))
			i.skip_subrtxes (); // an address is no multiplication
	}
	return out;
}
