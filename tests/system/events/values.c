/* SPDX-License-Identifier: MIT */
/* values.c: values.h in C. */
#include "values.h"

int main (void)
{
	return run ();
}
