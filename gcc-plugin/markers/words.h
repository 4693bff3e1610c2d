// SPDX-License-Identifier: GPL-3.0-or-later
//
// words.h: the words of a descriptor that the code tests.

#ifndef PPGCC_WORDS_H
#define PPGCC_WORDS_H

#include "gcc-plugin/base/gcc-compat.h"

// Adds to SEQ a load of the enabled word of SITE, a site's variable; the result is a register.
tree ppgcc_enabled_load (gimple_seq *seq, tree site);
// The same of the word that says which captures are wanted.
tree ppgcc_wanted_load (gimple_seq *seq, tree site);
// The site's variable if STMT is a load of its enabled word, else NULL_TREE.
tree ppgcc_enabled_site (gimple *stmt);
// Whether VALUE, in SSA form, is what such a load gave, or says whether that is not 0.
bool ppgcc_enabled_word (tree value);
// Whether E leads to what a marker does while something is bound: the way of a guard to its call,
// or of a patchable marker to its cold block.
bool ppgcc_cold_edge (edge e);

#endif
