// SPDX-License-Identifier: GPL-3.0-or-later
//
// scopes.cc: mistakes about intervals' scopes that only the CFG shows, before the calls of marker functions are replaced:
// an interval that is jumped into, and one that is open where a coroutine is suspended: its frame would belong to a stack
// that is left there, and the end would run on another one.

#include "ppgcc.h"

// ---- jumps into a scope

static bool ends (int op)
{
	return op == PPGCC_END || op == PPGCC_LEAVE || op == PPGCC_INLINE_INT || op == PPGCC_INLINE_DOUBLE;
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
		const char *text = ends (op) ? ppgcc_marker_text (stmt) : NULL;
		if (!text || !reached_without_begin (fun, stmt, text) || told.add (text))
			continue;
		ppgcc_site site = ppgcc_site_unpack (text);
		if (site.serial < 0)
			continue;
		auto_diagnostic_group group;
		error_at (gimple_location (stmt),
			  "interval %qs is jumped into: its end can be reached without its begin", site.name.c_str ());
		inform (gimple_location (stmt),
			"put braces around the interval, so that the label or %<case%> is outside");
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
