// SPDX-License-Identifier: GPL-3.0-or-later
//
// wrap.h: markers around a function, its loops and calls.

#ifndef PPGCC_WRAP_H
#define PPGCC_WRAP_H

#include "gcc-plugin/markers/site.h"

#include <vector>

// ---- wrap.cc

// "begin; try { BODY } finally { end }" around the whole of FUN.
void ppgcc_wrap_function (function *fun, const ppgcc_site &site);
// A point before everything else that FUN does.
void ppgcc_enter_function (function *fun, const ppgcc_site &site);
// Points behind the calls in FUN that may return twice, called as those are, else as SITE says.
void ppgcc_point_behind_returns (function *fun, const ppgcc_site &site);
struct ppgcc_call_mark;
// Puts MARKS around the call at *GSI in SEQ, the first outermost. *GSI moves on behind it.
void ppgcc_wrap_call (gimple_seq *seq, gimple_stmt_iterator *gsi,
		      std::vector<ppgcc_call_mark> &marks);
// The same as ppgcc_wrap_function around the statements FIRST to LAST of one sequence. FIRST is
// left behind LAST.
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
// Whether FN only calls the function that the user wrote: a thunk, a variant of a constructor or
// destructor.
bool ppgcc_cxx_forwards (tree fn);
// The part of ppgcc_unfit that only C++ knows.
const char *ppgcc_cxx_unfit (tree fn, bool point);
// A function of this unit has the attribute pp_interval: calls are not to be evaluated by the front
// end.
void ppgcc_cxx_interval_seen ();
void ppgcc_functions_cxx_register (const char *plugin);

// ---- fortran.cc

// Makes Fortran's calls of pp_begin and its kin those of C, where their names are constants.
void ppgcc_fortran_calls (function *fun);

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
// A mark around a call.
struct ppgcc_call_mark {
	ppgcc_site site;
	unsigned argument; // of the call, the payload, from 1; 0: none
	bool is_text;      // it is a text, and no address
};
// Asks CHOOSE about every call in FUN that marks may be around: of what, where. Puts the marks that
// it names around it, the first outermost.
struct ppgcc_callee;
typedef void (*ppgcc_choose_call) (const ppgcc_callee &callee, location_t loc,
				   std::vector<ppgcc_call_mark> &marks, void *data);
void ppgcc_wrap_calls (function *fun, ppgcc_choose_call choose, void *data);

#endif
