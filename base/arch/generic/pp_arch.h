/* SPDX-License-Identifier: MIT */
/*
 * pp_arch.h for CPUs that have no folder of their own: guard markers only, ticks are nanoseconds of
 * CLOCK_MONOTONIC.
 */
#ifndef PP_ARCH_H
#define PP_ARCH_H

#include <errno.h>
#include <pp_abi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PP_ARCH_NAME "generic"
#define PP_ARCH_PATCHABLE 0
#define PP_ARCH_SIGNAL_FRAME_WORDS 0 #define PP_ARCH_HAS_SELF 0
#define PP_ARCH_HAS_BLOCKS 0
#define PP_ARCH_TICKS_ARE_FINE 0
#define PP_ARCH_CALLS 0
#define PP_ARCH_ENTRY

#define pp_arch_cfa() ((uintptr_t) __builtin_frame_address (0))

#define PP_ARCH_TICKS_NAME NULL
static inline int pp_arch_ticks_invariant (void)
{
	return 1;
}

#define PP_ARCH_HAS_PMC 0 /* hardware counters are read by the kernel */

/* Reading the clock takes so long that what runs ahead of it is little. */
static inline void pp_arch_in_order (void)
{
}

static inline uint64_t pp_arch_ticks (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static inline uint64_t pp_arch_monotonic_ns (void)
{
	return pp_arch_ticks ();
}

static inline uintptr_t pp_arch_thread_pointer (void)
{
	return (uintptr_t) __builtin_thread_pointer ();
}

static inline uint32_t pp_arch_gettid (void)
{
	return (uint32_t) syscall (SYS_gettid);
}

static inline long pp_arch_sigaltstack (stack_t *out)
{
	return sigaltstack (NULL, out);
}

/* How arithmetic rounds and traps: left alone here. */
typedef uint32_t pp_arch_fp;
static inline void pp_arch_fp_set (pp_arch_fp to)
{
	(void) to;
}

static inline pp_arch_fp pp_arch_fp_default (void)
{
	return 0;
}

static inline long pp_arch_fallocate (int fd, uint64_t from, uint64_t bytes)
{
	int saved = errno;
	long result = syscall (SYS_fallocate, fd, 0, from, bytes);

	errno = saved;
	return result;
}

#define pp_arch_fstat(fd, out) ((long) fstat (fd, out))

static inline long pp_arch_make_accessible (uintptr_t at, uint64_t bytes)
{
	return syscall (SYS_mprotect, at, bytes, 3);
}

static inline long pp_arch_futex_wake (uint32_t *word)
{
	int saved = errno;
	long result = syscall (SYS_futex, word, 1, 1);

	errno = saved;
	return result;
}

static inline void pp_arch_init (void)
{
}

struct ppi_plan;
static inline void pp_arch_saving_vectors (void (*fn) (uintptr_t, const struct ppi_plan *,
						       uintptr_t),
					   uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp)
{
	fn (tag, plan, sp);
}

struct pp_arch_patch {
	uint64_t *word;
	uint64_t mask, expected, wanted;
	bool settles;
};
#define PP_ARCH_STEPS 1
#define PP_ARCH_WRITES_RUNS 0
#define PP_ARCH_CODE_IN_ORDER 0

static inline bool pp_arch_leads_to (const struct pp_abi_marker *marker, uintptr_t to)
{
	(void) marker;
	(void) to;
	return false;
}

static inline uintptr_t pp_arch_stub (const struct pp_abi_marker *marker)
{
	(void) marker;
	return 0;
}

static inline int pp_arch_patch_prepare (const struct pp_abi_marker *marker, uintptr_t is,
					 uintptr_t to, int step, struct pp_arch_patch *out)
{
	(void) step;
	(void) marker;
	(void) is;
	(void) to;
	(void) out;
	return -1;
}

static inline bool pp_arch_patch_store (const struct pp_arch_patch *patch, uint64_t *word)
{
	(void) patch;
	(void) word;
	return false;
}

static inline void pp_arch_patch_stored (const struct pp_arch_patch *patch)
{
	(void) patch;
}

#endif
