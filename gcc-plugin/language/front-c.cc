// SPDX-License-Identifier: GPL-3.0-or-later
//
// front-c.cc: what is done through cc1.

#define PPGCC_INCLUDE_C
#include "gcc-plugin/language/expr.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/letters.h"
#include "gcc-plugin/language/pragma.h"

extern tree pushdecl (tree) __attribute__ ((weak));
extern void c_bind (location_t, tree, bool) __attribute__ ((weak));
extern tree build_external_ref (location_t, tree, bool, tree *) __attribute__ ((weak));
extern tree build_component_ref (location_t, tree, tree, location_t) __attribute__ ((weak));
extern tree build_array_ref (location_t, tree, tree) __attribute__ ((weak));
extern struct c_expr convert_lvalue_to_rvalue (location_t, struct c_expr, bool, bool)
	__attribute__ ((weak));
extern tree c_fully_fold (tree, bool, bool *, bool) __attribute__ ((weak));
extern tree build_conditional_expr (location_t, tree, bool, tree, tree, location_t, tree, tree,
				    location_t) __attribute__ ((weak));
extern tree build_c_cast (location_t, tree, tree) __attribute__ ((weak));
extern tree c_sizeof_or_alignof_type (location_t, tree, bool, bool, int) __attribute__ ((weak));
extern tree c_begin_compound_stmt (bool) __attribute__ ((weak));
extern tree c_end_compound_stmt (location_t, tree, bool) __attribute__ ((weak));
extern tree xref_tag (enum tree_code, tree) __attribute__ ((weak));
extern tree c_objc_common_truthvalue_conversion (location_t, tree) __attribute__ ((weak));
extern vec<tree, va_gc> *make_tree_vector (void) __attribute__ ((weak));
extern void release_tree_vector (vec<tree, va_gc> *) __attribute__ ((weak));

bool ppgcc_c_in_function ()
{
	return current_function_decl != NULL_TREE;
}

bool ppgcc_c_constant_function ()
{
	return false;
}

bool ppgcc_c_in_template ()
{
	return false;
}

std::string ppgcc_c_function_name ()
{
	return IDENTIFIER_POINTER (DECL_NAME (current_function_decl));
}

void ppgcc_c_statement (tree expression)
{
	add_stmt (expression);
}

void ppgcc_c_if (location_t loc, tree condition, tree then)
{
	condition =
		c_fully_fold (c_objc_common_truthvalue_conversion (loc, condition), false, NULL);
	add_stmt (build3_loc (loc, COND_EXPR, void_type_node, condition, then, NULL_TREE));
}

tree ppgcc_c_marker (location_t loc, tree fn, const vec<tree> &args)
{
	auto_vec<tree> converted;
	tree types = TYPE_ARG_TYPES (TREE_TYPE (fn));
	for (tree arg : args) {
		bool named = types && types != void_list_node;
		converted.safe_push (named ? convert (TREE_VALUE (types), arg) : arg);
		types = named ? TREE_CHAIN (types) : NULL_TREE;
	}
	tree call = build_call_expr_loc_array (loc, fn, converted.length (), converted.address ());
	TREE_SIDE_EFFECTS (call) = 1;
	return call;
}

void ppgcc_c_scope (location_t loc, tree end, tree text, int)
{
	// Only the location of this declaration is looked at.
	tree scope = build_decl (loc, VAR_DECL, get_identifier ("pp_scope"), integer_type_node);
	DECL_ARTIFICIAL (scope) = DECL_IGNORED_P (scope) = 1;
	auto_vec<tree> args;
	args.safe_push (text);
	push_cleanup (scope, ppgcc_c_marker (loc, end, args), false);
}

void ppgcc_c_inline_scope (location_t loc, const std::string &name, tree init, tree text,
			   tree metric)
{
	tree var = ppgcc_c_local (loc, name, TREE_TYPE (init), init);
	push_cleanup (var, ppgcc_inline_sample (loc, text, metric, var), false);
}

tree ppgcc_c_block_begin ()
{
	return c_begin_compound_stmt (true);
}

void ppgcc_c_block_end (location_t loc, tree block)
{
	add_stmt (c_end_compound_stmt (loc, block, true));
}

tree ppgcc_c_local (location_t loc, const std::string &name, tree type, tree init)
{
	tree var = build_decl (loc, VAR_DECL, get_identifier (name.c_str ()), type);
	DECL_ARTIFICIAL (var) = TREE_USED (var) = DECL_READ_P (var) = 1;
	var = pushdecl (var);
	layout_decl (var, 0);
	add_stmt (build1_loc (loc, DECL_EXPR, void_type_node, var));
	add_stmt (build2_loc (loc, INIT_EXPR, type, var, init));
	return var;
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

enum rid ppgcc_c_keyword (tree name)
{
	return C_IS_RESERVED_WORD (name) ? C_RID_CODE (name) : RID_MAX;
}

tree ppgcc_c_type (tree name, tree)
{
	tree decl = lookup_name (name);
	return decl && TREE_CODE (decl) == TYPE_DECL ? TREE_TYPE (decl) : NULL_TREE;
}

tree ppgcc_c_tagged_type (enum rid which, tree name)
{
	return xref_tag (which == RID_ENUM    ? ENUMERAL_TYPE
			 : which == RID_UNION ? UNION_TYPE
					      : RECORD_TYPE,
			 name);
}

bool ppgcc_c_scalar_type (tree type)
{
	return INTEGRAL_TYPE_P (type) || SCALAR_FLOAT_TYPE_P (type) || POINTER_TYPE_P (type);
}

tree ppgcc_c_qualified (location_t, tree, tree)
{
	gcc_unreachable (); // C has no "::"
}

tree ppgcc_c_identifier (location_t loc, tree name, bool called)
{
	tree type = NULL_TREE;
	return build_external_ref (loc, name, called, &type);
}

tree ppgcc_c_string (tree string)
{
	return string;
}

// VALUE as an operand: no longer an lvalue, an array, or a function.
static tree rvalue (location_t loc, tree value)
{
	struct c_expr expr = {};
	if (value == error_mark_node)
		return value;
	expr.value = value;
	expr.original_code = TREE_CODE (value) == STRING_CST ? STRING_CST : ERROR_MARK;
	expr = convert_lvalue_to_rvalue (loc, expr, true, true);
	return c_fully_fold (expr.value, false, NULL);
}

tree ppgcc_c_member (location_t loc, tree object, tree name, location_t name_loc, bool arrow)
{
	if (arrow) {
		object = build_indirect_ref (loc, rvalue (loc, object), RO_ARROW);
		if (object == error_mark_node)
			return object;
	}
	return build_component_ref (loc, object, name, name_loc);
}

tree ppgcc_c_subscript (location_t loc, tree array, tree index)
{
	return build_array_ref (loc, array, rvalue (loc, index));
}

tree ppgcc_c_call (location_t loc, tree fn, ppgcc_arguments &args, bool)
{
	vec<tree, va_gc> *values = make_tree_vector (), *types = make_tree_vector ();
	for (unsigned i = 0; i < args.values.length (); i++) {
		vec_safe_push (values, rvalue (args.locs[i], args.values[i]));
		vec_safe_push (types, TREE_TYPE (args.values[i]));
	}
	tree call = c_build_function_call_vec (loc, args.locs, fn, values, types);
	release_tree_vector (values);
	release_tree_vector (types);
	return call;
}

tree ppgcc_c_unary (location_t loc, enum tree_code code, tree operand)
{
	if (code == ADDR_EXPR)
		return build_unary_op (loc, code, operand, false);
	operand = rvalue (loc, operand);
	if (operand == error_mark_node)
		return operand;
	if (code == INDIRECT_REF)
		return build_indirect_ref (loc, operand, RO_UNARY_STAR);
	return build_unary_op (loc, code, operand, false);
}

tree ppgcc_c_binary (location_t loc, enum tree_code code, tree left, tree right)
{
	left = rvalue (loc, left);
	right = rvalue (loc, right);
	if (left == error_mark_node || right == error_mark_node)
		return error_mark_node;
	if (code == TRUTH_ANDIF_EXPR || code == TRUTH_ORIF_EXPR) {
		left = c_objc_common_truthvalue_conversion (loc, left);
		right = c_objc_common_truthvalue_conversion (loc, right);
		if (left == error_mark_node || right == error_mark_node)
			return error_mark_node;
	}
	return build_binary_op (loc, code, left, right, true);
}

tree ppgcc_c_conditional (location_t loc, tree condition, tree yes, tree no)
{
	condition = c_objc_common_truthvalue_conversion (loc, rvalue (loc, condition));
	yes = rvalue (loc, yes);
	no = rvalue (loc, no);
	if (condition == error_mark_node || yes == error_mark_node || no == error_mark_node)
		return error_mark_node;
	return build_conditional_expr (loc, condition, false, yes, TREE_TYPE (yes), loc, no,
				       TREE_TYPE (no), loc);
}

tree ppgcc_c_cast (location_t loc, tree type, tree operand)
{
	operand = rvalue (loc, operand);
	return operand == error_mark_node ? operand : build_c_cast (loc, type, operand);
}

tree ppgcc_c_size_of (location_t loc, tree type, tree operand)
{
	if (operand && TREE_CODE (operand) == COMPONENT_REF &&
	    DECL_C_BIT_FIELD (TREE_OPERAND (operand, 1))) {
		error_at (loc, "%<sizeof%> applied to a bit-field");
		return error_mark_node;
	}
	return c_sizeof_or_alignof_type (loc, type ? type : TREE_TYPE (operand), true, false, 1);
}

tree ppgcc_c_measurable (location_t loc, tree value, const char *what)
{
	value = rvalue (loc, value);
	if (value == error_mark_node || ppgcc_value_letter (TREE_TYPE (value)))
		return value;
	error_at (loc, "%qs needs a number or a pointer, this is %qT", what, TREE_TYPE (value));
	return error_mark_node;
}
