/* SPDX-License-Identifier: MIT */
/* load_object.c: what load_sites.c loads many times: the sites of bench/sites.S. */
#include <pp.h>

PP_REGISTER_ (load)
