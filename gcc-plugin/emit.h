// SPDX-License-Identifier: GPL-3.0-or-later
//
// emit.h: patch markers in the assembly file: between emit.cc and the CPU's asm-*.cc.

#ifndef PPGCC_EMIT_H
#define PPGCC_EMIT_H

#include "ppgcc.h"

// A marker that is in the text now, and of which the rest is to be written.
struct ppgcc_emitted {
	std::string number; // of its labels: .Lppn is the NOP, .Lpps the stub or the cold block
	unsigned code;      // enum ppgcc_asm_code
	unsigned depth, flags;
	std::string site;     // the descriptor's symbol
	std::string value;    // the register that is handed over, or ""
	std::string estimate; // the fields of struct pp_abi_estimate but for the site, or ""
};

// ---- of one CPU

// A hard register of 64 bits by its name in assembly.
std::string ppgcc_asm_register (unsigned regno);
// What stands in the code itself, a template of an asm: the NOP and its label; with PPGCC_ASM_COLD a jump to the stub and the
// label behind it.
std::string ppgcc_asm_inline (unsigned code, const std::string &number);
// The stub. VALUE of frames_begin, which those of one kind stand behind: whether they hand over a register.
void ppgcc_asm_stub (FILE *out, const ppgcc_emitted &marker);
void ppgcc_asm_frames_begin (FILE *out, bool value);
void ppgcc_asm_frames_end (FILE *out);
// "ENTRY (&SYMBOL)" as the last thing that a function without a frame does.
void ppgcc_asm_pass (FILE *out, const char *symbol, const char *entry);

#endif
