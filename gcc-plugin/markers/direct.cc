// SPDX-License-Identifier: GPL-3.0-or-later
//
// direct.cc: the marker functions of what the code measures by itself, inline sites and samples:
// they become plain calls of the runtime, with the same arguments but for a site's text, which
// becomes its descriptor.

#include "gcc-plugin/markers/lowering.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/site.h"

static const char *entry_name (int op)
{
	switch (op) {
	case PPGCC_INLINE_INT:
		return "pp_rt_inline_int";
	case PPGCC_INLINE_DOUBLE:
		return "pp_rt_inline_double";
	case PPGCC_SAMPLE_BEGIN:
		return "pp_rt_sample_begin";
	case PPGCC_SAMPLE_END:
		return "pp_rt_sample_end";
	case PPGCC_SAMPLE_INT:
		return "pp_rt_sample_int";
	case PPGCC_SAMPLE_DOUBLE:
		return "pp_rt_sample_double";
	default:
		gcc_unreachable ();
	}
}

tree ppgcc_direct_type (int op)
{
	tree integer = long_long_integer_type_node, real = double_type_node;
	switch (op) {
	case PPGCC_INLINE_INT:
		return build_function_type_list (void_type_node, const_ptr_type_node, ptr_type_node,
						 integer, NULL_TREE);
	case PPGCC_INLINE_DOUBLE:
		return build_function_type_list (void_type_node, const_ptr_type_node, ptr_type_node,
						 real, NULL_TREE);
	case PPGCC_SAMPLE_INT:
		return build_function_type_list (void_type_node, ptr_type_node, integer, NULL_TREE);
	case PPGCC_SAMPLE_DOUBLE:
		return build_function_type_list (void_type_node, ptr_type_node, real, NULL_TREE);
	default: // sample_begin, sample_end
		return build_function_type_list (ptr_type_node, ptr_type_node, NULL_TREE);
	}
}

static tree entry (int op, tree type)
{
	tree decl = ppgcc_runtime_function (entry_name (op), type);
	cgraph_node::get_create (decl);
	return decl;
}

void ppgcc_direct_call (gimple_stmt_iterator *gsi, int op)
{
	gimple *old = gsi_stmt (*gsi);
	if (op == PPGCC_INLINE_BEGIN) {
		gsi_replace (gsi, gimple_build_nop (), false);
		return;
	}
	auto_vec<tree> args;
	for (unsigned i = 0; i < gimple_call_num_args (old); i++)
		args.safe_push (gimple_call_arg (old, i));
	if (op == PPGCC_INLINE_INT || op == PPGCC_INLINE_DOUBLE) {
		tree site = ppgcc_site_variable (c_getstr (args[0]), "", PPGCC_GUARD);
		args[0] = build_fold_addr_expr (site);
	}
	gcall *call = gimple_build_call_vec (entry (op, gimple_call_fntype (old)), args);
	if (gimple_call_lhs (old))
		gimple_call_set_lhs (call, gimple_call_lhs (old));
	gimple_set_location (call, gimple_location (old));
	gimple_set_block (call, gimple_block (old));
	gsi_replace (gsi, call, false);
}
