/* SPDX-License-Identifier: MIT */
/* Without marks there is none: only what the source asks for. */
/* flags: -Wall -Wextra */
#include <pp.h>
#include <setjmp.h>

static jmp_buf back;

/* expect: B main/all E main/all */
int main (void)
{
	PP_INTERVAL (all)
	volatile int times = 0;

	if (setjmp (back) == 0)
		longjmp (back, 1);
	times++;
	return times != 1;
}
