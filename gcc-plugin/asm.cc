// SPDX-License-Identifier: GPL-3.0-or-later
//
// asm.cc: a patch marker's text on its way through the compiler.
//
// GCC counts the lines of an asm's text whenever it wants to know how big something is, and copies of loops and functions
// take it along. So the text is a note until instructions are written, when emit.cc reads it:
//
//	.error "compiled with ppgcc and -flto: the link needs -fplugin=ppgcc too" /*pp CODE DEPTH FLAGS [FIGURES]*/
//
// What is assembled without emit.cc, by a link with -flto and without the plugin, can't be told apart where a site was
// inlined into itself, and is an error.

#include "ppgcc.h"

static const char note_begin[] = "\t.error \"compiled with ppgcc and -flto: the link needs -fplugin=ppgcc too\" /*pp ";
static const char note_end[] = "*/";

bool ppgcc_note_p (const char *text)
{
	return startswith (text, note_begin);
}

std::string ppgcc_note_write (const ppgcc_note &note)
{
	std::string out = note_begin + std::to_string (note.code) + " " + std::to_string (note.depth) + " " +
			  std::to_string (note.flags);
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
