// SPDX-License-Identifier: GPL-3.0-or-later
//
// pragma-expect.cc: the statements "#pragma pp bind", "unbind" and "expect": calls of the runtime
// with a static record.

#include "gcc-plugin/base/diag.h"
#include "gcc-plugin/markers/barrier.h"
#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/language/front.h"
#include "gcc-plugin/language/hints.h"
#include "gcc-plugin/language/lexer.h"
#include "gcc-plugin/language/pragma.h"

// ---- bind, unbind

// A site's name: an identifier, a string, or a path "server.c:serve/i1" of tokens.
static bool parse_site_path (ppgcc_lexer &lex, std::string &path)
{
	if (lex.at (CPP_STRING) && lex.peek ().value &&
	    TREE_CODE (lex.peek ().value) == STRING_CST) {
		path = TREE_STRING_POINTER (lex.next ().value);
		return true;
	}
	bool word = false;
	while (!lex.at_end ()) {
		bool was_word = word;
		word = lex.at (CPP_NAME) || lex.at (CPP_KEYWORD);
		path += was_word && word
				? " "
				: ""; // parameters as names have them: "(const char*, int)"
		bool comma = lex.at (CPP_COMMA);
		path += ppgcc_spelling (lex.next ());
		path += comma ? " " : "";
	}
	if (!path.empty ())
		return true;
	lex.expected ("a site's name");
	return false;
}

static void bind_statement (ppgcc_lexer &lex, bool bind, location_t loc)
{
	const char *word = bind ? "bind" : "unbind", *link = bind ? "to" : "from";
	location_t name_loc, path_loc;
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
	path_loc = lex.loc ();
	if (!parse_site_path (lex, path) || !ppgcc_end_of_pragma (lex))
		return;
	std::string text = ppgcc_source_file (loc) + "\n" +
			   std::to_string (expand_location (loc).line) + "\n" +
			   ppgcc_front (function_name ()) + "\n" + metric + "\n" + path + "\n" +
			   std::to_string (DECL_SOURCE_LINE (current_function_decl)) + "\n";
	ppgcc_bind_seen (metric, name_loc, path, path_loc);
	if (bind)
		ppgcc_note_bind (metric, path);
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
		    !strcmp (IDENTIFIER_POINTER (TYPE_IDENTIFIER (TREE_TYPE (first))),
			     "pp_violation") &&
		    POINTER_TYPE_P (second) && VOID_TYPE_P (TREE_TYPE (second));
	if (!fits) {
		auto_diagnostic_group group;
		error_at (loc,
			  "%qD cannot be called: it must be %<void (const struct pp_violation *, "
			  "void *)%>",
			  fn);
		inform (DECL_SOURCE_LOCATION (fn), "declared here");
	}
	return fits;
}

static bool parse_call (ppgcc_lexer &lex, tree &callback)
{
	ppgcc_function fn;
	std::string text;
	if (!lex.expect (CPP_OPEN_PAREN, "%<(%>") ||
	    !ppgcc_parse_function (lex, fn, text, "a function"))
		return false;
	callback = ppgcc_front (function (fn.name, fn.scope, fn.loc, 2));
	if (!callback)
		error_at (fn.loc, "%qs is not a function declared here", text.c_str ());
	if (!callback || callback == error_mark_node || !check_callback (callback, fn.loc))
		return false;
	return lex.expect (CPP_CLOSE_PAREN, "%<)%>");
}

// ---- clauses that say how it fires: words of the policy language, with its values
//
// They are handed to the runtime as text, "for: 3, cooldown: 2s", and it reads them as it reads a
// policy. What is wrong with them is said here, where there is a place for the caret; metrics to be
// captured may be declared anywhere.

namespace
{

// Whether TEXT is a value of the clause; else it was said what is.
typedef bool check_value_fn (const char *word, const char *text, location_t loc);

bool whole_p (const char *text, unsigned long long least, unsigned long long most)
{
	size_t digits = strspn (text, "0123456789");
	if (!digits || text[digits] || digits > 16)
		return false;
	unsigned long long value = strtoull (text, NULL, 10);
	return value >= least && value <= most;
}

bool check_samples (const char *word, const char *text, location_t loc)
{
	if (whole_p (text, 0, 1ULL << 53))
		return true;
	error_at (loc, "%qs is a whole number from 0 on, not %qs", word, text);
	return false;
}

bool check_run (const char *word, const char *text, location_t loc)
{
	if (whole_p (text, 1, 1000000))
		return true;
	error_at (loc, "%qs is a whole number from 1 to 1000000, not %qs", word, text);
	return false;
}

bool check_time (const char *word, const char *text, location_t loc)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"\u00b5s", 1e-6}, {"\u03bcs", 1e-6},
		     {"ms", 1e-3}, {"s", 1},     {"min", 60},       {"h", 3600}};
	size_t digits = strspn (text, "0123456789"), all = digits;
	if (digits && text[digits] == '.')
		all += 1 + strspn (text + digits + 1, "0123456789");
	const char *unit = text + all + strspn (text + all, " ");
	for (const auto &one : units)
		if (digits && !strcmp (unit, one.name)) {
			double seconds = strtod (text, NULL) * one.seconds;
			if (seconds >= 1e-9 && seconds <= 1000.0 * 24 * 3600)
				return true;
			error_at (loc, "%qs is a time from 1 ns to 1000 days, not %qs", word, text);
			return false;
		}
	error_at (loc, "%qs is a time with its unit, like %<10s%> or %<250ms%>, not %qs", word,
		  text);
	return false;
}

bool check_truth (const char *word, const char *text, location_t loc)
{
	if (!strcmp (text, "true") || !strcmp (text, "false"))
		return true;
	error_at (loc, "%qs is %<true%> or %<false%>, not %qs", word, text);
	return false;
}

bool check_word (const char *what, const char *text, location_t loc,
		 std::initializer_list<const char *> words)
{
	ppgcc_words known;
	for (const char *one : words) {
		if (!strcmp (one, text))
			return true;
		known.safe_push (one);
	}
	ppgcc_unknown_word (loc, what, text, known);
	return false;
}

bool check_severity (const char *word, const char *text, location_t loc)
{
	return check_word (word, text, loc, {"info", "warning", "error", "critical"});
}

bool check_scope (const char *word, const char *text, location_t loc)
{
	return check_word (word, text, loc, {"process", "thread"});
}

bool check_metrics (const char *word, const char *text, location_t loc)
{
	const char *p = text;
	unsigned n = 0;
	for (;; p++) {
		p += strspn (p, " ");
		if (!ISIDST (*p))
			break;
		while (ISIDNUM (*p))
			p++;
		p += strspn (p, " ");
		n++;
		if (*p != ',')
			break;
	}
	if (!*p && n && n <= 8)
		return true;
	error_at (loc, "%qs is a list of at most 8 metrics, not %qs", word, text);
	return false;
}

const struct {
	const char *word;
	bool is_list;
	check_value_fn *check;
} clauses[] = {{"after", false, check_samples}, {"for", false, check_run},
	       {"clear", false, check_run},     {"cooldown", false, check_time},
	       {"repeat", false, check_truth},  {"severity", false, check_severity},
	       {"scope", false, check_scope},   {"quiet", false, check_truth},
	       {"capture", true, check_metrics}};

} // anonymous namespace

// Whether the next tokens are WORD (, of a clause.
static bool at_clause (const ppgcc_lexer &lex)
{
	for (const auto &one : clauses)
		if (lex.at_name (one.word) && lex.peek (1).type == CPP_OPEN_PAREN)
			return true;
	return lex.at_name ("call");
}

// What stands in the parentheses of a clause: one string, made by the hook of lexer.cc, or tokens
// of a _Pragma.
static std::string clause_value (ppgcc_lexer &lex)
{
	std::string text;
	if (lex.at (CPP_STRING))
		text = TREE_STRING_POINTER (lex.next ().value);
	else
		while (!lex.at_end () && !lex.at (CPP_CLOSE_PAREN))
			text += (text.empty () ? "" : " ") + ppgcc_spelling (lex.next ());
	return text;
}

static bool parse_clause (ppgcc_lexer &lex, const char *word, location_t loc, unsigned &seen,
			  std::string &text)
{
	ppgcc_words known;
	known.safe_push ("call");
	for (unsigned i = 0; i < ARRAY_SIZE (clauses); i++) {
		known.safe_push (clauses[i].word);
		if (strcmp (clauses[i].word, word))
			continue;
		if (seen & (1u << i)) {
			error_at (loc, "%qs is said twice", word);
			return false;
		}
		seen |= 1u << i;
		if (!lex.expect (CPP_OPEN_PAREN, "%<(%>"))
			return false;
		location_t value_loc = lex.loc ();
		std::string value = clause_value (lex);
		if (value.empty ()) {
			lex.expected ("a value");
			return false;
		}
		if (clauses[i].check == check_truth && (value == "1" || value == "0"))
			value = value == "1"
					? "true"
					: "false"; // <stdbool.h> has made that of it in a macro's argument
		if (!clauses[i].check (word, value.c_str (), value_loc))
			return false;
		text += (text.empty () ? "" : ", ") + std::string (word) + ": " +
			(clauses[i].is_list ? "[" + value + "]" : value);
		return lex.expect (CPP_CLOSE_PAREN, "%<)%>");
	}
	ppgcc_unknown_word (loc, "clause", word, known);
	return false;
}

// Behind the expression. TEXT: clauses but "call", as a policy has them.
static bool parse_clauses (ppgcc_lexer &lex, tree &callback, std::string &text)
{
	unsigned seen = 0;
	while (!lex.at_end ()) {
		location_t loc;
		const char *word = lex.name ("a clause", &loc);
		if (!word)
			return false;
		if (strcmp (word, "call")) {
			if (!parse_clause (lex, word, loc, seen, text))
				return false;
		} else if (callback != null_pointer_node) {
			error_at (loc, "%qs is said twice", word);
			return false;
		} else if (!parse_call (lex, callback))
			return false;
	}
	return true;
}

// ---- the statement

static bool check_balance (const char *text, location_t loc)
{
	std::string open;
	for (const char *p = text; *p; p++) {
		if (*p == '(' || *p == '[')
			open += *p == '(' ? ')' : ']';
		else if (*p == ')' || *p == ']') {
			if (open.empty () || open.back () != *p) {
				error_at (loc, "%<%c%> without its counterpart in the expectation",
					  *p);
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

// A _Pragma's tokens don't say where blanks were. None stand around what names are joined with;
// where there is a choice, "/" divides.
static void append_token (std::string &text, const std::string &token)
{
	static const char joints[] = ".@[]:";
	bool joined = text.empty () || strchr (joints, token[0]) || strchr (joints, text.back ());
	text += (joined ? "" : " ") + token;
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
		while (!lex.at_end () && !(at_clause (lex) && !expression.empty ()))
			append_token (expression, ppgcc_spelling (lex.next ()));
	if (expression.empty ()) {
		lex.expected ("an expression");
		return;
	}
	tree callback = null_pointer_node;
	std::string said;
	if (!check_balance (expression.c_str (), text_loc) ||
	    !parse_clauses (lex, callback, said) ||
	    !ppgcc_check_expectation (expression.c_str (), text_loc,
				      ppgcc_source_char (text_loc) == '"'))
		return;
	expanded_location where = expand_location (loc);
	std::string text = ppgcc_source_file (loc) + "\n" + std::to_string (where.line) + "\n" +
			   std::to_string (where.column) + "\n" + ppgcc_front (function_name ()) +
			   "\n" + name + "\n" + said + "\n" + expression + "\n";
	if (callback != null_pointer_node)
		callback = build_fold_addr_expr (callback);
	ppgcc_call_marker (loc, PPGCC_EXPECT, text, callback);
}
