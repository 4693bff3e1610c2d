// SPDX-License-Identifier: GPL-3.0-or-later
//
// live.cc: which kinds of registers can hold nothing of the program's at the markers of a function,
// so that the runtime need not keep them (PP_ABI_MARKER_NO_*; base/arch/x86_64/entry.S).
//
//   AVX, AVX-512   what no function of the unit was compiled for. The unit and not the function:
//                  with -fipa-ra a caller keeps values in registers that its callee does not touch,
//                  also in those that the callee could not
//   x87, MMX       where the function has no value of such a type and nothing that becomes such
//                  instructions. Here the function is enough: at calls that stack is empty

#include "gcc-plugin/target/registers.h"
#include "pp_abi.h"

#ifdef PPGCC_TARGET_X86

#include <cgraph.h>

// ---- what functions were compiled for

static int isa_of (tree fn)
{
	tree options = DECL_FUNCTION_SPECIFIC_TARGET (fn);
	if (!options)
		options = target_option_default_node;
	if (!options)
		return 0; // nobody knows
	HOST_WIDE_INT isa = TREE_TARGET_OPTION (options)->x_ix86_isa_flags;
	return (isa & OPTION_MASK_ISA_AVX512F ? 0 : PP_ABI_MARKER_NO_AVX512) |
	       (isa & OPTION_MASK_ISA_AVX ? 0 : PP_ABI_MARKER_NO_AVX);
}

// Of all functions; looked at once, when all are there.
static int isa_of_unit ()
{
	static int known = -1;
	if (known >= 0)
		return known;
	known = PP_ABI_MARKER_NO_AVX512 | PP_ABI_MARKER_NO_AVX;
	cgraph_node *node;
	FOR_EACH_DEFINED_FUNCTION (node)
	known &= isa_of (node->decl);
	return known;
}

// ---- x87 and MMX

static bool x87_type_p (tree type)
{
	if (!type || type == error_mark_node || !TYPE_P (type))
		return false;
	machine_mode mode = TYPE_MODE (type);
	return mode == XFmode || mode == XCmode;
}

static bool asm_uses_x87 (const gasm *text)
{
	for (unsigned i = 0; i < gimple_asm_ninputs (text); i++)
		if (strpbrk (TREE_STRING_POINTER (
				     TREE_VALUE (TREE_PURPOSE (gimple_asm_input_op (text, i)))),
			     "ftuy"))
			return true;
	for (unsigned i = 0; i < gimple_asm_noutputs (text); i++)
		if (strpbrk (TREE_STRING_POINTER (
				     TREE_VALUE (TREE_PURPOSE (gimple_asm_output_op (text, i)))),
			     "ftuy"))
			return true;
	for (unsigned i = 0; i < gimple_asm_nclobbers (text); i++) {
		const char *name =
			TREE_STRING_POINTER (TREE_VALUE (gimple_asm_clobber_op (text, i)));
		const char *mm = strstr (name, "mm");
		if (strstr (name, "st") || (mm && (mm == name || !strchr ("xyz", mm[-1]))))
			return true;
	}
	return false;
}

static bool stmt_uses_x87 (gimple *stmt, bool (*marker_p) (gimple *))
{
	if (gasm *text = dyn_cast<gasm *> (stmt))
		if (!marker_p (stmt) && asm_uses_x87 (text))
			return true;
	if (is_gimple_call (stmt) && !gimple_call_internal_p (stmt) &&
	    x87_type_p (gimple_call_return_type (as_a<gcall *> (stmt))))
		return true;
	for (unsigned i = 0; i < gimple_num_ops (stmt); i++) {
		tree op = gimple_op (stmt, i);
		if (op && x87_type_p (TREE_TYPE (op)))
			return true;
	}
	return false;
}

static bool uses_x87 (function *fun, bool (*marker_p) (gimple *))
{
	// values of any type are kept there, or functions of them become x87's instructions
	if (!TARGET_SSE2 || !TARGET_SSE_MATH || (ix86_fpmath & FPMATH_387) ||
	    flag_unsafe_math_optimizations || flag_finite_math_only)
		return true;
	basic_block bb;
	FOR_EACH_BB_FN (bb, fun)
	{
		for (gphi_iterator gsi = gsi_start_phis (bb); !gsi_end_p (gsi); gsi_next (&gsi))
			if (x87_type_p (TREE_TYPE (gimple_phi_result (gsi.phi ()))))
				return true;
		for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
		     gsi_next (&gsi))
			if (stmt_uses_x87 (gsi_stmt (gsi), marker_p))
				return true;
	}
	return false;
}

// Interrupt handlers and functions without caller-saved registers run in the middle of anybody's
// code.
unsigned ppgcc_not_live (function *fun, bool (*marker_p) (gimple *))
{
	tree attributes = TYPE_ATTRIBUTES (TREE_TYPE (fun->decl));
	if (lookup_attribute ("interrupt", attributes) ||
	    lookup_attribute ("no_caller_saved_registers", attributes))
		return 0;
	return isa_of_unit () | (uses_x87 (fun, marker_p) ? 0 : PP_ABI_MARKER_NO_X87);
}

#else

unsigned ppgcc_not_live (function *, bool (*) (gimple *))
{
	return 0;
}

#endif
