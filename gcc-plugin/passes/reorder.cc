// SPDX-License-Identifier: GPL-3.0-or-later
//
// reorder.cc: markers while blocks are put in order.
//
// That pass copies a short block to where it would be jumped to, mostly a function's last
// instructions. It takes any asm for the longest there may be (128 bytes on x86-64), so an end in
// front of them cost its NOP, a jump and what was in the shade of it. Nothing there looks at texts:
// that would be crossjumping, to which markers without a text are alike, but the pass cleans up
// without it. An asm without a text is taken for nothing: so markers have none meanwhile. Copies of
// a block have copies of its markers, like those of any earlier pass.

#include "gcc-plugin/markers/note.h"
#include "gcc-plugin/passes/final.h"

#include <rtl.h>

#include <emit-rtl.h>

#include <unordered_map>

// The notes by what stands for each: the address of its end, an empty text that is no other note's.
static std::unordered_map<const char *, const char *> notes;

void ppgcc_reorder_begins ()
{
	for (rtx_insn *insn = get_insns (); insn; insn = NEXT_INSN (insn)) {
		rtx text = JUMP_P (insn) ? NULL_RTX : ppgcc_marker_asm (insn);
		if (!text)
			continue;
		const char *note = ASM_OPERANDS_TEMPLATE (text), *end = note + strlen (note);
		notes[end] = note;
		ASM_OPERANDS_TEMPLATE (text) =
			end; // keeps the note alive, too: GCC's strings are pointed into
	}
}

void ppgcc_reorder_ended ()
{
	if (notes.empty ())
		return;
	for (rtx_insn *insn = get_insns (); insn; insn = NEXT_INSN (insn)) {
		rtx text =
			NONDEBUG_INSN_P (insn) ? extract_asm_operands (PATTERN (insn)) : NULL_RTX;
		auto found = text ? notes.find (ASM_OPERANDS_TEMPLATE (text)) : notes.end ();
		if (found != notes.end ())
			ASM_OPERANDS_TEMPLATE (text) = found->second;
	}
	notes.clear ();
}
