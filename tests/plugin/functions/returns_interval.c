/* SPDX-License-Identifier: MIT */
/* An interval is enough, wherever it is in the file. */
/* flags: -Wall -Wextra */
#include <pp.h>
#include <setjmp.h>

static jmp_buf back;

static void jump (void);

/* expect: P main/setjmp B jump/jump P main/setjmp */
int main (void)
{
	if (setjmp (back) == 0)
		jump ();
	return 0;
}

__attribute__ ((noipa)) static void jump (void)
{
	PP_INTERVAL (jump)
	longjmp (back, 1);
}
