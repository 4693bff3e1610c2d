// SPDX-License-Identifier: GPL-3.0-or-later
//
// words.cc: the words of a site's descriptor that the code tests: whether anything is bound there,
// and which captures are wanted.

#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/markers/words.h"
#include "pp_abi.h"

// A load of the word at OFFSET of the descriptor SITE, which the runtime may change meanwhile.
static tree load_word (gimple_seq *seq, tree site, unsigned offset)
{
	tree var = gimple_in_ssa_p (cfun) ? make_ssa_name (unsigned_type_node)
					  : create_tmp_reg (unsigned_type_node, "pp_enabled");
	tree address = build_fold_addr_expr (site);
	if (flag_sanitize &
	    SANITIZE_THREAD) { // a plain load would be reported as a race with the runtime's store
		tree at = build_fold_addr_expr (build2 (MEM_REF, char_type_node, address,
							build_int_cst (ptr_type_node, offset)));
		gcall *load =
			gimple_build_call (builtin_decl_explicit (BUILT_IN_ATOMIC_LOAD_4), 2, at,
					   build_int_cst (integer_type_node, MEMMODEL_RELAXED));
		gimple_call_set_lhs (load, var);
		gimple_seq_add_stmt (seq, load);
		return var;
	}
	tree type = build_qualified_type (unsigned_type_node, TYPE_QUAL_VOLATILE);
	tree word =
		build2 (MEM_REF, type, address, build_int_cst (build_pointer_type (type), offset));
	TREE_THIS_VOLATILE (word) = 1;
	TREE_SIDE_EFFECTS (word) = 1;
	gimple_seq_add_stmt (seq, gimple_build_assign (var, word));
	return var;
}

tree ppgcc_enabled_load (gimple_seq *seq, tree site)
{
	return load_word (seq, site, PP_ABI_SITE_ENABLED);
}

tree ppgcc_wanted_load (gimple_seq *seq, tree site)
{
	return load_word (seq, site, PP_ABI_SITE_WANTED);
}

tree ppgcc_enabled_site (gimple *stmt)
{
	poly_int64 offset;
	tree word = NULL_TREE;
	if (gimple_call_builtin_p (stmt, BUILT_IN_ATOMIC_LOAD_4)) {
		word = gimple_call_arg (stmt, 0);
		word = TREE_CODE (word) == ADDR_EXPR ? TREE_OPERAND (word, 0) : NULL_TREE;
	} else if (gimple_assign_load_p (stmt) && gimple_has_volatile_ops (stmt))
		word = gimple_assign_rhs1 (stmt);
	tree site = word ? get_addr_base_and_unit_offset (word, &offset) : NULL_TREE;
	bool found = site && VAR_P (site) && DECL_ARTIFICIAL (site) && DECL_NAME (site) &&
		     startswith (IDENTIFIER_POINTER (DECL_NAME (site)), PPGCC_SITE_PREFIX) &&
		     known_eq (offset, PP_ABI_SITE_ENABLED);
	return found ? site : NULL_TREE;
}

bool ppgcc_enabled_word (tree value)
{
	gimple *def = TREE_CODE (value) == SSA_NAME ? SSA_NAME_DEF_STMT (value) : NULL;
	if (!def)
		return false;
	bool same = gimple_assign_cast_p (def) ||
		    (is_gimple_assign (def) && gimple_assign_rhs_code (def) == NE_EXPR &&
		     integer_zerop (gimple_assign_rhs2 (def)));
	return same ? ppgcc_enabled_word (gimple_assign_rhs1 (def))
		    : ppgcc_enabled_site (def) != NULL_TREE;
}

bool ppgcc_cold_edge (edge e)
{
	gimple *last = last_stmt (e->src);
	if (!last)
		return false;
	if (is_a<gasm *> (last))
		return ppgcc_marker_p (last) && !(e->flags & EDGE_FALLTHRU);
	gcond *test = dyn_cast<gcond *> (last);
	if (!test || !integer_zerop (gimple_cond_rhs (test)) ||
	    !ppgcc_enabled_word (gimple_cond_lhs (test)))
		return false;
	enum tree_code code = gimple_cond_code (test);
	return (code == NE_EXPR && e->flags & EDGE_TRUE_VALUE) ||
	       (code == EQ_EXPR && e->flags & EDGE_FALSE_VALUE);
}
