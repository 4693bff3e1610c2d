/* SPDX-License-Identifier: MIT */
/* throttle.h: bindings that are sampled less often than was asked for. */
#ifndef PPI_TABLES_THROTTLE_H
#define PPI_TABLES_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What keeps a binding from being sampled as often as was asked for. All zero: nothing. Its owner's
 * (assertions).
 */
struct ppi_throttle {
	uint32_t factor;   /* one in so many of those that would be sampled; 0 is 1 */
	bool unbound;      /* none of them */
	bool briefly;      /* unbound only until the next change, which follows at once */
	double share;      /* what it cost before that, as in struct ppi_charge */
	uint64_t again_ns; /* when it may be tried again */
	uint64_t hold_ns;  /* how long it had to wait for that */
};

#endif
