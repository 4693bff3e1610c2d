// SPDX-License-Identifier: GPL-3.0-or-later
//
// scopes.cc: mistakes about intervals' scopes that only the CFG shows, before the calls of marker
// functions are replaced: an interval that is jumped into, and one that is open where a coroutine
// is suspended: its frame would belong to a stack that is left there, and the end would run on
// another one.

#include "gcc-plugin/markers/lowering.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/site.h"

#include <bitmap.h>
#include <cfganal.h>

#include <map>
#include <unordered_map>
#include <vector>

// ---- jumps into a scope

static bool ends (int op)
{
	return op == PPGCC_END || op == PPGCC_INLINE_INT || op == PPGCC_INLINE_DOUBLE;
}

static bool begins (int op)
{
	return op == PPGCC_BEGIN || op == PPGCC_ENABLED || op == PPGCC_INLINE_BEGIN;
}

// Whether STMT begins or ends the site with this TEXT.
static bool marks (gimple *stmt, const char *text, bool begin)
{
	int op = ppgcc_marker_op (stmt);
	if (begin ? !begins (op) : !ends (op))
		return false;
	const char *own = ppgcc_marker_text (stmt);
	return own && !strcmp (own, text);
}

// Whether A and B are the same end, for two ways out; an inline site has an end for each metric.
static bool same_end (gimple *a, gimple *b)
{
	int op = ppgcc_marker_op (a);
	return op == ppgcc_marker_op (b) &&
	       (op == PPGCC_END ||
		operand_equal_p (gimple_call_arg (a, 1), gimple_call_arg (b, 1), 0));
}

namespace
{

// Which ends control can come to without having passed the begin since the function's entry, or
// since the site's end: the jump may come from behind the interval as well as from before. Edges
// that only computed gotos and the like could take prove nothing.
//
// A forward dataflow over sets of ends whose interval is certainly open, all at once: a function
// may have thousands of intervals.
class open_intervals
{
public:
	// FOUND: all markers, in order within each block
	explicit open_intervals (const auto_vec<gimple *> &found)
	{
		bitmap_obstack_initialize (&m_obstack);
		for (gimple *stmt : found)
			if (ends (ppgcc_marker_op (stmt)))
				number (stmt);
		for (gimple *stmt : found)
			if (begins (ppgcc_marker_op (stmt)) || ends (ppgcc_marker_op (stmt)))
				m_markers[gimple_bb (stmt)->index].push_back (stmt);
	}

	~open_intervals ()
	{
		bitmap_obstack_release (&m_obstack);
	}

	// These ends; to be asked once.
	hash_set<gimple *> &reached_without_begin (function *fun)
	{
		flow (fun);
		for (auto &block : m_markers) {
			bitmap now = BITMAP_ALLOC (&m_obstack);
			if (m_in[block.first])
				bitmap_copy (now, m_in[block.first]);
			else
				bitmap_set_range (now, 0,
						  m_count); // nothing comes here but by such edges
			for (gimple *stmt : block.second) {
				if (ends (ppgcc_marker_op (stmt)) &&
				    !bitmap_bit_p (now, m_numbers[stmt]))
					m_bad.add (stmt);
				pass (stmt, now);
			}
			BITMAP_FREE (now);
		}
		return m_bad;
	}

private:
	typedef std::vector<std::pair<gimple *, unsigned>> ends_of_site; // one for each number
	bitmap_obstack m_obstack;
	std::map<std::string, ends_of_site> m_ends;       // by the site's text
	std::unordered_map<gimple *, unsigned> m_numbers; // of ends
	std::map<int, std::vector<gimple *>> m_markers;   // by block
	std::vector<bitmap> m_in;                         // by block; NULL: not reached yet
	unsigned m_count = 0;
	hash_set<gimple *> m_bad;

	void number (gimple *end)
	{
		const char *text = ppgcc_marker_text (end);
		ends_of_site &known = m_ends[text ? text : ""];
		for (auto &one : known)
			if (same_end (one.first, end)) {
				m_numbers[end] = one.second;
				return;
			}
		known.push_back (std::make_pair (end, m_count));
		m_numbers[end] = m_count++;
	}

	void pass (gimple *stmt, bitmap open)
	{
		if (ends (ppgcc_marker_op (stmt))) {
			bitmap_clear_bit (open, m_numbers[stmt]);
			return;
		}
		const char *text = ppgcc_marker_text (stmt);
		auto of_site = m_ends.find (text ? text : "");
		if (of_site != m_ends.end ())
			for (auto &one : of_site->second)
				bitmap_set_bit (open, one.second);
	}

	// Behind BB, into OUT.
	void through (basic_block bb, bitmap out)
	{
		if (m_in[bb->index])
			bitmap_copy (out, m_in[bb->index]);
		else
			bitmap_set_range (out, 0, m_count);
		auto markers = m_markers.find (bb->index);
		if (markers != m_markers.end ())
			for (gimple *stmt : markers->second)
				pass (stmt, out);
	}

	// Sets only get smaller, from "all are open" on.
	void flow (function *fun)
	{
		int *order = XNEWVEC (int, n_basic_blocks_for_fn (fun));
		int blocks = pre_and_rev_post_order_compute_fn (fun, NULL, order, true);
		bitmap out = BITMAP_ALLOC (&m_obstack);
		m_in.assign (last_basic_block_for_fn (fun), NULL);
		m_in[ENTRY_BLOCK] = BITMAP_ALLOC (&m_obstack);
		for (bool changed = true; changed;) {
			changed = false;
			for (int i = 0; i < blocks; i++) {
				basic_block bb = BASIC_BLOCK_FOR_FN (fun, order[i]);
				edge e;
				edge_iterator j;
				through (bb, out);
				FOR_EACH_EDGE (e, j, bb->succs)
				if (!(e->flags & EDGE_ABNORMAL))
					changed |= meet (e->dest, out);
			}
		}
		free (order);
	}

	bool meet (basic_block bb, bitmap open)
	{
		if (m_in[bb->index])
			return bitmap_and_into (m_in[bb->index], open);
		m_in[bb->index] = BITMAP_ALLOC (&m_obstack);
		bitmap_copy (m_in[bb->index], open);
		return true;
	}
};

} // namespace

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
	open_intervals open (found);
	hash_set<gimple *> &bad = open.reached_without_begin (fun);
	hash_set<nofree_string_hash> told;
	for (gimple *stmt : found) {
		int op = ppgcc_marker_op (stmt);
		const char *text = ends (op) ? ppgcc_marker_text (stmt) : NULL;
		if (!text || !bad.contains (stmt) || told.add (text))
			continue;
		ppgcc_site site = ppgcc_site_unpack (text);
		if (site.serial < 0)
			continue;
		auto_diagnostic_group group;
		location_t loc = begin_of (found, text, gimple_location (stmt));
		error_at (loc,
			  "interval %qs is jumped into: its end can be reached without its begin",
			  site.name.c_str ());
		inform (loc,
			"put braces around the interval, so that the label or %<case%> is outside");
	}
}

// ---- coroutines

static bool suspends (gimple *stmt)
{
	return is_gimple_call (stmt) && gimple_call_internal_p (stmt, IFN_CO_YIELD);
}

// A statement that suspends the coroutine and can be reached from BEGIN without an end of the site
// with TEXT, or NULL.
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
		const char *text =
			ppgcc_marker_op (stmt) == PPGCC_BEGIN ? ppgcc_marker_text (stmt) : NULL;
		gimple *suspension = text ? suspended_from (stmt, text) : NULL;
		if (!suspension)
			continue;
		auto_diagnostic_group group;
		error_at (gimple_location (stmt),
			  "interval %qs is open where the coroutine may be suspended",
			  ppgcc_site_unpack (text).name.c_str ());
		inform (gimple_location (suspension),
			"suspended here; end the interval before, or use a span");
	}
}

void ppgcc_check_scopes (function *fun, const auto_vec<gimple *> &found)
{
	check_jumps (fun, found);
	if (fun->coroutine_component)
		check_suspensions (found);
}
