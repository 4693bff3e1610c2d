// SPDX-License-Identifier: GPL-3.0-or-later
//
// names.h: what functions are called, and what only the symbol table knows of them.

#ifndef PPGCC_NAMES_H
#define PPGCC_NAMES_H

#include "gcc-plugin/base/gcc-compat.h"

// FN as in the source: "ns::C::f" without parameters, "f", "module::procedure". Once parsing is
// over, any language.
std::string ppgcc_function_name (tree fn);
// FN's name as in the source, in C++.
std::string ppgcc_cxx_name (tree fn);
// What tells FN from others of its name, in C++: "(int, double) const"; of a template's instance,
// as the template has it. "" where that is long.
std::string ppgcc_cxx_parameters (tree fn);
// Whether FN is the resolver of an ifunc, which must not call anything; when all functions are
// there.
bool ppgcc_ifunc_resolver (tree fn);

#endif
