/* SPDX-License-Identifier: MIT */
/* Points of every function are not: nothing can be jumped over. */
/* flags: -Wall -Wextra */
/* plugin: calls */
#include <setjmp.h>

static jmp_buf back;

/* expect: P main/calls */
int main (void)
{
	if (setjmp (back) == 0)
		longjmp (back, 1);
	return 0;
}
