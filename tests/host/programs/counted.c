/* SPDX-License-Identifier: MIT */
/*
 * counted.c: a host for situations.sh. It makes ROUNDS rounds, says their known result on standard
 * output, and what was measured on descriptor 3 if that is open. Its second argument says how it
 * ends: return, exit, quick_exit, _exit, abort; or "room", which takes 280 MB first. A third is a
 * plug-in to open, whose function "plugged" makes rounds of its own; "apart:FILE" opens it in a
 * name space of its own.
 */
#include <pp.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma pp metric rounds interval stats(elapsed)

__attribute__ ((noipa)) static long work (long i)
{
#pragma pp interval work(rounds)
	return i * 3 + 1;
}

static long plugged (const char *file, long n)
{
	void *plugin;
	long (*run) (long);

	if (strncmp (file, "apart:", 6) == 0)
		plugin = dlmopen (LM_ID_NEWLM, file + 6, RTLD_NOW | RTLD_LOCAL);
	else
		plugin = dlopen (file, RTLD_NOW | RTLD_LOCAL);
	run = plugin ? (long (*) (long)) dlsym (plugin, "plugged") : NULL;
	if (!run) {
		printf ("%s\n", dlerror ());
		return -1;
	}
	return run (n);
}

int main (int argc, char **argv)
{
	long n = atol (argv[1]), sum = 0;
	char line[64];

	for (long i = 0; i < n; i++)
		sum += work (i);
	printf ("%ld\n", sum);
	if (argc > 3)
		printf ("plugged %ld\n", plugged (argv[3], n));
	fflush (stdout);
	n = snprintf (line, sizeof (line), "%.0f\n", pp_count (rounds));
	if (write (3, line, (size_t) n) < 0)
		return 2;
	if (strcmp (argv[2], "room") == 0 && !malloc (280000000))
		return 3;
	if (strcmp (argv[2], "exit") == 0)
		exit (0);
	if (strcmp (argv[2], "quick_exit") == 0)
		quick_exit (0);
	if (strcmp (argv[2], "_exit") == 0)
		_exit (0);
	if (strcmp (argv[2], "abort") == 0)
		abort ();
	return 0;
}
