// SPDX-License-Identifier: GPL-3.0-or-later
//
// registers.h: which registers functions use, as far as the CPU matters.

#ifndef PPGCC_REGISTERS_H
#define PPGCC_REGISTERS_H

#include "gcc-plugin/base/gcc-compat.h"

// ---- live.cc

// What holds nothing of the program's at the markers of FUN, in its last GIMPLE:
// PP_ABI_MARKER_NO_*. MARKER_P says which statements are markers.
unsigned ppgcc_not_live (function *fun, bool (*marker_p) (gimple *));

// ---- fast.cc

#define PPGCC_FAST_ATTRIBUTE "pp_fast"
// Does FN use general registers only (PP_FAST)?
bool ppgcc_fast_p (tree fn);
void ppgcc_fast_register (const char *plugin);

#endif
