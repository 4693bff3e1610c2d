// SPDX-License-Identifier: GPL-3.0-or-later
//
// front.h: the parts that differ between the front ends: front-c.cc, front-cxx.cc,
// captured-cxx.cc.

#ifndef PPGCC_FRONT_H
#define PPGCC_FRONT_H

#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/language/expr.h"

#define PPGCC_FRONT(LANG)                                                                          \
	bool ppgcc_##LANG##_in_function ();                                                        \
	bool ppgcc_##LANG##_constant_function ();                                                  \
	bool ppgcc_##LANG##_in_template ();                                                        \
	std::string ppgcc_##LANG##_function_name ();                                               \
	/* statements */                                                                           \
	void ppgcc_##LANG##_statement (tree expression);                                           \
	void ppgcc_##LANG##_if (location_t loc, tree condition, tree then);                        \
	void ppgcc_##LANG##_scope (location_t loc, tree fn, tree text, int serial);                \
	/* a variable NAME = INIT, and METRIC's sample of the site when it goes out of scope */    \
	void ppgcc_##LANG##_inline_scope (location_t loc, const std::string &name, tree init,      \
					  tree text, tree metric);                                 \
	tree ppgcc_##LANG##_block_begin ();                                                        \
	void ppgcc_##LANG##_block_end (location_t loc, tree block);                                \
	tree ppgcc_##LANG##_local (location_t loc, const std::string &name, tree type, tree init); \
	/* a call of a marker function or a built-in */                                            \
	tree ppgcc_##LANG##_marker (location_t loc, tree fn, const vec<tree> &args);               \
	/* declarations */                                                                         \
	tree ppgcc_##LANG##_declare (location_t loc, const char *name, const char *asm_name,       \
				     tree type);                                                   \
	tree ppgcc_##LANG##_function (tree name, tree scope, location_t loc, unsigned args);       \
	/* RID_MAX: NAME is none */                                                                \
	enum rid ppgcc_##LANG##_keyword (tree name);                                               \
	tree ppgcc_##LANG##_type (tree name, tree scope);                                          \
	bool ppgcc_##LANG##_scalar_type (tree type);                                               \
	/* expressions */                                                                          \
	tree ppgcc_##LANG##_qualified (location_t loc, tree name, tree scope);                     \
	tree ppgcc_##LANG##_identifier (location_t loc, tree name, bool called);                   \
	tree ppgcc_##LANG##_string (tree string);                                                  \
	tree ppgcc_##LANG##_member (location_t loc, tree object, tree name, location_t name_loc,   \
				    bool arrow);                                                   \
	tree ppgcc_##LANG##_subscript (location_t loc, tree array, tree index);                    \
	tree ppgcc_##LANG##_call (location_t loc, tree fn, ppgcc_arguments &args,                  \
				  bool plain_name);                                                \
	tree ppgcc_##LANG##_unary (location_t loc, enum tree_code code, tree operand);             \
	tree ppgcc_##LANG##_binary (location_t loc, enum tree_code code, tree left, tree right);   \
	tree ppgcc_##LANG##_conditional (location_t loc, tree condition, tree yes, tree no);       \
	tree ppgcc_##LANG##_cast (location_t loc, tree type, tree operand);                        \
	tree ppgcc_##LANG##_size_of (location_t loc, tree type, tree operand);                     \
	tree ppgcc_##LANG##_measurable (location_t loc, tree value, const char *what);

PPGCC_FRONT (c)
PPGCC_FRONT (cxx)
tree ppgcc_c_tagged_type (enum rid which, tree name);
// Whether NAME in SCOPE is a template, in C++.
bool ppgcc_cxx_template (tree name, tree scope);
tree ppgcc_cxx_static_cast (location_t loc, tree type, tree operand);
// As measurable; where an instance of the template decides what VALUE is, a call that keeps it as
// it is until then.
tree ppgcc_cxx_captured (location_t loc, tree value, const char *what);
// What VALUE, an argument of a marker in an instance, has become: what that call has kept, or its
// text; and that as a function with "..." gets it.
tree ppgcc_cxx_given (location_t loc, tree value);
tree ppgcc_cxx_promoted (tree value);
// In C++ a variable can stand for an interval's end, so that templates know of it. Its attributes:
// the site's text; or, of one with the result of an inline interval's begin, the text and the
// metric.
#define PPGCC_SITE_ATTRIBUTE "pp site"
#define PPGCC_INLINE_ATTRIBUTE "pp inline"
void ppgcc_cxx_register (const char *plugin);
#define ppgcc_front(call) (ppgcc_is_cxx () ? ppgcc_cxx_##call : ppgcc_c_##call)

#endif
