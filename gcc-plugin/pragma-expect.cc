// SPDX-License-Identifier: GPL-3.0-or-later
//
// pragma-expect.cc: the statements "#pragma pp bind", "unbind" and "expect": calls of the runtime with a static record.

#include "ppgcc.h"

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

static void bind_statement (ppgcc_lexer &lex, bool bind, location_t loc)
{
	const char *word = bind ? "bind" : "unbind", *link = bind ? "to" : "from";
	location_t name_loc;
	if (!ppgcc_statement_possible (loc, word))
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
	std::string text = ppgcc_source_file (loc) + "\n" + std::to_string (expand_location (loc).line) + "\n" +
			   ppgcc_front (function_name ()) + "\n" + metric + "\n" + path + "\n";
	ppgcc_call_marker (loc, bind ? PPGCC_BIND : PPGCC_UNBIND, text, NULL_TREE);
}

void ppgcc_pragma_bind (ppgcc_lexer &lex, location_t loc)
{
	bind_statement (lex, true, loc);
}

void ppgcc_pragma_unbind (ppgcc_lexer &lex, location_t loc)
{
	bind_statement (lex, false, loc);
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

void ppgcc_pragma_expect (ppgcc_lexer &lex, location_t loc)
{
	if (!ppgcc_statement_possible (loc, "expect"))
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
	std::string text = ppgcc_source_file (loc) + "\n" + std::to_string (where.line) + "\n" +
			   std::to_string (where.column) + "\n" + ppgcc_front (function_name ()) + "\n" + name + "\n" +
			   expression + "\n";
	if (callback != null_pointer_node)
		callback = build_fold_addr_expr (callback);
	ppgcc_call_marker (loc, PPGCC_EXPECT, text, callback);
}
