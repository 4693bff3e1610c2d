// SPDX-License-Identifier: GPL-3.0-or-later
//
// note.cc: a patch marker's text on its way through the compiler.
//
// GCC counts the lines of an asm's text whenever it wants to know how big something is, and copies
// of loops and functions take it along. So the text is a note until instructions are written, when
// passes/emit.cc reads it:
//
//	.error "compiled with ppgcc and -flto: the link needs -fplugin=ppgcc too" /*pp CODE DEPTH FLAGS [FIGURES]*/
//
// What is assembled without it, by a link with -flto and without the plugin, can't be told apart
// where a site was inlined into itself, and is an error.

#include "gcc-plugin/target/asm.h"
#include "gcc-plugin/markers/note.h"

#include <rtl.h>

static const char note_begin[] =
	"\t.error \"compiled with ppgcc and -flto: the link needs -fplugin=ppgcc too\" /*pp ";
static const char note_end[] = "*/";

bool ppgcc_note_p (const char *text)
{
	return startswith (text, note_begin);
}

std::string ppgcc_note_write (const ppgcc_note &note)
{
	std::string out = note_begin + std::to_string (note.code) + " " +
			  std::to_string (note.depth) + " " + std::to_string (note.flags);
	if (!note.figures.empty ())
		out += " " + note.figures;
	return out + note_end;
}

ppgcc_note ppgcc_note_read (const char *text)
{
	gcc_assert (ppgcc_note_p (text));
	ppgcc_note note;
	char *at = const_cast<char *> (text + strlen (note_begin));
	note.code = strtoul (at, &at, 10);
	note.depth = strtoul (at, &at, 10);
	note.flags = strtoul (at, &at, 10);
	if (*at == ' ')
		note.figures.assign (at + 1, strlen (at + 1) - strlen (note_end));
	return note;
}

int ppgcc_note_op (const char *text)
{
	unsigned code = strtoul (text + strlen (note_begin), NULL, 10);
	return code & PPGCC_ASM_COLD ? -1 : code & PPGCC_ASM_OP;
}

tree ppgcc_marker_site (gimple *stmt, int *op)
{
	gasm *text = dyn_cast<gasm *> (stmt);
	if (!text || !ppgcc_note_p (gimple_asm_string (text)) || !gimple_asm_ninputs (text))
		return NULL_TREE;
	tree address = TREE_VALUE (gimple_asm_input_op (text, 0));
	*op = ppgcc_note_op (gimple_asm_string (text));
	return TREE_CODE (address) == ADDR_EXPR && VAR_P (TREE_OPERAND (address, 0))
		       ? TREE_OPERAND (address, 0)
		       : NULL_TREE;
}

rtx ppgcc_marker_asm (rtx_insn *insn)
{
	if (!NONDEBUG_INSN_P (insn))
		return NULL_RTX;
	rtx text = extract_asm_operands (PATTERN (insn));
	return text && ppgcc_note_p (ASM_OPERANDS_TEMPLATE (text)) ? text : NULL_RTX;
}
