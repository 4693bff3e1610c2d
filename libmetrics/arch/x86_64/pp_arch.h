/* SPDX-License-Identifier: MIT */
/* pp_arch.h: what the runtime must know of x86-64. Every CPU's folder has this file. */
#ifndef PP_ARCH_H
#define PP_ARCH_H

#include <pp_abi.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#define PP_ARCH_NAME "x86-64"
#define PP_ARCH_PATCHABLE 1

/*
 * An entry that a stub calls: it gives every register back as it found it. GCC saves just those that the function
 * uses, as long as it calls only functions of the same kind and is compiled with -mgeneral-regs-only.
 */
#define PP_ARCH_ENTRY __attribute__ ((no_caller_saved_registers))

/* The entry's call frame address: the value of rsp before the stub's call. */
#define pp_arch_cfa() ((uintptr_t) __builtin_dwarf_cfa ())

static inline uint64_t pp_arch_ticks (void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t) high << 32 | low;
}

/* The name of the tick counter among the kernel's sources of time; NULL: it is promised to be one, always. */
#define PP_ARCH_TICKS_NAME "tsc"
/* Does it count at one rate in all states of the processor? (init.c) */
int pp_arch_ticks_invariant (void);

/* CLOCK_MONOTONIC in ns, without libc. */
static inline uint64_t pp_arch_monotonic_ns (void)
{
	int64_t t[2];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result), "=m"(t)
			 : "0"(SYS_clock_gettime), "D"(1L), "S"(t)
			 : "rcx", "r11", "memory");
	return result == 0 ? (uint64_t) t[0] * 1000000000u + (uint64_t) t[1] : 0;
}

/* A hardware counter of the running thread, where the kernel has allowed it (perf_event's page). */
#define PP_ARCH_HAS_PMC 1
static inline uint64_t pp_arch_pmc (uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t) high << 32 | low;
}

/* The thread pointer; on this ABI glibc keeps a thread's descriptor at the top of the stack it allocated. */
static inline uintptr_t pp_arch_thread_pointer (void)
{
	uintptr_t p;

	__asm__("movq %%fs:0, %0" : "=r"(p));
	return p;
}

/* The kernel's id of the calling thread, without libc (which may use vector registers). */
static inline uint32_t pp_arch_gettid (void)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "0"(SYS_gettid) : "rcx", "r11", "memory");
	return (uint32_t) result;
}

/* fallocate (FD, 0, FROM, BYTES) likewise; 0 or a negative errno. */
static inline long pp_arch_fallocate (int fd, uint64_t from, uint64_t bytes)
{
	register long r10 __asm__("r10") = (long) bytes;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(SYS_fallocate), "D"((long) fd), "S"(0L), "d"(from), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
}

/* The usual cases by hand (fast.S); stubs call them. */
#define PP_ARCH_HAS_FAST 1
/* Markers may have code of their own (block.c). */
#define PP_ARCH_HAS_BLOCKS 1
/* The clock goes on by more than one tick in the time of any sample (ppi_stamp). */
#define PP_ARCH_TICKS_ARE_FINE 1
void pp_arch_elapsed_begin (void);
void pp_arch_elapsed_end_scalar (void);
void pp_arch_elapsed_end_sumcount (void);
void pp_arch_elapsed_end_stats (void);

/* The general entries (entry.S): save everything, call ppi_general_begin, _end or _point. */
void pp_arch_general_begin (void);
void pp_arch_general_begin_pushed (void); /* the stub has pushed a value */
void pp_arch_general_end (void);
void pp_arch_general_point (void);
/*
 * Calls FN (tag, plan, sp) with the vector registers saved around it: for code that has saved the general ones
 * only.
 */
struct ppi_plan;
void pp_arch_saving_vectors (void (*fn) (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp), uintptr_t tag,
			     const struct ppi_plan *plan, uintptr_t sp);
/* Decides how entry.S saves vector registers; once, before the first general plan. */
void pp_arch_init (void);

/*
 * A change of some bytes of an aligned 8-byte word, those in MASK, in one of two steps: 0 makes the jump of a marker lead to TO instead
 * of IS, 1 turns the marker on, or with TO 0 off. 1: there is one; 0: the step changes nothing; -1: the bytes there are not the
 * marker's (somebody else, a debugger or a uprobe, owns them), or TO cannot be reached.
 */
struct pp_arch_patch {
	uint64_t *word;
	uint64_t mask, expected, wanted;
};
#define PP_ARCH_STEPS 2
int pp_arch_patch_prepare (const struct pp_abi_marker *marker, uintptr_t is, uintptr_t to, int step,
			   struct pp_arch_patch *out);

/* The marker's own out-of-line code, behind its redirect: code that the marker was led to may go on there. */
uintptr_t pp_arch_stub (const struct pp_abi_marker *marker);

/* Can the marker's jump lead to TO? */
bool pp_arch_leads_to (const struct pp_abi_marker *marker, uintptr_t to);

/*
 * Code that one core stores is fetched by the others in that order, and at once: caches of instructions are coherent, and a core goes
 * from one marker to the next by fetching the one and then the other. Manuals promise it only behind a serialising
 * instruction, so what goes wrong where it doesn't hold must be no more than a sample that is lost and counted.
 */
#define PP_ARCH_CODE_IN_ORDER 1

/* Stores the bytes; their word is writable at WORD: a core that fetches it meanwhile gets the old or the new instruction. */
static inline void pp_arch_patch_store (const struct pp_arch_patch *patch, uint64_t *word)
{
	uint64_t is = __atomic_load_n (word, __ATOMIC_RELAXED);

	__atomic_store_n (word, (is & ~patch->mask) | patch->wanted, __ATOMIC_RELEASE);
}

/* Once they have been stored: instruction fetches see it by themselves. */
static inline void pp_arch_patch_stored (const struct pp_arch_patch *patch)
{
	(void) patch;
}

#endif
