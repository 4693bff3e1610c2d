/* SPDX-License-Identifier: MIT */
/* expected.c: what the program itself expects of a group, and captures of groups, by pp_expect. */
#include <pp.h>
#include <stdio.h>
#include <unistd.h>

static __attribute__ ((noinline)) void serve (const char *command)
{
#pragma pp interval serve dim(command = command)
	usleep (command[0] == 'b' ? 2000 : 0);
}

static void say (const char *name, int outcome)
{
	printf ("%s %s\n", name,
		outcome == 1   ? "holds"
		: outcome == 0 ? "is violated"
		: outcome == 2 ? "is unknown"
			       : "is refused");
}

int main (void)
{
	for (int i = 0; i < 20; i++)
		serve (i % 2 ? "a" : "b");
	say ("of", pp_expect ("of", "latency{command=\"a\"}.n == 10"));
	say ("other", pp_expect ("other", "latency{command=\"c\"}.n == 10"));
	say ("captured",
	     pp_expect_with ("captured", "latency.n < 5",
			     "capture: ['latency{command=\"a\"}.n', "
			     "'all(latency{command=\"b\"}).max', latency], severity: error"));
	say ("each",
	     pp_expect_with ("each", "latency.n < 5", "capture: ['any(latency by command).n']"));
	say ("mistyped",
	     pp_expect_with ("mistyped", "latency.n < 5", "capture: ['latency{comand=\"a\"}.n']"));
	return 0;
}
