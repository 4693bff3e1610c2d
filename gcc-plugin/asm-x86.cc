// SPDX-License-Identifier: GPL-3.0-or-later
//
// asm-x86.cc: the text of a patch marker on x86-64, as pp_abi.h draws it.
//
// The unwinder has to get from the stub back to the function that the marker is in, though no return address is on the
// stack (a JMP leads here). Every stub lies in a 64-byte block of its own whose first word is the distance from the
// block to the code behind the marker, so one expression serves all its instructions:
//
//     return address = block + *(int32_t *) block        block = rip & -64
//
// and its rip is where the unwinder says it is, also for gdb in the middle of the stub.

// Under -masm=intel GCC picks the second of {att|intel}, and the text switches to AT&T and back.

#include "ppgcc.h"

#ifdef PPGCC_TARGET_X86

const char ppgcc_asm_site_constraint[] = "i";

bool ppgcc_asm_possible ()
{
	return TARGET_64BIT && POINTER_SIZE == 64 && ix86_cmodel != CM_LARGE && ix86_cmodel != CM_LARGE_PIC;
}

// DW_CFA_val_expression rip: breg16 0; const1s -64; and; dup; deref_size 4; const1u 32; shl; const1u 32; shra; plus
static const char return_address[] =
	"\t.cfi_escape 0x16,0x10,15,0x80,0,0x09,0xc0,0x1a,0x12,0x94,4,0x08,32,0x24,0x08,32,0x26,0x22\n";

static std::string cfa (int offset)
{
	return "\t.cfi_def_cfa_offset " + std::to_string (offset) + "\n";
}

static std::string push (const char *reg, int &offset, bool saved)
{
	offset += 8;
	std::string out = std::string ("\tpushq ") + reg + "\n" + cfa (offset);
	if (saved)
		out += std::string ("\t.cfi_offset ") + reg + ",-" + std::to_string (offset) + "\n";
	return out;
}

static std::string pop (const char *reg, int &offset)
{
	offset -= 8;
	return std::string ("\tpopq ") + reg + "\n" + cfa (offset) + "\t.cfi_restore " + reg + "\n";
}

static std::string byte_line (const unsigned char *bytes, size_t n)
{
	std::string out = "\t.byte ";
	for (size_t i = 0; i < n; i++)
		out += (i ? "," : "") + std::to_string (bytes[i]);
	return out + "\n";
}

// BACK is what the stub returns to, from .Lppn on.
static std::string stub (int op, bool value, unsigned back)
{
	static const int entries[] = {PP_ABI_PLAN_BEGIN, PP_ABI_PLAN_END, PP_ABI_PLAN_POINT};
	static const unsigned char redirect[] = PP_ABI_X86_REDIRECT;
	int offset = PP_ABI_STUB_BYTES - 16;
	std::string out = "\t.subsection 1\n\t.p2align 6\n.Lppb%=:\t.long .Lppn%=+" + std::to_string (back) +
			  "-.,0\n.Lpps%=:\n\t.cfi_startproc simple\n\t.cfi_signal_frame\n\t.cfi_def_cfa %%rsp,0\n";
	out += return_address + byte_line (redirect, sizeof redirect);
	out += "\tleaq -" + std::to_string (offset) + "(%%rsp),%%rsp\n" + cfa (offset);
	if (value)
		out += push ("{%q2|%%%q2}", offset, false);
	out += push ("%%rdi", offset, true);
	out += push ("%%rsi", offset, true);
	out += "\tleaq %c0+.Lppd%=(%%rip),%%rdi\n"
	       "\tmovq %c0+" +
	       std::to_string (PP_ABI_SITE_PLAN) + "(%%rip),%%rsi\n\tcall *" + std::to_string (entries[op]) +
	       "(%%rsi)\n";
	out += pop ("%%rsi", offset);
	out += pop ("%%rdi", offset);
	out += "\tleaq " + std::to_string (offset) + "(%%rsp),%%rsp\n" + cfa (0);
	out += "\tjmp .Lppn%=+" + std::to_string (back) + "\n\t.cfi_endproc\n\t.previous\n";
	return out;
}

#define ATT "{|\t.att_syntax prefix\n}"
#define INTEL "{|\n\t.intel_syntax noprefix}"

static std::string nop (const char *stub)
{
	static const unsigned char bytes[] = PP_ABI_X86_NOP;
	return ".Lppn%=:" + byte_line (bytes, sizeof bytes) + "\t.long " + stub + "-.-4\n";
}

std::string ppgcc_asm_text (unsigned code)
{
	int op = code & PPGCC_ASM_OP;
	bool value = code & PPGCC_ASM_VALUE;
	std::string out = ppgcc_asm_depth () + ATT;
	if (code & PPGCC_ASM_TEST)
		return out + nop ("%l2") + ppgcc_asm_record (op, "%l2", PP_ABI_MARKER_COLD) + INTEL;
	if (code & PPGCC_ASM_COLD) // out of line too: there the unwinder needs nothing of this function's CFI
		return out + "\tjmp .Lpps%=\n.Lppn%=:\n" + stub (op, value, 0) + INTEL;
	return out + nop (".Lpps%=") + stub (op, value, PP_ABI_X86_NOP_BYTES) + ppgcc_asm_record (op, ".Lpps%=", 0) +
	       INTEL;
}

#endif
