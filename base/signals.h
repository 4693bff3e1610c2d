/* SPDX-License-Identifier: MIT */
/*
 * signals.h: what the library does with descriptors raises no signal in the host. The kernel
 * answers a write into a pipe without readers with SIGPIPE, one beyond RLIMIT_FSIZE with SIGXFSZ,
 * and one from the background to a terminal with `stty tostop` with SIGTTOU. The first two are sent
 * to the thread that writes, the third to its process group unless that thread blocks it.
 */
#ifndef PPI_BASE_SIGNALS_H
#define PPI_BASE_SIGNALS_H

#include <signal.h>

struct ppi_held {
	sigset_t mask, pending; /* before */
};

/* Blocks those three in the calling thread. Any context, some hundred nanoseconds; errno stays. */
void ppi_signals_hold (struct ppi_held *held) __attribute__ ((visibility ("hidden")));
/* Takes away what system calls raised since, and gives the thread its mask back. errno stays. */
void ppi_signals_release (const struct ppi_held *held) __attribute__ ((visibility ("hidden")));

/*
 * ftruncate with signals held: a file or memory that RLIMIT_FSIZE does not allow is EFBIG and no
 * more.
 */
int ppi_resize (int fd, unsigned long long bytes) __attribute__ ((visibility ("hidden")));

#endif
