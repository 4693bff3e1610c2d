// SPDX-License-Identifier: GPL-3.0-or-later
//
// cold.cc: the marker of a begin or point that computes what it hands over.
//
//   the front end:  if (__pp_enabled ("TEXT"))            becomes:   NOP                 patched into "jmp cold"
//                           __pp_value ("TEXT", V);               next:  ...
//
//   with V:         __pp_wanted ("TEXT", 0)                       cold:  test site.wanted    in the cold section
//                           ? __pp_bits ("TEXT", f (x))                  f (x)               or PP_ABI_NOT_CAPTURED
//                           : PP_ABI_NOT_CAPTURED                        jmp stub            pushes the value, calls the entry
//                                                                        jmp next
//
// Something is bound where the cold block is entered, but maybe nothing that reads the value; with
// dims each is asked for by itself.
//
// The NOP is an "asm goto", so the compiler knows of the way to the cold block though nothing takes
// it: EXPR is ordinary code with the registers and the memory of the place where it stands. The
// stub is that of any marker: it is out of line, with CFI of its own, and neither the red zone nor
// the function's frame needs to be known there.

#include "gcc-plugin/markers/lowering.h"

// Whether STMT does nothing: behind a test it may be dropped.
static bool idle (gimple *stmt)
{
	return is_gimple_debug (stmt) || gimple_code (stmt) == GIMPLE_NOP ||
	       gimple_code (stmt) == GIMPLE_PREDICT;
}

// The "if (TESTED != 0)" that is all there is in BB, or NULL.
static gcond *test_in (basic_block bb, tree tested)
{
	gimple_stmt_iterator gsi = gsi_start_bb (bb);
	while (!gsi_end_p (gsi) && idle (gsi_stmt (gsi)))
		gsi_next (&gsi);
	gcond *cond = gsi_end_p (gsi) ? NULL : dyn_cast<gcond *> (gsi_stmt (gsi));
	if (!cond || gimple_cond_lhs (cond) != tested || !integer_zerop (gimple_cond_rhs (cond)))
		return NULL;
	return gimple_cond_code (cond) == NE_EXPR || gimple_cond_code (cond) == EQ_EXPR ? cond
											: NULL;
}

// Whether TESTED is one of the gimplifier's temporaries, which have the one use that the expression
// had.
static bool temporary (tree tested)
{
	return TREE_CODE (tested) == SSA_NAME ||
	       (VAR_P (tested) && DECL_ARTIFICIAL (tested) && DECL_IGNORED_P (tested) &&
		is_gimple_reg (tested));
}

// A new block behind BEFORE that goes on to DEST, and makes VAR (NULL_TREE: none) what VALUE says.
static basic_block way (basic_block before, tree var, int value, basic_block dest, gimple *call)
{
	basic_block bb = create_empty_bb (before);
	if (current_loops)
		add_bb_to_loop (bb, before->loop_father);
	if (var) {
		gassign *stmt = gimple_build_assign (var, build_int_cst (TREE_TYPE (var), value));
		gimple_set_location (stmt, gimple_location (call));
		gimple_set_block (stmt, gimple_block (call));
		gimple_stmt_iterator gsi = gsi_last_bb (bb);
		gsi_insert_after (&gsi, stmt, GSI_NEW_STMT);
	}
	make_single_succ_edge (bb, dest, EDGE_FALLTHRU);
	return bb;
}

// Where TESTED isn't tested at once, both ways meet again, and it says which was taken; where GCC
// optimises it threads the jumps. Returns the variable to set on the ways to AFTER.
static tree set_after (basic_block after, tree tested)
{
	tree var = create_tmp_reg (TREE_TYPE (tested), "pp_enabled");
	gimple_stmt_iterator gsi = gsi_start_bb (after);
	gsi_insert_before (&gsi, gimple_build_assign (tested, var), GSI_NEW_STMT);
	return var;
}

basic_block ppgcc_cold_split (gimple *call)
{
	tree tested = gimple_call_lhs (call), var = NULL_TREE;
	basic_block before = gimple_bb (call), after = split_block (before, call)->dest,
		    off = after, on = after;
	gcond *cond = temporary (tested) ? test_in (after, tested) : NULL;
	if (cond) {
		edge yes, no;
		extract_true_false_edges_from_block (after, &yes, &no);
		bool plain = gimple_cond_code (cond) == NE_EXPR;
		on = (plain ? yes : no)->dest;
		off = (plain ? no : yes)->dest;
	} else
		var = set_after (after, tested);
	remove_edge (single_succ_edge (before));
	edge fall = make_edge (before, way (before, var, 0, off, call), EDGE_FALLTHRU);
	fall->probability = profile_probability::always ();
	basic_block cold = way (fall->dest, var, 1, on, call);
	make_edge (before, cold, 0)->probability = profile_probability::never ();
	if (cond)
		delete_basic_block (after);
	if (current_loops)
		loops_state_set (LOOPS_NEED_FIXUP);
	return cold;
}

// Where blocks are laid out in the order that they have (-O0, -Os), the way past the cold ones
// would be a jump.
void ppgcc_cold_move (const auto_vec<basic_block> &cold)
{
	if (cold.is_empty ())
		return;
	free_dominance_info (CDI_DOMINATORS); // what is known is from before the cuts
	calculate_dominance_info (CDI_DOMINATORS);
	for (basic_block first : cold)
		for (basic_block bb : get_all_dominated_blocks (CDI_DOMINATORS, first))
			move_block_after (bb, EXIT_BLOCK_PTR_FOR_FN (cfun)->prev_bb);
}
