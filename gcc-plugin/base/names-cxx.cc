// SPDX-License-Identifier: GPL-3.0-or-later
//
// names-cxx.cc: functions' names and parameters in C++.

#define PPGCC_INCLUDE_CXX
#include "gcc-plugin/base/names.h"

#pragma weak cp_global_trees
extern const char *type_as_string (tree, int) __attribute__ ((weak));

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

std::string ppgcc_cxx_name (tree fn)
{
	return qualified_function (fn);
}

// ---- what tells overloads apart

// FN, or the member or function of the template that it is an instance of, as the source has it.
static tree as_written (tree fn)
{
	if (DECL_CLONED_FUNCTION_P (fn))
		fn = DECL_CLONED_FUNCTION (fn);
	while (DECL_TEMPLATE_INFO (fn) && !DECL_TEMPLATE_SPECIALIZATION (fn) &&
	       TREE_CODE (DECL_TI_TEMPLATE (fn)) == TEMPLATE_DECL) {
		tree written = DECL_TEMPLATE_RESULT (DECL_TI_TEMPLATE (fn));
		if (written == fn)
			break;
		fn = written;
	}
	return fn;
}

static std::string qualifiers (tree fn)
{
	std::string out;
	tree type = TREE_TYPE (fn);
	if (TREE_CODE (type) != METHOD_TYPE || DECL_CONSTRUCTOR_P (fn) || DECL_DESTRUCTOR_P (fn))
		return out;
	tree object = TREE_TYPE (TREE_VALUE (TYPE_ARG_TYPES (type)));
	out += TYPE_READONLY (object) ? " const" : "";
	out += TYPE_VOLATILE (object) ? " volatile" : "";
	if (FUNCTION_REF_QUALIFIED (type))
		out += FUNCTION_RVALUE_QUALIFIED (type) ? " &&" : " &";
	return out;
}

// A longer list is no name for anybody to write; the function's line tells it from others.
#define PARAMETERS_MOST 200

std::string ppgcc_cxx_parameters (tree fn)
{
	tree around = decl_function_context (fn);
	if (around && DECL_LANG_SPECIFIC (around) && DECL_TEMPLATE_INFO (around))
		return ""; // each instance has its own, and all are one site
	fn = as_written (fn);
	tree types = TYPE_ARG_TYPES (TREE_TYPE (fn));
	unsigned hidden = TREE_CODE (TREE_TYPE (fn)) == METHOD_TYPE;
	if (DECL_MAYBE_IN_CHARGE_CDTOR_P (fn))
		hidden += DECL_HAS_IN_CHARGE_PARM_P (fn) + DECL_HAS_VTT_PARM_P (fn);
	for (; types && hidden; hidden--)
		types = TREE_CHAIN (types);
	std::string out = "(";
	for (; types && types != void_list_node; types = TREE_CHAIN (types))
		out += (out.size () > 1 ? ", " : "") +
		       std::string (type_as_string (TREE_VALUE (types), 0));
	if (!types)
		out += out.size () > 1 ? ", ..." : "...";
	out += ")" + qualifiers (fn);
	return out.size () > PARAMETERS_MOST ? "" : out;
}
