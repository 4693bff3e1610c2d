/* SPDX-License-Identifier: MIT */
/*
 * polled.c: PP_THREADS=0: the library has no thread, and the descriptor of pp_poll_fd says when
 * pp_poll has something to do.
 */
#include "check.h"

#include <dirent.h>
#include <sys/epoll.h>
#include <sys/single_threaded.h>

static int fired;

static void heard (const struct pp_violation *violation, void *arg)
{
	(void) arg;
	fired += !violation->clears;
}

NOIPA static void serve (int value)
{
#pragma pp point amount value(value)
}

/* Waits in the event loop LOOP and polls until a callback ran; at most ten seconds. */
static int loop_once (int loop)
{
	for (int rounds = 0; rounds < 1000; rounds++) {
		struct epoll_event event;

		if (epoll_wait (loop, &event, 1, 10000) != 1)
			return 0;
		if (pp_poll () > 0)
			return 1;
	}
	return 0;
}

static int threads (void)
{
	DIR *d = opendir ("/proc/self/task");
	int n = 0;

	while (d && readdir (d))
		n++;
	if (d)
		closedir (d);
	return n - 2;
}

int main (void)
{
	struct epoll_event wanted = {.events = EPOLLIN};
	int fd, loop, before = threads ();

	setenv ("PP_THREADS", "0", 1);
	ok (load_policy ("version: 1\nmetrics:\n  amounts: {point: value, keep: stats}\nbind:\n"
			 "  - {metric: amounts, sites: [\"serve/amount\"]}\nassertions:\n"
			 "  at_site: {at: serve/amount, expect: amounts.last <= 10}\n"
			 "  timed: {every: 20ms, expect: amounts.n <= 2}\n") == 0,
	    "a policy is loaded");
	pp_on_assertion ("at_site", heard, NULL);
	fd = pp_poll_fd ();
	ok (fd >= 0, "there is a descriptor to wait on");
	loop = epoll_create1 (EPOLL_CLOEXEC);
	ok (epoll_ctl (loop, EPOLL_CTL_ADD, fd, &wanted) == 0, "an epoll loop may");
	serve (5);
	serve (50);
	ok (UNDER_TSAN || __libc_single_threaded, "for libc, too, there is one thread");
	ok (loop_once (loop) && fired == 1,
	    "it is readable when an assertion at a site has fired, and pp_poll calls back");
	fired = 0;
	pp_on_assertion ("timed", heard, NULL);
	serve (5);
	ok (loop_once (loop), "it is readable when a timed assertion is due");
	while (!fired && loop_once (loop))
		;
	ok (fired == 1, "which has called back then");
	same (threads (), before, "all that without a thread of the library's");
	return checked ();
}
