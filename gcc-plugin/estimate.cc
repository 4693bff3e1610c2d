// SPDX-License-Identifier: GPL-3.0-or-later
#include "truth.h"
ppgcc_figures ppgcc_figures_unknown ()
{
	double nan = __builtin_nan ("");
	return ppgcc_figures{nan, nan, nan, nan, nan, nan, false};
}
ppgcc_figures ppgcc_estimate_take (std::string &)
{
	return ppgcc_figures_unknown ();
}
void ppgcc_estimate_register (const char *) {}
