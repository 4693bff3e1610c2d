/* SPDX-License-Identifier: MIT */
/*
 * make_recording.c: writes the sample region of the unit tests to a file, for tests of ppctl; with
 * "strange" one site has a name that is no text.
 */
#include "tests/unit/sample_region.h"

#include <stdio.h>
#include <string.h>

int main (int argc, char **argv)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	size_t bytes = sample_region_make (region);
	char *name = memmem (region, bytes, "trace_pixel/i1", 14);

	if (argc == 3 && strcmp (argv[2], "strange") == 0 && name)
		name[5] = '\xff';
	if (argc < 2 || argc > 3 || sample_region_record (region, argv[1]) != 0) {
		fprintf (stderr, "usage: make_recording FILE [strange]\n");
		return 1;
	}
	return 0;
}
