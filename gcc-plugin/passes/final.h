// SPDX-License-Identifier: GPL-3.0-or-later
//
// final.h: what keeps markers right on their way to the assembly file, in this order:
//
//   weight.cc    whenever functions have been summed up for the inliner: takes the markers off
//   final.cc     right before expand, in lto1 too
//   reorder.cc   around the pass that puts blocks in order
//   emit.cc      right before instructions are written

#ifndef PPGCC_FINAL_H
#define PPGCC_FINAL_H

#include "gcc-plugin/base/gcc-compat.h"

void ppgcc_weight_register (const char *plugin);
void ppgcc_final_register (const char *plugin);

// ---- reorder.cc

// Right before the pass that puts blocks in order, in a function with markers; and at the next
// pass.
void ppgcc_reorder_begins ();
void ppgcc_reorder_ended ();

// ---- emit.cc

// The struct pp_abi_module at SYMBOL is to be handed over at start-up, and withdrawn in the end.
void ppgcc_emit_module (const char *symbol, int priority);
void ppgcc_emit_register (const char *plugin);

#endif
