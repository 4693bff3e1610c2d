// SPDX-License-Identifier: GPL-3.0-or-later
//
// functions-cxx.cc: what C++ says of a function that other languages don't know.

#define PPGCC_INCLUDE_CXX
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/functions/rules.h"
#include "gcc-plugin/functions/wrap.h"

#pragma weak cp_global_trees

bool ppgcc_cxx_immediate (tree fn)
{
	return DECL_LANG_SPECIFIC (fn) && DECL_IMMEDIATE_FUNCTION_P (fn);
}

// A constructor or destructor that only calls the one body that all its variants share
// (-fdeclone-ctor-dtor).
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

// ---- calls that the front end would evaluate
//
// When a function is complete, the front end folds it, and what calls of constexpr functions with
// constant arguments return becomes constants; a lambda is constexpr since C++17 though nobody said
// so. Such a call is one of the program's all the same, unless a constant is needed there: what is
// measured in every function has to see it. At -O0, or with -fno-inline, the front end leaves the
// calls alone: so it does here.

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
	bool asked = !ppgcc_rules_loaded.empty () || ppgcc_opts.calls != ppgcc_options::NO_CALLS;
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
