/* SPDX-License-Identifier: MIT */
/*
 * Rules that choose every call, in a file with calls of pp_begin and its kin, which are markers themselves; and what macros of
 * pp.h define is none of the user's functions.
 */
/* flags: -Wall -Wextra */
/* plugin: calls */
#include <pp.h>

PP_KNOB_INT (knob, 4, 1, 8, 1)

PP_IGNORE static void callback (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
}
PP_CALLABLE (callback)

PP_IGNORE __attribute__ ((noipa)) static int leaf (int x)
{
	return x;
}

/* expect: P work/calls */
__attribute__ ((noipa)) static int work (int x)
{
	pp_begin ("literal"); /* expect: B work/literal */
	pp_point ("passed");  /* expect: P work/passed */
	x = leaf (x);         /* expect: B work/leaf E work/leaf */
	pp_end ("literal");   /* expect: E work/literal */
	return x;
}

PP_IGNORE int main (void)
{
	return work (0);
}
