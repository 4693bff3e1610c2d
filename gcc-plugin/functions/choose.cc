// SPDX-License-Identifier: GPL-3.0-or-later
//
// choose.cc: which rules choose a function, or a call in it: the first of each file.

#include "gcc-plugin/base/patterns.h"
#include "gcc-plugin/functions/rules.h"

#include <regex.h>

// Whether the code is what a feature's author says is charged: a file, a function's full name, or a
// namespace, class, module or procedure around it.
static bool is_there (const ppgcc_rule &rule, const ppgcc_subject &subject)
{
	for (const std::string &where : rule.where)
		if (ppgcc_glob_path (where.c_str (), subject.file) ||
		    ppgcc_glob (where.c_str (), subject.name.c_str ()) ||
		    ppgcc_glob_scope (where.c_str (), subject.name.c_str ()))
			return true;
	return rule.where.empty ();
}

static bool matches (const ppgcc_rule &rule, const ppgcc_subject &subject)
{
	if (!rule.function.empty () && !ppgcc_glob (rule.function.c_str (), subject.name.c_str ()))
		return false;
	if (rule.regex && regexec (rule.regex, subject.name.c_str (), 0, NULL, 0))
		return false;
	if (!rule.file.empty () && !ppgcc_glob_path (rule.file.c_str (), subject.file))
		return false;
	if (!rule.scope.empty () && !ppgcc_glob_scope (rule.scope.c_str (), subject.name.c_str ()))
		return false;
	if (rule.kind == PPGCC_RULE_CALL && !is_there (rule, subject))
		return false;
	return rule.attribute.empty () ||
	       lookup_attribute (rule.attribute.c_str (), DECL_ATTRIBUTES (subject.fn));
}

static bool calls (const ppgcc_rule &rule, const ppgcc_callee &callee)
{
	if (!rule.callee.empty ())
		return !callee.name.empty () &&
		       ppgcc_glob (rule.callee.c_str (), callee.name.c_str ());
	return (callee.kind == PPGCC_CALL_INDIRECT && rule.indirect) ||
	       (callee.kind == PPGCC_CALL_VIRTUAL && rule.is_virtual);
}

// Whether RULE adds nothing to those OF the same file that were CHOSEN.
static bool is_decided (const std::vector<const ppgcc_rule *> &chosen, const ppgcc_rule &rule)
{
	for (const ppgcc_rule *other : chosen)
		if (other->of == rule.of &&
		    (rule.kind != PPGCC_RULE_FUNCTION || !(rule.listed && other->listed) ||
		     rule.feature == other->feature))
			return true;
	return false;
}

std::vector<const ppgcc_rule *> ppgcc_rules_for (const ppgcc_subject &subject, ppgcc_rule_kind kind,
						 const ppgcc_callee *callee)
{
	std::vector<const ppgcc_rule *> chosen;
	for (const ppgcc_rules *rules : ppgcc_rules_loaded)
		for (const ppgcc_rule &rule : rules->rules)
			if (rule.kind == kind && !is_decided (chosen, rule) &&
			    matches (rule, subject) && (!callee || calls (rule, *callee)))
				chosen.push_back (&rule);
	return chosen;
}

bool ppgcc_rules_open ()
{
	for (const ppgcc_rules *rules : ppgcc_rules_loaded)
		for (const ppgcc_rule &rule : rules->rules)
			if (rule.kind != PPGCC_RULE_EXCLUDE && !rule.point)
				return true;
	return false;
}
