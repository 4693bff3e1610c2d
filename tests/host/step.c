/* SPDX-License-Identifier: MIT */
/*
 * step.c: preloaded, it sets the wall clock of one program ten seconds on, or as many as
 * PP_TEST_STEP says.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static time_t step (void)
{
	const char *text = getenv ("PP_TEST_STEP");

	return text ? (time_t) atol (text) : 10;
}

int clock_gettime (clockid_t clock, struct timespec *t)
{
	static int (*real) (clockid_t, struct timespec *);
	int e;

	if (!real)
		real = (int (*) (clockid_t, struct timespec *)) dlsym (RTLD_NEXT, "clock_gettime");
	e = real (clock, t);
	if (clock == CLOCK_REALTIME)
		t->tv_sec += step ();
	return e;
}

time_t time (time_t *out)
{
	struct timespec t;

	clock_gettime (CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}
