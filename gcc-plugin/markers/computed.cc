// SPDX-License-Identifier: GPL-3.0-or-later
//
// computed.cc: an interval's end where GCC runs no cleanup: a computed goto, __builtin_return, an
// asm goto.
//
// The first is the difficult one: it can't know where "goto *p" goes. Which labels it may go to is
// known, however: those of the function whose address is taken. This pass, while blocks are still
// nested, puts a copy of the end before the goto where all of them are outside the interval, and
// one that asks for the target where some are. __builtin_return leaves them all. An asm goto can't
// be given an end of its own; it is an error.

#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/markers/lowering.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/site.h"
#include "pp_abi.h"

namespace
{

const pass_data data = {
	GIMPLE_PASS, "ppcomputed", OPTGROUP_NONE, TV_NONE, PROP_gimple_lcf, 0, 0, 0, 0};

// An interval, and the one around it.
struct interval {
	gimple *end;
	gimple_seq whole; // END and what it needs; an end marker alone needs nothing
	const interval *outer;
};

struct place {
	tree label; // or, of a goto:
	gimple *stmt;
	gimple_stmt_iterator at;
	const interval *inside;
};

class computed_pass : public ppgcc_pass<gimple_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	unsigned execute (function *fun) final override
	{
		gimple_seq body = gimple_body (fun->decl);
		walk (&body, NULL);
		for (place &jump : m_gotos)
			leave (jump);
		for (place &jump : m_returns)
			for (const interval *one = jump.inside; one; one = one->outer)
				gsi_insert_seq_before (&jump.at, end (one, jump), GSI_SAME_STMT);
		for (place &jump : m_asms)
			check_asm (jump);
		gimple_set_body (fun->decl, body);
		for (interval *one : m_intervals)
			delete one;
		for (auto_vec<place> *list :
		     {&m_gotos, &m_labels, &m_other_labels, &m_returns, &m_asms})
			list->truncate (0);
		m_intervals.truncate (0);
		return 0;
	}

private:
	auto_vec<place> m_gotos, m_labels; // computed, and what they may go to
	auto_vec<place> m_returns, m_asms, m_other_labels;
	auto_vec<interval *> m_intervals;

	// SEQ is where the sequence hangs: the iterators that are kept change it where they put
	// something first.
	void walk (gimple_seq *seq, const interval *inside)
	{
		for (gimple_stmt_iterator gsi = gsi_start (*seq); !gsi_end_p (gsi); gsi_next (&gsi))
			visit (gsi, inside);
	}

	void visit (gimple_stmt_iterator gsi, const interval *inside)
	{
		gimple *stmt = gsi_stmt (gsi);
		switch (gimple_code (stmt)) {
		case GIMPLE_GOTO:
			if (TREE_CODE (gimple_goto_dest (stmt)) != LABEL_DECL)
				m_gotos.safe_push ({NULL_TREE, stmt, gsi, inside});
			break;
		case GIMPLE_LABEL: {
			tree label = gimple_label_label (as_a<glabel *> (stmt));
			(FORCED_LABEL (label) ? m_labels : m_other_labels)
				.safe_push ({label, stmt, gsi, inside});
			break;
		}
		case GIMPLE_CALL:
			if (inside && gimple_call_builtin_p (stmt, BUILT_IN_RETURN))
				m_returns.safe_push ({NULL_TREE, stmt, gsi, inside});
			if (ppgcc_late_op (ppgcc_marker_op (stmt)))
				find_interval (stmt, inside);
			break;
		case GIMPLE_ASM:
			if (inside && gimple_asm_nlabels (as_a<gasm *> (stmt)))
				m_asms.safe_push ({NULL_TREE, stmt, gsi, inside});
			break;
		case GIMPLE_TRY:
			walk (gimple_try_eval_ptr (stmt), scope (stmt, inside));
			walk (gimple_try_cleanup_ptr (stmt), inside);
			break;
		case GIMPLE_CATCH:
			walk (gimple_catch_handler_ptr (as_a<gcatch *> (stmt)), inside);
			break;
		case GIMPLE_EH_FILTER:
			walk (gimple_eh_filter_failure_ptr (stmt), inside);
			break;
		default:
			break;
		}
	}

	// What is inside the first part of the GIMPLE_TRY at STMT.
	const interval *scope (gimple *stmt, const interval *inside)
	{
		if (gimple_try_kind (stmt) != GIMPLE_TRY_FINALLY)
			return inside;
		for (gimple_stmt_iterator i = gsi_start (*gimple_try_cleanup_ptr (stmt));
		     !gsi_end_p (i); gsi_next (&i)) {
			int op = ppgcc_marker_op (gsi_stmt (i));
			bool direct = op == PPGCC_INLINE_INT || op == PPGCC_INLINE_DOUBLE;
			if (op == PPGCC_END || direct) {
				gimple_seq whole = direct ? gimple_try_cleanup (stmt) : NULL;
				m_intervals.safe_push (new interval{gsi_stmt (i), whole, inside});
				return m_intervals.last ();
			}
		}
		return inside;
	}

	// CALL, of a dimension that is known only now, gets the text of the innermost interval of
	// the source that it is in.
	static void find_interval (gimple *call, const interval *inside)
	{
		const char *keys = ppgcc_marker_text (call);
		std::string key (keys, strcspn (keys, ",\n"));
		for (const interval *one = inside; one; one = one->outer) {
			const char *text = ppgcc_marker_text (one->end);
			ppgcc_site site = ppgcc_site_unpack (text);
			if (site.kind != PP_ABI_SITE_INTERVAL || !ppgcc_site_in_source (site))
				continue;
			if (ppgcc_marker_op (one->end) == PPGCC_END)
				gimple_call_set_arg (call, 0,
						     ppgcc_literal (std::string (keys) + text));
			else if (ppgcc_marker_op (call) == PPGCC_LATE)
				error_at (gimple_location (call),
					  "interval %qs is %<inline%>: it is measured by the code "
					  "itself and has no dimensions",
					  site.name.c_str ());
			return;
		}
		if (ppgcc_marker_op (call) == PPGCC_LATE)
			error_at (gimple_location (call),
				  "dimension %qs is in no interval: %<#pragma pp dim%> belongs to "
				  "the "
				  "interval of this function that it stands in",
				  key.c_str ());
	}

	static bool within (const place &label, const interval *one)
	{
		for (const interval *i = label.inside; i; i = i->outer)
			if (i == one)
				return true;
		return false;
	}

	// Ends before JUMP what it leaves, innermost first.
	void leave (place &jump)
	{
		for (const interval *one = jump.inside; one; one = one->outer) {
			auto_vec<tree> outside;
			for (const place &label : m_labels)
				if (!within (label, one))
					outside.safe_push (label.label);
			if (outside.is_empty ())
				return; // nor does it leave those around
			if (outside.length () == m_labels.length ())
				gsi_insert_seq_before (&jump.at, end (one, jump), GSI_SAME_STMT);
			else
				leave_sometimes (one, jump, outside);
		}
	}

	const place *find_label (tree label)
	{
		for (auto_vec<place> *list : {&m_labels, &m_other_labels})
			for (const place &one : *list)
				if (one.label == label)
					return &one;
		return NULL;
	}

	// An asm goto must not leave what it stands in.
	void check_asm (const place &jump)
	{
		gasm *stmt = as_a<gasm *> (jump.stmt);
		for (unsigned i = 0; i < gimple_asm_nlabels (stmt); i++) {
			tree label = TREE_VALUE (gimple_asm_label_op (stmt, i));
			const place *where = find_label (label);
			if (!where || within (*where, jump.inside))
				continue;
			auto_diagnostic_group group;
			error_at (gimple_location (stmt),
				  "%<asm goto%> leaves interval %qs without its end: nothing can "
				  "be run on that way",
				  ppgcc_site_unpack (ppgcc_marker_text (jump.inside->end))
					  .name.c_str ());
			inform (gimple_location (where->stmt), "to here");
			return;
		}
	}

	static void move_to (gimple *stmt, const place &jump)
	{
		gimple_set_location (stmt, gimple_location (jump.stmt));
		gimple_set_block (stmt, gimple_block (jump.stmt));
	}

	static gimple_seq end (const interval *one, const place &jump)
	{
		gimple_seq copy = NULL;
		if (one->whole)
			copy = copy_gimple_seq_and_replace_locals (one->whole);
		else
			gimple_seq_add_stmt_without_update (&copy, gimple_copy (one->end));
		for (gimple_stmt_iterator i = gsi_start (copy); !gsi_end_p (i); gsi_next (&i))
			move_to (gsi_stmt (i), jump);
		return copy;
	}

	static void leave_sometimes (const interval *one, place &jump, auto_vec<tree> &outside)
	{
		location_t loc = gimple_location (jump.stmt);
		tree dest = gimple_goto_dest (jump.stmt);
		tree leaving = create_artificial_label (loc),
		     staying = create_artificial_label (loc);
		auto add = [&] (gimple *stmt) {
			move_to (stmt, jump);
			gsi_insert_before (&jump.at, stmt, GSI_SAME_STMT);
		};
		for (tree label : outside) {
			tree next =
				label == outside.last () ? staying : create_artificial_label (loc);
			add (gimple_build_cond (EQ_EXPR, dest,
						build1 (ADDR_EXPR, TREE_TYPE (dest), label),
						leaving, next));
			if (next != staying)
				add (gimple_build_label (next));
		}
		add (gimple_build_label (leaving));
		gsi_insert_seq_before (&jump.at, end (one, jump), GSI_SAME_STMT);
		add (gimple_build_label (staying));
	}
};

} // namespace

void ppgcc_computed_register (const char *plugin)
{
	ppgcc_add_pass (plugin, new computed_pass (data), PASS_POS_INSERT_AFTER, "lower");
}
