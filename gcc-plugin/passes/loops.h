// SPDX-License-Identifier: GPL-3.0-or-later
//
// loops.h: copies of loops without their markers.

#ifndef PPGCC_LOOPS_H
#define PPGCC_LOOPS_H

#include "gcc-plugin/base/gcc-compat.h"

void ppgcc_loops_register (const char *plugin);

// ---- strips.cc

// Divides an innermost loop, in LCSSA with a preheader and a simple latch, into strips inside a new
// loop around it, which the loop tree doesn't know yet, nor do dominators. Returns how many
// iterations a strip has at most; 0 where LOOP has no more itself, and nothing was done.
int ppgcc_strip (class loop *loop);
// What has to hold before LOOP so that its iterations can be counted, or NULL_TREE where that
// depends on nothing.
tree ppgcc_strip_condition (class loop *loop);

#endif
