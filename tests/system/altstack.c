/* SPDX-License-Identifier: MIT */
/*
 * altstack.c: handlers on a signal stack that lies inside what is the thread's own stack: a local
 * array of main's, or an array in static TLS, right below the thread pointer. Such a handler's
 * stack pointer is above that of the marker it interrupted, as after a siglongjmp; yet the marker
 * goes on when it returns. It is interrupted at each instruction (the trap flag).
 */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__) && !UNDER_ASAN && !UNDER_TSAN

/* clang-format off */
#pragma pp metric m_elapsed interval sumcount(elapsed)
#pragma pp metric m_counted interval count(count)
#pragma pp metric m_stats   interval stats(elapsed)
/* clang-format on */

enum { ROUNDS = 20, TRAP_FLAG = 0x100, STACK_BYTES = 64 << 10, DEEP_BYTES = 128 << 10 };

static volatile sig_atomic_t is_on, calls, wrong;
static uintptr_t code_lo, code_hi;
extern char __executable_start, etext; /* of the linker's */

NOIPA static long give (long x)
{
#pragma pp interval give
	__asm__ volatile("" : "+a"(x) : : "memory");
	return x;
}

NOIPA static long give_too (long x)
{
#pragma pp interval give_too(m_stats)
	__asm__ volatile("" : "+a"(x) : : "memory");
	return x;
}

static void trapped (int sig, siginfo_t *info, void *context)
{
	uintptr_t ip = (uintptr_t) ((ucontext_t *) context)->uc_mcontext.gregs[REG_RIP];

	(void) sig;
	(void) info;
	/* inside the marker: this program's own code is not stopped in */
	if (!is_on || ip - code_lo < code_hi - code_lo)
		return;
	calls++;
	wrong += give (-1) != -1;
	wrong += give (-2) != -2;
	wrong += give_too (-3) != -3;
}

NOIPA static long step_through (long x)
{
	is_on = 1;
	__asm__ volatile(
		"lea -128(%%rsp), %%rsp; pushfq; orq %0, (%%rsp); popfq; lea 128(%%rsp), %%rsp"
		:
		: "i"(TRAP_FLAG)
		: "cc", "memory");
	x = give (x);
	__asm__ volatile(
		"lea -128(%%rsp), %%rsp; pushfq; andq %0, (%%rsp); popfq; lea 128(%%rsp), %%rsp"
		:
		: "i"(~TRAP_FLAG)
		: "cc", "memory");
	is_on = 0;
	return x;
}

static void try (pp_metric *m, void *stack, const char *what)
{
	stack_t at = {.ss_sp = stack, .ss_size = STACK_BYTES}, none = {.ss_flags = SS_DISABLE};
	/* volatile: further down than the signal stack */
	volatile char deep[DEEP_BYTES];
	double n;

	deep[0] = 0;
	pp_bind (m, "give", 0);
	for (long i = 0; i < 10; i++)
		give (i);
	pp_reset (m);
	forget_drops ();
	wrong = calls = 0;
	sigaltstack (&at, NULL);
	for (long i = 0; i < ROUNDS; i++)
		wrong += step_through (i) != i;
	sigaltstack (&none, NULL);
	n = pp_count (m) + newly_dropped_in_all ();
	pp_unbind (m, "give");
	ok (calls > 10 * ROUNDS, "%s: markers are interrupted (%d times)", what, (int) calls);
	same (wrong, 0, "and every register is the program's afterwards");
	/*
	 * those that a handler of this kind took for left behind are dropped, not lost; what
	 * give_too drops is in there too
	 */
	ok (n >= ROUNDS + 2.0 * calls,
	    "each execution is counted, or counted as dropped (%g of %g)", n, ROUNDS + 2.0 * calls);
	(void) deep;
}

static __thread char in_tls[STACK_BYTES];

static void *in_thread (void *arg)
{
	(void) arg;
	try (m_elapsed, in_tls, "a signal stack in TLS, elapsed");
	try (m_counted, in_tls, "a signal stack in TLS, count");
	return NULL;
}

int main (void)
{
	struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	char local[STACK_BYTES];
	pthread_t thread;

	code_lo = (uintptr_t) &__executable_start;
	code_hi = (uintptr_t) &etext;
	sigaction (SIGTRAP, &action, NULL);
	try (m_elapsed, local, "a signal stack among main's locals, elapsed");
	try (m_counted, local, "a signal stack among main's locals, count");
	pthread_create (&thread, NULL, in_thread, NULL);
	pthread_join (thread, NULL);
	return checked ();
}

#else

int main (void)
{
	skipped ("signal stacks inside the thread's own",
		 "needs single steps, which a sanitizer's code would be stopped at too");
	return checked ();
}

#endif
