// SPDX-License-Identifier: GPL-3.0-or-later
//
// barrier.h: which markers are barriers for memory.

#ifndef PPGCC_BARRIER_H
#define PPGCC_BARRIER_H

#include "gcc-plugin/markers/site.h"

// "#pragma pp bind METRIC to SITE" is in the unit.
void ppgcc_note_bind (const char *metric, const std::string &site);
// Whether PATTERN chooses sites by something else than their names: "group:g", "fn:f", "file.c:**".
bool ppgcc_by_property (const std::string &pattern);
// Whether the markers of SITE are barriers for memory; once parsing is over.
bool ppgcc_site_is_barrier (const ppgcc_site &site);
// Whether FN reads or writes memory of the program's, as far as its declaration says; not where it
// is NULL_TREE.
bool ppgcc_touches_memory (tree fn);
void ppgcc_barrier_register (const char *plugin);

#endif
