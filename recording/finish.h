/* SPDX-License-Identifier: MIT */
/*
 * finish.h: completes the recordings of processes that died (kill -9, a crash) from what they left
 * in tmpfs, and removes that. Only for the same user, boot and PID namespace, and only where a
 * recording of that very run is.
 */
#ifndef PPI_RECORDING_FINISH_H
#define PPI_RECORDING_FINISH_H

#include <stddef.h>
#include <stdint.h>

struct ppi_region_header;

/*
 * A region's name in tmpfs, by the process and the moment that it was made: "/dev/shm/pp.PID.NS".
 */
#define PPI_REGION_PATH 96
void ppi_region_path (const struct ppi_region_header *region, char *out, size_t room);
/* Where names are: "/dev/shm"; tests have their own. */
extern const char *ppi_regions_directory;

/*
 * Completes the recording at PATH: what its process left replaces the file, and is removed. Another
 * process that does the same at this moment is waited for, for 10 s. Returns 1 when it did; 0 when
 * there was nothing to do (complete, its process runs, or nobody knows whether it does); PP_ENOENT
 * when what was left is gone (WHY says so: the file is as of its last copy); PP_EIO.
 */
int ppi_recording_finish (const char *path, char *why, size_t room);

/* At most so many regions, of so many bytes each, begun within so long; 0: without such a limit. */
struct ppi_finish_limits {
	unsigned most;
	uint64_t bytes, ns;
};

/*
 * Looks at what processes of this user left in tmpfs: completes the recordings that are there
 * still, and removes it all. What is damaged is only removed; what can't be written stays, and so
 * does what another process completes just now, for nobody is waited for. Returns how many are
 * gone.
 */
unsigned ppi_regions_finish (const struct ppi_finish_limits *limits);

#endif
