/* SPDX-License-Identifier: MIT */
/*
 * twin.h: where the process keeps what must not be anybody else's to write.
 *
 * The live region is a file, or memory, that readers map; whoever runs as the same user may write
 * anything into it, at any time. So a marker believes nothing that it finds there: no pointer, no
 * place, no length. What it has to know is in memory of its own:
 *
 *     region                    + ppi_twin_distance                                   + ppi_twin_distance
 *     | header, chunks → ...    | twins of those chunks → ...      ← threads, frames, tables, spans |
 *       shared                    the process's own
 *
 * Every byte of the region has a twin at the same distance, zero until something is stored there. A
 * field that leads somewhere (the groups of a histogram, the chunks of an unbounded series, the
 * length of a ring) is stored twice: in the twin, which is what the process reads, and in the
 * chunk, for readers, who check it. A twin that nothing is stored in takes no memory. Where there
 * is no region (readers of recordings, tests) the distance is 0, and a chunk is its own twin.
 */
#ifndef PPI_BASE_TWIN_H
#define PPI_BASE_TWIN_H

#include <stdint.h>

/* The same in all children: code that was made for markers has it as a constant. */
extern uint64_t ppi_twin_distance __attribute__ ((visibility ("hidden")));

#define ppi_twin(p) ((__typeof__ (p)) (uintptr_t) ((char *) (uintptr_t) (p) + ppi_twin_distance))

#endif
