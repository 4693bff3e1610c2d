/* SPDX-License-Identifier: MIT */
/*
 * merge.h: several recordings become one, as if one process had measured it all: threads are
 * threads of any process.
 *
 * Nothing is added up here: chunks of each process keep their distances and get places of their
 * own, and sites, metrics and bindings of one name one number. So statistics are merged by who
 * reads them, by the accumulators' own descriptors.
 */
#ifndef PPI_RECORDING_MERGE_H
#define PPI_RECORDING_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_merge_result {
	unsigned processes, runs; /* that are in it */
	unsigned again;           /* recordings that were given before, and count once */
	unsigned live;            /* recordings that go on: what they had by then is in it */
	uint64_t lost;            /* bytes of them that are damaged: what they said is not in it */
	bool left_streams;        /* streams stay in the recordings that they are in */
	bool left_groups;         /* so do executions in groups */
};

/*
 * Writes the recordings PATHS, N of them, as one to FD, a file of its own. 0 and *OUT, or
 * PP_EINVAL, PP_EIO, PP_ENOMEM with WHY.
 */
int ppi_recordings_merge (int fd, const char *const *paths, size_t n, struct ppi_merge_result *out,
			  char *why, size_t room);

#endif
