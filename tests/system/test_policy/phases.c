/* SPDX-License-Identifier: MIT */
/*
 * phases.c: samples 1, then 100, then 1 again. Each lasts until an assertion was checked a few
 * times and then the file that the program is given, which the library records to, has grown a few times:
 * so there are checks and values of each however slow the machine is.
 */
#include <pp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define COPIES 8 /* looks at which the file had grown: one copy may be seen at two of them */
#define CHECKS 3

static double value;

static double get_value (void)
{
	return value;
}

#pragma pp metric level point stats(get_value)
#pragma pp metric spread point histogram(get_value)
#pragma pp metric late point stats(get_value)
#pragma pp metric unused point stats(get_value)

static void sample (double x)
{
	value = x;
#pragma pp point tick(level, spread)
	if (x > 50) {
#pragma pp point peak(late)
	}
}

static uint64_t checks (void)
{
	struct pp_assertion_info info;

	return pp_assertion_state ("newest", &info) == PP_OK ? info.checks : 0;
}

static off_t size_of (const char *path)
{
	struct stat st;

	return stat (path, &st) == 0 ? st.st_size : 0;
}

static void phase (const char *path, double x)
{
	const struct timespec pause = {0, 2000000};
	uint64_t before = checks ();
	off_t size;

	while (checks () < before + CHECKS) {
		sample (x);
		nanosleep (&pause, NULL);
	}
	size = size_of (path);
	for (int grown = 0; grown < COPIES;) {
		sample (x);
		nanosleep (&pause, NULL);
		if (size_of (path) != size) {
			size = size_of (path);
			grown++;
		}
	}
}

int main (int argc, char **argv)
{
	if (argc != 2)
		return 1;
	phase (argv[1], 1);
	phase (argv[1], 100);
	phase (argv[1], 1);
	/* never reached: a metric that is bound and has no sample */
	if (value > 1000) {
#pragma pp point nothing(unused)
	}
	return 0;
}
