// SPDX-License-Identifier: GPL-3.0-or-later
//
// pragma.cc: the language of "#pragma pp". One pragma is registered and its words are read here, so
// that a misspelt word is an error with a suggestion instead of a pragma that is silently ignored.

#include "gcc-plugin/base/diag.h"
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/lexer.h"
#include "gcc-plugin/language/pragma.h"

std::string ppgcc_source_file (location_t loc)
{
	const char *file = expand_location (loc).file;
	return file ? file : "";
}

bool ppgcc_end_of_pragma (ppgcc_lexer &lex)
{
	if (lex.at_end ())
		return true;
	lex.expected ("the end of the line");
	return false;
}

void ppgcc_call_marker (location_t loc, ppgcc_op op, const std::string &text, tree second)
{
	auto_vec<tree> args;
	args.safe_push (ppgcc_literal (text));
	if (second)
		args.safe_push (second);
	tree call = ppgcc_front (marker (loc, ppgcc_marker_function (op), args));
	ppgcc_front (statement (call));
}

bool ppgcc_parse_function (ppgcc_lexer &lex, ppgcc_function &fn, std::string &text,
			   const char *what)
{
	fn.scope = NULL_TREE;
	if (!lex.at (CPP_NAME)) {
		lex.expected (what);
		return false;
	}
	fn.loc = lex.loc ();
	fn.name = lex.next ().value;
	text = IDENTIFIER_POINTER (fn.name);
	while (ppgcc_is_cxx () && lex.at (CPP_SCOPE)) {
		lex.next ();
		if (!lex.at (CPP_NAME)) {
			lex.expected ("a name");
			return false;
		}
		fn.scope = chainon (fn.scope, build_tree_list (NULL_TREE, fn.name));
		fn.name = lex.next ().value;
		text += std::string ("::") + IDENTIFIER_POINTER (fn.name);
	}
	return true;
}

// Why no marker can be in the function at hand, whose code isn't GCC's alone or may not call
// anything; or NULL.
static const char *unfit_function ()
{
	tree attributes = DECL_ATTRIBUTES (current_function_decl),
	     of_type = TYPE_ATTRIBUTES (TREE_TYPE (current_function_decl));
	if (lookup_attribute ("naked", attributes))
		return "naked";
	if (lookup_attribute ("interrupt", attributes) || lookup_attribute ("interrupt", of_type))
		return "an interrupt handler";
	if (flag_tm && lookup_attribute ("transaction_safe", of_type))
		return "transaction-safe";
	return NULL;
}

bool ppgcc_statement_possible (location_t loc, const char *word)
{
	if (!ppgcc_front (in_function ())) {
		error_at (loc, "%<#pragma pp %s%> outside a function", word);
		return false;
	}
	if (ppgcc_front (constant_function ())) {
		inform (loc,
			"%<#pragma pp %s%> does nothing in a function that may be evaluated by the "
			"compiler",
			word);
		return false;
	}
	if (const char *why = unfit_function ()) {
		error_at (loc, "%<#pragma pp %s%> in a function that is %s", word, why);
		return false;
	}
	if (const char *why = ppgcc_sole_body (loc, word)) {
		error_at (
			loc,
			"%<#pragma pp %s%> would be the whole body of %<%s%>: put braces around it",
			word, why);
		return false;
	}
	return true;
}

// ---- the pragma

static void metric (ppgcc_lexer &lex, location_t)
{
	ppgcc_pragma_metric (lex);
}

static const struct {
	const char *word;
	void (*parse) (ppgcc_lexer &lex, location_t loc);
} forms[] = {
	{"metric", metric},
	{"point", ppgcc_pragma_point},
	{"interval", ppgcc_pragma_interval},
	{"feature", ppgcc_pragma_feature},
	{"antimark", ppgcc_pragma_antimark},
	{"dim", ppgcc_pragma_dim},
	{"sample_begin", ppgcc_pragma_sample_begin},
	{"sample_end", ppgcc_pragma_sample_end},
	{"bind", ppgcc_pragma_bind},
	{"unbind", ppgcc_pragma_unbind},
	{"expect", ppgcc_pragma_expect},
};

static void dispatch (ppgcc_lexer &lex)
{
	location_t loc;
	ppgcc_words words;
	const char *word = lex.name (
		"%<metric%>, %<point%>, %<interval%>, %<feature%>, %<antimark%>, "
		"%<dim%>, %<sample_begin%>, %<sample_end%>, %<bind%>, %<unbind%> or %<expect%>",
		&loc);
	if (!word)
		return;
	if (ppgcc_refused (loc))
		return;
	for (const auto &form : forms) {
		if (!strcmp (word, form.word)) {
			form.parse (lex, loc);
			return;
		}
		words.safe_push (form.word);
	}
	ppgcc_unknown_word (loc, "pp pragma", word, words);
}

static void handle_pragma (cpp_reader *, void *)
{
	ppgcc_lexer lex;
	dispatch (lex);
}

static void define_macro ()
{
	if (!cpp_get_options (parse_in)->preprocessed)
		cpp_define (parse_in, "__PPGCC__=1");
}

// Before -include and the main file, after the debug hooks that -g3 tells about macros are set up.
static void start_unit (void *, void *)
{
	if (!ppgcc_is_c_family ())
		return;
	ppgcc_source_keep ();
	define_macro ();
	// a template that a module brings along looks marker functions up by name when it is
	// instantiated
	if (ppgcc_is_cxx () && flag_modules)
		for (int op = 0; op < PPGCC_OPS; op++)
			ppgcc_marker_function (static_cast<ppgcc_op> (op));
}

static void register_pragmas (void *, void *)
{
	if (!ppgcc_is_c_family ())
		return;
	// With -E a pragma that isn't registered would be copied as it is, and macros in value
	// (...) were lost.
	if (flag_preprocess_only)
		c_register_pragma_with_expansion_and_data (NULL, "pp", handle_pragma, NULL);
	else
		c_register_pragma_with_data (NULL, "pp", handle_pragma, NULL);
	ppgcc_lexer_init ();
	if (flag_preprocess_only) // there is no unit to start then
		define_macro ();
}

void ppgcc_pragma_register (const char *plugin)
{
	register_callback (plugin, PLUGIN_PRAGMAS, register_pragmas, NULL);
	register_callback (plugin, PLUGIN_START_UNIT, start_unit, NULL);
}
