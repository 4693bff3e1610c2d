// SPDX-License-Identifier: GPL-3.0-or-later
//
// asm.h: patch markers in assembly: asm-x86.cc, asm-aarch64.cc or asm-none.cc, one of them for the
// CPU of this GCC.

#ifndef PPGCC_ASM_H
#define PPGCC_ASM_H

#include "gcc-plugin/base/gcc-compat.h"

// Whether there are patch markers with these options.
bool ppgcc_asm_possible ();
// The constraint of the asm's first operand, the site's address.
extern const char ppgcc_asm_site_constraint[];
// What its text depends on; also the asm's second operand.
enum ppgcc_asm_code {
	PPGCC_ASM_OP = 3,    // enum pp_abi_op
	PPGCC_ASM_VALUE = 4, // operand 2 is pushed
	PPGCC_ASM_TEST = 8,  // the NOP alone, an asm goto: its label is the cold block's
	PPGCC_ASM_COLD = 16, // what the cold block does in the end: no NOP, no record
	// nothing at all: says where an interval that guards measure begins or ends, for
	// passes/truth.h
	PPGCC_ASM_ANCHOR = 32,
};
// The constraint of an anchor's only operand, the site's address; NULL where no anchor is possible
// with these options.
const char *ppgcc_asm_anchor_constraint ();

// ---- in the text

// A marker that is in the text now, and of which the rest is to be written.
struct ppgcc_emitted {
	std::string number; // of its labels: .Lppn is the NOP, .Lpps the stub or the cold block
	unsigned code;      // enum ppgcc_asm_code
	unsigned depth, flags;
	std::string site;     // the descriptor's symbol
	std::string value;    // the register that is handed over, or ""
	std::string estimate; // the fields of struct pp_abi_estimate but for the site, or ""
};

// A hard register of 64 bits by its name in assembly.
std::string ppgcc_asm_register (unsigned regno);
// What stands in the code itself, a template of an asm: the NOP and its label; with PPGCC_ASM_COLD
// a jump to the stub and the label behind it.
std::string ppgcc_asm_inline (unsigned code, const std::string &number);
// The stub. VALUE of frames_begin, which those of one kind stand behind: whether they hand over a
// register.
void ppgcc_asm_stub (FILE *out, const ppgcc_emitted &marker);
void ppgcc_asm_frames_begin (FILE *out, bool value);
void ppgcc_asm_frames_end (FILE *out);
// "ENTRY (&SYMBOL)" as the last thing that a function without a frame does.
void ppgcc_asm_pass (FILE *out, const char *symbol, const char *entry);

#endif
