/* SPDX-License-Identifier: MIT */
/*
 * collected.c: a garbage collector stops a thread by a signal, wherever it is, and looks for
 * pointers in its registers and on its stack. Where GC_init says that there is one it finds each of
 * them, also while a bound marker runs.
 */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>

#define LOOKS 5000

void GC_init (void);
void GC_init (void)
{
}

static uintptr_t hidden; /* the complement, so that nothing else looks like it */
static const uintptr_t *base;
static int handled, inside, looks, missed, stop;

NOIPA static uintptr_t use (uintptr_t pointer)
{
	PP_INTERVAL (x)
	return pointer + 1;
}

/* The registers are on the stack too, in what the kernel gives a handler. */
__attribute__ ((no_sanitize_address)) static void look (int number, siginfo_t *info, void *context)
{
	uintptr_t wanted = ~hidden;
	bool seen = false;

	(void) number;
	(void) info;
	for (const uintptr_t *p = context; p < base; p++)
		seen |= *p == wanted || *p == wanted + 1;
	if (__atomic_load_n (&inside, __ATOMIC_RELAXED)) {
		looks++;
		missed += !seen;
	}
	__atomic_add_fetch (&handled, 1, __ATOMIC_RELEASE);
}

static void *work (void *arg)
{
	uintptr_t here[16];

	(void) arg;
	base = here;
	__asm__ volatile("" : : "r"(here) : "memory");
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		uintptr_t pointer = ~hidden;
		__atomic_store_n (&inside, 1, __ATOMIC_RELAXED);
		for (int i = 0; i < 1000; i++) {
			pointer = use (pointer) - 1;
			__asm__ volatile("" : "+r"(pointer));
		}
		__atomic_store_n (&inside, 0, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main (void)
{
	struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO | SA_RESTART};
	pp_metric *times = NULL;
	pthread_t thread;

	if (UNDER_TSAN) {
		printf ("1..0 # SKIP ThreadSanitizer delivers signals where it likes\n");
		return 0;
	}
	hidden = ~(uintptr_t) 0x123456789abcdef0;
	sigaction (SIGUSR1, &action, NULL);
	ok (pp_metric_new (&times, "times", "interval stats(elapsed)") == 0 &&
		    pp_bind (times, "use/x", 1) == 1,
	    "the interval is bound");
	pthread_create (&thread, NULL, work, NULL);
	while (__atomic_load_n (&looks, __ATOMIC_RELAXED) < LOOKS) {
		int before = __atomic_load_n (&handled, __ATOMIC_ACQUIRE);
		pthread_kill (thread, SIGUSR1);
		while (__atomic_load_n (&handled, __ATOMIC_ACQUIRE) == before)
			sched_yield ();
	}
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (thread, NULL);
	same (missed, 0, "what only a register points to is seen at each look");
	ok (pp_count (times) > 0, "and the interval is measured meanwhile");
	return checked ();
}
