// SPDX-License-Identifier: GPL-3.0-or-later
//
// pragma-site.cc: the forms that are sites: point, interval, feature and antimark, and their
// clauses.

#include "gcc-plugin/base/diag.h"
#include "gcc-plugin/base/unit.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/metric.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/functions/rules.h"
#include "gcc-plugin/language/expr.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/hints.h"
#include "gcc-plugin/language/letters.h"
#include "gcc-plugin/language/lexer.h"
#include "gcc-plugin/language/pragma.h"
#include "pp_abi.h"

namespace
{

struct parsed_site {
	ppgcc_site site;
	location_t loc;
	tree value = NULL_TREE; // value (EXPR) or payload (EXPR)
	auto_vec<tree> dims;
	auto_vec<ppgcc_named_metric> metrics;
	location_t metrics_loc = UNKNOWN_LOCATION, inline_loc = UNKNOWN_LOCATION;
};

enum { POINT = 1, INTERVAL = 2, FEATURE = 4, ANTIMARK = 8 };

// By enum pp_abi_site_kind.
const struct {
	const char *word, *article;
	int bit;
} kinds[] = {
	{NULL, NULL, 0},           {"point", "a", POINT},        {"interval", "an", INTERVAL},
	{"feature", "a", FEATURE}, {"antimark", "an", ANTIMARK},
};

typedef bool parse_clause_fn (ppgcc_lexer &lex, location_t loc, parsed_site &out);

bool parse_group (ppgcc_lexer &lex, location_t loc, parsed_site &out);
bool parse_captured (ppgcc_lexer &lex, location_t loc, parsed_site &out);
bool parse_dims (ppgcc_lexer &lex, location_t loc, parsed_site &out);
bool parse_fence (ppgcc_lexer &lex, location_t loc, parsed_site &out);
bool parse_inline (ppgcc_lexer &lex, location_t loc, parsed_site &out);

const struct clause {
	const char *word;
	bool parentheses;
	int kinds; // what it belongs to
	const char *belongs;
	parse_clause_fn *parse;
} clauses[] = {
	{"group", true, POINT | INTERVAL | FEATURE | ANTIMARK, "sites", parse_group},
	{"value", true, POINT, "points", parse_captured},
	{"dim", true, POINT | INTERVAL | FEATURE, "points, intervals and features", parse_dims},
	{"payload", true, FEATURE, "features", parse_captured},
	{"fence", false, POINT | INTERVAL, "points and intervals", parse_fence},
	{"inline", false, POINT | INTERVAL, "points and intervals", parse_inline},
};

const clause *find_clause (const char *word)
{
	for (const clause &one : clauses)
		if (!strcmp (one.word, word))
			return &one;
	return NULL;
}

// ---- metrics

bool keeps_values (tree metric)
{
	return ppgcc_metric_source (metric) == "value";
}

void check_metric (const char *name, location_t loc, int kind, tree decl)
{
	if (!decl) {
		const char *closest = ppgcc_closest_metric (name);
		if (closest)
			warning_at (loc, 0, "metric %qs is not declared here; did you mean %qs?",
				    name, closest);
		return;
	}
	bool point = kind == PP_ABI_SITE_POINT;
	auto_diagnostic_group group;
	if (!startswith (ppgcc_metric_declaration (decl), kinds[kind].word))
		error_at (loc, "%qs is a metric for %ss, it cannot be measured at %s %s", name,
			  point ? "interval" : "point", kinds[kind].article, kinds[kind].word);
	else if (ppgcc_metric_takes_arguments (decl))
		error_at (
			loc,
			"the functions of %qs take arguments: only %<sample_begin%> can give them",
			name);
	else
		return;
	inform (DECL_SOURCE_LOCATION (decl), "declared here");
}

// What the metrics of a point without value (EXPR) can't be: of captured values.
void check_value_metrics (const parsed_site &parsed)
{
	for (const ppgcc_named_metric &one : parsed.metrics) {
		if (!one.decl || !keeps_values (one.decl))
			continue;
		auto_diagnostic_group group;
		error_at (parsed.metrics_loc,
			  "%qD keeps captured values, and this point has no %<value (...)%>",
			  one.decl);
		inform (DECL_SOURCE_LOCATION (one.decl), "declared here");
	}
}

// ---- clauses

void append (std::string &list, const char *name)
{
	list += (list.empty () ? "" : ",") + std::string (name);
}

// METRIC, ... behind the token at hand.
bool parse_metrics (ppgcc_lexer &lex, parsed_site &out)
{
	out.metrics_loc = lex.loc ();
	do {
		location_t loc;
		lex.next ();
		const char *name = lex.name ("a metric's name", &loc);
		if (!name)
			return false;
		tree decl = ppgcc_declared_metric (name);
		check_metric (name, loc, out.site.kind, decl);
		out.metrics.safe_push ({decl, loc, name});
		append (out.site.metrics, name);
	} while (lex.at (CPP_COMMA));
	return true;
}

bool parse_group (ppgcc_lexer &lex, location_t, parsed_site &out)
{
	do {
		lex.next ();
		const char *name = lex.name ("a group's name", NULL);
		if (!name)
			return false;
		append (out.site.groups, name);
	} while (lex.at (CPP_COMMA));
	return lex.expect (CPP_CLOSE_PAREN, "%<,%> or %<)%>");
}

bool parse_captured (ppgcc_lexer &lex, location_t loc, parsed_site &out)
{
	const char *word = out.site.kind == PP_ABI_SITE_POINT ? "value" : "payload";
	if (out.value) {
		error_at (loc, "%qs is given twice", word);
		return false;
	}
	lex.next ();
	out.value = ppgcc_parse_value (lex, word);
	return out.value != error_mark_node && lex.expect (CPP_CLOSE_PAREN, "%<)%>");
}

bool parse_dims (ppgcc_lexer &lex, location_t, parsed_site &out)
{
	do {
		lex.next ();
		if (!ppgcc_parse_dim (lex, "a site", out.site.dims, out.dims))
			return false;
	} while (lex.at (CPP_COMMA));
	return lex.expect (CPP_CLOSE_PAREN, "%<,%> or %<)%>");
}

bool parse_fence (ppgcc_lexer &, location_t, parsed_site &out)
{
	out.site.flags |= PP_ABI_SITE_FENCE;
	return true;
}

bool parse_inline (ppgcc_lexer &, location_t loc, parsed_site &out)
{
	out.inline_loc = loc;
	out.site.flags |= PP_ABI_SITE_INLINE;
	return true;
}

// One clause; its WORD has been read.
bool parse_clause (ppgcc_lexer &lex, const char *word, location_t loc, parsed_site &out)
{
	const clause *found = find_clause (word);
	int kind = out.site.kind;
	if (!found) {
		ppgcc_words known;
		for (const clause &one : clauses)
			if (one.kinds & kinds[kind].bit)
				known.safe_push (one.word);
		ppgcc_unknown_word (loc, "clause", word, known);
		return false;
	}
	if (!(found->kinds & kinds[kind].bit)) {
		error_at (loc, "%qs belongs to %s, not to %ss", word, found->belongs,
			  kinds[kind].word);
		return false;
	}
	if (found->parentheses && !lex.at (CPP_OPEN_PAREN)) {
		lex.expected ("%<(%>");
		return false;
	}
	return found->parse (lex, loc, out);
}

bool parse_clauses (ppgcc_lexer &lex, parsed_site &out)
{
	while (!lex.at_end ()) {
		location_t loc;
		const char *word = lex.name ("a clause", &loc);
		if (!word || !parse_clause (lex, word, loc, out))
			return false;
	}
	return true;
}

// Whether the next word, which is there, begins a clause. A site may well be called "value": then
// the clause comes again further on, or no parentheses follow.
bool at_clause (const ppgcc_lexer &lex)
{
	tree word = lex.peek ().value;
	const clause *found = find_clause (IDENTIFIER_POINTER (word));
	if (!found || !found->parentheses)
		return found;
	if (lex.peek (1).type != CPP_OPEN_PAREN)
		return false;
	for (unsigned ahead = lex.after_parentheses (1); lex.peek (ahead).type == CPP_NAME;) {
		if (lex.peek (ahead).value == word && lex.peek (ahead + 1).type == CPP_OPEN_PAREN)
			return false;
		ahead = lex.peek (ahead + 1).type == CPP_OPEN_PAREN
				? lex.after_parentheses (ahead + 1)
				: ahead + 1;
	}
	return true;
}

bool inline_possible (const parsed_site &parsed)
{
	if (parsed.metrics.is_empty ())
		error_at (
			parsed.inline_loc,
			"%<inline%> without metrics: there is nothing that the code could measure");
	else if (parsed.value || !parsed.dims.is_empty ())
		error_at (parsed.inline_loc, "an %<inline%> site measures with the functions of "
					     "its metrics, it captures no values");
	else
		return ppgcc_inline_possible (parsed.metrics);
	return false;
}

// The arguments of a macro of pp.h, which cannot tell in every C standard whether there are any
// METRICs: ": NAME [= EXPR], METRIC, ... [fence]"
bool parse_macro (ppgcc_lexer &lex, parsed_site &out)
{
	lex.next ();
	const char *name = lex.name ("the site's name", NULL);
	if (!name)
		return false;
	out.site.name = name;
	if (lex.accept (CPP_EQ) &&
	    (out.value = ppgcc_parse_value (lex, "value")) == error_mark_node)
		return false;
	if (lex.at (CPP_COMMA) && !parse_metrics (lex, out))
		return false;
	if (lex.at_name ("fence")) {
		lex.next ();
		out.site.flags |= PP_ABI_SITE_FENCE;
	}
	return true;
}

// "LIBRARY.FEATURE": what follows the feature's first word.
bool parse_rest_of_name (ppgcc_lexer &lex, std::string &name)
{
	while (lex.accept (CPP_DOT)) {
		const char *word = lex.name ("the rest of the feature's name", NULL);
		if (!word)
			return false;
		name += std::string (".") + word;
	}
	return true;
}

// "[NAME] [(METRIC, ...)] [clauses]"; features and antimarks need a name and take no metrics.
bool parse_site (ppgcc_lexer &lex, parsed_site &out)
{
	bool feature =
		out.site.kind == PP_ABI_SITE_FEATURE || out.site.kind == PP_ABI_SITE_ANTIMARK;
	const char *what = feature ? "the feature's name" : "the site's name";
	if (lex.at (CPP_NAME) && !at_clause (lex))
		out.site.name = lex.name (what, NULL);
	else if (feature || (!lex.at_end () && !lex.at (CPP_NAME) && !lex.at (CPP_OPEN_PAREN))) {
		lex.expected (what);
		return false;
	}
	if (feature && !parse_rest_of_name (lex, out.site.name))
		return false;
	if (lex.at (CPP_OPEN_PAREN) && feature) {
		error_at (lex.loc (), "%s %s has no metrics of its own: put an interval beside it",
			  kinds[out.site.kind].article, kinds[out.site.kind].word);
		return false;
	}
	if (lex.at (CPP_OPEN_PAREN) &&
	    (!parse_metrics (lex, out) || !lex.expect (CPP_CLOSE_PAREN, "%<,%> or %<)%>")))
		return false;
	return parse_clauses (lex, out);
}

bool parse (ppgcc_lexer &lex, parsed_site &out)
{
	if (lex.at (CPP_COLON) ? !parse_macro (lex, out) || !ppgcc_end_of_pragma (lex)
			       : !parse_site (lex, out))
		return false;
	if (out.site.flags & PP_ABI_SITE_INLINE)
		return inline_possible (out);
	if (!out.value && out.site.kind == PP_ABI_SITE_POINT)
		check_value_metrics (out);
	return true;
}

// ---- code

// Capture VALUE, number N of the site with the text PACKED, as an argument of its marker. What
// costs something is computed only if something that is bound reads it.
tree capture (const parsed_site &parsed, const std::string &packed, unsigned n, tree value)
{
	if (ppgcc_simple_value (value))
		return value;
	auto_vec<tree> args;
	args.safe_push (ppgcc_literal (packed));
	args.safe_push (build_int_cst (integer_type_node, n));
	tree wanted = ppgcc_front (marker (parsed.loc, ppgcc_marker_function (PPGCC_WANTED), args));
	args[1] = value;
	tree bits = ppgcc_front (marker (parsed.loc, ppgcc_marker_function (PPGCC_BITS), args));
	tree none = build_int_cst (long_long_integer_type_node, PP_ABI_NOT_CAPTURED);
	if (ppgcc_is_cxx ())
		return ppgcc_cxx_conditional (parsed.loc, wanted, bits, none);
	wanted = build2_loc (parsed.loc, NE_EXPR, integer_type_node, wanted, integer_zero_node);
	return build3_loc (parsed.loc, COND_EXPR, long_long_integer_type_node, wanted, bits, none);
}

bool computes (const parsed_site &parsed)
{
	bool any = parsed.value && !ppgcc_simple_value (parsed.value);
	for (tree dim : parsed.dims)
		any |= !ppgcc_simple_value (dim);
	return any;
}

// The arguments of the call that hands over what PARSED captures: letters and values.
void append_values (const parsed_site &parsed, const std::string &packed, auto_vec<tree> &args)
{
	std::string letters;
	bool in_template = ppgcc_front (in_template ());
	if (parsed.value)
		letters = in_template ? '?' : ppgcc_value_letter (TREE_TYPE (parsed.value));
	else
		letters = "-";
	for (tree dim : parsed.dims)
		letters += in_template ? '?' : ppgcc_dim_letter (TREE_TYPE (dim));
	args.safe_push (ppgcc_literal (letters));
	unsigned n = 0;
	if (parsed.value)
		args.safe_push (capture (parsed, packed, n++, parsed.value));
	for (tree dim : parsed.dims)
		args.safe_push (capture (parsed, packed, n++, dim));
}

// The begin, or the point: behind a test whether it is wanted where anything must be computed for
// it.
void emit_marker (const parsed_site &parsed, ppgcc_op op, const std::string &packed)
{
	auto_vec<tree> args, test_args;
	args.safe_push (ppgcc_literal (packed));
	bool values = parsed.value || !parsed.dims.is_empty ();
	if (values)
		append_values (parsed, packed, args);
	tree call = ppgcc_front (marker (parsed.loc, ppgcc_marker_function (op), args));
	if (!values ||
	    (op == PPGCC_VALUE && parsed.dims.is_empty () && ppgcc_simple_value (parsed.value))) {
		ppgcc_front (statement (call));
		return;
	}
	test_args.safe_push (ppgcc_literal (packed));
	tree test =
		ppgcc_front (marker (parsed.loc, ppgcc_marker_function (PPGCC_ENABLED), test_args));
	ppgcc_front (if (parsed.loc, test, call));
}

void emit (parsed_site &parsed)
{
	if (computes (parsed))
		parsed.site.flags |= PP_ABI_SITE_COMPUTED;
	std::string packed = ppgcc_site_pack (parsed.site);
	if (parsed.site.flags & PP_ABI_SITE_INLINE)
		ppgcc_inline_site (parsed.site, parsed.loc, parsed.metrics);
	else if (parsed.site.kind == PP_ABI_SITE_POINT)
		emit_marker (parsed,
			     parsed.value || !parsed.dims.is_empty () ? PPGCC_VALUE : PPGCC_POINT,
			     packed);
	else {
		emit_marker (parsed, PPGCC_BEGIN, packed);
		ppgcc_front (scope (parsed.loc, ppgcc_marker_function (PPGCC_END),
				    ppgcc_literal (packed), parsed.site.serial));
	}
}

// L<line>.<n>, n counting from 1 the sites of the line that have no name: macros can put several on
// one.
std::string unnamed (const ppgcc_site &site)
{
	static std::string file;
	static int line, n;

	n = site.line == line && site.file == file ? n + 1 : 1;
	file = site.file;
	line = site.line;
	return "L" + std::to_string (line) + "." + std::to_string (n);
}

void pragma_site (ppgcc_lexer &lex, int kind, location_t loc)
{
	static int serial;
	parsed_site parsed;
	ppgcc_site &site = parsed.site;
	expanded_location where = expand_location (loc);
	parsed.loc = loc;
	site.kind = kind;
	site.flags = 0;
	site.line = where.line;
	site.column = where.column;
	site.serial = ++serial;
	site.file = ppgcc_source_file (loc);
	if (!ppgcc_statement_possible (loc, kinds[kind].word) || !parse (lex, parsed))
		return;
	if (site.name.empty ())
		site.name = unnamed (site);
	if ((kind == PP_ABI_SITE_FEATURE || kind == PP_ABI_SITE_ANTIMARK) &&
	    ppgcc_feature_latent (site.name))
		site.flags |= PP_ABI_SITE_LATENT;
	site.function = ppgcc_front (function_name ());
	ppgcc_site_in (site, current_function_decl);
	ppgcc_site_written (site, loc);
	if (ppgcc_opts.verbose)
		inform (loc, "%s %qs in %qs", kinds[kind].word, site.name.c_str (),
			site.function.c_str ());
	emit (parsed);
}

} // namespace

void ppgcc_pragma_point (ppgcc_lexer &lex, location_t loc)
{
	pragma_site (lex, PP_ABI_SITE_POINT, loc);
}

void ppgcc_pragma_interval (ppgcc_lexer &lex, location_t loc)
{
	pragma_site (lex, PP_ABI_SITE_INTERVAL, loc);
}

void ppgcc_pragma_feature (ppgcc_lexer &lex, location_t loc)
{
	pragma_site (lex, PP_ABI_SITE_FEATURE, loc);
}

void ppgcc_pragma_antimark (ppgcc_lexer &lex, location_t loc)
{
	pragma_site (lex, PP_ABI_SITE_ANTIMARK, loc);
}
