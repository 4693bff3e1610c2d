// SPDX-License-Identifier: GPL-3.0-or-later
//
// gcc-compat.h: GCC's headers in the order they want, and everything that depends on GCC's version.
//
// One ppgcc.so is loaded by cc1, cc1plus, f951 and lto1. The loader resolves every symbol at once
// (RTLD_NOW), so what lives only in the C family's front ends is declared weak here; names-cxx.cc,
// functions-cxx.cc and front-*.cc declare theirs. Nothing weak is used before ppgcc_is_c_family ()
// or ppgcc_is_cxx () has said that it is there.

#ifndef PPGCC_GCC_COMPAT_H
#define PPGCC_GCC_COMPAT_H

#include <string>

#include <gcc-plugin.h>
#include <plugin-version.h>

#include <system.h>
#include <coretypes.h>
#include <tm.h>
#include <tree.h>
#include <tree-pass.h>
#include <tree-iterator.h>
#include <context.h>
#include <function.h>
#include <basic-block.h>
#include <gimple.h>
#include <gimple-iterator.h>
#include <gimple-ssa.h>
#include <gimplify.h>
#include <gimplify-me.h>
#include <cfghooks.h>
#include <tree-cfg.h>
#include <cfgloop.h>
#include <dominance.h>
#include <tree-eh.h>
#include <builtins.h>
#include <predict.h>
#include <tree-dfa.h>
#include <tree-inline.h>
#include <tree-into-ssa.h>
#include <tree-scalar-evolution.h>
#include <tree-ssa-dce.h>
#include <tree-ssa-loop.h>
#include <tree-ssa-loop-ivopts.h>
#include <tree-ssa-loop-manip.h>
#include <tree-ssa-loop-niter.h>
#include <ssa.h>
#include <stringpool.h>
#include <attribs.h>
#include <cgraph.h>
#include <langhooks.h>
#include <varasm.h>
#include <fold-const.h>
#include <stor-layout.h>
// Each front end's header comes before diagnostic-core.h, which takes its format letters from it.
#if defined(PPGCC_INCLUDE_CXX)
#include <cp/cp-tree.h>
#elif defined(PPGCC_INCLUDE_C)
#include <c-tree.h>
#else
#include <c-family/c-common.h>
#endif
#include <intl.h>
#include <toplev.h>
#include <diagnostic-core.h>
#include <diagnostic.h>
#include <options.h>
#include <opts.h>
#include <target.h>
#include <memmodel.h>
#include <spellcheck.h>
#include <cpplib.h>
#include <c-family/c-pragma.h>

#if GCCPLUGIN_VERSION_MAJOR < 11 || GCCPLUGIN_VERSION_MAJOR > 12
#error "ppgcc knows gcc 11 and 12"
#endif

// The CPU that this GCC compiles for; target/asm-*.cc.
#if defined(ix86_cmodel)
#define PPGCC_TARGET_X86
#elif defined(GCC_AARCH64_H)
#define PPGCC_TARGET_AARCH64
#endif

// Whether big data may be where an instruction can't address it, unless a section is given.
#ifdef PPGCC_TARGET_X86
#define PPGCC_FAR_DATA (ix86_cmodel == CM_MEDIUM || ix86_cmodel == CM_MEDIUM_PIC)
#else
#define PPGCC_FAR_DATA false
#endif

// Whether a call puts a return address on the stack.
#ifdef PPGCC_TARGET_X86
#define PPGCC_CALL_PUSHES true
#else
#define PPGCC_CALL_PUSHES false
#endif

// The C family, C and C++ alike.
#pragma weak parse_in
extern void c_register_pragma_with_data (const char *, const char *, pragma_handler_2arg, void *)
	__attribute__ ((weak));
extern void c_register_pragma_with_expansion_and_data (const char *, const char *,
						       pragma_handler_2arg, void *)
	__attribute__ ((weak));
extern enum cpp_ttype pragma_lex (tree *, location_t *) __attribute__ ((weak));
extern tree lookup_name (tree) __attribute__ ((weak));
extern tree identifier_global_value (tree) __attribute__ ((weak));
extern void push_cleanup (tree, tree, bool) __attribute__ ((weak));
extern tree add_stmt (tree) __attribute__ ((weak));
extern tree build_indirect_ref (location_t, tree, ref_operator) __attribute__ ((weak));
extern void deps_add_dep (class mkdeps *, const char *) __attribute__ ((weak));
extern class mkdeps *cpp_get_deps (cpp_reader *) __attribute__ ((weak));
extern cpp_hashnode *cpp_lookup (cpp_reader *, const unsigned char *, unsigned int)
	__attribute__ ((weak));
extern tree build_unary_op (location_t, enum tree_code, tree, bool) __attribute__ ((weak));
extern tree build_binary_op (location_t, enum tree_code, tree, tree, bool) __attribute__ ((weak));

#if GCCPLUGIN_VERSION_MAJOR < 12
static inline bool startswith (const char *text, const char *prefix)
{
	return !strncmp (text, prefix, strlen (prefix));
}
#endif

#if defined(PPGCC_INCLUDE_C)
#if GCCPLUGIN_VERSION_MAJOR < 12
typedef vec<location_t> ppgcc_locations;
#else
typedef const vec<location_t> &ppgcc_locations;
#endif
extern tree c_build_function_call_vec (location_t, ppgcc_locations, tree, vec<tree, va_gc> *,
				       vec<tree, va_gc> *) __attribute__ ((weak));
#endif

// Operators in C++. Since gcc 12 they take what was looked up where a template was parsed. A weak
// declaration that differs from GCC's own is another function, which is nowhere:
// tests/plugin/symbols.sh looks for such.
#if defined(PPGCC_INCLUDE_CXX)
#if GCCPLUGIN_VERSION_MAJOR < 12
#define PPGCC_LOOKUPS_TYPE
#define PPGCC_LOOKUPS
#else
#define PPGCC_LOOKUPS_TYPE tree,
#define PPGCC_LOOKUPS NULL_TREE,
#endif
extern tree build_x_indirect_ref (location_t, tree, ref_operator, PPGCC_LOOKUPS_TYPE tsubst_flags_t)
	__attribute__ ((weak));
extern tree build_x_unary_op (location_t, enum tree_code, cp_expr,
			      PPGCC_LOOKUPS_TYPE tsubst_flags_t) __attribute__ ((weak));
extern tree build_x_binary_op (const op_location_t &, enum tree_code, tree, enum tree_code, tree,
			       enum tree_code, PPGCC_LOOKUPS_TYPE tree *, tsubst_flags_t)
	__attribute__ ((weak));

static inline tree ppgcc_cxx_build_dereference (location_t loc, tree operand)
{
	return build_x_indirect_ref (loc, operand, RO_UNARY_STAR,
				     PPGCC_LOOKUPS tf_warning_or_error);
}

static inline tree ppgcc_cxx_build_unary (location_t loc, enum tree_code code, tree operand)
{
	return build_x_unary_op (loc, code, cp_expr (operand, loc),
				 PPGCC_LOOKUPS tf_warning_or_error);
}

static inline tree ppgcc_cxx_build_binary (location_t loc, enum tree_code code, tree left,
					   tree right)
{
	return build_x_binary_op (op_location_t (loc), code, left, TREE_CODE (left), right,
				  TREE_CODE (right), PPGCC_LOOKUPS NULL, tf_warning_or_error);
}
#endif

// The attributes [[SCOPE::...]] of TABLE, which ends with a null name.
static inline void ppgcc_register_scoped_attributes (const attribute_spec *table, const char *scope)
{
	register_scoped_attributes (table, scope);
}

// The constraint of an asm's operand that keeps a value of TYPE in a register where there is one
// for it; NULL: there is none, or it is no simple value.
static inline const char *ppgcc_register_constraint (tree type)
{
	machine_mode mode = TYPE_MODE (type);
	if (INTEGRAL_TYPE_P (type) || POINTER_TYPE_P (type))
		return TYPE_PRECISION (type) <= BITS_PER_WORD ? "r" : NULL;
	if (mode != SFmode && mode != DFmode)
		return NULL;
#if defined(PPGCC_TARGET_X86)
	return "xm";
#elif defined(PPGCC_TARGET_AARCH64)
	return "wm";
#else
	return NULL;
#endif
}

extern cpp_buffer *cpp_get_buffer (cpp_reader *) __attribute__ ((weak));

// What BUFFER of the preprocessor holds, as long as nothing of it has been read. Its layout is the
// same in all versions that
// are known here, and in no header.
static inline std::string ppgcc_buffer_text (const cpp_buffer *buffer)
{
	struct layout {
		const unsigned char *cur, *line_base, *next_line, *buf, *rlimit;
	};
	const layout *b = reinterpret_cast<const layout *> (buffer);
	if (!b || !b->buf || b->rlimit < b->buf || b->next_line < b->buf ||
	    b->next_line > b->rlimit)
		return "";
	return std::string (reinterpret_cast<const char *> (b->buf), b->rlimit - b->buf);
}

static inline void ppgcc_no_warnings (gimple *stmt)
{
	gimple_set_no_warning (stmt, true);
}

// Adding one of our functions to those that the symbol table will compile.
static inline void ppgcc_add_function (tree decl)
{
	cgraph_node::finalize_function (decl, false);
}

#endif
