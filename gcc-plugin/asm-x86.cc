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

// DW_CFA_val_expression rip: breg16 0; const1s -64; and; dup; deref_size 4; const1u 32; shl; const1u 32; shra; plus
static const char return_address[] =
	"\t.cfi_escape 0x16,0x10,15,0x80,0,0x09,0xc0,0x1a,0x12,0x94,4,0x08,32,0x24,0x08,32,0x26,0x22\n";

static const char depth_line[] = "\t.set .Lppd%=,";

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

// BACK is what the stub returns to, from .Lppn on.
static std::string stub (int op, bool value, unsigned back)
{
	static const int entries[] = {PP_ABI_PLAN_BEGIN, PP_ABI_PLAN_END, PP_ABI_PLAN_POINT};
	int offset = PP_ABI_STUB_BYTES - 16;
	std::string out = "\t.subsection 1\n\t.p2align 6\n.Lppb%=:\t.long .Lppn%=+" + std::to_string (back) +
			  "-.\n.Lpps%=:\n\t.cfi_startproc simple\n\t.cfi_signal_frame\n\t.cfi_def_cfa %%rsp,0\n";
	out += return_address;
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

static std::string record (int op, const char *stub, unsigned flags)
{
	return std::string ("\t.pushsection " PP_ABI_SECTION_SITES ",\"ao?\",@progbits,.Lppn%=\n\t.balign 4\n"
			    "\t.long .Lppn%=-.,") +
	       stub + "-.,%c0-.,0\n\t.byte " + std::to_string (op) + ",.Lppd%=\n\t.short " + std::to_string (flags) +
	       "\n\t.popsection" INTEL;
}

static std::string nop ()
{
	static const unsigned char bytes[] = PP_ABI_X86_NOP;
	std::string out = ".Lppn%=:\t.byte ";
	for (unsigned char byte : bytes)
		out += (out.back () == ' ' ? "" : ",") + std::to_string (byte);
	return out + "\n";
}

std::string ppgcc_asm_text (unsigned code)
{
	int op = code & PPGCC_ASM_OP;
	bool value = code & PPGCC_ASM_VALUE;
	std::string out = std::string (depth_line) + "0\n" ATT;
	if (code & PPGCC_ASM_TEST)
		return out + nop () + record (op, "%l2", PP_ABI_MARKER_COLD);
	if (code & PPGCC_ASM_COLD) // out of line too: there the unwinder needs nothing of this function's CFI
		return out + "\tjmp .Lpps%=\n.Lppn%=:\n" + stub (op, value, 0) + INTEL;
	return out + nop () + stub (op, value, PP_ABI_X86_NOP_BYTES) + record (op, ".Lpps%=", 0);
}

bool ppgcc_asm_p (const char *text)
{
	return startswith (text, depth_line);
}

// The record's section goes with the section of the NOP. Named after the NOP, every record would be a section of its
// own; named after the function, there is one for each function. Names that need quotes are left alone.
static bool plain_symbol (const char *symbol)
{
	for (const char *p = symbol; *p; p++)
		if (!ISIDNUM (*p) && *p != '.')
			return false;
	return *symbol && !ISDIGIT (*symbol);
}

std::string ppgcc_asm_final (const char *text, unsigned depth, const char *symbol)
{
	static const char link_order[] = ",@progbits,";
	std::string out = depth_line + std::to_string (depth) + strchr (text, '\n');
	size_t at = out.find (link_order);
	if (at == std::string::npos || !plain_symbol (symbol))
		return out;
	at += strlen (link_order);
	return out.replace (at, out.find ('\n', at) - at, symbol);
}

// The record's, which ends with the operation and the depth.
int ppgcc_asm_op (const char *text)
{
	const char *depth = strstr (text, ",.Lppd%=\n");
	return depth && depth > text ? depth[-1] - '0' : -1;
}

std::string ppgcc_asm_estimate (const std::string &text, const std::string &fields, const char *symbol)
{
	static const char end[] = "\t.popsection";
	size_t at = text.rfind (end);
	if (at == std::string::npos)
		return text;
	std::string out = text;
	return out.insert (at + strlen (end),
			   std::string ("\n\t.pushsection " PP_ABI_SECTION_ESTIMATES ",\"ao?\",@progbits,") +
				   (plain_symbol (symbol) ? symbol : ".Lppn%=") + "\n\t.balign 8\n\t.long %c0-.\n" +
				   fields + end);
}
