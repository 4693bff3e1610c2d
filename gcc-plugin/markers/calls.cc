// SPDX-License-Identifier: GPL-3.0-or-later
//
// calls.cc: pp_begin ("NAME"), pp_end, pp_point, pp_feature_begin and their like, the functions of
// pp.h, as markers. It is done on the CFG, so it is the same in every language whose front end is
// GCC's; the functions are known by their symbols, in C and C++ also by the header that declares
// them: a program may have one of that name of its own, and then that is what it calls.
//
// What isn't lowered stays the call that it is: a name that is no literal; a begin or end of a name
// that this function only begins or only ends, since its counterpart in another function is a call
// too. Both or neither, then, and for all of the name's calls in the function, which are markers of
// one site.
//
// Calls have no scope that would end them on every way out. What can be seen on the CFG is told.

#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/markers/lowering.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/site.h"
#include "pp_abi.h"

#include <file-prefix-map.h>
#include <map>

namespace
{

enum { BEGIN, END, POINT };

// What is called: the op, the site's kind, and the letter of its second argument, or 0.
const struct library_function {
	const char *symbol;
	int op, kind;
	char letter;
} functions[] = {
	{"pp_begin", BEGIN, PP_ABI_SITE_INTERVAL, 0},
	{"pp_end", END, PP_ABI_SITE_INTERVAL, 0},
	{"pp_point", POINT, PP_ABI_SITE_POINT, 0},
	{"pp_point_int", POINT, PP_ABI_SITE_POINT, 'i'},
	{"pp_point_double", POINT, PP_ABI_SITE_POINT, 'd'},
	{"pp_feature_begin", BEGIN, PP_ABI_SITE_FEATURE, 's'},
	{"pp_feature_begin_int", BEGIN, PP_ABI_SITE_FEATURE, 'i'},
	{"pp_feature_end", END, PP_ABI_SITE_FEATURE, 0},
	{"pp_antimark_begin", BEGIN, PP_ABI_SITE_ANTIMARK, 0},
	{"pp_antimark_end", END, PP_ABI_SITE_ANTIMARK, 0},
};

struct one_call {
	gimple *stmt;
	const library_function *fn;
};

// The calls of one kind and name that make one site.
struct named {
	auto_vec<gimple *> begins, ends;
	char letter = 0;    // of the begins' payloads
	bool mixed = false; // they have several types
};

} // namespace

bool ppgcc_marks_itself (tree fn)
{
	if (!DECL_NAME (fn))
		return false;
	const char *name = IDENTIFIER_POINTER (DECL_NAME (fn));
	for (const library_function &one : functions)
		if (!strcmp (name, one.symbol))
			return TREE_PUBLIC (fn);
	return startswith (name, "pp_rt_");
}

// Fortran's programs declare the library's functions as they can.
static bool is_librarys (tree fn)
{
	const char *file = DECL_SOURCE_FILE (fn), *slash = file ? strrchr (file, '/') : NULL;
	return !ppgcc_is_c_family () || (file && !strcmp (slash ? slash + 1 : file, "pp_site.h"));
}

// FN's symbol where it may be one of ours: most functions of C have none yet, and needn't get one
// for that.
static const char *symbol_of (tree fn)
{
	if (!TREE_PUBLIC (fn) || !HAS_DECL_ASSEMBLER_NAME_P (fn) || DECL_INITIAL (fn) ||
	    gimple_has_body_p (fn))
		return "";
	if (!DECL_ASSEMBLER_NAME_SET_P (fn) &&
	    !(DECL_NAME (fn) && startswith (IDENTIFIER_POINTER (DECL_NAME (fn)), "pp_")))
		return "";
	return IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (fn));
}

// What STMT calls, or NULL.
static const library_function *function_of (gimple *stmt)
{
	tree fn = is_gimple_call (stmt) ? gimple_call_fndecl (stmt) : NULL_TREE;
	const char *symbol = fn ? symbol_of (fn) : "";
	if (!startswith (symbol, "pp_"))
		return NULL;
	for (const library_function &one : functions)
		if (!strcmp (symbol, one.symbol))
			return gimple_call_num_args (stmt) == (one.letter ? 2 : 1) &&
					       is_librarys (fn)
				       ? &one
				       : NULL;
	return NULL;
}

// The text of a literal in STMT's first argument, without what follows a NUL; "" where it is none.
// Fortran's begin with element 1 and, without c_null_char, have no NUL.
static std::string literal (gimple *stmt)
{
	tree arg = gimple_call_arg (stmt, 0);
	if (TREE_CODE (arg) != ADDR_EXPR)
		return "";
	arg = TREE_OPERAND (arg, 0);
	if (TREE_CODE (arg) == ARRAY_REF &&
	    tree_int_cst_equal (TREE_OPERAND (arg, 1), array_ref_low_bound (arg)))
		arg = TREE_OPERAND (arg, 0);
	if (TREE_CODE (arg) != STRING_CST)
		return "";
	const char *text = TREE_STRING_POINTER (arg);
	return std::string (text, strnlen (text, TREE_STRING_LENGTH (arg)));
}

// ---- what can be seen on the CFG

static bool among (const auto_vec<gimple *> &calls, gimple *stmt)
{
	for (gimple *one : calls)
		if (one == stmt)
			return true;
	return false;
}

// Whether control can go from START (NULL: the function's entry) to GOAL (a statement; NULL: the
// function's return) without passing any of STOPS. Exceptions and jumps that the CFG only supposes
// don't count.
static bool reaches (gimple *start, gimple *goal, const auto_vec<gimple *> &stops)
{
	auto_vec<basic_block> work;
	hash_set<basic_block> seen;
	work.safe_push (start ? gimple_bb (start) : ENTRY_BLOCK_PTR_FOR_FN (cfun));
	for (gimple *from = start; !work.is_empty (); from = NULL) {
		basic_block bb = work.pop ();
		if (bb == EXIT_BLOCK_PTR_FOR_FN (cfun)) {
			if (!goal)
				return true;
			continue;
		}
		gimple_stmt_iterator gsi = from ? gsi_for_stmt (from) : gsi_start_bb (bb);
		if (from)
			gsi_next (&gsi);
		bool stopped = false;
		for (; !gsi_end_p (gsi) && !stopped; gsi_next (&gsi)) {
			if (goal && gsi_stmt (gsi) == goal)
				return true;
			stopped = among (stops, gsi_stmt (gsi));
		}
		edge e;
		edge_iterator i;
		if (!stopped)
			FOR_EACH_EDGE (e, i, bb->succs)
		if (!(e->flags & (EDGE_EH | EDGE_ABNORMAL)) && !seen.add (e->dest))
			work.safe_push (e->dest);
	}
	return false;
}

// An end that is reached without a begin, or NULL.
static gimple *early_end (const named &calls)
{
	for (gimple *end : calls.ends)
		if (reaches (NULL, end, calls.begins))
			return end;
	return NULL;
}

// A begin from which the function returns without an end, or NULL.
static gimple *open_begin (const named &calls)
{
	for (gimple *begin : calls.begins)
		if (reaches (begin, NULL, calls.ends))
			return begin;
	return NULL;
}

static bool ever_paired (const named &calls)
{
	auto_vec<gimple *> none;
	for (gimple *begin : calls.begins)
		for (gimple *end : calls.ends)
			if (reaches (begin, end, none))
				return true;
	return false;
}

// "if (x) pp_begin (...); ...; if (x) pp_end (...);" has ways to both mistakes that are never
// taken: where both are there, nothing is said unless no begin ever comes to an end.
static void check_pairs (int kind, const std::string &name, const named &calls)
{
	gimple *early = early_end (calls), *open = open_begin (calls);
	const char *what = kind == PP_ABI_SITE_FEATURE    ? "feature_"
			   : kind == PP_ABI_SITE_ANTIMARK ? "antimark_"
							  : "";
	if (early && open && ever_paired (calls))
		return;
	if (early)
		warning_at (gimple_location (early), 0,
			    "%<pp_%send (\"%s\")%> can be reached without its %<pp_%sbegin%>", what,
			    name.c_str (), what);
	if (open)
		warning_at (gimple_location (open), 0,
			    "the function can return without a %<pp_%send%> of what "
			    "%<pp_%sbegin (\"%s\")%> begins",
			    what, what, name.c_str ());
}

// ---- lowering

static tree site_text (const std::string &name, gimple *where, int kind)
{
	static int serial;
	expanded_location at = expand_location (gimple_location (where));
	ppgcc_site site;
	site.kind = kind;
	site.flags = 0;
	site.line = at.line;
	site.column = at.column;
	site.serial = --serial; // negative: without a scope
	site.name = name;
	site.file = at.file ? at.file : "";
	site.function = ppgcc_function_name (current_function_decl);
	ppgcc_site_in (site, current_function_decl);
	return ppgcc_literal (ppgcc_site_pack (site));
}

// A call of marker function OP instead of STMT.
static void lower (gimple *stmt, ppgcc_op op, tree text, const char *letters)
{
	tree fn = ppgcc_marker_declaration (op);
	gcall *call = letters ? gimple_build_call (fn, 3, text, ppgcc_literal (letters),
						   gimple_call_arg (stmt, 1))
			      : gimple_build_call (fn, 1, text);
	gimple_set_location (call, gimple_location (stmt));
	gimple_set_block (call, gimple_block (stmt));
	gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
	gsi_replace (&gsi, call, true);
	gimple_purge_dead_eh_edges (gimple_bb (call)); // a marker doesn't throw
	gimple_purge_dead_abnormal_call_edges (gimple_bb (call));
}

// BEGIN's payload, where it is NULL, is its file and line, as the macro of pp_site.h has it without
// the plugin: no marker says it, or the marker of another begin says its own.
static void say_place (gimple *begin, const library_function *fn)
{
	expanded_location at = expand_location (gimple_location (begin));
	if (fn->letter == 's' && ppgcc_is_c_family () && at.file &&
	    integer_zerop (gimple_call_arg (begin, 1)))
		gimple_call_set_arg (begin, 1,
				     ppgcc_literal (std::string (remap_macro_filename (at.file)) +
						    ":" + std::to_string (at.line)));
}

static void lower_interval (int kind, const std::string &name, const named &calls)
{
	if (calls.begins.is_empty () || calls.ends.is_empty () || calls.mixed) {
		for (gimple *begin : calls.begins)
			say_place (begin, function_of (begin));
		return;
	}
	check_pairs (kind, name, calls);
	tree text = site_text (name, calls.begins[0], kind);
	const char letters[] = {calls.letter, 0};
	for (gimple *begin : calls.begins) {
		if (LOCATION_LINE (gimple_location (begin)) !=
		    LOCATION_LINE (gimple_location (calls.begins[0])))
			say_place (begin, function_of (begin));
		lower (begin, PPGCC_BEGIN, text, calls.letter ? letters : NULL);
	}
	for (gimple *end : calls.ends)
		lower (end, PPGCC_END, text, NULL);
}

static void lower_point (const one_call &call, const std::string &name)
{
	tree text = site_text (name, call.stmt, PP_ABI_SITE_POINT);
	const char letters[] = {call.fn->letter, 0};
	if (call.fn->letter)
		lower (call.stmt, PPGCC_VALUE, text, letters);
	else
		lower (call.stmt, PPGCC_POINT, text, NULL);
}

static void add_begin (named &of, const one_call &call)
{
	of.mixed |= !of.begins.is_empty () && of.letter != call.fn->letter;
	of.letter = call.fn->letter;
	of.begins.safe_push (call.stmt);
}

namespace
{

const pass_data data = {GIMPLE_PASS, "ppcalls", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

class calls_pass : public ppgcc_pass<gimple_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	unsigned execute (function *fun) final override
	{
		auto_vec<one_call> found;
		basic_block bb;
		FOR_EACH_BB_FN (bb, fun)
		for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi);
		     gsi_next (&gsi)) {
			const library_function *fn = function_of (gsi_stmt (gsi));
			if (fn)
				found.safe_push ({gsi_stmt (gsi), fn});
		}
		if (found.is_empty () || ppgcc_refused (gimple_location (found[0].stmt)))
			return 0;
		lower_calls (found);
		return TODO_cleanup_cfg;
	}

private:
	static void lower_calls (const auto_vec<one_call> &found)
	{
		std::map<std::pair<int, std::string>, named> intervals;
		for (const one_call &call : found) {
			std::string name = literal (call.stmt);
			if (name.empty ()) {
				say_place (call.stmt, call.fn);
				continue;
			}
			named *of = call.fn->op == POINT ? NULL : &intervals[{call.fn->kind, name}];
			if (!of)
				lower_point (call, name);
			else if (call.fn->op == BEGIN)
				add_begin (*of, call);
			else
				of->ends.safe_push (call.stmt);
		}
		for (const auto &one : intervals)
			lower_interval (one.first.first, one.first.second, one.second);
	}
};

} // namespace

void ppgcc_calls_register (const char *plugin)
{
	ppgcc_add_pass (plugin, new calls_pass (data), PASS_POS_INSERT_BEFORE, "ppmarker");
}
