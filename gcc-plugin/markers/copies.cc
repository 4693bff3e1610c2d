// SPDX-License-Identifier: GPL-3.0-or-later
//
// copies.cc: functions of which several copies may be on one stack. passes/final.cc says what that
// would break.

#include "gcc-plugin/markers/copies.h"
#include "gcc-plugin/markers/marker.h"

// Whether STMT may come back to the function that it is in.
static bool may_come_back (gimple *stmt)
{
	return is_gimple_call (stmt) && !gimple_call_internal_p (stmt) &&
	       ppgcc_marker_op (stmt) < 0 && !(gimple_call_flags (stmt) & ECF_LEAF);
}

void ppgcc_note_copies (function *fun)
{
	basic_block bb;
	if (PPGCC_CALL_PUSHES)
		return;
	FOR_EACH_BB_FN (bb, fun)
	for (gimple_stmt_iterator gsi = gsi_start_bb (bb); !gsi_end_p (gsi); gsi_next (&gsi))
		if (may_come_back (gsi_stmt (gsi))) {
			ppgcc_add_copies_attribute (fun->decl);
			return;
		}
}

void ppgcc_add_copies_attribute (tree fn)
{
	tree name = get_identifier (PPGCC_COPIES_ATTRIBUTE);
	if (!lookup_attribute (PPGCC_COPIES_ATTRIBUTE, DECL_ATTRIBUTES (fn)))
		DECL_ATTRIBUTES (fn) = tree_cons (name, NULL_TREE, DECL_ATTRIBUTES (fn));
}
