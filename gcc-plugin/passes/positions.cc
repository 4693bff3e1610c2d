// SPDX-License-Identifier: GPL-3.0-or-later
//
// positions.cc: which places of the source belong to which interval.
//
// Right after the CFG is built every statement still stands where its author put it: what control
// can come to from a begin marker without passing the end belongs to the interval. Noted is where
// those statements stand in the source, since that, and the chain of calls, is what a statement
// keeps on its way through the optimiser. A place that has statements inside and outside (the
// closing brace, where destructors run; a macro) proves nothing and is marked so.
//
// For LTO the places go along as text in an attribute of the descriptor.

#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/note.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/passes/truth.h"
#include "pp_abi.h"

#include <map>
#include <set>
#include <unordered_map>

// The places of one interval, and whether they are ambiguous.
typedef std::unordered_map<ppgcc_position, bool> body;

static std::set<unsigned> big;          // DECL_UIDs of sites that are too big to look at
static std::map<unsigned, body> bodies; // by DECL_UID, which is never used again
static std::unordered_map<ppgcc_position, std::vector<ppgcc_owner>>
	owners;          // the same the other way round
static bool owners_made; // from all bodies that there are

// In lto1: "FILES", the files, then "FILE LINE COLUMN AMBIGUOUS" for each place.
#define BODY_ATTRIBUTE "pp body"

// ---- places

static std::map<std::string, unsigned> file_numbers;
static std::vector<std::string> file_names;

static ppgcc_position position (const std::string &file, unsigned line, unsigned column)
{
	auto found = file_numbers.emplace (file, file_names.size ());
	if (found.second)
		file_names.push_back (file);
	return (ppgcc_position) (found.first->second + 1) << 44 | (ppgcc_position) line << 12 |
	       (column & 0xfff);
}

ppgcc_position ppgcc_position_of (location_t loc)
{
	loc = get_pure_location (loc);
	if (loc <= BUILTINS_LOCATION)
		return 0;
	if (!in_lto_p && !flag_generate_lto)
		return loc;
	expanded_location x = expand_location (loc);
	return x.file ? position (x.file, x.line, x.column) : 0;
}

// ---- finding them

// Whether STMT is part of what an interval does.
static bool counts (gimple *stmt)
{
	return !is_gimple_debug (stmt) && gimple_code (stmt) != GIMPLE_LABEL &&
	       !gimple_clobber_p (stmt) && !ppgcc_marker_p (stmt);
}

// Collects the statements from GSI on to SITE's end, if they are its OWN, as long as there is some
// of the LIMIT left; whether control can go on behind the block.
static bool collect (gimple_stmt_iterator gsi, tree site, bool own, hash_set<gimple *> &inside,
		     unsigned &limit)
{
	for (; !gsi_end_p (gsi) && limit; gsi_next (&gsi)) {
		int op;
		gimple *stmt = gsi_stmt (gsi);
		limit--;
		if (ppgcc_marker_site (stmt, &op) == site && op == PP_ABI_END)
			return false;
		if (own && counts (stmt))
			inside.add (stmt);
	}
	return true;
}

// Collects the statements between BEGIN and the ends of its SITE. What control can come to without
// the begin is not its own: a condition may decide on a begin and an end that are calls, and not on
// what is between. False: there are more than LIMIT.
static bool collect_body (gimple *begin, tree site, hash_set<gimple *> &inside, unsigned limit)
{
	auto_vec<basic_block> work;
	hash_set<basic_block> seen;
	auto go_on = [&] (basic_block bb) {
		edge e;
		edge_iterator i;
		gimple *last = last_stmt (bb);
		FOR_EACH_EDGE (e, i, bb->succs)
		// a longjmp that a call may do leads out, wherever that is; a computed goto leads
		// where it says
		if (!(e->flags & EDGE_ABNORMAL) || (last && gimple_code (last) == GIMPLE_GOTO))
			if (e->dest != EXIT_BLOCK_PTR_FOR_FN (cfun) && !seen.add (e->dest))
				work.safe_push (e->dest);
	};
	gimple_stmt_iterator gsi = gsi_for_stmt (begin);
	gsi_next (&gsi);
	if (collect (gsi, site, true, inside, limit))
		go_on (gimple_bb (begin));
	while (!work.is_empty () && limit) {
		basic_block bb = work.pop ();
		bool own = dominated_by_p (CDI_DOMINATORS, bb, gimple_bb (begin));
		limit--;
		if (collect (gsi_start_bb (bb), site, own, inside, limit))
			go_on (bb);
	}
	return limit;
}

unsigned ppgcc_body_limit (unsigned statements, unsigned intervals)
{
	enum { AROUND = 64, LEAST = 256 };
	return intervals <= AROUND
		       ? UINT_MAX
		       : MAX ((unsigned HOST_WIDE_INT) statements * AROUND / intervals, LEAST);
}

// How many statements stand at each place.
typedef std::unordered_map<ppgcc_position, unsigned> census;

static void count_at (gimple *stmt, census &places)
{
	if (ppgcc_position at = ppgcc_position_of (gimple_location (stmt)))
		places[at]++;
}

// Notes where SITE's statements, INSIDE, stand; EVERYWHERE are those of the whole function.
static void note_body (tree site, const hash_set<gimple *> &inside, const census &everywhere)
{
	body &places = bodies[DECL_UID (site)];
	census own;
	for (gimple *stmt : inside)
		count_at (stmt, own);
	for (const auto &place : own)
		places[place.first] |= place.second < everywhere.at (place.first);
}

namespace
{

const pass_data data = {GIMPLE_PASS, "pppositions", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

class positions_pass : public ppgcc_pass<gimple_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	bool gate (function *) final override
	{
		return optimize && ppgcc_sites ();
	}

	unsigned execute (function *fun) final override
	{
		auto_vec<std::pair<gimple *, tree>> begins;
		census everywhere;
		unsigned statements = 0;
		basic_block bb;
		FOR_EACH_BB_FN (bb, fun)
		for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
		     gsi_next (&gsi)) {
			int op;
			tree site = ppgcc_marker_site (gsi_stmt (gsi), &op);
			if (site && op == PP_ABI_BEGIN)
				begins.safe_push (std::make_pair (gsi_stmt (gsi), site));
		}
		if (begins.is_empty ())
			return 0;
		FOR_EACH_BB_FN (bb, fun)
		for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
		     gsi_next (&gsi))
			if (counts (gsi_stmt (gsi))) {
				count_at (gsi_stmt (gsi), everywhere);
				statements++;
			}
		calculate_dominance_info (CDI_DOMINATORS);
		unsigned limit = ppgcc_body_limit (statements, begins.length ());
		for (auto &begin : begins)
			look_at (fun, begin.first, begin.second, everywhere, limit);
		free_dominance_info (CDI_DOMINATORS);
		return 0;
	}

private:
	static void look_at (function *fun, gimple *begin, tree site, const census &everywhere,
			     unsigned limit)
	{
		hash_set<gimple *> inside;
		bool fenced = ppgcc_site_fenced (site);
		if (!collect_body (begin, site, inside, fenced ? UINT_MAX : limit)) {
			big.insert (DECL_UID (site));
			bodies.erase (DECL_UID (site));
		} else if (big.count (DECL_UID (site)) == 0)
			note_body (site, inside, everywhere);
		if (fenced)
			ppgcc_fence_interval (fun, begin, site, inside);
	}
};

} // namespace

// ---- through LTO

static std::string describe (const body &places)
{
	std::string out = std::to_string (file_names.size ()) + "\n";
	for (const std::string &file : file_names)
		out += file + "\n";
	for (const auto &place : places)
		out += std::to_string (place.first >> 44) + " " +
		       std::to_string (place.first >> 12 & 0xffffffff) + " " +
		       std::to_string (place.first & 0xfff) + " " + std::to_string (place.second) +
		       "\n";
	return out;
}

// Before bodies are written.
static void describe_all (void *, void *)
{
	varpool_node *node;
	if (!flag_generate_lto || in_lto_p || bodies.empty ())
		return;
	FOR_EACH_DEFINED_VARIABLE (node)
	{
		auto found = bodies.find (DECL_UID (node->decl));
		if (found == bodies.end ())
			continue;
		std::string text = describe (found->second);
		DECL_ATTRIBUTES (node->decl) =
			tree_cons (get_identifier (BODY_ATTRIBUTE),
				   build_string (text.size () + 1, text.c_str ()),
				   DECL_ATTRIBUTES (node->decl));
	}
}

static void read_description (const char *text, body &places)
{
	std::vector<std::string> files;
	for (unsigned n = atoi (ppgcc_take_line (text).c_str ()); n; n--)
		files.push_back (ppgcc_take_line (text));
	while (*text) {
		unsigned file, line, column, ambiguous;
		if (sscanf (ppgcc_take_line (text).c_str (), "%u %u %u %u", &file, &line, &column,
			    &ambiguous) != 4 ||
		    file - 1 >= files.size ())
			return;
		places.emplace (position (files[file - 1], line, column), ambiguous);
	}
}

// ---- asking

static void add_owner (unsigned site, const body &places)
{
	for (const auto &place : places)
		owners[place.first].push_back (ppgcc_owner{site, place.second});
}

bool ppgcc_positions_known (tree site)
{
	unsigned uid = DECL_UID (site);
	if (in_lto_p) {
		tree attribute = lookup_attribute (BODY_ATTRIBUTE, DECL_ATTRIBUTES (site));
		if (!attribute)
			return false;
		if (bodies.count (uid) == 0) {
			read_description (TREE_STRING_POINTER (TREE_VALUE (attribute)),
					  bodies[uid]);
			add_owner (uid, bodies[uid]);
		}
	} else if (!owners_made) {
		for (const auto &one : bodies)
			add_owner (one.first, one.second);
		owners_made = true;
	}
	return bodies.count (uid) != 0;
}

const std::vector<ppgcc_owner> *ppgcc_owners (ppgcc_position position)
{
	auto found = position ? owners.find (position) : owners.end ();
	return found == owners.end () ? NULL : &found->second;
}

void ppgcc_positions_register (const char *plugin)
{
	ppgcc_add_pass (plugin, new positions_pass (data), PASS_POS_INSERT_AFTER, "ppmarker");
	register_callback (plugin, PLUGIN_ALL_IPA_PASSES_START, describe_all, NULL);
}
