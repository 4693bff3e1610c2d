/* SPDX-License-Identifier: MIT */
/* stacks.c: see stacks.h. */
#include "base/stacks.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

uintptr_t ppi_main_stack_lo, ppi_main_stack_hi, ppi_stack_bytes;

uint32_t ppi_main_tid;

extern void *__libc_stack_end;

#define UNLIMITED_STACK ((uintptr_t) 1 << 30)

#define DEFAULT_STACK ((uintptr_t) 8 << 20)

/*
 * The main thread's stack ends at __libc_stack_end and may grow to the limit; other threads have
 * the default size unless told otherwise.
 */
void ppi_stacks_learn (void)
{
	struct rlimit limit;
	pthread_attr_t attr;
	size_t bytes = 0;

	ppi_main_tid = (uint32_t) getpid ();
	ppi_main_stack_hi = ((uintptr_t) __libc_stack_end + 4095) & ~(uintptr_t) 4095;
	if (getrlimit (RLIMIT_STACK, &limit) < 0 || limit.rlim_cur > UNLIMITED_STACK)
		limit.rlim_cur = UNLIMITED_STACK;
	ppi_main_stack_lo = ppi_main_stack_hi - (uintptr_t) limit.rlim_cur;
	if (pthread_getattr_default_np (&attr) == 0) {
		pthread_attr_getstacksize (&attr, &bytes);
		pthread_attr_destroy (&attr);
	}
	ppi_stack_bytes = bytes ? bytes : DEFAULT_STACK;
}
