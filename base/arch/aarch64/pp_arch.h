/* SPDX-License-Identifier: MIT */
/* pp_arch.h: what the runtime must know of aarch64. */
#ifndef PP_ARCH_H
#define PP_ARCH_H

#include <pp_abi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#define PP_ARCH_NAME "aarch64"
#define PP_ARCH_PATCHABLE 1
#define PP_ARCH_SIGNAL_FRAME_WORDS 0 /* frames of signal handlers are not told from others */

/*
 * GCC has no functions here that save every register they use. So no stub calls C: entry.S saves
 * the registers and calls the routine that the plan has for guard markers.
 */
#define PP_ARCH_CALLS_GUARDS 1
#define PP_ARCH_HAS_SELF 0
#define PP_ARCH_HAS_BLOCKS 0
#define PP_ARCH_TICKS_ARE_FINE 0
#define PP_ARCH_CALLS 0 /* entries have saved every register */
#define PP_ARCH_ENTRY

#define pp_arch_cfa() ((uintptr_t) __builtin_dwarf_cfa ())

#define PP_ARCH_HAS_PMC 0 /* hardware counters are read by the kernel */

/* The virtual counter: the same on all cores, at a constant rate, by architecture. */
#define PP_ARCH_TICKS_NAME NULL
static inline int pp_arch_ticks_invariant (void)
{
	return 1;
}

static inline uint64_t pp_arch_ticks (void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

/* What follows waits until all before it is done, in this processor. */
static inline void pp_arch_in_order (void)
{
	__asm__ volatile("dsb nshld\n\tisb");
}

/*
 * The thread pointer; glibc keeps a thread's descriptor below it, at the top of the stack it
 * allocated.
 */
static inline uintptr_t pp_arch_thread_pointer (void)
{
	return (uintptr_t) __builtin_thread_pointer ();
}

/* How arithmetic rounds, traps and flushes. */
typedef uint64_t pp_arch_fp;
static inline void pp_arch_fp_set (pp_arch_fp to)
{
	__asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1"
			 :
			 : "r"(to & 0xffffffffu), "r"(to >> 32)
			 : "memory");
}
/* Goes over to the default, which traps nothing; returns what it was. */
static inline pp_arch_fp pp_arch_fp_default (void)
{
	uint64_t control, status;

	__asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(status) : : "memory");
	if (control)
		__asm__ volatile("msr fpcr, xzr" : : : "memory");
	return control | status << 32;
}

/* A system call without libc, which may use vector registers. */
static inline long pp_arch_syscall (long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

/* The kernel's id of the calling thread. */
static inline uint32_t pp_arch_gettid (void)
{
	return (uint32_t) pp_arch_syscall (SYS_gettid, 0, 0, 0, 0);
}

/* sigaltstack (NULL, OUT); 0 or a negative errno. */
static inline long pp_arch_sigaltstack (stack_t *out)
{
	return pp_arch_syscall (SYS_sigaltstack, 0, (long) out, 0, 0);
}

/* CLOCK_MONOTONIC in ns. */
static inline uint64_t pp_arch_monotonic_ns (void)
{
	int64_t t[2];

	return pp_arch_syscall (SYS_clock_gettime, 1, (long) t, 0, 0) == 0
		       ? (uint64_t) t[0] * 1000000000u + (uint64_t) t[1]
		       : 0;
}

/* fallocate (FD, 0, FROM, BYTES); 0 or a negative errno. */
static inline long pp_arch_fallocate (int fd, uint64_t from, uint64_t bytes)
{
	return pp_arch_syscall (SYS_fallocate, fd, 0, (long) from, (long) bytes);
}

struct stat;
/* fstat (FD, OUT) likewise. */
static inline long pp_arch_fstat (int fd, struct stat *out)
{
	return pp_arch_syscall (SYS_fstat, fd, (long) out, 0, 0);
}

/* mprotect (AT, BYTES, PROT_READ | PROT_WRITE) likewise. */
static inline long pp_arch_make_accessible (uintptr_t at, uint64_t bytes)
{
	return pp_arch_syscall (SYS_mprotect, (long) at, (long) bytes, 3, 0);
}

/* futex (WORD, FUTEX_WAKE, 1) likewise. */
static inline long pp_arch_futex_wake (uint32_t *word)
{
	return pp_arch_syscall (SYS_futex, (long) word, 1, 1, 0);
}

/*
 * What stubs call (entry.S). The plain ones save the general registers and call a plan's guard
 * routine, which touches no others; the general ones save all.
 */
void pp_arch_plain_begin (void);
void pp_arch_plain_end (void);
void pp_arch_plain_point (void);
void pp_arch_general_begin (void);
void pp_arch_general_end (void);
void pp_arch_general_point (void);
/* A pushed value moves nothing here. */
#define pp_arch_general_begin_pushed pp_arch_general_begin
/*
 * Calls FN (tag, plan, sp) with the vector registers saved around it: for code that has saved the
 * general ones only.
 */
struct ppi_plan;
void pp_arch_saving_vectors (void (*fn) (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp),
			     uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp);
/* Finds out whether there are SVE registers to save; once, before the first plan. */
void pp_arch_init (void);

/*
 * A change of some bytes of an aligned 8-byte word, those in MASK: the marker, one half of it, that
 * is off or jumps to IS, jumps to TO, or with TO 0 is off. Returns the step, 0; PP_ARCH_STEPS:
 * nothing changes; -1: the bytes there are not the marker's, or TO is out of reach.
 */
struct pp_arch_patch {
	uint64_t *word;
	uint64_t mask, expected, wanted;
	bool settles;
};
#define PP_ARCH_STEPS 1
/* An instruction is written by itself: of a longer run the kernel may write a half of one first. */
#define PP_ARCH_WRITES_RUNS 0
int pp_arch_patch_prepare (const struct pp_abi_marker *marker, uintptr_t is, uintptr_t to, int step,
			   struct pp_arch_patch *out);

/* The marker's own out-of-line code. */
static inline uintptr_t pp_arch_stub (const struct pp_abi_marker *marker)
{
	return (uintptr_t) &marker->stub + (uintptr_t) (intptr_t) marker->stub;
}

/* Can the marker's jump lead to TO? */
bool pp_arch_leads_to (const struct pp_abi_marker *marker, uintptr_t to);

/*
 * A core may have fetched instructions long before it executes them: the order of two changes needs
 * a barrier.
 */
#define PP_ARCH_CODE_IN_ORDER 0

/*
 * Stores the half, whose word is writable at WORD, if it is what is expected. B and NOP are among
 * the few instructions that may be replaced by each other while other cores execute them, by one
 * store of four bytes.
 */
static inline bool pp_arch_patch_store (const struct pp_arch_patch *patch, uint64_t *word)
{
	unsigned half = patch->mask >> 32 != 0;
	uint32_t is = (uint32_t) (patch->expected >> 32 * half);

	return __atomic_compare_exchange_n ((uint32_t *) (void *) word + half, &is,
					    (uint32_t) (patch->wanted >> 32 * half), false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* Once the word has been stored: makes instruction fetches of all cores see it. */
static inline void pp_arch_patch_stored (const struct pp_arch_patch *patch)
{
	__builtin___clear_cache ((char *) patch->word, (char *) (patch->word + 1));
}

#endif
