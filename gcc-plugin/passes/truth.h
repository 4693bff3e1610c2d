// SPDX-License-Identifier: GPL-3.0-or-later
//
// truth.h: what became of each interval: between the files that find it out.
//
//   positions.cc   right after the markers are made: which places of the source belong to which
//                  interval
//   fence.cc       there too: keeps the work of a fenced interval inside
//   estimate.cc    before loops change their shape: what an interval's body does per execution,
//                  from GIMPLE
//   coverage.cc    after the last scheduling: which of an interval's instructions are still inside,
//                  from RTL; makes a record of both, which emit.cc writes
//   prices.cc      what an instruction costs
//   moved.cc       -Wpp-moved
//
// Nothing here but the fence changes the code, the scopes or the debug information: an
// instruction's place in the source and the chain of calls it was inlined through say which
// interval it belongs to.

#ifndef PPGCC_TRUTH_H
#define PPGCC_TRUTH_H

#include "gcc-plugin/base/gcc-compat.h"

#include <vector>

// ---- positions.cc

// A place in the source, 0 unknown. In one process equal for equal places; for LTO made of file,
// line and column.
typedef unsigned HOST_WIDE_INT ppgcc_position;
ppgcc_position ppgcc_position_of (location_t loc);

// An interval's site at some place.
struct ppgcc_owner {
	unsigned site;  // DECL_UID of the descriptor
	bool ambiguous; // other statements have the same place, but are outside
};
// The sites whose statements stand at POSITION, or NULL. In lto1 only those that were asked for
// with ppgcc_positions_known.
const std::vector<ppgcc_owner> *ppgcc_owners (ppgcc_position position);
// Whether it is known what belongs to SITE, a descriptor.
bool ppgcc_positions_known (tree site);
// How many statements an interval may have, of which something is to be found out, in a function
// with so many STATEMENTS and INTERVALS: where many are open around each other, looking at all of
// each would take time that grows with the square of their number.
unsigned ppgcc_body_limit (unsigned statements, unsigned intervals);

void ppgcc_positions_register (const char *plugin);

// ---- fence.cc

// Makes values that come into the interval of SITE, and those that go out of it, heed its markers.
// BEGIN is one of them, INSIDE its statements.
void ppgcc_fence_interval (function *fun, gimple *begin, tree site, hash_set<gimple *> &inside);

// ---- what an interval's body does

struct ppgcc_figures {
	double operations, flops, loads, stores, branches,
		calls;    // loads and stores in bytes; NaN unknown
	bool approximate; // weighed by guessed probabilities
};
#define PPGCC_FIGURES                                                                              \
	{                                                                                          \
		&ppgcc_figures::operations, &ppgcc_figures::flops, &ppgcc_figures::loads,          \
			&ppgcc_figures::stores, &ppgcc_figures::branches, &ppgcc_figures::calls    \
	}

// ---- estimate.cc

// The figures in TEXT, which a begin marker's note has; unknown ones where that is empty.
ppgcc_figures ppgcc_read_figures (const std::string &text);
void ppgcc_estimate_register (const char *plugin);

// ---- coverage.cc

// What is known of the interval that the marker INSN begins: the fields of struct pp_abi_estimate
// but for the site, in assembly; "" where it is nothing. Until the function's end.
std::string ppgcc_estimate_record (rtx_insn *insn);
void ppgcc_coverage_register (const char *plugin);

// ---- prices.cc

struct ppgcc_price {
	int cost = 0;
	const char *dear = NULL; // a word for it
	bool guess = false;      // a call: it may cost anything
};

ppgcc_price ppgcc_price_of (rtx_insn *insn);

// ---- moved.cc

enum ppgcc_direction { PPGCC_BEFORE = 1, PPGCC_BEHIND = 2 };

// An instruction of an interval that is outside now.
struct ppgcc_moved {
	location_t loc;
	const char *what; // "division", or NULL where it is nothing dear
	int direction;    // enum ppgcc_direction, or both
	double cost;      // per execution of the function
};
// The verdict about a copy of SITE whose begin is at LOC; SURE: no call and no loop of unknown cost
// is inside.
void ppgcc_warn_moved (location_t loc, tree site, double inside, double outside, bool sure,
		       const std::vector<ppgcc_moved> &moved);

// -fplugin-arg-ppgcc-Wpp-moved[=error|all] and -Wno-pp-moved; false after an error.
bool ppgcc_moved_argument (const char *value);
bool ppgcc_not_moved_argument (const char *);

#endif
