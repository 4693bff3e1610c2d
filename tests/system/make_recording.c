/* SPDX-License-Identifier: MIT */
/* make_recording.c: writes the sample region of the unit tests to a file, for tests of ppctl report. */
#include "tests/unit/sample_region.h"

#include <stdio.h>

int main (int argc, char **argv)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];

	if (argc != 2 || sample_region_write (region, sample_region_make (region), argv[1]) != 0) {
		fprintf (stderr, "usage: make_recording FILE\n");
		return 1;
	}
	return 0;
}
