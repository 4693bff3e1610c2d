// SPDX-License-Identifier: GPL-3.0-or-later
//
// strips.cc: a loop in strips of some thousand iterations, so that what is looked at before a strip
// takes effect in the middle of a long loop:
//
//      for (i = 0; i < n; i++)            left = latches the loop has still to take
//              body                       do {
//                                                 k = MIN (left, STRIP - 1)
//                                                 do body; while (k times)
//                                                 left -= k + 1
//                                         } while (the strip was not the last)
//
// The inner loop is the loop as it was with another end, a counter that begins at 0, so all that
// could be vectorised still can. One thing is lost with the loop's own end: that its variables
// don't wrap. That matters where an unsigned index is narrower than an address, so such an index
// gets a wide companion first, while it can be proved.
//
// A loop whose iterations can't be counted before it begins (a search, a list) is left by a counter
// at its latch. GCC does not vectorise such loops, and the counter is cheaper than a marker.

#include "gcc-plugin/passes/loops.h"

#define STRIP 8192

namespace
{

// How the loop's end is counted.
struct counted {
	edge exit;
	tree latches; // how often the latch is taken, an expression of what is known before the loop
};

class strip_mine
{
public:
	explicit strip_mine (class loop *loop) : m_loop (loop)
	{
	}
	void by_count (const counted &how);
	void by_latch ();

private:
	class loop *m_loop;
	basic_block m_outer;  // the outer loop's header
	basic_block m_before; // its only successor, the strip's preheader
	basic_block m_again;  // the outer loop's latch
	basic_block m_after;  // where the strip's loop is left for it
	hash_map<tree, tree> m_closed;

	void outer_blocks ();
	basic_block block_after (basic_block bb);
	tree closed (tree value);
	gphi *outer_phi (tree result, tree init, tree next, location_t loc);
	void carry ();
};

} // namespace

// ---- statements

static tree append (gimple_seq *seq, tree type, enum tree_code code, tree a, tree b)
{
	tree name = make_ssa_name (type);
	gimple_seq_add_stmt (seq, gimple_build_assign (name, code, a, b));
	return name;
}

static void append_to (basic_block bb, gimple_seq seq)
{
	gimple_stmt_iterator gsi = gsi_last_bb (bb);
	gsi_insert_seq_after (&gsi, seq, GSI_NEW_STMT);
}

// EXPR as a value that is there on E.
static tree on_edge (edge e, tree expr)
{
	gimple_seq seq = NULL;
	tree value = force_gimple_operand (unshare_expr (expr), &seq, true, NULL_TREE);
	if (seq)
		gsi_insert_seq_on_edge_immediate (e, seq);
	return value;
}

// ---- the outer loop

void strip_mine::outer_blocks ()
{
	m_outer = split_edge (loop_preheader_edge (m_loop));
	m_before = split_edge (single_succ_edge (m_outer));
}

basic_block strip_mine::block_after (basic_block bb)
{
	basic_block fresh = create_empty_bb (bb);
	add_bb_to_loop (fresh, loop_outer (m_loop)); // until the loops are found anew
	return fresh;
}

// What is known of OLD's pointer holds for COPY, whose values are among those of OLD.
static tree copy_of (tree old)
{
	tree copy = copy_ssa_name (old);
	if (POINTER_TYPE_P (TREE_TYPE (old)) && SSA_NAME_PTR_INFO (old))
		duplicate_ssa_name_ptr_info (copy, SSA_NAME_PTR_INFO (old));
	return copy;
}

// VALUE of the end of an iteration, as it is named outside the strip's loop.
tree strip_mine::closed (tree value)
{
	if (TREE_CODE (value) != SSA_NAME || SSA_NAME_IS_DEFAULT_DEF (value) ||
	    !flow_bb_inside_loop_p (m_loop, gimple_bb (SSA_NAME_DEF_STMT (value))))
		return value;
	tree &name = m_closed.get_or_insert (value);
	if (!name) {
		name = copy_of (value);
		gphi *phi = create_phi_node (name, m_after);
		add_phi_arg (phi, value, single_pred_edge (m_after), UNKNOWN_LOCATION);
	}
	return name;
}

// RESULT is INIT in the first strip and NEXT in the following.
gphi *strip_mine::outer_phi (tree result, tree init, tree next, location_t loc)
{
	gphi *phi = create_phi_node (result, m_outer);
	edge back = find_edge (m_again, m_outer), e;
	edge_iterator i;
	FOR_EACH_EDGE (e, i, m_outer->preds)
	add_phi_arg (phi, e == back ? next : init, e, loc);
	return phi;
}

// All that the loop carries from one iteration to the next is carried from strip to strip.
void strip_mine::carry ()
{
	edge entry = single_succ_edge (m_before), latch = loop_latch_edge (m_loop);
	for (gphi_iterator i = gsi_start_phis (m_loop->header); !gsi_end_p (i); gsi_next (&i)) {
		gphi *phi = i.phi ();
		tree init = PHI_ARG_DEF_FROM_EDGE (phi, entry);
		tree next = closed (PHI_ARG_DEF_FROM_EDGE (phi, latch));
		tree name = copy_of (gimple_phi_result (phi));
		outer_phi (name, init, next, gimple_phi_arg_location_from_edge (phi, entry));
		SET_USE (PHI_ARG_DEF_PTR_FROM_EDGE (phi, entry), name);
	}
}

// ---- loops that can be counted

// How many iterations a strip has, less one. A constant number of iterations is divided without a
// rest where that is possible: then the strips too have a constant number.
static unsigned HOST_WIDE_INT strip_latches (tree latches)
{
	if (!tree_fits_uhwi_p (latches))
		return STRIP - 1;
	unsigned HOST_WIDE_INT iterations = tree_to_uhwi (latches) + 1, best = 0, best_twos = 0;
	for (unsigned HOST_WIDE_INT n = STRIP; n >= STRIP / 8; n--) {
		unsigned HOST_WIDE_INT twos = MIN (n & -n, 64);
		if (iterations % n == 0 && twos > best_twos) {
			best = n;
			best_twos = twos;
		}
	}
	return (best ? best : STRIP) - 1;
}

void strip_mine::by_count (const counted &how)
{
	tree type = TREE_TYPE (how.latches), zero = build_zero_cst (type),
	     one = build_one_cst (type);
	tree all = on_edge (loop_preheader_edge (m_loop), how.latches);
	unsigned HOST_WIDE_INT most = strip_latches (all);
	bool even = tree_fits_uhwi_p (all) && (tree_to_uhwi (all) + 1) % (most + 1) == 0;
	gcond *test = as_a<gcond *> (last_stmt (how.exit->src));

	outer_blocks ();
	m_after = split_edge (how.exit);
	edge done = single_succ_edge (m_after);
	m_again = block_after (m_after);
	edge again = make_edge (m_after, m_again, EDGE_FALSE_VALUE);
	again->probability = profile_probability::unlikely ();
	done->flags = (done->flags & ~EDGE_FALLTHRU) | EDGE_TRUE_VALUE;
	done->probability = again->probability.invert ();
	m_again->count = again->count ();
	make_single_succ_edge (m_again, m_outer, EDGE_FALLTHRU);
	carry ();

	// before a strip
	gimple_seq seq = NULL;
	tree left = make_ssa_name (type), left_next = make_ssa_name (type);
	outer_phi (left, all, left_next, UNKNOWN_LOCATION);
	tree bound = build_int_cstu (type, most);
	tree k = even ? bound : append (&seq, type, MIN_EXPR, left, bound);
	append_to (m_outer, seq);

	// in it
	gphi *phi = create_phi_node (make_ssa_name (type), m_loop->header);
	seq = NULL;
	tree following = append (&seq, type, PLUS_EXPR, gimple_phi_result (phi), one);
	gimple_stmt_iterator gsi = gsi_for_stmt (test);
	gsi_insert_seq_before (&gsi, seq, GSI_SAME_STMT);
	add_phi_arg (phi, zero, single_succ_edge (m_before), UNKNOWN_LOCATION);
	add_phi_arg (phi, following, loop_latch_edge (m_loop), UNKNOWN_LOCATION);
	bool leaves = single_pred_edge (m_after)->flags & EDGE_TRUE_VALUE;
	gimple_cond_set_condition (test, leaves ? EQ_EXPR : NE_EXPR, gimple_phi_result (phi), k);
	update_stmt (test);

	// behind it
	seq = NULL;
	gimple_seq_add_stmt (&seq, gimple_build_cond (EQ_EXPR, left, k, NULL_TREE, NULL_TREE));
	append_to (m_after, seq);
	seq = NULL;
	tree rest = append (&seq, type, MINUS_EXPR, left, k);
	gimple_seq_add_stmt (&seq, gimple_build_assign (left_next, MINUS_EXPR, rest, one));
	append_to (m_again, seq);

	// the exit's own values, now of the strip's loop and of the outer one
	for (gphi_iterator i = gsi_start_phis (done->dest); !gsi_end_p (i); gsi_next (&i)) {
		use_operand_p use = PHI_ARG_DEF_PTR_FROM_EDGE (i.phi (), done);
		SET_USE (use, closed (USE_FROM_PTR (use)));
	}
	record_niter_bound (m_loop, most, false, true);
}

// ---- indices that are narrower than an address

namespace
{

class widener
{
public:
	explicit widener (class loop *loop) : m_loop (loop)
	{
	}
	void all ();

private:
	class loop *m_loop;
	hash_map<tree, tree> m_wide;

	tree wide (tree name, gimple *at);
	tree companion (tree name, const affine_iv &iv);
	void reference (gimple *stmt, tree ref);
};

} // namespace

// A variable of the loop that is always what NAME, which goes by IV and does not wrap, is in the
// width of an address.
tree widener::companion (tree name, const affine_iv &iv)
{
	tree type = sizetype;
	tree base = on_edge (loop_preheader_edge (m_loop),
			     fold_convert (type, fold_convert (TREE_TYPE (name), iv.base)));
	wide_int step = wide_int::from (wi::to_wide (iv.step), TYPE_PRECISION (type),
					SIGNED); // down where unsigned too
	gphi *phi = create_phi_node (make_ssa_name (type), m_loop->header);
	gimple_seq seq = NULL;
	tree next = append (&seq, type, PLUS_EXPR, gimple_phi_result (phi),
			    wide_int_to_tree (type, step));
	gimple_stmt_iterator gsi = gsi_after_labels (m_loop->header);
	gsi_insert_seq_before (&gsi, seq, GSI_SAME_STMT);
	add_phi_arg (phi, base, loop_preheader_edge (m_loop), UNKNOWN_LOCATION);
	add_phi_arg (phi, next, loop_latch_edge (m_loop), UNKNOWN_LOCATION);
	return gimple_phi_result (phi);
}

// NAME, used by AT, in the width of an address; NULL_TREE where that is not needed or can't be had.
tree widener::wide (tree name, gimple *at)
{
	tree type = TREE_TYPE (name);
	affine_iv iv;
	if (TREE_CODE (name) != SSA_NAME || !INTEGRAL_TYPE_P (type) ||
	    TYPE_OVERFLOW_UNDEFINED (type) || TYPE_PRECISION (type) >= TYPE_PRECISION (sizetype) ||
	    !simple_iv (m_loop, m_loop, name, &iv, false) || TREE_CODE (iv.step) != INTEGER_CST ||
	    integer_zerop (iv.step) ||
	    scev_probably_wraps_p (NULL_TREE, iv.base, iv.step, at, m_loop,
				   false)) // may be known only where AT is
		return NULL_TREE;
	tree &fresh = m_wide.get_or_insert (name);
	if (!fresh)
		fresh = companion (name, iv);
	return fresh;
}

// The indices in REF, an operand of STMT.
void widener::reference (gimple *stmt, tree ref)
{
	if (TREE_CODE (ref) == ADDR_EXPR)
		ref = TREE_OPERAND (ref, 0);
	for (; handled_component_p (ref); ref = TREE_OPERAND (ref, 0)) {
		tree name = TREE_CODE (ref) == ARRAY_REF ? wide (TREE_OPERAND (ref, 1), stmt)
							 : NULL_TREE;
		if (name) {
			TREE_OPERAND (ref, 1) = name;
			gimple_set_modified (stmt, true);
		}
	}
}

void widener::all ()
{
	basic_block *body = get_loop_body (m_loop);
	for (unsigned i = 0; i < m_loop->num_nodes; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb (body[i]); !gsi_end_p (gsi);
		     gsi_next (&gsi)) {
			gimple *stmt = gsi_stmt (gsi);
			if (!is_gimple_assign (stmt))
				continue;
			tree from = gimple_assign_rhs1 (stmt),
			     to = TREE_TYPE (gimple_assign_lhs (stmt));
			if (gimple_assign_single_p (stmt)) {
				reference (stmt, gimple_assign_lhs (stmt));
				reference (stmt, from);
			} else if (CONVERT_EXPR_CODE_P (gimple_assign_rhs_code (stmt)) &&
				   INTEGRAL_TYPE_P (to) &&
				   TYPE_PRECISION (to) == TYPE_PRECISION (sizetype))
				if (tree name = wide (from, stmt)) {
					gimple_assign_set_rhs1 (stmt, name);
					gimple_set_modified (stmt, true);
				}
			update_stmt_if_modified (stmt);
		}
	free (body);
}

// ---- loops that can't

void strip_mine::by_latch ()
{
	tree type = unsigned_type_node;
	outer_blocks ();
	basic_block latch = m_loop->latch;
	split_edge (loop_latch_edge (m_loop)); // the latch from now on
	edge on = single_succ_edge (latch);
	on->flags = (on->flags & ~EDGE_FALLTHRU) | EDGE_TRUE_VALUE;
	on->probability = profile_probability::very_likely ();
	m_again = m_after = block_after (latch);
	edge off = make_edge (latch, m_after, EDGE_FALSE_VALUE);
	off->probability = on->probability.invert ();
	m_after->count = off->count ();
	make_single_succ_edge (m_after, m_outer, EDGE_FALLTHRU);
	carry ();

	gphi *phi = create_phi_node (make_ssa_name (type), m_loop->header);
	gimple_seq seq = NULL;
	tree following =
		append (&seq, type, PLUS_EXPR, gimple_phi_result (phi), build_one_cst (type));
	gimple_seq_add_stmt (&seq,
			     gimple_build_cond (NE_EXPR, following, build_int_cst (type, STRIP),
						NULL_TREE, NULL_TREE));
	append_to (latch, seq);
	add_phi_arg (phi, build_zero_cst (type), single_succ_edge (m_before), UNKNOWN_LOCATION);
	add_phi_arg (phi, following, loop_latch_edge (m_loop), UNKNOWN_LOCATION);
}

// ---- which

// Whether LOOP ends in one place only, right before an empty latch, and GCC can say when; then
// fills DESC in.
static bool known_end (class loop *loop, tree_niter_desc *desc)
{
	edge exit = single_exit (loop);
	return exit && empty_block_p (loop->latch) && single_pred_p (loop->latch) &&
	       single_pred (loop->latch) == exit->src &&
	       gimple_seq_empty_p (phi_nodes (loop->latch)) &&
	       safe_dyn_cast<gcond *> (last_stmt (exit->src)) &&
	       number_of_iterations_exit_assumptions (loop, exit, desc, NULL);
}

static bool count_loop (class loop *loop, counted &how)
{
	tree_niter_desc desc;
	if (!known_end (loop, &desc) || !integer_nonzerop (desc.assumptions))
		return false;
	how.exit = single_exit (loop);
	how.latches = desc.niter;
	if (!integer_zerop (desc.may_be_zero))
		how.latches = fold_build3 (
			COND_EXPR, TREE_TYPE (desc.niter), unshare_expr (desc.may_be_zero),
			build_zero_cst (TREE_TYPE (desc.niter)), unshare_expr (desc.niter));
	return true;
}

static bool short_loop (class loop *loop)
{
	HOST_WIDE_INT most = max_loop_iterations_int (loop);
	return loop->simduid || (most >= 0 && most < STRIP);
}

tree ppgcc_strip_condition (class loop *loop)
{
	tree_niter_desc desc;
	if (short_loop (loop) || !known_end (loop, &desc) ||
	    TREE_CODE (desc.assumptions) == INTEGER_CST)
		return NULL_TREE;
	return desc.assumptions;
}

int ppgcc_strip (class loop *loop)
{
	if (short_loop (loop))
		return 0;
	counted how;
	strip_mine mine (loop);
	if (count_loop (loop, how)) {
		widener (loop).all ();
		mine.by_count (how);
	} else
		mine.by_latch ();
	return STRIP;
}
