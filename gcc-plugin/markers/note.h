// SPDX-License-Identifier: GPL-3.0-or-later
//
// note.h: a patch marker's text on its way through the compiler.

#ifndef PPGCC_NOTE_H
#define PPGCC_NOTE_H

#include "gcc-plugin/base/gcc-compat.h"

struct ppgcc_note {
	unsigned code = 0;  // enum ppgcc_asm_code
	unsigned depth = 0; // how often its function was inlined into itself there; passes/final.cc
	unsigned flags = 0; // enum pp_abi_marker_flag
	std::string figures; // passes/estimate.cc
};
std::string ppgcc_note_write (const ppgcc_note &note);
// Whether TEXT is a note, and what it says.
bool ppgcc_note_p (const char *text);
ppgcc_note ppgcc_note_read (const char *text);
// The enum pp_abi_op of the marker with this note; -1 where it has no record.
int ppgcc_note_op (const char *text);

// The descriptor of the site that STMT, a patch marker or a guard's anchor, belongs to, and the
// marker's enum pp_abi_op; else NULL_TREE.
tree ppgcc_marker_site (gimple *stmt, int *op);
// The ASM_OPERANDS of INSN, a patch marker or a guard's anchor; NULL_RTX: it is neither.
rtx ppgcc_marker_asm (rtx_insn *insn);

#endif
