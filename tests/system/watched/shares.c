/* SPDX-License-Identifier: MIT */
/* shares.c: shares.h with an interval in each function, and one that is open all the time. */
#include <pp.h>

#define SHARE_STEPS 1000
#define SHARE(name) PP_INTERVAL (name)
#define SHARES PP_INTERVAL (whole)
#include "../shares.h"
