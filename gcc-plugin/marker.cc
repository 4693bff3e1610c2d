// SPDX-License-Identifier: GPL-3.0-or-later
//
// marker.cc: the marker functions that the front ends call, and the pass that turns the calls into markers.
//
// The pass runs right after the CFG is built: from there on a marker is a volatile asm without a memory clobber (or a
// load, a test and a cold call), and the optimiser keeps accumulators in registers around it.

#include "ppgcc.h"

static const char *const names[PPGCC_OPS] = {"__pp_begin", "__pp_end",    "__pp_leave", "__pp_point",
					     "__pp_value", "__pp_expect", "__pp_bind",  "__pp_unbind"};

static tree marker_type (ppgcc_op op)
{
	switch (op) {
	case PPGCC_LEAVE:
		return build_function_type_list (void_type_node, build_pointer_type (integer_type_node), NULL_TREE);
	case PPGCC_VALUE:  // of any type
	case PPGCC_EXPECT: // a function, or a null pointer
		return build_varargs_function_type_list (void_type_node, const_ptr_type_node, NULL_TREE);
	default:
		return build_function_type_list (void_type_node, const_ptr_type_node, NULL_TREE);
	}
}

static tree fn_attributes ()
{
	return tree_cons (get_identifier ("nothrow"), NULL_TREE,
			  tree_cons (get_identifier ("leaf"), NULL_TREE, NULL_TREE));
}

// Asked for by name every time: a precompiled header replaces all of GCC's memory.
tree ppgcc_marker_function (ppgcc_op op)
{
	tree decl = identifier_global_value (get_identifier (names[op]));
	if (!decl || TREE_CODE (decl) != FUNCTION_DECL) {
		decl = add_builtin_function_ext_scope (names[op], marker_type (op), 0, NOT_BUILT_IN, NULL,
						       fn_attributes ());
		TREE_NOTHROW (decl) = 1;
		DECL_ARTIFICIAL (decl) = 1; // tells it from a function that the program calls so
	}
	return decl;
}

tree ppgcc_literal (const std::string &text)
{
	tree string = build_string (text.size () + 1, text.c_str ());
	tree element = build_qualified_type (char_type_node, TYPE_QUAL_CONST);
	tree type = build_array_type (element, build_index_type (size_int (text.size ())));
	TREE_TYPE (string) = type;
	TREE_CONSTANT (string) = TREE_READONLY (string) = TREE_STATIC (string) = 1;
	return build1 (ADDR_EXPR, const_ptr_type_node, string);
}

tree ppgcc_runtime_function (const char *name, tree first, tree second)
{
	symtab_node *node = symtab_node::get_for_asmname (get_identifier (name));
	if (node && TREE_CODE (node->decl) == FUNCTION_DECL)
		return node->decl;
	tree type = second ? build_function_type_list (void_type_node, first, second, NULL_TREE)
			   : build_function_type_list (void_type_node, first, NULL_TREE);
	tree decl = build_fn_decl (name, type);
	SET_DECL_ASSEMBLER_NAME (decl, get_identifier (name));
	TREE_NOTHROW (decl) = 1;
	return decl;
}

int ppgcc_marker_op (gimple *stmt)
{
	tree decl = is_gimple_call (stmt) ? gimple_call_fndecl (stmt) : NULL_TREE;
	if (!decl || !DECL_NAME (decl) || !DECL_ARTIFICIAL (decl))
		return -1;
	const char *name = IDENTIFIER_POINTER (DECL_NAME (decl));
	if (startswith (name, "__pp_"))
		for (int op = 0; op < PPGCC_OPS; op++)
			if (!strcmp (name, names[op]))
				return op;
	return -1;
}

// The text that the front end put into the call, or on the variable whose cleanup the call is.
static const char *marker_text (gimple *stmt, int op)
{
	tree arg = gimple_call_arg (stmt, 0);
	if (op != PPGCC_LEAVE)
		return c_getstr (arg);
	tree var = TREE_CODE (arg) == ADDR_EXPR ? get_base_address (TREE_OPERAND (arg, 0)) : NULL_TREE;
	tree attribute =
		var && DECL_P (var) ? lookup_attribute (PPGCC_SITE_ATTRIBUTE, DECL_ATTRIBUTES (var)) : NULL_TREE;
	return attribute ? TREE_STRING_POINTER (TREE_VALUE (attribute)) : NULL;
}

static int abi_op (int op)
{
	return op == PPGCC_BEGIN ? PP_ABI_BEGIN : op == PPGCC_END || op == PPGCC_LEAVE ? PP_ABI_END : PP_ABI_POINT;
}

static tree assign (gimple_stmt_iterator *gsi, tree type, tree value, location_t loc)
{
	tree var = create_tmp_reg (type, "pp_value");
	gassign *stmt = gimple_build_assign (var, value);
	gimple_set_location (stmt, loc);
	gsi_insert_before (gsi, stmt, GSI_SAME_STMT);
	return var;
}

// VALUE in 64 bits, computed before *GSI; says in KIND which. NULL_TREE where VALUE is nothing that can be measured.
static tree value_bits (gimple_stmt_iterator *gsi, tree value, int *kind)
{
	location_t loc = gimple_location (gsi_stmt (*gsi));
	tree type = TREE_TYPE (value), bits = long_long_integer_type_node;
	if (SCALAR_FLOAT_TYPE_P (type)) {
		*kind = PP_ABI_VALUE_DOUBLE;
		if (!useless_type_conversion_p (double_type_node, type))
			value = assign (gsi, double_type_node, build1 (NOP_EXPR, double_type_node, value), loc);
		else if (!is_gimple_reg (value) || !is_gimple_variable (value))
			value = assign (gsi, double_type_node, value, loc);
		return assign (gsi, bits, build1 (VIEW_CONVERT_EXPR, bits, value), loc);
	}
	if (!INTEGRAL_TYPE_P (type) && !POINTER_TYPE_P (type))
		return NULL_TREE;
	*kind = PP_ABI_VALUE_INT;
	if (TREE_CODE (value) == INTEGER_CST)
		return fold_convert (bits, value);
	return assign (gsi, bits, useless_type_conversion_p (bits, type) ? value : build1 (NOP_EXPR, bits, value), loc);
}

static gasm *build_marker_asm (int op, tree site, tree bits, bool fence, gimple *old)
{
	vec<tree, va_gc> *in = NULL, *clobbers = NULL;
	vec_safe_push (
		in, build_tree_list (build_tree_list (NULL_TREE, build_string (1, "i")), build_fold_addr_expr (site)));
	if (bits)
		vec_safe_push (in, build_tree_list (build_tree_list (NULL_TREE, build_string (1, "r")), bits));
	if (fence)
		vec_safe_push (clobbers, build_tree_list (NULL_TREE, build_string (6, "memory")));
	std::string text = ppgcc_asm_text (abi_op (op), bits);
	gasm *stmt = gimple_build_asm_vec (ggc_strdup (text.c_str ()), in, NULL, clobbers, NULL);
	gimple_asm_set_volatile (stmt, true);
	gimple_asm_set_inline (stmt, true);
	gimple_set_location (stmt, gimple_location (old));
	return stmt;
}

// Whether the function at hand has OpenMP regions, which are still to become functions of their own.
static bool has_omp_regions;

// Gives STMT, made of OLD, the block that makes an inlined copy find its function: the outermost one, which inlining
// always copies, while inner blocks are dropped without -g. A region that will be outlined must keep to blocks of its
// own.
static void set_outer_block (gimple *stmt, gimple *old)
{
	gimple_set_block (stmt, has_omp_regions ? gimple_block (old) : DECL_INITIAL (current_function_decl));
}

static void patch_marker (gimple_stmt_iterator *gsi, int op, tree site, tree bits, bool fence)
{
	gasm *stmt = build_marker_asm (op, site, bits, fence, gsi_stmt (*gsi));
	set_outer_block (stmt, gsi_stmt (*gsi));
	gsi_replace (gsi, stmt, false);
}

static tree enabled_load (gimple_seq *seq, tree site)
{
	tree var = create_tmp_reg (unsigned_type_node, "pp_enabled");
	tree address = build_fold_addr_expr (site);
	if (flag_sanitize & SANITIZE_THREAD) { // a plain load would be reported as a race with the runtime's store
		tree at = build_fold_addr_expr (
			build2 (MEM_REF, char_type_node, address, build_int_cst (ptr_type_node, PP_ABI_SITE_ENABLED)));
		gcall *load = gimple_build_call (builtin_decl_explicit (BUILT_IN_ATOMIC_LOAD_4), 2, at,
						 build_int_cst (integer_type_node, MEMMODEL_RELAXED));
		gimple_call_set_lhs (load, var);
		gimple_seq_add_stmt (seq, load);
		return var;
	}
	tree type = build_qualified_type (unsigned_type_node, TYPE_QUAL_VOLATILE);
	tree word = build2 (MEM_REF, type, address, build_int_cst (build_pointer_type (type), PP_ABI_SITE_ENABLED));
	TREE_THIS_VOLATILE (word) = 1;
	TREE_SIDE_EFFECTS (word) = 1;
	gimple_seq_add_stmt (seq, gimple_build_assign (var, word));
	return var;
}

static gimple *compiler_fence ()
{
	vec<tree, va_gc> *clobbers = NULL;
	vec_safe_push (clobbers, build_tree_list (NULL_TREE, build_string (6, "memory")));
	gasm *stmt = gimple_build_asm_vec ("", NULL, NULL, clobbers, NULL);
	gimple_asm_set_volatile (stmt, true);
	gimple_asm_set_inline (stmt, true);
	return stmt;
}

static gcall *guard_call (int op, tree site, tree bits)
{
	static const char *const entries[] = {"pp_rt_guard_begin", "pp_rt_guard_end", "pp_rt_guard_point"};
	int which = abi_op (op);
	tree fn = ppgcc_runtime_function (entries[which], const_ptr_type_node,
					  which == PP_ABI_POINT ? long_long_integer_type_node : NULL_TREE);
	DECL_ATTRIBUTES (fn) = tree_cons (get_identifier ("cold"), NULL_TREE, fn_attributes ());
	tree address = build_fold_addr_expr (site);
	if (which != PP_ABI_POINT)
		return gimple_build_call (fn, 1, address);
	return gimple_build_call (fn, 2, address, bits ? bits : build_zero_cst (long_long_integer_type_node));
}

// "if (enabled) call" instead of the statement at *GSI; leaves *GSI behind it, in another block.
static void guard_marker (gimple_stmt_iterator *gsi, int op, tree site, tree bits, bool fence)
{
	gimple *old = gsi_stmt (*gsi);
	location_t loc = gimple_location (old);
	gimple_seq seq = NULL;
	if (fence)
		gimple_seq_add_stmt (&seq, compiler_fence ());
	tree enabled = enabled_load (&seq, site);
	gcond *cond = gimple_build_cond (NE_EXPR, enabled, build_zero_cst (unsigned_type_node), NULL_TREE, NULL_TREE);
	gimple_seq_add_stmt (&seq, cond);
	for (gimple_stmt_iterator i = gsi_start (seq); !gsi_end_p (i); gsi_next (&i)) {
		gimple_set_location (gsi_stmt (i), loc);
		set_outer_block (gsi_stmt (i), old);
	}
	gsi_insert_seq_before (gsi, seq, GSI_SAME_STMT);

	basic_block before = gimple_bb (old);
	edge fall = split_block (before, cond);
	basic_block after = fall->dest;
	basic_block cold = create_empty_bb (before);
	fall->flags = (fall->flags & ~EDGE_FALLTHRU) | EDGE_FALSE_VALUE;
	fall->probability = profile_probability::very_likely ();
	edge taken = make_edge (before, cold, EDGE_TRUE_VALUE);
	taken->probability = profile_probability::very_unlikely ();
	make_single_succ_edge (cold, after, EDGE_FALLTHRU);
	if (current_loops)
		add_bb_to_loop (cold, before->loop_father);

	gcall *call = guard_call (op, site, bits);
	gimple_set_location (call, loc);
	set_outer_block (call, old);
	gimple_stmt_iterator in = gsi_last_bb (cold);
	gsi_insert_after (&in, call, GSI_NEW_STMT);

	*gsi = gsi_for_stmt (old);
	if (fence) {
		gimple *stmt = compiler_fence ();
		gimple_set_location (stmt, loc);
		gsi_insert_before (gsi, stmt, GSI_SAME_STMT);
	}
	gsi_replace (gsi, gimple_build_nop (), false);
}

static void replace_marker (gimple_stmt_iterator *gsi, int op, const char *text)
{
	ppgcc_marker_kind kind = ppgcc_kind ();
	ppgcc_site site = ppgcc_site_unpack (text);
	int value = PP_ABI_VALUE_NONE;
	tree bits = NULL_TREE;
	if (op == PPGCC_VALUE) {
		bits = value_bits (gsi, gimple_call_arg (gsi_stmt (*gsi), 1), &value);
		if (!bits) {
			error_at (gimple_location (gsi_stmt (*gsi)),
				  "the value of point %qs is neither a number nor a pointer", site.name.c_str ());
			gsi_replace (gsi, gimple_build_nop (), false);
			return;
		}
	}
	tree variable = ppgcc_site_variable (text, value, kind);
	bool fence = site.flags & PP_ABI_SITE_FENCE;
	if (kind == PPGCC_PATCH)
		patch_marker (gsi, op, variable, bits, fence);
	else
		guard_marker (gsi, op, variable, bits, fence);
}

static void replace_statement (gimple_stmt_iterator *gsi, int op, const char *text)
{
	static const char *const entries[] = {"pp_rt_expect", "pp_rt_bind", "pp_rt_unbind"};
	gimple *old = gsi_stmt (*gsi);
	tree data =
		op == PPGCC_EXPECT ? ppgcc_expect_record (text, gimple_call_arg (old, 1)) : ppgcc_bind_record (text);
	tree fn = ppgcc_runtime_function (entries[op - PPGCC_EXPECT], ptr_type_node, NULL_TREE);
	gcall *call = gimple_build_call (fn, 1, build_fold_addr_expr (data));
	gimple_set_location (call, gimple_location (old));
	gimple_set_block (call, gimple_block (old));
	gsi_replace (gsi, call, false);
	cgraph_node::get_create (fn);
}

// ---- jumps into a scope

// Whether MARKER begins or ends the site with this TEXT, or 0.
static bool marks (gimple *stmt, const char *text, bool begin)
{
	int op = ppgcc_marker_op (stmt);
	if (begin ? op != PPGCC_BEGIN : op != PPGCC_END && op != PPGCC_LEAVE)
		return false;
	const char *own = marker_text (stmt, op);
	return own && !strcmp (own, text);
}

// Whether BB has a begin of the site before STMT (NULL: anywhere).
static bool begins_in (basic_block bb, gimple *stop, const char *text)
{
	for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi) && gsi_stmt (gsi) != stop; gsi_next (&gsi))
		if (marks (gsi_stmt (gsi), text, true))
			return true;
	return false;
}

// Whether control can come to the end STMT without having passed the begin. Edges that only computed gotos and the like
// could take prove nothing.
static bool reached_without_begin (function *fun, gimple *stmt, const char *text)
{
	auto_vec<basic_block> work;
	hash_set<basic_block> seen;
	if (begins_in (gimple_bb (stmt), stmt, text))
		return false;
	work.safe_push (gimple_bb (stmt));
	while (!work.is_empty ()) {
		basic_block bb = work.pop ();
		edge e;
		edge_iterator i;
		if (bb == ENTRY_BLOCK_PTR_FOR_FN (fun))
			return true;
		FOR_EACH_EDGE (e, i, bb->preds)
		if (!(e->flags & EDGE_ABNORMAL) && !seen.add (e->src) && !begins_in (e->src, NULL, text))
			work.safe_push (e->src);
	}
	return false;
}

static void check_jumps (function *fun, const auto_vec<gimple *> &found)
{
	hash_set<nofree_string_hash> told;
	for (gimple *stmt : found) {
		int op = ppgcc_marker_op (stmt);
		const char *text = op == PPGCC_END || op == PPGCC_LEAVE ? marker_text (stmt, op) : NULL;
		if (!text || !reached_without_begin (fun, stmt, text) || told.add (text))
			continue;
		ppgcc_site site = ppgcc_site_unpack (text);
		auto_diagnostic_group group;
		error_at (gimple_location (stmt),
			  "interval %qs is jumped into: its end can be reached without its begin", site.name.c_str ());
		inform (gimple_location (stmt),
			"put braces around the interval, so that the label or %<case%> is outside");
	}
}

namespace
{

const pass_data data = {GIMPLE_PASS, "ppmarker", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

class marker_pass : public gimple_opt_pass
{
public:
	explicit marker_pass (gcc::context *context) : gimple_opt_pass (data, context)
	{
	}

	unsigned execute (function *fun) final override
	{
		auto_vec<gimple *> found;
		basic_block bb;
		has_omp_regions = false;
		FOR_EACH_BB_FN (bb, fun)
		for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi); gsi_next (&gsi)) {
			has_omp_regions |= is_gimple_omp (gsi_stmt (gsi));
			if (ppgcc_marker_op (gsi_stmt (gsi)) >= 0)
				found.safe_push (gsi_stmt (gsi));
		}
		check_jumps (fun, found);
		for (gimple *stmt : found)
			replace (stmt);
		if (!found.is_empty ()) {
			free_dominance_info (CDI_DOMINATORS);
			free_dominance_info (CDI_POST_DOMINATORS);
		}
		return 0;
	}

private:
	void replace (gimple *stmt)
	{
		int op = ppgcc_marker_op (stmt);
		const char *text = marker_text (stmt, op);
		gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
		if (!text)
			error_at (gimple_location (stmt), "a pp marker lost its site; please report this");
		else if (op >= PPGCC_EXPECT)
			replace_statement (&gsi, op, text);
		else
			replace_marker (&gsi, op, text);
	}
};

} // namespace

void ppgcc_marker_register (const char *plugin)
{
	register_pass_info info;
	info.pass = new marker_pass (g);
	info.reference_pass_name = "cfg";
	info.ref_pass_instance_number = 1;
	info.pos_op = PASS_POS_INSERT_AFTER;
	register_callback (plugin, PLUGIN_PASS_MANAGER_SETUP, NULL, &info);
}

bool ppgcc_marker_p (gimple *stmt)
{
	if (gasm *text = dyn_cast<gasm *> (stmt))
		return ppgcc_asm_p (gimple_asm_string (text));
	tree decl = is_gimple_call (stmt) ? gimple_call_fndecl (stmt) : NULL_TREE;
	return decl && DECL_NAME (decl) && startswith (IDENTIFIER_POINTER (DECL_NAME (decl)), "pp_rt_guard_");
}
