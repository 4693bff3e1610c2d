/* SPDX-License-Identifier: MIT */
/* The function that unwinding out of a stub must reach: it calls the "main" of the program under test. */
extern void *recorder_unwind_goal;
int test_main (void) __asm__(TEST_MAIN);

int main (void)
{
	recorder_unwind_goal = (void *) main;
	int r = test_main ();
	recorder_unwind_goal = 0;
	return r;
}
