// SPDX-License-Identifier: GPL-3.0-or-later
//
// asm-none.cc: CPUs without patch markers; their markers are guards.

#include "ppgcc.h"

#if !defined(PPGCC_TARGET_X86) && !defined(PPGCC_TARGET_AARCH64)

const char ppgcc_asm_site_constraint[] = "i";

bool ppgcc_asm_possible ()
{
	return false;
}

std::string ppgcc_asm_text (unsigned)
{
	gcc_unreachable ();
}

#endif
