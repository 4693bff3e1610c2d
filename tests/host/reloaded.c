/* SPDX-License-Identifier: MIT */
/*
 * reloaded.c: a policy that changes, loaded again ten thousand times, takes no more of the live
 * region than it did after some hundred, but for the history: what ended gives way to what comes,
 * but for the newest 64 assertions that ended, which reports show. It does what the library's thread
 * does itself, for that may wait for a processor as long as it likes.
 */
#include "recording/layout.h"
#include "tests/system/check.h"

#include <dirent.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

enum { SETTLED = 500, RELOADS = 10000, UNDER_SANITIZERS = 2002 };

/*
 * That is the history, which keeps a line of each time, 4,096 at most; and some for threads that
 * came meanwhile.
 */
enum { MORE = 4096 * 192 + 65536 };

/* clang-format off */
#pragma pp metric m interval stats(elapsed)
#pragma pp metric v point stats(value)
/* clang-format on */

NOIPA static void executed (int times)
{
	for (int i = 0; i < times; i++) {
#pragma pp interval f
		{
#pragma pp point p value(i)
			__asm__ volatile("" ::: "memory");
		}
	}
}

/*
 * Changed each time: texts of several lengths, what is captured, swept, adapted, done; how often it
 * is sampled.
 */
static int load (int n)
{
	char text[2000];

	snprintf (text, sizeof text,
		  "version: 1\n"
		  "bind:\n"
		  "  - {metric: m, sites: executed/f, every: %d}\n"
		  "  - {metric: v, sites: executed/p}\n"
		  "assertions:\n"
		  "  a: {at: executed/f, expect: 'm.last <= %d.%dms', on_fire: [{log: debug}]}\n"
		  "  long_name_%d: {every: 1s, expect: '%s m.avg < %d s'}\n"
		  "  swept: {at: executed/f, expect: 'm.last <= %d * m.avg', capture: [%s], sweep: "
		  "[%s], on_fire: []}\n"
		  "  same: {every: 1s, expect: 'm.max < 1 h'}\n",
		  1 + n % 3, 7 + n % 5, n, n % 7, n % 2 ? "v.avg < 7 or v.max < 9 or" : "",
		  1 + n % 1000, 1000 + n, n % 3 ? "v" : "v, m", n % 2 ? "0.5, 1, 2" : "2");
	return pp_policy_load_text ("p", text);
}

/* What the region's header says is given out; 0: there is no file. */
static uint64_t used (void)
{
	DIR *dir = opendir ("/proc/self/fd");
	struct dirent *entry;
	uint64_t bytes = 0;

	while (dir && (entry = readdir (dir))) {
		struct ppi_region_header header;
		int fd = atoi (entry->d_name);

		if (pread (fd, &header, sizeof header, 0) == (ssize_t) sizeof header &&
		    memcmp (header.magic, PPI_RECORDING_MAGIC, sizeof header.magic) == 0)
			bytes = header.used;
	}
	if (dir)
		closedir (dir);
	return bytes;
}

static void *work (void *arg)
{
	executed (20);
	return arg;
}

int main (int argc, char **argv)
{
	int last = UNDER_ASAN || UNDER_TSAN ? UNDER_SANITIZERS : RELOADS, failed = 0;
	struct pp_assertion_info info;
	uint64_t settled = 0, most = 0;
	pthread_t thread;

	(void) argc;
	if (!getenv ("PP_THREADS") && setenv ("PP_THREADS", "0", 1) == 0)
		execv ("/proc/self/exe", argv);
	for (int i = 0; i < last; i++) {
		failed += load (i) < 0;
		executed (5);
		pp_poll ();
		if (i % 100 == 0 && pthread_create (&thread, NULL, work, NULL) == 0)
			pthread_join (thread, NULL);
		if (i == SETTLED)
			settled = used ();
		most = used () > most ? used () : most;
	}
	same (failed, 0, "a policy that changes is loaded again and again");
	ok (settled > 0, "what the live region has given out is known");
	ok (most <= settled + MORE,
	    "after %d times it is not more than after %d, but for the history (%llu, %llu bytes)",
	    last, SETTLED, (unsigned long long) most, (unsigned long long) settled);
	/* the last one samples each execution */
	ok (pp_assertion_state ("same", &info) == PP_OK &&
		    pp_assertion_state ("swept", &info) == PP_OK && info.checks == 5 &&
		    pp_assertion_state ("a", &info) == PP_OK && info.checks > 0,
	    "those that are there count as ever");
	ok (pp_count (pp_metric_find ("v")) >= 5.0 * last, "metrics keep what they have");
	return checked ();
}
