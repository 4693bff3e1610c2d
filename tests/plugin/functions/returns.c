/* SPDX-License-Identifier: MIT */
/*
 * In a file with marks there is a point behind each call that may return twice, for each of its
 * returns, but behind vfork, and in functions that are to be left alone.
 */
/* flags: -Wall -Wextra */
#define _GNU_SOURCE
#include <pp.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf back;
static sigjmp_buf far_back;

__attribute__ ((noipa)) static void jump (int n)
{
	PP_FEATURE (a.jump)
	longjmp (back, n);
}

__attribute__ ((noipa)) static void jump_far (void)
{
	PP_FEATURE (a.far)
	siglongjmp (far_back, 1);
}

/* expect: P main/setjmp B jump/a.jump P main/setjmp */
/* expect: P main/sigsetjmp B jump_far/a.far P main/sigsetjmp */
__attribute__ ((pp_ignore, noipa)) static int left_alone (void)
{
	int n = setjmp (back);

	if (n < 2)
		longjmp (back, n + 1);
	return n;
}

int main (void)
{
	volatile int times = 0;
	pid_t child;

	switch (setjmp (back)) {
	case 0:
		jump (3);
		return 1;
	case 3:
		times++;
	}
	if (sigsetjmp (far_back, 0) == 0)
		jump_far ();
	child = vfork ();
	if (child == 0)
		_exit (0);
	waitpid (child, NULL, 0);
	return !(times == 1 && left_alone () == 2);
}
