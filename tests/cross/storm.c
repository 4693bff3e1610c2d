/* SPDX-License-Identifier: MIT */
/*
 * storm.c: signals in the middle of stubs. A timer interrupts a loop with enabled markers until it
 * has done so at every instruction of a stub. From each place the handler must be able to unwind to
 * main, and what the loop computes must be what it is without.
 *
 * It is its own runtime: the entries count and touch nothing else. Says how many places of a stub
 * there are, how many were hit, and what was wrong. Meant for "qemu -singlestep": else an emulator
 * stops only where it would jump.
 */
#define _GNU_SOURCE
#include <pp_abi.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

/* from "sub sp, sp, #48" to the jump back: tests/cross/shapes.sh compares it with the code */
#define PLACES 15
#define SIGNALS_MAX 20000

int main (void);
__attribute__ ((noipa)) static double work (int n, double x);

extern const struct pp_abi_marker __start___pp_sites[], __stop___pp_sites[];

uint64_t entered[3]; /* by enum pp_abi_op */

#define ENTRY(NAME, AT)                                                                            \
	void NAME (void);                                                                          \
	__asm__(".text\n.p2align 4\n.type " #NAME ",%function\n" #NAME ":\n"                       \
		"\t.cfi_startproc\n\thint 34\n"                                                    \
		"\tadrp x0,entered\n\tadd x0,x0,:lo12:entered\n"                                   \
		"\tldr x1,[x0," #AT "]\n\tadd x1,x1,1\n\tstr x1,[x0," #AT                          \
		"]\n\tret\n\t.cfi_endproc\n")
ENTRY (entry_begin, 0);
ENTRY (entry_end, 8);
ENTRY (entry_point, 16);
static void (*const plan[]) (void) = {entry_begin, entry_end, entry_point};

void pp_rt_register (const struct pp_abi_module *module)
{
	(void) module;
}
void pp_rt_unregister (const struct pp_abi_module *module)
{
	(void) module;
}

static void enable (const struct pp_abi_marker *marker)
{
	char *at = (char *) &marker->nop + marker->nop,
	     *stub = (char *) &marker->stub + marker->stub;
	struct pp_abi_site *site = (struct pp_abi_site *) ((char *) &marker->site + marker->site);
	uint32_t branch = 0x14000000 | ((uint32_t) ((stub - at) / 4) & 0x03ffffff);

	site->plan = plan;
	mprotect ((void *) ((uintptr_t) at & -(uintptr_t) 65536), 65536,
		  PROT_READ | PROT_WRITE | PROT_EXEC);
	__atomic_store_n ((uint32_t *) at, branch, __ATOMIC_RELAXED);
	__builtin___clear_cache (at, at + 4);
	/* the loop has a copy without markers */
	__atomic_store_n (&site->enabled, 1, __ATOMIC_RELAXED);
}

/* ---- the handler */

static volatile unsigned signals, in_stubs, lost;
static volatile unsigned hits[PLACES];

struct walk {
	int in_work, in_main;
};

static _Unwind_Reason_Code step (struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	void *fn = _Unwind_FindEnclosingFunction ((void *) _Unwind_GetIP (context));

	walk->in_work |= fn == (void *) work;
	walk->in_main |= fn == (void *) main;
	return _URC_NO_REASON;
}

static void interrupted (int signal, siginfo_t *info, void *context)
{
	const char *pc = (const char *) ((ucontext_t *) context)->uc_mcontext.pc;
	struct walk walk = {0, 0};

	(void) signal;
	(void) info;
	signals++;
	for (const struct pp_abi_marker *m = __start___pp_sites; m < __stop___pp_sites; m++) {
		const char *stub = (const char *) &m->stub + m->stub;

		if (pc < stub || pc >= stub + 4 * PLACES)
			continue;
		in_stubs++;
		hits[(pc - stub) / 4]++;
		_Unwind_Backtrace (step, &walk);
		if (!walk.in_work || !walk.in_main) {
			if (!lost)
				printf ("lost at place %d\n", (int) (pc - stub) / 4);
			lost++;
		}
	}
}

/* ---- the loop */

/* Values in many registers live across the markers, one of them is handed over. */
static double work (int n, double x)
{
	uint64_t a = 1, b = 2, c = 3, d = 5, e = 7, f = 11;
	double p = 1, q = 2, r = 3;

	for (int i = 0; i < n; i++) {
#pragma pp interval lap
		a += b ^ c;
		b = b * 5 + d;
		c ^= e >> 3;
		p = p * 0.5 + x;
#pragma pp point at value(a)
		d += f * 3;
		e = e * 9 + (a > b);
		f ^= d << 1;
		q = q * 0.25 + p;
		r += q;
	}
	return (double) (a ^ b ^ c ^ d ^ e ^ f) + p + q + r;
}

static int all_hit (void)
{
	int n = 0;

	for (int i = 0; i < PLACES; i++)
		n += hits[i] > 0;
	return n;
}

int main (void)
{
	enum { N = 2000 };
	const struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_sigaction = interrupted,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	double expected = work (N, 1.5), wrong = 0;
	uint64_t rounds = 0;

	for (const struct pp_abi_marker *m = __start___pp_sites; m < __stop___pp_sites; m++)
		enable (m);
	sigaction (SIGALRM, &action, NULL);
	setitimer (ITIMER_REAL, &often, NULL);
	while (all_hit () < PLACES && signals < SIGNALS_MAX) {
		wrong += work (N, 1.5) != expected;
		rounds++;
	}
	setitimer (ITIMER_REAL, &never, NULL);
	printf ("places %d of %d, lost %u, wrong %g, entries %s\n", all_hit (), PLACES, lost, wrong,
		entered[0] == rounds * N && entered[1] == rounds * N && entered[2] == rounds * N
			? "exact"
			: "lost");
	return 0;
}
