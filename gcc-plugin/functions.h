// SPDX-License-Identifier: GPL-3.0-or-later
//
// functions.h: what the files share that instrument whole functions, loops and calls:
//
//   attributes.cc       pp_interval, pp_ignore and their [[pp::...]] forms
//   instrument.cc       the pass: decides what is done to the function at hand
//   instrument-file.cc  reads the rules of -fplugin-arg-ppgcc-instrument=FILE; patterns.cc matches them
//   wrap.cc             puts markers around a body or a part of it
//   regions.cc          finds the loops and calls in a body
//   functions-cxx.cc    what only C++ knows of a function
//   fortran.cc          calls of pp_begin and its kin in Fortran
//   calls.cc            pp_begin and its kin, which rules leave alone
//   names.cc            functions' names as in the source, in every language
//   report.cc           what was instrumented, what not, and why
//   outcome.cc          the same by rule: for the object file, and notes about rules that choose nothing
//
// All of it works on GIMPLE before it is lowered, where blocks are still nested: "try { } finally { }" gives the end on
// every way out, as for a pragma, and it is the same in all front ends.

#ifndef PPGCC_FUNCTIONS_H
#define PPGCC_FUNCTIONS_H

#include "ppgcc.h"

#include <vector>

// ---- names.cc

// FN as in the source: "ns::C::f" without parameters, "f", "module::procedure". Once parsing is over, any language.
std::string ppgcc_function_name (tree fn);

// ---- attributes.cc

#define PPGCC_INTERVAL_ATTRIBUTE "pp_interval"
#define PPGCC_IGNORE_ATTRIBUTE "pp_ignore"

// What pp_interval says on FN: its arguments, or NULL_TREE.
tree ppgcc_interval_attribute (tree fn);
// The arguments of another one that a second declaration brought along, or NULL_TREE.
tree ppgcc_other_interval (tree fn);
// TEXT, names with commas between, without blanks around them.
std::string ppgcc_attribute_names (const char *text);

// ---- wrap.cc

// "begin; try { BODY } finally { end }" around the whole of FUN.
void ppgcc_wrap_function (function *fun, const ppgcc_site &site);
// A point before everything else that FUN does.
void ppgcc_enter_function (function *fun, const ppgcc_site &site);
// The same as ppgcc_wrap_function around the statements FIRST to LAST of one sequence. FIRST is left behind LAST.
void ppgcc_wrap_statements (gimple_seq *seq, gimple_stmt_iterator *first, gimple_stmt_iterator last,
			    const ppgcc_site &site, location_t begin, location_t end);

// What a body consists of.
struct ppgcc_body {
	unsigned statements; // without labels, jumps and blocks
	bool builtin_return; // left by __builtin_return, which no "finally" sees
};
ppgcc_body ppgcc_look_at (function *fun);
// The callback of walk_gimple_seq for it: info is the ppgcc_body.
tree ppgcc_count_statement (gimple_stmt_iterator *gsi, bool *handled, struct walk_stmt_info *info);
// Whether the compiler made FN, and not the user.
bool ppgcc_artificial (tree fn);
// Why an interval (POINT: a point) can't be put into FUN, whatever was asked for; or NULL.
const char *ppgcc_unfit (function *fun, bool point);

// ---- functions-cxx.cc

// Whether FN is never executed: consteval.
bool ppgcc_cxx_immediate (tree fn);
// Whether FN is the body of a lambda, which GCC marks as its own.
bool ppgcc_cxx_lambda (tree fn);
// Whether FN only calls the function that the user wrote: a thunk, a variant of a constructor or destructor.
bool ppgcc_cxx_forwards (tree fn);
// The part of ppgcc_unfit that only C++ knows.
const char *ppgcc_cxx_unfit (tree fn, bool point);
// A function of this unit has the attribute pp_interval: calls are not to be evaluated by the front end.
void ppgcc_cxx_interval_seen ();
void ppgcc_functions_cxx_register (const char *plugin);

// ---- calls.cc

// Whether FN is one of the library's that begin, end or are a site: markers around its calls would cross what it does.
bool ppgcc_marks_itself (tree fn);

// ---- fortran.cc

// Makes Fortran's calls of pp_begin and its kin those of C, where their names are constants.
void ppgcc_fortran_calls (function *fun);

// ---- patterns.cc

// Whether TEXT matches GLOB: "*" stops at "/", "**" does not, "?" is one character, "\" takes the next as it is.
bool ppgcc_glob (const char *glob, const char *text);
// Whether GLOB matches PATH, or the end of it behind a "/".
bool ppgcc_glob_path (const char *glob, const char *path);
// Whether GLOB matches one of the scopes around NAME: "a" and "a::b" of "a::b::f".
bool ppgcc_glob_scope (const char *glob, const char *name);

// ---- instrument-file.cc

enum ppgcc_rule_kind { PPGCC_RULE_FUNCTION, PPGCC_RULE_LOOP, PPGCC_RULE_CALL, PPGCC_RULE_EXCLUDE };

struct ppgcc_rule {
	ppgcc_rule_kind kind;
	int line, column; // in the file
	// What it chooses; what is empty chooses everything.
	std::string function, file, scope, attribute, callee;
	struct re_pattern_buffer *regex; // on the function's name, or NULL
	int depth;                       // of loops: how many levels are instrumented
	int min_size;                    // in statements
	bool inlinable;                  // also those that GCC is likely to inline
	// What the site is.
	bool point;
	std::string site, groups, metrics;
};

struct ppgcc_rules {
	const char *file;
	unsigned HOST_WIDE_INT hash; // of the file's bytes, see pp_abi.h
	std::string report;
	int min_size = 20; // of functions, where their rule doesn't say
	std::vector<ppgcc_rule> rules;
};

// Reads FILE; all of its mistakes become errors, and then there are no rules.
void ppgcc_rules_load (const char *file);
extern const ppgcc_rules *ppgcc_rules_loaded; // NULL: no file, or mistakes in it
// Where RULE stands, for messages.
location_t ppgcc_rule_place (const ppgcc_rule &rule);

// A function that rules may choose.
struct ppgcc_subject {
	tree fn;
	std::string name;
	const char *file;
	int size;
};
// The first rule of KIND that chooses SUBJECT, and CALLEE if that isn't NULL; or NULL.
const ppgcc_rule *ppgcc_rule_for (const ppgcc_subject &subject, ppgcc_rule_kind kind, const char *callee);

// ---- regions.cc

struct ppgcc_loop {
	gimple_seq *seq;      // the sequence that the loop's statements are in
	gimple *first, *last; // of them, with the jump that leads into it
	int depth;            // 1: outermost
	int size;             // in statements
	location_t loc;
	const char *why_not; // why it can't be an interval, or NULL
};
// The loops of FUN, inner ones before those around them.
void ppgcc_find_loops (function *fun, std::vector<ppgcc_loop> &loops);
// Asks CHOOSE about every call of a function with a name in FUN, and puts the site that it makes around it.
typedef bool (*ppgcc_choose_call) (tree callee, location_t loc, ppgcc_site &site, void *data);
void ppgcc_wrap_calls (function *fun, ppgcc_choose_call choose, void *data);

// ---- report.cc

// Notes what was done at LOC (WHY NULL), or why not, for the report; BY may be NULL.
void ppgcc_report (location_t loc, const std::string &function, const std::string &what, const char *why,
		   const ppgcc_rule *by);
// Whether a report is wanted.
bool ppgcc_report_wanted ();
void ppgcc_report_register (const char *plugin);

// ---- outcome.cc

// What RULE did at LOC in FUNCTION, or why not (WHY).
void ppgcc_outcome (location_t loc, const std::string &function, const std::string &what, const char *why,
		    const ppgcc_rule *rule);
// The rules have looked at FUNCTION, or left it alone for another reason than a rule, WHY.
void ppgcc_outcome_function (const std::string &function, const char *why);
// The rules have looked at a call of FUNCTION.
void ppgcc_outcome_call (const std::string &function);
void ppgcc_outcome_register (const char *plugin);

#endif
