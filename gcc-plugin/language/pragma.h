// SPDX-License-Identifier: GPL-3.0-or-later
//
// pragma.h: the forms of "#pragma pp".

#ifndef PPGCC_PRAGMA_H
#define PPGCC_PRAGMA_H

#include "gcc-plugin/markers/marker.h"
#include "gcc-plugin/markers/site.h"
#include "gcc-plugin/language/lexer.h"

// ---- pragma.cc

// A function as it is named in a pragma.
struct ppgcc_function {
	location_t loc;
	tree scope; // list of the identifiers before NAME in "ns::f", outermost first
	tree name;
};
// WHAT is for the message that something else was found.
bool ppgcc_parse_function (ppgcc_lexer &lex, ppgcc_function &fn, std::string &text,
			   const char *what);
// Nothing may follow; else an error.
bool ppgcc_end_of_pragma (ppgcc_lexer &lex);
// Whether a statement can stand here; else a diagnostic about the pragma WORD at LOC.
bool ppgcc_statement_possible (location_t loc, const char *word);
std::string ppgcc_source_file (location_t loc);
// The statement "OP (TEXT[, SECOND])".
void ppgcc_call_marker (location_t loc, ppgcc_op op, const std::string &text, tree second);
void ppgcc_pragma_register (const char *plugin);

// ---- pragma-metric.cc

void ppgcc_pragma_metric (ppgcc_lexer &lex);
// A metric whose name is nearly NAME, or NULL.
const char *ppgcc_closest_metric (const char *name);
// What the global metric NAME is for, enum pp_abi_site_kind; 0: there is no such metric in the
// unit.
int ppgcc_metric_kind (const std::string &name);

// ---- pragma-site.cc, pragma-inline.cc, pragma-sample.cc, pragma-expect.cc: one function for each
// form, LOC that of its word

void ppgcc_pragma_point (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_interval (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_feature (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_antimark (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_sample_begin (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_sample_end (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_bind (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_unbind (ppgcc_lexer &lex, location_t loc);
void ppgcc_pragma_expect (ppgcc_lexer &lex, location_t loc);

// ---- pragma-dim.cc

void ppgcc_pragma_dim (ppgcc_lexer &lex, location_t loc);
// KEY=EXPR, one more of KEYS ("a,b") and VALUES; OF says in messages what has them. False after an
// error.
bool ppgcc_parse_dim (ppgcc_lexer &lex, const char *of, std::string &keys, vec<tree> &values);

// A metric that a site names; DECL is NULL_TREE where it isn't declared.
struct ppgcc_named_metric {
	tree decl;
	location_t loc;
	const char *name;
};
// Whether the code itself can measure METRICS; else an error.
bool ppgcc_inline_possible (const vec<ppgcc_named_metric> &metrics);
void ppgcc_inline_site (const ppgcc_site &site, location_t loc,
			const vec<ppgcc_named_metric> &metrics);
// The expression "sample of METRIC, whose begin function's result is in VAR, for the site with this
// TEXT".
tree ppgcc_inline_sample (location_t loc, tree text, tree metric, tree var);

// ---- expectation.cc

// Whether TEXT is an expression, as far as that shows without knowing what its names are; what is
// wrong is told. It stands at LOC, behind a quote if it is a LITERAL.
bool ppgcc_check_expectation (const char *text, location_t loc, bool literal);

#endif
