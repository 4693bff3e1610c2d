// SPDX-License-Identifier: GPL-3.0-or-later
//
// functions-cxx.cc: what C++ says of a function that other languages don't know.

#define PPGCC_INCLUDE_CXX
#include "functions.h"

#pragma weak cp_global_trees

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
