// SPDX-License-Identifier: GPL-3.0-or-later
//
// metric.h: a metric, and the variable that stands for it in the program.

#ifndef PPGCC_METRIC_H
#define PPGCC_METRIC_H

#include "gcc-plugin/base/gcc-compat.h"

struct ppgcc_metric {
	std::string name, accumulator, source, options, declaration;
	int kind; // enum pp_abi_site_kind
	location_t loc;
	tree begin, end; // the user's functions, or NULL_TREE
	bool arguments;  // they take some
};

// Says on VARIABLE what METRIC is.
void ppgcc_metric_describe (tree variable, const ppgcc_metric &metric);
// The variable of metric NAME as declared here, or NULL_TREE, and the text it was declared with.
tree ppgcc_declared_metric (const char *name);
const char *ppgcc_metric_declaration (tree variable);
std::string ppgcc_metric_source (tree variable);
// Its functions in the program; NULL_TREE where the source is one of the library's, and for the end
// of a point metric.
tree ppgcc_metric_function (tree variable, bool end);
// Has it a scope, which is of intervals that are nested?
bool ppgcc_metric_nests (tree variable);
bool ppgcc_metric_takes_arguments (tree variable);

#endif
