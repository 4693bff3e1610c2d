// SPDX-License-Identifier: GPL-3.0-or-later
//
// coverage.cc: after the last scheduling, which of an interval's instructions are still between its
// markers.
//
//     source                         instructions
//     begin                          begin
//     r = a / b                      end                 the division is the interval's own (positions.cc), but the
//     end                            r = a / b           markers don't enclose it: coverage 0 %
//     return r                       return r
//
// A forward dataflow over the markers says for every instruction whether control may be before,
// inside or behind the interval there. It counts as often as its block is expected to run, times
// what it costs. Copies of a site in one instance of its function (unrolled ones) are looked at
// together, those in different inlined instances apart: an instruction belongs to the copy whose
// function it was inlined with.
//
// The figures become a struct pp_abi_estimate for each begin, which emit.cc writes.

#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/markers/note.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/passes/truth.h"
#include "pp_abi.h"

#include <rtl.h>
#include <rtlanal.h>
#include <sreal.h>

#include <map>
#include <unordered_map>

// Of the function at hand, by the begin's INSN_UID.
static std::unordered_map<int, std::string> records;

std::string ppgcc_estimate_record (rtx_insn *insn)
{
	auto found = records.find (INSN_UID (insn));
	return found == records.end () ? "" : found->second;
}

namespace
{

// ---- markers

// Where control may be, seen from one copy of an interval.
enum { BEFORE = PPGCC_BEFORE, BEHIND = PPGCC_BEHIND, INSIDE = 4 };

struct copy {
	tree site;
	tree scope; // the inlined function's block, or NULL_TREE
	auto_vec<rtx_insn *> begins;
	bool beside_clean_copy = false; // in a loop that has a copy without markers
	basic_block chosen = NULL;      // what the copy with markers begins with
	double scale = 1;               // how much more often it runs while it is chosen
	double inside = 0, outside = 0;
	unsigned n_in = 0;        // instructions of others that are certainly inside
	bool known = false;       // which instructions are its own
	bool open = false;        // certainly, at the instruction at hand
	unsigned opened_at = 0;   // by m_count
	double most = 0;          // how often what is inside runs at most
	bool calls = false;       // what costs nobody knows what is inside
	bool known_loops = false; // and how often loops run
	std::vector<ppgcc_moved> moved;
	double own_cost () const
	{
		return inside + outside;
	}
};

struct event {
	rtx_insn *insn;
	unsigned copy;
	int state;
};

// The descriptor that a marker's text names.
tree site_of (rtx text)
{
	rtx address = ASM_OPERANDS_INPUT_LENGTH (text) ? ASM_OPERANDS_INPUT (text, 0) : NULL_RTX;
	if (address && GET_CODE (address) == CONST)
		address = XEXP (address, 0);
	return address && GET_CODE (address) == SYMBOL_REF ? SYMBOL_REF_DECL (address) : NULL_TREE;
}

// The block of the inlined function that BLOCK is part of; NULL_TREE: of the function itself.
tree scope_of (tree block)
{
	for (; block && TREE_CODE (block) == BLOCK; block = BLOCK_SUPERCONTEXT (block))
		if (inlined_function_outer_scope_p (block))
			return block;
	return NULL_TREE;
}

// ---- the analysis of one function

class analysis
{
public:
	explicit analysis (function *fun) : m_fun (fun)
	{
	}
	// False: there is nothing to look at.
	bool find_markers ();
	// False: the function is too big.
	bool flow ();
	void judge ();
	void write ();
	void warn ();

private:
	typedef unsigned HOST_WIDE_INT word; // states of eight copies: they are joined at once

	function *m_fun;
	std::vector<copy *> m_copies;
	std::map<std::pair<unsigned, tree>, unsigned>
		m_numbers; // of copies, by DECL_UID of site and scope
	std::map<unsigned, std::vector<unsigned>> m_by_site;
	std::map<int, std::vector<event>> m_events; // by block, in order
	std::vector<word> m_in;                     // states by block and copy
	size_t m_words = 0;                         // of a block
	std::vector<char> m_owned;                  // of the instruction at hand, by copy
	std::vector<unsigned> m_owners;
	unsigned m_count = 0; // instructions that have been judged

	unsigned number (tree site, tree scope);
	word *state (basic_block bb)
	{
		return &m_in[bb->index * m_words];
	}
	static unsigned char get (const std::vector<word> &states, unsigned copy)
	{
		return states[copy / 8] >> copy % 8 * 8;
	}
	static void set (std::vector<word> &states, unsigned copy, unsigned char state)
	{
		states[copy / 8] &= ~((word) 0xff << copy % 8 * 8);
		states[copy / 8] |= (word) state << copy % 8 * 8;
	}
	double frequency (basic_block bb) const;
	void own (unsigned copy, bool ambiguous);
	void own_position (location_t loc, tree scope, bool scope_known);
	void find_owners (rtx_insn *insn);
	void set_open (unsigned copy, bool open);
	void set_all_open (const std::vector<word> &now, bool open);
	void pass_marker (const event &marker, std::vector<word> &now);
	void find_chosen (copy &copy);
	double weight_in (const copy &copy, rtx_insn *insn, bool inside) const;
	void judge_insn (rtx_insn *insn, double weight, const std::vector<word> &now);
	bool sure (const copy &copy) const;
};

unsigned analysis::number (tree site, tree scope)
{
	auto found = m_numbers.emplace (std::make_pair (DECL_UID (site), scope), m_copies.size ());
	if (found.second) {
		m_copies.push_back (new copy);
		m_copies.back ()->site = site;
		m_copies.back ()->scope = scope;
		m_by_site[DECL_UID (site)].push_back (found.first->second);
	}
	return found.first->second;
}

bool analysis::find_markers ()
{
	basic_block bb;
	rtx_insn *insn;
	bool any = false;
	FOR_EACH_BB_FN (bb, m_fun)
	FOR_BB_INSNS (bb, insn)
	{
		rtx text = ppgcc_marker_asm (insn);
		tree site = text ? site_of (text) : NULL_TREE;
		int op = site ? ppgcc_note_op (ASM_OPERANDS_TEMPLATE (text)) : -1;
		if (op != PP_ABI_BEGIN && op != PP_ABI_END)
			continue;
		unsigned n = number (site, scope_of (INSN_LOCATION (insn)
							     ? LOCATION_BLOCK (INSN_LOCATION (insn))
							     : NULL_TREE));
		m_events[bb->index].push_back (
			event{insn, n, op == PP_ABI_BEGIN ? INSIDE : BEHIND});
		if (op == PP_ABI_BEGIN) {
			m_copies[n]->begins.safe_push (insn);
			m_copies[n]->beside_clean_copy |=
				ppgcc_note_read (ASM_OPERANDS_TEMPLATE (text)).flags &
				PP_ABI_MARKER_LOOP;
			any = true;
		}
	}
	return any;
}

// What may hold at the begin of each block.
bool analysis::flow ()
{
	enum { WORDS_MAX = 1 << 23 };
	m_words = m_copies.size () / 8 + 1;
	if (last_basic_block_for_fn (m_fun) > (int) (WORDS_MAX / m_words))
		return false; // every coverage stays unknown
	m_in.assign (last_basic_block_for_fn (m_fun) * m_words, 0);
	std::vector<word> out (m_words);
	int *order = XNEWVEC (int, n_basic_blocks_for_fn (m_fun));
	int blocks = pre_and_rev_post_order_compute_fn (m_fun, NULL, order, true);
	memset (state (ENTRY_BLOCK_PTR_FOR_FN (m_fun)), BEFORE, m_words * sizeof (word));
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < blocks; i++) {
			basic_block bb = BASIC_BLOCK_FOR_FN (m_fun, order[i]);
			out.assign (state (bb), state (bb) + m_words);
			auto events = m_events.find (bb->index);
			if (events != m_events.end ())
				for (const event &one : events->second)
					set (out, one.copy, one.state);
			edge e;
			edge_iterator j;
			FOR_EACH_EDGE (e, j, bb->succs)
			{
				word *to = state (e->dest);
				const word *from = out.data ();
				for (size_t k = 0; k < m_words; k++) {
					changed |= (from[k] & ~to[k]) != 0;
					to[k] |= from[k];
				}
			}
		}
	}
	free (order);
	return true;
}

// How often BB runs per execution of the function.
double analysis::frequency (basic_block bb) const
{
	bool known = false;
	profile_count entry = ENTRY_BLOCK_PTR_FOR_FN (m_fun)->count;
	if (!bb->count.initialized_p () || !entry.initialized_p () || !entry.nonzero_p ())
		return 1;
	double scale = bb->count.to_sreal_scale (entry, &known).to_double ();
	return known ? scale : 1;
}

void analysis::own (unsigned copy, bool ambiguous)
{
	if (!m_owned[copy])
		m_owners.push_back (copy);
	m_owned[copy] = MAX (m_owned[copy], ambiguous ? 1 : 2);
}

// Notes which copies a statement at LOC in the function of SCOPE belongs to.
void analysis::own_position (location_t loc, tree scope, bool scope_known)
{
	const std::vector<ppgcc_owner> *owners = ppgcc_owners (ppgcc_position_of (loc));
	if (!owners)
		return;
	for (const ppgcc_owner &one : *owners) {
		auto copies = m_by_site.find (one.site);
		if (copies == m_by_site.end ())
			continue;
		auto there = m_numbers.find (std::make_pair (one.site, scope));
		if (scope_known && there != m_numbers.end ())
			own (there->second, one.ambiguous);
		else if (!scope_known && copies->second.size () == 1)
			own (copies->second[0], one.ambiguous);
	}
}

// Fills m_owners: by the instruction's own place, and by those of the calls that it was inlined
// through.
void analysis::find_owners (rtx_insn *insn)
{
	for (unsigned n : m_owners)
		m_owned[n] = 0;
	m_owners.clear ();
	location_t loc = INSN_LOCATION (insn);
	tree block = loc ? LOCATION_BLOCK (loc) : NULL_TREE;
	if (!loc)
		return;
	tree scope = scope_of (block);
	own_position (loc, scope, block != NULL_TREE);
	while (scope) {
		tree outer = scope_of (BLOCK_SUPERCONTEXT (scope));
		own_position (BLOCK_SOURCE_LOCATION (scope), outer, true);
		scope = outer;
	}
}

// Begins or ends to count for COPY the instructions that are certainly inside.
void analysis::set_open (unsigned n, bool open)
{
	copy &copy = *m_copies[n];
	if (copy.open && !open)
		copy.n_in += m_count - copy.opened_at;
	else if (!copy.open && open)
		copy.opened_at = m_count;
	copy.open = open;
}

void analysis::set_all_open (const std::vector<word> &now, bool open)
{
	for (size_t k = 0; k < m_words; k++)
		for (unsigned n = k * 8;
		     (now[k] & 0x0404040404040404) && n < m_copies.size () && n < k * 8 + 8; n++)
			if (get (now, n) == INSIDE)
				set_open (n, open);
}

void analysis::pass_marker (const event &marker, std::vector<word> &now)
{
	set (now, marker.copy, marker.state);
	set_open (marker.copy, marker.state == INSIDE);
}

// The only edge into BB but those of a loop that it is the header of; NULL: there are several.
edge only_entry (basic_block bb)
{
	edge e, only = NULL;
	edge_iterator i;
	FOR_EACH_EDGE (e, i, bb->preds)
	{
		if (dominated_by_p (CDI_DOMINATORS, e->src, bb))
			continue;
		if (only)
			return NULL;
		only = e;
	}
	return only;
}

// Where a loop has a copy without markers, what is said is about the other one: as if that were
// always chosen. Finds the block that it begins with, behind a way that is hardly ever taken.
void analysis::find_chosen (copy &copy)
{
	if (!copy.beside_clean_copy)
		return;
	for (basic_block bb = BLOCK_FOR_INSN (copy.begins[0]); bb != ENTRY_BLOCK_PTR_FOR_FN (m_fun);
	     bb = get_immediate_dominator (CDI_DOMINATORS, bb)) {
		edge e = only_entry (bb);
		if (!e || !e->probability.initialized_p () ||
		    e->probability > profile_probability::always ().apply_scale (1, 1000) ||
		    e->probability == profile_probability::never ())
			continue;
		copy.chosen = bb;
		copy.scale = 1 / e->probability.to_sreal ().to_double ();
		return;
	}
}

// How INSN counts for COPY, beside how often its block runs; 0 where it belongs to the copy of the
// loop without markers.
double analysis::weight_in (const copy &copy, rtx_insn *insn, bool inside) const
{
	basic_block bb = BLOCK_FOR_INSN (insn);
	if (!copy.chosen)
		return 1;
	if (dominated_by_p (CDI_DOMINATORS, bb, copy.chosen))
		return copy.scale;
	rtx set = single_set (insn);
	bool common = dominated_by_p (CDI_DOMINATORS, copy.chosen, bb) ||
		      dominated_by_p (CDI_POST_DOMINATORS, copy.chosen, bb);
	return inside || (common && !(set && VECTOR_MODE_P (GET_MODE (SET_DEST (set))))) ? 1 : 0;
}

void analysis::judge_insn (rtx_insn *insn, double weight, const std::vector<word> &now)
{
	const ppgcc_price what = ppgcc_price_of (insn);
	location_t loc = INSN_LOCATION (insn);
	if (!what.cost || LOCATION_LOCUS (loc) <= BUILTINS_LOCATION)
		return;
	find_owners (insn);
	m_count++;
	for (unsigned n : m_owners) {
		copy &copy = *m_copies[n];
		unsigned char where = get (now, n);
		copy.opened_at += copy.open; // it is its own
		double runs = weight * weight_in (copy, insn, where & INSIDE),
		       cost = runs * what.cost;
		if (where & INSIDE) {
			copy.calls |= what.guess;
			copy.most = MAX (copy.most, runs);
		}
		if (m_owned[n] == 1)
			continue; // ambiguous
		if (where & INSIDE)
			copy.inside += cost;
		else if (cost > 0) {
			copy.outside += cost;
			copy.moved.push_back (ppgcc_moved{loc, what.dear, where, cost});
		}
	}
}

// Sums up what each copy's own instructions are, and where.
void analysis::judge ()
{
	basic_block bb;
	rtx_insn *insn;
	for (copy *copy : m_copies) {
		copy->known = ppgcc_positions_known (copy->site);
		find_chosen (*copy);
	}
	m_owned.assign (m_copies.size (), 0);
	FOR_EACH_BB_FN (bb, m_fun)
	{
		std::vector<word> now (state (bb), state (bb) + m_words);
		double weight = frequency (bb);
		auto events = m_events.find (bb->index);
		size_t next = 0;
		set_all_open (now, true);
		FOR_BB_INSNS (bb, insn)
		{
			if (events != m_events.end () && next < events->second.size () &&
			    events->second[next].insn == insn) {
				pass_marker (events->second[next++], now);
			} else if (NONDEBUG_INSN_P (insn) && !ppgcc_marker_asm (insn))
				judge_insn (insn, weight, now);
		}
		set_all_open (now, false);
	}
}

// ---- writing it down

unsigned permille (const copy &copy)
{
	if (!optimize)
		return 1000; // nothing moves
	if (!(copy.own_cost () > 0))
		return PP_ABI_COVERAGE_UNKNOWN;
	return copy.inside / copy.own_cost () * 1000 + 0.5;
}

unsigned HOST_WIDE_INT bits (double value)
{
	unsigned HOST_WIDE_INT out;
	static_assert (sizeof (out) == sizeof (value), "a double has 64 bits");
	memcpy (&out, &value, sizeof (out));
	return out;
}

unsigned bits (float value)
{
	unsigned out;
	memcpy (&out, &value, sizeof (out));
	return out;
}

// struct pp_abi_estimate behind its first field; "" where it would say nothing.
std::string record (const copy &copy, const ppgcc_figures &figures, double weight)
{
	bool known = permille (copy) != PP_ABI_COVERAGE_UNKNOWN;
	unsigned flags = figures.approximate ? PP_ABI_ESTIMATE_APPROXIMATE : 0;
	unsigned n_in = copy.known ? MIN (copy.n_in, 0xffffu) : 0;
	std::string out = "," + std::to_string (permille (copy) | flags << 16) + "," +
			  std::to_string (bits ((float) weight)) + "," +
			  std::to_string (MIN (copy.moved.size (), 0xffff) | n_in << 16) +
			  "\n\t.quad ";
	for (double ppgcc_figures::*one : PPGCC_FIGURES) {
		known |= figures.*one == figures.*one;
		out += std::to_string (bits (figures.*one)) +
		       (one == &ppgcc_figures::calls ? "\n" : ",");
	}
	return known ? out : "";
}

void analysis::write ()
{
	for (copy *copy : m_copies)
		for (rtx_insn *insn : copy->begins) {
			rtx text = ppgcc_marker_asm (insn);
			ppgcc_figures figures = ppgcc_read_figures (
				ppgcc_note_read (ASM_OPERANDS_TEMPLATE (text)).figures);
			copy->known_loops = figures.operations == figures.operations;
			records[INSN_UID (insn)] = record (
				*copy, figures, frequency (BLOCK_FOR_INSN (insn)) * copy->scale);
		}
}

// Whether shares of what COPY costs are known: no call is inside and no loop of unknown length,
// which is where more runs than the begin does.
bool analysis::sure (const copy &copy) const
{
	basic_block bb = BLOCK_FOR_INSN (copy.begins[0]);
	bool counted = bb->count.initialized_p ();
	double runs = frequency (bb) * copy.scale;
	return !copy.calls &&
	       (copy.known_loops || !(copy.inside > 0) || (counted && copy.most <= runs * 1.01));
}

void analysis::warn ()
{
	for (copy *copy : m_copies) {
		if (!ppgcc_site_fenced (copy->site) && !copy->begins.is_empty () &&
		    !copy->moved.empty ())
			ppgcc_warn_moved (INSN_LOCATION (copy->begins[0]), copy->site, copy->inside,
					  copy->outside, sure (*copy), copy->moved);
		delete copy;
	}
}

const pass_data data = {RTL_PASS, "ppcoverage", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

class coverage_pass : public ppgcc_pass<rtl_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	unsigned execute (function *fun) final override
	{
		records.clear ();
		analysis analysis (fun);
		if (analysis.find_markers ()) {
			if (optimize) {
				calculate_dominance_info (CDI_DOMINATORS);
				calculate_dominance_info (CDI_POST_DOMINATORS);
				if (analysis.flow ())
					analysis.judge ();
				free_dominance_info (CDI_DOMINATORS);
				free_dominance_info (CDI_POST_DOMINATORS);
			}
			analysis.write ();
		}
		analysis.warn ();
		return 0;
	}
};

} // namespace

void ppgcc_coverage_register (const char *plugin)
{
	ppgcc_add_pass (plugin, new coverage_pass (data, ppgcc_may_have_markers),
			PASS_POS_INSERT_AFTER, "sched2");
}
