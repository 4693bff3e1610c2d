// SPDX-License-Identifier: GPL-3.0-or-later
//
// captured-cxx.cc: what pragmas capture in C++: numbers, pointers, and the text of objects that
// have one.

#define PPGCC_INCLUDE_CXX
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/language/expr.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/letters.h"
#include "gcc-plugin/markers/marker.h"

#pragma weak scope_chain
extern tree non_reference (tree) __attribute__ ((weak));
extern tree unlowered_expr_type (const_tree) __attribute__ ((weak));
extern tree convert_arg_to_ellipsis (tree, tsubst_flags_t) __attribute__ ((weak));
extern tree decay_conversion (tree, tsubst_flags_t, bool) __attribute__ ((weak));
extern bool type_dependent_expression_p (tree) __attribute__ ((weak));
extern tree complete_type (tree) __attribute__ ((weak));
extern tree lookup_qualified_name (tree, tree, LOOK_want, bool) __attribute__ ((weak));

static tree shown_type (tree value)
{
	tree shown = unlowered_expr_type (value);
	return shown ? non_reference (shown) : void_type_node;
}

// Whether TEXT, which c_str () of class TYPE returns, is text as far as is known, and not wide
// characters, of which only an address could be kept.
static bool is_text (location_t loc, tree text, tree type)
{
	if (processing_template_decl && type_dependent_expression_p (text))
		return true;
	tree given = shown_type (text);
	tree element = TREE_CODE (given) == ARRAY_TYPE || TREE_CODE (given) == POINTER_TYPE
			       ? TYPE_MAIN_VARIANT (TREE_TYPE (given))
			       : NULL_TREE;
	if (element == char_type_node)
		return true;
	error_at (loc, "%<c_str ()%> of %qT must return text of %<char%>, it returns %qT", type,
		  given);
	return false;
}

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
	tree text = function == error_mark_node ? function
						: ppgcc_cxx_call (loc, function, none, false);
	return text == error_mark_node || is_text (loc, text, type) ? text : error_mark_node;
}

// ---- templates: what is captured is as it was written until an instance is complete. Passing it
// through "..." would copy objects, which may take memory, and throw, and move what is to be moved.
// GCC hands arguments over as they are to a built-in function that asks for their type alone.

static const char as_is[] = "__pp_as_is";

static tree as_is_function ()
{
	tree decl = identifier_global_value (get_identifier (as_is));
	if (!decl) {
		tree type = build_varargs_function_type_list (integer_type_node, NULL_TREE);
		decl = add_builtin_function_ext_scope (as_is, type, BUILT_IN_CLASSIFY_TYPE,
						       BUILT_IN_NORMAL, NULL,
						       ppgcc_marker_attributes ());
		DECL_ARTIFICIAL (decl) = 1;
	}
	return decl;
}

// Whether "..." would make something else of VALUE, which is in a template: a number of a boolean.
static bool changes_by_passing (tree value)
{
	return type_dependent_expression_p (value) ||
	       TREE_CODE (shown_type (value)) == BOOLEAN_TYPE;
}

tree ppgcc_cxx_captured (location_t loc, tree value, const char *what)
{
	value = ppgcc_cxx_measurable (loc, value, what);
	if (value == error_mark_node || !processing_template_decl || !changes_by_passing (value))
		return value;
	auto_vec<tree> args;
	args.safe_push (value);
	return ppgcc_cxx_marker (loc, as_is_function (), args);
}

tree ppgcc_cxx_given (location_t loc, tree value)
{
	tree fn = TREE_CODE (value) == CALL_EXPR ? get_callee_fndecl (value) : NULL_TREE;
	if (!fn || !DECL_ARTIFICIAL (fn) || !DECL_NAME (fn) ||
	    strcmp (IDENTIFIER_POINTER (DECL_NAME (fn)), as_is))
		return value;
	value = CALL_EXPR_ARG (value, 0);
	tree text = text_of (loc, value, TREE_TYPE (value));
	if (text == error_mark_node)
		return text;
	if (text)
		value = text;
	return decay_conversion (value, tf_warning_or_error, true);
}

tree ppgcc_cxx_promoted (tree value)
{
	return convert_arg_to_ellipsis (value, tf_warning_or_error);
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
