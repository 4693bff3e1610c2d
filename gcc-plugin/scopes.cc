// SPDX-License-Identifier: GPL-3.0-or-later
//
// scopes.cc: mistakes about intervals' scopes that only the CFG shows, before the calls of marker functions are replaced:
// an interval that is jumped into, and one that is open where a coroutine is suspended: its frame would belong to a stack
// that is left there, and the end would run on another one.

#include "ppgcc.h"

// ---- jumps into a scope

static bool ends (int op)
{
	return op == PPGCC_END || op == PPGCC_INLINE_INT || op == PPGCC_INLINE_DOUBLE;
}

// Whether STMT begins or ends the site with this TEXT.
static bool marks (gimple *stmt, const char *text, bool begin)
{
	int op = ppgcc_marker_op (stmt);
	bool is_begin = op == PPGCC_BEGIN || op == PPGCC_ENABLED || op == PPGCC_INLINE_BEGIN;
	if (begin ? !is_begin : !ends (op))
		return false;
	const char *own = ppgcc_marker_text (stmt);
	return own && !strcmp (own, text);
}

// Whether STMT is a copy of END, made for another way out; an inline site has an end for each metric.
static bool same_end (gimple *stmt, gimple *end, const char *text)
{
	bool same = marks (stmt, text, false) && ppgcc_marker_op (stmt) == ppgcc_marker_op (end);
	return same && (ppgcc_marker_op (end) == PPGCC_END ||
			operand_equal_p (gimple_call_arg (stmt, 1), gimple_call_arg (end, 1), 0));
}

enum met { NOTHING, A_BEGIN, AN_END };

// What is met first in BB, backwards from GSI, of the site with TEXT and of END.
static met last_met (gimple_stmt_iterator gsi, gimple *end, const char *text)
{
	for (; !gsi_end_p (gsi); gsi_prev (&gsi)) {
		if (marks (gsi_stmt (gsi), text, true))
			return A_BEGIN;
		if (same_end (gsi_stmt (gsi), end, text))
			return AN_END;
	}
	return NOTHING;
}

// Whether control can come to END without having passed the begin since the function's entry, or since the site's end: the
// jump may come from behind the interval as well as from before. Edges that only computed gotos and the like could take prove
// nothing.
static bool reached_without_begin (function *fun, gimple *end, const char *text)
{
	auto_vec<basic_block> work;
	hash_set<basic_block> seen;
	gimple_stmt_iterator before = gsi_for_stmt (end);
	gsi_prev (&before);
	met found = last_met (before, end, text);
	if (found != NOTHING)
		return found == AN_END;
	work.safe_push (gimple_bb (end));
	while (!work.is_empty ()) {
		basic_block bb = work.pop ();
		edge e;
		edge_iterator i;
		if (bb == ENTRY_BLOCK_PTR_FOR_FN (fun))
			return true;
		FOR_EACH_EDGE (e, i, bb->preds)
		{
			if (e->flags & EDGE_ABNORMAL || seen.add (e->src))
				continue;
			found = last_met (gsi_last_bb (e->src), end, text);
			if (found == AN_END)
				return true;
			if (found == NOTHING)
				work.safe_push (e->src);
		}
	}
	return false;
}

// Where the site with TEXT begins: an end has the place of the closing brace.
static location_t begin_of (const auto_vec<gimple *> &found, const char *text, location_t otherwise)
{
	for (gimple *stmt : found)
		if (marks (stmt, text, true))
			return gimple_location (stmt);
	return otherwise;
}

static void check_jumps (function *fun, const auto_vec<gimple *> &found)
{
	hash_set<nofree_string_hash> told;
	for (gimple *stmt : found) {
		int op = ppgcc_marker_op (stmt);
		const char *text = ends (op) ? ppgcc_marker_text (stmt) : NULL;
		if (!text || !reached_without_begin (fun, stmt, text) || told.add (text))
			continue;
		ppgcc_site site = ppgcc_site_unpack (text);
		if (site.serial < 0)
			continue;
		auto_diagnostic_group group;
		location_t loc = begin_of (found, text, gimple_location (stmt));
		error_at (loc, "interval %qs is jumped into: its end can be reached without its begin",
			  site.name.c_str ());
		inform (loc, "put braces around the interval, so that the label or %<case%> is outside");
	}
}

// ---- coroutines

static bool suspends (gimple *stmt)
{
	return is_gimple_call (stmt) && gimple_call_internal_p (stmt, IFN_CO_YIELD);
}

// A statement that suspends the coroutine and can be reached from BEGIN without an end of the site with TEXT, or NULL.
static gimple *suspended_from (gimple *begin, const char *text)
{
	auto_vec<basic_block> work;
	hash_set<basic_block> seen;
	work.safe_push (gimple_bb (begin));
	for (gimple *from = begin; !work.is_empty (); from = NULL) {
		basic_block bb = work.pop ();
		bool ended = false;
		gimple_stmt_iterator gsi = from ? gsi_for_stmt (from) : gsi_start_bb (bb);
		for (; !gsi_end_p (gsi) && !ended; gsi_next (&gsi)) {
			if (suspends (gsi_stmt (gsi)))
				return gsi_stmt (gsi);
			ended = marks (gsi_stmt (gsi), text, false);
		}
		edge e;
		edge_iterator i;
		if (!ended)
			FOR_EACH_EDGE (e, i, bb->succs)
		if (!seen.add (e->dest))
			work.safe_push (e->dest);
	}
	return NULL;
}

static void check_suspensions (const auto_vec<gimple *> &found)
{
	for (gimple *stmt : found) {
		const char *text = ppgcc_marker_op (stmt) == PPGCC_BEGIN ? ppgcc_marker_text (stmt) : NULL;
		gimple *suspension = text ? suspended_from (stmt, text) : NULL;
		if (!suspension)
			continue;
		auto_diagnostic_group group;
		error_at (gimple_location (stmt), "interval %qs is open where the coroutine may be suspended",
			  ppgcc_site_unpack (text).name.c_str ());
		inform (gimple_location (suspension), "suspended here; end the interval before, or use a span");
	}
}

void ppgcc_check_scopes (function *fun, const auto_vec<gimple *> &found)
{
	check_jumps (fun, found);
	if (fun->coroutine_component)
		check_suspensions (found);
}
