// SPDX-License-Identifier: GPL-3.0-or-later
//
// declare.cc: the marker functions that the front ends call, and the functions of the runtime that
// markers call: their declarations, and how calls of marker functions are told from others.

#include "gcc-plugin/markers/lowering.h"
#include "gcc-plugin/markers/marker.h"

static const char *const names[PPGCC_OPS] = {
	"__pp_begin",        "__pp_end",          "__pp_point",      "__pp_value",
	"__pp_enabled",      "__pp_wanted",       "__pp_bits",       "__pp_late_enabled",
	"__pp_late_wanted",  "__pp_late",         "__pp_expect",     "__pp_bind",
	"__pp_unbind",       "__pp_inline_begin", "__pp_inline_int", "__pp_inline_double",
	"__pp_sample_begin", "__pp_sample_end",   "__pp_sample_int", "__pp_sample_double"};

static tree marker_type (ppgcc_op op)
{
	switch (op) {
	case PPGCC_ENABLED:
	case PPGCC_LATE_ENABLED:
	case PPGCC_LATE_WANTED:
		return build_function_type_list (integer_type_node, const_ptr_type_node, NULL_TREE);
	case PPGCC_WANTED:
		return build_function_type_list (integer_type_node, const_ptr_type_node,
						 integer_type_node, NULL_TREE);
	case PPGCC_BITS: // of any type
		return build_varargs_function_type_list (long_long_integer_type_node,
							 const_ptr_type_node, NULL_TREE);
	case PPGCC_BEGIN: // of any type
	case PPGCC_VALUE:
	case PPGCC_LATE:
	case PPGCC_EXPECT: // a function, or a null pointer
		return build_varargs_function_type_list (void_type_node, const_ptr_type_node,
							 NULL_TREE);
	case PPGCC_INLINE_INT:
	case PPGCC_INLINE_DOUBLE:
	case PPGCC_SAMPLE_BEGIN:
	case PPGCC_SAMPLE_END:
	case PPGCC_SAMPLE_INT:
	case PPGCC_SAMPLE_DOUBLE:
		return ppgcc_direct_type (op);
	default:
		return build_function_type_list (void_type_node, const_ptr_type_node, NULL_TREE);
	}
}

tree ppgcc_marker_attributes ()
{
	return tree_cons (get_identifier ("nothrow"), NULL_TREE,
			  tree_cons (get_identifier ("leaf"), NULL_TREE, NULL_TREE));
}

// Asked for by name every time: a precompiled header replaces all of GCC's memory.
tree ppgcc_marker_function (ppgcc_op op)
{
	tree decl = identifier_global_value (get_identifier (names[op]));
	if (!decl || TREE_CODE (decl) != FUNCTION_DECL) {
		decl = add_builtin_function_ext_scope (names[op], marker_type (op), 0, NOT_BUILT_IN,
						       NULL, ppgcc_marker_attributes ());
		TREE_NOTHROW (decl) = 1;
		DECL_ARTIFICIAL (decl) = 1; // tells it from a function that the program calls so
	}
	return decl;
}

tree ppgcc_marker_declaration (ppgcc_op op)
{
	tree decl = build_fn_decl (names[op], marker_type (op));
	SET_DECL_ASSEMBLER_NAME (decl, DECL_NAME (decl));
	DECL_ATTRIBUTES (decl) = ppgcc_marker_attributes ();
	TREE_NOTHROW (decl) = 1;
	return decl;
}

tree ppgcc_literal (const std::string &text)
{
	tree string = build_string (text.size () + 1, text.c_str ());
	tree element = build_qualified_type (char_type_node, TYPE_QUAL_CONST);
	tree type = build_array_type (element, build_index_type (size_int (text.size ())));
	TREE_TYPE (string) = type;
	TREE_CONSTANT (string) = TREE_READONLY (string) = TREE_STATIC (string) = 1;
	return build1 (ADDR_EXPR, const_ptr_type_node, string);
}

tree ppgcc_runtime_function (const char *name, tree type)
{
	symtab_node *node = symtab_node::get_for_asmname (get_identifier (name));
	if (node && TREE_CODE (node->decl) == FUNCTION_DECL)
		return node->decl;
	tree decl = build_fn_decl (name, type);
	SET_DECL_ASSEMBLER_NAME (decl, get_identifier (name));
	TREE_NOTHROW (decl) = 1;
	return decl;
}

tree ppgcc_runtime_function (const char *name, tree first, tree second)
{
	return ppgcc_runtime_function (
		name, build_function_type_list (void_type_node, first, second, NULL_TREE));
}

int ppgcc_marker_op (gimple *stmt)
{
	tree decl = is_gimple_call (stmt) ? gimple_call_fndecl (stmt) : NULL_TREE;
	if (!decl || !DECL_NAME (decl) || !DECL_ARTIFICIAL (decl))
		return -1;
	const char *name = IDENTIFIER_POINTER (DECL_NAME (decl));
	if (startswith (name, "__pp_"))
		for (int op = 0; op < PPGCC_OPS; op++)
			if (!strcmp (name, names[op]))
				return op;
	return -1;
}

bool ppgcc_late_op (int op)
{
	return op == PPGCC_LATE_ENABLED || op == PPGCC_LATE_WANTED || op == PPGCC_LATE;
}

const char *ppgcc_marker_text (gimple *stmt)
{
	return c_getstr (gimple_call_arg (stmt, 0));
}
