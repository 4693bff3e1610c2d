// SPDX-License-Identifier: GPL-3.0-or-later
//
// expr.h: expressions in pragmas.

#ifndef PPGCC_EXPR_H
#define PPGCC_EXPR_H

#include "gcc-plugin/language/lexer.h"

struct ppgcc_arguments {
	auto_vec<tree> values;
	auto_vec<location_t> locs;
};

// These return error_mark_node, or false, after a diagnostic. WHAT is the clause, for messages.

// Parses an expression up to the closing parenthesis or comma, which is left: something that a site
// can capture.
tree ppgcc_parse_value (ppgcc_lexer &lex, const char *what);
// "(ARG, ...)" or ", ARG, ..."
bool ppgcc_parse_arguments (ppgcc_lexer &lex, const char *what, ppgcc_arguments &args);

#endif
