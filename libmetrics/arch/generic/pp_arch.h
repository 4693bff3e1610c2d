/* SPDX-License-Identifier: MIT */
/* pp_arch.h for CPUs that have no folder of their own: guard markers only, ticks are nanoseconds of CLOCK_MONOTONIC. */
#ifndef PP_ARCH_H
#define PP_ARCH_H

#include <pp_abi.h>
#include <stdint.h>
#include <time.h>

#define PP_ARCH_NAME "generic"
#define PP_ARCH_PATCHABLE 0
#define PP_ARCH_ENTRY

#define pp_arch_cfa() ((uintptr_t) __builtin_frame_address (0))

static inline uint64_t pp_arch_ticks (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static inline uintptr_t pp_arch_thread_pointer (void)
{
	return (uintptr_t) __builtin_thread_pointer ();
}

static inline void pp_arch_init (void)
{
}

struct pp_arch_patch {
	uint64_t *word;
	uint64_t expected, wanted;
};

static inline int pp_arch_patch_prepare (const struct pp_abi_marker *marker, int on, struct pp_arch_patch *out)
{
	(void) marker;
	(void) on;
	(void) out;
	return -1;
}

#endif
