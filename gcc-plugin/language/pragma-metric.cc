// SPDX-License-Identifier: GPL-3.0-or-later
//
// pragma-metric.cc: "#pragma pp metric NAME point|interval ACC(SOURCE[, END][, key=value...])". The
// declaration makes a variable, weak so that the units of a module share it, hidden so that each
// module has its own; its text stays on the variable as an attribute, where a second declaration
// and a site's list of metrics find it.

#include "gcc-plugin/base/diag.h"
#include "gcc-plugin/markers/metric.h"
#include "gcc-plugin/markers/record.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/lexer.h"
#include "gcc-plugin/language/pragma.h"
#include "pp_abi.h"

#include <algorithm>

// For suggestions only.
static auto_vec<const char *> metric_names;
static auto_vec<int> metric_kinds;

int ppgcc_metric_kind (const std::string &name)
{
	for (unsigned i = 0; i < metric_names.length (); i++)
		if (name == metric_names[i])
			return metric_kinds[i];
	return 0;
}

const char *ppgcc_closest_metric (const char *name)
{
	const char *closest = metric_names.is_empty () ? NULL : ppgcc_closest (name, metric_names);
	return closest && strcmp (closest, name) ? closest : NULL;
}

static bool parse_kind (ppgcc_lexer &lex, ppgcc_metric &metric)
{
	location_t loc;
	const char *word = lex.name ("%<point%> or %<interval%>", &loc);
	if (!word)
		return false;
	if (!strcmp (word, "point"))
		metric.kind = PP_ABI_SITE_POINT;
	else if (!strcmp (word, "interval"))
		metric.kind = PP_ABI_SITE_INTERVAL;
	else {
		ppgcc_words known;
		known.safe_push ("point");
		known.safe_push ("interval");
		ppgcc_unknown_word (loc, "kind of metric", word, known);
		return false;
	}
	return true;
}

static bool parse_accumulator (ppgcc_lexer &lex, ppgcc_metric &metric)
{
#define X(id, name) name,
	static const char *const known[] = {PP_ABI_ACCUMULATORS (X)};
#undef X
	location_t loc;
	const char *word = lex.name ("an accumulator", &loc);
	if (!word)
		return false;
	ppgcc_words words;
	for (const char *one : known) {
		if (!strcmp (one, word)) {
			metric.accumulator = word;
			return true;
		}
		words.safe_push (one);
	}
	ppgcc_unknown_word (loc, "accumulator", word, words);
	return false;
}

// A name of the runtime's, as "papi:sde:::LIB::EVENT": everything up to a comma or parenthesis.
static void parse_raw_source (ppgcc_lexer &lex, std::string &source)
{
	while (!lex.at_end () && !lex.at (CPP_COMMA) && !lex.at (CPP_CLOSE_PAREN))
		source += ppgcc_spelling (lex.next ());
}

// Options whose value is a word. An operator may be a function that is registered by name: the
// runtime knows those.
static const char *const word_options[] = {"scope", "operator"};
enum { N_WORDS = ARRAY_SIZE (word_options), SCOPE = 0, OPERATOR = 1 };

// Options whose value is a number, and the accumulator that they belong to.
#define X(option, accumulator, most, meaning) {#option, accumulator},
static const struct {
	const char *name, *accumulator;
} number_options[] = {PP_ABI_SIZES (X){"every", NULL}};
#undef X
enum { N_OPTIONS = ARRAY_SIZE (number_options) };

// fallback=SOURCE, of which there may be several
static bool parse_fallback (ppgcc_lexer &lex, std::string &options)
{
	ppgcc_function fn;
	std::string text;
	if (!ppgcc_parse_function (lex, fn, text, "a source"))
		return false;
	if (lex.at (CPP_COLON) || lex.at (CPP_SCOPE) || lex.at (CPP_DOT))
		parse_raw_source (lex, text);
	options += (options.empty () ? "" : ",") + std::string ("fallback=") + text;
	return true;
}

// Is KEY one of them? Then RESULT is whether its value is one.
static bool parse_word_option (ppgcc_lexer &lex, const char *key, location_t loc,
			       std::string (&values)[N_WORDS], bool &result)
{
	static const char *const scopes[] = {"total", "self", "outermost"};
	unsigned which = 0;
	while (which < N_WORDS && strcmp (word_options[which], key))
		which++;
	if (which == N_WORDS)
		return false;
	location_t at;
	const char *word = lex.name (which == SCOPE ? "a scope" : "an operator", &at);
	ppgcc_words known;
	bool found = which != SCOPE;
	for (const char *scope : scopes) {
		known.safe_push (scope);
		found = found || (word && !strcmp (scope, word));
	}
	if (word && !found)
		ppgcc_unknown_word (at, "scope", word, known);
	else if (word && !values[which].empty ())
		error_at (loc, "%qs is given twice", key);
	result = word && found && values[which].empty ();
	if (result)
		values[which] = word;
	return true;
}

static bool parse_option (ppgcc_lexer &lex, const char *key, location_t loc,
			  const std::string &accumulator, HOST_WIDE_INT (&values)[N_OPTIONS])
{
	unsigned which = 0;
	ppgcc_words known;
	for (const auto &one : number_options)
		known.safe_push (one.name);
	for (const char *one : word_options)
		known.safe_push (one);
	known.safe_push ("fallback");
	while (which < N_OPTIONS && strcmp (number_options[which].name, key))
		which++;
	if (which == N_OPTIONS) {
		ppgcc_unknown_word (loc, "option", key, known);
		return false;
	}
	const char *owner = number_options[which].accumulator;
	if (owner && accumulator != owner) {
		error_at (loc, "%qs belongs to %qs, not to %qs", key, owner, accumulator.c_str ());
		return false;
	}
	location_t at = lex.loc ();
	if (!lex.at (CPP_NUMBER) || TREE_CODE (lex.peek ().value) != INTEGER_CST) {
		lex.expected ("an integer");
		return false;
	}
	tree value = lex.next ().value;
	if (!tree_fits_uhwi_p (value) || tree_to_uhwi (value) < 1 ||
	    tree_to_uhwi (value) > INT_MAX) {
		error_at (at, "%qs must be between 1 and %d", key, INT_MAX);
		return false;
	}
	if (values[which]) {
		error_at (loc, "%qs is given twice", key);
		return false;
	}
	values[which] = tree_to_uhwi (value);
	return true;
}

struct metric_arguments {
	ppgcc_function begin, end;
	bool has_end;
	bool raw; // the source is a name of the runtime's
	bool has_operator, has_scope;
	std::string begin_text, end_text;
};

// Options that are a word of their own; before the others, if there are several.
static const char *const flags[] = {"optional", "jumped"};

static bool is_flag (const ppgcc_function &fn, const std::string &text)
{
	return !fn.scope &&
	       std::find (std::begin (flags), std::end (flags), text) != std::end (flags);
}

// Whether FN is one of them with a mistake, and no function; then it was said.
static bool misspelt_flag (const ppgcc_function &fn, const std::string &text)
{
	ppgcc_words words;
	for (const char *flag : flags)
		words.safe_push (flag);
	tree found =
		fn.scope || !ppgcc_closest (text.c_str (), words) ? fn.name : lookup_name (fn.name);
	if (found && found != error_mark_node)
		return false;
	ppgcc_unknown_word (fn.loc, "option", text.c_str (), words);
	return true;
}

static bool parse_metric_arguments (ppgcc_lexer &lex, ppgcc_metric &metric, metric_arguments &args)
{
	HOST_WIDE_INT values[N_OPTIONS] = {0};
	std::string words[N_WORDS];
	args.has_end = args.raw = false;
	if (!ppgcc_parse_function (lex, args.begin, args.begin_text, "a source"))
		return false;
	if (lex.at (CPP_COLON) || lex.at (CPP_SCOPE) || lex.at (CPP_DOT)) {
		args.raw = true;
		parse_raw_source (lex, args.begin_text);
	}
	while (lex.accept (CPP_COMMA)) {
		ppgcc_function fn;
		std::string text;
		if (!ppgcc_parse_function (lex, fn, text, "an option or a function"))
			return false;
		if (lex.accept (CPP_EQ)) {
			bool understood = false;
			if (parse_word_option (lex, text.c_str (), fn.loc, words, understood)) {
				if (!understood)
					return false;
				continue;
			}
			if (text == "fallback" ? parse_fallback (lex, metric.options)
					       : parse_option (lex, text.c_str (), fn.loc,
							       metric.accumulator, values))
				continue;
			return false;
		}
		if (is_flag (fn, text)) {
			metric.options += std::string (metric.options.empty () ? "" : ",") + text;
			continue;
		}
		if (misspelt_flag (fn, text))
			return false;
		if (args.has_end) {
			error_at (fn.loc,
				  "a metric has at most two functions; did you mean %<%s=...%>?",
				  text.c_str ());
			return false;
		}
		args.has_end = true;
		args.end = fn;
		args.end_text = text;
	}
	for (unsigned i = 0; i < ARRAY_SIZE (values); i++)
		if (values[i])
			metric.options += (metric.options.empty () ? "" : ",") +
					  std::string (number_options[i].name) + "=" +
					  std::to_string (values[i]);
	for (unsigned i = 0; i < N_WORDS; i++)
		if (!words[i].empty ())
			metric.options += (metric.options.empty () ? "" : ",") +
					  std::string (word_options[i]) + "=" + words[i];
	args.has_operator = !words[OPERATOR].empty ();
	args.has_scope = !words[SCOPE].empty ();
	return lex.expect (CPP_CLOSE_PAREN, "%<)%>");
}

// A source that is nearly one of the library's. It may still be a PP_SOURCE of another file: no
// more than a warning.
static void check_source (const metric_arguments &args)
{
#define X(name) #name,
	static const char *const known[] = {PP_ABI_SOURCES (X)};
#undef X
	const char *name = args.begin_text.c_str ();
	ppgcc_words words;
	for (const char *one : known) {
		if (!strcmp (one, name))
			return;
		words.safe_push (one);
	}
	const char *closest = ppgcc_closest (name, words);
	if (closest &&
	    !identifier_global_value (get_identifier (("pp_source_" + args.begin_text).c_str ())))
		warning_at (args.begin.loc, 0, "source %qs is not declared here; did you mean %qs?",
			    name, closest);
}

static bool resolve_functions (ppgcc_metric &metric, const metric_arguments &args)
{
	if (!args.raw)
		metric.begin = ppgcc_front (
			function (args.begin.name, args.begin.scope, args.begin.loc, 0));
	if (metric.begin == error_mark_node)
		return false;
	if (args.has_end) {
		if (metric.kind == PP_ABI_SITE_POINT) {
			error_at (args.end.loc, "a point metric has one function, %qs is a second",
				  args.end_text.c_str ());
			return false;
		}
		if (!metric.begin) {
			error_at (args.begin.loc, "%qs is not a function declared here",
				  args.begin_text.c_str ());
			return false;
		}
		metric.end =
			ppgcc_front (function (args.end.name, args.end.scope, args.end.loc, 1));
		if (metric.end == error_mark_node)
			return false;
		if (!metric.end) {
			error_at (args.end.loc, "%qs is not a function declared here",
				  args.end_text.c_str ());
			return false;
		}
		if (args.has_operator) {
			error_at (args.end.loc,
				  "%<operator%> combines what one function says at begin and end, "
				  "%qs is a second",
				  args.end_text.c_str ());
			return false;
		}
	} else if (metric.begin && metric.kind == PP_ABI_SITE_INTERVAL && !args.has_operator) {
		error_at (args.begin.loc,
			  "an interval metric of functions needs two, %qs and one for the end",
			  args.begin_text.c_str ());
		return false;
	} else if (args.begin.scope && !metric.begin) {
		error_at (args.begin.loc, "%qs is not a function declared here",
			  args.begin_text.c_str ());
		return false;
	}
	if (!metric.begin && !args.raw)
		check_source (args);
	if (metric.kind == PP_ABI_SITE_POINT && !metric.begin && args.begin_text == "elapsed") {
		error_at (args.begin.loc,
			  "%<elapsed%> is between a begin and an end, a point has neither");
		return false;
	}
	if (metric.kind == PP_ABI_SITE_POINT && (args.has_operator || args.has_scope)) {
		error_at (args.begin.loc,
			  args.has_operator
				  ? "%<operator%> is for intervals: a point is read once"
				  : "%<scope%> is for intervals: nothing is nested in a point");
		return false;
	}
	if (!ppgcc_metric_check (metric, args.begin.loc,
				 args.has_end ? args.end.loc : UNKNOWN_LOCATION))
		return false;
	if (!metric.arguments || !args.has_operator)
		return true;
	error_at (args.begin.loc,
		  "%<operator%> combines what a function without arguments says, %qs takes some",
		  args.begin_text.c_str ());
	return false;
}

static tree metric_type ()
{
	tree decl = identifier_global_value (get_identifier ("pp_metric"));
	return decl && TREE_CODE (decl) == TYPE_DECL ? build_pointer_type (TREE_TYPE (decl))
						     : ptr_type_node;
}

static void declare_metric (const ppgcc_metric &metric)
{
	tree old = identifier_global_value (get_identifier (metric.name.c_str ()));
	if (old && VAR_P (old) && lookup_attribute ("pp metric", DECL_ATTRIBUTES (old))) {
		if (metric.declaration == ppgcc_metric_declaration (old))
			return;
		auto_diagnostic_group group;
		error_at (metric.loc, "metric %qs was declared before, as %qs",
			  metric.name.c_str (), ppgcc_metric_declaration (old));
		inform (DECL_SOURCE_LOCATION (old), "here");
		return;
	}
	if (old && old != error_mark_node) {
		auto_diagnostic_group group;
		error_at (metric.loc, "%qs is declared as something else than a metric",
			  metric.name.c_str ());
		if (DECL_P (old))
			inform (DECL_SOURCE_LOCATION (old), "here");
		return;
	}
	std::string symbol = "pp_metric_" + metric.name;
	tree var = ppgcc_front (
		declare (metric.loc, metric.name.c_str (), symbol.c_str (), metric_type ()));
	ppgcc_metric_describe (var, metric);
	metric_names.safe_push (xstrdup (metric.name.c_str ()));
	metric_kinds.safe_push (metric.kind);
	ppgcc_metric_record (metric, var);
}

void ppgcc_pragma_metric (ppgcc_lexer &lex)
{
	ppgcc_metric metric;
	metric_arguments args;
	metric.begin = metric.end = NULL_TREE;
	metric.arguments = false;
	const char *name = lex.name ("the metric's name", &metric.loc);
	if (!name)
		return;
	metric.name = name;
	if (!parse_kind (lex, metric) || !parse_accumulator (lex, metric) ||
	    !lex.expect (CPP_OPEN_PAREN, "%<(%>") || !parse_metric_arguments (lex, metric, args) ||
	    !ppgcc_end_of_pragma (lex) || !resolve_functions (metric, args))
		return;
	metric.source = args.begin_text;
	metric.declaration = (metric.kind == PP_ABI_SITE_POINT ? "point " : "interval ") +
			     metric.accumulator + "(" + metric.source;
	if (args.has_end)
		metric.declaration += "," + args.end_text;
	if (!metric.options.empty ())
		metric.declaration += "," + metric.options;
	metric.declaration += ")";
	declare_metric (metric);
}
