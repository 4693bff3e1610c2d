/* SPDX-License-Identifier: MIT */
/*
 * poll_fd.c: the descriptor of pp_poll_fd: an epoll set of two, so that a program waits on one number.
 *
 *   event   callbacks are queued
 *   timer   where the library has no thread: something is due that pp_poll has to do before callbacks can be queued
 */
#include "poll_fd.h"

#include "assertions.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int set_fd = -1, event_fd = -1, timer_fd = -1;
static bool polled_only;

void ppi_assertions_polled_set (bool only)
{
	__atomic_store_n (&polled_only, only, __ATOMIC_RELAXED);
	/* something new is to be done: now, as far as anybody knows */
	ppi_poll_fd_arm (1);
}

static void close_one (int *fd)
{
	if (*fd >= 0)
		close (*fd);
	*fd = -1;
}

static bool join (int set, int fd)
{
	struct epoll_event wanted = {.events = EPOLLIN};

	return fd >= 0 && epoll_ctl (set, EPOLL_CTL_ADD, fd, &wanted) == 0;
}

/* A set with fresh members; -1: there can't be any. */
static int make (void)
{
	int set = epoll_create1 (EPOLL_CLOEXEC);

	event_fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
	timer_fd = timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (set >= 0 && join (set, event_fd) && join (set, timer_fd))
		return set;
	close_one (&set);
	close_one (&event_fd);
	close_one (&timer_fd);
	return -1;
}

int ppi_poll_fd_open (void)
{
	if (set_fd < 0) {
		set_fd = make ();
		/* the first pp_poll says when the next is due */
		ppi_poll_fd_arm (1);
	}
	return set_fd;
}

bool ppi_poll_fd_is_open (void)
{
	return set_fd >= 0;
}

void ppi_poll_fd_signal (void)
{
	const uint64_t one = 1;

	/* can only fail where it is readable already */
	if (event_fd >= 0 && write (event_fd, &one, sizeof one) < 0)
		return;
}

void ppi_poll_fd_drain (void)
{
	uint64_t count;

	/* can only fail where it is not readable */
	if (event_fd >= 0 && read (event_fd, &count, sizeof count) < 0)
		return;
}

void ppi_poll_fd_arm (uint64_t ns)
{
	struct itimerspec when = {.it_value = {(time_t) (ns / 1000000000u), (long) (ns % 1000000000u)}};

	if (timer_fd < 0 || !__atomic_load_n (&polled_only, __ATOMIC_RELAXED))
		return;
	if (ns == UINT64_MAX)
		when.it_value = (struct timespec){0, 0};
	timerfd_settime (timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

void ppi_poll_fd_after_fork (void)
{
	int former = set_fd, fresh;

	if (former < 0)
		return;
	close_one (&event_fd);
	close_one (&timer_fd);
	fresh = make ();
	if (fresh < 0)
		return;
	dup3 (fresh, former, O_CLOEXEC);
	close (fresh);
	ppi_poll_fd_arm (1);
}

void ppi_poll_fd_close (void)
{
	close_one (&set_fd);
	close_one (&event_fd);
	close_one (&timer_fd);
}
