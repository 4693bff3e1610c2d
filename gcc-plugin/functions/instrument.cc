// SPDX-License-Identifier: GPL-3.0-or-later
//
// instrument.cc: the pass that instruments whole functions, their loops and calls: by attributes,
// by the rules of -fplugin-arg-ppgcc-instrument and by -fplugin-arg-ppgcc-calls, in this order. It
// is the first of the passes that lower a body, the same in every front end, and never runs at link
// time, where functions are lowered already.

#include "gcc-plugin/base/names.h"
#include "gcc-plugin/base/pass.h"
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/functions/attributes.h"
#include "gcc-plugin/functions/rules.h"
#include "gcc-plugin/functions/wrap.h"
#include "pp_abi.h"

#include <algorithm>

namespace
{

const pass_data data = {
	GIMPLE_PASS, "ppinstrument", OPTGROUP_NONE, TV_NONE, PROP_gimple_any, 0, 0, 0, 0};

class work
{
public:
	explicit work (function *fun) : m_fun (fun), m_fn (fun->decl)
	{
	}
	void attribute ();
	bool not_chosen (bool asked);
	bool rules ();
	void calls ();
	void returns ();

private:
	function *m_fun;
	tree m_fn;
	std::string m_name;
	bool m_has_interval = false;

	const std::string &name ()
	{
		if (m_name.empty ())
			m_name = ppgcc_function_name (m_fn);
		return m_name;
	}
	ppgcc_site site (int kind, const std::string &name, location_t loc);
	void report (const std::string &what, const char *why, const ppgcc_rule *by)
	{
		if (by)
			ppgcc_outcome (DECL_SOURCE_LOCATION (m_fn), name (), what, why, by);
		else if (!ppgcc_rules_loaded.empty ())
			ppgcc_outcome_function (name (), why);
		if (ppgcc_report_wanted () || ppgcc_opts.verbose)
			ppgcc_report (DECL_SOURCE_LOCATION (m_fn), name (), what, why, by);
	}
	void rule_function (const ppgcc_subject &subject, const ppgcc_body &body);
	void rule_loops (const ppgcc_subject &subject);
	void rule_calls (const ppgcc_subject &subject);
	bool inlinable (const ppgcc_body &body);
	void one_function (const ppgcc_rule &rule, const ppgcc_subject &subject,
			   const ppgcc_body &body);
	void loops_of (const ppgcc_rule &rule, const ppgcc_subject &subject);
	static void choose_call (const ppgcc_callee &callee, location_t loc,
				 std::vector<ppgcc_call_mark> &marks, void *data);
	struct call_data {
		work *self;
		const ppgcc_subject *subject;
	};
};

ppgcc_site work::site (int kind, const std::string &site_name, location_t loc)
{
	ppgcc_site site;
	expanded_location where = expand_location (loc);
	site.kind = kind;
	site.flags = 0;
	site.line = where.line;
	site.column = where.column;
	site.serial = 0;
	site.name = site_name;
	site.function = name ();
	ppgcc_site_in (site, m_fn);
	site.file = where.file ? where.file : "";
	return site;
}

// ---- the attribute

void work::attribute ()
{
	tree args = ppgcc_interval_attribute (m_fn);
	if (!args || ppgcc_artificial (m_fn))
		return;
	location_t loc = DECL_SOURCE_LOCATION (m_fn);
	const char *why = ppgcc_unfit (m_fun, false);
	if (tree other = ppgcc_other_interval (m_fn)) {
		error_at (loc, "%qD is declared as interval %qs and as interval %qs", m_fn,
			  TREE_STRING_POINTER (TREE_VALUE (other)),
			  TREE_STRING_POINTER (TREE_VALUE (args)));
		return;
	}
	if (!why && ppgcc_look_at (m_fun).builtin_return)
		why = "it returns by __builtin_return";
	if (why) {
		error_at (loc, "%qD cannot be an interval: %s", m_fn, why);
		return;
	}
	ppgcc_site one = site (PP_ABI_SITE_INTERVAL, TREE_STRING_POINTER (TREE_VALUE (args)), loc);
	one.flags |= PPGCC_SITE_OF_ATTRIBUTE;
	if (tree metrics = TREE_CHAIN (args)) {
		one.metrics = ppgcc_attribute_names (TREE_STRING_POINTER (TREE_VALUE (metrics)));
		if (tree groups = TREE_CHAIN (metrics))
			one.groups =
				ppgcc_attribute_names (TREE_STRING_POINTER (TREE_VALUE (groups)));
	}
	if (ppgcc_opts.verbose)
		inform (loc, "interval %qs in %qs", one.name.c_str (), one.function.c_str ());
	ppgcc_wrap_function (m_fun, one);
	m_has_interval = true;
}

// ---- what neither rules nor -calls look at

// Whether the function at hand is none of the user's, or the user wants it left alone.
bool work::not_chosen (bool asked)
{
	if (ppgcc_artificial (m_fn) || in_system_header_at (DECL_SOURCE_LOCATION (m_fn)))
		return true; // thousands, not even reported
	const char *why = NULL;
	if (lookup_attribute (PPGCC_IGNORE_ATTRIBUTE, DECL_ATTRIBUTES (m_fn)))
		why = "it has the attribute pp_ignore";
	else if (lookup_attribute ("no_instrument_function", DECL_ATTRIBUTES (m_fn)))
		why = "it has the attribute no_instrument_function";
	if (why && asked)
		report ("left alone", why, NULL);
	return why;
}

// ---- rules

// As GCC will judge: a function that the user calls inline, up to the size that is allowed those.
bool work::inlinable (const ppgcc_body &body)
{
	if (lookup_attribute ("always_inline", DECL_ATTRIBUTES (m_fn)))
		return true;
	return DECL_DECLARED_INLINE_P (m_fn) && !DECL_UNINLINABLE (m_fn) &&
	       body.statements < static_cast<unsigned> (param_max_inline_insns_single);
}

void work::rule_function (const ppgcc_subject &subject, const ppgcc_body &body)
{
	std::vector<const ppgcc_rule *> rules =
		ppgcc_rules_for (subject, PPGCC_RULE_FUNCTION, NULL);
	if (rules.empty ())
		report ("left alone", "no rule chooses it", NULL);
	// the first is to be the outermost
	for (auto rule = rules.rbegin (); rule != rules.rend (); ++rule)
		one_function (**rule, subject, body);
}

void work::one_function (const ppgcc_rule &chosen, const ppgcc_subject &subject,
			 const ppgcc_body &body)
{
	const ppgcc_rule *rule = &chosen;
	// who names a feature means its smallest function, too
	int least = rule->min_size >= 0 ? rule->min_size : rule->mark ? 0 : rule->of->min_size;
	const char *why = ppgcc_unfit (m_fun, rule->point);
	std::string tiny = "it has " + std::to_string (body.statements) +
			   " statements, fewer than " + std::to_string (least);
	if (!why && m_has_interval && !rule->mark)
		why = ppgcc_interval_attribute (m_fn) ? "it has the attribute pp_interval"
						      : "it has an interval already";
	if (!why && subject.size < least)
		why = tiny.c_str ();
	if (!why && !rule->inlinable && !rule->mark && inlinable (body))
		why = "it is likely to be inlined";
	if (!why && !rule->point && body.builtin_return)
		why = "it returns by __builtin_return";
	if (why)
		return report ("left alone", why, rule);
	std::string name = rule->mark             ? rule->feature
			   : !rule->site.empty () ? rule->site
			   : rule->point          ? "calls"
						  : "body";
	int kind = rule->mark ? rule->mark : rule->point ? PP_ABI_SITE_POINT : PP_ABI_SITE_INTERVAL;
	ppgcc_site one = site (kind, name, DECL_SOURCE_LOCATION (m_fn));
	one.groups = rule->groups;
	one.metrics = rule->metrics;
	if (rule->mark && ppgcc_feature_latent (name))
		one.flags |= PP_ABI_SITE_LATENT;
	const char *noun = kind == PP_ABI_SITE_POINT      ? "point "
			   : kind == PP_ABI_SITE_FEATURE  ? "feature "
			   : kind == PP_ABI_SITE_ANTIMARK ? "antimark "
							  : "interval ";
	report (noun + name, NULL, rule);
	if (rule->point)
		ppgcc_enter_function (m_fun, one);
	else
		ppgcc_wrap_function (m_fun, one);
	m_has_interval |= !rule->point && !rule->mark;
}

void work::rule_loops (const ppgcc_subject &subject)
{
	std::vector<const ppgcc_rule *> rules = ppgcc_rules_for (subject, PPGCC_RULE_LOOP, NULL);
	if (!rules.empty ())
		loops_of (*rules[0], subject);
}

void work::loops_of (const ppgcc_rule &chosen, const ppgcc_subject &subject)
{
	const ppgcc_rule *rule = &chosen;
	std::vector<ppgcc_loop> loops;
	std::vector<std::string> taken;
	const char *unfit = ppgcc_unfit (m_fun, false);
	ppgcc_find_loops (m_fun, loops);
	for (const ppgcc_loop &loop : loops) {
		if (loop.depth > rule->depth)
			continue;
		std::string stem = (rule->site.empty () ? "loop" : rule->site) + ".L" +
				   std::to_string (expand_location (loop.loc).line);
		std::string name = stem;
		for (int n = 2; std::find (taken.begin (), taken.end (), name) != taken.end (); n++)
			name = stem + "." + std::to_string (n);
		taken.push_back (name);
		const char *why = unfit ? unfit : loop.why_not;
		std::string tiny = "it has " + std::to_string (loop.size) +
				   " statements, fewer than " + std::to_string (rule->min_size);
		if (!why && loop.size < rule->min_size)
			why = tiny.c_str ();
		std::string what = why ? "loop " + name + " left alone" : "interval " + name;
		ppgcc_outcome (loop.loc, subject.name, what, why, rule);
		if (ppgcc_report_wanted () || ppgcc_opts.verbose)
			ppgcc_report (loop.loc, subject.name, what, why, rule);
		if (why)
			continue;
		ppgcc_site one = site (PP_ABI_SITE_INTERVAL, name, loop.loc);
		one.groups = rule->groups;
		one.metrics = rule->metrics;
		gimple_stmt_iterator first = gsi_start (*loop.seq), last;
		while (gsi_stmt (first) != loop.first)
			gsi_next (&first);
		for (last = first; gsi_stmt (last) != loop.last;)
			gsi_next (&last);
		ppgcc_wrap_statements (loop.seq, &first, last, one, loop.loc,
				       gimple_location (loop.last));
	}
}

// A call may be of several features, if they are of several files.
void work::choose_call (const ppgcc_callee &callee, location_t loc,
			std::vector<ppgcc_call_mark> &marks, void *data)
{
	call_data *call = static_cast<call_data *> (data);
	if (!callee.name.empty ())
		ppgcc_outcome_call (callee.name);
	for (const ppgcc_rule *rule : ppgcc_rules_for (*call->subject, PPGCC_RULE_CALL, &callee)) {
		// several functions may be one feature, told apart by where they are called
		std::string name = rule->feature.empty () ? callee.name : rule->feature;
		ppgcc_outcome (loc, call->subject->name, "feature " + name, NULL, rule,
			       callee.name);
		if (ppgcc_report_wanted () || ppgcc_opts.verbose)
			ppgcc_report (loc, call->subject->name, "feature " + name, NULL, rule);
		ppgcc_call_mark mark = {call->self->site (PP_ABI_SITE_FEATURE, name, loc),
					rule->argument, rule->is_text};
		mark.site.groups = rule->groups;
		if (ppgcc_feature_latent (name))
			mark.site.flags |= PP_ABI_SITE_LATENT;
		marks.push_back (mark);
	}
}

void work::rule_calls (const ppgcc_subject &subject)
{
	call_data call = {this, &subject};
	if (!ppgcc_rules_for (subject, PPGCC_RULE_CALL, NULL).empty () &&
	    !ppgcc_unfit (m_fun, false))
		ppgcc_wrap_calls (m_fun, choose_call, &call);
}

// False: they say that the function is left alone.
bool work::rules ()
{
	if (ppgcc_rules_loaded.empty ())
		return true;
	ppgcc_body body = ppgcc_look_at (m_fun);
	const char *file = LOCATION_FILE (DECL_SOURCE_LOCATION (m_fn));
	ppgcc_subject subject = {m_fn, name (), file ? file : "",
				 static_cast<int> (body.statements)};
	std::vector<const ppgcc_rule *> excluded =
		ppgcc_rules_for (subject, PPGCC_RULE_EXCLUDE, NULL);
	if (!excluded.empty ()) {
		report ("left alone", "it is excluded", excluded[0]);
		return false;
	}
	rule_calls (subject);
	rule_loops (subject);
	rule_function (subject, body);
	return true;
}

// ---- every function

void work::calls ()
{
	if (ppgcc_opts.calls == ppgcc_options::NO_CALLS)
		return;
	bool point = ppgcc_opts.calls == ppgcc_options::CALL_POINTS;
	const char *why = ppgcc_unfit (m_fun, point);
	if (!why && !point && m_has_interval)
		why = "it has an interval already";
	if (!why && !point && ppgcc_look_at (m_fun).builtin_return)
		why = "it returns by __builtin_return";
	if (why)
		return report ("left alone", why, NULL);
	ppgcc_site one = site (point ? PP_ABI_SITE_POINT : PP_ABI_SITE_INTERVAL,
			       point ? "calls" : "body", DECL_SOURCE_LOCATION (m_fn));
	one.flags = PPGCC_SITE_OF_CALLS;
	report ((point ? "point " : "interval ") + one.name, NULL, NULL);
	if (point)
		ppgcc_enter_function (m_fun, one);
	else
		ppgcc_wrap_function (m_fun, one);
}

// ---- where a call may return for the second time

// Intervals and marks that a longjmp jumps over are left where it arrives, in files that have any.
void work::returns ()
{
	bool opens = ppgcc_unit_has_open () || ppgcc_rules_open () ||
		     ppgcc_opts.calls == ppgcc_options::CALL_INTERVALS;
	if (!opens || !m_fun->calls_setjmp || ppgcc_unfit (m_fun, true))
		return;
	ppgcc_site one = site (PP_ABI_SITE_POINT, "", DECL_SOURCE_LOCATION (m_fn));
	one.flags = PP_ABI_SITE_RETURN;
	ppgcc_point_behind_returns (m_fun, one);
}

class instrument_pass : public ppgcc_pass<gimple_opt_pass>
{
public:
	using ppgcc_pass::ppgcc_pass;

	unsigned execute (function *fun) final override
	{
		if (!gimple_has_body_p (fun->decl) || fun->cfg)
			return 0;
		bool asked =
			!ppgcc_rules_loaded.empty () || ppgcc_opts.calls != ppgcc_options::NO_CALLS;
		if ((asked || ppgcc_interval_attribute (fun->decl)) &&
		    ppgcc_refused (DECL_SOURCE_LOCATION (fun->decl)))
			return 0;
		if (!ppgcc_is_c_family ())
			ppgcc_fortran_calls (fun);
		work one (fun);
		one.attribute ();
		if (!asked && !fun->calls_setjmp)
			return 0;
		if (one.not_chosen (asked))
			return 0;
		bool excluded = asked && !one.rules ();
		if (asked)
			one.calls ();
		if (!excluded)
			one.returns ();
		return 0;
	}
};

// The rules are an input of the compilation: "make" is to know.
void depend_on (mkdeps *deps, const char *file)
{
	if (file && deps && deps_add_dep)
		deps_add_dep (deps, file);
}

void depend_on_rules (void *, void *)
{
	if (!ppgcc_is_c_family ())
		return;
	mkdeps *deps = cpp_get_deps (parse_in);
	depend_on (deps, ppgcc_opts.instrument);
	for (const char *file : ppgcc_opts.features)
		depend_on (deps, file);
}

} // namespace

void ppgcc_instrument_register (const char *plugin)
{
	ppgcc_add_pass (plugin, new instrument_pass (data), PASS_POS_INSERT_BEFORE,
			"*warn_unused_result");
	register_callback (plugin, PLUGIN_START_UNIT, depend_on_rules, NULL);
	ppgcc_report_register (plugin);
	ppgcc_outcome_register (plugin);
	ppgcc_functions_cxx_register (plugin);
	if (flag_preprocess_only || in_lto_p)
		return;
	if (ppgcc_opts.instrument)
		ppgcc_rules_load (ppgcc_opts.instrument, "instrument");
	for (const char *file : ppgcc_opts.features)
		ppgcc_rules_load (file, "features");
}
