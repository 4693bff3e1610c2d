/* SPDX-License-Identifier: MIT */
/* calls.c: calls.h in C. */
#include "calls.h"

int main (void)
{
	return run ();
}
