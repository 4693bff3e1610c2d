// SPDX-License-Identifier: GPL-3.0-or-later
//
// front-cxx.cc: what is done through cc1plus. Where a template is parsed, every node is built by the functions that
// know how to build it again at instantiation.

#define PPGCC_INCLUDE_CXX
#include "ppgcc.h"

#pragma weak cp_global_trees
#pragma weak scope_chain
#pragma weak ovl_first
extern int at_function_scope_p (void) __attribute__ ((weak));
extern tree finish_expr_stmt (tree) __attribute__ ((weak));
extern tree finish_call_expr (tree, vec<tree, va_gc> **, bool, bool, tsubst_flags_t) __attribute__ ((weak));
extern tree pushdecl (tree, bool) __attribute__ ((weak));
extern tree pushdecl_top_level (tree) __attribute__ ((weak));
extern void cp_finish_decl (tree, tree, bool, tree, int) __attribute__ ((weak));
extern tree lookup_qualified_name (tree, tree, LOOK_want, bool) __attribute__ ((weak));
extern bool mark_used (tree) __attribute__ ((weak));
extern cp_expr finish_id_expression (tree, tree, tree, cp_id_kind *, bool, bool, bool *, bool, bool, bool, bool,
				     const char **, location_t) __attribute__ ((weak));
extern tree unqualified_name_lookup_error (tree, location_t) __attribute__ ((weak));
extern tree finish_class_member_access_expr (cp_expr, tree, bool, tsubst_flags_t) __attribute__ ((weak));
extern tree build_x_arrow (location_t, tree, tsubst_flags_t) __attribute__ ((weak));
extern tree build_x_array_ref (location_t, tree, tree, tsubst_flags_t) __attribute__ ((weak));
extern tree decay_conversion (tree, tsubst_flags_t, bool) __attribute__ ((weak));
extern bool type_dependent_expression_p (tree) __attribute__ ((weak));
extern tree lambda_function (tree) __attribute__ ((weak));
extern const char *type_as_string (tree, int) __attribute__ ((weak));
extern tree convert_from_reference (tree) __attribute__ ((weak));
extern tree non_reference (tree) __attribute__ ((weak));
extern tree unlowered_expr_type (const_tree) __attribute__ ((weak));
extern vec<tree, va_gc> *make_tree_vector (void) __attribute__ ((weak));

bool ppgcc_cxx_in_function ()
{
	return current_function_decl && at_function_scope_p ();
}

bool ppgcc_cxx_constant_function ()
{
	return DECL_DECLARED_CONSTEXPR_P (current_function_decl);
}

static std::string unqualified_name (tree fn)
{
	tree context = DECL_CONTEXT (fn);
	if (LAMBDA_FUNCTION_P (fn))
		return "<lambda>";
	if (DECL_CONSTRUCTOR_P (fn))
		return IDENTIFIER_POINTER (TYPE_IDENTIFIER (context));
	if (DECL_DESTRUCTOR_P (fn))
		return std::string ("~") + IDENTIFIER_POINTER (TYPE_IDENTIFIER (context));
	if (DECL_CONV_FN_P (fn))
		return std::string ("operator ") + type_as_string (DECL_CONV_FN_TYPE (fn), 0);
	return IDENTIFIER_POINTER (DECL_NAME (fn));
}

static std::string qualified (tree context, const std::string &name);

static std::string qualified_function (tree fn)
{
	tree context = DECL_CONTEXT (fn);
	if (LAMBDA_FUNCTION_P (fn)) // the closure's class has no name of its own
		context = TYPE_CONTEXT (context);
	return qualified (context, unqualified_name (fn));
}

// NAME behind the names of CONTEXT and everything around it.
static std::string qualified (tree context, const std::string &name)
{
	if (!context || context == global_namespace || TREE_CODE (context) == TRANSLATION_UNIT_DECL)
		return name;
	if (TREE_CODE (context) == FUNCTION_DECL)
		return qualified_function (context) + "::" + name;
	tree id = TYPE_P (context) ? TYPE_IDENTIFIER (context) : DECL_NAME (context);
	tree outer = CP_DECL_CONTEXT (TYPE_P (context) ? TYPE_NAME (context) : context);
	std::string own = !id || IDENTIFIER_ANON_P (id) ? "<anonymous>" : IDENTIFIER_POINTER (id);
	return qualified (outer, own + "::" + name);
}

std::string ppgcc_cxx_function_name ()
{
	return qualified_function (current_function_decl);
}

void ppgcc_cxx_statement (tree call)
{
	if (call != error_mark_node)
		finish_expr_stmt (call);
}

tree ppgcc_cxx_call (location_t loc, tree fn, tree first, tree second)
{
	vec<tree, va_gc> *args = make_tree_vector ();
	vec_safe_push (args, TREE_OPERAND (first, 0)); // the literal itself: the front end takes its address
	if (second)
		vec_safe_push (args, second);
	tree call = finish_call_expr (fn, &args, false, false, tf_warning_or_error);
	if (call != error_mark_node && EXPR_P (call)) {
		TREE_SIDE_EFFECTS (call) = 1;
		protected_set_expr_location (call, loc);
	}
	return call;
}

// In a template the end is the "cleanup" attribute of a variable, which instantiation copies with everything that it
// carries. The variable has no initialiser, or a switch could not jump past it.
static void scope_variable (location_t loc, tree text, int serial)
{
	std::string name = "pp_scope." + std::to_string (serial);
	tree var = build_decl (loc, VAR_DECL, get_identifier (name.c_str ()), integer_type_node);
	DECL_ARTIFICIAL (var) = TREE_USED (var) = DECL_READ_P (var) = 1;
	DECL_CONTEXT (var) = current_function_decl;
	var = pushdecl (var, false);
	tree leave = DECL_NAME (ppgcc_marker_function (PPGCC_LEAVE));
	tree attributes =
		tree_cons (get_identifier (PPGCC_SITE_ATTRIBUTE), TREE_OPERAND (text, 0), DECL_ATTRIBUTES (var));
	DECL_ATTRIBUTES (var) = tree_cons (get_identifier ("cleanup"), build_tree_list (NULL_TREE, leave), attributes);
	cp_finish_decl (var, NULL_TREE, false, NULL_TREE, 0);
}

void ppgcc_cxx_scope (location_t loc, tree end, tree text, int serial)
{
	ppgcc_cxx_statement (ppgcc_cxx_call (loc, ppgcc_marker_function (PPGCC_BEGIN), text, NULL_TREE));
	if (processing_template_decl) {
		scope_variable (loc, text, serial);
		return;
	}
	tree scope = build_decl (loc, VAR_DECL, get_identifier ("pp_scope"), integer_type_node);
	DECL_ARTIFICIAL (scope) = DECL_IGNORED_P (scope) = 1;
	push_cleanup (scope, ppgcc_cxx_call (loc, end, text, NULL_TREE), false);
}

tree ppgcc_cxx_declare (location_t loc, const char *name, const char *asm_name, tree type)
{
	tree var = build_decl (loc, VAR_DECL, get_identifier (name), type);
	DECL_CONTEXT (var) = global_namespace;
	TREE_PUBLIC (var) = TREE_STATIC (var) = TREE_USED (var) = DECL_READ_P (var) = 1;
	DECL_WEAK (var) = 1;
	DECL_VISIBILITY (var) = VISIBILITY_HIDDEN;
	DECL_VISIBILITY_SPECIFIED (var) = 1;
	SET_DECL_ASSEMBLER_NAME (var, get_identifier (asm_name));
	var = pushdecl_top_level (var);
	varpool_node::finalize_decl (var);
	return var;
}

static unsigned user_arguments (tree fn)
{
	unsigned count = 0;
	for (tree arg = TYPE_ARG_TYPES (TREE_TYPE (fn)); arg && arg != void_list_node; arg = TREE_CHAIN (arg))
		count++;
	return count;
}

static tree lookup_in (tree name, tree scope)
{
	if (!scope)
		return lookup_name (name);
	tree context = lookup_name (TREE_VALUE (scope));
	for (scope = TREE_CHAIN (scope); context && context != error_mark_node && scope; scope = TREE_CHAIN (scope))
		context = lookup_qualified_name (context, TREE_VALUE (scope), LOOK_want::NORMAL, true);
	if (!context || context == error_mark_node)
		return NULL_TREE;
	if (TREE_CODE (context) == TYPE_DECL)
		context = TREE_TYPE (context);
	if (TREE_CODE (context) != NAMESPACE_DECL && TREE_CODE (context) != ENUMERAL_TYPE &&
	    !(CLASS_TYPE_P (context) && COMPLETE_TYPE_P (context)))
		return NULL_TREE;
	return lookup_qualified_name (context, name, LOOK_want::NORMAL, true);
}

// Of overloaded functions, the one with ARGS arguments.
tree ppgcc_cxx_function (tree name, tree scope, location_t loc, unsigned args)
{
	tree found = lookup_in (name, scope), fits = NULL_TREE, any = NULL_TREE;
	if (!found || found == error_mark_node)
		return NULL_TREE;
	found = MAYBE_BASELINK_FUNCTIONS (found);
	if (!OVL_P (found))
		return NULL_TREE;
	for (ovl_iterator it (found); it; ++it) {
		tree fn = *it;
		if (TREE_CODE (fn) != FUNCTION_DECL || DECL_NONSTATIC_MEMBER_FUNCTION_P (fn))
			continue;
		any = fn;
		if (user_arguments (fn) != args)
			continue;
		if (fits) {
			error_at (loc, "%qD is overloaded, it is not clear which is meant", fn);
			return error_mark_node;
		}
		fits = fn;
	}
	if (!fits)
		fits = any;
	if (!fits) {
		error_at (loc, "%qE is not a plain function", name);
		return error_mark_node;
	}
	mark_used (fits);
	return fits;
}

tree ppgcc_cxx_qualified (location_t loc, tree name, tree scope)
{
	tree decl = lookup_in (name, scope);
	if (!decl || decl == error_mark_node) {
		error_at (loc, "%qE is not declared there", name);
		return error_mark_node;
	}
	if (!VAR_P (decl) && TREE_CODE (decl) != CONST_DECL) {
		error_at (loc, "%<value%> takes variables and constants, %qE is neither", name);
		return error_mark_node;
	}
	mark_used (decl);
	return convert_from_reference (decl);
}

tree ppgcc_cxx_identifier (location_t loc, tree name)
{
	for (int i = 0; i < 2; i++)
		if (!strcmp (IDENTIFIER_POINTER (name), i ? "true" : "false"))
			return i ? boolean_true_node : boolean_false_node;
	if (!strcmp (IDENTIFIER_POINTER (name), "this")) {
		if (current_class_ptr)
			return current_class_ptr;
		error_at (loc, "there is no %<this%> here");
		return error_mark_node;
	}
	tree decl = lookup_name (name);
	if (!decl || decl == error_mark_node)
		return unqualified_name_lookup_error (name, loc);
	cp_id_kind kind = CP_ID_KIND_UNQUALIFIED;
	bool non_constant = false;
	const char *why = NULL;
	tree value = finish_id_expression (name, decl, NULL_TREE, &kind, false, true, &non_constant, false, true, false,
					   false, &why, loc);
	if (why) {
		error_at (loc, "%s", why);
		return error_mark_node;
	}
	return value;
}

// An overloaded operator is a call in disguise.
static tree no_call (location_t loc, tree value)
{
	if (value == error_mark_node || processing_template_decl)
		return value;
	tree inner = value;
	while (REFERENCE_REF_P (inner) || CONVERT_EXPR_P (inner))
		inner = TREE_OPERAND (inner, 0);
	if (TREE_CODE (inner) != CALL_EXPR && TREE_CODE (inner) != TARGET_EXPR && TREE_CODE (inner) != AGGR_INIT_EXPR)
		return value;
	error_at (loc, "%<value%> must have no side effects, and this operator is a function");
	return error_mark_node;
}

tree ppgcc_cxx_member (location_t loc, tree object, tree name, location_t, bool arrow)
{
	if (arrow)
		object = no_call (loc, build_x_arrow (loc, object, tf_warning_or_error));
	if (object == error_mark_node)
		return object;
	return finish_class_member_access_expr (cp_expr (object, loc), name, false, tf_warning_or_error);
}

tree ppgcc_cxx_subscript (location_t loc, tree array, tree index)
{
	return no_call (loc, build_x_array_ref (loc, array, index, tf_warning_or_error));
}

tree ppgcc_cxx_unary (location_t loc, enum tree_code code, tree operand)
{
	if (code == INDIRECT_REF)
		return no_call (loc, ppgcc_cxx_build_dereference (loc, operand));
	if (code == CONVERT_EXPR)
		code = UNARY_PLUS_EXPR;
	return no_call (loc, ppgcc_cxx_build_unary (loc, code, operand));
}

tree ppgcc_cxx_binary (location_t loc, enum tree_code code, tree left, tree right)
{
	return no_call (loc, ppgcc_cxx_build_binary (loc, code, left, right));
}

tree ppgcc_cxx_rvalue (location_t loc, tree value)
{
	if (processing_template_decl && type_dependent_expression_p (value))
		return value;
	tree type = non_reference (unlowered_expr_type (value));
	if (TREE_CODE (type) == ARRAY_TYPE || ARITHMETIC_TYPE_P (type) || POINTER_TYPE_P (type) ||
	    TREE_CODE (type) == ENUMERAL_TYPE)
		return processing_template_decl ? value : decay_conversion (value, tf_warning_or_error, true);
	error_at (loc, "%<value%> needs a number or a pointer, this is %qT", type);
	return error_mark_node;
}
