// SPDX-License-Identifier: GPL-3.0-or-later
//
// rules.h: what the files share that instrument whole functions, loops and calls:
//
//   attributes.cc       pp_interval, pp_ignore and their [[pp::...]] forms
//   instrument.cc       the pass: decides what is done to the function at hand
//   instrument-file.cc  reads the rules of -fplugin-arg-ppgcc-instrument=FILE
//   choose.cc           which of them choose a function or a call; base/patterns.cc matches names
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

struct ppgcc_rules;

// What a call is of.
enum ppgcc_call_kind { PPGCC_CALL_NAMED, PPGCC_CALL_INDIRECT, PPGCC_CALL_VIRTUAL };

struct ppgcc_rule {
	ppgcc_rule_kind kind;
	const ppgcc_rules *of;
	int line, column; // in the file
	// What it chooses; what is empty chooses everything.
	std::string function, file, scope, attribute, callee;
	bool indirect, is_virtual;       // calls through pointers, of virtual functions
	std::vector<std::string> where;  // of calls: in which files or scopes; one of them
	struct re_pattern_buffer *regex; // on the function's name, or NULL
	int depth;                       // of loops: how many levels are instrumented
	int min_size;                    // in statements
	bool inlinable;                  // also those that GCC is likely to inline
	// What the site is.
	bool point;
	int mark; // PP_ABI_SITE_FEATURE or _ANTIMARK of FEATURE; 0: it is an interval or point
	std::string feature; // of marks, and of calls that are not named after the callee
	std::string site, groups, metrics;
	bool listed;       // an entry of the map `features` made it, ...
	bool latent;       // ... whose marks are off until they are switched on
	unsigned argument; // the payload of calls, counted from 1; 0: none
	bool is_text;      // a text, and no address
};

struct ppgcc_rules {
	const char *file;
	unsigned HOST_WIDE_INT hash; // of the file's bytes, see pp_abi.h
	std::string report;
	int min_size = 20; // of functions, where their rule doesn't say
	std::vector<ppgcc_rule> rules;
	std::vector<std::string> latent; // the features that are, by name
};

// Reads FILE, which -fplugin-arg-ppgcc-ARGUMENT named; all of its mistakes become errors, and then
// it has no rules.
void ppgcc_rules_load (const char *file, const char *argument);
// The files without mistakes, in the order in which they were given.
extern std::vector<const ppgcc_rules *> ppgcc_rules_loaded;
// Whether marks of the feature NAME are off until they are switched on.
bool ppgcc_feature_latent (const std::string &name);
// Where RULE stands, for messages.
location_t ppgcc_rule_place (const ppgcc_rule &rule);

// ---- choose.cc

// A function that rules may choose.
struct ppgcc_subject {
	tree fn;
	std::string name;
	const char *file;
	int size;
};
struct ppgcc_callee {
	ppgcc_call_kind kind;
	std::string name; // of what is called by its name, or as a virtual method; "": it has none
};
// The first rule of KIND that chooses SUBJECT, and CALLEE if that isn't NULL, of each file; and of
// whole functions those of the features in the map `features`, one of each.
std::vector<const ppgcc_rule *> ppgcc_rules_for (const ppgcc_subject &subject, ppgcc_rule_kind kind,
						 const ppgcc_callee *callee);
// Whether there are rules of intervals or marks, whatever they choose.
bool ppgcc_rules_open ();

// ---- report.cc

// Notes what was done at LOC (WHY NULL), or why not, for the report; BY may be NULL.
void ppgcc_report (location_t loc, const std::string &function, const std::string &what,
		   const char *why, const ppgcc_rule *by);
// Whether a report is wanted.
bool ppgcc_report_wanted ();
void ppgcc_report_register (const char *plugin);

// ---- outcome.cc

// What RULE did at LOC in FUNCTION, or why not (WHY); with a call of CALLEE, if it has a name.
void ppgcc_outcome (location_t loc, const std::string &function, const std::string &what,
		    const char *why, const ppgcc_rule *rule, const std::string &callee = "");
// The rules have looked at FUNCTION, or left it alone for another reason than a rule, WHY.
void ppgcc_outcome_function (const std::string &function, const char *why);
// The rules have looked at a call of FUNCTION.
void ppgcc_outcome_call (const std::string &function);
void ppgcc_outcome_register (const char *plugin);

#endif
