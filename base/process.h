/* SPDX-License-Identifier: MIT */
/*
 * process.h: which process made a region, and whether it still runs. Needs nothing of the runtime.
 * The wall clock has no part in it: it may be set at any time. Ordinary context; descriptors are
 * closed at once; errno may change.
 */
#ifndef PPI_BASE_PROCESS_H
#define PPI_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Which process it is, with its number: numbers are given again, and the wall clock is set, but a
 * start in ticks of the boot's clock stays. 0: not known, for there was no /proc (process.h).
 */
struct ppi_identity {
	uint64_t start;          /* clock ticks since the boot, /proc/PID/stat */
	uint64_t pid_namespace;  /* that the number is of: an inode */
	uint64_t time_namespace; /* that START is of: an inode */
	uint8_t boot[16];        /* the kernel's boot_id */
};

enum ppi_presence {
	PPI_PROCESS_GONE,
	PPI_PROCESS_RUNS,
	PPI_PROCESS_UNKNOWN, /* no /proc, or it is of another PID namespace */
};

/* The calling process; what can't be known is 0. */
void ppi_identity_of_self (struct ppi_identity *out);
/* The process that has the number PID now. */
void ppi_identity_of (uint32_t pid, struct ppi_identity *out);

/*
 * Does the process with the number PID that is WHO run? One that has ended and is not waited for is
 * gone.
 */
enum ppi_presence ppi_process_presence (uint32_t pid, const struct ppi_identity *who);

/* Is it from before the machine was started last? False where that is not known. */
bool ppi_is_of_another_boot (const struct ppi_identity *who);

#endif
