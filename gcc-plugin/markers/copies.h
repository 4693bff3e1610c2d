// SPDX-License-Identifier: GPL-3.0-or-later
//
// copies.h: functions of which several copies may be on one stack.

#ifndef PPGCC_COPIES_H
#define PPGCC_COPIES_H

#include "gcc-plugin/base/gcc-compat.h"

// Of a function: an interval of it may be open in several of its copies on one stack.
#define PPGCC_COPIES_ATTRIBUTE "pp copies"
void ppgcc_add_copies_attribute (tree fn);
// Adds it to FUN, which has intervals and is as its author wrote it, if it calls what may come
// back. Nothing where calls push.
void ppgcc_note_copies (function *fun);

#endif
