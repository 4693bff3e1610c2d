// SPDX-License-Identifier: GPL-3.0-or-later
//
// module.h: what a unit hands to the runtime.

#ifndef PPGCC_MODULE_H
#define PPGCC_MODULE_H

void ppgcc_module_register (const char *plugin);

#endif
