// SPDX-License-Identifier: GPL-3.0-or-later
//
// lexer.cc: the tokens of "#pragma pp".
//
// Two things stand in the way of reading them from the parser as they come. Macros: a site called
// "linux" or "value" must keep its name, but in value (LIMIT) a macro is meant. And expectations:
// "m@site <= 5ms" isn't made of C tokens, the compiler complains about "@" before any pragma
// handler sees it. So where a pragma line begins, a hook of the preprocessor looks ahead over the
// line, marks every token that isn't part of an expression as not to be expanded, and turns the
// expression of "expect", and what its clauses say, into strings:
//
//     #pragma pp expect fast: m@site <= 5ms cooldown(2s) call(f)   ->   #pragma pp expect fast: "m@site <= 5ms" cooldown("2s") call(f)
//
// Macros in clauses are expanded there: 2s would be a number of C to the preprocessor's own
// expansion, and an error.
//
// _Pragma has no such line: its text comes from a macro, which expanded its arguments already;
// PP_EXPECT quotes by itself.

#include "gcc-plugin/language/lexer.h"

#include <algorithm>
#include <vector>

// Whether LOC is in the macros of <pp.h>.
static bool in_our_macros (location_t loc)
{
	const char *file = LOCATION_FILE (loc), *slash = file ? strrchr (file, '/') : NULL;
	return file && !strcmp (slash ? slash + 1 : file, "pp_pragmas.h");
}

// LOC, or where it is inside the macros of <pp.h>, where those are used: nobody wants to read the
// header first.
static location_t user_location (location_t loc)
{
	for (loc = get_pure_location (loc); from_macro_expansion_at (loc);) {
		const line_map *map = linemap_lookup (line_table, loc);
		if (!in_our_macros (linemap_resolve_location (line_table, loc,
							      LRK_MACRO_DEFINITION_LOCATION, NULL)))
			break;
		loc = linemap_unwind_toward_expansion (line_table, loc, &map);
	}
	return loc;
}

ppgcc_lexer::ppgcc_lexer () : m_at (0)
{
	ppgcc_token token;
	do {
		token.value = NULL_TREE;
		token.type = pragma_lex (&token.value, &token.loc);
		if (from_macro_expansion_at (token.loc))
			token.loc = user_location (token.loc);
		m_tokens.safe_push (token);
	} while (token.type != CPP_EOF && token.type != CPP_PRAGMA_EOL);
}

const ppgcc_token &ppgcc_lexer::peek (unsigned ahead) const
{
	return m_tokens[MIN (m_at + ahead, m_tokens.length () - 1)];
}

ppgcc_token ppgcc_lexer::next ()
{
	ppgcc_token token = peek ();
	if (!at_end ())
		m_at++;
	return token;
}

unsigned ppgcc_lexer::after_parentheses (unsigned ahead) const
{
	int depth = 0;
	for (; m_at + ahead < m_tokens.length (); ahead++) {
		enum cpp_ttype type = peek (ahead).type;
		if (type == CPP_OPEN_PAREN)
			depth++;
		else if (type == CPP_CLOSE_PAREN && --depth == 0)
			return ahead + 1;
	}
	return m_tokens.length () - 1 - m_at;
}

bool ppgcc_lexer::at_name (const char *name) const
{
	return at (CPP_NAME) && !strcmp (IDENTIFIER_POINTER (peek ().value), name);
}

bool ppgcc_lexer::accept (enum cpp_ttype type)
{
	if (!at (type))
		return false;
	next ();
	return true;
}

// WHAT with its %< and %> as the quotes of the language that GCC speaks.
static std::string with_quotes (const char *what)
{
	std::string out;
	for (; *what; what++)
		if (what[0] == '%' && (what[1] == '<' || what[1] == '>'))
			out += *++what == '<' ? open_quote : close_quote;
		else
			out += *what;
	return out;
}

void ppgcc_lexer::expected (const char *what)
{
	std::string text = with_quotes (what);
	if (at_end ())
		error_at (loc (), "expected %s before the end of the line", text.c_str ());
	else
		error_at (loc (), "expected %s before %qs", text.c_str (),
			  ppgcc_spelling (peek ()).c_str ());
}

bool ppgcc_lexer::expect (enum cpp_ttype type, const char *what)
{
	if (accept (type))
		return true;
	expected (what);
	return false;
}

const char *ppgcc_lexer::name (const char *what, location_t *loc)
{
	if (loc)
		*loc = peek ().loc;
	if (!at (CPP_NAME)) {
		expected (what);
		return NULL;
	}
	return IDENTIFIER_POINTER (next ().value);
}

// The shortest decimal that reads back as VALUE; how it was written is gone.
static std::string real_spelling (tree value)
{
	char text[64];
	for (int digits = 6; digits <= 17; digits++) {
		REAL_VALUE_TYPE back;
		real_to_decimal (text, TREE_REAL_CST_PTR (value), sizeof text, digits, 1);
		real_from_string (&back, text);
		real_convert (&back, TYPE_MODE (double_type_node), &back);
		if (real_identical (&back, TREE_REAL_CST_PTR (value)))
			break;
	}
	return text;
}

std::string ppgcc_spelling (const ppgcc_token &token)
{
	tree value = token.value;
	if (token.type == CPP_NAME)
		return IDENTIFIER_POINTER (value);
	if (value && TREE_CODE (value) == INTEGER_CST) {
		char text[WIDE_INT_PRINT_BUFFER_SIZE];
		print_dec (wi::to_wide (value), text, TYPE_SIGN (TREE_TYPE (value)));
		return text;
	}
	if (value && TREE_CODE (value) == REAL_CST)
		return real_spelling (value);
	if (value && TREE_CODE (value) == STRING_CST)
		return std::string ("\"") + TREE_STRING_POINTER (value) + "\"";
	if (token.type < N_TTYPES) {
		const char *text = cpp_type2name (token.type, 0);
		return text ? text : "";
	}
	return "";
}

// ---- the hook

static void (*previous_line_change) (cpp_reader *, const cpp_token *, int);

// Whether the pragma token at LOC is "pp". Its namespace isn't in the token; the source is asked.
static bool is_pp_pragma (location_t loc)
{
	expanded_location where = expand_location (loc);
	const std::string *line = ppgcc_source_line (where.file, where.line);
	size_t column = where.column - 1;
	return line && where.column >= 1 && line->size () >= column + 2 &&
	       !line->compare (column, 2, "pp") &&
	       (line->size () == column + 2 || !ISIDNUM ((*line)[column + 2]));
}

static bool token_is (const cpp_token *token, const char *name)
{
	return token->type == CPP_NAME &&
	       !strcmp (reinterpret_cast<const char *> (NODE_NAME (token->val.node.node)), name);
}

// The tokens of the line, in place: what is changed here is what the parser will get.
static void peek_line (cpp_reader *reader, auto_vec<cpp_token *> &line)
{
	for (int i = 0;; i++) {
		const cpp_token *token = cpp_peek_token (reader, i);
		if (token->type == CPP_PRAGMA_EOL || token->type == CPP_EOF)
			return;
		line.safe_push (const_cast<cpp_token *> (token));
	}
}

// How many times NAME ( stands in LINE from token FROM on, outside other parentheses.
static unsigned count_clauses (const auto_vec<cpp_token *> &line, unsigned from,
			       const cpp_token *name)
{
	unsigned count = 0;
	int depth = 0;
	for (unsigned i = from; i < line.length (); i++) {
		if (line[i]->type == CPP_OPEN_PAREN)
			depth++;
		else if (line[i]->type == CPP_CLOSE_PAREN)
			depth--;
		else if (depth == 0 && line[i]->type == CPP_NAME &&
			 line[i]->val.node.node == name->val.node.node && i + 1 < line.length () &&
			 line[i + 1]->type == CPP_OPEN_PAREN)
			count++;
	}
	return count;
}

// Whether the parentheses that open at token AT of LINE hold expressions. In "point value (METRIC)
// value (EXPR)" the first do not: that is the site's name.
static bool expressions_p (const auto_vec<cpp_token *> &line, unsigned at)
{
	if (token_is (line[0], "sample_begin") || token_is (line[0], "sample_end"))
		return at == 2;
	for (const char *clause : {"value", "payload", "dim"})
		if (at > 0 && token_is (line[at - 1], clause))
			return at != 2 || count_clauses (line, 1, line[1]) < 2;
	return false;
}

static void keep_macros_out (const auto_vec<cpp_token *> &line)
{
	int depth = 0;
	bool expand = false, dim = false;
	// "dim KEY=EXPR": all that is behind the "="
	unsigned bare = line.length () > 2 && token_is (line[0], "dim") && line[2]->type == CPP_EQ
				? 2
				: line.length ();
	for (unsigned i = 0; i < line.length (); i++) {
		cpp_token *token = line[i];
		if (token->type == CPP_OPEN_PAREN && depth++ == 0) {
			expand = expressions_p (line, i);
			dim = i > 0 && token_is (line[i - 1], "dim");
		} else if (token->type == CPP_CLOSE_PAREN)
			depth--;
		bool key =
			dim && depth == 1 && i + 1 < line.length () && line[i + 1]->type == CPP_EQ;
		if (i <= bare && (!expand || depth <= 0 || key))
			token->flags |= NO_EXPAND;
	}
}

static std::string cpp_spelling (cpp_reader *reader, const cpp_token *token)
{
	// in UTF-8: "µs" would become a universal character name
	if (token->type == CPP_NAME)
		return reinterpret_cast<const char *> (NODE_NAME (token->val.node.node));
	unsigned char *text = cpp_token_as_text (reader, token);
	return reinterpret_cast<const char *> (text);
}

// The macro that TOKEN of a clause stands for, or NULL: it needs no parameters. Units and the
// clauses' own words are none, also where <stdbool.h> has made one of "true".
static cpp_macro *macro_of (const cpp_token *token)
{
	if (token->type != CPP_NAME)
		return NULL;
	for (const char *word : {"ns", "us", "ms", "s", "min", "h", "true", "false", "info",
				 "warning", "error", "critical", "process", "thread"})
		if (token_is (token, word))
			return NULL;
	cpp_hashnode *node = token->val.node.node;
	cpp_macro *macro = cpp_user_macro_p (node) ? node->value.macro : NULL;
	return macro && !macro->lazy && macro->kind == cmk_macro && !macro->fun_like ? macro : NULL;
}

// Appends TOKEN to TEXT, or what it stands for. INSIDE are the macros that are being expanded.
static void append_expanded (cpp_reader *reader, const cpp_token *token,
			     std::vector<cpp_macro *> &inside, std::string &text)
{
	cpp_macro *macro = macro_of (token);
	if (!macro || std::find (inside.begin (), inside.end (), macro) != inside.end ()) {
		text += cpp_spelling (reader, token);
		return;
	}
	macro->used = 1; // -Wunused-macros
	inside.push_back (macro);
	for (unsigned i = 0; i < macro->count; i++) {
		if (i > 0 && (macro->exp.tokens[i].flags & PREV_WHITE))
			text += ' ';
		append_expanded (reader, &macro->exp.tokens[i], inside, text);
	}
	inside.pop_back ();
}

// Whether an operand of an expression may end with TOKEN. Two operands never follow each other, a
// number's unit excepted.
static bool ends_operand_p (const cpp_token *token)
{
	switch (token->type) {
	case CPP_NAME: // and, or, not are operators in C++, too
		return !token_is (token, "and") && !token_is (token, "or") &&
		       !token_is (token, "not");
	case CPP_NUMBER:
	case CPP_STRING:
	case CPP_MOD: // a per cent sign
	case CPP_CLOSE_PAREN:
	case CPP_CLOSE_SQUARE:
		return true;
	default:
		return false;
	}
}

// The token of LINE, from FROM on, with which the clauses behind an expression begin: a word where
// an operator would be.
static unsigned find_clauses (const auto_vec<cpp_token *> &line, unsigned from)
{
	int depth = 0;
	for (unsigned i = from; i < line.length (); i++) {
		bool called = i + 1 < line.length () && line[i + 1]->type == CPP_OPEN_PAREN;
		if (line[i]->type == CPP_OPEN_PAREN)
			depth++;
		else if (line[i]->type == CPP_CLOSE_PAREN)
			depth = MAX (depth - 1, 0);
		else if (depth == 0 && i > from && line[i]->type == CPP_NAME &&
			 ends_operand_p (line[i]) && ends_operand_p (line[i - 1]) &&
			 (called || line[i - 1]->type != CPP_NUMBER))
			return i;
	}
	return line.length ();
}

// How many columns B begins behind A, where both are on one line; else 0.
static size_t columns_between (const cpp_token *a, const cpp_token *b)
{
	expanded_location x = expand_location (a->src_loc), y = expand_location (b->src_loc);
	return x.line == y.line && y.column > x.column ? y.column - x.column : 0;
}

// The tokens of LINE from FROM to before END become one string, in the first one's place; on one
// line with as many blanks between as there are, for the carets of messages. MACROS: they are
// expanded.
static void quote (cpp_reader *reader, const auto_vec<cpp_token *> &line, unsigned from,
		   unsigned end, bool macros)
{
	std::string text = "\"";
	std::vector<cpp_macro *> inside;
	for (unsigned i = from; i < end; i++) {
		if (i > from && (line[i]->flags & PREV_WHITE))
			text.resize (MIN (MAX (text.size (), columns_between (line[from], line[i])),
					  text.size () + 80) +
					     1,
				     ' ');
		std::string spelling;
		if (macros)
			append_expanded (reader, line[i], inside, spelling);
		else
			spelling = cpp_spelling (reader, line[i]);
		for (char c : spelling) {
			if (c == '"' || c == '\\')
				text += '\\';
			text += c;
		}
	}
	if (text.size () == 1)
		return;
	text += '"';
	cpp_token *first = line[from];
	first->type = CPP_STRING;
	first->val.str.len = text.size ();
	first->val.str.text = reinterpret_cast<const unsigned char *> (xstrdup (text.c_str ()));
	for (unsigned i = from + 1; i < end; i++) {
		line[i]->type = CPP_PADDING;
		line[i]->val.source = NULL;
	}
}

// "expect NAME : ... CLAUSE (...)" becomes "expect NAME : "..." CLAUSE ("...")"; but the function
// of "call" is one.
static void quote_expectation (cpp_reader *reader, const auto_vec<cpp_token *> &line)
{
	unsigned n = line.length ();
	if (n < 4 || !token_is (line[0], "expect") || line[2]->type != CPP_COLON)
		return;
	unsigned at = line[3]->type == CPP_STRING ? 4 : find_clauses (line, 3);
	if (line[3]->type != CPP_STRING)
		quote (reader, line, 3, at, false);
	for (; at + 2 < n; at++) {
		if (line[at]->type != CPP_NAME || line[at + 1]->type != CPP_OPEN_PAREN)
			continue;
		unsigned from = at + 2, end = from;
		for (int depth = 0; end < n && (depth > 0 || line[end]->type != CPP_CLOSE_PAREN);
		     end++)
			depth += (line[end]->type == CPP_OPEN_PAREN) -
				 (line[end]->type == CPP_CLOSE_PAREN);
		bool quoted = line[from]->type == CPP_STRING && end == from + 1;
		if (!token_is (line[at], "call") && !quoted)
			quote (reader, line, from, end,
			       !token_is (line[at], "capture")); // which has names
		at = end;
	}
}

static void line_change (cpp_reader *reader, const cpp_token *token, int parsing_args)
{
	if (previous_line_change)
		previous_line_change (reader, token, parsing_args);
	if (token->type != CPP_PRAGMA || parsing_args || !is_pp_pragma (token->src_loc))
		return;
	auto_vec<cpp_token *> line;
	peek_line (reader, line);
	keep_macros_out (line);
	quote_expectation (reader, line);
}

void ppgcc_lexer_init ()
{
	cpp_callbacks *callbacks = cpp_get_callbacks (parse_in);
	previous_line_change = callbacks->line_change;
	callbacks->line_change = line_change;
}
