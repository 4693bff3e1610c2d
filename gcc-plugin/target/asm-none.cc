// SPDX-License-Identifier: GPL-3.0-or-later
//
// asm-none.cc: CPUs without patch markers; their markers are guards.

#include "gcc-plugin/target/asm.h"

#if !defined(PPGCC_TARGET_X86) && !defined(PPGCC_TARGET_AARCH64)

const char ppgcc_asm_site_constraint[] = "i";

bool ppgcc_asm_possible ()
{
	return false;
}

// Elsewhere nobody knows what an address may be.
const char *ppgcc_asm_anchor_constraint ()
{
	return flag_pic ? NULL : "i";
}

std::string ppgcc_asm_register (unsigned)
{
	gcc_unreachable ();
}

std::string ppgcc_asm_inline (unsigned, const std::string &)
{
	gcc_unreachable ();
}

void ppgcc_asm_stub (FILE *, const ppgcc_emitted &)
{
	gcc_unreachable ();
}

void ppgcc_asm_frames_begin (FILE *, bool)
{
	gcc_unreachable ();
}

void ppgcc_asm_frames_end (FILE *)
{
	gcc_unreachable ();
}

void ppgcc_asm_pass (FILE *, const char *, const char *)
{
	gcc_unreachable ();
}

#endif
