/* SPDX-License-Identifier: MIT */
/*
 * chameneos.c: creatures of three colours meet in pairs and change their colour after that of the
 * other one, which a pattern decides. They are tasks that run in turns, each until it has to wait.
 */
#include "feature.h"

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CREATURES = 10, NOBODY = -1, CASES = 4 };

/* Of two that meet: the same colour stays, else both get the one that neither has. */
static const struct {
	const char *pair, *becomes;
} cases[CASES] = {
	{"^(blue|red|yellow) \\1$", NULL},
	{"^(blue red|red blue)$", "yellow"},
	{"^(blue yellow|yellow blue)$", "red"},
	{"^(red yellow|yellow red)$", "blue"},
};
static regex_t pattern[CASES];

struct creature {
	const char *colour;
	long meetings;
};

static struct creature creature[CREATURES];
static int waits = NOBODY; /* who is at the place */

static const char *complement (const char *mine, const char *yours)
{
	char pair[16];

	snprintf (pair, sizeof pair, "%s %s", mine, yours);
	for (int i = CASES - 1; i >= 0; i--)
		if (regexec (&pattern[i], pair, 0, NULL, 0) == 0)
			return cases[i].becomes ? cases[i].becomes : mine;
	return mine;
}

/* Creature I comes to the place. True: somebody was there. */
static bool meet (int i)
{
	struct creature *other;

	if (waits == NOBODY || waits == i) {
		waits = i;
		return false;
	}
	other = &creature[waits];
	creature[i].colour = other->colour = complement (creature[i].colour, other->colour);
	creature[i].meetings++;
	other->meetings++;
	waits = NOBODY;
	return true;
}

double feature_run (long n)
{
	static const char *const first[CREATURES] = {"blue", "red", "yellow", "red", "yellow",
						     "blue", "red", "yellow", "red", "blue"};
	uint32_t state = 42;
	double all = 0;

	for (int i = 0; i < CASES; i++)
		if (regcomp (&pattern[i], cases[i].pair, REG_EXTENDED | REG_NOSUB) != 0)
			return -1;
	for (int i = 0; i < CREATURES; i++)
		creature[i].colour = first[i];
	for (long met = 0; met < n;) {
		state = state * 1664525u + 1013904223u;
		met += meet ((int) ((state >> 16) % CREATURES));
	}
	for (int i = 0; i < CREATURES; i++)
		all += (double) creature[i].meetings * (i + 1) + creature[i].colour[0];
	for (int i = 0; i < CASES; i++)
		regfree (&pattern[i]);
	return all;
}
