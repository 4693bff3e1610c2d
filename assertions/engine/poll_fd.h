/* SPDX-License-Identifier: MIT */
/* poll_fd.h: the descriptor of pp_poll_fd. All with the runtime's lock but ppi_poll_fd_arm. */
#ifndef PPI_POLL_FD_H
#define PPI_POLL_FD_H

#include <stdbool.h>
#include <stdint.h>

/* Makes the descriptor if there is none; negative: there can't be any. */
int ppi_poll_fd_open (void) __attribute__ ((visibility ("hidden")));
bool ppi_poll_fd_is_open (void) __attribute__ ((visibility ("hidden")));
/* There is something for pp_poll, or no longer. */
void ppi_poll_fd_signal (void) __attribute__ ((visibility ("hidden")));
void ppi_poll_fd_drain (void) __attribute__ ((visibility ("hidden")));
/*
 * Something is due at NS (CLOCK_MONOTONIC; UINT64_MAX: nothing), and pp_poll is what will do it.
 * Any time, any thread.
 */
void ppi_poll_fd_arm (uint64_t ns) __attribute__ ((visibility ("hidden")));
/* In a child: the same number, but not what the parent waits on. */
void ppi_poll_fd_after_fork (void) __attribute__ ((visibility ("hidden")));

#endif
