// SPDX-License-Identifier: GPL-3.0-or-later
//
// rules.h: what the files share that instrument whole functions, loops and calls:
//
//   attributes.cc       pp_interval, pp_ignore and their [[pp::...]] forms
//   instrument.cc       the pass: decides what is done to the function at hand
//   instrument-file.cc  reads the rules of -fplugin-arg-ppgcc-instrument=FILE; base/patterns.cc
//                       matches them
//   wrap.cc             puts markers around a body or a part of it
//   regions.cc          finds the loops and calls in a body
//   functions-cxx.cc    what only C++ knows of a function
//   fortran.cc          calls of pp_begin and its kin in Fortran
//   report.cc           what was instrumented, what not, and why
//   outcome.cc          the same by rule: for the object file, and notes about rules that choose
//                       nothing
//
// All of it works on GIMPLE before it is lowered, where blocks are still nested: "try { } finally {
// }" gives the end on every way out, as for a pragma, and it is the same in all front ends.

#ifndef PPGCC_RULES_H
#define PPGCC_RULES_H

#include "gcc-plugin/base/gcc-compat.h"

#include <vector>

void ppgcc_instrument_register (const char *plugin);

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
	int mark; // PP_ABI_SITE_FEATURE or _ANTIMARK of FEATURE; 0: it is an interval or point
	std::string feature; // of marks, and of calls that are not named after the callee
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
const ppgcc_rule *ppgcc_rule_for (const ppgcc_subject &subject, ppgcc_rule_kind kind,
				  const char *callee);

// ---- report.cc

// Notes what was done at LOC (WHY NULL), or why not, for the report; BY may be NULL.
void ppgcc_report (location_t loc, const std::string &function, const std::string &what,
		   const char *why, const ppgcc_rule *by);
// Whether a report is wanted.
bool ppgcc_report_wanted ();
void ppgcc_report_register (const char *plugin);

// ---- outcome.cc

// What RULE did at LOC in FUNCTION, or why not (WHY).
void ppgcc_outcome (location_t loc, const std::string &function, const std::string &what,
		    const char *why, const ppgcc_rule *rule);
// The rules have looked at FUNCTION, or left it alone for another reason than a rule, WHY.
void ppgcc_outcome_function (const std::string &function, const char *why);
// The rules have looked at a call of FUNCTION.
void ppgcc_outcome_call (const std::string &function);
void ppgcc_outcome_register (const char *plugin);

#endif
