// SPDX-License-Identifier: GPL-3.0-or-later
//
// fortran.cc: calls of pp_begin and its kin as Fortran makes them become those of C, which calls.cc
// lowers:
//
//     pp_begin_ (&"work"[1], 4)                 pp_begin ("work")
//     pp_point_int_ (&"left"[1], n, 4)          pp_point_int ("left", n)
//
// where the name is a literal (or a constant). Other names are left to the library's functions for
// Fortran.

#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/functions/wrap.h"

#include <gimple-walk.h>

static const struct {
	const char *fortran, *c;
	unsigned args; // Fortran's, the length counted
} names[] = {
	{"pp_begin_", "pp_begin", 2},
	{"pp_end_", "pp_end", 2},
	{"pp_point_", "pp_point", 2},
	{"pp_point_int_", "pp_point_int", 3},
	{"pp_point_double_", "pp_point_double", 3},
};

// The text of a literal of LENGTH bytes, without the blanks that Fortran fills texts up with; ""
// where it is none.
static std::string literal (tree text, tree length)
{
	if (TREE_CODE (text) != ADDR_EXPR || !tree_fits_uhwi_p (length))
		return "";
	text = TREE_OPERAND (text, 0);
	if (TREE_CODE (text) == ARRAY_REF &&
	    tree_int_cst_equal (TREE_OPERAND (text, 1), array_ref_low_bound (text)))
		text = TREE_OPERAND (text, 0);
	if (TREE_CODE (text) != STRING_CST)
		return "";
	size_t bytes =
		MIN (tree_to_uhwi (length), (unsigned HOST_WIDE_INT) TREE_STRING_LENGTH (text));
	std::string out (TREE_STRING_POINTER (text), bytes);
	while (!out.empty () && out.back () == ' ')
		out.pop_back ();
	return out.find ('\0') == std::string::npos ? out : "";
}

static tree c_function (const char *name, tree second)
{
	return ppgcc_runtime_function (name, const_ptr_type_node, second);
}

static tree rewrite (gimple_stmt_iterator *gsi, bool *, walk_stmt_info *)
{
	gimple *stmt = gsi_stmt (*gsi);
	tree fn = is_gimple_call (stmt) ? gimple_call_fndecl (stmt) : NULL_TREE;
	if (!fn || !DECL_EXTERNAL (fn) || !HAS_DECL_ASSEMBLER_NAME_P (fn))
		return NULL_TREE;
	const char *symbol = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (fn));
	for (const auto &one : names) {
		if (strcmp (symbol, one.fortran) || gimple_call_num_args (stmt) != one.args)
			continue;
		std::string text =
			literal (gimple_call_arg (stmt, 0), gimple_call_arg (stmt, one.args - 1));
		if (text.empty ())
			break;
		tree value = one.args == 3 ? gimple_call_arg (stmt, 1) : NULL_TREE;
		tree callee = c_function (one.c, value ? TREE_TYPE (value) : NULL_TREE);
		gcall *call = value ? gimple_build_call (callee, 2, ppgcc_literal (text), value)
				    : gimple_build_call (callee, 1, ppgcc_literal (text));
		gimple_set_location (call, gimple_location (stmt));
		gsi_replace (gsi, call, false);
		break;
	}
	return NULL_TREE;
}

void ppgcc_fortran_calls (function *fun)
{
	gimple_seq body = gimple_body (fun->decl);
	walk_stmt_info info = {};
	walk_gimple_seq_mod (&body, rewrite, NULL, &info);
	gimple_set_body (fun->decl, body);
}
