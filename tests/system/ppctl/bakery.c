/* SPDX-License-Identifier: MIT */
/*
 * bakery.c WORTH: measures values about WORTH. Without assertions it goes on for 2,000 rounds; with
 * some until each was checked 30 times, and says what came of them.
 */
#include <pp.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double heat (void);

#pragma pp metric oven point stats(heat)

static int busy, assertions; /* those that were not checked often enough; all */

static int look (const char *name, const struct pp_assertion_info *info, void *arg)
{
	(void) name;
	(void) arg;
	assertions++;
	busy += info->checks < 30;
	return 0;
}

static int tell (const char *name, const struct pp_assertion_info *info, void *arg)
{
	(void) arg;
	printf ("%s %s\n", name, info->fired ? "fired" : info->violations ? "violated" : "held");
	return 0;
}

double heat (void)
{
	return 180.5;
}

static void bake (int worth)
{
#pragma pp point cake value(worth)
#pragma pp point bread value(-worth)
#pragma pp point rest value(0)
#pragma pp point oven(oven)
}

int main (int argc, char **argv)
{
	int worth = argc > 1 ? atoi (argv[1]) : 100;

	pp_assertion_each (look, NULL);
	for (int i = 0; assertions > 0 ? busy > 0 : i < 2000; i++) {
		bake (worth + i % 11);
		nanosleep (&(struct timespec){.tv_nsec = 100000}, NULL);
		if (i % 100 == 99) {
			busy = 0;
			pp_assertion_each (look, NULL);
		}
	}
	pp_assertion_each (tell, NULL);
	return 0;
}
