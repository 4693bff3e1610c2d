// SPDX-License-Identifier: GPL-3.0-or-later
//
// unit.cc: the compilation at hand.

#include "gcc-plugin/base/unit.h"

ppgcc_options ppgcc_opts;

bool ppgcc_is_cxx ()
{
	return startswith (lang_hooks.name, "GNU C++");
}

bool ppgcc_is_c_family ()
{
	return c_register_pragma_with_data &&
	       (ppgcc_is_cxx () || startswith (lang_hooks.name, "GNU C"));
}

bool ppgcc_refused (location_t loc)
{
	static bool told;
	if (POINTER_SIZE == 64)
		return false;
	if (!told)
		error_at (loc, "ppgcc measures 64-bit programs only");
	told = true;
	return true;
}
