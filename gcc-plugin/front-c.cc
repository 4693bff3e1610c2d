// SPDX-License-Identifier: GPL-3.0-or-later
//
// front-c.cc: what is done through cc1.

#define PPGCC_INCLUDE_C
#include "ppgcc.h"

extern tree pushdecl (tree) __attribute__ ((weak));
extern void c_bind (location_t, tree, bool) __attribute__ ((weak));
extern tree build_external_ref (location_t, tree, bool, tree *) __attribute__ ((weak));
extern tree build_component_ref (location_t, tree, tree, location_t) __attribute__ ((weak));
extern tree build_array_ref (location_t, tree, tree) __attribute__ ((weak));
extern struct c_expr convert_lvalue_to_rvalue (location_t, struct c_expr, bool, bool) __attribute__ ((weak));
extern tree c_fully_fold (tree, bool, bool *, bool) __attribute__ ((weak));

bool ppgcc_c_in_function ()
{
	return current_function_decl != NULL_TREE;
}

bool ppgcc_c_constant_function ()
{
	return false;
}

std::string ppgcc_c_function_name ()
{
	return IDENTIFIER_POINTER (DECL_NAME (current_function_decl));
}

void ppgcc_c_statement (tree call)
{
	add_stmt (call);
}

tree ppgcc_c_call (location_t loc, tree fn, tree first, tree second)
{
	tree call = second ? build_call_expr_loc (loc, fn, 2, first, second) : build_call_expr_loc (loc, fn, 1, first);
	TREE_SIDE_EFFECTS (call) = 1;
	return call;
}

void ppgcc_c_scope (location_t loc, tree end, tree text, int)
{
	add_stmt (ppgcc_c_call (loc, ppgcc_marker_function (PPGCC_BEGIN), text, NULL_TREE));
	// Only the location of this declaration is looked at.
	tree scope = build_decl (loc, VAR_DECL, get_identifier ("pp_scope"), integer_type_node);
	DECL_ARTIFICIAL (scope) = DECL_IGNORED_P (scope) = 1;
	push_cleanup (scope, ppgcc_c_call (loc, end, text, NULL_TREE), false);
}

tree ppgcc_c_declare (location_t loc, const char *name, const char *asm_name, tree type)
{
	tree var = build_decl (loc, VAR_DECL, get_identifier (name), type);
	if (current_function_decl)
		c_bind (loc, var, true);
	else {
		TREE_PUBLIC (var) = 1;
		var = pushdecl (var);
	}
	DECL_EXTERNAL (var) = 0;
	TREE_PUBLIC (var) = TREE_STATIC (var) = TREE_USED (var) = 1;
	DECL_WEAK (var) = 1;
	DECL_VISIBILITY (var) = VISIBILITY_HIDDEN;
	DECL_VISIBILITY_SPECIFIED (var) = 1;
	SET_DECL_ASSEMBLER_NAME (var, get_identifier (asm_name));
	varpool_node::finalize_decl (var);
	return var;
}

tree ppgcc_c_function (tree name, tree, location_t, unsigned)
{
	tree decl = lookup_name (name);
	return decl && TREE_CODE (decl) == FUNCTION_DECL ? decl : NULL_TREE;
}

tree ppgcc_c_qualified (location_t, tree, tree)
{
	gcc_unreachable (); // C has no "::"
}

tree ppgcc_c_identifier (location_t loc, tree name)
{
	tree type = NULL_TREE;
	return build_external_ref (loc, name, false, &type);
}

tree ppgcc_c_member (location_t loc, tree object, tree name, location_t name_loc, bool arrow)
{
	if (arrow) {
		object = build_indirect_ref (loc, ppgcc_c_rvalue (loc, object), RO_ARROW);
		if (object == error_mark_node)
			return object;
	}
	return build_component_ref (loc, object, name, name_loc);
}

tree ppgcc_c_subscript (location_t loc, tree array, tree index)
{
	return build_array_ref (loc, array, ppgcc_c_rvalue (loc, index));
}

tree ppgcc_c_unary (location_t loc, enum tree_code code, tree operand)
{
	operand = ppgcc_c_rvalue (loc, operand);
	if (operand == error_mark_node)
		return operand;
	if (code == INDIRECT_REF)
		return build_indirect_ref (loc, operand, RO_UNARY_STAR);
	return build_unary_op (loc, code, operand, false);
}

tree ppgcc_c_binary (location_t loc, enum tree_code code, tree left, tree right)
{
	left = ppgcc_c_rvalue (loc, left);
	right = ppgcc_c_rvalue (loc, right);
	if (left == error_mark_node || right == error_mark_node)
		return error_mark_node;
	return build_binary_op (loc, code, left, right, true);
}

tree ppgcc_c_rvalue (location_t loc, tree value)
{
	struct c_expr expr = {};
	if (value == error_mark_node)
		return value;
	expr.value = value;
	expr.original_code = ERROR_MARK;
	expr = convert_lvalue_to_rvalue (loc, expr, true, true);
	value = c_fully_fold (expr.value, false, NULL);
	tree type = TREE_TYPE (value);
	if (value == error_mark_node || INTEGRAL_TYPE_P (type) || SCALAR_FLOAT_TYPE_P (type) || POINTER_TYPE_P (type))
		return value;
	error_at (loc, "%<value%> needs a number or a pointer, this is %qT", type);
	return error_mark_node;
}
