// SPDX-License-Identifier: GPL-3.0-or-later
//
// fence.cc: "fence": what an interval does stays inside.
//
// The clobber of memory at a fenced marker keeps accesses to memory in order. What is computed in
// registers does not heed it: so every local variable that comes in from outside passes through an
// empty asm behind the begin, and every one that goes out passes through one before the end.
// Volatile asms keep their order, markers among them: what needs such a variable, or makes it,
// can't leave.
//
//     begin                          begin; asm ("" : "+x" (a)); asm ("" : "+x" (b))
//     r = a / b                      r = a / b
//     end                            asm ("" : "+x" (r)); end
//
// The pass works before SSA form, so a variable is still a variable.

#include "gcc-plugin/markers/note.h"
#include "gcc-plugin/passes/truth.h"
#include "pp_abi.h"

#include <gimple-walk.h>

namespace
{

// Who reads and writes a variable.
struct traffic {
	bool in_read = false, in_write = false, out_read = false, out_write = false;
};

class fence
{
public:
	fence (gimple *begin, tree site, hash_set<gimple *> &inside)
		: m_begin (begin), m_site (site), m_inside (inside)
	{
	}

	void build (function *fun)
	{
		for (tree parm = DECL_ARGUMENTS (fun->decl); parm; parm = DECL_CHAIN (parm))
			note (parm, true, false);
		walk (fun);
		gimple_seq seq = NULL;
		for (tree var : m_order)
			if (m_traffic.get (var)->in_read && m_traffic.get (var)->out_write)
				gimple_seq_add_stmt (&seq, pass_through (var, m_begin));
		gimple_stmt_iterator gsi = gsi_for_stmt (m_begin);
		if (!stmt_ends_bb_p (m_begin))
			gsi_insert_seq_after (&gsi, seq, GSI_NEW_STMT);
		else {
			gsi = gsi_after_labels (behind_test (gimple_bb (m_begin)));
			gsi_insert_seq_before (&gsi, seq, GSI_SAME_STMT);
		}
		for (gimple *end : m_ends) {
			gsi = gsi_for_stmt (end);
			for (tree var : m_order)
				if (m_traffic.get (var)->in_write && m_traffic.get (var)->out_read)
					gsi_insert_before (&gsi, pass_through (var, end),
							   GSI_SAME_STMT);
		}
	}

private:
	gimple *m_begin;
	tree m_site;
	hash_set<gimple *> &m_inside;
	auto_vec<gimple *> m_ends;
	auto_vec<tree> m_order;
	hash_map<tree, traffic> m_traffic;
	bool m_now_inside = false;

	// Where the way past the cold block of a begin that ends BB meets the way through it:
	// markers/cold.cc.
	static basic_block behind_test (basic_block bb)
	{
		basic_block way = find_fallthru_edge (bb->succs)->dest;
		return single_succ_p (way) ? single_succ (way) : way;
	}

	void note (tree var, bool write, bool inside)
	{
		if (!ppgcc_register_constraint (TREE_TYPE (var)) || !is_gimple_reg (var) ||
		    TREE_THIS_VOLATILE (var) || (VAR_P (var) && DECL_HARD_REGISTER (var)))
			return;
		bool known;
		traffic &t = m_traffic.get_or_insert (var, &known);
		if (!known)
			m_order.safe_push (var);
		(inside ? write ? t.in_write : t.in_read : write ? t.out_write : t.out_read) = true;
	}

	static tree operand (tree *at, int *subtrees, void *data)
	{
		walk_stmt_info *info = static_cast<walk_stmt_info *> (data);
		fence *self = static_cast<fence *> (info->info);
		if (VAR_P (*at) || TREE_CODE (*at) == PARM_DECL || TREE_CODE (*at) == RESULT_DECL)
			self->note (*at, info->is_lhs, self->m_now_inside);
		info->is_lhs = false; // what a reference is made of is read
		if (TYPE_P (*at) || DECL_P (*at))
			*subtrees = 0;
		return NULL_TREE;
	}

	void walk (function *fun)
	{
		basic_block bb;
		FOR_EACH_BB_FN (bb, fun)
		for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
		     gsi_next (&gsi)) {
			gimple *stmt = gsi_stmt (gsi);
			int op;
			if (ppgcc_marker_site (stmt, &op) == m_site && op == PP_ABI_END)
				m_ends.safe_push (stmt);
			if (is_gimple_debug (stmt) || gimple_clobber_p (stmt))
				continue;
			walk_stmt_info info;
			memset (&info, 0, sizeof (info));
			info.info = this;
			m_now_inside = m_inside.contains (stmt);
			walk_gimple_op (stmt, operand, &info);
		}
	}

	static gasm *pass_through (tree var, gimple *at)
	{
		vec<tree, va_gc> *in = NULL, *out = NULL;
		std::string constraint =
			std::string ("=") + ppgcc_register_constraint (TREE_TYPE (var));
		vec_safe_push (
			out, build_tree_list (build_tree_list (NULL_TREE,
							       build_string (constraint.size (),
									     constraint.c_str ())),
					      var));
		vec_safe_push (
			in,
			build_tree_list (build_tree_list (NULL_TREE, build_string (1, "0")), var));
		gasm *stmt = gimple_build_asm_vec ("", in, out, NULL, NULL);
		gimple_asm_set_volatile (stmt, true);
		gimple_asm_set_inline (stmt, true);
		gimple_set_location (stmt, gimple_location (at));
		gimple_set_block (stmt, gimple_block (at));
		ppgcc_no_warnings (stmt); // the variable may have no value yet
		return stmt;
	}
};

} // namespace

void ppgcc_fence_interval (function *fun, gimple *begin, tree site, hash_set<gimple *> &inside)
{
	fence (begin, site, inside).build (fun);
}
