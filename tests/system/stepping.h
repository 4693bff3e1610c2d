/* SPDX-License-Identifier: MIT */
/*
 * stepping.h: what tests of generated code share: where it is, whether registers survive markers,
 * and the trap flag, with which every instruction is stopped at.
 */
#ifndef STEPPING_H
#define STEPPING_H

#include "check.h"

#include <execinfo.h>

/* ---- where blocks are ------------------------------------------------------------------------ */

struct range {
	uintptr_t lo, hi;
	char permissions[5];
	unsigned long inode;
};

static struct range ranges[64];
static int n_ranges;

/* The mappings of arenas; how many. */
__attribute__ ((unused)) static int find_ranges (void)
{
	FILE *f = fopen ("/proc/self/maps", "r");
	char line[512];

	for (n_ranges = 0; f && fgets (line, sizeof line, f);)
		if (strstr (line, "pp-blocks") && n_ranges < 64 &&
		    sscanf (line, "%lx-%lx %4s %*s %*s %lu", &ranges[n_ranges].lo,
			    &ranges[n_ranges].hi, ranges[n_ranges].permissions,
			    &ranges[n_ranges].inode) == 4)
			n_ranges++;
	if (f)
		fclose (f);
	return n_ranges;
}

__attribute__ ((unused)) static int has_permission (const struct range *r, char what)
{
	return strchr (r->permissions, what) != NULL;
}

__attribute__ ((unused)) static int is_in_block (uintptr_t address)
{
	for (int i = 0; i < n_ranges; i++)
		if (address >= ranges[i].lo && address < ranges[i].hi &&
		    has_permission (&ranges[i], 'x'))
			return 1;
	return 0;
}

#if defined(__x86_64__) && !defined(GUARDS) && !UNDER_TSAN
#if defined(__OPTIMIZE__) && !UNDER_ASAN
#define IS_BARE 1
#else
#define IS_BARE 0
#endif

/* ---- registers ------------------------------------------------------------------------------- */

static uint64_t before[16], after[16];
static uint64_t red_zone_after[15];

/*
 * Calls FN with every register but the stack pointer full of a pattern, and a pattern below the
 * stack.
 */
__attribute__ ((unused)) NOIPA static void call_with_patterns (void (*fn) (void))
{
	__asm__ volatile(
		"push %%rbx\n push %%rbp\n push %%r12\n push %%r13\n push %%r14\n push %%r15\n"
		"sub $256, %%rsp\n"
		"mov %0, 248(%%rsp)\n"
		"lea %1, %%rax\n"
		"mov $15, %%ecx\n"
		"1: mov %%rcx, %%rdx\n imul $0x01010101, %%rdx, %%rdx\n mov %%rdx, -16(%%rsp, "
		"%%rcx, 8)\n"
		/* the callee's red zone: below the return address */
		"mov %%rdx, -136(%%rsp, %%rcx, 8)\n dec %%ecx\n jnz 1b\n"
		"mov 8(%%rax), %%rcx\n mov 16(%%rax), %%rdx\n mov 24(%%rax), %%rbx\n mov "
		"40(%%rax), %%rbp\n"
		"mov 48(%%rax), %%rsi\n mov 56(%%rax), %%rdi\n mov 64(%%rax), %%r8\n mov "
		"72(%%rax), %%r9\n"
		"mov 80(%%rax), %%r10\n mov 88(%%rax), %%r11\n mov 96(%%rax), %%r12\n mov "
		"104(%%rax), %%r13\n"
		"mov 112(%%rax), %%r14\n mov 120(%%rax), %%r15\n mov 0(%%rax), %%rax\n"
		"call *248(%%rsp)\n"
		"mov %%rax, 240(%%rsp)\n lea %2, %%rax\n"
		"mov %%rcx, 8(%%rax)\n mov %%rdx, 16(%%rax)\n mov %%rbx, 24(%%rax)\n mov %%rbp, "
		"40(%%rax)\n"
		"mov %%rsi, 48(%%rax)\n mov %%rdi, 56(%%rax)\n mov %%r8, 64(%%rax)\n mov %%r9, "
		"72(%%rax)\n"
		"mov %%r10, 80(%%rax)\n mov %%r11, 88(%%rax)\n mov %%r12, 96(%%rax)\n mov %%r13, "
		"104(%%rax)\n"
		"mov %%r14, 112(%%rax)\n mov %%r15, 120(%%rax)\n mov 240(%%rsp), %%rcx\n mov "
		"%%rcx, 0(%%rax)\n"
		"lea %3, %%rax\n mov $15, %%ecx\n"
		"2: mov -136(%%rsp, %%rcx, 8), %%rdx\n mov %%rdx, -8(%%rax, %%rcx, 8)\n dec "
		"%%ecx\n jnz 2b\n"
		"add $256, %%rsp\n"
		"pop %%r15\n pop %%r14\n pop %%r13\n pop %%r12\n pop %%rbp\n pop %%rbx\n"
		:
		: "D"(fn), "m"(before), "m"(after), "m"(red_zone_after)
		: "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory");
}

/* FN, in which nothing but markers touches a register or the stack. */
__attribute__ ((unused)) static int registers_survive (void (*fn) (void))
{
	int good = 1;

	for (int i = 0; i < 16; i++)
		before[i] = after[i] =
			UINT64_C (0x0123456789abcdef) * (uint64_t) (i + 3) >> (i % 2 ? 20 : 9);
	call_with_patterns (fn);
	for (int i = 0; i < 16; i++)
		if (i != 4 && after[i] != before[i]) {
			good = 0;
			note ("register %d: %llx became %llx", i, (unsigned long long) before[i],
			      (unsigned long long) after[i]);
		}
	/* the topmost words are the callee's frame where it has one */
	for (int i = 0; i < 13; i++)
		if (red_zone_after[i] != (uint64_t) (i + 1) * 0x01010101) {
			good = 0;
			note ("red zone, word %d: %llx", i, (unsigned long long) red_zone_after[i]);
		}
	return good;
}

/* ---- step by step ---------------------------------------------------------------------------- */

enum { TRAP_FLAG = 0x100 };

__attribute__ ((unused)) static void set_trap_flag (int on)
{
	if (on)
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq %0, (%%rsp); popfq; lea "
				 "128(%%rsp), %%rsp"
				 :
				 : "i"(TRAP_FLAG)
				 : "cc", "memory");
	else
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq %0, (%%rsp); popfq; lea "
				 "128(%%rsp), %%rsp"
				 :
				 : "i"(~TRAP_FLAG)
				 : "cc", "memory");
}

static uintptr_t main_begin, main_end;

/* main's own calls return into it: the way to the end of that function is enough */
__attribute__ ((unused)) static void main_is_at (uintptr_t address)
{
	main_begin = address;
	main_end = main_begin + 4096;
}

/* Is MAIN among the callers of what was interrupted? */
__attribute__ ((unused)) static int reaches_main (void)
{
	void *frames[64];
	int n = backtrace (frames, 64);

	for (int i = 0; i < n; i++)
		if ((uintptr_t) frames[i] >= main_begin && (uintptr_t) frames[i] < main_end)
			return 1;
	return 0;
}

#endif

#endif
