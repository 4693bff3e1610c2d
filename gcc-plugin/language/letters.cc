// SPDX-License-Identifier: GPL-3.0-or-later
//
// letters.cc: what a site captures: numbers, pointers, text.
//
// A marker call carries, behind the site's text, one letter for each value (see pp_abi.h): behind
// the front end a "char *" is any pointer, and taking one for text that is none would make the
// runtime read wild memory. In a template the types are still unknown; there the letters are '?',
// and are put in when an instantiation is complete.

#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/letters.h"

char ppgcc_value_letter (tree type)
{
	if (INTEGRAL_TYPE_P (type))
		return TYPE_PRECISION (type) <= 64 ? 'i' : 0;
	if (SCALAR_FLOAT_TYPE_P (type) && !DECIMAL_FLOAT_TYPE_P (type))
		return 'd';
	if (TREE_CODE (type) == NULLPTR_TYPE)
		return 'p';
	if (TREE_CODE (type) != POINTER_TYPE)
		return 0;
	return TYPE_MAIN_VARIANT (TREE_TYPE (type)) == char_type_node ? 's' : 'p';
}

char ppgcc_dim_letter (tree type)
{
	if (TREE_CODE (type) == BOOLEAN_TYPE)
		return 'b';
	if (INTEGRAL_TYPE_P (type) && TYPE_UNSIGNED (type) && TYPE_PRECISION (type) == 64)
		return 'u';
	return ppgcc_value_letter (type);
}

static bool register_type_p (tree type)
{
	return INTEGRAL_TYPE_P (type) || POINTER_TYPE_P (type) || TYPE_MODE (type) == DFmode;
}

bool ppgcc_simple_value (tree value)
{
	STRIP_ANY_LOCATION_WRAPPER (value);
	while (CONVERT_EXPR_P (value) && TREE_OPERAND (value, 0) && TREE_TYPE (value) &&
	       register_type_p (TREE_TYPE (value)) && !SCALAR_FLOAT_TYPE_P (TREE_TYPE (value)) &&
	       register_type_p (TREE_TYPE (TREE_OPERAND (value, 0))) &&
	       !SCALAR_FLOAT_TYPE_P (TREE_TYPE (TREE_OPERAND (value, 0))))
		value = TREE_OPERAND (value, 0);
	if (CONSTANT_CLASS_P (value))
		return true;
	if (TREE_CODE (value) == ADDR_EXPR)
		return TREE_CODE (TREE_OPERAND (value, 0)) == STRING_CST;
	return (VAR_P (value) || TREE_CODE (value) == PARM_DECL) && !is_global_var (value) &&
	       !TREE_THIS_VOLATILE (value) && !TREE_ADDRESSABLE (value) &&
	       !DECL_HAS_VALUE_EXPR_P (value) && TREE_TYPE (value) &&
	       register_type_p (TREE_TYPE (value)) &&
	       TREE_CODE (TREE_TYPE (value)) != REFERENCE_TYPE;
}

// ---- templates

static const char *const markers[] = {"__pp_value", "__pp_begin", "__pp_late"};

static bool marker_with_values (tree call)
{
	tree fn = get_callee_fndecl (call);
	if (!fn || !DECL_ARTIFICIAL (fn) || !DECL_NAME (fn) || call_expr_nargs (call) < 3)
		return false;
	for (const char *name : markers)
		if (!strcmp (IDENTIFIER_POINTER (DECL_NAME (fn)), name))
			return true;
	return false;
}

static tree bits_call (tree *at, int *walk, void *)
{
	if (TYPE_P (*at))
		*walk = 0;
	tree fn = TREE_CODE (*at) == CALL_EXPR ? get_callee_fndecl (*at) : NULL_TREE;
	bool found = fn && DECL_ARTIFICIAL (fn) && DECL_NAME (fn) &&
		     !strcmp (IDENTIFIER_POINTER (DECL_NAME (fn)), "__pp_bits");
	return found ? *at : NULL_TREE;
}

// What is captured by *ARG, an argument of a marker function: where it is computed only if it is
// wanted, the expression.
static tree *captured (tree *arg)
{
	tree bits = walk_tree_without_duplicates (arg, bits_call, NULL);
	return bits ? &CALL_EXPR_ARG (bits, 1) : arg;
}

// TEXT: a site, or the keys of "#pragma pp dim".
static void wrong_type (tree call, const char *text, tree type)
{
	location_t loc = EXPR_LOCATION (call);
	const char *rest = text;
	std::string keys = ppgcc_take_line (rest);
	if (*rest)
		error_at (loc, "a value of site %qs has type %qT, it must be a number or a pointer",
			  ppgcc_site_unpack (text).name.c_str (), type);
	else
		error_at (loc, "%<dim%> needs a number or a pointer for %qs, this is %qT",
			  keys.c_str (), type);
}

static void find_letters (tree *at)
{
	tree call = *at;
	const char *text = c_getstr (CALL_EXPR_ARG (call, 0)),
		   *letters = c_getstr (CALL_EXPR_ARG (call, 1));
	if (!text || !letters || !strchr (letters, '?'))
		return;
	// warnings have folded what it holds, and GCC takes that for these nodes from now on
	*at = call = unshare_expr (call);
	std::string found = letters;
	for (unsigned i = 0, arg = 2; i < found.size (); i++) {
		if (found[i] == '-')
			continue;
		tree *value = captured (&CALL_EXPR_ARG (call, arg));
		tree given = ppgcc_cxx_given (EXPR_LOCATION (call), *value),
		     type = TREE_TYPE (given);
		bool wrong = given == error_mark_node;
		found[i] = wrong ? 0 : i ? ppgcc_dim_letter (type) : ppgcc_value_letter (type);
		if (!wrong && !found[i])
			wrong_type (call, text, type);
		if (found[i])
			*value = ppgcc_cxx_promoted (given);
		else {
			CALL_EXPR_ARG (call, arg) = integer_zero_node;
			found[i] = 'i';
		}
		arg++;
	}
	CALL_EXPR_ARG (call, 1) = ppgcc_literal (found);
}

// The function that is walked, and what has been seen.
struct walked {
	tree fn;
	hash_set<tree> seen;
};

// Whether FN holds code of coroutine WHOLE, which calls it: that is split before it is complete,
// and nothing is told of its parts.
static bool part_of (tree whole, tree fn)
{
	return fn != whole && DECL_SAVED_TREE (fn) &&
	       DECL_SOURCE_LOCATION (fn) == DECL_SOURCE_LOCATION (whole);
}

static tree visit (tree *at, int *walk, void *data)
{
	walked *all = static_cast<walked *> (data);
	if (TREE_CODE (*at) == CALL_EXPR && marker_with_values (*at))
		find_letters (at);
	else if (TREE_CODE (*at) == FUNCTION_DECL && part_of (all->fn, *at))
		walk_tree (&DECL_SAVED_TREE (*at), visit, data, &all->seen);
	if (TYPE_P (*at))
		*walk = 0;
	return NULL_TREE;
}

static void instantiated (void *data, void *)
{
	tree fn = static_cast<tree> (data);
	if (!ppgcc_is_cxx () || TREE_CODE (fn) != FUNCTION_DECL)
		return;
	for (const char *name : markers)
		if (identifier_global_value (
			    get_identifier (name))) { // else the unit has no such call
			walked all;
			all.fn = fn;
			walk_tree (&DECL_SAVED_TREE (fn), visit, &all, &all.seen);
			return;
		}
}

void ppgcc_letters_register (const char *plugin)
{
	register_callback (plugin, PLUGIN_PRE_GENERICIZE, instantiated, NULL);
}
