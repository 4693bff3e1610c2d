// SPDX-License-Identifier: GPL-3.0-or-later
//
// marker.cc: the pass that turns calls of marker functions into markers.
//
// The pass runs right after the CFG is built: from there on a marker is a volatile asm without a
// memory clobber (or a load, a test and a cold call), and the optimiser keeps accumulators in
// registers around it.

#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/target/asm.h"
#include "gcc-plugin/markers/copies.h"
#include "gcc-plugin/markers/lowering.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/note.h"
#include "gcc-plugin/markers/record.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/markers/words.h"
#include "pp_abi.h"

#include <map>

static void (*before_markers) ();

void ppgcc_on_markers (void (*needed) ())
{
	before_markers = needed;
}

static int abi_op (int op)
{
	return op == PPGCC_BEGIN ? PP_ABI_BEGIN : op == PPGCC_END ? PP_ABI_END : PP_ABI_POINT;
}

static void add_operand (vec<tree, va_gc> *&list, const char *constraint, tree value)
{
	tree text = build_string (strlen (constraint), constraint);
	vec_safe_push (list, build_tree_list (build_tree_list (NULL_TREE, text), value));
}

// The asm of a marker of the site that is described by VARIABLE; CODE: enum ppgcc_asm_code. LABEL
// is NULL_TREE but for PPGCC_ASM_TEST.
static gasm *build_marker_asm (unsigned code, const ppgcc_site &site, tree variable,
			       const ppgcc_operands &operands, tree label)
{
	vec<tree, va_gc> *in = NULL, *clobbers = NULL, *labels = NULL;
	if (operands.bits)
		code |= PPGCC_ASM_VALUE;
	add_operand (in, ppgcc_asm_site_constraint, build_fold_addr_expr (variable));
	add_operand (in, "i", build_int_cst (integer_type_node, code));
	if (operands.bits)
		add_operand (in, "r", operands.bits);
	if (operands.array)
		add_operand (in, "m", operands.array);
	for (tree text : operands.reads)
		add_operand (in, "m", text);
	bool test = code & PPGCC_ASM_TEST; // without a fence the cold block's marker is the barrier
	if (site.flags & (test ? PP_ABI_SITE_FENCE : PP_ABI_SITE_BARRIER) || operands.reads_all)
		vec_safe_push (clobbers, build_tree_list (NULL_TREE, build_string (6, "memory")));
	if (label)
		vec_safe_push (labels, build_tree_list (NULL_TREE, label));
	ppgcc_note note;
	note.code = code;
	note.flags = (code & PPGCC_ASM_TEST ? PP_ABI_MARKER_COLD : 0) |
		     (site.metrics.empty () ? PP_ABI_MARKER_NO_METRICS : 0);
	gasm *stmt = gimple_build_asm_vec (ggc_strdup (ppgcc_note_write (note).c_str ()), in, NULL,
					   clobbers, labels);
	gimple_asm_set_volatile (stmt, true);
	gimple_asm_set_inline (stmt, true);
	return stmt;
}

// Whether the function at hand has OpenMP regions, which are still to become functions of their
// own.
static bool has_omp_regions;

// Gives STMT, made of OLD, its place, and the block that makes an inlined copy find its function:
// the outermost one, which inlining always copies, while inner blocks are dropped without -g. A
// region that will be outlined must keep to blocks of its own.
static void set_place (gimple *stmt, gimple *old)
{
	gimple_set_location (stmt, gimple_location (old));
	gimple_set_block (stmt, has_omp_regions ? gimple_block (old)
						: DECL_INITIAL (current_function_decl));
}

// The array's place on the stack may be used again behind STMT.
static void end_of_array (gimple_stmt_iterator *gsi, const ppgcc_operands &operands)
{
	if (!operands.array)
		return;
	gassign *clobber =
		gimple_build_assign (operands.array, build_clobber (TREE_TYPE (operands.array)));
	gimple_set_location (clobber, gimple_location (gsi_stmt (*gsi)));
	gsi_insert_after (gsi, clobber, GSI_SAME_STMT);
}

static void patch_marker (gimple_stmt_iterator *gsi, unsigned code, const ppgcc_site &site,
			  tree variable, const ppgcc_operands &operands)
{
	gasm *stmt = build_marker_asm (code, site, variable, operands, NULL_TREE);
	set_place (stmt, gsi_stmt (*gsi));
	gsi_replace (gsi, stmt, false);
	end_of_array (gsi, operands);
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
	static const char *const entries[] = {"pp_rt_guard_begin", "pp_rt_guard_end",
					      "pp_rt_guard_point"};
	bool second = bits || op == PP_ABI_POINT;
	std::string entry = bits && op == PP_ABI_BEGIN ? "pp_rt_guard_begin_value" : entries[op];
	if (flag_lto)
		entry += PPGCC_UNFINISHED;
	tree fn = ppgcc_runtime_function (entry.c_str (), const_ptr_type_node,
					  second ? long_long_integer_type_node : NULL_TREE);
	DECL_ATTRIBUTES (fn) =
		tree_cons (get_identifier ("cold"), NULL_TREE, ppgcc_marker_attributes ());
	tree address = build_fold_addr_expr (site);
	if (!second)
		return gimple_build_call (fn, 1, address);
	return gimple_build_call (fn, 2, address,
				  bits ? bits : build_zero_cst (long_long_integer_type_node));
}

static void insert_fence (gimple_stmt_iterator *gsi)
{
	gimple *stmt = compiler_fence ();
	gimple_set_location (stmt, gimple_location (gsi_stmt (*gsi)));
	gsi_insert_before (gsi, stmt, GSI_SAME_STMT);
}

// ---- anchors
//
// A guard is code as any other, and half of it is elsewhere. What says where an interval that
// guards measure begins and ends is an asm of nothing: behind a begin's guard, before an end's.

// NULL where that is not possible.
static gasm *build_anchor (int op, tree site)
{
	const char *constraint = ppgcc_asm_anchor_constraint ();
	if (!constraint || op == PP_ABI_POINT)
		return NULL;
	vec<tree, va_gc> *in = NULL;
	add_operand (in, constraint, build_fold_addr_expr (site));
	ppgcc_note note;
	note.code = op | PPGCC_ASM_ANCHOR;
	gasm *stmt = gimple_build_asm_vec (ggc_strdup (ppgcc_note_write (note).c_str ()), in, NULL,
					   NULL, NULL);
	gimple_asm_set_volatile (stmt, true);
	gimple_asm_set_inline (stmt, true);
	return stmt;
}

// Puts the anchor before *GSI; PLACE is the statement of the marker.
static void insert_anchor (gimple_stmt_iterator *gsi, int op, tree site, gimple *place)
{
	gasm *stmt = build_anchor (op, site);
	if (!stmt)
		return;
	set_place (stmt, place);
	gsi_insert_before (gsi, stmt, GSI_SAME_STMT);
}

// The block in which what comes from BEFORE and what comes from COLD meet, and nothing else; NULL:
// they don't.
static basic_block meeting (basic_block before, basic_block cold)
{
	basic_block join = single_succ_p (cold) ? single_succ (cold) : EXIT_BLOCK_PTR_FOR_FN (cfun);
	edge past = join == EXIT_BLOCK_PTR_FOR_FN (cfun) ? NULL : find_edge (before, join);
	if (!past || EDGE_COUNT (join->preds) == 2)
		return past ? join : NULL;
	basic_block fresh = create_empty_bb (
		cold); // a label of the program's is there: ways back to it are inside
	if (current_loops) {
		add_bb_to_loop (fresh, cold->loop_father);
		loops_state_set (LOOPS_NEED_FIXUP);
	}
	make_single_succ_edge (fresh, join, EDGE_FALLTHRU);
	redirect_edge_and_branch (past, fresh);
	redirect_edge_and_branch (single_succ_edge (cold), fresh);
	return fresh;
}

// ---- guards

// Of a guard's call, at *GSI, that may come back to the program. It stays a "leaf", so that
// functions with guards need no edges for what a call may jump to; what it does to memory is said
// around it.
static void enclose (gimple_stmt_iterator *gsi, const ppgcc_site &site)
{
	if (!(site.flags & PP_ABI_SITE_BARRIER))
		return;
	insert_fence (gsi);
	gimple *behind = compiler_fence ();
	gimple_set_location (behind, gimple_location (gsi_stmt (*gsi)));
	gsi_insert_after (gsi, behind, GSI_SAME_STMT);
}

// Where the test has been made, by TEST: the call instead of the statement at *GSI.
static void guard_cold (gimple_stmt_iterator *gsi, int op, const ppgcc_site &of, tree site,
			const ppgcc_operands &operands, gimple *test)
{
	gcall *call = guard_call (op, site, operands.bits);
	set_place (call, gsi_stmt (*gsi));
	gsi_replace (gsi, call, false);
	enclose (gsi, of);
	end_of_array (gsi, operands);
	basic_block join =
		op == PP_ABI_BEGIN && test ? meeting (gimple_bb (test), gimple_bb (call)) : NULL;
	gasm *anchor = join ? build_anchor (op, site) : NULL;
	if (!anchor)
		return;
	set_place (anchor, call);
	gimple_stmt_iterator at = gsi_after_labels (join);
	gsi_insert_before (&at, anchor, GSI_SAME_STMT);
}

// "if (enabled) call" instead of the statement at *GSI; leaves *GSI behind it, in another block.
// What tests has no place in the source, so that it belongs to no interval around.
static void guard_marker (gimple_stmt_iterator *gsi, int op, const ppgcc_site &of, tree site,
			  const ppgcc_operands &operands)
{
	bool fence = of.flags & PP_ABI_SITE_FENCE;
	gimple *old = gsi_stmt (*gsi);
	if (op == PP_ABI_END)
		insert_anchor (gsi, op, site, old);
	if (fence)
		insert_fence (gsi);
	gimple_seq seq = NULL;
	tree enabled = ppgcc_enabled_load (&seq, site);
	gcond *cond = gimple_build_cond (NE_EXPR, enabled, build_zero_cst (unsigned_type_node),
					 NULL_TREE, NULL_TREE);
	gimple_seq_add_stmt (&seq, cond);
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

	gcall *call = guard_call (op, site, operands.bits);
	set_place (call, old);
	gimple_stmt_iterator in = gsi_last_bb (cold);
	gsi_insert_after (&in, call, GSI_NEW_STMT);
	enclose (&in, of);

	*gsi = gsi_for_stmt (old);
	if (fence)
		insert_fence (gsi);
	if (op == PP_ABI_BEGIN)
		insert_anchor (gsi, op, site, old);
	gsi_replace (gsi, gimple_build_nop (), false);
	end_of_array (gsi, operands);
}

// ---- the test of __pp_enabled

// Of the function at hand: blocks that a patched NOP jumps to.
static auto_vec<basic_block> cold_blocks;

static void patch_test (gimple *call, int op, const ppgcc_site &site, tree variable)
{
	basic_block cold = ppgcc_cold_split (call);
	cold_blocks.safe_push (cold);
	gasm *stmt = build_marker_asm (op | PPGCC_ASM_TEST, site, variable, ppgcc_operands (),
				       gimple_block_label (cold));
	gimple_stmt_iterator gsi = gsi_for_stmt (call);
	set_place (stmt, call);
	gsi_replace (&gsi, stmt, false);
}

// The statement that has the answer now.
static gimple *guard_test (gimple *call, tree site, bool fence)
{
	gimple_stmt_iterator gsi = gsi_for_stmt (call);
	gimple_seq seq = NULL;
	if (fence)
		insert_fence (&gsi);
	tree enabled = ppgcc_enabled_load (&seq, site);
	gimple *answer = gimple_build_assign (gimple_call_lhs (call), NOP_EXPR, enabled);
	gimple_seq_add_stmt (&seq, answer);
	gsi_replace_with_seq (&gsi, seq, false);
	gimple *last = last_stmt (gimple_bb (answer));
	if (last && gimple_code (last) == GIMPLE_COND &&
	    gimple_cond_lhs (last) == gimple_assign_lhs (answer))
		gimple_set_location (last, UNKNOWN_LOCATION);
	return answer;
}

// Bit N of the word that says what is wanted, instead of the call that asks for it.
static void test_wanted (gimple_stmt_iterator *gsi, tree site, unsigned n)
{
	gimple *call = gsi_stmt (*gsi);
	gimple_seq seq = NULL;
	tree wanted = ppgcc_wanted_load (&seq, site);
	tree bit = build_int_cst (unsigned_type_node, HOST_WIDE_INT_1 << n);
	tree masked = create_tmp_reg (unsigned_type_node, "pp_wanted");
	gimple_seq_add_stmt (&seq, gimple_build_assign (masked, BIT_AND_EXPR, wanted, bit));
	gimple_seq_add_stmt (&seq, gimple_build_assign (gimple_call_lhs (call), NOP_EXPR, masked));
	gsi_replace_with_seq (gsi, seq, false);
}

// ---- one call of a marker function

// What is known of a site in the function at hand.
struct known_site {
	std::string letters; // of its begin or point
	bool tested = false; // it stands behind __pp_enabled
	bool lost = true;    // it can't be reached
	gimple *test = NULL; // of a guard, where it is already replaced
};
typedef std::map<std::string, known_site> known_sites;

static bool begins (int op)
{
	return op == PPGCC_BEGIN || op == PPGCC_POINT || op == PPGCC_VALUE;
}

// The test at *GSI where nothing comes of it: what would be handed over never is, since computing
// it doesn't return.
static void drop_test (gimple_stmt_iterator *gsi)
{
	tree tested = gimple_call_lhs (gsi_stmt (*gsi));
	gimple *stmt = gimple_build_nop ();
	if (tested)
		stmt = gimple_build_assign (tested, build_zero_cst (TREE_TYPE (tested)));
	gimple_set_location (stmt, gimple_location (gsi_stmt (*gsi)));
	gsi_replace (gsi, stmt, false);
}

static void replace_marker (gimple *stmt, int op, const char *text, known_site &known)
{
	ppgcc_site site = ppgcc_site_complete (text);
	ppgcc_marker_kind kind = ppgcc_kind ();
	tree variable = ppgcc_site_variable (text, known.letters, kind);
	bool fence = site.flags & PP_ABI_SITE_FENCE;
	gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
	if (op == PPGCC_WANTED) {
		test_wanted (&gsi, variable, tree_to_uhwi (gimple_call_arg (stmt, 1)));
		return;
	}
	if (op == PPGCC_ENABLED) {
		int what = site.kind == PP_ABI_SITE_POINT ? PP_ABI_POINT : PP_ABI_BEGIN;
		if (kind == PPGCC_PATCH)
			patch_test (stmt, what, site, variable);
		else
			known.test = guard_test (stmt, variable, fence);
		return;
	}
	ppgcc_operands operands;
	if (begins (op))
		ppgcc_compute_values (&gsi, operands);
	bool cold = known.tested && begins (op);
	if (kind == PPGCC_PATCH)
		patch_marker (&gsi, abi_op (op) | (cold ? PPGCC_ASM_COLD : 0), site, variable,
			      operands);
	else if (cold)
		guard_cold (&gsi, abi_op (op), site, variable, operands, known.test);
	else
		guard_marker (&gsi, abi_op (op), site, variable, operands);
}

// A marker of dimensions of the interval around, which has TEXT: a point of that interval's site,
// in a cold block always, that hands over an array.
static void replace_late (gimple *stmt, int op, const char *text, const std::string &letters)
{
	ppgcc_site site = ppgcc_site_complete (text);
	ppgcc_marker_kind kind = ppgcc_kind ();
	tree variable = ppgcc_site_variable (text, letters, kind);
	gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
	// what the site's own begin needs of its order does not concern them
	site.flags &= ~PP_ABI_SITE_FENCE;
	if (op == PPGCC_LATE_WANTED)
		test_wanted (&gsi, variable, PP_ABI_WANTED_LATE);
	else if (op == PPGCC_LATE_ENABLED && kind == PPGCC_PATCH)
		patch_test (stmt, PP_ABI_POINT, site, variable);
	else if (op == PPGCC_LATE_ENABLED)
		guard_test (stmt, variable, false);
	else {
		ppgcc_operands operands;
		ppgcc_compute_late (&gsi, operands);
		if (kind == PPGCC_PATCH)
			patch_marker (&gsi, PP_ABI_POINT | PPGCC_ASM_COLD, site, variable,
				      operands);
		else
			guard_cold (&gsi, PP_ABI_POINT, site, variable, operands, NULL);
	}
}

static void replace_statement (gimple_stmt_iterator *gsi, int op, const char *text)
{
	static const char *const entries[] = {"pp_rt_expect", "pp_rt_bind", "pp_rt_unbind"};
	gimple *old = gsi_stmt (*gsi);
	tree data = op == PPGCC_EXPECT ? ppgcc_expect_record (text, gimple_call_arg (old, 1))
				       : ppgcc_bind_record (text);
	tree fn = ppgcc_runtime_function (entries[op - PPGCC_EXPECT], ptr_type_node, NULL_TREE);
	gcall *call = gimple_build_call (fn, 1, build_fold_addr_expr (data));
	gimple_set_location (call, gimple_location (old));
	gimple_set_block (call, gimple_block (old));
	gsi_replace (gsi, call, false);
	cgraph_node::get_create (fn);
}

namespace
{

const pass_data data = {GIMPLE_PASS, "ppmarker", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

class marker_pass : public ppgcc_pass<gimple_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	unsigned execute (function *fun) final override
	{
		auto_vec<gimple *> found;
		basic_block bb;
		has_omp_regions = false;
		FOR_EACH_BB_FN (bb, fun)
		for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
		     gsi_next (&gsi)) {
			has_omp_regions |= is_gimple_omp (gsi_stmt (gsi));
			if (ppgcc_marker_op (gsi_stmt (gsi)) >= 0)
				found.safe_push (gsi_stmt (gsi));
			else
				ppgcc_note_unwanted (gsi_stmt (gsi));
		}
		if (found.is_empty ()) {
			ppgcc_forget_answers ();
			return 0;
		}
		if (ppgcc_ifunc_resolver (fun->decl))
			error_at (gimple_location (found[0]),
				  "%qD cannot have markers: it is the resolver of an %<ifunc%>, "
				  "which runs before anything is relocated",
				  fun->decl);
		if (before_markers)
			before_markers ();
		ppgcc_note_copies (fun);
		ppgcc_check_scopes (fun, found);
		known_sites known;
		for (gimple *stmt : found)
			learn (stmt, known);
		for (gimple *stmt : found)
			replace (stmt, known);
		ppgcc_cold_move (cold_blocks);
		cold_blocks.truncate (0);
		ppgcc_forget_answers ();
		free_dominance_info (CDI_DOMINATORS);
		free_dominance_info (CDI_POST_DOMINATORS);
		return 0;
	}

private:
	void learn (gimple *stmt, known_sites &known)
	{
		int op = ppgcc_marker_op (stmt);
		const char *text = op < PPGCC_EXPECT ? ppgcc_marker_text (stmt) : NULL;
		if (!text || ppgcc_late_op (op))
			return;
		known_site &site = known[text];
		if (op == PPGCC_ENABLED)
			site.tested = true;
		else if (begins (op)) {
			site.letters = ppgcc_letters (stmt);
			site.lost = false;
		}
	}

	void replace (gimple *stmt, known_sites &known)
	{
		int op = ppgcc_marker_op (stmt);
		gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
		if (op >= PPGCC_INLINE_BEGIN) {
			ppgcc_direct_call (&gsi, op);
			return;
		}
		const char *text = ppgcc_marker_text (stmt);
		if (text && ppgcc_late_op (op)) {
			late (stmt, op, text, known);
			return;
		}
		if (!text)
			error_at (gimple_location (stmt),
				  "a pp marker lost its site; please report this");
		else if (op >= PPGCC_EXPECT)
			replace_statement (&gsi, op, text);
		else if (op == PPGCC_BITS)
			ppgcc_compute_bits (&gsi);
		else if ((op == PPGCC_ENABLED || op == PPGCC_WANTED) &&
			 (known[text].lost || !gimple_call_lhs (stmt)))
			drop_test (&gsi);
		else
			replace_marker (stmt, op, text, known[text]);
	}

	// Without an interval, which was told, or of one whose begin can't be reached, there are
	// none.
	void late (gimple *stmt, int op, const char *text, known_sites &known)
	{
		ppgcc_take_line (text);
		if (*text && !known[text].lost && (op == PPGCC_LATE || gimple_call_lhs (stmt))) {
			replace_late (stmt, op, text, known[text].letters);
			return;
		}
		gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
		drop_test (&gsi);
	}
};

} // namespace

void ppgcc_marker_register (const char *plugin)
{
	ppgcc_add_pass (plugin, new marker_pass (data), PASS_POS_INSERT_AFTER, "cfg");
}

bool ppgcc_marker_p (gimple *stmt)
{
	if (gasm *text = dyn_cast<gasm *> (stmt))
		return ppgcc_note_p (gimple_asm_string (text));
	tree decl = is_gimple_call (stmt) ? gimple_call_fndecl (stmt) : NULL_TREE;
	return decl && DECL_NAME (decl) &&
	       startswith (IDENTIFIER_POINTER (DECL_NAME (decl)), "pp_rt_guard_");
}
