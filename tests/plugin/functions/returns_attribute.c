/* SPDX-License-Identifier: MIT */
/* So is one that an attribute makes, of a function behind it. */
/* flags: -Wall -Wextra */
#include <setjmp.h>

static jmp_buf back;

static void jump (void);

/* expect: P main/setjmp B jump/whole P main/setjmp */
int main (void)
{
	if (setjmp (back) == 0)
		jump ();
	return 0;
}

__attribute__ ((noipa, pp_interval ("whole"))) static void jump (void)
{
	longjmp (back, 1);
}
