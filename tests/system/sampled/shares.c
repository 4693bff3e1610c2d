/* SPDX-License-Identifier: MIT */
/* shares.c: shares.h without a marker: what is known is each function's share. */
#define SHARE_STEPS 100
#define SHARE(name)
#define SHARES
#include "../shares.h"
