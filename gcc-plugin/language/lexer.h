// SPDX-License-Identifier: GPL-3.0-or-later
//
// lexer.h: the tokens of a pragma, and what stands before it in the source.

#ifndef PPGCC_LEXER_H
#define PPGCC_LEXER_H

#include "gcc-plugin/base/gcc-compat.h"

// ---- source.cc

// A line of FILE, 1 the first, without its end; NULL where there is none, or no such file.
const std::string *ppgcc_source_line (const char *file, int line);
// The character at LOC, 0 where it is not known.
char ppgcc_source_char (location_t loc);
// Before anything of the unit is read: keeps the text of a main file that can't be read again.
void ppgcc_source_keep (void);
// What the pragma with its WORD at LOC would be the whole body of ("if", "for", "omp parallel"
// ...), or NULL.
const char *ppgcc_sole_body (location_t loc, const char *word);

// ---- lexer.cc

struct ppgcc_token {
	enum cpp_ttype type;
	tree value;
	location_t loc;
};

// All tokens of one pragma, read at once.
class ppgcc_lexer
{
public:
	ppgcc_lexer ();
	const ppgcc_token &peek (unsigned ahead = 0) const;
	ppgcc_token next ();
	bool at (enum cpp_ttype type) const
	{
		return peek ().type == type;
	}
	bool at_end () const
	{
		return at (CPP_EOF) || at (CPP_PRAGMA_EOL);
	}
	bool at_name (const char *name) const;
	bool accept (enum cpp_ttype type);
	// The next token must be of TYPE; else an error that says WHAT was expected.
	bool expect (enum cpp_ttype type, const char *what);
	// The next token must be a name. NULL after an error.
	const char *name (const char *what, location_t *loc);
	location_t loc () const
	{
		return peek ().loc;
	}
	// An error at the next token: "expected WHAT before ...".
	void expected (const char *what);
	// How far ahead what follows the parentheses is that open AHEAD tokens from here.
	unsigned after_parentheses (unsigned ahead) const;

private:
	auto_vec<ppgcc_token> m_tokens;
	unsigned m_at;
};

// A token as it is written, as far as GCC remembers.
std::string ppgcc_spelling (const ppgcc_token &token);
// Installs the hook that keeps macros out of names and quotes the expressions of "expect".
void ppgcc_lexer_init ();

#endif
