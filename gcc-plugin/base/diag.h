// SPDX-License-Identifier: GPL-3.0-or-later
//
// diag.h: words that are nearly right.

#ifndef PPGCC_DIAG_H
#define PPGCC_DIAG_H

#include "gcc-plugin/base/gcc-compat.h"

typedef auto_vec<const char *> ppgcc_words;
// The word of CANDIDATES that WORD was probably meant to be, or NULL.
const char *ppgcc_closest (const char *word, const ppgcc_words &candidates);
// An error at LOC with the text "WHAT WORD; did you mean CLOSEST?", the last part only if there is
// one.
void ppgcc_unknown_word (location_t loc, const char *what, const char *word,
			 const ppgcc_words &candidates);

#endif
