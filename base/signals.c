/* SPDX-License-Identifier: MIT */
/* signals.c: see signals.h. */
#include "base/signals.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

void ppi_signals_hold (struct ppi_held *held)
{
	sigset_t three;

	sigemptyset (&three);
	sigaddset (&three, SIGPIPE);
	sigaddset (&three, SIGXFSZ);
	sigaddset (&three, SIGTTOU);
	pthread_sigmask (SIG_BLOCK, &three, &held->mask);
	sigemptyset (&held->pending);
	sigpending (&held->pending);
}

/*
 * NUMBER was raised by the kernel: it is pending for this thread, and of those the thread's own are
 * taken first.
 */
static void take (int number)
{
	static const struct timespec none;
	sigset_t one;

	sigemptyset (&one);
	sigaddset (&one, number);
	while (sigtimedwait (&one, NULL, &none) < 0 && errno == EINTR)
		;
}

void ppi_signals_release (const struct ppi_held *held)
{
	static const int raised[] = {SIGPIPE, SIGXFSZ};
	int saved = errno;
	sigset_t now;

	sigemptyset (&now);
	sigpending (&now);
	/* one that waited before is the host's */
	for (unsigned i = 0; i < sizeof raised / sizeof *raised; i++)
		if (sigismember (&now, raised[i]) == 1 &&
		    sigismember (&held->pending, raised[i]) != 1)
			take (raised[i]);
	pthread_sigmask (SIG_SETMASK, &held->mask, NULL);
	errno = saved;
}

int ppi_resize (int fd, unsigned long long bytes)
{
	struct ppi_held held;
	int result;

	ppi_signals_hold (&held);
	result = ftruncate (fd, (off_t) bytes);
	ppi_signals_release (&held);
	return result;
}
