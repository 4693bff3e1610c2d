// SPDX-License-Identifier: GPL-3.0-or-later
//
// record.h: the static records of metrics, expectations and bindings.

#ifndef PPGCC_RECORD_H
#define PPGCC_RECORD_H

#include "gcc-plugin/markers/metric.h"

// Checks the user's functions of a metric, and finds out whether they take arguments; errors point
// at BEGIN_LOC and END_LOC.
bool ppgcc_metric_check (ppgcc_metric &metric, location_t begin_loc, location_t end_loc);
// The type of FN's result.
tree ppgcc_result_type (tree fn);
// Emits the record. VARIABLE is the program's variable.
void ppgcc_metric_record (const ppgcc_metric &metric, tree variable);
// The static record of an expectation: "file\nline\ncolumn\nfunction\nname\nexpression".
tree ppgcc_expect_record (const char *text, tree callback);
// The static argument of bind and unbind: "file\nline\nfunction\nmetric\nsite\nfunction's line".
tree ppgcc_bind_record (const char *text);

#endif
