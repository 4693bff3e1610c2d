/* SPDX-License-Identifier: MIT */
/* input.c: see input.h. */
#include "tests/fuzz/input.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

struct fuzz_input fuzz_input[FUZZ_INPUTS];
size_t fuzz_inputs;

static void take_file (const char *path)
{
	FILE *f = fopen (path, "r");
	uint8_t *data = malloc (FUZZ_MOST), *fit;
	size_t n;

	if (!f || !data || fuzz_inputs == FUZZ_INPUTS) {
		fprintf (stderr, "can't read %s\n", path);
		exit (2);
	}
	n = fread (data, 1, FUZZ_MOST, f);
	fclose (f);
	fit = realloc (data, n ? n : 1);
	fuzz_input[fuzz_inputs].data = fit ? fit : data;
	fuzz_input[fuzz_inputs++].bytes = n;
}

void fuzz_take (const char *path)
{
	DIR *directory = opendir (path);
	const struct dirent *e;
	char inside[4096];

	if (!directory) {
		take_file (path);
		return;
	}
	while ((e = readdir (directory)))
		if (e->d_name[0] != '.') {
			snprintf (inside, sizeof inside, "%s/%s", path, e->d_name);
			take_file (inside);
		}
	closedir (directory);
}

void fuzz_let_go (void)
{
	while (fuzz_inputs)
		free (fuzz_input[--fuzz_inputs].data);
}
