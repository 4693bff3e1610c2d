// SPDX-License-Identifier: GPL-3.0-or-later
//
// plugin.cc: what GCC calls when it loads ppgcc.so: version check, arguments, and the registration
// of everything else. It stands above all rooms (gcc-plugin/rooms): it alone knows who is there,
// and in which order passes are put in.
//
// The way of a pragma through the compiler:
//
//   language/pragma.cc    reads "#pragma pp ..." from the parser
//   language/front-*.cc   put calls of marker functions (__pp_begin ("...")) into the tree; an
//                         interval's end is a cleanup of the block
//   functions/            the same around whole functions, loops and calls: attributes and rules
//   markers/computed.cc   while blocks are nested: ends before computed gotos, where GCC runs no
//                         cleanup
//   markers/calls.cc      when the CFG is built: pp_begin ("NAME") and the like become calls of
//                         marker functions
//   markers/marker.cc     right after the CFG is built: the calls become asm markers, or guards,
//                         and static data (site.cc, record.cc), with what they hand over
//                         (values.cc), computed in a cold block (cold.cc)
//   markers/barrier.cc    which of them are barriers for memory; what callers of their functions
//                         may believe
//   passes/weight.cc      whenever functions have been summed up for the inliner: takes the markers
//                         off
//   passes/loops.cc       in the loop passes: a copy of loops without their markers, in strips
//                         (strips.cc)
//   passes/final.cc       right before expand, in lto1 too: tells inlined copies of one site apart
//   passes/reorder.cc     around the pass that puts blocks in order: markers are in no block's way
//   passes/emit.cc        right before instructions are written: the asm markers get their text
//   passes/truth.h        what became of each interval: coverage and static estimates
//   language/hints.cc     at the end: names that are likely to be mistakes
//   module.cc             once per unit: the constructor that hands the tables to the runtime
//
// Everything that a marker needs travels in the tree, as text in the call's first argument. Side
// tables would be lost by precompiled headers.

#include "gcc-plugin/base/diag.h"
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/target/registers.h"
#include "gcc-plugin/markers/barrier.h"
#include "gcc-plugin/markers/lowering.h"
#include "gcc-plugin/passes/final.h"
#include "gcc-plugin/passes/loops.h"
#include "gcc-plugin/passes/truth.h"
#include "gcc-plugin/functions/attributes.h"
#include "gcc-plugin/functions/rules.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/hints.h"
#include "gcc-plugin/language/letters.h"
#include "gcc-plugin/language/pragma.h"
#include "gcc-plugin/module.h"

// What GCC looks for; everything else is hidden.
__attribute__ ((visibility ("default"))) int plugin_is_GPL_compatible;

static plugin_info ppgcc_info = {
	"1",
	"-fplugin-arg-ppgcc-calls[=point|interval]  a marker in every function\n"
	"-fplugin-arg-ppgcc-instrument=FILE     markers by the rules of FILE\n"
	"-fplugin-arg-ppgcc-report=FILE         what was instrumented, what not, and why\n"
	"-fplugin-arg-ppgcc-features=FILE       features that a library's author describes; "
	"several\n"
	"                                       may be given\n"
	"-fplugin-arg-ppgcc-marker=patch|guard  what markers are made of\n"
	"-fplugin-arg-ppgcc-loop-copies=on|off  copies of loops without their markers; on from "
	"-O2, but for\n"
	"                                       what -calls alone puts there\n"
	"-fplugin-arg-ppgcc-verbose             a note for every site and every copied loop\n"
	"-fplugin-arg-ppgcc-Wpp-moved[=error|all]  warn of intervals that the optimiser emptied "
	"(default), or of all "
	"moves\n"
	"-fplugin-arg-ppgcc-Wno-pp-moved        don't\n"
	"-fplugin-arg-ppgcc-Wno-pp-rules        no note about rules for one function that choose "
	"nothing",
};

// ---- arguments: -fplugin-arg-ppgcc-KEY[=VALUE]

static bool set_verbose (const char *)
{
	ppgcc_opts.verbose = true;
	return true;
}

static bool set_marker (const char *value)
{
	if (!strcmp (value, "guard"))
		ppgcc_opts.guard_asked = true;
	else if (!strcmp (value, "patch"))
		ppgcc_opts.patch_asked = true;
	else
		error ("%<-fplugin-arg-ppgcc-marker=%s%>: expected %<patch%> or %<guard%>", value);
	return ppgcc_opts.guard_asked || ppgcc_opts.patch_asked;
}

static bool set_calls (const char *value)
{
	if (!value || !strcmp (value, "point"))
		ppgcc_opts.calls = ppgcc_options::CALL_POINTS;
	else if (!strcmp (value, "interval"))
		ppgcc_opts.calls = ppgcc_options::CALL_INTERVALS;
	else
		error ("%<-fplugin-arg-ppgcc-calls=%s%>: expected %<point%> or %<interval%>",
		       value);
	return ppgcc_opts.calls != ppgcc_options::NO_CALLS;
}

static bool set_instrument (const char *value)
{
	ppgcc_opts.instrument = value;
	return true;
}

static bool set_features (const char *value)
{
	ppgcc_opts.features.safe_push (value);
	return true;
}

static bool set_report (const char *value)
{
	ppgcc_opts.report = value;
	return true;
}

static bool set_no_rule_notes (const char *)
{
	ppgcc_opts.rule_notes = false;
	return true;
}

enum has_value { NO, YES, MAYBE };

static bool set_loop_copies (const char *value)
{
	bool on = !strcmp (value, "on");
	ppgcc_opts.loop_copies = on ? ppgcc_options::LOOP_COPIES_ON : ppgcc_options::NO_LOOP_COPIES;
	if (on || !strcmp (value, "off"))
		return true;
	error ("%<-fplugin-arg-ppgcc-loop-copies=%s%>: expected %<on%> or %<off%>", value);
	return false;
}

static const struct {
	const char *key;
	enum has_value value;
	bool (*set) (const char *value); // false after an error
} arguments[] = {
	{"calls", MAYBE, set_calls},
	{"features", YES, set_features},
	{"instrument", YES, set_instrument},
	{"loop-copies", YES, set_loop_copies},
	{"marker", YES, set_marker},
	{"report", YES, set_report},
	{"verbose", NO, set_verbose},
	{"Wpp-moved", MAYBE, ppgcc_moved_argument},
	{"Wno-pp-moved", NO, ppgcc_not_moved_argument},
	{"Wno-pp-rules", NO, set_no_rule_notes},
};

static bool parse_argument (const plugin_argument &arg)
{
	ppgcc_words known;
	for (const auto &one : arguments) {
		known.safe_push (one.key);
		if (strcmp (arg.key, one.key))
			continue;
		if (one.value == MAYBE || (one.value == YES) == (arg.value != NULL))
			return one.set (arg.value);
		if (one.value == YES)
			error ("%<-fplugin-arg-ppgcc-%s%> needs a value", one.key);
		else
			error ("%<-fplugin-arg-ppgcc-%s%> takes no value", one.key);
		return false;
	}
	if (const char *closest = ppgcc_closest (arg.key, known))
		error ("unknown plugin argument %<-fplugin-arg-ppgcc-%s%>; did you mean "
		       "%<-fplugin-arg-ppgcc-%s%>?",
		       arg.key, closest);
	else
		error ("unknown plugin argument %<-fplugin-arg-ppgcc-%s%>", arg.key);
	return false;
}

__attribute__ ((visibility ("default"))) int plugin_init (plugin_name_args *info,
							  plugin_gcc_version *version)
{
	if (!plugin_default_version_check (version, &gcc_version)) {
		error ("ppgcc was built for gcc %s, this is gcc %s: rebuild it, or use the gcc it "
		       "was built for",
		       gcc_version.basever, version->basever);
		return 1;
	}
	for (int i = 0; i < info->argc; i++)
		if (!parse_argument (info->argv[i]))
			return 1;
	register_callback (info->base_name, PLUGIN_INFO, NULL, &ppgcc_info);
	ppgcc_pragma_register (info->base_name);
	ppgcc_letters_register (info->base_name);
	ppgcc_cxx_register (info->base_name);
	ppgcc_attributes_register (info->base_name);
	ppgcc_instrument_register (info->base_name);
	ppgcc_computed_register (info->base_name);
	ppgcc_marker_register (info->base_name);
	ppgcc_calls_register (info->base_name);
	ppgcc_positions_register (info->base_name);
	ppgcc_estimate_register (info->base_name);
	ppgcc_weight_register (info->base_name);
	ppgcc_barrier_register (info->base_name);
	ppgcc_loops_register (info->base_name);
	ppgcc_final_register (info->base_name);
	ppgcc_fast_register (info->base_name);
	ppgcc_coverage_register (info->base_name);
	ppgcc_emit_register (info->base_name);
	ppgcc_module_register (info->base_name);
	ppgcc_hints_register (info->base_name);
	return 0;
}
