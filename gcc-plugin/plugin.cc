// SPDX-License-Identifier: GPL-3.0-or-later
//
// plugin.cc: what GCC calls when it loads ppgcc.so: version check, arguments, and the registration of everything else.

#include "ppgcc.h"

// What GCC looks for; everything else is hidden.
__attribute__ ((visibility ("default"))) int plugin_is_GPL_compatible;

ppgcc_options ppgcc_opts;

static plugin_info ppgcc_info = {
	"1",
	"-fplugin-arg-ppgcc-calls[=point|interval]  a marker in every function\n"
	"-fplugin-arg-ppgcc-instrument=FILE     markers by the rules of FILE\n"
	"-fplugin-arg-ppgcc-report=FILE         what was instrumented, what not, and why\n"
	"-fplugin-arg-ppgcc-marker=patch|guard  what markers are made of\n"
	"-fplugin-arg-ppgcc-loop-copies=on|off  copies of loops without their markers; on from -O2, but for\n"
	"                                       what -calls alone puts there\n"
	"-fplugin-arg-ppgcc-verbose             a note for every site and every copied loop\n"
	"-fplugin-arg-ppgcc-Wpp-moved[=error|all]  warn of intervals that the optimiser emptied (default), or of all "
	"moves\n"
	"-fplugin-arg-ppgcc-Wno-pp-moved        don't\n"
	"-fplugin-arg-ppgcc-Wno-pp-rules        no note about rules for one function that choose nothing",
};

bool ppgcc_is_cxx ()
{
	return startswith (lang_hooks.name, "GNU C++");
}

bool ppgcc_is_c_family ()
{
	return c_register_pragma_with_data && (ppgcc_is_cxx () || startswith (lang_hooks.name, "GNU C"));
}

ppgcc_marker_kind ppgcc_kind ()
{
	static int kind = -1;
	if (kind < 0) {
		bool possible = ppgcc_asm_possible () && !(flag_sanitize & SANITIZE_THREAD);
		if (ppgcc_opts.patch_asked && !possible)
			error ("%<-fplugin-arg-ppgcc-marker=patch%> is not possible with this target and these "
			       "options; "
			       "leave it out or use %<guard%>");
		kind = possible && !ppgcc_opts.guard_asked ? PPGCC_PATCH : PPGCC_GUARD;
	}
	return static_cast<ppgcc_marker_kind> (kind);
}

bool ppgcc_refused (location_t loc)
{
	static bool told;
	if (POINTER_SIZE == 64)
		return false;
	if (!told)
		error_at (loc, "ppgcc measures 64-bit programs only");
	told = true;
	return true;
}

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
		error ("%<-fplugin-arg-ppgcc-calls=%s%>: expected %<point%> or %<interval%>", value);
	return ppgcc_opts.calls != ppgcc_options::NO_CALLS;
}

static bool set_instrument (const char *value)
{
	ppgcc_opts.instrument = value;
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
		error ("unknown plugin argument %<-fplugin-arg-ppgcc-%s%>; did you mean %<-fplugin-arg-ppgcc-%s%>?",
		       arg.key, closest);
	else
		error ("unknown plugin argument %<-fplugin-arg-ppgcc-%s%>", arg.key);
	return false;
}

__attribute__ ((visibility ("default"))) int plugin_init (plugin_name_args *info, plugin_gcc_version *version)
{
	if (!plugin_default_version_check (version, &gcc_version)) {
		error ("ppgcc was built for gcc %s, this is gcc %s: rebuild it, or use the gcc it was built for",
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
