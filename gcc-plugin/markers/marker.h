// SPDX-License-Identifier: GPL-3.0-or-later
//
// marker.h: marker functions, and the markers that become of their calls.

#ifndef PPGCC_MARKER_H
#define PPGCC_MARKER_H

#include "gcc-plugin/base/gcc-compat.h"

enum ppgcc_op {
	PPGCC_BEGIN,
	PPGCC_END,
	PPGCC_POINT,
	PPGCC_VALUE,
	PPGCC_ENABLED, // whether a begin or point that computes what it hands over is wanted
	PPGCC_WANTED,  // ... and one of its captures
	PPGCC_BITS,    // that in 64 bits
	// dimensions of the interval around that are known only now
	PPGCC_LATE_ENABLED, // whether anything is bound to that interval
	PPGCC_LATE_WANTED,  // ... that keeps such dimensions
	PPGCC_LATE,
	PPGCC_EXPECT,
	PPGCC_BIND,
	PPGCC_UNBIND,
	// direct.cc: what the code measures by itself
	PPGCC_INLINE_BEGIN,
	PPGCC_INLINE_INT,
	PPGCC_INLINE_DOUBLE,
	PPGCC_SAMPLE_BEGIN,
	PPGCC_SAMPLE_END,
	PPGCC_SAMPLE_INT,
	PPGCC_SAMPLE_DOUBLE,
	PPGCC_OPS
};

// The front end's declaration of a marker function.
tree ppgcc_marker_function (ppgcc_op op);
// A declaration of a marker function for passes after parsing, in any language.
tree ppgcc_marker_declaration (ppgcc_op op);
// Attributes of all of these: they throw nothing and call nothing back.
tree ppgcc_marker_attributes ();
// A string literal as the front ends make it, and its address as a function's argument.
tree ppgcc_literal (const std::string &text);
// What the runtime's guard entries are called until ppfinal has been: a link with -flto that lacks
// it lacks them too.
#define PPGCC_UNFINISHED ".the_link_with_flto_needs_fplugin_ppgcc_too"
// External function NAME of the runtime, of TYPE or void (first[, second]).
tree ppgcc_runtime_function (const char *name, tree type);
tree ppgcc_runtime_function (const char *name, tree first, tree second);
// The operation of STMT while it is still a call of a marker function, an enum ppgcc_op; else -1.
int ppgcc_marker_op (gimple *stmt);
// Whether STMT is a marker, and which operation it is; for asm markers and guard calls.
bool ppgcc_marker_p (gimple *stmt);
// The text that the front end put into STMT, a call of a marker function.
const char *ppgcc_marker_text (gimple *stmt);
// Whether OP is one of those for dimensions of the interval around. Their text is "KEY,...\n", and
// behind it, once that interval has been looked for (computed.cc), the site's.
bool ppgcc_late_op (int op);
// Has NEEDED called for every function that gets markers, before they are made.
void ppgcc_on_markers (void (*needed) ());

#endif
