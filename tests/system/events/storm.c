/* SPDX-License-Identifier: MIT */
/*
 * storm.c: storm N [kill|fork]: N intervals of two dimensions, as fast as they go; then it is
 * killed, or its child does the same.
 */
#include <pp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sink;

static __attribute__ ((noinline)) void tiny (long i)
{
	static const char *const commands[] = {"get", "set", "del", "scan"};
	long size = i * 7919 % 1000;
	const char *command = commands[i % 4];

#pragma pp interval tiny dim(size = size, command = command)
	sink++;
}

int main (int argc, char **argv)
{
	long n = argc > 1 ? atol (argv[1]) : 1000;

	for (long i = 0; i < n; i++)
		tiny (i);
	if (argc > 2 && strcmp (argv[2], "fork") == 0) {
		if (fork () == 0)
			for (long i = 0; i < n; i++)
				tiny (i);
		else
			wait (NULL);
	} else if (argc > 2) {
		raise (SIGKILL);
	}
	return 0;
}
