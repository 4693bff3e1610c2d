// SPDX-License-Identifier: GPL-3.0-or-later
//
// pragma.cc: the language of "#pragma pp". One pragma is registered and its words are read here, so that a misspelt
// word is an error with a suggestion instead of a pragma that is silently ignored.

#include "ppgcc.h"

static int serial;

static std::string source_file (location_t loc)
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

static void call_marker (location_t loc, tree fn, tree text, tree second)
{
	tree call = ppgcc_front (call (loc, fn, text, second));
	ppgcc_front (statement (call));
}

bool ppgcc_parse_function (ppgcc_lexer &lex, ppgcc_function &fn, std::string &text, const char *what)
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

// ---- point, interval

static bool statement_possible (location_t loc, const char *word)
{
	if (!ppgcc_front (in_function ())) {
		error_at (loc, "%<#pragma pp %s%> outside a function", word);
		return false;
	}
	if (ppgcc_front (constant_function ())) {
		inform (loc, "%<#pragma pp %s%> does nothing in a function that may be evaluated by the compiler",
			word);
		return false;
	}
	if (const char *why = ppgcc_sole_body (loc, word)) {
		error_at (loc, "%<#pragma pp %s%> would be the whole body of %<%s%>: put braces around it", word, why);
		return false;
	}
	return true;
}

static void check_site_metric (const char *name, location_t loc, int kind)
{
	tree decl = ppgcc_declared_metric (name);
	if (!decl) {
		const char *closest = ppgcc_closest_metric (name);
		if (closest)
			warning_at (loc, 0, "metric %qs is not declared here; did you mean %qs?", name, closest);
		return;
	}
	const char *wanted = kind == PP_ABI_SITE_POINT ? "point" : "interval";
	if (startswith (ppgcc_metric_declaration (decl), wanted))
		return;
	auto_diagnostic_group group;
	error_at (loc, "%qs is a metric for %ss, it cannot be measured at %s %s", name,
		  kind == PP_ABI_SITE_POINT ? "interval" : "point", kind == PP_ABI_SITE_POINT ? "a" : "an", wanted);
	inform (DECL_SOURCE_LOCATION (decl), "declared here");
}

// A list of names in parentheses, the opening one read. Metrics are checked where KIND isn't 0.
static bool parse_names (ppgcc_lexer &lex, std::string &out, const char *what, int kind)
{
	do {
		location_t loc;
		const char *name = lex.name (what, &loc);
		if (!name)
			return false;
		if (kind)
			check_site_metric (name, loc, kind);
		out += (out.empty () ? "" : ",") + std::string (name);
	} while (lex.accept (CPP_COMMA));
	return lex.expect (CPP_CLOSE_PAREN, "%<,%> or %<)%>");
}

static void clause_words (int kind, ppgcc_words &words)
{
	words.safe_push ("group");
	words.safe_push (kind == PP_ABI_SITE_POINT ? "value" : "fence");
}

// One clause after the site's name; its WORD has been read.
static bool parse_clause (ppgcc_lexer &lex, const char *word, location_t loc, ppgcc_site &site, tree &value)
{
	if (!strcmp (word, "fence") && site.kind == PP_ABI_SITE_INTERVAL) {
		site.flags |= PP_ABI_SITE_FENCE;
		return true;
	}
	if (!strcmp (word, "group"))
		return lex.expect (CPP_OPEN_PAREN, "%<(%>") && parse_names (lex, site.groups, "a group's name", 0);
	if (!strcmp (word, "value") && site.kind == PP_ABI_SITE_POINT) {
		if (value) {
			error_at (loc, "%<value%> is given twice");
			return false;
		}
		if (!lex.expect (CPP_OPEN_PAREN, "%<(%>"))
			return false;
		value = ppgcc_parse_value (lex);
		return value != error_mark_node && lex.expect (CPP_CLOSE_PAREN, "%<)%>");
	}
	if (!strcmp (word, "dim") || !strcmp (word, "inline")) {
		error_at (loc, "%qs is not available yet", word);
		return false;
	}
	if (!strcmp (word, "fence") || !strcmp (word, "value")) {
		error_at (loc, "%qs belongs to %s, not to %s", word, *word == 'f' ? "intervals" : "points",
			  *word == 'f' ? "points" : "intervals");
		return false;
	}
	ppgcc_words words;
	clause_words (site.kind, words);
	ppgcc_unknown_word (loc, "clause", word, words);
	return false;
}

// Whether WORD, just read, begins a clause: a site may well be called "value".
static bool clause_p (const ppgcc_lexer &lex, const char *word)
{
	for (const char *one : {"group", "value", "dim"})
		if (!strcmp (one, word))
			return lex.at (CPP_OPEN_PAREN);
	return !strcmp (word, "fence") || !strcmp (word, "inline");
}

static bool parse_clauses (ppgcc_lexer &lex, ppgcc_site &site, tree &value)
{
	while (!lex.at_end ()) {
		location_t loc;
		const char *word = lex.name ("a clause", &loc);
		if (!word || !parse_clause (lex, word, loc, site, value))
			return false;
	}
	return true;
}

// What the METRICS of a point without value (EXPR) can't be: of captured values. LOC is that of their list.
static void check_value_metrics (const std::string &metrics, location_t loc)
{
	for (size_t at = 0, end; at < metrics.size (); at = end + 1) {
		end = std::min (metrics.find (',', at), metrics.size ());
		std::string name = metrics.substr (at, end - at);
		tree decl = ppgcc_declared_metric (name.c_str ());
		const char *source = decl ? strchr (ppgcc_metric_declaration (decl), '(') : NULL;
		if (!source || strncmp (source, "(value", 6) || (source[6] != ')' && source[6] != ','))
			continue;
		auto_diagnostic_group group;
		error_at (loc, "%qs keeps captured values, and this point has no %<value (...)%>", name.c_str ());
		inform (DECL_SOURCE_LOCATION (decl), "declared here");
	}
}

// "[NAME] [(METRIC, ...)] [clauses]"
static bool parse_site (ppgcc_lexer &lex, ppgcc_site &site, tree &value)
{
	if (lex.at (CPP_NAME)) {
		location_t loc;
		const char *word = lex.name ("the site's name", &loc);
		if (clause_p (lex, word))
			return parse_clause (lex, word, loc, site, value) && parse_clauses (lex, site, value);
		site.name = word;
	} else if (!lex.at_end () && !lex.at (CPP_OPEN_PAREN)) {
		lex.expected ("the site's name");
		return false;
	}
	location_t loc = lex.loc ();
	if (lex.accept (CPP_OPEN_PAREN) && !parse_names (lex, site.metrics, "a metric's name", site.kind))
		return false;
	if (!parse_clauses (lex, site, value))
		return false;
	if (!value && site.kind == PP_ABI_SITE_POINT)
		check_value_metrics (site.metrics, loc);
	return true;
}

// L<line>.<n>, n counting from 1 the sites of the line that have no name: macros can put several on one.
static std::string unnamed (const ppgcc_site &site)
{
	static std::string file;
	static int line, n;

	n = site.line == line && site.file == file ? n + 1 : 1;
	file = site.file;
	line = site.line;
	return "L" + std::to_string (line) + "." + std::to_string (n);
}

static void pragma_site (ppgcc_lexer &lex, int kind, location_t loc)
{
	const char *word = kind == PP_ABI_SITE_POINT ? "point" : "interval";
	ppgcc_site site;
	tree value = NULL_TREE;
	expanded_location where = expand_location (loc);
	site.kind = kind;
	site.flags = 0;
	site.line = where.line;
	site.column = where.column;
	site.serial = ++serial;
	site.file = source_file (loc);
	if (!statement_possible (loc, word) || !parse_site (lex, site, value))
		return;
	if (site.name.empty ())
		site.name = unnamed (site);
	site.function = ppgcc_front (function_name ());
	if (ppgcc_opts.verbose)
		inform (loc, "%s %qs in %qs", word, site.name.c_str (), site.function.c_str ());

	tree text = ppgcc_literal (ppgcc_site_pack (site));
	if (kind == PP_ABI_SITE_INTERVAL)
		ppgcc_front (scope (loc, ppgcc_marker_function (PPGCC_END), text, site.serial));
	else {
		tree fn = ppgcc_marker_function (value ? PPGCC_VALUE : PPGCC_POINT);
		call_marker (loc, fn, text, value);
	}
}

// ---- bind, unbind

// A site's name: an identifier, a string, or a path "server.c:serve/i1" of tokens.
static bool parse_site_path (ppgcc_lexer &lex, std::string &path)
{
	if (lex.at (CPP_STRING) && lex.peek ().value && TREE_CODE (lex.peek ().value) == STRING_CST) {
		path = TREE_STRING_POINTER (lex.next ().value);
		return true;
	}
	while (!lex.at_end ())
		path += ppgcc_spelling (lex.next ());
	if (!path.empty ())
		return true;
	lex.expected ("a site's name");
	return false;
}

static void pragma_bind (ppgcc_lexer &lex, bool bind, location_t loc)
{
	const char *word = bind ? "bind" : "unbind", *link = bind ? "to" : "from";
	location_t name_loc;
	if (!statement_possible (loc, word))
		return;
	const char *metric = lex.name ("a metric's name", &name_loc);
	if (!metric)
		return;
	if (!lex.at_name (link)) {
		lex.expected (bind ? "%<to%>" : "%<from%>");
		return;
	}
	lex.next ();
	std::string path;
	if (!parse_site_path (lex, path) || !ppgcc_end_of_pragma (lex))
		return;
	std::string text = source_file (loc) + "\n" + std::to_string (expand_location (loc).line) + "\n" +
			   ppgcc_front (function_name ()) + "\n" + metric + "\n" + path + "\n";
	tree fn = ppgcc_marker_function (bind ? PPGCC_BIND : PPGCC_UNBIND);
	call_marker (loc, fn, ppgcc_literal (text), NULL_TREE);
}

// ---- expect

static bool check_callback (tree fn, location_t loc)
{
	tree args = TYPE_ARG_TYPES (TREE_TYPE (fn));
	tree first = args ? TREE_VALUE (args) : NULL_TREE,
	     second = args && TREE_CHAIN (args) ? TREE_VALUE (TREE_CHAIN (args)) : NULL_TREE;
	bool fits = VOID_TYPE_P (TREE_TYPE (TREE_TYPE (fn))) && second && list_length (args) == 3 &&
		    POINTER_TYPE_P (first) && TYPE_READONLY (TREE_TYPE (first)) &&
		    TYPE_IDENTIFIER (TREE_TYPE (first)) &&
		    !strcmp (IDENTIFIER_POINTER (TYPE_IDENTIFIER (TREE_TYPE (first))), "pp_violation") &&
		    POINTER_TYPE_P (second) && VOID_TYPE_P (TREE_TYPE (second));
	if (!fits) {
		auto_diagnostic_group group;
		error_at (loc, "%qD cannot be called: it must be %<void (const struct pp_violation *, void *)%>", fn);
		inform (DECL_SOURCE_LOCATION (fn), "declared here");
	}
	return fits;
}

static bool parse_callback (ppgcc_lexer &lex, tree &callback)
{
	ppgcc_function fn;
	std::string text;
	location_t loc;
	const char *word = lex.name ("%<call%>", &loc);
	if (!word)
		return false;
	if (strcmp (word, "call")) {
		ppgcc_words known;
		known.safe_push ("call");
		ppgcc_unknown_word (loc, "clause", word, known);
		return false;
	}
	if (!lex.expect (CPP_OPEN_PAREN, "%<(%>") || !ppgcc_parse_function (lex, fn, text, "a function"))
		return false;
	callback = ppgcc_front (function (fn.name, fn.scope, fn.loc, 2));
	if (!callback)
		error_at (fn.loc, "%qs is not a function declared here", text.c_str ());
	if (!callback || callback == error_mark_node || !check_callback (callback, fn.loc))
		return false;
	return lex.expect (CPP_CLOSE_PAREN, "%<)%>");
}

static bool check_balance (const char *text, location_t loc)
{
	std::string open;
	for (const char *p = text; *p; p++) {
		if (*p == '(' || *p == '[')
			open += *p == '(' ? ')' : ']';
		else if (*p == ')' || *p == ']') {
			if (open.empty () || open.back () != *p) {
				error_at (loc, "%<%c%> without its counterpart in the expectation", *p);
				return false;
			}
			open.pop_back ();
		}
	}
	if (open.empty ())
		return true;
	error_at (loc, "missing %<%c%> in the expectation", open.back ());
	return false;
}

static void pragma_expect (ppgcc_lexer &lex, location_t loc)
{
	if (!statement_possible (loc, "expect"))
		return;
	const char *name = lex.name ("the expectation's name", NULL);
	if (!name || !lex.expect (CPP_COLON, "%<:%>"))
		return;
	location_t text_loc = lex.loc ();
	std::string expression;
	if (lex.at (CPP_STRING))
		expression = TREE_STRING_POINTER (lex.next ().value);
	else // the text of a _Pragma
		while (!lex.at_end () && !(lex.at_name ("call") && !expression.empty ()))
			expression += (expression.empty () ? "" : " ") + ppgcc_spelling (lex.next ());
	if (expression.empty ()) {
		lex.expected ("an expression");
		return;
	}
	tree callback = null_pointer_node;
	if (!check_balance (expression.c_str (), text_loc) || (!lex.at_end () && !parse_callback (lex, callback)) ||
	    !ppgcc_end_of_pragma (lex))
		return;
	expanded_location where = expand_location (loc);
	std::string text = source_file (loc) + "\n" + std::to_string (where.line) + "\n" +
			   std::to_string (where.column) + "\n" + ppgcc_front (function_name ()) + "\n" + name + "\n" +
			   expression + "\n";
	if (callback != null_pointer_node)
		callback = build_fold_addr_expr (callback);
	tree fn = ppgcc_marker_function (PPGCC_EXPECT);
	call_marker (loc, fn, ppgcc_literal (text), callback);
}

// ---- the pragma

static void unknown_form (const char *word, location_t loc)
{
	static const char *const known[] = {"metric", "point", "interval", "bind", "unbind", "expect"};
	static const char *const later[] = {"sample_begin", "sample_end", "feature", "antimark"};
	ppgcc_words words;
	for (const char *one : known)
		words.safe_push (one);
	for (const char *one : later)
		if (!strcmp (one, word)) {
			error_at (loc, "%<#pragma pp %s%> is not available yet", word);
			return;
		}
	ppgcc_unknown_word (loc, "pp pragma", word, words);
}

static void dispatch (ppgcc_lexer &lex)
{
	location_t loc;
	const char *word = lex.name ("%<metric%>, %<point%>, %<interval%>, %<bind%>, %<unbind%> or %<expect%>", &loc);
	if (!word)
		return;
	if (POINTER_SIZE != 64)
		error_at (loc, "ppgcc measures 64-bit programs only");
	else if (!strcmp (word, "metric"))
		ppgcc_pragma_metric (lex);
	else if (!strcmp (word, "point"))
		pragma_site (lex, PP_ABI_SITE_POINT, loc);
	else if (!strcmp (word, "interval"))
		pragma_site (lex, PP_ABI_SITE_INTERVAL, loc);
	else if (!strcmp (word, "bind") || !strcmp (word, "unbind"))
		pragma_bind (lex, *word == 'b', loc);
	else if (!strcmp (word, "expect"))
		pragma_expect (lex, loc);
	else
		unknown_form (word, loc);
}

static void handle_pragma (cpp_reader *, void *)
{
	ppgcc_lexer lex;
	dispatch (lex);
	lex.skip ();
}

static void define_macro ()
{
	if (!cpp_get_options (parse_in)->preprocessed)
		cpp_define (parse_in, "__PPGCC__=1");
}

// Before -include and the main file, after the debug hooks that -g3 tells about macros are set up.
static void start_unit (void *, void *)
{
	if (ppgcc_is_c_family ())
		define_macro ();
}

static void register_pragmas (void *, void *)
{
	if (!ppgcc_is_c_family ())
		return;
	// With -E a pragma that isn't registered would be copied as it is, and macros in value (...) were lost.
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
