// SPDX-License-Identifier: GPL-3.0-or-later
//
// names.cc: functions' names as in the source, in every language, and which are resolvers of
// ifuncs.

#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/unit.h"

#include <set>

// Fortran (and whatever else comes): names of modules, of the procedures around, and its own.
// Fortran's own name for an entity of a module is "__module_MOD_name" in some declarations and
// "name" in others.
static std::string own_name (tree decl)
{
	const char *name = DECL_NAME (decl) ? IDENTIFIER_POINTER (DECL_NAME (decl)) : "<anonymous>";
	const char *after =
		!ppgcc_is_c_family () && startswith (name, "__") ? strstr (name, "_MOD_") : NULL;
	return after ? after + strlen ("_MOD_") : name;
}

static std::string qualified (tree decl)
{
	std::string name = own_name (decl);
	for (tree context = DECL_CONTEXT (decl); context && DECL_P (context);
	     context = DECL_CONTEXT (context))
		if (TREE_CODE (context) == NAMESPACE_DECL || TREE_CODE (context) == FUNCTION_DECL)
			name = own_name (context) + "::" + name;
	return name;
}

std::string ppgcc_function_name (tree fn)
{
	if (ppgcc_is_cxx () && DECL_LANG_SPECIFIC (fn))
		return ppgcc_cxx_name (fn);
	return ppgcc_is_c_family () ? own_name (fn) : qualified (fn);
}

// The resolvers of "ifunc" run before anything is relocated. They are known only by the functions
// that name them.
bool ppgcc_ifunc_resolver (tree fn)
{
	static std::set<std::string> *resolvers;
	if (!resolvers) {
		symtab_node *node;
		resolvers = new std::set<std::string>;
		FOR_EACH_SYMBOL (node)
		if (tree attribute = lookup_attribute ("ifunc", DECL_ATTRIBUTES (node->decl)))
			if (TREE_VALUE (attribute) &&
			    TREE_CODE (TREE_VALUE (TREE_VALUE (attribute))) == STRING_CST)
				resolvers->insert (
					TREE_STRING_POINTER (TREE_VALUE (TREE_VALUE (attribute))));
	}
	return !resolvers->empty () &&
	       resolvers->count (IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (fn)));
}
