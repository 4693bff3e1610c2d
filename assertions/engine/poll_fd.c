/* SPDX-License-Identifier: MIT */
/*
 * poll_fd.c: the descriptor of pp_poll_fd: an epoll set of two timers, so that a program waits on
 * one number.
 *
 *   event   callbacks are queued: a time that has passed
 *   timer   where the library has no thread: something is due that pp_poll has to do before
 *           callbacks can be queued
 *
 * A program may close them all and give their numbers to files of its own, and all descriptors of
 * these kinds have one inode. So each timer has an interval that nobody else's has, which comes to
 * pass in 68 years at the earliest; a set is ours if our timer is in it. Whatever is not ours any
 * more is left alone.
 */
#include "assertions/engine/poll_fd.h"

#include "assertions/engine/assertions.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

struct timer {
	int fd;
	struct timespec mark; /* its interval */
};

static int set_fd = -1;
static struct timer event = {.fd = -1}, timer = {.fd = -1};
static bool polled_only;

static bool is_ours (const struct timer *t)
{
	struct itimerspec now;
	int saved = errno;
	bool is = t->fd >= 0 && timerfd_gettime (t->fd, &now) == 0 &&
		  now.it_interval.tv_sec == t->mark.tv_sec &&
		  now.it_interval.tv_nsec == t->mark.tv_nsec;

	errno = saved;
	return is;
}

/* At NS; 0: never. */
static void set (const struct timer *t, uint64_t ns)
{
	const struct itimerspec when = {t->mark,
					{(time_t) (ns / 1000000000u), (long) (ns % 1000000000u)}};

	if (is_ours (t))
		timerfd_settime (t->fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static void open_timer (struct timer *t)
{
	static uint32_t number;
	struct itimerspec never = {{0, 0}, {0, 0}};

	t->mark.tv_sec = (INT64_C (1) << 31) + (time_t) (ppi_now_ns () % (UINT64_C (1) << 30));
	t->mark.tv_nsec = (long) (++number % 1000000000u);
	never.it_interval = t->mark;
	t->fd = timerfd_create (CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (t->fd >= 0)
		timerfd_settime (t->fd, TFD_TIMER_ABSTIME, &never, NULL);
}

static void close_timer (struct timer *t)
{
	if (is_ours (t))
		close (t->fd);
	t->fd = -1;
}

void ppi_assertions_polled_set (bool only)
{
	__atomic_store_n (&polled_only, only, __ATOMIC_RELAXED);
	/* something new is to be done: now, as far as anybody knows */
	ppi_poll_fd_arm (1);
}

static bool join (int to, int operation, const struct timer *t)
{
	struct epoll_event wanted = {.events = EPOLLIN};

	return t->fd >= 0 && epoll_ctl (to, operation, t->fd, &wanted) == 0;
}

/*
 * Nobody else's set has our timer: changing it to what it is changes nothing there, and fails
 * elsewhere.
 */
static bool set_is_ours (void)
{
	return set_fd >= 0 && is_ours (&event) && join (set_fd, EPOLL_CTL_MOD, &event);
}

/* A set with fresh members; -1: there can't be any. */
static int make (void)
{
	int fresh = epoll_create1 (EPOLL_CLOEXEC);

	open_timer (&event);
	open_timer (&timer);
	if (fresh >= 0 && join (fresh, EPOLL_CTL_ADD, &event) &&
	    join (fresh, EPOLL_CTL_ADD, &timer))
		return fresh;
	if (fresh >= 0)
		close (fresh);
	close_timer (&event);
	close_timer (&timer);
	return -1;
}

int ppi_poll_fd_open (void)
{
	if (!set_is_ours ()) {
		close_timer (&event);
		close_timer (&timer);
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
	set (&event, 1);
}

void ppi_poll_fd_drain (void)
{
	set (&event, 0);
}

void ppi_poll_fd_arm (uint64_t ns)
{
	if (__atomic_load_n (&polled_only, __ATOMIC_RELAXED))
		set (&timer, ns == UINT64_MAX ? 0 : ns);
}

void ppi_poll_fd_after_fork (void)
{
	bool was_ours = set_is_ours ();
	int former = set_fd, fresh;

	if (former < 0)
		return;
	close_timer (&event);
	close_timer (&timer);
	fresh = make ();
	if (fresh < 0 || !was_ours) {
		set_fd = was_ours ? former : fresh;
		return;
	}
	/* a number of its own, where the parent's can't be had */
	set_fd = dup3 (fresh, former, O_CLOEXEC) < 0 ? fresh : former;
	if (set_fd == former)
		close (fresh);
	ppi_poll_fd_arm (1);
}
