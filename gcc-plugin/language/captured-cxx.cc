// SPDX-License-Identifier: GPL-3.0-or-later
//
// captured-cxx.cc: what pragmas capture in C++: numbers, pointers, and the text of objects that have
// one.

#define PPGCC_INCLUDE_CXX
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/language/expr.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/letters.h"

#pragma weak scope_chain
extern tree convert_from_reference (tree) __attribute__ ((weak));
extern tree cp_get_callee_fndecl_nofold (tree) __attribute__ ((weak));
extern int copy_fn_p (const_tree) __attribute__ ((weak));
extern tree non_reference (tree) __attribute__ ((weak));
extern tree unlowered_expr_type (const_tree) __attribute__ ((weak));
extern tree decay_conversion (tree, tsubst_flags_t, bool) __attribute__ ((weak));
extern bool type_dependent_expression_p (tree) __attribute__ ((weak));
extern tree complete_type (tree) __attribute__ ((weak));
extern tree lookup_qualified_name (tree, tree, LOOK_want, bool) __attribute__ ((weak));

// The text of VALUE, of a class that has one, as std::string: what PP_DIM (pp_event.h) takes, too.
// Else NULL_TREE.
static tree text_of (location_t loc, tree value, tree type)
{
	tree name = get_identifier ("c_str");
	if (!CLASS_TYPE_P (type) || !COMPLETE_TYPE_P (complete_type (type)))
		return NULL_TREE;
	tree found = lookup_qualified_name (type, name, LOOK_want::NORMAL, false);
	if (!found || found == error_mark_node)
		return NULL_TREE;
	ppgcc_arguments none;
	tree function = ppgcc_cxx_member (loc, value, name, loc, false);
	return function == error_mark_node ? function : ppgcc_cxx_call (loc, function, none, false);
}

// An object that is not copied bit by bit is handed over by a reference to a copy, whose making may
// take memory, and throw: what was to be copied.
static tree object_of (tree argument)
{
	tree copy = argument;
	STRIP_NOPS (copy);
	if (TREE_CODE (copy) == ADDR_EXPR)
		copy = TREE_OPERAND (copy, 0);
	tree made = TREE_CODE (copy) == TARGET_EXPR ? TARGET_EXPR_INITIAL (copy) : NULL_TREE;
	tree by = made && TREE_CODE (made) == AGGR_INIT_EXPR ? cp_get_callee_fndecl_nofold (made)
							     : NULL_TREE;
	if (by && DECL_COPY_CONSTRUCTOR_P (by))
		argument = AGGR_INIT_EXPR_ARG (made, 1);
	return convert_from_reference (argument);
}

tree ppgcc_cxx_text (location_t loc, tree value)
{
	if (TREE_CODE (TREE_TYPE (value)) == REFERENCE_TYPE)
		value = object_of (value);
	tree text = text_of (loc, value, TREE_TYPE (value));
	return text == error_mark_node ? NULL_TREE : text;
}

static tree shown_type (tree value)
{
	tree shown = unlowered_expr_type (value);
	return shown ? non_reference (shown) : void_type_node;
}

tree ppgcc_cxx_measurable (location_t loc, tree value, const char *what)
{
	if (processing_template_decl && type_dependent_expression_p (value))
		return value;
	tree type = shown_type (value);
	if (tree text = text_of (loc, value, type)) {
		if (text == error_mark_node ||
		    (processing_template_decl && type_dependent_expression_p (text)))
			return text;
		value = text;
		type = shown_type (value);
	}
	if (TREE_CODE (type) == ARRAY_TYPE || ppgcc_value_letter (type))
		return processing_template_decl
			       ? value
			       : decay_conversion (value, tf_warning_or_error, true);
	error_at (loc, "%qs needs a number or a pointer, this is %qT", what, type);
	return error_mark_node;
}
