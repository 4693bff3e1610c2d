// SPDX-License-Identifier: GPL-3.0-or-later
//
// front-cxx.cc: what is done through cc1plus. Where a template is parsed, every node is built by
// the functions that know how to build it again at instantiation.

#define PPGCC_INCLUDE_CXX
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/markers/copies.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/language/expr.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/letters.h"
#include "gcc-plugin/language/pragma.h"

#pragma weak cp_global_trees
#pragma weak scope_chain
#pragma weak ovl_first
extern int at_function_scope_p (void) __attribute__ ((weak));
extern tree finish_expr_stmt (tree) __attribute__ ((weak));
extern tree finish_call_expr (tree, vec<tree, va_gc> **, bool, bool, tsubst_flags_t)
	__attribute__ ((weak));
extern tree pushdecl (tree, bool) __attribute__ ((weak));
extern tree pushdecl_top_level (tree) __attribute__ ((weak));
extern void cp_finish_decl (tree, tree, bool, tree, int) __attribute__ ((weak));
extern tree lookup_qualified_name (tree, tree, LOOK_want, bool) __attribute__ ((weak));
extern bool mark_used (tree) __attribute__ ((weak));
extern cp_expr finish_id_expression (tree, tree, tree, cp_id_kind *, bool, bool, bool *, bool, bool,
				     bool, bool, const char **, location_t) __attribute__ ((weak));
extern tree unqualified_name_lookup_error (tree, location_t) __attribute__ ((weak));
extern tree finish_class_member_access_expr (cp_expr, tree, bool, tsubst_flags_t)
	__attribute__ ((weak));
extern tree build_x_arrow (location_t, tree, tsubst_flags_t) __attribute__ ((weak));
extern tree build_x_array_ref (location_t, tree, tree, tsubst_flags_t) __attribute__ ((weak));
extern bool type_dependent_expression_p (tree) __attribute__ ((weak));
extern tree lambda_function (tree) __attribute__ ((weak));
extern tree complete_type (tree) __attribute__ ((weak));
extern bool dependent_scope_p (tree) __attribute__ ((weak));
extern tree build_qualified_name (tree, tree, tree, bool) __attribute__ ((weak));
extern vec<tree, va_gc> *make_tree_vector (void) __attribute__ ((weak));
extern void release_tree_vector (vec<tree, va_gc> *) __attribute__ ((weak));
extern tree begin_if_stmt (void) __attribute__ ((weak));
extern tree finish_if_stmt_cond (tree, tree) __attribute__ ((weak));
extern tree finish_then_clause (tree) __attribute__ ((weak));
extern void finish_if_stmt (tree) __attribute__ ((weak));
extern tree begin_compound_stmt (unsigned int) __attribute__ ((weak));
extern void finish_compound_stmt (tree) __attribute__ ((weak));
extern cp_expr perform_koenig_lookup (cp_expr, vec<tree, va_gc> *, tsubst_flags_t)
	__attribute__ ((weak));
extern tree unqualified_fn_lookup_error (cp_expr) __attribute__ ((weak));
extern bool any_type_dependent_arguments_p (const vec<tree, va_gc> *) __attribute__ ((weak));
extern bool type_dependent_object_expression_p (tree) __attribute__ ((weak));
extern void maybe_generic_this_capture (tree, tree) __attribute__ ((weak));
extern tree build_new_method_call (tree, tree, vec<tree, va_gc> **, tree, int, tree *,
				   tsubst_flags_t) __attribute__ ((weak));
extern int is_overloaded_fn (tree) __attribute__ ((weak));
extern tree get_first_fn (tree) __attribute__ ((weak));
extern tree build_x_conditional_expr (location_t, tree, tree, tree, tsubst_flags_t)
	__attribute__ ((weak));
extern tree cp_build_c_cast (location_t, tree, tree, tsubst_flags_t) __attribute__ ((weak));
extern tree build_static_cast (location_t, tree, tree, tsubst_flags_t) __attribute__ ((weak));
extern tree cxx_sizeof_or_alignof_expr (location_t, tree, enum tree_code, bool, bool)
	__attribute__ ((weak));
extern tree cxx_sizeof_or_alignof_type (location_t, tree, enum tree_code, bool, bool)
	__attribute__ ((weak));
extern bool dependent_type_p (tree) __attribute__ ((weak));
extern tree finish_this_expr (void) __attribute__ ((weak));

bool ppgcc_cxx_in_function ()
{
	return current_function_decl && at_function_scope_p ();
}

bool ppgcc_cxx_constant_function ()
{
	return DECL_DECLARED_CONSTEXPR_P (current_function_decl);
}

bool ppgcc_cxx_in_template ()
{
	return processing_template_decl;
}

std::string ppgcc_cxx_function_name ()
{
	return ppgcc_cxx_name (current_function_decl);
}

void ppgcc_cxx_statement (tree expression)
{
	if (expression != error_mark_node)
		finish_expr_stmt (expression);
}

void ppgcc_cxx_if (location_t, tree condition, tree then)
{
	if (condition == error_mark_node || then == error_mark_node)
		return;
	tree stmt = begin_if_stmt ();
	finish_if_stmt_cond (condition, stmt);
	finish_expr_stmt (then);
	finish_then_clause (stmt);
	finish_if_stmt (stmt);
}

tree ppgcc_cxx_marker (location_t loc, tree fn, const vec<tree> &args)
{
	vec<tree, va_gc> *values = make_tree_vector ();
	for (tree arg : args) {
		// A literal goes in by itself: the front end takes its address.
		bool literal = TREE_CODE (arg) == ADDR_EXPR &&
			       TREE_CODE (TREE_OPERAND (arg, 0)) == STRING_CST;
		vec_safe_push (values, literal ? TREE_OPERAND (arg, 0) : arg);
	}
	tree call = finish_call_expr (fn, &values, false, false, tf_warning_or_error);
	if (call != error_mark_node && EXPR_P (call)) {
		TREE_SIDE_EFFECTS (call) = 1;
		protected_set_expr_location (call, loc);
	}
	return call;
}

static tree local_variable (location_t loc, const std::string &name, tree type)
{
	tree var = build_decl (loc, VAR_DECL, get_identifier (name.c_str ()), type);
	DECL_ARTIFICIAL (var) = TREE_USED (var) = DECL_READ_P (var) = 1;
	DECL_CONTEXT (var) = current_function_decl;
	return pushdecl (var, false);
}

static void add_attribute (tree var, const char *name, tree value)
{
	DECL_ATTRIBUTES (var) = tree_cons (get_identifier (name), value, DECL_ATTRIBUTES (var));
}

static tree address_of (tree string)
{
	return build1 (ADDR_EXPR, const_ptr_type_node, string);
}

// Calls END with TEXT on every way out of the block.
static void push_end (tree var, tree end, tree text)
{
	auto_vec<tree> args;
	args.safe_push (text);
	push_cleanup (var, ppgcc_cxx_marker (DECL_SOURCE_LOCATION (var), end, args), false);
}

// What ends in a template: a variable that carries the site, which instantiation copies. It has no
// initialiser, or a switch could not jump past it.
static void scope_variable (location_t loc, tree text, int serial)
{
	std::string name = "pp_scope." + std::to_string (serial);
	tree var = local_variable (loc, name, integer_type_node);
	add_attribute (var, PPGCC_SITE_ATTRIBUTE, TREE_OPERAND (text, 0));
	cp_finish_decl (var, NULL_TREE, false, NULL_TREE, 0);
}

void ppgcc_cxx_scope (location_t loc, tree end, tree text, int serial)
{
	if (processing_template_decl) {
		scope_variable (loc, text, serial);
		return;
	}
	tree scope = build_decl (loc, VAR_DECL, get_identifier ("pp_scope"), integer_type_node);
	DECL_ARTIFICIAL (scope) = DECL_IGNORED_P (scope) = 1;
	push_end (scope, end, text);
}

// A variable has been declared, where the source has it or in an instance of a template. The end of
// an interval that it stands for becomes a cleanup right now: a coroutine's locals are moved into
// its frame as soon as the function is complete, and from then on a cleanup couldn't be told whose
// it is.
static void declared (void *data, void *)
{
	tree var = static_cast<tree> (data);
	if (!VAR_P (var) || !DECL_ARTIFICIAL (var) || processing_template_decl)
		return;
	if (tree site = lookup_attribute (PPGCC_SITE_ATTRIBUTE, DECL_ATTRIBUTES (var))) {
		ppgcc_add_copies_attribute (current_function_decl);
		push_end (var, ppgcc_marker_function (PPGCC_END), address_of (TREE_VALUE (site)));
	} else if (tree inlined =
			   lookup_attribute (PPGCC_INLINE_ATTRIBUTE, DECL_ATTRIBUTES (var))) {
		tree text = address_of (TREE_PURPOSE (TREE_VALUE (inlined)));
		tree metric = TREE_VALUE (TREE_VALUE (inlined));
		push_cleanup (var,
			      ppgcc_inline_sample (DECL_SOURCE_LOCATION (var), text, metric, var),
			      false);
	}
}

// The other front ends have none of what declared () looks at, and variables of their own making,
// such as __func__.
void ppgcc_cxx_register (const char *plugin)
{
	if (ppgcc_is_cxx ())
		register_callback (plugin, PLUGIN_FINISH_DECL, declared, NULL);
}

tree ppgcc_cxx_block_begin ()
{
	return begin_compound_stmt (0);
}

void ppgcc_cxx_block_end (location_t, tree block)
{
	finish_compound_stmt (block);
}

tree ppgcc_cxx_local (location_t loc, const std::string &name, tree type, tree init)
{
	tree var = local_variable (loc, name, type);
	cp_finish_decl (var, init, false, NULL_TREE, LOOKUP_ONLYCONVERTING);
	return var;
}

// In templates and elsewhere alike; see declared ().
void ppgcc_cxx_inline_scope (location_t loc, const std::string &name, tree init, tree text,
			     tree metric)
{
	tree var = local_variable (loc, name, TREE_TYPE (init));
	add_attribute (var, PPGCC_INLINE_ATTRIBUTE,
		       build_tree_list (TREE_OPERAND (text, 0), metric));
	cp_finish_decl (var, init, false, NULL_TREE, LOOKUP_ONLYCONVERTING);
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
	for (tree arg = TYPE_ARG_TYPES (TREE_TYPE (fn)); arg && arg != void_list_node;
	     arg = TREE_CHAIN (arg))
		count++;
	return count;
}

// What FOUND is as a scope: a namespace, an enumeration, or a class, which may have to be
// instantiated for it; else NULL_TREE.
static tree scope_of (tree found)
{
	if (!found || found == error_mark_node)
		return NULL_TREE;
	if (TREE_CODE (found) == TYPE_DECL)
		found = TREE_TYPE (found);
	if (TREE_CODE (found) == NAMESPACE_DECL || TREE_CODE (found) == ENUMERAL_TYPE)
		return found;
	if (!TYPE_P (found) || (processing_template_decl && dependent_scope_p (found)))
		return TYPE_P (found) ? found : NULL_TREE;
	return CLASS_TYPE_P (found) && COMPLETE_TYPE_P (complete_type (found)) ? found : NULL_TREE;
}

// The scope that the names in SCOPE are, one in the other; NULL_TREE where there is none.
static tree find_scope (tree scope)
{
	tree context = scope_of (lookup_name (TREE_VALUE (scope)));
	while (context && (scope = TREE_CHAIN (scope)))
		context =
			TYPE_P (context) && processing_template_decl && dependent_scope_p (context)
				? NULL_TREE
				: scope_of (lookup_qualified_name (context, TREE_VALUE (scope),
								   LOOK_want::NORMAL, true));
	return context;
}

// What NAME is in SCOPE, a list of names or NULL_TREE. A member of what only an instance of the
// template knows is left to that.
static tree lookup_in (tree name, tree scope)
{
	if (!scope)
		return lookup_name (name);
	tree context = find_scope (scope);
	if (!context)
		return NULL_TREE;
	if (TYPE_P (context) && processing_template_decl && dependent_scope_p (context))
		return build_qualified_name (NULL_TREE, context, name, false);
	return lookup_qualified_name (context, name, LOOK_want::NORMAL, true);
}

bool ppgcc_cxx_template (tree name, tree scope)
{
	tree found = lookup_in (name, scope);
	if (!found || found == error_mark_node)
		return false;
	found = MAYBE_BASELINK_FUNCTIONS (found);
	if (TREE_CODE (found) == TEMPLATE_DECL)
		return true;
	for (ovl_iterator it (OVL_P (found) ? found : NULL_TREE); it; ++it)
		if (TREE_CODE (*it) == TEMPLATE_DECL)
			return true;
	return false;
}

// Of overloaded functions, the one with ARGS arguments.
tree ppgcc_cxx_function (tree name, tree scope, location_t loc, unsigned args)
{
	tree found = lookup_in (name, scope), fits = NULL_TREE, any = NULL_TREE;
	unsigned candidates = 0;
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
		candidates++;
		if (user_arguments (fn) != args)
			continue;
		if (fits) {
			error_at (loc, "%qD is overloaded, it is not clear which is meant", fn);
			return error_mark_node;
		}
		fits = fn;
	}
	if (!fits && candidates > 1) {
		error_at (loc, "%qE is overloaded, and no overload has %u arguments", name, args);
		return error_mark_node;
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

enum rid ppgcc_cxx_keyword (tree name)
{
	return IDENTIFIER_KEYWORD_P (name) ? C_RID_CODE (name) : RID_MAX;
}

tree ppgcc_cxx_type (tree name, tree scope)
{
	tree decl = lookup_in (name, scope);
	return decl && TREE_CODE (decl) == TYPE_DECL ? TREE_TYPE (decl) : NULL_TREE;
}

bool ppgcc_cxx_scalar_type (tree type)
{
	return (processing_template_decl && dependent_type_p (type)) || ARITHMETIC_TYPE_P (type) ||
	       TREE_CODE (type) == ENUMERAL_TYPE || TYPE_PTR_P (type);
}

// NAME, which is DECL, in CONTEXT or where it is seen.
static tree id_expression (location_t loc, tree name, tree decl, tree context)
{
	cp_id_kind kind = context ? CP_ID_KIND_QUALIFIED : CP_ID_KIND_UNQUALIFIED;
	bool non_constant = false;
	const char *why = NULL;
	tree value = finish_id_expression (name, decl, context, &kind, false, true, &non_constant,
					   false, true, false, false, &why, loc);
	if (why) {
		error_at (loc, "%s", why);
		return error_mark_node;
	}
	return value;
}

tree ppgcc_cxx_qualified (location_t loc, tree name, tree scope)
{
	tree decl = lookup_in (name, scope);
	if (!decl || decl == error_mark_node) {
		error_at (loc, "%qE is not declared there", name);
		return error_mark_node;
	}
	if (TREE_CODE (decl) == SCOPE_REF)
		return decl;
	if (!is_overloaded_fn (decl) && !VAR_P (decl) && TREE_CODE (decl) != CONST_DECL &&
	    TREE_CODE (decl) != FIELD_DECL) {
		error_at (loc, "%qE is neither a variable nor a constant nor a function", name);
		return error_mark_node;
	}
	return id_expression (loc, name, decl, find_scope (scope));
}

static tree keyword_value (location_t loc, enum rid which)
{
	switch (which) {
	case RID_TRUE:
		return boolean_true_node;
	case RID_FALSE:
		return boolean_false_node;
	case RID_NULLPTR:
		return nullptr_node;
	default: { // this
		iloc_sentinel here (loc);
		return finish_this_expr ();
	}
	}
}

tree ppgcc_cxx_identifier (location_t loc, tree name, bool called)
{
	if (IDENTIFIER_KEYWORD_P (name))
		return keyword_value (loc, C_RID_CODE (name));
	tree decl = lookup_name (name);
	if ((!decl || decl == error_mark_node) && called)
		return name; // its arguments may say where it is declared
	if (!decl || decl == error_mark_node)
		return unqualified_name_lookup_error (name, loc);
	return id_expression (loc, name, decl, NULL_TREE);
}

tree ppgcc_cxx_string (tree string)
{
	return string;
}

tree ppgcc_cxx_member (location_t loc, tree object, tree name, location_t name_loc, bool arrow)
{
	iloc_sentinel here (name_loc); // where GCC's messages point
	if (arrow)
		object = build_x_arrow (loc, object, tf_warning_or_error);
	if (object == error_mark_node)
		return object;
	return finish_class_member_access_expr (cp_expr (object, loc), name, false,
						tf_warning_or_error);
}

tree ppgcc_cxx_subscript (location_t loc, tree array, tree index)
{
	return build_x_array_ref (loc, array, index, tf_warning_or_error);
}

// Whether the namespaces of the arguments are to be searched for FN, too: for a plain name that is
// no member and was not declared in a block.
static bool argument_dependent (tree fn)
{
	if (identifier_p (fn))
		return true;
	if (!is_overloaded_fn (fn))
		return false;
	fn = STRIP_TEMPLATE (get_first_fn (fn));
	return !((TREE_CODE (fn) == USING_DECL && DECL_DEPENDENT_P (fn)) ||
		 DECL_FUNCTION_MEMBER_P (fn) || DECL_LOCAL_DECL_P (fn));
}

static tree member_call (tree fn, vec<tree, va_gc> **args)
{
	tree object = TREE_OPERAND (fn, 0), function = TREE_OPERAND (fn, 1);
	if (processing_template_decl &&
	    (type_dependent_object_expression_p (object) ||
	     (!BASELINK_P (function) && TREE_CODE (function) != FIELD_DECL) ||
	     type_dependent_expression_p (function) || any_type_dependent_arguments_p (*args))) {
		maybe_generic_this_capture (object, function);
		return build_nt_call_vec (fn, *args);
	}
	if (BASELINK_P (function))
		return build_new_method_call (object, function, args, NULL_TREE, LOOKUP_NORMAL,
					      NULL, tf_warning_or_error);
	return finish_call_expr (fn, args, false, false, tf_warning_or_error);
}

// The steps of the parser's own function calls.
tree ppgcc_cxx_call (location_t loc, tree fn, ppgcc_arguments &args, bool plain_name)
{
	iloc_sentinel here (loc);
	vec<tree, va_gc> *values = make_tree_vector ();
	tree call;
	for (tree arg : args.values)
		vec_safe_push (values, arg);
	if (TREE_CODE (fn) == COMPONENT_REF)
		call = member_call (fn, &values);
	else if (identifier_p (fn) && values->is_empty ())
		call = unqualified_fn_lookup_error (cp_expr (fn, loc));
	else {
		bool koenig = plain_name && !values->is_empty () && argument_dependent (fn);
		if (koenig && !any_type_dependent_arguments_p (values))
			fn = perform_koenig_lookup (cp_expr (fn, loc), values, tf_warning_or_error);
		call = fn == error_mark_node
			       ? fn
			       : finish_call_expr (fn, &values, false, koenig, tf_warning_or_error);
	}
	release_tree_vector (values);
	if (call != error_mark_node && EXPR_P (call))
		protected_set_expr_location (call, loc);
	return call;
}

tree ppgcc_cxx_unary (location_t loc, enum tree_code code, tree operand)
{
	if (code == INDIRECT_REF)
		return ppgcc_cxx_build_dereference (loc, operand);
	if (code == CONVERT_EXPR)
		code = UNARY_PLUS_EXPR;
	return ppgcc_cxx_build_unary (loc, code, operand);
}

tree ppgcc_cxx_binary (location_t loc, enum tree_code code, tree left, tree right)
{
	return ppgcc_cxx_build_binary (loc, code, left, right);
}

tree ppgcc_cxx_conditional (location_t loc, tree condition, tree yes, tree no)
{
	return build_x_conditional_expr (loc, condition, yes, no, tf_warning_or_error);
}

tree ppgcc_cxx_cast (location_t loc, tree type, tree operand)
{
	return cp_build_c_cast (loc, type, operand, tf_warning_or_error);
}

tree ppgcc_cxx_static_cast (location_t loc, tree type, tree operand)
{
	return build_static_cast (loc, type, operand, tf_warning_or_error);
}

tree ppgcc_cxx_size_of (location_t loc, tree type, tree operand)
{
	return type ? cxx_sizeof_or_alignof_type (loc, type, SIZEOF_EXPR, false, true)
		    : cxx_sizeof_or_alignof_expr (loc, operand, SIZEOF_EXPR, false, true);
}
