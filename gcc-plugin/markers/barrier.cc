// SPDX-License-Identifier: GPL-3.0-or-later
//
// barrier.cc: which markers are barriers for memory, and what other functions may believe of those
// that have such markers.
//
// A metric's function that is the program's own may read and write any variable. A marker at which
// one is measured has to be what a call of that function would be:
//
//   here       the asm clobbers memory; a guard's call stands between two empty asms that do
//   callers    ipa-reference sums up which static variables a function touches, by its references
//              and its calls. It takes no notice of asms, and the "leaf" of guards' calls says that
//              nothing of this unit is called. So it is switched off for such functions: then it
//              takes them to touch everything. All other summaries (pure, const, modref, IPA-SRA,
//              IPA-CP) come from what the statements clobber
//
// The decision falls when markers are made: then all of the unit is parsed, so a metric may be
// declared behind its site. What is not known there is taken for a function of the program's: a
// metric that the unit does not declare, a source that is not the library's.

#include "gcc-plugin/base/patterns.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/markers/barrier.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/metric.h"
#include "gcc-plugin/markers/note.h"
#include "gcc-plugin/markers/site.h"
#include "pp_abi.h"

#include <map>
#include <vector>

// ---- what a metric runs

bool ppgcc_touches_memory (tree fn)
{
	return fn && !TREE_READONLY (fn); // not "const"
}

// Whether NAME is one of the library's; of "papi:EVENT" it is what precedes the colon. PAPI's "sde"
// counters are the program's own variables and functions.
static bool library_source (const std::string &name)
{
#define X(source) #source,
	static const char *const known[] = {PP_ABI_SOURCES (X)};
#undef X
	if (startswith (name.c_str (), "papi:sde"))
		return false;
	std::string word = name.substr (0, name.find (':'));
	for (const char *one : known)
		if (word == one)
			return true;
	return false;
}

static bool library_operator (const std::string &name)
{
#define X(id, text) text,
	static const char *const known[] = {PP_ABI_OPERATORS (X)};
#undef X
	for (const char *one : known)
		if (name == one)
			return true;
	return false;
}

// Whether one of the options in DECLARATION names a function that may be the program's.
static bool options_touch_memory (const std::string &declaration)
{
	for (size_t at = declaration.find (','), end; at != std::string::npos; at = end) {
		end = declaration.find (',', at + 1);
		std::string option =
			declaration.substr (at + 1, end == std::string::npos ? end : end - at - 1);
		if (end == std::string::npos && !option.empty ())
			option.pop_back (); // the parenthesis
		if (startswith (option.c_str (), "fallback=") &&
		    !library_source (option.substr (9)))
			return true;
		if (startswith (option.c_str (), "operator=") &&
		    !library_operator (option.substr (9)))
			return true;
	}
	return false;
}

static bool metric_touches_memory (tree decl)
{
	tree begin = ppgcc_metric_function (decl, false);
	if (begin ? ppgcc_touches_memory (begin) ||
			    ppgcc_touches_memory (ppgcc_metric_function (decl, true))
		  : !library_source (ppgcc_metric_source (decl)))
		return true;
	return options_touch_memory (ppgcc_metric_declaration (decl));
}

// ---- what the unit says

namespace
{

struct bind_statement {
	std::string metric, site;
};

// What the unit declares; precompiled headers keep declarations.
struct known_metrics {
	std::map<std::string, bool> touch_memory;       // by name
	bool some_point = false, some_interval = false; // of those that do
};

} // namespace

// A statement in a precompiled header is not among them; binding is then as from another unit.
static std::vector<bind_statement> binds;

void ppgcc_note_bind (const char *metric, const std::string &site)
{
	binds.push_back ({metric, site});
}

static const known_metrics &metrics ()
{
	static known_metrics known;
	static bool looked;
	varpool_node *node;
	if (looked)
		return known;
	looked = true;
	FOR_EACH_VARIABLE (node)
	{
		if (!DECL_NAME (node->decl) ||
		    !lookup_attribute ("pp metric", DECL_ATTRIBUTES (node->decl)))
			continue;
		bool touches = metric_touches_memory (node->decl);
		known.touch_memory[IDENTIFIER_POINTER (DECL_NAME (node->decl))] = touches;
		bool point = startswith (ppgcc_metric_declaration (node->decl), "point");
		(point ? known.some_point : known.some_interval) |= touches;
	}
	return known;
}

static bool touches_memory (const std::string &metric)
{
	auto found = metrics ().touch_memory.find (metric);
	return found == metrics ().touch_memory.end () || found->second;
}

// Whether one of the NAMES, with commas between, is what TEST is true of.
template <typename T> static bool any_of (const std::string &names, T test)
{
	for (size_t at = 0, end; at < names.size (); at = end + 1) {
		end = std::min (names.find (',', at), names.size ());
		if (test (names.substr (at, end - at)))
			return true;
	}
	return false;
}

bool ppgcc_by_property (const std::string &pattern)
{
	static const char *const properties[] = {"group:", "file:", "fn:", "module:", "feature:"};
	for (const char *one : properties)
		if (startswith (pattern.c_str (), one))
			return true;
	return pattern.find (':') != std::string::npos && pattern.find ('/') == std::string::npos;
}

// Whether PATTERN, of a statement, may choose SITE. Of a path only what follows the last "/" is
// looked at: the rest knows more of modules and files than the compiler does.
static bool may_choose (const std::string &pattern, const ppgcc_site &site)
{
	if (startswith (pattern.c_str (), "group:"))
		return any_of (site.groups, [&] (const std::string &group) {
			return ppgcc_glob (pattern.c_str () + strlen ("group:"), group.c_str ());
		});
	if (ppgcc_by_property (pattern) || pattern.find ("**") != std::string::npos)
		return true;
	size_t slash = pattern.rfind ('/');
	std::string name = slash == std::string::npos ? pattern : pattern.substr (slash + 1);
	size_t line = name.find ('@');
	if (line != std::string::npos)
		name.resize (line);
	return ppgcc_glob (name.c_str (), site.name.c_str ());
}

bool ppgcc_site_is_barrier (const ppgcc_site &site)
{
	if (site.flags & PP_ABI_SITE_INLINE)
		return false; // the code itself calls
	if (site.flags & PP_ABI_SITE_FENCE || any_of (site.metrics, touches_memory))
		return true;
	// a call that is lowered was written as one, and is bound by name only
	if (site.serial < 0 &&
	    (site.kind == PP_ABI_SITE_POINT ? metrics ().some_point : metrics ().some_interval))
		return true;
	for (const bind_statement &one : binds)
		if (touches_memory (one.metric) && may_choose (one.site, site))
			return true;
	return false;
}

// ---- summaries

// FN has a marker that is a barrier: nobody is to believe that it leaves static variables alone.
static void sum_up_as_unknown (tree fn)
{
	tree node = DECL_FUNCTION_SPECIFIC_OPTIMIZATION (fn);
	gcc_options options = global_options, set = global_options_set;
	cl_optimization_restore (&options, &set,
				 TREE_OPTIMIZATION (node ? node : optimization_default_node));
	if (!options.x_flag_ipa_reference)
		return;
	options.x_flag_ipa_reference = 0;
	DECL_FUNCTION_SPECIFIC_OPTIMIZATION (fn) = build_optimization_node (&options, &set);
}

static bool is_barrier (gimple *stmt)
{
	int op;
	tree site = is_gimple_call (stmt)
			    ? gimple_call_num_args (stmt) ? gimple_call_arg (stmt, 0) : NULL_TREE
			    : ppgcc_marker_site (stmt, &op);
	if (site && TREE_CODE (site) == ADDR_EXPR)
		site = TREE_OPERAND (site, 0);
	return site && VAR_P (site) &&
	       lookup_attribute (PPGCC_BARRIER_ATTRIBUTE, DECL_ATTRIBUTES (site));
}

// When the early inliner is done: what it has inlined has brought its markers along. What is
// inlined later is still a callee to ipa-reference.
static void look_at (cgraph_node *node)
{
	function *fun = DECL_STRUCT_FUNCTION (node->decl);
	basic_block bb;
	if (!fun || !fun->cfg)
		return;
	FOR_EACH_BB_FN (bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi); gsi_next (&gsi))
		if (ppgcc_marker_p (gsi_stmt (gsi)) && is_barrier (gsi_stmt (gsi))) {
			sum_up_as_unknown (node->decl);
			return;
		}
}

static const pass_data data = {IPA_PASS, "ppbarrier", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

void ppgcc_barrier_register (const char *plugin)
{
	ppgcc_add_pass (plugin, new ppgcc_summary_pass<look_at> (data), PASS_POS_INSERT_BEFORE,
			"fnsummary");
}
