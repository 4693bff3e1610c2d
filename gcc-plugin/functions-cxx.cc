// SPDX-License-Identifier: GPL-3.0-or-later
//
// functions-cxx.cc: what C++ says of a function that other languages don't know.

#define PPGCC_INCLUDE_CXX
#include "functions.h"

#pragma weak cp_global_trees
extern const char *type_as_string (tree, int) __attribute__ ((weak));

bool ppgcc_cxx_immediate (tree fn)
{
	return DECL_LANG_SPECIFIC (fn) && DECL_IMMEDIATE_FUNCTION_P (fn);
}

// A constructor or destructor that only calls the one body that all its variants share (-fdeclone-ctor-dtor).
static bool calls_shared_body (tree fn)
{
	return DECL_CLONED_FUNCTION_P (fn) && !DECL_ABSTRACT_P (DECL_CLONED_FUNCTION (fn));
}

bool ppgcc_cxx_lambda (tree fn)
{
	return DECL_LANG_SPECIFIC (fn) && LAMBDA_FUNCTION_P (fn);
}

bool ppgcc_cxx_forwards (tree fn)
{
	return DECL_LANG_SPECIFIC (fn) &&
	       (DECL_THUNK_P (fn) || DECL_DELETING_DESTRUCTOR_P (fn) || calls_shared_body (fn));
}

const char *ppgcc_cxx_unfit (tree fn, bool point)
{
	return DECL_LANG_SPECIFIC (fn) && DECL_COROUTINE_P (fn) && !point
		       ? "it is a coroutine, whose body runs in parts"
		       : NULL;
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
		out += (out.size () > 1 ? ", " : "") + std::string (type_as_string (TREE_VALUE (types), 0));
	if (!types)
		out += out.size () > 1 ? ", ..." : "...";
	out += ")" + qualifiers (fn);
	return out.size () > PARAMETERS_MOST ? "" : out;
}

// ---- calls that the front end would evaluate
//
// When a function is complete, the front end folds it, and what calls of constexpr functions with constant arguments return
// becomes constants; a lambda is constexpr since C++17 though nobody said so. Such a call is one of the program's all the same,
// unless a constant is needed there: what is measured in every function has to see it. At -O0, or with -fno-inline, the front
// end leaves the calls alone: so it does here.

// An identifier that no program can have, for precompiled headers keep no variables of ours.
static tree interval_seen ()
{
	return get_identifier ("pp interval of constexpr function");
}

void ppgcc_cxx_interval_seen ()
{
	TREE_SYMBOL_REFERENCED (interval_seen ()) = 1;
}

// The function that is being folded, and what the option was.
static tree folded;
static int no_inline;

static void fold_begins (void *data, void *)
{
	bool asked = ppgcc_rules_loaded || ppgcc_opts.calls != ppgcc_options::NO_CALLS;
	if (folded || !ppgcc_is_cxx () || !(asked || TREE_SYMBOL_REFERENCED (interval_seen ())))
		return;
	folded = static_cast<tree> (data);
	no_inline = flag_no_inline;
	flag_no_inline = 1;
}

static void fold_ends (void *data, void *)
{
	if (!folded || folded != static_cast<tree> (data))
		return;
	flag_no_inline = no_inline;
	folded = NULL_TREE;
}

void ppgcc_functions_cxx_register (const char *plugin)
{
	register_callback (plugin, PLUGIN_PRE_GENERICIZE, fold_begins, NULL);
	register_callback (plugin, PLUGIN_FINISH_PARSE_FUNCTION, fold_ends, NULL);
}
