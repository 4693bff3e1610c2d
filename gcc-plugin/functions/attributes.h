// SPDX-License-Identifier: GPL-3.0-or-later
//
// attributes.h: pp_interval and pp_ignore on functions.

#ifndef PPGCC_ATTRIBUTES_H
#define PPGCC_ATTRIBUTES_H

#include "gcc-plugin/base/gcc-compat.h"

#define PPGCC_INTERVAL_ATTRIBUTE "pp_interval"
#define PPGCC_IGNORE_ATTRIBUTE "pp_ignore"

// What pp_interval says on FN: its arguments, or NULL_TREE.
tree ppgcc_interval_attribute (tree fn);
// The arguments of another one that a second declaration brought along, or NULL_TREE.
tree ppgcc_other_interval (tree fn);
// TEXT, names with commas between, without blanks around them.
std::string ppgcc_attribute_names (const char *text);
void ppgcc_attributes_register (const char *plugin);

#endif
