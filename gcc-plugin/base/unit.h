// SPDX-License-Identifier: GPL-3.0-or-later
//
// unit.h: the compilation at hand: options and language.

#ifndef PPGCC_UNIT_H
#define PPGCC_UNIT_H

#include "gcc-plugin/base/gcc-compat.h"

struct ppgcc_options {
	bool verbose;
	bool guard_asked;
	bool patch_asked;
	enum { NO_CALLS, CALL_POINTS, CALL_INTERVALS } calls; // in every function
	const char *instrument, *report;                      // files, or NULL
	auto_vec<const char *> features;                      // files
	enum {
		SOME_LOOP_COPIES,
		LOOP_COPIES_ON,
		NO_LOOP_COPIES
	} loop_copies; // some: not for the markers of -calls alone
	bool rule_notes = true;
};
extern ppgcc_options ppgcc_opts;

bool ppgcc_is_cxx ();
bool ppgcc_is_c_family ();
// Whether markers are impossible for this target, whatever asks for them at LOC; says so once in a
// unit.
bool ppgcc_refused (location_t loc);

#endif
