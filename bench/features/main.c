/* SPDX-License-Identifier: MIT */
/* main.c: PROGRAM N. What it prints is the same however it was built. */
#include "feature.h"

#include <stdio.h>
#include <stdlib.h>

int main (int argc, char **argv)
{
	printf ("%.6g\n", feature_run (argc > 1 ? atol (argv[1]) : 1000));
	return 0;
}
