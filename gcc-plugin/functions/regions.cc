// SPDX-License-Identifier: GPL-3.0-or-later
//
// regions.cc: the loops and the calls in a body, on GIMPLE before it is lowered.
//
// A loop is by now a label and a jump back to it, in one sequence of statements:
//
//     goto test;                          <- first
//     top:  { BODY }
//     test: if (...) goto top; else goto out;    <- last
//     out:
//
// Where no jump leads into these statements from elsewhere, "begin; try { ... } finally { end }"
// around them is an interval around the loop with one way in and all ways out. Where one does, the
// loop is left alone.

#include "gcc-plugin/markers/lowering.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/functions/rules.h"
#include "gcc-plugin/functions/wrap.h"

#include <gimple-walk.h>

#include <algorithm>

namespace
{

// All statements of the body are numbered in the order of the text (gimple_uid); a statement is
// followed by those in it.
struct jump {
	unsigned from;
	tree label; // NULL_TREE: to any label whose address is taken
};

class finder
{
public:
	explicit finder (std::vector<ppgcc_loop> &loops) : m_loops (loops)
	{
	}

	void find (function *fun)
	{
		gimple_seq body = gimple_body (fun->decl);
		number (body);
		std::sort (m_jumps.begin (), m_jumps.end (),
			   [] (const jump &a, const jump &b) { return a.from < b.from; });
		for (gimple_stmt_iterator gsi = gsi_start (body); !gsi_end_p (gsi); gsi_next (&gsi))
			inside (gsi_stmt (gsi), 1);
	}

private:
	std::vector<ppgcc_loop> &m_loops;
	std::vector<jump> m_jumps;
	hash_map<tree, unsigned> m_labels;
	unsigned m_count = 0;

	static tree number_statement (gimple_stmt_iterator *gsi, bool *, walk_stmt_info *info)
	{
		static_cast<finder *> (info->info)->visit (gsi_stmt (*gsi));
		return NULL_TREE;
	}

	void number (gimple_seq body)
	{
		walk_stmt_info info = {};
		info.info = this;
		walk_gimple_seq (body, number_statement, NULL, &info);
	}

	void jump_to (tree label)
	{
		m_jumps.push_back ({m_count, label});
	}

	void visit (gimple *stmt)
	{
		gimple_set_uid (stmt, ++m_count);
		switch (gimple_code (stmt)) {
		case GIMPLE_LABEL:
			m_labels.put (gimple_label_label (as_a<glabel *> (stmt)), m_count);
			break;
		case GIMPLE_GOTO:
			jump_to (TREE_CODE (gimple_goto_dest (stmt)) == LABEL_DECL
					 ? gimple_goto_dest (stmt)
					 : NULL_TREE);
			break;
		case GIMPLE_COND:
			jump_to (gimple_cond_true_label (as_a<gcond *> (stmt)));
			jump_to (gimple_cond_false_label (as_a<gcond *> (stmt)));
			break;
		case GIMPLE_SWITCH:
			for (unsigned i = 0; i < gimple_switch_num_labels (as_a<gswitch *> (stmt));
			     i++)
				jump_to (CASE_LABEL (
					gimple_switch_label (as_a<gswitch *> (stmt), i)));
			break;
		case GIMPLE_ASM:
			for (unsigned i = 0; i < gimple_asm_nlabels (as_a<gasm *> (stmt)); i++)
				jump_to (TREE_VALUE (gimple_asm_label_op (as_a<gasm *> (stmt), i)));
			break;
		default:
			break;
		}
	}

	unsigned place (tree label)
	{
		unsigned *found = m_labels.get (label);
		return found ? *found : 0;
	}

	// The sequences in STMT, at DEPTH.
	void inside (gimple *stmt, int depth)
	{
		switch (gimple_code (stmt)) {
		case GIMPLE_BIND:
			sequence (gimple_bind_body_ptr (as_a<gbind *> (stmt)), depth);
			break;
		case GIMPLE_TRY:
			sequence (gimple_try_eval_ptr (stmt), depth);
			sequence (gimple_try_cleanup_ptr (stmt), depth);
			break;
		case GIMPLE_CATCH:
			sequence (gimple_catch_handler_ptr (as_a<gcatch *> (stmt)), depth);
			break;
		case GIMPLE_EH_FILTER:
			sequence (gimple_eh_filter_failure_ptr (stmt), depth);
			break;
		case GIMPLE_OMP_FOR:
			sequence (gimple_omp_body_ptr (stmt), depth + 1);
			break;
		default:
			if (is_gimple_omp (stmt) && gimple_has_substatements (stmt))
				sequence (gimple_omp_body_ptr (stmt), depth);
		}
	}

	// The number of the last statement in the one at GSI, the last of a sequence that ends with
	// END.
	static unsigned last_of (gimple_stmt_iterator gsi, unsigned end)
	{
		gsi_next (&gsi);
		return gsi_end_p (gsi) ? end : gimple_uid (gsi_stmt (gsi)) - 1;
	}

	// The last number in SEQ, which has statements.
	static unsigned end_of (gimple_seq seq)
	{
		unsigned last = 0;
		walk_stmt_info info = {};
		info.info = &last;
		gimple_stmt_iterator gsi = gsi_last (seq);
		walk_gimple_stmt (
			&gsi,
			[] (gimple_stmt_iterator *i, bool *, walk_stmt_info *w) {
				unsigned *out = static_cast<unsigned *> (w->info);
				*out = std::max (*out, gimple_uid (gsi_stmt (*i)));
				return NULL_TREE;
			},
			NULL, &info);
		return last;
	}

	void sequence (gimple_seq *seq, int depth)
	{
		if (!*seq)
			return;
		unsigned end = end_of (*seq);
		statements (seq, gsi_start (*seq), gsi_last (*seq), end, depth);
	}

	// The loops among the statements FIRST to LAST of SEQ, the last number in them END.
	void statements (gimple_seq *seq, gimple_stmt_iterator first, gimple_stmt_iterator last,
			 unsigned end, int depth)
	{
		gimple *stop = gsi_stmt (last);
		gimple *before = NULL; // the statement before, if no loop has taken it
		for (gimple_stmt_iterator gsi = first; !gsi_end_p (gsi);) {
			gimple *stmt = gsi_stmt (gsi);
			unsigned back = stmt == stop ? 0 : back_jump (stmt, end);
			gimple_stmt_iterator tail = gsi;
			if (back) {
				while (last_of (tail, end) < back)
					gsi_next (&tail);
				loop (seq, gsi, tail, before, last_of (tail, end), depth);
			} else
				inside (stmt, depth);
			if (gsi_stmt (tail) == stop)
				return;
			if (!is_gimple_debug (stmt))
				before = back ? NULL : stmt;
			gsi = tail;
			gsi_next (&gsi);
		}
	}

	// The last jump back to the label STMT from before END, or 0.
	unsigned back_jump (gimple *stmt, unsigned end)
	{
		unsigned back = 0;
		if (gimple_code (stmt) != GIMPLE_LABEL)
			return 0;
		tree label = gimple_label_label (as_a<glabel *> (stmt));
		for (auto i = after (gimple_uid (stmt)); i != m_jumps.end () && i->from <= end; ++i)
			if (i->label == label)
				back = i->from;
		return back;
	}

	std::vector<jump>::iterator after (unsigned from)
	{
		return std::upper_bound (
			m_jumps.begin (), m_jumps.end (), from,
			[] (unsigned number, const jump &one) { return number < one.from; });
	}

	void loop (gimple_seq *seq, gimple_stmt_iterator head, gimple_stmt_iterator tail,
		   gimple *before, unsigned end, int depth)
	{
		ppgcc_loop found = {
			seq, gsi_stmt (head), gsi_stmt (tail), depth, 0, UNKNOWN_LOCATION, NULL};
		size_t inner = m_loops.size ();
		gimple_stmt_iterator body = head;
		if (found.first != found.last) {
			gsi_next (&body);
			inside (found.first, depth + 1);
			statements (seq, body, tail, end, depth + 1);
		}
		for (size_t i = inner; i < m_loops.size (); i++)
			if (m_loops[i].last == found.last && m_loops[i].seq == seq)
				m_loops[i].why_not = "the loop around it ends with it";
		if (before &&
		    (gimple_code (before) == GIMPLE_GOTO || gimple_code (before) == GIMPLE_COND) &&
		    leads_into (gimple_uid (before), gimple_uid (found.first), end))
			found.first = before;
		found.why_not = entered (gimple_uid (found.first), end);
		look_at (found, head, tail);
		m_loops.push_back (found);
	}

	// Whether a jump of statement NUMBER leads to FIRST to LAST.
	bool leads_into (unsigned number, unsigned first, unsigned last)
	{
		for (auto i = after (number - 1); i != m_jumps.end () && i->from == number; ++i) {
			unsigned to = i->label ? place (i->label) : 0;
			if (first <= to && to <= last)
				return true;
		}
		return false;
	}

	// Why FIRST to LAST can be entered otherwise than from the top, or NULL.
	const char *entered (unsigned first, unsigned last)
	{
		bool address_taken = false, computed = false;
		for (const auto &label : m_labels)
			if (first <= label.second && label.second <= last) {
				address_taken |= FORCED_LABEL (label.first);
				if (DECL_NONLOCAL (label.first))
					return "a nested function jumps into it";
			}
		for (const jump &one : m_jumps) {
			if (first <= one.from && one.from <= last)
				continue;
			unsigned to = one.label ? place (one.label) : 0;
			if (first <= to && to <= last)
				return "it is jumped into";
			computed |= !one.label;
		}
		return address_taken && computed ? "a computed goto may jump into it" : NULL;
	}

	// The loop's size, and the place of its first line: the head of a "for" is often the last
	// of its statements.
	static void look_at (ppgcc_loop &loop, gimple_stmt_iterator head, gimple_stmt_iterator tail)
	{
		ppgcc_body body = {};
		walk_stmt_info info = {};
		for (gimple_stmt_iterator gsi = head;; gsi_next (&gsi)) {
			info.info = &loop;
			walk_gimple_stmt (&gsi, place_of, NULL, &info);
			info.info = &body;
			walk_gimple_stmt (&gsi, ppgcc_count_statement, NULL, &info);
			if (gsi_stmt (gsi) == gsi_stmt (tail))
				break;
		}
		loop.size = body.statements;
	}

	static tree place_of (gimple_stmt_iterator *gsi, bool *, walk_stmt_info *info)
	{
		ppgcc_loop *loop = static_cast<ppgcc_loop *> (info->info);
		location_t loc = gimple_location (gsi_stmt (*gsi));
		if (loc == UNKNOWN_LOCATION)
			return NULL_TREE;
		expanded_location here = expand_location (loc), best = expand_location (loop->loc);
		bool comparable = best.file && here.file && !strcmp (best.file, here.file);
		if (loop->loc == UNKNOWN_LOCATION ||
		    (comparable && (here.line < best.line ||
				    (here.line == best.line && here.column < best.column))))
			loop->loc = loc;
		return NULL_TREE;
	}
};

struct calls {
	function *fun;
	ppgcc_choose_call choose;
	void *data;
};

// The function of the C library that CALLEE, a built-in, is where GCC calls it, or NULL: the
// others are ways to say something to the compiler, or to the stack.
const char *library_name (tree callee)
{
	if (fndecl_built_in_p (callee, BUILT_IN_NORMAL))
		switch (DECL_FUNCTION_CODE (callee)) {
		case BUILT_IN_VA_COPY:
		case BUILT_IN_VA_START:
		case BUILT_IN_VA_END:
		CASE_BUILT_IN_ALLOCA:
			return NULL;
		default:
			break;
		}
	const char *name = HAS_DECL_ASSEMBLER_NAME_P (callee) && DECL_ASSEMBLER_NAME_SET_P (callee)
				   ? IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (callee))
				   : "__builtin_";
	return startswith (name, "__builtin_") ? NULL : name;
}

// Whether marks can be around the call of CALLEE at STMT; what it is called by, into NAME.
bool named_call (gimple *stmt, tree callee, std::string &name)
{
	if (!DECL_NAME (callee) || ppgcc_marks_itself (callee))
		return false;
	bool built_in = fndecl_built_in_p (callee),
	     by_itself = startswith (IDENTIFIER_POINTER (DECL_NAME (callee)), "__builtin_");
	if (built_in && (by_itself || !fndecl_built_in_p (callee, BUILT_IN_NORMAL))) {
		// front ends make some of their own accord, to copy a structure
		const char *library = library_name (callee);
		if (!fndecl_built_in_p (callee, BUILT_IN_NORMAL) || !library ||
		    gimple_location (stmt) == UNKNOWN_LOCATION)
			return false;
		name = library;
		return true;
	}
	if (built_in && ALLOCA_FUNCTION_CODE_P (DECL_FUNCTION_CODE (callee)))
		return false;
	// the compiler's own, but for built-ins
	if (DECL_ARTIFICIAL (callee) && !built_in)
		return false;
	name = ppgcc_function_name (callee);
	return true;
}

// The method that the object's static type has for the virtual call by REF; NULL: nobody knows.
// What is called may be another one's that overrides it.
tree virtual_method (tree ref)
{
	if (!ppgcc_is_cxx () || !virtual_method_call_p (ref) ||
	    !tree_fits_uhwi_p (OBJ_TYPE_REF_TOKEN (ref)))
		return NULL_TREE;
	tree entry = BINFO_VIRTUALS (TYPE_BINFO (obj_type_ref_class (ref)));
	unsigned HOST_WIDE_INT n = tree_to_uhwi (OBJ_TYPE_REF_TOKEN (ref));
	while (entry && n--)
		entry = TREE_CHAIN (entry);
	tree method = entry ? TREE_VALUE (entry) : NULL_TREE;
	return method && TREE_CODE (method) == FUNCTION_DECL && DECL_NAME (method) &&
			       !DECL_ARTIFICIAL (method)
		       ? method
		       : NULL_TREE;
}

// Whether marks can be around the call at STMT.
bool call_at (gimple *stmt, ppgcc_callee &out)
{
	if (!is_gimple_call (stmt) || gimple_call_internal_p (stmt) ||
	    gimple_call_flags (stmt) & ECF_RETURNS_TWICE)
		return false;
	if (tree callee = gimple_call_fndecl (stmt)) {
		out.kind = PPGCC_CALL_NAMED;
		return named_call (stmt, callee, out.name);
	}
	bool is_virtual = TREE_CODE (gimple_call_fn (stmt)) == OBJ_TYPE_REF;
	out.kind = is_virtual ? PPGCC_CALL_VIRTUAL : PPGCC_CALL_INDIRECT;
	if (tree method = is_virtual ? virtual_method (gimple_call_fn (stmt)) : NULL_TREE)
		out.name = ppgcc_function_name (method);
	return true;
}

void calls_in (gimple_seq *seq, calls &all)
{
	for (gimple_stmt_iterator gsi = gsi_start (*seq); !gsi_end_p (gsi);) {
		gimple *stmt = gsi_stmt (gsi);
		std::vector<ppgcc_call_mark> marks;
		ppgcc_callee callee;
		if (call_at (stmt, callee))
			all.choose (callee, gimple_location (stmt), marks, all.data);
		if (!marks.empty ()) {
			ppgcc_wrap_call (seq, &gsi, marks);
			if (gsi.ptr == NULL)
				return;
			continue;
		}
		switch (gimple_code (stmt)) {
		case GIMPLE_BIND:
			calls_in (gimple_bind_body_ptr (as_a<gbind *> (stmt)), all);
			break;
		case GIMPLE_TRY:
			calls_in (gimple_try_eval_ptr (stmt), all);
			calls_in (gimple_try_cleanup_ptr (stmt), all);
			break;
		case GIMPLE_CATCH:
			calls_in (gimple_catch_handler_ptr (as_a<gcatch *> (stmt)), all);
			break;
		case GIMPLE_EH_FILTER:
			calls_in (gimple_eh_filter_failure_ptr (stmt), all);
			break;
		default:
			if (is_gimple_omp (stmt) && gimple_has_substatements (stmt))
				calls_in (gimple_omp_body_ptr (stmt), all);
		}
		gsi_next (&gsi);
	}
}

} // namespace

void ppgcc_find_loops (function *fun, std::vector<ppgcc_loop> &loops)
{
	finder (loops).find (fun);
}

void ppgcc_wrap_calls (function *fun, ppgcc_choose_call choose, void *data)
{
	calls all = {fun, choose, data};
	gimple_seq body = gimple_body (fun->decl);
	calls_in (&body, all);
	gimple_set_body (fun->decl, body);
}
