/* SPDX-License-Identifier: MIT */
/* So are intervals of every function. */
/* flags: -Wall -Wextra */
/* plugin: calls=interval */
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf back;

__attribute__ ((noipa)) static void jump (void)
{
	longjmp (back, 1);
}

/* expect: B main/body P main/setjmp B jump/body P main/setjmp */
int main (void)
{
	if (setjmp (back) == 0)
		jump ();
	exit (0);
}
