/* SPDX-License-Identifier: MIT */
/*
 * main.c: attributes PROGRAM...: runs them, one after the other, and prints what they do and how
 * often they evaluated and rewrote what.
 */
#include "attribute.h"
#include "counts.h"
#include "programs.h"
#include "strategy.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *what;
	void (*run) (void);
} programs[] = {
#define X(name, what) {#name, what, program_##name},
	PROGRAMS (X)
#undef X
};

enum { COUNT = sizeof programs / sizeof *programs };

static int run (const char *name)
{
	for (size_t i = 0; i < COUNT; i++)
		if (strcmp (programs[i].name, name) == 0) {
			programs[i].run ();
			print_counts ();
			attributes_forget ();
			strategies_free ();
			terms_free ();
			return 0;
		}
	fprintf (stderr, "attributes: there is no program '%s'\n", name);
	return 2;
}

int main (int argc, char **argv)
{
	if (argc < 2) {
		fputs ("usage: attributes PROGRAM...\n\n", stderr);
		for (size_t i = 0; i < COUNT; i++)
			fprintf (stderr, "  %-20s %s\n", programs[i].name, programs[i].what);
		return 2;
	}
	for (int i = 1; i < argc; i++)
		if (run (argv[i]) != 0)
			return 2;
	return 0;
}
