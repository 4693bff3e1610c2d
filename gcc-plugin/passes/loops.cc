// SPDX-License-Identifier: GPL-3.0-or-later
//
// loops.cc: a clean copy of each loop that has markers, beside the instrumented one.
//
// A marker in a loop costs more than its NOP: the loop can't be vectorised, for an asm statement
// can't. So an innermost loop that calls nothing is copied, the markers are taken out of one copy,
// and a test before the loop chooses:
//
//      for (i = 0; i < n; i++) {          if (the enabled words of the loop's sites, or-ed)
//              begin                              the loop as it was
//              y[i] += a * x[i]           else
//              end                                the loop without markers
//      }
//
// The runtime keeps these words for guard markers anyway, in the order that is needed here too: the
// ends of a site are enabled before its word, its begins after (batch.c). Long loops run in strips
// (strips.cc), each of which chooses anew.
//
// With -fplugin-arg-ppgcc-calls markers are everywhere, in every loop with a call that is inlined,
// and it is meant for counting: a loop with no others is not copied, unless copies are asked for.
// They would be half of what the option costs the compiler.
//
// The pass runs where GCC's own loop passes begin: after inlining, before unswitching,
// if-conversion, vectorisation. The original becomes the clean copy, since not all that GCC knows
// of a loop is copied.

#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/note.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/markers/words.h"
#include "gcc-plugin/passes/loops.h"
#include "pp_abi.h"

// Loops with more statements than this gain little.
#define STATEMENTS_MAX 500
#define SITES_MAX 16

// ---- what is in a loop

// The variable of the site that STMT is a marker of.
static tree marker_site (gimple *stmt)
{
	gasm *text = dyn_cast<gasm *> (stmt);
	if (!text)
		return NULL_TREE;
	tree address = TREE_VALUE (gimple_asm_input_op (text, 0));
	return TREE_CODE (address) == ADDR_EXPR ? TREE_OPERAND (address, 0) : NULL_TREE;
}

static bool clobbers_memory (gasm *text)
{
	for (unsigned i = 0; i < gimple_asm_nclobbers (text); i++)
		if (!strcmp (TREE_STRING_POINTER (TREE_VALUE (gimple_asm_clobber_op (text, i))),
			     "memory"))
			return true;
	return false;
}

// Whether a loop with this call is worth a copy: where it stays a call, a marker beside it costs
// nothing.
static bool light_call (gimple *stmt)
{
	if (gimple_call_internal_p (stmt) || (gimple_call_flags (stmt) & (ECF_CONST | ECF_PURE)))
		return true;
	tree fn = gimple_call_fndecl (stmt);
	return fn && fndecl_built_in_p (fn, BUILT_IN_NORMAL) &&
	       (is_inexpensive_builtin (fn) || SCALAR_FLOAT_TYPE_P (TREE_TYPE (TREE_TYPE (fn))));
}

namespace
{

// A loop with markers, and what of it matters.
class marked_loop
{
public:
	explicit marked_loop (class loop *loop) : m_loop (loop)
	{
	}
	// Whether it can be copied and should.
	bool eligible ();
	void copy ();

private:
	class loop *m_loop;
	auto_vec<tree> m_sites;
	bool m_asked_for = false; // not only -calls put a site there
	location_t m_where = UNKNOWN_LOCATION;

	bool ordinary_blocks ();
	bool hot_statements ();
	bool look_at (gimple *stmt);
	void add_site (tree site);
	void make_countable ();
	tree load_enabled (edge e);
	void tell (unsigned size, int strip);
};

} // namespace

void marked_loop::add_site (tree site)
{
	if (!m_sites.contains (site))
		m_sites.safe_push (site);
	m_asked_for |= ppgcc_opts.loop_copies == ppgcc_options::LOOP_COPIES_ON ||
		       !lookup_attribute (PPGCC_OF_CALLS_ATTRIBUTE, DECL_ATTRIBUTES (site));
}

// False where STMT is a reason to leave the loop alone.
bool marked_loop::look_at (gimple *stmt)
{
	if (is_gimple_debug (stmt))
		return true;
	tree site = ppgcc_enabled_site (stmt);
	gasm *text = dyn_cast<gasm *> (stmt);
	if (!site && text && ppgcc_marker_p (stmt)) {
		site = marker_site (stmt);
		if (!site || clobbers_memory (text)) // a fence asks for strict order
			return false;
	} else if (!site)
		return !text && (!is_gimple_call (stmt) || light_call (stmt));
	if (m_where == UNKNOWN_LOCATION)
		m_where = gimple_location (stmt);
	add_site (site);
	return true;
}

// Looks at the loop as it is while nothing is bound.
bool marked_loop::hot_statements ()
{
	auto_vec<basic_block> work;
	hash_set<basic_block> seen;
	seen.add (m_loop->header);
	work.safe_push (m_loop->header);
	while (!work.is_empty ()) {
		basic_block bb = work.pop ();
		for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
		     gsi_next (&gsi))
			if (!look_at (gsi_stmt (gsi)))
				return false;
		edge e;
		edge_iterator i;
		FOR_EACH_EDGE (e, i, bb->succs)
		if (flow_bb_inside_loop_p (m_loop, e->dest) && !ppgcc_cold_edge (e) &&
		    !seen.add (e->dest))
			work.safe_push (e->dest);
	}
	return m_asked_for && m_sites.length () <= SITES_MAX;
}

bool marked_loop::ordinary_blocks ()
{
	basic_block *body = get_loop_body (m_loop);
	bool ordinary = true;
	for (unsigned n = 0; n < m_loop->num_nodes; n++) {
		edge e;
		edge_iterator i;
		ordinary &= !(body[n]->flags & BB_IRREDUCIBLE_LOOP);
		FOR_EACH_EDGE (e, i, body[n]->succs)
		ordinary &= !(e->flags & EDGE_COMPLEX);
		FOR_EACH_EDGE (e, i, body[n]->preds)
		ordinary &= !(e->flags & EDGE_COMPLEX);
	}
	free (body);
	for (gphi_iterator i = gsi_start_phis (m_loop->header); !gsi_end_p (i); gsi_next (&i))
		ordinary &= !SSA_NAME_OCCURS_IN_ABNORMAL_PHI (gimple_phi_result (i.phi ()));
	return ordinary;
}

bool marked_loop::eligible ()
{
	return optimize_loop_for_speed_p (m_loop) && hot_statements () && ordinary_blocks () &&
	       can_duplicate_loop_p (m_loop) &&
	       tree_num_loop_insns (m_loop, &eni_size_weights) <= STATEMENTS_MAX;
}

// ---- the clean copy

// STMT computes what is no longer used.
static void remove_statement (gimple_stmt_iterator *gsi, bitmap unused)
{
	gimple *stmt = gsi_stmt (*gsi);
	use_operand_p use;
	ssa_op_iter i;
	FOR_EACH_SSA_USE_OPERAND (use, stmt, i, SSA_OP_USE)
	bitmap_set_bit (unused, SSA_NAME_VERSION (USE_FROM_PTR (use)));
	unlink_stmt_vdef (stmt);
	gsi_remove (gsi, true);
	release_defs (stmt);
}

// The asm goto STMT at the end of its block, and what only it leads to.
static void remove_jump (gimple_stmt_iterator *gsi, bitmap unused)
{
	basic_block bb = gimple_bb (gsi_stmt (*gsi));
	remove_statement (gsi, unused);
	for (unsigned i = EDGE_COUNT (bb->succs); i-- > 0;)
		if (!(EDGE_SUCC (bb, i)->flags & EDGE_FALLTHRU))
			remove_edge_and_dominated_blocks (EDGE_SUCC (bb, i));
	single_succ_edge (bb)->probability = profile_probability::always ();
}

static void clean_block (basic_block bb, auto_vec<gimple *> &jumps, bitmap unused)
{
	for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);) {
		gimple *stmt = gsi_stmt (gsi);
		gasm *text = dyn_cast<gasm *> (stmt);
		if (text && ppgcc_marker_p (stmt)) {
			if (gimple_asm_nlabels (text) == 0) {
				remove_statement (&gsi, unused);
				continue;
			}
			jumps.safe_push (stmt);
		} else if (ppgcc_enabled_site (stmt)) {
			tree word = gimple_get_lhs (stmt);
			if (word)
				replace_uses_by (word, build_zero_cst (TREE_TYPE (word)));
			remove_statement (&gsi, unused);
			continue;
		}
		gsi_next (&gsi);
	}
}

static void clean (class loop *loop)
{
	auto_vec<gimple *> jumps;
	auto_bitmap unused;
	basic_block *body = get_loop_body (loop);
	for (unsigned i = 0; i < loop->num_nodes; i++)
		clean_block (body[i], jumps, unused);
	free (body);
	for (gimple *stmt : jumps) {
		gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
		remove_jump (&gsi, unused);
	}
	simple_dce_from_worklist (unused);
}

// ---- the instrumented copy

// A child of BLOCK. gdb takes one place for each line and lexical block: without blocks of their
// own the statements of one copy would get no breakpoint. gdb drops blocks without variables, and
// GCC those whose variables have no names.
static tree own_block (tree block, hash_map<tree, tree> &own)
{
	tree &child = own.get_or_insert (block);
	if (child)
		return child;
	child = make_node (BLOCK);
	TREE_USED (child) = 1;
	BLOCK_SUPERCONTEXT (child) = block;
	BLOCK_CHAIN (child) = BLOCK_SUBBLOCKS (block);
	BLOCK_SUBBLOCKS (block) = child;
	tree var = build_decl (DECL_SOURCE_LOCATION (current_function_decl), VAR_DECL,
			       get_identifier ("pp_instrumented_copy"), integer_type_node);
	DECL_CONTEXT (var) = current_function_decl;
	TREE_USED (var) = DECL_ARTIFICIAL (var) = 1;
	BLOCK_VARS (child) = var;
	return child;
}

// Tells the record of the marker STMT where it is.
static void flag_marker (gasm *stmt)
{
	ppgcc_note note = ppgcc_note_read (gimple_asm_string (stmt));
	note.flags |= PP_ABI_MARKER_LOOP;
	stmt->string = ggc_strdup (ppgcc_note_write (note).c_str ());
}

static void instrument (class loop *loop)
{
	hash_map<tree, tree> own;
	basic_block *body = get_loop_body (loop);
	for (unsigned i = 0; i < loop->num_nodes; i++)
		for (gimple_stmt_iterator gsi = gsi_start_bb (body[i]); !gsi_end_p (gsi);
		     gsi_next (&gsi)) {
			gimple *stmt = gsi_stmt (gsi);
			gasm *text = dyn_cast<gasm *> (stmt);
			if (text && ppgcc_marker_p (stmt))
				flag_marker (text);
			if (gimple_block (stmt) && !gimple_debug_inline_entry_p (stmt))
				gimple_set_block (stmt, own_block (gimple_block (stmt), own));
		}
	free (body);
	loop->dont_vectorize = true;
	loop->force_vectorize = false;
	loop->simduid = NULL_TREE;
	loop->unroll = 1; // every copy of a marker is a record
}

// ---- both

// Not 0 where one of the sites is enabled, as read on E.
tree marked_loop::load_enabled (edge e)
{
	gimple_seq seq = NULL;
	tree any = NULL_TREE;
	for (tree site : m_sites) {
		tree word = ppgcc_enabled_load (&seq, site);
		if (!any) {
			any = word;
			continue;
		}
		tree both = make_ssa_name (TREE_TYPE (word));
		gimple_seq_add_stmt (&seq, gimple_build_assign (both, BIT_IOR_EXPR, any, word));
		any = both;
	}
	gsi_insert_seq_on_edge_immediate (e, seq);
	return any;
}

void marked_loop::tell (unsigned size, int strip)
{
	if (dump_enabled_p ())
		dump_printf_loc (MSG_OPTIMIZED_LOCATIONS,
				 dump_user_location_t::from_location_t (m_where),
				 "loop with markers copied: %u statements more\n", size);
	if (!ppgcc_opts.verbose)
		return;
	if (strip)
		inform (m_where,
			"this loop is copied (%u statements more): the copy without markers runs "
			"while nothing in it is bound, chosen every %d iterations",
			size, strip);
	else
		inform (m_where,
			"this loop is copied (%u statements more): the copy without markers runs "
			"while nothing in it is bound",
			size);
}

// LOOP is run if CONDITION holds before it, else the copy that is returned; NULL where it can't be
// copied.
static class loop *version (class loop *loop, tree condition)
{
	profile_probability likely = profile_probability::very_likely (), rarely = likely.invert ();
	basic_block chosen;
	initialize_original_copy_tables ();
	class loop *fresh =
		loop_version (loop, condition, &chosen, likely, rarely, likely, rarely, true);
	free_original_copy_tables ();
	update_ssa (TODO_update_ssa);
	return fresh;
}

static void forget_iterations ()
{
	free_numbers_of_iterations_estimates (cfun);
	scev_reset ();
}

// Where iterations can be counted only if something holds before the loop (a variable won't wrap, a
// difference of addresses is a multiple of the step), the loop is that of this case. The other one,
// which hardly ever runs, keeps its markers.
void marked_loop::make_countable ()
{
	tree condition = ppgcc_strip_condition (m_loop);
	if (!condition)
		return;
	gimple_seq seq = NULL;
	tree holds = force_gimple_operand (unshare_expr (condition), &seq, true, NULL_TREE);
	if (seq)
		gsi_insert_seq_on_edge_immediate (loop_preheader_edge (m_loop), seq);
	if (version (m_loop, build2 (NE_EXPR, boolean_type_node, holds,
				     build_zero_cst (TREE_TYPE (holds)))))
		loop_constraint_set (m_loop, LOOP_C_FINITE);
	forget_iterations ();
}

void marked_loop::copy ()
{
	unsigned size = tree_num_loop_insns (m_loop, &eni_size_weights);
	make_countable ();
	int strip = ppgcc_strip (m_loop);
	if (strip) {
		free_dominance_info (CDI_DOMINATORS);
		calculate_dominance_info (CDI_DOMINATORS);
		loops_state_set (LOOPS_NEED_FIXUP);
		fix_loop_structure (NULL);
	}
	tree any = load_enabled (loop_preheader_edge (m_loop));
	tree none = build2 (EQ_EXPR, boolean_type_node, any, build_zero_cst (TREE_TYPE (any)));
	if (class loop *fresh = version (m_loop, none)) {
		tell (size, strip);
		clean (m_loop);
		instrument (fresh);
	}
	forget_iterations ();
}

namespace
{

const pass_data data = {GIMPLE_PASS, "pploops", OPTGROUP_LOOP, TV_NONE, PROP_cfg | PROP_ssa, 0, 0,
			0,           0};

class loops_pass : public ppgcc_pass<gimple_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	bool gate (function *) final override
	{
		return optimize >= 2 && ppgcc_opts.loop_copies != ppgcc_options::NO_LOOP_COPIES &&
		       ppgcc_may_have_markers ();
	}

	unsigned execute (function *fun) final override
	{
		auto_vec<class loop *> innermost;
		bool any = false;
		for (unsigned i = 1; i < number_of_loops (fun); i++) {
			class loop *loop = get_loop (fun, i);
			if (loop && loop->header && !loop->inner)
				innermost.safe_push (loop);
		}
		for (class loop *loop : innermost) {
			marked_loop marked (loop);
			if (!marked.eligible ())
				continue;
			marked.copy ();
			any = true;
		}
		return any ? TODO_cleanup_cfg : 0;
	}
};

} // namespace

void ppgcc_loops_register (const char *plugin)
{
	ppgcc_add_pass (plugin, new loops_pass (data), PASS_POS_INSERT_AFTER, "loopinit");
}
