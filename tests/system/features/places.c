/* SPDX-License-Identifier: MIT */
/* places.c: marks by calls, without the plugin. */
#include <pp.h>

static volatile unsigned long sink;

static void work (void)
{
	for (int i = 0; i < 1000; i++)
		sink += (unsigned long) i;
}

int main (void)
{
	for (int i = 0; i < 30; i++) {
		pp_feature_begin ("lib.placed", NULL); /* 1 of 3 */
		work ();
		pp_feature_end ("lib.placed");
		for (int k = 0; k < 2; k++) {
			pp_feature_begin ("lib.placed", NULL); /* 2 of 3 */
			work ();
			pp_feature_end ("lib.placed");
		}
		pp_feature_begin ("lib.placed", i % 2 ? "named" : NULL);
		pp_feature_end ("lib.placed");
	}
	return 0;
}
