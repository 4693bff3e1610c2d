// SPDX-License-Identifier: GPL-3.0-or-later
//
// lowering.h: from calls of marker functions to markers, step by step.

#ifndef PPGCC_LOWERING_H
#define PPGCC_LOWERING_H

#include "gcc-plugin/base/gcc-compat.h"

// ---- marker.cc

void ppgcc_marker_register (const char *plugin);

// ---- calls.cc

// Whether FN is one of the library's that begin, end or are a site: markers around its calls would
// cross what it does.
bool ppgcc_marks_itself (tree fn);
// Registered after marker.cc's pass, which it comes before.
void ppgcc_calls_register (const char *plugin);

// ---- computed.cc

void ppgcc_computed_register (const char *plugin);

// ---- scopes.cc

// FOUND are the calls of marker functions in FUN: errors about intervals that are jumped into or
// suspended in.
void ppgcc_check_scopes (function *fun, const auto_vec<gimple *> &found);

// ---- values.cc: what a begin or point hands over

// The letters of CALL of a marker function, its second argument; "" where it hands over nothing.
std::string ppgcc_letters (gimple *call);
// What it hands over as operands of the marker.
struct ppgcc_operands {
	tree bits =
		NULL_TREE; // the value in 64 bits, or the array's address; NULL_TREE where there is nothing
	tree array = NULL_TREE; // the array
	auto_vec<tree> reads;   // other memory that must be as the source has it
	bool reads_all = false; // ... or all of it
};
// Computes before *GSI, a call of a marker function, what it hands over.
void ppgcc_compute_values (gimple_stmt_iterator *gsi, ppgcc_operands &out);
// The same before *GSI, a call of __pp_late: an array, see PP_ABI_WANTED_LATE.
void ppgcc_compute_late (gimple_stmt_iterator *gsi, ppgcc_operands &out);
// *GSI, a call of __pp_bits, becomes what it says.
void ppgcc_compute_bits (gimple_stmt_iterator *gsi);
// STMT of the function at hand may say that a value that nobody wants is not computed. Called of
// all before the others above; and when all is done they are forgotten.
void ppgcc_note_unwanted (gimple *stmt);
void ppgcc_forget_answers ();

// ---- cold.cc: a marker that computes what it hands over in a cold block

// Cuts the CFG at CALL, a call of __pp_enabled, which ends its block then and is to be replaced by
// an asm goto to the label of the block that is returned: there it was true.
basic_block ppgcc_cold_split (gimple *call);
// Puts COLD and what only they lead to at the function's end. Leaves dominators behind.
void ppgcc_cold_move (const auto_vec<basic_block> &cold);

// ---- direct.cc: marker functions of what the code measures by itself

// The type of the marker function of operation OP.
tree ppgcc_direct_type (int op);
// The statement at *GSI, a call of a marker function with operation OP, becomes one of the runtime.
void ppgcc_direct_call (gimple_stmt_iterator *gsi, int op);

#endif
