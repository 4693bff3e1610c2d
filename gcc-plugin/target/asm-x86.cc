// SPDX-License-Identifier: GPL-3.0-or-later
//
// asm-x86.cc: the text of patch markers on x86-64, as pp_abi.h draws them.
//
// The unwinder has to get from a stub back to the function that its marker is in, though no return
// address is on the stack (a JMP leads there). Every stub lies in a 64-byte block whose first word
// is the distance from the block to the code behind the marker, and all of one kind have their
// instructions at the same places. So what the unwinder must know is a function of rip, and one FDE
// serves all stubs of a section:
//
//     block = rip & -64, place = rip & 63
//     return address = block + *(int32_t *) block
//     CFA = rsp + what is on the stack at that place
//
// The assembler takes as long for the CFI of one stub, line by line, as for the whole rest of it.

#include "gcc-plugin/target/asm.h"
#include "pp_abi.h"

#ifdef PPGCC_TARGET_X86

const char ppgcc_asm_site_constraint[] = "i";

bool ppgcc_asm_possible ()
{
	return TARGET_64BIT && POINTER_SIZE == 64 && ix86_cmodel != CM_LARGE &&
	       ix86_cmodel != CM_LARGE_PIC;
}

const char *ppgcc_asm_anchor_constraint ()
{
	return TARGET_64BIT && ix86_cmodel != CM_LARGE_PIC ? "i" : NULL;
}

std::string ppgcc_asm_register (unsigned regno)
{
	std::string name = reg_names[regno]; // "ax", "r8"
	return ISDIGIT (name[1]) ? name : "r" + name;
}

// ---- the marker itself

// BYTES as lines of assembly. A number of four bytes takes the assembler no longer than one of one.
static std::string lines (const unsigned char *bytes, unsigned n)
{
	std::string out;
	unsigned i = 0;
	for (; i + 4 <= n; i += 4)
		out += "\t.long " +
		       std::to_string (bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16 |
				       (unsigned) bytes[i + 3] << 24) +
		       "\n";
	for (; i < n; i++)
		out += "\t.byte " + std::to_string (bytes[i]) + "\n";
	return out;
}

std::string ppgcc_asm_inline (unsigned code, const std::string &number)
{
	static const unsigned char nop[] = PP_ABI_X86_NOP;
	if (code &
	    PPGCC_ASM_COLD) // out of line too: there the unwinder needs nothing of this function's CFI
		return "\tjmp .Lpps" + number + "\n.Lppn" + number + ":";
	return ".Lppn" + number + ":" + lines (nop, sizeof (nop)) + "\t.long .Lpps" + number +
	       "-.-4";
}

// ---- the stub

// Where things are in a block. An instruction's place is that of its first byte.
enum {
	PLACE_STUB = 8,
	PLACE_LEA = PLACE_STUB + 5,
	PLACE_VALUE = PLACE_LEA + 5, // if there is one: two bytes
	PLACE_RDI = PLACE_VALUE,     // behind the value's
	PLACE_RSI = PLACE_RDI + 1,
	PLACE_CALL = PLACE_RSI + 1 + 7 + 7,
	PLACE_POP_RSI = PLACE_CALL + 3,
	PLACE_POP_RDI = PLACE_POP_RSI + 1,
	PLACE_BACK = PLACE_POP_RDI + 1,
	PLACE_JUMP = PLACE_BACK + 8,
	PLACE_END = PLACE_JUMP + 5,
	VALUE_BYTES = 2, // of its instruction
	RED_ZONE = PP_ABI_STUB_BYTES - 16
};
static_assert (PLACE_END + VALUE_BYTES <= 64, "a stub fits into its block");

// BYTES of instructions. The assembler takes three times as long for their names.
static std::string code (std::initializer_list<unsigned> bytes)
{
	std::string out = "\t.ascii \"";
	for (unsigned byte : bytes)
		for (char c : {'\\', char ('0' + (byte >> 6 & 3)), char ('0' + (byte >> 3 & 7)),
			       char ('0' + (byte & 7))})
			out += c;
	return out + "\"\n";
}

// The displacement to a symbol, behind the instruction that it ends, from the next one.
#define TO_SYMBOL "\t.long %s+%u-.-4\n"

void ppgcc_asm_stub (FILE *out, const ppgcc_emitted &marker)
{
	static const unsigned entries[] = {PP_ABI_PLAN_BEGIN, PP_ABI_PLAN_END, PP_ABI_PLAN_POINT};
	// the redirect; lea -128(%rsp),%rsp
	static const std::string head =
		code ({0x0f, 0x1f, 0x44, 0, 0, 0x48, 0x8d, 0x64, 0x24, 0x100 - RED_ZONE});
	// push %rdi; push %rsi; lea SITE+DEPTH(%rip),%rdi
	static const std::string tag = code ({0x57, 0x56, 0x48, 0x8d, 0x3d});
	// mov SITE+PLAN(%rip),%rsi
	static const std::string plan = code ({0x48, 0x8b, 0x35});
	const char *number = marker.number.c_str (), *site = marker.site.c_str ();
	unsigned back = marker.code & PPGCC_ASM_COLD ? 0 : PP_ABI_X86_NOP_BYTES,
		 pushed = marker.value.empty () ? 0 : PP_ABI_STUB_PUSHED;
	// call *ENTRY(%rsi); pop %rsi; pop %rdi; lea 128(%rsp),%rsp, with a wide displacement; jmp
	std::string rest = code ({0xff, 0x56, entries[marker.code & PPGCC_ASM_OP], 0x5e, 0x5f, 0x48,
				  0x8d, 0xa4, 0x24, RED_ZONE + pushed, 0, 0, 0, 0xe9});
	fprintf (out, "\t.p2align 6\n\t.long .Lppn%s+%u-.,0\n.Lpps%s:%s", number, back, number,
		 head.c_str ());
	if (pushed)
		fprintf (out, "\t{rex} pushq %%%s\n", marker.value.c_str ());
	fprintf (out, "%s" TO_SYMBOL "%s" TO_SYMBOL "%s\t.long .Lppn%s+%u-.-4\n", tag.c_str (),
		 site, marker.depth, plan.c_str (), site, (unsigned) PP_ABI_SITE_PLAN,
		 rest.c_str (), number, back);
}

// ---- how to unwind

namespace
{

// An expression of DWARF, byte by byte.
class expression
{
public:
	expression &op (std::initializer_list<unsigned> bytes)
	{
		for (unsigned byte : bytes)
			m_bytes += "," + std::to_string (byte & 0xff), m_length++;
		return *this;
	}
	// 1 where rip is in [FROM, TO) of its block, else 0
	expression &at (unsigned from, unsigned to)
	{
		unsigned HOST_WIDE_INT mask = 0;
		for (unsigned place = from; place < to; place++)
			mask |= HOST_WIDE_INT_1U << place;
		op ({0x0e}); // const8u
		for (unsigned shift = 0; shift < 64; shift += 8)
			op ({(unsigned) (mask >> shift)});
		return op ({0x80, 0, 0x08, 63, 0x1a, 0x25, 0x31,
			    0x1a}); // breg16 0; const1u 63; and; shr; lit1; and
	}
	// The instruction of the CFA, or of a register (-1: none).
	void print (FILE *out, unsigned instruction, int reg) const
	{
		gcc_assert (m_length < 128); // one byte of uleb128
		fprintf (out, "\t.cfi_escape %u", instruction);
		if (reg >= 0)
			fprintf (out, ",%d", reg);
		fprintf (out, ",%u%s\n", m_length, m_bytes.c_str ());
	}

private:
	std::string m_bytes;
	unsigned m_length = 0;
};

enum { DEF_CFA_EXPRESSION = 0x0f, VAL_EXPRESSION = 0x16 };

// The register REG is at the CFA - OFFSET where rip is in [FROM, TO), else it is as it was.
void saved (FILE *out, int reg, unsigned offset, unsigned from, unsigned to)
{
	expression value;                              // the CFA is on DWARF's stack
	value.at (from, to).op ({0x28, 6, 0});         // bra: saved
	value.op ({0x13, 0x70u + reg, 0, 0x2f, 4, 0}); // drop; breg 0; skip
	value.op ({0x08, offset, 0x1c, 0x06})
		.print (out, VAL_EXPRESSION, reg); // const1u; minus; deref
}

} // namespace

void ppgcc_asm_frames_begin (FILE *out, bool value)
{
	unsigned more = value ? VALUE_BYTES : 0, pushed = value ? PP_ABI_STUB_PUSHED : 0;
	if (ASSEMBLER_DIALECT == ASM_INTEL)
		fputs ("\t.att_syntax prefix\n", out);
	fputs ("\t.p2align 6\n\t.cfi_startproc simple\n\t.cfi_signal_frame\n", out);
	// behind an instruction that pushes, up to the one that pops, its place included
	expression cfa;
	cfa.op ({0x77, 0}); // breg7 0
	cfa.at (PLACE_LEA + 5, PLACE_JUMP + more)
		.op ({0x08, RED_ZONE, 0x1e, 0x22}); // const1u; mul; plus
	if (value)
		cfa.at (PLACE_VALUE + VALUE_BYTES, PLACE_JUMP + more)
			.op ({0x08, PP_ABI_STUB_PUSHED, 0x1e, 0x22});
	cfa.at (PLACE_RSI + more, PLACE_BACK + more).op ({0x38, 0x1e, 0x22}); // lit8; mul; plus
	cfa.at (PLACE_RSI + 1 + more, PLACE_POP_RDI + more).op ({0x38, 0x1e, 0x22});
	cfa.print (out, DEF_CFA_EXPRESSION, -1);
	saved (out, 5, RED_ZONE + pushed + 8, PLACE_RSI + more, PLACE_BACK + more);
	saved (out, 4, RED_ZONE + pushed + 16, PLACE_RSI + 1 + more, PLACE_POP_RDI + more);
	expression
		back; // breg16 0; const1s -64; and; dup; deref_size 4; const1u 32; shl; const1u 32; shra; plus
	back.op ({0x80, 0, 0x09, 0xc0, 0x1a, 0x12, 0x94, 4, 0x08, 32, 0x24, 0x08, 32, 0x26, 0x22});
	back.print (out, VAL_EXPRESSION, 16);
}

void ppgcc_asm_frames_end (FILE *out)
{
	fputs ("\t.cfi_endproc\n", out);
	if (ASSEMBLER_DIALECT == ASM_INTEL)
		fputs ("\t.intel_syntax noprefix\n", out);
}

void ppgcc_asm_pass (FILE *out, const char *symbol, const char *entry)
{
	if (ASSEMBLER_DIALECT == ASM_INTEL)
		fputs ("\t.att_syntax prefix\n", out);
	fprintf (out, "\tendbr64\n\tleaq %s(%%rip),%%rdi\n\tjmp %s@PLT\n", symbol, entry);
	if (ASSEMBLER_DIALECT == ASM_INTEL)
		fputs ("\t.intel_syntax noprefix\n", out);
}

#endif
