/* SPDX-License-Identifier: MIT */
/* event.c: see event.h. */
#include "profiler/sampler/event.h"

#include "profiler/sampler/raw.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST_FD = 512, FDS = 4096 };

static struct event {
	int fd; /* 0: none; ours are never stdin */
	uint64_t id;
} events[PPI_SLOTS];
static unsigned n_events;

/* The slot of each descriptor, and 1 more; 0: none. Atomic, for handlers. */
static uint16_t slots[FDS];

static bool are_enough (void)
{
	struct rlimit limit;

	return getrlimit (RLIMIT_NOFILE, &limit) != 0 || n_events >= limit.rlim_cur / 4;
}

static int open_clock (uint32_t tid, uint64_t period_ns)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof attr,
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .sample_period = period_ns,
				       .wakeup_events = 1,
				       .disabled = 1,
				       .exclude_kernel = 1,
				       .exclude_hv = 1};

	return (int) syscall (SYS_perf_event_open, &attr, (pid_t) tid, -1, -1,
			      PERF_FLAG_FD_CLOEXEC);
}

/* The same descriptor with a number that programs hardly count on, or as it is. */
static int moved_up (int fd)
{
	int high = fd < 0 || fd >= FIRST_FD ? -1 : fcntl (fd, F_DUPFD_CLOEXEC, FIRST_FD);

	if (high < 0)
		return fd;
	close (fd);
	return high;
}

static bool send_signals (int fd, uint32_t tid, int signal)
{
	struct f_owner_ex owner = {F_OWNER_TID, (pid_t) tid};

	return fcntl (fd, F_SETSIG, signal) == 0 && fcntl (fd, F_SETOWN_EX, &owner) == 0 &&
	       fcntl (fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0;
}

bool ppi_event_open (unsigned slot, uint32_t tid, uint64_t period_ns, int signal, bool is_once)
{
	struct event *e = &events[slot];
	int fd;

	/* one of real time that finds no room would become SIGIO, which ends a program */
	if (signal >= SIGRTMIN || are_enough ())
		return false;
	fd = moved_up (open_clock (tid, period_ns));
	if (fd < 0)
		return false;
	if (fd == 0 || fd >= FDS || ioctl (fd, PERF_EVENT_IOC_ID, &e->id) < 0 ||
	    !send_signals (fd, tid, signal)) {
		close (fd);
		return false;
	}
	e->fd = fd;
	n_events++;
	__atomic_store_n (&slots[fd], (uint16_t) (slot + 1), __ATOMIC_RELEASE);
	if (is_once || ioctl (fd, PERF_EVENT_IOC_ENABLE, 0) == 0)
		return true;
	ppi_event_close (slot);
	return false;
}

__attribute__ ((no_sanitize ("address", "thread", "undefined"))) static bool is_ours (
	const struct event *e)
{
	uint64_t id;

	return e->fd && ioctl (e->fd, PERF_EVENT_IOC_ID, &id) == 0 && id == e->id;
}

bool ppi_event_change (unsigned slot, uint64_t period_ns)
{
	return is_ours (&events[slot]) &&
	       ioctl (events[slot].fd, PERF_EVENT_IOC_PERIOD, &period_ns) == 0;
}

bool ppi_event_once (unsigned slot)
{
	return is_ours (&events[slot]) && ioctl (events[slot].fd, PERF_EVENT_IOC_REFRESH, 1) == 0;
}

void ppi_event_pause (unsigned slot, bool is_paused)
{
	const struct event *e = &events[slot];

	if (is_ours (e))
		ioctl (e->fd, is_paused ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
}

static void let_go (struct event *e)
{
	if (is_ours (e))
		close (e->fd);
	__atomic_store_n (&slots[e->fd], 0, __ATOMIC_RELAXED);
	*e = (struct event){.fd = 0};
	n_events--;
}

void ppi_event_close (unsigned slot)
{
	struct event *e = &events[slot];

	if (!e->fd)
		return;
	if (is_ours (e))
		ioctl (e->fd, PERF_EVENT_IOC_DISABLE, 0);
	let_go (e);
}

void ppi_events_forget (void)
{
	for (unsigned i = 0; i < PPI_SLOTS && n_events; i++)
		if (events[i].fd)
			let_go (&events[i]);
}

__attribute__ ((no_sanitize ("address", "thread", "undefined"))) int ppi_event_slot (int fd)
{
	if (fd <= 0 || fd >= FDS)
		return -1;
	return (int) __atomic_load_n (&slots[fd], __ATOMIC_ACQUIRE) - 1;
}
