/* SPDX-License-Identifier: MIT */
/* Rules of marks are enough, whatever they choose; what a rule excludes is left alone. */
/* flags: -Wall -Wextra */
#include <setjmp.h>

static jmp_buf back;

static int twice (void)
{
	int n = setjmp (back);

	if (n < 2)
		longjmp (back, n + 1);
	return n;
}

static int excluded (void)
{
	if (setjmp (back) == 0)
		longjmp (back, 1);
	return 2;
}

/* expect: P twice/setjmp P twice/setjmp P twice/setjmp */
int main (void)
{
	return twice () != excluded ();
}
