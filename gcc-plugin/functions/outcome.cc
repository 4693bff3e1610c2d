// SPDX-License-Identifier: GPL-3.0-or-later
//
// outcome.cc: what each rule of an instrument file did in this unit. It goes into the object file,
// in a section that is
// never loaded (pp_abi.h): `ppctl rules` reads it there. A rule for one function that chooses
// nothing gets a note: its name is
// likely to be wrong. A pattern that chooses nothing is what most patterns do in most units.

#include "gcc-plugin/base/diag.h"
#include "gcc-plugin/base/patterns.h"
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/functions/rules.h"
#include "pp_abi.h"

#include <map>
#include <set>

namespace
{

std::map<const ppgcc_rules *, std::set<std::string>> lines; // by file
std::set<const ppgcc_rule *> fruitful;
std::map<const ppgcc_rule *, std::string>
	left_alone; // what the rule chose and why nothing was done, as one sentence
std::map<std::string, std::string> functions; // that there are, and why they were left alone, or ""
std::set<std::string> callees;

std::string field (const std::string &text)
{
	std::string out;
	for (char c : text)
		out += c == '\t' || c == '\n' ? ' ' : c;
	return out;
}

// TEXT as operands of .ascii, a line each.
std::string as_assembly (const std::string &text)
{
	std::string out;
	for (size_t at = 0; at < text.size ();) {
		size_t end = std::min (text.find ('\n', at), text.size () - 1) + 1;
		out += "\t.ascii \"";
		for (; at < end; at++) {
			unsigned char c = text[at];
			char octal[8];
			snprintf (octal, sizeof octal, "\\%03o", c);
			out += c < ' ' || c > '~' || c == '"' || c == '\\' ? octal
									   : std::string (1, c);
		}
		out += "\"\n";
	}
	return out;
}

// The unit's part of the section, as assembly of its own: so it survives link-time optimisation,
// too.
void emit (void *, void *)
{
	if (in_lto_p || ppgcc_rules_loaded.empty () || seen_error () || flag_preprocess_only)
		return;
	std::string text;
	for (const ppgcc_rules *rules : ppgcc_rules_loaded) {
		char hash[32];
		snprintf (hash, sizeof hash, HOST_WIDE_INT_PRINT_HEX_PURE, rules->hash);
		text += "unit\t" + field (main_input_filename ? main_input_filename : "") + "\t" +
			field (rules->file) + "\t" + hash + "\n";
		for (const std::string &line : lines[rules])
			text += line;
	}
	text = "\t.pushsection " PP_ABI_SECTION_RULES ",\"\",%progbits\n" + as_assembly (text) +
	       "\t.popsection";
	symtab->finalize_toplevel_asm (build_string (text.size (), text.c_str ()));
}

// Whether RULE names one function, and this unit is one where it may be.
bool names_one (const ppgcc_rule &rule)
{
	const std::string &name = rule.kind == PPGCC_RULE_CALL ? rule.callee : rule.function;
	if (name.empty () || name.find_first_of ("*?\\") != std::string::npos)
		return false;
	return rule.file.empty () || ppgcc_glob_path (rule.file.c_str (), main_input_filename);
}

std::string quoted (const std::string &name)
{
	return open_quote + name + close_quote;
}

template <typename T>
const char *closest (const std::string &name, const T &known,
		     const char *(*name_of) (const typename T::value_type &) )
{
	ppgcc_words words;
	for (const auto &one : known)
		words.safe_push (name_of (one));
	return words.is_empty () ? NULL : ppgcc_closest (name.c_str (), words);
}

const char *first_of (const std::pair<const std::string, std::string> &one)
{
	return one.first.c_str ();
}

const char *self_of (const std::string &one)
{
	return one.c_str ();
}

void note (const ppgcc_rule &rule)
{
	bool call = rule.kind == PPGCC_RULE_CALL;
	const std::string &name = call ? rule.callee : rule.function;
	location_t place = ppgcc_rule_place (rule);
	auto left = left_alone.find (&rule);
	auto known = functions.find (name);
	std::string what = quoted (name), near;
	if (left != left_alone.end ())
		what = left->second;
	else if (call && callees.count (name))
		what += " is called where other rules or keys decide";
	else if (!call && known != functions.end ())
		what += known->second.empty () ? " is left to other rules or keys"
					       : " is left alone: " + known->second;
	else {
		const char *likely = call ? closest (name, callees, self_of)
					  : closest (name, functions, first_of);
		what = std::string ("no function ") + quoted (name) +
		       (call ? " is called" : " is defined");
		near = likely ? "; did you mean " + quoted (likely) + "?" : "";
	}
	inform (place, "this rule chooses nothing here: %s%s", what.c_str (), near.c_str ());
}

void tell (void *, void *)
{
	if (in_lto_p || seen_error () || flag_preprocess_only || inhibit_warnings ||
	    !ppgcc_opts.rule_notes)
		return;
	// a feature's author names all that there may be
	for (const ppgcc_rules *rules : ppgcc_rules_loaded)
		for (const ppgcc_rule &rule : rules->rules)
			if (!rule.listed && !fruitful.count (&rule) && names_one (rule))
				note (rule);
}

} // namespace

void ppgcc_outcome (location_t loc, const std::string &function, const std::string &what,
		    const char *why, const ppgcc_rule *rule, const std::string &callee)
{
	expanded_location where = expand_location (loc);
	ppgcc_outcome_function (function, why);
	// an exclusion does what it is there for by leaving alone
	if (!why || rule->kind == PPGCC_RULE_EXCLUDE)
		fruitful.insert (rule);
	else if (left_alone.find (rule) == left_alone.end ())
		left_alone[rule] = quoted (function) + " is left alone: " + why;
	lines[rule->of].insert ("rule\t" + std::to_string (rule->line) + "\t" + (why ? "-" : "+") +
				"\t" + field (where.file ? where.file : "") + ":" +
				std::to_string (where.line) + ":" + std::to_string (where.column) +
				"\t" + field (function) + "\t" + field (what) + "\t" +
				field (why ? why : "") +
				(callee.empty () ? "" : "\t" + field (callee)) + "\n");
}

void ppgcc_outcome_function (const std::string &function, const char *why)
{
	std::string &reason = functions[function];
	if (why)
		reason = why;
}

void ppgcc_outcome_call (const std::string &function)
{
	callees.insert (function);
}

void ppgcc_outcome_register (const char *plugin)
{
	register_callback (plugin, PLUGIN_ALL_IPA_PASSES_START, emit, NULL);
	register_callback (plugin, PLUGIN_FINISH_UNIT, tell, NULL);
}
