/* SPDX-License-Identifier: MIT */
/* Where nothing is open for a while there is none: only what the source asks for. */
/* flags: -Wall -Wextra */
#include <pp.h>
#include <setjmp.h>

static jmp_buf back;

/* expect: P main/all */
int main (void)
{
	volatile int times = 0;

	PP_POINT (all)
	if (setjmp (back) == 0)
		longjmp (back, 1);
	times++;
	return times != 1;
}
