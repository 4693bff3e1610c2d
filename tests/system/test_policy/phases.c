/* SPDX-License-Identifier: MIT */
/*
 * phases.c: samples 1, then 100, then 1 again, each until the file that it is given, which the
 * library records to, has grown a few times.
 */
#include <pp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define COPIES 6 /* looks at which the file had grown: one copy may be seen at two of them */

static double value;

static double get_value (void)
{
	return value;
}

#pragma pp metric level point stats(get_value)
#pragma pp metric spread point histogram(get_value)
#pragma pp metric unused point stats(get_value)

static void sample (double x)
{
	value = x;
#pragma pp point tick(level, spread)
}

static off_t size_of (const char *path)
{
	struct stat st;

	return stat (path, &st) == 0 ? st.st_size : 0;
}

static void phase (const char *path, double x)
{
	const struct timespec pause = {0, 2000000};
	off_t size = size_of (path);

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
