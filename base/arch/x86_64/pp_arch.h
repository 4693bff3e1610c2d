/* SPDX-License-Identifier: MIT */
/* pp_arch.h: what the runtime must know of x86-64. Every CPU's folder has this file. */
#ifndef PP_ARCH_H
#define PP_ARCH_H

#include <pp_abi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#define PP_ARCH_NAME "x86-64"
#define PP_ARCH_PATCHABLE 1

/*
 * An entry that a stub calls: it gives every register back as it found it. GCC saves just those
 * that the function uses, as long as it calls only functions of the same kind and is compiled with
 * -mgeneral-regs-only.
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

/*
 * What follows waits until all before it is done, in this processor; on AMD's, since Linux 4.15
 * asks them to.
 */
static inline void pp_arch_in_order (void)
{
	__asm__ volatile("lfence");
}

/*
 * The name of the tick counter among the kernel's sources of time; NULL: it is promised to be one,
 * always.
 */
#define PP_ARCH_TICKS_NAME "tsc"
/* Does it count at one rate in all states of the processor? (init.c) */
int pp_arch_ticks_invariant (void);

/*
 * CLOCK_MONOTONIC in ns, without libc: by pp_arch_clock_gettime, which is the kernel's of that name
 * until another is set, as the vDSO's that is called NAME.
 */
#define PP_ARCH_VDSO_CLOCK "__vdso_clock_gettime"
typedef int pp_arch_clock_fn (int clock, int64_t at[2]);
extern pp_arch_clock_fn *pp_arch_clock_gettime __attribute__ ((visibility ("hidden")));
/* Not to be called from C (entry.S): keeps all registers but two, and what is below the stack. */
void pp_arch_clock (void) __attribute__ ((visibility ("hidden")));
static inline uint64_t pp_arch_monotonic_ns (void)
{
	uint64_t ns;

	__asm__ volatile("leaq 1f(%%rip), %%rax\n\tmovq %%rax, %%rdx\n\tjmp pp_arch_clock\n1:"
			 : "=a"(ns)
			 :
			 : "rdx", "memory", "cc");
	return ns;
}

/* A hardware counter of the running thread, where the kernel has allowed it (perf_event's page). */
#define PP_ARCH_HAS_PMC 1
static inline uint64_t pp_arch_pmc (uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t) high << 32 | low;
}

/*
 * The thread pointer; on this ABI glibc keeps a thread's descriptor at the top of the stack it
 * allocated.
 */
static inline uintptr_t pp_arch_thread_pointer (void)
{
	uintptr_t p;

	__asm__("movq %%fs:0, %0" : "=r"(p));
	return p;
}

/* How SSE and the x87 round and trap, and their flags. */
typedef struct {
	uint32_t mxcsr;
	uint16_t control, status;
} pp_arch_fp;
#define PP_ARCH_MXCSR_DEFAULT 0x1f80u
static inline pp_arch_fp pp_arch_fp_get (void)
{
	pp_arch_fp is;

	__asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
			 : "=m"(is.mxcsr), "=m"(is.control), "=m"(is.status));
	return is;
}
static inline void pp_arch_mxcsr_set (uint32_t to)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(to) : "memory");
}
static inline void pp_arch_fp_set (pp_arch_fp to)
{
	enum { CONTROL = 0, STATUS = 2, FLAGS = 0xff }; /* of the environment's 16-bit words */
	pp_arch_fp is = pp_arch_fp_get ();
	uint16_t environment[14];

	if (is.mxcsr != to.mxcsr)
		pp_arch_mxcsr_set (to.mxcsr);
	if (is.control == to.control && !((is.status ^ to.status) & FLAGS))
		return;
	__asm__ volatile("fnstenv %0" : "=m"(environment));
	environment[CONTROL] = to.control;
	environment[STATUS] = (uint16_t) ((environment[STATUS] & ~FLAGS) | (to.status & FLAGS));
	__asm__ volatile("fldenv %0" : : "m"(environment) : "memory");
}
/* Goes over to the default of SSE, which traps nothing; returns what all was. */
static inline pp_arch_fp pp_arch_fp_default (void)
{
	enum { FLAGS = 0x3f };
	pp_arch_fp was = pp_arch_fp_get ();

	if ((was.mxcsr & ~(uint32_t) FLAGS) != PP_ARCH_MXCSR_DEFAULT)
		pp_arch_mxcsr_set (PP_ARCH_MXCSR_DEFAULT);
	return was;
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

struct stat;
/* fstat (FD, OUT) likewise. */
static inline long pp_arch_fstat (int fd, struct stat *out)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(SYS_fstat), "D"((long) fd), "S"(out)
			 : "rcx", "r11", "memory");
	return result;
}

/* mprotect (AT, BYTES, PROT_READ | PROT_WRITE) likewise. */
static inline long pp_arch_make_accessible (uintptr_t at, uint64_t bytes)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(SYS_mprotect), "D"(at), "S"(bytes), "d"(3L)
			 : "rcx", "r11", "memory");
	return result;
}

/* futex (WORD, FUTEX_WAKE, 1) likewise. */
static inline long pp_arch_futex_wake (uint32_t *word)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(SYS_futex), "D"(word), "S"(1L), "d"(1L)
			 : "rcx", "r11", "memory");
	return result;
}

/* Markers may have code of their own (block.c). */
#define PP_ARCH_HAS_BLOCKS 1
/*
 * *WORD + 1, for a word that only this thread and its handlers write: in one instruction, behind
 * everything stored before.
 */
static inline void pp_arch_increment (uint64_t *word)
{
	__asm__ volatile("incq %0" : "+m"(*word) : : "cc", "memory");
}

/* The clock goes on by more than one tick in the time of any sample (ppi_stamp). */
#define PP_ARCH_TICKS_ARE_FINE 1
/*
 * Markers of the library's own, whose cost is measured (self.S): begin and end of an interval, a
 * point, a point with a value, each behind WORK multiplications that wait for each other.
 */
#ifdef __SANITIZE_THREAD__ /* knows no stores into code */
#define PP_ARCH_HAS_SELF 0
#else
#define PP_ARCH_HAS_SELF 1
#endif
#define PP_ARCH_SELF_LAYOUTS 4
extern struct pp_abi_marker pp_arch_self_markers[4 * PP_ARCH_SELF_LAYOUTS]
	__attribute__ ((visibility ("hidden")));
extern void (*const pp_arch_self_loops[6 * PP_ARCH_SELF_LAYOUTS]) (unsigned long times,
								   unsigned long steps)
	__attribute__ ((visibility ("hidden")));

/*
 * Calls of ordinary C from code that has saved the general registers only (entry.S): FN (a, b, c,
 * d), with the vector state kept, on the stack that ends at STACK (0: on this one). Returns what FN
 * returns.
 */
#define PP_ARCH_CALLS 1
typedef void (*pp_arch_any_fn) (void);
typedef uint64_t pp_arch_call_fn (pp_arch_any_fn fn, uintptr_t a, uintptr_t b, uintptr_t c,
				  uint64_t d, uintptr_t stack);
pp_arch_call_fn pp_arch_call_plain, pp_arch_call_sse, pp_arch_call_avx, pp_arch_call_avx512,
	pp_arch_call_all;

/* How blocks call; not to be called from C (entry.S). */
void pp_arch_block_call (void);

/* What the host may have live at a marker, from its flags; each contains those before it. */
enum pp_arch_state { PP_ARCH_SSE, PP_ARCH_AVX, PP_ARCH_AVX512, PP_ARCH_ALL, PP_ARCH_STATES };
static inline enum pp_arch_state pp_arch_state_of (const struct pp_abi_marker *marker)
{
	if (!(marker->flags & PP_ABI_MARKER_NO_X87))
		return PP_ARCH_ALL;
	if (!(marker->flags & PP_ABI_MARKER_NO_AVX512))
		return PP_ARCH_AVX512;
	return marker->flags & PP_ABI_MARKER_NO_AVX ? PP_ARCH_SSE : PP_ARCH_AVX;
}
/* The call that keeps STATE on this CPU. */
pp_arch_call_fn *pp_arch_call_for (enum pp_arch_state state);

struct ppi_plan;
static inline void pp_arch_saving_vectors (void (*fn) (uintptr_t tag, const struct ppi_plan *plan,
						       uintptr_t sp),
					   uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp)
{
	pp_arch_call_all ((pp_arch_any_fn) fn, tag, (uintptr_t) plan, sp, 0, 0);
}

/* sigaltstack (NULL, OUT), without libc; 0 or a negative errno. */
static inline long pp_arch_sigaltstack (stack_t *out)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(SYS_sigaltstack), "D"(0L), "S"(out)
			 : "rcx", "r11", "memory");
	return result;
}

/*
 * The frame that the kernel makes for a signal's handler: the address that it returns to, flags,
 * link, the signal stack, and the registers, of which the last but four are the segments: nobody
 * else writes those. Is *WORD such a word, behind so many of the frame?
 */
#define PP_ARCH_SIGNAL_FRAME_WORDS 24u
static inline bool pp_arch_is_signal_frame (const uint64_t *word)
{
	enum { USER_CS = 0x33, SIGNALS = 64, RESTORER = 0x04000000 };
	const uint64_t user_ss = UINT64_C (0x2b) << 48;
	struct {
		uint64_t handler, flags, restorer, mask;
	} action;
	long result;

	if ((*word & ~user_ss) != USER_CS)
		return false;
	for (long number = 1; number <= SIGNALS; number++) {
		register long r10 __asm__("r10") = sizeof (action.mask);

		__asm__ volatile("syscall"
				 : "=a"(result), "=m"(action)
				 : "0"(SYS_rt_sigaction), "D"(number), "S"(0L), "d"(&action),
				   "r"(r10)
				 : "rcx", "r11", "memory");
		if (result == 0 && action.flags & RESTORER &&
		    action.restorer == word[-(int) PP_ARCH_SIGNAL_FRAME_WORDS])
			return true;
	}
	return false;
}

/*
 * A stack of BYTES for a thread, with a page below it that nobody may touch, by system calls of its
 * own. Returns its end, or 0.
 */
static inline uintptr_t pp_arch_stack_make (uint64_t bytes)
{
	enum { GUARD = 4096, READ_WRITE = 3, PRIVATE_ANONYMOUS_NORESERVE_STACK = 0x24022 };
	register long r10 __asm__("r10") = PRIVATE_ANONYMOUS_NORESERVE_STACK;
	register long r8 __asm__("r8") = -1;
	register long r9 __asm__("r9") = 0;
	long at, failed;

	__asm__ volatile("syscall"
			 : "=a"(at)
			 : "0"(SYS_mmap), "D"(0L), "S"(bytes + GUARD), "d"(0L), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
	if (at < 0)
		return 0;
	__asm__ volatile("syscall"
			 : "=a"(failed)
			 : "0"(SYS_mprotect), "D"(at + GUARD), "S"(bytes), "d"((long) READ_WRITE)
			 : "rcx", "r11", "memory");
	return failed ? 0 : (uintptr_t) at + GUARD + bytes;
}

/* Asks the CPU what there is to keep; once, before the first plan. */
void pp_arch_init (void);

/*
 * A change of some bytes of an aligned 8-byte word, those in MASK. Several bytes may be written one
 * after the other: no thread reaches code in which that could be seen.
 */
struct pp_arch_patch {
	uint64_t *word;
	uint64_t mask, expected, wanted;
	bool settles; /* what follows waits until every core has seen it: a barrier */
};

/* Any bytes around a change may be written with it, as they are. */
#define PP_ARCH_WRITES_RUNS 1

enum pp_arch_step {
	PP_ARCH_CLOSE,  /* the jump becomes an instruction that does nothing */
	PP_ARCH_LEAD,   /* its displacement changes */
	PP_ARCH_OPEN,   /* it is a jump again */
	PP_ARCH_SWITCH, /* the marker is turned on or off */
	PP_ARCH_STEPS
};

/*
 * What is the first thing to do, from STEP on, for MARKER to jump to TO, or with TO 0 to be off?
 * IS: where it was led before. Returns its step, and the change in OUT; PP_ARCH_STEPS: nothing is
 * left to do; -1: the bytes there are not the marker's (a debugger or a uprobe owns them), or TO
 * cannot be reached.
 */
int pp_arch_patch_prepare (const struct pp_abi_marker *marker, uintptr_t is, uintptr_t to, int step,
			   struct pp_arch_patch *out);

/*
 * Can a marker that is on be led to TO without losing an execution, and from a block without
 * waiting for all cores? Not where several bytes of its jump differ.
 */
bool pp_arch_leads_unseen (const struct pp_abi_marker *marker, uintptr_t to);

/*
 * The first eight bytes of code at IS that jumps to TO. false: a thread may stand between the
 * instructions that are there now, HEAD, or TO is too far away.
 */
bool pp_arch_head (uintptr_t is, uint64_t head, uintptr_t to, uint64_t *out);

/*
 * The marker's own out-of-line code, behind its redirect: code that the marker was led to may go on
 * there.
 */
uintptr_t pp_arch_stub (const struct pp_abi_marker *marker);

/* Can the marker's jump lead to TO? */
bool pp_arch_leads_to (const struct pp_abi_marker *marker, uintptr_t to);

/*
 * Code that one core stores is fetched by the others in that order, and at once: caches of
 * instructions are coherent, and a core goes from one marker to the next by fetching the one and
 * then the other. Manuals promise it only behind a serialising instruction, so what goes wrong
 * where it doesn't hold must be no more than a sample that is lost and counted.
 */
#define PP_ARCH_CODE_IN_ORDER 1

/*
 * Stores the bytes, if they are what is expected; their word is writable at WORD. A core that
 * fetches it meanwhile gets the old or the new instruction.
 */
static inline bool pp_arch_patch_store (const struct pp_arch_patch *patch, uint64_t *word)
{
	uint64_t is = __atomic_load_n (word, __ATOMIC_RELAXED);

	while ((is & patch->mask) == patch->expected)
		if (__atomic_compare_exchange_n (word, &is, (is & ~patch->mask) | patch->wanted,
						 false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return true;
	return false;
}

/* Once they have been stored: instruction fetches see it by themselves. */
static inline void pp_arch_patch_stored (const struct pp_arch_patch *patch)
{
	(void) patch;
}

#endif
