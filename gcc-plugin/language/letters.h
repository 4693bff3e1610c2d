// SPDX-License-Identifier: GPL-3.0-or-later
//
// letters.h: what a site captures.

#ifndef PPGCC_LETTERS_H
#define PPGCC_LETTERS_H

#include "gcc-plugin/base/gcc-compat.h"

// How a value of TYPE is captured: a letter of pp_abi.h's dims, or 0 where it can't be.
char ppgcc_value_letter (tree type);
// The same of a dimension, which tells booleans and 64 bits without a sign from other integers.
char ppgcc_dim_letter (tree type);
// Whether VALUE costs nothing to compute: a constant, or a variable that can live in a register.
bool ppgcc_simple_value (tree value);
void ppgcc_letters_register (const char *plugin);

#endif
