/* SPDX-License-Identifier: MIT */
/*
 * jumps.c: an interval that is left by a jump, and what goes on afterwards, further down the stack.
 * "jumps" jumps by longjmp, "handled" out of a handler by siglongjmp.
 */
#include <pp.h>

#include <setjmp.h>
#include <signal.h>
#include <string.h>

static jmp_buf back;
static sigjmp_buf far_back;
static volatile unsigned sink;

__attribute__ ((noipa)) static void spin (int n)
{
	for (int i = 0; i < n; i++)
		sink++;
}

static void handle (int number)
{
	(void) number;
	siglongjmp (far_back, 1);
}

__attribute__ ((noipa)) static void leaves (int is_handled)
{
#pragma pp interval left
	if (is_handled)
		raise (SIGUSR1);
	longjmp (back, 1);
}

__attribute__ ((noipa)) static void goes_on (void)
{
#pragma pp interval after
	volatile char room[4096];

	room[0] = 1;
	spin (room[0] * 100000000);
}

int main (int argc, char **argv)
{
	int is_handled = argc > 1 && strcmp (argv[1], "handled") == 0;
#pragma pp interval whole

	signal (SIGUSR1, handle);
	if (is_handled ? sigsetjmp (far_back, 1) == 0 : setjmp (back) == 0)
		leaves (is_handled);
	goes_on ();
	return 0;
}
