// SPDX-License-Identifier: GPL-3.0-or-later
//
// asm-aarch64.cc: the text of a patch marker on aarch64, as pp_abi.h draws it.
//
// The unwinder has to get from the stub back to the function that the marker is in, and x30 is that
// function's, not a way back to it. As on x86-64 (asm-x86.cc) every stub lies in a 64-byte block of
// its own whose first word is the distance from the block to the code behind the marker:
//
//     return address = block + *(int32_t *) block        block = pc & -64
//
// There is no DWARF register for the pc here. While the entry runs it is in x30; elsewhere only a
// signal handler can unwind through the stub, and the unwinder keeps the pc that was interrupted in
// the column that it has for return addresses of signal frames. The stub's return address is in
// that column too, and x30 stays a register like any other.

#include "gcc-plugin/target/asm.h"
#include "pp_abi.h"

#ifdef PPGCC_TARGET_AARCH64

const char ppgcc_asm_site_constraint[] =
	"S"; // an "i" can't be an address in position-independent code

// Beyond 4 GiB the stub can't address its site.
bool ppgcc_asm_possible ()
{
	return POINTER_SIZE == 64 && !BYTES_BIG_ENDIAN && aarch64_cmodel != AARCH64_CMODEL_LARGE;
}

const char *ppgcc_asm_anchor_constraint ()
{
	return ppgcc_asm_possible () ? ppgcc_asm_site_constraint : NULL;
}

// DW_CFA_val_expression column 96: PC; const1s -64; and; dup; deref_size 4; const1u 32; shl;
// const1u 32; shra; plus
#define RETURN_ADDRESS(length, pc)                                                                 \
	"\t.cfi_escape 0x16,96," #length "," pc                                                    \
	",0x09,0xc0,0x1a,0x12,0x94,4,0x08,32,0x24,0x08,32,0x26,0x22\n"
static const char pc_interrupted[] = RETURN_ADDRESS (16, "0x92,96,0"); // bregx 96 0
static const char pc_in_x30[] = RETURN_ADDRESS (15, "0x8e,0");         // breg30 0
static_assert (DWARF_ALT_FRAME_RETURN_COLUMN == 96, "");

// The instructions STORE, by which the registers A and B (or -1) are saved at OFFSET above the new
// stack pointer, and their CFI.
static std::string save (const std::string &store, int offset, int a, int b)
{
	std::string out = "\t" + store + "\n";
	for (int reg : {a, b}) {
		if (reg >= 0)
			out += "\t.cfi_offset " + std::to_string (reg) + ",-" +
			       std::to_string (PP_ABI_AARCH64_STUB_BYTES - offset) + "\n";
		offset += 8;
	}
	return out;
}

std::string ppgcc_asm_register (unsigned regno)
{
	return reg_names[regno];
}

std::string ppgcc_asm_inline (unsigned code, const std::string &number)
{
	if (code & PPGCC_ASM_COLD)
		return "\tb .Lpps" + number + "\n.Lppn" + number + ":";
	return ".Lppn" + number + ":\tnop";
}

void ppgcc_asm_stub (FILE *out, const ppgcc_emitted &marker)
{
	static const int entries[] = {PP_ABI_PLAN_BEGIN, PP_ABI_PLAN_END, PP_ABI_PLAN_POINT};
	const std::string bytes = std::to_string (PP_ABI_AARCH64_STUB_BYTES), &site = marker.site;
	const std::string back =
		".Lppn" + marker.number + (marker.code & PPGCC_ASM_COLD ? "+0" : "+4");
	std::string text = "\t.p2align 6\n\t.long " + back + "-.\n.Lpps" + marker.number +
			   ":\n\t.cfi_startproc simple\n\t.cfi_signal_frame\n\t.cfi_return_column "
			   "96\n\t.cfi_def_cfa sp,0\n";
	text += pc_interrupted;
	text += "\tsub sp,sp," + bytes + "\n\t.cfi_def_cfa_offset " + bytes + "\n";
	text += save ("stp x0,x1,[sp]", 0, 0, 1);
	text += save ("stp x30," + (marker.value.empty () ? "xzr" : marker.value) + ",[sp,16]", 16,
		      30, -1);
	text += save ("str x16,[sp,32]", 32, 16, -1);
	text += "\tadrp x0," + site + "\n\tadd x0,x0,:lo12:" + site + "\n\tldr x1,[x0," +
		std::to_string (PP_ABI_SITE_PLAN) + "]\n\tadd x0,x0," +
		std::to_string (marker.depth) + "\n\tldr x16,[x1," +
		std::to_string (entries[marker.code & PPGCC_ASM_OP]) + "]\n";
	// BLR writes the same into x30; but the unwinder asks the CFI of BLR itself, also where a
	// signal comes before it
	text += "\tadr x30,.+8\n";
	text += pc_in_x30;
	text += "\tblr x16\n\tldr x30,[sp,16]\n\t.cfi_restore 30\n";
	text += pc_interrupted;
	text += "\tldr x16,[sp,32]\n\t.cfi_restore 16\n\tldp x0,x1,[sp]," + bytes +
		"\n\t.cfi_restore 0\n\t.cfi_restore 1\n\t.cfi_def_cfa_offset 0\n\tb " + back +
		"\n\t.cfi_endproc\n";
	fputs (text.c_str (), out);
}

// Here the pc is in no register that an expression could ask: every stub has CFI of its own.
void ppgcc_asm_frames_begin (FILE *, bool)
{
}

void ppgcc_asm_frames_end (FILE *)
{
}

void ppgcc_asm_pass (FILE *out, const char *symbol, const char *entry)
{
	// hint 34 is "bti c"
	fprintf (out, "\thint 34\n\tadrp x0,%s\n\tadd x0,x0,:lo12:%s\n\tb %s\n", symbol, symbol,
		 entry);
}

#endif
