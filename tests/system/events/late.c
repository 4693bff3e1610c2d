/* SPDX-License-Identifier: MIT */
/* late.c: late.h in C. */
#include "late.h"

int main (int argc, char **argv)
{
	(void) argv;
	return run (argc);
}
