/* SPDX-License-Identifier: MIT */
/*
 * growth_trials.c TRIALS: how often assertions on growth are right. A trial is a site that is
 * executed 300 times, with n spread evenly over the octaves up to 10^6 and a cost of its class with
 * 20 % of normal noise, and two assertions there: one that allows the class, one that allows the
 * next flatter class only. Prints a line for each class: in how many percent of the trials the
 * first held and the second didn't, and in how many the first cried wolf. To be run with
 * PP_THREADS=0.
 */
#include "random.h"

#include <pp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAIRS = 300, CLASSES = 6, TRIALS_MOST = 100000 };
#define NOISE 0.2
#define N_MOST 1e6
#define CONSTANT 1e-9 /* what an execution costs besides */
#define FACTOR 1e-9

static const char *const classes[CLASSES] = {"1", "log n", "n", "n log n", "n^2", "n^3"};

static double cost_of (int class, double n)
{
	const double f[CLASSES] = {1, log2 (n), n, n * log2 (n), n * n, n * n * n};

	return CONSTANT + FACTOR * f[class];
}

static void execute (int class)
{
	for (int i = 0; i < PAIRS; i++) {
		long n = (long) exp (uniform () * log (N_MOST));
		double cost = cost_of (class, (double) n) * fmax (0.01, 1 + NOISE * normal ());

#pragma pp point work value(cost) dim(n = n)
		(void) cost;
	}
}

/* A new assertion is one without a history. Its name is a new one. */
static int load (const char *path, int trial, int class)
{
	FILE *out = fopen (path, "w");

	if (out == NULL)
		return -1;
	fprintf (out,
		 "version: 1\nmetrics:\n  cost: {point: value, keep: scalar}\nbind: [{metric: "
		 "cost, sites: "
		 "execute/work}]\n"
		 "assertions:\n  allows_%d: {at: execute/work, growth: {of: cost, with: n, "
		 "at_most: %s, every: 1ms}}\n",
		 trial, classes[class]);
	if (class > 0)
		fprintf (out,
			 "  flatter_%d: {at: execute/work, growth: {of: cost, with: n, at_most: "
			 "%s, every: 1ms}}\n",
			 trial, classes[class - 1]);
	return fclose (out) != 0 || pp_policy_load (path) < 0 ? -1 : 0;
}

/* 1: it held, 0: it was violated, 2: unknown, -1: there is none. */
static int outcome (const char *which, int trial)
{
	struct pp_assertion_info info;
	char name[40];

	snprintf (name, sizeof name, "%s_%d", which, trial);
	for (int i = 0; i < 1000; i++) {
		usleep (1100);
		pp_poll ();
		if (pp_assertion_state (name, &info) != PP_OK)
			return -1;
		if (info.checks > 0)
			return info.violations == 0;
	}
	return 2;
}

int main (int argc, char **argv)
{
	char path[] = "/tmp/ppgcc-bench-XXXXXX";
	int trials = argc > 1 ? atoi (argv[1]) : 100, file = mkstemp (path), error = 0;

	if (file < 0 || trials < 1 || trials > TRIALS_MOST) {
		fprintf (stderr, "usage: growth_trials TRIALS\n");
		return 2;
	}
	close (file);
	seed = 20;
	for (int class = 0; class < CLASSES && !error; class ++) {
		int right = 0, wolf = 0;

		for (int i = 0; i < trials && !error; i++) {
			int trial = class * trials + i, allowed, flatter;

			error = load (path, trial, class);
			if (error)
				break;
			execute (class);
			allowed = outcome ("allows", trial);
			flatter = class > 0 ? outcome ("flatter", trial) : 0;
			error = allowed < 0 || flatter < 0;
			right += allowed == 1 && flatter == 0;
			wolf += allowed == 0;
		}
		printf ("%.2f %.2f %s\n", 100.0 * right / trials, 100.0 * wolf / trials,
			classes[class]);
	}
	unlink (path);
	if (error)
		fprintf (stderr, "growth_trials: a policy is not loaded\n");
	return error != 0;
}
