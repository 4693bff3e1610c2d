/* SPDX-License-Identifier: MIT */
/*
 * growth.c: how often assertions on growth are right, and how often they cry wolf; by a program of
 * its own, growth_trials.c.
 */
#include "bench.h"

#include <stdlib.h>

enum { TRIALS = 200 };

static const struct row right_row = {"growth.right", "of 100", NULL, -95};
static const struct row false_row = {"growth.false", "of 100", NULL, 2};

int bench_growth (const char *program)
{
	char command[1024];
	double worst_right = 101, worst_wolf = -1, right, wolf;
	int classes = 0, ended;
	FILE *out;

	snprintf (command, sizeof command, "PP_THREADS=0 %s %d", program, TRIALS);
	out = popen (command, "r");
	if (out == NULL)
		return -1;
	while (fscanf (out, "%lf %lf %*[^\n]", &right, &wolf) == 2) {
		worst_right = right < worst_right ? right : worst_right;
		worst_wolf = wolf > worst_wolf ? wolf : worst_wolf;
		classes++;
	}
	ended = pclose (out);
	if (ended != 0 || classes == 0) {
		fprintf (stderr, "bench: %s failed: no rows growth\n", program);
		return -1;
	}
	result_add (&right_row, &worst_right, NULL, 1);
	result_add (&false_row, &worst_wolf, NULL, 1);
	return 0;
}
